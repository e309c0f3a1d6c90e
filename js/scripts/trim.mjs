// What the front end does not use of its libraries, left out when it is bundled. A library that changed its shape stops the build.
import { readFile } from "node:fs/promises";

/** An esbuild plugin that changes the text of one module. */
function changed(name, filter, change) {
  return {
    name,
    setup(build) {
      build.onLoad({ filter }, async ({ path }) => {
        const replace = (text, what, by) => {
          const out = text.replaceAll(what, by);
          if (out === text) throw new Error(`${path}: nothing fits ${what}; see ${name} in scripts/trim.mjs`);
          return out;
        };
        return { contents: change(await readFile(path, "utf8"), replace), loader: "js" };
      });
    },
  };
}

/** marked: its lexer, for GitHub's Markdown. Not its parser and renderers, which make HTML, nor its two other dialects. */
export const lexerOnly = changed("lexerOnly", /marked[\\/]lib[\\/]marked\.esm\.js$/, (text, replace) => {
  const [, lexer] = /(\w+) as Lexer[,}]/.exec(text) ?? [];
  let out = replace(text, /var \w+=class\{options;parser;.*$/gs, `export{${lexer} as Lexer};`);
  out = replace(out, /,pedantic:\w+\}/g, "}");
  out = replace(out, /,breaks:\w+\}/g, "}");
  for (const dialect of ["pedantic", "breaks"]) out = replace(out, `this.options.${dialect}`, "!1");
  return replace(out, "this.options.gfm", "!0");
});

/** For terser: whether a call must stay though nobody uses its value. A rule of marked is made by calls that do nothing else. */
export function doesSomething({ expression }) {
  return expression.property !== "getRegex";
}

/** highlight.js: its tree of tokens. Not the HTML that it makes of it, nor what it does to pages by itself. */
export const treeOnly = changed("treeOnly", /highlight\.js[\\/]lib[\\/]core\.js$/, (text, replace) => {
  const used = "highlight, registerLanguage, getLanguage, inherit";
  let out = replace(text, /Object\.assign\(hljs, \{\n {4}highlight,[^}]*\}\);/g, `Object.assign(hljs, { ${used} });`);
  out = replace(out, /(?<=\n) {2}(toHTML|toJSON|walk|static _walk|static _collapse)\([^)]*\) \{.*?\n {2}\}\n/gs, "");
  out = replace(out, "emitter.toHTML()", '""');
  out = replace(out, /value: escape\(\w+\),/g, "");
  out = replace(out, /(fire|deprecated)\("[^;]*;/g, "");
  return replace(out, "newInstance = () => HLJS({})", "newInstance = () => highlight"); // there is no other user
});
