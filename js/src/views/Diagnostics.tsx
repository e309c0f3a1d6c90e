import type { VNode } from "preact";
import { clock, plural } from "../lib/time.ts";
import type { Diagnostic } from "../types.ts";
import { CopyButton } from "./CopyButton.tsx";
import { useApp } from "./context.ts";
import { Details } from "./Details.tsx";
import { Visible } from "./Visible.tsx";
import "./Diagnostics.css";

/** What went wrong quietly: a count that opens. Below the transcript, where it reads nothing aloud. */
export function Diagnostics(): VNode | null {
  const diagnostics = useApp().store.single("diagnostics").value;
  if (diagnostics.length === 0) return null;
  const sum = (own: boolean) =>
    diagnostics.reduce((total, { count, where }) => total + ((where === "widget") === own ? (count ?? 1) : 0), 0);
  const said = [
    sum(false) > 0 && `${plural(sum(false), "message")} of the agent did not fit the protocol`,
    sum(true) > 0 && `${plural(sum(true), "problem")} between this page and the kernel`,
  ].filter(Boolean);
  return (
    <Details class="acp-diagnostics" summary={said.join(", ")}>
      {() => (
        <>
          <p class="acp-dim">
            They were mended or left out; everything else goes on. If something of the agent is missing above, send this
            list to those who make it. <CopyButton text={() => diagnostics.map(asLine).join("\n")} label="Copy all" />
          </p>
          <ul tabIndex={0} aria-label="Diagnostics">
            {diagnostics.map((diagnostic) => (
              <li>
                <Visible text={asLine(diagnostic)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Details>
  );
}

function asLine({ at, message, where, count = 1 }: Diagnostic): string {
  return `${clock(at)} ${message}${where ? ` · ${where}` : ""}${count > 1 ? ` · ${count} times` : ""}`;
}
