import { render } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, describe, expect, it } from "vitest";
import { IncrementalLexer } from "../../src/lib/incremental.ts";
import { pieces } from "../../src/views/LongText.tsx";
import { Markdown } from "../../src/views/Markdown.tsx";

let root: HTMLElement;
beforeEach(() => {
  root = document.createElement("div");
});

function draw(text: string, growing = false): HTMLElement {
  act(() => render(<Markdown text={text} growing={growing} />, root));
  return root;
}

describe("markdown", () => {
  it("has headings, lists, tables, quotes, code and emphasis", () => {
    draw(
      "# One\n\n1. a\n2. **b** _c_ ~~d~~ `e`\n\n> q\n\n| x | y |\n|--|--:|\n| 1 | 2 |\n\n---\n\n- [x] done\n- [ ] open\n",
    );
    expect(root.querySelector("h3")?.textContent).toBe("One");
    expect(root.querySelectorAll("ol > li")).toHaveLength(2);
    expect(["strong", "em", "del", "li code"].map((name) => root.querySelector(name)?.textContent)).toEqual([
      ..."bcde",
    ]);
    expect(root.querySelector("blockquote")?.textContent).toBe("q");
    expect(root.querySelectorAll("td")).toHaveLength(2);
    expect(root.querySelector("hr")).not.toBeNull();
    expect([...root.querySelectorAll(".acp-md-task")].map((item) => item.textContent)).toEqual(["☑ done", "☐ open"]);
    expect(root.querySelector("input")).toBeNull();
  });

  it("counts a list from where it begins, from 0 too", () => {
    expect(draw("0. a\n1. b\n").querySelector("ol")?.getAttribute("start")).toBe("0");
    expect(draw("7. a\n").querySelector("ol")?.getAttribute("start")).toBe("7");
  });

  it("shows the common named characters", () => {
    expect(draw("a &mdash; b &rarr; c &copy; &hellip; &nope;").textContent).toBe("a — b → c © … &nope;");
  });

  it("has nothing to press within a link", () => {
    const link = draw("[![Build](https://img.example/b.svg)](https://ci.example)").querySelector("a");
    expect(link?.textContent).toBe("Build");
    expect(root.querySelectorAll("a, button")).toHaveLength(1);
  });

  it("reads character references, and nothing else, as characters", () => {
    expect(draw("a &amp; b &lt;c&gt; &#33; &#x41; &nosuch; `&amp;`").textContent).toBe("a & b <c> ! A &nosuch; &amp;");
  });

  it("opens links elsewhere and tells the other page nothing", () => {
    const link = draw("[docs](https://a.b/c)").querySelector("a");
    expect(link?.getAttribute("href")).toBe("https://a.b/c");
    expect(link?.getAttribute("rel")).toBe("noopener noreferrer");
    expect(link?.getAttribute("target")).toBe("_blank");
    expect(link?.title).toBe("https://a.b/c");
  });

  it("names a picture that stands elsewhere and does not load it", () => {
    draw("![chart](https://a.b/x.png?secret=1)");
    expect(root.querySelector("img")).toBeNull();
    expect(root.textContent).toContain("https://a.b/x.png?secret=1");
    draw("![dot](data:image/png;base64,AAAA)");
    expect(root.querySelector("img")?.getAttribute("src")).toBe("data:image/png;base64,AAAA");
  });

  it("names the language of code", () => {
    expect(draw("```css title=x\na { color: red }\n```").querySelector(".acp-code-bar")?.textContent).toBe("cssCopy");
    expect(root.querySelector(".acp-h-attr")?.textContent).toBe("color");
    expect(draw("```\nx\n```").querySelector(".acp-code-bar")?.textContent).toBe("Copy");
  });

  it("colours code of a known language when the fence is closed", () => {
    draw("```python\ndef f(): return 'x'\n```");
    expect(root.querySelector(".acp-h-keyword")?.textContent).toBe("def");
    expect(root.querySelector("pre")?.textContent).toBe("def f(): return 'x'");
    draw("```python\ndef f(", true);
    expect(root.querySelector(".acp-h-keyword")).toBeNull();
    draw("```klingon\nQapla'\n```");
    expect(root.querySelector("pre")?.textContent).toBe("Qapla'");
  });

  it("shows raw HTML as text", () => {
    draw("a <b onclick=x>b</b>\n\n<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>");
    expect(root.querySelector("script, b, img")).toBeNull();
    expect(root.textContent).toContain("<script>alert(1)</script>");
  });
});

const SAMPLE = `# Title

Text with **bold** and a [ref][r].

- one
  - two

    still two
- three

\`\`\`js
const x = 1;

const y = 2;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

Setext
======

[r]: https://a.b/

Then $a_1$ and:

$$
x_1

$$
- y_2
$$

The end & more.
`;

describe("a text that grows", () => {
  it("ends as the same page as one that came whole, wherever it was cut", () => {
    const whole = draw(SAMPLE).innerHTML;
    for (const step of [1, 7, 50]) {
      root = document.createElement("div");
      for (let at = 0; at < SAMPLE.length; at += step) draw(SAMPLE.slice(0, at), true);
      draw(SAMPLE, false);
      expect(root.innerHTML).toBe(whole);
    }
  });

  it("keeps the elements of what is settled", () => {
    draw("first\n\nsecond", true);
    const first = root.querySelector("p");
    draw("first\n\nsecond and more\n\nthird", true);
    expect(root.querySelector("p")).toBe(first);
    expect(root.querySelectorAll("p")).toHaveLength(3);
  });

  it("is read anew when it is replaced", () => {
    draw("one\n\ntwo\n\nthree", true);
    expect(draw("other", true).textContent).toBe("other");
  });

  it("costs the open end, not the whole", () => {
    const lexer = new IncrementalLexer();
    const long = Array.from({ length: 300 }, (_, n) => `paragraph ${n}`).join("\n\n");
    const before = lexer.blocks(long);
    const after = lexer.blocks(`${long} grows`);
    const same = after.filter((token, at) => token === before[at]).length;
    expect(same).toBeGreaterThanOrEqual(before.length - 2);
  });
});

