import { Component, type VNode } from "preact";
import { useContext } from "preact/hooks";
import { Inserting } from "../host/cells.ts";
import { copyText } from "../lib/copy.ts";
import { highlight } from "../lib/highlight.tsx";
import { turnsAround, visibleText } from "../lib/visible.ts";
import { CopyButton, SayingButton } from "./CopyButton.tsx";
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
          <span>
            {!open && PYTHON.test(language) && <InsertButton text={text} />}
            <CopyButton class="acp-code-copy" text={text} label="Copy" title="Copies the code" />
          </span>
        </div>
        <pre tabIndex={0}>
          <code>{coloured ?? untwisted(text)}</code>
        </pre>
      </div>
    );
  }
}

const PYTHON = /^(py|python3?|ipython)$/i;

/** A button that proposes code as a cell of the notebook around us; nothing where that cannot be. */
function InsertButton({ text }: { text: string }): VNode | null {
  const insert = useContext(Inserting);
  const act = async (button: Element): Promise<string> => {
    if (insert?.(button, text)) return "Inserted below";
    return (await copyText(text)) ? "Could not insert: copied instead" : "Could not insert, nor copy";
  };
  return (
    insert && (
      <SayingButton
        class="acp-code-copy acp-code-insert"
        act={act}
        label="Insert below"
        title="Puts the code into a new cell below, not run"
      />
    )
  );
}
