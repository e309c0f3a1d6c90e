/** Changes that can be read from a call's raw input, where the agent sends no diff: what it asked for, not what happened. */

import { diffArrays } from "diff";
import type { Json, JsonObject, Tagged } from "../types.ts";
import { isObject, PATH_NAME, stringAt, stringLike } from "./json.ts";
import { NO_FILE, sectionsOf } from "./patch.ts";

interface Inferred {
  path: string;
  oldPath?: string | undefined;
  operation: string;
  hunks: string[];
}

const OLD = /^(old_?(string|str|text)|before|original_?content)$/i;
const NEW = /^(new_?(string|str|text|content)|after)$/i;
const WHOLE = /^(contents?|file_?text|text)$/i;
/** The same where nothing else says that the call writes: a "text" may be looked for. */
const CONTENTS = /^(contents?|file_?text)$/i;
const PATCH = /^(@@ |--- |diff --git )/m;
const PATCHES = ["patch", "diff", "unified_diff", "fileDiff", "input"];

/** Milliseconds after which two texts are shown one below the other, undiffed. */
const TIMEOUT = 80;

/** A diff item as an agent would send it, or null. `place` is where the call works, if it says so elsewhere. */
export function inferDiff(input: Json | undefined, kind: string, place: string | null = null): Tagged | null {
  try {
    return asItem(inferAll(input ?? null, kind, place));
  } catch {
    return null; // a patch that cannot be read stands in the raw input
  }
}

/** Kinds that say that nothing is written: only what is marked as a patch counts in their input. */
const READERS = ["read", "search", "execute", "think", "fetch", "switch_mode"];

function writes(kind: string): boolean {
  return kind !== "delete" && kind !== "move";
}

function inferAll(input: Json, kind: string, place: string | null): Inferred[] {
  const command = isObject(input) && Array.isArray(input.command) ? input.command : [];
  const texts = [input, ...command, ...PATCHES.map((key) => stringAt(input, key))];
  const marked = texts.find((each) => typeof each === "string" && each.trimStart().startsWith("*** Begin Patch"));
  if (typeof marked === "string") return fromApplyPatch(marked);
  if (READERS.includes(kind)) return [];
  if (isObject(input)) {
    const path = stringLike(input, PATH_NAME) ?? place;
    const changes = fromChanges(input.changes);
    if (changes.length > 0) return changes;
    const edits = Array.isArray(input.edits) ? input.edits : [input];
    const replaced = path === null ? [] : edits.flatMap((edit) => replacement(edit));
    if (path !== null && replaced.length > 0) return [{ path, operation: "modify", hunks: replaced }];
    const patch = texts.find((each) => typeof each === "string" && PATCH.test(each));
    if (typeof patch === "string") return fromUnified(patch, path);
    const whole = writes(kind) ? stringLike(input, kind === "edit" ? WHOLE : CONTENTS) : null;
    if (path !== null && whole !== null) return [{ path, operation: "write", hunks: hunksOf("", whole) }];
    if (isObject(input.content)) return inferAll(input.content, kind, path);
  }
  return [];
}

/** Hunks of one piece of text put in the place of another. */
function replacement(edit: Json): string[] {
  const before = stringLike(edit, OLD);
  const after = stringLike(edit, NEW) ?? stringAt(edit, "content");
  return before === null || after === null ? [] : hunksOf(before, after);
}

/** Unchanged lines around what changed. */
const AROUND = 3;

/** One hunk, from the first line that differs to the last. */
function hunksOf(before: string, after: string): string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const parts = diffArrays(old, fresh, { timeout: TIMEOUT }) ?? [
    { value: old, removed: true },
    { value: fresh, added: true },
  ];
  const lines = parts.flatMap(({ value, added, removed }) =>
    value.map((line) => (added ? "+" : removed ? "-" : " ") + line),
  );
  const differs = lines.map((line) => line[0] !== " ");
  const from = Math.max(0, differs.indexOf(true) - AROUND);
  const hunk = lines.slice(from, differs.lastIndexOf(true) + 1 + AROUND);
  return differs.includes(true) ? [hunkText(hunk, from + 1, from + 1)] : [];
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function hunkText(lines: string[], oldStart = 1, newStart = 1, title = ""): string {
  const count = (signs: string) => lines.filter((line) => signs.includes(line[0] ?? " ")).length;
  const [before, after] = [count(" -"), count(" +")];
  return `@@ -${before && oldStart},${before} +${after && newStart},${after} @@${title}\n${lines.join("\n")}\n`;
}

