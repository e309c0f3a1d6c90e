import type { VNode } from "preact";
import { isUnderWay } from "../actions.ts";
import type { AuthMethod } from "../types.ts";
import { CopyButton } from "./CopyButton.tsx";
import { useApp } from "./context.ts";
import { Visible } from "./Visible.tsx";
import { WithCode } from "./WithCode.tsx";
import "./Card.css";
import "./Login.css";

/** The agent waits for a login: its methods, those that it runs itself as buttons, and what became of the last try. */
export function Login(): VNode | null {
  const { store, actions } = useApp();
  const { connection, login, authMethods } = store.single("session").value;
  if (connection !== "login" || !login || store.single("player").value) return null;
  const action = actions.state("login").value;
  const chosen = login.methodId ?? (isUnderWay(action) ? action.choice : null);
  return (
    <div class="acp-card acp-login" role="alert">
      <h4>{login.error ? "Log in again" : "Log in"}</h4>
      <p>
        <WithCode text={login.message} />
      </p>
      {login.hint && (
        <p class="acp-dim">
          <WithCode text={login.hint} />
        </p>
      )}
      {login.error && (
        <p class="acp-bad">
          <WithCode text={login.error} />
        </p>
      )}
      <ul>
        {authMethods.map((method) => (
          <Method key={method.methodId} method={method} chosen={chosen} />
        ))}
      </ul>
    </div>
  );
}

/** The words on the button of a method; those of other types have none. */
const BUTTONS = new Map<string, (method: AuthMethod) => string>([
  ["agent", (method) => method.name],
  ["terminal", () => "Try again"],
]);

/** What to do for one method, as its agent and its type have it. */
function Method({ method, chosen }: { method: AuthMethod; chosen: string | null }): VNode {
  const { link, actions } = useApp();
  const { methodId, type, python, command, env } = method;
  const code = python ?? command;
  const words = BUTTONS.get(type);
  const more = [
    method.description,
    method.link,
    command && `In a terminal${env.length > 0 ? `, with ${env} set` : ""}:`,
    python && "In a cell:",
    !code && !words && "This version does not know how.",
  ].filter(Boolean);
  const about = more.length > 0 && (
    <p class="acp-dim">
      <Visible text={more.join("\n")} />
    </p>
  );
  const isNamed = type === "agent"; // by its button, which comes first
  return (
    <li>
      {!isNamed && (
        <>
          <b>
            <Visible text={method.name} />
          </b>
          {about}
        </>
      )}
      <div class="acp-card-row">
        {code && (
          <>
            <code>
              <Visible text={code} />
            </code>
            <CopyButton text={code} label="Copy" />
          </>
        )}
        {link.connection.value === "live" && words && (
          <button type="button" aria-disabled={chosen !== null} onClick={() => actions.login(methodId)}>
            <Visible text={chosen === methodId ? "Logging in…" : words(method)} />
          </button>
        )}
      </div>
      {isNamed && about}
    </li>
  );
}
