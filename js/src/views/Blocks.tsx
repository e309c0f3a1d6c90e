import type { ComponentChildren, VNode } from "preact";
import { stringAt } from "../lib/json.ts";
import { Markdown, RemoteImage } from "../lib/markdown.tsx";
import { bytes } from "../lib/time.ts";
import { safeHref, safeImage } from "../lib/urls.ts";
import type { Tagged, Json as Value } from "../types.ts";
import { Code } from "./Code.tsx";
import { Details } from "./Details.tsx";
import { Odd } from "./Odd.tsx";
import { Visible } from "./Visible.tsx";
import "./Blocks.css";

/** Content blocks in order. Neighbouring pieces of text are one text. */
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
    if (before !== null && text !== null) joined[joined.length - 1] = { type: "text", text: before + text };
    else joined.push(block);
  }
  return joined;
}

function textOf(block: Tagged | undefined): string | null {
  return block?.type === "text" ? stringAt(block, "text") : null;
}

/** One content block; an unknown type is a line with its JSON. */
export function BlockView({ block, growing = false }: { block: Tagged; growing?: boolean }): ComponentChildren {
  const text = textOf(block);
  if (text !== null) return <Markdown text={text} growing={growing} />;
  const View = Object.hasOwn(BLOCKS, block.type) ? BLOCKS[block.type] : undefined;
  return View ? <View block={block} /> : <Odd what="content of the type" name={String(block.type)} value={block} />;
}

function ImageBlock({ block }: { block: Tagged }): VNode {
  const data = stringAt(block, "data");
  const mime = stringAt(block, "mimeType") ?? "";
  const uri = stringAt(block, "uri");
  const src = data ? safeImage(`data:${mime};base64,${data}`) : null;
  if (src !== null) return <img class="acp-image" src={src} alt={uri ?? "From the agent"} />;
  if (!data && uri) return <RemoteImage address={uri} />;
  return <Line label="Picture" detail={`${mime || "unknown type"}${data ? "" : " · not kept"}`} value={block} />;
}

function AudioBlock({ block }: { block: Tagged }): VNode {
  const data = stringAt(block, "data") ?? "";
  const detail = `${stringAt(block, "mimeType") ?? "unknown type"} · ${bytes(Math.floor((data.length * 3) / 4))}`;
  return <Line label="Sound" detail={detail} value={block} />;
}

function LinkBlock({ block }: { block: Tagged }): VNode {
  const uri = stringAt(block, "uri") ?? "";
  const name = stringAt(block, "title") ?? stringAt(block, "name") ?? uri;
  const href = safeHref(uri);
  const description = stringAt(block, "description");
  return (
    <p class="acp-resource">
      {href === null ? (
        <b>
          <Visible text={name} oneLine />
        </b>
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer">
          <Visible text={name} oneLine />
        </a>
      )}{" "}
      <span class="acp-dim acp-mono">
        <Visible text={uri} oneLine />
      </span>
      {description && (
        <span class="acp-dim">
          {" "}
          <Visible text={description} oneLine />
        </span>
      )}
    </p>
  );
}

function ResourceBlock({ block }: { block: Tagged }): VNode {
  const uri = stringAt(block.resource, "uri") ?? "";
  const text = stringAt(block.resource, "text");
  if (text === null) {
    const blob = stringAt(block.resource, "blob") ?? "";
    const mime = stringAt(block.resource, "mimeType") ?? "unknown type";
    return (
      <Line label={`Resource ${uri}`} detail={`${mime} · ${bytes(Math.floor((blob.length * 3) / 4))}`} value={block} />
    );
  }
  const extension = /\.(\w+)$/.exec(uri)?.[1] ?? "";
  return (
    <Details
      summary={
        <>
          Resource <Visible text={uri} oneLine /> <span class="acp-dim">{bytes(text.length)}</span>
        </>
      }
    >
      {() => <Code text={text} language={EXTENSIONS[extension] ?? extension} />}
    </Details>
  );
}

const EXTENSIONS: Record<string, string> = {
  py: "python",
  js: "javascript",
  ts: "typescript",
  sh: "bash",
  rs: "rust",
  yml: "yaml",
};

function Line({ label, detail, value }: { label: string; detail: string; value: Value }): VNode {
  return (
    <Details
      summary={
        <>
          <Visible text={label} oneLine /> <span class="acp-dim">{detail}</span>
        </>
      }
    >
      {() => <Odd what="" name="" value={value} bare />}
    </Details>
  );
}

const BLOCKS: Record<string, (props: { block: Tagged }) => VNode> = {
  image: ImageBlock,
  audio: AudioBlock,
  resource_link: LinkBlock,
  resource: ResourceBlock,
};
