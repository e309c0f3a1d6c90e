/**
 * The line to the kernel: numbered messages in, hello and acknowledgements out (docs/internals.md, "Kernel ↔ browser").
 *
 * Nothing is lost quietly: what comes early is held, what comes twice is dropped, and a gap is closed by asking for a
 * snapshot until one came.
 */

import type { AnyModel } from "@anywidget/types";
import { type Signal, signal } from "@preact/signals";
import { isObject } from "./lib/json.ts";
import { limitedSnapshot } from "./snapshot.ts";
import type { Store } from "./store.ts";
import type { Json, JsonObject, Operation } from "./types.ts";

/**
 * connecting: no answer yet. live: the kernel answered. saved: it never did, what is shown is what the notebook kept.
 * silent: it did once, and does not now: busy, or gone. lost: the line itself is closed.
 */
export type Connection = "connecting" | "live" | "saved" | "silent" | "lost";

export interface ActionResult {
  ok: boolean;
  error: string | null;
  /** What was asked for. */
  value: Json;
}

export interface Wait {
  /** A cell waits for a turn. */
  waiting: boolean;
  /** Clicks arrive while it waits. */
  clicks: boolean;
}

/** Milliseconds. */
export const TIMES = {
  /** From one unanswered hello to the next, while there is hope. */
  retry: 1000,
  /** Without any answer for so long: nobody is there. */
  verdict: 3000,
  /** From one hello to the next when nobody is there. */
  slow: 20_000,
  /** Least time between two hellos that a gap asked for. */
  gap: 400,
  /** A write-back waits so long for others to come. */
  save: 150,
};

const SAVED_BYTES = 4_000_000;
const MAX_HELD = 5000;

type Model = AnyModel<Record<string, unknown>>;

export class Link {
  readonly connection: Signal<Connection> = signal<Connection>("connecting");
  readonly wait: Signal<Wait> = signal<Wait>({ waiting: false, clicks: true });
  /** Seconds to take from the browser's clock to have the kernel's. */
  readonly skew: Signal<number> = signal(0);
  /** Time (browser, ms) of the newest message that changed something. */
  readonly heard: Signal<number> = signal(Date.now());

  private seq = -1;
  private held = new Map<number, { ops: Operation[]; buffers: Uint8Array[] }>();
  /** True while what we have is known to be incomplete. */
  private behind = false;
  private unanswered = 0;
  private lastHello = 0;
  private lastMessage = 0;
  /** The line was closed, or its state changed and nothing came through it since. */
  private closed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private saveTimer: ReturnType<typeof setTimeout> | undefined;
  private waitingResults = new Map<string, (result: ActionResult) => void>();
  private actions = 0;
  private readonly nonce = Math.random().toString(36).slice(2, 10);
  private leastSkew = Number.POSITIVE_INFINITY;

  constructor(
    private readonly model: Model,
    private readonly store: Store,
    signal: AbortSignal,
  ) {
    const state = model.get("state");
    if (isObject(state) && Object.keys(state).length > 1) this.restore(state);
    const onMessage = (content: unknown, buffers?: DataView[]) => this.receive(content, buffers ?? []);
    const onComm = () => {
      this.closed = true; // until the answer to this hello
      this.hello("comm");
    };
    model.on("msg:custom", onMessage);
    model.on("comm_live_update", onComm);
    const onVisible = () => document.visibilityState === "visible" && this.hello("visible");
    document.addEventListener("visibilitychange", onVisible, { signal });
    signal.addEventListener("abort", () => {
      model.off("msg:custom", onMessage);
      model.off("comm_live_update", onComm);
      clearTimeout(this.timer);
      clearTimeout(this.saveTimer);
    });
    this.hello("open");
  }

  // ---- out

  /** A name for a view or an action, unlike every other of this page. */
  name(what: string): string {
    this.actions += 1;
    return `${what}-${this.nonce}-${this.actions}`;
  }

  /** Tells the kernel that somebody looks; the answer tells it that nobody does any more. */
  openView(): () => void {
    const view = this.name("view");
    this.send({ type: "view", view, open: true });
    return () => void this.send({ type: "view", view, open: false });
  }

  /** Sends an action; `done` gets its result, whenever that comes. False when it cannot be sent at all. */
  act(message: JsonObject & { type: string }, done: (result: ActionResult) => void): boolean {
    const id = this.name(message.type);
    this.waitingResults.set(id, done);
    if (this.send({ ...message, id })) return true;
    this.waitingResults.delete(id);
    return false;
  }

  private hello(reason: string): void {
    clearTimeout(this.timer);
    this.lastHello = Date.now();
    this.unanswered += 1;
    // -1 never equals the kernel's number, so that a snapshot comes.
    const sent = this.send({ type: "hello", seq: this.behind ? -1 : this.seq, reason });
    if (!sent) return;
    const nobody = this.nobody();
    if (nobody) this.gone();
    this.timer = setTimeout(() => this.again(reason), nobody ? TIMES.slow : TIMES.retry);
  }

  private again(reason: string): void {
    if (this.unanswered === 0 && !this.behind) return;
    if (document.visibilityState === "hidden" && this.nobody()) return; // becoming visible says hello
    this.hello(reason);
  }

