import type { VNode } from "preact";
import { relative, withLine } from "../lib/paths.ts";
import { visibleText } from "../lib/visible.ts";
import type { Location } from "../types.ts";
import { CopyButton } from "./CopyButton.tsx";
import { useApp } from "./context.ts";
import { Visible } from "./Visible.tsx";

/** Chips drawn before the rest is counted. */
const CHIPS = 3;

/** Where a call works: chips that copy the path. */
export function Locations({ locations }: { locations: readonly Location[] }): VNode | null {
  const cwd = useApp().store.single("session").value.cwd;
  if (locations.length === 0) return null;
  return (
    <span class="acp-locations">
      {locations.slice(0, CHIPS).map((location) => {
        const shown = withLine(relative(location.path, cwd), location.line);
        const full = withLine(location.path, location.line);
        return (
          <CopyButton
            class="acp-loc"
            text={full}
            label={<Visible text={shown} oneLine />}
            title={`Copies ${visibleText(full, true)}`}
          />
        );
      })}
      {locations.length > CHIPS && <span class="acp-dim">+{locations.length - CHIPS}</span>}
    </span>
  );
}
