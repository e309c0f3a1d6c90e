/**
 * A small screen for output that is only looked at: text, colours, carriage returns, cursor moves.
 *
 * The rules are those of acp_widget/session/screen.py, and both are tested against tests/golden/terminal_text.json.
 * Here colours are kept too, and only the newest lines.
 */

import { Escapes } from "./escapes.ts";
import { Line, type Span } from "./screen_line.ts";
import { Pen, type Style } from "./sgr.ts";
import { fitting } from "./widths.ts";

export type { Line, Span, Style };

/** Lines kept in memory; older ones are dropped and counted. */
export const KEPT_LINES = 10_000;
/** Lines over that before it drops, so that dropping is rare. */
const SLACK = 1000;

const ROWS = 24;
/** The width where none is known: lines only wrap so that none grows without end. */
const COLUMNS = 10_000;
const TAB = 8;
/** What the letters from ` to ~ are in the set for drawing. */
const LINES = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

export class Screen extends Escapes {
  lines: Line[] = [new Line()];
  /** Lines dropped from the front. */
  dropped = 0;
  private readonly rows: number;
  readonly columns: number;
  row = 0;
  /** As wide as the screen after a line was filled: the next character goes to the next line. */
  column = 0;
  private saved = { row: 0, column: 0, drawing: false };
  /** Letters stand for lines and corners: now, and in the two sets of characters that a program changes between. */
  private drawing = false;
  private readonly sets = [false, false];
  private level = 0;
  /** The rows of the window that scroll. */
  private first = 0;
  private last: number;
  /** What was last written, if nothing came after it. */
  private repeatable = "";
  /** The screen with its history, while a program draws on the other one. */
  private main: object | null = null;
  private readonly pen = new Pen();
  private readonly decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  constructor(rows = ROWS, columns = COLUMNS) {
    super();
    this.rows = within(rows, 1, COLUMNS);
    this.columns = within(columns, 1, COLUMNS);
    this.last = this.rows - 1;
  }

  /** Reads bytes; characters and sequences may be cut anywhere between two calls. */
  feed(bytes: Uint8Array): void {
    this.read(this.decoder.decode(bytes, { stream: true }));
  }

  /** What it shows, as text: a line that wrapped is one line, and there are no empty lines at the end. */
  text(): string {
    return this.lines
      .map((line, at) => (at > 0 && !line.wrapped ? "\n" : "") + line.text())
      .join("")
      .replace(/\n+$/, "");
  }

  // ---- reading

