/** Snapshots as the kernel makes them, for the dev page, the screenshots and the tests. */

import { toBase64 } from "../src/lib/base64.ts";
import { emptyState } from "../src/state.ts";
import type { Json, JsonObject } from "../src/types.ts";

export const CWD = "/tmp/acp-demo-x1/project";
export const START = 1_764_680_500;

const at = (first: number, start: number | null = null, end: number | null = null): JsonObject => ({
  first: START + first,
  start: start === null ? null : START + start,
  end: end === null ? null : START + end,
});

export const text = (value: string): JsonObject => ({ type: "text", text: value });

const base64 = (value: string): string => toBase64(new TextEncoder().encode(value));

export function message(
  role: "user" | "agent" | "thought",
  id: string,
  value: string,
  more: JsonObject = {},
): JsonObject {
  return { messageId: id, role, content: [text(value)], _meta: {}, turn: "r:1", at: at(1), ...more };
}

export function call(id: string, more: JsonObject = {}): JsonObject {
  return {
    toolCallId: id,
    title: null,
    name: null,
    kind: "other",
    status: "pending",
    content: [],
    locations: [],
    rawInput: null,
    rawOutput: null,
    capabilities: null,
    _meta: {},
    turn: "r:1",
    at: at(5),
    ...more,
  };
}

export function terminal(id: string, output: string, more: JsonObject = {}): JsonObject {
  return {
    terminalId: id,
    command: null,
    cwd: CWD,
    output: { data: base64(output), _meta: null, cut: 0 },
    exitStatus: null,
    size: null,
    capabilities: null,
    _meta: {},
    turn: "r:1",
    at: at(20),
    ...more,
  };
}

