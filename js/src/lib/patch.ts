/** A git patch beside the list of changes that it should draw. The changes say what happened; the patch only shows it. */

import { diffWordsWithSpace } from "diff";
import type { JsonObject } from "../types.ts";
import { stringAt } from "./json.ts";
import { evenLineEnds, evenTextEnds } from "./line_ends.ts";
import { samePath } from "./paths.ts";

export interface Row {
  kind: "hunk" | "same" | "add" | "del" | "note";
  /** Line numbers, or null. */
  before: number | null;
  after: number | null;
  text: string;
  /** It ends in LF where most lines of the file end in CRLF. */
  lf?: boolean;
}

export interface FilePatch {
  rows: Row[];
  added: number;
  removed: number;
  binary: boolean;
  /** What its headers say beside the paths: similarity, modes. */
  notes: string[];
  /** Where it does not fit what is said of it: in words. */
  hints: string[];
  /** Its part of the patch. */
  text: string;
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

/** Splits a patch into its files and finds the change that each belongs to. Sections of one file are put together. */
export function matchPatch(text: string, changes: readonly JsonObject[], cwd: string | null = null): MatchedPatch {
  const matched: MatchedPatch = { files: changes.map(() => null), rest: [] };
  for (const section of sectionsOf(text)) {
    const { file, text: own } = section;
    const found = (free: boolean) =>
      section.good
        ? changes.findIndex((change, n) => free === (matched.files[n] === null) && names(section, change, cwd))
        : -1;
    const free = found(true);
    const at = free >= 0 ? free : found(false);
    const before = matched.files[at];
    if (at >= 0) {
      file.hints.push(...contradictions(section, changes[at] as JsonObject, cwd));
      matched.files[at] = before ? joined(before, file) : file;
      if (section.lost.length > 0) matched.rest.push({ why: "unreadable", text: section.lost.join("\n") });
    } else if (own.trim() !== "") matched.rest.push({ why: section.good ? "stray" : "unreadable", text: own });
  }
  for (const file of matched.files) {
    if (file === null) continue;
    evenLineEnds(file);
    evenTextEnds(file);
  }
  return matched;
}

/**
 * What a section says of its file that the change does not: it is drawn all the same. A file that was moved or copied may
 * be drawn as a changed or a new one.
 */
function contradictions({ says, from, file }: Section, change: JsonObject, cwd: string | null): string[] {
  const [operation, old] = [stringAt(change, "operation") ?? "", stringAt(change, "oldPath")];
  const both = file.rows.some(({ kind }) => kind === "same") || (file.added > 0 && file.removed > 0);
  const told = says ?? (both ? "modify" : operation);
  const hints: string[] = [];
  if (KNOWN.test(operation) && told !== operation && !(/move|copy/.test(operation) && /add|modify/.test(told)))
    hints.push(`The agent says ${operation}, its patch says ${told}.`);
  if (from !== null && old !== null && !spellings(from).some((each) => same(each, old, cwd)))
    hints.push(`The patch names another file to ${operation}: ${from}`);
  return hints;
}

/** Operations that this version knows. */
export const KNOWN = /^(add|delete|modify|move|copy|write)$/;

function joined(a: FilePatch, b: FilePatch): FilePatch {
  return {
    rows: [...a.rows, ...b.rows],
    added: a.added + b.added,
    removed: a.removed + b.removed,
    binary: a.binary || b.binary,
    notes: [...a.notes, ...b.notes],
    hints: [...new Set([...a.hints, ...b.hints])],
    text: a.text + b.text,
  };
}

export interface Section {
  /** The paths before and after, where headers say both. */
  sides: [string, string] | null;
  /** The path in its headers; null when only its first line names it. */
  name: string | null;
  /** The operation that its headers name, and the path of the file it began as. */
  says: string | null;
  from: string | null;
  /** What follows "diff --git ". */
  git: string;
  good: boolean;
  /** Lines that have no place in it. */
  lost: string[];
  text: string;
  file: FilePatch;
}

/** Lines that say nothing of what changes: headers of git and svn, the fence or the mail around a patch. */
const ASIDE =
  /^(index [\da-f,.]+( \d{6})?|Index: \S.*|=+|dissimilarity index \d+%|```\w*|~~~|-- ?|\d+(\.\d+)+|---|\\ No newline at end of file|)\s*$/;
/** Data of a binary file: its size, or bytes by fives as git writes them. */
const BINARY = /^(literal|delta) \d+$|^[A-Za-z](?:[\w!#$%&()*+;<=>?@^`{|}~-]{5}){1,13}$/;
const COMBINED = /^diff --(?:cc|combined) /;
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
export const NO_FILE = "/dev/null";