describe("mathematics", () => {
  const formulas = (source: string): (string | null)[] => {
    draw(source);
    return [...root.querySelectorAll(".acp-math")].map((each) => each.textContent);
  };

  it("stands as it was written: no emphasis, no escapes, no lists in it", () => {
    expect(formulas("if $a_1 * b_1$ and \\(x_2 * y_2\\), *so* \\[z^*\\]")).toEqual([
      "$a_1 * b_1$",
      "\\(x_2 * y_2\\)",
      "\\[z^*\\]",
    ]);
    expect([...root.querySelectorAll("em")].map((each) => each.textContent)).toEqual(["so"]);
    expect(formulas("$$\na\n- b\n= c \\\\\n$$\n\nafter")).toEqual(["$$\na\n- b\n= c \\\\\n$$"]);
    expect(formulas("\\[\n\\frac{1}{n}\n\\]\n")).toEqual(["\\[\n\\frac{1}{n}\n\\]"]);
    expect(formulas("where:\n$$a_1 *\nb_1*$$")).toEqual(["$$a_1 *\nb_1*$$"]);
  });

  it("is not made of prices, shell variables and code", () => {
    for (const source of ["$5 or *$6*", "\\$a$", "`$a$`", "$ a $", "US$ 1,$ 2", "```\n$a$\n```"])
      expect(formulas(source)).toEqual([]);
  });

  it("costs no more the longer the text around it is", () => {
    const text = `${"words without any end ".repeat(20_000)}$a_1 _b$`;
    expect(formulas(text)).toEqual(["$a_1 _b$"]);
    expect(root.textContent).toBe(text);
    expect(formulas("\\(".repeat(20_000))).toEqual([]);
    expect(formulas("$a ".repeat(20_000))).toEqual([]);
  });
});

describe("links", () => {
  it("that may not open are words with their address", () => {
    draw("[a](javascript:alert(1)) [b](src/x.py) [c](#part) <ftp://x.y/z>");
    expect(root.querySelector("a")).toBeNull();
    expect(root.textContent).toBe("a (javascript:alert(1)) b (src/x.py) c ftp://x.y/z");
  });

  it("that lead elsewhere than they say are given away", () => {
    expect(draw("[https://github.com](https://evil.example/x)").textContent).toBe("https://github.com (evil.example)");
    expect(draw("[www.a.b](https://evil.example)").textContent).toBe("www.a.b (evil.example)");
    expect(draw("https://a.b/c www.a.b [docs](https://a.b/)").textContent).toBe("https://a.b/c www.a.b docs");
  });

  it("keep footnotes in the page", () => {
    expect(draw("Text[^1].\n\n[^1]: https://a.b/\n\n[^2]: some words").textContent).toContain("[^1]: https://a.b/");
    expect(root.textContent).toContain("[^2]: some words");
  });
});

describe("words that turn text around", () => {
  it("are shown where they stand, in prose, code and raw HTML", () => {
    draw("see \u202egpj.exe and `a\u2066b`\n\n```py\nx\u202ey\n```\n\n<b \u202e>\n");
    expect(root.textContent).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(root.querySelector("p")?.textContent).toBe("see ⟨U+202E⟩gpj.exe and a⟨U+2066⟩b");
    expect(root.querySelector("pre")?.textContent).toBe("x⟨U+202E⟩y");
  });

  it("leave letters alone that are read from the right, and joined signs", () => {
    const text = "שלום עולם 👩‍💻 ✔️";
    expect(draw(text).textContent).toBe(text);
  });
});

describe("a very long line", () => {
  const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(" ");

  it("is laid out in pieces, of which added words change the last", () => {
    draw(words(20_000), true);
    const before = [...root.querySelectorAll(".acp-md-piece")];
    expect(before.length).toBeGreaterThan(10);
    draw(`${words(20_000)} more`, true);
    const after = [...root.querySelectorAll(".acp-md-piece")];
    expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    expect(root.textContent).toBe(`${words(20_000)} more`);
    expect(draw(`${words(20_000)} **more**`).querySelector("strong")?.textContent).toBe("more");
  });

  it("is read again only when it is twice as long", () => {
    const lexer = new IncrementalLexer();
    lexer.blocks(words(10_000), true);
    expect(lexer.blocks(`${words(10_000)} **x**`, true).map((token) => token.type)).toEqual(["literal"]);
    expect(lexer.blocks(words(30_000), true).map((token) => token.type)).toEqual(["paragraph"]);
    expect(lexer.blocks(`${words(30_000)} **x**`).map((token) => token.type)).toEqual(["paragraph"]);
  });

  it("with no end of marks in it is shown as it stands", () => {
    const marks = "a **b** `c` ".repeat(100_000);
    expect(draw(`x **y**\n\n${marks}\n\nz`).textContent).toBe(`x y${marks}z`);
    expect(root.querySelectorAll("strong")).toHaveLength(1);
  });

  it("keeps every character of it", () => {
    for (const text of [words(9000), "x".repeat(43_210), "line\n".repeat(9000)])
      expect(pieces(text).join("")).toBe(text);
  });
});
