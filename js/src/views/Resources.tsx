import type { VNode } from "preact";
import { isObject, stringAt } from "../lib/json.ts";
import { bytes } from "../lib/time.ts";
import { dataProblem, filePath, safeHref } from "../lib/urls.ts";
import type { Tagged } from "../types.ts";
import { Attachment, Save, sizeOf } from "./Attachment.tsx";
import { Code } from "./Code.tsx";
import { Details } from "./Details.tsx";
import { Chip } from "./Locations.tsx";
import { Visible } from "./Visible.tsx";

/** A resource that stands elsewhere: named, and a link where a click may open it. */
export function LinkBlock({ block }: { block: Tagged }): VNode {
  const uri = stringAt(block, "uri");
  if (uri === null) return <Attachment label="Link" why="it has no address" value={block} />;
  const name = stringAt(block, "title") || stringAt(block, "name") || uri;
  const [href, path] = [safeHref(uri), filePath(uri)];
  const description = stringAt(block, "description");
  const size = typeof block.size === "number" ? bytes(block.size) : null;
  const shown = <Visible text={name} oneLine />;
  return (
    <p class="acp-resource">
      {href === null ? (
        <b>{shown}</b>
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {shown}
        </a>
      )}{" "}
      {path !== null ? (
        <Chip location={{ path }} />
      ) : (
        name !== uri && (
          <span class="acp-dim acp-mono">
            <Visible text={uri} oneLine />
          </span>
        )
      )}{" "}
      <span class="acp-dim">
        <Visible text={[stringAt(block, "mimeType"), size].filter(Boolean).join(" · ")} oneLine />
      </span>
      {description && (
        <span class="acp-dim acp-resource-about">
          <Visible text={description} />
        </span>
      )}
    </p>
  );
}

/** A resource that came along: its text to look at, its bytes to save. */
export function ResourceBlock({ block }: { block: Tagged }): VNode {
  const { resource } = block;
  const uri = stringAt(resource, "uri");
  const mime = stringAt(resource, "mimeType");
  const text = stringAt(resource, "text");
  const label = `Resource ${uri ?? ""}`;
  if (text === null) {
    const blob = stringAt(resource, "blob");
    const why = isObject(resource) && blob !== null ? dataProblem(blob) : "it has neither text nor data";
    return (
      <Attachment label={label} detail={`${mime ?? "unknown type"} · ${sizeOf(blob ?? "")}`} why={why} value={block}>
        {blob !== null && <Save data={blob} uri={uri} fallback="resource" />}
      </Attachment>
    );
  }
  return (
    <div class="acp-attachment">
      <Details
        summary={
          <>
            <Visible text={label} oneLine />{" "}
            <span class="acp-dim">
              <Visible text={[mime, bytes(text.length)].filter(Boolean).join(" · ")} oneLine />
            </span>
          </>
        }
      >
        {() => <Code text={text} language={languageOf(uri ?? "", mime ?? "")} />}
      </Details>
      <Save data={text} plain uri={uri} fallback="resource.txt" />
    </div>
  );
}

/** A name that highlight.js may know, from the ending of the address or the type: "py", "json". */
function languageOf(uri: string, mime: string): string {
  return /\.(\w+)(?:[?#].*)?$/.exec(uri)?.[1] ?? mime.replace(/^\w+\/(x-)?|;.*$/g, "");
}
