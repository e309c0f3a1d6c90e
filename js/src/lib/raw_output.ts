/** What a tool call gave back, read in the shapes in which agents put it. */

import type { Json, JsonObject, Tagged } from "../types.ts";
import { isObject, pretty, stringAt } from "./json.ts";

export type RawOutput =
  | { kind: "text"; text: string; errors: string; exit: string }
  | { kind: "blocks"; blocks: Tagged[] }
  | { kind: "tree" };

/** Fields that hold the whole output, the most complete one first. */
const WHOLE = ["aggregated_output", "formatted_output", "output", "text", "result"];
const STREAMS = ["stdout", "stderr"];
const EXITS = ["exit_code", "exitCode", "returncode", "return_code", "exit"];

/** Null when there is nothing to show. */
export function readOutput(value: Json | undefined): RawOutput | null {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "string") return value.trim() === "" ? null : text(value);
  const blocks = blocksOf(Array.isArray(value) ? value : isObject(value) ? value.content : null);
  if (blocks) return { kind: "blocks", blocks };
  return (isObject(value) && readObject(value)) || { kind: "tree" };
}

function text(value: string, errors = "", exit = ""): RawOutput {
  return { kind: "text", text: value, errors, exit };
}

function readObject(value: JsonObject): RawOutput | null {
  const whole = WHOLE.map((key) => stringAt(value, key)).find(Boolean);
  const [stdout, stderr] = STREAMS.map((key) => stringAt(value, key));
  const exit = exitOf(value);
  const fault = stringAt(value, "error") ?? (isObject(value.error) ? pretty(value.error) : "");
  if (whole) return text(whole, whole.includes((stderr ?? "").trim()) ? fault : `${stderr}${fault}`, exit);
  if (stdout || stderr || fault) return text(stdout ?? "", (stderr ?? "") + fault, exit);
  return exit === "" ? null : text("", "", exit);
}

/** "exit 2", "signal 9", or nothing. */
export function exitOf(value: Json | undefined): string {
  if (!isObject(value)) return "";
  const known = [...EXITS, ...(STREAMS.some((key) => Object.hasOwn(value, key)) ? ["code"] : [])];
  for (const key of known) {
    if (Object.hasOwn(value, key) && typeof value[key] === "number") return `exit ${value[key]}`;
  }
  if (stringAt(value, "signal")) return `signal ${stringAt(value, "signal")}`;
  return Object.hasOwn(value, "metadata") ? exitOf(value.metadata) : "";
}

/** Content blocks, bare or each wrapped as an item of a call; null when it is any other list. */
function blocksOf(value: Json | undefined): Tagged[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const blocks = value.map((item) => (stringAt(item, "type") === "content" ? (item as JsonObject).content : item));
  return blocks.every(isBlock) ? (blocks as Tagged[]) : null;
}

const FIELD: Record<string, string> = { text: "text", image: "data", audio: "data", resource_link: "uri" };

function isBlock(value: Json | undefined): boolean {
  const type = stringAt(value, "type") ?? "";
  if (type === "resource") return isObject((value as JsonObject).resource);
  return Object.hasOwn(FIELD, type) && stringAt(value, FIELD[type] as string) !== null;
}

const FENCE = /^\s*(`{3,}|~{3,})([^\n`]*)\n([\s\S]*?)\n?\1\s*$/;

/** Output without the one code fence that agents put around it, and the language that this one named. */
export function unfenced(value: string): { text: string; language: string } {
  const found = FENCE.exec(value);
  const inner = found?.[3] ?? "";
  if (!found || inner.split("\n").some((line) => line.startsWith(found[1] as string)))
    return { text: value, language: "" };
  return { text: inner, language: (found[2] ?? "").trim() };
}
