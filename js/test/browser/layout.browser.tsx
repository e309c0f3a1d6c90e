import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import { call, demoState, message, permission, state, terminal, turn } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { INERT } from "../../src/views/Permission.tsx";
import { clear, hosted } from "../help.tsx";
import "../../src/views/base.css";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
  document.body.replaceChildren();
  clear();
});

function mount(parts: JsonObject, width = 800) {
  const { model, exports } = hosted(parts);
  const el = document.createElement("div");
  el.style.width = `${width}px`;
  document.body.append(el);
  act(() => void ends.push(exports.mountSession(el)));
  const one = (selector: string): HTMLElement => {
    const found = el.querySelector<HTMLElement>(selector);
    if (!found) throw new Error(`not in the page: ${selector}`);
    return found;
  };
  return { model, el, one };
}

const asking = (more: JsonObject): JsonObject =>
  state({ timeline: ["p:1"], permissions: { "p:1": permission("Run it?", { turn: null, ...more }) } });
const command = (lines: number): JsonObject => ({
  subject: { type: "command", command: Array.from({ length: lines }, (_, n) => `step ${n}`).join("\n"), cwd: "/p" },
});
const isOpen = (one: (selector: string) => HTMLElement): boolean => one("[data-permission]").dataset.open === "true";
const frames = (count: number): Promise<void> =>
  new Promise((done) => {
    const next = (left: number) => (left === 0 ? done() : requestAnimationFrame(() => next(left - 1)));
    next(count);
  });

describe("a question that the page pushed elsewhere", () => {
  const ready = async (one: (selector: string) => HTMLElement): Promise<HTMLElement> => {
    await vi.waitFor(() => expect(isOpen(one)).toBe(true), 3000);
    return one(".acp-ask-row button");
  };
  const press = (button: HTMLElement): void => {
    act(() => void button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 })));
  };

  it("takes no click for a moment, and then it does", async () => {
    const { one, el, model } = mount(asking(command(2)));
    const button = await ready(one);
    const before = document.createElement("div");
    before.style.height = "80px";
    el.style.position = "relative";
    el.querySelector(".acp-header")?.append(before);
    await vi.waitFor(() => expect(isOpen(one)).toBe(false));
    press(button);
    expect(model.of("answer")).toEqual([]);
    await ready(one);
    press(button);
    expect(model.of("answer")).toHaveLength(1);
  });

  it("is not what the reader scrolled to: that takes a click at once", async () => {
    const { one, model } = mount(asking(command(2)));
    const far = document.createElement("div");
    far.style.height = "3000px";
    document.body.prepend(far);
    await frames(2);
    const button = await ready(one);
    button.scrollIntoView();
    await frames(2);
    press(button);
    expect(model.of("answer")).toHaveLength(1);
  });
});

describe("a command longer than its card", () => {
  it("must be read to its end before a button is live", async () => {
    const { one, model } = mount(asking(command(200)));
    const body = one(".acp-ask-body");
    expect(body.scrollHeight).toBeGreaterThan(body.clientHeight);
    await new Promise((done) => setTimeout(done, INERT + 100));
    expect(isOpen(one)).toBe(false);
    expect(one(".acp-ask-row").textContent).toContain("Read to the end first");
    act(() => one(".acp-ask-row button").click());
    expect(model.of("answer")).toEqual([]);
    body.scrollTop = body.scrollHeight;
    await vi.waitFor(() => expect(isOpen(one)).toBe(true));
    act(() => one(".acp-ask-row button").click());
    expect(model.of("answer")).toHaveLength(1);
  });

  it("can be expanded instead", async () => {
    const { one } = mount(asking(command(200)));
    const expand = [...one(".acp-ask-row").querySelectorAll("button")].find(
      (button) => button.textContent === "Expand",
    );
    act(() => expand?.click());
    await vi.waitFor(() => expect(isOpen(one)).toBe(true));
    const body = one(".acp-ask-body");
    expect(body.scrollHeight - body.clientHeight).toBeLessThanOrEqual(2);
  });

  it("that fits is live by itself", async () => {
    const { one } = mount(asking(command(3)));
    await vi.waitFor(() => expect(isOpen(one)).toBe(true));
  });

  it("wraps, so that nothing hides to the right", async () => {
    const { one } = mount(
      asking({ subject: { type: "command", command: `echo ${"x".repeat(3000)}`, cwd: "/p" } }),
      400,
    );
    const body = one(".acp-ask-body");
    expect(body.scrollWidth).toBeLessThanOrEqual(body.clientWidth + 1);
  });
});

