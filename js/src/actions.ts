/** What a reader can do, and what became of it. Every action shows at once that it was taken, and never hangs silently. */

import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ActionResult, Link } from "./link.ts";
import type { JsonObject } from "./types.ts";

export interface ActionState {
  /**
   * sent: on its way. slow: no answer yet, the kernel is busy. taken: the kernel has it, what follows comes as
   * operations. refused: it said no. unsent: there is no line to the kernel.
   */
  phase: "idle" | "sent" | "slow" | "taken" | "refused" | "unsent";
  /** What was chosen: the position of the option, for instance. */
  choice: string | null;
  error: string | null;
}

export type PlayerWord = "play" | "pause" | "step" | "back" | "seek" | "speed" | "next" | "previous" | "choose";

export const BUSY_KERNEL = "The kernel is busy; your answer is taken when it reads messages.";
export const NO_KERNEL = "The connection to the kernel is gone; nothing was sent.";

/** Milliseconds without a result after which an action says that it waits. */
export const SLOW = 2000;

const IDLE: ActionState = { phase: "idle", choice: null, error: null };

export class Actions {
  private readonly states = new Map<string, Signal<ActionState>>();

  constructor(
    private readonly link: Link,
    private readonly signal: AbortSignal,
  ) {}

  /** Chooses an option of a permission; `position` tells two options of one id apart on the screen. */
  answer(permission: string, optionId: string, position: number): void {
    this.run(permission, String(position), { type: "answer", permission, optionId });
  }

  /** The same with an *allow once*, and makes the rule that is shown. */
  remember(permission: string, optionId: string, position: number, rule: string): void {
    this.run(permission, String(position), { type: "remember", permission, optionId, rule });
  }

  /** Takes back a rule. */
  revoke(rule: string): void {
    this.run(`rule ${rule}`, null, { type: "revoke", rule });
  }

  dismiss(permission: string): void {
    this.run(permission, "dismiss", { type: "dismiss", permission });
  }

  /** Sends a prompt with what is mentioned in it: the names, and whether each must be there. */
  prompt(text: string, done?: () => void, mentions: Record<string, boolean> = {}): void {
    const more = Object.keys(mentions).length > 0 ? { mentions } : {};
    this.run("prompt", null, { type: "prompt", text, ...more }, done);
  }

  /** Sends a turn's prompt once more, with what was attached to it. */
  again(turn: string, done?: () => void): void {
    this.run("prompt", null, { type: "prompt", again: turn }, done);
  }

  /** Asks what fits behind an `@` (null: nothing was typed) and what the names would attach. False when it cannot be sent. */
  mention(typed: string | null, names: readonly string[], done: (result: ActionResult) => void): boolean {
    return this.link.act({ type: "mention", typed, names: [...names] }, done);
  }

  cancel(): void {
    this.run("cancel", null, { type: "cancel" });
  }

  restart(): void {
    this.run("restart", null, { type: "restart" });
  }

  unqueue(turn: string): void {
    this.run(`unqueue ${turn}`, null, { type: "unqueue", turn });
  }

  /** Asks the agent to stop one tool call (its key), where it offers that. */
  cancelCall(call: string): void {
    this.run(`stop ${call}`, null, { type: "cancelCall", call });
  }

  /** Asks the agent to stop one terminal (its key), where it offers that. */
  cancelTerminal(terminal: string): void {
    this.run(`stop ${terminal}`, null, { type: "cancelTerminal", terminal });
  }

  /** Sets a config option; under way until the agent has answered. */
  configure(configId: string, value: string | boolean): void {
    this.run(`config ${configId}`, String(value), { type: "configure", configId, value });
  }

  /** Logs in by a method of the agent, or tries again after a login in a terminal; under way until that is over. */
  login(methodId: string): void {
    this.run("login", methodId, { type: "login", methodId });
  }

  /** Plays a replay: what to do, and where, how fast or which. */
  player(what: PlayerWord, value: string | number | null = null): void {
    const state = this.stateSignal("player");
    // Each press counts, also before the one before it was answered: three steps are three.
    const sent = this.link.act({ type: "player", do: what, value }, ({ ok, error }) => {
      state.value = ok ? IDLE : { phase: "refused", choice: what, error: error ?? "The kernel refused it." };
    });
    if (!sent) state.value = { phase: "unsent", choice: what, error: NO_KERNEL };
  }

  /**
   * The state of the action on a subject: a permission's key, "prompt", "cancel", "restart", "login", "player", "unqueue <turn>",
   * "stop <key of a call or terminal>", "config <configId>", "rule <rule>".
   */
  state(subject: string): ReadonlySignal<ActionState> {
    return this.stateSignal(subject);
  }

  /** Forgets what became of an action: its line goes away. */
  clear(subject: string): void {
    this.stateSignal(subject).value = IDLE;
  }

  private stateSignal(subject: string): Signal<ActionState> {
    let state = this.states.get(subject);
    if (!state) {
      state = signal(IDLE);
      this.states.set(subject, state);
    }
    return state;
  }

  private run(subject: string, choice: string | null, message: JsonObject & { type: string }, done?: () => void): void {
    const state = this.stateSignal(subject);
    if (isUnderWay(state.peek())) return; // a double click is one click
    state.value = { phase: "sent", choice, error: null };
    const slow = setTimeout(() => {
      if (state.peek().phase === "sent") state.value = { phase: "slow", choice, error: null };
    }, SLOW);
    this.signal.addEventListener("abort", () => clearTimeout(slow), { once: true });
    const sent = this.link.act(message, ({ ok, error }) => {
      clearTimeout(slow);
      if (!ok) state.value = { phase: "refused", choice, error: error ?? "The kernel refused it." };
      else {
        state.value = subject.startsWith("p:") ? { phase: "taken", choice, error: null } : IDLE;
        done?.();
      }
    });
    if (sent) return;
    clearTimeout(slow);
    state.value = { phase: "unsent", choice, error: NO_KERNEL };
  }
}

/** True between a click and its result. */
export function isUnderWay(state: ActionState): boolean {
  return state.phase === "sent" || state.phase === "slow" || state.phase === "taken";
}
