import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { isUnderWay } from "../actions.ts";
import { stringAt } from "../lib/json.ts";
import { plural } from "../lib/time.ts";
import type { Turn as TurnState } from "../types.ts";
import { useApp } from "./context.ts";
import { Icon } from "./Icon.tsx";
import { aboutOf } from "./Message.tsx";
import { Visible } from "./Visible.tsx";
import { WithCode } from "./WithCode.tsx";
import "./Queued.css";

/** What a user wrote, in quotes, and how many objects go with it. */
function Prompt({ turn }: { turn: TurnState }): VNode {
  const blocks = turn.prompt ?? [];
  const written = blocks.filter((block) => turn.source === null || aboutOf(block) === null);
  const text = written.map((block) => stringAt(block, "text") ?? `[${block.type}]`).join("");
  const more = blocks.length - written.length;
  return (
    <>
      “<Visible text={text} />”{more > 0 && ` with ${plural(more, "attachment")}`}
    </>
  );
}

/** The prompts that wait for the agent, above the composer of a panel. */
export function Queue(): VNode | null {
  const { store } = useApp();
  const waiting = store.keys("turns").value.flatMap((id) => {
    const turn = store.get("turns", id);
    return turn?.status === "queued" ? [{ id, turn }] : [];
  });
  if (waiting.length === 0) return null;
  return (
    <div class="acp-waiting" role="group" aria-label="Queued prompts">
      {waiting.map(({ id, turn }) => (
        <Queued key={id} id={id} turn={turn} />
      ))}
    </div>
  );
}

/** A prompt that was not sent, or not yet. */
export function Queued({ id, turn }: { id: string; turn: TurnState }): VNode {
  const { store, link, actions } = useApp();
  const live = link.connection.value === "live" && store.single("player").value === null;
  const queued = turn.status === "queued";
  const removing = actions.state(`unqueue ${id}`).value;
  const again = actions.state("prompt").value;
  const [resent, setResent] = useState(false);
  const [asked, setAsked] = useState(false); // here, and not in the composer
  const { connection, error } = store.single("session").value;
  const why = turn.error?.message ?? null;
  return (
    <div class="acp-queue">
      <Icon name={queued ? "hourglass" : "reject_always"} />
      <span>
        {queued ? "Queued" : notSent(why)}: <Prompt turn={turn} />
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
          onClick={() => {
            setAsked(true);
            actions.again(id, () => setResent(true));
          }}
        >
          {asked && isUnderWay(again) ? "Sending…" : "Send now"}
        </button>
      )}
      {(removing.phase === "slow" || (asked && again.phase === "slow")) && <span class="acp-wait">{WAITS}</span>}
      {asked && !resent && again.error && (
        <span class="acp-bad">
          <WithCode text={again.error} />
        </span>
      )}
      {removing.error && <span class="acp-bad">{removing.error}</span>}
      {!queued && isLong(why) && why !== error?.message && (
        <span class="acp-bad">
          <WithCode text={why} />
        </span>
      )}
    </div>
  );
}

const WAITS = "The kernel is busy; it is done when messages are read.";

/** Why a prompt was not sent: our own words in the line, a whole story below it. */
function notSent(why: string | null): string {
  if (why === null || why === "you stopped the turn") return "Not sent, the turn was stopped";
  return isLong(why) ? "Not sent" : `Not sent, ${why}`;
}

function isLong(why: string | null): why is string {
  return why !== null && !/^[a-z][^.]{0,40}$/.test(why);
}