describe("the transcript", () => {
  const long = (): JsonObject =>
    state({
      turns: { "r:1": turn(1, "go") },
      timeline: Array.from({ length: 60 }, (_, n) => `a:${n}`),
      messages: Object.fromEntries(
        Array.from({ length: 60 }, (_, n) => [`a:${n}`, message("agent", String(n), `Paragraph ${n}\n\nand more`)]),
      ),
    });
  const left = (log: HTMLElement): number => log.scrollHeight - log.scrollTop - log.clientHeight;

  it("is as high as the page allows, and follows its end", async () => {
    const { one, model } = mount(long());
    const log = one(".acp-log");
    expect(log.clientHeight).toBeLessThanOrEqual(innerHeight * 0.7 + 2);
    await vi.waitFor(() => expect(left(log)).toBeLessThan(2));
    const text = ["messages", "a:59", "content", 0, "text"];
    act(() => model.receive({ type: "ops", seq: 2, ops: [["text", text, "\n\nline".repeat(40)]] }));
    await vi.waitFor(() => expect(left(log)).toBeLessThan(2));
  });

  it("stays where the reader scrolled to, and leads back to the end", async () => {
    const { one, model, el } = mount(long());
    const log = one(".acp-log");
    await vi.waitFor(() => expect(left(log)).toBeLessThan(2));
    log.scrollTop = 100;
    await vi.waitFor(() => expect(el.querySelector(".acp-to-end")).not.toBeNull());
    const text = ["messages", "a:59", "content", 0, "text"];
    act(() => model.receive({ type: "ops", seq: 2, ops: [["text", text, "\n\nline".repeat(40)]] }));
    await frames(4);
    expect(Math.abs(log.scrollTop - 100)).toBeLessThan(60);
    expect(left(log)).toBeGreaterThan(200);
    act(() => one(".acp-to-end").click());
    await vi.waitFor(() => expect(left(log)).toBeLessThan(2));
  });
});

describe("a terminal", () => {
  const running = (): JsonObject =>
    state({
      turns: { "r:1": turn(1, "go") },
      timeline: ["t:c"],
      toolCalls: { "t:c": call("c", { status: "in_progress", content: [{ type: "terminal", terminalId: "1" }] }) },
      terminals: { "x:1": terminal("1", "line\n".repeat(300)) },
    });
  const more = (): DataView => {
    const bytes = new TextEncoder().encode("more\n".repeat(50));
    return new DataView(bytes.buffer);
  };
  const left = (pre: HTMLElement): number => pre.scrollHeight - pre.scrollTop - pre.clientHeight;

  it("follows its live tail unless the reader scrolled up", async () => {
    const { one, model } = mount(running());
    const pre = one(".acp-term pre");
    await vi.waitFor(() => expect(left(pre)).toBeLessThan(2));
    act(() => model.receive({ type: "ops", seq: 2, ops: [["bytes", "x:1", 0]] }, [more()]));
    await vi.waitFor(() => expect(left(pre)).toBeLessThan(2));
    pre.scrollTop = 0;
    await frames(3);
    act(() => model.receive({ type: "ops", seq: 3, ops: [["bytes", "x:1", 0]] }, [more()]));
    await frames(3);
    expect(pre.scrollTop).toBe(0);
    act(() => one(".acp-term .acp-to-end").click());
    await vi.waitFor(() => expect(left(pre)).toBeLessThan(2));
    act(() => model.receive({ type: "ops", seq: 4, ops: [["bytes", "x:1", 0]] }, [more()]));
    await vi.waitFor(() => expect(left(pre)).toBeLessThan(2));
  });
});

describe("at 400 pixels", () => {
  it("nothing stands out to the side", async () => {
    const { el } = mount(demoState(), 360);
    await frames(2);
    const edge = el.getBoundingClientRect().right + 1;
    const out = [
      ...el.querySelectorAll<HTMLElement>(".acp-header *, .acp-call-head *, .acp-ask-row *, .acp-composer *"),
    ]
      .filter((element) => !element.closest(".acp-hidden"))
      .filter((element) => element.getBoundingClientRect().right > edge);
    expect(out.map((element) => element.className)).toEqual([]);
  });
});

describe("a diff of twenty thousand lines", () => {
  it("opens without holding the page up", async () => {
    const rows = Array.from({ length: 10_000 }, (_, n) => `-row ${n}`).join("\n");
    const news = Array.from({ length: 10_000 }, (_, n) => `+row ${n} new`).join("\n");
    const text = `diff --git /p/a /p/a\n--- /p/a\n+++ /p/a\n@@ -1,10000 +1,10000 @@\n${rows}\n${news}\n`;
    const { el, one } = mount(
      state({
        turns: { "r:1": turn(1, "go") },
        timeline: ["t:c"],
        toolCalls: {
          "t:c": call("c", {
            status: "in_progress",
            content: [
              { type: "diff", changes: [{ operation: "modify", path: "/p/a" }], patch: { format: "git_patch", text } },
            ],
          }),
        },
      }),
    );
    const tasks: number[] = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
    observer.observe({ type: "longtask" });
    const show = [...one(".acp-file").querySelectorAll("button")].find((button) =>
      button.textContent?.includes("20,001"),
    );
    show?.click();
    await vi.waitFor(() => expect(el.querySelectorAll(".acp-row")).toHaveLength(20_000), { timeout: 50_000 });
    observer.disconnect();
    // No time is asserted on a shared machine: that many frames means it came in small steps.
    expect(el.querySelectorAll(".acp-slice").length).toBeGreaterThan(50);
  }, 60_000);
});

it("unmounting leaves nothing behind", () => {
  const { exports } = hosted(demoState());
  const el = document.createElement("div");
  document.body.append(el);
  let end = () => {};
  act(() => {
    end = exports.mountSession(el);
  });
  act(end);
  expect(el.childNodes).toHaveLength(0);
  act(() => render(null, el));
});
