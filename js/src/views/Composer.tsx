import type { VNode } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { BUSY_KERNEL, isUnderWay } from "../actions.ts";
import { plural } from "../lib/time.ts";
import type { Connection } from "../link.ts";
import type { Session } from "../types.ts";
import { type Completion, CompletionList, commandsOf, completions, optionId } from "./Commands.tsx";
import { useApp } from "./context.ts";
import { Visible } from "./Visible.tsx";
import { WithCode } from "./WithCode.tsx";
import "./Composer.css";

/** Where the next prompt is written. Enter sends, Shift+Enter begins a line. */
export function Composer(): VNode {
  const { store, link, actions } = useApp();
  const [draft, setDraft] = useState("");
  const [active, setActive] = useState(0);
  const [closed, setClosed] = useState(false);
  const list = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const session = store.single("session").value;
  const busy = store.single("state").value.busy || hasOpenTurn(store.keys("turns").value, store);
  const action = actions.state("prompt").value;
  const reason = whyNot(link.connection.value, session);
  const sending = isUnderWay(action);
  const wait = link.wait.value;
  const unread = reason === null && wait.waiting && !wait.clicks && "A cell is running. A prompt is read when it ends.";
  const ready = reason === null && !sending && draft.trim() !== "";

  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(160, element.scrollHeight + 2)}px`;
  }, [draft]);

  // Taking one and leaving the list close it, until something is typed.
  const commands = commandsOf(store.single("commands").value);
  const items = closed || reason !== null || sending ? [] : completions(draft, commands);
  const open = items.length > 0;
  const chosen = commands.find(({ label }) => label === draft.trim());

  /** True for a key that belongs to the list. Enter sends a command whose name stands there in full. */
  const complete = ({ key, shiftKey, isComposing }: KeyboardEvent): boolean => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const item = items[active];
    if (item === undefined || isComposing || shiftKey) return false;
    if (step !== undefined) setActive((active + step + items.length) % items.length);
    else if (key === "Escape") setClosed(true);
    else if (key === "Tab" || (key === "Enter" && !(chosen && active === 0))) take(item);
    else return false;
    return true;
  };
  const send = (): void => {
    if (ready) actions.prompt(draft, () => setDraft(""));
  };
  const write = (text: string): void => {
    setDraft(text);
    setActive(0);
    setClosed(false);
  };
  const take = (item: Completion): void => {
    write(item.text);
    setClosed(true);
    area.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (complete(event)) {
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
        aria-autocomplete={commands.length > 0 ? "list" : undefined}
        aria-haspopup={commands.length > 0 ? "listbox" : undefined}
        aria-controls={open ? list : undefined}
        aria-activedescendant={open ? optionId(list, active) : undefined}
        placeholder={reason ?? `Ask the agent…${commands.length > 0 ? "   / for commands" : ""}`}
        onInput={(event) => write(event.currentTarget.value)}
        onBlur={() => setClosed(true)}
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
      {open && <CompletionList id={list} label="Commands" items={items} active={active} take={take} />}
      <span class="acp-hidden" role="status">
        {open && plural(items.length, "command")}
      </span>
      {chosen?.hint && !open && (
        <p class="acp-dim">
          <Visible text={`${chosen.label} takes: ${chosen.hint}`} oneLine />
        </p>
      )}
      {unread && <p class="acp-wait">{unread}</p>}
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
