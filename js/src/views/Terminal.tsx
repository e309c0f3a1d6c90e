import { Component, type ComponentChildren, type VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Line, Screen, Span } from "../lib/ansi.ts";
import { relative, shortened } from "../lib/paths.ts";
import { bytes } from "../lib/time.ts";
import type { Terminal as TerminalState } from "../types.ts";
import { useApp } from "./context.ts";
import { Visible } from "./Visible.tsx";
import "./Terminal.css";

/** Lines in the page; older ones are only counted. */
export const SHOWN_LINES = 2000;
/** Lines that are drawn and kept together. */
const BLOCK = 50;

/** A terminal: command, folder, state, and its live tail. Display only. */
export function Terminal({ id, command = true }: { id: string; command?: boolean }): VNode {
  const { store } = useApp();
  const terminal = store.get("terminals", id);
  if (!terminal) {
    return (
      <div class="acp-term">
        <div class="acp-term-bar">A terminal that the agent has not described yet</div>
      </div>
    );
  }
  const buffer = store.buffer(id);
  const revision = buffer?.revision.value ?? 0;
  return (
    <div class="acp-term">
      <Bar terminal={terminal} size={buffer?.size ?? 0} command={command} />
      {buffer && buffer.size > 0 && (
        <Output screen={buffer.screen()} revision={revision} cut={terminal.output?.cut ?? 0} />
      )}
    </div>
  );
}

function Bar({ terminal, size, command }: { terminal: TerminalState; size: number; command: boolean }): VNode {
  const session = useApp().store.single("session").value;
  const { cwd } = terminal;
  return (
    <div class="acp-term-bar">
      {command && terminal.command !== null && (
        <span class="acp-term-command">
          $ <Visible text={terminal.command} />
        </span>
      )}
      {cwd !== null && (
        <span title={cwd}>
          <Visible text={cwd === session.cwd ? shortened(cwd, 1) : shortened(relative(cwd, session.cwd))} oneLine />
        </span>
      )}
      <span class="acp-grow" />
      <span>
        <Visible text={stateOf(terminal)} oneLine /> · {bytes(size + (terminal.output?.cut ?? 0))}
      </span>
    </div>
  );
}

/** "live", "exit 2", "ended by SIGTERM". */
export function stateOf(terminal: TerminalState): string {
  const exit = terminal.exitStatus;
  if (!exit) return "live";
  if (typeof exit.signal === "string") return `ended by ${exit.signal}`;
  return typeof exit.exitCode === "number" ? `exit ${exit.exitCode}` : "ended";
}

interface OutputProps {
  screen: Screen;
  /** The screen changes in place: another number makes it drawn again. */
  revision: number;
  cut: number;
}

function Output({ screen, cut }: OutputProps): VNode {
  const pre = useRef<HTMLPreElement>(null);
  const [follows, setFollows] = useState(true);
  const total = lastLine(screen);
  const first = Math.max(0, total - SHOWN_LINES);
  useLayoutEffect(() => {
    if (follows && pre.current) pre.current.scrollTop = pre.current.scrollHeight;
  });
  const onScroll = () => {
    const element = pre.current;
    if (element) setFollows(element.scrollHeight - element.scrollTop - element.clientHeight < 12);
  };
  const hidden = screen.dropped + first;
  return (
    <>
      {(hidden > 0 || cut > 0) && <div class="acp-term-cut">{cutNote(hidden, cut)}</div>}
      <pre ref={pre} tabIndex={0} onScroll={onScroll}>
        {blocksOf(screen, first, total)}
      </pre>
    </>
  );
}

/** The number of lines, without the empty one that a last newline begins. */
function lastLine({ lines }: Screen): number {
  return lines.length > 1 && lines[lines.length - 1]?.width === 0 ? lines.length - 1 : lines.length;
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
    const to = Math.min(total, from + BLOCK - (absolute % BLOCK));
    const lines = screen.lines.slice(from, to);
    const revision = lines.reduce((sum, line) => sum + line.revision, 0);
    blocks.push(
      <LineBlock key={Math.floor(absolute / BLOCK)} lines={lines} revision={revision} head={lines[0] as Line} />,
    );
    from = to;
  }
  return blocks;
}

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
    return <span class="acp-term-block">{lines.map((line, at) => [at > 0 && "\n", line.spans().map(spanOf)])}</span>;
  }
}

function spanOf(span: Span): ComponentChildren {
  if (!span.style) return span.text;
  const { classes, color, background } = span.style;
  return (
    <span class={classes} style={color || background ? { color, background } : undefined}>
      {span.text}
    </span>
  );
}
