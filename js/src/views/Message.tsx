import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { asMarkdown } from "../lib/as_markdown.ts";
import { bytes, duration } from "../lib/time.ts";
import type { JsonObject, Message as MessageState, Tagged } from "../types.ts";
import { Blocks, isBlank } from "./Blocks.tsx";
import { CopyButton } from "./CopyButton.tsx";
import { unheard, useApp, useNow } from "./context.ts";
import { Details } from "./Details.tsx";
import { Visible } from "./Visible.tsx";
import "./Message.css";

/** A message: the user's in a bubble, the agent's as text, a thought as a line that opens. */
export function Message({ id }: { id: string }): ComponentChildren {
  const app = useApp();
  const { store } = app;
  const message = store.get("messages", id);
  if (!message) return null;
  const { content } = message;
  const turn = message.turn === null ? undefined : store.get("turns", message.turn);
  if (message.role === "user") {
    // An agent's echo does not say what was attached: only the prompt that we sent does, which has a source.
    const own = turn?.echo === id && turn.source !== null && turn.prompt?.some((block) => aboutOf(block));
    return own ? <UserBubble blocks={turn.prompt ?? []} own /> : <UserBubble blocks={content} />;
  }
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

/** What our kernel says of an object that went with a prompt. */
export function aboutOf(block: Tagged): JsonObject | null {
  const meta = block._meta as JsonObject | undefined;
  const about = meta?.["acp-widget"];
  return about && typeof about === "object" && !Array.isArray(about) ? about : null;
}

/** An object that went with a prompt: what it is, and what was sent of it. */
function Attached({ block }: { block: Tagged }): VNode {
  const about = aboutOf(block);
  const { text, blob } = (block.resource ?? block) as JsonObject;
  const data = blob ?? block.data;
  const size = typeof text === "string" ? utf8(text) : typeof data === "string" ? (data.length * 3) / 4 : null;
  const words = [about?.kind, size !== null && bytes(size), about?.note].filter(Boolean).join(", ");
  return (
    <Details
      class="acp-attached"
      summary={
        <>
          <code>
            <Visible text={String(about?.name)} oneLine />
          </code>{" "}
          <span class="acp-dim">
            <Visible text={words} oneLine />
          </span>
        </>
      }
    >
      {() => <Blocks blocks={[block]} />}
    </Details>
  );
}

const utf8 = (text: string): number => new TextEncoder().encode(text).length;

/** A prompt longer than this is folded. */
const LINES = 16;
const CHARACTERS = 1500;

/** `own`: the blocks of a prompt that we sent. Of any others nothing counts as attached, whatever they say. */
export function UserBubble({ blocks, own = false }: { blocks: readonly Tagged[]; own?: boolean }): VNode | null {
  const [open, setOpen] = useState(false);
  const written = own ? blocks.filter((block) => aboutOf(block) === null) : blocks;
  const attached = own ? blocks.filter((block) => aboutOf(block) !== null) : [];
  if (isBlank(written) && attached.length === 0) return null;
  const words = written.map((block) => (typeof block?.text === "string" ? block.text : "")).join("");
  const lines = words.split("\n").length;
  const long = lines > LINES || words.length > CHARACTERS;
  return (
    <div class="acp-you">
      <span class="acp-hidden">You: </span>
      <div class={long && !open ? "acp-folded" : ""}>
        <Blocks blocks={written} />
      </div>
      {attached.map((block, at) => (
        <Attached key={at} block={block} />
      ))}
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