/** Reads what agents write, and more than git does: counts may be wrong, and the blank of an empty line missing. */
export function sectionsOf(text: string): Section[] {
  const lines = text.split("\n");
  const last = lines[lines.length - 1] === "" ? lines.length - 1 : lines.length;
  const all: Section[] = [];
  let from = 0;
  let section = fresh("");
  const close = (to: number) => {
    section.text = section.file.text = lines.slice(from, to).join("\n") + (to < lines.length ? "\n" : "");
    section.good &&= section.name !== null || section.git !== "";
    if (to > from) all.push(section);
    from = to;
  };
  for (let at = 0; at < last; ) {
    const line = lines[at] as string;
    const hunk = HUNK.exec(line);
    if (line.startsWith("diff --git ")) {
      close(at);
      section = fresh(line.slice(11).trimEnd());
    } else if (COMBINED.test(line)) {
      close(at);
      section = fresh(line.replace(COMBINED, ""));
      section.good = false; // one of two or more files at once: it has no rows of before and after
    } else if (isHeader(lines, at)) {
      if (section.file.rows.length > 0 || (section.git === "" && section.name !== null)) {
        close(at);
        section = fresh("");
      }
      const [old, now] = [nameIn(line), nameIn(lines[at + 1] as string)];
      section.name = now === NO_FILE ? old : now;
      section.sides = [old, now];
      if (old === NO_FILE) section.says = "add";
      if (now === NO_FILE) section.says = "delete";
      at += 1;
    } else if (hunk || (line.startsWith("@@") && section.sides !== null)) {
      at = readHunk(lines, at, last, hunk, section);
      continue;
    } else {
      readExtra(line, section);
    }
    at += 1;
  }
  close(lines.length);
  return all;
}

function fresh(git: string): Section {
  const file: FilePatch = { rows: [], added: 0, removed: 0, binary: false, notes: [], hints: [], text: "" };
  return { sides: null, name: null, says: null, from: null, git, good: true, lost: [], text: "", file };
}

/** "--- a" and "+++ b": inside a hunk a removed line may look like the first, so both have to stand there. */
function isHeader(lines: readonly string[], at: number): boolean {
  return lines[at]?.startsWith("--- ") === true && lines[at + 1]?.startsWith("+++ ") === true;
}

function nameIn(line: string): string {
  const [name, end] = line.slice(4).split("\t");
  return unquoted(end === undefined ? line.slice(4).trimEnd() : (name as string)); // a tab ends a name with blanks
}

/** The lines between the headers. */
function readExtra(line: string, section: Section): void {
  const { file } = section;
  const word = /^((?:rename|copy) (?:from|to)|similarity index|old mode|new mode) (.*?)\r?$/.exec(line);
  const value = word?.[2] ?? "";
  const whole = /^(new|deleted) file mode /.exec(line)?.[1];
  if (whole) section.says = whole === "new" ? "add" : "delete";
  else if (word?.[1]?.endsWith(" from")) section.from = unquoted(value);
  else if (word?.[1]?.endsWith(" to")) {
    section.name = unquoted(value);
    section.says = word[1] === "copy to" ? "copy" : "move";
  } else if (word?.[1] === "similarity index") file.notes.push(`${value} the same`);
  else if (word) file.notes.push(`${word[1]} ${value}`);
  else if (/^(Binary files |GIT binary patch)/.test(line)) file.binary = true;
  else if (!ASIDE.test(line) && !(file.binary && BINARY.test(line)) && (section.git !== "" || section.sides))
    section.lost.push(line);
}

const KINDS: Record<string, Row["kind"]> = { "+": "add", "-": "del", " ": "same", "\\": "note" };

const EARLY = "The patch ends early: it has fewer lines than its headers promise.";

