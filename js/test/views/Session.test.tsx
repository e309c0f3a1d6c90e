import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { demoState, message, oddStates, permission, START, state, text, turn } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { Session, TurnView } from "../../src/views/Session.tsx";
import { clear, click, pass, press, show } from "../help.tsx";

beforeEach(() => void vi.useFakeTimers({ now: (START + 12) * 1000 }));
afterEach(clear);

const BUSY = { state: "running", busy: true, stopReason: null, background: null, error: null, usage: null };
const over = (more: JsonObject = {}): JsonObject =>
  turn(1, "go", {
    status: "done",
    stopReason: "end_turn",
    at: { queued: null, sent: START, end: START + 41 },
    ...more,
  });

describe("the header", () => {
  const words = (parts: JsonObject): string => show(<Session />, state(parts)).one(".acp-status").textContent ?? "";

  it("lists the rules that were made, each with a way to take it back", () => {
    const page = show(<Session />, state({ session: { rules: [{ word: "allow", text: "Edit('a.py')" }] } }));
    expect(page.one(".acp-rules summary").textContent).toBe("1 rule");
    click(page.one(".acp-rules button"));
    expect(page.model.of("revoke")).toMatchObject([{ rule: "Edit('a.py')" }]);
    page.ops(["set", ["session", "rules"], []]);
    expect(page.all(".acp-rules")).toEqual([]);
  });

  it("says the state in words", () => {
    expect(words({})).toBe("ready");
    expect(words({ session: { connection: "new" } })).toBe("not started");
    expect(words({ session: { connection: "starting" } })).toBe("starting…");
    expect(words({ session: { connection: "closed" } })).toBe("closed");
    expect(words({ session: { connection: "failed" } })).toBe("ended with an error");
    expect(words({ state: BUSY })).toBe("working");
    expect(words({ state: { ...BUSY, state: "_thinking_hard" } })).toBe("busy: _thinking_hard");
    expect(words({ state: { ...BUSY, state: "unknown" } })).toBe("state unknown");
    expect(words({ state: BUSY, session: { cancelling: true } })).toBe("stopping…");
    expect(words({ state: BUSY, permissions: { "p:1": permission("?") } })).toBe("waiting for you");
    expect(words({ state: { ...BUSY, state: "idle", busy: false, background: [{ type: "tool_call" }] } })).toBe(
      "ready · 1 running in background",
    );
  });

  it("has the dot of a session that is ready only when it is", () => {
    const dot = (session: JsonObject): string => show(<Session />, state({ session })).one(".acp-dot").className;
    expect(dot({})).toBe("acp-dot acp-dot-idle");
    for (const connection of ["new", "closed"]) expect(dot({ connection })).toBe("acp-dot acp-dot-off");
    expect(dot({ connection: "failed" })).toBe("acp-dot acp-dot-bad");
  });

  it("has the session's title, as soon as it has one, and no other place has", () => {
    const page = show(<Session />, state({}));
    expect(page.all(".acp-topic")).toEqual([]);
    page.ops(["set", ["sessionInfo", "title"], "Mend \u202emean()"]);
    expect(page.one(".acp-header .acp-topic").textContent).toBe("Mend ⟨U+202E⟩mean()");
    expect(page.one(".acp-topic").title).toBe("Mend ⟨U+202E⟩mean()");
    expect(page.one("[role=log]").textContent).not.toContain("Mend");
  });

  it("has the agent, its folder and how long it has worked and been quiet", async () => {
    const page = show(<Session />, state({ state: BUSY, turns: { "r:1": turn(1, "go") } }));
    expect(page.one(".acp-agent").textContent).toBe("demo agent");
    expect(page.one(".acp-cwd").title).toContain("/tmp/acp-demo-x1/project");
    expect(page.one(".acp-elapsed").textContent).toBe("12 s");
    await pass(8000);
    expect(page.one(".acp-elapsed").textContent).toBe("20 s · last activity 8 s ago");
    page.ops(["set", ["usage", "used"], 5]);
    expect(page.one(".acp-elapsed").textContent).toBe("20 s");
  });

  it("offers to end an agent that does not stop, and only then", async () => {
    const page = show(<Session />, state({ state: BUSY, session: { cancelling: true } }));
    expect(page.all(".acp-restart")).toHaveLength(0);
    await pass(5000);
    click(page.one(".acp-restart"));
    expect(page.model.sent).toContainEqual(expect.objectContaining({ type: "restart" }));
    page.ops(["set", ["session", "cancelling"], false]);
    expect(page.all(".acp-restart")).toHaveLength(0);
  });

  it("is ready again after a stop while nothing ran", () => {
    expect(words({ session: { cancelling: true } })).toBe("ready");
  });

  it("counts right although the kernel's clock is another", async () => {
    const page = show(<Session />, state({ state: BUSY }));
    const there = START - 5000;
    page.ops(
      ["set", ["messages", "a:1"], message("agent", "1", "x", { at: { first: there + 12, start: null, end: null } })],
      ["set", ["turns", "r:1"], turn(1, "go", { at: { queued: null, sent: there + 2, end: null } })],
    );
    await pass(1000);
    expect(page.one(".acp-elapsed").textContent).toBe("11 s");
  });

  it("stops what works, and only that", async () => {
    const page = show(<Session />, state({ state: BUSY }));
    click(page.one(".acp-stop"));
    expect(page.model.of("cancel")).toHaveLength(1);
    expect(page.one(".acp-stop").textContent).toContain("Stopping…");
    await pass(2100);
    expect(page.text()).toContain("The kernel is busy; it stops when messages are read.");
    expect(show(<Session />, state({})).all(".acp-stop")).toEqual([]);
  });

  it("leads to the question that waits", () => {
    const page = show(
      <Session />,
      state({ timeline: ["p:1"], permissions: { "p:1": permission("?", { turn: null }) } }),
    );
    click(page.one("button.acp-status"));
    expect(document.activeElement).toBe(page.one("[data-permission]"));
  });
});

