import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { START, state, turn } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { Session, TurnView } from "../../src/views/Session.tsx";
import { clear, click, kernel, type Page, pass, show } from "../help.tsx";

beforeEach(() => void vi.useFakeTimers({ now: (START + 60) * 1000 }));
afterEach(clear);

const BUSY = { state: "running", busy: true, stopReason: null, background: null, error: null, usage: null };
const IDLE = { ...BUSY, state: "idle", busy: false };
const done = (number: number): JsonObject =>
  turn(number, "go", {
    status: "done",
    stopReason: "end_turn",
    at: { queued: null, sent: START, end: START + 41 },
  });
const button = (page: Page, name: string): HTMLElement | undefined =>
  page.all("button").find((each) => each.textContent === name);

describe("queued prompts", () => {
  const queued = (): JsonObject =>
    state({
      state: BUSY,
      turns: {
        "r:1": turn(1, "first"),
        "r:2": turn(2, "second", { status: "queued" }),
        "r:3": turn(3, "third", { status: "queued" }),
      },
    });

  it("stand once in the panel, in order, above the composer and not in the transcript", () => {
    const page = show(<Session />, queued());
    const lines = page.all('[aria-label="Queued prompts"] .acp-queue').map((line) => line.textContent);
    expect(lines).toEqual(["Queued: “second”Remove", "Queued: “third”Remove"]);
    expect(page.one("[role=log]").textContent).not.toContain("second");
  });

  it("say how many objects go with them", () => {
    const attached = { type: "resource", resource: { text: "1" }, _meta: { "acp-widget": { name: "x", kind: "int" } } };
    const prompt = [{ type: "text", text: "Why is @x?" }, attached];
    const page = show(
      <Session />,
      state({
        state: BUSY,
        turns: {
          "r:1": turn(1, "first"),
          "r:2": turn(2, "", { status: "queued", source: "composer", prompt }),
          "r:3": turn(3, "", { status: "queued", source: null, prompt }),
        },
      }),
    );
    const lines = page.all('[aria-label="Queued prompts"] .acp-queue').map((line) => line.textContent);
    expect(lines).toEqual(["Queued: “Why is @x?” with 1 attachmentRemove", "Queued: “Why is @x?[resource]”Remove"]);
  });

  it("are taken away one by one, and leave no empty frame", () => {
    const page = show(<Session />, queued());
    click(page.all(".acp-queue button")[1] as HTMLElement);
    expect(page.model.of("unqueue")).toMatchObject([{ turn: "r:3" }]);
    page.ops(["set", ["turns", "r:3", "status"], "not_sent"], ["set", ["turns", "r:2", "status"], "sent"]);
    expect(page.all('[aria-label="Queued prompts"]')).toEqual([]);
    expect(page.one("[role=log]").textContent).toContain("Not sent, the turn was stopped: “third”");
  });

  it("are removed each by its own button, also when several are asked for at once", async () => {
    const page = show(<Session />, queued());
    const lines = () => page.all(".acp-queue").map((line) => line.textContent);
    for (const remove of page.all(".acp-queue button").reverse()) click(remove);
    const sent = page.model.of("unqueue");
    expect(sent.map((each) => each.turn)).toEqual(["r:3", "r:2"]);
    expect(lines()).toEqual(["Queued: “second”Removing…", "Queued: “third”Removing…"]);
    const refused = { type: "result", id: sent[0]?.id, ok: false, error: "It is being sent." };
    await act(async () => page.model.receive(refused));
    expect(lines()).toEqual(["Queued: “second”Removing…", "Queued: “third”RemoveIt is being sent."]);
    page.ops(["set", ["turns", "r:2", "status"], "not_sent"]);
    expect(page.all('[aria-label="Queued prompts"] .acp-queue').map((line) => line.textContent)).toEqual([
      "Queued: “third”RemoveIt is being sent.",
    ]);
  });

  it("say below their cell why a second sending was refused", async () => {
    const page = show(<TurnView turn="r:1" />, state({ turns: { "r:1": turn(1, "again", { status: "not_sent" }) } }));
    click(button(page, "Send now") as HTMLElement);
    expect(button(page, "Sending…")).toBeDefined();
    const [sent] = page.model.of("prompt");
    await act(async () => page.model.receive({ type: "result", id: sent?.id, ok: false, error: "The agent is gone." }));
    expect(page.one(".acp-queue").textContent).toContain("The agent is gone.");
    expect(button(page, "Send now")).toBeDefined();
  });

  it("say when the kernel does not read that one was removed", async () => {
    const page = show(<Session />, queued());
    click(page.one(".acp-queue button"));
    await pass(2100);
    expect(page.one(".acp-queue").textContent).toContain("The kernel is busy; it is done when messages are read.");
  });
});

