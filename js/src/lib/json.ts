import type { Json, JsonObject } from "../types.ts";

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string field of a payload that we did not write; null when it is something else. */
export function stringAt(value: unknown, key: string): string | null {
  if (!isObject(value) || !Object.hasOwn(value, key)) return null;
  const found = value[key];
  return typeof found === "string" ? found : null;
}

/** JSON for people: two spaces, never an exception. */
export function pretty(value: Json): string {
  return JSON.stringify(value, null, 2) ?? "null";
}

/** The first string field whose name fits: agents spell one thing in many ways. */
export function stringLike(value: unknown, name: RegExp): string | null {
  const found = isObject(value)
    ? Object.entries(value).find(([key, each]) => name.test(key) && typeof each === "string")
    : null;
  return found ? (found[1] as string) : null;
}

/** How agents name the path of a file. */
export const PATH_NAME = /^((absolute_?|file_?|target_?)?path|(target_?)?file(_?name)?)$/i;
