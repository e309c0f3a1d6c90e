import { describe, expect, it } from "vitest";
import { demoState, oddStates } from "../dev/states.ts";
import { fromBase64 } from "../src/lib/base64.ts";
import { GROUP_NAMES } from "../src/state.ts";
import { Store } from "../src/store.ts";
import type { Json, JsonObject, Operation } from "../src/types.ts";
import { Session } from "../src/views/Session.tsx";
import { golden } from "./golden.ts";
import { clear, show } from "./help.tsx";

interface Case {
  name: string;
  before: JsonObject;
  ops: Operation[];
  buffers: string[];
  after: JsonObject;
}

/** A copy, as a message brings one: what a store does to it stays there. */
const copy = <T,>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const CASES = golden<Case[]>("operations.json");

/** What views find by index must be what a fresh look at the state gives. */
function indexes(store: Store): unknown {
  const turns = ["", ...store.keys("turns").value];
  const calls = store.keys("toolCalls").value.map((key) => key.slice(2));
  return {
    places: turns.map((turn) => store.places(turn).value),
    questions: calls.map((id) => store.permissionsAt(id).value),
    pending: store.pendingPermissions.value,
  };
}

describe("the operations of the reducer give the same state here", () => {
  it.each(CASES)("$name", ({ before, ops, buffers, after }) => {
    const store = new Store(copy(before));
    store.apply(copy(ops), buffers.map(fromBase64));
    expect(store.toSnapshot()).toEqual(after);
    expect(indexes(store)).toEqual(indexes(new Store(copy(after))));
  });

  it.each(CASES)("$name, an operation at a time, with somebody looking", ({ before, ops, buffers, after }) => {
    const store = new Store(copy(before));
    const bytes = buffers.map(fromBase64);
    for (const op of copy(ops)) {
      store.apply([op], bytes);
      for (const key of store.keys("terminals").value) store.buffer(key)?.screen();
    }
    expect(store.toSnapshot()).toEqual(after);
  });
});

describe("every state can be drawn", () => {
  it.each(CASES.filter((_, at) => at % 4 === 0 || at > 136))("$name", ({ before, ops, buffers }) => {
    const page = show(<Session />, { seq: 0, ...copy(before) });
    page.model.receive(
      { type: "ops", seq: 1, ops: copy(ops) },
      buffers.map((buffer) => new DataView(fromBase64(buffer).buffer)),
    );
    expect(page.one(".acp-header").textContent).not.toBe("");
    clear();
  });
});

describe("junk in a state", () => {
  const JUNK: Json[] = [null, 0, [null], { type: "toString" }];
  const WHOLE = { ...oddStates(), ...demoState() } as Record<string, JsonObject>;

  it.each(GROUP_NAMES)("breaks at most the entry that holds it: %s", (group) => {
    const samples = { ...(oddStates()[group] as JsonObject), ...(WHOLE[group] as JsonObject) } as Record<
      string,
      JsonObject
    >;
    const [place, entity] = Object.entries(samples)[0] as [string, JsonObject];
    const fields = Object.keys(entity).filter((name) => !["turn", "at", "status", "role"].includes(name));
    expect(fields.length).toBeGreaterThan(0);
    for (const name of fields) {
      for (const junk of JUNK) {
        const broken = { ...WHOLE, [group]: { ...WHOLE[group], [place]: { ...entity, [name]: junk } } };
        const page = show(<Session />, broken);
        expect(page.one(".acp-composer textarea"), `${name}: ${JSON.stringify(junk)}`).toBeTruthy();
        clear();
      }
    }
  });
});
