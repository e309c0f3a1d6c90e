import { afterEach, describe, expect, it, vi } from "vitest";
import { CWD, call, START, state, terminal, text, turn } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { ToolCall } from "../../src/views/ToolCall.tsx";
import { clear, click, pass, show } from "../help.tsx";

afterEach(clear);

const RUNNING = turn(1, "go");
const OVER = turn(1, "go", { status: "done", at: { queued: null, sent: START, end: START + 60 } });

function draw(more: JsonObject, parts: JsonObject = {}) {
  return show(
    <ToolCall id="t:c" />,
    state({ turns: { "r:1": RUNNING }, toolCalls: { "t:c": call("c", more) }, ...parts }),
  );
}

const open = (page: ReturnType<typeof draw>): boolean =>
  page.one(".acp-call-toggle").getAttribute("aria-expanded") === "true";
const content: JsonObject[] = [{ type: "content", content: text("**hello**") }];
const times = (start: number | null, end: number | null): JsonObject => ({
  first: START,
  start: start === null ? null : START + start,
  end: end === null ? null : START + end,
});

describe("the line of a tool call", () => {
  it("has its title, else its name, else a label of its kind", () => {
    expect(draw({ title: "Edit stats.py", name: "edit" }).one(".acp-title").textContent).toBe("Edit stats.py");
    expect(draw({ name: "apply_patch" }).one(".acp-title").textContent).toBe("apply_patch");
    expect(draw({ kind: "execute" }).one(".acp-title").textContent).toBe("Run a command");
    expect(draw({ kind: "_later" }).one(".acp-title").textContent).toBe("Tool call");
  });

  it("names a kind that it does not know", () => {
    expect(draw({ kind: "_provision" }).one(".acp-tag").textContent).toBe("_provision");
    expect(draw({ kind: "read" }).all(".acp-tag")).toEqual([]);
  });

  it("says state and time in words", () => {
    const words = (more: JsonObject): string => draw(more).one(".acp-st").textContent ?? "";
    expect(words({ status: "completed", at: times(1, 1.4) })).toBe("done 0.4 s");
    expect(words({ status: "failed", at: times(1, 5.1) })).toBe("failed · 4.1 s");
    expect(words({ status: "cancelled" })).toBe("cancelled");
    expect(words({ status: "paused" })).toBe("paused");
    expect(words({ status: "_waiting_for_quota" })).toBe("_waiting_for_quota");
  });

  it("counts the seconds of what runs", async () => {
    vi.useFakeTimers({ now: (START + 3) * 1000 });
    const page = draw({ status: "in_progress", content, at: times(0, null) });
    expect(page.one(".acp-st").textContent).toBe("running · 3.0 s");
    await pass(2000);
    expect(page.one(".acp-st").textContent).toBe("running · 5.0 s");
  });

  it("has the exit code of the terminal that failed", () => {
    const failed = { status: "failed", content: [{ type: "terminal", terminalId: "t" }] };
    const exit = { "x:t": terminal("t", "", { exitStatus: { exitCode: 2, signal: null } }) };
    expect(draw(failed, { terminals: exit }).one(".acp-st").textContent).toContain("failed · exit 2");
  });

  it("stands still when its turn ended without it", () => {
    const page = draw({ status: "in_progress", content }, { turns: { "r:1": OVER } });
    expect(page.one(".acp-st").textContent).toBe("not finished when the turn ended");
    expect(page.all(".acp-spin")).toEqual([]);
  });

  it("goes on when the agent reports it as work in the background", () => {
    const page = draw(
      { status: "in_progress", content },
      {
        turns: { "r:1": OVER },
        state: { state: "idle", busy: false, background: [{ type: "tool_call", toolCallId: "c" }] },
      },
    );
    expect(page.one(".acp-st").textContent).toContain("running");
  });

  it("runs when it began by itself after its turn, and not when a replay told of it or it waits to begin", () => {
    const words = (status: string, ready: number, background: JsonObject[] | null = null): string => {
      const start = status === "pending" ? null : START + 100;
      const page = draw(
        { status, content, at: { first: START + 100, start, end: null } },
        {
          turns: { "r:1": OVER },
          session: { at: { start: START, ready: START + ready, end: null } },
          state: { state: "idle", busy: false, background },
        },
      );
      return page.one(".acp-st").textContent ?? "";
    };
    expect(words("in_progress", 1)).toContain("running");
    expect(words("in_progress", 200)).toBe("not finished when the turn ended");
    expect(words("in_progress", 1, [])).toBe("not finished when the turn ended");
    expect(words("pending", 1)).toBe("not finished when the turn ended");
  });

  it("copies the whole path of a location, and shows it short", async () => {
    const write = vi.fn().mockResolvedValue(undefined);
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: write } });
    const page = draw({ locations: [{ path: `${CWD}/src/a.py`, line: 12 }, { path: "/etc/hosts" }] });
    expect(page.all(".acp-loc").map((chip) => chip.textContent)).toEqual(["src/a.py:12", "/etc/hosts"]);
    click(page.all(".acp-loc")[0] as HTMLElement);
    await vi.waitFor(() => expect(page.all(".acp-loc")[0]?.textContent).toBe("Copied"));
    expect(write).toHaveBeenCalledWith(`${CWD}/src/a.py:12`);
    vi.unstubAllGlobals();
  });
});

