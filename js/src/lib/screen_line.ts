import type { Style } from "./sgr.ts";
import { widthOf } from "./widths.ts";

export interface Span {
  text: string;
  style: Style | null;
}

/** A cell that was never written, or was erased. NUL is never printed, so it cannot come from the output. */
const BLANK = "\0";

/** Characters that all take one column. */
const SIMPLE = /^[ -\u02ff]*$/;

let stamp = 0;

/**
 * One line of a screen. Text that is only added at the end stays in runs; a line that is written over is spread to one
 * string a cell, where the second cell of a wide character is "".
 */
export class Line {
  /** Another number with every change, unlike that of every other line, so that a view can keep what it drew. */
  revision = 0;
  /** Columns. */
  width = 0;
  /** It goes on from the line before, which was full. */
  wrapped = false;
  private runs: Span[] = [];
  private chars: string[] | null = null;
  private styles: (Style | null)[] = [];

  constructor() {
    this.touch();
  }

  /** What it shows: no blanks at the end that were never written. */
  spans(): Span[] {
    this.join();
    const shown = this.runs.map((run) => ({ ...run }));
    for (let last = shown.pop(); last; last = shown.pop()) {
      last.text = last.text.replace(/\0+$/, "");
      if (last.text !== "") {
        shown.push(last);
        break;
      }
    }
    for (const span of shown) if (span.text.includes(BLANK)) span.text = span.text.replaceAll(BLANK, " ");
    return shown;
  }

  text(): string {
    return this.spans()
      .map((span) => span.text)
      .join("");
  }

  /** Writes text at a column; gives the column after it. */
  print(column: number, text: string, style: Style | null): number {
    this.touch();
    const simple = SIMPLE.test(text);
    if (column >= this.width && this.chars === null && simple) {
      if (column > this.width) this.add(BLANK.repeat(column - this.width), null);
      this.add(text, style);
      return column + text.length;
    }
    const chars = this.spread();
    while (chars.length < column) this.putCell(chars.length, BLANK, null);
    let at = column;
    for (const char of text) at = this.put(at, char, simple ? 1 : widthOf(char), style);
    this.width = chars.length;
    return at;
  }

  /** Erases the columns from..to; the rest stays where it is. */
  blank(from: number, to: number): void {
    const end = Math.min(to, this.width);
    if (from >= end) return;
    this.touch();
    if (from === 0 && end === this.width) {
      const { wrapped } = this;
      this.clear();
      this.wrapped = wrapped;
      return;
    }
    const chars = this.spread();
    this.splitWide(from);
    this.splitWide(end);
    for (let at = from; at < end; at += 1) this.putCell(at, BLANK, null);
    this.width = chars.length;
  }

  clear(): void {
    this.touch();
    this.wrapped = false;
    this.runs = [];
    this.chars = null;
    this.styles = [];
    this.width = 0;
  }

  /** Takes cells out; what follows moves to the left. */
  remove(from: number, count: number): void {
    if (from >= this.width) return;
    this.touch();
    const chars = this.spread();
    this.splitWide(from);
    this.splitWide(from + count);
    chars.splice(from, count);
    this.styles.splice(from, count);
    this.width = chars.length;
  }

  /** Puts blanks in; what follows moves to the right, and out at the edge. */
  insert(at: number, wanted: number, edge: number): void {
    if (at >= this.width) return;
    this.touch();
    const chars = this.spread();
    this.splitWide(at);
    const count = Math.min(wanted, edge - at);
    chars.splice(at, 0, ...new Array<string>(count).fill(BLANK));
    this.styles.splice(at, 0, ...new Array<null>(count).fill(null));
    this.splitWide(edge);
    chars.splice(edge);
    this.styles.splice(edge);
    this.width = chars.length;
  }

  /** Back to runs, which take an eighth of the memory. */
  join(): void {
    const chars = this.chars;
    if (chars === null) return;
    this.chars = null;
    this.runs = [];
    const width = this.width;
    chars.forEach((char, at) => {
      this.add(char, this.styles[at] ?? null);
    });
    this.width = width;
    this.styles = [];
  }

  private add(text: string, style: Style | null): void {
    const last = this.runs[this.runs.length - 1];
    if (last && last.style === style) last.text += text;
    else if (text !== "") this.runs.push({ text, style });
    this.width += text.length;
  }

  private spread(): string[] {
    if (this.chars !== null) return this.chars;
    const chars: string[] = [];
    this.styles = [];
    for (const run of this.runs) {
      for (const char of run.text) {
        const width = widthOf(char);
        if (width === 0 && chars.length > 0) chars[baseOf(chars, chars.length)] += char;
        else {
          chars.push(char);
          this.styles.push(run.style);
          if (width === 2) {
            chars.push("");
            this.styles.push(run.style);
          }
        }
      }
    }
    this.chars = chars;
    this.runs = [];
    return chars;
  }

  private put(column: number, char: string, width: 0 | 1 | 2, style: Style | null): number {
    const chars = this.chars as string[];
    if (width === 0) {
      const before = baseOf(chars, column);
      const cell = chars[before];
      if (cell !== undefined) chars[before] = (cell === BLANK ? " " : cell) + char;
      return column;
    }
    this.splitWide(column);
    this.splitWide(column + width);
    this.putCell(column, char, style);
    if (width === 2) this.putCell(column + 1, "", style);
    return column + width;
  }

  private putCell(column: number, char: string, style: Style | null): void {
    (this.chars as string[])[column] = char;
    this.styles[column] = style;
  }

  /** Blanks the wide character that stands across the left edge of this column. */
  private splitWide(column: number): void {
    const chars = this.chars as string[];
    if (column <= 0 || column >= chars.length || chars[column] !== "") return;
    this.putCell(column - 1, BLANK, null);
    this.putCell(column, BLANK, null);
  }

  private touch(): void {
    stamp += 1;
    this.revision = stamp;
  }
}

/** The cell that a mark before this column joins. */
function baseOf(chars: readonly string[], column: number): number {
  const before = column - 1;
  return chars[before] === "" ? before - 1 : before;
}
