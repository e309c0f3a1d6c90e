/** Looking for words in JSON. */

import type { Json } from "../types.ts";
import { isObject } from "./json.ts";

export function entriesOf(value: Json): [string, Json][] | null {
  if (Array.isArray(value)) return value.map((item, at) => [String(at), item]);
  return isObject(value) ? Object.entries(value) : null;
}

/** True when the tree has more than so many nodes. It looks no further. */
export function hasMoreNodes(value: Json, limit: number): boolean {
  let left = limit;
  const walk = (node: Json): boolean => {
    left -= 1;
    return left < 0 || (entriesOf(node) ?? []).some(([, inner]) => walk(inner));
  };
  return walk(value);
}

export interface Search {
  words: string;
  /** How many keys and values hold the words. */
  count: number;
  /** The objects and lists that hold a match, at any depth. */
  holders: Set<Json>;
}

export function search(value: Json, words: string): Search {
  const found: Search = { words: words.toLowerCase(), count: 0, holders: new Set() };
  const walk = (node: Json): boolean => {
    const entries = entriesOf(node);
    if (entries === null) return count(found, leafText(node));
    const list = Array.isArray(node);
    const hits = entries.filter(([key, inner]) => {
      const named = !list && count(found, key);
      return walk(inner) || named;
    });
    if (hits.length > 0) found.holders.add(node);
    return hits.length > 0;
  };
  walk(value);
  return found;
}

function count(found: Search, text: string): boolean {
  const hit = text.toLowerCase().includes(found.words);
  if (hit) found.count += 1;
  return hit;
}

/** What is searched in a leaf: a string as it is, anything else as it is written. */
export function leafText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Whether an entry stays while the words are looked for. */
export function isHit(found: Search, key: string | null, value: Json): boolean {
  const named = key?.toLowerCase().includes(found.words) ?? false;
  if (named || found.holders.has(value)) return true;
  return entriesOf(value) === null && leafText(value).toLowerCase().includes(found.words);
}
