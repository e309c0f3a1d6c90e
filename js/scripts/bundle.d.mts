export function bundle(): Promise<{
  files: Record<"widget.js" | "widget.css" | "turn.js", string>;
  doors: { imports: string[]; exports: string[] }[];
}>;
