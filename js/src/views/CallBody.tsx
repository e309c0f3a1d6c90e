import type { ComponentChildren, VNode } from "preact";
import { stringAt } from "../lib/json.ts";
import { readOutput, unfenced } from "../lib/raw_output.ts";
import { isFinal, LITERAL_KINDS } from "../lib/words.ts";
import type { Tagged, ToolCall } from "../types.ts";
import { BlockView } from "./Blocks.tsx";
import { placeOf } from "./call_words.ts";
import { type App, useApp } from "./context.ts";
import { Diff } from "./Diff.tsx";
import { Json } from "./Json.tsx";
import { Odd } from "./Odd.tsx";
import { Output } from "./Output.tsx";
import { Terminal } from "./Terminal.tsx";

interface Props {
  call: ToolCall;
  /** Changes read from the input, where the agent sent no diff. */
  inferred: Tagged | null;
  /** A question about the call waits: nothing may be hidden by what a program could draw. */
  asks: boolean;
}

interface ItemProps {
  item: Tagged;
  call: ToolCall;
  asks: boolean;
}

/** What a call shows: its content in order, else what its raw values tell. */
export function CallBody({ call, inferred, asks }: Props): VNode {
  const app = useApp();
  return (
    <div class="acp-call-body">
      {call.content.map((item, at) => (
        <Item key={at} item={item} call={call} asks={asks} />
      ))}
      {inferred && (
        <>
          <p class="acp-call-said acp-dim">Inferred from the input; line numbers may be off</p>
          <Diff item={inferred} />
        </>
      )}
      {call.content.every((item) => isBlank(app, item)) && <RawResult call={call} asks={asks} />}
    </div>
  );
}

/** True for an item in which there is nothing to read. */
function isBlank(app: App, item: Tagged): boolean {
  if (item.type === "terminal") return (app.store.buffer(`x:${stringAt(item, "terminalId")}`)?.size ?? 0) === 0;
  return item.type === "content" && stringAt(item.content, "text")?.trim() === "";
}

/** One content item of a call; unknown types are a line with their JSON. */
function Item({ item, call, asks }: ItemProps): ComponentChildren {
  const View = Object.hasOwn(ITEMS, item.type) ? ITEMS[item.type] : undefined;
  return View ? (
    <View item={item} call={call} asks={asks} />
  ) : (
    <div class="acp-item">
      <Odd what="content of the type" name={String(item.type)} value={item} />
    </div>
  );
}

function ContentItem({ item, call, asks }: ItemProps): VNode | null {
  const app = useApp();
  const block = item.content as Tagged;
  const text = stringAt(block, "type") === "text" ? stringAt(block, "text") : null;
  if (text?.trim() === "" || (text !== null && isTerminals(app, call, text))) return null;
  return (
    <div class="acp-item">
      <CallBlock block={block} call={call} asks={asks} />
    </div>
  );
}

/** A content block; text of execute, read and search is never markdown. */
function CallBlock({ block, call, asks }: { block: Tagged; call: ToolCall; asks: boolean }): VNode {
  const text = stringAt(block, "type") === "text" ? stringAt(block, "text") : null;
  if (text === null || !LITERAL_KINDS.includes(call.kind)) return <BlockView block={block} />;
  return <Output text={text} language={languageOf(call)} literal={asks || call.kind !== "execute"} />;
}

/** Whether a text only repeats what a terminal of the call shows; known when the call is over. */
function isTerminals({ store }: App, call: ToolCall, text: string): boolean {
  if (!isFinal(call.status)) return false;
  const said = unfenced(text).text.trim();
  return call.content.some((item) => {
    const buffer = item.type === "terminal" ? store.buffer(`x:${stringAt(item, "terminalId")}`) : undefined;
    return buffer !== undefined && buffer.size > 0 && buffer.screen().text().trim() === said;
  });
}

/** The extension of the file that is read: highlight.js knows most of them by name. */
function languageOf(call: ToolCall): string {
  return call.kind === "read" ? (/\.(\w+)$/.exec(placeOf(call) ?? "")?.[1] ?? "").toLowerCase() : "";
}

function TerminalItem({ item }: { item: Tagged }): VNode {
  return <Terminal id={`x:${stringAt(item, "terminalId") ?? ""}`} />;
}

const ITEMS: Record<string, (props: ItemProps) => VNode | null> = {
  content: ContentItem,
  diff: Diff,
  terminal: TerminalItem,
};

/** The raw output in the shape that it has, for agents that send nothing else. */
function RawResult({ call, asks }: { call: ToolCall; asks: boolean }): VNode | null {
  const output = readOutput(call.rawOutput);
  if (output === null) return null;
  if (output.kind === "tree") {
    return (
      <div class="acp-item">
        <Json value={call.rawOutput} label="Output" />
      </div>
    );
  }
  if (output.kind === "blocks") {
    return (
      <div class="acp-item">
        {output.blocks.map((block, at) => (
          <CallBlock key={at} block={block} call={call} asks={asks} />
        ))}
      </div>
    );
  }
  const { text, errors, exit } = output;
  const nothing = text.trim() === "" && errors.trim() === "";
  if (nothing && call.content.length > 0) return null; // a terminal says itself how it ended
  return (
    <div class="acp-item">
      {text.trim() !== "" && <Output text={text} language={languageOf(call)} literal={asks || call.kind === "read"} />}
      {errors.trim() !== "" && (
        <>
          <span class="acp-dim">Errors</span>
          <Output text={errors} label="Errors" literal={asks} />
        </>
      )}
      {(nothing || call.status !== "failed") && exit !== "" && (
        <span class="acp-dim">{nothing ? `${exit}, no output` : exit}</span>
      )}
    </div>
  );
}
