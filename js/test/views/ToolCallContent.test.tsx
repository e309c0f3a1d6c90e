import { afterEach, describe, expect, it, vi } from "vitest";
import { call, OPTIONS, permission, START, state, terminal, text, turn } from "../../dev/states.ts";
import { SLOW } from "../../src/actions.ts";
import type { JsonObject } from "../../src/types.ts";
import { ToolCall } from "../../src/views/ToolCall.tsx";
import { clear, click, type Page, pass, show } from "../help.tsx";

afterEach(clear);

const RUNNING = turn(1, "go");

function draw(more: JsonObject, parts: JsonObject = {}): Page {
  return show(
    <ToolCall id="t:c" />,
    state({ turns: { "r:1": RUNNING }, toolCalls: { "t:c": call("c", more) }, ...parts }),
  );
}

const item = (value: string): JsonObject => ({ type: "content", content: text(value) });
const button = (page: Page, name: string): HTMLElement => {
  const found = page.all("button").find((each) => each.textContent?.trim() === name);
  if (!found) throw new Error(`no button ${name}: ${page.text()}`);
  return found;
};
const tags = (page: Page): (string | null)[] => page.all(".acp-tag").map((tag) => tag.textContent);
const asked = (more: JsonObject): JsonObject => ({
  permissions: { "p:1": permission("May I?", { toolCallId: "c", ...more }) },
});

describe("the output of a call", () => {
  it("is shown letter by letter when it ran, read or searched, else as markdown", () => {
    for (const kind of ["execute", "read", "search"]) {
      const page = draw({ kind, status: "failed", content: [item("**stars** # and <b>")] });
      expect(page.one(".acp-output pre").textContent).toBe("**stars** # and <b>");
    }
    expect(draw({ kind: "fetch", status: "failed", content: [item("**stars**")] }).one("strong").textContent).toBe(
      "stars",
    );
  });

  it("loses the fence that the agent put around it, and the colours of a terminal", () => {
    const page = draw({
      kind: "execute",
      status: "failed",
      content: [item("```console\n\u001b[31mred\u001b[0m\n10%\r100%\n```")],
    });
    expect(page.one(".acp-output pre").textContent).toBe("red\n100%");
  });

  it("has the colours of the file that was read", () => {
    const page = draw({
      kind: "read",
      status: "failed",
      locations: [{ path: "/a.py" }],
      content: [item("import math")],
    });
    expect(page.one(".acp-h-keyword").textContent).toBe("import");
  });

  it("is folded when it is long, and copied whole", async () => {
    const write = vi.fn().mockResolvedValue(undefined);
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: write } });
    const all = Array.from({ length: 300 }, (_, n) => `line ${n}`).join("\n");
    const page = draw({ kind: "search", status: "failed", content: [item(all)] });
    expect(page.one("pre").textContent).not.toContain("line 299");
    click(button(page, "Copy"));
    await vi.waitFor(() => expect(write).toHaveBeenCalledWith(all));
    vi.unstubAllGlobals();
    click(button(page, "Show all 300 lines"));
    expect(page.one("pre").textContent).toBe(all);
    click(button(page, "Show less"));
    expect(page.one("pre").textContent).not.toContain("line 299");
  });

  it("comes from the raw output when there is no content", () => {
    const page = draw({
      kind: "execute",
      status: "failed",
      rawOutput: { stdout: "built", stderr: "no rule", exit_code: 2 },
    });
    expect(page.all(".acp-output pre").map((pre) => pre.textContent)).toEqual(["built", "no rule"]);
    expect(page.one(".acp-st").textContent).toBe("failed · exit 2");
    const blank = draw({ status: "failed", content: [item(" ")], rawOutput: "only here" });
    expect(blank.one(".acp-output pre").textContent).toBe("only here");
    const blocks = draw({ status: "failed", rawOutput: { content: [text("**said**")] } });
    expect(blocks.one("strong").textContent).toBe("said");
    expect(draw({ status: "failed", rawOutput: { rows: 3 } }).one(".acp-json").textContent).toContain('"rows": 3');
    const silent = draw({ kind: "execute", status: "in_progress", rawOutput: { exit_code: 0 } });
    expect(silent.text()).toContain("exit 0, no output");
    const quiet = [{ type: "terminal", terminalId: "t" }];
    const ended = draw({ kind: "execute", status: "in_progress", content: quiet, rawOutput: { exit_code: 0 } });
    expect(ended.text()).not.toContain("no output");
  });

  it("is never shown twice, but stands under Raw output", () => {
    const page = draw({ kind: "execute", status: "failed", content: [item("```\nsame\n```")], rawOutput: "same" });
    expect(page.text().split("same")).toHaveLength(2);
    click(button(page, "Raw output"));
    expect(page.one(".acp-json").textContent).toContain("same");
  });
});

