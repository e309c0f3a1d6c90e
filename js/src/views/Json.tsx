import { type ComponentChildren, createContext, type VNode } from "preact";
import { useContext, useMemo, useState } from "preact/hooks";
import { pretty } from "../lib/json.ts";
import { entriesOf, hasMoreNodes, isHit, leafText, type Search, search } from "../lib/json_search.ts";
import type { Json as Value } from "../types.ts";
import { CopyButton } from "./CopyButton.tsx";
import { Visible } from "./Visible.tsx";
import "./Json.css";

const OPEN_UP_TO = 12;
const STEP = 100;
const LONG_TEXT = 2000;
/** Trees of more nodes can be searched. */
const SMALL = 8;

const Found = createContext<Search | null>(null);

/** JSON as a tree that opens where it is looked at. Nothing is drawn before. */
export function Json({ value, label = "JSON" }: { value: Value; label?: string }): VNode {
  const [words, setWords] = useState("");
  const found = useMemo(() => (words === "" ? null : search(value, words)), [value, words]);
  const large = useMemo(() => hasMoreNodes(value, SMALL), [value]);
  return (
    <div class="acp-json" role="group" aria-label={label}>
      {entriesOf(value) !== null && (
        <div class="acp-json-bar">
          {large && (
            <input
              type="search"
              placeholder="Filter"
              aria-label={`Filter: ${label}`}
              value={words}
              onInput={(event) => setWords(event.currentTarget.value)}
            />
          )}
          <span class="acp-dim" role="status">
            {found && `${found.count.toLocaleString("en-US")} ${found.count === 1 ? "match" : "matches"}`}
          </span>
          <span class="acp-grow" />
          <CopyButton text={() => pretty(value)} label="Copy JSON" />
        </div>
      )}
      <Found.Provider value={found}>{found?.count !== 0 && <Node value={value} depth={0} />}</Found.Provider>
    </div>
  );
}

function Node({ name = null, value, depth }: { name?: string | null; value: Value; depth: number }): VNode {
  const found = useContext(Found);
  const entries = entriesOf(value);
  const [chosen, setChosen] = useState(
    entries !== null && (depth === 0 || (depth < 3 && entries.length <= OPEN_UP_TO)),
  );
  const [shown, setShown] = useState(STEP);
  const key = name === null ? null : <Key name={name} />;
  if (entries === null || entries.length === 0) {
    return (
      <div class="acp-json-leaf">
        {key}
        <Leaf value={value} />
      </div>
    );
  }
  const list = Array.isArray(value);
  const holds = found?.holders.has(value) ?? false;
  const open = holds || chosen;
  const inside = found && holds ? entries.filter(([inner, item]) => isHit(found, list ? null : inner, item)) : entries;
  return (
    <div class="acp-json-node">
      <div class="acp-json-line">
        <button type="button" class="acp-json-toggle" aria-expanded={open} onClick={() => setChosen(!chosen)}>
          {key}
          <span class="acp-dim">
            {list ? "[" : "{"}
            {open ? "" : ` ${entries.length} ${list ? "]" : "}"}`}
          </span>
        </button>
        {depth > 0 && <Copy text={() => pretty(value)} what={name} />}
      </div>
      {open && (
        <div class="acp-json-inner">
          {inside.slice(0, shown).map(([inner, item]) => (
            <Node key={inner} name={list ? null : inner} value={item} depth={depth + 1} />
          ))}
          {inside.length > shown && (
            <button type="button" class="acp-quiet" onClick={() => setShown(shown + STEP)}>
              {inside.length - shown} more
            </button>
          )}
        </div>
      )}
      {open && <div class="acp-dim">{list ? "]" : "}"}</div>}
    </div>
  );
}

/** Seen when its line is pointed at, or when it has the focus. */
function Copy({ text, what }: { text: string | (() => string); what: string | null }): VNode {
  return (
    <CopyButton class="acp-quiet acp-json-copy" text={text} label="Copy" title={`Copies ${what ?? "this value"}`} />
  );
}

function Key({ name }: { name: string }): VNode {
  return (
    <span class="acp-json-key">
      <Marked text={JSON.stringify(name)} oneLine />:{" "}
    </span>
  );
}

function Leaf({ value }: { value: Value }): VNode {
  const found = useContext(Found);
  const [whole, setWhole] = useState(false);
  if (typeof value !== "string") {
    return (
      <span class="acp-json-other">
        <Marked text={leafText(value)} />
      </span>
    );
  }
  // A match beyond the cut would be one that nobody can see.
  const cut = !whole && value.length > LONG_TEXT && !(found && value.toLowerCase().includes(found.words));
  const shown = cut ? value.slice(0, LONG_TEXT) : value;
  const lines = value.includes("\n");
  return (
    <>
      <span class={`acp-json-text${lines ? " acp-json-lines" : ""}`}>
        <Marked text={lines ? shown : JSON.stringify(shown)} />
      </span>
      {cut && (
        <button type="button" class="acp-quiet" onClick={() => setWhole(true)}>
          {(value.length - LONG_TEXT).toLocaleString("en-US")} more characters
        </button>
      )}
      {lines && <Copy text={value} what="this text" />}
    </>
  );
}

/** Text in which the words that are looked for stand out. */
function Marked({ text, oneLine = false }: { text: string; oneLine?: boolean }): ComponentChildren {
  const words = useContext(Found)?.words;
  if (!words) return <Visible text={text} oneLine={oneLine} />;
  const parts: ComponentChildren[] = [];
  const low = text.toLowerCase();
  let from = 0;
  for (let at = low.indexOf(words); at >= 0; at = low.indexOf(words, from)) {
    if (at > from) parts.push(<Visible text={text.slice(from, at)} oneLine={oneLine} />);
    from = at + words.length;
    parts.push(
      <mark>
        <Visible text={text.slice(at, from)} oneLine={oneLine} />
      </mark>,
    );
  }
  if (from < text.length) parts.push(<Visible text={text.slice(from)} oneLine={oneLine} />);
  return parts;
}