describe("what a turn took", () => {
  it("stands at the end of the newest turn, when the agent told", () => {
    const ends = (usage: JsonObject | null, more: JsonObject = IDLE): (string | null)[] =>
      show(<Session />, state({ state: { ...more, usage }, turns: { "r:1": done(1), "r:2": done(2) } }))
        .all(".acp-done")
        .map((end) => end.textContent);
    const plain = "Done in 41 s";
    expect(ends({ totalTokens: 12_345, inputTokens: 1 })).toEqual([plain, `${plain} · 12k tokens`]);
    expect(ends(null)).toEqual([plain, plain]);
    expect(ends({ totalTokens: "many" })).toEqual([plain, plain]);
    expect(ends({ totalTokens: 7 }, BUSY)).toEqual([plain, plain]);
    expect(ends({ totalTokens: 0 })).toEqual([plain, `${plain} · 0 tokens`]);
  });

  it("stands there once the turn is over, and not at one that was never sent", () => {
    const usage = { totalTokens: 1_200_000 };
    const page = show(<Session />, state({ state: { ...BUSY, usage }, turns: { "r:1": turn(1, "go") } }));
    expect(page.text()).not.toContain("tokens");
    page.ops(["set", ["turns", "r:1"], done(1)], ["set", ["state"], { ...IDLE, usage }]);
    expect(page.one(".acp-done").textContent).toBe("Done in 41 s · 1.2M tokens");
    page.ops([
      "set",
      ["turns", "r:2"],
      turn(2, "next", { status: "not_sent", at: { queued: START, sent: null, end: START } }),
    ]);
    expect(page.one(".acp-done").textContent).toBe("Done in 41 s · 1.2M tokens");
  });
});

describe("a kernel that cannot hear", () => {
  it("is told beside the stop before it is clicked", () => {
    const page = show(<Session />, state({ state: BUSY, turns: { "r:1": turn(1, "go") } }));
    expect(page.text()).not.toContain("Clicks are read when the cell ends");
    act(() => page.model.receive({ type: "wait", waiting: true, clicks: false }));
    expect(page.one(".acp-header").textContent).toContain("Clicks are read when the cell ends");
    act(() => page.model.receive({ type: "wait", waiting: true, clicks: true }));
    expect(page.text()).not.toContain("Clicks are read when the cell ends");
  });

  it("is told in the header when it falls silent, and not any more when it is back", async () => {
    let hears = true;
    const page = show(<Session />, state({}), (model, message) => {
      if (hears) kernel(model, message);
    });
    expect(page.one(".acp-status").textContent).toBe("ready");
    hears = false;
    page.model.trigger("comm_live_update");
    act(() => void document.dispatchEvent(new Event("visibilitychange")));
    page.model.receive({ type: "wait", waiting: false, clicks: true }); // the line itself is open
    await pass(8000);
    expect(page.one(".acp-status").textContent).toBe("ready · the kernel does not answer");
    act(() => page.model.receive({ type: "seq", seq: 1 }));
    expect(page.one(".acp-status").textContent).toBe("ready");
  });
});
