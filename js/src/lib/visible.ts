/** Characters that a reader cannot see, or that turn the text around, made visible. */

export interface Piece {
  text: string;
  /** Set on a piece that stands for a hidden character: what it is. */
  mark?: string;
}

const NAMES: Record<number, string> = {
  13: "carriage return",
  160: "no-break space",
  173: "soft hyphen",
  1564: "Arabic letter mark",
  8203: "zero width space",
  8204: "zero width non-joiner",
  8205: "zero width joiner",
  8206: "left-to-right mark",
  8207: "right-to-left mark",
  8234: "left-to-right embedding",
  8235: "right-to-left embedding",
  8236: "end of direction change",
  8237: "left-to-right override",
  8238: "right-to-left override",
  8288: "word joiner",
  8294: "left-to-right isolate",
  8295: "right-to-left isolate",
  8296: "first strong isolate",
  8297: "end of isolate",
  65279: "byte order mark",
};

// Controls, format characters, private use, lone surrogates, line and paragraph separators; then fillers that look like
// nothing, spaces that are not the space, variation selectors.
const HIDDEN =
  /\p{Cc}|\p{Cf}|\p{Cs}|\p{Co}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Variation_Selector}|[\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5/gu;

// Overrides, embeddings, isolates: what makes words stand in another order than they are written.
const TURNING = /[\u202a-\u202e\u2066-\u2069]/;

/** True when running text or code could be shown in another order than it is written. */
export function turnsAround(text: string): boolean {
  return TURNING.test(text);
}

// What programs print to draw with: spaces that do not break, icons of terminal fonts, the look of the sign before.
const DRAWN = /[\u00a0\u202f]|\p{Co}|\p{Variation_Selector}/u;
// One picture of several, like a family: a joiner between two of them.
const BEFORE_JOINER = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
const AFTER_JOINER = /^\p{Extended_Pictographic}/u;

/**
 * Splits text into plain pieces and marks like ⟨U+202E⟩. Line breaks and tabs stay unless `oneLine`; in the output of a
 * program what it draws with stays too.
 */
export function visible(text: string, oneLine = false, output = false): Piece[] {
  const pieces: Piece[] = [];
  let last = 0;
  for (const found of text.matchAll(HIDDEN)) {
    const char = found[0];
    if (!oneLine && (char === "\n" || char === "\t")) continue;
    if (output && DRAWN.test(char)) continue;
    if (char === "\u200d" && joins(text, found.index)) continue;
    if (found.index > last) pieces.push({ text: text.slice(last, found.index) });
    pieces.push(mark(char.codePointAt(0) as number));
    last = found.index + char.length;
  }
  if (last < text.length || pieces.length === 0) pieces.push({ text: text.slice(last) });
  return pieces;
}

function joins(text: string, at: number): boolean {
  return BEFORE_JOINER.test(text.slice(Math.max(0, at - 2), at)) && AFTER_JOINER.test(text.slice(at + 1, at + 3));
}

/** The same as one string, for attributes and for tests. */
export function visibleText(text: string, oneLine = false): string {
  return visible(text, oneLine)
    .map((piece) => piece.text)
    .join("");
}

function mark(code: number): Piece {
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return { text: `⟨${name}⟩`, mark: NAMES[code] ?? "a character that cannot be seen" };
}
