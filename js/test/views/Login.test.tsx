import { afterEach, describe, expect, it } from "vitest";
import { state, turn } from "../../dev/states.ts";
import type { JsonObject } from "../../src/types.ts";
import { Session, TurnView } from "../../src/views/Session.tsx";
import { clear, click, type Page, show } from "../help.tsx";

afterEach(clear);

const method = (methodId: string, more: JsonObject = {}): JsonObject => ({
  methodId,
  type: "agent",
  name: `With ${methodId}`,
  description: null,
  link: null,
  vars: [],
  python: null,
  command: null,
  env: [],
  ...more,
});
const LOGIN = { message: "The agent wants you to log in first: No.", hint: "", methodId: null, error: null };
const waiting = (methods: JsonObject[], login: JsonObject = {}): JsonObject =>
  state({ session: { connection: "login", authMethods: methods, login: { ...LOGIN, ...login } } });
const buttons = (page: Page): (string | null)[] => page.all(".acp-login button").map((button) => button.textContent);

describe("a login that the agent waits for", () => {
  it("has its methods as buttons, and a press says so and is sent once", () => {
    const page = show(
      <Session />,
      waiting([method("web"), method("x\u202e", { name: "x\u202e", description: "Odd" })]),
    );
    expect(page.one(".acp-status").textContent).toBe("log in");
    expect(page.one(".acp-login").textContent).toContain("The agent wants you to log in first: No.");
    expect(page.one(".acp-login").textContent).toContain("Odd");
    expect(buttons(page)).toEqual(["With web", "x⟨U+202E⟩"]);
    click(page.one(".acp-login button"));
    click(page.one(".acp-login button"));
    expect(page.model.of("login")).toMatchObject([{ methodId: "web" }]);
    expect(buttons(page)[0]).toBe("Logging in…");
    expect(page.all(".acp-login button").map((button) => button.getAttribute("aria-disabled"))).toEqual([
      "true",
      "true",
    ]);
  });

  it("shows one that goes on elsewhere, why it failed, and then goes away", () => {
    const page = show(<Session />, waiting([method("web")], { methodId: "web" }));
    expect(buttons(page)).toEqual(["Logging in…"]);
    expect(page.one(".acp-login button").getAttribute("aria-disabled")).toBe("true");
    page.ops(["set", ["session", "login"], { ...LOGIN, error: "Run `x` first." }]);
    expect(page.one(".acp-login h4").textContent).toBe("Log in again");
    expect(page.one(".acp-login .acp-bad code").textContent).toBe("x");
    expect(buttons(page)).toEqual(["With web"]);
    page.ops(["set", ["session", "connection"], "ready"], ["set", ["session", "login"], null]);
    expect(page.all(".acp-login")).toEqual([]);
  });

  it("takes another press when one was refused", () => {
    const page = show(<Session />, waiting([method("web")]), (model, message) => {
      if (message.type === "hello") model.receive({ type: "seq", seq: message.seq });
      if (message.type === "login") model.receive({ type: "result", id: message.id, ok: false, error: "Not now." });
    });
    click(page.one(".acp-login button"));
    expect(buttons(page)).toEqual(["With web"]);
  });

  it("in a terminal shows the exact command, and a way to go on afterwards", () => {
    const page = show(
      <Session />,
      waiting([method("tty", { type: "terminal", command: "my-agent `login` 'a b'", env: ["MODE"] })]),
    );
    expect(page.one(".acp-login code").textContent).toBe("my-agent `login` 'a b'");
    expect(page.one(".acp-login li").textContent).toContain("with MODE set");
    expect(buttons(page)).toEqual(["Copy", "Try again"]);
    click(page.one(".acp-login .acp-card-row > button:last-child"));
    expect(page.model.of("login")).toMatchObject([{ methodId: "tty" }]);
  });

  it("by variables says what to write in Python, and asks for no secret in the page", () => {
    const page = show(
      <Session />,
      waiting([
        method("key", { type: "env_var", python: 'agent.login("key", env={"A": "…"})', link: "https://x.org/" }),
      ]),
    );
    expect(page.one(".acp-login code").textContent).toBe('agent.login("key", env={"A": "…"})');
    expect(page.one(".acp-login li").textContent).toContain("https://x.org/");
    expect(page.all(".acp-login :is(input, a)")).toEqual([]);
  });

  it("of an unknown type is named, without a button", () => {
    const page = show(<Session />, waiting([method("odd", { type: "toString", name: "Odd one" })]));
    expect(page.one(".acp-login li").textContent).toContain("Odd oneThis version does not know how");
    expect(buttons(page)).toEqual([]);
  });

  it("stands below the last turn, and in no other", () => {
    const turns = { "r:1": turn(1, "a", { status: "done" }), "r:2": turn(2, "b", { status: "queued" }) };
    const shown = { ...waiting([method("web")]), turns };
    expect(buttons(show(<TurnView turn="r:2" />, shown))).toEqual(["With web"]);
    expect(show(<TurnView turn="r:1" />, shown).all(".acp-login")).toEqual([]);
  });
});
