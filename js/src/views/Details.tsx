import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "./Icon.tsx";

interface Props {
  summary: ComponentChildren;
  class?: string;
  start?: boolean;
  children: () => ComponentChildren;
}

/** A line that opens. What is inside is drawn when it does, not before. */
export function Details({ summary, class: extra = "", start = false, children }: Props): VNode {
  const [open, setOpen] = useState(start);
  return (
    <div class={`acp-details ${extra}`}>
      <button type="button" class="acp-summary" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="chevron" class={open ? "acp-open" : ""} />
        <span>{summary}</span>
      </button>
      {open && <div class="acp-details-body">{children()}</div>}
    </div>
  );
}
