import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { isUnderWay } from "../actions.ts";
import { isTyping, optionIndex } from "../lib/keys.ts";
import { visibleText } from "../lib/visible.ts";
import type { Connection } from "../link.ts";
import type { Permission as PermissionState } from "../types.ts";
import { useApp } from "./context.ts";
import { Json } from "./Json.tsx";
import { Decided } from "./PermissionDecided.tsx";
import { Options, TwinIds } from "./PermissionOptions.tsx";
import { Pager, step, useFocusHandedOn, wasHandedOn } from "./PermissionPager.tsx";
import { Reason } from "./PermissionReason.tsx";
import { callOf, rawOf, runOfCall, Subject } from "./PermissionSubject.tsx";
import { headline } from "./permission_words.ts";
import { useArmed } from "./use_armed.ts";
import { useReach } from "./use_reach.ts";
import { Visible } from "./Visible.tsx";
import "./Permission.css";

export { INERT } from "./use_armed.ts";

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
  return <Decided id={id} permission={permission} inCall={inCall} />;
}

/** Questions of a turn about calls that stand in other turns: a view of this turn alone would not show them. */
export function Elsewhere({ turn }: { turn: string }): VNode {
  const { store } = useApp();
  const away = store.pendingPermissions.value.filter((key) => {
    const permission = store.get("permissions", key);
    const call = store.get("toolCalls", `t:${permission?.toolCallId}`);
    return permission?.turn === turn && call !== undefined && call.turn !== turn;
  });
  return (
    <>
      {away.map((key) => (
        <Permission key={key} id={key} />
      ))}
    </>
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
  const card = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [name] = useState(() => app.link.name("ask"));
  const [expanded, setExpanded] = useState(false);
  const [rawShown, setRawShown] = useState(false);
  const [early, setEarly] = useState(false);
  const [remembered, remember] = useState<string | null>(null); // the rule as it was when it was ticked
  const run = call && runOfCall(app, call); // its command may stand in a terminal, which changes by itself
  const about = [
    ...[permission.subject, permission.title, permission.description, permission.rule, run && JSON.stringify(run)],
    ...[call?.title, call?.rawInput, call?.content, call?.locations],
  ];
  const guard = useArmed(card, about);
  const reach = useReach(body, [...about, expanded]);
  useFocusHandedOn(card, id);
  const action = app.actions.state(id).value;
  const connection = app.link.connection.value;
  const answerable = connection === "live" && reach.reached && !isUnderWay(action);
  const open = answerable && guard.armed && guard.steady;

  const take = (event: UIEvent, answer: () => void): void => {
    if (!answerable) return;
    const ripe = guard.armed && guard.ripe(event);
    setEarly(!ripe);
    if (ripe) answer();
  };
  const choose = (event: UIEvent, at: number): void => {
    const option = permission.options[at];
    const rule = option?.kind === "allow_once" && remembered === permission.rule ? remembered : null;
    if (option)
      take(event, () =>
        rule === null
          ? app.actions.answer(id, option.optionId, at)
          : app.actions.remember(id, option.optionId, at, rule),
      );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault(); // a held key is no answer
    if (isTyping(event.target)) return;
    const at = optionIndex(event);
    if (at !== null) choose(event, at);
    else step(card.current, event);
  };
  const title = headline(permission, call);
  const raw = rawOf(permission, call);
  const over = Object.hasOwn(OVER, connection) ? OVER[connection] : undefined;
  return (
    <div
      ref={card}
      class={`acp-ask${inCall ? " acp-in-call" : ""}`}
      role="group"
      aria-label={`Permission: ${visibleText(title, true)}`}
      aria-describedby={name}
      tabIndex={0}
      onFocus={() => wasHandedOn(card.current) && guard.onHandedOn()}
      onKeyDown={onKeyDown}
      data-permission={id}
      data-open={open}
    >
      <div
        ref={body}
        id={name}
        class={`acp-ask-body${expanded ? " acp-expanded" : ""}`}
        onScroll={reach.onScroll}
        {...(reach.scrolls ? { tabIndex: 0, role: "group", "aria-label": "What the agent asks" } : {})}
      >
        <div class="acp-ask-head">
          <h4>
            <span class="acp-kicker">The agent asks</span> <Visible text={title} />
          </h4>
          <Pager card={card} />
          {!(inCall && call?.rawInput) && (
            <button type="button" class="acp-quiet" aria-expanded={rawShown} onClick={() => setRawShown(!rawShown)}>
              {raw.label}
            </button>
          )}
        </div>
        {permission.description !== null && (
          <p class="acp-ask-description">
            <Visible text={permission.description} />
          </p>
        )}
        <Subject permission={permission} call={call} inCall={inCall} title={title} />
        {rawShown && (
          <div class="acp-ask-raw">
            <Json {...raw} />
          </div>
        )}
      </div>
      <TwinIds options={permission.options} />
      {over !== undefined ? (
        <p class="acp-ask-saved">
          {over} It offered: <Visible text={permission.options.map((option) => option.name).join(", ")} oneLine />.
        </p>
      ) : (
        <Options
          permission={permission}
          call={call}
          run={run?.what ?? null}
          name={name}
          open={open}
          chosen={isUnderWay(action) ? action.choice : null}
          choose={choose}
          dismiss={(event) => take(event, () => app.actions.dismiss(id))}
          remembered={remembered === permission.rule}
          remember={remember}
        >
          <Reason id={id} reached={reach.reached} early={early} expand={() => setExpanded(true)} />
        </Options>
      )}
    </div>
  );
}

/** Why there is nothing to press: a line that is closed carries no answer any more. */
const OVER: Partial<Record<Connection, string>> = {
  saved: "Not answered when the notebook was saved.",
  lost: "Never answered: the kernel was disconnected.",
};
