import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { state } from "../../dev/states.ts";
import { LIMIT } from "../../src/lookup.ts";
import type { JsonObject } from "../../src/types.ts";
import { Composer } from "../../src/views/Composer.tsx";
import { clear, click, type Page, pass, press, show } from "../help.tsx";

beforeEach(() => void vi.useFakeTimers());
afterEach(clear);

const NAMES: Record<string, JsonObject> = {
  df: { kind: "variable", detail: "DataFrame 120×4" },
  data: { kind: "variable", detail: "list, 3 items" },
  "stats.py": { kind: "file", detail: "1.2 kB" },
  "src/": { kind: "folder", detail: "" },
  "my file.csv": { kind: "file", detail: "9 B" },
};

const draw = (): Page => show(<Composer />, state({ commands: [{ name: "run" }] }));
const area = (page: Page) => page.one("textarea") as HTMLTextAreaElement;
const names = (page: Page) => page.all("[role=option] b").map((each) => each.textContent);
const chips = (page: Page) => page.all(".acp-chips li").map((each) => each.textContent);
const asked = (page: Page) => page.model.of("mention");
const newest = (page: Page) => asked(page).at(-1);

function type(page: Page, draft: string, caret = draft.length): void {
  act(() => {
    area(page).focus();
    area(page).value = draft;
    area(page).setSelectionRange(caret, caret);
    area(page).dispatchEvent(new Event("input", { bubbles: true }));
  });
}

/** The kernel's answer to a question, by default the newest, with the names that hold what was typed. */
function answer(page: Page, question = newest(page), known = NAMES, more = ""): void {
  const typed = question?.typed;
  const all = Object.entries(known).map(([text, about]) => ({ text, ...about }));
  const items = typeof typed === "string" ? all.filter(({ text }) => text.includes(typed)) : [];
  const found = Object.fromEntries(((question?.names ?? []) as string[]).map((name) => [name, known[name] ?? null]));
  act(() =>
    page.model.receive({ type: "result", id: question?.id, ok: true, error: null, value: { items, more, found } }),
  );
}

function result(page: Page, ok: boolean, error: string | null = null): void {
  act(() => page.model.receive({ type: "result", id: page.model.of("prompt").at(-1)?.id, ok, error }));
}

/** Types a draft whose names the kernel tells about. */
function mention(page: Page, draft: string): void {
  type(page, draft);
  answer(page);
}

