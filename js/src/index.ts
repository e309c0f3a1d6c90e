/**
 * The anywidget entry: `initialize` runs once a model and owns the state, `render` once a view.
 *
 * The default export is a function, so that nothing of a session stands in the module: hosts may evaluate it once for
 * several models.
 */

import type { Initialize } from "@anywidget/types";
import { signal as of } from "@preact/signals";
import { type ComponentChildren, h, render } from "preact";
import { Actions } from "./actions.ts";
import { Inserting, inserting } from "./host/cells.ts";
import { keepKeys } from "./lib/keys.ts";
import { Link } from "./link.ts";
import { Store } from "./store.ts";
import { followTheme } from "./theme.ts";
import { shareWithTranscript } from "./transcript.ts";
import { type App, AppProvider } from "./views/context.ts";
import { Session, TurnView } from "./views/Session.tsx";

type Model = Parameters<Initialize<Record<string, unknown>>>[0]["model"];

/** What `initialize` gives to other widgets: each draws into an element and returns a clean-up. */
export interface Exports {
  /** The whole session; `view` is the model whose view it is. */
  mountSession(el: HTMLElement, view?: unknown): () => void;
  /** One turn, by its key; `uid` names its static transcript. */
  mountTurn(el: HTMLElement, turn: string, uid?: string, view?: unknown): () => void;
}

function connect(model: Model, signal: AbortSignal): App {
  const store = new Store();
  const link = new Link(model, store, signal);
  return { store, link, actions: new Actions(link, signal), following: of(false), sideBySide: of(false) };
}

interface Mounted {
  root: HTMLElement;
  signal: AbortSignal;
  unmount: () => void;
}

function mount(app: App, el: HTMLElement, view: ComponentChildren, model: unknown): Mounted {
  const ended = new AbortController();
  const root = document.createElement("div");
  root.className = "acp-widget";
  keepKeys(root, ended.signal);
  followTheme(root, ended.signal);
  el.append(root);
  render(h(AppProvider, { value: app }, h(Inserting.Provider, { value: inserting(model) }, view)), root);
  const closeView = app.link.openView();
  return {
    root,
    signal: ended.signal,
    unmount: () => {
      if (ended.signal.aborted) return;
      ended.abort();
      render(null, root);
      root.remove();
      closeView();
    },
  };
}

function exportsOf(app: App): Exports {
  return {
    mountSession: (el, view) => mount(app, el, h(Session, {}), view).unmount,
    mountTurn: (el, turn, uid = "", view = null) => {
      const { root, signal, unmount } = mount(app, el, h(TurnView, { turn }), view);
      if (uid !== "") shareWithTranscript(root, uid, () => app.link.connection.value, signal);
      return unmount;
    },
  };
}

export default function widget(): {
  initialize: (props: { model: Model; signal: AbortSignal }) => Exports;
  render: (props: { model: Model; el: HTMLElement; signal?: AbortSignal }) => () => void;
} {
  const sessions = new Map<string, Exports>();
  const nameOf = (model: Model): string => String(model.get("uid") ?? "");
  return {
    initialize({ model, signal }) {
      const name = nameOf(model);
      const exports = exportsOf(connect(model, signal));
      sessions.set(name, exports);
      signal.addEventListener("abort", () => sessions.get(name) === exports && sessions.delete(name));
      return exports;
    },
    render({ model, el }) {
      const session = sessions.get(nameOf(model));
      if (!session) throw new Error("acp-widget: the host did not initialize the model");
      return session.mountSession(el, model);
    },
  };
}
