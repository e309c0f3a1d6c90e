import type { HLJSApi, Language } from "highlight.js";

/** CSS for highlight.js, by its shape: its own grammar lists every property there is, and is 15 KiB. */
export function css({ C_BLOCK_COMMENT_MODE, APOS_STRING_MODE, QUOTE_STRING_MODE }: HLJSApi): Language {
  return {
    aliases: ["scss", "less"],
    contains: [
      C_BLOCK_COMMENT_MODE,
      APOS_STRING_MODE,
      QUOTE_STRING_MODE,
      { scope: "keyword", begin: /@[\w-]+/ },
      { scope: "attr", begin: /[\w-]+(?=\s*:\s)/ },
      { scope: "number", begin: /#[\da-fA-F]{3,8}\b(?=[^{}]*[;}])|\b\d[\d.]*(%|[a-z]+\b)?/ },
      { scope: "title", begin: /[.#:][\w-]+/ },
    ],
  };
}
