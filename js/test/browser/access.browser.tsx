import axe from "axe-core";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it } from "vitest";
import { demoState, oddStates, state } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { hosted } from "../help.tsx";

let el: HTMLElement;
let end = () => {};
afterEach(() => {
  act(end);
  el.remove();
  document.body.style.background = "";
  delete document.body.dataset.jpThemeLight;
  for (const name of [...document.documentElement.style]) document.documentElement.style.removeProperty(name);
});

/** The colours of JupyterLab's own themes, as far as we use them. */
const JUPYTER: Record<string, Record<string, string>> = {
  light: {
    "--jp-layout-color1": "white",
    "--jp-ui-font-color1": "rgba(0, 0, 0, 0.87)",
    "--jp-brand-color1": "#1976d2",
  },
  dark: {
    "--jp-layout-color1": "#212121",
    "--jp-ui-font-color1": "rgba(255, 255, 255, 0.87)",
    "--jp-brand-color1": "#2196f3",
  },
};

async function findings(parts: JsonObject, theme: string, host: string, turn: boolean): Promise<string[]> {
  document.body.dataset.jpThemeLight = String(theme === "light");
  document.body.style.background = theme === "light" ? "#fff" : "#111418";
  if (host === "jupyter") {
    for (const [name, value] of Object.entries(JUPYTER[theme] ?? {})) {
      document.documentElement.style.setProperty(name, value);
    }
  }
  el = document.createElement("main");
  document.body.append(el);
  act(() => {
    const { exports } = hosted(parts);
    end = turn ? exports.mountTurn(el, "r:1") : exports.mountSession(el);
  });
  await new Promise((done) => setTimeout(done, 450)); // buttons are live now
  for (let round = 0; round < 3; round += 1) {
    for (const button of el.querySelectorAll<HTMLElement>('[aria-expanded="false"]')) act(() => button.click());
  }
  await new Promise((done) => setTimeout(done, 100));
  const { violations } = await axe.run(el, {
    resultTypes: ["violations"],
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`));
}

const SCENES: [string, () => JsonObject, boolean][] = [
  ["a session at work", demoState, false],
  ["everything odd", oddStates, false],
  ["a turn", demoState, true],
  ["nothing yet", () => state({}), false],
];

describe.each(["light", "dark"])("in the %s theme", (theme) => {
  describe.each(["jupyter", "no host"])("of %s", (host) => {
    it.each(SCENES)("%s has no serious barrier", async (_, parts, turn) => {
      expect(await findings(parts(), theme, host, turn)).toEqual([]);
    });
  });
});
