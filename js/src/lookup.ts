/** Asks the kernel what `@` can mention. One question is under way at a time; then the newest one is asked. */

import { type Signal, signal } from "@preact/signals";
import { type Actions, SLOW } from "./actions.ts";
import { isObject, stringAt } from "./lib/json.ts";
import type { ActionResult } from "./link.ts";
import type { Json } from "./types.ts";

/** What would be attached. */
export interface Told {
  kind: string;
  detail: string;
}

export interface Offer extends Told {
  text: string;
}

/** What fitted `typed`; null before there was an answer. */
export interface Offers {
  typed: string | null;
  items: readonly Offer[];
  more: string;
}

/** Milliseconds after which a question is given up, so that a newer one can be asked. */
export const LIMIT = 10_000;

/** It was there when its chip was first shown. */
const GONE: Told = { kind: "not there any more", detail: "" };

const NONE: Offers = { typed: null, items: [], more: "" };
const BUSY = "The kernel is busy; what @ names is looked up when it reads messages.";

export class Lookup {
  readonly offers: Signal<Offers> = signal(NONE);
  /** What each name would attach; null: nothing. What is not in it was not answered yet. */
  readonly found: Signal<ReadonlyMap<string, Told | null>> = signal(new Map());
  /** Why there is no answer; the empty string while there is nothing to say. */
  readonly trouble: Signal<string> = signal("");

  private typed: string | null = null;
  private names: readonly string[] = [];
  private number = 0;
  private asking = false;
  private asked = "";
  private timers: ReturnType<typeof setTimeout>[] = [];

  constructor(private readonly actions: Actions) {}

  /** What is wanted now: a list for what is typed (null: none), and what the names would attach. */
  want(typed: string | null, names: readonly string[]): void {
    if (typed === null) this.offers.value = NONE; // those are of another time
    this.typed = typed;
    this.names = names;
    const found = [...this.found.peek()].filter(([name]) => names.includes(name));
    if (found.length < this.found.peek().size) this.found.value = new Map(found);
    this.next();
  }

  /** Asks again: the notebook may have changed. */
  refresh(): void {
    this.asked = "";
    if (this.names.length > 0) this.next(true);
  }

  /** A name that was chosen from the list. */
  learn({ text, kind, detail }: Offer): void {
    this.found.value = new Map(this.found.peek()).set(text, { kind, detail });
  }

  /** Nothing is known any more. */
  forget(): void {
    this.end();
    this.asked = "";
    this.offers.value = NONE;
    this.found.value = new Map();
  }

  /** An answer that comes later changes nothing. */
  end(): void {
    this.number += 1;
    this.rest();
  }

  /** Something is not known that somebody waits for. */
  private get open(): boolean {
    return this.typed !== null || this.names.some((name) => !this.found.peek().has(name));
  }

  private next(again = false): void {
    const { typed, names, open } = this;
    const question = JSON.stringify([typed, names]);
    if (!open) this.trouble.value = this.asked = "";
    if (this.asking || !(open || again) || question === this.asked) return;
    this.asked = question;
    this.asking = true;
    this.number += 1;
    const { number } = this;
    const sent = this.actions.mention(typed, names, (result) => {
      if (number !== this.number) return; // a newer question was asked, or none is wanted
      this.rest();
      this.take(typed, result);
      this.next();
    });
    if (!sent) {
      this.rest();
      return;
    }
    this.timers = [
      setTimeout(() => {
        if (this.open) this.trouble.value = BUSY;
      }, SLOW),
      setTimeout(() => {
        this.asking = false;
        this.next();
      }, LIMIT),
    ];
  }

  private rest(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.asking = false;
    this.trouble.value = "";
  }

  private take(typed: string | null, { ok, error, value }: ActionResult): void {
    if (!ok || !isObject(value)) {
      this.trouble.value = error ?? "";
      return;
    }
    if (typed !== null && this.typed !== null) {
      const items = Array.isArray(value.items) ? value.items.flatMap((item) => offer(item)) : [];
      this.offers.value = { typed, items, more: stringAt(value, "more") ?? "" };
    }
    if (!isObject(value.found)) return;
    const found = new Map(this.found.peek());
    for (const [name, what] of Object.entries(value.found)) {
      if (this.names.includes(name)) found.set(name, told(what) ?? (found.get(name) ? GONE : null));
    }
    this.found.value = found;
  }
}

function told(value: Json | undefined): Told | null {
  return isObject(value) ? { kind: stringAt(value, "kind") ?? "", detail: stringAt(value, "detail") ?? "" } : null;
}

function offer(value: Json | undefined): Offer[] {
  const text = isObject(value) ? stringAt(value, "text") : null;
  const about = told(value);
  return text && about ? [{ text, ...about }] : [];
}

/** "file, 1.2 kB": a variable's detail says what it is. */
export function aboutOf({ kind, detail }: Told): string {
  return (kind === "variable" && detail ? [detail] : [kind, detail]).filter(Boolean).join(", ");
}

/** Whether it was there once, and is not now. */
export function isGone(what: Told): boolean {
  return what === GONE;
}
