import { type Signal, signal } from "@preact/signals";
import type { Json } from "../types.ts";
import { Screen } from "./ansi.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import { isObject } from "./json.ts";

/** More undrawn bytes than this on a fresh screen, and only their end is drawn: the rest would scroll away unseen. */
const DRAW_AT_MOST = 1_000_000;
const NEWLINE = 10;

/** The bytes of one terminal output, and the screen that they draw. A new output is a new buffer. */
export class TerminalBuffer {
  private chunks: Uint8Array[] = [];
  private drawn = 0;
  private drawing: Screen | null = null;
  size = 0;
  /** Grows with every change. */
  readonly revision: Signal<number> = signal(0);

  constructor(
    base64 = "",
    /** Columns and rows, as far as the agent has told them. */
    private told: Json | undefined = null,
  ) {
    if (base64 !== "") this.append(fromBase64(base64));
  }

  /** Draws all that is kept again, on a screen of another size. */
  resize(told: Json | undefined): void {
    this.told = told;
    this.drawing = null;
    this.drawn = 0;
    this.revision.value += 1;
  }

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.chunks.push(bytes);
    this.size += bytes.length;
    this.revision.value += 1;
  }

  /** Drops bytes from the front. What a looked-at screen shows of them stays, as it does on a real one. */
  trim(count: number): void {
    if (this.drawing) this.screen();
    let left = Math.min(count, this.size);
    this.size -= left;
    let whole = 0;
    for (const chunk of this.chunks) {
      if (chunk.length > left) break;
      left -= chunk.length;
      whole += 1;
    }
    this.chunks.splice(0, whole);
    this.drawn = Math.max(0, this.drawn - whole);
    const first = this.chunks[0];
    if (left > 0 && first) this.chunks[0] = first.subarray(left);
    this.revision.value += 1;
  }

  /** The screen, drawn up to the last byte. Costs nothing until somebody looks. */
  screen(): Screen {
    if (this.drawing === null) {
      this.drawing = new Screen(counted(this.told, "rows"), counted(this.told, "cols"));
      this.skipToEnd(this.drawing);
    }
    for (; this.drawn < this.chunks.length; this.drawn += 1) this.drawing.feed(this.chunks[this.drawn] as Uint8Array);
    return this.drawing;
  }

  /** Passes over the front of very long output, to the line where the drawing begins. */
  private skipToEnd(screen: Screen): void {
    let excess = this.size - DRAW_AT_MOST;
    for (; excess > 0 && this.drawn < this.chunks.length; this.drawn += 1) {
      const chunk = this.chunks[this.drawn] as Uint8Array;
      const end = excess < chunk.length ? chunk.indexOf(NEWLINE, excess) + 1 : chunk.length;
      screen.dropped += count(chunk.subarray(0, end), NEWLINE);
      excess -= chunk.length;
      if (end < chunk.length) screen.feed(chunk.subarray(end));
    }
  }

  /** All that is kept, as the program wrote it. */
  raw(): string {
    return new TextDecoder().decode(this.all());
  }

  /** All kept bytes; with a limit, only the last of them. */
  base64(limit = Number.POSITIVE_INFINITY): string {
    const all = this.all();
    return toBase64(limit < all.length ? all.subarray(all.length - limit) : all);
  }

  private all(): Uint8Array {
    const all = new Uint8Array(this.size);
    let at = 0;
    for (const chunk of this.chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }
}

function counted(told: Json | undefined, name: string): number | undefined {
  const value = isObject(told) ? told[name] : null;
  return typeof value === "number" && value > 0 ? Math.floor(value) : undefined;
}

function count(bytes: Uint8Array, wanted: number): number {
  let found = 0;
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) found += 1;
  return found;
}
