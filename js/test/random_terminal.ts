/** Random output of programs, made of the sequences that our screen knows. */

export interface Stream {
  columns: number;
  rows: number;
  bytes: Uint8Array;
}

/** A small generator of numbers: the same seed gives the same ones everywhere. */
export function numbers(seed: number): (below: number) => number {
  let state = (seed + 1) * 2654435769;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const WORDS = [
  "a",
  "ok",
  "warning: ",
  "  ",
  "100%",
  "日本",
  "größe",
  "e\u0301",
  "한",
  "━━━",
  "x".repeat(13),
  "コ\u0301!",
];
const CODES = ["", "0", "1", "31", "1;32", "7", "9", "38;5;208", "48;2;1;2;3", "38:2::9:9:9", "4:3", "58;2;1;2;3"];
const PLAIN = ["\r", "\n", "\r\n", "\n", "\b", "\t", "\x1b7", "\x1b8", "\x1bD", "\x1bE", "\x1bM", "\x1b[s", "\x1b[u"];
const ASIDE = ["\x1b]0;a title\x07", "\x1b]8;;https://x.test\x1b\\", "\x1bPq#1\x1b\\", "\x1b[?25l", "\x07"];
const SETS = ["\x1b(B", "\x1b(0", "\x1b)0", "\x1b)B", "\x0e", "\x0f"];

export function stream(seed: number): Stream {
  const below = numbers(seed);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const columns = 8 + below(50);
  const rows = 2 + below(9);
  let text = "";
  for (let pieces = 20 + below(60); pieces > 0; pieces -= 1) {
    const kind = below(20);
    if (kind < 8) text += pick(WORDS);
    else if (kind < 10) text += `\x1b[${pick(CODES)}m`;
    else if (kind < 14) text += pick(PLAIN);
    else if (kind < 15) text += pick(ASIDE);
    else if (kind < 16) text += pick(["\x1b[J", "\b\x1b[1J", "\x1b[2J", "\x1b[K", "\x1b[1K", "\x1b[2K"]);
    else if (kind < 17) text += `\x1b[${1 + below(rows)};${1 + below(columns + 3)}${pick(["H", "f"])}`;
    else if (kind < 18 && below(3) === 0) text += pick(SETS);
    else if (kind < 18) text += pick([`-\x1b[${below(5)}b`, "\x1b[3J\x1b[s", "\x1b[?1049h", "\x1b[?1049l", "\x1b[r"]);
    else if (kind < 19 && below(3) === 0) text += `\x1b[${1 + below(rows)};${1 + below(rows)}r`;
    else text += `\x1b[${pick(["", "0", "1", "2", "3", "7"])}${pick([..."ABCDEFGIZd`aePX@LMST"])}`;
  }
  return { columns, rows, bytes: new TextEncoder().encode(text) };
}

/** The bytes in pieces, cut anywhere. */
export function* cut(bytes: Uint8Array, seed: number): Generator<Uint8Array> {
  const below = numbers(seed);
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + below(24);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
