/**
 * The state of a session in the browser.
 *
 * Only `load` and `apply` change it, with what the kernel sends; views read signals and never write here. What only the
 * page knows (open cards, drafts, scroll) stays in the views.
 */

import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { isObject, stringAt } from "./lib/json.ts";
import { type Edit, editAt, NOTHING } from "./lib/patching.ts";
import { TerminalBuffer } from "./lib/terminal_buffer.ts";
import { emptyState, GROUP_NAMES, groupOf, isGroup } from "./state.ts";
import type { GroupName, Groups, Json, JsonObject, Operation, Path, SingleName, Singles } from "./types.ts";

/** One group: its entities, each with a signal of its own, and a signal of its keys. */
class Group<T> {
  readonly entities = new Map<string, Signal<T>>();
  readonly keys: Signal<readonly string[]> = signal([]);
  private stale = false;

  set(key: string, value: T): void {
    const known = this.entities.get(key);
    if (known) known.value = value;
    else {
      this.entities.set(key, signal(value));
      this.stale = true;
    }
  }

  remove(key: string): void {
    const gone = this.entities.get(key) as Signal<T | undefined> | undefined;
    if (!gone) return;
    this.entities.delete(key);
    this.stale = true;
    gone.value = undefined; // whoever looks at it looks again
  }

  /** Puts these entities in the place of all. Keys that stay keep their signal, so that views follow. */
  replace(entries: [string, T][]): void {
    const before = new Map(this.entities);
    this.entities.clear();
    for (const [key, value] of entries) {
      const known = before.get(key);
      if (known) {
        this.entities.set(key, known);
        known.value = value;
        before.delete(key);
      } else this.entities.set(key, signal(value));
    }
    for (const gone of before.values()) (gone as Signal<T | undefined>).value = undefined;
    this.stale = true;
  }

  publishKeys(): void {
    if (this.stale) this.keys.value = [...this.entities.keys()];
    this.stale = false;
  }
}

type GroupMap = { [name in GroupName]: Group<Groups[name]> };

/** What one batch of operations touched. */
export interface Applied {
  /** A turn ended or a permission was settled: worth a place in the saved notebook. */
  settled: boolean;
  /** Seconds on the kernel's clock of the newest first sight, or null. */
  newest: number | null;
}

export class Store {
  private readonly groups = Object.fromEntries(GROUP_NAMES.map((name) => [name, new Group()])) as unknown as GroupMap;
  private readonly singles = new Map<string, Signal<Json>>();
  private readonly buffers = new Map<string, Signal<TerminalBuffer>>();
  private readonly placesOfTurn = new Map<string, Signal<readonly string[]>>();
  private readonly permissionsOfCall = new Map<string, Signal<readonly string[]>>();
  private placed = new Set<string>();
  private owned = new Set<object>();
  private regroup = true;
  private permissionsChanged = true;
  private readonly pending = signal<readonly string[]>([]);
  private touched: string | null = null;
  private readonly latest = signal<string | null>(null);

  constructor(state: JsonObject = emptyState()) {
    this.load(state);
  }

  // ---- reading

  single<K extends SingleName>(name: K): ReadonlySignal<Singles[K]> {
    return this.singleSignal(name) as unknown as ReadonlySignal<Singles[K]>;
  }

  /** The keys of a group, in order of first sight. */
  keys(group: GroupName): ReadonlySignal<readonly string[]> {
    return this.groups[group].keys;
  }

  /** An entity now, tracked by the component that reads it; undefined when there is none. */
  get<K extends GroupName>(group: K, key: string): Groups[K] | undefined {
    const entity = this.groups[group].entities.get(key) as Signal<Groups[K]> | undefined;
    if (!entity) void this.groups[group].keys.value; // be drawn again when it comes
    return entity?.value;
  }

  /** The bytes of a terminal; undefined before it is known. */
  buffer(key: string): TerminalBuffer | undefined {
    const buffer = this.buffers.get(key);
    if (!buffer) void this.groups.terminals.keys.value;
    return buffer?.value;
  }

  /** Timeline keys of a turn; "" holds what came before the first one. */
  places(turn: string): ReadonlySignal<readonly string[]> {
    return listOf(this.placesOfTurn, turn);
  }

  /** Permissions that stand in a tool call's card and not in the timeline, by tool call id. */
  permissionsAt(toolCallId: string): ReadonlySignal<readonly string[]> {
    return listOf(this.permissionsOfCall, toolCallId);
  }

  /** Keys of the permissions that wait for an answer. */
  get pendingPermissions(): ReadonlySignal<readonly string[]> {
    return this.pending;
  }

  /** The key of the tool call with a place in a file that was updated last; null before the first. */
  get latestCall(): ReadonlySignal<string | null> {
    return this.latest;
  }

  // ---- changing

  /** Replaces everything by a snapshot. */
  load(state: JsonObject): void {
    batch(() => {
      const full = { ...emptyState(), ...state };
      delete full.seq;
      for (const name of this.singles.keys()) if (!Object.hasOwn(full, name)) this.singleSignal(name).value = null;
      for (const [name, value] of Object.entries(full)) this.setTop(name, value);
      this.regroup = true;
      this.finish();
    });
  }

