/** The words of the protocol that have a meaning for us, and how we say them. acp_widget/session/words.py holds the same lists. */

export const TOOL_KINDS = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

export const TOOL_STATUSES = ["pending", "in_progress", "paused", "completed", "failed", "cancelled"] as const;
export const FINAL_STATUSES = ["completed", "failed", "cancelled"] as const;

export const OPTION_KINDS = ["allow_once", "allow_always", "reject_once", "reject_always"] as const;

export const STOP_REASONS = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"] as const;

/** A kind that we know, else "other". */
export function displayKind(kind: string): ToolKind {
  return (TOOL_KINDS as readonly string[]).includes(kind) ? (kind as ToolKind) : "other";
}

export function isFinal(status: string): boolean {
  return (FINAL_STATUSES as readonly string[]).includes(status);
}

export function isAllow(kind: string): boolean {
  return kind === "allow_once" || kind === "allow_always";
}

export function isReject(kind: string): boolean {
  return kind === "reject_once" || kind === "reject_always";
}

/** What a tool call is called when it has neither title nor name. */
export const KIND_LABELS: Record<ToolKind, string> = {
  read: "Read",
  edit: "Edit",
  delete: "Delete",
  move: "Move",
  search: "Search",
  execute: "Run a command",
  think: "Think",
  fetch: "Fetch",
  switch_mode: "Switch mode",
  other: "Tool call",
};

/** Kinds that change something: a call that did so without a question says it. */
export const KINDS_TO_ASK_FOR: readonly string[] = ["edit", "delete", "move", "execute"];
/** Kinds whose output is what a program or a file says: shown letter by letter, never as markdown. */
export const LITERAL_KINDS: readonly string[] = ["execute", "read", "search"];

/** What an option of this kind does, in words. */
export const OPTION_WORDS: Record<string, string> = {
  allow_once: "allows once",
  allow_always: "allows always",
  reject_once: "rejects once",
  reject_always: "rejects always",
};

/** What became of a permission, by the kind of the chosen option. */
export const DECISION_WORDS: Record<string, string> = {
  allow_once: "Allowed once",
  allow_always: "Always allowed",
  reject_once: "Rejected",
  reject_always: "Always rejected",
};

const ALLOW_WORDS = /\b(allow(ed|s)?|yes|approved?|accept|ok(ay)?|permit|proceed|run|continue|grant)\b/i;
const REJECT_WORDS = /\b(reject(ed|s)?|no|not|don['’]?t|never|den(y|ied)|declined?|refuse|cancel|skip|abort|stop)\b/i;
const ALWAYS_WORDS = /\b(always|never|session|again|all|every|remember|forever)\b/i;

/** True when the name of an option leaves no doubt about its kind. */
export function nameSaysKind(name: string, kind: string): boolean {
  const rejects = REJECT_WORDS.test(name.replace(/don['’]?t ask( me)?( again)?/i, "always"));
  if (isAllow(kind) && (rejects || !ALLOW_WORDS.test(name))) return false;
  if (isReject(kind) && !rejects) return false;
  if (!isAllow(kind) && !isReject(kind)) return false;
  return !kind.endsWith("_always") || ALWAYS_WORDS.test(name);
}
