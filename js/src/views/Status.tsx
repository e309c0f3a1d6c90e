import type { VNode } from "preact";
import { duration } from "../lib/time.ts";
import type { Player } from "../types.ts";
import { type App, useApp, useNow } from "./context.ts";
import { Visible } from "./Visible.tsx";

export interface Status {
  tone: "idle" | "run" | "wait" | "bad" | "off";
  words: string;
  /** Something runs that a stop would end. */
  working: boolean;
}

/** The state of the session, in words. */
export function statusOf({ store, link }: App): Status {
  const session = store.single("session").value;
  const state = store.single("state").value;
  const connection = link.connection.value;
  if (connection === "saved") return { tone: "off", words: "saved, without a kernel", working: false };
  if (connection === "lost") return { tone: "bad", words: "kernel disconnected", working: false };
  const player = store.single("player").value;
  if (player !== null) return { ...REPLAY[stageOf(player)], working: false };
  if (session.connection === "failed") return { tone: "bad", words: "ended with an error", working: false };
  if (session.connection === "closed") return { tone: "off", words: "closed", working: false };
  if (session.connection === "starting") return { tone: "run", words: "starting…", working: true };
  if (session.connection === "login") return { tone: "wait", words: "log in", working: false };
  const last = store
    .keys("turns")
    .value.map((key) => store.get("turns", key))
    .find((turn) => turn && isOpen(turn.status));
  // A stop of an idle session waits for nothing, though the flag stands until the next prompt.
  if (session.cancelling && (state.busy || last)) return { tone: "wait", words: "stopping…", working: true };
  if (store.pendingPermissions.value.length > 0) return { tone: "wait", words: "waiting for you", working: true };
  if (state.busy) return { tone: "run", words: BUSY_WORDS[state.state] ?? `busy: ${state.state}`, working: true };
  if (last) return { tone: "run", words: "working", working: true };
  const background = state.background?.length ?? 0;
  const rest = background > 0 ? ` · ${background} running in background` : "";
  const unborn = session.connection === "new";
  return { tone: unborn ? "off" : "idle", words: (unborn ? "not started" : "ready") + rest, working: false };
}

type Stage = "ask" | "playing" | "end" | "paused";

/** What a replay does. */
export function stageOf({ ask, playing, position, count }: Player): Stage {
  if (ask) return "ask";
  return playing ? "playing" : position >= count ? "end" : "paused";
}

const REPLAY: Record<Stage, Omit<Status, "working">> = {
  ask: { tone: "wait", words: "replay · your turn" },
  playing: { tone: "run", words: "replay · playing" },
  end: { tone: "idle", words: "replay · at the end" },
  paused: { tone: "off", words: "replay · paused" },
};

const BUSY_WORDS: Record<string, string> = {
  running: "working",
  requires_action: "needs something from you",
  unknown: "state unknown",
};

function isOpen(status: string): boolean {
  return status === "sent" || status === "running";
}

export function Dot({ status }: { status: Status }): VNode {
  return <span class={`acp-dot acp-dot-${status.tone}`} aria-hidden="true" />;
}

/** The state in words; while a question waits, the way to it. */
export function StatusWords({ status }: { status: Status }): VNode {
  const { store, link } = useApp();
  const pending = store.pendingPermissions.value[0];
  if (status.tone !== "wait" || pending === undefined) {
    // Silence of the kernel makes the rest old news.
    const silent = link.connection.value === "silent" ? " · the kernel does not answer" : "";
    return <span class="acp-dim acp-status">{status.words + silent}</span>;
  }
  const show = (event: MouseEvent): void => {
    const root = (event.currentTarget as HTMLElement).closest(".acp-widget");
    root?.querySelector<HTMLElement>(`[data-permission="${pending}"]`)?.focus();
  };
  return (
    <button type="button" class="acp-quiet acp-status" onClick={show} title="Go to the question">
      {status.words}
    </button>
  );
}

export function AgentName(): VNode {
  const { store } = useApp();
  const session = store.single("session").value;
  const agent = session.agent;
  const name = agent?.title || agent?.name || session.label || "agent";
  return (
    <>
      <b class="acp-agent">
        <Visible text={name} oneLine />
      </b>
      {agent?.version && (
        <span class="acp-dim acp-version">
          <Visible text={agent.version} oneLine />
        </span>
      )}
    </>
  );
}

/** Silence that is worth a word, in seconds. */
const QUIET = 5;

/** How long it has worked, and how long it has been quiet. */
export function Elapsed({ status }: { status: Status }): VNode | null {
  const { store, link } = useApp();
  const now = useNow(status.working);
  if (!status.working) return null;
  const open = store
    .keys("turns")
    .value.map((key) => store.get("turns", key))
    .find((turn) => turn && isOpen(turn.status));
  const session = store.single("session").value;
  const since = open?.at.sent ?? (session.connection === "starting" ? session.at.start : null);
  const quiet = now + link.skew.value - link.heard.value / 1000;
  const parts = [
    since === null || since === undefined ? "" : duration(Math.round(now - since)).replace(".0 s", " s"),
    status.tone === "run" && quiet > QUIET
      ? `last activity ${duration(Math.round(quiet)).replace(".0 s", " s")} ago`
      : "",
  ];
  return <span class="acp-dim acp-elapsed">{parts.filter(Boolean).join(" · ")}</span>;
}
