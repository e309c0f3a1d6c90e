import { Component, type ComponentChildren, type VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { highlightLines, type Stretch } from "../lib/highlight.tsx";
import { type Part, type Row, wordMarks } from "../lib/patch.ts";
import { folded, type Line, paired } from "../lib/patch_lines.ts";
import { Visible } from "./Visible.tsx";

/** Lines drawn at a time, so that a long patch never holds the page up. */
const STEP = 100;

interface Props {
  rows: Row[];
  name: string;
  /** The end of the file's name, for the colours. */
  language: string;
  split: boolean;
}

/** The lines of a file's patch. */
export function Rows({ rows, name, language, split }: Props): VNode {
  const [drawn, setDrawn] = useState(STEP);
  const [shown, setShown] = useState<ReadonlySet<Row>>(new Set());
  const colours = useMemo(() => coloursOf(rows, language), [rows, language]);
  const lines = useMemo(() => {
    const all = folded(rows, shown);
    return split ? paired(all) : all;
  }, [rows, shown, split]);
  useEffect(() => {
    if (drawn >= lines.length) return;
    const frame = requestAnimationFrame(() => setDrawn(drawn + STEP));
    return () => cancelAnimationFrame(frame);
  }, [drawn, lines.length]);
  const unfold = (first: Row) => setShown(new Set([...shown, first]));
  const slices: Line[][] = [];
  for (let at = 0; at < Math.min(drawn, lines.length); at += STEP) slices.push(lines.slice(at, at + STEP));
  return (
    <div class="acp-patch" tabIndex={0} role="group" aria-label={`Patch of ${name}`}>
      <div class={split ? "acp-patch-split" : "acp-patch-inner"}>
        {slices.map((slice, at) => (
          <Slice key={at} lines={slice} of={lines} colours={colours} unfold={unfold} />
        ))}
      </div>
    </div>
  );
}

/** Colours of the lines before and after, each side read as one text. */
function coloursOf(rows: readonly Row[], language: string): Map<Row, Stretch[]> {
  const colours = new Map<Row, Stretch[]>();
  for (const skip of ["add", "del"]) {
    const side = rows.filter(({ kind }) => kind !== skip && kind !== "hunk" && kind !== "note");
    const found = highlightLines(
      side.map((row) => row.text),
      language,
    );
    found?.forEach((stretches, at) => {
      colours.set(side[at] as Row, stretches);
    });
  }
  return colours;
}

interface SliceProps {
  lines: Line[];
  /** All lines: the same list means nothing changed. */
  of: Line[];
  colours: Map<Row, Stretch[]>;
  unfold: (first: Row) => void;
}

/** A stretch of lines, drawn once. */
class Slice extends Component<SliceProps> {
  override shouldComponentUpdate(next: SliceProps): boolean {
    return next.of !== this.props.of || next.colours !== this.props.colours;
  }

  override render({ lines, colours, unfold }: SliceProps): VNode {
    const marks = wordMarks(lines.flatMap((line) => (line.pair ? [] : line.rows)));
    for (const [row, parts] of wordMarks(pairsInOrder(lines))) marks.set(row, parts);
    const one = (row: Row) => lineOf(row, marks.get(row), colours.get(row));
    return (
      <div class="acp-slice">
        {lines.map(({ rows, fold, pair }) => {
          const first = rows[0] as Row;
          if (fold) {
            return (
              <button type="button" class="acp-fold" onClick={() => unfold(first)}>
                {rows.length} unchanged lines
              </button>
            );
          }
          return pair ? (
            <div class="acp-pair">{pair.map((row) => (row ? one(row) : <div class="acp-row acp-row-none" />))}</div>
          ) : (
            one(first)
          );
        })}
      </div>
    );
  }
}

/** The changed lines of the pairs as a patch has them: removed runs before added ones. */
function pairsInOrder(lines: readonly Line[]): Row[] {
  return lines.flatMap(({ pair }) => (pair?.[0]?.kind === "del" && pair[1]?.kind === "add" ? [pair[0], pair[1]] : []));
}

const SIGNS: Record<Row["kind"], string> = { hunk: "", same: "", add: "+", del: "−", note: "" };

function lineOf(row: Row, parts: Part[] | undefined, colours: Stretch[] | undefined): VNode {
  if (row.kind === "hunk") {
    return (
      <div class="acp-hunk">
        <Visible text={row.text} oneLine />
      </div>
    );
  }
  return (
    <div class={`acp-row acp-row-${row.kind}`}>
      <span class="acp-n">{row.before}</span>
      <span class="acp-n">{row.after}</span>
      <span class="acp-sign">{SIGNS[row.kind]}</span>
      <span class="acp-line">
        {textOf(row.text, parts, colours)}
        {row.lf && (
          <span class="acp-mark" title="ends in LF, unlike most lines here">
            ⟨LF⟩
          </span>
        )}
      </span>
    </div>
  );
}

/** Characters of a line that are drawn at first: a bundled file may be one line of millions. */
const LONG = 4000;

/** Text with its end behind a button, where it is long. */
export function LongLine({ text, long = LONG }: { text: string; long?: number }): VNode {
  const [whole, setWhole] = useState(text.length <= long);
  return (
    <>
      <Visible text={whole ? text : text.slice(0, long)} />
      {!whole && (
        <button type="button" class="acp-fold" onClick={() => setWhole(true)}>
          {(text.length - long).toLocaleString("en-US")} more characters
        </button>
      )}
    </>
  );
}

function textOf(text: string, parts: Part[] | undefined, colours: Stretch[] | undefined): ComponentChildren {
  if (text.length > LONG) return <LongLine text={text} />;
  const whole: Part[] = parts ?? [{ text, changed: false }];
  let at = 0;
  return whole.map((part) => {
    const inner = colours ? coloured(text, at, at + part.text.length, colours) : <Visible text={part.text} />;
    at += part.text.length;
    return part.changed ? <span class="acp-diff-word">{inner}</span> : inner;
  });
}

function coloured(text: string, from: number, to: number, colours: Stretch[]): ComponentChildren {
  let at = 0;
  return colours.map(({ length, scope }) => {
    const [start, end] = [Math.max(from, at), Math.min(to, at + length)];
    at += length;
    if (start >= end) return null;
    const piece = <Visible text={text.slice(start, end)} />;
    return scope ? <span class={`acp-h-${scope}`}>{piece}</span> : piece;
  });
}
