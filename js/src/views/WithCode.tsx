import type { ComponentChildren } from "preact";
import { Visible } from "./Visible.tsx";

/** A sentence about what went wrong: what stands between backticks is code. Nothing else in it is read. */
export function WithCode({ text }: { text: string | null | undefined }): ComponentChildren {
  return String(text ?? "")
    .split(/`([^`\n]+)`/)
    .map((part, at) =>
      at % 2 === 0 ? (
        <Visible text={part} />
      ) : (
        <code>
          <Visible text={part} />
        </code>
      ),
    );
}
