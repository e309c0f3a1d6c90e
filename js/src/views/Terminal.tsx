import type { VNode } from "preact";
import { relative, shortened } from "../lib/paths.ts";
import { bytes } from "../lib/time.ts";
import type { Terminal as TerminalState } from "../types.ts";
import { unheard, useApp } from "./context.ts";
import { StopOne, StopWords } from "./StopOne.tsx";
import { TerminalOutput } from "./TerminalOutput.tsx";
import { Visible } from "./Visible.tsx";
import "./Terminal.css";

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
      <Bar id={id} terminal={terminal} size={buffer?.size ?? 0} command={command} />
      {!terminal.exitStatus && <StopWords id={id} />}
      {buffer && buffer.size > 0 && (
        <TerminalOutput buffer={buffer} revision={revision} cut={terminal.output?.cut ?? 0} />
      )}
    </div>
  );
}

interface BarProps {
  id: string;
  terminal: TerminalState;
  size: number;
  command: boolean;
}

function Bar({ id, terminal, size, command }: BarProps): VNode {
  const app = useApp();
  const session = app.store.single("session").value;
  const gone = session.connection === "closed" || session.connection === "failed";
  const over = gone ? "the agent ended" : unheard(app);
  const { cwd } = terminal;
  const { cols, rows } = terminal.size ?? {};
  return (
    <div class="acp-term-bar">
      {command && terminal.command !== null && (
        <span
          class="acp-term-command"
          tabIndex={terminal.command.length > 200 || terminal.command.includes("\n") ? 0 : undefined}
        >
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
        {typeof cols === "number" && typeof rows === "number" && `${cols} × ${rows} · `}
        <Visible text={stateOf(terminal, over)} oneLine /> · {bytes(size + (terminal.output?.cut ?? 0))}
      </span>
      {terminal.capabilities?.cancel != null &&
        !terminal.exitStatus &&
        !over &&
        app.link.connection.value === "live" && <StopOne id={id} />}
    </div>
  );
}

/** "live", "exit 2", "ended by SIGTERM". */
export function stateOf(terminal: TerminalState, over?: string): string {
  const exit = terminal.exitStatus;
  if (!exit) return over ? `not finished when ${over}` : "live";
  if (typeof exit.signal === "string") return `ended by ${exit.signal}`;
  return typeof exit.exitCode === "number" ? `exit ${exit.exitCode}` : "ended";
}
