import { afterEach, describe, expect, it } from "vitest";
import { START, state, text } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { About } from "../../src/views/About.tsx";
import { Compaction } from "../../src/views/Compaction.tsx";
import { Diagnostics } from "../../src/views/Diagnostics.tsx";
import { Notices } from "../../src/views/Notice.tsx";
import { clear, click, show } from "../help.tsx";

afterEach(clear);

function notices(...severities: string[]) {
  const made = severities.map((severity, n): [string, JsonObject] => [
    `n:${n}`,
    { severity, title: `title ${n}`, description: null, turn: null, at: {} },
  ]);
  return show(<Notices ids={made.map(([id]) => id)} />, state({ notices: Object.fromEntries(made) }));
}

describe("notices", () => {
  it("say how grave they are, also in words that nobody knows", () => {
    const page = notices("info", "error", "_cosmic");
    expect(page.all(".acp-severity").map((each) => each.textContent?.trim())).toEqual(["error", "_cosmic"]);
    expect(page.all(".acp-severity.acp-bad")).toHaveLength(1);
    expect(page.all(".acp-note").map((note) => note.querySelectorAll("svg").length)).toEqual([0, 1, 1]);
  });

  it("can be hidden one by one", () => {
    const page = notices("info", "warning");
    click(page.one("[aria-label='Hide the notice: title 0']"));
    expect(page.text()).not.toContain("title 0");
    expect(page.text()).toContain("title 1");
  });

  it("fold when they are many, but not what is grave among them", () => {
    const page = notices("error", "info", "info", "info", "info");
    expect(page.text()).toContain("2 earlier notices, 1 of them errors or warnings");
    expect(page.text()).not.toContain("title 0");
    click(page.one(".acp-note-details button"));
    expect(page.text()).toContain("title 0");
  });
});

describe("a compaction", () => {
  const draw = (more: JsonObject) =>
    show(
      <Compaction id="c:1" />,
      state({ compactions: { "c:1": { compactionId: "1", turn: null, at: {}, summary: null, error: null, ...more } } }),
    );

  it("is told in words", () => {
    expect(draw({ status: "in_progress" }).text()).toBe("Compacting the context…");
    expect(draw({ status: "failed", error: "too long" }).text()).toBe("Compacting the context failed too long");
    expect(draw({ status: "cancelled" }).text()).toBe("Compacting the context was cancelled");
    expect(draw({ status: "_half" }).text()).toBe("Context compaction: _half");
  });

  it("looks failed when it failed, and only then", () => {
    const failed = draw({ status: "failed", error: "too long" });
    expect(failed.all(".acp-bad").map((each) => each.tagName.toLowerCase())).toEqual(["svg", "b"]);
    const half = draw({ status: "failed", summary: [text("half")] });
    expect(half.all(".acp-bad").map((each) => each.tagName.toLowerCase())).toEqual(["svg", "b"]);
    expect(half.one("b.acp-bad").textContent).toContain("failed");
    expect(draw({ status: "completed" }).all(".acp-bad")).toEqual([]);
  });

  it("has its summary inside", () => {
    const page = draw({ status: "completed", summary: [text("what was kept")] });
    expect(page.text()).not.toContain("what was kept");
    click(page.one("button"));
    expect(page.text()).toContain("what was kept");
  });
});

describe("what stands below the transcript", () => {
  it("counts every message that did not fit, and lists each kind once", () => {
    const diagnostics = [
      { message: "no id", where: "update", at: START, count: 4 },
      { message: "odd", where: null, at: START },
    ];
    const page = show(<Diagnostics />, state({ diagnostics }));
    expect(page.text()).toContain("5 messages of the agent did not fit the protocol");
    click(page.one("button"));
    expect(page.all("li")).toHaveLength(2);
    expect(page.all("li")[0]?.textContent).toContain("no id · update · 4 times");
    expect(page.text()).toContain("Copy all");
    expect(show(<Diagnostics />, state({})).text()).toBe("");
  });

  it("lays what happened between page and kernel on no agent", () => {
    const ours = { message: "a message could not be read", where: "widget", at: START };
    const page = show(<Diagnostics />, state({ diagnostics: [ours] }));
    expect(page.text()).toContain("1 problem between this page and the kernel");
    expect(page.text()).not.toContain("did not fit");
    const theirs = { message: "no id", where: "update", at: START };
    expect(show(<Diagnostics />, state({ diagnostics: [ours, theirs] })).text()).toContain(
      "1 message of the agent did not fit the protocol, 1 problem between",
    );
  });

  it("tells about the session when there is something to tell", () => {
    const commands = [{ name: "run" }, { name: "plan" }];
    const sessionInfo = { title: "Mend it" };
    expect(show(<About />, state({ commands, sessionInfo })).text()).toBe("2 commands");
    const page = show(<About />, state({ sessionInfo }));
    expect(page.text()).toBe("About this session");
    click(page.one("button"));
    expect(page.text()).toContain("Mend it");
    expect(show(<About />, state({})).text()).toBe("");
  });
});
