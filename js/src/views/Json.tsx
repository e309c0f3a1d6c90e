import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { isObject } from "../lib/json.ts";
import type { Json as Value } from "../types.ts";
import { Visible } from "./Visible.tsx";
import "./Json.css";

const OPEN_UP_TO = 12;
const STEP = 100;
const LONG_TEXT = 2000;

/** JSON as a tree that opens where it is looked at. Nothing is drawn before. */
export function Json({ value, label = "JSON" }: { value: Value; label?: string }): VNode {
  return (
    <div class="acp-json" role="group" aria-label={label}>
      <Node value={value} depth={0} />
    </div>
  );
}

function Node({ name, value, depth }: { name?: string; value: Value; depth: number }): VNode {
  const entries = entriesOf(value);
  const [open, setOpen] = useState(entries !== null && (depth === 0 || (depth < 3 && entries.length <= OPEN_UP_TO)));
  const [shown, setShown] = useState(STEP);
  const key = name === undefined ? null : <Key name={name} />;
  if (entries === null || entries.length === 0) {
    return (
      <div class="acp-json-leaf">
        {key}
        <Leaf value={value} />
      </div>
    );
  }
  const list = Array.isArray(value);
  return (
    <div class="acp-json-node">
      <button type="button" class="acp-json-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        {key}
        <span class="acp-dim">
          {list ? "[" : "{"}
          {open ? "" : ` ${entries.length} ${list ? "]" : "}"}`}
        </span>
      </button>
      {open && (
        <div class="acp-json-inner">
          {entries.slice(0, shown).map(([inner, item]) => (
            <Node key={inner} {...(list ? {} : { name: inner })} value={item} depth={depth + 1} />
          ))}
          {entries.length > shown && (
            <button type="button" class="acp-quiet" onClick={() => setShown(shown + STEP)}>
              {entries.length - shown} more
            </button>
          )}
        </div>
      )}
      {open && <div class="acp-dim">{list ? "]" : "}"}</div>}
    </div>
  );
}

function Key({ name }: { name: string }): VNode {
  return (
    <span class="acp-json-key">
      <Visible text={JSON.stringify(name)} oneLine />:{" "}
    </span>
  );
}

function Leaf({ value }: { value: Value }): VNode {
  const [whole, setWhole] = useState(false);
  if (typeof value !== "string") return <span class="acp-json-other">{JSON.stringify(value)}</span>;
  const cut = !whole && value.length > LONG_TEXT;
  return (
    <span class="acp-json-text">
      <Visible text={JSON.stringify(cut ? value.slice(0, LONG_TEXT) : value)} />
      {cut && (
        <button type="button" class="acp-quiet" onClick={() => setWhole(true)}>
          {(value.length - LONG_TEXT).toLocaleString("en-US")} more characters
        </button>
      )}
    </span>
  );
}

function entriesOf(value: Value): [string, Value][] | null {
  if (Array.isArray(value)) return value.map((item, at) => [String(at), item]);
  return isObject(value) ? Object.entries(value) : null;
}
