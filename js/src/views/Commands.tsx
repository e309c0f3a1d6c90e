import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { isObject, stringAt } from "../lib/json.ts";
import type { JsonObject } from "../types.ts";
import { Visible } from "./Visible.tsx";
import "./Commands.css";

/** Something that can be completed: what is shown of it, and what stands in the prompt when it is taken. */
export interface Completion {
  label: string;
  detail: string | null;
  /** What to write after it. */
  hint: string | null;
  text: string;
}

/** The commands that the agent offers. Those of kinds that nobody here knows are not offered. */
export function commandsOf(commands: readonly JsonObject[]): Completion[] {
  return commands
    .filter(({ type, name }) => typeof name === "string" && name !== "" && (type ?? "command") === "command")
    .map((command) => ({
      label: `/${command.name}`,
      detail: stringAt(command, "description"),
      hint: isObject(command.input) ? (stringAt(command.input, "hint") ?? "") : null,
      text: `/${command.name} `,
    }));
}

/** What fits a draft that begins with "/": first what begins like it, then what holds it. */
export function completions(draft: string, all: readonly Completion[]): Completion[] {
  if (!/^\/[^\n]*$/.test(draft)) return [];
  const typed = draft.toLowerCase();
  const begins = all.filter(({ label }) => label.toLowerCase().startsWith(typed));
  const holds = all.filter((each) => !begins.includes(each) && each.label.toLowerCase().includes(typed.slice(1)));
  return [...begins, ...holds];
}

interface Props {
  id: string;
  label: string;
  items: readonly Completion[];
  active: number;
  take: (item: Completion) => void;
}

/** The id of an option, for `aria-activedescendant`. */
export const optionId = (id: string, at: number): string => `${id}-${at}`;

/** What can be taken; the focus stays in the text. */
export function CompletionList({ id, label, items, active, take }: Props): VNode {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = list.current;
    const row = box?.children[active] as HTMLElement | undefined;
    if (!box || !row) return;
    // Not scrollIntoView: that moves the notebook, too.
    const top = row.offsetTop - box.offsetTop;
    box.scrollTop = Math.min(top, Math.max(box.scrollTop, top + row.offsetHeight - box.clientHeight));
  }, [active]);
  // The list opens below the text, perhaps below the window: the reader asked for it just now, so the page may move once.
  useLayoutEffect(() => list.current?.scrollIntoView?.({ block: "nearest" }), []);
  return (
    <div ref={list} id={id} class="acp-complete" role="listbox" aria-label={label}>
      {items.map((item, at) => (
        // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the keys are the text's
        <div
          key={item.label}
          id={optionId(id, at)}
          role="option"
          aria-selected={at === active}
          onMouseDown={(event) => event.preventDefault()}
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
  );
}
