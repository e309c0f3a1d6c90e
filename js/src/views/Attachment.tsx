import type { ComponentChildren, VNode } from "preact";
import { fromBase64 } from "../lib/base64.ts";
import { download, fileName } from "../lib/download.ts";
import { bytes } from "../lib/time.ts";
import { dataProblem } from "../lib/urls.ts";
import type { Json as Value } from "../types.ts";
import { Details } from "./Details.tsx";
import { Json } from "./Json.tsx";
import { Visible } from "./Visible.tsx";

/** "2.1 kB" of data in base64. */
export function sizeOf(data: string): string {
  return bytes(Math.floor((data.replace(/[\s=]/g, "").length * 3) / 4));
}

interface SaveProps {
  data: string;
  /** The data is the text itself, not base64. */
  plain?: boolean;
  uri?: string | null;
  fallback: string;
}

/** A button that saves data of the agent as a file; nothing where there is none. */
export function Save({ data, plain = false, uri, fallback }: SaveProps): VNode | null {
  if (!plain && dataProblem(data) !== null) return null;
  const name = fileName(uri ?? "", fallback);
  const save = () => download(name, plain ? new TextEncoder().encode(data) : fromBase64(data.replace(/\s/g, "")));
  return (
    <button type="button" class="acp-quiet" title={`Saves ${name}`} onClick={save}>
      Download
    </button>
  );
}

interface Props {
  label: string;
  detail?: string | null;
  /** Why it is not shown. */
  why?: string | null;
  value: Value;
  children?: ComponentChildren;
}

/** Content that is not drawn: what it is, why, a way to save it, its JSON inside. */
export function Attachment({ label, detail, why, value, children }: Props): VNode {
  return (
    <div class="acp-attachment">
      <Details
        summary={
          <>
            <Visible text={label} oneLine />{" "}
            <span class="acp-dim">
              <Visible text={detail} oneLine />
            </span>
            {why && <span class="acp-warn"> · Not shown: {why}</span>}
          </>
        }
      >
        {() => <Json value={value} />}
      </Details>
      {children}
    </div>
  );
}
