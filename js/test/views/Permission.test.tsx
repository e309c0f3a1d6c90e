import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { call, OPTIONS, permission, state, terminal, turn } from "../../dev/states.ts";
import { BUSY_KERNEL, SLOW } from "../../src/actions.ts";
import type { Json, JsonObject, Operation, Permission as PermissionState } from "../../src/types.ts";
import { INERT, Permission } from "../../src/views/Permission.tsx";
import { decision } from "../../src/views/permission_words.ts";
import { Session, TurnView } from "../../src/views/Session.tsx";
import { clear, click, kernel, pass, press, show } from "../help.tsx";

beforeEach(() => void vi.useFakeTimers());
afterEach(clear);

const COMMAND = { type: "command", command: "rm -rf build", cwd: "/p" };

async function ask(more: JsonObject = {}, answer = kernel) {
  const page = show(<Permission id="p:1" />, state({ permissions: { "p:1": permission("Run it?", more) } }), answer);
  await pass(INERT + 10);
  const buttons = () => page.all(".acp-ask-row > button");
  const card = () => page.one("[data-permission]");
  return { ...page, buttons, card };
}

const enabled = (button: HTMLElement): boolean => button.getAttribute("aria-disabled") === "false";

describe("a question", () => {
  it("shows title, description, the command and its folder, literally", async () => {
    const { text, one } = await ask({ description: "It **cleans**.", subject: COMMAND });
    expect(text()).toContain("Run it?");
    expect(text()).toContain("It **cleans**.");
    expect(one(".acp-cmd").textContent).toBe("$ rm -rf build   in /p");
  });

  it("has the words of a command told apart, and its folder, when a call's input lists them", async () => {
    const { one, all } = await ask({
      subject: {
        type: "tool_call",
        toolCall: {
          toolCallId: "gone",
          kind: "execute",
          rawInput: { command: ["bash", "-lc", "cd /x && *rm* a"], workdir: "/w", env: { A: "1" }, call_id: "7" },
        },
      },
    });
    expect(all(".acp-word").map((word) => word.textContent)).toEqual(["bash", "-lc", "cd /x && *rm* a"]);
    expect(one(".acp-cmd-cwd").textContent).toBe("in /w");
    expect(one(".acp-ask-raw").textContent).toBe('{\n  "env": {\n    "A": "1"\n  }\n}');
  });

  it("about a call that nobody knows can be answered like every other", async () => {
    const toolCall = { toolCallId: "gone", kind: "edit", rawInput: { path: "/p/a.py", content: "x" } };
    const { buttons, model, ops } = await ask({ subject: { type: "tool_call", toolCall } });
    ops(["set", ["session", "label"], "drawn again"]);
    await pass(INERT + 10);
    expect(buttons().every(enabled)).toBe(true);
    click(buttons()[2] as HTMLElement);
    expect(model.of("answer")).toMatchObject([{ optionId: "no" }]);
  });

  it("takes no action of another tool for a command", async () => {
    const input = { command: "create", path: "/p/a.py", file_text: "x = 1" };
    const { all, text } = await ask({
      subject: { type: "tool_call", toolCall: { toolCallId: "gone", kind: "edit", rawInput: input } },
    });
    expect(all(".acp-cmd")).toEqual([]);
    expect(text()).toContain("Inferred from the input");
    expect(text()).toContain("x = 1");
  });

  it("without a title is called by its call: title, name, kind and path, or command", async () => {
    const named = async (toolCall: JsonObject, title = "") => {
      const subject = { type: "tool_call", toolCall: { toolCallId: "gone", ...toolCall } };
      return (await ask({ title, subject })).card().getAttribute("aria-label");
    };
    const edit = { kind: "edit", locations: [{ path: "/p/a.py" }] };
    expect(await named({ ...edit, title: "Tidy", name: "edit" })).toBe("Permission: Tidy");
    expect(await named({ ...edit, name: "write_file" }, " ")).toBe("Permission: write_file");
    expect(await named(edit, "The agent asks for permission")).toBe("Permission: Edit /p/a.py");
    expect(await named({ rawInput: { command: "ls -l" } })).toBe("Permission: ls -l");
    expect(await named({ title: "Tidy" }, "Really?")).toBe("Permission: Really?");
  });

  it("gives what was sent, raw, in one click", async () => {
    const { all, one } = await ask({ subject: { ...COMMAND, more: { why: "because" } } });
    expect(all(".acp-json")).toEqual([]);
    click(one(".acp-ask-head button"));
    expect(one(".acp-json").textContent).toContain("because");
  });

  it("says how far an answer for always reaches, to the eye and to the ear, and only there", async () => {
    const { one, buttons, root } = await ask({ subject: COMMAND });
    expect(one(".acp-ask-scope").textContent).toBe(
      "“Always allow” and “Always reject”: the agent remembers it, for running “rm -rf build”. " +
        "The agent decides how far this reaches: it may cover more than this one.",
    );
    const told = buttons().map((button) => button.getAttribute("aria-describedby"));
    expect(told).toEqual([null, one(".acp-ask-scope").id, null, one(".acp-ask-scope").id]);
    expect(root.querySelectorAll(`[id="${told[1]}"]`)).toHaveLength(1);
    expect((await ask({ options: [OPTIONS[0] as Json] })).all(".acp-ask-scope")).toEqual([]);
    const script = await ask({ subject: { ...COMMAND, command: "set -eu\nrm -rf build\n" } });
    expect(script.one(".acp-ask-scope").textContent).toContain("for running “set -eu…”.");
  });

  it("is a group with a name and a description for screen readers", async () => {
    const { card, root } = await ask({ subject: COMMAND });
    expect([card().getAttribute("role"), card().getAttribute("aria-label")]).toEqual(["group", "Permission: Run it?"]);
    const told = root.querySelector(`[id="${card().getAttribute("aria-describedby")}"]`);
    expect(told?.textContent).toContain("rm -rf build");
  });

  it("makes hidden and direction-changing characters of a command visible", async () => {
    const { one } = await ask({ subject: { ...COMMAND, command: "echo \u202egnp.exe\u200b" } });
    expect(one(".acp-cmd").textContent).toContain("echo ⟨U+202E⟩gnp.exe⟨U+200B⟩");
  });

  it("shows every option in the agent's order, under the agent's words, with a key", async () => {
    const { buttons } = await ask();
    expect(buttons().map((button) => button.querySelector(".acp-option-name")?.textContent)).toEqual([
      "Allow once",
      "Always allow",
      "Reject",
      "Always reject",
    ]);
    expect(buttons().map((button) => button.querySelector("kbd")?.textContent)).toEqual(["1", "2", "3", "4"]);
  });

  it("leaves a gap where allowing turns to rejecting, and orders nothing", async () => {
    const { one } = await ask({ options: [OPTIONS[2] as Json, OPTIONS[0] as Json] });
    const row = [...one(".acp-ask-row").children].map((child) => child.className);
    expect(row.slice(0, 3)).toEqual(["", "acp-gap", "acp-primary"]);
  });

  it("tells a rejecting option that is named Allow apart", async () => {
    const { buttons } = await ask({ options: [{ optionId: "a", name: "Allow", kind: "reject_once" }] });
    expect(buttons()[0]?.textContent).toContain("rejects once");
    expect(buttons()[0]?.classList.contains("acp-primary")).toBe(false);
  });

  it("names an unknown kind, on a neutral button", async () => {
    const { buttons } = await ask({ options: [{ optionId: "a", name: "Later", kind: "_snooze" }] });
    expect(buttons()[0]?.textContent).toContain("_snooze");
    expect(buttons()[0]?.className).toBe("");
  });

  it("flags two options of one id and shows both", async () => {
    const twins = [
      { optionId: "a", name: "Allow", kind: "allow_once" },
      { optionId: "a", name: "Reject", kind: "reject_once" },
    ];
    const { text, buttons } = await ask({ options: twins });
    expect(buttons()).toHaveLength(2);
    expect(text()).toContain("Two options have the same id a");
  });

  it("shows raw JSON, flagged and without a favourite, when it cannot be read", async () => {
    const { text, one, all } = await ask({ subject: { type: "_vm", vm: "b" }, problem: "Nobody knows what a VM is." });
    expect(text()).toContain("Nobody knows what a VM is. Nothing is allowed automatically.");
    expect(one(".acp-ask-raw").textContent).toContain('"vm": "b"');
    expect(all(".acp-primary")).toEqual([]);
  });

  it("takes no focus", async () => {
    await ask();
    expect(document.activeElement).toBe(document.body);
  });

  it("says that the cell waits, and when clicks are only read later", async () => {
    const page = await ask();
    expect(page.text()).not.toContain("cell");
    page.model.receive({ type: "wait", waiting: true, clicks: true });
    await pass(0);
    expect(page.text()).toContain("the cell is waiting for your answer");
    page.model.receive({ type: "wait", waiting: true, clicks: false });
    await pass(0);
    expect(page.text()).toContain("Clicks are read when the cell ends");
  });
});

