import { type Signal, signal } from "@preact/signals";
import { Screen } from "./ansi.ts";
import { fromBase64, toBase64 } from "./base64.ts";

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
    private readonly rows?: number,
  ) {
    if (base64 !== "") this.append(fromBase64(base64));
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
    this.drawing ??= new Screen(this.rows);
    for (; this.drawn < this.chunks.length; this.drawn += 1) this.drawing.feed(this.chunks[this.drawn] as Uint8Array);
    return this.drawing;
  }

  /** All kept bytes; with a limit, only the last of them. */
  base64(limit = Number.POSITIVE_INFINITY): string {
    const all = new Uint8Array(this.size);
    let at = 0;
    for (const chunk of this.chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return toBase64(limit < all.length ? all.subarray(all.length - limit) : all);
  }
}
