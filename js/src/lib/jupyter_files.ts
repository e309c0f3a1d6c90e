/**
 * Opens files of the agent in JupyterLab, in the two ways that it documents: the page's configuration tells the folder
 * that the server shows ("PageConfig", `serverRoot`), and an element with `data-commandlinker-command` runs a command
 * when it is clicked ("Commands in Markdown Output"). Elsewhere there is no way, and paths are only copied.
 */

import { stringAt } from "./json.ts";

/** What stands before "~": the home of a user on the systems where servers run. */
const HOME = /^(?:\/root|\/(?:home|Users)\/[^/]+|[A-Za-z]:\/Users\/[^/]+|\/var\/home\/[^/]+)(?=\/)/;

/** The folder that the server shows, as it tells it: "~/team", "/srv/team". Null outside of Jupyter. */
export function serverRoot(page: Document = document): string | null {
  try {
    return stringAt(JSON.parse(page.getElementById("jupyter-config-data")?.textContent ?? ""), "serverRoot");
  } catch {
    return null;
  }
}

/** A path of the agent as the server names it, or null when it does not show it. */
export function serverPath(path: string, root: string | null): string | null {
  if (root === null || root === "") return null;
  const slashed = (text: string): string => text.replace(/\\/g, "/").replace(/\/+$/, "");
  const full = slashed(path);
  if (full.split("/").some((part) => part === ".." || part === ".")) return null;
  const base = slashed(root).replace(/^~(?=\/|$)/, () => HOME.exec(full)?.[0] ?? "~");
  return full.startsWith(`${base}/`) && full.length > base.length + 1 ? full.slice(base.length + 1) : null;
}

/** The attributes of an element that opens a file when it is clicked; `line` counts from 1. */
export function opening(path: string, line: unknown): Record<string, string> {
  // JupyterLab's editor reads "#line=" from 0.
  const id = typeof line === "number" && line >= 1 ? { id: `#line=${line - 1}` } : {};
  return {
    "data-commandlinker-command": "rendermime:handle-local-link",
    "data-commandlinker-args": JSON.stringify({ path, ...id }),
  };
}
