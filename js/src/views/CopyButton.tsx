import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { copyText } from "../lib/copy.ts";

interface Props {
  text: string | (() => string);
  label: ComponentChildren;
  title?: string;
  class?: string;
}

/** A button that puts text on the clipboard and says that it did. */
export function CopyButton({ text, label, title, class: extra = "acp-quiet" }: Props): VNode {
  const [said, say] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => say(""), 1500);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => say((await copyText(typeof text === "string" ? text : text())) ? "Copied" : "Not allowed");
  return (
    <button type="button" class={extra} title={title} onClick={copy}>
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}
