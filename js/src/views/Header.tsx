import type { VNode } from "preact";
import { shortened } from "../lib/paths.ts";
import { visibleText } from "../lib/visible.ts";
import { useApp } from "./context.ts";
import { FollowSwitch } from "./Follow.tsx";
import { Options } from "./Options.tsx";
import { Rules } from "./Rules.tsx";
import { AgentName, Dot, Elapsed, StatusWords, statusOf } from "./Status.tsx";
import { Stop } from "./Stop.tsx";
import { Usage } from "./Usage.tsx";
import { Visible } from "./Visible.tsx";
import "./Header.css";

/** What the session is about, as the agent calls it. */
function Topic(): VNode {
  const { title } = useApp().store.single("sessionInfo").value;
  if (!title) return <span class="acp-grow" />;
  return (
    <span class="acp-topic" title={visibleText(title)}>
      <Visible text={title} oneLine />
    </span>
  );
}

/** The first of several names, and how many more there are; all of them as its title. */
function Some({
  names,
  before,
  as = String,
}: {
  names: string[];
  before: string;
  as?: (name: string) => string;
}): VNode | null {
  if (names.length === 0) return null;
  return (
    <span class="acp-dim acp-cwd" title={visibleText(names.join("\n"))}>
      {before}{" "}
      <Visible
        text={names
          .slice(0, MOST)
          .map((name) => as(name))
          .join(", ")}
        oneLine
      />
      {names.length > MOST && ` and ${names.length - MOST} more`}
    </span>
  );
}
const MOST = 2;

/** The line on top of a session: who, in which state, where, for how long, and the way to stop it. */
export function Header(): VNode {
  const app = useApp();
  const session = app.store.single("session").value;
  const status = statusOf(app);
  return (
    <header class="acp-header">
      <Dot status={status} />
      <AgentName />
      <StatusWords status={status} />
      <Elapsed status={status} />
      <Topic />
      {session.cwd !== null && (
        <span
          class="acp-dim acp-cwd"
          title={`${session.cwd}${session.temporary ? " (temporary, until the kernel ends)" : ""}`}
        >
          <Visible text={shortened(session.cwd)} oneLine />
        </span>
      )}
      <Some before="+" names={session.additionalDirectories ?? []} as={shortened} />
      <Some before="MCP:" names={(session.mcpServers ?? []).map((server) => server.name ?? "?")} />
      <FollowSwitch />
      <Options />
      <Usage usage={app.store.single("usage").value} />
      <Rules />
      {status.working && <Stop />}
    </header>
  );
}
