import type { VNode } from "preact";
import { isUnderWay } from "../actions.ts";
import type { AuthMethod } from "../types.ts";
import { useApp } from "./context.ts";
import { Visible } from "./Visible.tsx";
import { WithCode } from "./WithCode.tsx";
import "./ErrorCard.css";

/** The agent waits for a login: its methods, those that it runs itself as buttons, and what became of the last try. */
export function Login(): VNode | null {
  const { store, link, actions } = useApp();
  const { connection, login, authMethods } = store.single("session").value;
  if (connection !== "login" || !login) return null;
  const action = actions.state("login").value;
  const chosen = login.methodId ?? (isUnderWay(action) ? action.choice : null);
  return (
    <div class="acp-error" role="alert">
      <h4>{login.error ? "Log in again" : "Log in"}</h4>
      <p>
        <WithCode text={login.message} />
      </p>
      {authMethods.map((method) => (
        <div key={method.methodId} class="acp-error-row">
          {link.connection.value === "live" && BUTTONS.has(method.type) && (
            <button type="button" aria-disabled={chosen !== null} onClick={() => actions.login(method.methodId)}>
              <Visible
                text={
                  chosen === method.methodId ? "Logging in…" : method.type === "terminal" ? "Try again" : method.name
                }
              />
            </button>
          )}
          <How method={method} />
        </div>
      ))}
      {login.error && (
        <span class="acp-bad">
          <WithCode text={login.error} />
        </span>
      )}
    </div>
  );
}

const BUTTONS = new Set(["agent", "terminal"]);

/** What to do for one method, as its agent and its type have it. */
function How({ method }: { method: AuthMethod }): VNode {
  const { type, python, command, env } = method;
  const code = python ?? command;
  const words = [
    type !== "agent" && `${method.name}:`,
    method.description,
    method.link,
    command && "In a terminal",
    env.length > 0 && `with ${env} set`,
    !code && !BUTTONS.has(type) && "this version does not know how",
  ];
  return (
    <span>
      <Visible text={words.filter(Boolean).join(" ")} />{" "}
      {code && (
        <code>
          <Visible text={code} />
        </code>
      )}
    </span>
  );
}
