// Builds the front end into acp_widget/static.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { bundle } from "./bundle.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const out = process.env.ACP_WIDGET_STATIC ?? join(root, "..", "acp_widget", "static");

const { files } = await bundle();
await mkdir(out, { recursive: true });
for (const [name, text] of Object.entries(files)) {
  await writeFile(join(out, name), text);
  const kib = (n) => (n / 1024).toFixed(1).padStart(6);
  const zipped = gzipSync(text, { level: 9 }).length;
  console.log(`${name.padEnd(11)} ${kib(Buffer.byteLength(text))} KiB, ${kib(zipped)} gzipped`);
}

const holds = ["preact", "@preact/signals", "@preact/signals-core", "marked", "diff", "highlight.js", "lucide"];
const licences = holds.map(async (name) => {
  const folder = join(root, "node_modules", name);
  const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  return `${name} ${version} (${license})\n\n${file ? await readFile(join(folder, file), "utf8") : ""}`;
});
await writeFile(join(out, "LICENSES.txt"), (await Promise.all(licences)).join(`\n${"-".repeat(80)}\n`));
