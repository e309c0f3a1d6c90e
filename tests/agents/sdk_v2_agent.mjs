// Scripted ACP v2 (draft) agent over stdio on the official SDK.  No model, no network.
//   npm ci && node sdk_v2_agent.mjs
// The SDK validates what it receives; what it sends goes out as written here.  Words in the prompt pick a script:
//   (none)     thought, message, plan, terminal tool call, two diffs, two permission requests, usage, idle
//   #text      message only, then agent_message replaces what was streamed
//   #slow      streams until session/cancel (then idle/cancelled)
//   #odd       updates a client has to survive: unknown update, unknown tool kind/status/content, null patches, late snapshots
//   #background a terminal that goes on after idle
//   #error     idle with stopReason "error"
import { Readable, Writable } from "node:stream";
import path from "node:path";
import * as acp from "@agentclientprotocol/sdk/experimental/v2";

const b64 = (s) => Buffer.from(s, "utf8").toString("base64");
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const sessions = new Map();
let counter = 0;
const id = (p) => `${p}-${++counter}`;

const CONFIG = (model = "scripted-a") => [
  { configId: "model", name: "Model", category: "model", type: "select", currentValue: model,
    options: [{ value: "scripted-a", name: "Scripted A" }, { value: "scripted-b", name: "Scripted B", description: "the other one" }] },
];
const COMMANDS = [{ type: "command", name: "odd", description: "Send odd updates" }];

const app = acp.agent({ name: "v2-test-agent" })
  .onRequest("initialize", () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    info: { name: "v2-test-agent", title: "ACP v2 test agent", version: "1.0.0" },
    capabilities: { session: { prompt: { image: {}, embeddedContext: {} }, mcp: { stdio: {} } } },
    authMethods: [],
  }))
  .onRequest("session/new", ({ params }) => {
    const sessionId = id("sess");
    sessions.set(sessionId, { cwd: params.cwd, model: "scripted-a", log: [], cancelled: false });
    return { sessionId, configOptions: CONFIG(), availableCommands: COMMANDS };
  })
  .onRequest("session/list", () => ({ sessions: [...sessions].map(([sessionId, s]) => ({ sessionId, cwd: s.cwd, title: "Scripted" })) }))
  .onRequest("session/resume", async ({ params, client }) => {
    const s = sessions.get(params.sessionId);
    if (!s) throw acp.RequestError.resourceNotFound(params.sessionId);
    if (params.replayFrom) for (const update of s.log) await client.notify("session/update", { sessionId: params.sessionId, update });
    await client.notify("session/update", { sessionId: params.sessionId, update: { sessionUpdate: "state_update", state: "idle" } });
    return { configOptions: CONFIG(s.model), availableCommands: COMMANDS };
  })
  .onRequest("session/close", ({ params }) => { sessions.delete(params.sessionId); return {}; })
  .onRequest("session/set_config_option", ({ params }) => {
    const s = sessions.get(params.sessionId);
    s.model = params.value;
    return { configOptions: CONFIG(s.model) };
  })
  .onRequest("session/prompt", ({ params, client }) => {
    const s = sessions.get(params.sessionId);
    if (!s) throw acp.RequestError.resourceNotFound(params.sessionId);
    const messageId = id("user");
    s.cancelled = false;
    s.abort = new AbortController();
    // v2: the response only accepts the prompt; the work is reported by session/update until state idle.
    setTimeout(() => work(params, client, s, messageId).catch((e) => process.stderr.write(`work failed: ${e?.stack ?? JSON.stringify(e)}\n`)), 5);
    return { messageId };
  })
  .onNotification("session/cancel", ({ params }) => {
    const s = sessions.get(params.sessionId);
    if (s) { s.cancelled = true; s.abort?.abort(); }
  });

