import { act } from "preact/test-utils";
import { afterEach, describe, expect, it } from "vitest";
import { CWD, state, terminal } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { SHOWN_LINES, Terminal } from "../../src/views/Terminal.tsx";
import { clear, show } from "../help.tsx";

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
    expect(page.text()).toBe("live · 5 Bhere");
  });
});
