/**
 * A small screen for output that is only looked at: text, colours, carriage returns, cursor moves.
 *
 * The rules are those of acp_widget/session/screen.py, and both are tested against tests/golden/terminal_text.json.
 * Here colours are kept too, and only the newest lines.
 */

import { Line, type Span } from "./screen_line.ts";
import { Pen, type Style } from "./sgr.ts";

export type { Line, Span, Style };

/** Lines kept in memory; older ones are dropped and counted. */
export const KEPT_LINES = 10_000;
/** Lines over that before it drops, so that dropping is rare. */
const SLACK = 1000;

const DEFAULT_ROWS = 24;
const MAX_COLUMN = 10_000;
const MAX_PARAMS = 256;
const TAB = 8;

/** The next C0 or C1 control from `from` on; the length of the text when there is none. */
function nextControl(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return at;
  }
  return text.length;
}

/** A state reads from `at` and gives where the next one goes on. */
type State = (this: Screen, text: string, at: number) => number;

export class Screen {
  readonly lines: Line[] = [new Line()];
  /** Lines dropped from the front. */
  dropped = 0;
  private readonly rows: number;
  private row = 0;
  private column = 0;
  private saved = { row: 0, column: 0 };
  private state: State = this.ground;
  private params = "";
  private readonly pen = new Pen();
  private readonly decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  constructor(rows = DEFAULT_ROWS) {
    this.rows = Math.max(1, rows);
  }

  /** Reads bytes; characters and sequences may be cut anywhere between two calls. */
  feed(bytes: Uint8Array): void {
    const text = this.decoder.decode(bytes, { stream: true });
    for (let at = 0; at < text.length; ) at = this.state(text, at);
  }

  /** What it shows, as text, without empty lines at its end. */
  text(): string {
    const lines = this.lines.map((line) => line.text());
    while (lines.length > 0 && lines[lines.length - 1] === "") lines.pop();
    return lines.join("\n");
  }

  // ---- reading

  private ground(text: string, at: number): number {
    const end = nextControl(text, at);
    if (end > at) this.column = this.line().print(this.column, text.slice(at, end), this.pen.style);
    if (end < text.length) this.control(text[end] as string);
    return end + 1;
  }

  private escape(text: string, at: number): number {
    const char = text[at] as string;
    this.state = this.ground;
    if (char >= " " && char <= "/") this.state = this.escapeTail;
    else if (char < " ") this.control(char);
    else ESCAPES[char]?.call(this);
    return at + 1;
  }

  /** After `ESC (` and the like: one more character, a character set for instance, that means nothing here. */
  private escapeTail(text: string, at: number): number {
    this.state = text[at] === "\x1b" ? this.escape : this.ground;
    return at + 1;
  }

  private csi(text: string, at: number): number {
    const char = text[at] as string;
    if (char >= "@" && char <= "~") {
      this.state = this.ground;
      this.runCsi(char);
    } else if (char === "\x18" || char === "\x1a") this.state = this.ground;
    else if (char === "\x1b") this.state = this.escape;
    else if (char < " ")
      this.control(char); // a control inside a sequence acts at once
    else if (this.params.length < MAX_PARAMS) this.params += char;
    return at + 1;
  }

  private string(text: string, at: number): number {
    for (let end = at; end < text.length; end += 1) {
      const char = text[end] as string;
      if (char === "\x1b") this.state = this.stringEscape;
      else if (STRING_ENDS.has(char)) this.state = this.ground;
      else continue;
      return end + 1;
    }
    return text.length;
  }

  /** `ESC \` ends a string; any other escape ends it too and begins anew. */
  private stringEscape(text: string, at: number): number {
    this.state = text[at] === "\\" ? this.ground : this.escape;
    return text[at] === "\\" ? at + 1 : at;
  }

  private control(char: string): void {
    CONTROLS[char]?.call(this);
  }

  enterEscape(): void {
    this.state = this.escape;
  }

  enterCsi(): void {
    this.params = "";
    this.state = this.csi;
  }

  enterString(): void {
    this.state = this.string;
  }

  private runCsi(final: string): void {
    // `<=>?` mark private modes; a blank or another mark before the final letter makes it another sequence.
    if (/[<=>? -/]/.test(this.params)) return;
    if (final === "m") {
      this.pen.read(this.params);
      return;
    }
    const numbers = this.params.split(";").map((part) => (/^\d+$/.test(part) ? Math.min(Number(part), MAX_COLUMN) : 0));
    SEQUENCES[final]?.call(this, numbers[0] ?? 0, numbers[1] ?? 0);
  }

  // ---- the cursor

  private top(): number {
    return Math.max(0, this.lines.length - this.rows);
  }

  private line(): Line {
    return this.lines[this.row] as Line;
  }

  private go(row: number, column: number): void {
    const top = this.top();
    const to = Math.max(top, Math.min(row, top + this.rows - 1));
    this.column = Math.max(0, column);
    if (to === this.row) return;
    this.line().join();
    while (this.lines.length <= to) this.lines.push(new Line());
    this.row = to;
  }

  down(): void {
    this.line().join();
    this.row += 1;
    if (this.row === this.lines.length) this.lines.push(new Line());
    if (this.lines.length > KEPT_LINES + SLACK) this.forget(this.lines.length - KEPT_LINES);
  }

  newline(): void {
    this.down();
    this.column = 0;
  }

