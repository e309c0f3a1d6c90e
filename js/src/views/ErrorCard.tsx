import type { VNode } from "preact";
import { isUnderWay } from "../actions.ts";
import { plural } from "../lib/time.ts";
import { CopyButton } from "./CopyButton.tsx";
import { useApp } from "./context.ts";
import { Visible } from "./Visible.tsx";
import { WithCode } from "./WithCode.tsx";
import "./Card.css";
import "./ErrorCard.css";

/** The agent did not start, or died: what, why, and what to do. */
export function ErrorCard(): VNode | null {
  const { store, link, actions } = useApp();
  const session = store.single("session").value;
  const error = session.error;
  if (session.connection !== "failed" || !error) return null;
  const restart = actions.state("restart").value;
  const live = link.connection.value === "live" && store.single("player").value === null;
  const lines = error.stderr ? error.stderr.replace(/\n$/, "").split("\n").length : 0;
  return (
    <div class="acp-card acp-error" role="alert">
      <h4>
        <WithCode text={error.title} />
      </h4>
      <p>
        <WithCode text={error.message} />
      </p>
      {error.hint && (
        <p class="acp-dim">
          <WithCode text={error.hint} />
        </p>
      )}
      {error.stderr && (
        <pre tabIndex={0}>
          <Visible text={error.stderr} />
        </pre>
      )}
      <div class="acp-card-row">
        {live && (
          <button type="button" aria-disabled={isUnderWay(restart)} onClick={() => actions.restart()}>
            {isUnderWay(restart) ? "Starting…" : "Start again"}
          </button>
        )}
        {lines > 0 && <CopyButton text={error.stderr} label={`Copy stderr (${plural(lines, "line")})`} />}
        {restart.error && (
          <span class="acp-bad">
            <WithCode text={restart.error} />
          </span>
        )}
      </div>
    </div>
  );
}
