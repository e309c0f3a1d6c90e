/** The state as the kernel sends it: plain JSON with ACP's wire names (docs/internals.md). */

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** Seconds since the epoch, on the kernel's clock. */
export interface Times {
  first: number | null;
  start: number | null;
  end: number | null;
}

interface Entity {
  turn: string | null;
  at: Times;
  /** Fields that the agent sent and nobody here knows. */
  more?: JsonObject;
}

/** A content block, a tool call's content item, a subject: kept verbatim, told apart by `type`. */
export type Tagged = JsonObject & { type: string };

export interface Message extends Entity {
  messageId: string;
  role: "user" | "agent" | "thought";
  content: Tagged[];
  _meta: JsonObject;
}

export interface Location extends JsonObject {
  path: string;
}

export interface ToolCall extends Entity {
  toolCallId: string;
  title: string | null;
  name: string | null;
  kind: string;
  status: string;
  content: Tagged[];
  locations: Location[];
  rawInput: Json;
  rawOutput: Json;
  capabilities: JsonObject | null;
  _meta: JsonObject;
}

export interface Terminal extends Entity {
  terminalId: string;
  command: string | null;
  cwd: string | null;
  /** `data` is base64 in a snapshot; in the store the bytes stand in a TerminalBuffer and `data` is "". */
  output: { data: string; _meta: Json; cut: number } | null;
  exitStatus: { exitCode?: number | null; signal?: string | null } | null;
  size: JsonObject | null;
  capabilities: JsonObject | null;
  _meta: JsonObject;
}

export interface PermissionOption extends JsonObject {
  optionId: string;
  name: string;
  kind: string;
}

export interface Permission extends Entity {
  requestId: Json;
  title: string;
  description: string | null;
  subject: JsonObject | null;
  options: PermissionOption[];
  status: "pending" | "selected" | "cancelled";
  optionId: string | null;
  toolCallId: string | null;
  problem: string | null;
  by: string | null;
  why: string | null;
  /** The rule that the user may make of it, as it is written in Python. */
  rule?: string | null;
}

export interface Plan extends Entity {
  plan: JsonObject;
}

export interface Notice extends Entity {
  severity: string;
  title: string;
  description: string | null;
}

export interface Compaction extends Entity {
  compactionId: string;
  status: string;
  summary: Tagged[] | null;
  error: string | null;
}

export interface UnknownUpdate extends Entity {
  raw: Json;
}

export interface Turn {
  number: number;
  prompt: Tagged[] | null;
  source: "python" | "composer" | null;
  status: "queued" | "sent" | "running" | "done" | "failed" | "not_sent";
  echo: string | null;
  messageId: string | null;
  stopReason: string | null;
  error: { message: string; code?: Json; data?: Json } | null;
  at: { queued: number | null; sent: number | null; end: number | null };
}

/** A way to log in. `python`: what to write. `command`: to run in a terminal, with `env` (names) set. */
export interface AuthMethod {
  methodId: string;
  type: string;
  name: string;
  description: string | null;
  link: string | null;
  vars: string[];
  python: string | null;
  command: string | null;
  env: string[];
}

export interface Session {
  sessionId: string | null;
  label: string | null;
  agent: { name: string | null; title: string | null; version: string | null } | null;
  command: string[] | null;
  note?: string | null;
  cwd: string | null;
  temporary: boolean;
  additionalDirectories?: string[];
  mcpServers?: { name: string | null; type: string | null }[];
  protocolVersion: number | null;
  connection: "new" | "starting" | "login" | "ready" | "closed" | "failed";
  error: { name: string; title: string; message: string; hint: string; stderr: string } | null;
  cancelling: boolean;
  promptCapabilities: JsonObject;
  policy: Json;
  rules?: { word: string; text: string }[];
  authMethods: AuthMethod[];
  /** What the agent waits for: the method under way, and why the last try failed. */
  login: { message: string; hint: string; methodId: string | null; error: string | null } | null;
  at: { start: number | null; ready: number | null; end: number | null };
}

export interface Foreground {
  state: string;
  busy: boolean;
  stopReason: string | null;
  background: JsonObject[] | null;
  error: JsonObject | null;
  usage: Json;
}

export interface Usage {
  used: number | null;
  size: number | null;
  cost: { amount: number; currency: string } | null;
}

export interface Diagnostic {
  message: string;
  where: string | null;
  at: number;
  /** How often it came, when it repeats at once. */
  count?: number;
}

/** The groups of entities, and what each holds. */
export interface Groups {
  messages: Message;
  toolCalls: ToolCall;
  terminals: Terminal;
  permissions: Permission;
  plans: Plan;
  notices: Notice;
  compactions: Compaction;
  unknownUpdates: UnknownUpdate;
  turns: Turn;
}
export type GroupName = keyof Groups;

/** The player of a replay: null in a live session. */
export interface Player {
  name: string;
  position: number;
  count: number;
  limit: number;
  playing: boolean;
  speed: number | null;
  at: number;
  length: number;
  clock: number | null;
  beats: number[];
  marks: { position: number; kind: string; title: string }[];
  note: { position: number; title: string; text: string } | null;
  ask: {
    position: number;
    permission: string | null;
    question: string;
    options: { optionId: string; name: string }[];
    predict: boolean;
  } | null;
  choices: {
    position: number;
    question: string;
    chosen: string;
    recorded: string | null;
    right: boolean | null;
  }[];
  end: string | null;
  problem: string | null;
}

/** What stands beside the groups. */
export interface Singles {
  version: number;
  session: Session;
  state: Foreground;
  commands: JsonObject[];
  configOptions: JsonObject[];
  sessionInfo: { title: string | null; updatedAt: string | null; _meta: JsonObject };
  usage: Usage;
  diagnostics: Diagnostic[];
  player: Player | null;
  timeline: string[];
  cutNote: string | null;
}
export type SingleName = keyof Singles;

export type Path = (string | number)[];
export type Operation =
  | ["set", Path, Json]
  | ["append", Path, Json]
  | ["text", Path, string]
  | ["bytes", string, number]
  | ["trim", string, number]
  | ["delete", Path];
