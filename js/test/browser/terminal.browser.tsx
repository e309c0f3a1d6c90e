import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, state, terminal, turn } from "../../dev/states.ts";
import { SHOWN_COLUMNS } from "../../src/views/TerminalOutput.tsx";
import { hosted } from "../help.tsx";

let el: HTMLElement;
let end = () => {};
beforeEach(() => {
  el = document.createElement("div");
  document.body.append(el);
});
afterEach(() => {
  act(end);
  el.remove();
});

function mount(output = "") {
  el.style.width = "800px";
  const content = [{ type: "terminal", terminalId: "1" }];
  const { model, exports } = hosted(
    state({
      turns: { "r:1": turn(1, "go") },
      timeline: ["t:c"],
      toolCalls: { "t:c": call("c", { kind: "execute", status: "in_progress", content }) },
      terminals: { "x:1": terminal("1", output) },
    }),
  );
  act(() => {
    end = exports.mountSession(el);
  });
  let seq = 1;
  return (chunks: readonly string[]) => {
    const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk));
    seq += 1;
    const ops = bytes.map((_, at) => ["bytes", "x:1", at] as ["bytes", string, number]);
    act(() =>
      model.receive(
        { type: "ops", seq, ops },
        bytes.map((each) => new DataView(each.buffer as ArrayBuffer)),
      ),
    );
  };
}

const pre = (): HTMLElement => el.querySelector<HTMLElement>("pre") as HTMLElement;
const isAtEnd = (): boolean => pre().scrollHeight - pre().scrollTop - pre().clientHeight < 2;

describe("a flood without a line's end", () => {
  it.each([
    ["plain", "x".repeat(43)],
    ["of colours, turned around and wide", "\u202e\x1b[31mab\x1b[m cd日本\x1b[7mefghijklmnopqrstuvw\x1b[27m"],
  ])("%s: each piece costs the line that it is in, and the oldest are only counted", (_, piece) => {
    const write = mount();
    const chunks = Array.from({ length: 2000 }, () => piece);
    for (let at = 0; at < 12; at += 1) write(chunks);
    const blocks = [...el.querySelectorAll(".acp-term-block")];
    expect(blocks.length).toBeGreaterThan(10);
    expect(el.textContent).toMatch(/\d+ earlier lines are not drawn/);
    const columns = blocks.reduce(
      (sum, block) => sum + (block.textContent?.replaceAll(/⟨U\+202E⟩/g, "").length ?? 0),
      0,
    );
    expect(columns).toBeLessThanOrEqual(SHOWN_COLUMNS);
    expect(columns).toBeGreaterThan(SHOWN_COLUMNS / 2);
    const touched = new Set<Element | null>();
    const watching = new MutationObserver(() => {});
    watching.observe(pre(), { childList: true, subtree: true, characterData: true });
    write([piece]);
    for (const { target } of watching.takeRecords()) {
      touched.add((target instanceof Element ? target : target.parentElement)?.closest(".acp-term-block") ?? null);
    }
    watching.disconnect();
    expect([...touched]).toEqual([el.querySelector(".acp-term-block:last-child")]);
    expect(isAtEnd()).toBe(true);
  });
});

describe("long output", () => {
  it("that is there from the start is shown at its end, in about its true height", () => {
    mount(`${"line\n".repeat(300)}${"x".repeat(5000)}\n${"line\n".repeat(10)}last`);
    expect(isAtEnd()).toBe(true);
    expect(pre().scrollHeight / 312).toBeGreaterThan(15);
    expect(pre().scrollHeight / 312).toBeLessThan(20);
  });
});
