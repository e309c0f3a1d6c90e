/**
 * The story page: `?group=diffs`, `?only=diff_modify`, `#dark`. Each story is a model of its own that stands still,
 * shown by the built bundle. `html[data-ready]` says that all are drawn and their buttons live.
 */

import type { JsonObject } from "../src/types.ts";
import { attentive, FakeModel } from "./fake_model.ts";

interface Story {
  name: string;
  title: string;
  group: string;
  state: JsonObject;
  /** Open whatever can be opened. */
  open?: boolean;
  /** The key of a turn: show that turn instead of the session. */
  view?: string;
  /** none: no kernel ever answered; closed: it did, and the line was closed then. */
  kernel?: "none" | "closed";
  wait?: { waiting: boolean; clicks: boolean };
}

interface Exports {
  mountSession(el: HTMLElement): () => void;
  mountTurn(el: HTMLElement, turn: string, uid?: string): () => void;
}

interface Widget {
  initialize(props: { model: FakeModel; signal: AbortSignal }): Exports;
}

/** A message of the kernel; its buffers as base64. */
type Message = [content: JsonObject, buffers: string[]];

/** Longer than the moment in which a new question takes no answer. */
const SETTLED = 450;

function find(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`not in the page: ${selector}`);
  return found;
}

function make(tag: string, text = "", attributes: Record<string, string> = {}): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** Time stands at the end of the stories, and goes on from there, so that a minute ago is a minute ago. */
function setClock(now: number): void {
  const since = performance.now();
  Date.now = () => now * 1000 + (performance.now() - since);
}

function followTheme(): void {
  document.documentElement.setAttribute("theme", location.hash === "#dark" ? "dark" : "light");
}

/** Opens all that can be opened, three levels deep. */
async function openAll(el: HTMLElement): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    for (const button of el.querySelectorAll<HTMLElement>('[aria-expanded="false"]:not([role="combobox"])')) {
      button.click();
    }
    await new Promise((done) => requestAnimationFrame(done));
  }
}

function kernelOf(story: Story): FakeModel {
  let closed = story.kernel === "none";
  const model = new FakeModel({ state: story.state, uid: story.name }, (self, message) => {
    if (closed) throw new Error("the line is closed");
    attentive(self, message);
  });
  if (story.kernel === "closed") {
    setTimeout(() => {
      closed = true;
      model.trigger("comm_live_update");
    }, 50);
  }
  return model;
}

const ends: (() => void)[] = [];

function mount(widget: Widget, model: FakeModel, el: HTMLElement, view = ""): void {
  const ended = new AbortController();
  const exports = widget.initialize({ model, signal: ended.signal });
  const unmount = view === "" ? exports.mountSession(el) : exports.mountTurn(el, view, "story");
  ends.push(() => {
    unmount();
    ended.abort();
  });
}

function place(parent: HTMLElement, name: string, title: string): HTMLElement {
  const article = make("article", "", { class: "story", id: name, "aria-label": title });
  const heading = make("h3", `${title} `);
  heading.append(make("a", name, { href: `?only=${name}${location.hash}` }));
  const here = make("div", "", { class: "here" });
  article.append(heading, here);
  parent.append(article);
  return here;
}

async function show(widget: Widget, story: Story, parent: HTMLElement): Promise<void> {
  const model = kernelOf(story);
  const here = place(parent, story.name, story.title);
  mount(widget, model, here, story.view);
  if (story.wait) model.receive({ type: "wait", ...story.wait });
  if (story.open) await openAll(here);
}

const bytes = (text: string): DataView =>
  new DataView(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)).buffer);

/** For tests: a session that begins with a state and lives through messages, drawn beside nothing else. */
async function play(widget: Widget, state: JsonObject, messages: Message[]): Promise<void> {
  for (const end of ends.splice(0)) end();
  find("#stories").replaceChildren();
  const model = new FakeModel({ state, uid: "played" }, attentive);
  mount(widget, model, place(find("#stories"), "played", "Played"));
  await new Promise((done) => setTimeout(done, 0)); // the answer to hello
  for (const [index, [content, buffers]] of messages.entries()) {
    model.receive(content, buffers.map(bytes));
    // The page draws in between, as it does when messages come over a line.
    if (index % 5 === 4) await new Promise((done) => requestAnimationFrame(done));
  }
  await new Promise((done) => setTimeout(done, SETTLED));
}

async function main(): Promise<void> {
  followTheme();
  window.addEventListener("hashchange", followTheme);
  const bundle = "./widget.js";
  const [{ default: widget }, answer] = await Promise.all([import(bundle), fetch("stories.json")]);
  const { now, stories }: { now: number; stories: Story[] } = await answer.json();
  setClock(now);
  const query = new URLSearchParams(location.search);
  const [only, group] = [query.get("only"), query.get("group")];
  const shown = stories.filter((each) => (only === null ? group === null || each.group === group : each.name === only));
  const groups = [...new Set(stories.map((each) => each.group))];
  for (const name of groups) find("nav").append(make("a", name.replaceAll("_", " "), { href: `?group=${name}` }));
  find("nav").append(
    make("a", "all", { href: "?" }),
    make("a", "light", { href: "#" }),
    make("a", "dark", { href: "#dark" }),
  );
  for (const name of groups) {
    const ours = shown.filter((each) => each.group === name);
    if (ours.length === 0) continue;
    const section = make("section", "", { "aria-label": name });
    section.append(make("h2", name.replaceAll("_", " ")));
    find("#stories").append(section);
    for (const story of ours) await show(widget(), story, section);
  }
  Object.assign(window, {
    openAll,
    play: (state: JsonObject, messages: Message[]) => play(widget(), state, messages),
  });
  await new Promise((done) => setTimeout(done, SETTLED));
  document.documentElement.dataset.ready = "true";
}

void main();
