/** Line ends in a patch: what most lines of a file share is said once. */

import type { FilePatch, Row } from "./patch.ts";

const isCrlf = ({ text }: Row): boolean => text.endsWith("\r");

/** Where most lines end in CRLF, takes that out of them, says it of the file, and marks the lines that end otherwise. */
export function evenLineEnds(file: FilePatch): void {
  const { rows, notes } = file;
  // What stands before a note is a line without an end.
  const lines = rows.filter(({ kind }, at) => !/hunk|note/.test(kind) && rows[at + 1]?.kind !== "note");
  const others = lines.filter((row) => !isCrlf(row));
  if (others.length * 2 >= lines.length) return;
  for (const row of others) row.lf = true;
  for (const row of rows) if (isCrlf(row)) row.text = row.text.slice(0, -1);
  notes.push(others.length > 0 ? "mostly CRLF line ends" : "CRLF line ends");
}
