import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { safeHref, webHost } from "../lib/urls.ts";
import { visibleText } from "../lib/visible.ts";
import { Visible } from "./Visible.tsx";
import "./Pictures.css";

interface Props {
  src: string;
  alt: string;
  /** What is known beside its width and height. */
  detail?: string;
  onError?: () => void;
  children?: ComponentChildren;
}

/** A picture, as wide as there is room; a click shows it in its own size. */
export function Picture({ src, alt, detail, onError, children }: Props): VNode {
  const [large, setLarge] = useState(false);
  const [shape, setShape] = useState("");
  const [failed, setFailed] = useState(false);
  const fail = onError ?? (() => setFailed(true));
  const name = visibleText(alt, true);
  if (failed) return <span class="acp-dim">Picture not shown ({name || "no name"}): it cannot be read</span>;
  return (
    <span class={`acp-picture${large ? " acp-large" : ""}`}>
      <button
        type="button"
        aria-pressed={large}
        aria-label={`${name || "Picture"}, in its own size`}
        onClick={() => setLarge(!large)}
      >
        <img
          class="acp-image"
          src={src}
          alt={name}
          referrerpolicy="no-referrer"
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setShape(`${naturalWidth} × ${naturalHeight}`)
          }
          onError={fail}
        />
      </button>
      <span class="acp-dim">{[name, detail, shape].filter(Boolean).join(" · ")}</span> {children}
    </span>
  );
}

/** A picture that stands elsewhere is named, and loaded when the reader says so. */
export function RemoteImage({ address, text = "" }: { address: string; text?: string }): VNode {
  const [wanted, want] = useState(false);
  const href = safeHref(address);
  const host = webHost(address);
  const name = text && ` (${visibleText(text, true)})`;
  const shown = <Visible text={address.length > 300 ? `${address.slice(0, 300)}…` : address} oneLine />;
  if (wanted && href !== null) return <Picture src={href} alt={text || "Picture"} detail={host ?? ""} />;
  return (
    <span class="acp-remote-image">
      Picture not loaded{name}:{" "}
      {href === null ? (
        <code>{shown}</code>
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {shown}
        </a>
      )}
      {host !== null && " "}
      {host !== null && (
        <button type="button" onClick={() => want(true)}>
          Load it from {host}
        </button>
      )}
    </span>
  );
}
