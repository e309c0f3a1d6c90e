// Serves the dev page with the built bundle: node scripts/dev_server.mjs [port]
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const built = process.env.ACP_WIDGET_STATIC ?? join(root, "..", "acp_widget", "static");

async function page() {
  const result = await build({
    entryPoints: [join(root, "dev/page.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  return result.outputFiles[0].text;
}

const ROUTES = {
  "/": ["text/html", () => readFile(join(root, "dev/index.html"))],
  "/page.js": ["text/javascript", page],
  "/static/widget.js": ["text/javascript", () => readFile(join(built, "widget.js"))],
  "/static/widget.css": ["text/css", () => readFile(join(built, "widget.css"))],
};

/** Starts the server on 127.0.0.1; gives it and its address. */
export async function serve(port = 0) {
  const server = createServer(async (request, response) => {
    const route = ROUTES[new URL(request.url, "http://x").pathname];
    response.writeHead(route ? 200 : 404, { "content-type": `${route?.[0] ?? "text/plain"}; charset=utf-8` });
    response.end(route ? await route[1]() : "not here");
  });
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  return { server, address: `http://127.0.0.1:${server.address().port}/` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { address } = await serve(Number(process.argv[2] ?? 8765));
  console.log(`${address}  (?state=odd, ?view=turn, #dark)`);
}
