import type { ComponentChildren } from "preact";
import { isObject, stringAt } from "../lib/json.ts";
import type { Tagged } from "../types.ts";
import { Annotated } from "./Annotated.tsx";
import { Attachment } from "./Attachment.tsx";
import { Guard } from "./Guard.tsx";
import { Markdown } from "./Markdown.tsx";
import { AudioBlock, ImageBlock } from "./Media.tsx";
import { Odd } from "./Odd.tsx";
import { LinkBlock, ResourceBlock } from "./Resources.tsx";
import "./Blocks.css";

interface BlockProps {
  block: Tagged;
  growing?: boolean;
}

/** Content blocks in order. Neighbouring pieces of text are one text, and blank text is nothing. */
export function Blocks({
  blocks,
  growing = false,
}: {
  blocks: readonly Tagged[];
  growing?: boolean;
}): ComponentChildren {
  const joined = joinText(blocks);
  return joined.map((block, at) => <BlockView key={at} block={block} growing={growing && at === joined.length - 1} />);
}

function joinText(blocks: readonly Tagged[]): Tagged[] {
  const joined: Tagged[] = [];
  for (const block of blocks) {
    const last = joined[joined.length - 1];
    const [before, text] = [textOf(last), textOf(block)];
    if (last && before !== null && text !== null && sameNotes(last, block)) {
      joined[joined.length - 1] = { ...last, text: before + text };
    } else joined.push(block);
  }
  return joined;
}

function sameNotes(a: Tagged, b: Tagged): boolean {
  return JSON.stringify(a.annotations ?? null) === JSON.stringify(b.annotations ?? null);
}

function textOf(block: Tagged | undefined): string | null {
  return block?.type === "text" ? stringAt(block, "text") : null;
}

/** Whether there is anything to see in the blocks. */
export function isBlank(blocks: readonly Tagged[]): boolean {
  return blocks.every((block) => textOf(block)?.trim() === "");
}

/** One content block. What it is made of can only spoil itself; an unknown type is a line with its JSON. */
export function BlockView({ block, growing = false }: BlockProps): ComponentChildren {
  if (!isObject(block)) return <Attachment label="Content" why="it is not an object" value={block} />;
  if (textOf(block)?.trim() === "") return null;
  const View = Object.hasOwn(BLOCKS, block.type) ? BLOCKS[block.type] : undefined;
  return (
    <Guard what={`Content of the type ${block.type}`}>
      <Annotated notes={block.annotations}>
        {() =>
          View ? (
            <View block={block} growing={growing} />
          ) : (
            <Odd what="content of the type" name={String(block.type)} value={block} />
          )
        }
      </Annotated>
    </Guard>
  );
}

function TextBlock({ block, growing = false }: BlockProps): ComponentChildren {
  const text = textOf(block);
  if (text === null) return <Attachment label="Text" why="it is missing or not text" value={block} />;
  return <Markdown text={text} growing={growing} />;
}

const BLOCKS: Record<string, (props: BlockProps) => ComponentChildren> = {
  text: TextBlock,
  image: ImageBlock,
  audio: AudioBlock,
  resource_link: LinkBlock,
  resource: ResourceBlock,
};
