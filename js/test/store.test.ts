import { effect } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { call, demoState, message, permission, state, terminal, turn } from "../dev/states.ts";
import { fromBase64 } from "../src/lib/base64.ts";
import { limitedSnapshot } from "../src/snapshot.ts";
import { emptyState } from "../src/state.ts";
import { Store } from "../src/store.ts";
import type { JsonObject, Operation } from "../src/types.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function without(value: JsonObject, name: string): JsonObject {
  const { [name]: _, ...rest } = value;
  return rest;
}

describe("snapshots", () => {
  it("come out as they went in", () => {
    const before = demoState();
    expect(new Store(before).toSnapshot()).toEqual(without(before, "seq"));
  });

  it("of an empty store are the fresh state", () => {
    expect(new Store().toSnapshot()).toEqual(emptyState());
  });

  it("replace everything that was there", () => {
    const store = new Store(demoState());
    const next = state({ timeline: ["a:9"], messages: { "a:9": message("agent", "9", "hi", { turn: null }) } });
    store.load(next);
    expect(store.toSnapshot()).toEqual(without(next, "seq"));
    expect(store.places("r:1").value).toEqual([]);
    expect(store.places("").value).toEqual(["a:9"]);
  });

  it("reach a view that looks at an entity which stays, goes, or comes back", () => {
    const one = state({ messages: { "a:1": message("agent", "1", "one") } });
    const store = new Store(one);
    const seen: unknown[] = [];
    effect(() => void seen.push(store.get("messages", "a:1")?.content[0]?.text));
    store.load(state({ messages: { "a:1": message("agent", "1", "two") } }));
    store.load(state({}));
    store.load(one);
    expect(seen).toEqual(["one", "two", undefined, "one"]);
  });
});