describe("the transcript", () => {
  it("shows the prompt at once, and its echo in its place", () => {
    const page = show(<Session />, state({ turns: { "r:1": turn(1, "Fix it") } }));
    expect(page.all(".acp-you").map((bubble) => bubble.textContent)).toEqual(["You: Fix it"]);
    page.ops(
      ["set", ["messages", "u:1"], message("user", "1", "Fix it")],
      ["append", ["timeline"], "u:1"],
      ["set", ["turns", "r:1", "echo"], "u:1"],
    );
    expect(page.all(".acp-you").map((bubble) => bubble.textContent)).toEqual(["You: Fix it"]);
  });

  it("streams the agent's words", () => {
    const page = show(
      <Session />,
      state({ turns: { "r:1": turn(1, "go") }, timeline: ["a:1"], messages: { "a:1": message("agent", "1", "Hel") } }),
    );
    page.ops(["text", ["messages", "a:1", "content", 0, "text"], "lo **wor"]);
    page.ops(["text", ["messages", "a:1", "content", 0, "text"], "ld**"]);
    expect(page.one(".acp-say").textContent).toBe("Hello world");
    expect(page.one(".acp-say strong").textContent).toBe("world");
  });

  it("keeps thoughts closed, with how long they took", () => {
    const page = show(
      <Session />,
      state({
        turns: { "r:1": turn(1, "go") },
        timeline: ["h:1"],
        messages: { "h:1": message("thought", "1", "secret plan", { at: { first: START, start: null, end: null } }) },
      }),
    );
    expect(page.one(".acp-thought").textContent).toBe("Thinking… 12 s");
    page.ops(["set", ["messages", "h:1", "at", "end"], START + 2]);
    expect(page.one(".acp-thought").textContent).toBe("Thought for 2 s");
    click(page.one(".acp-thought button"));
    expect(page.one(".acp-thought").textContent).toContain("secret plan");
  });

  it("shows a plan as it goes", () => {
    const page = show(<Session />, demoState());
    expect(page.one(".acp-plan").textContent).toContain("Plan · 1 of 3");
    page.ops(["set", ["plans", "l:plan", "plan", "entries", 1, "status"], "completed"]);
    expect(page.one(".acp-plan").textContent).toContain("Plan · 2 of 3");
  });

  it("lets nothing move in a turn that is over", () => {
    const parts = demoState();
    const still = {
      ...parts,
      turns: { "r:1": over() },
      state: { ...BUSY, busy: false, state: "idle" },
      permissions: {},
    };
    expect(show(<Session />, parts).all(".acp-spin").length).toBeGreaterThan(1);
    expect(show(<Session />, still).all(".acp-spin, .acp-working")).toEqual([]);
  });

  it("has a line for everything that it does not know", () => {
    const words = show(<Session />, oddStates()).text();
    expect(words).toContain("The agent sent _vendor/heartbeat, which this version does not know");
    expect(words).toContain("MCP server unavailable Continuing without it.");
    expect(words).toContain("Context compacted · summary");
    expect(words).toContain("2 messages of the agent did not fit the protocol");
    const plan = state({
      timeline: ["l:1"],
      plans: { "l:1": { plan: { type: "_gantt", planId: "1" }, turn: null, at: {} } },
    });
    expect(show(<Session />, plan).text()).toContain("The agent sent a plan of the type _gantt");
  });

  it("survives entries that are missing and keys that nobody knows", () => {
    const page = show(
      <Session />,
      state({ timeline: ["a:404", "zzz", "", "t:", "__proto__"], turns: { "r:1": over() } }),
    );
    expect(page.text()).toContain("Done in 41 s");
  });

  it("shows other content of messages without loading anything", () => {
    const content = [
      text("a"),
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "image", data: "AAAA", mimeType: "image/svg+xml" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "resource_link", uri: "file:///p/a.py", name: "a.py" },
      { type: "resource_link", uri: "https://a.b/", name: "site" },
      { type: "resource", resource: { uri: "file:///p/b.py", text: "x = 1" } },
      { type: "_scent", strength: 3 },
    ];
    const page = show(
      <Session />,
      state({ timeline: ["a:1"], messages: { "a:1": message("agent", "1", "", { turn: null, content }) } }),
    );
    expect(page.all("img").map((image) => image.getAttribute("src"))).toEqual(["data:image/png;base64,AAAA"]);
    expect(page.all("a").map((link) => link.getAttribute("href"))).toEqual(["https://a.b/"]);
    expect(page.text()).toMatch(
      /Picture image\/svg\+xml.*Sound audio\/wav · 3 B.*a\.py \/p\/a\.py.*Resource file:.*_scent/,
    );
  });
});

