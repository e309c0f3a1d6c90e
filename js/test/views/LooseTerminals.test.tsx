import { act } from "preact/test-utils";
import { afterEach, describe, expect, it } from "vitest";
import { call, state, terminal, turn } from "../../dev/states.ts";
import { TurnBody } from "../../src/views/Turn.tsx";
import { clear, type Page, show } from "../help.tsx";

afterEach(clear);

const RUNNING = { "r:1": turn(1, "go") };
const ENDED = {
  "r:1": turn(1, "go", { status: "done", stopReason: "end_turn", at: { queued: null, sent: 1, end: 2 } }),
};
const ANCHOR = { type: "terminal", terminalId: "1" };

const draw = (terminals: ReturnType<typeof state>, turns = RUNNING) =>
  show(<TurnBody id="r:1" />, state({ turns, terminals }));

function write(page: Page, seq: number, text: string): void {
  const bytes = new TextEncoder().encode(text);
  act(() =>
    page.model.receive({ type: "ops", seq, ops: [["bytes", "x:1", 0]] }, [new DataView(bytes.buffer as ArrayBuffer)]),
  );
}

describe("a terminal that no tool call shows", () => {
  it("is there as soon as it has output, also while the turn runs", () => {
    const page = draw({ "x:1": terminal("1", "", { command: "make" }) });
    expect(page.all(".acp-term")).toHaveLength(0);
    write(page, 2, "building\n");
    expect(page.one(".acp-term").textContent).toContain("$ make");
    expect(page.one(".acp-term pre").textContent).toBe("building");
    write(page, 3, "built\n");
    expect(page.one(".acp-term pre").textContent).toBe("building\nbuilt");
  });

  it("that wrote nothing is there when it or the turn has ended", () => {
    const page = draw({ "x:1": terminal("1", "", { exitStatus: { exitCode: 3 } }) });
    expect(page.one(".acp-term").textContent).toContain("exit 3");
    expect(draw({ "x:1": terminal("1", "") }, ENDED).all(".acp-term")).toHaveLength(1);
  });

  it("is in the turn in which it began, and in no other", () => {
    expect(draw({ "x:1": terminal("1", "elsewhere", { turn: "r:0" }) }, ENDED).all(".acp-term")).toHaveLength(0);
  });

  it("moves into the card of a tool call that shows it, also when that comes late, and is never there twice", () => {
    const page = draw({ "x:1": terminal("1", "early") });
    expect(page.all(".acp-term")).toHaveLength(1);
    page.ops(["set", ["toolCalls", "t:1"], call("1", { status: "in_progress", content: [ANCHOR] })]);
    expect(page.all(".acp-term")).toHaveLength(0);
    page.ops(["append", ["timeline"], "t:1"]);
    expect(page.all(".acp-term")).toHaveLength(1);
    expect(page.one(".acp-entry .acp-term pre").textContent).toBe("early");
  });

  it("comes back when the call no longer shows it", () => {
    const page = draw({ "x:1": terminal("1", "kept") });
    page.ops(["set", ["toolCalls", "t:1"], call("1", { content: [ANCHOR] })]);
    expect(page.text()).not.toContain("kept");
    page.ops(["set", ["toolCalls", "t:1", "content"], []]);
    expect(page.text()).toContain("kept");
  });
});
