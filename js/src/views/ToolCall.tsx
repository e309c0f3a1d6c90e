import type { VNode } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { inferDiff } from "../lib/inferred_diffs.ts";
import type { Permission as PermissionState, Tagged, ToolCall as ToolCallState } from "../types.ts";
import { CallBody } from "./CallBody.tsx";
import { CallHead } from "./CallHead.tsx";
import { CallRaw } from "./CallRaw.tsx";
import { isAsking, stateOf } from "./call_state.ts";
import { nameOf, placeOf } from "./call_words.ts";
import { type App, latestTurn, useApp } from "./context.ts";
import { Permission } from "./Permission.tsx";
import "./ToolCall.css";

/** A tool call: one line until it matters. */
export function ToolCall({ id }: { id: string }): VNode | null {
  const call = useApp().store.get("toolCalls", id);
  return call ? <Call id={id} call={call} /> : null;
}

function Call({ id, call }: { id: string; call: ToolCallState }): VNode {
  const app = useApp();
  const questions = app.store.permissionsAt(call.toolCallId).value;
  const asked = questions.map((key) => app.store.get("permissions", key)).filter(isThere);
  const asks = isAsking(asked);
  const state = stateOf(app, call, asked);
  const inferred = useInferred(call);
  const changes = inferred !== null || hasDiff(call);
  const empty = isEmpty(call);
  const [open, toggle] = useOpen(asks, state.matters, changes && isNewest(app, call), changes);
  const name = nameOf(call, app.store.single("session").value.cwd);
  const shown = open && !empty;
  return (
    <section
      class={`acp-call${shown ? "" : " acp-slim"}`}
      aria-label={`Tool call: ${name}`}
      data-call={call.toolCallId}
      data-status={call.status}
    >
      <CallHead
        id={id}
        call={call}
        name={name}
        state={state}
        asked={asked}
        open={shown}
        empty={empty}
        toggle={() => toggle(!shown)}
      />
      {shown && <CallBody call={call} inferred={inferred} asks={asks} />}
      {questions.map((key) => (
        <Permission key={key} id={key} inCall />
      ))}
      {!empty && (shown || asks) && <CallRaw call={call} />}
    </section>
  );
}

/**
 * Whether a call is open. It opens by itself while it matters, and what it changed stays in view; but what the reader
 * chose is kept, until a new question comes.
 */
function useOpen(
  asks: boolean,
  matters: boolean,
  isNew: boolean,
  changes: boolean,
): [boolean, (open: boolean) => void] {
  const [chosen, choose] = useState<boolean | null>(null);
  const wasAsking = useRef(false);
  const wasOpen = useRef(false);
  const choice = asks && !wasAsking.current ? null : chosen;
  if (choice !== chosen) choose(choice);
  wasAsking.current = asks;
  wasOpen.current ||= matters;
  return [choice ?? (matters || isNew || (changes && wasOpen.current)), choose];
}

/** Changes that the input tells of, while the agent tells of none. */
function useInferred(call: ToolCallState): Tagged | null {
  const { rawInput, kind, content } = call;
  const place = placeOf(call);
  return useMemo(
    () => (rawInput === null || hasDiff(call) ? null : inferDiff(rawInput, kind, place)),
    [rawInput, kind, content, place],
  );
}

function isThere(permission: PermissionState | undefined): permission is PermissionState {
  return permission !== undefined;
}

function hasDiff(call: ToolCallState): boolean {
  return call.content.some((item) => item.type === "diff");
}

/** True in the newest turn: what it changed stays in view. */
function isNewest(app: App, call: ToolCallState): boolean {
  return call.turn !== null && call.turn === latestTurn(app.store);
}

function isEmpty(call: ToolCallState): boolean {
  const nothing = (value: unknown): boolean => value === null || value === undefined;
  const more = [call.more, call._meta].some((fields) => Object.keys(fields ?? {}).length > 0);
  return call.content.length === 0 && nothing(call.rawInput) && nothing(call.rawOutput) && !more;
}
