import type { ComponentChildren, VNode } from "preact";
import { isObject, stringAt } from "../lib/json.ts";
import { Markdown } from "../lib/markdown.tsx";
import type { JsonObject } from "../types.ts";
import { useApp } from "./context.ts";
import { Icon, type IconName } from "./Icon.tsx";
import { Odd } from "./Odd.tsx";
import { Visible } from "./Visible.tsx";
import "./Plan.css";

/** A plan: what is done, what is being done, what comes. */
export function Plan({ id }: { id: string }): ComponentChildren {
  const { store } = useApp();
  const entity = store.get("plans", id);
  if (!entity) return null;
  const { plan, turn } = entity;
  const over = turn !== null && store.get("turns", turn)?.at.end != null;
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
  const entries = Array.isArray(plan.entries) ? plan.entries.filter(isObject) : [];
  if (entries.length === 0) return null;
  const done = entries.filter((entry) => entry.status === "completed").length;
  return (
    <div class="acp-plan">
      <div class="acp-dim">
        Plan · {done} of {entries.length}
      </div>
      <ol>
        {entries.map((entry) => {
          const status = stringAt(entry, "status") ?? "pending";
          const known = Object.hasOwn(ENTRY_ICONS, status) ? ENTRY_ICONS[status] : undefined;
          return (
            <li class={`acp-plan-${known ? status : "other"}`}>
              <Icon name={known && !(over && known.icon === "spinner") ? known.icon : "circle"} />
              <span class="acp-hidden">{known?.word ?? status}: </span>
              <span>
                <Visible text={stringAt(entry, "content") ?? ""} />
                {entry.priority === "high" && <span class="acp-tag">high priority</span>}
                {!known && <span class="acp-tag">{status}</span>}
              </span>
            </li>
          );
        })}
      </ol>
    </div>
  );
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
