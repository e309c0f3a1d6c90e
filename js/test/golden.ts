import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** A golden file that the Python suite reads too. Vitest runs in js/. */
export function golden<T>(name: string): T {
  return JSON.parse(readFileSync(resolve("..", "tests", "golden", name), "utf8")) as T;
}

export const RECORDINGS = resolve("..", "tests", "terminal_recordings");

/** The bytes that a program has printed. */
export function recorded(name: string): Uint8Array {
  return new Uint8Array(readFileSync(resolve(RECORDINGS, name)));
}
