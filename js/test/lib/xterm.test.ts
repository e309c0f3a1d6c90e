/**
 * Our screen beside a full terminal emulator: the same text, history and all.
 *
 * Where we differ on purpose, and what is therefore not compared:
 * - The emulator wraps at its width, which we only know when the agent tells it. Wrapped lines are compared joined; a
 *   terminal of unknown size is compared with a very wide one.
 * - `\n` also returns the carriage, since agents often send the output of pipes (`convertEol`).
 * - A reset (`ESC c`) clears the window, but the history stays to be read.
 * - A mark joins the cell before it whatever came between; the emulator gives it a cell of its own after a sequence.
 * - Emoji take two columns, as in every terminal of today; the emulator, without an addon, counts them as one.
 * - Invalid UTF-8 shows as U+FFFD; the emulator drops it.
 * - A saved place moves along when the history is erased (`CSI 3 J`); the emulator's does not. It also fails when all
 *   above the last column of the last line is erased (`CSI 1 J`).
 * - Tab stops stand at every eighth column and cannot be set; modes (origin, insert, no wrapping) are not followed.
 */

import { readdirSync } from "node:fs";
import xterm from "@xterm/headless";
import { describe, expect, it } from "vitest";
import { Screen } from "../../src/lib/ansi.ts";
import { RECORDINGS, recorded } from "../golden.ts";
import { cut, type Stream, stream } from "../random_terminal.ts";

const VERY_WIDE = 2000;

async function emulated({ columns, rows, bytes }: Stream): Promise<string> {
  const options = { cols: columns, rows, scrollback: 10_000, convertEol: true, allowProposedApi: true };
  const terminal = new xterm.Terminal(options);
  await new Promise<void>((done) => terminal.write(bytes, done));
  const { active } = terminal.buffer;
  let text = "";
  for (let row = 0; row < active.length; row += 1) {
    const line = active.getLine(row);
    if (row > 0 && !line?.isWrapped) text += "\n";
    text += line?.translateToString(true) ?? "";
  }
  terminal.dispose();
  return text.replace(/\n+$/, "");
}

function ours({ columns, rows, bytes }: Stream, seed: number): string {
  const screen = new Screen(rows, columns);
  for (const piece of cut(bytes, seed)) screen.feed(piece);
  return screen.text();
}

describe("what programs print", () => {
  const names = readdirSync(RECORDINGS);

  it("is there for the programs that matter", () => {
    expect(names.map((name) => name.split(".")[0])).toEqual(
      expect.arrayContaining(["cargo", "git_diff", "git_log", "git_status", "ls", "npm", "pip", "pytest", "tqdm"]),
    );
  });

  it.each(names)("%s shows what a terminal shows", async (name) => {
    const [columns, rows] = (name.split(".")[1] as string).split("x").map(Number) as [number, number];
    const bytes = recorded(name);
    const sized = { columns, rows, bytes };
    const wide = { columns: VERY_WIDE, rows, bytes };
    expect(ours(sized, 1)).not.toBe("");
    expect(ours(sized, 1)).toBe(await emulated(sized));
    expect(ours(wide, 2)).toBe(await emulated(wide));
    const unsized = new Screen(rows);
    unsized.feed(bytes);
    expect(unsized.text()).toBe(await emulated(wide));
  });
});

describe("what programs could print", () => {
  it.each(Array.from({ length: 20 }, (_, n) => n))("%i: twenty random streams show the same", async (group) => {
    for (let seed = group * 20; seed < group * 20 + 20; seed += 1) {
      const made = stream(seed);
      expect(ours(made, seed), `stream ${seed}: ${JSON.stringify(new TextDecoder().decode(made.bytes))}`).toBe(
        await emulated(made),
      );
    }
  });
});
