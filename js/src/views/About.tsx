import type { VNode } from "preact";
import { plural } from "../lib/time.ts";
import { useApp } from "./context.ts";
import { Details } from "./Details.tsx";
import { Json } from "./Json.tsx";

/** What the session is about and how it was set up. */
export function About(): VNode | null {
  const { store } = useApp();
  const session = store.single("session").value;
  const options = store.single("configOptions").value;
  const commands = store.single("commands").value;
  const info = store.single("sessionInfo").value;
  if (commands.length === 0 && !info.title) return null;
  return (
    <Details
      class="acp-about"
      summary={commands.length > 0 ? plural(commands.length, "command") : "About this session"}
    >
      {() => (
        <Json
          label="About the session"
          value={{
            command: session.command,
            cwd: session.cwd,
            permissions: session.policy,
            sessionInfo: info,
            configOptions: options,
            commands,
          }}
        />
      )}
    </Details>
  );
}
