import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { fileName } from "../lib/download.ts";
import { stringAt } from "../lib/json.ts";
import { dataProblem, dataUrl } from "../lib/urls.ts";
import type { Tagged } from "../types.ts";
import { Attachment, Save, sizeOf } from "./Attachment.tsx";
import { Picture, RemoteImage } from "./Pictures.tsx";

interface Medium {
  data: string | null;
  uri: string | null;
  /** Its type and size, in words. */
  detail: string;
  /** An address that holds the data, when it can be shown. */
  src: string | null;
  why: string | null;
  save: VNode | null;
  fail: () => void;
}

function useMedium(block: Tagged, kind: string): Medium {
  const [failed, setFailed] = useState(false);
  const data = stringAt(block, "data");
  const mime = stringAt(block, "mimeType") ?? "";
  const uri = stringAt(block, "uri");
  const url = dataUrl(mime, data ?? "", kind);
  const why =
    dataProblem(data) ??
    (url === null ? "not a type that is safe to show here" : failed ? "the browser cannot read it" : null);
  return {
    data,
    uri,
    detail: [mime || "unknown type", data && sizeOf(data)].filter(Boolean).join(" · "),
    src: why === null ? url : null,
    why,
    save:
      data === null ? null : (
        <Save data={data} uri={uri} fallback={`${kind}.${/^\w+\/(\w+)/.exec(mime)?.[1] ?? "bin"}`} />
      ),
    fail: () => setFailed(true),
  };
}

export function ImageBlock({ block }: { block: Tagged }): VNode {
  const { data, uri, src, detail, why, save, fail } = useMedium(block, "image");
  if (!data && uri) return <RemoteImage address={uri} />;
  if (src === null) {
    return (
      <Attachment label="Picture" detail={detail} why={why} value={block}>
        {save}
      </Attachment>
    );
  }
  return (
    <Picture src={src} alt={fileName(uri ?? "", "Picture")} detail={detail} onError={fail}>
      {save}
    </Picture>
  );
}

export function AudioBlock({ block }: { block: Tagged }): VNode {
  const { src, detail, why, save, fail } = useMedium(block, "audio");
  return (
    <Attachment label="Sound" detail={detail} why={why} value={block}>
      {/* biome-ignore lint/a11y/useMediaCaption: the agent sends none. */}
      {src !== null && <audio controls preload="none" src={src} aria-label="Sound" onError={fail} />}
      {save}
    </Attachment>
  );
}
