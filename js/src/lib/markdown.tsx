/**
 * Markdown to virtual nodes, never to HTML text. Only the open end of a growing text is read again.
 *
 * Raw HTML is shown as text. Links open http, https and mailto addresses; pictures are drawn from data only.
 */

import { Lexer, type Token, type Tokens } from "marked";
import { Component, type ComponentChildren, type VNode } from "preact";
import { Code } from "../views/Code.tsx";
import { Visible } from "../views/Visible.tsx";
import { safeHref, safeImage } from "./urls.ts";
import { turnsAround, visibleText } from "./visible.ts";

/** Characters of an open end that are read again with every piece that comes. */
const OPEN = 20_000;

/** Top-level blocks of a text that mostly grows at its end. */
export class IncrementalLexer {
  private text = "";
  private frozen: Token[] = [];
  private offset = 0;
  private links: Lexer["tokens"]["links"] = {};
  /** A long open end is read again when the text is so long. */
  private again = 0;

  get hasDefinitions(): boolean {
    return Object.keys(this.links).length > 0;
  }

  /**
   * The blocks of the text. Blocks that did not change are the same objects as before. Of a text that still grows, a
   * very long open end is one block as it stands, and is read again each time that it is twice as long.
   */
  blocks(input: string, growing = false): Token[] {
    const text = input.includes("\r") ? input.replace(/\r\n?/g, "\n") : input;
    if (!text.startsWith(this.text.slice(0, this.offset))) {
      this.frozen = [];
      this.offset = 0;
      this.links = {};
      this.again = 0;
    }
    this.text = text;
    if (growing && text.length < this.again) return [...this.frozen, asItStands(text.slice(this.offset))];
    const lexer = new Lexer({ gfm: true });
    Object.assign(lexer.tokens.links, this.links);
    const fresh = [...lexer.lex(text.slice(this.offset))];
    this.links = lexer.tokens.links;
    const all = [...this.frozen, ...fresh];
    this.freeze(fresh, text);
    const left = text.length - this.offset;
    this.again = left > OPEN ? text.length + left : 0;
    return all;
  }

  /** Added text can only change the last block that is not a space: those before it are settled. */
  private freeze(fresh: Token[], text: string): void {
    let open = fresh.length - 1;
    while (open >= 0 && fresh[open]?.type === "space") open -= 1;
    const settled = fresh.slice(0, Math.max(0, open));
    const length = settled.reduce((sum, token) => sum + token.raw.length, 0);
    const whole = fresh.reduce((sum, token) => sum + token.raw.length, 0);
    if (whole !== text.length - this.offset) return; // the lexer changed the source: read it all again next time
    this.frozen = [...this.frozen, ...settled];
    this.offset += length;
  }
}

function asItStands(raw: string): Token {
  return { type: "literal", raw, text: raw };
}

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
  def: () => null,
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
    return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
  },
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
  link: (token: Tokens.Link) => {
    const href = safeHref(token.href);
    if (href === null) return <span title={visibleText(token.href, true)}>{inline(token.tokens)}</span>;
    return (
      <a href={href} title={visibleText(href, true)} target="_blank" rel="noopener noreferrer">
        {inline(token.tokens)}
      </a>
    );
  },
  image: (token: Tokens.Image) => {
    const src = safeImage(token.href);
    if (src !== null) return <img class="acp-image" src={src} alt={token.text} />;
    return <RemoteImage address={token.href} text={token.text} />;
  },
};

function inline(tokens: Token[] | undefined): ComponentChildren {
  return (tokens ?? []).map((token) => {
    const make = INLINE[token.type] as ((token: Token) => ComponentChildren) | undefined;
    return make ? make(token) : token.raw;
  });
}

/** A picture that stands elsewhere is named, never loaded. */
export function RemoteImage({ address, text }: { address: string; text?: string }): VNode {
  const href = safeHref(address);
  const shown = visibleText(address.length > 300 ? `${address.slice(0, 300)}…` : address, true);
  return (
    <span class="acp-remote-image">
      Picture not loaded{text ? ` (${visibleText(text, true)})` : ""}:{" "}
      {href === null ? (
        <code>{shown}</code>
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {shown}
        </a>
      )}
    </span>
  );
}

/** Characters that are laid out together in a text of one endless line. */
const PIECE = 5000;

/** A long text in pieces of about one length, cut at line ends or spaces where there are some. Added text changes the last one only. */
export function pieces(text: string): string[] {
  const found: string[] = [];
  let from = 0;
  while (text.length - from > PIECE) {
    const gap = /[\n ]/.exec(text.slice(from + PIECE, from + 2 * PIECE));
    const to = from + PIECE + (gap ? gap.index + 1 : 0);
    found.push(text.slice(from, to));
    from = to;
  }
  return [...found, text.slice(from)];
}

class Piece extends Component<{ text: string }> {
  override shouldComponentUpdate(next: { text: string }): boolean {
    return next.text !== this.props.text;
  }

  override render({ text }: { text: string }): VNode {
    return <span class="acp-md-piece">{text}</span>;
  }
}

/** Words that could show in another order than they stand are drawn literally, mark by mark. */
export function untwisted(text: string): ComponentChildren {
  if (turnsAround(text)) return <Visible text={text} />;
  return text.length > 2 * PIECE ? pieces(text).map((piece) => <Piece text={piece} />) : text;
}

function isClosed(token: Tokens.Code): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(token.raw)?.[1];
  return fence === undefined || token.raw.trimEnd().endsWith(`\n${fence}`);
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

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