describe("operations", () => {
  it("change text, lists, fields and entries", () => {
    const store = new Store(state({ messages: { "a:1": message("agent", "1", "Hel") }, timeline: ["a:1"] }));
    store.apply([
      ["text", ["messages", "a:1", "content", 0, "text"], "lo"],
      ["append", ["messages", "a:1", "content"], { type: "text", text: "!" }],
      ["set", ["toolCalls", "t:1"], call("1")],
      ["append", ["timeline"], "t:1"],
      ["set", ["toolCalls", "t:1", "_meta", "k"], 1],
      ["set", ["state", "busy"], true],
    ]);
    expect(store.get("messages", "a:1")?.content).toEqual([
      { type: "text", text: "Hello" },
      { type: "text", text: "!" },
    ]);
    expect(store.get("toolCalls", "t:1")?._meta).toEqual({ k: 1 });
    expect(store.single("state").value.busy).toBe(true);
    store.apply([
      ["delete", ["messages", "a:1", "content", 0]],
      ["delete", ["toolCalls", "t:1"]],
    ]);
    expect(store.get("messages", "a:1")?.content).toHaveLength(1);
    expect(store.get("toolCalls", "t:1")).toBeUndefined();
  });

  it("never change what a view already holds", () => {
    const store = new Store(state({ messages: { "a:1": message("agent", "1", "a") } }));
    const held = store.get("messages", "a:1");
    store.apply([["text", ["messages", "a:1", "content", 0, "text"], "b"]]);
    expect(held?.content[0]?.text).toBe("a");
    expect(store.get("messages", "a:1")?.content[0]?.text).toBe("ab");
  });

  it("wake only the views of what they touch, once a message", () => {
    const store = new Store(
      state({ messages: { "a:1": message("agent", "1", "a"), "a:2": message("agent", "2", "x") } }),
    );
    const drawn: string[] = [];
    for (const id of ["1", "2"]) effect(() => void drawn.push(store.get("messages", `a:${id}`)?.messageId ?? ""));
    const path = ["messages", "a:1", "content", 0, "text"];
    store.apply([
      ["text", path, "b"],
      ["text", path, "c"],
    ]);
    expect(drawn).toEqual(["1", "2", "1"]);
  });

  it("put terminal bytes together, also when a character is cut", () => {
    const store = new Store(state({ terminals: { "x:1": terminal("1", "caf") } }));
    const all = bytes("é ok\n");
    store.apply(
      [
        ["bytes", "x:1", 0],
        ["bytes", "x:1", 1],
      ],
      [all.subarray(0, 1), all.subarray(1)],
    );
    expect(store.buffer("x:1")?.screen().text()).toBe("café ok");
    store.apply([["trim", "x:1", 3]]);
    const snapshot = store.toSnapshot() as { terminals: { "x:1": { output: { data: string; cut: number } } } };
    expect(snapshot.terminals["x:1"].output.cut).toBe(3);
    expect(fromBase64(snapshot.terminals["x:1"].output.data)).toEqual(all);
  });

  it("begin a new screen with a new output", () => {
    const store = new Store(state({ terminals: { "x:1": terminal("1", "\x1b[31mold\x1b[") } }));
    store.buffer("x:1")?.screen();
    store.apply([["set", ["terminals", "x:1", "output"], { data: btoa("1mnew"), _meta: null, cut: 0 }]]);
    expect(store.buffer("x:1")?.screen().text()).toBe("1mnew");
    store.apply([["set", ["terminals", "x:1", "exitStatus"], { exitCode: 0, signal: null }]]);
    expect(store.buffer("x:1")?.screen().text()).toBe("1mnew");
    store.apply([["set", ["terminals", "x:1", "output"], null]]);
    expect(store.buffer("x:1")?.size).toBe(0);
  });

  it("take any name for a key: it is data, never code", () => {
    const store = new Store(state({}));
    for (const id of ["__proto__", "constructor", "", "toString"]) {
      store.apply([
        ["set", ["toolCalls", `t:${id}`], call(id, { rawInput: { a: 1 } })],
        ["append", ["timeline"], `t:${id}`],
        ["set", ["toolCalls", `t:${id}`, "_meta", "__proto__"], { polluted: true }],
      ]);
      expect(store.get("toolCalls", `t:${id}`)?.toolCallId).toBe(id);
      expect(Object.keys(store.get("toolCalls", `t:${id}`)?._meta ?? {})).toEqual(["__proto__"]);
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    const copy = new Store(store.toSnapshot());
    expect(copy.toSnapshot()).toEqual(store.toSnapshot());
  });

  it.each<[string, Operation]>([
    ["an unknown entity", ["text", ["messages", "a:9", "content", 0, "text"], "x"]],
    ["an item beyond the end", ["text", ["messages", "a:1", "content", 5, "text"], "x"]],
    ["text for a list", ["text", ["messages", "a:1", "content"], "x"]],
    ["an item for text", ["append", ["messages", "a:1", "content", 0, "text"], "x"]],
    ["bytes for no terminal", ["bytes", "x:9", 0]],
    ["an operation that nobody knows", ["frob", ["timeline"], 1] as unknown as Operation],
  ])("refuse %s", (_, op) => {
    const store = new Store(state({ messages: { "a:1": message("agent", "1", "a") } }));
    expect(() => store.apply([op])).toThrow();
  });

  it("say when a turn ended or a permission was settled, and only then", () => {
    const store = new Store(state({ turns: { "r:1": turn(1, "x") }, permissions: { "p:1": permission("?") } }));
    expect(store.apply([["set", ["state", "busy"], true]]).settled).toBe(false);
    expect(store.apply([["set", ["permissions", "p:1", "status"], "selected"]]).settled).toBe(true);
    expect(store.apply([["set", ["permissions", "p:1", "why"], "x"]]).settled).toBe(false);
    expect(store.apply([["set", ["turns", "r:1", "at", "end"], 5]]).settled).toBe(true);
  });
});

describe("places", () => {
  it("keep entries with their turn, in order of first sight", () => {
    const store = new Store(state({ turns: { "r:1": turn(1, "a"), "r:2": turn(2, "b") } }));
    const add = (key: string, of: string | null): Operation[] => [
      ["set", ["messages", key], message("agent", key.slice(2), "x", { turn: of })],
      ["append", ["timeline"], key],
    ];
    store.apply([...add("a:0", null), ...add("a:1", "r:1"), ...add("a:2", "r:2"), ...add("a:3", "r:1")]);
    expect(store.places("").value).toEqual(["a:0"]);
    expect(store.places("r:1").value).toEqual(["a:1", "a:3"]);
    expect(store.places("r:2").value).toEqual(["a:2"]);
  });

  it("follow an entry whose turn comes later, and a history that is dropped", () => {
    const store = new Store(state({}));
    store.apply([["append", ["timeline"], "a:1"]]);
    expect(store.places("").value).toEqual(["a:1"]);
    store.apply([["set", ["messages", "a:1"], message("agent", "1", "x")]]);
    expect(store.places("r:1").value).toEqual(["a:1"]);
    store.apply([
      ["set", ["timeline"], []],
      ["set", ["messages"], {}],
    ]);
    expect(store.places("r:1").value).toEqual([]);
  });

  it("put a permission at its tool call unless the timeline has it", () => {
    const store = new Store(state({}));
    store.apply([
      ["set", ["permissions", "p:1"], permission("at the call", { toolCallId: "c" })],
      ["set", ["permissions", "p:2"], permission("by itself", { toolCallId: "c" })],
      ["append", ["timeline"], "p:2"],
    ]);
    expect(store.permissionsAt("c").value).toEqual(["p:1"]);
    expect(store.pendingPermissions.value).toEqual(["p:1", "p:2"]);
    store.apply([["set", ["permissions", "p:1", "status"], "cancelled"]]);
    expect(store.pendingPermissions.value).toEqual(["p:2"]);
  });
});

describe("a snapshot for the notebook", () => {
  const size = (value: unknown): number => bytes(JSON.stringify(value)).length;

  it("stays as it is when it is small", () => {
    const snapshot = new Store(demoState()).toSnapshot();
    expect(limitedSnapshot(snapshot, 4_000_000)).toBe(snapshot);
  });

  it("loses the front of terminals first, and says how much", () => {
    const output = `${"x".repeat(300_000)}the end`;
    const snapshot = new Store(state({ terminals: { "x:1": terminal("1", output) } })).toSnapshot();
    const small = limitedSnapshot(snapshot, 50_000) as {
      cutNote: string;
      terminals: { "x:1": { output: { data: string; cut: number } } };
    };
    expect(size(small)).toBeLessThanOrEqual(50_100);
    const kept = fromBase64(small.terminals["x:1"].output.data);
    expect(new TextDecoder().decode(kept)).toMatch(/x the end$|xthe end$/);
    expect(kept.length + small.terminals["x:1"].output.cut).toBe(output.length);
    expect(small.cutNote).not.toBe("");
  });

  it("then shortens long strings, never ids and never lists", () => {
    const id = "i".repeat(5000);
    const snapshot = new Store(
      state({
        messages: { [`a:${id}`]: message("agent", id, "y".repeat(200_000)) },
        timeline: [`a:${id}`],
      }),
    ).toSnapshot();
    const small = limitedSnapshot(snapshot, 60_000) as JsonObject;
    expect(size(small)).toBeLessThanOrEqual(60_000);
    expect(small.timeline).toEqual([`a:${id}`]);
    const store = new Store(small);
    expect(store.get("messages", `a:${id}`)?.messageId).toBe(id);
    expect(store.get("messages", `a:${id}`)?.content[0]?.text).toMatch(/… \[cut: \d+ characters\]$/);
  });
});
