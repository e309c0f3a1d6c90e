import { Component, type VNode } from "preact";
import { highlight } from "../lib/highlight.tsx";
import { turnsAround } from "../lib/visible.ts";
import { CopyButton } from "./CopyButton.tsx";
import { Visible } from "./Visible.tsx";
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
    return (
      <div class="acp-code">
        <pre tabIndex={0}>
          <code>
            {turnsAround(text) ? <Visible text={text} /> : ((open ? null : highlight(text, language)) ?? text)}
          </code>
        </pre>
        <CopyButton class="acp-code-copy" text={text} label="Copy" title="Copies the code" />
      </div>
    );
  }
}