function fromUnified(text: string, path: string | null): Inferred[] {
  const sections = sectionsOf(text);
  // What has no place in a patch must not be hidden by what has: it stands in the raw input.
  if (sections.some(({ good, lost, name }) => lost.length > 0 || (!good && name !== null))) throw new Error("no patch");
  return sections.flatMap(({ sides, name, file }) => {
    const own = name?.replace(/^[ab]\//, "") ?? null;
    // A section of another file is shown under its own name.
    const found = path !== null && (own === null || `/${path}`.endsWith(`/${own}`)) ? path : own;
    const hunks = file.text.split(/^(?=@@)/m).filter((hunk) => hunk.startsWith("@@"));
    if (found === null || file.added + file.removed === 0) return [];
    const operation = sides?.[0] === NO_FILE ? "add" : sides?.[1] === NO_FILE ? "delete" : "modify";
    return [{ path: found, operation, hunks: hunks.map((hunk) => (hunk.endsWith("\n") ? hunk : `${hunk}\n`)) }];
  });
}

const VERBS: Record<string, string> = { add: "add", create: "add", delete: "delete", update: "modify" };

/** Codex: a map from path to change, or a list of changes with a path each. */
function fromChanges(value: Json | undefined): Inferred[] {
  if (!isObject(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, given]): Inferred[] => {
    const path = Array.isArray(value) ? stringAt(given, "path") : key;
    if (path === null || !isObject(given)) return [];
    const verb =
      stringAt(given, "type") ?? stringAt(given.kind, "type") ?? stringAt(given, "kind") ?? Object.keys(given)[0] ?? "";
    const change = isObject(given[verb]) ? given[verb] : given;
    const diff = stringAt(change, "unified_diff") ?? stringAt(change, "diff") ?? "";
    const content = stringAt(change, "content") ?? (/^(@@|--- |diff )/.test(diff) ? null : diff);
    const moved = stringAt(change, "move_path") ?? stringAt(change.kind, "move_path");
    const operation = Object.hasOwn(VERBS, verb) ? (VERBS[verb] as string) : verb;
    const [first, ...others] = content === null ? fromUnified(diff, path) : [];
    const hunks =
      content === null ? (first?.hunks ?? []) : operation === "delete" ? hunksOf(content, "") : hunksOf("", content);
    if (first && first.path !== path) return [first, ...others];
    return [moved ? { path: moved, oldPath: path, operation: "move", hunks } : { path, operation, hunks }, ...others];
  });
}

const SECTION = /^\*\*\* (Add|Update|Delete) File: (.*)$/;

/** The patch language of the tool apply_patch: hunks without line numbers. */
function fromApplyPatch(text: string): Inferred[] {
  const files: Inferred[] = [];
  let lines: string[] = [];
  let title = "";
  const close = (): void => {
    if (lines.length > 0) files[files.length - 1]?.hunks.push(hunkText(lines, 1, 1, title));
    lines = [];
    title = "";
  };
  for (const line of text.split("\n")) {
    const found = SECTION.exec(line);
    const file = files[files.length - 1];
    if (found || line.startsWith("@@") || line.startsWith("*** ")) close();
    if (found) {
      const [, verb, path] = found as unknown as [string, string, string];
      files.push({ path: path.trim(), operation: VERBS[verb.toLowerCase()] as string, hunks: [] });
    } else if (file && line.startsWith("*** Move to: ")) {
      files[files.length - 1] = { ...file, path: line.slice(13).trim(), oldPath: file.path, operation: "move" };
    } else if (line.startsWith("@@")) title = line.slice(2);
    else if (/^[ +-]/.test(line)) lines.push(line);
    else if (line === "" && lines.length > 0) lines.push(" ");
  }
  return files;
}

function asItem(files: Inferred[]): Tagged | null {
  if (files.length === 0) return null;
  const changes = files.map(({ path, oldPath, operation }): JsonObject => {
    return oldPath === undefined ? { operation, path } : { operation, path, oldPath };
  });
  const text = files.map(section).join("");
  return { type: "diff", changes, patch: text === "" ? null : { format: "git_patch", text } };
}

/** Git's form of one file. A path that would need quoting there has its row alone. */
function section({ path, oldPath = path, operation, hunks }: Inferred): string {
  if (hunks.length === 0 || /[\n\t"]/.test(path + oldPath)) return "";
  const before = operation === "add" ? NO_FILE : oldPath;
  const after = operation === "delete" ? NO_FILE : path;
  return `diff --git ${oldPath} ${path}\n--- ${before}\n+++ ${after}\n${hunks.join("")}`;
}
