import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CWD, state, terminal } from "../../dev/states.ts";
import { SLOW } from "../../src/actions.ts";
import type { JsonObject, Operation } from "../../src/types.ts";
import { Terminal } from "../../src/views/Terminal.tsx";
import { SHOWN_LINES } from "../../src/views/TerminalOutput.tsx";
import { clear, click, type Page, pass, show } from "../help.tsx";

afterEach(clear);

const draw = (output: string, more: JsonObject = {}) =>
  show(<Terminal id="x:1" />, state({ terminals: { "x:1": terminal("1", output, more) } }));
const view = (text: string): DataView => {
  const bytes = new TextEncoder().encode(text);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};

describe("a terminal", () => {
  it("has its command, folder, state and size", () => {
    expect(draw("hello", { command: "make docs" }).one(".acp-term-bar").textContent).toBe(
      "$ make docs…/projectlive · 5 B",
    );
    expect(draw("", { cwd: `${CWD}/src`, exitStatus: { exitCode: 2, signal: null } }).text()).toBe("srcexit 2 · 0 B");
    expect(draw("", { cwd: null, exitStatus: { exitCode: null, signal: "SIGTERM" } }).text()).toBe(
      "ended by SIGTERM · 0 B",
    );
    expect(draw("", { cwd: null, exitStatus: {} }).text()).toBe("ended · 0 B");
  });

  it("draws colours and overwrites progress", () => {
    const page = draw("10%\r\x1b[32m100%\x1b[0m\ndone\n");
    expect(page.one("pre").textContent).toBe("100%\ndone");
    expect(page.one(".acp-t-fg2").textContent).toBe("100%");
  });

  it("grows as bytes arrive, cut anywhere", () => {
    const page = draw("caf");
    const all = new TextEncoder().encode("é");
    act(() => {
      page.model.receive({ type: "ops", seq: 2, ops: [["bytes", "x:1", 0]] }, [new DataView(all.buffer, 0, 1)]);
    });
    expect(page.one("pre").textContent).toBe("caf");
    act(() => {
      page.model.receive({ type: "ops", seq: 3, ops: [["bytes", "x:1", 0]] }, [new DataView(all.buffer, 1, 1)]);
      page.model.receive({ type: "ops", seq: 4, ops: [["bytes", "x:1", 0]] }, [view("!\n")]);
    });
    expect(page.one("pre").textContent).toBe("café!");
  });

  it("keeps links, titles and the clipboard of its output inert", () => {
    const page = draw(
      "\x1b]0;owned\x07see \x1b]8;;https://evil.test\x1b\\here\x1b]8;;\x1b\\ \x1b]52;c;cm0=\x07<img src=x>",
    );
    expect(page.one("pre").textContent).toBe("see here <img src=x>");
    expect(page.all("a, img")).toEqual([]);
  });

  it("draws the end of long output and says what is missing", () => {
    const page = draw(Array.from({ length: SHOWN_LINES + 500 }, (_, n) => `line ${n}\n`).join(""), {
      output: { data: btoa("line\n".repeat(SHOWN_LINES + 500)), _meta: null, cut: 4100 },
    });
    expect(page.text()).toContain("500 earlier lines are not drawn · the first 4.1 kB were cut");
    expect(page.one("pre").textContent?.match(/line/g)).toHaveLength(SHOWN_LINES);
  });

  it("is a placeholder before it is known, and itself afterwards", () => {
    const page = show(<Terminal id="x:1" />, state({}));
    expect(page.text()).toBe("A terminal that the agent has not described yet");
    page.ops(["set", ["terminals", "x:1"], terminal("1", "here\n", { cwd: null })]);
    expect(page.text()).toContain("live · 5 Bhere");
  });

  it("tells its size where the agent does, and draws in it", () => {
    const page = draw("abcdefgh\x1b[AX", { cwd: null, size: { cols: 5, rows: 24 } });
    expect(page.text()).toContain("5 × 24 · live · 12 B");
    expect(page.one("pre").textContent).toBe("abcXe\nfgh");
    page.ops(["set", ["terminals", "x:1", "size"], { cols: 40, rows: 24 }]);
    expect(page.text()).toContain("40 × 24");
    expect(page.one("pre").textContent).toBe("abcdefghX");
    page.ops(["set", ["terminals", "x:1", "size"], { cols: "wide" }]);
    expect(page.text()).not.toContain("×");
  });

  it("shows characters that cannot be seen, or that turn text around", () => {
    const page = draw("rm \u202egpj.x\u202c \u200b\x1b[31m\u2066a\x1b[m \u26a0\ufe0f ok");
    expect(page.one("pre").textContent).toBe("rm ⟨U+202E⟩gpj.x⟨U+202C⟩ ⟨U+200B⟩⟨U+2066⟩a ⚠ ok");
    expect(page.all("pre .acp-mark")).toHaveLength(4);
  });

  it("is the same in several places, all in step", () => {
    const page = show(
      <>
        <Terminal id="x:1" />
        <Terminal id="x:1" />
      </>,
      state({ terminals: { "x:1": terminal("1", "10%") } }),
    );
    act(() => page.model.receive({ type: "ops", seq: 2, ops: [["bytes", "x:1", 0]] }, [view("\r99%")]));
    expect(page.all("pre").map((pre) => pre.textContent)).toEqual(["99%", "99%"]);
    const exit: Operation = ["set", ["terminals", "x:1", "exitStatus"], { exitCode: 0 }];
    act(() => page.model.receive({ type: "ops", seq: 3, ops: [exit] }));
    expect(page.text().match(/exit 0 · 7 B/g)).toHaveLength(2);
  });

  it("that never ended is not called live when the agent is gone", () => {
    const page = show(
      <Terminal id="x:1" />,
      state({ session: { connection: "closed" }, terminals: { "x:1": terminal("1", "half") } }),
    );
    expect(page.text()).toContain("not finished when the agent ended");
    expect(page.text()).not.toContain("live");
  });

  it("is copied as text, or as the program wrote it", async () => {
    const copied: string[] = [];
    vi.stubGlobal("navigator", { clipboard: { writeText: async (text: string) => void copied.push(text) } });
    const page = draw("10%\r\x1b[32m100%\x1b[0m\ncafé\u202e\n");
    await act(async () => button(page, "Copy").click());
    await act(async () => button(page, "Copy with colours").click());
    vi.unstubAllGlobals();
    expect(copied).toEqual(["100%\ncafé\u202e", "10%\r\x1b[32m100%\x1b[0m\ncafé\u202e\n"]);
    await vi.waitFor(() => expect(page.text().match(/Copied/g)).toHaveLength(2));
  });
});

