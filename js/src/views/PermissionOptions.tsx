import type { ComponentChildren, VNode } from "preact";
import { visibleText } from "../lib/visible.ts";
import { isAllow, isReject, nameSaysKind, OPTION_WORDS } from "../lib/words.ts";
import type { PermissionOption, Permission as PermissionState, ToolCall } from "../types.ts";
import { Icon, type IconName } from "./Icon.tsx";
import { isAlways, scopeOf } from "./permission_words.ts";
import { Visible } from "./Visible.tsx";

interface OptionsProps {
  permission: PermissionState;
  call: ToolCall | undefined;
  /** The command that the card shows. */
  run: string | string[] | null;
  /** Of the card, for ids. */
  name: string;
  open: boolean;
  /** The position of the option that was pressed, or "dismiss". */
  chosen: string | null;
  choose: (event: UIEvent, at: number) => void;
  dismiss: (event: UIEvent) => void;
  /** Whether a rule is to be made of it. */
  remembered: boolean;
  remember: (rule: string | null) => void;
  children: ComponentChildren;
}

/** The agent's answers as buttons, in its order, and how far those for always reach. */
export function Options(props: OptionsProps): VNode {
  const { permission, call, run, name, open, chosen, choose, dismiss, remembered, remember, children } = props;
  const { options, rule, why } = permission;
  const scope = scopeOf(permission, call, run);
  const primary = primaryOf(permission);
  return (
    <>
      <div class="acp-ask-row">
        {options.map((option, at) => (
          <Option
            option={option}
            at={at}
            before={options[at - 1]}
            primary={at === primary}
            open={open}
            chosen={chosen === String(at)}
            scope={isAlways(option.kind) ? `${name}-scope` : undefined}
            choose={choose}
          />
        ))}
        {!options.some((option) => isReject(option.kind)) && (
          <button
            type="button"
            class="acp-quiet"
            aria-disabled={!open}
            onClick={dismiss}
            title="Answers 'cancelled': the agent offers no way to say no"
          >
            {chosen === "dismiss" && <Icon name="spinner" />}
            Dismiss <small>(the agent may end the turn)</small>
          </button>
        )}
        <span class="acp-grow" />
        {children}
      </div>
      {rule && options.some((option) => option.kind === "allow_once") && (
        <label class="acp-ask-rule">
          <input
            type="checkbox"
            checked={remembered}
            onChange={(event) => remember(event.currentTarget.checked ? rule : null)}
          />
          <span>
            With <i>allow once</i>: from now on without asking,{" "}
            <code>
              <Visible text={rule} oneLine />
            </code>
          </span>
        </label>
      )}
      {why && (
        <p class="acp-ask-scope">
          <Visible text={why} oneLine />
        </p>
      )}
      {scope !== null && (
        <p class="acp-ask-scope" id={`${name}-scope`}>
          <Visible text={scope} oneLine />
        </p>
      )}
    </>
  );
}

/** The first option that allows once; none where what is asked cannot be read. */
function primaryOf(permission: PermissionState): number {
  return permission.problem === null ? permission.options.findIndex((option) => option.kind === "allow_once") : -1;
}

interface OptionProps {
  option: PermissionOption;
  at: number;
  before: PermissionOption | undefined;
  primary: boolean;
  open: boolean;
  chosen: boolean;
  /** The id of the words that say how far it reaches. */
  scope: string | undefined;
  choose: (event: UIEvent, at: number) => void;
}

function Option({ option, at, before, primary, open, chosen, scope, choose }: OptionProps): ComponentChildren {
  const turns = before !== undefined && isAllow(before.kind) !== isAllow(option.kind);
  const known = Object.hasOwn(OPTION_WORDS, option.kind);
  const word = known ? OPTION_WORDS[option.kind] : option.kind;
  return (
    <>
      {turns && <span class="acp-gap" />}
      <button
        type="button"
        class={primary ? "acp-primary" : ""}
        aria-disabled={!open}
        aria-describedby={scope}
        title={`${visibleText(word ?? "", true)}${at < 9 ? ` · key ${at + 1} while this question has the focus` : ""}`}
        onClick={(event) => choose(event, at)}
      >
        {known && <Icon name={chosen ? "spinner" : (option.kind as IconName)} />}
        <span class="acp-option-name">
          <Visible text={option.name} oneLine />
        </span>
        {!nameSaysKind(option.name, option.kind) && (
          <small>
            <Visible text={word ?? ""} oneLine />
          </small>
        )}
        {at < 9 && <kbd aria-hidden="true">{at + 1}</kbd>}
      </button>
    </>
  );
}

/** Two options that the agent cannot tell apart are no small thing. */
export function TwinIds({ options }: { options: readonly PermissionOption[] }): VNode | null {
  const ids = options.map((option) => option.optionId);
  const twin = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twin === undefined) return null;
  return (
    <p class="acp-warn">
      <Icon name="alert" /> Two options have the same id{" "}
      <code>
        <Visible text={twin} oneLine />
      </code>
      : the agent cannot tell them apart.
    </p>
  );
}