describe("the end of a turn", () => {
  const end = (more: JsonObject, parts: JsonObject = {}): string =>
    show(<Session />, state({ turns: { "r:1": over(more) }, ...parts }))
      .all(".acp-done")
      .at(-1)?.textContent ?? "";

  it("is counted", () => {
    const done = demoState();
    done.turns = { "r:1": over() };
    expect(show(<Session />, done).one(".acp-done").textContent).toBe(
      "Done in 41 s · 3 tool calls · 2 files changed · 2 decisions",
    );
  });

  it("is named", () => {
    expect(end({})).toBe("Done in 41 s");
    expect(end({ stopReason: null })).toBe("Done in 41 s");
    expect(end({ stopReason: "cancelled" })).toBe("Stopped by you after 41 s");
    expect(end({ stopReason: "refusal" })).toBe("The agent refused. It forgets this prompt and what followed");
    expect(end({ stopReason: "max_tokens" })).toBe("Ended early: the limit of tokens was reached");
    expect(end({ stopReason: "_tea_break" })).toBe("Stopped: _tea_break");
    expect(end({ status: "failed", error: { message: "rate limit" } })).toContain(
      "The agent reported an error: rate limit",
    );
  });

  it("with an error can be sent again", () => {
    const page = show(<Session />, state({ turns: { "r:1": over({ status: "failed", error: { message: "busy" } }) } }));
    click(page.all(".acp-done button")[0] as HTMLElement);
    expect(page.model.of("prompt")).toMatchObject([{ again: "r:1" }]);
  });
});

