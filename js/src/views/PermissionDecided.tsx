import type { VNode } from "preact";
import { OPTION_WORDS } from "../lib/words.ts";
import type { Permission as PermissionState } from "../types.ts";
import { useApp } from "./context.ts";
import { Details } from "./Details.tsx";
import { Icon } from "./Icon.tsx";
import { callOf, Subject } from "./PermissionSubject.tsx";
import { callAsked, decision, headline } from "./permission_words.ts";
import { Visible } from "./Visible.tsx";

interface Props {
  id: string;
  permission: PermissionState;
  inCall: boolean;
}

/** An answered question: one line, and what was asked behind it. */
export function Decided({ id, permission, inCall }: Props): VNode {
  const call = callOf(useApp(), permission);
  const { sign, text } = decision(permission);
  const title = headline(permission, call);
  const { description, options, optionId } = permission;
  const line = (
    <>
      <Icon name={sign} />{" "}
      <b>
        <Visible text={title} oneLine />
      </b>{" "}
      <Visible text={text} oneLine />
    </>
  );
  return (
    <div
      class={`acp-decided${inCall ? " acp-in-call" : ""}`}
      data-decided={id}
      data-permission-status={permission.status}
    >
      <Details summary={line}>
        {() => (
          <>
            {description !== null && (
              <p class="acp-ask-description">
                <Visible text={description} />
              </p>
            )}
            <Subject permission={permission} call={callAsked(permission, call)} inCall={inCall} title={title} />
            <ul class="acp-offered">
              {options.map(({ name, kind, optionId: each }) => (
                <li>
                  <Visible text={name} oneLine />{" "}
                  <small>
                    <Visible text={(Object.hasOwn(OPTION_WORDS, kind) && OPTION_WORDS[kind]) || kind} oneLine />
                    {each === optionId && permission.status === "selected" && " · chosen"}
                  </small>
                </li>
              ))}
            </ul>
          </>
        )}
      </Details>
    </div>
  );
}
