/** Paths as they are shown: relative to the session's folder where they stand in it. Windows and UNC paths too. */

function normal(path: string): string {
  const slashed = path.replace(/\\/g, "/").replace(/^[a-z]:/, (drive) => drive.toUpperCase());
  return slashed.length > 1 ? slashed.replace(/\/+$/, "") : slashed;
}

/** The path relative to cwd when it is inside it, else as it is. Dots are never resolved. */
export function relative(path: string, cwd: string | null): string {
  if (!cwd) return path;
  const base = normal(cwd);
  const full = path.replace(/\\/g, "/");
  if (base !== "/" && full.startsWith(`${base}/`) && !full.split("/").includes("..")) {
    return path.slice(base.length + 1) || path;
  }
  return path;
}

/** A folder short enough for a header: "…/team/project". */
export function shortened(path: string, parts = 2): string {
  const pieces = normal(path).split("/").filter(Boolean);
  return pieces.length <= parts + 1 ? path : `…/${pieces.slice(-parts).join("/")}`;
}

/** True when both name the same file, whatever slashes they use. */
export function samePath(a: string, b: string): boolean {
  return normal(a) === normal(b);
}

/** "stats.py:12". */
export function withLine(path: string, line: unknown): string {
  return typeof line === "number" && line >= 1 ? `${path}:${line}` : path;
}