describe("an answer", () => {
  it("is the option that was pressed", async () => {
    const { model, buttons } = await ask();
    click(buttons()[2] as HTMLElement);
    expect(model.of("answer")).toMatchObject([{ permission: "p:1", optionId: "no" }]);
    expect(buttons().every(enabled)).toBe(false);
  });

  it("is taken by a digit while the card has the focus, and not elsewhere", async () => {
    const { model, card, root } = await ask();
    press(root, "1");
    press(document.body, "1");
    expect(model.of("answer")).toEqual([]);
    press(card(), "3");
    expect(model.of("answer")).toMatchObject([{ optionId: "no" }]);
  });

  it("is not taken from a held key, a shortcut, or a digit without an option", async () => {
    const { model, card } = await ask();
    press(card(), "1", { repeat: true });
    press(card(), "1", { ctrlKey: true });
    press(card(), "7");
    expect(press(card(), "Enter", { repeat: true }).defaultPrevented).toBe(true);
    expect(model.of("answer")).toEqual([]);
  });

  it("is not taken in the first moment", async () => {
    const page = show(<Permission id="p:1" />, state({ permissions: { "p:1": permission("?") } }));
    const first = page.one(".acp-ask-row > button");
    click(first);
    press(page.one("[data-permission]"), "1");
    await pass(INERT - 50);
    click(first);
    expect(page.model.of("answer")).toEqual([]);
    await pass(100);
    click(page.one(".acp-ask-row > button"));
    expect(page.model.of("answer")).toHaveLength(1);
  });

  it("that came too soon says so", async () => {
    const page = show(<Permission id="p:1" />, state({ permissions: { "p:1": permission("?") } }));
    await pass(100);
    click(page.one(".acp-ask-row > button"));
    expect(page.model.of("answer")).toEqual([]);
    await pass(INERT);
    expect(page.one('[role="alert"]').textContent).toContain("Not sent");
    click(page.one(".acp-ask-row > button"));
    expect(page.model.of("answer")).toHaveLength(1);
  });

  it("is one answer when it was a double click", async () => {
    const { model, buttons } = await ask();
    click(buttons()[0] as HTMLElement);
    click(buttons()[0] as HTMLElement);
    click(buttons()[2] as HTMLElement);
    expect(model.of("answer")).toHaveLength(1);
  });

  it("is not taken in the moment after what it asks about changed", async () => {
    const page = show(
      <Permission id="p:1" />,
      state({
        toolCalls: { "t:c": call("c", { rawInput: { command: "ls" } }) },
        permissions: { "p:1": permission("?", { toolCallId: "c", subject: { type: "tool_call", toolCall: {} } }) },
      }),
    );
    await pass(INERT + 10);
    expect(page.one(".acp-cmd").textContent).toBe("$ ls");
    page.ops(["set", ["toolCalls", "t:c", "rawInput"], { command: "rm -rf ~" }]);
    click(page.one(".acp-ask-row > button"));
    expect(page.model.of("answer")).toEqual([]);
    expect(page.one(".acp-cmd").textContent).toBe("$ rm -rf ~");
    await pass(INERT + 10);
    click(page.one(".acp-ask-row > button"));
    expect(page.model.of("answer")).toHaveLength(1);
  });

  it("makes the rule that is ticked, with an allow once alone", async () => {
    const { buttons, one, model } = await ask({ rule: "Edit('a.py')" });
    expect(one(".acp-ask-rule").textContent).toContain("Edit('a.py')");
    click(one(".acp-ask-rule input"));
    await pass(INERT + 10);
    click(buttons()[0] as HTMLElement);
    expect(model.of("remember")).toMatchObject([{ permission: "p:1", rule: "Edit('a.py')" }]);
    expect(model.of("answer")).toEqual([]);
  });

  it("is no rule when another option is pressed, or the rule is another one by now", async () => {
    const first = await ask({ rule: "Edit('a.py')" });
    click(first.one(".acp-ask-rule input"));
    await pass(INERT + 10);
    click(first.buttons()[2] as HTMLElement);
    expect(first.model.of("remember")).toEqual([]);
    expect(first.model.of("answer")).toMatchObject([{ optionId: "no" }]);
    clear();
    vi.useFakeTimers();
    const second = await ask({ rule: "Edit('a.py')" });
    click(second.one(".acp-ask-rule input"));
    second.ops(["set", ["permissions", "p:1", "rule"], "Edit('b.py')"]);
    await pass(INERT + 10);
    click(second.buttons()[0] as HTMLElement);
    expect(second.model.of("remember")).toEqual([]);
  });

  it("can be a dismissal where no rejection is offered, and only there", async () => {
    const { model, buttons, text } = await ask({ options: [OPTIONS[0] as Json] });
    click(buttons().at(-1) as HTMLElement);
    expect(model.of("dismiss")).toMatchObject([{ permission: "p:1" }]);
    expect(text()).toContain("Dismiss (the agent may end the turn)");
    expect((await ask()).text()).not.toContain("Dismiss");
  });

  it("that was refused says why, and can be tried again", async () => {
    const { model, buttons, one } = await ask();
    click(buttons()[0] as HTMLElement);
    model.receive({ type: "result", id: model.of("answer")[0]?.id, ok: false, error: "It was answered elsewhere." });
    await pass(0);
    expect(one('[role="alert"]').textContent).toBe("It was answered elsewhere.");
    expect(buttons().every(enabled)).toBe(true);
  });

  it("that nobody took yet says that the kernel is busy", async () => {
    const { buttons, text } = await ask();
    click(buttons()[0] as HTMLElement);
    await pass(SLOW + 10);
    expect(text()).toContain(BUSY_KERNEL);
  });

  it("to a kernel that is gone says so", async () => {
    let gone = false;
    const { buttons, text } = await ask({}, (model, message) => {
      if (gone) throw new Error("Cannot send");
      kernel(model, message);
    });
    gone = true;
    click(buttons()[0] as HTMLElement);
    await pass(0);
    expect(text()).toContain("Never answered: the kernel was disconnected. It offered: Allow once");
    expect(buttons()).toEqual([]);
  });
});

