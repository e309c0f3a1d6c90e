import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { isUnderWay } from "../actions.ts";
import { isObject, stringAt } from "../lib/json.ts";
import { duration, plural } from "../lib/time.ts";
import { groupOf } from "../state.ts";
import type { GroupName, Turn as TurnState } from "../types.ts";
import { type App, useApp } from "./context.ts";
import { Guard } from "./Guard.tsx";
import { Icon } from "./Icon.tsx";
import { Compaction, Notice, UnknownUpdate } from "./Lines.tsx";
import { Message, UserBubble } from "./Message.tsx";
import { Permission } from "./Permission.tsx";
import { Plan } from "./Plan.tsx";
import { Terminal } from "./Terminal.tsx";
import { ToolCall } from "./ToolCall.tsx";
import { Visible } from "./Visible.tsx";
import "./Turn.css";

type EntryView = (props: { id: string }) => ReturnType<typeof Message>;

/** What draws an entry of the timeline. */
const ENTRIES: Partial<Record<GroupName, EntryView>> = {
  messages: Message,
  toolCalls: ToolCall,
  permissions: Permission,
  plans: Plan,
  notices: Notice,
  compactions: Compaction,
  unknownUpdates: UnknownUpdate,
};

/** Entries of a turn ("" for what came before the first), in order of first sight. */
export function Entries({ turn }: { turn: string }): VNode {
  const keys = useApp().store.places(turn).value;
  return (
    <>
      {keys.map((key) => {
        const View = ENTRIES[groupOf(key) ?? "turns"];
        return View ? (
          <div key={key} class={`acp-entry acp-entry-${key[0]}`}>
            <Guard what="An entry of the agent">
              <View id={key} />
            </Guard>
          </div>
        ) : null;
      })}
    </>
  );
}

/** A turn: its prompt, what belongs to it, and how it ended. */
export function TurnBody({ id }: { id: string }): VNode | null {
  const { store } = useApp();
  const turn = store.get("turns", id);
  if (!turn) return null;
  if (turn.status === "queued" || turn.status === "not_sent") return <Queued id={id} turn={turn} />;
  const echoed = turn.echo !== null && store.get("messages", turn.echo) !== undefined;
  return (
    <>
      {turn.prompt !== null && !echoed && (
        <div class="acp-entry">
          <UserBubble blocks={turn.prompt} />
        </div>
      )}
      {turn.prompt === null && <div class="acp-done">The agent began by itself</div>}
      <Entries turn={id} />
      <Guard what="The end of this turn">
        <LooseTerminals turn={id} />
        <End id={id} turn={turn} />
      </Guard>
    </>
  );
}

function promptText(turn: TurnState): string {
  return (turn.prompt ?? []).map((block) => stringAt(block, "text") ?? `[${block.type}]`).join("");
}

function Queued({ id, turn }: { id: string; turn: TurnState }): VNode {
  const { store, link, actions } = useApp();
  const live = link.connection.value === "live";
  const queued = turn.status === "queued";
  const removing = actions.state(`unqueue ${id}`).value;
  const again = actions.state("prompt").value;
  const [resent, setResent] = useState(false);
  const { connection, error } = store.single("session").value;
  const why = turn.error?.message ?? null;
  return (
    <div class="acp-queue">
      <Icon name={queued ? "hourglass" : "reject_always"} />
      <span>
        {queued ? "Queued" : notSent(why)}: “
        <Visible text={promptText(turn)} />”
      </span>
      {live && queued && (
        <button
          type="button"
          class="acp-quiet"
          aria-disabled={isUnderWay(removing)}
          onClick={() => actions.unqueue(id)}
        >
          {isUnderWay(removing) ? "Removing…" : "Remove"}
        </button>
      )}
      {live && !queued && !resent && connection !== "closed" && (
        <button
          type="button"
          class="acp-quiet"
          aria-disabled={isUnderWay(again)}
          onClick={() => actions.prompt(promptText(turn), () => setResent(true))}
        >
          Send now
        </button>
      )}
      {removing.error && <span class="acp-bad">{removing.error}</span>}
      {!queued && isLong(why) && why !== error?.message && (
        <span class="acp-bad">
          <Visible text={why} />
        </span>
      )}
    </div>
  );
}

/** Why a prompt was not sent: our own words in the line, a whole story below it. */
function notSent(why: string | null): string {
  if (why === null || why === "you stopped the turn") return "Not sent, the turn was stopped";
  return isLong(why) ? "Not sent" : `Not sent, ${why}`;
}

function isLong(why: string | null): why is string {
  return why !== null && !/^[a-z][^.]{0,40}$/.test(why);
}

/** Terminals of an ended turn that no tool call shows. */
function LooseTerminals({ turn }: { turn: string }): VNode | null {
  const { store } = useApp();
  if (store.get("turns", turn)?.at.end == null) return null;
  const own = store.keys("terminals").value.filter((key) => store.get("terminals", key)?.turn === turn);
  if (own.length === 0) return null;
  const shown = new Set<string>();
  for (const key of store.keys("toolCalls").value) {
    for (const item of store.get("toolCalls", key)?.content ?? []) {
      if (item.type === "terminal") shown.add(`x:${stringAt(item, "terminalId") ?? ""}`);
    }
  }
  const loose = own.filter((key) => !shown.has(key));
  return (
    <>
      {loose.map((key) => (
        <div key={key} class="acp-call">
          <Terminal id={key} />
        </div>
      ))}
    </>
  );
}

// ---- the end

const STOPS: Record<string, string> = {
  max_tokens: "Ended early: the limit of tokens was reached",
  max_turn_requests: "Ended early: the limit of requests for one turn was reached",
  refusal: "The agent refused. It forgets this prompt and what followed",
};

function End({ id, turn }: { id: string; turn: TurnState }): VNode | null {
  const app = useApp();
  const { sent, end } = turn.at;
  if (end === null) return null;
  const time = sent === null ? "" : duration(end - sent);
  const reason = turn.stopReason;
  if (turn.status === "failed" || turn.error !== null || reason === "error") return <Failed app={app} turn={turn} />;
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

function Failed({ app, turn }: { app: App; turn: TurnState }): VNode {
  const session = app.store.single("session").value;
  const live = app.link.connection.value === "live" && !["failed", "closed"].includes(session.connection);
  const message =
    turn.error?.message ?? stringAt(app.store.single("state").value.error, "message") ?? "no reason given";
  // An error of ours has no code, and a card of its own while it stands.
  const ours = turn.stopReason !== "error" && turn.error !== null && turn.error.code === null;
  return (
    <div class="acp-done acp-bad">
      <span>
        {ours ? "Not finished: " : "The agent reported an error: "}
        <Visible text={message} />{" "}
      </span>
      {live && turn.prompt !== null && (
        <button type="button" onClick={() => app.actions.prompt(promptText(turn))}>
          Send again
        </button>
      )}
    </div>
  );
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
    calls.length > 0 ? plural(calls.length, "tool call") : "",
    files.size > 0 ? `${plural(files.size, "file")} changed` : "",
    decisions > 0 ? plural(decisions, "decision") : "",
  ].filter(Boolean);
}
