import { afterEach, describe, expect, it } from "vitest";
import { START, state, turn } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { Session } from "../../src/views/Session.tsx";
import { clear, type Page, show } from "../help.tsx";

afterEach(clear);

const failed = (error: JsonObject): Page =>
  show(
    <Session />,
    state({
      session: { connection: "failed", error: { name: "AgentNotFound", title: "", message: "", stderr: "", ...error } },
    }),
  );
const codes = (page: Page, within: string) => page.all(`${within} code`).map((code) => code.textContent);

describe("an error card", () => {
  it("has commands as code, and everything else literally", () => {
    const page = failed({
      title: "`claude` did not start",
      message: "The command `claude-agent-acp` was not found. *Sic* <b>`\u202ex`</b>",
      hint: "Install it with `npm install -g x`, or use one `tick",
    });
    expect(codes(page, ".acp-error")).toEqual(["claude", "claude-agent-acp", "⟨U+202E⟩x", "npm install -g x"]);
    expect(page.one(".acp-error h4").textContent).toBe("claude did not start");
    expect(page.text()).toContain("not found. *Sic* <b>⟨U+202E⟩x</b>");
    expect(page.text()).toContain("or use one `tick");
  });

  it("at the end of a turn has them too", () => {
    const error = { message: "Call `retry()` later.", code: -32000 };
    const at = { queued: null, sent: START, end: START + 2 };
    const page = show(<Session />, state({ turns: { "r:1": turn(1, "go", { status: "failed", error, at }) } }));
    expect(codes(page, ".acp-done")).toEqual(["retry()"]);
  });
});
