// The front end as three texts. esbuild bundles; terser then says the same in 3 KiB (gzipped) less.
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { minify } from "terser";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** marked makes its parser and renderer when it is imported. Only its lexer is used here: the rest is left out. */
const lexerOnly = {
  name: "lexer-only",
  setup(build) {
    build.onLoad({ filter: /marked[\\/]lib[\\/]marked\.esm\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const instance = /var \w+=new \w+;function \w+\(\w+,\w+\)\{return \w+\.parse\(/.exec(text);
      const lexer = /(\w+) as Lexer[,}]/.exec(text);
      if (!instance || !lexer) throw new Error(`${path}: its last lines look different; see lexerOnly in bundle.mjs`);
      return { contents: `${text.slice(0, instance.index)}export{${lexer[1]} as Lexer};`, loader: "js" };
    });
  },
};
const common = {
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: "out",
  absWorkingDir: root,
  plugins: [lexerOnly],
};
const NOTICE =
  "/* acp-widget, BSD-3-Clause. Holds preact, marked (MIT), diff, highlight.js (BSD-3-Clause), lucide (ISC). */";

/** Builds widget.js (the session), widget.css, turn.js (a turn's view); `doors` says what each script imports and exports. */
export async function bundle() {
  const session = await build({ ...common, entryPoints: { widget: join(root, "src/index.ts") } });
  const turn = await build({ ...common, entryPoints: { turn: join(root, "src/turn_view.js") } });
  const files = {};
  for (const { path, text } of [...session.outputFiles, ...turn.outputFiles]) files[path.split(/[\\/]/).pop()] = text;
  files["widget.js"] = await smaller(files["widget.js"]);
  const doors = [session, turn].flatMap(({ metafile }) =>
    Object.entries(metafile.outputs)
      .filter(([name]) => name.endsWith(".js"))
      .map(([, output]) => ({ imports: output.imports.map((each) => each.path), exports: output.exports })),
  );
  return { files, doors };
}

async function smaller(script) {
  const { code } = await minify(script, {
    module: true,
    ecma: 2020,
    compress: { passes: 3 },
    format: { preamble: NOTICE, comments: false },
  });
  return `${code}\n`;
}
