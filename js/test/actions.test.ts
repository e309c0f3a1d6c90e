import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { permission, state } from "../dev/states.ts";
import { NO_KERNEL, SLOW } from "../src/actions.ts";
import { bench, clear, kernel } from "./help.tsx";

beforeEach(() => void vi.useFakeTimers());
afterEach(clear);

const ASKING = state({ permissions: { "p:1": permission("?") }, timeline: ["p:1"] });

describe("an action", () => {
  it("names what it is about and has an id of its own", () => {
    const { app, model } = bench(ASKING);
    app.actions.answer("p:1", "once", 0);
    app.actions.cancel();
    app.actions.prompt("hello");
    app.actions.unqueue("r:2");
    app.actions.restart();
    expect(model.of("answer")[0]).toMatchObject({ permission: "p:1", optionId: "once" });
    expect(model.of("prompt")[0]).toMatchObject({ text: "hello" });
    expect(model.of("unqueue")[0]).toMatchObject({ turn: "r:2" });
    const ids = model.sent.filter((message) => "id" in message).map((message) => message.id);
    expect(ids).toHaveLength(5);
    expect(new Set(ids).size).toBe(5);
  });

  it("is sent once for a double click", () => {
    const { app, model } = bench(ASKING);
    app.actions.answer("p:1", "once", 0);
    app.actions.answer("p:1", "no", 2);
    app.actions.dismiss("p:1");
    expect(model.of("answer")).toHaveLength(1);
    expect(model.of("dismiss")).toHaveLength(0);
  });

  it("says that the kernel is busy when nothing comes back, and is still taken later", () => {
    const { app, model } = bench(ASKING);
    app.actions.answer("p:1", "once", 0);
    vi.advanceTimersByTime(SLOW - 1);
    expect(app.actions.state("p:1").value.phase).toBe("sent");
    vi.advanceTimersByTime(1);
    expect(app.actions.state("p:1").value.phase).toBe("slow");
    model.receive({ type: "result", id: model.of("answer")[0]?.id, ok: true, error: null });
    expect(app.actions.state("p:1").value.phase).toBe("taken");
  });

  it("shows a refusal in the kernel's words, and can be tried again", () => {
    const { app, model } = bench(ASKING);
    app.actions.answer("p:1", "once", 0);
    model.receive({ type: "result", id: model.of("answer")[0]?.id, ok: false, error: "It is not pending." });
    expect(app.actions.state("p:1").value).toMatchObject({ phase: "refused", error: "It is not pending." });
    app.actions.answer("p:1", "once", 0);
    expect(model.of("answer")).toHaveLength(2);
  });

  it("ignores results of others", () => {
    const { app, model } = bench(ASKING);
    app.actions.answer("p:1", "once", 0);
    model.receive({ type: "result", id: "someone else's", ok: false, error: "x" });
    expect(app.actions.state("p:1").value.phase).toBe("sent");
  });

  it("says at once that the line to the kernel is closed", () => {
    let gone = false;
    const { app } = bench(ASKING, (model, message) => {
      if (gone) throw new Error("Cannot send");
      kernel(model, message);
    });
    gone = true;
    app.actions.prompt("hello");
    expect(app.actions.state("prompt").value).toMatchObject({ phase: "unsent", error: NO_KERNEL });
  });

  it("tells the composer when a prompt was taken", () => {
    const { app, model } = bench(ASKING);
    const taken = vi.fn();
    app.actions.prompt("hello", taken);
    expect(taken).not.toHaveBeenCalled();
    model.receive({ type: "result", id: model.of("prompt")[0]?.id, ok: true, error: null });
    expect(taken).toHaveBeenCalledOnce();
    expect(app.actions.state("prompt").value.phase).toBe("idle");
  });
});