describe("without a kernel", () => {
  it("there is no button that answers, but what was asked and offered", async () => {
    const { all, model, card, text } = await ask({ subject: COMMAND }, () => {});
    await pass(4000);
    for (const button of all("button")) click(button);
    press(card(), "1");
    expect(model.of("answer")).toEqual([]);
    expect(all(".acp-ask-row")).toEqual([]);
    expect(text()).toContain("rm -rf build");
    expect(text()).toContain("It offered: Allow once, Always allow, Reject, Always reject");
  });
});

describe("an answered question is one line", () => {
  const line = (more: JsonObject): string =>
    show(
      <Permission id="p:1" />,
      state({ permissions: { "p:1": permission("Run it?", { at: { first: 1, start: null, end: 2 }, ...more }) } }),
    ).text();
  const chosen = (optionId: string, by: string, why: string | null = null) =>
    line({ status: "selected", optionId, by, why }).replace(/\d\d:\d\d:\d\d/, "T");
  const cancelled = (by: string) => line({ status: "cancelled", by }).replace(/\d\d:\d\d:\d\d/, "T");

  it("with who, when and why", () => {
    expect(chosen("once", "you")).toBe("Run it? Allowed once by you at T");
    expect(chosen("always", "python")).toBe("Run it? Always allowed by Python code at T");
    expect(chosen("no", "policy", 'the rule reject Run("rm *")')).toBe(
      'Run it? Rejected by the policy at T (the rule reject Run("rm *"))',
    );
    expect(chosen("no", "nobody")).toBe("Run it? Rejected because nobody was watching at T");
    expect(cancelled("you")).toBe("Run it? Dismissed by you at T");
    expect(cancelled("agent")).toBe("Run it? Withdrawn by the agent at T");
    expect(cancelled("stop")).toBe("Run it? Cancelled: you stopped the turn");
    expect(cancelled("end")).toBe("Run it? Never answered: the agent ended");
    expect(line({ status: "cancelled", by: "end", why: "The agent ended." })).toBe(
      "Run it? Never answered: the agent ended",
    );
  });

  it("and never says which of two options of one id was meant", () => {
    const options = [
      { optionId: "x", name: "Allow", kind: "reject_once" },
      { optionId: "x", name: "Allow", kind: "allow_always" },
    ];
    const settled = { status: "selected", optionId: "x", by: "you", options };
    const { text } = decision(permission("Run it?", settled) as unknown as PermissionState);
    expect(text).toMatch(/^Answered “x” by you/);
  });

  it("with the agent's words where they say more than their kind", () => {
    const options = [{ optionId: "y", name: "Yes, allow all edits", kind: "allow_always" }];
    expect(line({ status: "selected", optionId: "y", by: "you", options })).toMatch(
      /^Run it\? Always allowed \(“Yes, allow all edits”\) by you/,
    );
  });

  it("that opens to what was asked and offered, and answers nothing", async () => {
    const page = await ask({ subject: COMMAND, status: "selected", optionId: "no", by: "you" });
    expect(page.all(".acp-cmd")).toEqual([]);
    click(page.one("[data-decided] button"));
    expect(page.one(".acp-cmd").textContent).toContain("rm -rf build");
    expect(page.all(".acp-offered li").map((each) => each.textContent)).toEqual([
      "Allow once allows once",
      "Always allow allows always",
      "Reject rejects once · chosen",
      "Always reject rejects always",
    ]);
    expect(page.all("button")).toHaveLength(1);
  });

  it("also when it was answered elsewhere, while this page looked", async () => {
    const page = await ask();
    page.ops([
      "set",
      ["permissions", "p:1"],
      permission("Run it?", { status: "selected", optionId: "no", by: "python" }),
    ]);
    expect(page.text()).toContain("Rejected by Python code");
    expect(page.all("[data-permission]")).toEqual([]);
  });
});

