import type { Tagged } from "../types.ts";
import { pretty, stringAt } from "./json.ts";

type Writer = (block: Tagged) => string | null;

const WRITERS: Record<string, Writer> = {
  text: (block) => stringAt(block, "text"),
  image: (block) => `![picture](${stringAt(block, "uri") ?? stringAt(block, "mimeType") ?? ""})`,
  resource_link: (block) => {
    const uri = stringAt(block, "uri");
    return uri && `[${stringAt(block, "title") ?? stringAt(block, "name") ?? uri}](${uri})`;
  },
  resource: (block) => {
    const text = stringAt(block.resource, "text");
    return text === null ? null : fenced(text, "");
  },
};

/** Content blocks as one markdown text, to be copied. Neighbouring texts are joined as they came. */
export function asMarkdown(blocks: readonly Tagged[]): string {
  let all = "";
  let before = "text";
  for (const block of blocks) {
    const write = Object.hasOwn(WRITERS, block.type) ? WRITERS[block.type] : undefined;
    if (all !== "" && !(before === "text" && block.type === "text")) all += "\n\n";
    all += write?.(block) ?? fenced(pretty(block), "json");
    before = block.type;
  }
  return all;
}

function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((fence) => fence.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
