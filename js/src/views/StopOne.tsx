import type { VNode } from "preact";
import { isUnderWay } from "../actions.ts";
import { useApp } from "./context.ts";
import { Icon } from "./Icon.tsx";
import { Visible } from "./Visible.tsx";

/** Cancels one tool call or terminal (its key); the turn goes on. */
export function StopOne({ id }: { id: string }): VNode | null {
  const { actions, store } = useApp();
  const cancelling = isUnderWay(actions.state(`stop ${id}`).value);
  if (store.single("player").value !== null) return null;
  return (
    <button
      type="button"
      class="acp-quiet acp-call-stop"
      aria-disabled={cancelling}
      onClick={() => (id.startsWith("x:") ? actions.cancelTerminal(id) : actions.cancelCall(id))}
      title="Asks the agent to cancel this alone"
    >
      <Icon name="stop" /> {cancelling ? "Cancelling…" : "Cancel this"}
    </button>
  );
}

/** What hinders that, if anything does. */
export function StopWords({ id }: { id: string }): VNode | null {
  const { phase, error } = useApp().actions.state(`stop ${id}`).value;
  if (phase !== "slow" && error === null) return null;
  return (
    <p class={`acp-call-said ${error === null ? "acp-wait" : "acp-bad"}`} role="status">
      <Visible text={error ?? "The kernel is busy; it is cancelled when messages are read."} oneLine />
    </p>
  );
}
