/** Text of any length and any characters, laid out in pieces that cost nothing until they are looked at. */

import { Component, type ComponentChildren, type VNode } from "preact";
import { turnsAround } from "../lib/visible.ts";
import { Visible } from "./Visible.tsx";
import "./LongText.css";

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
