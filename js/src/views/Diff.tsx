import { Component, type ComponentChildren, type VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { isObject, stringAt } from "../lib/json.ts";
import {
  type FilePatch,
  type MatchedPatch,
  matchPatch,
  type Part,
  type Rest,
  type Row,
  wordMarks,
} from "../lib/patch.ts";
import { relative } from "../lib/paths.ts";
import type { JsonObject, Tagged } from "../types.ts";
import { CopyButton } from "./CopyButton.tsx";
import { useApp } from "./context.ts";
import { Icon } from "./Icon.tsx";
import { Json } from "./Json.tsx";
import { Visible } from "./Visible.tsx";
import "./Diff.css";

/** Longer patches of a file begin closed. */
const FOLD_ABOVE = 400;
/** Rows drawn at a time, so that a long patch never holds the page up. */
const STEP = 250;

interface Props {
  item: Tagged;
}

/** What changes: a row a file, and the patch under it where there is one. */
export function Diff({ item }: Props): VNode {
  const { store } = useApp();
  const cwd = store.single("session").value.cwd;
  const changes = Array.isArray(item.changes) ? item.changes.filter(isObject) : [];
  const patch = isObject(item.patch) ? item.patch : null;
  const format = stringAt(patch, "format");
  const text = stringAt(patch, "text") ?? "";
  const matched = useMemo<MatchedPatch>(
    () => (format === "git_patch" ? matchPatch(text, changes, cwd) : { files: [], rest: [] }),
    [item, cwd],
  );
  return (
    <div class="acp-diff">
      {changes.map((change, at) => (
        <File change={change} file={matched.files[at] ?? null} cwd={cwd} copy={at === 0 ? text : ""} />
      ))}
      {changes.length === 0 && <div class="acp-file acp-dim">No changes listed</div>}
      {matched.rest.map((rest) => (
        <RestPatch rest={rest} />
      ))}
      {format !== null && format !== "git_patch" && <OtherFormat format={format} text={text} />}
    </div>
  );
}

const REST_WORDS: Record<Rest["why"], string> = {
  stray: "The patch names a file that is not among the changes.",
  unreadable: "A part of the patch cannot be read.",
};

function RestPatch({ rest }: { rest: Rest }): VNode {
  return (
    <div class="acp-diff-rest">
      <p class="acp-warn">
        <Icon name="alert" /> <b>{REST_WORDS[rest.why]}</b> Shown as text:
      </p>
      <TextPatch text={rest.text} />
    </div>
  );
}

function OtherFormat({ format, text }: { format: string; text: string }): VNode {
  return (
    <div class="acp-diff-rest">
      <p class="acp-dim">
        A patch in the format{" "}
        <code>
          <Visible text={format} oneLine />
        </code>
        , shown as text:
      </p>
      <TextPatch text={text} />
    </div>
  );
}

function TextPatch({ text }: { text: string }): VNode {
  return (
    <pre class="acp-patch-text" tabIndex={0}>
      <Visible text={text} />
    </pre>
  );
}

interface FileProps {
  change: JsonObject;
  file: FilePatch | null;
  cwd: string | null;
  /** The whole patch, where this row offers to copy it. */
  copy: string;
}

function File({ change, file, cwd, copy }: FileProps): VNode {
  const rows = file?.rows.length ?? 0;
  const [open, setOpen] = useState(rows <= FOLD_ABOVE);
  const known = Object.hasOwn(KNOWN_FIELDS, stringAt(change, "operation") ?? "");
  const notes = [stringAt(change, "fileType"), stringAt(change, "mimeType"), note(file)].filter(
    (text) => text && text !== "text",
  );
  return (
    <>
      <div class="acp-file">
        <span class="acp-dim">
          <Visible text={stringAt(change, "operation") ?? "change"} oneLine />
        </span>
        <Paths change={change} cwd={cwd} />
        {file && !file.binary && <Counts file={file} />}
        {notes.length > 0 && (
          <span class="acp-dim">
            <Visible text={notes.join(" · ")} oneLine />
          </span>
        )}
        <span class="acp-grow" />
        {rows > FOLD_ABOVE && (
          <button type="button" class="acp-quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Hide" : `Show ${rows.toLocaleString("en-US")} lines`}
          </button>
        )}
        {copy !== "" && <CopyButton text={copy} label="Copy patch" />}
      </div>
      {!known && <Json value={change} label="The change as the agent sent it" />}
      {file && open && rows > 0 && <Rows rows={file.rows} />}
    </>
  );
}

const KNOWN_FIELDS = { add: 1, delete: 1, modify: 1, move: 1, copy: 1 };

function note(file: FilePatch | null): string | null {
  if (!file) return "no patch";
  return file.binary ? "binary" : null;
}

function Paths({ change, cwd }: { change: JsonObject; cwd: string | null }): VNode {
  const path = stringAt(change, "path");
  const old = stringAt(change, "oldPath");
  return (
    <span class="acp-path" title={path ?? ""}>
      {old !== null && (
        <>
          <Visible text={relative(old, cwd)} oneLine />
          <span class="acp-dim"> → </span>
        </>
      )}
      <Visible text={path === null ? "" : relative(path, cwd)} oneLine />
    </span>
  );
}

function Counts({ file }: { file: FilePatch }): VNode {
  return (
    <span class="acp-stat">
      <span class="acp-ok">+{file.added.toLocaleString("en-US")}</span>{" "}
      <span class="acp-bad">−{file.removed.toLocaleString("en-US")}</span>
    </span>
  );
}

function Rows({ rows }: { rows: Row[] }): VNode {
  const [drawn, setDrawn] = useState(STEP);
  useEffect(() => {
    if (drawn >= rows.length) return;
    const frame = requestAnimationFrame(() => setDrawn(drawn + STEP));
    return () => cancelAnimationFrame(frame);
  }, [drawn, rows.length]);
  const slices: Row[][] = [];
  for (let at = 0; at < Math.min(drawn, rows.length); at += STEP) slices.push(rows.slice(at, at + STEP));
  return (
    <div class="acp-patch" tabIndex={0} role="group" aria-label="Patch">
      <div class="acp-patch-inner">
        {slices.map((slice, at) => (
          <Slice key={at} rows={slice} first={slice[0] as Row} />
        ))}
      </div>
    </div>
  );
}

interface SliceProps {
  rows: Row[];
  first: Row;
}

/** A stretch of rows, drawn once. */
class Slice extends Component<SliceProps> {
  override shouldComponentUpdate(next: SliceProps): boolean {
    return next.first !== this.props.first;
  }

  override render({ rows }: SliceProps): VNode {
    const marks = wordMarks(rows);
    return <div class="acp-slice">{rows.map((row) => lineOf(row, marks.get(row)))}</div>;
  }
}

const SIGNS: Record<Row["kind"], string> = { hunk: "", same: "", add: "+", del: "−", note: "" };

function lineOf(row: Row, parts: Part[] | undefined): VNode {
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
      <span class="acp-line">{parts ? parts.map(partOf) : <Visible text={row.text} />}</span>
    </div>
  );
}

function partOf(part: Part): ComponentChildren {
  const text = <Visible text={part.text} />;
  return part.changed ? <span class="acp-word">{text}</span> : text;
}