describe("queued prompts", () => {
  it("can be taken back, and those never sent can be sent", async () => {
    const page = show(
      <Session />,
      state({
        turns: {
          "r:1": turn(1, "first"),
          "r:2": turn(2, "second", { status: "queued" }),
          "r:3": turn(3, "third", { status: "not_sent" }),
        },
      }),
    );
    expect(page.text()).toContain("Queued: “second”");
    expect(page.text()).toContain("Not sent, the turn was stopped: “third”");
    const button = (name: string) => page.all("button").find((each) => each.textContent === name) as HTMLElement;
    click(button("Remove"));
    expect(page.model.of("unqueue")).toMatchObject([{ turn: "r:2" }]);
    click(button("Send now"));
    expect(page.model.of("prompt")).toMatchObject([{ again: "r:3" }]);
    const [sent] = page.model.of("prompt");
    await act(async () => page.model.receive({ type: "result", id: sent?.id, ok: true, error: null }));
    expect(button("Send now")).toBeUndefined();
  });

  it.each([
    ["you removed it", "Not sent, you removed it: “x”"],
    ["There is no command `x`. It was searched.", "Not sent: “x”Send nowThere is no command x. It was searched."],
  ])("say why they were not sent: %s", (message, words) => {
    const not = turn(1, "x", { status: "not_sent", error: { message, code: null, data: null } });
    expect(show(<Session />, state({ turns: { "r:1": not } })).text()).toContain(words);
  });
});

describe("the composer", () => {
  const type = (area: HTMLTextAreaElement, value: string): void => {
    area.value = value;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  };
  async function composer(parts: JsonObject = {}, answer?: Parameters<typeof show>[2]) {
    const page = answer ? show(<Session />, state(parts), answer) : show(<Session />, state(parts));
    await pass(0);
    const area = page.one("textarea") as HTMLTextAreaElement;
    const write = async (value: string) => {
      type(area, value);
      await pass(0);
    };
    return { ...page, area, write };
  }

  it("sends on Enter, begins a line on Shift+Enter, and is empty when the prompt was taken", async () => {
    const { model, area, write } = await composer();
    await write("Fix it");
    expect(press(area, "Enter", { shiftKey: true }).defaultPrevented).toBe(false);
    expect(model.of("prompt")).toEqual([]);
    expect(press(area, "Enter").defaultPrevented).toBe(true);
    expect(model.of("prompt")).toMatchObject([{ text: "Fix it" }]);
    expect(area.value).toBe("Fix it");
    model.receive({ type: "result", id: model.of("prompt")[0]?.id, ok: true, error: null });
    await pass(0);
    expect(area.value).toBe("");
  });

  it("keeps the text of a prompt that was refused, and says why", async () => {
    const { model, area, write, text: words } = await composer();
    await write("Fix it");
    press(area, "Enter");
    model.receive({ type: "result", id: model.of("prompt")[0]?.id, ok: false, error: "The session is closed." });
    await pass(0);
    expect(area.value).toBe("Fix it");
    expect(words()).toContain("The session is closed.");
  });

  it("sends nothing empty, nothing twice, and not while a word is being composed", async () => {
    const { model, area, write } = await composer();
    await write("  ");
    press(area, "Enter");
    await write("にほん");
    press(area, "Enter", { isComposing: true });
    expect(model.of("prompt")).toEqual([]);
    press(area, "Enter");
    press(area, "Enter");
    expect(model.of("prompt")).toHaveLength(1);
  });

  it("queues while the agent works", async () => {
    const { one } = await composer({ state: BUSY });
    expect(one(".acp-composer button").textContent).toBe("Queue");
  });

  it("is closed with a reason when no prompt can be sent", async () => {
    const reason = async (parts: JsonObject, answer?: Parameters<typeof show>[2]) => {
      const { area } = await composer(parts, answer);
      await pass(4000);
      return [area.disabled, area.placeholder];
    };
    expect(await reason({ session: { connection: "closed" } })).toEqual([true, "The session is closed"]);
    expect(await reason({ session: { connection: "failed" } })).toEqual([true, "The agent has ended"]);
    expect(await reason({}, () => {})).toEqual([
      true,
      "Saved with the notebook; run the cell again for a live session",
    ]);
    expect(await reason({})).toEqual([false, "Ask the agent…   @ attaches"]);
  });
});

