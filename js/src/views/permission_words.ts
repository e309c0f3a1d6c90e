import { commandLine, commandOf } from "../lib/command.ts";
import { isObject, stringAt } from "../lib/json.ts";
import { clock } from "../lib/time.ts";
import {
  DECISION_WORDS,
  displayKind,
  isAllow,
  isReject,
  KIND_LABELS,
  nameSaysKind,
  type ToolKind,
} from "../lib/words.ts";
import type { Permission, ToolCall } from "../types.ts";
import { nameOf, placeOf } from "./call_words.ts";

/** What the kernel puts where the agent gave no title. */
const NO_TITLE = "The agent asks for permission";

/** What a question is called: by its title, else by what it is about. */
export function headline(permission: Permission, call: ToolCall | undefined): string {
  const { title } = permission;
  if (title.trim() !== "" && title !== NO_TITLE) return title;
  const name = call && nameOf(call, null);
  return name && name !== KIND_LABELS.other ? name : (runOf(permission, call) ?? "for permission");
}

/** The command that a question is about, in one line. */
function runOf({ subject }: Permission, call: ToolCall | undefined): string | null {
  const found = call && commandOf(call);
  return stringAt(subject, "command") ?? (found ? commandLine(found.what) : null);
}

const DOING: Partial<Record<ToolKind, string>> = {
  read: "reading",
  edit: "editing",
  delete: "deleting",
  move: "moving",
  search: "searching",
  execute: "running",
  fetch: "fetching",
  switch_mode: "switching the mode",
};

const SCOPE_LENGTH = 80;

/**
 * How far an answer for always reaches, as far as anybody here can know; null where no such answer is offered.
 *
 * `shown`: a command that the call only shows, in a terminal.
 */
export function scopeOf(
  permission: Permission,
  call: ToolCall | undefined,
  shown: string | string[] | null = null,
): string | null {
  const names = permission.options
    .filter(({ kind }) => isAlways(kind))
    .map(({ name }) => `“${name.trim() || "always"}”`);
  if (names.length === 0) return null;
  const run = runOf(permission, call) ?? (shown === null ? null : commandLine(shown));
  const target = run ?? (call && placeOf(call));
  const doing = run === null && call ? DOING[displayKind(call.kind)] : "running";
  const about = [doing, target && `“${shortened(target)}”`].filter(Boolean).join(" ");
  const what = target || (call && doing) ? about : "what it asks here";
  return (
    `${names.join(" and ")}: the agent remembers it, for ${what}. ` +
    "The agent decides how far this reaches: it may cover more than this one."
  );
}

export function isAlways(kind: string): boolean {
  return kind === "allow_always" || kind === "reject_always";
}

/** The first line, or its beginning. */
function shortened(text: string): string {
  const line = text.trim().split("\n", 1)[0]?.slice(0, SCOPE_LENGTH) ?? "";
  return line.length < text.trim().length ? `${line}…` : line;
}

/** The call as the question described it, over what is known of it. */
export function callAsked(permission: Permission, known: ToolCall | undefined): ToolCall | undefined {
  const patch = permission.subject?.type === "tool_call" ? permission.subject.toolCall : null;
  if (!isObject(patch)) return known;
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null));
  const asked = { ...NO_CALL, ...known, ...given } as ToolCall;
  return {
    ...asked,
    content: Array.isArray(asked.content) ? asked.content.filter(isObject) : [],
    locations: Array.isArray(asked.locations) ? asked.locations.filter(isObject) : [],
    kind: String(asked.kind),
  } as ToolCall;
}

const NO_CALL = { title: null, name: null, kind: "other", content: [], locations: [], rawInput: null };

export interface Decision {
  sign: "allow_once" | "reject_once" | "minus";
  text: string;
}

/** Who chose, after "Allowed once …". */
const BY: Record<string, string> = {
  you: "by you",
  python: "by Python code",
  policy: "by the policy",
  nobody: "because nobody was watching",
};

/** Why a request was cancelled. */
const CANCELLED: Record<string, string> = {
  you: "Dismissed by you",
  python: "Dismissed by Python code",
  policy: "Cancelled by the policy",
  nobody: "Cancelled because nobody was watching",
  agent: "Withdrawn by the agent",
  stop: "Cancelled: you stopped the turn",
  end: "Never answered: the agent ended",
};

/** What became of a settled permission, in one line. */
export function decision(permission: Permission): Decision {
  const { status, by, why, at } = permission;
  const when = at.end === null || by === "stop" || by === "end" ? "" : ` at ${clock(at.end)}`;
  // Who withdrew or ended is reason enough.
  const reason = why && by !== "agent" && by !== "end" ? ` (${why.replace(/\.$/, "")})` : "";
  if (status === "cancelled") {
    return { sign: "minus", text: `${lookUp(CANCELLED, by) || "Cancelled"}${when}${reason}` };
  }
  const chosen = permission.options.filter((each) => each.optionId === permission.optionId);
  // Two options of one id: nobody can say which of them was meant.
  const one = new Set(chosen.map((option) => option.kind)).size === 1 ? chosen[0] : undefined;
  const kind = one?.kind ?? "";
  const verb = lookUp(DECISION_WORDS, kind);
  const name = one?.name || (permission.optionId ?? "");
  const opening = !verb ? `Answered “${name}”` : isUsual(name, kind) ? verb : `${verb} (“${name}”)`;
  const sign = isAllow(kind) ? "allow_once" : isReject(kind) ? "reject_once" : "minus";
  return { sign, text: `${opening} ${lookUp(BY, by)}`.trimEnd() + when + reason };
}

/** True when the name of an option says no more than its kind does. */
function isUsual(name: string, kind: string): boolean {
  return name.trim().split(/\s+/).length <= 2 && nameSaysKind(name, kind);
}

function lookUp(table: Record<string, string>, key: string | null): string {
  return (key !== null && Object.hasOwn(table, key) && table[key]) || "";
}
