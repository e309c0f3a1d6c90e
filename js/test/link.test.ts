import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FakeModel } from "../dev/fake_model.ts";
import { message, permission, state, turn } from "../dev/states.ts";
import type { Json, JsonObject, Operation } from "../src/types.ts";
import { bench, clear } from "./help.tsx";

beforeEach(() => void vi.useFakeTimers());
afterEach(clear);

const START = state({ seq: 5, messages: { "a:1": message("agent", "1", "") }, timeline: ["a:1"] });
const add = (text: string): Operation => ["text", ["messages", "a:1", "content", 0, "text"], text];
const asking: Operation[] = [
  ["set", ["permissions", "p:1"], permission("Run it?")],
  ["append", ["timeline"], "p:1"],
];

/** A kernel as it is: numbered messages, a snapshot for whoever is behind, a reminder while a question is open. */
class Kernel {
  seq = 5;
  text = "";
  asked = false;
  acked = 0;

  readonly answer = (model: FakeModel, sent: Record<string, unknown>): void => {
    if (sent.type === "hello" && sent.seq === this.seq) model.receive({ type: "seq", seq: this.seq });
    else if (sent.type === "hello") {
      this.seq += 1;
      model.receive({ type: "snapshot", seq: this.seq, state: this.state() });
    } else if (sent.type === "ack") this.acked = Number(sent.seq);
  };

  state(): JsonObject {
    const parts = { messages: { "a:1": message("agent", "1", this.text) }, timeline: ["a:1"] as Json[] };
    const { seq: _, ...whole } = state(
      this.asked ? { ...parts, permissions: { "p:1": permission("Run it?") }, timeline: ["a:1", "p:1"] } : parts,
    );
    return whole;
  }

  /** The next message; it is made, whether it arrives or not. */
  next(...parts: (string | "ask")[]): { type: string; seq: number; ops: Operation[] } {
    this.seq += 1;
    const ops = parts.flatMap((part) => {
      if (part !== "ask") {
        this.text += part;
        return [add(part)];
      }
      this.asked = true;
      return asking;
    });
    return { type: "ops", seq: this.seq, ops };
  }

  /** What it does each second. */
  remind(model: FakeModel): void {
    if (this.asked && this.acked < this.seq) model.receive({ type: "seq", seq: this.seq });
  }
}

/** A page and its kernel; a deaf one hears the first hello only. */
function connected({ deaf = false } = {}) {
  const kernel = new Kernel();
  let heard = 0;
  const made = bench(START, (model, sent) => {
    heard += 1;
    if (!deaf || heard === 1) kernel.answer(model, sent);
  });
  const textOf = () => made.app.store.get("messages", "a:1")?.content[0]?.text;
  const button = () => made.app.store.pendingPermissions.value.length;
  return { kernel, ...made, textOf, button };
}

describe("a page that opens", () => {
  it("has the saved state at once and says hello with its number", () => {
    const { model, app } = connected();
    expect(app.store.get("messages", "a:1")?.messageId).toBe("1");
    expect(model.of("hello")).toEqual([{ type: "hello", seq: 5, reason: "open" }]);
    expect(app.link.connection.value).toBe("live");
  });

  it("without any state asks for all of it", () => {
    const { model, app } = bench({} as JsonObject, new Kernel().answer);
    expect(model.of("hello")[0]).toMatchObject({ seq: -1 });
    expect(app.store.get("messages", "a:1")?.messageId).toBe("1");
  });

  it("gets what happened before it listened", () => {
    const kernel = new Kernel();
    kernel.next("missed ");
    kernel.next("ask");
    const made = bench(START, kernel.answer);
    expect(made.app.store.get("messages", "a:1")?.content[0]?.text).toBe("missed ");
    expect(made.app.store.pendingPermissions.value).toEqual(["p:1"]);
    expect(kernel.acked).toBe(kernel.seq);
  });
});

describe("messages in order", () => {
  it("are applied, and acknowledged while a question is open", () => {
    const { model, kernel, textOf } = connected();
    model.receive(kernel.next("one "));
    expect(model.of("ack").filter((ack) => ack.seq === 6)).toEqual([]);
    model.receive(kernel.next("two", "ask"));
    expect(textOf()).toBe("one two");
    expect(kernel.acked).toBe(7);
  });

  it("come twice and count once", () => {
    const { model, kernel, textOf } = connected();
    const first = kernel.next("one ");
    model.receive(first);
    model.receive(first);
    expect(textOf()).toBe("one ");
  });

  it("are held when they come early, without a word from the kernel", () => {
    const { model, kernel, textOf } = connected({ deaf: true });
    const [first, second, third] = [kernel.next("one "), kernel.next("two "), kernel.next("three")];
    model.receive(third);
    model.receive(second);
    expect(textOf()).toBe("");
    model.receive(first);
    expect(textOf()).toBe("one two three");
  });

  it("older than a snapshot are dropped", () => {
    const { model, kernel, textOf } = connected();
    const old = kernel.next("one ");
    kernel.seq += 1;
    model.receive({ type: "snapshot", seq: kernel.seq, state: kernel.state() });
    model.receive(old);
    expect(textOf()).toBe("one ");
  });
});