/** Reads a hunk from its header on, and gives the line after it. Without a header that says it, lines have no numbers. */
function readHunk(
  lines: string[],
  start: number,
  last: number,
  header: RegExpExecArray | null,
  section: Section,
): number {
  const { file } = section;
  const left: [number, number] = header ? [Number(header[2] ?? 1), Number(header[4] ?? 1)] : [0, 0];
  let [before, after] = header ? [Number(header[1]), Number(header[3])] : [Number.NaN, Number.NaN];
  file.rows.push({ kind: "hunk", before: null, after: null, text: (lines[start] as string).trimEnd() });
  let at = start + 1;
  for (; at < last; at += 1) {
    const line = lines[at] as string;
    const over = left[0] <= 0 && left[1] <= 0;
    const ends = line.startsWith("@@") || line.startsWith("diff --");
    const blank = line.trim() === "" && !/^[+ -]/.test(lines[at + 1] ?? "");
    if (ends || (over && (blank || line === "-- " || isHeader(lines, at)))) break;
    const kind = line === "" || line === "\r" ? "same" : KINDS[line[0] as string];
    if (kind === undefined) {
      section.good &&= over;
      break;
    }
    const old = kind === "same" || kind === "del";
    const now = kind === "same" || kind === "add";
    const text = kind === "note" ? line.slice(1).trim() : line.slice(1);
    const number = (side: boolean, at: number) => (side && !Number.isNaN(at) ? at : null);
    file.rows.push({ kind, before: number(old, before), after: number(now, after), text });
    if (old) [before, left[0]] = [before + 1, left[0] - 1];
    if (now) [after, left[1]] = [after + 1, left[1] - 1];
    if (kind === "add") file.added += 1;
    if (kind === "del") file.removed += 1;
  }
  if (Math.max(...left) > 0) file.hints.push(EARLY);
  return at;
}

const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** A path without git's quotes: escapes stand for bytes of UTF-8. */
function unquoted(name: string): string {
  const inner = /^"(.*)"$/.exec(name)?.[1];
  if (inner === undefined) return name;
  const bytes: number[] = [];
  for (const [, octal, char, plain] of inner.matchAll(/\\([0-3][0-7]{2})|\\(.)|([^\\]+)/gu)) {
    if (octal) bytes.push(Number.parseInt(octal, 8));
    else if (char && Object.hasOwn(ESCAPES, char)) bytes.push(ESCAPES[char] as number);
    else bytes.push(...new TextEncoder().encode(char ?? plain ?? ""));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

function names({ name, git }: Section, change: JsonObject, cwd: string | null): boolean {
  const path = stringAt(change, "path");
  if (path === null) return false;
  if (name !== null) return spellings(name).some((each) => same(each, path, cwd));
  const quoted = /"((?:[^"\\]|\\.)*)"$/.exec(git)?.[0];
  if (quoted) return spellings(unquoted(quoted)).some((each) => same(each, path, cwd));
  // Blanks of an unquoted path are not told from the one between both paths: every one is tried.
  return [...git.matchAll(/ /g)].some(({ index }) =>
    spellings(git.slice(index + 1)).some((each) => same(each, path, cwd)),
  );
}

function same(given: string, path: string, cwd: string | null): boolean {
  const header = given.replace(/^(?:\.\/)+/, "");
  return samePath(header, path) || (cwd !== null && samePath(`${cwd}/${header}`, path));
}

/** A path as a patch may spell it: as it is, or behind "a/" or "b/", there with or without the leading slash. */
function spellings(header: string): string[] {
  const all = [header, header.replace(/(?!^)\\\\/g, "\\")];
  return /^[abciow]\//.test(header) ? [...all, header.slice(2), header.slice(1)] : all;
}

export interface Part {
  text: string;
  /** Only on this side. */
  changed: boolean;
}

const LONGEST_LINE = 500;
/** Milliseconds for one stretch of lines; what is left then has no marks. */
const LONGEST_TIME = 20;
/** Above this share of changed text the marks would say nothing. */
const TOO_DIFFERENT = 0.7;

/** For rows of a removed run that is followed by an added run of the same length: which words differ. */
export function wordMarks(rows: readonly Row[]): Map<Row, Part[]> {
  const marks = new Map<Row, Part[]>();
  const until = performance.now() + LONGEST_TIME;
  for (let at = 0; at < rows.length && performance.now() < until; ) {
    const removed = run(rows, at, "del");
    const added = run(rows, at + removed.length, "add");
    if (removed.length > 0 && removed.length === added.length) {
      removed.forEach((row, n) => {
        if (performance.now() < until) markPair(row, added[n] as Row, marks);
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
