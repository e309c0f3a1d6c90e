import type { VNode } from "preact";
import { duration } from "../lib/time.ts";
import { visibleText } from "../lib/visible.ts";
import { displayKind, KIND_LABELS } from "../lib/words.ts";
import type { Permission, ToolCall } from "../types.ts";
import { type CallState, canStop, failureOf, ranUnasked } from "./call_state.ts";
import { useApp, useNow } from "./context.ts";
import { Icon } from "./Icon.tsx";
import { Locations } from "./Locations.tsx";
import { StopOne, StopWords } from "./StopOne.tsx";
import { Visible } from "./Visible.tsx";

interface Props {
  id: string;
  call: ToolCall;
  name: string;
  state: CallState;
  asked: readonly Permission[];
  open: boolean;
  empty: boolean;
  toggle: () => void;
}

/** The line of a call: what it is, where it works, how it stands. */
export function CallHead({ id, call, name, state, asked, open, empty, toggle }: Props): VNode {
  const app = useApp();
  const kind = displayKind(call.kind);
  const title = (
    <>
      <span class="acp-call-kind" title={KIND_LABELS[kind]}>
        <Icon name={kind} class="acp-dim" />
      </span>
      <span class="acp-hidden">{KIND_LABELS[kind]}: </span>
      <span class="acp-title">
        <Visible text={name} oneLine />
      </span>
    </>
  );
  return (
    <>
      <div class="acp-call-head">
        {empty ? (
          <span class="acp-call-toggle">{title}</span>
        ) : (
          <button
            type="button"
            class="acp-call-toggle"
            aria-expanded={open}
            onClick={toggle}
            title={visibleText(name, true)}
          >
            {title}
          </button>
        )}
        {call.name && !name.toLowerCase().startsWith(call.name.toLowerCase()) && (
          <span class="acp-call-name acp-mono acp-dim" title="The name of the tool">
            <Visible text={call.name} oneLine />
          </span>
        )}
        {call.kind !== kind && (
          <span class="acp-tag">
            <Visible text={call.kind} oneLine />
          </span>
        )}
        <Locations locations={call.locations} />
        {ranUnasked(app, call, asked) && (
          <span class="acp-tag" title="It ran without a permission request">
            not asked
          </span>
        )}
        <span class="acp-grow" />
        <StateWords call={call} state={state} />
        {canStop(app, call, state) && <StopOne id={id} />}
        {!empty && (
          <button type="button" class="acp-chevron" onClick={toggle} tabIndex={-1} aria-hidden="true">
            <Icon name="chevron" class={open ? "acp-open" : ""} />
          </button>
        )}
      </div>
      {canStop(app, call, state) && <StopWords id={id} />}
    </>
  );
}

function StateWords({ call, state }: { call: ToolCall; state: CallState }): VNode {
  const app = useApp();
  const { start, end } = call.at;
  const now = useNow(state.running && start !== null, 1000);
  const until = end ?? (state.running ? now : null);
  const time = start !== null && until !== null ? duration(until - start) : "";
  const words = [state.word, failureOf(app, call), time].filter(Boolean).join(" · ");
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