describe("a lost message", () => {
  for (const lost of [0, 1, 2, 3]) {
    it(`number ${lost + 1} of four is repaired, and the button appears`, () => {
      const { model, kernel, textOf, button } = connected();
      const parts = [["one "], ["two "], ["ask"], ["three"]];
      parts.forEach((part, at) => {
        const message = kernel.next(...part);
        if (at !== lost) model.receive(message);
        vi.advanceTimersByTime(40);
      });
      for (let second = 0; second < 3; second += 1) {
        kernel.remind(model);
        vi.advanceTimersByTime(1000);
      }
      expect(textOf()).toBe("one two three");
      expect(button()).toBe(1);
      expect(kernel.acked).toBe(kernel.seq);
    });
  }

  it("that was the answer to hello is asked for again", () => {
    const kernel = new Kernel();
    kernel.next("ask");
    let deaf = true;
    const made = bench(START, (model, sent) => {
      if (!deaf) kernel.answer(model, sent);
    });
    expect(made.app.store.pendingPermissions.value).toEqual([]);
    deaf = false;
    vi.advanceTimersByTime(1100);
    expect(made.app.store.pendingPermissions.value).toEqual(["p:1"]);
  });

  it("is noticed when the page becomes visible again", () => {
    const { kernel, textOf } = connected();
    kernel.next("while it was hidden");
    document.dispatchEvent(new Event("visibilitychange"));
    expect(textOf()).toBe("while it was hidden");
  });

  it("is asked about once, however many follow it", () => {
    const { model, kernel } = connected({ deaf: true });
    vi.advanceTimersByTime(450);
    kernel.next("lost");
    const before = model.of("hello").length;
    for (const part of ["a", "b", "c"]) model.receive(kernel.next(part));
    expect(model.of("hello").length).toBe(before + 1);
  });
});

describe("operations that do not fit", () => {
  it("bring a fresh copy of everything", () => {
    const { model, kernel, textOf } = connected();
    kernel.text = "the truth";
    kernel.seq += 1;
    model.receive({ type: "ops", seq: kernel.seq, ops: [["text", ["messages", "a:404", "content", 0, "text"], "x"]] });
    expect(model.of("hello").at(-1)).toMatchObject({ seq: -1, reason: "mismatch" });
    expect(textOf()).toBe("the truth");
  });

  it("and messages of no known kind change nothing", () => {
    const { model, app } = connected();
    for (const odd of [null, 7, "x", [], {}, { type: "later" }, { type: "ops" }, { type: "snapshot", seq: 1 }]) {
      model.receive(odd);
    }
    expect(app.store.get("messages", "a:1")?.messageId).toBe("1");
  });
});

describe("no kernel", () => {
  it("shows as a saved session after three seconds without an answer", () => {
    const { app } = bench(START, () => {});
    expect(app.link.connection.value).toBe("connecting");
    vi.advanceTimersByTime(3500);
    expect(app.link.connection.value).toBe("saved");
  });

  it("comes alive when a kernel answers after all", () => {
    const kernel = new Kernel();
    let deaf = true;
    const { app } = bench(START, (model, sent) => {
      if (!deaf) kernel.answer(model, sent);
    });
    vi.advanceTimersByTime(4000);
    deaf = false;
    vi.advanceTimersByTime(21_000);
    expect(app.link.connection.value).toBe("live");
  });

  it("is never said of a kernel that still sends, however late it answers", () => {
    const kernel = new Kernel();
    const { app, model } = bench(START, () => {});
    for (let second = 0; second < 8; second += 1) {
      model.receive(kernel.next("."));
      vi.advanceTimersByTime(1000);
    }
    expect(app.link.connection.value).toBe("live");
  });

  it("shows as lost when the line closes", () => {
    let gone = false;
    const kernel = new Kernel();
    const { app, model } = bench(START, (from, sent) => {
      if (gone) throw new Error("Cannot send");
      kernel.answer(from, sent);
    });
    expect(app.link.connection.value).toBe("live");
    gone = true;
    model.trigger("comm_live_update");
    expect(app.link.connection.value).toBe("lost");
  });
});

describe("what the notebook keeps", () => {
  it("is written when a turn ends, with its number, and never sent", () => {
    const { model, ops } = bench(state({ seq: 0, turns: { "r:1": turn(1, "x") } }));
    ops(["set", ["state", "busy"], true]);
    vi.advanceTimersByTime(1000);
    expect(model.saved).toBeNull();
    ops(["set", ["turns", "r:1", "at", "end"], 99]);
    vi.advanceTimersByTime(1000);
    expect(model.saved).toMatchObject({ seq: 2, turns: { "r:1": { at: { end: 99 } } } });
  });

  it("is written when a permission is settled", () => {
    const { model, ops } = bench(state({ seq: 0, permissions: { "p:1": permission("?") } }));
    ops(["set", ["permissions", "p:1", "status"], "selected"]);
    vi.advanceTimersByTime(1000);
    expect(model.saved).toMatchObject({ permissions: { "p:1": { status: "selected" } } });
  });
});

describe("the end of a model", () => {
  it("leaves no listener and no timer", () => {
    const { model, end } = bench(START, () => {});
    end();
    const before = model.sent.length;
    model.receive({ type: "seq", seq: 99 });
    document.dispatchEvent(new Event("visibilitychange"));
    vi.advanceTimersByTime(60_000);
    expect(model.sent.length).toBe(before);
  });
});
