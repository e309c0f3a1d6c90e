import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { message, permission, state, turn } from "../../dev/states.ts";
import type { JsonObject, Operation } from "../../src/types.ts";
import { INERT } from "../../src/views/use_armed.ts";
import { clear, hosted } from "../help.tsx";
import "../../src/views/base.css";

const ends: (() => void)[] = [];
afterEach(() => {
  act(() => {
    for (const end of ends.splice(0)) end();
  });
  document.body.replaceChildren();
  clear();
});

function mount(parts: JsonObject, width = 800) {
  const { model, exports } = hosted(state({ turns: { "r:1": turn(1, "go") }, ...parts }));
  const el = document.createElement("div");
  el.style.width = `${width}px`;
  document.body.append(el);
  act(() => void ends.push(exports.mountSession(el)));
  const one = (selector: string): HTMLElement => {
    const found = el.querySelector<HTMLElement>(selector);
    if (!found) throw new Error(`not in the page: ${selector}`);
    return found;
  };
  let seq = 1;
  const ops = (...list: Operation[]) => {
    seq += 1;
    act(() => void model.receive({ type: "ops", seq, ops: list }));
  };
  const card = (id: string) => one(`[data-permission="${id}"]`);
  const live = (id: string) => vi.waitFor(() => expect(card(id).dataset.open).toBe("true"));
  const button = (id: string, at: number): HTMLElement =>
    [...card(id).querySelectorAll<HTMLElement>(".acp-ask-row > button")][at] as HTMLElement;
  return { model, el, one, ops, card, live, button };
}

const two = (): JsonObject => ({
  timeline: ["p:1", "p:2"],
  permissions: { "p:1": permission("One?", { description: "Long.\n".repeat(8) }), "p:2": permission("Two?") },
});
const settled = (title: string): JsonObject =>
  permission(title, { status: "selected", optionId: "once", by: "you" }) as JsonObject;
/** The guard is about time: this is the only thing that is waited for by the clock. */
const quiet = () => new Promise((done) => setTimeout(done, INERT + 50));

describe("a question in a browser", () => {
  it("takes a real click, and a double click once", async () => {
    const { model, live, button } = mount(two());
    await live("p:1");
    await quiet();
    await userEvent.dblClick(button("p:1", 2));
    expect(model.of("answer")).toMatchObject([{ permission: "p:1", optionId: "no" }]);
  });

  it("that moved under the pointer takes no click at once, says so, and takes the next", async () => {
    const { model, live, button, card, ops } = mount(two());
    await live("p:2");
    await quiet();
    await userEvent.hover(button("p:2", 0));
    const before = card("p:2").getBoundingClientRect().top;
    ops(["set", ["permissions", "p:1"], settled("One?")]);
    await vi.waitFor(() => expect(card("p:2").getBoundingClientRect().top).not.toBe(before));
    const press = () =>
      act(() => void button("p:2", 0).dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 })));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    press();
    expect(model.of("answer")).toEqual([]);
    expect(card("p:2").querySelector('[role="alert"]')?.textContent).toContain("Press again");
    await quiet();
    press();
    expect(model.of("answer")).toMatchObject([{ permission: "p:2" }]);
  });

  it("is answered by keys alone, one after the other, and by no held key", async () => {
    const { model, live, card, ops } = mount(two());
    await live("p:2");
    act(() => card("p:1").focus());
    await quiet();
    await userEvent.keyboard("3");
    expect(model.of("answer")).toHaveLength(1);
    ops(["set", ["permissions", "p:1"], settled("One?")]);
    await vi.waitFor(() => expect(document.activeElement).toBe(card("p:2")));
    await userEvent.keyboard("1");
    expect(model.of("answer")).toHaveLength(1); // it came to the focus just now
    await quiet();
    act(() => void card("p:2").dispatchEvent(new KeyboardEvent("keydown", { key: "1", repeat: true, bubbles: true })));
    expect(model.of("answer")).toHaveLength(1);
    await userEvent.keyboard("2");
    expect(model.of("answer")).toMatchObject([{ optionId: "no" }, { permission: "p:2", optionId: "always" }]);
  });

  it("takes the focus from nobody who writes", async () => {
    const { one, ops } = mount({ timeline: [] });
    act(() => one("textarea").focus());
    ops(["set", ["permissions", "p:1"], permission("One?")], ["append", ["timeline"], "p:1"]);
    await vi.waitFor(() => expect(one("[data-permission]")).toBeTruthy());
    await userEvent.keyboard("1");
    expect(document.activeElement).toBe(one("textarea"));
    expect((one("textarea") as HTMLTextAreaElement).value).toBe("1");
  });

  it("comes into view when the one before leads to it", async () => {
    const many = Array.from({ length: 40 }, (_, n) => `a:${n}`);
    const { card, live, one } = mount({
      timeline: ["p:1", ...many, "p:2"],
      messages: Object.fromEntries(many.map((key, n) => [key, message("agent", String(n), "words\n\nwords")])),
      permissions: { "p:1": permission("One?"), "p:2": permission("Two?") },
    });
    await live("p:2");
    act(() => card("p:1").focus());
    await userEvent.keyboard("n");
    expect(document.activeElement).toBe(card("p:2"));
    const [log, place] = [one(".acp-log").getBoundingClientRect(), card("p:2").getBoundingClientRect()];
    expect(place.top).toBeLessThan(log.bottom);
    expect(place.bottom).toBeGreaterThan(log.top);
  });

  it("that is folded away has not been read", async () => {
    const subject = { type: "command", command: "line\n".repeat(200), cwd: "/p" };
    const { card, el, ops } = mount({ timeline: ["p:1"], permissions: { "p:1": permission("One?") } });
    el.style.display = "none";
    ops(["set", ["permissions", "p:1", "subject"], subject]);
    await quiet();
    el.style.display = "";
    await vi.waitFor(() => expect(card("p:1").textContent).toContain("Read to the end first"));
    expect(card("p:1").dataset.open).toBe("false");
  });

  it("keeps a command of many long words within 360 pixels", async () => {
    const command = ["bash", "-lc", `echo ${"x".repeat(400)} ${"word ".repeat(200)}`];
    const toolCall = { toolCallId: "gone", kind: "execute", rawInput: { command, cwd: `/${"deep/".repeat(60)}` } };
    const { one, card } = mount(
      { timeline: ["p:1"], permissions: { "p:1": permission("Run?", { subject: { type: "tool_call", toolCall } }) } },
      360,
    );
    const body = one(".acp-ask-body");
    expect(body.scrollWidth).toBeLessThanOrEqual(body.clientWidth + 1);
    const edge = card("p:1").getBoundingClientRect().right + 1;
    const out = [...card("p:1").querySelectorAll("*")].filter((each) => each.getBoundingClientRect().right > edge);
    expect(out.map((each) => each.className)).toEqual([]);
  });
});
