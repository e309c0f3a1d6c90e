/** The shape of the state: its groups, their keys, and how it begins. */

import type { GroupName, JsonObject } from "./types.ts";

export const GROUP_NAMES: readonly GroupName[] = [
  "messages",
  "toolCalls",
  "terminals",
  "permissions",
  "plans",
  "notices",
  "compactions",
  "unknownUpdates",
  "turns",
];

/** The group of a timeline key, by its letter. */
const GROUP_OF_LETTER: Record<string, GroupName> = {
  u: "messages",
  a: "messages",
  h: "messages",
  t: "toolCalls",
  x: "terminals",
  p: "permissions",
  l: "plans",
  n: "notices",
  c: "compactions",
  k: "unknownUpdates",
  r: "turns",
};

const NO_TIMES = { first: null, start: null, end: null };

/** What a store holds before the kernel has said anything. */
export function emptyState(): JsonObject {
  const groups = Object.fromEntries(GROUP_NAMES.map((name) => [name, {}]));
  return {
    version: 1,
    session: {
      sessionId: null,
      label: null,
      agent: null,
      command: null,
      note: null,
      cwd: null,
      temporary: false,
      protocolVersion: null,
      connection: "new",
      error: null,
      cancelling: false,
      promptCapabilities: {},
      policy: null,
      at: { ...NO_TIMES },
    },
    state: { state: "idle", busy: false, stopReason: null, background: null, error: null, usage: null },
    commands: [],
    configOptions: [],
    sessionInfo: { title: null, updatedAt: null, _meta: {} },
    usage: { used: null, size: null, cost: null },
    diagnostics: [],
    player: null,
    timeline: [],
    ...groups,
  };
}

/** The group that a timeline key belongs to; undefined when the key is none of ours. */
export function groupOf(key: string): GroupName | undefined {
  return key[1] === ":" ? GROUP_OF_LETTER[key[0] as string] : undefined;
}

export function isGroup(name: string): name is GroupName {
  return (GROUP_NAMES as readonly string[]).includes(name);
}
