import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isUnderWay } from "../actions.ts";
import { useApp } from "./context.ts";
import { Icon } from "./Icon.tsx";

/** Seconds after which an agent that does not stop can be ended by force. */
const PATIENCE = 5;

/** True once something has gone on for so many seconds. */
function useLong(on: boolean, seconds: number): boolean {
  const [long, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (!on) return;
    const timer = setTimeout(() => setLong(true), seconds * 1000);
    return () => clearTimeout(timer);
  }, [on, seconds]);
  return on && long;
}

export function Stop(): VNode | null {
  const { store, link, actions } = useApp();
  const cancelling = store.single("session").value.cancelling;
  const stubborn = useLong(cancelling, PATIENCE);
  if (link.connection.value !== "live") return null;
  const action = actions.state("cancel").value;
  const wait = link.wait.value;
  const unread = wait.waiting && !wait.clicks;
  const stopping = cancelling || isUnderWay(action);
  return (
    <>
      {stubborn && (
        <button
          type="button"
          class="acp-restart"
          aria-disabled={isUnderWay(actions.state("restart").value)}
          onClick={() => actions.restart()}
          title="The agent has not stopped. This ends its process and starts it again; the transcript stays."
        >
          End it and start again
        </button>
      )}
      {action.phase === "slow" && <span class="acp-wait">The kernel is busy; it stops when messages are read.</span>}
      {unread && action.phase !== "slow" && <span class="acp-wait">Clicks are read when the cell ends.</span>}
      {action.error && <span class="acp-bad">{action.error}</span>}
      <button
        type="button"
        class="acp-quiet acp-stop"
        aria-disabled={stopping}
        onClick={() => actions.cancel()}
        aria-label={stopping ? "Stopping…" : "Stop"}
        title="Interrupts the agent; open questions are answered 'cancelled'"
      >
        <Icon name="stop" /> <span class="acp-stop-word">{stopping ? "Stopping…" : "Stop"}</span>
      </button>
    </>
  );
}
