/** Markdown to the blocks of marked's lexer. Only the open end of a growing text is read again. */

import { Lexer, type Token } from "marked";
import { hasMath, MATH } from "./math.ts";

/** Characters of an open end that are read again with every piece that comes. */
const OPEN = 20_000;

/** Marks that are read in one paragraph: reading them costs their square. */
const MARKS = 3000;

/** marked's lexer, which leaves a paragraph of endless marks as it stands. */
class Reader extends Lexer {
  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    const marks = source.length > OPEN ? (source.match(/[*_`~<![\\$]/g)?.length ?? 0) : 0;
    if (marks <= MARKS) return super.inlineTokens(source, tokens);
    tokens.push({ type: "text", raw: source, text: source, escaped: false });
    return tokens;
  }
}

/** Top-level blocks of a text that mostly grows at its end. */
export class IncrementalLexer {
  private text = "";
  private frozen: Token[] = [];
  private offset = 0;
  private links: Lexer["tokens"]["links"] = {};
  /** A long open end is read again when the text is so long. */
  private again = 0;

  get hasDefinitions(): boolean {
    return Object.keys(this.links).length > 0;
  }

  /**
   * The blocks of the text. Blocks that did not change are the same objects as before. Of a text that still grows, a
   * very long open end is one block as it stands, and is read again each time that it is twice as long.
   */
  blocks(input: string, growing = false): Token[] {
    const text = input.includes("\r") ? input.replace(/\r\n?/g, "\n") : input;
    if (!text.startsWith(this.text.slice(0, this.offset))) {
      this.frozen = [];
      this.offset = 0;
      this.links = {};
      this.again = 0;
    }
    this.text = text;
    if (growing && text.length < this.again) return [...this.frozen, asItStands(text.slice(this.offset))];
    const open = text.slice(this.offset);
    const lexer = new Reader({ gfm: true, extensions: hasMath(open) ? MATH : null });
    Object.assign(lexer.tokens.links, this.links);
    const fresh = [...lexer.lex(open)];
    this.links = lexer.tokens.links;
    const all = [...this.frozen, ...fresh];
    this.freeze(fresh, text);
    const left = text.length - this.offset;
    this.again = left > OPEN ? text.length + left : 0;
    return all;
  }

  /** Added text can only change the last block that is not a space: those before it are settled. */
  private freeze(fresh: Token[], text: string): void {
    let open = fresh.length - 1;
    while (open >= 0 && fresh[open]?.type === "space") open -= 1;
    const settled = fresh.slice(0, Math.max(0, open));
    const length = settled.reduce((sum, token) => sum + token.raw.length, 0);
    const whole = fresh.reduce((sum, token) => sum + token.raw.length, 0);
    if (whole !== text.length - this.offset) return; // the lexer changed the source: read it all again next time
    this.frozen = [...this.frozen, ...settled];
    this.offset += length;
  }
}

function asItStands(raw: string): Token {
  return { type: "literal", raw, text: raw };
}
