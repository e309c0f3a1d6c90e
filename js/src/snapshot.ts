/** A snapshot made small enough to be kept in a notebook. Items are never removed, so that later operations still fit. */

import { isObject } from "./lib/json.ts";
import type { Json, JsonObject } from "./types.ts";

const SHORTEST = 200;

/** The same state in at most `limit` bytes of JSON: terminals lose their front, then long strings their end. */
export function limitedSnapshot(state: JsonObject, limit: number): JsonObject {
  let size = byteLength(state);
  if (size <= limit) return state;
  let small = cutTerminals(state, size - limit);
  size = byteLength(small);
  for (let longest = 100_000; size > limit && longest >= SHORTEST; longest = Math.floor(longest / 3)) {
    const { terminals, timeline, ...rest } = small;
    small = { ...(shortened(rest, longest) as JsonObject), terminals: terminals ?? {}, timeline: timeline ?? [] };
    size = byteLength(small);
  }
  return { ...small, cutNote: "Cut to fit into the notebook." };
}

function byteLength(value: Json): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** Takes `excess` bytes from the longest outputs, as evenly as it goes. */
function cutTerminals(state: JsonObject, excess: number): JsonObject {
  const terminals = isObject(state.terminals) ? state.terminals : {};
  const sizes = Object.values(terminals).map((terminal) => dataOf(terminal).length);
  const goal = sizes.reduce((sum, size) => sum + size, 0) - excess;
  let [low, high] = [0, Math.max(0, ...sizes)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sizes.reduce((sum, size) => sum + Math.min(size, middle), 0) <= goal) low = middle;
    else high = middle - 1;
  }
  const kept = low - (low % 4); // whole groups of base64
  const entries = Object.entries(terminals).map(([key, terminal]) => [key, withLast(terminal, kept)]);
  return { ...state, terminals: Object.fromEntries(entries) };
}

function dataOf(terminal: Json): string {
  return isObject(terminal) && isObject(terminal.output) && typeof terminal.output.data === "string"
    ? terminal.output.data
    : "";
}

function withLast(terminal: Json, kept: number): Json {
  const data = dataOf(terminal);
  if (data.length <= kept || !isObject(terminal) || !isObject(terminal.output)) return terminal;
  const dropped = ((data.length - kept) / 4) * 3;
  const before = typeof terminal.output.cut === "number" ? terminal.output.cut : 0;
  const output = { ...terminal.output, data: data.slice(data.length - kept), cut: before + dropped };
  return { ...terminal, output };
}

function shortened(value: Json, longest: number, name = ""): Json {
  if (typeof value === "string") {
    if (value.length <= longest || name.endsWith("Id")) return value;
    if (name === "data" || name === "blob") return ""; // half an image is none
    return `${value.slice(0, longest)}… [cut: ${value.length - longest} characters]`;
  }
  if (Array.isArray(value)) return value.map((item) => shortened(item, longest));
  if (!isObject(value)) return value;
  // Object.fromEntries makes own fields whatever their name.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item, longest, key)]));
}
