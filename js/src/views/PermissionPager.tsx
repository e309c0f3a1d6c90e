import type { RefObject, VNode } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { useApp } from "./context.ts";

type Card = HTMLElement | null;

/** The open questions of this view, from top to bottom. */
function cardsAround(card: Card): HTMLElement[] {
  return [...(card?.closest(".acp-widget")?.querySelectorAll<HTMLElement>("[data-permission]") ?? [])];
}

function go(card: Card, by: number): void {
  const cards = cardsAround(card);
  const at = cards.indexOf(card as HTMLElement);
  cards[(at + by + cards.length) % cards.length]?.focus();
}

/** Takes n and p to the next and the previous question. */
export function step(card: Card, { key, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
  const by = { n: 1, p: -1 }[key];
  if (by && !ctrlKey && !metaKey && !altKey) go(card, by);
}

/** "1 of 3 questions", and the ways to the others; nothing while there is one. */
export function Pager({ card }: { card: RefObject<HTMLElement | null> }): VNode | null {
  const pending = useApp().store.pendingPermissions.value;
  const [[at, of], setPlace] = useState<[number, number]>([0, 1]);
  useEffect(() => {
    const cards = cardsAround(card.current);
    setPlace([cards.indexOf(card.current as HTMLElement) + 1, cards.length]);
  }, [pending]);
  if (of < 2) return null;
  const to = (by: number, label: string, key: string): VNode => (
    <button type="button" class="acp-quiet" title={label} onClick={() => go(card.current, by)}>
      <span aria-hidden="true">
        {by < 0 ? "‹ " : ""}
        <kbd>{key}</kbd>
        {by > 0 ? " ›" : ""}
      </span>
      <span class="acp-hidden">{label}</span>
    </button>
  );
  return (
    <span class="acp-pager acp-dim">
      {to(-1, "Previous question", "p")}
      {at} of {of} questions
      {to(1, "Next question", "n")}
    </span>
  );
}

const handed = new WeakSet<HTMLElement>();

/** Whether the focus came to this card from one that went away: the reader's keys were meant for that one. */
export function wasHandedOn(card: Card): boolean {
  return card !== null && handed.delete(card);
}

/** When the card that has the focus goes away, the focus goes to the next question: never to a button that answers. */
export function useFocusHandedOn(card: RefObject<HTMLElement | null>, id: string): void {
  useLayoutEffect(() => () => handOn(card.current, id), []);
}

function handOn(card: Card, id: string): void {
  const scope = card?.getRootNode() as Document | ShadowRoot | undefined;
  const root = card?.closest(".acp-widget");
  if (!root || !card?.contains(scope?.activeElement ?? null)) return;
  const keys = cardsAround(card).map((each) => each.dataset.permission);
  const at = keys.indexOf(id);
  // Itself first: it may have moved into the card of its tool call.
  const order = [id, ...keys.slice(at + 1), ...keys.slice(0, at).reverse()].map((key) => `[data-permission="${key}"]`);
  queueMicrotask(() => {
    if (scope?.activeElement && scope.activeElement !== document.body) return;
    for (const selector of [...order, `[data-decided="${id}"] button`]) {
      const next = root.querySelector<HTMLElement>(selector);
      if (!next) continue;
      handed.add(next);
      return next.focus();
    }
  });
}
