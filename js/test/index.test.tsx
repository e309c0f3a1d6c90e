import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { message, permission, state, turn } from "../dev/states.ts";
import widget from "../src/index.ts";
import { SUPPRESS } from "../src/lib/keys.ts";
import { isDark } from "../src/theme.ts";
import turnView from "../src/turn_view.js";
import { clear, hosted, kernel, type Model } from "./help.tsx";

beforeEach(() => {
  document.body.replaceChildren();
});
afterEach(clear);

const ONE = state({
  turns: { "r:1": turn(1, "go"), "r:2": turn(2, "on") },
  timeline: ["a:1"],
  messages: { "a:1": message("agent", "1", "a") },
});

function place(): HTMLElement {
  const el = document.createElement("div");
  document.body.append(el);
  return el;
}

describe("two views of one session", () => {
  it("apply what arrives once and show the same", () => {
    const { model, exports } = hosted(ONE);
    const [left, right] = [place(), place()];
    act(() => {
      exports.mountSession(left);
      exports.mountTurn(right, "r:1");
    });
    act(() => model.receive({ type: "ops", seq: 2, ops: [["text", ["messages", "a:1", "content", 0, "text"], "b"]] }));
    for (const view of [left, right]) expect(view.querySelector(".acp-say")?.textContent).toBe("ab");
    expect(model.of("hello")).toHaveLength(1);
  });

  it("tell the kernel when they come and go", () => {
    const { model, exports } = hosted(ONE);
    const el = place();
    let unmount = () => {};
    act(() => {
      unmount = exports.mountSession(el);
    });
    const name = model.of("view")[0]?.view;
    expect(model.of("view")).toEqual([{ type: "view", view: name, open: true }]);
    act(unmount);
    expect(model.of("view").at(-1)).toEqual({ type: "view", view: name, open: false });
    expect(el.childElementCount).toBe(0);
    act(unmount);
    expect(model.of("view")).toHaveLength(2);
  });

  it("of two models in one module are apart", () => {
    const made = widget();
    const signal = new AbortController().signal;
    const of = (uid: string, words: string): Model => {
      const parts = state({ timeline: ["a:1"], messages: { "a:1": message("agent", "1", words, { turn: null }) } });
      const { model } = hosted(parts);
      model.set("uid", uid);
      return model as unknown as Model;
    };
    const [first, second] = [of("x", "one"), of("y", "two")];
    made.initialize({ model: first, signal });
    made.initialize({ model: second, signal });
    const [left, right] = [place(), place()];
    act(() => {
      made.render({ model: first, el: left });
      made.render({ model: second, el: right });
    });
    expect(left.textContent).toContain("one");
    expect(right.textContent).toContain("two");
  });
});

describe("keys typed in the widget", () => {
  it.each(["keydown", "keypress", "keyup"])("never reach the notebook: %s", (type) => {
    const { exports } = hosted(ONE);
    const el = place();
    act(() => void exports.mountSession(el));
    const heard = vi.fn();
    document.body.addEventListener(type, heard, { once: true });
    for (const target of el.querySelectorAll("textarea, .acp-log, button")) {
      target.dispatchEvent(new KeyboardEvent(type, { key: "d", bubbles: true, cancelable: true }));
    }
    expect(heard).not.toHaveBeenCalled();
    expect(el.querySelector(`[${SUPPRESS}]`)).not.toBeNull();
    document.body.removeEventListener(type, heard);
  });
});

describe("the theme", () => {
  afterEach(() => {
    document.body.removeAttribute("data-jp-theme-light");
    document.body.className = "";
    document.documentElement.removeAttribute("theme");
  });

  it("is the host's", () => {
    document.body.dataset.jpThemeLight = "false";
    expect(isDark()).toBe(true);
    document.body.dataset.jpThemeLight = "true";
    document.body.className = "vscode-dark";
    expect(isDark()).toBe(false);
    document.body.removeAttribute("data-jp-theme-light");
    expect(isDark()).toBe(true);
    document.body.className = "vscode-high-contrast vscode-high-contrast-light";
    expect(isDark()).toBe(false);
    document.body.className = "";
    document.documentElement.setAttribute("theme", "dark");
    expect(isDark()).toBe(true);
  });

  it("changes with it", async () => {
    const { exports } = hosted(ONE);
    const el = place();
    act(() => void exports.mountSession(el));
    document.body.dataset.jpThemeLight = "false";
    await vi.waitFor(() => expect(el.querySelector(".acp-widget")?.classList.contains("acp-dark")).toBe(true));
    document.body.dataset.jpThemeLight = "true";
    await vi.waitFor(() => expect(el.querySelector(".acp-widget")?.classList.contains("acp-dark")).toBe(false));
  });
});

