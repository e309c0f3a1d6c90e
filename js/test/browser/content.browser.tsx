import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { message, state, text, turn } from "../../dev/states.ts";
import type { Json, JsonObject } from "../../src/types.ts";
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

const WHERE: Json = ["messages", "a:1", "content", 0, "text"];

function mount(content: Json[], width = 800) {
  el.style.width = `${width}px`;
  const parts: JsonObject = {
    turns: { "r:1": turn(1, "go") },
    timeline: ["a:1"],
    messages: { "a:1": message("agent", "1", "", { content }) },
  };
  const { model, exports } = hosted(state(parts));
  act(() => {
    end = exports.mountSession(el);
  });
  let seq = 1;
  return {
    one: (selector: string): HTMLElement => {
      const found = el.querySelector<HTMLElement>(selector);
      if (!found) throw new Error(`not in the page: ${selector}`);
      return found;
    },
    say: (words: string) => {
      seq += 1;
      act(() => model.receive({ type: "ops", seq, ops: [["text", WHERE, words]] }));
    },
  };
}

const frame = (): Promise<unknown> => new Promise(requestAnimationFrame);

describe("a table", () => {
  it("breaks no word, and scrolls inside its own frame", () => {
    const cells = [
      "a_long_file_name_of_a_test.py",
      "`another_long_name.py`",
      "words that may wrap",
      "last_column_of_it.py",
    ];
    const row = `| ${cells.join(" | ")} |\n`;
    const { one } = mount([text(`${row}|--|--|--|--|\n${row}`)], 400);
    const frame = one(".acp-md-table");
    expect(frame.scrollWidth).toBeGreaterThan(frame.clientWidth);
    expect(one(".acp-log").scrollWidth).toBeLessThanOrEqual(one(".acp-log").clientWidth);
    const words = document.createRange();
    words.selectNodeContents(one("td"));
    expect(new Set([...words.getClientRects()].map((line) => line.top)).size).toBe(1);
  });
});

describe("while the agent writes", () => {
  it("what is finished keeps its elements and the reader's selection, and nothing moves under it", async () => {
    const { one, say } = mount([text(`# Title\n\nSome words to select.\n\n${"more\n\n".repeat(80)}`)]);
    const paragraph = one(".acp-say p");
    getSelection()?.selectAllChildren(paragraph);
    const log = one(".acp-log");
    log.scrollTop = 0;
    await frame();
    for (let at = 0; at < 20; at += 1) say(`\n\nand **more** ${at}`);
    await vi.waitFor(() => expect(one(".acp-to-end").textContent).toContain("Latest"));
    expect(one(".acp-say p")).toBe(paragraph);
    expect(String(getSelection())).toBe("Some words to select.");
    expect(log.scrollTop).toBe(0);
    getSelection()?.removeAllRanges();
  });

  it("selected words at the end stay where they are, and the way to the latest takes the keys along", async () => {
    const { one, say } = mount([text("words\n\n".repeat(80))]);
    const log = one(".acp-log");
    const left = (): number => log.scrollHeight - log.scrollTop - log.clientHeight;
    await vi.waitFor(() => expect(left()).toBeLessThan(2));
    getSelection()?.selectAllChildren(one(".acp-say p:last-child"));
    const before = log.scrollTop;
    say("and more\n\n".repeat(30));
    await vi.waitFor(() => expect(el.querySelector(".acp-to-end")).not.toBeNull());
    expect(log.scrollTop).toBe(before);
    getSelection()?.removeAllRanges();
    act(() => one(".acp-to-end").click());
    await vi.waitFor(() => expect(left()).toBeLessThan(2));
    expect(document.activeElement).toBe(log);
  });
});

describe("a flood of words without a line's end", () => {
  it("is laid out in pieces, most of them not at all", async () => {
    const { one, say } = mount([text("")]);
    for (let at = 0; at < 20; at += 1) say("piece ".repeat(5000));
    await frame();
    expect(one(".acp-say").textContent?.length).toBe(600_000);
    const pieces = [...el.querySelectorAll(".acp-md-piece")];
    expect(pieces.length).toBeGreaterThan(50);
    const drawn = () => pieces.filter((piece) => piece.checkVisibility({ contentVisibilityAuto: true })).length;
    await vi.waitFor(() => expect(drawn()).toBeLessThan(10));
  });
});

describe("pictures and sounds", () => {
  it("that no browser can read say so, and others are drawn in their size", async () => {
    const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    mount([
      { type: "image", data: dot, mimeType: "image/png" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "image", data: btoa("<svg xmlns='http://www.w3.org/2000/svg'/>"), mimeType: "image/png" },
    ]);
    await vi.waitFor(() => expect(el.textContent).toContain("1 × 1"));
    await vi.waitFor(() => expect(el.textContent?.match(/the browser cannot read it/g)).toHaveLength(2));
    expect(el.querySelectorAll("img")).toHaveLength(1);
  });
});
