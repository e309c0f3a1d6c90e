import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Screen } from "../lib/ansi.ts";
import { highlight } from "../lib/highlight.tsx";
import { unfenced } from "../lib/raw_output.ts";
import { visible } from "../lib/visible.ts";
import { CopyButton } from "./CopyButton.tsx";
import { Visible } from "./Visible.tsx";

/** Lines of a long output that are shown at first. */
const FOLD = 24;
/** Characters after which lines do not count any more. */
const LONG = 8000;

interface Props {
  text: string;
  /** A language, or the extension of a file. */
  language?: string;
  label?: string;
  /** Letter by letter, where a program's own drawing could hide something: a question, or a file. */
  literal?: boolean;
}

/** What a program or a file says, letter by letter. */
export function Output({ text, language = "", label = "Output", literal = false }: Props): VNode {
  const [whole, setWhole] = useState(false);
  const bare = unfenced(text);
  const clean = (literal ? uncoloured : drawn)(bare.text).replace(/\n+$/, "");
  const lines = clean.split("\n");
  const long = lines.length > FOLD || clean.length > LONG;
  const shown = long && !whole ? lines.slice(0, FOLD).join("\n").slice(0, LONG) : clean;
  const what = lines.length > FOLD ? `all ${lines.length.toLocaleString("en-US")} lines` : "all of it";
  return (
    <div class="acp-output">
      <pre tabIndex={0} role="group" aria-label={label}>
        {coloured(shown, language || bare.language) ?? <Visible text={shown} output={!literal} />}
      </pre>
      {long && (
        <button type="button" class="acp-quiet" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : `Show ${what}`}
        </button>
      )}
      <CopyButton class="acp-quiet acp-output-copy" text={clean} label="Copy" title="Copies all of the output" />
    </div>
  );
}

function coloured(text: string, language: string) {
  return language !== "" && visible(text).length === 1 ? highlight(text, language) : null;
}

/** Text without its colours, which hide nothing once they are gone. */
function uncoloured(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what colours begin with
  return text.replace(/\r\n/g, "\n").replace(/\x1b\[[\d;:]*m/g, "");
}

/** Text of a program that draws on a terminal, as it would be read there. */
function drawn(text: string): string {
  const plain = uncoloured(text);
  if (!plain.includes("\x1b") && !/[\r\b]/.test(plain)) return plain;
  const screen = new Screen();
  screen.feed(new TextEncoder().encode(text.replace(/\r?\n/g, "\r\n")));
  const cut = screen.dropped > 0 ? `[${screen.dropped.toLocaleString("en-US")} lines before this are not shown]\n` : "";
  return cut + screen.text();
}
