// Builds the front end into acp_widget/static: widget.js (the session), widget.css, turn.js (a turn's view).
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
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

const holds = ["preact", "@preact/signals", "@preact/signals-core", "marked", "diff", "highlight.js", "lucide"];
const licences = holds.map(async (name) => {
  const folder = join(root, "node_modules", name);
  const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  return `${name} ${version} (${license})\n\n${file ? await readFile(join(folder, file), "utf8") : ""}`;
});
await writeFile(join(out, "LICENSES.txt"), (await Promise.all(licences)).join(`\n${"-".repeat(80)}\n`));

for (const name of ["widget.js", "widget.css", "turn.js"]) {
  const file = join(out, name);
  const kib = (n) => (n / 1024).toFixed(1).padStart(6);
  console.log(
    `${name.padEnd(11)} ${kib((await stat(file)).size)} KiB, ${kib(gzipSync(await readFile(file), { level: 9 }).length)} gzipped`,
  );
}
