import { readdirSync, readFileSync } from "node:fs";
import { build } from "esbuild";
import whole from "highlight.js/lib/core";
import python from "highlight.js/lib/languages/python";
import xml from "highlight.js/lib/languages/xml";
import { Lexer } from "marked";
import { beforeAll, describe, expect, it } from "vitest";
import { nested } from "../scripts/nest.mjs";
import { lexerOnly, treeOnly } from "../scripts/trim.mjs";
import { javascript } from "../src/lib/javascript_language.ts";

const ENTRY = 'export { Lexer } from "marked"; export { default as highlighter } from "highlight.js/lib/core";';

let trimmed: { Lexer: typeof Lexer; highlighter: typeof whole };
beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: "." },
    bundle: true,
    format: "esm",
    write: false,
    plugins: [lexerOnly, treeOnly],
  });
  trimmed = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString("base64")}`
  );
}, 60_000);

describe("what is left out of a library is not missed:", () => {
  it("Markdown is read as before", () => {
    const texts = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map((name) => readFileSync(`../${name}`, "utf8"));
    const odd = [
      "- [ ] a\n- [x] b",
      "|a|b|\n|-|:-:|\n|1|2|",
      "a  \nb\\\nc",
      "[x]: /y 'z'\n[x]",
      "~~no~~ www.a.bc *_a_*",
      "<b>q</b>\n\n# h #",
    ];
    for (const text of [...texts, ...odd]) expect(new trimmed.Lexer().lex(text)).toEqual(new Lexer().lex(text));
  });

  it("code is coloured as before", () => {
    for (const highlighter of [whole, trimmed.highlighter])
      for (const [name, language] of Object.entries({ python, xml, javascript }))
        highlighter.registerLanguage(name, language);
    const code = { python: "scripts/stories.py", javascript: "js/src/views/Log.tsx", xml: "js/dev/index.html" };
    for (const [language, file] of Object.entries(code)) {
      const text = readFileSync(`../${file}`, "utf8");
      const tree = (highlighter: typeof whole) => {
        const { rootNode } = highlighter.highlight(text, { language })._emitter as unknown as { rootNode: unknown };
        return JSON.stringify(rootNode);
      };
      expect(tree(whole).length).toBeGreaterThan(text.length);
      expect(tree(trimmed.highlighter)).toBe(tree(whole));
    }
  });
});

describe("the stylesheet, nested", () => {
  it.each([
    [".acp-widget .a{b:c}.acp-widget .d,.acp-widget button{e:f}", ".acp-widget{.a{b:c}.d,& button{e:f}}"],
    [".acp-widget{b:c}.acp-widget.dark{b:d}.acp-widget *{e:f}", ".acp-widget{&{b:c}&.dark{b:d}*{e:f}}"],
    [".acp-widget :is(.a,.b)>i{c:d}.acp-panel{e:f}", ".acp-widget{:is(.a,.b)>i{c:d}}.acp-panel{e:f}"],
    ["@media(x:y){.acp-widget .a{b:c}}", ".acp-widget{@media(x:y){.a{b:c}}}"],
    ['@keyframes k{to{a:b}}.acp-widget [x="}"]{c:d}', '@keyframes k{to{a:b}}.acp-widget{[x="}"]{c:d}}'],
    [".acp-widget-like .a{b:c}", ".acp-widget-like .a{b:c}"],
  ])("%s", (flat, short) => {
    expect(nested(flat)).toBe(short);
  });

  it("leaves no rule out", () => {
    const files = readdirSync("src/views").filter((name) => name.endsWith(".css"));
    for (const name of files) {
      const css = readFileSync(`src/views/${name}`, "utf8")
        .replace(/\/\*.*?\*\//gs, "")
        .replace(/\s+/g, " ")
        .replace(/ ?([{};]) ?/g, "$1");
      const bodies = (text: string) => text.match(/\{[^{}]+\}/g);
      expect(bodies(nested(css)), name).toEqual(bodies(css));
    }
  });
});