describe("what a program could draw over", () => {
  const trick = "rm -rf data\rls -la       ";
  const shown = (page: Page): string => page.all(".acp-output pre").map((pre) => pre.textContent)[0] ?? "";

  it("is shown letter by letter while the agent asks, and as on a terminal afterwards", () => {
    const question = { permissions: { "p:1": permission("May I?", { toolCallId: "c" }) } };
    for (const given of [{ content: [item(trick)] }, { rawOutput: trick }, { rawOutput: { stdout: trick } }]) {
      expect(shown(draw({ kind: "execute", ...given }, question))).toBe("rm -rf data⟨U+000D⟩ls -la       ");
    }
    expect(shown(draw({ kind: "execute", status: "failed", content: [item("a\u001b[2Kb")] }, question))).toContain(
      "a⟨U+001B⟩[2Kb",
    );
    expect(shown(draw({ kind: "execute", status: "failed", content: [item(trick)] }))).toBe("ls -la       ");
  });

  it("is never done to a file that was read", () => {
    expect(shown(draw({ kind: "read", status: "failed", content: [item("alpha\rbeta")] }))).toBe("alpha⟨U+000D⟩beta");
  });

  it("leaves what a program draws with as it is", () => {
    const drawing = "│\u00a0\u00a0 └── \ue0b0 👨\u200d👩\u200d👧 ✔\ufe0f";
    expect(shown(draw({ kind: "execute", status: "failed", content: [item(drawing)] }))).toBe(drawing);
    expect(shown(draw({ kind: "execute", status: "failed", content: [item("a\u200bb")] }))).toBe("a⟨U+200B⟩b");
  });

  it("is all there when it has colours, however long", () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `\u001b[32mline ${at}\u001b[0m`).join("\n");
    const page = draw({ kind: "execute", status: "failed", rawOutput: { stdout: lines } });
    expect(shown(page)).toMatch(/^line 0\nline 1\n/);
    expect(page.text()).toContain("Show all 20,000 lines");
  });
});

describe("raw output in blocks", () => {
  it("of a command is no markdown", () => {
    const page = draw({ kind: "execute", status: "failed", rawOutput: { content: [text("__init__.py # *x*")] } });
    expect(page.one(".acp-output pre").textContent).toBe("__init__.py # *x*");
  });

  it("does not leave out an error that is an object", () => {
    const page = draw({
      kind: "execute",
      status: "failed",
      rawOutput: { output: "partial", error: { code: 7, message: "boom" } },
    });
    expect(page.text()).toContain("partial");
    expect(page.text()).toContain("boom");
  });
});

describe("a text that repeats a terminal of the call", () => {
  const parts = { terminals: { "x:1": terminal("1", "out\n") } };
  const content = [{ type: "terminal", terminalId: "1" }, item("```\nout\n```")];

  it("is left out when the call is over, and only then", () => {
    expect(draw({ kind: "execute", status: "failed", content }, parts).all(".acp-output")).toHaveLength(0);
    expect(draw({ kind: "execute", status: "in_progress", content }, parts).all(".acp-output")).toHaveLength(1);
    const other = [content[0] as JsonObject, item("more")];
    expect(draw({ kind: "execute", status: "failed", content: other }, parts).all(".acp-output")).toHaveLength(1);
  });
});

describe("changes that only the input tells", () => {
  const rawInput = { file_path: "/a.txt", old_string: "second", new_string: "SECOND" };

  it("are shown as a diff, and said to be inferred", () => {
    const page = draw({ kind: "edit", status: "in_progress", rawInput });
    expect(page.text()).toContain("Inferred from the input");
    expect(page.one(".acp-diff").textContent).toContain("SECOND");
  });

  it("are left out when the agent sends its own", () => {
    const content = [{ type: "diff", changes: [{ operation: "delete", path: "/b.txt" }], patch: null }];
    const page = draw({ kind: "edit", status: "in_progress", rawInput, content });
    expect(page.text()).not.toContain("Inferred");
    expect(page.all(".acp-diff")).toHaveLength(1);
  });
});

describe("the headline", () => {
  it("says what the call works on when it has no title", () => {
    const title = (more: JsonObject): string => draw(more).one(".acp-title").textContent ?? "";
    expect(title({ kind: "edit", rawInput: { file_path: "/a.txt" } })).toBe("Edit /a.txt");
    expect(title({ kind: "read", locations: [{ path: "/b.txt" }] })).toBe("Read /b.txt");
    expect(title({ kind: "execute", rawInput: { command: ["ls", "-l"] } })).toBe("ls -l");
    const diff = { type: "diff", changes: [{ operation: "delete", path: "/c.txt" }] };
    expect(title({ kind: "delete", content: [diff] })).toBe("Delete /c.txt");
  });

  it("has the tool's name beside the title", () => {
    expect(draw({ title: "pytest -q", name: "shell" }).one(".acp-call-name").textContent).toBe("shell");
    expect(draw({ title: "Read a.py", name: "Read" }).all(".acp-call-name")).toEqual([]);
  });
});

