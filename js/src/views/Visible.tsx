import type { ComponentChildren } from "preact";
import { visible } from "../lib/visible.ts";
import "./Visible.css";

interface Props {
  /** Anything else than a string is shown as what it is. */
  text: string | null | undefined;
  oneLine?: boolean;
}

/** Text of the agent, literally, with characters that cannot be seen made visible. */
export function Visible({ text, oneLine = false }: Props): ComponentChildren {
  return visible(String(text ?? ""), oneLine).map((piece) =>
    piece.mark ? (
      <span class="acp-mark" title={piece.mark}>
        {piece.text}
      </span>
    ) : (
      piece.text
    ),
  );
}
