// A scripted agent of version 2 on the official SDK, which checks what it receives. No model, no network.
// The SDK is other people's; only this script is ours (BSD-3-Clause). Unlike tests/agents/sdk_v2_agent.mjs it really
// does what it says: words in the prompt choose, as in model_script.py: #text #read #edit #run #slow.
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/experimental/v2";

const BEFORE = "second line";
const AFTER = "SECOND line, edited";
const COMMAND = "touch ran.txt && echo hello from the shell";
const WORDS = "# Result\n\nSome *words* and `code`. é ✓ 漢字 🙂 <b>not html</b>\n";
const OPTIONS = [
  { optionId: "once", name: "Allow once", kind: "allow_once" },
  { optionId: "always", name: "Always allow", kind: "allow_always" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

const base64 = (text) => Buffer.from(text, "utf8").toString("base64");
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
let counter = 0;
const newId = (prefix) => `${prefix}-${++counter}`;

// Sessions outlive the process: what was said in them stands in a file of its own, in HOME.
const fileOf = (sessionId) => path.join(process.env.HOME, `${sessionId}.json`);
const open = new Map();
const save = (session) => fs.writeFileSync(fileOf(session.id), JSON.stringify({ cwd: session.cwd, log: session.log }));

const app = acp
  .agent({ name: "v2-test-agent" })
  .onRequest("initialize", () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    info: { name: "v2-test-agent", title: "ACP v2 test agent", version: "1.0.0" },
    capabilities: { session: { prompt: {}, mcp: { stdio: {} } } },
    authMethods: [],
  }))
  .onRequest("session/new", ({ params }) => {
    const session = { id: `sess-${process.pid}-${++counter}`, cwd: params.cwd, log: [] };
    open.set(session.id, session);
    save(session);
    return { sessionId: session.id };
  })
  .onRequest("session/list", () => {
    const names = fs.readdirSync(process.env.HOME).filter((name) => /^sess-.*\.json$/.test(name));
    const told = (name) => JSON.parse(fs.readFileSync(path.join(process.env.HOME, name), "utf8"));
    return { sessions: names.map((name) => ({ sessionId: path.parse(name).name, cwd: told(name).cwd, title: "Scripted" })) };
  })
  .onRequest("session/resume", async ({ params, client }) => {
    if (!fs.existsSync(fileOf(params.sessionId))) throw acp.RequestError.resourceNotFound(params.sessionId);
    const session = { id: params.sessionId, ...JSON.parse(fs.readFileSync(fileOf(params.sessionId), "utf8")) };
    open.set(session.id, session);
    const send = (update) => client.notify("session/update", { sessionId: session.id, update });
    if (params.replayFrom) for (const update of session.log) await send(update);
    await send({ sessionUpdate: "state_update", state: "idle" });
    return {};
  })
  .onRequest("session/close", ({ params }) => {
    open.delete(params.sessionId);
    return {};
  })
  .onRequest("session/prompt", ({ params, client }) => {
    const session = open.get(params.sessionId);
    if (!session) throw acp.RequestError.resourceNotFound(params.sessionId);
    const messageId = newId("user");
    session.abort = new AbortController();
    const failed = (error) => process.stderr.write(`work failed: ${error?.stack ?? JSON.stringify(error)}\n`);
    setTimeout(() => work(params.prompt, messageId, client, session).catch(failed), 5);
    return { messageId };
  })
  .onNotification("session/cancel", ({ params }) => open.get(params.sessionId)?.abort?.abort());

