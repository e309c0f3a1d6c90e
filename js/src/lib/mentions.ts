/** What a draft mentions with `@`. Only this reads it: the kernel gets names, never the text to look through. */

/** From the `@` to behind the name. */
export interface Mention {
  name: string;
  from: number;
  to: number;
}

/** The mention that is being typed: what stands between its `@` and the caret; taking another name replaces from…to. */
export interface Typed {
  typed: string;
  from: number;
  to: number;
}

/** As many as the kernel reads in one message, and as long. */
const MOST = 50;
const LONGEST = 4096;

const TOKEN = /(?<=^|[\s([{])@("[^"\n]+"|[\p{L}\p{N}_./+-]*[\p{L}\p{N}_/+-])/gu;
const BEGUN = /(?<=^|[\s([{])@(?:"([^"\n]*)|([\p{L}\p{N}_./+-]*))$/u;
const PLAIN = /^[\p{L}\p{N}_./+-]*[\p{L}\p{N}_/+-]$/u;
const DEFINITION = /^\s*(?:(?:async )?def \w|class \w+[:(])/;
const INLINE = /(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g;

const blank = (code: string): string => "`".repeat(code.length);

/** The draft, as long as it is, with code and decorators blanked out. */
function prose(draft: string): string {
  const lines = draft.split("\n");
  let defined = false;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] as string;
    const decorates: boolean = defined && /^\s*@/.test(line);
    defined = decorates || DEFINITION.test(line);
    if (decorates) lines[at] = blank(line);
  }
  let fence = "";
  return lines
    .map((line) => {
      const [, ticks, rest] = /^\s*(`{3,})(.*)$/.exec(line) ?? [];
      if (fence !== "") {
        if (ticks?.startsWith(fence) && rest?.trim() === "") fence = "";
      } else if (ticks && !rest?.includes("`")) fence = ticks;
      else return line.replace(INLINE, blank);
      return blank(line);
    })
    .join("\n");
}

/** Every mention, in order. */
export function mentionsIn(draft: string): Mention[] {
  if (!draft.includes("@")) return [];
  return [...prose(draft).matchAll(TOKEN)].flatMap(({ 0: all, 1: word = "", index: from }) => {
    const name = word.startsWith('"') ? word.slice(1, -1) : word;
    return name.length > LONGEST ? [] : [{ name, from, to: from + all.length }];
  });
}

/** What is mentioned, each once, as many as can be attached. */
export function namesIn(draft: string): string[] {
  return [...new Set(mentionsIn(draft).map(({ name }) => name))].slice(0, MOST);
}

/** The mention that is being typed before the caret, or null. */
export function typedAt(draft: string, caret: number): Typed | null {
  if (!draft.slice(0, caret).includes("@")) return null;
  const begun = BEGUN.exec(prose(draft).slice(0, caret));
  if (!begun || begun[0].length > LONGEST) return null;
  const from = begun.index;
  // Right behind its "@" a name is put before what stands there.
  const whole = caret > from + 1 && mentionsIn(draft).find((each) => each.from === from);
  return { typed: begun[1] ?? begun[2] ?? "", from, to: whole ? Math.max(caret, whole.to) : caret };
}

/** How a name is written in a draft; null for one that cannot be written. */
export function written(name: string): string | null {
  if (PLAIN.test(name)) return `@${name}`;
  return name === "" || /["\n]/.test(name) ? null : `@"${name}"`;
}

/** How well a name fits what is typed, best first as in the kernel: 0 to 4, or 5: it does not. */
function misfit(name: string, typed: string): number {
  const low = name.toLowerCase().replace(/\/+$/, "");
  const want = typed.toLowerCase().replace(/\/+$/, "");
  const found = low.indexOf(want);
  if (low === want) return 0;
  if (found === 0) return 1;
  if (low.slice(low.lastIndexOf("/") + 1).startsWith(want)) return 2;
  if (found > 0) return 3;
  let next = 0;
  for (const letter of low) if (letter === want[next]) next += 1;
  return next === want.length ? 4 : 5;
}

/** Those of an earlier answer that still fit what is typed now, best first. */
export function fitting<T extends { text: string }>(items: readonly T[], typed: string): T[] {
  return items
    .map((item) => ({ item, rank: misfit(item.text, typed) }))
    .filter(({ rank }) => rank < 5)
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}
