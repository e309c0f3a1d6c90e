import { Component, type ComponentChildren, type VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Line, Screen, Span } from "../lib/ansi.ts";
import type { TerminalBuffer } from "../lib/terminal_buffer.ts";
import { bytes } from "../lib/time.ts";
import { CopyButton } from "./CopyButton.tsx";
import { Visible } from "./Visible.tsx";
import "./TerminalOutput.css";

/** Lines in the page; older ones are only counted. */
export const SHOWN_LINES = 2000;
/** And no more columns than this, since lines may be long. */
export const SHOWN_COLUMNS = 400_000;
/** Lines that are drawn and kept together. */
const BLOCK = 50;
/** A line with more columns is drawn by itself: it may be one that never ends, of which each piece comes alone. */
const LONG = 1000;
/** Pixels: a guess for what was never laid out. */
const LINE_HEIGHT = 17.4;
/** Pixels from the end that still count as the end. */
const NEAR = 12;

interface Props {
  buffer: TerminalBuffer;
  /** It changes in place: another number makes it drawn again. */
  revision: number;
  /** Bytes that are no longer there. */
  cut: number;
}

/** What a terminal shows: its end, until the reader scrolls up. */
export function TerminalOutput({ buffer, cut }: Props): VNode {
  const screen = buffer.screen();
  const pre = useRef<HTMLPreElement>(null);
  const [follows, setFollows] = useState(true);
  const total = lastLine(screen);
  const first = firstShown(screen, total);
  const lastTop = useRef(0);
  useLayoutEffect(() => {
    const element = pre.current;
    if (!element || !follows) return;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
  });
  const onScroll = () => {
    const element = pre.current;
    if (!element) return;
    if (element.scrollHeight - element.scrollTop - element.clientHeight < NEAR) setFollows(true);
    else if (element.scrollTop < lastTop.current - 1) setFollows(false);
    lastTop.current = element.scrollTop;
  };
  const back = () => {
    setFollows(true);
    pre.current?.focus({ preventScroll: true }); // the button goes; the keys stay here
  };
  const hidden = screen.dropped + first;
  return (
    <>
      {(hidden > 0 || cut > 0) && <div class="acp-term-cut">{cutNote(hidden, cut)}</div>}
      <div class="acp-term-frame">
        <pre ref={pre} tabIndex={0} role="group" aria-label="Terminal output" onScroll={onScroll}>
          {blocksOf(screen, first, total)}
        </pre>
        <div class="acp-term-tools">
          <CopyButton text={() => screen.text()} label="Copy" />
          <CopyButton text={() => buffer.raw()} label="Copy with colours" title="Copies what the program wrote" />
        </div>
        {!follows && (
          <button type="button" class="acp-to-end" onClick={back}>
            ↓ Latest
          </button>
        )}
      </div>
    </>
  );
}

/** The number of lines, without the empty one that a last newline begins. */
function lastLine({ lines }: Screen): number {
  return lines.length > 1 && lines[lines.length - 1]?.width === 0 ? lines.length - 1 : lines.length;
}

function firstShown({ lines }: Screen, total: number): number {
  let first = total;
  let columns = 0;
  while (first > 0 && total - first < SHOWN_LINES) {
    columns += lines[first - 1]?.width ?? 0;
    if (columns > SHOWN_COLUMNS) break;
    first -= 1;
  }
  return first;
}

function cutNote(lines: number, cut: number): string {
  const parts = [
    lines > 0 ? `${lines.toLocaleString("en-US")} earlier lines are not drawn` : "",
    cut > 0 ? `the first ${bytes(cut)} were cut` : "",
  ].filter(Boolean);
  return parts.join(" · ");
}

function blocksOf(screen: Screen, first: number, total: number): VNode[] {
  const blocks: VNode[] = [];
  // Block borders stand at fixed lines of the whole output, so that a block keeps its lines while others come.
  let from = first;
  while (from < total) {
    const absolute = screen.dropped + from;
    const border = Math.min(total, from + BLOCK - (absolute % BLOCK));
    let to = from + 1;
    while (to < border && !isLong(screen, to - 1) && !isLong(screen, to)) to += 1;
    const lines = screen.lines.slice(from, to);
    const revision = lines.reduce((sum, line) => sum + line.revision, 0);
    const key = from === first ? "first" : absolute;
    blocks.push(<LineBlock key={key} lines={lines} revision={revision} head={lines[0] as Line} />);
    from = to;
  }
  return blocks;
}

const isLong = ({ lines }: Screen, at: number): boolean => (lines[at]?.width ?? 0) > LONG;

interface BlockProps {
  lines: Line[];
  /** The screen changes its lines in place: their revisions tell. */
  revision: number;
  head: Line;
}

class LineBlock extends Component<BlockProps> {
  override shouldComponentUpdate(next: BlockProps): boolean {
    return next.revision !== this.props.revision || next.head !== this.props.head;
  }

  override render({ lines }: BlockProps): VNode {
    const style = { containIntrinsicSize: `auto ${lines.length * LINE_HEIGHT}px` };
    return (
      <span class="acp-term-block" style={style}>
        {lines.map((line, at) => [at > 0 && "\n", line.spans().map(spanOf)])}
      </span>
    );
  }
}

function spanOf(span: Span): ComponentChildren {
  // A selector that only makes a sign colourful hides nothing.
  const text = <Visible text={span.text.replaceAll("\ufe0f", "")} oneLine output />;
  if (!span.style) return text;
  const { classes, color, background } = span.style;
  return (
    <span class={classes} style={color || background ? { color, background } : undefined}>
      {text}
    </span>
  );
}
