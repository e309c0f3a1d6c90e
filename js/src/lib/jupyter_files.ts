/**
 * Opens files of the agent in JupyterLab, in the two ways that it documents: the page's configuration tells the folder
 * that the server shows ("PageConfig", `serverRoot`), and an element with `data-commandlinker-command` runs a command
 * when it is clicked ("Commands in Markdown Output"). Elsewhere there is no way, and paths are only copied.
 */

import { stringAt } from "./json.ts";

/** What stands before "~": the home of a user on the systems where servers run. */
const HOME = /^(?:\/root|\/(?:home|Users)\/[^/]+|[A-Za-z]:\/Users\/[^/]+|\/var\/home\/[^/]+)(?=\/)/;

/** A text of the page's configuration; null outside of Jupyter. */
function configured(page: Document, name: string): string | null {
  try {
    return stringAt(JSON.parse(page.getElementById("jupyter-config-data")?.textContent ?? ""), name);
  } catch {
    return null;
  }
}

/** The folder that the server shows, as it tells it: "~/team", "/srv/team". Null outside of Jupyter. */
export function serverRoot(page: Document = document): string | null {
  return configured(page, "serverRoot");
}

/** A path of the agent as the server names it, or null when it does not show it; `cwd` says whose home "~" is. */
export function serverPath(path: string, root: string | null, cwd: string | null = null): string | null {
  if (root === null || root === "") return null;
  const slashed = (text: string): string => text.replace(/\\/g, "/").replace(/\/+$/, "");
  const full = slashed(path);
  if (full.split("/").some((part) => part === ".." || part === ".")) return null;
  const home = HOME.exec(`${slashed(cwd ?? "")}/`)?.[0] ?? HOME.exec(full)?.[0] ?? "~";
  const base = slashed(root).replace(/^~(?=\/|$)/, () => home);
  return full.startsWith(`${base}/`) && full.length > base.length + 1 ? full.slice(base.length + 1) : null;
}

/** Files that JupyterLab shows as what they are, and not in its editor, when a link leads to them. */
const DRAWN = /\.(md|markdown|csv|tsv|json|geojson|html?|svg|vl|vega)$/i;

/**
 * The attributes of an element that opens a file when it is clicked; `line` counts from 1.
 *
 * A link leads to a line, but only in the editor, and to no folder. What has no line may be a folder: the file browser
 * opens both, and says when there is neither; Notebook 7 has none beside a notebook.
 */
export function opening(path: string, line: unknown, page: Document = document): Record<string, string> {
  const lined = typeof line === "number" && line >= 1;
  const [command, args] =
    lined && DRAWN.test(path)
      ? ["docmanager:open", { path, factory: "Editor" }]
      : lined || configured(page, "notebookPage") !== null
        ? ["rendermime:handle-local-link", { path, ...(lined && { id: `#line=${line - 1}` }) }] // from 0 in the editor
        : ["filebrowser:open-path", { path }];
  return { "data-commandlinker-command": command as string, "data-commandlinker-args": JSON.stringify(args) };
}
