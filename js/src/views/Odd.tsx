import type { ComponentChildren, VNode } from "preact";
import type { Json as Value } from "../types.ts";
import { Details } from "./Details.tsx";
import { Json } from "./Json.tsx";
import { Visible } from "./Visible.tsx";
import "./Odd.css";

interface Props {
  /** What kind of thing it is, in our words: "an update of the type". */
  what: ComponentChildren;
  name: string;
  value: Value;
  /** Only the JSON, without the line. */
  bare?: boolean;
}

/** Something that this version does not know: said so, with its JSON to look at. */
export function Odd({ what, name, value, bare = false }: Props): VNode {
  if (bare) return <Json value={value} />;
  return (
    <Details
      class="acp-odd"
      summary={
        <>
          The agent sent {what}
          {what && " "}
          <code>
            <Visible text={name} oneLine />
          </code>
          , which this version does not know
        </>
      }
    >
      {() => <Json value={value} />}
    </Details>
  );
}
