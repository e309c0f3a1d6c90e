import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import { state } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { Composer } from "../../src/views/Composer.tsx";
import { clear, click, type Page, press, show } from "../help.tsx";

afterEach(clear);

const COMMANDS = [
  { name: "run", description: "Run a command", input: { hint: "what to run" } },
  { name: "review", description: "Read the changes" },
  { name: "plan" },
];
const draw = (commands: JsonObject[] = COMMANDS): Page => show(<Composer />, state({ commands }));
const area = (page: Page) => page.one("textarea") as HTMLTextAreaElement;
const names = (page: Page) => page.all("[role=option] b").map((each) => each.textContent);

function type(page: Page, draft: string): void {
  act(() => {
    area(page).value = draft;
    area(page).dispatchEvent(new Event("input", { bubbles: true }));
  });
}

describe("the composer", () => {
  const session = (connection: string): HTMLButtonElement =>
    show(<Composer />, state({ session: { connection } })).one("button") as HTMLButtonElement;

  it("looks off where no prompt can be sent", () => {
    expect(session("ready").className).toBe("acp-primary");
    for (const connection of ["closed", "failed"]) {
      expect(session(connection).className).toBe("");
      expect(session(connection).disabled).toBe(true);
    }
  });
});

describe("commands in the composer", () => {
  it("are listed after a slash and filtered by what follows", () => {
    const page = draw();
    expect(area(page).placeholder).toContain("/ for commands");
    type(page, "/");
    expect(names(page)).toEqual(["/run", "/review", "/plan"]);
    type(page, "/re");
    expect(names(page)).toEqual(["/review"]);
    type(page, "see /re");
    expect(names(page)).toEqual([]);
  });

  it("are walked with the arrows and taken with Enter, Tab or the mouse", () => {
    const page = draw();
    type(page, "/");
    press(area(page), "ArrowUp");
    const active = page.one("[aria-selected=true]");
    expect(active.textContent).toContain("/plan");
    expect(area(page).getAttribute("aria-activedescendant")).toBe(active.id);
    expect(area(page).getAttribute("aria-controls")).toBe(page.one("[role=listbox]").id);
    press(area(page), "Enter");
    expect(area(page).value).toBe("/plan ");
    expect(names(page)).toEqual([]);
    type(page, "/rev");
    press(area(page), "Tab");
    expect(area(page).value).toBe("/review ");
    type(page, "/");
    click(page.all("[role=option]")[0] as HTMLElement);
    expect(area(page).value).toBe("/run ");
    expect(page.text()).toContain("/run takes: what to run");
    expect(page.model.of("prompt")).toEqual([]);
  });

  it("are sent with Enter when they stand there in full", () => {
    const page = draw();
    type(page, "/plan");
    press(area(page), "Enter");
    expect(page.model.of("prompt")).toMatchObject([{ text: "/plan" }]);
  });

  it("close with Escape, which goes no further, and when the focus leaves", () => {
    const outside = vi.fn();
    document.body.addEventListener("keydown", outside);
    const page = draw();
    type(page, "/");
    press(area(page), "Escape");
    document.body.removeEventListener("keydown", outside);
    expect(names(page)).toEqual([]);
    expect(area(page).value).toBe("/");
    expect(outside).not.toHaveBeenCalled();
    type(page, "/r");
    expect(names(page)).toEqual(["/run", "/review"]);
    act(() => void area(page).dispatchEvent(new FocusEvent("blur")));
    expect(names(page)).toEqual([]);
  });

  it("are not spoken of when the agent offers none", () => {
    const page = draw([]);
    type(page, "/");
    expect(page.all("[role=listbox]")).toEqual([]);
    expect(area(page).placeholder).toBe("Ask the agent…   @ attaches");
  });
});
