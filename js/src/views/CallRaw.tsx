import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { pythonString } from "../lib/python.ts";
import type { ToolCall, Json as Value } from "../types.ts";
import { CopyButton } from "./CopyButton.tsx";
import { Json } from "./Json.tsx";

/** What can be looked at raw, and its name in Python. */
const TABS = [
  { label: "Raw input", python: ".raw_input", of: (call: ToolCall) => call.rawInput },
  { label: "Raw output", python: ".raw_output", of: (call: ToolCall) => call.rawOutput },
  { label: "Other fields", python: "", of: otherFields },
];

/** Fields without a view: those that nobody here knows, and the agent's own notes. */
function otherFields(call: ToolCall): Value {
  const meta = Object.keys(call._meta ?? {}).length > 0 ? { _meta: call._meta } : {};
  const fields = { ...call.more, ...meta };
  return Object.keys(fields).length > 0 ? fields : null;
}

/** The raw values of a call, one click away, and the way to them in Python. */
export function CallRaw({ call }: { call: ToolCall }): VNode {
  const [shown, show] = useState<string | null>(null);
  const tabs = TABS.filter((tab) => (tab.of(call) ?? null) !== null);
  const tab = tabs.find((each) => each.label === shown);
  const field = (tab ?? tabs.find((each) => each.label === "Raw output"))?.python ?? "";
  return (
    <>
      <div class="acp-tabs">
        {tabs.map(({ label }) => (
          <button type="button" aria-expanded={label === shown} onClick={() => show(label === shown ? null : label)}>
            {label}
          </button>
        ))}
        <CopyButton
          class=""
          text={`agent.tool_calls[${pythonString(call.toolCallId)}]${field}`}
          label="Copy as Python"
          title="Copies the expression that gives this in Python"
        />
      </div>
      {tab && (
        <div class="acp-item">
          <Json key={tab.label} value={tab.of(call)} label={tab.label} />
        </div>
      )}
    </>
  );
}
