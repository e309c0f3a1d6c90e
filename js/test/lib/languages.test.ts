import { expect, it } from "vitest";
import { highlightLines } from "../../src/lib/highlight.tsx";

/** What of a line has which colour. */
function colours(line: string, language: string): [string, string | null][] {
  const found: [string, string | null][] = [];
  let at = 0;
  for (const { length, scope } of highlightLines([line], language)?.[0] ?? []) {
    const last = found[found.length - 1];
    const text = line.slice(at, at + length);
    if (last?.[1] === scope) last[0] += text;
    else found.push([text, scope]);
    at += length;
  }
  return found.map(([text, scope]) => [text.trim(), scope]);
}

it("SQL has its keywords, types, functions, strings and comments in colour", () => {
  const found = colours("SELECT count(*), cast(x AS numeric) FROM t WHERE a IN ('its', 3) -- why", "sql");
  for (const pair of [
    ["SELECT", "keyword"],
    ["count", "built_in"],
    ["numeric", "type"],
    ["IN", "keyword"],
    ["'its'", "string"],
    ["3", "number"],
    ["-- why", "comment"],
  ])
    expect(found).toContainEqual(pair);
});

it.each([
  [
    "const later = async (n) => { return await go(n, 0x1F_n) }; // why",
    "const keyword",
    "go title",
    "0x1F_n number",
    "// why comment",
  ],
  ["a.delete(b.class, 12.5e-3, true, this)", "delete title", "12.5e-3 number", "true literal", "this variable"],
  ["x = `a $" + "{'b' + `c $" + "{1}`} d`; y = 2", "`a string", "d` string", "; y = null", "2 number"],
  ["ok = text.match(/^[\"'/]+$/g) || ratio / 2 / 3", "/^[\"'/]+$/g regexp", "2 number", "3 number"],
  [
    "class Dog extends Animal { get size() {} }",
    "class keyword",
    "Dog title",
    "extends keyword",
    "Animal title",
    "size title",
  ],
  [
    "interface Props<T> { size?: number; readonly all: Map<string, T> }",
    "interface keyword",
    "Props title",
    "size attr",
    "number built_in",
    "readonly keyword",
  ],
  ["return <Box wide={1}>text</Box>", "return keyword", "Box name", "wide attr"],
  ["const id = <T,>(x: T): x is string => x as unknown", "is keyword", "string built_in", "as keyword"],
  ["@cached static LIMIT = null", "@cached meta", "static keyword", "LIMIT variable", "null literal"],
])("JavaScript and TypeScript have their colours: %s", (line, ...pairs) => {
  const found = colours(line, "ts").map(([word, scope]) => `${word} ${scope}`);
  for (const pair of pairs) expect(found).toContain(pair);
});