describe("a failure", () => {
  it("says what, why and what to do, and can be started again", async () => {
    const page = show(<Session />, oddStates());
    expect(page.one(".acp-error h4").textContent).toBe("The agent ended in the middle of the turn");
    expect(page.one(".acp-error").textContent).toContain("Exit code 1 after 12.4 s.");
    expect(page.one(".acp-error").textContent).toContain("Free some space");
    expect(page.one(".acp-error pre").textContent).toContain("ENOSPC");
    click(page.all(".acp-error button")[0] as HTMLElement);
    expect(page.model.of("restart")).toHaveLength(1);
    expect(page.one(".acp-error").textContent).toContain("Starting…");
    expect(page.text()).toContain("Copy stderr (2 lines)");
  });

  it("while starting shows the command", () => {
    expect(show(<Session />, state({ session: { connection: "starting" } })).text()).toContain(
      "Starting python -m acp_widget.demo",
    );
  });
});

describe("a saved session without a kernel", () => {
  it("shows nothing as running that nobody hears of any more", async () => {
    const demo = demoState();
    const asking = { ...(demo.permissions as JsonObject), "p:3": permission("Go?", { toolCallId: "call_3" }) };
    const page = show(<Session />, demo, () => {});
    expect(page.all(".acp-spin").length).toBeGreaterThan(0);
    await pass(4000);
    expect(page.all(".acp-spin, .acp-run")).toEqual([]);
    expect(page.all(".acp-st").at(-1)?.textContent).toBe("not finished when the notebook was saved");
    expect(page.one(".acp-term-bar").textContent).toContain("not finished when the notebook was saved");
    const asked = show(<Session />, { ...demo, permissions: asking }, () => {});
    await pass(4000);
    expect(asked.all(".acp-st").at(-1)?.textContent).toContain("not answered");
  });

  it("says so quietly and has no button that does anything", async () => {
    const page = show(<Session />, demoState(), () => {});
    await pass(4000);
    expect(page.one(".acp-status").textContent).toBe("saved, without a kernel");
    const before = page.model.sent.length;
    for (const button of page.all("button")) click(button);
    expect(page.model.sent.slice(before).filter((sent) => sent.type !== "hello")).toEqual([]);
    expect(page.all(".acp-stop, .acp-ask-row button")).toEqual([]);
  });
});

describe("one turn", () => {
  it("shows its own entries and no composer", () => {
    const page = show(
      <TurnView turn="r:2" />,
      state({
        turns: { "r:1": over(), "r:2": over({ number: 2, stopReason: "cancelled" }) },
        timeline: ["a:1", "a:2"],
        messages: { "a:1": message("agent", "1", "first"), "a:2": message("agent", "2", "second", { turn: "r:2" }) },
      }),
    );
    expect(page.text()).toContain("second");
    expect(page.text()).not.toContain("first");
    expect(page.all("textarea")).toEqual([]);
    expect(page.one(".acp-status").textContent).toBe("stopped");
  });

  it("can be answered and stopped while it runs", async () => {
    const page = show(
      <TurnView turn="r:1" />,
      state({
        state: BUSY,
        turns: { "r:1": turn(1, "go") },
        timeline: ["p:1"],
        permissions: { "p:1": permission("Run?") },
      }),
    );
    await pass(400);
    click(page.one(".acp-ask-row > button"));
    expect(page.model.of("answer")).toHaveLength(1);
    click(page.one(".acp-stop"));
    expect(page.model.of("cancel")).toHaveLength(1);
  });

  it("shows why the agent did not start", () => {
    const failed = oddStates();
    failed.turns = { "r:1": turn(1, "go", { status: "failed", at: { queued: null, sent: null, end: START } }) };
    expect(show(<TurnView turn="r:1" />, failed).one(".acp-error").textContent).toContain("ENOSPC");
  });
});
