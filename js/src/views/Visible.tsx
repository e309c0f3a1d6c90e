import type { ComponentChildren } from "preact";
import { visible } from "../lib/visible.ts";
import "./Visible.css";

/** Text of the agent, literally, with characters that cannot be seen made visible. */
export function Visible({ text, oneLine = false }: { text: string; oneLine?: boolean }): ComponentChildren {
  return visible(text, oneLine).map((piece) =>
    piece.mark ? (
      <span class="acp-mark" title={piece.mark}>
        {piece.text}
      </span>
    ) : (
      piece.text
    ),
  );
}
