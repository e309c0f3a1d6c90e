import { afterEach, describe, expect, it } from "vitest";
import { permission, state, turn } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { Player } from "../../src/views/Player.tsx";
import { Session } from "../../src/views/Session.tsx";
import { clear, click, type Page, press, show } from "../help.tsx";

afterEach(clear);

const BASE = {
  ...{ name: "fix.jsonl", position: 10, count: 40, limit: 40, playing: false, speed: 1, at: 7, length: 90, clock: 5 },
  ...{ beats: [10, 40], marks: [], note: null, ask: null, choices: [], end: null, problem: null },
};
const draw = (player: JsonObject = {}): Page => show(<Player />, state({ player: { ...BASE, ...player } }));
const told = (page: Page) =>
  page.model.sent.filter((each) => each.type === "player").map(({ do: what, value }) => [what, value]);
const bar = (page: Page) => page.one("[aria-label=Player]");
const button = (page: Page, name: string) => page.one(`button[aria-label^="${name}"]`);
const ASK = {
  ...{ position: 10, permission: null, question: "What comes?", predict: true },
  options: [
    { optionId: "0", name: "A test" },
    { optionId: "1", name: "An edit" },
  ],
};

describe("the player", () => {
  it("says where it stands", () => {
    expect(draw().text()).toContain("0:07 / 1:30");
    expect(draw({ position: 40, end: "cut short" }).text()).toContain("the recording ends in the middle of the work");
    expect(draw({ problem: "line 3 is no JSON" }).text()).toContain("line 3 is no JSON");
  });

  it.each([
    [" ", ["play", null]],
    ["k", ["play", null]],
    ["ArrowRight", ["step", null]],
    ["l", ["step", null]],
    ["ArrowLeft", ["back", null]],
    ["j", ["back", null]],
    ["n", ["next", null]],
    ["p", ["previous", null]],
    ["Home", ["seek", 0]],
    ["End", ["seek", 40]],
    ["+", ["speed", 2]],
    ["-", ["speed", 0.5]],
  ])("takes the key %j", (key, command) => {
    const page = draw();
    const event = press(page.one("input[type=range]"), key);
    expect(told(page)).toEqual([command]);
    expect(event.defaultPrevented).toBe(true);
  });

  it("moves by one message with Shift", () => {
    const page = draw();
    press(bar(page), "ArrowRight", { shiftKey: true });
    expect(told(page)).toEqual([["step", "message"]]);
  });

  it("leaves shortcuts, other keys and the keys of the list alone", () => {
    const page = draw();
    for (const event of [
      press(bar(page), "k", { ctrlKey: true }),
      press(bar(page), "a"),
      press(bar(page), "1"),
      press(page.one("select"), "ArrowLeft"),
      press(button(page, "Step on"), " "),
    ])
      expect(event.defaultPrevented).toBe(false);
    expect(told(page)).toEqual([]);
  });

  it("plays and pauses by its button, and does nothing where nothing can be done", () => {
    const page = draw({ position: 40 });
    click(button(page, "Play again"));
    expect(told(page)).toEqual([["play", null]]);
    const end = draw({ position: 40 });
    click(button(end, "Step on"));
    click(button(draw({ position: 0 }), "Step back"));
    expect(told(end)).toEqual([]);
    expect(button(end, "Step on").getAttribute("aria-disabled")).toBe("true");
    const playing = draw({ playing: true });
    click(button(playing, "Pause"));
    expect(told(playing)).toEqual([["pause", null]]);
  });

  it("asks, takes a digit, and does not go on before", () => {
    const page = draw({ ask: ASK, limit: 10 });
    expect(page.text()).toContain("What comes is hidden until you have chosen.");
    click(button(page, "Play"));
    press(bar(page), "2");
    expect(told(page)).toEqual([["choose", "1"]]);
  });

  it("never goes beyond what may be seen", () => {
    const page = draw({ limit: 20 });
    const range = page.one("input[type=range]") as HTMLInputElement;
    range.value = "35";
    range.dispatchEvent(new Event("input", { bubbles: true }));
    expect(told(page)).toEqual([["seek", 20]]);
  });

  it("tells what was chosen and what was recorded, once it came", () => {
    const choices = [{ position: 10, question: "Edit it?", chosen: "Reject", recorded: "Allow once", right: false }];
    expect(draw({ choices }).text()).toContain("You chose Reject. In the recording: Allow once. It was another.");
    expect(draw({ choices, position: 9 }).text()).not.toContain("You chose");
  });

  it("shows what others wrote as text", () => {
    const note = { position: 1, title: "<b>T</b>", text: "<img src=x onerror=alert(1)>" };
    const page = draw({ note, name: "<i>x</i>", problem: "<u>y</u>", ask: { ...ASK, question: "<s>q</s>" } });
    for (const words of ["<b>T</b>", "<img src=x onerror=alert(1)>", "<i>x</i>", "<u>y</u>", "<s>q</s>"])
      expect(page.text()).toContain(words);
    expect(page.all("img, u, s")).toEqual([]);
  });
});

describe("a replay", () => {
  it("has a player in the place of what asks an agent", () => {
    const open = turn(1, "Do it", { status: "running", stopReason: null });
    const page = show(
      <Session />,
      state({ player: { ...BASE, playing: true }, state: { state: "running", busy: true }, turns: { "r:1": open } }),
    );
    expect(page.all("textarea")).toEqual([]);
    expect(page.text()).toContain("replay · playing");
    expect(page.all("button").map((each) => each.textContent)).not.toContain("Stop");
  });

  it("says whose turn it is, though a request waits", () => {
    const page = show(<Session />, state({ player: { ...BASE, ask: ASK }, permissions: { "p:1": permission("Go?") } }));
    expect(page.text()).toContain("replay · your turn");
  });
});