describe("the static transcript", () => {
  /** An output area with the transcript and a place for the view, as JupyterLab makes them. */
  function area() {
    const outputs = document.createElement("div");
    outputs.className = "jp-OutputArea";
    const child = (inner: HTMLElement): HTMLElement => {
      const made = document.createElement("div");
      made.className = "jp-OutputArea-child";
      made.append(inner);
      outputs.append(made);
      return made;
    };
    const transcriptOf = (uid: string): HTMLElement => {
      const made = document.createElement("div");
      made.className = `acp-transcript acp-transcript-${uid}`;
      return made;
    };
    const el = document.createElement("div");
    child(el);
    document.body.append(outputs);
    return { outputs, child, transcriptOf, el };
  }
  const root = (el: HTMLElement) => el.querySelector<HTMLElement>(".acp-widget");

  it("hides while the live view works, and comes back when that goes", () => {
    const { child, transcriptOf, el } = area();
    const [own, other] = [child(transcriptOf("u1")), child(transcriptOf("u2"))];
    const { exports } = hosted(ONE);
    let unmount = () => {};
    act(() => {
      unmount = exports.mountTurn(el, "r:1", "u1");
    });
    expect(own.style.display).toBe("none");
    expect(other.style.display).toBe("");
    act(unmount);
    expect(own.style.display).toBe("");
  });

  it("hides also when it comes later, and when it is drawn anew", async () => {
    const { child, transcriptOf, el } = area();
    const { exports } = hosted(ONE);
    act(() => void exports.mountTurn(el, "r:1", "u1"));
    const first = child(transcriptOf("u1"));
    await vi.waitFor(() => expect(first.style.display).toBe("none"));
    first.remove();
    const second = child(transcriptOf("u1"));
    await vi.waitFor(() => expect(second.style.display).toBe("none"));
  });

  it("hides when the view is put into the page after it was drawn", async () => {
    const { child, transcriptOf, el, outputs } = area();
    const own = child(transcriptOf("u1"));
    outputs.remove();
    const { exports } = hosted(ONE);
    act(() => void exports.mountTurn(el, "r:1", "u1"));
    document.body.append(outputs);
    await vi.waitFor(() => expect(own.style.display).toBe("none"));
  });

  it("stands in for the view when there is no kernel, and gives way when one answers", async () => {
    vi.useFakeTimers();
    const { child, transcriptOf, el } = area();
    const own = child(transcriptOf("u1"));
    let deaf = true;
    const { exports } = hosted(ONE, (model, sent) => {
      if (!deaf) kernel(model, sent);
    });
    act(() => void exports.mountTurn(el, "r:1", "u1"));
    await vi.advanceTimersByTimeAsync(4000);
    expect(own.style.display).toBe("");
    expect(root(el)?.style.display).toBe("none");
    deaf = false;
    await vi.advanceTimersByTimeAsync(25_000);
    expect(own.style.display).toBe("none");
    expect(root(el)?.style.display).toBe("");
  });

  it("that is not there leaves the view, also without a kernel", async () => {
    vi.useFakeTimers();
    const { el } = area();
    const { exports } = hosted(ONE, () => {});
    act(() => void exports.mountTurn(el, "r:1", "u1"));
    await vi.advanceTimersByTimeAsync(4000);
    expect(root(el)?.style.display).toBe("");
  });
});

describe("a turn's own small module", () => {
  const traits: Record<string, string> = { session: "anywidget:abc", turn: "r:1", uid: "u1" };
  const model = { get: (name: string) => traits[name] };
  const flush = () => vi.advanceTimersByTimeAsync(0);

  it("draws with what the session gave, and cleans up", async () => {
    vi.useFakeTimers();
    const el = place();
    const unmount = vi.fn();
    const mountTurn = vi.fn(() => unmount);
    const host = { getWidget: vi.fn().mockResolvedValue({ exports: { mountTurn } }) };
    const end = turnView.render({ model, el, host, signal: new AbortController().signal });
    expect(el.textContent).toBe("Waiting for the session…");
    await flush();
    expect(host.getWidget).toHaveBeenCalledWith("anywidget:abc");
    expect(mountTurn).toHaveBeenCalledWith(el, "r:1", "u1", model);
    expect(el.textContent).toBe("");
    end();
    expect(unmount).toHaveBeenCalledOnce();
  });

  it("tries again while the session is not there, then says so, then still draws", async () => {
    vi.useFakeTimers();
    const el = place();
    const mountTurn = vi.fn(() => () => {});
    const host = { getWidget: vi.fn().mockRejectedValue(new Error("No binding found")) };
    turnView.render({ model, el, host, signal: new AbortController().signal });
    await vi.advanceTimersByTimeAsync(5000);
    expect(el.textContent).toBe("Waiting for the session…");
    await vi.advanceTimersByTimeAsync(9000);
    expect(el.textContent).toContain("has no session here. Run the cell again");
    host.getWidget.mockResolvedValue({ exports: { mountTurn } });
    await vi.advanceTimersByTimeAsync(6000);
    expect(mountTurn).toHaveBeenCalledOnce();
    expect(el.textContent).toBe("");
  });

  it("that went away before its session came draws nothing", async () => {
    vi.useFakeTimers();
    const mountTurn = vi.fn();
    const host = { getWidget: () => new Promise((done) => setTimeout(() => done({ exports: { mountTurn } }), 500)) };
    turnView.render({ model, el: place(), host, signal: new AbortController().signal })();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(mountTurn).not.toHaveBeenCalled();
  });
});

it("a question that another view answered is settled in both", async () => {
  vi.useFakeTimers();
  const asking = state({ timeline: ["p:1"], permissions: { "p:1": permission("Run?", { turn: null }) } });
  const { model, exports } = hosted(asking);
  const [left, right] = [place(), place()];
  act(() => {
    exports.mountSession(left);
    exports.mountSession(right);
  });
  await act(async () => void (await vi.advanceTimersByTimeAsync(400)));
  act(() => left.querySelector<HTMLElement>(".acp-ask-row > button")?.click());
  expect(right.querySelector('[aria-disabled="false"].acp-primary')).toBeNull();
  const settled = permission("Run?", { turn: null, status: "selected", optionId: "once", by: "you" });
  act(() => model.receive({ type: "ops", seq: 2, ops: [["set", ["permissions", "p:1"], settled]] }));
  for (const view of [left, right]) expect(view.textContent).toContain("Allowed once by you");
  expect(model.of("answer")).toHaveLength(1);
});
