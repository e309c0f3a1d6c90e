import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { asMarkdown } from "../lib/as_markdown.ts";
import { duration } from "../lib/time.ts";
import type { Message as MessageState, Tagged } from "../types.ts";
import { Blocks, isBlank } from "./Blocks.tsx";
import { CopyButton } from "./CopyButton.tsx";
import { unheard, useApp, useNow } from "./context.ts";
import { Details } from "./Details.tsx";
import "./Message.css";

/** A message: the user's in a bubble, the agent's as text, a thought as a line that opens. */
export function Message({ id }: { id: string }): ComponentChildren {
  const app = useApp();
  const { store } = app;
  const message = store.get("messages", id);
  if (!message) return null;
  const { content } = message;
  if (message.role === "user") return <UserBubble blocks={content} />;
  const turn = message.turn === null ? undefined : store.get("turns", message.turn);
  const growing = turn !== undefined && turn.at.end === null && !unheard(app);
  if (message.role === "thought") return <Thought message={message} growing={growing} />;
  if (isBlank(content)) return null;
  return (
    <div class="acp-message">
      <div class="acp-say">
        <Blocks blocks={content} growing={growing} />
      </div>
      <CopyButton
        class="acp-quiet acp-message-copy"
        text={() => asMarkdown(content)}
        label="Copy message"
        title="Copies the message as markdown"
      />
    </div>
  );
}

/** A prompt longer than this is folded. */
const LINES = 16;
const CHARACTERS = 1500;

export function UserBubble({ blocks }: { blocks: readonly Tagged[] }): VNode | null {
  const [open, setOpen] = useState(false);
  if (isBlank(blocks)) return null;
  const words = blocks.map((block) => (typeof block?.text === "string" ? block.text : "")).join("");
  const lines = words.split("\n").length;
  const long = lines > LINES || words.length > CHARACTERS;
  return (
    <div class="acp-you">
      <span class="acp-hidden">You: </span>
      <div class={long && !open ? "acp-folded" : ""}>
        <Blocks blocks={blocks} />
      </div>
      {long && (
        <button type="button" class="acp-quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Show less" : `Show all${lines > 1 ? ` ${lines} lines` : ""}`}
        </button>
      )}
    </div>
  );
}

function Thought({ message, growing }: { message: MessageState; growing: boolean }): VNode | null {
  const { first, end } = message.at;
  const thinking = growing && end === null;
  const now = useNow(thinking && first !== null);
  if (!thinking && isBlank(message.content)) return null;
  const time = first === null || (end === null && !thinking) ? null : spell((end ?? now) - first);
  return (
    <Details
      class="acp-thought"
      summary={
        thinking ? (
          <>
            Thinking… <span aria-live="off">{time}</span>
          </>
        ) : (
          `Thought${time === null ? "" : ` for ${time}`}`
        )
      }
    >
      {() => <Blocks blocks={message.content} growing={thinking} />}
    </Details>
  );
}

/** "0.4 s", "2 s": parts of a second only where there is no whole one. */
function spell(seconds: number): string {
  return seconds >= 1 && seconds < 10 ? `${Math.round(seconds)} s` : duration(seconds);
}
