// Builds the front end into acp_widget/static: widget.js (the session), widget.css, turn.js (a turn's view).
import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const out = process.env.ACP_WIDGET_STATIC ?? join(root, "..", "acp_widget", "static");
const common = {
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
  banner: {
    js: "/* acp-widget, BSD-3-Clause. Holds preact, marked (MIT), diff, highlight.js (BSD-3-Clause), lucide (ISC). */",
  },
};

await mkdir(out, { recursive: true });
await build({
  ...common,
  entryPoints: { widget: join(root, "src/index.ts") },
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: out,
});
await build({ ...common, banner: {}, entryPoints: { turn: join(root, "src/turn_view.js") }, outdir: out });

for (const name of ["widget.js", "widget.css", "turn.js"]) {
  const file = join(out, name);
  const kib = (n) => (n / 1024).toFixed(1).padStart(6);
  console.log(
    `${name.padEnd(11)} ${kib((await stat(file)).size)} KiB, ${kib(gzipSync(await readFile(file), { level: 9 }).length)} gzipped`,
  );
}