describe("a tool call opens", () => {
  it("by itself while it runs and when it fails, else not", () => {
    expect(open(draw({ status: "in_progress", content }))).toBe(true);
    expect(open(draw({ status: "failed", content }))).toBe(true);
    expect(open(draw({ status: "completed", content }))).toBe(false);
    expect(open(draw({ status: "pending", content }))).toBe(false);
  });

  it("and closes as the reader wants, whatever comes", () => {
    const page = draw({ status: "in_progress", content });
    click(page.one(".acp-call-toggle"));
    expect(open(page)).toBe(false);
    page.ops(["set", ["toolCalls", "t:c", "status"], "failed"]);
    expect(open(page)).toBe(false);
    click(page.one(".acp-call-toggle"));
    page.ops(["set", ["toolCalls", "t:c", "status"], "completed"]);
    expect(open(page)).toBe(true);
  });

  it("closes when it is done, but keeps in view what it changed", () => {
    const page = draw({ status: "in_progress", content });
    page.ops(["set", ["toolCalls", "t:c", "status"], "completed"]);
    expect(open(page)).toBe(false);
    const edit = draw({ status: "completed", content: [{ type: "diff", changes: [], patch: null }] });
    expect(open(edit)).toBe(true);
  });

  it("onto its content in order", () => {
    const page = draw({
      status: "in_progress",
      content: [
        ...content,
        { type: "terminal", terminalId: "none" },
        { type: "_hologram", x: 1 },
        { type: "content", content: { type: "_x" } },
      ],
    });
    expect(page.text()).toMatch(/hello.*has not described yet.*content of the type _hologram.*content of the type _x/);
    expect(page.one(".acp-item strong").textContent).toBe("hello");
  });

  it("onto raw input and output, and the Python that gives them", async () => {
    const write = vi.fn().mockResolvedValue(undefined);
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: write } });
    const page = draw({ status: "failed", content, rawInput: { path: "a" }, rawOutput: false });
    const tab = (name: string) =>
      page.all(".acp-tabs button").find((button) => button.textContent === name) as HTMLElement;
    expect(page.all(".acp-json")).toEqual([]);
    click(tab("Raw input"));
    expect(page.one(".acp-json").textContent).toContain('"path": "a"');
    click(tab("Raw output"));
    expect(page.one(".acp-json").textContent).toBe("false");
    click(tab("Copy as Python"));
    await vi.waitFor(() => expect(write).toHaveBeenCalledWith('agent.tool_calls["c"].raw_output'));
    vi.unstubAllGlobals();
  });
});
