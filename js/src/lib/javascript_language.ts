import type { CallbackResponse, HLJSApi, Language, Mode } from "highlight.js";

const NAME = "[A-Za-z$_][\\w$]*";
const KEYWORDS = {
  $pattern: NAME,
  keyword:
    "abstract as asserts async await break case catch class const continue debugger declare default delete do else enum " +
    "export extends finally for from function if implements import in infer instanceof interface is keyof let namespace " +
    "new of override private protected public readonly return satisfies static switch throw try type typeof using var " +
    "void while with yield",
  literal: "false Infinity NaN null true undefined",
  built_in:
    "any bigint boolean never number object string symbol unknown clearInterval clearTimeout decodeURIComponent " +
    "encodeURIComponent exports fetch isFinite isNaN parseFloat parseInt require setInterval setTimeout",
  "variable.language": "arguments console document global globalThis module process self super this window",
};
/** What stands before a bracket and is no function. */
const NO_CALL = "(?:async|await|catch|for|function|if|import|of|return|super|switch|typeof|while|yield)\\b";

/** Whether what looks like an opening tag is a type instead: `<T>(x)`, `<A, B>`, `Map<K>`. */
function ignoreTypes(match: RegExpMatchArray, response: CallbackResponse): void {
  const rest = match.input?.slice((match.index ?? 0) + match[0].length) ?? "";
  const isTag = /^(\s[^<>]*)?\/>/.test(rest) || rest.includes(`</${match[0].slice(1)}`);
  if (/^\s*[,<=]|^\s+extends\s/.test(rest) || !isTag) response.ignoreMatch();
}

/**
 * JavaScript and TypeScript for highlight.js, by their shape. Its own grammar of the first is 5 KiB more, colours what we
 * have no colour for, and does not know the second.
 */
export function javascript(hljs: HLJSApi): Language {
  const comments: Mode[] = [hljs.C_BLOCK_COMMENT_MODE, hljs.C_LINE_COMMENT_MODE];
  const inserted: Mode = { scope: "subst", begin: /\$\{/, end: /\}/, keywords: KEYWORDS };
  const values: Mode[] = [
    ...comments,
    hljs.APOS_STRING_MODE,
    hljs.QUOTE_STRING_MODE,
    { scope: "string", begin: "`", end: "`", contains: [hljs.BACKSLASH_ESCAPE, inserted] },
    {
      scope: "number",
      match: /(?<![\w$])(0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][+-]?\d+)?)n?/,
    },
  ];
  inserted.contains = [...values, { begin: /\{/, end: /\}/, keywords: KEYWORDS, contains: ["self", ...values] }];
  const tag = /<[A-Za-z][\w.:-]*/;
  const end = /\/[A-Za-z][\w.:-]*>|\/>/;
  const markup: Mode = {
    subLanguage: "xml",
    contains: [{ begin: tag, end, skip: true, contains: ["self"] }],
    variants: [
      { begin: "<>", end: "</>" },
      { begin: tag, end, "on:begin": ignoreTypes },
    ],
  };
  return {
    aliases: ["js", "jsx", "mjs", "cjs", "typescript", "ts", "tsx", "mts", "cts"],
    keywords: KEYWORDS,
    contains: [
      hljs.SHEBANG(),
      ...values,
      {
        // where a value begins: here a slash begins a pattern, and a bracket may begin a tag
        begin: `(${hljs.RE_STARTERS_RE}|\\b(case|return|throw)\\b)\\s*`,
        keywords: "return throw case",
        contains: [...comments, hljs.REGEXP_MODE, { match: /\s+/ }, markup],
      },
      { scope: "meta", match: `@${NAME}` },
      { scope: "attr", match: `${NAME}(?=\\??:(?!:))` },
      { scope: "title.function", match: `(?<![\\w$])(?!${NO_CALL})${NAME}(?=\\s*\\()` },
      { match: `\\.${NAME}(?![\\w$]|\\s*\\()` }, // a property: no keyword
      { begin: [/\b(?:class|enum|interface|namespace|type)\b/, /\s+/, NAME], beginScope: { 1: "keyword", 3: "title" } },
      { scope: "title.class", match: /\b[A-Z][A-Z\d]*[a-z][\w$]*/ },
      { scope: "variable.constant", match: /\b[A-Z][A-Z\d_]+\b/ },
    ],
  };
}
