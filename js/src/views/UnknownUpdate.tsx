import type { VNode } from "preact";
import { stringAt } from "../lib/json.ts";
import { useApp } from "./context.ts";
import { Odd } from "./Odd.tsx";

/** An update of a type that this version does not know. */
export function UnknownUpdate({ id }: { id: string }): VNode | null {
  const update = useApp().store.get("unknownUpdates", id);
  if (!update) return null;
  return <Odd what="" name={stringAt(update.raw, "sessionUpdate") ?? "something"} value={update.raw} />;
}
