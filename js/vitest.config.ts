import { existsSync } from "node:fs";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

/** A system browser first (no download); without one, Playwright's own. */
const chromium = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);

const jsx = { jsx: { runtime: "automatic" as const, importSource: "preact" } };

export default defineConfig({
  oxc: jsx,
  test: {
    projects: [
      {
        oxc: jsx,
        test: { name: "unit", environment: "happy-dom", include: ["test/**/*.test.{ts,tsx}"], testTimeout: 20_000 },
      },
      {
        oxc: jsx,
        optimizeDeps: {
          include: [
            "preact",
            "preact/hooks",
            "preact/test-utils",
            "preact/jsx-runtime",
            "preact/jsx-dev-runtime",
            "@preact/signals",
            "marked",
            "diff",
            "axe-core",
          ],
        },
        test: {
          name: "browser",
          include: ["test/**/*.browser.{ts,tsx}"],
          testTimeout: 30_000,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                ...(chromium ? { executablePath: chromium } : {}),
                args: ["--no-sandbox", "--disable-dev-shm-usage"],
              },
            }),
            instances: [{ browser: "chromium", viewport: { width: 900, height: 900 } }],
          },
        },
      },
    ],
  },
});
