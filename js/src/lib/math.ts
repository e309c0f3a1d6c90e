/** Mathematics for marked's lexer: found so that emphasis, escapes and lists leave it alone, and kept as it stands. */

import type { MarkedOptions, Tokens } from "marked";

type Extensions = NonNullable<MarkedOptions["extensions"]>;

const SIGN = /\$|\\[([]/;
const NEAR = 1000;
const BLANK = /\n[ \t]*\n/;
const BLOCK = /^ {0,3}(\$\$|\\\[)/;
// As pandoc has it: no space inside the dollars, no digit after them, so that prices stay prices.
const INLINE =
  /^(?:\$\$.{1,2000}?\$\$|\\\(.{1,2000}?\\\)|\\\[.{1,2000}?\\\]|\$(?![\s$])(?:\\[^\n]|[^\\$\n]){0,1000}?(?<!\s)\$(?!\d))/s;

/** A block from its opening to its closing mark, which ends its line; one that still waits for it goes to the end. */
function block(source: string): Tokens.Generic | undefined {
  const open = BLOCK.exec(source);
  if (!open) return undefined;
  const close = open[1] === "$$" ? "$$" : "\\]";
  const blank = source.search(BLANK);
  const paragraph = blank < 0 ? source : source.slice(0, blank);
  const at = paragraph.indexOf(close, open[0].length);
  if (at < 0) return blank < 0 ? token(source) : undefined;
  const rest = /^[ \t]*(?:\n+|$)/.exec(source.slice(at + 2));
  return rest ? token(source.slice(0, at + 2 + rest[0].length)) : undefined;
}

function token(raw: string): Tokens.Generic {
  return { type: "math", raw, text: raw.trim() };
}

function inline(source: string): Tokens.Generic | undefined {
  const found = INLINE.exec(source);
  return found ? token(found[0]) : undefined;
}

/** Where to look next. A long text is looked through once, not once for every piece of it. */
function start(source: string): number {
  const near = source.slice(0, NEAR);
  const at = near.search(SIGN);
  return at < 0 && source.length > NEAR ? Math.max(1, near.lastIndexOf(" ")) : at;
}

export const MATH: Extensions = {
  renderers: {},
  childTokens: {},
  block: [block],
  inline: [inline],
  startInline: [start],
};

/** Whether reading it as mathematics could make a difference. */
export function hasMath(text: string): boolean {
  return SIGN.test(text);
}