describe("the list behind an @", () => {
  it("is asked of the kernel, and says what each is", () => {
    const page = draw();
    type(page, "why is @d");
    expect(asked(page)).toMatchObject([{ typed: "d", names: ["d"] }]);
    expect(names(page)).toEqual([]);
    answer(page, undefined, NAMES, "7 more: type on.");
    expect(names(page)).toEqual(["@df", "@data"]);
    expect(page.one("[role=option]").textContent).toContain("DataFrame 120×4");
    expect(page.one(".acp-complete p").textContent).toBe("7 more: type on.");
    expect(page.one("[role=listbox]").getAttribute("aria-label")).toBe("Variables and files");
    expect(page.one("[role=status]").textContent).toBe("2 names");
  });

  it("is walked with the arrows; Enter takes one, and the next Enter sends it with the prompt", () => {
    const page = draw();
    mention(page, "why is @d");
    press(area(page), "ArrowDown");
    const active = page.one("[aria-selected=true]");
    expect(active.textContent).toContain("@data");
    expect(area(page).getAttribute("aria-activedescendant")).toBe(active.id);
    expect(area(page).getAttribute("aria-controls")).toBe(page.one("[role=listbox]").id);
    press(area(page), "Enter");
    expect(area(page).value).toBe("why is @data ");
    expect(names(page)).toEqual([]);
    expect(page.model.of("prompt")).toEqual([]);
    expect(chips(page)).toEqual(["@data list, 3 items"]);
    press(area(page), "Enter");
    expect(page.model.of("prompt")).toMatchObject([{ text: "why is @data ", mentions: { data: true } }]);
  });

  it("puts a name with spaces in quotes, and leaves what follows where it is", () => {
    const page = draw();
    type(page, "read (@my), then stop", 9);
    answer(page);
    click(page.one("[role=option]"));
    expect(area(page).value).toBe('read (@"my file.csv"), then stop');
    expect(chips(page)).toEqual(["@my file.csv file, 9 B"]);
  });

  it("goes on inside of a folder with Tab, and takes the folder with Enter", () => {
    const page = draw();
    mention(page, "@sr");
    press(area(page), "Tab");
    expect(area(page).value).toBe("@src/");
    expect(newest(page)).toMatchObject({ typed: "src/" });
    type(page, "@sr");
    answer(page);
    press(area(page), "Enter");
    expect(area(page).value).toBe("@src/ ");
    expect(chips(page)).toEqual(["@src/ folder"]);
  });

  it("closes with Escape, which goes no further, when the caret leaves, and when the focus does", () => {
    const outside = vi.fn();
    document.body.addEventListener("keydown", outside);
    const page = draw();
    mention(page, "@d");
    press(area(page), "Escape");
    document.body.removeEventListener("keydown", outside);
    expect(names(page)).toEqual([]);
    expect(area(page).value).toBe("@d");
    expect(outside).not.toHaveBeenCalled();
    mention(page, "see @d");
    act(() => {
      area(page).setSelectionRange(0, 0);
      area(page).dispatchEvent(new KeyboardEvent("keyup", { key: "Home", bubbles: true }));
    });
    expect(names(page)).toEqual([]);
    mention(page, "see @da");
    act(() => void area(page).dispatchEvent(new FocusEvent("blur")));
    expect(names(page)).toEqual([]);
  });

  it("takes no key of an input method, and none with Shift", () => {
    const page = draw();
    mention(page, "@d");
    for (const key of ["Enter", "Tab", "ArrowDown"]) {
      expect(press(area(page), key, { isComposing: true }).defaultPrevented).toBe(false);
      expect(press(area(page), key, { shiftKey: true }).defaultPrevented).toBe(false);
    }
    expect(area(page).value).toBe("@d");
    expect(page.one("[aria-selected=true]").textContent).toContain("@df");
    expect(page.model.of("prompt")).toEqual([]);
  });

  it("shows names as text, with what cannot be seen marked", () => {
    const page = draw();
    type(page, "@x");
    answer(page, undefined, { "x<b>\u200b": { kind: "file", detail: "\u202e1 B" } });
    expect(page.one("[role=option]").textContent).toBe('@"x<b>⟨U+200B⟩" file, ⟨U+202E⟩1 B');
    press(area(page), "Enter");
    expect(chips(page)).toEqual(["@x<b>⟨U+200B⟩ file, ⟨U+202E⟩1 B"]);
    expect(page.one(".acp-chips button").getAttribute("aria-label")).toBe("Leave out x<b>⟨U+200B⟩");
  });
});

describe("questions to the kernel", () => {
  it("are asked one at a time, the newest one next", () => {
    const page = draw();
    for (const draft of ["@", "@d", "@da", "@dat"]) type(page, draft);
    expect(asked(page).map(({ typed }) => typed)).toEqual([""]);
    answer(page);
    expect(asked(page).map(({ typed }) => typed)).toEqual(["", "dat"]);
    answer(page);
    expect(asked(page)).toHaveLength(2);
  });

  it("leave what fits of the answer before, so that a quick Enter takes what is shown", () => {
    const page = draw();
    mention(page, "@d");
    expect(names(page)).toEqual(["@df", "@data"]);
    type(page, "@da");
    expect(names(page)).toEqual(["@data"]);
    press(area(page), "Enter");
    expect(area(page).value).toBe("@data ");
    answer(page); // to a question that nobody has any more
    expect(names(page)).toEqual([]);
    expect(area(page).value).toBe("@data ");
  });

  it("keep the row that was gone to when their answer comes", () => {
    const page = draw();
    mention(page, "@d");
    type(page, "@a");
    press(area(page), "ArrowDown"); // one row only: stays there
    answer(page);
    expect(page.one("[aria-selected=true]").textContent).toContain("@data");
  });

  it("show nothing of an earlier list", () => {
    const page = draw();
    mention(page, "@d");
    press(area(page), "Escape");
    type(page, "@d @");
    expect(names(page)).toEqual([]);
  });

  it("that are not answered say so, and hold up neither typing nor sending", async () => {
    const page = draw();
    type(page, "@df");
    await pass(2100);
    expect(page.one(".acp-wait").textContent).toContain("The kernel is busy");
    type(page, "@df is odd");
    press(area(page), "Enter");
    expect(page.model.of("prompt")).toMatchObject([{ text: "@df is odd", mentions: { df: false } }]);
  });

  it("are given up after a while, so that a newer one is asked; a late answer still counts", async () => {
    const page = draw();
    type(page, "@d");
    await pass(LIMIT);
    expect(asked(page)).toHaveLength(1);
    type(page, "@da");
    const [first, second] = asked(page);
    expect(second).toMatchObject({ typed: "da" });
    answer(page, first);
    expect(names(page)).toEqual([]);
    await pass(LIMIT);
    answer(page, second);
    expect(names(page)).toEqual(["@data"]);
    expect(page.all(".acp-wait")).toEqual([]);
  });

  it("that are refused say why, and are not asked again and again", () => {
    const page = draw();
    type(page, "@d");
    act(() =>
      page.model.receive({ type: "result", id: newest(page)?.id, ok: false, error: "Objects are being read." }),
    );
    expect(page.one(".acp-wait").textContent).toBe("Objects are being read.");
    expect(asked(page)).toHaveLength(1);
    mention(page, "@df");
    expect(names(page)).toEqual(["@df"]);
    expect(page.all(".acp-wait")).toEqual([]);
  });

  it("survive an answer that is no answer", () => {
    const page = draw();
    for (const value of [null, 7, [], { items: 3, found: [] }, { items: [null, { text: 4 }, {}], found: { d: "x" } }]) {
      type(page, `@d${asked(page).length}`);
      act(() => page.model.receive({ type: "result", id: newest(page)?.id, ok: true, error: null, value }));
      expect(names(page)).toEqual([]);
    }
  });
});

