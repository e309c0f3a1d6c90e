/** Line ends in a patch: what most lines of a file share is said once, and what is the same on both sides not at all. */

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

/** What `git_patch.py` says of texts that may be parts of a file. */
const END_OF_TEXT = "No newline at end of text";

/** Takes those marks out where both sides have one: an agent that sends the middle of a file tells nothing by its end. */
export function evenTextEnds(file: FilePatch): void {
  const isMark = (row?: Row): boolean => row?.kind === "note" && row.text === END_OF_TEXT;
  const marked = file.rows.filter((_, at) => isMark(file.rows[at + 1])).map(({ kind }) => kind);
  const both = marked.includes("same") || (marked.includes("add") && marked.includes("del"));
  if (both) file.rows = file.rows.filter((row) => !isMark(row));
}
