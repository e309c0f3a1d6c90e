import { clock } from "../lib/time.ts";
import { DECISION_WORDS, isAllow, isReject } from "../lib/words.ts";
import type { Permission } from "../types.ts";

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
  const reason = why ? ` (${why.replace(/\.$/, "")})` : "";
  if (status === "cancelled") {
    return { sign: "minus", text: `${CANCELLED[by ?? ""] ?? "Cancelled"}${when}${reason}` };
  }
  const chosen = permission.options.filter((each) => each.optionId === permission.optionId);
  // Two options of one id: nobody can say which of them was meant.
  const one = new Set(chosen.map((option) => option.kind)).size === 1 ? chosen[0] : undefined;
  const kind = one?.kind ?? "";
  const verb = DECISION_WORDS[kind] ?? `Answered “${one?.name || (permission.optionId ?? "")}”`;
  const sign = isAllow(kind) ? "allow_once" : isReject(kind) ? "reject_once" : "minus";
  return { sign, text: `${verb} ${BY[by ?? ""] ?? ""}`.trimEnd() + when + reason };
}
