import type { ComponentChildren, VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { stringAt } from "../lib/json.ts";
import { duration } from "../lib/time.ts";
import { visibleText } from "../lib/visible.ts";
import { displayKind, isFinal, KIND_LABELS } from "../lib/words.ts";
import type { Tagged, ToolCall as ToolCallState, Json as Value } from "../types.ts";
import { BlockView } from "./Blocks.tsx";
import { CopyButton } from "./CopyButton.tsx";
import { type App, useApp, useNow } from "./context.ts";
import { Diff } from "./Diff.tsx";
import { Icon, type IconName } from "./Icon.tsx";
import { Json } from "./Json.tsx";
import { Locations } from "./Locations.tsx";
import { Odd } from "./Odd.tsx";
import { Permission } from "./Permission.tsx";
import { Terminal } from "./Terminal.tsx";
import { Visible } from "./Visible.tsx";
import "./ToolCall.css";

/** A tool call: one line until it matters. */
export function ToolCall({ id }: { id: string }): VNode | null {
  const app = useApp();
  const call = app.store.get("toolCalls", id);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const wasAsking = useRef(false);
  const wasOpen = useRef(false);
  if (!call) return null;
  const permissions = app.store.permissionsAt(call.toolCallId).value;
  const asks = permissions.some((key) => app.store.get("permissions", key)?.status === "pending");
  const state = stateOf(app, call, asks);
  const empty = isEmpty(call);
  // A new question shows what it is about, whatever was chosen before; a choice made while it stands is kept.
  const choice = asks && !wasAsking.current ? null : chosen;
  if (choice !== chosen) setChosen(choice);
  wasAsking.current = asks;
  wasOpen.current ||= state.matters;
  const matters = state.matters || (hasDiff(call) && (wasOpen.current || isNewest(app, call)));
  const open = !empty && (choice ?? matters);
  return (
    <section
      class={`acp-call${open ? "" : " acp-slim"}`}
      aria-label={`Tool call: ${nameOf(call)}`}
      data-call={call.toolCallId}
    >
      <Head call={call} state={state} open={open} empty={empty} toggle={() => setChosen(!open)} />
      {open && call.content.length > 0 && (
        <div class="acp-call-body">
          {call.content.map((item) => (
            <Item item={item} />
          ))}
        </div>
      )}
      {permissions.map((key) => (
        <Permission key={key} id={key} inCall />
      ))}
      {open && <Raw call={call} />}
    </section>
  );
}

function hasDiff(call: ToolCallState): boolean {
  return call.content.some((item) => item.type === "diff");
}

/** True in the newest turn: what it changed stays in view. */
function isNewest(app: App, call: ToolCallState): boolean {
  const begun = app.store.keys("turns").value.filter((key) => app.store.get("turns", key)?.at.sent != null);
  return call.turn !== null && call.turn === begun[begun.length - 1];
}

function isEmpty(call: ToolCallState): boolean {
  return call.content.length === 0 && call.rawInput === null && call.rawOutput === null;
}

function nameOf(call: ToolCallState): string {
  return call.title || call.name || KIND_LABELS[displayKind(call.kind)];
}

// ---- the state, in words

interface State {
  icon: IconName;
  tone: "ok" | "bad" | "run" | "wait" | "dim";
  word: string;
  /** It opens by itself. */
  matters: boolean;
  running: boolean;
}

const STATES: Record<string, State> = {
  pending: { icon: "circle", tone: "dim", word: "pending", matters: false, running: true },
  in_progress: { icon: "spinner", tone: "run", word: "running", matters: true, running: true },
  paused: { icon: "pause", tone: "wait", word: "paused", matters: false, running: true },
  completed: { icon: "allow_once", tone: "ok", word: "", matters: false, running: false },
  failed: { icon: "reject_once", tone: "bad", word: "failed", matters: true, running: false },
  cancelled: { icon: "minus", tone: "dim", word: "cancelled", matters: false, running: false },
};

function stateOf(app: App, call: ToolCallState, asks: boolean): State {
  const known = Object.hasOwn(STATES, call.status) ? STATES[call.status] : undefined;
  if (asks) return { icon: "circle", tone: "wait", word: "waiting for you", matters: true, running: false };
  if (!isFinal(call.status) && !isCurrent(app, call)) {
    return { icon: "circle", tone: "dim", word: "not finished when the turn ended", matters: false, running: false };
  }
  return known ?? { icon: "spinner", tone: "run", word: call.status, matters: false, running: true };
}

/** False when the turn of an unfinished call has ended, and the agent does not report it as background work. */
function isCurrent(app: App, call: ToolCallState): boolean {
  const session = app.store.single("session").value;
  if (session.connection === "closed" || session.connection === "failed") return false;
  const turn = call.turn === null ? undefined : app.store.get("turns", call.turn);
  if (!turn || turn.at.end === null) return true;
  if (call.at.first !== null && call.at.first > turn.at.end) return true; // began after its turn: work of its own
  const background = app.store.single("state").value.background;
  return Array.isArray(background) && background.some((work) => stringAt(work, "toolCallId") === call.toolCallId);
}

function exitOf(app: App, call: ToolCallState): string {
  if (call.status !== "failed") return "";
  for (const item of call.content) {
    const id = item.type === "terminal" ? stringAt(item, "terminalId") : null;
    const exit = id === null ? undefined : app.store.get("terminals", `x:${id}`)?.exitStatus;
    if (typeof exit?.exitCode === "number") return `exit ${exit.exitCode}`;
  }
  return "";
}

// ---- the line

interface HeadProps {
  call: ToolCallState;
  state: State;
  open: boolean;
  empty: boolean;
  toggle: () => void;
}

function Head({ call, state, open, empty, toggle }: HeadProps): VNode {
  const kind = displayKind(call.kind);
  const title = (
    <>
      <Icon name={kind} class="acp-dim" />
      <span class="acp-title">
        <Visible text={nameOf(call)} oneLine />
      </span>
    </>
  );
  return (
    <div class="acp-call-head">
      {empty ? (
        <span class="acp-call-toggle">{title}</span>
      ) : (
        <button
          type="button"
          class="acp-call-toggle"
          aria-expanded={open}
          onClick={toggle}
          title={visibleText(nameOf(call), true)}
        >
          {title}
        </button>
      )}
      {call.kind !== kind && (
        <span class="acp-tag">
          <Visible text={call.kind} oneLine />
        </span>
      )}
      <Locations locations={call.locations} />
      <span class="acp-grow" />
      <StateWords call={call} state={state} />
      {!empty && (
        <button type="button" class="acp-chevron" onClick={toggle} tabIndex={-1} aria-hidden="true">
          <Icon name="chevron" class={open ? "acp-open" : ""} />
        </button>
      )}
    </div>
  );
}

function StateWords({ call, state }: { call: ToolCallState; state: State }): VNode {
  const app = useApp();
  const { start, end } = call.at;
  const now = useNow(state.running && start !== null, 1000);
  const until = end ?? (state.running ? now : null);
  const time = start !== null && until !== null ? duration(until - start) : "";
  const words = [state.word, exitOf(app, call), time].filter(Boolean).join(" · ");
  return (
    <span class={`acp-st acp-${state.tone}`}>
      <Icon name={state.icon} />
      <span>
        {state.word === "" && <span class="acp-hidden">done </span>}
        <Visible text={words} oneLine />
      </span>
    </span>
  );
}

// ---- what is inside

/** One content item of a call; unknown types are a line with their JSON. */
function Item({ item }: { item: Tagged }): ComponentChildren {
  const View = Object.hasOwn(ITEMS, item.type) ? ITEMS[item.type] : undefined;
  return View ? (
    <View item={item} />
  ) : (
    <div class="acp-item">
      <Odd what="content of the type" name={String(item.type)} value={item} />
    </div>
  );
}

function ContentItem({ item }: { item: Tagged }): VNode {
  return (
    <div class="acp-item">
      <BlockView block={item.content as Tagged} />
    </div>
  );
}

function TerminalItem({ item }: { item: Tagged }): VNode {
  return <Terminal id={`x:${stringAt(item, "terminalId") ?? ""}`} />;
}

const ITEMS: Record<string, (props: { item: Tagged }) => VNode> = {
  content: ContentItem,
  diff: Diff,
  terminal: TerminalItem,
};

// ---- raw values

function Raw({ call }: { call: ToolCallState }): VNode | null {
  const [tab, setTab] = useState<"rawInput" | "rawOutput" | null>(null);
  const tabs = (["rawInput", "rawOutput"] as const).filter((name) => call[name] !== null && call[name] !== undefined);
  const labels = { rawInput: "Raw input", rawOutput: "Raw output" };
  const field = tab === "rawInput" ? "raw_input" : "raw_output";
  return (
    <>
      <div class="acp-tabs">
        {tabs.map((name) => (
          <button type="button" aria-pressed={tab === name} onClick={() => setTab(tab === name ? null : name)}>
            {labels[name]}
          </button>
        ))}
        <CopyButton
          class=""
          text={`agent.tool_calls[${JSON.stringify(call.toolCallId)}]${tab === null && call.rawOutput === null ? "" : `.${field}`}`}
          label="Copy as Python"
          title="Copies the expression that gives this in Python"
        />
      </div>
      {tab !== null && (
        <div class="acp-item">
          <Json value={call[tab] as Value} label={labels[tab]} />
        </div>
      )}
    </>
  );
}
