import type { VNode } from "preact";
import { BUSY_KERNEL } from "../actions.ts";
import { useApp } from "./context.ts";

interface Props {
  id: string;
  reached: boolean;
  /** The last press came too soon. */
  early: boolean;
  expand: () => void;
}

/** Why nothing can be pressed, or what became of a press. */
export function Reason({ id, reached, early, expand }: Props): VNode {
  const app = useApp();
  const connection = app.link.connection.value;
  const { phase, error } = app.actions.state(id).value;
  const wait = app.link.wait.value;
  if (phase === "refused" || phase === "unsent") {
    return (
      <span class="acp-bad" role="alert">
        {error}
      </span>
    );
  }
  if (phase === "slow") return <span class="acp-wait">{BUSY_KERNEL}</span>;
  if (phase === "sent" || phase === "taken") return <span class="acp-dim">Sending…</span>;
  if (connection === "silent") return <span class="acp-wait">The kernel does not answer: it is busy, or gone.</span>;
  if (!reached) {
    return (
      <span class="acp-wait">
        Read to the end first{" "}
        <button type="button" onClick={expand}>
          Expand
        </button>
      </span>
    );
  }
  if (early) {
    return (
      <span class="acp-wait" role="alert">
        Not sent: this came or moved just then. Press again.
      </span>
    );
  }
  if (wait.waiting && !wait.clicks) return <span class="acp-wait">Clicks are read when the cell ends</span>;
  if (wait.waiting) return <span class="acp-dim">the cell is waiting for your answer</span>;
  return <span />;
}
