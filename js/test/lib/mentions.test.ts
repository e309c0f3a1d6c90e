import { describe, expect, it } from "vitest";
import { fitting, mentionsIn, namesIn, typedAt, written } from "../../src/lib/mentions.ts";

describe("what a draft mentions", () => {
  it.each<[string, string, string[]]>([
    ["a name alone", "@df", ["df"]],
    ["a name in a sentence", "why is @df skewed?", ["df"]],
    ["names before punctuation", "@a, @b. (@c) [@d] {@e} @f! @g?", ["a", "b", "c", "d", "e", "f", "g"]],
    ["files and folders", "@src/stats.py and @data/ and @./df", ["src/stats.py", "data/", "./df"]],
    ["a name in quotes", 'see @"my file.csv" and @"a.b."', ["my file.csv", "a.b."]],
    ["quotes that are not closed", 'see @"my file', []],
    ["quotes over two lines", 'see @"my\nfile"', []],
    ["letters of any language", "@größe @数据 @été", ["größe", "数据", "été"]],
    ["one name twice", "@df or @df", ["df"]],
    ["at the start of a line", "first\n@df", ["df"]],
    ["an address", "me@example.org", []],
    ["an @ alone", "@ here, @", []],
    ["a number times another", "a@b", []],
    ["inline code", "`@df` and `` `@x` `` but @y", ["y"]],
    ["a backtick alone", "it`s @df", ["df"]],
    ["a fence", "```python\n@df\n```\n@x", ["x"]],
    ["a fence that is open", "@x\n```\n@df", ["x"]],
    ["a longer fence around a shorter one", "````\n```\n@df\n````\n@x", ["x"]],
    ["a line that only looks like a fence", "```not` a fence\n@x", ["x"]],
    ["a decorator", "@cached\ndef f(): pass", []],
    ["a decorator with arguments, indented", "class A:\n    @wraps(f)\n    async def g(): ...", []],
    ["several decorators", "@a\n@b.c(1)\nclass D(E):\n  x", []],
    ["a mention before prose", "@df\ndefines what is meant, class of its own", ["df"]],
    ["a mention, then a definition further down", "@df\n\ndef f(): pass", ["df"]],
    ["names of an object's own parts", "@__proto__ @constructor", ["__proto__", "constructor"]],
  ])("%s", (_, draft, names) => expect(namesIn(draft)).toEqual(names));

  it("is found where it stands", () => {
    const draft = 'so: (@df) and `x` @"a b"';
    expect(mentionsIn(draft).map(({ from, to }) => draft.slice(from, to))).toEqual(["@df", '@"a b"']);
  });

  it("is as many, and as long, as the kernel reads", () => {
    const many = Array.from({ length: 80 }, (_, n) => `@n${n}`).join(" ");
    expect(namesIn(many)).toHaveLength(50);
    expect(namesIn(`@${"x".repeat(5000)} @y`)).toEqual(["y"]);
  });

  // A pattern that looks again and again at the same text would not end in the time that a test has.
  it.each(["@a\n", "x`", "`` ` ", "@", '@"', "(@a ", "@a.b.", "a `@b\n"])(
    "is found soon in a draft full of %j",
    (piece) => {
      const draft = piece.repeat(60_000);
      expect(namesIn(draft).length).toBeLessThan(3);
      expect(typedAt(`${draft} @x`, draft.length + 3)?.typed).toBe("x");
    },
  );
});

describe("what is being typed", () => {
  const at = (marked: string) => {
    const caret = marked.indexOf("|");
    return typedAt(marked.replace("|", ""), caret);
  };
  it.each<[string, string, string | null, string]>([
    ["nothing yet", "see @|", "", "@"],
    ["a beginning", "see @d|", "d", "@d"],
    ["a path", "see @src/st|", "src/st", "@src/st"],
    ["a name that ends in a full stop", "@stats.|", "stats.", "@stats."],
    ["in quotes", '@"my fi|', "my fi", '@"my fi'],
    ["inside of a name", "@d|f_clean now", "d", "@df_clean"],
    ["inside of closed quotes", '@"my f|ile" now', "my f", '@"my file"'],
    ["right before a word", "@|stats", "", "@"],
    ["after a space", "@df |", null, ""],
    ["in an address", "me@ex|", null, ""],
    ["behind closed quotes", '@"a b"|', null, ""],
    ["in code", "`@d|`", null, ""],
    ["in a fence", "```\n@d|", null, ""],
    ["in a decorator", "@ca|\ndef f(): 1", null, ""],
  ])("%s", (_, marked, typed, replaced) => {
    const found = at(marked);
    expect(found?.typed ?? null).toBe(typed);
    if (found) expect(marked.replace("|", "").slice(found.from, found.to)).toBe(replaced);
  });
});

describe("a name that was chosen", () => {
  it.each([
    ["df", "@df"],
    ["src/a-b.py", "@src/a-b.py"],
    ["data/", "@data/"],
    ["my file.csv", '@"my file.csv"'],
    ["ends.", '@"ends."'],
    ["a(1).txt", '@"a(1).txt"'],
    ['a"b', null],
    ["a\nb", null],
    ["", null],
  ])("%s is written so that it is read again", (name, text) => {
    expect(written(name)).toBe(text);
    if (text !== null) expect(namesIn(`see ${text}.`)).toEqual([name]);
  });
});

it("the best of an earlier answer come first, and the rest is gone", () => {
  const items = ["a/df/x.py", "my_df", "src/df.py", "DF_clean", "d/x_f", "df", "other"].map((text) => ({ text }));
  const order = fitting(items, "df").map(({ text }) => text);
  expect(order).toEqual(["df", "DF_clean", "src/df.py", "a/df/x.py", "my_df", "d/x_f"]);
});
