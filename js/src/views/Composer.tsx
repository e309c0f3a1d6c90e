import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { BUSY_KERNEL, isUnderWay } from "../actions.ts";
import { plural } from "../lib/time.ts";
import type { Connection } from "../link.ts";
import type { Session } from "../types.ts";
import { Chips } from "./Chips.tsx";
import { CompletionList, optionId } from "./CompletionList.tsx";
import { useApp } from "./context.ts";
import { useCompletion } from "./use_completion.ts";
import { Visible } from "./Visible.tsx";
import { WithCode } from "./WithCode.tsx";
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
  const wait = link.wait.value;
  const unread = reason === null && wait.waiting && !wait.clicks && "A cell is running. A prompt is read when it ends.";
  const ready = reason === null && !sending && draft.trim() !== "";
  const completion = useCompletion(draft, setDraft, area, reason === null && !sending);
  const { list, items, active, open, commands, chosen, mentions } = completion;
  const placeholder = reason ?? `Ask the agent…   @ attaches${commands.length > 0 ? ", / for commands" : ""}`;

  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(160, element.scrollHeight + 2)}px`;
  }, [draft, placeholder]);

  const send = (): void => {
    if (!ready) return;
    const sent = () => {
      setDraft("");
      mentions.forget();
    };
    actions.prompt(draft, sent, mentions.attached());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (completion.onKey(event)) {
      event.preventDefault();
      return;
    }
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
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={open ? list : undefined}
        aria-activedescendant={open ? optionId(list, active) : undefined}
        placeholder={placeholder}
        onInput={completion.onInput}
        onClick={completion.onMove}
        onKeyUp={completion.onMove}
        onFocus={mentions.refresh}
        onBlur={completion.close}
        onKeyDown={onKeyDown}
      />
      <button
        type="button"
        class={reason === null ? "acp-primary" : ""}
        disabled={!ready}
        onClick={send}
        title={busy ? "Sent when the agent is free" : "Enter sends, Shift+Enter begins a line"}
      >
        {sending ? "Sending…" : busy && reason === null ? "Queue" : "Send"}
      </button>
      {open && (
        <CompletionList
          id={list}
          label={mentions.typed ? "Variables and files" : "Commands"}
          items={items}
          more={mentions.typed ? mentions.more : ""}
          active={active}
          take={completion.take}
        />
      )}
      <span class="acp-hidden" role="status">
        {open && plural(items.length, mentions.typed ? "name" : "command")}
      </span>
      {reason === null && (
        <Chips
          chips={mentions.chips}
          remove={(name) => {
            if (sending) return;
            mentions.remove(name);
            area.current?.focus(); // the button is gone
          }}
        />
      )}
      {chosen?.hint && !open && (
        <p class="acp-dim">
          <Visible text={`${chosen.label} takes: ${chosen.hint}`} oneLine />
        </p>
      )}
      {unread && <p class="acp-wait">{unread}</p>}
      {reason === null && !sending && !unread && mentions.trouble && <p class="acp-wait">{mentions.trouble}</p>}
      {action.phase === "slow" && <p class="acp-wait">{BUSY_KERNEL.replace("answer", "prompt")}</p>}
      {action.error !== null && (
        <p class="acp-bad" role="alert">
          <WithCode text={action.error} />
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
  lost: "The kernel was disconnected. Run the cells again, from the first one",
};

/** Why no prompt can be sent, or null. */
function whyNot(connection: Connection, session: Session): string | null {
  if (NO_LINE[connection] !== null) return NO_LINE[connection];
  if (session.connection === "closed") return "The session is closed";
  if (session.connection === "failed") return "The agent has ended";
  return null;
}
