import type { VNode } from "preact";
import { opening, serverPath, serverRoot } from "../lib/jupyter_files.ts";
import { relative, withLine } from "../lib/paths.ts";
import { visibleText } from "../lib/visible.ts";
import type { Location } from "../types.ts";
import { CopyButton } from "./CopyButton.tsx";
import { useApp } from "./context.ts";
import { Icon } from "./Icon.tsx";
import { Visible } from "./Visible.tsx";
import "./Locations.css";

/** Chips drawn before the rest is counted. */
const CHIPS = 3;

/** Where a call works: chips that open the file in JupyterLab, or copy the path where that cannot be. */
export function Locations({ locations }: { locations: readonly Location[] }): VNode | null {
  if (locations.length === 0) return null;
  return (
    <span class="acp-locations">
      {locations.slice(0, CHIPS).map((location, at) => (
        <Chip key={at} location={location} />
      ))}
      {locations.length > CHIPS && <span class="acp-dim">+{locations.length - CHIPS}</span>}
    </span>
  );
}

/** One place in a file. */
export function Chip({ location }: { location: Location }): VNode {
  const cwd = useApp().store.single("session").value.cwd;
  const { path, line } = location;
  const full = withLine(path, line);
  const named = visibleText(full, true);
  const shown = <Visible text={withLine(relative(path, cwd), line)} oneLine />;
  const served = serverPath(path, serverRoot(), cwd);
  if (served === null) return <CopyButton class="acp-loc" text={full} label={shown} title={`Copies ${named}`} />;
  return (
    <span class="acp-loc-pair">
      <button type="button" class="acp-loc" title={`Opens ${named}`} {...opening(served, line)}>
        {shown}
      </button>
      <CopyButton class="acp-loc acp-loc-copy" text={full} label={<CopyIcon />} title={`Copies ${named}`} />
    </span>
  );
}

function CopyIcon(): VNode {
  return (
    <>
      <Icon name="copy" />
      <span class="acp-hidden">Copy the path</span>
    </>
  );
}
