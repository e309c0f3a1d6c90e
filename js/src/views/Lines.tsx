import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { stringAt } from "../lib/json.ts";
import { plural } from "../lib/time.ts";
import { Blocks } from "./Blocks.tsx";
import { useApp } from "./context.ts";
import { Details } from "./Details.tsx";
import { Icon, type IconName } from "./Icon.tsx";
import { Json } from "./Json.tsx";
import { Odd } from "./Odd.tsx";
import { Visible } from "./Visible.tsx";
import "./Lines.css";

/** A notice of the agent. Unknown severities are shown as information. */
export function Notice({ id }: { id: string }): VNode | null {
  const notice = useApp().store.get("notices", id);
  const [dismissed, dismiss] = useState(false);
  if (!notice || dismissed) return null;
  const tones: Record<string, string> = { warning: "acp-wait", error: "acp-bad" };
  const tone = Object.hasOwn(tones, notice.severity) ? tones[notice.severity] : "";
  return (
    <div class="acp-note">
      {tone && <Icon name="alert" class={tone} />}
      <span>
        <b class={tone}>
          {tone && <span class="acp-hidden">{notice.severity}: </span>}
          <Visible text={notice.title} oneLine />
        </b>{" "}
        {notice.description && <Visible text={notice.description} />}
      </span>
      <span class="acp-grow" />
      <button type="button" class="acp-quiet" onClick={() => dismiss(true)}>
        Hide
      </button>
    </div>
  );
}

const COMPACTION_WORDS: Record<string, string> = {
  in_progress: "Compacting the context…",
  completed: "Context compacted",
  failed: "Compacting the context failed",
  cancelled: "Compacting the context was cancelled",
};

/** The agent made its context smaller. */
export function Compaction({ id }: { id: string }): VNode | null {
  const { store } = useApp();
  const compaction = store.get("compactions", id);
  if (!compaction) return null;
  const known = Object.hasOwn(COMPACTION_WORDS, compaction.status);
  const over = compaction.turn !== null && store.get("turns", compaction.turn)?.at.end != null;
  const icon: IconName = compaction.status === "in_progress" && !over ? "spinner" : "minus";
  const words = known ? COMPACTION_WORDS[compaction.status] : `Context compaction: ${compaction.status}`;
  const line = (
    <>
      <b>
        <Visible text={words ?? ""} oneLine />
      </b>{" "}
      {compaction.error && <Visible text={compaction.error} />}
    </>
  );
  const summary = compaction.summary ?? [];
  if (summary.length > 0) {
    return (
      <Details class="acp-note-details" summary={<>{line} · summary</>}>
        {() => <Blocks blocks={summary} />}
      </Details>
    );
  }
  return (
    <div class="acp-note">
      <Icon name={icon} />
      <span>{line}</span>
    </div>
  );
}

/** An update of a type that this version does not know. */
export function UnknownUpdate({ id }: { id: string }): VNode | null {
  const update = useApp().store.get("unknownUpdates", id);
  if (!update) return null;
  return <Odd what="" name={stringAt(update.raw, "sessionUpdate") ?? "something"} value={update.raw} />;
}

/** What went wrong quietly: a count that opens. */
export function Diagnostics(): VNode | null {
  const diagnostics = useApp().store.single("diagnostics").value;
  if (diagnostics.length === 0) return null;
  const count = plural(diagnostics.length, "message");
  return (
    <Details class="acp-diagnostics" summary={`${count} of the agent did not fit the protocol`}>
      {() => (
        <ul>
          {diagnostics.map((diagnostic) => (
            <li>
              <Visible text={diagnostic.message} />
              {diagnostic.where && (
                <span class="acp-dim">
                  {" "}
                  · <Visible text={diagnostic.where} oneLine />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Details>
  );
}

/** What the agent offers and how it is set up, as plain lines. */
export function About(): VNode | null {
  const { store } = useApp();
  const session = store.single("session").value;
  const options = store.single("configOptions").value;
  const commands = store.single("commands").value;
  const info = store.single("sessionInfo").value;
  const summary = [
    info.title,
    ...options.map((option) => `${stringAt(option, "name") ?? "?"}: ${currentOf(option)}`),
    commands.length > 0 ? plural(commands.length, "command") : null,
  ].filter((part): part is string => typeof part === "string" && part !== "");
  if (summary.length === 0) return null;
  return (
    <Details class="acp-about" summary={<Visible text={summary.join(" · ")} oneLine />}>
      {() => (
        <Json
          label="About the session"
          value={{
            command: session.command,
            cwd: session.cwd,
            permissions: session.policy,
            sessionInfo: info,
            configOptions: options,
            commands,
          }}
        />
      )}
    </Details>
  );
}

function currentOf(option: { [key: string]: unknown }): string {
  const current = option.currentValue;
  if (typeof current !== "string") return String(current ?? "?");
  const groups = Array.isArray(option.options) ? option.options : [];
  const values = groups.flatMap((entry: unknown) => {
    const inner = (entry as { options?: unknown }).options;
    return Array.isArray(inner) ? inner : [entry];
  });
  return (
    stringAt(
      values.find((value) => stringAt(value, "value") === current),
      "name",
    ) ?? current
  );
}