describe("the chips below a draft", () => {
  it("say what goes with it, and of names that mean nothing there is none", () => {
    const page = draw();
    mention(page, "compare @df and @stats.py as @someone said ");
    expect(chips(page)).toEqual(["@df DataFrame 120×4", "@stats.py file, 1.2 kB"]);
    press(area(page), "Enter");
    expect(page.model.of("prompt")[0]?.mentions).toEqual({ df: true, "stats.py": true });
  });

  it("leave one out when they are told to; the text stays and has the focus", () => {
    const page = draw();
    mention(page, "@df and @data ");
    click(page.one('[aria-label="Leave out df"]'));
    expect(chips(page)).toEqual(["@data list, 3 items"]);
    expect(area(page).value).toBe("@df and @data ");
    expect(document.activeElement).toBe(area(page));
    press(area(page), "Enter");
    expect(page.model.of("prompt")[0]?.mentions).toEqual({ data: true });
  });

  it("come back when the name is typed again", () => {
    const page = draw();
    mention(page, "@df ");
    click(page.one('[aria-label="Leave out df"]'));
    type(page, "");
    mention(page, "@df ");
    expect(chips(page)).toEqual(["@df DataFrame 120×4"]);
  });

  it("are gone when the prompt was taken, and a prompt without any says nothing of them", () => {
    const page = draw();
    mention(page, "@df ");
    press(area(page), "Enter");
    result(page, true);
    expect(area(page).value).toBe("");
    expect(chips(page)).toEqual([]);
    type(page, "plain");
    press(area(page), "Enter");
    expect(page.model.of("prompt")[1]).not.toHaveProperty("mentions");
  });

  it("stay with the draft when the prompt is refused, and what is not there any more says so", () => {
    const page = draw();
    mention(page, "@df and @data ");
    press(area(page), "Enter");
    result(page, false, "@df is no variable of the notebook. Nothing was sent.");
    expect(page.one("[role=alert]").textContent).toContain("Nothing was sent.");
    expect(area(page).value).toBe("@df and @data ");
    act(() => void area(page).dispatchEvent(new FocusEvent("focus")));
    answer(page, newest(page), { data: NAMES.data as JsonObject });
    expect(chips(page)).toEqual(["@df not there any more", "@data list, 3 items"]);
    click(page.one('[aria-label="Leave out df"]'));
    press(area(page), "Enter");
    expect(page.model.of("prompt")[1]).toMatchObject({ text: "@df and @data ", mentions: { data: true } });
  });

  it("are looked up again when the reader comes back to the draft", () => {
    const page = draw();
    mention(page, "@later ");
    expect(chips(page)).toEqual([]);
    act(() => void area(page).dispatchEvent(new FocusEvent("focus")));
    answer(page, newest(page), { later: { kind: "variable", detail: "int" } });
    expect(chips(page)).toEqual(["@later int"]);
  });
});

it("a view that is gone waits for nothing", async () => {
  const page = draw();
  type(page, "@d");
  const question = newest(page);
  const before = vi.getTimerCount();
  page.unmount();
  expect(vi.getTimerCount()).toBe(before - 2); // what waited for the answer
  page.model.receive({ type: "result", id: question?.id, ok: true, error: null, value: null });
});
