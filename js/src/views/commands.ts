import { isObject, stringAt } from "../lib/json.ts";
import type { JsonObject } from "../types.ts";
import type { Completion } from "./CompletionList.tsx";

/** The commands that the agent offers. Those of kinds that nobody here knows are not offered. */
export function commandsOf(commands: readonly JsonObject[]): Completion[] {
  return commands
    .filter(({ type, name }) => typeof name === "string" && name !== "" && (type ?? "command") === "command")
    .map((command) => ({
      label: `/${command.name}`,
      detail: stringAt(command, "description"),
      hint: isObject(command.input) ? (stringAt(command.input, "hint") ?? "") : null,
      text: `/${command.name} `,
    }));
}

/** What fits a draft that begins with "/": first what begins like it, then what holds it. */
export function completions(draft: string, all: readonly Completion[]): Completion[] {
  if (!/^\/[^\n]*$/.test(draft)) return [];
  const typed = draft.toLowerCase();
  const begins = all.filter(({ label }) => label.toLowerCase().startsWith(typed));
  const holds = all.filter((each) => !begins.includes(each) && each.label.toLowerCase().includes(typed.slice(1)));
  return [...begins, ...holds];
}
