import type { VNode } from "preact";
import type { Turn as TurnState } from "../types.ts";
import { About } from "./About.tsx";
import { Announcer } from "./Announcer.tsx";
import { Composer } from "./Composer.tsx";
import { useApp } from "./context.ts";
import { Diagnostics } from "./Diagnostics.tsx";
import { ErrorCard } from "./ErrorCard.tsx";
import { FollowLine, FollowSwitch } from "./Follow.tsx";
import { Guard } from "./Guard.tsx";
import { Header } from "./Header.tsx";
import { Log } from "./Log.tsx";
import { Login } from "./Login.tsx";
import { Elsewhere } from "./Permission.tsx";
import { Player } from "./Player.tsx";
import { Queue } from "./Queued.tsx";
import { AgentName, Dot, Elapsed, type Status, StatusWords, statusOf } from "./Status.tsx";
import { Stop } from "./Stop.tsx";
import { Entries, TurnBody } from "./Turn.tsx";
import "./base.css";

/** The whole session: header, transcript, composer. */
export function Session(): VNode {
  const { store } = useApp();
  const turns = store.keys("turns").value;
  const sent = turns.filter((id) => {
    const turn = store.get("turns", id);
    return turn?.source === "composer" && turn.at.sent !== null;
  });
  return (
    <section class="acp-panel" aria-label="Agent session">
      <Header />
      <FollowLine />
      <Log sent={sent[sent.length - 1]}>
        <Guard what="What the agent offers">
          <About />
        </Guard>
        <Entries turn="" />
        {turns.map((id) => (
          <Guard key={id} what="A turn">
            <TurnBody id={id} inPanel />
          </Guard>
        ))}
        <Nothing />
        <Guard what="The error">
          <ErrorCard />
          <Login />
        </Guard>
        <Starting />
        <Working />
        <CutNote />
      </Log>
      <Announcer />
      <Guard what="The diagnostics">
        <Diagnostics />
      </Guard>
      <Queue />
      {store.single("player").value === null ? <Composer /> : <Player />}
    </section>
  );
}

/** One turn, below the cell that began it. */
export function TurnView({ turn: id }: { turn: string }): VNode {
  const app = useApp();
  const turn = app.store.get("turns", id);
  const turns = app.store.keys("turns").value;
  const last = turns[turns.length - 1] === id;
  const session = statusOf(app);
  const open = turn !== undefined && (turn.status === "sent" || turn.status === "running");
  const status: Status =
    open || turn === undefined ? session : { ...(TURN_STATUS[wordOf(turn)] ?? session), working: false };
  return (
    <section class="acp-panel acp-turn" aria-label={turn ? `Turn ${turn.number}` : "Turn"}>
      <header class="acp-header">
        <Dot status={status} />
        <AgentName />
        <StatusWords status={status} />
        <Elapsed status={status} />
        <span class="acp-grow" />
        {open && <FollowSwitch />}
        {open && status.working && <Stop />}
      </header>
      {open && <FollowLine />}
      <Log>
        {turn === undefined && <div class="acp-dim">This turn is not in the session any more.</div>}
        <TurnBody id={id} />
        <Elsewhere turn={id} />
        {last && <ErrorCard />}
        {last && <Login />}
        {last && <Starting />}
        {open && <Working />}
      </Log>
      {open && <Announcer />}
    </section>
  );
}

const TURN_STATUS: Record<string, Omit<Status, "working">> = {
  queued: { tone: "wait", words: "queued" },
  done: { tone: "idle", words: "done" },
  cancelled: { tone: "off", words: "stopped" },
  failed: { tone: "bad", words: "failed" },
  not_sent: { tone: "off", words: "not sent" },
};

function wordOf({ status, stopReason }: TurnState): string {
  return status === "done" && stopReason === "cancelled" ? "cancelled" : status;
}

function Nothing(): VNode | null {
  const { store, link } = useApp();
  const empty = store.keys("turns").value.length === 0 && store.places("").value.length === 0;
  const session = store.single("session").value;
  if (!empty || session.connection === "starting" || session.connection === "failed") return null;
  return (
    <p class="acp-dim acp-nothing">
      {link.connection.value === "live" && !store.single("player").value
        ? "Nothing yet. Ask the agent below, or from Python."
        : "Nothing yet."}
    </p>
  );
}

/** What is being started, for as long as it takes. */
function Starting(): VNode | null {
  const session = useApp().store.single("session").value;
  if (session.connection !== "starting" || !session.command) return null;
  return (
    <p class="acp-dim acp-starting">
      Starting <code>{session.command.join(" ")}</code>
      {session.note && <span class="acp-starting-note"> {session.note}</span>}
    </p>
  );
}

/** Something moves while the agent works and nothing else says so. */
function Working(): VNode | null {
  const app = useApp();
  const status = statusOf(app);
  if (!status.working || status.tone !== "run" || app.store.single("session").value.connection === "starting")
    return null;
  return (
    <div class="acp-working">
      <i />
      <i />
      <i />
      <span class="acp-hidden">The agent is working</span>
    </div>
  );
}

function CutNote(): VNode | null {
  const note = useApp().store.single("cutNote").value;
  return note ? <p class="acp-dim">{note}</p> : null;
}