  private forget(count: number): void {
    this.lines.splice(0, count);
    this.dropped += count;
    this.row = Math.max(0, this.row - count);
    this.saved.row = Math.max(0, this.saved.row - count);
  }

  carriageReturn(): void {
    this.column = 0;
  }

  back(): void {
    this.column = Math.max(0, this.column - 1);
  }

  tab(): void {
    this.column = Math.max(this.column, Math.min(MAX_COLUMN, (Math.floor(this.column / TAB) + 1) * TAB));
  }

  reverse(): void {
    this.go(this.row - 1, this.column);
  }

  vertical(rows: number): void {
    this.go(this.row + rows, this.column);
  }

  toLine(rows: number): void {
    this.go(this.row + rows, 0);
  }

  horizontal(columns: number): void {
    this.column =
      columns < 0
        ? Math.max(0, this.column + columns)
        : Math.max(this.column, Math.min(MAX_COLUMN, this.column + columns));
  }

  toColumn(column: number): void {
    this.column = column;
  }

  place(row: number, column = this.column): void {
    this.go(this.top() + row, column);
  }

  save(): void {
    this.saved = { row: this.row, column: this.column };
  }

  restore(): void {
    this.go(this.saved.row, this.saved.column);
  }

  // ---- erasing

  eraseLine(what: number): void {
    const line = this.line();
    if (what === 0) line.blank(this.column, line.width);
    else if (what === 1) line.blank(0, this.column + 1);
    else if (what === 2) line.blank(0, line.width);
  }

  eraseDisplay(what: number): void {
    if (what === 3) {
      this.forget(this.top());
      return;
    }
    if (what > 3) return;
    this.eraseLine(what);
    const from = what === 0 ? this.row + 1 : this.top();
    const to = what === 1 ? this.row : this.lines.length;
    for (let row = from; row < to; row += 1) if (row !== this.row) this.lines[row]?.clear();
  }

  reset(): void {
    this.pen.reset();
    this.eraseDisplay(2);
    this.go(this.top(), 0);
  }

  eraseCharacters(count: number): void {
    this.line().blank(this.column, this.column + count);
  }

  deleteCharacters(count: number): void {
    this.line().remove(this.column, count);
  }

  insertBlanks(count: number): void {
    this.line().insert(this.column, count);
  }

  insertLines(wanted: number): void {
    this.line().join();
    const bottom = this.top() + this.rows;
    const fresh = Array.from({ length: Math.min(wanted, this.rows) }, () => new Line());
    this.lines.splice(this.row, 0, ...fresh);
    this.lines.splice(bottom);
  }

  deleteLines(wanted: number): void {
    const count = Math.min(wanted, this.lines.length - this.row);
    this.lines.splice(this.row, count);
    // The window stays where it is.
    for (let n = 0; n < count; n += 1) this.lines.push(new Line());
  }
}

const STRING_ENDS = new Set(["\x07", "\x18", "\x1a", "\x9c"]);

type Action = (this: Screen) => void;

const { prototype } = Screen;

const CONTROLS: Record<string, Action> = {
  "\b": prototype.back,
  "\t": prototype.tab,
  "\n": prototype.newline,
  "\v": prototype.newline,
  "\f": prototype.newline,
  "\r": prototype.carriageReturn,
  "\x1b": prototype.enterEscape,
  "\x85": prototype.newline,
  "\x90": prototype.enterString,
  "\x98": prototype.enterString,
  "\x9b": prototype.enterCsi,
  "\x9d": prototype.enterString,
  "\x9e": prototype.enterString,
  "\x9f": prototype.enterString,
};

const ESCAPES: Record<string, Action> = {
  "[": prototype.enterCsi,
  "]": prototype.enterString,
  P: prototype.enterString,
  X: prototype.enterString,
  "^": prototype.enterString,
  _: prototype.enterString,
  7: prototype.save,
  8: prototype.restore,
  D: prototype.down,
  E: prototype.newline,
  M: prototype.reverse,
  c: prototype.reset,
};

const atLeast1 = (n: number): number => Math.max(1, n);

const SEQUENCES: Record<string, (this: Screen, first: number, second: number) => void> = {
  A(n) {
    this.vertical(-atLeast1(n));
  },
  B(n) {
    this.vertical(atLeast1(n));
  },
  C(n) {
    this.horizontal(atLeast1(n));
  },
  D(n) {
    this.horizontal(-atLeast1(n));
  },
  E(n) {
    this.toLine(atLeast1(n));
  },
  F(n) {
    this.toLine(-atLeast1(n));
  },
  G(n) {
    this.toColumn(atLeast1(n) - 1);
  },
  "`"(n) {
    this.toColumn(atLeast1(n) - 1);
  },
  H(row, column) {
    this.place(atLeast1(row) - 1, atLeast1(column) - 1);
  },
  f(row, column) {
    this.place(atLeast1(row) - 1, atLeast1(column) - 1);
  },
  d(row) {
    this.place(atLeast1(row) - 1);
  },
  J: prototype.eraseDisplay,
  K: prototype.eraseLine,
  P(n) {
    this.deleteCharacters(atLeast1(n));
  },
  X(n) {
    this.eraseCharacters(atLeast1(n));
  },
  "@"(n) {
    this.insertBlanks(atLeast1(n));
  },
  L(n) {
    this.insertLines(atLeast1(n));
  },
  M(n) {
    this.deleteLines(atLeast1(n));
  },
  s: prototype.save,
  u: prototype.restore,
};