  /** Applies operations in order. Throws on one that does not fit; those before it stay applied. */
  apply(ops: readonly Operation[], buffers: readonly Uint8Array[] = []): Applied {
    const applied: Applied = { settled: false, newest: null };
    const openBefore = new Map<string, boolean>();
    batch(() => {
      try {
        for (const op of ops) this.one(op, buffers, applied, openBefore);
      } finally {
        for (const [key, open] of openBefore) if (open && !this.isOpen(key)) applied.settled = true;
        this.finish();
      }
    });
    return applied;
  }

  private one(op: Operation, buffers: readonly Uint8Array[], applied: Applied, openBefore: Map<string, boolean>): void {
    if (op[0] === "bytes" || op[0] === "trim") {
      const buffer = this.buffers.get(op[1])?.peek();
      if (!buffer) throw new Error(`no such terminal: ${op[1]}`);
      if (op[0] === "bytes") {
        const data = buffers[op[2]];
        if (!data) throw new Error(`no such buffer: ${op[2]}`);
        buffer.append(data);
      } else {
        buffer.trim(op[2]);
        this.editEntity("terminals", op[1], ["output", "cut"], (cut) => (typeof cut === "number" ? cut : 0) + op[2]);
      }
      return;
    }
    const path = op[1];
    const key = path[1];
    if ((path[0] === "turns" || path[0] === "permissions") && typeof key === "string" && !openBefore.has(key)) {
      openBefore.set(key, this.isOpen(key));
    }
    if (op[0] === "set" && path.length === 2 && isObject(op[2]) && isObject(op[2].at)) {
      const first = op[2].at.first;
      if (typeof first === "number") applied.newest = Math.max(applied.newest ?? 0, first);
    }
    if (op[0] === "set") this.edit(path, () => op[2]);
    else if (op[0] === "append") this.edit(path, (list) => this.appended(list, op[2]));
    else if (op[0] === "text") this.edit(path, (text) => textOf(text) + op[2]);
    else if (op[0] === "delete") this.edit(path, () => NOTHING);
    else throw new Error(`unknown operation: ${String((op as Json[])[0])}`);
  }

  private appended(list: Json | undefined, item: Json): Json {
    if (!Array.isArray(list)) throw new Error("append to something that is no list");
    if (this.owned.has(list)) {
      list.push(item);
      return list;
    }
    const copy = [...list, item];
    this.owned.add(copy);
    return copy;
  }

  private edit(path: Path, leaf: Edit): void {
    const [top, key] = path;
    if (typeof top !== "string") throw new Error("a path begins with a name");
    if (!isGroup(top)) {
      const value = editAt(this.singleSignal(top).peek(), path, 1, leaf, this.owned);
      this.singleSignal(top).value = value === NOTHING ? null : value;
      if (top === "timeline" && path.length > 1) this.regroup = true;
    } else if (path.length === 1) {
      const value = leaf(undefined);
      this.setTop(top, value === NOTHING ? {} : value);
    } else {
      this.editEntity(top, String(key), path.slice(2), leaf);
    }
  }

  private editEntity(group: GroupName, key: string, path: Path, leaf: Edit): void {
    const entities = this.groups[group];
    const before = entities.entities.get(key)?.peek() as Json | undefined;
    if (before === undefined && path.length > 0) throw new Error(`no such entity: ${group} ${key}`);
    const after = editAt(before, path, 0, leaf, this.owned);
    if (after === NOTHING) {
      entities.remove(key);
      if (group === "terminals") this.buffers.delete(key);
    } else {
      const kept = group === "terminals" ? this.takeBytes(key, after, path) : after;
      (entities as Group<unknown>).set(key, kept);
    }
    if (group === "toolCalls" && hasPlace(after)) this.touched = key;
    if (this.placed.has(key) && turnIn(before) !== turnIn(after)) this.regroup = true;
    if (group === "permissions") {
      this.permissionsChanged = true;
      if (path.length === 0 || path[0] === "toolCallId") this.regroup = true;
    }
  }

  /** Moves the bytes of a terminal's output out of the JSON, into a buffer. */
  private takeBytes(key: string, terminal: Json, path: Path): Json {
    if (!isObject(terminal)) return terminal;
    const known = this.buffers.get(key);
    const sameBytes = path.length > 0 && (path[0] !== "output" || (path.length > 1 && path[1] !== "data"));
    if (path[0] === "size") known?.peek().resize(terminal.size);
    if (sameBytes && known) return terminal;
    const output = isObject(terminal.output) ? terminal.output : null;
    const buffer = new TerminalBuffer(typeof output?.data === "string" ? output.data : "", terminal.size);
    if (known) known.value = buffer;
    else this.buffers.set(key, signal(buffer));
    return output ? { ...terminal, output: { ...output, data: "" } } : terminal;
  }

