import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CWD, call, state, text, turn } from "../../dev/states.ts";
import type { JsonObject, Operation } from "../../src/types.ts";
import { clear, hosted } from "../help.tsx";
import "../../src/views/base.css";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
  document.body.replaceChildren();
  clear();
});

/** Many calls, the first of which is far above the end. */
function session() {
  const calls: [string, JsonObject][] = Array.from({ length: 60 }, (_, n) => [
    `t:call_${n}`,
    call(`call_${n}`, {
      title: `Step ${n}`,
      status: "in_progress",
      content: [{ type: "content", content: text(`note ${n}`) }],
      locations: n % 2 === 0 ? [{ path: `${CWD}/file_${n}.py`, line: n + 1 }] : [],
    }),
  ]);
  const { model, exports } = hosted(
    state({
      state: { state: "running", busy: true, stopReason: null, background: null, error: null, usage: null },
      timeline: calls.map(([key]) => key),
      turns: { "r:1": turn(1, "Go") },
      toolCalls: Object.fromEntries(calls),
    }),
  );
  const el = document.createElement("div");
  document.body.append(el);
  act(() => void ends.push(exports.mountSession(el)));
  let seq = 1;
  const ops = (...operations: Operation[]) => {
    seq += 1;
    act(() => model.receive({ type: "ops", seq, ops: operations }));
  };
  const log = el.querySelector(".acp-log") as HTMLElement;
  const card = (id: string) => el.querySelector(`[data-call="${id}"]`) as HTMLElement;
  const sees = (id: string): boolean => {
    const [outer, inner] = [log.getBoundingClientRect(), card(id).getBoundingClientRect()];
    return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
  };
  const toggle = () => act(() => (el.querySelector(".acp-follow-switch") as HTMLElement).click());
  const line = () => el.querySelector(".acp-follow")?.textContent ?? null;
  return { el, log, ops, sees, toggle, line };
}

const moves = (id: string, path: string, line: number): Operation => [
  "set",
  ["toolCalls", `t:${id}`, "locations"],
  [
    { path: `${CWD}/first.py`, line: 1 },
    { path: `${CWD}/${path}`, line },
  ],
];
const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

describe("following the agent", () => {
  it("is off until the reader wants it", async () => {
    const { ops, sees, line, el } = session();
    await vi.waitFor(() => expect(sees("call_59")).toBe(true));
    ops(moves("call_2", "a.py", 7));
    await frame();
    expect(sees("call_2")).toBe(false);
    expect(line()).toBeNull();
    expect(el.querySelector(".acp-follow-switch")?.getAttribute("aria-pressed")).toBe("false");
  });

  it("brings the call that was updated last into view, and names its newest place", async () => {
    const { ops, sees, toggle, line } = session();
    await vi.waitFor(() => expect(sees("call_59")).toBe(true));
    toggle();
    ops(moves("call_2", "a.py", 7));
    await vi.waitFor(() => expect(sees("call_2")).toBe(true));
    expect(line()).toBe("Now at a.py:7");
    ops(moves("call_40", "b.py", 3));
    await vi.waitFor(() => expect(sees("call_40")).toBe(true));
    expect(line()).toBe("Now at b.py:3");
  });

  it("keeps it in view while the transcript grows", async () => {
    const { ops, sees, toggle } = session();
    toggle();
    ops(moves("call_2", "a.py", 7));
    await vi.waitFor(() => expect(sees("call_2")).toBe(true));
    for (let n = 60; n < 90; n++) {
      const made = call(`call_${n}`, { title: `Step ${n}`, status: "in_progress", content: [] });
      ops(["set", ["toolCalls", `t:call_${n}`], made], ["append", ["timeline"], `t:call_${n}`]);
      await frame();
    }
    expect(sees("call_2")).toBe(true);
  });

  it("stays with a call without a place only as long as none has one", async () => {
    const { ops, toggle, line } = session();
    toggle();
    ops(moves("call_2", "a.py", 7));
    ops(["set", ["toolCalls", "t:call_3", "status"], "completed"]);
    expect(line()).toBe("Now at a.py:7");
  });

  it("lets the reader look at something else until the agent goes to another place", async () => {
    const { log, ops, sees, toggle } = session();
    toggle();
    ops(moves("call_2", "a.py", 7));
    await vi.waitFor(() => expect(sees("call_2")).toBe(true));
    log.dispatchEvent(new WheelEvent("wheel", { bubbles: true }));
    log.scrollTop = log.scrollHeight / 2;
    ops(["set", ["toolCalls", "t:call_0", "content"], [{ type: "content", content: text("more\n\n".repeat(30)) }]]);
    await frame();
    expect(sees("call_2")).toBe(false);
    ops(moves("call_4", "c.py", 1));
    await vi.waitFor(() => expect(sees("call_4")).toBe(true));
  });

  it("lets the way to the end lead there, and stay there", async () => {
    const { el, log, ops, sees, toggle } = session();
    toggle();
    ops(moves("call_2", "a.py", 7));
    await vi.waitFor(() => expect(sees("call_2")).toBe(true));
    await vi.waitFor(() => expect(el.querySelector(".acp-to-end")).not.toBeNull());
    const button = el.querySelector(".acp-to-end") as HTMLElement;
    button.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    act(() => button.click());
    ops(["set", ["toolCalls", "t:call_1", "content"], [{ type: "content", content: text("more\n\n".repeat(30)) }]]);
    await frame();
    expect(sees("call_2")).toBe(false);
    expect(log.scrollHeight - log.scrollTop - log.clientHeight).toBeLessThan(2);
  });

  it("does not go back to a place of an earlier turn, and shows what the reader sent", async () => {
    const { log, ops, sees, toggle, line } = session();
    toggle();
    ops(moves("call_2", "a.py", 7));
    await vi.waitFor(() => expect(sees("call_2")).toBe(true));
    ops(["set", ["turns", "r:1", "status"], "done"], ["set", ["turns", "r:1", "at", "end"], 9]);
    expect(line()).toBe("Last at a.py:7");
    ops(["set", ["turns", "r:2"], { ...turn(2, "More"), source: "composer" }]);
    await frame();
    await frame();
    expect(sees("call_2")).toBe(false);
    expect(log.scrollHeight - log.scrollTop - log.clientHeight).toBeLessThan(2);
    expect(line()).toBe("Last at a.py:7");
  });

  it("moves no focus", async () => {
    const { el, ops, sees, toggle } = session();
    toggle();
    const area = el.querySelector("textarea") as HTMLElement;
    area.focus();
    ops(moves("call_2", "a.py", 7));
    await vi.waitFor(() => expect(sees("call_2")).toBe(true));
    expect(document.activeElement).toBe(area);
  });
});
