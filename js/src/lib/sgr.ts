/** Colours and marks of terminal text ("select graphic rendition"), as CSS classes and colours made from numbers. */

/** How a run of text looks. Colours are CSS values made here, never text of the agent. */
export interface Style {
  readonly classes: string;
  readonly color?: string;
  readonly background?: string;
}

const FLAGS = ["bold", "dim", "italic", "underline", "strike", "hidden"] as const;

type Attributes = { [name in (typeof FLAGS)[number] | "inverse"]?: boolean } & {
  fg?: string | number | undefined;
  bg?: string | number | undefined;
};

const CHANGES: Record<number, Attributes> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  8: { hidden: true },
  9: { strike: true },
  21: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  28: { hidden: false },
  29: { strike: false },
  39: { fg: undefined },
  49: { bg: undefined },
};

const PLAIN = JSON.stringify(toStyle({}));

/** The pen of a screen: reads codes, gives one style object for each look. */
export class Pen {
  /** How the next text looks; null is plain. */
  style: Style | null = null;
  private attributes: Attributes = {};
  private readonly styles = new Map<string, Style>();

  reset(): void {
    this.use({});
  }

  /** Reads the parameters between `ESC [` and `m`. */
  read(params: string): void {
    let next = { ...this.attributes };
    const parts = params.split(";");
    for (let at = 0; at < parts.length; at += 1) {
      const sub = (parts[at] as string).split(":").map(toNumber);
      const code = sub[0] as number;
      const change = CHANGES[code === 4 && sub[1] === 0 ? 24 : code];
      if (code === 0) next = {};
      else if (change) Object.assign(next, change);
      else if (code >= 30 && code <= 37) next.fg = code - 30;
      else if (code >= 40 && code <= 47) next.bg = code - 40;
      else if (code >= 90 && code <= 97) next.fg = code - 82;
      else if (code >= 100 && code <= 107) next.bg = code - 92;
      else if (code === 38 || code === 48 || code === 58) {
        const colons = sub.length > 1;
        const rest = colons ? withoutColourSpace(sub.slice(1)) : parts.slice(at + 1, at + 5).map(toNumber);
        const [colour, used] = extendedColour(rest);
        if (colour !== null && code !== 58) next[code === 38 ? "fg" : "bg"] = colour;
        if (!colons) at += used;
      }
    }
    this.use(next);
  }

  private use(attributes: Attributes): void {
    this.attributes = attributes;
    const style = toStyle(attributes);
    const key = JSON.stringify(style);
    if (!this.styles.has(key)) this.styles.set(key, style);
    this.style = key === PLAIN ? null : (this.styles.get(key) ?? null);
  }
}

function toNumber(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

/** "38:2:<space>:r:g:b" and "38:2:r:g:b" are both written. */
function withoutColourSpace(sub: number[]): number[] {
  return sub[0] === 2 && sub.length >= 5 ? [2, ...sub.slice(2)] : sub;
}

/** The colour after a 38 or 48, and how many codes it took. */
function extendedColour(codes: number[]): [string | number | null, number] {
  if (codes[0] === 5) return [colour256(codes[1] ?? 0), 2];
  if (codes[0] === 2) {
    const [red, green, blue] = [1, 2, 3].map((at) => Math.min(255, codes[at] ?? 0));
    return [`rgb(${red} ${green} ${blue})`, 4];
  }
  return [null, 0];
}

function colour256(index: number): string | number {
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + (Math.min(255, index) - 232) * 10;
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const level = (n: number) => (n === 0 ? 0 : 55 + n * 40);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36))} ${level(Math.floor(cube / 6) % 6)} ${level(cube % 6)})`;
}

function toStyle(attributes: Attributes): Style {
  const classes: string[] = FLAGS.filter((flag) => attributes[flag]).map((flag) => `acp-t-${flag}`);
  let { fg, bg } = attributes;
  if (attributes.inverse) {
    [fg, bg] = [bg, fg];
    if (fg === undefined) classes.push("acp-t-fg-inverse");
    if (bg === undefined) classes.push("acp-t-bg-inverse");
  }
  // Black is made readable on the screen's own ground; on a colour it is black.
  if (fg === 0 && bg !== undefined && bg !== 0 && bg !== 8) fg = "#000";
  if (typeof fg === "number") classes.push(`acp-t-fg${fg}`);
  if (typeof bg === "number") classes.push(`acp-t-bg${bg}`);
  return {
    classes: classes.join(" "),
    ...(typeof fg === "string" ? { color: fg } : {}),
    ...(typeof bg === "string" ? { background: bg } : {}),
  };
}