  private setTop(name: string, value: Json): void {
    if (!isGroup(name)) {
      this.singleSignal(name).value = value;
      if (name === "timeline") this.regroup = true;
      return;
    }
    if (!isObject(value)) throw new Error(`a group is an object: ${name}`);
    let entries = Object.entries(value);
    if (name === "terminals") {
      for (const key of [...this.buffers.keys()]) if (!Object.hasOwn(value, key)) this.buffers.delete(key);
      entries = entries.map(([key, terminal]) => [key, this.takeBytes(key, terminal, [])]);
    }
    (this.groups[name] as Group<unknown>).replace(entries);
    if (name === "permissions") this.permissionsChanged = true;
    if (name === "toolCalls") this.touched = entries.filter(([, call]) => hasPlace(call)).pop()?.[0] ?? null;
    this.regroup = true;
  }

  private singleSignal(name: string): Signal<Json> {
    let single = this.singles.get(name);
    if (!single) {
      single = signal<Json>(null);
      this.singles.set(name, single);
    }
    return single;
  }

  private isOpen(key: string): boolean {
    const permission = this.groups.permissions.entities.get(key)?.peek();
    if (permission) return permission.status === "pending";
    const turn = this.groups.turns.entities.get(key)?.peek();
    return turn !== undefined && turn.at?.end === null;
  }

  // ---- indexes that views read

  private finish(): void {
    for (const name of GROUP_NAMES) this.groups[name].publishKeys();
    this.latest.value = this.touched;
    this.placeEntries();
    if (this.permissionsChanged) {
      const entries = [...this.groups.permissions.entities];
      setList(
        this.pending,
        entries.filter(([, entity]) => entity.peek().status === "pending").map(([key]) => key),
      );
      this.permissionsChanged = false;
    }
    this.owned = new Set();
  }

  private placeEntries(): void {
    const timeline = this.singleSignal("timeline").peek();
    const keys = Array.isArray(timeline) ? timeline.filter((key) => typeof key === "string") : [];
    const before = this.placed.size;
    const grew = !this.regroup && keys.length >= before;
    if (grew && keys.length === before) return;
    if (grew) {
      for (const key of keys.slice(before)) {
        this.placed.add(key);
        const list = listOf(this.placesOfTurn, this.turnOf(key));
        list.value = [...list.peek(), key];
      }
    } else {
      this.placed = new Set(keys);
      this.placeAll(this.placed);
    }
    this.regroup = false;
    this.placePermissions();
  }

  private placeAll(keys: Iterable<string>): void {
    const lists = new Map<string, string[]>();
    for (const key of keys) push(lists, this.turnOf(key), key);
    for (const [turn, list] of this.placesOfTurn) setList(list, lists.get(turn) ?? []);
    for (const [turn, list] of lists) setList(listOf(this.placesOfTurn, turn), list);
  }

  private placePermissions(): void {
    const lists = new Map<string, string[]>();
    for (const [key, entity] of this.groups.permissions.entities) {
      const id = entity.peek().toolCallId;
      if (typeof id === "string" && !this.placed.has(key)) push(lists, id, key);
    }
    for (const [id, list] of this.permissionsOfCall) setList(list, lists.get(id) ?? []);
    for (const [id, list] of lists) setList(listOf(this.permissionsOfCall, id), list);
  }

  private turnOf(key: string): string {
    const group = groupOf(key);
    return (group && turnIn(this.groups[group].entities.get(key)?.peek())) ?? "";
  }

  // ---- writing out

  /** The state in the kernel's snapshot shape, terminal bytes as base64. */
  toSnapshot(): JsonObject {
    const snapshot: JsonObject = {};
    for (const [name, single] of this.singles) {
      if (name !== "cutNote" || single.peek() !== null) snapshot[name] = single.peek();
    }
    for (const name of GROUP_NAMES) {
      const group: JsonObject = {};
      for (const [key, entity] of this.groups[name].entities) {
        const value = entity.peek() as unknown as JsonObject;
        define(group, key, name === "terminals" ? this.withBytes(key, value) : value);
      }
      snapshot[name] = group;
    }
    return snapshot;
  }

  private withBytes(key: string, terminal: JsonObject): JsonObject {
    if (!isObject(terminal.output)) return terminal;
    return { ...terminal, output: { ...terminal.output, data: this.buffers.get(key)?.peek().base64() ?? "" } };
  }
}

function turnIn(entity: unknown): string | null {
  return stringAt(entity, "turn");
}

function hasPlace(call: Json | symbol): boolean {
  return isObject(call) && Array.isArray(call.locations) && call.locations.length > 0;
}

function textOf(value: Json | undefined): string {
  if (typeof value !== "string") throw new Error("text for something that is no text");
  return value;
}

/** Sets an own property, whatever its name ("__proto__" is a name like any other). */
function define(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

function listOf(lists: Map<string, Signal<readonly string[]>>, key: string): Signal<readonly string[]> {
  let list = lists.get(key);
  if (!list) {
    list = signal<readonly string[]>([]);
    lists.set(key, list);
  }
  return list;
}

function setList(list: Signal<readonly string[]>, next: readonly string[]): void {
  const now = list.peek();
  if (now.length !== next.length || next.some((key, at) => key !== now[at])) list.value = next;
}

function push(lists: Map<string, string[]>, name: string, key: string): void {
  const list = lists.get(name);
  if (list) list.push(key);
  else lists.set(name, [key]);
}