describe("a question about a tool call", () => {
  const withCall = (more: JsonObject): JsonObject =>
    state({
      turns: { "r:1": turn(1, "go") },
      timeline: ["t:c"],
      toolCalls: { "t:c": call("c", { title: "Edit a.py", kind: "edit", ...more }) },
      permissions: {
        "p:1": permission("Edit a.py?", {
          toolCallId: "c",
          subject: { type: "tool_call", toolCall: { toolCallId: "c" } },
        }),
      },
    });
  const diff = { type: "diff", changes: [{ operation: "modify", path: "/tmp/acp-demo-x1/project/a.py" }], patch: null };

  it("stands in its card, below what would change", () => {
    const { one, text } = show(<Session />, withCall({ content: [diff] }));
    expect(one("[data-call] [data-permission]")).toBeTruthy();
    expect(text().indexOf("modify a.py")).toBeLessThan(text().indexOf("Edit a.py?"));
    expect(text()).toContain("waiting for you");
  });

  it("shows the input when nothing else shows what would happen", () => {
    const { one } = show(<Session />, withCall({ rawInput: { path: "a.py", mode: "x" } }));
    expect(one(".acp-ask-raw").textContent).toContain('"mode": "x"');
  });

  it("opens the card again for a new question, and keeps a choice made while it stands", () => {
    const { one, all, ops } = show(<Session />, withCall({ content: [diff] }));
    click(one(".acp-call-toggle"));
    expect(all(".acp-call-body")).toEqual([]);
    expect(all("[data-permission]")).toHaveLength(1);
    ops(["set", ["permissions", "p:1", "status"], "cancelled"]);
    ops(["set", ["permissions", "p:2"], permission("Really?", { toolCallId: "c" })]);
    expect(all(".acp-call-body")).toHaveLength(1);
  });

  it("is announced to those who listen", () => {
    const { one } = show(<Session />, withCall({}));
    expect(one('[aria-live="assertive"]').textContent).toBe("The agent asks: Edit a.py?");
  });
});

