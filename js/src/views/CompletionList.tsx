import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Visible } from "./Visible.tsx";
import "./CompletionList.css";

/** Something that can be completed: what is shown of it, and what stands in the prompt when it is taken. */
export interface Completion {
  label: string;
  detail: string | null;
  /** What to write after it. */
  hint: string | null;
  text: string;
}

interface Props {
  id: string;
  label: string;
  items: readonly Completion[];
  /** A last line, about what is not shown. */
  more: string;
  active: number;
  take: (item: Completion) => void;
}

/** The id of an option, for `aria-activedescendant`. */
export const optionId = (id: string, at: number): string => `${id}-${at}`;

/** What can be taken; the focus stays in the text. */
export function CompletionList({ id, label, items, more, active, take }: Props): VNode {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = list.current;
    const row = box?.children[active] as HTMLElement | undefined;
    if (!box || !row) return;
    // Not scrollIntoView: that moves the notebook, too.
    box.scrollTop = Math.min(
      row.offsetTop,
      Math.max(box.scrollTop, row.offsetTop + row.offsetHeight - box.clientHeight),
    );
  }, [active, items]);
  // The list opens below the text, perhaps below the window: the reader asked for it just now, so the page may move once.
  useLayoutEffect(() => list.current?.parentElement?.scrollIntoView?.({ block: "nearest" }), []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only so that the focus stays in the text
    <div class="acp-complete" onMouseDown={(event) => event.preventDefault()}>
      <div ref={list} id={id} role="listbox" aria-label={label}>
        {items.map((item, at) => (
          // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the keys are the text's
          <div
            key={item.label}
            id={optionId(id, at)}
            role="option"
            aria-selected={at === active}
            onClick={() => take(item)}
          >
            <b>
              <Visible text={item.label} oneLine />
            </b>
            {item.hint && (
              <i>
                <Visible text={item.hint} oneLine />
              </i>
            )}{" "}
            {item.detail && (
              <span>
                <Visible text={item.detail} oneLine />
              </span>
            )}
          </div>
        ))}
      </div>
      {more && <p class="acp-dim">{more}</p>}
    </div>
  );
}