  /** No answer after several tries, and not a word since. */
  private nobody(): boolean {
    return this.unanswered * TIMES.retry > TIMES.verdict && Date.now() - this.lastMessage >= TIMES.verdict;
  }

  private send(message: JsonObject): boolean {
    try {
      this.model.send(message);
      return true;
    } catch {
      this.closed = true;
      this.gone();
      return false;
    }
  }

  private gone(): void {
    const now = this.connection.peek();
    this.connection.value = this.closed && now !== "connecting" && now !== "saved" ? "lost" : AFTER_SILENCE[now];
  }

  // ---- in

  private receive(content: unknown, buffers: readonly DataView[]): void {
    if (!isObject(content)) return;
    const handler = HANDLERS[String(content.type)];
    if (!handler) return;
    this.lastMessage = Date.now();
    this.closed = false;
    handler.call(this, content, buffers);
  }

  private answered(): void {
    this.unanswered = 0;
    this.connection.value = "live";
  }

  onOps(message: JsonObject, buffers: readonly DataView[]): void {
    const { seq, ops } = message;
    if (typeof seq !== "number" || !Array.isArray(ops)) return;
    this.connection.value = "live";
    if (seq <= this.seq) return;
    this.held.set(seq, { ops: ops as unknown as Operation[], buffers: buffers.map(bytesOf) });
    this.applyHeld();
    if (this.held.size > 0) {
      this.behind = true;
      if (this.held.size > MAX_HELD) this.held.clear();
      if (Date.now() - this.lastHello >= TIMES.gap) this.hello("gap");
    }
  }

  onSnapshot(message: JsonObject): void {
    const { seq, state } = message;
    if (typeof seq !== "number" || !isObject(state)) return;
    this.answered();
    for (const early of [...this.held.keys()]) if (early <= seq) this.held.delete(early);
    if (seq !== this.seq || this.behind) {
      this.behind = false;
      this.store.load(state);
      this.seq = seq;
      this.changed();
    }
    this.applyHeld();
    this.acknowledge();
    this.save();
    if (this.held.size > 0) this.hello("gap");
  }

  onSeq(message: JsonObject): void {
    if (typeof message.seq !== "number") return;
    this.answered();
    if (message.seq === this.seq && !this.behind) this.send({ type: "ack", seq: this.seq });
    else this.hello("behind");
  }

  onResult(message: JsonObject): void {
    const done = this.waitingResults.get(String(message.id));
    this.connection.value = "live";
    this.waitingResults.delete(String(message.id));
    const { ok, error, value = null } = message;
    done?.({ ok: ok === true, error: typeof error === "string" ? error : null, value });
  }

  onWait(message: JsonObject): void {
    this.wait.value = { waiting: message.waiting === true, clicks: message.clicks !== false };
  }

  private applyHeld(): void {
    for (let next = this.held.get(this.seq + 1); next; next = this.held.get(this.seq + 1)) {
      this.held.delete(this.seq + 1);
      this.seq += 1;
      try {
        const applied = this.store.apply(next.ops, next.buffers);
        if (applied.newest !== null) this.learnSkew(applied.newest);
        if (applied.settled) this.save();
      } catch {
        // What we hold no longer fits the kernel's operations: take a fresh copy of everything.
        this.held.clear();
        this.behind = true;
        this.hello("mismatch");
      }
      this.changed();
      this.acknowledge();
    }
  }

  private changed(): void {
    this.heard.value = Date.now();
  }

  private acknowledge(): void {
    if (!this.behind && this.store.pendingPermissions.peek().length > 0) this.send({ type: "ack", seq: this.seq });
  }

  private learnSkew(kernelSeconds: number): void {
    this.leastSkew = Math.min(this.leastSkew, Date.now() / 1000 - kernelSeconds);
    // Two seconds of lag are a slow line; more is another clock.
    this.skew.value = Math.abs(this.leastSkew) > 2 ? this.leastSkew : 0;
  }

  // ---- kept in the notebook

  private restore(state: JsonObject): void {
    try {
      this.store.load(state);
      this.seq = typeof state.seq === "number" ? state.seq : -1;
    } catch {
      this.behind = true;
    }
  }

  private save(): void {
    clearTimeout(this.saveTimer);
    this.saveTimer = setTimeout(() => {
      if (this.behind) return;
      const state: Record<string, Json> = { seq: this.seq, ...limitedSnapshot(this.store.toSnapshot(), SAVED_BYTES) };
      this.model.set("state", state); // never save_changes: the kernel has the truth
    }, TIMES.save);
  }
}

const HANDLERS: Record<string, (this: Link, message: JsonObject, buffers: readonly DataView[]) => void> = {
  ops: Link.prototype.onOps,
  snapshot: Link.prototype.onSnapshot,
  seq: Link.prototype.onSeq,
  result: Link.prototype.onResult,
  wait: Link.prototype.onWait,
};

const AFTER_SILENCE: Record<Connection, Connection> = {
  connecting: "saved",
  saved: "saved",
  live: "silent",
  silent: "silent",
  lost: "lost",
};

function bytesOf(view: DataView | ArrayBuffer): Uint8Array {
  return view instanceof ArrayBuffer
    ? new Uint8Array(view)
    : new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}
