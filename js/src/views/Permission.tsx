import type { ComponentChildren, RefObject, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { BUSY_KERNEL, isUnderWay } from "../actions.ts";
import { isObject, pretty, stringAt } from "../lib/json.ts";
import { isTyping, optionIndex } from "../lib/keys.ts";
import { visibleText } from "../lib/visible.ts";
import { isAllow, isReject, nameSaysKind, OPTION_WORDS } from "../lib/words.ts";
import type { Connection } from "../link.ts";
import type { PermissionOption, Permission as PermissionState, ToolCall } from "../types.ts";
import { type App, useApp } from "./context.ts";
import { Icon, type IconName } from "./Icon.tsx";
import { decision } from "./permission_words.ts";
import { Visible } from "./Visible.tsx";
import "./Permission.css";

/** Milliseconds in which a card that has just appeared, or changed, takes no answer. */
export const INERT = 300;

interface Props {
  id: string;
  /** It stands in the card of its tool call, which shows what would change. */
  inCall?: boolean;
}

/** A question of the agent, and its answer. */
export function Permission({ id, inCall = false }: Props): VNode | null {
  const permission = useApp().store.get("permissions", id);
  if (!permission) return null;
  if (permission.status === "pending") return <Ask id={id} permission={permission} inCall={inCall} />;
  return <Decided permission={permission} inCall={inCall} />;
}

function Decided({ permission, inCall }: { permission: PermissionState; inCall: boolean }): VNode {
  const { sign, text } = decision(permission);
  return (
    <div class={`acp-decided${inCall ? " acp-in-call" : ""}`} data-permission-status={permission.status}>
      <Icon name={sign} />
      <span>
        <b>
          <Visible text={permission.title} oneLine />
        </b>{" "}
        <Visible text={text} oneLine />
      </span>
    </div>
  );
}

interface AskProps {
  id: string;
  permission: PermissionState;
  inCall: boolean;
}

function Ask({ id, permission, inCall }: AskProps): VNode {
  const app = useApp();
  const call = callOf(app, permission);
  const body = useRef<HTMLDivElement>(null);
  const [expanded, setExpanded] = useState(false);
  const about = [permission.subject, permission.title, call?.title, call?.rawInput, call?.content, call?.locations];
  const armedAt = useArmed(about);
  const reach = useReach(body, [...about, expanded]);
  const action = app.actions.state(id).value;
  const live = app.link.connection.value === "live";
  const open = live && armedAt.armed && reach.reached && !isUnderWay(action);

  const choose = (at: number): void => {
    const option = permission.options[at];
    if (option && open && armedAt.ripe()) app.actions.answer(id, option.optionId, at);
  };
  const dismiss = (): void => {
    if (open && armedAt.ripe()) app.actions.dismiss(id);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault(); // a held key is no answer
    const at = isTyping(event.target) ? null : optionIndex(event);
    if (at !== null && at < permission.options.length) choose(at);
  };
  const rejects = permission.options.some((option) => isReject(option.kind));
  const over = OVER[app.link.connection.value];
  return (
    <div
      class={`acp-ask${inCall ? " acp-in-call" : ""}`}
      role="group"
      aria-label={`Permission: ${permission.title}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      data-permission={id}
      data-open={open}
    >
      <div
        ref={body}
        class={`acp-ask-body${expanded ? " acp-expanded" : ""}`}
        onScroll={reach.onScroll}
        {...(reach.scrolls ? { tabIndex: 0, role: "group", "aria-label": "What the agent asks" } : {})}
      >
        <h4>
          <span class="acp-kicker">The agent asks</span> <Visible text={permission.title} />
        </h4>
        {permission.description !== null && (
          <p class="acp-ask-description">
            <Visible text={permission.description} />
          </p>
        )}
        {permission.problem === null ? (
          <Subject permission={permission} call={call} inCall={inCall} />
        ) : (
          <Unreadable permission={permission} />
        )}
      </div>
      <TwinIds options={permission.options} />
      {over !== undefined ? (
        <p class="acp-ask-saved">
          {over} It offered: <Visible text={permission.options.map((option) => option.name).join(", ")} oneLine />.
        </p>
      ) : (
        <div class="acp-ask-row">
          {permission.options.map((option, at) => (
            <Option
              option={option}
              at={at}
              before={permission.options[at - 1]}
              primary={at === primaryOf(permission)}
              open={open}
              chosen={isUnderWay(action) && action.choice === String(at)}
              choose={choose}
            />
          ))}
          {!rejects && (
            <button type="button" class="acp-quiet" aria-disabled={!open} onClick={dismiss} title="Answers 'cancelled'">
              Dismiss
            </button>
          )}
          <span class="acp-grow" />
          <Reason app={app} id={id} reached={reach.reached} expand={() => setExpanded(true)} />
        </div>
      )}
    </div>
  );
}

/** Why there is nothing to press: a line that is closed carries no answer any more. */
const OVER: Partial<Record<Connection, string>> = {
  saved: "Not answered when the notebook was saved.",
  lost: "Never answered: the kernel was disconnected.",
};

function callOf(app: App, permission: PermissionState): ToolCall | undefined {
  return permission.toolCallId === null ? undefined : app.store.get("toolCalls", `t:${permission.toolCallId}`);
}

/** The first option that allows once; none where what is asked cannot be read. */
function primaryOf(permission: PermissionState): number {
  return permission.problem === null ? permission.options.findIndex((option) => option.kind === "allow_once") : -1;
}

/** False for a moment after the card appeared, and after what it asks about changed under the reader's hand. */
function useArmed(about: readonly unknown[]): { armed: boolean; ripe: () => boolean } {
  const [armed, setArmed] = useState(false);
  const since = useRef(performance.now());
  useLayoutEffect(() => {
    since.current = performance.now();
    setArmed(false);
    const timer = setTimeout(() => setArmed(true), INERT);
    return () => clearTimeout(timer);
  }, about);
  return { armed, ripe: () => performance.now() - since.current >= INERT - 20 };
}

interface Reach {
  reached: boolean;
  scrolls: boolean;
  onScroll: () => void;
}

/** Whether the reader could see all of it: it fits, it was expanded, or it was scrolled to its end. */
function useReach(body: RefObject<HTMLDivElement | null>, about: readonly unknown[]): Reach {
  const [seen, setSeen] = useState(false);
  const [scrolls, setScrolls] = useState(false);
  const measure = (): void => {
    const element = body.current;
    if (!element) return;
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    setScrolls(element.scrollHeight - element.clientHeight > 2);
    if (left <= 2) setSeen(true);
  };
  useLayoutEffect(() => {
    setSeen(false);
    measure();
  }, about);
  useEffect(() => {
    if (!body.current) return;
    const observer = new ResizeObserver(measure);
    observer.observe(body.current);
    return () => observer.disconnect();
  }, []);
  return { reached: seen, scrolls, onScroll: measure };
}

interface OptionProps {
  option: PermissionOption;
  at: number;
  before: PermissionOption | undefined;
  primary: boolean;
  open: boolean;
  chosen: boolean;
  choose: (at: number) => void;
}

const OPTION_ICONS: Record<string, IconName> = {
  allow_once: "allow_once",
  allow_always: "allow_always",
  reject_once: "reject_once",
  reject_always: "reject_always",
};

function Option({ option, at, before, primary, open, chosen, choose }: OptionProps): ComponentChildren {
  const turns = before !== undefined && isAllow(before.kind) !== isAllow(option.kind);
  const known = Object.hasOwn(OPTION_WORDS, option.kind);
  const word = known ? OPTION_WORDS[option.kind] : option.kind;
  return (
    <>
      {turns && <span class="acp-gap" />}
      <button
        type="button"
        class={primary ? "acp-primary" : ""}
        aria-disabled={!open}
        title={`${visibleText(word ?? "", true)}${at < 9 ? ` · key ${at + 1} while this question has the focus` : ""}`}
        onClick={() => choose(at)}
      >
        {known && <Icon name={chosen ? "spinner" : (OPTION_ICONS[option.kind] as IconName)} />}
        <span class="acp-option-name">
          <Visible text={option.name} oneLine />
        </span>
        {!nameSaysKind(option.name, option.kind) && (
          <small>
            <Visible text={word ?? ""} oneLine />
          </small>
        )}
        {at < 9 && <kbd aria-hidden="true">{at + 1}</kbd>}
      </button>
    </>
  );
}

function TwinIds({ options }: { options: readonly PermissionOption[] }): VNode | null {
  const ids = options.map((option) => option.optionId);
  const twin = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twin === undefined) return null;
  return (
    <p class="acp-warn">
      <Icon name="alert" /> Two options have the same id{" "}
      <code>
        <Visible text={twin} oneLine />
      </code>
      : the agent cannot tell them apart.
    </p>
  );
}

interface ReasonProps {
  app: App;
  id: string;
  reached: boolean;
  expand: () => void;
}

/** Why nothing can be pressed, or what became of a press. */
function Reason({ app, id, reached, expand }: ReasonProps): VNode {
  const connection = app.link.connection.value;
  const { phase, error } = app.actions.state(id).value;
  const wait = app.link.wait.value;
  if (phase === "refused" || phase === "unsent") {
    return (
      <span class="acp-bad" role="alert">
        {error}
      </span>
    );
  }
  if (phase === "slow") return <span class="acp-wait">{BUSY_KERNEL}</span>;
  if (phase === "sent" || phase === "taken") return <span class="acp-dim">Sending…</span>;
  if (connection === "silent") return <span class="acp-wait">The kernel does not answer: it is busy, or gone.</span>;
  if (!reached) {
    return (
      <span class="acp-wait">
        Read to the end first{" "}
        <button type="button" onClick={expand}>
          Expand
        </button>
      </span>
    );
  }
  if (wait.waiting && !wait.clicks) return <span class="acp-wait">Clicks are read when the cell ends</span>;
  if (wait.waiting) return <span class="acp-dim">the cell is waiting for your answer</span>;
  return <span />;
}

function Unreadable({ permission }: { permission: PermissionState }): VNode {
  return (
    <>
      <p class="acp-warn">
        <Icon name="alert" /> <Visible text={permission.problem ?? ""} /> Nothing is allowed automatically.
      </p>
      <pre class="acp-ask-raw">
        <Visible text={pretty(permission.subject)} />
      </pre>
    </>
  );
}

/** What would run or change, literally. */
function Subject({
  permission,
  call,
  inCall,
}: {
  permission: PermissionState;
  call: ToolCall | undefined;
  inCall: boolean;
}) {
  const command = stringAt(permission.subject, "command");
  if (permission.subject?.type === "command" && command !== null) {
    return <Command text={command} cwd={stringAt(permission.subject, "cwd")} />;
  }
  if (permission.subject?.type !== "tool_call" || !call) return null;
  const shown = commandIn(call);
  const drawn = call.content.some((item) => item.type === "diff");
  return (
    <>
      {call.title !== null && call.title !== permission.title && (!inCall || call.title.length > 60) && (
        <p class="acp-ask-call">
          <Visible text={call.title} />
        </p>
      )}
      {shown !== null && <Command text={shown} cwd={null} />}
      {shown === null && !drawn && call.rawInput !== null && (
        <pre class="acp-ask-raw">
          <Visible text={pretty(call.rawInput)} />
        </pre>
      )}
    </>
  );
}

/** The command in a call's input, when that is all that matters of it. */
function commandIn(call: ToolCall): string | null {
  if (!isObject(call.rawInput)) return null;
  const others = Object.keys(call.rawInput).filter((key) => !["command", "description"].includes(key));
  return others.length === 0 ? stringAt(call.rawInput, "command") : null;
}

function Command({ text, cwd }: { text: string; cwd: string | null }): VNode {
  return (
    <div class="acp-cmd">
      <span class="acp-cmd-sign">$ </span>
      <Visible text={text} />
      {cwd !== null && (
        <span class="acp-cmd-cwd">
          {"   in "}
          <Visible text={cwd} oneLine />
        </span>
      )}
    </div>
  );
}
