import { stringAt } from "../lib/json.ts";
import { exitOf } from "../lib/raw_output.ts";
import { isFinal, isReject, KINDS_TO_ASK_FOR } from "../lib/words.ts";
import type { Permission, ToolCall } from "../types.ts";
import { type App, unheard } from "./context.ts";
import type { IconName } from "./Icon.tsx";

export interface CallState {
  icon: IconName;
  tone: "ok" | "bad" | "run" | "wait" | "dim";
  word: string;
  /** It opens by itself. */
  matters: boolean;
  running: boolean;
}

const STATES: Record<string, CallState> = {
  pending: { icon: "circle", tone: "dim", word: "pending", matters: false, running: true },
  in_progress: { icon: "spinner", tone: "run", word: "running", matters: true, running: true },
  paused: { icon: "pause", tone: "wait", word: "paused", matters: false, running: true },
  completed: { icon: "allow_once", tone: "ok", word: "", matters: false, running: false },
  failed: { icon: "reject_once", tone: "bad", word: "failed", matters: true, running: false },
  cancelled: { icon: "minus", tone: "dim", word: "cancelled", matters: false, running: false },
};

const still = (icon: IconName, tone: CallState["tone"], word: string): CallState => {
  return { icon, tone, word, matters: false, running: false };
};

/** How a call stands, by what the agent says, by its questions, and by its turn (as `session/running.py` has it). */
export function stateOf(app: App, call: ToolCall, asked: readonly Permission[]): CallState {
  const deaf = unheard(app);
  if (isAsking(asked))
    return { ...still("circle", deaf ? "dim" : "wait", deaf ? "not answered" : "waiting for you"), matters: true };
  const over = isFinal(call.status);
  if ((!over || call.status === "failed") && isRejected(call, asked)) return still("reject_once", "dim", "rejected");
  if (!over) {
    const end = isCurrent(app, call) ? deaf : "the turn ended";
    if (end)
      return {
        ...still("circle", "dim", `not finished when ${end}`),
        matters: end === deaf && call.status === "in_progress",
      };
  }
  const known = Object.hasOwn(STATES, call.status) ? STATES[call.status] : undefined;
  return known ?? { icon: "spinner", tone: "run", word: call.status, matters: false, running: true };
}

export function isAsking(asked: readonly Permission[]): boolean {
  return asked.some((permission) => permission.status === "pending");
}

/** The last answer was a no, and it has not begun since. */
function isRejected(call: ToolCall, asked: readonly Permission[]): boolean {
  const last = asked[asked.length - 1];
  if (last?.status !== "selected") return false;
  const chosen = last.options.filter((option) => option.optionId === last.optionId);
  if (chosen.length === 0 || !chosen.every((option) => isReject(option.kind))) return false;
  return call.at.start === null || last.at.end === null || call.at.start <= last.at.end;
}

/** False when the turn of an unfinished call has ended, and the agent does not report it as background work. */
function isCurrent(app: App, call: ToolCall): boolean {
  const session = app.store.single("session").value;
  if (session.connection === "closed" || session.connection === "failed") return false;
  const turn = call.turn === null ? undefined : app.store.get("turns", call.turn);
  if (!turn || turn.at.end === null) return true;
  const background = app.store.single("state").value.background;
  if (Array.isArray(background)) return background.some((work) => stringAt(work, "toolCallId") === call.toolCallId);
  // Begun after its turn it is work of its own, unless a replay told of it, which comes before the session is ready.
  const { first, start } = call.at;
  const ready = session.at.ready;
  return first !== null && first > turn.at.end && (ready === null || first > ready) && start !== null;
}

/** True for a call that changes something and has run without a question. Of what is only replayed nobody knows. */
export function ranUnasked(app: App, call: ToolCall, asked: readonly Permission[]): boolean {
  const turn = call.turn === null ? undefined : app.store.get("turns", call.turn);
  const ran = ["in_progress", "completed", "failed"].includes(call.status);
  return ran && asked.length === 0 && turn?.at.sent != null && KINDS_TO_ASK_FOR.includes(call.kind);
}

/** How what a failed call ran has ended: "exit 2", or nothing. */
export function failureOf(app: App, call: ToolCall): string {
  if (call.status !== "failed") return "";
  for (const item of call.content) {
    const id = item.type === "terminal" ? stringAt(item, "terminalId") : null;
    const exit = id === null ? undefined : app.store.get("terminals", `x:${id}`)?.exitStatus;
    if (typeof exit?.exitCode === "number") return `exit ${exit.exitCode}`;
  }
  return exitOf(call.rawOutput);
}

/** True when the agent offers to stop this call alone, and it is not over. */
export function canStop(app: App, call: ToolCall, state: CallState): boolean {
  const offered = call.capabilities !== null && call.capabilities?.cancel != null;
  return offered && app.link.connection.value === "live" && (state.running || state.word === "waiting for you");
}
