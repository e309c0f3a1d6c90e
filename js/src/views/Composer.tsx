import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { BUSY_KERNEL, isUnderWay } from "../actions.ts";
import type { Connection } from "../link.ts";
import type { Session } from "../types.ts";
import { useApp } from "./context.ts";
import { Visible } from "./Visible.tsx";
import "./Composer.css";

/** Where the next prompt is written. Enter sends, Shift+Enter begins a line. */
export function Composer(): VNode {
  const { store, link, actions } = useApp();
  const [draft, setDraft] = useState("");
  const area = useRef<HTMLTextAreaElement>(null);
  const session = store.single("session").value;
  const busy = store.single("state").value.busy || hasOpenTurn(store.keys("turns").value, store);
  const action = actions.state("prompt").value;
  const reason = whyNot(link.connection.value, session);
  const sending = isUnderWay(action);
  const ready = reason === null && !sending && draft.trim() !== "";

  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(160, element.scrollHeight + 2)}px`;
  }, [draft]);

  const send = (): void => {
    if (ready) actions.prompt(draft, () => setDraft(""));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!event.repeat) send();
  };
  return (
    <footer class="acp-composer">
      <textarea
        ref={area}
        rows={1}
        value={draft}
        disabled={reason !== null}
        readOnly={sending}
        aria-label="Prompt"
        placeholder={reason ?? "Ask the agent…"}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <button
        type="button"
        class="acp-primary"
        disabled={!ready}
        onClick={send}
        title={busy ? "Sent when the agent is free" : "Enter sends, Shift+Enter begins a line"}
      >
        {sending ? "Sending…" : busy && reason === null ? "Queue" : "Send"}
      </button>
      {action.phase === "slow" && <p class="acp-wait">{BUSY_KERNEL.replace("answer", "prompt")}</p>}
      {action.error !== null && (
        <p class="acp-bad" role="alert">
          <Visible text={action.error} />
        </p>
      )}
    </footer>
  );
}

function hasOpenTurn(keys: readonly string[], store: ReturnType<typeof useApp>["store"]): boolean {
  const last = keys[keys.length - 1];
  const turn = last === undefined ? undefined : store.get("turns", last);
  return turn !== undefined && (turn.status === "sent" || turn.status === "running");
}

const NO_LINE: Record<Connection, string | null> = {
  connecting: "Connecting to the kernel…",
  live: null,
  saved: "Saved with the notebook; run the cell again for a live session",
  silent: "The kernel does not answer: it is busy, or gone",
  lost: "The kernel was disconnected",
};

/** Why no prompt can be sent, or null. */
function whyNot(connection: Connection, session: Session): string | null {
  if (NO_LINE[connection] !== null) return NO_LINE[connection];
  if (session.connection === "closed") return "The session is closed";
  if (session.connection === "failed") return "The agent has ended";
  return null;
}