async function work(params, client, s, userMessageId) {
  const sessionId = params.sessionId;
  const send = async (update) => { s.log.push(update); await client.notify("session/update", { sessionId, update }); };
  const text = params.prompt.map((p) => p.text ?? "").join(" ");
  const say = async (messageId, t) => {
    for (const w of t.match(/\S+\s*/g)) { await send({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text: w } }); await sleep(3); }
  };
  const ask = async (req) => {
    await send({ sessionUpdate: "state_update", state: "requires_action" });
    const r = await client.request("session/request_permission", { sessionId, ...req }, { cancellationSignal: s.abort.signal, stopWaitingOnCancel: true })
      .catch(() => ({ outcome: { outcome: "cancelled" } }));
    await send({ sessionUpdate: "state_update", state: "running" });
    return r.outcome;
  };
  const idle = (extra) => send({ sessionUpdate: "state_update", state: "idle", ...extra });

  await send({ sessionUpdate: "user_message", messageId: userMessageId, content: params.prompt });
  await send({ sessionUpdate: "state_update", state: "running" });
  const m = id("msg");

  if (text.includes("#text")) {
    await say(m, "These streamed words are replaced. ");
    await send({ sessionUpdate: "agent_message", messageId: m, content: [{ type: "text", text: "# Final text\n\nThis **replaces** what was streamed. é 漢字 🙂 <b>not html</b>\n" }] });
    return idle({ stopReason: "end_turn" });
  }
  if (text.includes("#error")) return idle({ stopReason: "error", error: { code: -32603, message: "The scripted model failed" } });
  if (text.includes("#slow")) {
    for (let i = 0; i < 400 && !s.cancelled; i++) { await say(m, `word${i} `); await sleep(50); }
    return idle({ stopReason: s.cancelled ? "cancelled" : "end_turn" });
  }
  if (text.includes("#odd")) {
    const t = id("call"), term = id("term");
    await send({ sessionUpdate: "_vendor_thing", anything: [1, { deep: null }] });
    await send({ sessionUpdate: "a_future_update", value: 1 });
    await send({ sessionUpdate: "tool_call_update", toolCallId: t });  // only an id: nothing known yet
    await send({ sessionUpdate: "tool_call_update", toolCallId: t, title: "Odd tool", kind: "teleport", status: "dreaming",
      content: [{ type: "_hologram", x: 1 }, { type: "content", content: { type: "text", text: "visible" } }] });
    await send({ sessionUpdate: "tool_call_content_chunk", toolCallId: t, content: { type: "content", content: { type: "text", text: " appended" } } });
    await send({ sessionUpdate: "tool_call_update", toolCallId: t, title: null, content: null, status: "completed", _meta: { a: 1, b: null } });
    await send({ sessionUpdate: "terminal_output_chunk", terminalId: term, data: b64("output before any terminal_update\n") });
    await send({ sessionUpdate: "terminal_output_chunk", terminalId: term, data: b64("é🙂").slice(0, 4) });   // cut inside a UTF-8 sequence
    await send({ sessionUpdate: "terminal_update", terminalId: term, command: "odd", output: { data: b64("authoritative snapshot\r\n\x1b[31mred\x1b[0m\n") }, exitStatus: { exitCode: null, signal: "SIGKILL" } });
    await send({ sessionUpdate: "agent_message", messageId: m, content: null });
    await send({ sessionUpdate: "agent_message_chunk", messageId: m, content: { type: "resource_link", uri: "file:///x.txt", name: "x.txt" } });
    await send({ sessionUpdate: "notice", severity: "warning", title: "A notice", description: "with detail" });
    await send({ sessionUpdate: "session_info_update", title: null });
    await idle({ stopReason: "_vendor_reason" });
    await idle({ stopReason: "_vendor_reason" });  // repeated snapshot: no second completion
    return;
  }

  await send({ sessionUpdate: "agent_thought_chunk", messageId: id("thought"), content: { type: "text", text: "Step 1 of the script." } });
  await say(m, "I will run a command, change two files and ask twice. ");
  const plan = (a, b) => send({ sessionUpdate: "plan_update", plan: { type: "items", planId: "plan-1", entries: [
    { content: "Run a command", priority: "high", status: a }, { content: "Change files", priority: "medium", status: b }] } });
  await plan("in_progress", "pending");

  // 1. a terminal, asked for as a command
  const call = id("call"), term = id("term");
  await send({ sessionUpdate: "tool_call_update", toolCallId: call, name: "shell", title: "printf", kind: "execute", status: "pending", rawInput: { command: "printf 'a\\nb\\n'" } });
  const o1 = await ask({ title: "Run this command?", description: "It prints two lines.",
    subject: { type: "command", command: "printf 'a\\nb\\n'", cwd: s.cwd, toolCallId: call },
    options: [{ optionId: "once", name: "Allow once", kind: "allow_once" }, { optionId: "always", name: "Always allow", kind: "allow_always" }, { optionId: "no", name: "Reject", kind: "reject_once" }] });
  if (o1.outcome === "cancelled" || s.cancelled) {
    await send({ sessionUpdate: "tool_call_update", toolCallId: call, status: "cancelled" });
    return idle({ stopReason: "cancelled" });
  }
  if (o1.optionId === "no") {
    await send({ sessionUpdate: "tool_call_update", toolCallId: call, status: "failed", content: [{ type: "content", content: { type: "text", text: "Rejected by the user" } }] });
  } else {
    await send({ sessionUpdate: "terminal_update", terminalId: term, command: "printf 'a\\nb\\n'", cwd: s.cwd, size: { cols: 80, rows: 24 } });
    await send({ sessionUpdate: "tool_call_update", toolCallId: call, status: "in_progress", content: [{ type: "terminal", terminalId: term }] });
    for (const c of ["a\r\n", "\x1b[32mb\x1b[0m", "\r\n"]) { await send({ sessionUpdate: "terminal_output_chunk", terminalId: term, data: b64(c) }); await sleep(20); }
    await send({ sessionUpdate: "terminal_update", terminalId: term, exitStatus: { exitCode: 0 } });
    await send({ sessionUpdate: "tool_call_update", toolCallId: call, status: "completed", rawOutput: { exitCode: 0 } });
  }
  if (text.includes("#background")) {
    const bg = id("term");
    await send({ sessionUpdate: "terminal_update", terminalId: bg, command: "sleep 1; echo late", cwd: s.cwd });
    await idle({ stopReason: "end_turn", background: [{ type: "terminal", terminalId: bg }] });
    await sleep(300);
    await send({ sessionUpdate: "terminal_output_chunk", terminalId: bg, data: b64("late\n") });
    await send({ sessionUpdate: "terminal_update", terminalId: bg, exitStatus: { exitCode: 0 } });
    return idle({ stopReason: "end_turn" });
  }
  await plan("completed", "in_progress");

  // 2. a diff with a git patch, asked for as a tool call
  const edit = id("call"), f = path.join(s.cwd, "notes.txt"), g = path.join(s.cwd, "img.bin");
  const patch = "diff --git a/notes.txt b/notes.txt\nindex 83db48f..bf2a4c1 100644\n--- a/notes.txt\n+++ b/notes.txt\n@@ -1,3 +1,3 @@\n first line\n-second line\n+SECOND line, edited\n third line\n";
  await send({ sessionUpdate: "tool_call_update", toolCallId: edit, name: "edit", title: "Edit notes.txt", kind: "edit", status: "pending", locations: [{ path: f, line: 2 }] });
  const o2 = await ask({ title: "Edit notes.txt?",
    subject: { type: "tool_call", toolCall: { toolCallId: edit, content: [{ type: "diff", changes: [{ operation: "modify", path: f, fileType: "text" }], patch: { format: "git_patch", text: patch } }] } },
    options: [{ optionId: "yes", name: "Apply", kind: "allow_once" }, { optionId: "no", name: "Skip", kind: "reject_once" }, { optionId: "x", name: "Apply and never ask", kind: "_vendor_kind" }] });
  if (o2.outcome === "cancelled" || s.cancelled) {
    await send({ sessionUpdate: "tool_call_update", toolCallId: edit, status: "cancelled" });
    return idle({ stopReason: "cancelled" });
  }
  await send({ sessionUpdate: "tool_call_update", toolCallId: edit, status: o2.optionId === "no" ? "failed" : "completed",
    content: [{ type: "diff", changes: [{ operation: "modify", path: f, fileType: "text" }], patch: { format: "git_patch", text: patch } }] });

  // 3. a diff without a patch: only which files changed and how
  const mv = id("call");
  await send({ sessionUpdate: "tool_call_update", toolCallId: mv, title: "Move and delete", kind: "move", status: "completed", content: [{ type: "diff", changes: [
    { operation: "add", path: g, fileType: "binary", mimeType: "application/octet-stream" },
    { operation: "move", oldPath: path.join(s.cwd, "old.txt"), path: path.join(s.cwd, "new.txt") },
    { operation: "delete", path: path.join(s.cwd, "gone.txt"), fileType: "text" }] }] });
  await plan("completed", "completed");
  const m2 = id("msg");
  await say(m2, "All done: **3** tool calls finished.\n");
  await send({ sessionUpdate: "usage_update", used: 1234, size: 100000, cost: { amount: 0.01, currency: "USD" } });
  await send({ sessionUpdate: "session_info_update", title: "Scripted work", updatedAt: new Date().toISOString() });
  await idle({ stopReason: "end_turn" });
}

const connection = app.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
await connection.closed;
process.exit(0);
