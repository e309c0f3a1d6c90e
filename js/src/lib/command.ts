import type { Json, JsonObject, ToolCall } from "../types.ts";
import { isObject, stringAt } from "./json.ts";

/** A command in the raw input of a tool call, as agents write them. */
export interface Command {
  /** A line for a shell, or the words of a program and its arguments. */
  what: string | string[];
  cwd: string | null;
  /** What else the input says; null when that changes nothing. */
  rest: JsonObject | null;
}

const COMMANDS = ["command", "cmd"];
const FOLDERS = ["cwd", "workdir", "working_directory", "workingDirectory"];
/** Fields beside a command that change nothing about what runs. */
const HARMLESS = /^(description|timeout(_?ms)?|(call|turn|process)_id|started_at_ms|parsed_cmd|source)$/i;

/** The command that a call would run, or null when its input names none. */
export function commandOf(call: Pick<ToolCall, "kind" | "rawInput">): Command | null {
  const input = call.rawInput;
  const runs = call.kind === "execute";
  if (runs && isCommand(input)) return { what: input, cwd: null, rest: null };
  if (!isObject(input)) return null;
  const name = COMMANDS.find((key) => Object.hasOwn(input, key) && isCommand(input[key]));
  if (name === undefined) return null;
  let what = input[name] as string | string[];
  const folder = FOLDERS.find((key) => stringAt(input, key) !== null);
  const listed = typeof what === "string" && isWords(input.args);
  if (listed) what = [what as string, ...(input.args as string[])];
  const rest = Object.entries(input).filter(
    ([key]) => key !== name && key !== folder && !HARMLESS.test(key) && !(listed && key === "args"),
  );
  // Elsewhere "command" may be the name of an action, as in {command: "create", path, text}.
  if (!runs && typeof what === "string" && rest.length > 0) return null;
  return {
    what,
    cwd: folder === undefined ? null : stringAt(input, folder),
    rest: rest.length > 0 ? Object.fromEntries(rest) : null,
  };
}

/** The words of a command in one line, for a sentence. */
export function commandLine(what: string | string[]): string {
  return typeof what === "string" ? what : what.join(" ");
}

function isCommand(value: Json | undefined): value is string | string[] {
  return typeof value === "string" ? value.trim() !== "" : isWords(value) && value.length > 0;
}

function isWords(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}
