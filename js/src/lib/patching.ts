import type { Json, JsonObject, Path } from "../types.ts";
import { isObject } from "./json.ts";

/** Stands for "take it away". */
export const NOTHING = Symbol("nothing");

/** What becomes of the value at the end of a path. */
export type Edit = (value: Json | undefined) => Json | typeof NOTHING;

/**
 * A changed copy: what stands on the path is copied, everything else is shared. Objects in `owned` were made in this
 * batch and are changed in place, so that many operations on one entity copy it once.
 */
export function editAt(
  node: Json | undefined,
  path: Path,
  depth: number,
  edit: Edit,
  owned: Set<object>,
): Json | typeof NOTHING {
  if (depth === path.length) return edit(node);
  const step = path[depth] as string | number;
  if (Array.isArray(node)) {
    if (typeof step !== "number" || step < 0 || step >= node.length) throw new Error(`no such item: ${step}`);
    const list = own(node, owned, () => [...node]);
    const value = editAt(node[step], path, depth + 1, edit, owned);
    if (value === NOTHING) list.splice(step, 1);
    else list[step] = value;
    return list;
  }
  if (!isObject(node)) throw new Error(`no place for ${String(step)}`);
  const key = String(step);
  const last = depth === path.length - 1;
  if (!last && !Object.hasOwn(node, key)) throw new Error(`no such field: ${key}`);
  const copy = own<JsonObject>(node, owned, () => ({ ...node }));
  const value = editAt(Object.hasOwn(node, key) ? node[key] : undefined, path, depth + 1, edit, owned);
  if (value === NOTHING) delete copy[key];
  else Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
  return copy;
}

function own<T extends object>(node: T, owned: Set<object>, copy: () => T): T {
  if (owned.has(node)) return node;
  const fresh = copy();
  owned.add(fresh);
  return fresh;
}