export const OPTIONS: Json[] = [
  { optionId: "once", name: "Allow once", kind: "allow_once" },
  { optionId: "always", name: "Always allow", kind: "allow_always" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
  { optionId: "never", name: "Always reject", kind: "reject_always" },
];

export function permission(title: string, more: JsonObject = {}): JsonObject {
  return {
    requestId: 7,
    title,
    description: null,
    subject: null,
    options: OPTIONS,
    status: "pending",
    optionId: null,
    toolCallId: null,
    problem: null,
    by: null,
    why: null,
    turn: "r:1",
    at: at(30),
    ...more,
  };
}

export function turn(number: number, prompt: string | null, more: JsonObject = {}): JsonObject {
  return {
    number,
    prompt: prompt === null ? null : [text(prompt)],
    source: "python",
    status: "running",
    echo: null,
    messageId: null,
    stopReason: null,
    error: null,
    at: { queued: null, sent: START, end: null },
    ...more,
  };
}

/** A whole state: what is given takes the place of the empty parts. */
export function state(parts: JsonObject): JsonObject {
  const empty = emptyState();
  const session = {
    ...(empty.session as JsonObject),
    label: "demo",
    agent: { name: "demo", title: "demo agent", version: "0.1.0" },
    sessionId: "s1",
    command: ["python", "-m", "acp_widget.demo"],
    cwd: CWD,
    temporary: true,
    connection: "ready",
    protocolVersion: 2,
    policy: "ask",
    ...((parts.session as JsonObject | undefined) ?? {}),
  };
  return { seq: 1, ...empty, ...parts, session };
}

export const PATCH = `diff --git ${CWD}/stats.py ${CWD}/stats.py
--- ${CWD}/stats.py
+++ ${CWD}/stats.py
@@ -1,5 +1,7 @@ def mean
 def mean(xs):
-    return sum(xs) / len(xs)
+    if not xs:
+        return float("nan")
+    return sum(xs) / len(xs)

 def spread(values):
-    return max(values) - min(values)
+    return max(values, default=0) - min(values)
`;

const TEST_OUTPUT =
  "\x1b[1m===== test session starts =====\x1b[0m\ncollected 6 items\n\n" +
  "tests/test_stats.py \x1b[32m...\x1b[31mF\x1b[32m..\x1b[0m                              \x1b[32m[ 60%]\x1b[0m\n" +
  "\x1b[33mwarnings summary\x1b[0m: 1 warning\n";

/** The mock's session: a turn in the middle, with a question open. */
export function demoState(): JsonObject {
  const diff = {
    type: "diff",
    changes: [
      { operation: "modify", path: `${CWD}/stats.py`, fileType: "text" },
      {
        operation: "move",
        oldPath: `${CWD}/assets/old.png`,
        path: `${CWD}/assets/logo.png`,
        fileType: "binary",
        mimeType: "image/png",
      },
    ],
    patch: { format: "git_patch", text: PATCH },
  };
  const now = Date.now() / 1000 - START;
  return state({
    state: { state: "running", busy: true, stopReason: null, background: null, error: null, usage: null },
    usage: { used: 53_000, size: 200_000, cost: { amount: 0.05, currency: "USD" } },
    configOptions: [
      {
        configId: "mode",
        name: "Mode",
        category: "mode",
        type: "select",
        currentValue: "ask",
        options: [{ value: "ask", name: "Ask before edits" }],
      },
    ],
    commands: [{ name: "run", description: "Run a command" }],
    timeline: ["u:1", "h:1", "l:plan", "a:1", "t:call_1", "t:call_2", "t:call_3", "p:2"],
    turns: {
      "r:1": turn(1, "The test for `mean()` fails on an empty list. Fix it.", {
        echo: "u:1",
        at: { queued: null, sent: START + now - 41, end: null },
      }),
    },
    messages: {
      "u:1": message("user", "1", "The test for `mean()` fails on an empty list. Fix it."),
      "h:1": message("thought", "1", "The failing test calls `mean([])`, so the division by zero is in `stats.py`.", {
        at: at(1, null, 3.1),
      }),
      "a:1": message(
        "agent",
        "1",
        "The function divides by `len(xs)` without checking for an empty list. I'll return `nan`, as `numpy.mean` does.",
      ),
    },
    plans: {
      "l:plan": {
        plan: {
          type: "items",
          planId: "plan",
          entries: [
            { content: "Read the failing test", priority: "medium", status: "completed" },
            { content: "Fix stats.py", priority: "medium", status: "in_progress" },
            { content: "Run the tests", priority: "medium", status: "pending" },
          ],
        },
        turn: "r:1",
        at: at(2),
      },
    },
    toolCalls: {
      "t:call_1": call("call_1", {
        title: "Read tests/test_stats.py",
        kind: "read",
        status: "completed",
        locations: [{ path: `${CWD}/tests/test_stats.py`, line: 12 }],
        content: [{ type: "content", content: text("def test_mean_of_nothing():\n    assert isnan(mean([]))") }],
        rawInput: { path: `${CWD}/tests/test_stats.py` },
        at: at(4, 4, 4.1),
      }),
      "t:call_2": call("call_2", {
        title: "Edit stats.py",
        kind: "edit",
        status: "completed",
        content: [diff],
        rawInput: { path: `${CWD}/stats.py`, edits: 2 },
        rawOutput: { written: 118 },
        at: at(6, 11, 11.4),
      }),
      "t:call_3": call("call_3", {
        title: "pytest -q",
        name: "shell",
        kind: "execute",
        status: "in_progress",
        content: [{ type: "terminal", terminalId: "term-1" }],
        rawInput: { command: "pytest -q" },
        at: { first: START + now - 3, start: START + now - 3.2, end: null },
      }),
    },
    terminals: { "x:term-1": terminal("term-1", TEST_OUTPUT, { command: "pytest -q" }) },
    permissions: {
      "p:1": permission("Edit stats.py?", {
        status: "selected",
        optionId: "once",
        toolCallId: "call_2",
        by: "you",
        at: at(7, null, 11),
      }),
      "p:2": permission("Run the linter?", {
        description: "The agent wants to run a command. It can change files.",
        subject: { type: "command", command: "ruff check --fix .", cwd: CWD },
        requestId: 8,
      }),
    },
  });
}

const ended = (reason: string | null, more: JsonObject = {}): JsonObject => ({
  status: "done",
  stopReason: reason,
  at: { queued: null, sent: START, end: START + 41 },
  ...more,
});

/** The states that are easy to forget: failure, refusal, the unknown, the end. */
export function oddStates(): JsonObject {
  const change = (operation: string, path: string, more: JsonObject = {}): JsonObject => ({
    operation,
    path: `${CWD}/${path}`,
    ...more,
  });
  const lines = (sign: string, count: number): string =>
    Array.from({ length: count }, (_, n) => `${sign}row ${n},${(n * 7919) % 1000}`).join("\n");
  const big = `diff --git a${CWD}/big.csv b${CWD}/big.csv\n--- a${CWD}/big.csv\n+++ b${CWD}/big.csv\n@@ -1,9812 +1,9812 @@\n${lines("-", 9812)}\n${lines("+", 9812)}\n`;
  const move = `diff --git ${CWD}/a.txt ${CWD}/docs/a.txt\nsimilarity index 100%\nrename from ${CWD}/a.txt\nrename to ${CWD}/docs/a.txt\n`;
  const stray =
    "diff --git /etc/hosts /etc/hosts\n--- /etc/hosts\n+++ /etc/hosts\n@@ -1 +1 @@\n-127.0.0.1 a\n+127.0.0.1 b\n";
  const later = (n: number): JsonObject => ({ turn: `r:${n}` });
  return state({
    session: {
      connection: "failed",
      error: {
        name: "AgentExited",
        title: "The agent ended in the middle of the turn",
        message: "Exit code 1 after 12.4 s. Everything up to here is kept.",
        hint: "Free some space, then start it again.",
        stderr: "Error: ENOSPC: no space left on device, write\n    at Object.writeSync (node:fs:924:3)\n",
      },
    },
    diagnostics: [
      { message: "tool_call_update without a toolCallId was dropped", where: "session/update", at: START },
      { message: "bad base64 in a terminal chunk", where: "terminal_output_chunk", at: START + 1 },
    ],
    timeline: [
      ...["p:1", "p:2", "p:3", "p:4", "p:5", "p:6", "p:7"],
      ...["t:1", "t:2", "t:3", "t:4", "t:5", "n:1", "c:1", "k:1", "a:1"],
    ],
    turns: {
      "r:1": turn(1, "Document everything", ended("end_turn")),
      "r:2": turn(2, "And translate it", ended("cancelled", { at: { queued: null, sent: START, end: START + 12 } })),
      "r:3": turn(3, "Go on", ended("refusal")),
      "r:4": turn(
        4,
        "Once more",
        ended(null, { status: "failed", error: { message: "rate limit of the model reached. Try again in 30 s." } }),
      ),
      "r:5": turn(5, "Then update the changelog", { status: "queued", at: { queued: START, sent: null, end: null } }),
      "r:6": turn(6, "Then update the changelog", {
        status: "not_sent",
        at: { queued: START, sent: null, end: START },
      }),
    },
    permissions: {
      "p:1": permission("Run the tests?", { status: "selected", optionId: "once", by: "you", at: at(1, null, 9) }),
      "p:2": permission("Delete build/?", {
        status: "selected",
        optionId: "no",
        by: "policy",
        why: 'the rule reject Run("rm *")',
        at: at(1, null, 10),
      }),
      "p:3": permission("Edit setup.cfg?", { status: "cancelled", by: "stop", at: at(1, null, 11) }),
      "p:4": permission("Edit notes.md?", { status: "cancelled", by: "end", at: at(1, null, 12) }),
      "p:5": permission("Run it?", {
        subject: { type: "_vm_snapshot", vm: "build-3" },
        problem: "The agent described what it wants in a form that this version does not know.",
        options: [OPTIONS[0] as Json, OPTIONS[2] as Json],
      }),
      "p:6": permission("Tidy up", {
        subject: { type: "command", command: "echo \u202egnp.exe\u202c && rm\u00a0-rf\u200b /tmp/x", cwd: CWD },
        options: [
          { optionId: "a", name: "Allow", kind: "reject_once" },
          { optionId: "a", name: "Go", kind: "_later" },
        ],
      }),
      "p:7": permission("Run a long script?", {
        subject: {
          type: "command",
          command: Array.from({ length: 60 }, (_, n) => `step ${n + 1}`).join("\n"),
          cwd: CWD,
        },
        options: [OPTIONS[0] as Json],
      }),
    },
    toolCalls: {
      "t:1": call("1", {
        title: "make docs",
        kind: "execute",
        status: "failed",
        content: [{ type: "terminal", terminalId: "t1" }],
        at: at(1, 1, 5.1),
      }),
      "t:2": call("2", { title: 'Search for "mean("', kind: "search", status: "cancelled", rawInput: { q: "mean(" } }),
      "t:3": call("3", { title: "Edit README.md", kind: "edit", status: "in_progress", rawInput: {} }),
      "t:4": call("4", { title: "Provision sandbox", kind: "_provision", status: "_waiting_for_quota", rawInput: {} }),
      "t:5": call("5", {
        title: "Tidy assets",
        kind: "edit",
        status: "completed",
        at: at(2, 2, 2.2),
        turn: "r:4",
        content: [
          {
            type: "diff",
            changes: [
              change("add", "assets/logo.png", { fileType: "binary", mimeType: "image/png" }),
              change("move", "docs/a.txt", { oldPath: `${CWD}/a.txt` }),
              change("delete", "old", { fileType: "directory" }),
              change("modify", "big.csv"),
            ],
            patch: { format: "git_patch", text: move + big + stray },
          },
        ],
      }),
    },
    terminals: {
      "x:t1": terminal("t1", "\x1b[31merror:\x1b[0m mkdocs: command not found\n", {
        command: "make docs",
        exitStatus: { exitCode: 2, signal: null },
      }),
    },
    notices: {
      "n:1": {
        severity: "warning",
        title: "MCP server unavailable",
        description: "Continuing without it.",
        turn: "r:1",
        at: at(3),
      },
    },
    compactions: {
      "c:1": {
        compactionId: "1",
        status: "completed",
        summary: [text("What was done so far.")],
        error: null,
        _meta: {},
        turn: "r:1",
        at: at(3),
      },
    },
    unknownUpdates: {
      "k:1": { raw: { sessionUpdate: "_vendor/heartbeat", beat: 3 }, turn: "r:1", at: at(3) },
    },
    messages: { "a:1": message("agent", "1", MARKDOWN, later(1)) },
  });
}

export const MARKDOWN = `## What I did

1. **Read** the test, then
2. fixed \`stats.py\`:

\`\`\`python
def mean(xs: list[float]) -> float:
    """The arithmetic mean; nan for nothing."""
    return sum(xs) / len(xs) if xs else float("nan")  # as numpy does
\`\`\`

| case | before | after |
|:-----|:------:|------:|
| \`[]\` | error  | \`nan\` |
| \`[1, 2]\` | 1.5 | 1.5 |

> See [the docs](https://numpy.org/doc/) – not [this](javascript:alert(1)) – and ![a picture](https://example.com/x.png).

- [x] tests pass
- [ ] changelog <b onclick="alert(1)">raw html</b>
`;
