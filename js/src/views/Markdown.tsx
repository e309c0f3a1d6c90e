/**
 * Markdown to virtual nodes, never to HTML text. Blocks that did not change keep their elements.
 *
 * Raw HTML and mathematics are shown as text. Links open http, https and mailto addresses; pictures are drawn from data,
 * those that stand elsewhere after a click.
 */

import type { Token, Tokens } from "marked";
import { Component, type ComponentChildren, type VNode } from "preact";
import { IncrementalLexer } from "../lib/incremental.ts";
import { safeHref, safeImage, webHost } from "../lib/urls.ts";
import { visibleText } from "../lib/visible.ts";
import { Code } from "./Code.tsx";
import { untwisted } from "./LongText.tsx";
import { Picture, RemoteImage } from "./Pictures.tsx";
import { Visible } from "./Visible.tsx";
import "./Markdown.css";

interface MarkdownProps {
  text: string;
  /** The text still grows. */
  growing?: boolean;
}

export class Markdown extends Component<MarkdownProps> {
  private lexer = new IncrementalLexer();
  private grew = false;
  private reading = 0;

  override shouldComponentUpdate(next: MarkdownProps): boolean {
    return next.text !== this.props.text || next.growing !== this.props.growing;
  }

  override render({ text, growing = false }: MarkdownProps): VNode {
    // A definition that came late reaches the links before it when the text is done and read once as a whole.
    if (this.grew && !growing && this.lexer.hasDefinitions) {
      this.lexer = new IncrementalLexer();
      this.reading += 1;
    }
    this.grew = growing;
    const blocks = this.lexer.blocks(text, growing);
    return (
      <div class="acp-md">
        {blocks.map((token, at) => (
          <Block key={`${this.reading} ${at}`} token={token} open={growing && at === blocks.length - 1} />
        ))}
      </div>
    );
  }
}

interface BlockProps {
  token: Token;
  open: boolean;
}

class Block extends Component<BlockProps> {
  override shouldComponentUpdate(next: BlockProps): boolean {
    const { token, open } = this.props;
    return (
      next.open !== open || (next.token !== token && (next.token.raw !== token.raw || next.token.type !== token.type))
    );
  }

  override render({ token, open }: BlockProps): ComponentChildren {
    return blockOf(token, open);
  }
}

type BlockMaker = (token: never, open: boolean) => ComponentChildren;

