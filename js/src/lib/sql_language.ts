import type { HLJSApi, Language } from "highlight.js";

const KEYWORDS =
  "add all alter and any as asc begin between by case check column commit constraint copy create cross cube current " +
  "database default delete desc distinct drop else end escape except exists explain fetch filter first following for " +
  "foreign from full function grant group grouping having if ilike in index inner insert intersect into is join key last " +
  "lateral left like limit minus natural not null nulls offset on only or order outer over partition preceding primary " +
  "qualify range recursive references rename replace returning revoke right rollback rollup row rows schema select set " +
  "sets table temp temporary then to transaction truncate unbounded union unique update using values view when where " +
  "window with without";
const TYPES =
  "array bigint binary blob boolean bytea char character date datetime decimal double float int integer interval json " +
  "jsonb numeric precision real serial smallint text time timestamp timestamptz tinyint uuid varchar";

/** SQL for highlight.js: functions by their shape. Its own grammar lists every word of the standard, and is 2 KiB more. */
export function sql({ C_BLOCK_COMMENT_MODE, C_NUMBER_MODE, COMMENT }: HLJSApi): Language {
  return {
    case_insensitive: true,
    keywords: { keyword: KEYWORDS, type: TYPES, literal: "true false unknown" },
    contains: [
      C_BLOCK_COMMENT_MODE,
      COMMENT("--", "$"),
      { scope: "string", begin: /'/, end: /'/, contains: [{ match: /''/ }] },
      { begin: /"/, end: /"/, contains: [{ match: /""/ }] },
      {
        scope: "built_in",
        match: new RegExp(`\\b(?!(?:${`${KEYWORDS} ${TYPES}`.replaceAll(" ", "|")})\\b)[a-z]\\w*(?=\\()`),
      },
      C_NUMBER_MODE,
    ],
  };
}
