import axe from "axe-core";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { FakeModel } from "../../dev/fake_model.ts";
import { state } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { hosted, kernel } from "../help.tsx";

const ITEMS: JsonObject[] = [
  { text: "df", kind: "variable", detail: "DataFrame 120×4" },
  { text: "notes of a day with a name that has no end.md", kind: "file", detail: "1.2 kB" },
  { text: "src/", kind: "folder", detail: "" },
  ...Array.from({ length: 17 }, (_, n) => ({ text: `data_${n}`, kind: "variable", detail: "int" })),
];

function answering(model: FakeModel, message: Record<string, unknown>): void {
  kernel(model, message);
  if (message.type !== "mention") return;
  const found = Object.fromEntries(
    (message.names as string[]).map((name) => [name, ITEMS.find((item) => item.text === name) ?? null]),
  );
  const value = { items: message.typed === null ? [] : ITEMS, more: "3 more: type on.", found };
  queueMicrotask(() => act(() => model.receive({ type: "result", id: message.id, ok: true, error: null, value })));
}

let end = () => {};
afterEach(() => {
  act(end);
  document.body.replaceChildren();
  document.body.style.background = "";
  delete document.body.dataset.jpThemeLight;
});

function mount(theme: string, width: number) {
  document.body.dataset.jpThemeLight = String(theme === "light");
  document.body.style.background = theme === "light" ? "#fff" : "#111418";
  const { model, exports } = hosted(state({ commands: [{ name: "run" }] }), answering);
  const el = document.createElement("main");
  el.style.width = `${width}px`;
  document.body.append(el);
  act(() => {
    end = exports.mountSession(el);
  });
  const area = el.querySelector("textarea") as HTMLTextAreaElement;
  const type = (text: string): void => {
    act(() => {
      area.focus();
      area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
      area.dispatchEvent(new Event("input", { bubbles: true }));
    });
  };
  const press = (key: string): void => {
    act(() => void area.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })));
  };
  const all = (selector: string): HTMLElement[] => [...el.querySelectorAll<HTMLElement>(selector)];
  return { el, area, model, type, press, all };
}

describe.each(["light", "dark"])("the list behind an @ and the chips, in the %s theme", (theme) => {
  it.each([860, 360])("have no serious barrier and fit at %i pixels", async (width) => {
    const { el, type, press, all } = mount(theme, width);
    type("why is @df and @src/ and @d");
    await vi.waitFor(() => expect(all("[role=option]")).toHaveLength(20));
    await vi.waitFor(() => expect(all(".acp-chips li")).toHaveLength(2));
    press("ArrowDown");
    const { violations } = await axe.run(el, {
      resultTypes: ["violations"],
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
      // The arrows scroll it from the text, as with a combobox. axe knows that only of elements with this role, which a
      // textarea may not have.
      rules: { "scrollable-region-focusable": { enabled: false } },
    });
    const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    const edge = el.getBoundingClientRect().right + 1;
    const parts = all(".acp-composer *").filter((part) => !part.closest(".acp-hidden"));
    expect(parts.filter((part) => part.getBoundingClientRect().right > edge)).toEqual([]);
  });
});

describe("the list behind an @", () => {
  it("keeps the row that Enter takes in sight", async () => {
    const { type, press, all } = mount("light", 860);
    type("@");
    await vi.waitFor(() => expect(all("[role=option]")).toHaveLength(20));
    press("ArrowUp");
    const box = all("[role=listbox]")[0]?.getBoundingClientRect() as DOMRect;
    const row = all("[aria-selected=true]")[0]?.getBoundingClientRect() as DOMRect;
    expect(row.bottom).toBeLessThanOrEqual(box.bottom + 1);
    expect(row.top).toBeGreaterThanOrEqual(box.top - 1);
    expect(all("[aria-selected=true]")[0]?.textContent).toContain("data_16");
  });

  it("puts a name in the middle of a draft, and the caret behind it", async () => {
    const { area, type, press, all } = mount("light", 860);
    type("see (), please");
    area.setSelectionRange(5, 5);
    type("@no");
    await vi.waitFor(() => expect(all("[role=option]")).toHaveLength(20));
    press("ArrowDown");
    press("Enter");
    const name = '@"notes of a day with a name that has no end.md"';
    expect(area.value).toBe(`see (${name}), please`);
    expect(area.selectionStart).toBe(5 + name.length);
    expect(area).toBe(document.activeElement);
  });
});