describe("a call that ran without a question", () => {
  it("says so", () => {
    for (const kind of ["edit", "delete", "move", "execute"]) {
      expect(tags(draw({ kind, status: "completed" }))).toEqual(["not asked"]);
    }
  });

  it("does not when it was asked, has not run, only reads, or is told from before", () => {
    expect(
      tags(draw({ kind: "edit", status: "completed" }, asked({ status: "selected", optionId: "once", by: "policy" }))),
    ).toEqual([]);
    expect(tags(draw({ kind: "edit", status: "pending" }))).toEqual([]);
    expect(tags(draw({ kind: "read", status: "completed" }))).toEqual([]);
    const replayed = turn(1, "go", { status: "done", at: { queued: null, sent: null, end: null } });
    expect(tags(draw({ kind: "edit", status: "completed" }, { turns: { "r:1": replayed } }))).toEqual([]);
  });
});

describe("a call whose question was answered by a no", () => {
  const no = asked({
    status: "selected",
    optionId: "no",
    options: OPTIONS,
    by: "you",
    at: { first: START, start: null, end: START + 9 },
  });

  it("is rejected, though the agent says nothing more", () => {
    const page = draw({ status: "in_progress", at: { first: START, start: START + 1, end: null } }, no);
    expect(page.one(".acp-st").textContent).toBe("rejected");
    expect(page.all(".acp-spin")).toEqual([]);
  });

  it("is rejected, not failed, where the agent calls that a failure", () => {
    const times = { first: START, start: null, end: START + 10 };
    expect(draw({ status: "failed", at: times }, no).one(".acp-st").textContent).toBe("rejected");
    const began = { first: START, start: START + 20, end: START + 30 };
    expect(draw({ status: "failed", at: began }, no).one(".acp-st").textContent).toContain("failed");
  });

  it("runs when the agent begins it all the same", () => {
    const page = draw({ status: "in_progress", at: { first: START, start: START + 20, end: null } }, no);
    expect(page.one(".acp-st").textContent).toContain("running");
  });

  it("has its raw input in reach while the question stands, also when it is closed", () => {
    const page = draw({ rawInput: { secret: "plan" } }, asked({}));
    click(page.one(".acp-call-toggle"));
    click(page.all(".acp-tabs button")[0] as HTMLElement);
    expect(page.one(".acp-tabs + .acp-item").textContent).toContain('"secret": "plan"');
  });
});

describe("a call that can be stopped alone", () => {
  const running = { status: "in_progress", capabilities: { cancel: {} } };

  it("asks the agent for it, and says what became of that", async () => {
    vi.useFakeTimers();
    const page = draw(running);
    click(button(page, "Cancel this"));
    click(button(page, "Cancelling…"));
    const sent = page.model.of("cancelCall");
    expect(sent.map((message) => message.call)).toEqual(["t:c"]);
    await pass(SLOW + 1);
    expect(page.text()).toContain("The kernel is busy");
    const { act } = await import("preact/test-utils");
    act(() => page.model.receive({ type: "result", id: sent[0]?.id, ok: false, error: "The agent cannot stop it." }));
    expect(page.text()).toContain("The agent cannot stop it.");
    expect(button(page, "Cancel this").getAttribute("aria-disabled")).toBe("false");
  });

  it("has no button when it is over, not offered, or nobody would hear", () => {
    const none = (more: JsonObject, parts: JsonObject = {}): void =>
      expect(draw(more, parts).text()).not.toContain("Cancel this");
    none({ ...running, status: "completed" });
    none({ status: "in_progress", capabilities: { cancel: null } });
    none(running, {
      turns: { "r:1": turn(1, "go", { status: "done", at: { queued: null, sent: START, end: START + 60 } }) },
    });
    none(running, { session: { connection: "closed" } });
    const lost = show(
      <ToolCall id="t:c" />,
      state({ turns: { "r:1": RUNNING }, toolCalls: { "t:c": call("c", running) } }),
      () => {},
    );
    expect(lost.text()).not.toContain("Cancel this");
  });
});

describe("fields without a view", () => {
  it("stand under a tab of their own", () => {
    const page = draw({ status: "failed", more: { priority: 3 }, _meta: { vendor: "x" } });
    click(button(page, "Other fields"));
    expect(page.one(".acp-json").textContent).toMatch(/"priority": 3.*"vendor": "x"/);
    expect(draw({ status: "failed", rawInput: 1 }).text()).not.toContain("Other fields");
  });
});
