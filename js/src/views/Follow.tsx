import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { reveal } from "../lib/reveal.ts";
import { latestTurn, useApp } from "./context.ts";
import { Icon } from "./Icon.tsx";
import { Chip } from "./Locations.tsx";
import "./Follow.css";

/** Follows the agent from place to place, or stops following. Nothing to see before there is a place. */
export function FollowSwitch(): VNode | null {
  const { store, following } = useApp();
  if (store.latestCall.value === null) return null;
  return (
    <button
      type="button"
      class="acp-quiet acp-follow-switch"
      aria-pressed={following.value}
      onClick={() => {
        following.value = !following.value;
      }}
      title="Keeps the newest place that the agent works at in view"
    >
      <Icon name="follow" /> <span class="acp-follow-word">{following.value ? "Following" : "Follow"}</span>
    </button>
  );
}

/** What a reader does in the transcript to look at something else. */
const READING = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

/** The newest place, in words; keeps its call in view until the reader looks at something else. Moves no focus. */
export function FollowLine(): VNode | null {
  const { store, following } = useApp();
  const line = useRef<HTMLDivElement>(null);
  const looksElsewhere = useRef(false);
  const key = store.latestCall.value;
  const call = key === null ? undefined : store.get("toolCalls", key);
  const place = call?.locations[call.locations.length - 1];
  const on = following.value && place !== undefined;
  const turn = latestTurn(store);
  const now = call?.turn === turn; // a place of an earlier turn is not gone back to
  const working = turn !== undefined && store.get("turns", turn)?.at.end === null;

  const show = (): void => {
    const log = line.current?.parentElement?.querySelector<HTMLElement>(".acp-log");
    const card = log?.querySelector<HTMLElement>(`[data-call="${CSS.escape(call?.toolCallId ?? "")}"]`);
    if (!log || !card || !now || looksElsewhere.current || document.activeElement?.closest("[data-permission]")) return;
    reveal(log, card);
  };
  useLayoutEffect(() => {
    looksElsewhere.current = false; // a new place is shown, wherever the reader was
    if (on) show();
  }, [on, key, place?.path, place?.line]);
  useEffect(() => {
    const log = line.current?.parentElement?.querySelector<HTMLElement>(".acp-log");
    const frame = log?.parentElement; // with the button that leads to the end
    if (!on || !now || !log || !frame) return;
    const ended = new AbortController();
    const look = () => {
      looksElsewhere.current = true;
    };
    for (const name of READING) frame.addEventListener(name, look, { signal: ended.signal, passive: true });
    const grows = new ResizeObserver(show);
    for (const each of [log, log.firstElementChild]) if (each) grows.observe(each);
    return () => {
      ended.abort();
      grows.disconnect();
    };
  }, [on, now, key]);
  if (!on) return null;
  return (
    <div ref={line} class="acp-follow">
      <span class="acp-dim">{now && working ? "Now at" : "Last at"}</span> <Chip location={place} />
    </div>
  );
}
