import type { VNode } from "preact";
import { Blocks } from "./Blocks.tsx";
import { unheard, useApp } from "./context.ts";
import { Details } from "./Details.tsx";
import { Icon, type IconName } from "./Icon.tsx";
import { Visible } from "./Visible.tsx";
import "./Notice.css";

const COMPACTION_WORDS: Record<string, string> = {
  in_progress: "Compacting the context…",
  completed: "Context compacted",
  failed: "Compacting the context failed",
  cancelled: "Compacting the context was cancelled",
};

/** The agent made its context smaller. */
export function Compaction({ id }: { id: string }): VNode | null {
  const app = useApp();
  const { store } = app;
  const compaction = store.get("compactions", id);
  if (!compaction) return null;
  const known = Object.hasOwn(COMPACTION_WORDS, compaction.status);
  const over = unheard(app) || (compaction.turn !== null && store.get("turns", compaction.turn)?.at.end != null);
  const tone = compaction.status === "failed" ? "acp-bad" : "";
  const icon: IconName = tone ? "alert" : compaction.status === "in_progress" && !over ? "spinner" : "minus";
  const words = known ? COMPACTION_WORDS[compaction.status] : `Context compaction: ${compaction.status}`;
  const summary = compaction.summary ?? [];
  const line = (
    <>
      {tone && summary.length > 0 && <Icon name="alert" class={tone} />}
      <b class={tone}>
        <Visible text={words ?? ""} oneLine />
      </b>{" "}
      {compaction.error && <Visible text={compaction.error} />}
    </>
  );
  if (summary.length > 0) {
    return (
      <Details class="acp-note-details" summary={<>{line} · summary</>}>
        {() => <Blocks blocks={summary} />}
      </Details>
    );
  }
  return (
    <div class="acp-note">
      <Icon name={icon} class={tone} />
      <span>{line}</span>
    </div>
  );
}
