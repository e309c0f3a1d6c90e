import type { VNode } from "preact";
import { useApp } from "./context.ts";
import { callOf } from "./PermissionSubject.tsx";
import { headline } from "./permission_words.ts";
import { Visible } from "./Visible.tsx";

/** Says each new question at once to those who listen instead of look: a line that joins the others is read out alone. */
export function Announcer(): VNode {
  const app = useApp();
  return (
    <div class="acp-hidden" aria-live="assertive" aria-relevant="additions">
      {app.store.pendingPermissions.value.map((key) => {
        const permission = app.store.get("permissions", key);
        return (
          permission && (
            <p key={key}>
              The agent asks: <Visible text={headline(permission, callOf(app, permission))} oneLine />
            </p>
          )
        );
      })}
    </div>
  );
}
