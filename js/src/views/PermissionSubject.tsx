import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { commandOf } from "../lib/command.ts";
import { inferDiff } from "../lib/inferred_diffs.ts";
import { pretty, stringAt } from "../lib/json.ts";
import type { Permission as PermissionState, ToolCall, Json as Value } from "../types.ts";
import { CallBody } from "./CallBody.tsx";
import { placeOf } from "./call_words.ts";
import { type App, useApp } from "./context.ts";
import { Icon } from "./Icon.tsx";
import { callAsked } from "./permission_words.ts";
import { Visible } from "./Visible.tsx";

/** The call that a question is about: as it is known now, else as the question described it. */
export function callOf(app: App, permission: PermissionState): ToolCall | undefined {
  const { toolCallId } = permission;
  const known = toolCallId === null ? undefined : app.store.get("toolCalls", `t:${toolCallId}`);
  if (known) return known;
  // The same call each time: what seems new takes no answer for a moment.
  if (!described.has(permission)) described.set(permission, callAsked(permission, undefined));
  return described.get(permission);
}

const described = new WeakMap<PermissionState, ToolCall | undefined>();

interface Props {
  permission: PermissionState;
  call: ToolCall | undefined;
  /** The call's card stands around this, with its content. */
  inCall: boolean;
  title: string;
}

/** What would run or change, literally. */
export function Subject({ permission, call, inCall, title }: Props): VNode | null {
  const { subject, problem } = permission;
  if (problem !== null) return <Unreadable permission={permission} />;
  const command = stringAt(subject, "command");
  if (subject?.type === "command" && command !== null) {
    return <CommandLine what={command} cwd={stringAt(subject, "cwd")} />;
  }
  if (subject?.type !== "tool_call" || !call) return null;
  return <CallAsked call={call} inCall={inCall} title={title} />;
}

function CallAsked({ call, inCall, title }: { call: ToolCall; inCall: boolean; title: string }): VNode {
  const run = runOfCall(useApp(), call);
  const diffs = call.content.some((item) => item.type === "diff");
  const { rawInput, kind } = call;
  const place = placeOf(call);
  const inferred = useMemo(() => (diffs ? null : inferDiff(rawInput, kind, place)), [diffs, rawInput, kind, place]);
  const rest = run ? run.rest : diffs || inferred ? null : call.rawInput;
  return (
    <>
      {call.title && call.title !== title && (!inCall || call.title.length > 60) && (
        <p class="acp-ask-call">
          <Visible text={call.title} />
        </p>
      )}
      {run && <CommandLine what={run.what} cwd={run.cwd} />}
      {rest !== null && <Pre value={rest} />}
      {!inCall && (call.content.length > 0 || inferred) && <CallBody call={call} inferred={inferred} asks />}
    </>
  );
}

/** What a call would run: by its input, else by the terminal that it shows. */
export function runOfCall({ store }: App, call: ToolCall) {
  const written = commandOf(call);
  if (written) return written;
  for (const item of call.content) {
    const terminal = item.type === "terminal" ? store.get("terminals", `x:${stringAt(item, "terminalId")}`) : undefined;
    if (terminal?.command) return { what: terminal.command, cwd: terminal.cwd, rest: call.rawInput };
  }
  return null;
}

/** A command and where it would run: nothing of it is interpreted, nothing is left out. */
function CommandLine({ what, cwd }: { what: string | string[]; cwd: string | null }): VNode {
  const words = typeof what !== "string";
  const long = words || what.length > 80 || what.includes("\n");
  return (
    <div class="acp-cmd">
      <span class="acp-cmd-sign">$ </span>
      {words ? (
        <span role="list" aria-label="Words of the command">
          {what.map((word) => (
            <>
              <span role="listitem" class="acp-word">
                <Visible text={word} />
              </span>{" "}
            </>
          ))}
        </span>
      ) : (
        <Visible text={what} />
      )}
      {cwd !== null && (
        <span class={`acp-cmd-cwd${long ? " acp-below" : ""}`}>
          {long ? "in " : "   in "}
          <Visible text={cwd} oneLine />
        </span>
      )}
    </div>
  );
}

function Unreadable({ permission }: { permission: PermissionState }): VNode {
  return (
    <>
      <p class="acp-warn">
        <Icon name="alert" /> <Visible text={permission.problem ?? ""} /> Nothing is allowed automatically.
      </p>
      <Pre value={permission.subject} />
    </>
  );
}

function Pre({ value }: { value: Value }): VNode {
  return (
    <pre class="acp-ask-raw">
      <Visible text={pretty(value)} />
    </pre>
  );
}

/** What there is to see as the agent sent it: the call's input, else the request itself. */
export function rawOf(permission: PermissionState, call: ToolCall | undefined): { label: string; value: Value } {
  const input = call?.rawInput ?? null;
  if (input !== null) return { label: "Raw input", value: input };
  return { label: "Raw request", value: { subject: permission.subject, options: permission.options } };
}
