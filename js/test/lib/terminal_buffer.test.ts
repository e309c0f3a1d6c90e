import { describe, expect, it } from "vitest";
import { fromBase64, toBase64 } from "../../src/lib/base64.ts";
import { TerminalBuffer } from "../../src/lib/terminal_buffer.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const whole = (buffer: TerminalBuffer): string => new TextDecoder().decode(fromBase64(buffer.base64()));

describe("the bytes of a terminal", () => {
  it("are kept in order, also when the front is dropped", () => {
    const buffer = new TerminalBuffer(toBase64(bytes("one ")));
    buffer.append(bytes("two "));
    buffer.append(bytes("three"));
    buffer.trim(6);
    expect(whole(buffer)).toBe("o three");
    expect(buffer.size).toBe(7);
    buffer.trim(100);
    expect(whole(buffer)).toBe("");
    buffer.append(bytes("four"));
    expect(whole(buffer)).toBe("four");
  });

  it("that were drawn stay on the screen when they are dropped", () => {
    const buffer = new TerminalBuffer(toBase64(bytes("first\n")));
    buffer.screen();
    buffer.append(bytes("second\n"));
    buffer.trim(9);
    buffer.append(bytes("third"));
    expect(buffer.screen().text()).toBe("first\nsecond\nthird");
  });

  it("give their end alone when asked for little", () => {
    const buffer = new TerminalBuffer(toBase64(bytes("0123456789")));
    expect(new TextDecoder().decode(fromBase64(buffer.base64(3)))).toBe("789");
  });

  it("of very long output are drawn from a line near the end on, and all lines are counted", () => {
    const buffer = new TerminalBuffer();
    for (let n = 0; n < 300; n += 1) buffer.append(bytes(`${String(n).padStart(9, "0")}\n`.repeat(1000)));
    const screen = buffer.screen();
    expect(screen.dropped + screen.lines.length).toBe(300_001);
    expect(screen.lines[0]?.text()).toMatch(/^\d{9}$/);
    expect(screen.lines.at(-2)?.text()).toBe("000000299");
    expect(buffer.size).toBe(3_000_000);
    buffer.append(bytes("more"));
    expect(buffer.screen().lines.at(-1)?.text()).toBe("more");
  });

  it("are drawn in the size that the agent tells, and again when it changes", () => {
    const buffer = new TerminalBuffer(toBase64(bytes("abcdefgh\x1b[AX")), { cols: 5, rows: 24 });
    expect(buffer.screen().lines.map((line) => line.text())).toEqual(["abcXe", "fgh"]);
    const before = buffer.revision.value;
    buffer.resize({ cols: "wide", rows: -1 });
    expect(buffer.screen().text()).toBe("abcdefghX");
    expect(buffer.revision.value).toBeGreaterThan(before);
  });
});
