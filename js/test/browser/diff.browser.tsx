import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CWD, call, PATCH, state, turn } from "../../dev/states.ts";
import { clear, hosted } from "../help.tsx";
import "../../src/views/base.css";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
  document.body.replaceChildren();
  clear();
});

function mount(path: string, text: string, width = 800) {
  const diff = { type: "diff", changes: [{ operation: "modify", path }], patch: { format: "git_patch", text } };
  const { exports } = hosted(
    state({
      turns: { "r:1": turn(1, "go") },
      timeline: ["t:c"],
      toolCalls: { "t:c": call("c", { status: "in_progress", content: [diff] }) },
    }),
  );
  const el = document.createElement("div");
  el.style.width = `${width}px`;
  document.body.append(el);
  act(() => void ends.push(exports.mountSession(el)));
  const all = (selector: string): HTMLElement[] => [...el.querySelectorAll<HTMLElement>(selector)];
  const button = (label: string): HTMLElement => {
    const found = all(".acp-file button").find((each) => each.textContent?.includes(label));
    if (!found) throw new Error(`no button: ${label}`);
    return found;
  };
  return { el, all, button };
}

/** Milliseconds of `reference` on two idle cores. */
const IDLE = 160;

/** How long it takes now to make and measure a plain list: the slowest of a few times. */
function reference(): number {
  const times = [1, 2, 3].map(() => {
    const start = performance.now();
    const list = document.createElement("div");
    for (let at = 0; at < 10_000; at += 1)
      list.append(Object.assign(document.createElement("p"), { textContent: `${at}` }));
    document.body.append(list);
    list.getBoundingClientRect();
    list.remove();
    return performance.now() - start;
  });
  return Math.max(...times);
}

describe("a diff of ten thousand lines", () => {
  it("is read, opened and drawn in tasks of less than 200 ms, or as much longer as the machine is busy", async () => {
    const before = reference();
    await new Promise((done) => setTimeout(done)); // a task of its own
    const tasks: number[] = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((each) => each.duration)));
    observer.observe({ type: "longtask" });
    const hunks = Array.from({ length: 2500 }, (_, n) => {
      const at = n * 10 + 1;
      return `@@ -${at},2 +${at},2 @@\n-    value_${n} = compute(${n}, "old")\n+    value_${n} = compute(${n}, "new")\n same\n`;
    });
    const path = `${CWD}/big.py`;
    const text = `diff --git ${path} ${path}\n--- ${path}\n+++ ${path}\n${hunks.join("")}`;
    const { all, button } = mount(path, text);
    button("10,000").click();
    await vi.waitFor(() => expect(all(".acp-hunk")).toHaveLength(2500), { timeout: 20_000 });
    expect(all(".acp-diff-word").length).toBeGreaterThan(1000);
    observer.disconnect();
    const busy = Math.max(1, before / IDLE, reference() / IDLE);
    expect(Math.max(0, ...tasks)).toBeLessThan(200 * busy);
  });
});

describe("at 360 pixels", () => {
  it("only the patch scrolls to the side", async () => {
    const path = `${CWD}/${"deep/".repeat(20)}a.py`;
    const text = `diff --git ${path} ${path}\n--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-${"x".repeat(900)}\n+y\n`;
    const { el, all } = mount(path, text, 360);
    const [patch] = all(".acp-patch");
    if (!patch) throw new Error("no patch");
    expect(patch.scrollWidth).toBeGreaterThan(patch.clientWidth);
    const edge = el.getBoundingClientRect().right + 1;
    const out = all(".acp-file, .acp-file *, .acp-patch, .acp-diff").filter(
      (each) => each.getBoundingClientRect().right > edge,
    );
    expect(out.map((each) => each.className)).toEqual([]);
  });
});

describe("both sides beside each other", () => {
  const visible = (rows: HTMLElement[]) => rows.filter((row) => row.getBoundingClientRect().height > 0);

  it("stand in two columns where there is room, under each other where there is none", async () => {
    const { el, all, button } = mount(`${CWD}/stats.py`, PATCH);
    const rows = visible(all(".acp-row")).length;
    act(() => button("Split").click());
    const [left, right] = [...(all(".acp-pair")[1]?.children ?? [])].map((row) => row.getBoundingClientRect());
    expect(left?.top).toBe(right?.top);
    expect(left?.right).toBeLessThanOrEqual((right?.left ?? 0) + 1);
    el.style.width = "500px";
    await vi.waitFor(() => expect(visible(all(".acp-row"))).toHaveLength(rows));
    act(() => button("Unified").click());
    expect(all(".acp-pair")).toEqual([]);
  });

  it("copy code without its line numbers", () => {
    const { all } = mount(`${CWD}/stats.py`, PATCH);
    getSelection()?.selectAllChildren(all(".acp-row")[0] as HTMLElement);
    expect(getSelection()?.toString().trim()).toBe("def mean(xs):");
    expect(getSelection()?.toString()).not.toContain("1");
  });
});
