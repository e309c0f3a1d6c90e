import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { copyText } from "../lib/copy.ts";

interface Looks {
  label: ComponentChildren;
  title?: string;
  class?: string;
}

/** A button that says for a while what it did. */
export function SayingButton({
  act,
  label,
  title,
  class: extra = "acp-quiet",
}: Looks & { act: (button: Element) => Promise<string> }): VNode {
  const [said, say] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => say(""), said.length > 20 ? 5000 : 1500);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <button type="button" class={extra} title={title} onClick={async (event) => say(await act(event.currentTarget))}>
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}

/** A button that puts text on the clipboard and says that it did. */
export function CopyButton({ text, ...looks }: Looks & { text: string | (() => string) }): VNode {
  const copy = async () => ((await copyText(typeof text === "string" ? text : text())) ? "Copied" : "Not allowed");
  return <SayingButton act={copy} {...looks} />;
}
