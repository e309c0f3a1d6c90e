import type { VNode } from "preact";
import { short } from "../lib/time.ts";
import type { Usage as UsageState } from "../types.ts";
import { Visible } from "./Visible.tsx";

/** From which share of the context on, in percent, it is worth a word, and in which tone. */
const FULL = [
  [95, "acp-bad"],
  [80, "acp-warn"],
] as const;

/** What fills the agent's context, and what it cost: only what the agent told. */
export function Usage({ usage: { used, size, cost } }: { usage: UsageState }): VNode | null {
  const counted = used !== null && (used > 0 || Boolean(size)); // 0 of 0 tells nothing
  if (!counted && !cost) return null;
  // A size that is exceeded is no size to measure by.
  const share = counted && size && used <= size ? Math.round((used / size) * 100) : null;
  const of = counted && size ? ` of ${short(size)}` : "";
  const full = FULL.find(([least]) => share !== null && share >= least)?.[1];
  return (
    <span
      class="acp-dim acp-usage"
      title={counted ? `${short(used)}${of} tokens in the context${share === null ? "" : `, ${share} %`}` : undefined}
    >
      {counted && (
        <>
          {short(used)}
          <span class={share === null ? "" : "acp-hidden"}>{of}</span> tokens{" "}
        </>
      )}
      {share !== null && (
        <span class={`acp-meter ${full ?? ""}`} aria-hidden="true">
          <i style={{ width: `${share}%` }} />
        </span>
      )}{" "}
      {full && <span class={full}>{share} % full </span>}
      {cost && <Visible text={money(cost.amount, cost.currency)} oneLine />}
    </span>
  );
}

const CENTS = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

function money(amount: number, currency: string): string {
  const words =
    amount > 0 && amount < 0.1 ? amount.toFixed(3).replace(/0$/, "") : amount.toLocaleString("en-US", CENTS);
  return currency === "USD" ? `$${words}` : `${words} ${currency}`;
}