describe("a command that stands in a terminal of the call", () => {
  const asking = () =>
    state({
      timeline: ["t:c"],
      terminals: { "x:1": terminal("1", "", { command: "ls -la" }) },
      toolCalls: { "t:c": call("c", { kind: "execute", content: [{ type: "terminal", terminalId: "1" }] }) },
      permissions: {
        "p:1": permission("Run?", { toolCallId: "c", subject: { type: "tool_call", toolCall: { toolCallId: "c" } } }),
      },
      turns: { "r:1": turn(1, "go") },
    });

  it("disarms the buttons when it changes, also to one of the same length", async () => {
    const page = show(<Session />, asking());
    await pass(INERT + 10);
    expect(page.one("[data-permission]").dataset.open).toBe("true");
    page.ops(["set", ["terminals", "x:1", "command"], "rm -rf"]);
    expect(page.one("[data-permission]").dataset.open).toBe("false");
    expect(page.one(".acp-cmd").textContent).toContain("rm -rf");
  });

  it("is what an answer for always is about", () => {
    expect(show(<Session />, asking()).one(".acp-ask-scope").textContent).toContain("running “ls -la”");
  });
});

it("a terminal of a command question is no reason to draw it twice", () => {
  const { all } = show(
    <Session />,
    state({
      timeline: ["p:1"],
      terminals: { "x:1": terminal("1", "hello") },
      permissions: { "p:1": permission("Run?", { subject: { ...COMMAND, terminalId: "1" } }) },
      turns: { "r:1": turn(1, "go") },
    }),
  );
  expect(all(".acp-cmd")).toHaveLength(1);
  expect(all(".acp-term")).toHaveLength(0);
});

