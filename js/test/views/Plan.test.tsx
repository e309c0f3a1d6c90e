import { afterEach, describe, expect, it } from "vitest";
import { state } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { Plan } from "../../src/views/Plan.tsx";
import { clear, click, show } from "../help.tsx";

afterEach(clear);

const step = (content: string, status: string, priority = "medium"): JsonObject => ({ content, status, priority });
const draw = (entries: JsonObject[], type = "items") =>
  show(<Plan id="l:1" />, state({ plans: { "l:1": { plan: { type, planId: "1", entries }, turn: null, at: {} } } }));
const many = Array.from({ length: 200 }, (_, n) =>
  step(`step ${n}.`, n < 100 ? "completed" : n === 100 ? "in_progress" : "pending"),
);

describe("a plan", () => {
  it("of 200 steps is folded around the one at work, and opens", () => {
    const page = draw(many);
    expect(page.text()).toContain("Plan · 100 of 200");
    expect(page.all("li")).toHaveLength(12);
    expect(page.text()).toContain("step 100.");
    expect(page.text()).toContain("… 97 steps before");
    expect(page.text()).toContain("… 91 steps after");
    click(page.one("button"));
    expect(page.all("li")).toHaveLength(200);
    click(page.one("button"));
    expect(page.all("li")).toHaveLength(12);
  });

  it("is replaced and emptied", () => {
    const page = draw(many);
    page.ops(["set", ["plans", "l:1", "plan", "entries"], [step("only this", "pending")]]);
    expect(page.all("li").map((each) => each.textContent)).toEqual(["to do: only this"]);
    page.ops(["set", ["plans", "l:1", "plan", "entries"], []]);
    expect(page.text()).toBe("Plan · no steps");
  });

  it("says priorities, and a status that nobody knows", () => {
    const page = draw([step("a", "pending", "high"), step("b", "_paused")]);
    expect(page.all("li").map((each) => each.textContent)).toEqual(["to do: ahigh priority", "_paused: b_paused"]);
    expect(draw([], "_gantt").text()).toContain("a plan of the type _gantt");
  });
});
