import { computed, type ReadonlySignal } from "@preact/signals";
import type { VNode } from "preact";
import { stringAt } from "../lib/json.ts";
import type { Store } from "../store.ts";
import { useApp } from "./context.ts";
import { Terminal } from "./Terminal.tsx";

/** Terminals of a turn that neither a tool call nor a question shows, at its end. */
export function LooseTerminals({ turn }: { turn: string }): VNode {
  const { store } = useApp();
  const own = store.keys("terminals").value.filter((key) => store.get("terminals", key)?.turn === turn);
  const ended = store.get("turns", turn)?.at.end != null;
  return (
    <>
      {own.map((key) => (
        <LooseTerminal key={key} id={key} ended={ended} />
      ))}
    </>
  );
}

/**
 * While the turn runs, a tool call may still come for it, and does as a rule before there is output: until then it waits,
 * so that it does not move under the reader's eyes.
 */
function LooseTerminal({ id, ended }: { id: string; ended: boolean }): VNode | null {
  const { store } = useApp();
  if (anchored(store).value.has(id)) return null;
  const buffer = store.buffer(id);
  void buffer?.revision.value;
  if (!ended && !buffer?.size && !store.get("terminals", id)?.exitStatus) return null;
  return (
    <div class="acp-call">
      <Terminal id={id} />
    </div>
  );
}

const known = new WeakMap<Store, ReadonlySignal<ReadonlySet<string>>>();

/** Keys of the terminals that tool calls and questions show: one set for all turns, the same until it changes. */
function anchored(store: Store): ReadonlySignal<ReadonlySet<string>> {
  let made = known.get(store);
  if (!made) {
    let last = new Set<string>();
    made = computed(() => {
      const now = new Set<string>();
      for (const key of store.keys("toolCalls").value) {
        for (const item of store.get("toolCalls", key)?.content ?? []) {
          if (item.type === "terminal") now.add(`x:${stringAt(item, "terminalId") ?? ""}`);
        }
      }
      for (const key of store.pendingPermissions.value) {
        const id = stringAt(store.get("permissions", key)?.subject, "terminalId");
        if (id !== null) now.add(`x:${id}`);
      }
      if (now.size !== last.size || [...now].some((each) => !last.has(each))) last = now;
      return last;
    });
    known.set(store, made);
  }
  return made;
}
