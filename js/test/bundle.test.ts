import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { bundle } from "../scripts/bundle.mjs";

const KIB = 1024;
const LIMITS = { script: 300 * KIB, scriptZipped: 90 * KIB, style: 32 * KIB, turn: 2 * KIB };

interface Built {
  script: string;
  style: string;
  turn: string;
  /** What each script imports and exports. */
  doors: { imports: string[]; exports: string[] }[];
}

let built: Built;
beforeAll(async () => {
  const { files, doors } = await bundle();
  built = { script: files["widget.js"], style: files["widget.css"], turn: files["turn.js"], doors };
}, 60_000);

const zipped = (text: string): number => gzipSync(text, { level: 9 }).length;
const kib = (bytes: number): string => `${(bytes / KIB).toFixed(1)} KiB`;

describe("the bundle", () => {
  it("stays within its budget", () => {
    const { script, style, turn } = built;
    const sizes = `widget.js ${kib(script.length)}, ${kib(zipped(script))} gzipped; widget.css ${kib(style.length)}; turn.js ${kib(turn.length)}`;
    process.stdout.write(`${sizes}\n`);
    expect(script.length).toBeGreaterThan(50 * KIB);
    expect(script.length).toBeLessThan(LIMITS.script);
    expect(zipped(script)).toBeLessThan(LIMITS.scriptZipped);
    expect(style.length).toBeLessThan(LIMITS.style);
    expect(turn.length).toBeLessThan(LIMITS.turn);
  });

  it("is one file that exports one thing and imports nothing", () => {
    const door = { imports: [], exports: ["default"] };
    expect(built.doors).toEqual([door, door]);
  });

  it.each([
    ["makes no HTML from text", /insertAdjacentHTML|outerHTML|createContextualFragment|DOMParser|document\.write/],
    ["evaluates nothing", /\beval\s*\(|new Function\b|setTimeout\(\s*["'`]/],
    ["opens no connection", /\bfetch\s*\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts|new Worker/],
    ["names no other site's code", /https?:\/\/(?:cdn|unpkg|esm\.sh|jsdelivr)/],
  ])("%s", (_, pattern) => {
    expect(pattern.exec(built.script)?.[0]).toBeUndefined();
    expect(pattern.exec(built.turn)?.[0]).toBeUndefined();
  });

  it("has only style rules of its own", () => {
    const outermost = [];
    let depth = 0;
    for (const [whole, head = ""] of built.style.replace(/"[^"]*"/g, "").matchAll(/([^{};]*)\{|\}/g)) {
      if (whole === "}") depth -= 1;
      else {
        if (depth === 0) outermost.push(head.trim());
        depth += 1;
      }
    }
    expect(depth).toBe(0);
    expect(outermost.filter((head) => !/^(\.acp-|@keyframes acp-)/.test(head))).toEqual([]);
    expect(built.style).not.toMatch(/url\(|@import|@font-face/);
  });
});

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(tsx?|js)$/.test(name))
    .map((name) => join(folder, name));
}

describe("the sources", () => {
  it("never name a way to make HTML from text, to evaluate, or to call out", () => {
    const forbidden =
      /innerHTML|outerHTML|dangerouslySetInnerHTML|insertAdjacentHTML|\beval\(|new Function|\bfetch\(|WebSocket|XMLHttpRequest/;
    const files = sources("src");
    expect(files.length).toBeGreaterThan(30);
    expect(files.filter((file) => forbidden.test(readFileSync(file, "utf8")))).toEqual([]);
  });

  it("have a stylesheet beside each view that needs one, imported by it", () => {
    const styles = readdirSync("src/views").filter((name) => name.endsWith(".css"));
    const code = sources("src/views").map((file) => readFileSync(file, "utf8"));
    for (const style of styles)
      expect(
        code.some((text) => text.includes(`"./${style}"`)),
        style,
      ).toBe(true);
  });
});
