import type { VNode } from "preact";
import { isUnderWay } from "../actions.ts";
import { plural } from "../lib/time.ts";
import { useApp } from "./context.ts";
import { Visible } from "./Visible.tsx";
import "./Rules.css";

/** The rules that were made for this session, each with a way to take it back. */
export function Rules(): VNode | null {
  const { store, actions, link } = useApp();
  const rules = store.single("session").value.rules ?? [];
  if (rules.length === 0) return null;
  return (
    <details class="acp-rules">
      <summary class="acp-dim">{plural(rules.length, "rule")}</summary>
      <ul aria-label="Rules of this session">
        {rules.map(({ word, text }) => {
          const action = actions.state(`rule ${text}`).value;
          return (
            <li key={`${word} ${text}`}>
              {word}{" "}
              <code>
                <Visible text={text} oneLine />
              </code>
              {link.connection.value === "live" && (
                <button
                  type="button"
                  class="acp-quiet"
                  aria-disabled={isUnderWay(action)}
                  onClick={() => actions.revoke(text)}
                >
                  Revoke
                </button>
              )}
              {action.error && <span class="acp-bad">{action.error}</span>}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
