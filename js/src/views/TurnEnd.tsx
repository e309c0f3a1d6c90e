import type { VNode } from "preact";
import { isObject, stringAt } from "../lib/json.ts";
import { duration, plural, short } from "../lib/time.ts";
import { groupOf } from "../state.ts";
import type { Turn as TurnState } from "../types.ts";
import { type App, latestTurn, useApp } from "./context.ts";
import { Visible } from "./Visible.tsx";
import { WithCode } from "./WithCode.tsx";

const STOPS: Record<string, string> = {
  max_tokens: "Ended early: the limit of tokens was reached",
  max_turn_requests: "Ended early: the limit of requests for one turn was reached",
  refusal: "The agent refused. It forgets this prompt and what followed",
};

export function TurnEnd({ id, turn }: { id: string; turn: TurnState }): VNode | null {
  const app = useApp();
  const { sent, end } = turn.at;
  if (end === null) return null;
  const time = sent === null ? "" : duration(end - sent);
  const reason = turn.stopReason;
  if (turn.status === "failed" || turn.error !== null || reason === "error")
    return <Failed app={app} id={id} turn={turn} />;
  if (reason === "cancelled") {
    const words = endedByDismissal(app, id)
      ? `Ended after a dismissed question${time && ` · ${time}`}`
      : `Stopped by you${time && ` after ${time}`}`;
    return <div class="acp-done">{words}</div>;
  }
  const known = reason !== null && Object.hasOwn(STOPS, reason) ? STOPS[reason] : undefined;
  const opening =
    known ?? (reason === null || reason === "end_turn" ? `Done${time && ` in ${time}`}` : `Stopped: ${reason}`);
  return (
    <div class={`acp-done${known ? " acp-wait" : ""}`}>
      <Visible text={[opening, ...counts(app, id)].join(" · ")} oneLine />
    </div>
  );
}

/** True when a question of this turn was dismissed, and none was settled by a stop: an agent may end its turn then. */
function endedByDismissal({ store }: App, turn: string): boolean {
  const questions = store.keys("permissions").value.map((key) => store.get("permissions", key));
  const left = questions.filter((each) => each?.turn === turn && each.status === "cancelled").map((each) => each?.by);
  return left.length > 0 && !left.some((by) => by === "stop" || by === "end" || by === "agent");
}

function Failed({ app, id, turn }: { app: App; id: string; turn: TurnState }): VNode {
  const session = app.store.single("session").value;
  const replay = app.store.single("player").value !== null;
  const live = app.link.connection.value === "live" && !replay && !["failed", "closed"].includes(session.connection);
  const message =
    turn.error?.message ?? stringAt(app.store.single("state").value.error, "message") ?? "no reason given";
  // An error of ours has no code, and a card of its own while it stands.
  const ours = turn.stopReason !== "error" && turn.error !== null && turn.error.code === null;
  return (
    <div class="acp-done acp-bad">
      <span>
        {ours ? "Not finished: " : "The agent reported an error: "}
        <WithCode text={ours && message === session.error?.message ? session.error.title : message} />{" "}
      </span>
      {live && turn.prompt !== null && (
        <button type="button" onClick={() => app.actions.again(id)}>
          Send again
        </button>
      )}
    </div>
  );
}

/** What the newest turn took, where the agent told. */
function tokens(store: App["store"], id: string): string {
  const { busy, usage } = store.single("state").value;
  const total = isObject(usage) ? usage.totalTokens : null;
  return !busy && latestTurn(store) === id && typeof total === "number" ? `${short(total)} tokens` : "";
}

/** "3 tool calls", "1 file changed", "2 decisions": what is none is not said. */
function counts({ store }: App, id: string): string[] {
  const calls = store.places(id).value.filter((key) => groupOf(key) === "toolCalls");
  const files = new Set<string>();
  for (const key of calls) {
    const call = store.get("toolCalls", key);
    if (call?.status !== "completed") continue;
    for (const item of call.content) {
      const changes = item.type === "diff" && Array.isArray(item.changes) ? item.changes.filter(isObject) : [];
      for (const change of changes) files.add(stringAt(change, "path") ?? "");
    }
  }
  const decisions = store.keys("permissions").value.filter((key) => store.get("permissions", key)?.turn === id).length;
  return [
    tokens(store, id),
    calls.length > 0 ? plural(calls.length, "tool call") : "",
    files.size > 0 ? `${plural(files.size, "file")} changed` : "",
    decisions > 0 ? plural(decisions, "decision") : "",
  ].filter(Boolean);
}