async function work(prompt, userMessageId, client, session) {
  const sessionId = session.id;
  const send = async (update) => {
    session.log.push(update);
    await client.notify("session/update", { sessionId, update });
  };
  const stopped = () => session.abort.signal.aborted;
  const say = async (text, pause = 2) => {
    const messageId = newId("msg");
    for (const word of text.match(/\s*\S+\s*/g)) {
      if (stopped()) return;
      await send({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text: word } });
      await sleep(pause);
    }
  };
  const call = (toolCallId, fields) => send({ sessionUpdate: "tool_call_update", toolCallId, ...fields });
  const ask = async (request) => {
    await send({ sessionUpdate: "state_update", state: "requires_action" });
    const waiting = { cancellationSignal: session.abort.signal, stopWaitingOnCancel: true };
    const answer = await client
      .request("session/request_permission", { sessionId, options: OPTIONS, ...request }, waiting)
      .catch(() => ({ outcome: { outcome: "cancelled" } }));
    await send({ sessionUpdate: "state_update", state: "running" });
    return answer.outcome;
  };
  const text = prompt.map((block) => block.text ?? "").join(" ");
  const notes = path.join(session.cwd, "notes.txt");

  await send({ sessionUpdate: "user_message", messageId: userMessageId, content: prompt });
  await send({ sessionUpdate: "state_update", state: "running" });
  const tasks = { "#slow": slow, "#read": read, "#edit": edit, "#run": run };
  const word = Object.keys(tasks).find((each) => text.includes(each));
  const outcome = word ? await tasks[word]() : await say(WORDS);
  if (word && word !== "#slow" && outcome !== "cancelled") await say("All done: **1** tool call(s) finished.\n");
  const stopReason = stopped() || outcome === "cancelled" ? "cancelled" : "end_turn";
  await send({ sessionUpdate: "state_update", state: "idle", stopReason });
  save(session);

  async function slow() {
    await say(Array.from({ length: 600 }, (_, number) => `word${number} `).join(""), 50);
  }

  async function read() {
    const id = newId("call");
    await call(id, { name: "read", title: "Read notes.txt", kind: "read", status: "in_progress", locations: [{ path: notes }] });
    const content = [{ type: "content", content: { type: "text", text: fs.readFileSync(notes, "utf8") } }];
    await call(id, { status: "completed", content });
  }

  async function edit() {
    const id = newId("call");
    const patch = `diff --git a/notes.txt b/notes.txt\n--- a/notes.txt\n+++ b/notes.txt\n@@ -1,3 +1,3 @@\n first line\n-${BEFORE}\n+${AFTER}\n third line\n`;
    const changes = [{ operation: "modify", path: notes, fileType: "text" }];
    const content = [{ type: "diff", changes, patch: { format: "git_patch", text: patch } }];
    await call(id, { name: "edit", title: "Edit notes.txt", kind: "edit", status: "pending", locations: [{ path: notes, line: 2 }] });
    const answer = await ask({ title: "Edit notes.txt?", subject: { type: "tool_call", toolCall: { toolCallId: id, content } } });
    if (answer.outcome === "cancelled") {
      await call(id, { status: "cancelled" });
      return "cancelled";
    }
    if (answer.optionId === "no") {
      await call(id, { status: "failed", content: [{ type: "content", content: { type: "text", text: "Rejected by the user" } }] });
      return "rejected";
    }
    fs.writeFileSync(notes, fs.readFileSync(notes, "utf8").replace(BEFORE, AFTER));
    await call(id, { status: "completed", content });
    return "done";
  }

  async function run() {
    const id = newId("call");
    const terminalId = newId("term");
    await call(id, { name: "shell", title: COMMAND, kind: "execute", status: "pending", rawInput: { command: COMMAND } });
    const subject = { type: "command", command: COMMAND, cwd: session.cwd, toolCallId: id };
    const answer = await ask({ title: "Run this command?", subject });
    if (answer.outcome === "cancelled" || answer.optionId === "no") {
      await call(id, { status: answer.outcome === "cancelled" ? "cancelled" : "failed" });
      return answer.outcome;
    }
    await send({ sessionUpdate: "terminal_update", terminalId, command: COMMAND, cwd: session.cwd, size: { cols: 80, rows: 24 } });
    await call(id, { status: "in_progress", content: [{ type: "terminal", terminalId }] });
    const output = await new Promise((done) => execFile("sh", ["-c", COMMAND], { cwd: session.cwd }, (_, stdout) => done(stdout)));
    await send({ sessionUpdate: "terminal_output_chunk", terminalId, data: base64(output.replaceAll("\n", "\r\n")) });
    await send({ sessionUpdate: "terminal_update", terminalId, exitStatus: { exitCode: 0 } });
    await call(id, { status: "completed", rawOutput: { exitCode: 0 } });
    return "done";
  }
}

const connection = app.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
await connection.closed;
process.exit(0);
