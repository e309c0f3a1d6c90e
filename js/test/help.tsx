import { signal } from "@preact/signals";
import { type ComponentChildren, render } from "preact";
import { act } from "preact/test-utils";
import { vi } from "vitest";
import { FakeModel } from "../dev/fake_model.ts";
import { Actions } from "../src/actions.ts";
import widget from "../src/index.ts";
import { keepKeys } from "../src/lib/keys.ts";
import { Link } from "../src/link.ts";
import { Store } from "../src/store.ts";
import type { JsonObject, Operation } from "../src/types.ts";
import { type App, AppProvider } from "../src/views/context.ts";

export type Model = ConstructorParameters<typeof Link>[0];

/** A kernel that answers hello as ours does: nothing new, or the whole state. */
export function kernel(model: FakeModel, message: Record<string, unknown>): void {
  if (message.type === "hello") model.receive({ type: "seq", seq: message.seq });
}

export interface Bench {
  model: FakeModel;
  app: App;
  /** Sends operations as the next message. */
  ops: (...ops: Operation[]) => void;
  end: () => void;
}

/** A store, its line and a fake kernel, without a page. */
export function bench(state: JsonObject, answer = kernel): Bench {
  const model = new FakeModel({ state }, answer);
  const ended = new AbortController();
  const store = new Store();
  const link = new Link(model as unknown as Model, store, ended.signal);
  const off = () => signal(false);
  const app: App = { store, link, actions: new Actions(link, ended.signal), following: off(), sideBySide: off() };
  let seq = Number(state.seq ?? 0);
  return {
    model,
    app,
    ops: (...ops) => {
      seq += 1;
      model.receive({ type: "ops", seq, ops });
    },
    end: () => ended.abort(),
  };
}

export interface Page extends Bench {
  root: HTMLElement;
  one: (selector: string) => HTMLElement;
  all: (selector: string) => HTMLElement[];
  /** What a reader sees, in one line. */
  text: () => string;
  /** Takes the view away; the line to the kernel stays. */
  unmount: () => void;
}

const mounted: (() => void)[] = [];

/** Draws a view of a state into the page. */
export function show(view: ComponentChildren, state: JsonObject, answer = kernel): Page {
  const made = bench(state, answer);
  const root = document.createElement("div");
  root.className = "acp-widget";
  document.body.append(root);
  const ended = new AbortController();
  keepKeys(root, ended.signal);
  act(() => render(<AppProvider value={made.app}>{view}</AppProvider>, root));
  mounted.push(() => {
    act(() => render(null, root));
    root.remove();
    ended.abort();
    made.end();
  });
  const page: Page = {
    ...made,
    ops: (...ops) => void act(() => made.ops(...ops)),
    root,
    all: (selector) => [...root.querySelectorAll<HTMLElement>(selector)],
    one: (selector) => {
      const found = root.querySelector<HTMLElement>(selector);
      if (!found) throw new Error(`not in the page: ${selector}\n${root.textContent}`);
      return found;
    },
    unmount: () => act(() => render(null, root)),
    text: () => (root.textContent ?? "").replace(/\s+/g, " ").trim(),
  };
  return page;
}

/** Takes every view away again: for `afterEach`. */
export function clear(): void {
  for (const unmount of mounted.splice(0)) unmount();
  vi.useRealTimers();
}

export function click(element: HTMLElement): void {
  act(() => element.click());
}

export function press(element: HTMLElement, key: string, more: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  act(() => void element.dispatchEvent(event));
  return event;
}

/** Lets timers run (they are faked) and draws what follows. */
export async function pass(milliseconds: number): Promise<void> {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(milliseconds);
  });
}

/** The widget as a host makes it. */
export function hosted(state: JsonObject, answer = kernel) {
  const model = new FakeModel({ state, uid: "u1" }, answer);
  const ended = new AbortController();
  const made = widget();
  const exports = made.initialize({ model: model as unknown as Model, signal: ended.signal });
  return { model, made, exports, end: () => ended.abort() };
}
