import type { VNode } from "preact";
import { groupOf } from "../state.ts";
import type { GroupName } from "../types.ts";
import { Compaction } from "./Compaction.tsx";
import { useApp } from "./context.ts";
import { Guard } from "./Guard.tsx";
import { LooseTerminals } from "./LooseTerminals.tsx";
import { Message, UserBubble } from "./Message.tsx";
import { Notices } from "./Notice.tsx";
import { Permission } from "./Permission.tsx";
import { Plan } from "./Plan.tsx";
import { Queued } from "./Queued.tsx";
import { ToolCall } from "./ToolCall.tsx";
import { TurnEnd } from "./TurnEnd.tsx";
import { UnknownUpdate } from "./UnknownUpdate.tsx";
import "./Turn.css";

type EntryView = (props: { id: string }) => ReturnType<typeof Message>;

/** What draws an entry of the timeline. */
const ENTRIES: Partial<Record<GroupName, EntryView>> = {
  messages: Message,
  toolCalls: ToolCall,
  permissions: Permission,
  plans: Plan,
  compactions: Compaction,
  unknownUpdates: UnknownUpdate,
};

/** Entries of a turn ("" for what came before the first), in order of first sight. */
export function Entries({ turn }: { turn: string }): VNode {
  const keys = useApp().store.places(turn).value;
  return (
    <>
      {runsOf(keys).map((run) => {
        const key = run[0] as string;
        const View = ENTRIES[groupOf(key) ?? "turns"];
        const view = groupOf(key) === "notices" ? <Notices ids={run} /> : View && <View id={key} />;
        return view ? (
          <div key={key} class={`acp-entry acp-entry-${key[0]}`}>
            <Guard what="An entry of the agent">{view}</Guard>
          </div>
        ) : null;
      })}
    </>
  );
}

/** Each key by itself, but notices that follow each other together. */
function runsOf(keys: readonly string[]): string[][] {
  const runs: string[][] = [];
  for (const key of keys) {
    const last = runs[runs.length - 1];
    if (groupOf(key) === "notices" && last && groupOf(last[0] as string) === "notices") last.push(key);
    else runs.push([key]);
  }
  return runs;
}

/** A turn: its prompt, what belongs to it, and how it ended. */
export function TurnBody({ id, inPanel = false }: { id: string; inPanel?: boolean }): VNode | null {
  const { store } = useApp();
  const turn = store.get("turns", id);
  if (!turn || (inPanel && turn.status === "queued")) return null; // the panel has them beside its composer
  if (turn.status === "queued" || turn.status === "not_sent") return <Queued id={id} turn={turn} />;
  const echoed = turn.echo !== null && store.get("messages", turn.echo) !== undefined;
  return (
    <>
      {turn.prompt !== null && !echoed && (
        <div class="acp-entry">
          <UserBubble blocks={turn.prompt} own={turn.source !== null} />
        </div>
      )}
      {turn.prompt === null && <div class="acp-done">The agent began by itself</div>}
      <Entries turn={id} />
      <Guard what="The end of this turn">
        <LooseTerminals turn={id} />
        <TurnEnd id={id} turn={turn} />
      </Guard>
    </>
  );
}
