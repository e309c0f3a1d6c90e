import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { isObject, stringAt } from "../lib/json.ts";
import { type FilePatch, KNOWN, type MatchedPatch, matchPatch, type Rest } from "../lib/patch.ts";
import { relative } from "../lib/paths.ts";
import { visibleText } from "../lib/visible.ts";
import type { JsonObject, Tagged } from "../types.ts";
import { CopyButton } from "./CopyButton.tsx";
import { useApp } from "./context.ts";
import { Details } from "./Details.tsx";
import { LongLine, Rows } from "./DiffRows.tsx";
import { Icon } from "./Icon.tsx";
import { Json } from "./Json.tsx";
import { Visible } from "./Visible.tsx";
import "./Diff.css";

/** Longer patches of a file begin closed. */
const FOLD_ABOVE = 400;

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
        <File
          change={change}
          file={matched.files[at] ?? null}
          cwd={cwd}
          whole={at === 0 && changes.length > 1 ? text : ""}
        />
      ))}
      {changes.length === 0 && <div class="acp-file acp-dim">No changes listed</div>}
      {matched.rest.map((rest) => (
        <RestPatch rest={rest} />
      ))}
      {patch && format !== "git_patch" && <OtherFormat format={format} text={text} patch={patch} />}
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

function OtherFormat({ format, text, patch }: { format: string | null; text: string; patch: JsonObject }): VNode {
  const words = (
    <>
      A patch in the format{" "}
      <code>
        <Visible text={format ?? "unknown"} oneLine />
      </code>
      , as the agent sent it
    </>
  );
  return (
    <div class="acp-diff-rest">
      <Details summary={words} start={text.split("\n").length <= FOLD_ABOVE}>
        {() =>
          text === "" ? (
            <Json value={patch} />
          ) : (
            <>
              <TextPatch text={text} />
              <CopyButton text={text} label="Copy patch" />
            </>
          )
        }
      </Details>
    </div>
  );
}

function TextPatch({ text }: { text: string }): VNode {
  return (
    <pre class="acp-patch-text" tabIndex={0}>
      <LongLine text={text} long={100_000} />
    </pre>
  );
}

interface FileProps {
  change: JsonObject;
  file: FilePatch | null;
  cwd: string | null;
  /** The whole patch, where this row offers to copy it. */
  whole: string;
}

function File({ change, file, cwd, whole }: FileProps): VNode {
  const { sideBySide: split } = useApp();
  const rows = file?.rows.length ?? 0;
  const [open, setOpen] = useState(rows <= FOLD_ABOVE);
  const path = stringAt(change, "path") ?? "";
  const name = visibleText(relative(path, cwd), true);
  const known = KNOWN.test(stringAt(change, "operation") ?? "");
  const said = [stringAt(change, "fileType"), stringAt(change, "mimeType"), ...(file?.notes ?? []), note(file)];
  const notes = [...new Set(said)].filter((text) => text && text !== "text");
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
          <button type="button" class="acp-quiet" aria-expanded={open} title={name} onClick={() => setOpen(!open)}>
            {open ? "Hide" : `Show ${rows.toLocaleString("en-US")} lines`}
          </button>
        )}
        {file && open && rows > 0 && (
          <button
            type="button"
            class="acp-quiet acp-split"
            title={`${split.value ? "Unified" : "Split"} view of ${name}`}
            onClick={() => {
              split.value = !split.value;
            }}
          >
            {split.value ? "Unified" : "Split"}
          </button>
        )}
        {file && <CopyButton text={file.text} label="Copy patch" title={`Copies the patch of ${name}`} />}
        {whole !== "" && <CopyButton text={whole} label="Copy all" title="Copies the patch of all files" />}
      </div>
      {file?.hints.map((hint) => (
        <p class="acp-diff-hint acp-warn">
          <Icon name="alert" /> <Visible text={hint} oneLine />
        </p>
      ))}
      {!known && <Json value={change} label="The change as the agent sent it" />}
      {file && open && rows > 0 && (
        <Rows
          rows={file.rows}
          name={name}
          language={/[^.]*$/.exec(path)?.[0].toLowerCase() ?? ""}
          split={split.value}
        />
      )}
    </>
  );
}

function note(file: FilePatch | null): string | null {
  if (!file) return "no patch";
  return file.binary ? "binary" : null;
}

function Paths({ change, cwd }: { change: JsonObject; cwd: string | null }): VNode {
  const path = stringAt(change, "path");
  const old = stringAt(change, "oldPath");
  const directory = stringAt(change, "fileType") === "directory";
  return (
    <span class="acp-path" title={path ?? ""}>
      {old !== null && (
        <>
          <Visible text={relative(old, cwd)} oneLine />
          <span class="acp-dim"> → </span>
        </>
      )}
      <Visible text={path === null ? "" : relative(path, cwd)} oneLine />
      {directory && !path?.endsWith("/") && "/"}
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
