import type { ComponentChildren } from "preact";
import { isObject, stringAt } from "../lib/json.ts";
import type { Json as Value } from "../types.ts";
import { Details } from "./Details.tsx";
import { Visible } from "./Visible.tsx";

/** Below this a block is shown as a minor one; 1 is the most important, 0 the least. */
const MINOR = 0.2;

interface Props {
  notes: Value | undefined;
  children: () => ComponentChildren;
}

/** A block with what the agent noted on it: for whom it is, how much it matters, when it changed. */
export function Annotated({ notes, children }: Props): ComponentChildren {
  if (!isObject(notes)) return children();
  const { audience, priority } = notes;
  const minor = typeof priority === "number" && priority < MINOR;
  const changed = stringAt(notes, "lastModified");
  const tags = (
    <>
      {minor && <span class="acp-tag">minor</span>}
      {changed !== null && (
        <time class="acp-dim" dateTime={changed}>
          {" "}
          changed <Visible text={localTime(changed)} oneLine />
        </time>
      )}
    </>
  );
  if (Array.isArray(audience) && audience.length > 0 && audience.every((reader) => reader === "assistant")) {
    return <Details summary={<>For the agent{tags}</>}>{children}</Details>;
  }
  return minor || changed !== null ? (
    <div class={minor ? "acp-minor" : ""}>
      {children()}
      {tags}
    </div>
  ) : (
    children()
  );
}

/** A time in the reader's zone and way of writing; what is no time stays as it stands. */
function localTime(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toLocaleString();
}