describe("several questions at once", () => {
  const three = () =>
    state({
      timeline: ["p:1", "p:2", "p:3"],
      turns: { "r:1": turn(1, "go") },
      permissions: { "p:1": permission("One?"), "p:2": permission("Two?"), "p:3": permission("Three?") },
    });
  const settle = (id: string, title: string): Operation => [
    "set",
    ["permissions", id],
    permission(title, { status: "selected", optionId: "once", by: "you" }),
  ];
  const open = async () => {
    const page = show(<Session />, three());
    await pass(INERT + 10);
    const card = (id: string) => page.one(`[data-permission="${id}"]`);
    return { ...page, card };
  };

  it("are counted, and all there", async () => {
    const page = await open();
    const counts = page.all(".acp-pager").map((pager) => pager.textContent);
    expect(counts).toEqual([1, 2, 3].map((at) => `‹ pPrevious question${at} of 3 questionsn ›Next question`));
    page.ops(settle("p:1", "One?"));
    await pass(50);
    expect(page.all(".acp-pager").map((pager) => pager.textContent)[0]).toContain("1 of 2 questions");
    page.ops(settle("p:2", "Two?"));
    await pass(50);
    expect(page.all(".acp-pager")).toEqual([]);
    expect(page.all("[data-permission]")).toHaveLength(1);
  });

  it("are gone through by key and by mouse", async () => {
    const { card } = await open();
    act(() => card("p:1").focus());
    press(card("p:1"), "n");
    expect(document.activeElement).toBe(card("p:2"));
    press(card("p:2"), "p");
    press(card("p:1"), "p");
    expect(document.activeElement).toBe(card("p:3"));
    click(card("p:3").querySelector('[title="Next question"]') as HTMLElement);
    expect(document.activeElement).toBe(card("p:1"));
  });

  it("hand the focus on, to no button, and take no second answer from the same keys", async () => {
    const page = await open();
    act(() => page.card("p:1").focus());
    await pass(INERT);
    press(page.card("p:1"), "1");
    page.ops(settle("p:1", "One?"));
    await pass(0);
    expect(document.activeElement).toBe(page.card("p:2"));
    press(page.card("p:2"), "1");
    expect(page.model.of("answer")).toHaveLength(1);
    await pass(INERT);
    press(page.card("p:2"), "3");
    expect(page.model.of("answer")).toMatchObject([{ permission: "p:1" }, { permission: "p:2", optionId: "no" }]);
  });

  it("leave the focus to the last one's line", async () => {
    const page = await open();
    page.ops(settle("p:1", "One?"), settle("p:2", "Two?"));
    act(() => page.card("p:3").focus());
    page.ops(settle("p:3", "Three?"));
    await pass(0);
    expect(document.activeElement).toBe(page.one('[data-decided="p:3"] button'));
  });

  it("take no focus that was elsewhere", async () => {
    const page = await open();
    page.ops(settle("p:1", "One?"));
    await pass(0);
    expect(document.activeElement).toBe(document.body);
    act(() => page.one("textarea").focus());
    page.ops(settle("p:2", "Two?"));
    await pass(0);
    expect(document.activeElement).toBe(page.one("textarea"));
  });

  it("are each announced as they come", async () => {
    const page = show(<Session />, state({ turns: { "r:1": turn(1, "go") } }));
    const said = () => [...page.one('[aria-live="assertive"]').children];
    const come = (id: string, title: string) =>
      page.ops(["set", ["permissions", id], permission(title)], ["append", ["timeline"], id]);
    come("p:1", "One?");
    const first = said()[0];
    come("p:2", "Two?");
    expect(said().map((each) => each.textContent)).toEqual(["The agent asks: One?", "The agent asks: Two?"]);
    expect(said()[0]).toBe(first); // only what is new is read out
  });
});

