import type { VNode } from "preact";
import { visibleText } from "../lib/visible.ts";
import { aboutOf, isGone } from "../lookup.ts";
import { Icon } from "./Icon.tsx";
import type { Chip } from "./use_mentions.ts";
import { Visible } from "./Visible.tsx";
import "./Chips.css";

/** What goes with the prompt that is being written, each with a button that leaves it out. */
export function Chips({ chips, remove }: { chips: readonly Chip[]; remove: (name: string) => void }): VNode | null {
  if (chips.length === 0) return null;
  return (
    <ul class="acp-chips" aria-label="Goes with the prompt">
      {chips.map(({ name, what }) => (
        <li key={name}>
          <div>
            <b>
              <Visible text={`@${name}`} oneLine />
            </b>{" "}
            <span class={isGone(what) ? "acp-bad" : "acp-dim"}>
              <Visible text={aboutOf(what)} oneLine />
            </span>
          </div>
          <button
            type="button"
            class="acp-quiet"
            title="Leaves it out; the text stays"
            aria-label={`Leave out ${visibleText(name, true)}`}
            onClick={() => remove(name)}
          >
            <Icon name="reject_once" />
          </button>
        </li>
      ))}
    </ul>
  );
}
