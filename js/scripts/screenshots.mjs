// Pictures of the dev page: node scripts/screenshots.mjs [folder]. They are looked at, not committed.
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright";
import { serve } from "./dev_server.mjs";

const folder = process.argv[2] ?? "test-results/screenshots";
const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);

await mkdir(folder, { recursive: true });
const { server, address } = await serve();
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});
for (const [name, query] of [
  ["session", ""],
  ["states", "?state=odd"],
  ["turn", "?view=turn"],
]) {
  for (const theme of ["light", "dark"]) {
    for (const width of [940, 400]) {
      const page = await browser.newPage({ viewport: { width, height: 900 } });
      page.on("pageerror", (error) => console.error(name, String(error)));
      await page.goto(`${address}${query}#${theme}`);
      await page.locator(".acp-panel").waitFor();
      await page.waitForFunction(() => document.querySelector("[data-permission]")?.dataset.open !== undefined);
      await page.waitForTimeout(600);
      const file = join(folder, `${name}-${theme}-${width}.png`);
      await page.screenshot({ path: file, fullPage: true });
      console.log(file);
      await page.close();
    }
  }
}
await browser.close();
server.close();
