import { describe, expect, it } from "vitest";
import { KEPT_LINES, Screen } from "../../src/lib/ansi.ts";
import { fromBase64 } from "../../src/lib/base64.ts";
import { golden, recorded } from "../golden.ts";

interface Case {
  name: string;
  chunks: string[];
  text: string;
}

interface Recorded {
  name: string;
  rows: number;
  columns: number;
  /** Of a recording they stand in a file. */
  bytes?: string;
  text: string;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function screen(...chunks: string[]): Screen {
  const made = new Screen();
  for (const chunk of chunks) made.feed(bytes(chunk));
  return made;
}

describe("a terminal's text is the same as in Python", () => {
  it.each(golden<Case[]>("terminal_text.json"))("$name", ({ chunks, text }) => {
    const made = new Screen();
    for (const chunk of chunks) made.feed(fromBase64(chunk));
    expect(made.text()).toBe(text);
  });

  it.each(golden<Case[]>("terminal_text.json"))("$name, a byte at a time", ({ chunks, text }) => {
    const made = new Screen();
    for (const chunk of chunks) for (const byte of fromBase64(chunk)) made.feed(Uint8Array.of(byte));
    expect(made.text()).toBe(text);
  });
});

describe("a program's output is the same as in Python", () => {
  it.each(golden<Recorded[]>("terminal_streams.json"))("$name", ({ name, rows, columns, bytes: given, text }) => {
    const made = new Screen(rows, columns);
    made.feed(given === undefined ? recorded(name) : fromBase64(given));
    expect(made.text()).toBe(text);
  });
});

describe("colours", () => {
  const spans = (text: string) => screen(text).lines[0]?.spans();

  it("draws the sixteen colours by class", () => {
    expect(spans("\x1b[31mF\x1b[92;44m.")).toEqual([
      { text: "F", style: { classes: "acp-t-fg1" } },
      { text: ".", style: { classes: "acp-t-fg10 acp-t-bg4" } },
    ]);
  });

  it("draws true colours, however they are written", () => {
    const orange = { classes: "", color: "rgb(255 128 0)" };
    expect(spans("\x1b[38;2;255;128;0mx")?.[0]?.style).toEqual(orange);
    expect(spans("\x1b[38:2:255:128:0mx")?.[0]?.style).toEqual(orange);
    expect(spans("\x1b[38:2::255:128:0mx")?.[0]?.style).toEqual(orange);
    expect(spans("\x1b[38;5;208mx")?.[0]?.style).toEqual({ classes: "", color: "rgb(255 135 0)" });
  });

  it("has black on a colour, and what can be read instead on the screen's own ground", () => {
    expect(spans("\x1b[30;42mx")?.[0]?.style).toEqual({ classes: "acp-t-bg2", color: "#000" });
    expect(spans("\x1b[30mx")?.[0]?.style).toEqual({ classes: "acp-t-fg0" });
    expect(spans("\x1b[30;40mx")?.[0]?.style).toEqual({ classes: "acp-t-fg0 acp-t-bg0" });
  });

  it("keeps what stands around overwritten text", () => {
    expect(spans("\x1b[32mabcdef\x1b[0m\x1b[3D\x1b[1mX")).toEqual([
      { text: "abc", style: { classes: "acp-t-fg2" } },
      { text: "X", style: { classes: "acp-t-bold" } },
      { text: "ef", style: { classes: "acp-t-fg2" } },
    ]);
  });

  it("swaps the colours of inverse text", () => {
    expect(spans("\x1b[7mx")?.[0]?.style?.classes).toBe("acp-t-fg-inverse acp-t-bg-inverse");
    expect(spans("\x1b[7;31mx")?.[0]?.style?.classes).toBe("acp-t-fg-inverse acp-t-bg1");
  });

  it("reads the kinds of underline, and passes over their colours", () => {
    expect(spans("\x1b[4:3mx\x1b[4:0my")).toEqual([
      { text: "x", style: { classes: "acp-t-underline" } },
      { text: "y", style: null },
    ]);
    expect(spans("\x1b[58;2;1;9;7mx\x1b[58:5:2;1my")).toEqual([
      { text: "x", style: null },
      { text: "y", style: { classes: "acp-t-bold" } },
    ]);
  });

  it("tells a ground from a letter of the same colour", () => {
    const looks = spans("\x1b[38;2;1;2;3mx\x1b[0;48;2;1;2;3my\x1b[0mz")?.map(({ style }) => style);
    expect(looks).toEqual([{ classes: "", color: "rgb(1 2 3)" }, { classes: "", background: "rgb(1 2 3)" }, null]);
  });

  it("is plain again after a reset", () => {
    expect(spans("\x1b[1;3;4;9;31mx\x1b[my")?.[1]).toEqual({ text: "y", style: null });
  });
});

describe("memory", () => {
  it("drops the oldest lines and counts them", () => {
    const made = screen(...Array.from({ length: 30 }, (_, n) => `${n}\n`.repeat(500)));
    expect(made.dropped + made.lines.length).toBe(15_001);
    expect(made.lines.length).toBeLessThanOrEqual(KEPT_LINES + 1000);
    expect(made.lines.at(-2)?.text()).toBe("29");
  });

  it("gives an unchanged line the same revision, and a changed one another", () => {
    const made = screen("one\ntwo");
    const before = made.lines.map((line) => line.revision);
    made.feed(bytes("!"));
    const after = made.lines.map((line) => line.revision);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });
});
