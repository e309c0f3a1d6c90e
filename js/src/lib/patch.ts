/** A git patch beside the list of changes that it should draw. The changes say what happened; the patch only shows it. */

import { diffWordsWithSpace, parsePatch, type StructuredPatch } from "diff";
import type { JsonObject } from "../types.ts";
import { stringAt } from "./json.ts";
import { samePath } from "./paths.ts";

export interface Row {
  kind: "hunk" | "same" | "add" | "del" | "note";
  /** Line numbers, or null. */
  before: number | null;
  after: number | null;
  text: string;
}

export interface FilePatch {
  rows: Row[];
  added: number;
  removed: number;
  binary: boolean;
}

export interface MatchedPatch {
  /** For each change, in order: its part of the patch, or null. */
  files: (FilePatch | null)[];
  /** Parts that cannot be drawn: shown as text, with a warning. */
  rest: Rest[];
}

export interface Rest {
  /** stray: it names a file that is not among the changes. unreadable: it is no git patch. */
  why: "stray" | "unreadable";
  text: string;
}

/** Splits a patch into its files and finds the change that each belongs to. */
export function matchPatch(text: string, changes: readonly JsonObject[]): MatchedPatch {
  const matched: MatchedPatch = { files: changes.map(() => null), rest: [] };
  for (const section of sections(text)) {
    const parsed = parseSection(section);
    const at = parsed ? changes.findIndex((change, n) => matched.files[n] === null && names(parsed, change)) : -1;
    if (parsed && at >= 0) matched.files[at] = toFilePatch(parsed, section);
    else if (section.trim() !== "") matched.rest.push({ why: parsed ? "stray" : "unreadable", text: section });
  }
  return matched;
}

/** Sections begin with "diff --git"; a line of a hunk never does, it has a sign before it. */
function sections(text: string): string[] {
  const starts = [...text.matchAll(/^diff --git /gm)].map((found) => found.index);
  if (starts.length === 0) return [text];
  const before = starts[0] === 0 ? [] : [text.slice(0, starts[0])];
  return [...before, ...starts.map((start, n) => text.slice(start, starts[n + 1]))];
}

function parseSection(section: string): StructuredPatch | null {
  return parseOne(section) ?? parseOne(recounted(section));
}

function parseOne(section: string): StructuredPatch | null {
  try {
    const files = parsePatch(section);
    const file = files[0];
    return files.length === 1 && file && (file.oldFileName !== undefined || file.newFileName !== undefined)
      ? file
      : null;
  } catch {
    return null;
  }
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The same hunks with the counts that they have. Agents miscount, and strip the blank of an empty line. */
function recounted(section: string): string {
  const lines = section.replace(/\n+$/, "").split("\n");
  const starts = lines.flatMap((line, at) => (HUNK.test(line) ? [at] : []));
  const hunks = starts.map((start, n) => {
    const body = lines.slice(start + 1, starts[n + 1]).map((line) => (line === "" ? " " : line));
    const count = (signs: string) => body.filter((line) => signs.includes(line[0] as string)).length;
    const header = (lines[start] as string).replace(HUNK, `@@ -$1,${count(" -")} +$2,${count(" +")} @@`);
    return [header, ...body].join("\n");
  });
  return `${[...lines.slice(0, starts[0]), ...hunks].join("\n")}\n`;
}

const NO_FILE = "/dev/null";

function names(file: StructuredPatch, change: JsonObject): boolean {
  const path = stringAt(change, "path");
  if (path === null) return false;
  const header = file.newFileName && file.newFileName !== NO_FILE ? file.newFileName : file.oldFileName;
  return header !== undefined && spellings(header).some((spelling) => samePath(spelling, path));
}

/** A path as a patch may spell it: as it is, or behind "a/" or "b/", there with or without the leading slash. */
function spellings(header: string): string[] {
  const bare = /^[abciow]\//.test(header) ? header.slice(2) : null;
  return bare === null ? [header] : [header, bare, `/${bare}`];
}

function toFilePatch(file: StructuredPatch, section: string): FilePatch {
  const headers = [...section.matchAll(/^@@ .*$/gm)].map((found) => found[0]);
  const rows: Row[] = [];
  const count = { add: 0, del: 0 };
  file.hunks.forEach((hunk, n) => {
    rows.push({ kind: "hunk", before: null, after: null, text: headers[n] ?? "@@" });
    let [before, after] = [hunk.oldStart, hunk.newStart];
    for (const line of hunk.lines) {
      const text = line.slice(1);
      if (line[0] === "+") {
        rows.push({ kind: "add", before: null, after, text });
        after += 1;
        count.add += 1;
      } else if (line[0] === "-") {
        rows.push({ kind: "del", before, after: null, text });
        before += 1;
        count.del += 1;
      } else if (line[0] === "\\") {
        rows.push({ kind: "note", before: null, after: null, text: text.trim() });
      } else {
        rows.push({ kind: "same", before, after, text });
        before += 1;
        after += 1;
      }
    }
  });
  return { rows, added: count.add, removed: count.del, binary: file.isBinary === true };
}

export interface Part {
  text: string;
  /** Only on this side. */
  changed: boolean;
}

const LONGEST_LINE = 500;
/** Above this share of changed text the marks would say nothing. */
const TOO_DIFFERENT = 0.7;

/** For rows of a removed run that is followed by an added run of the same length: which words differ. */
export function wordMarks(rows: readonly Row[]): Map<Row, Part[]> {
  const marks = new Map<Row, Part[]>();
  for (let at = 0; at < rows.length; ) {
    const removed = run(rows, at, "del");
    const added = run(rows, at + removed.length, "add");
    if (removed.length > 0 && removed.length === added.length) {
      removed.forEach((row, n) => {
        markPair(row, added[n] as Row, marks);
      });
    }
    at += Math.max(1, removed.length + added.length);
  }
  return marks;
}

function run(rows: readonly Row[], from: number, kind: Row["kind"]): Row[] {
  let to = from;
  while (rows[to]?.kind === kind) to += 1;
  return rows.slice(from, to);
}

function markPair(removed: Row, added: Row, marks: Map<Row, Part[]>): void {
  if (Math.max(removed.text.length, added.text.length) > LONGEST_LINE) return;
  const parts = diffWordsWithSpace(removed.text, added.text, { timeout: 20 });
  if (!parts) return;
  const same = parts.filter((part) => !part.added && !part.removed).reduce((sum, part) => sum + part.value.length, 0);
  if (same < (1 - TOO_DIFFERENT) * Math.max(removed.text.length, added.text.length)) return;
  const side = (skip: "added" | "removed") =>
    parts.filter((part) => !part[skip]).map((part) => ({ text: part.value, changed: part.added || part.removed }));
  marks.set(removed, side("added"));
  marks.set(added, side("removed"));
}
