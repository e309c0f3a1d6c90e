import type { RefObject, TargetedEvent } from "preact";
import { useId, useState } from "preact/hooks";
import type { Completion } from "./CompletionList.tsx";
import { commandsOf, completions } from "./commands.ts";
import { useApp } from "./context.ts";
import { type Mentions, useMentions } from "./use_mentions.ts";

interface Completing {
  list: string;
  items: readonly Completion[];
  /** The place of the one that Enter takes. */
  active: number;
  open: boolean;
  commands: readonly Completion[];
  /** The command that stands in the draft in full. */
  chosen: Completion | undefined;
  mentions: Mentions;
  take: (item: Completion) => void;
  close: () => void;
  /** True for a key that belongs to the list. */
  onKey: (event: KeyboardEvent) => boolean;
  onInput: (event: TargetedEvent<HTMLTextAreaElement>) => void;
  onMove: (event: TargetedEvent<HTMLTextAreaElement>) => void;
}

/** The list below a draft: commands after a "/", variables and files after an "@". `live`: the draft can be written. */
export function useCompletion(
  draft: string,
  setDraft: (draft: string) => void,
  area: RefObject<HTMLTextAreaElement | null>,
  live: boolean,
): Completing {
  const { store } = useApp();
  // Where something was typed. Taking one and leaving the list close it, until something is typed.
  const [caret, setCaret] = useState<number | null>(null);
  /** The one that the reader went to; none: the first. */
  const [reached, setReached] = useState<string | null>(null);
  const list = useId();
  const typing = live ? caret : null;
  const mentions = useMentions(draft, typing);
  const { typed } = mentions;
  const commands = commandsOf(store.single("commands").value);
  const items = typed ? mentions.items : typing === null ? [] : completions(draft, commands);
  const active = Math.max(
    0,
    items.findIndex(({ label }) => label === reached),
  );
  const chosen = commands.find(({ label }) => label === draft.trim());

  const close = (): void => setCaret(null);
  const write = (text: string, at: number | null): void => {
    setDraft(text);
    setCaret(at);
    setReached(null);
  };
  const take = (item: Completion, goOn = false): void => {
    const element = area.current;
    if (!element) return;
    mentions.took(item);
    const [from, to] = typed ? [typed.from, typed.to] : [0, draft.length];
    const rest = draft.slice(to);
    // No gap where there is one, nor before what closes a sentence. Inside of a folder the list goes on.
    const text = goOn || /^[\s)\]}.,;:!?]/.test(rest) ? item.text.trimEnd() : item.text;
    element.setRangeText(text, from, to, "end");
    write(element.value, goOn ? from + text.length : null);
    element.focus();
  };
  // Enter sends a command whose name stands there in full.
  const onKey = ({ key, shiftKey, isComposing }: KeyboardEvent): boolean => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const item = items[active];
    if (item === undefined || isComposing || shiftKey) return false;
    if (step !== undefined) setReached(items[(active + step + items.length) % items.length]?.label ?? null);
    else if (key === "Escape") close();
    else if (key === "Tab") take(item, typed !== null && item.label.endsWith("/"));
    else if (key === "Enter" && (typed || !chosen || active > 0)) take(item);
    else return false;
    return true;
  };
  return {
    ...{ list, items, active, open: items.length > 0, commands, chosen, mentions, take, close, onKey },
    onInput: ({ currentTarget }) => write(currentTarget.value, currentTarget.selectionStart),
    onMove: ({ currentTarget }) => {
      if (currentTarget.selectionStart !== caret) close();
    },
  };
}
