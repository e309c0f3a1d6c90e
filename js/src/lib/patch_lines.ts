/** Rows of a patch as they are drawn: long unchanged stretches folded, or both sides beside each other. */

import type { Row } from "./patch.ts";

export interface Line {
  /** One row, or those that are folded. */
  rows: Row[];
  fold?: boolean;
  /** Both sides: before and after. */
  pair?: [Row | null, Row | null];
}

/** Unchanged lines that stay beside a change; fewer than this many are not worth a fold. */
const CONTEXT = 3;
const WORTH = 6;

/** Folds the middle of long unchanged runs, but those that begin with a row in `shown`. */
export function folded(rows: readonly Row[], shown: ReadonlySet<Row>): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < rows.length; ) {
    let to = at;
    while (rows[to]?.kind === "same") to += 1;
    const [first, last] = [at + CONTEXT, to - CONTEXT];
    const fold = last - first >= WORTH && !shown.has(rows[first] as Row);
    for (const row of rows.slice(at, fold ? first : Math.max(to, at + 1))) lines.push({ rows: [row] });
    if (fold) {
      lines.push({ rows: rows.slice(first, last), fold });
      for (const row of rows.slice(last, to)) lines.push({ rows: [row] });
    }
    at = Math.max(to, at + 1);
  }
  return lines;
}

/** Puts removed and added lines side by side. */
export function paired(lines: readonly Line[]): Line[] {
  const out: Line[] = [];
  const waiting: { del: Row[]; add: Row[] } = { del: [], add: [] };
  const flush = () => {
    for (let at = 0; at < Math.max(waiting.del.length, waiting.add.length); at += 1) {
      const pair: Line["pair"] = [waiting.del[at] ?? null, waiting.add[at] ?? null];
      out.push({ rows: pair.filter((row) => row !== null), pair });
    }
    waiting.del = [];
    waiting.add = [];
  };
  for (const line of lines) {
    const row = line.rows[0] as Row;
    if (row.kind === "del" || row.kind === "add") {
      if (row.kind === "del" && waiting.add.length > 0) flush();
      waiting[row.kind].push(row);
      continue;
    }
    flush();
    out.push(row.kind === "same" && !line.fold ? { ...line, pair: [row, row] } : line);
  }
  flush();
  return out;
}