it("a turn's own view shows its questions about calls of other turns", async () => {
  const page = show(
    <TurnView turn="r:2" />,
    state({
      turns: { "r:1": turn(1, "go"), "r:2": turn(2, "on") },
      timeline: ["t:c"],
      toolCalls: { "t:c": call("c", { kind: "edit", rawInput: { file_path: "/p/a.py", content: "x = 1" } }) },
      permissions: {
        "p:1": permission("Write?", {
          turn: "r:2",
          toolCallId: "c",
          subject: { type: "tool_call", toolCall: { toolCallId: "c" } },
        }),
      },
    }),
  );
  expect(page.one("[data-permission]").textContent).toContain("x = 1");
});

describe("a turn that the agent ended as cancelled", () => {
  const end = (...by: string[]): string =>
    show(
      <Session />,
      state({
        turns: {
          "r:1": turn(1, "go", { status: "done", stopReason: "cancelled", at: { queued: null, sent: 1, end: 13 } }),
        },
        permissions: Object.fromEntries(
          by.map((each, n) => [`p:${n}`, permission("Run?", { status: "cancelled", by: each })]),
        ),
      }),
    ).text();

  it("after a question was dismissed was not stopped by anybody", () => {
    expect(end("you")).toContain("Ended after a dismissed question · 12 s");
    expect(end("policy")).toContain("Ended after a dismissed question");
    expect(end("you")).not.toContain("Stopped by you");
  });

  it("was stopped where a question was settled by the stop, or none was dismissed", () => {
    expect(end("you", "stop")).toContain("Stopped by you after 12 s");
    expect(end()).toContain("Stopped by you after 12 s");
  });
});
