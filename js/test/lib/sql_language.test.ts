import { expect, it } from "vitest";
import { highlightLines } from "../../src/lib/highlight.tsx";

it("SQL has its keywords, types, functions, strings and comments in colour", () => {
  const line = "SELECT count(*), cast(x AS numeric) FROM t WHERE a IN ('its', 3) -- why";
  let at = 0;
  const colours = (highlightLines([line], "sql")?.[0] ?? []).map(({ length, scope }) => {
    at += length;
    return [line.slice(at - length, at).trim(), scope];
  });
  for (const pair of [
    ["SELECT", "keyword"],
    ["count", "built_in"],
    ["numeric", "type"],
    ["IN", "keyword"],
    ["'its'", "string"],
    ["3", "number"],
    ["-- why", "comment"],
  ])
    expect(colours).toContainEqual(pair);
});
