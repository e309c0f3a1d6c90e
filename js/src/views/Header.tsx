import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isUnderWay } from "../actions.ts";
import { shortened } from "../lib/paths.ts";
import { duration, short } from "../lib/time.ts";
import type { Usage as UsageState } from "../types.ts";
import { type App, useApp, useNow } from "./context.ts";
import { Icon } from "./Icon.tsx";
import { Visible } from "./Visible.tsx";
import "./Header.css";

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
  if (session.connection === "failed") return { tone: "bad", words: "ended with an error", working: false };
  if (session.connection === "closed") return { tone: "off", words: "closed", working: false };
  if (session.connection === "starting") return { tone: "run", words: "starting…", working: true };
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
  return { tone: "idle", words: (session.connection === "new" ? "not started" : "ready") + rest, working: false };
}

const BUSY_WORDS: Record<string, string> = {
  running: "working",
  requires_action: "needs something from you",
  unknown: "state unknown",
};

function isOpen(status: string): boolean {
  return status === "sent" || status === "running";
}

/** The line on top of a session: who, in which state, where, for how long, and the way to stop it. */
export function Header(): VNode {
  const app = useApp();
  const session = app.store.single("session").value;
  const status = statusOf(app);
  return (
    <header class="acp-header">
      <Dot status={status} />
      <AgentName />
      <StatusWords status={status} />
      <Elapsed status={status} />
      <span class="acp-grow" />
      {session.cwd !== null && (
        <span
          class="acp-dim acp-cwd"
          title={`${session.cwd}${session.temporary ? " (temporary, until the kernel ends)" : ""}`}
        >
          <Visible text={shortened(session.cwd)} oneLine />
        </span>
      )}
      <Usage usage={app.store.single("usage").value} />
      {status.working && <Stop />}
    </header>
  );
}

export function Dot({ status }: { status: Status }): VNode {
  return <span class={`acp-dot acp-dot-${status.tone}`} aria-hidden="true" />;
}

/** The state in words; while a question waits, the way to it. */
export function StatusWords({ status }: { status: Status }): VNode {
  const { store } = useApp();
  const pending = store.pendingPermissions.value[0];
  if (status.tone !== "wait" || pending === undefined) return <span class="acp-dim acp-status">{status.words}</span>;
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

function Usage({ usage }: { usage: UsageState }): VNode | null {
  const { used, size, cost } = usage;
  if (used === null && cost === null) return null;
  const share = used !== null && size ? Math.min(100, (used / size) * 100) : null;
  const title = used === null ? "" : `${short(used)}${size ? ` of ${short(size)}` : ""} tokens`;
  return (
    <span class="acp-dim acp-usage" title={title}>
      {used !== null && short(used)}{" "}
      {share !== null && (
        <span class="acp-meter" aria-hidden="true">
          <i style={{ width: `${share}%` }} />
        </span>
      )}{" "}
      {cost && <Visible text={money(cost.amount, cost.currency)} oneLine />}
    </span>
  );
}

function money(amount: number, currency: string): string {
  return currency === "USD" ? `$${amount.toFixed(2)}` : `${amount.toFixed(2)} ${currency}`;
}

/** Seconds after which an agent that does not stop can be ended by force. */
const PATIENCE = 5;

/** True once something has gone on for so many seconds. */
function useLong(on: boolean, seconds: number): boolean {
  const [long, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (!on) return;
    const timer = setTimeout(() => setLong(true), seconds * 1000);
    return () => clearTimeout(timer);
  }, [on, seconds]);
  return on && long;
}

export function Stop(): VNode | null {
  const { store, link, actions } = useApp();
  const cancelling = store.single("session").value.cancelling;
  const stubborn = useLong(cancelling, PATIENCE);
  if (link.connection.value !== "live") return null;
  const action = actions.state("cancel").value;
  const stopping = cancelling || isUnderWay(action);
  return (
    <>
      {stubborn && (
        <button
          type="button"
          class="acp-restart"
          aria-disabled={isUnderWay(actions.state("restart").value)}
          onClick={() => actions.restart()}
          title="The agent has not stopped. This ends its process and starts it again; the transcript stays."
        >
          End it and start again
        </button>
      )}
      {action.phase === "slow" && <span class="acp-wait">The kernel is busy; it stops when messages are read.</span>}
      {action.error && <span class="acp-bad">{action.error}</span>}
      <button
        type="button"
        class="acp-quiet acp-stop"
        aria-disabled={stopping}
        onClick={() => actions.cancel()}
        aria-label={stopping ? "Stopping…" : "Stop"}
        title="Interrupts the agent; open questions are answered 'cancelled'"
      >
        <Icon name="stop" /> <span class="acp-stop-word">{stopping ? "Stopping…" : "Stop"}</span>
      </button>
    </>
  );
}
