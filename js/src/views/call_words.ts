import { isObject, PATH_NAME, stringAt, stringLike } from "../lib/json.ts";
import { relative } from "../lib/paths.ts";
import { displayKind, KIND_LABELS } from "../lib/words.ts";
import type { Json, ToolCall } from "../types.ts";

/** What a call is called: its title, its name, or its kind and what it works on. */
export function nameOf(call: ToolCall, cwd: string | null): string {
  if (call.title || call.name) return (call.title || call.name) as string;
  const command = call.kind === "execute" ? commandIn(call.rawInput) : null;
  if (command) return command;
  const label = KIND_LABELS[displayKind(call.kind)];
  const path = placeOf(call);
  return path === null ? label : `${label} ${relative(path, cwd)}`;
}

function commandIn(input: Json): string | null {
  const command = isObject(input) ? (input.command ?? input.cmd) : input;
  return Array.isArray(command) ? command.join(" ") : typeof command === "string" ? command : null;
}

/** The file that a call is about: of its diffs, its locations, its input. */
export function placeOf(call: ToolCall): string | null {
  const changes = call.content.flatMap((item) => (Array.isArray(item.changes) ? item.changes : []));
  const found = [...changes, ...call.locations].map((each) => stringAt(each, "path"));
  return found.find(Boolean) ?? stringLike(call.rawInput, PATH_NAME);
}
