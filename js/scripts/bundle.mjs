// The front end as three texts. esbuild bundles; terser then says the same in 3 KiB (gzipped) less.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { minify } from "terser";
import { nested } from "./nest.mjs";
import { doesSomething, lexerOnly, treeOnly } from "./trim.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

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
  plugins: [lexerOnly, treeOnly],
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
  files["widget.css"] = `${nested(files["widget.css"].trim())}\n`;
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
    compress: { passes: 3, pure_funcs: doesSomething, unsafe_arrows: true },
    format: { preamble: NOTICE, comments: false },
  });
  return `${code}\n`;
}
