import type { ComponentChildren } from "preact";
import { visible } from "../lib/visible.ts";
import "./Visible.css";

interface Props {
  /** Anything else than a string is shown as what it is. */
  text: string | null | undefined;
  oneLine?: boolean;
  /** It is what a program printed. */
  output?: boolean;
}

/** Text of the agent, literally, with characters that cannot be seen made visible. */
export function Visible({ text, oneLine = false, output = false }: Props): ComponentChildren {
  return visible(String(text ?? ""), oneLine, output).map((piece) =>
    piece.mark ? (
      <span class="acp-mark" title={piece.mark}>
        {piece.text}
      </span>
    ) : (
      piece.text
    ),
  );
}
