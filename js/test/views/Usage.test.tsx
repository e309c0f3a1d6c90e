import { afterEach, describe, expect, it } from "vitest";
import { state } from "../../dev/states.ts";
import { Usage } from "../../src/views/Usage.tsx";
import { clear, show } from "../help.tsx";

afterEach(clear);

type Known = Parameters<typeof Usage>[0]["usage"];
const draw = (usage: Partial<Known>) =>
  show(<Usage usage={{ used: null, size: null, cost: null, ...usage } as Known} />, state({}));

describe("usage", () => {
  it("is nothing when nothing is known", () => {
    expect(draw({}).all(".acp-usage")).toEqual([]);
    expect(draw({ used: 0, size: 0 }).all(".acp-usage")).toEqual([]);
  });

  it("is a share of the context, without a bar beyond its size", () => {
    expect(draw({ used: 50_000, size: 200_000 }).one(".acp-meter i").style.width).toBe("25%");
    const over = draw({ used: 300_000, size: 200_000 });
    expect(over.all(".acp-meter")).toEqual([]);
    expect(over.one(".acp-usage").title).not.toContain("%");
  });

  it("is told in words and in another colour when it is nearly full", () => {
    const look = (used: number) => {
      const page = draw({ used, size: 200_000 });
      return [page.text(), page.one(".acp-meter").className.trim()];
    };
    expect(look(158_000)).toEqual(["158k of 200k tokens", "acp-meter"]);
    expect(look(160_000)).toEqual(["160k of 200k tokens 80 % full", "acp-meter acp-warn"]);
    expect(look(190_000)).toEqual(["190k of 200k tokens 95 % full", "acp-meter acp-bad"]);
  });

  it("has costs in their currency", () => {
    expect(draw({ cost: { amount: 0.012, currency: "USD" } }).text()).toBe("$0.012");
    expect(draw({ cost: { amount: 0.05, currency: "USD" } }).text()).toBe("$0.05");
    expect(draw({ cost: { amount: 3, currency: "EUR" } }).text()).toBe("3.00 EUR");
  });
});
