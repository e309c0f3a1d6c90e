import type { Signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Actions } from "../actions.ts";
import type { Link } from "../link.ts";
import type { Store } from "../store.ts";

/** What every view of one session shares. */
export interface App {
  store: Store;
  link: Link;
  actions: Actions;
  /** Whether the reader follows the agent from place to place. Every view of the session does, or none. */
  following: Signal<boolean>;
  /** Whether diffs stand side by side: one choice of the reader for all of them. */
  sideBySide: Signal<boolean>;
}

const Context = createContext<App | null>(null);
export const AppProvider = Context.Provider;

export function useApp(): App {
  const app = useContext(Context);
  if (!app) throw new Error("a view outside of its session");
  return app;
}

/** The turn that was sent to the agent last. */
export function latestTurn(store: Store): string | undefined {
  const keys = store.keys("turns").value;
  for (let at = keys.length - 1; at >= 0; at -= 1) {
    const key = keys[at] as string;
    if (store.get("turns", key)?.at.sent != null) return key;
  }
  return undefined;
}

const UNHEARD: Record<string, string> = { saved: "the notebook was saved", lost: "the kernel was disconnected" };

/** Why nothing more is heard of what ran, after "when"; nothing while a kernel may tell. */
export function unheard({ link }: App): string | undefined {
  return UNHEARD[link.connection.value];
}

/** Seconds on the kernel's clock, running while something runs. */
export function useNow(running: boolean, step = 1000): number {
  const { link, store } = useApp();
  const player = store.single("player").value;
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!running) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), step);
    return () => clearInterval(timer);
  }, [running, step]);
  // In a replay it is as late as it was then.
  return player ? (player.clock ?? 0) : now / 1000 - link.skew.value;
}
