import type { ComponentChildren, VNode } from "preact";
import { duration } from "../lib/time.ts";
import type { Message as MessageState, Tagged } from "../types.ts";
import { Blocks } from "./Blocks.tsx";
import { useApp } from "./context.ts";
import { Details } from "./Details.tsx";
import "./Message.css";

/** A message: the user's in a bubble, the agent's as text, a thought as a line that opens. */
export function Message({ id }: { id: string }): ComponentChildren {
  const { store } = useApp();
  const message = store.get("messages", id);
  if (!message) return null;
  if (message.role === "user") return <UserBubble blocks={message.content} />;
  const turn = message.turn === null ? undefined : store.get("turns", message.turn);
  const growing = turn !== undefined && turn.at.end === null;
  if (message.role === "thought") return <Thought message={message} growing={growing} />;
  return (
    <div class="acp-say">
      <Blocks blocks={message.content} growing={growing} />
    </div>
  );
}

export function UserBubble({ blocks }: { blocks: readonly Tagged[] }): VNode {
  return (
    <div class="acp-you">
      <span class="acp-hidden">You: </span>
      <Blocks blocks={blocks} />
    </div>
  );
}

function Thought({ message, growing }: { message: MessageState; growing: boolean }): VNode {
  const { first, end } = message.at;
  const thinking = growing && end === null;
  const time = first !== null && end !== null ? ` for ${duration(end - first)}` : "";
  return (
    <Details class="acp-thought" summary={thinking ? "Thinking…" : `Thought${time}`}>
      {() => <Blocks blocks={message.content} growing={thinking} />}
    </Details>
  );
}