  protected print(letters: string): void {
    const text = this.drawing ? letters.replace(/[`-~]/g, (char) => LINES[char.charCodeAt(0) - 96] as string) : letters;
    for (let from = 0; from < text.length; ) {
      const end = fitting(text, from, this.columns - this.column, this.column === 0);
      if (end === from) {
        this.line().blank(this.column, this.columns); // a wide character did not fit
        this.down();
        this.column = 0;
        this.line().wrapped = true;
      } else this.column = this.line().print(this.column, text.slice(from, end), this.pen.style);
      from = end;
    }
    this.repeatable = (this.repeatable + text).slice(-8);
  }

  protected runControl(char: string): void {
    this.repeatable = "";
    CONTROLS[char]?.(this);
  }

  protected runEscape(char: string): void {
    this.repeatable = "";
    ESCAPES[char]?.(this);
  }

  protected chooseSet(place: string, set: string): void {
    this.repeatable = "";
    const at = "()".indexOf(place);
    if (at < 0) return;
    this.sets[at] = set === "0";
    this.changeSet(this.level);
  }

  changeSet(level: number): void {
    this.level = level;
    this.drawing = this.sets[level] ?? false;
  }

  protected runSequence(final: string, params: string): void {
    const repeatable = this.repeatable;
    this.repeatable = "";
    if (/^\?(?:1049|1047|47)$/.test(params) && /[hl]/.test(final)) this.switchTo(final === "h", params === "?1049");
    // `<=>?` mark private modes; a blank or another mark before the final letter makes it another sequence.
    if (/[<=>? -/]/.test(params)) return;
    if (final === "m") this.pen.read(params);
    else {
      const [first = 0, second = 0] = params
        .split(";")
        .map((part) => (/^\d+$/.test(part) ? Math.min(Number(part), COLUMNS) : 0));
      if (final === "b") this.print((/.\p{M}*$/u.exec(repeatable)?.[0] ?? "").repeat(first || 1));
      else {
        COUNTED[final]?.(this, first || 1, 0);
        SEQUENCES[final]?.(this, first, second);
      }
    }
  }

  // ---- the cursor

  private top(): number {
    return Math.max(0, this.lines.length - this.rows);
  }

  private line(): Line {
    return this.lines[this.row] as Line;
  }

  go(row: number, column: number): void {
    const top = this.top();
    this.column = within(column, 0, this.columns - 1);
    this.enter(within(row, top, top + this.rows - 1));
  }

  private enter(row: number): void {
    if (row !== this.row) this.line().join();
    this.fill(row + 1);
    this.row = row;
  }

  private fill(count: number): void {
    while (this.lines.length < count) this.lines.push(new Line());
  }

  /** Down one line; at the last one that scrolls, the lines go up. */
  down(): void {
    const top = this.top();
    if (this.row !== top + this.last) {
      if (this.row < top + this.rows - 1) this.enter(this.row + 1);
      return;
    }
    this.line().join();
    this.fill(top + this.rows);
    this.lines.splice(this.row + 1, 0, new Line());
    if (this.first > 0 || this.main) this.lines.splice(top + this.first, 1);
    else this.row += 1;
    if (this.lines.length > KEPT_LINES + SLACK) this.forget(this.lines.length - KEPT_LINES);
  }

  index(): void {
    this.clamp();
    this.down();
  }

  newline(): void {
    const { row } = this;
    this.down();
    if (this.row !== row) this.line().wrapped = false;
    this.column = 0;
  }

  nextLine(): void {
    this.column = 0;
    this.down();
  }

  private forget(count: number): void {
    this.lines.splice(0, count);
    this.dropped += count;
    this.row = Math.max(0, this.row - count);
    this.saved.row = Math.max(0, this.saved.row - count);
  }

  private clamp(): void {
    this.column = Math.min(this.column, this.columns - 1);
  }

  tab(): void {
    this.column = Math.max(this.column, Math.min(this.columns - 1, (Math.floor(this.column / TAB) + 1) * TAB));
  }

  tabBack(): void {
    if (this.column < this.columns) this.column = Math.max(0, Math.floor((this.column - 1) / TAB) * TAB);
  }

  reverse(): void {
    if (this.row === this.top() + this.first) this.scroll(-1);
    else this.vertical(-1);
    this.clamp();
  }

  /** Up or down, but not out of the lines that scroll. */
  vertical(rows: number, column = this.column): void {
    const row = this.row - this.top();
    const to = row + rows;
    if (rows < 0 && row >= this.first) this.place(Math.max(to, this.first), column);
    else this.place(rows > 0 && row <= this.last ? Math.min(to, this.last) : to, column);
  }

  horizontal(columns: number): void {
    this.clamp();
    this.toColumn(this.column + columns);
  }

  toColumn(column: number): void {
    this.column = within(column, 0, this.columns - 1);
  }

  place(row: number, column = this.column): void {
    this.go(this.top() + Math.max(0, row), column);
  }

  save(): void {
    this.saved = { row: this.row, column: this.column, drawing: this.drawing };
  }

  restore(): void {
    this.go(this.saved.row, this.saved.column);
    this.drawing = this.saved.drawing;
  }

  /** Which rows of the window scroll. */
  setRegion(first: number, last: number): void {
    const from = Math.max(0, first - 1);
    const to = Math.min(last || this.rows, this.rows) - 1;
    if (to <= from) return;
    this.first = from;
    this.last = to;
    this.place(0, 0);
  }

  /** Full-screen programs draw on a screen of their own, without history, and leave the first as it was. */
  private switchTo(other: boolean, withCursor: boolean): void {
    const row = this.row - this.top();
    if (other && withCursor) this.save();
    if (other !== (this.main !== null)) {
      const { lines, dropped, saved, first, last } = this;
      Object.assign(this, this.main ?? { ...this.fresh(), lines: [new Line()], dropped: 0 });
      this.main = other ? { lines, dropped, saved, first, last } : null;
      this.row = 0;
      this.enter(this.top() + row);
    }
    if (!other && withCursor) this.restore();
  }

  private fresh() {
    return { saved: { row: 0, column: 0, drawing: false }, first: 0, last: this.rows - 1 };
  }

  // ---- erasing and moving

  eraseLine(what: number): void {
    const line = this.line();
    if (what > 2) return;
    const from = what === 0 ? this.column : 0;
    if (from === 0 && what !== 1) line.wrapped = false;
    line.blank(from, what === 1 ? this.column + 1 : line.width);
  }

  eraseDisplay(what: number): void {
    if (what === 3) this.forget(this.top());
    if (what > 2) return;
    this.eraseLine(what);
    if (what === 1) this.line().wrapped = false;
    const from = what === 0 ? this.row + 1 : this.top();
    const to = what === 1 ? this.row : this.lines.length;
    for (let row = from; row < to; row += 1) if (row !== this.row) this.lines[row]?.clear();
  }

  reset(): void {
    this.pen.reset();
    this.sets.fill(false);
    this.changeSet(0);
    this.switchTo(false, false);
    Object.assign(this, this.fresh());
    this.eraseDisplay(2);
    this.go(this.top(), 0);
  }

  /** The line of the cursor, for changes where it stands. */
  edited(): Line {
    this.clamp();
    return this.line();
  }

  /** Moves the lines that scroll, from one of them on, up or (below zero) down; what comes in is empty. */
  scroll(count: number, from = this.first): void {
    this.line().join();
    const top = this.top();
    this.fill(top + this.rows);
    const [out, into] = count > 0 ? [from, this.last] : [this.last, from];
    for (let left = Math.min(Math.abs(count), this.rows); left > 0; left -= 1) {
      this.lines.splice(top + out, 1);
      this.lines.splice(top + into, 0, new Line());
    }
  }

  /** Takes out or (below zero) puts in lines at the cursor. */
  shiftLines(count: number): void {
    const row = this.row - this.top();
    if (row < this.first || row > this.last) return;
    this.scroll(count, row);
    this.column = 0;
  }
}

/** More than a line is wide changes nothing. */
function repeat(count: number, act: () => void): void {
  for (let left = Math.min(count, COLUMNS / TAB); left > 0; left -= 1) act();
}

function within(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, high));
}

type Action = (screen: Screen) => void;

const newline: Action = (screen) => screen.newline();
const index: Action = (screen) => screen.index();
const nextLine: Action = (screen) => screen.nextLine();
const save: Action = (screen) => screen.save();
const restore: Action = (screen) => screen.restore();

const CONTROLS: Record<string, Action> = {
  "\b": (screen) => screen.horizontal(-1),
  "\t": (screen) => screen.tab(),
  "\n": newline,
  "\v": newline,
  "\f": newline,
  "\r": (screen) => screen.toColumn(0),
  "\x0e": (screen) => screen.changeSet(1),
  "\x0f": (screen) => screen.changeSet(0),
  "\x84": index,
  "\x85": nextLine,
};

const ESCAPES: Record<string, Action> = {
  7: save,
  8: restore,
  D: index,
  E: nextLine,
  M: (screen) => screen.reverse(),
  c: (screen) => screen.reset(),
};

type Sequence = (screen: Screen, first: number, second: number) => void;

const toColumn: Sequence = (screen, n) => screen.toColumn(n - 1);
const right: Sequence = (screen, n) => screen.horizontal(n);

/** Their number counts something: none and 0 are one. */
const COUNTED: Record<string, Sequence> = {
  A: (screen, n) => screen.vertical(-n),
  B: (screen, n) => screen.vertical(n),
  C: right,
  D: (screen, n) => screen.horizontal(-n),
  E: (screen, n) => screen.vertical(n, 0),
  F: (screen, n) => screen.vertical(-n, 0),
  G: toColumn,
  "`": toColumn,
  a: right,
  d: (screen, n) => screen.place(n - 1),
  e: (screen, n) => screen.go(screen.row + n, screen.column),
  I: (screen, n) => repeat(n, () => screen.tab()),
  Z: (screen, n) => repeat(n, () => screen.tabBack()),
  P: (screen, n) => screen.edited().remove(screen.column, n),
  X: (screen, n) => screen.edited().blank(screen.column, screen.column + n),
  "@": (screen, n) => screen.edited().insert(screen.column, n, screen.columns),
  L: (screen, n) => screen.shiftLines(-n),
  M: (screen, n) => screen.shiftLines(n),
  S: (screen, n) => screen.scroll(n),
  T: (screen, n) => screen.scroll(-n),
};

const place: Sequence = (screen, row, column) => screen.place(row - 1, column - 1);

const SEQUENCES: Record<string, Sequence> = {
  H: place,
  f: place,
  J: (screen, what) => screen.eraseDisplay(what),
  K: (screen, what) => screen.eraseLine(what),
  r: (screen, first, last) => screen.setRegion(first, last),
  s: save,
  u: restore,
};
