/**
 * Columns that a character takes on a terminal.
 *
 * The tables are those of acp_widget/session/widths.py (its tests compare them), packed: by turns how many characters
 * are not in the set, and how many are, in base 36.
 */

const WIDE = borders(
  "3cw 2o 3i2 2 d 2 5a 4 3 1 2 1 eh 2 l 2 1e c 17 1 j 1 d 1 8 2 h 2 5 2 8 1 5 1 l 1 7 2 1 1 4 1 2 1 7 1 4 2 s " +
    "1 z 1 1 1 4 3 1 1 1p 3 o 1 e 1 nv 2 1f 1 4 1 mi cf 2 n0v wg t hv 8mc 6l8 e8 mo 1s 41 2o 3j 7 m49 5rd 6wn l8 " +
    "c20 1 5m 1 5a 1 2 a 2t 81 c mb 1c 3k 68 c 80 6s 34 40 zk 2t4u",
);
const NO_WIDTH = borders("lc 34 7n 7 7b 19 2a b 1c l 40g 28 jk 1s ej 5 q 5 1d 5 2z 1c 17nk g g g 5r 1 i9s0 6o");

/** Where a set begins and ends, by turns. */
function borders(packed: string): number[] {
  let at = 0;
  return packed.split(" ").map((count) => {
    at += Number.parseInt(count, 36);
    return at;
  });
}

function inside(code: number, set: readonly number[]): boolean {
  let [low, high] = [0, set.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((set[middle] as number) <= code) low = middle + 1;
    else high = middle;
  }
  return low % 2 === 1;
}

/** 0, 1 or 2. */
export function widthOf(char: string): 0 | 1 | 2 {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x0300) return 1;
  if (inside(code, WIDE)) return 2;
  return inside(code, NO_WIDTH) ? 0 : 1;
}

/** Where the text from `from` on has filled the columns that are left; at least one character when `some`. */
export function fitting(text: string, from: number, room: number, some: boolean): number {
  if ((text.length - from) * 2 <= room) return text.length; // no need to count
  let at = from;
  for (let left = room; at < text.length; ) {
    const char = String.fromCodePoint(text.codePointAt(at) as number);
    left -= widthOf(char);
    if (left < 0 && !(some && at === from)) break;
    at += char.length;
  }
  return at;
}
