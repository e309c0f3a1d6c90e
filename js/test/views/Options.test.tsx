import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import { state } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { Options } from "../../src/views/Options.tsx";
import { clear, click, press, show } from "../help.tsx";

afterEach(clear);

const MODEL = {
  configId: "model",
  name: "Model",
  category: "model",
  type: "select",
  currentValue: "small",
  options: [
    { groupId: "a", name: "Fast", options: [{ value: "small", name: "Small", description: "Quick and cheap" }] },
    { groupId: "b", name: "Slow", options: [{ value: "large", name: "Large" }] },
  ],
};
const SWITCH = { configId: "web", name: "Web", description: "May search", type: "boolean", currentValue: true };
const ODD = { configId: "heat", name: "Heat", type: "_slider", currentValue: 3 };

const draw = (options: JsonObject[], parts: JsonObject = {}) =>
  show(<Options />, state({ configOptions: options, ...parts }));

function choose(element: HTMLElement, value: string): void {
  act(() => {
    (element as HTMLSelectElement).value = value;
    element.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

describe("options", () => {
  it("have the agent's value, its groups and what it means", () => {
    const select = draw([MODEL]).one("select") as HTMLSelectElement;
    expect(select.value).toBe("small");
    expect([...select.querySelectorAll("optgroup")].map((group) => group.label)).toEqual(["Fast", "Slow"]);
    expect(select.title).toBe("Quick and cheap");
  });

  it("show what was asked for until the agent answers, and go back when it says no", () => {
    const page = draw([MODEL]);
    const select = page.one("select") as HTMLSelectElement;
    choose(select, "large");
    const [sent] = page.model.of("configure");
    expect(sent).toMatchObject({ configId: "model", value: "large" });
    expect(select.value).toBe("large");
    expect(page.text()).toContain("changing…");
    act(() => page.model.receive({ type: "result", id: sent?.id, ok: false, error: "No such model here." }));
    expect(select.value).toBe("small");
    expect(page.text()).toContain("Not changed: No such model here.");
    expect(page.text()).not.toContain("changing…");
    click(page.one("button"));
    expect(page.text()).not.toContain("Not changed");
  });

  it("have a check box for a switch and a line for what nobody knows, among the settings", () => {
    const page = draw([SWITCH, ODD]);
    click(page.one("button"));
    const box = page.one("input[type=checkbox]") as HTMLInputElement;
    expect(box.checked).toBe(true);
    expect(page.text()).toContain("May search");
    expect(page.text()).toContain("The agent sent the setting Heat of the type _slider, which");
    click(box);
    expect(page.model.of("configure")).toMatchObject([{ configId: "web", value: false }]);
  });

  it("close with Escape, which goes no further", () => {
    const outside = vi.fn();
    document.body.addEventListener("keydown", outside);
    const page = draw([SWITCH]);
    click(page.one("button"));
    press(page.one("input"), "Escape");
    document.body.removeEventListener("keydown", outside);
    expect(page.all("input")).toEqual([]);
    expect(document.activeElement).toBe(page.one("button"));
    expect(outside).not.toHaveBeenCalled();
  });

  it("are plain text when nobody would hear of a change", () => {
    const page = draw([MODEL], { session: { connection: "closed" } });
    expect(page.all("select")).toEqual([]);
    expect(page.text()).toContain("Small");
  });
});
