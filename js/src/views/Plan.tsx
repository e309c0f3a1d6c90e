import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { isObject, stringAt } from "../lib/json.ts";
import { plural } from "../lib/time.ts";
import type { JsonObject } from "../types.ts";
import { unheard, useApp } from "./context.ts";
import { Icon, type IconName } from "./Icon.tsx";
import { Markdown } from "./Markdown.tsx";
import { Odd } from "./Odd.tsx";
import { Visible } from "./Visible.tsx";
import "./Plan.css";

/** A plan: what is done, what is being done, what comes. */
export function Plan({ id }: { id: string }): ComponentChildren {
  const app = useApp();
  const entity = app.store.get("plans", id);
  if (!entity) return null;
  const { plan, turn } = entity;
  const over = (turn !== null && app.store.get("turns", turn)?.at.end != null) || unheard(app) !== undefined;
  const type = stringAt(plan, "type") ?? "";
  const View = Object.hasOwn(PLANS, type) ? PLANS[type] : undefined;
  return View ? <View plan={plan} over={over} /> : <Odd what="a plan of the type" name={type} value={plan} />;
}

const ENTRY_ICONS: Record<string, { icon: IconName; word: string }> = {
  pending: { icon: "circle", word: "to do" },
  in_progress: { icon: "spinner", word: "in progress" },
  completed: { icon: "allow_once", word: "done" },
  cancelled: { icon: "minus", word: "cancelled" },
};

interface PlanProps {
  plan: JsonObject;
  /** The turn has ended: nothing moves any more. */
  over: boolean;
}

function Items({ plan, over }: PlanProps): VNode | null {
  const [whole, setWhole] = useState(false);
  const entries = Array.isArray(plan.entries) ? plan.entries.filter(isObject) : [];
  const all = entries.length;
  if (all === 0) return <div class="acp-plan acp-dim">Plan · no steps</div>;
  const done = entries.filter((entry) => entry.status === "completed").length;
  const folds = all > FOLDED;
  const from = folds && !whole ? Math.max(0, Math.min(currentOf(entries) - BEFORE, all - FOLDED)) : 0;
  const shown = folds && !whole ? entries.slice(from, from + FOLDED) : entries;
  const left = all - from - shown.length;
  return (
    <div class="acp-plan">
      <div class="acp-dim">
        Plan · {done} of {all}
        {folds && (
          <button type="button" class="acp-quiet" aria-expanded={whole} onClick={() => setWhole(!whole)}>
            {whole ? "Fold" : `Show all ${all}`}
          </button>
        )}
      </div>
      {from > 0 && <div class="acp-dim">… {plural(from, "step")} before</div>}
      <ol class={whole ? "acp-plan-whole" : ""} tabIndex={whole ? 0 : undefined} aria-label="Steps">
        {shown.map((entry) => {
          const status = stringAt(entry, "status") ?? "pending";
          const priority = stringAt(entry, "priority") || "medium";
          const known = Object.hasOwn(ENTRY_ICONS, status) ? ENTRY_ICONS[status] : undefined;
          return (
            <li class={`acp-plan-${known ? status : "other"}`}>
              <Icon name={known && !(over && known.icon === "spinner") ? known.icon : "circle"} />
              <span class="acp-hidden">{known?.word ?? status}: </span>
              <span>
                <Visible text={stringAt(entry, "content") ?? ""} />
                {priority !== "medium" && <Tag text={`${priority} priority`} />}
                {!known && <Tag text={status} />}
              </span>
            </li>
          );
        })}
      </ol>
      {left > 0 && <div class="acp-dim">… {plural(left, "step")} after</div>}
    </div>
  );
}

function Tag({ text }: { text: string }): VNode {
  return (
    <span class="acp-tag">
      <Visible text={text} oneLine />
    </span>
  );
}

/** Steps of a long plan that are shown, and how many of them stand before the one at work. */
const FOLDED = 12;
const BEFORE = 3;

/** The position of the step at work, or else of the next one. */
function currentOf(entries: readonly JsonObject[]): number {
  const at = ["in_progress", "pending"].map((status) => entries.findIndex((entry) => entry.status === status));
  return at.find((position) => position >= 0) ?? entries.length - 1;
}

function Text({ plan }: PlanProps): VNode {
  return (
    <div class="acp-plan">
      <div class="acp-dim">Plan</div>
      <Markdown text={stringAt(plan, "content") ?? ""} />
    </div>
  );
}

function File({ plan }: PlanProps): VNode {
  return (
    <div class="acp-plan">
      <span class="acp-dim">Plan in the file </span>
      <span class="acp-mono">
        <Visible text={stringAt(plan, "uri") ?? ""} oneLine />
      </span>
    </div>
  );
}

const PLANS: Record<string, (props: PlanProps) => VNode | null> = {
  items: Items,
  markdown: Text,
  file: File,
};
