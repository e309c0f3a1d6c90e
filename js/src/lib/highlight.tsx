/** Source code to coloured virtual nodes, by walking highlight.js's tree: its HTML text is never used. */

import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import type { ComponentChildren } from "preact";
import { css } from "./css_language.ts";
import { javascript } from "./javascript_language.ts";
import { sql } from "./sql_language.ts";

const LANGUAGES = {
  bash,
  css,
  diff,
  go,
  ini,
  javascript,
  json,
  python,
  rust,
  sql,
  xml,
  yaml,
};

const hljs = highlighter.newInstance();
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** Longer code is shown plain: colouring it would hold the page up. */
const LONGEST = 20_000;

interface Scope {
  scope?: string;
  children?: (Scope | string)[];
}

/** Coloured nodes, or null when the language is not known or the code is too long. */
export function highlight(text: string, language: string): ComponentChildren | null {
  if (text.length > LONGEST || !hljs.getLanguage(language)) return null;
  const result = hljs.highlight(text, { language, ignoreIllegals: true });
  const root = (result._emitter as unknown as { rootNode?: Scope }).rootNode;
  return root?.children ? nodes(root.children) : null;
}

function nodes(children: (Scope | string)[]): ComponentChildren {
  return children.map((child) => {
    if (typeof child === "string") return child;
    const inner = nodes(child.children ?? []);
    return child.scope ? <span class={`acp-h-${child.scope.split(".")[0]}`}>{inner}</span> : inner;
  });
}

/** So many characters of a line in one colour. */
export interface Stretch {
  length: number;
  scope: string | null;
}

/** The colours of each line of one text, or null as above. */
export function highlightLines(lines: readonly string[], language: string): Stretch[][] | null {
  const text = lines.join("\n");
  if (text.length > LONGEST || !hljs.getLanguage(language)) return null;
  const result = hljs.highlight(text, { language, ignoreIllegals: true });
  const root = (result._emitter as unknown as { rootNode?: Scope }).rootNode;
  const out: Stretch[][] = [[]];
  const walk = (node: Scope | string, scope: string | null): void => {
    if (typeof node !== "string") {
      const own = node.scope?.split(".")[0] ?? scope;
      for (const child of node.children ?? []) walk(child, own);
      return;
    }
    node.split("\n").forEach((piece, at) => {
      if (at > 0) out.push([]);
      if (piece) out[out.length - 1]?.push({ length: piece.length, scope });
    });
  };
  if (root) walk(root, null);
  return out;
}
