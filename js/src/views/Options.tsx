import type { VNode } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { isUnderWay } from "../actions.ts";
import { isObject, stringAt } from "../lib/json.ts";
import { visibleText } from "../lib/visible.ts";
import type { JsonObject } from "../types.ts";
import { type App, useApp } from "./context.ts";
import { Odd } from "./Odd.tsx";
import { Visible } from "./Visible.tsx";
import "./Options.css";

interface Choice {
  value: string;
  name: string;
  description: string | null;
  /** The name of its group, or "". */
  group: string;
}

/** Categories whose first option stands in the header; every other option is among the settings. */
const IN_HEADER = ["mode", "model"];

function arrange(options: readonly JsonObject[]): { first: JsonObject[]; rest: JsonObject[] } {
  const known = options.filter((option) => option.type === "select");
  const first = IN_HEADER.flatMap((category) => known.filter((option) => option.category === category).slice(0, 1));
  return { first, rest: options.filter((option) => !first.includes(option)) };
}

/** What can be set: the mode and the model, then the way to the other settings. */
export function Options(): VNode {
  const { first, rest } = arrange(useApp().store.single("configOptions").value);
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      {first.map((option) => (
        <Option key={option.configId} option={option} />
      ))}
      {rest.length > 0 && (
        <button
          ref={button}
          type="button"
          class="acp-quiet"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
        >
          Settings
        </button>
      )}
      {open && rest.length > 0 && (
        <div id={id} class="acp-settings" role="group" aria-label="Settings" onKeyDown={onKeyDown}>
          {rest.map((option) => (
            <Option key={option.configId} option={option} wide />
          ))}
        </div>
      )}
    </>
  );
}

const CONTROLS: Record<string, (props: ControlProps) => VNode> = { select: Select, boolean: Switch };

interface ControlProps {
  id: string;
  title: string | undefined;
  option: JsonObject;
  /** What is shown: the agent's last word, or what was asked for while that is under way. */
  shown: string;
  /** No kernel or no agent would hear of a change. */
  still: boolean;
  set: (value: string | boolean) => void;
}

function Option({ option, wide = false }: { option: JsonObject; wide?: boolean }): VNode {
  const app = useApp();
  const id = useId();
  const configId = stringAt(option, "configId") ?? "";
  const type = stringAt(option, "type") ?? "";
  const name = stringAt(option, "name") ?? configId;
  const action = app.actions.state(`config ${configId}`).value;
  if (!Object.hasOwn(CONTROLS, type)) {
    const what = (
      <>
        the setting <Plain text={name} /> of the type
      </>
    );
    return <Odd what={what} name={type} value={option} />;
  }
  const Control = CONTROLS[type] as (props: ControlProps) => VNode;
  const changing = isUnderWay(action);
  const shown = changing && action.choice !== null ? action.choice : String(option.currentValue ?? "");
  const chosen = choicesOf(option).find((choice) => choice.value === shown);
  const meaning = [stringAt(option, "description"), chosen?.description].filter(Boolean).join(" · ");
  const still = !canChange(app);
  const Label = still ? "span" : "label";
  return (
    <div class={`acp-option${wide ? " acp-option-wide" : ""}`}>
      <Label for={still ? undefined : id} class={wide || still ? "acp-dim" : "acp-hidden"}>
        <Visible text={name} oneLine />
      </Label>
      <Control
        id={id}
        title={wide || meaning === "" ? undefined : visibleText(meaning)}
        option={option}
        shown={shown}
        still={still}
        set={(value) => app.actions.configure(configId, value)}
      />
      <span class="acp-option-said" role="status">
        {changing && (
          <span class="acp-wait">
            {action.phase === "slow" ? "no answer yet: the kernel or the agent is busy" : "changing…"}
          </span>
        )}
        {action.error !== null && (
          <span class="acp-bad">
            Not changed: <Visible text={action.error} />{" "}
            <button type="button" class="acp-quiet" onClick={() => app.actions.clear(`config ${configId}`)}>
              Hide
            </button>
          </span>
        )}
      </span>
      {wide && meaning !== "" && (
        <p class="acp-dim">
          <Visible text={meaning} />
        </p>
      )}
    </div>
  );
}

function canChange({ store, link }: App): boolean {
  const replay = store.single("player").value !== null;
  return link.connection.value === "live" && !replay && store.single("session").value.connection === "ready";
}

function Select({ id, title, option, shown, still, set }: ControlProps): VNode {
  const choices = choicesOf(option);
  const known = choices.some((choice) => choice.value === shown);
  if (still) return <Plain text={choices.find((choice) => choice.value === shown)?.name ?? shown} />;
  const groups = [...new Set(choices.map((choice) => choice.group))];
  return (
    <select
      id={id}
      title={title}
      value={shown}
      onChange={({ currentTarget }) => {
        const wanted = currentTarget.value;
        currentTarget.value = shown; // until the answer, the state of the action says what is shown
        set(wanted);
      }}
    >
      {!known && <option value={shown}>{visibleText(shown, true)}</option>}
      {groups.map((group) => {
        const members = choices.filter((choice) => choice.group === group).map(optionOf);
        return group === "" ? members : <optgroup label={visibleText(group, true)}>{members}</optgroup>;
      })}
    </select>
  );
}

function optionOf({ value, name, description }: Choice): VNode {
  return (
    <option key={value} value={value} title={description === null ? undefined : visibleText(description)}>
      {visibleText(name, true)}
    </option>
  );
}

function Switch({ id, title, shown, still, set }: ControlProps): VNode {
  const on = shown === "true";
  if (still) return <Plain text={on ? "on" : "off"} />;
  return (
    <input
      id={id}
      title={title}
      type="checkbox"
      checked={on}
      onChange={({ currentTarget }) => {
        currentTarget.checked = on;
        set(!on);
      }}
    />
  );
}

function Plain({ text }: { text: string }): VNode {
  return (
    <b>
      <Visible text={text} oneLine />
    </b>
  );
}

/** The values of a select, flat or in groups. */
function choicesOf(option: JsonObject): Choice[] {
  const items = Array.isArray(option.options) ? option.options.filter(isObject) : [];
  return items.flatMap((item) => {
    const inner = Array.isArray(item.options) ? item.options.filter(isObject) : null;
    const group = inner ? (stringAt(item, "name") ?? stringAt(item, "groupId") ?? "") : "";
    return (inner ?? [item]).map((each) => {
      const value = String(each.value ?? "");
      return { value, name: stringAt(each, "name") ?? value, description: stringAt(each, "description"), group };
    });
  });
}
