import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import { state } from "../../dev/states.ts";
import type { Json as Value } from "../../src/types.ts";
import { Json } from "../../src/views/Json.tsx";
import { clear, click, type Page, show } from "../help.tsx";

afterEach(() => {
  clear();
  vi.unstubAllGlobals();
});

const draw = (value: Value): Page => show(<Json value={value} label="Raw input" />, state({}));

function type(page: Page, words: string): void {
  const box = page.one("input") as HTMLInputElement;
  box.value = words;
  act(() => void box.dispatchEvent(new Event("input", { bubbles: true })));
}

const MANY = {
  deep: { deeper: { list: [{ name: "needle" }, { name: "straw" }], rest: Array.from({ length: 20 }, (_, n) => n) } },
  Needles: "none",
};

describe("a JSON tree", () => {
  it("opens and closes by its buttons", () => {
    const page = draw({ a: { b: 1 } });
    const [outer] = page.all(".acp-json-toggle");
    expect(page.text()).toContain('"b": 1');
    click(outer as HTMLElement);
    expect(page.text()).not.toContain('"b"');
    expect(outer?.getAttribute("aria-expanded")).toBe("false");
  });

  it("has a filter when it is long, and none when it is short", () => {
    expect(draw({ a: 1 }).all("input")).toEqual([]);
    expect(draw(MANY).one("input").getAttribute("aria-label")).toBe("Filter: Raw input");
  });

  it("shows what matches the filter, with the way to it open, and counts", () => {
    const page = draw(MANY);
    type(page, "NEEDLE");
    expect(page.one("[role=status]").textContent).toBe("2 matches");
    expect(page.all("mark").map((mark) => mark.textContent)).toEqual(["needle", "Needle"]);
    expect(page.text()).not.toContain("straw");
    type(page, "none such");
    expect(page.one("[role=status]").textContent).toBe("0 matches");
    type(page, "");
    expect(page.all("mark")).toEqual([]);
    expect(page.text()).toContain('"list": [ 2 ]');
  });

  it("shows a match far inside a long text", () => {
    const page = draw({ ...MANY, long: `${"x".repeat(5000)}haystack` });
    expect(page.text()).toContain("more characters");
    type(page, "haystack");
    expect(page.one("mark").textContent).toBe("haystack");
  });

  it("shows the lines of a text as lines, and what cannot be seen as marks", () => {
    const page = draw({ text: "one\n\ttwo \u202e" });
    expect(page.one(".acp-json-lines").textContent).toBe("one\n\ttwo ⟨U+202E⟩");
  });

  it("copies the whole, a part, or a text of lines as it is", async () => {
    const write = vi.fn().mockResolvedValue(undefined);
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: write } });
    const page = draw({ a: { b: [1] }, text: "one\ntwo" });
    const copies = page.all("button").filter((button) => button.textContent?.startsWith("Copy"));
    for (const button of copies) click(button);
    const copied = (): unknown[] => write.mock.calls.map(([text]) => text);
    await vi.waitFor(() => expect(copied()).toHaveLength(4));
    expect(copied()).toEqual([
      JSON.stringify({ a: { b: [1] }, text: "one\ntwo" }, null, 2),
      JSON.stringify({ b: [1] }, null, 2),
      JSON.stringify([1], null, 2),
      "one\ntwo",
    ]);
  });

  it("draws no thousands of entries at once", () => {
    const page = draw(Array.from({ length: 1000 }, (_, n) => n));
    expect(page.all(".acp-json-leaf")).toHaveLength(100);
    click(page.all("button").find((button) => button.textContent === "900 more") as HTMLElement);
    expect(page.all(".acp-json-leaf")).toHaveLength(200);
  });
});
