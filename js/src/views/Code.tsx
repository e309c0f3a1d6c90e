import { Component, type VNode } from "preact";
import { highlight } from "../lib/highlight.tsx";
import { turnsAround, visibleText } from "../lib/visible.ts";
import { CopyButton } from "./CopyButton.tsx";
import { untwisted } from "./LongText.tsx";
import "./Code.css";

interface Props {
  text: string;
  language: string;
  /** More is to come: it is coloured when it is whole. */
  open?: boolean;
}

/** A block of code. */
export class Code extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    const { text, language, open } = this.props;
    return next.text !== text || next.language !== language || next.open !== open;
  }

  override render({ text, language, open = false }: Props): VNode {
    const name = visibleText(language.slice(0, 30), true);
    const coloured = open || turnsAround(text) ? null : highlight(text, language);
    return (
      <div class="acp-code">
        <div class={name ? "acp-code-bar" : "acp-code-bar acp-code-corner"}>
          <span>{name}</span>
          <CopyButton class="acp-code-copy" text={text} label="Copy" title="Copies the code" />
        </div>
        <pre tabIndex={0}>
          <code>{coloured ?? untwisted(text)}</code>
        </pre>
      </div>
    );
  }
}