const button = (page: Page, label: string): HTMLElement => {
  const found = page.all("button").find((each) => each.textContent?.trim() === label);
  if (!found) throw new Error(`no button ${label}: ${page.text()}`);
  return found;
};

describe("a long terminal", () => {
  /** happy-dom lays nothing out: the measures of a page where a line is 10 pixels high. */
  function measured(page: Page): { pre: HTMLElement; scroll: (top: number) => void; lines: () => void } {
    const pre = page.one("pre");
    const height = () =>
      page.all(".acp-term-block").reduce((sum, block) => sum + (block.textContent ?? "").split("\n").length * 10, 0);
    let top = 0;
    const max = () => Math.max(0, height() - 200);
    Object.defineProperties(pre, {
      clientHeight: { get: () => 200 },
      scrollHeight: { get: height },
      scrollTop: { get: () => top, set: (to: number) => (top = Math.min(to, max())) },
    });
    const scroll = (to: number) =>
      act(() => {
        pre.scrollTop = to;
        pre.dispatchEvent(new Event("scroll"));
      });
    let seq = 1;
    const lines = () =>
      act(() => {
        seq += 1;
        page.model.receive({ type: "ops", seq, ops: [["bytes", "x:1", 0]] }, [view("more\n".repeat(20))]);
      });
    return { pre, scroll, lines };
  }

  it("follows its end, stays where the reader scrolled up to, and leads back", () => {
    const page = draw("line\n".repeat(100));
    const { pre, scroll, lines } = measured(page);
    lines();
    expect(pre.scrollTop).toBe(1000);
    pre.dispatchEvent(new Event("scroll")); // one that comes late, when there is more already
    lines();
    expect(pre.scrollTop).toBe(1200);
    scroll(300);
    lines();
    expect(pre.scrollTop).toBe(300);
    click(button(page, "↓ Latest"));
    expect(pre.scrollTop).toBe(1400);
    expect(document.activeElement).toBe(pre);
    expect(page.text()).not.toContain("Latest");
    lines();
    expect(pre.scrollTop).toBe(1600);
  });

  it("follows again when the reader scrolls to its end", () => {
    const page = draw("line\n".repeat(100));
    const { pre, scroll, lines } = measured(page);
    lines();
    scroll(300);
    expect(page.text()).toContain("↓ Latest");
    scroll(10_000);
    expect(page.text()).not.toContain("Latest");
    lines();
    expect(pre.scrollTop).toBe(1200);
  });
});

describe("a terminal that can be stopped alone", () => {
  const offered = { capabilities: { cancel: {} } };

  it("asks the agent for it once, and says what became of that", async () => {
    vi.useFakeTimers();
    const page = draw("…", offered);
    click(button(page, "Cancel this"));
    click(button(page, "Cancelling…"));
    const sent = page.model.of("cancelTerminal");
    expect(sent.map((message) => message.terminal)).toEqual(["x:1"]);
    await pass(SLOW + 1);
    expect(page.text()).toContain("The kernel is busy");
    act(() => page.model.receive({ type: "result", id: sent[0]?.id, ok: false, error: "Not this\u202e one." }));
    expect(page.text()).toContain("Not this⟨U+202E⟩ one.");
    click(button(page, "Cancel this"));
    page.ops(["set", ["terminals", "x:1", "exitStatus"], { signal: "SIGTERM" }]);
    expect(page.text()).toContain("ended by SIGTERM");
    expect(page.text()).not.toMatch(/Stop|Not this/);
  });

  it("has no button when it has exited, when that is not offered, or when nobody would hear", () => {
    const none = (more: JsonObject, parts: JsonObject = {}, answer?: () => void): void => {
      const shown = state({ terminals: { "x:1": terminal("1", "…", more) }, ...parts });
      expect(show(<Terminal id="x:1" />, shown, answer).text()).not.toContain("Cancel this");
    };
    none({ ...offered, exitStatus: {} });
    none({ capabilities: null });
    none({ capabilities: { cancel: null } });
    none(offered, { session: { connection: "closed" } });
    none(offered, {}, () => {});
  });
});