const BLOCKS: Record<string, BlockMaker> = {
  space: () => null,
  def: (token: Tokens.Def) => (token.tag.startsWith("^") ? <p>{untwisted(token.raw.trim())}</p> : null), // a footnote
  hr: () => <hr />,
  heading: (token: Tokens.Heading) => {
    // One step down: the page around us has the first heading.
    const Name = `h${Math.min(6, token.depth + 2)}` as "h3";
    return <Name>{inline(token.tokens)}</Name>;
  },
  paragraph: (token: Tokens.Paragraph) => <p dir="auto">{inline(token.tokens)}</p>,
  text: (token: Tokens.Text) => (token.tokens ? inline(token.tokens) : plain(token.text)),
  html: (token: Tokens.HTML) => <p class="acp-md-raw">{untwisted(token.raw.trimEnd())}</p>,
  code: (token: Tokens.Code, open) => (
    <Code text={token.text} language={token.lang?.split(/\s/, 1)[0] ?? ""} open={open && !isClosed(token)} />
  ),
  blockquote: (token: Tokens.Blockquote, open) => <blockquote>{blocksOf(token.tokens, open)}</blockquote>,
  list: (token: Tokens.List, open) => {
    const items = token.items.map((item, at) => (
      <li class={item.task ? "acp-md-task" : undefined}>
        {blocksOf(item.tokens, open && at === token.items.length - 1)}
      </li>
    ));
    return token.ordered ? <ol start={Number(token.start)}>{items}</ol> : <ul>{items}</ul>;
  },
  math: (token: Tokens.Generic) => <p class="acp-math">{untwisted(token.text)}</p>,
  literal: (token: Tokens.Generic) => <p class="acp-md-raw">{untwisted(token.raw)}</p>,
  checkbox: (token: Tokens.Checkbox) => box(token.checked),
  table: (token: Tokens.Table) => (
    <div class="acp-md-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>{token.header.map((cell) => tableCell("th", cell))}</tr>
        </thead>
        <tbody>
          {token.rows.map((row) => (
            <tr>{row.map((cell) => tableCell("td", cell))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  ),
};

function blockOf(token: Token, open: boolean): ComponentChildren {
  const make = BLOCKS[token.type] as ((token: Token, open: boolean) => ComponentChildren) | undefined;
  return make ? make(token, open) : <p>{token.raw}</p>;
}

function blocksOf(tokens: Token[], open: boolean): ComponentChildren {
  return tokens.map((token, at) => blockOf(token, open && at === tokens.length - 1));
}

function tableCell(Name: "th" | "td", cell: Tokens.TableCell): VNode {
  return <Name style={cell.align ? { textAlign: cell.align } : undefined}>{inline(cell.tokens)}</Name>;
}

function box(checked: boolean): VNode {
  return <span class="acp-md-box">{checked ? "☑ " : "☐ "}</span>;
}

const INLINE: Record<string, (token: never) => ComponentChildren> = {
  text: (token: Tokens.Text) => (token.tokens ? inline(token.tokens) : plain(token.text)),
  escape: (token: Tokens.Escape) => untwisted(token.text),
  strong: (token: Tokens.Strong) => <strong>{inline(token.tokens)}</strong>,
  em: (token: Tokens.Em) => <em>{inline(token.tokens)}</em>,
  del: (token: Tokens.Del) => <del>{inline(token.tokens)}</del>,
  codespan: (token: Tokens.Codespan) => <code>{untwisted(token.text)}</code>,
  br: () => <br />,
  html: (token: Tokens.HTML) => untwisted(token.raw),
  checkbox: (token: Tokens.Checkbox) => box(token.checked),
  math: (token: Tokens.Generic) => <span class="acp-math">{untwisted(token.text)}</span>,
  link: (token: Tokens.Link) => {
    const href = safeHref(token.href);
    const title = visibleText(href ?? token.href, true);
    // A picture in a link is its words: a button to load it would be a second thing to press in the same place.
    const words = inline(token.tokens, PICTURE_AS_WORDS);
    if (href === null) return <span title={title}>{isNamed(token) ? [words, address(token.href)] : words}</span>;
    const host = webHost(href);
    return (
      <>
        <a href={href} title={title} target="_blank" rel="noopener noreferrer">
          {words}
        </a>
        {host && /^(https?:|www\.)/i.test(token.text) && webHost(token.text.replace(/^www/i, "http://www")) !== host
          ? address(host)
          : null}
      </>
    );
  },
  image: (token: Tokens.Image) => {
    const src = safeImage(token.href);
    if (src !== null) return <Picture src={src} alt={token.text} />;
    return <RemoteImage address={token.href} text={token.text} />;
  },
};

/** Whether the words of a link that does not open leave something to say about where it leads. */
function isNamed(token: Tokens.Link): boolean {
  return token.href !== "" && !token.href.startsWith("#") && token.text !== token.href;
}

function address(text: string): VNode {
  return (
    <span class="acp-dim">
      {" "}
      (<Visible text={text.length > 300 ? `${text.slice(0, 300)}…` : text} oneLine />)
    </span>
  );
}

const PICTURE_AS_WORDS: typeof INLINE = {
  image: (token: Tokens.Image) => plain(token.text || token.href),
};

function inline(tokens: Token[] | undefined, instead: typeof INLINE = {}): ComponentChildren {
  return (tokens ?? []).map((token) => {
    const make = (instead[token.type] ?? INLINE[token.type]) as ((token: Token) => ComponentChildren) | undefined;
    return make ? make(token) : token.raw;
  });
}

function isClosed(token: Tokens.Code): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(token.raw)?.[1];
  return fence === undefined || token.raw.trimEnd().endsWith(`\n${fence}`);
}

const ENTITIES: Record<string, string> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", mdash: "—", ndash: "–", hellip: "…" },
  ...{ rarr: "→", larr: "←", copy: "©", reg: "®", trade: "™", times: "×", deg: "°", middot: "·", bull: "•" },
};

/** Text of the lexer, read as `decoded` does; what would turn the text around is shown instead. */
function plain(text: string): ComponentChildren {
  return untwisted(decoded(text));
}

/** Text of the lexer, with the character references that a Markdown reader replaces. */
function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,6}));/g, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[name as string] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex as string, 16);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
  });
}
