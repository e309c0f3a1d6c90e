import type { VNode } from "preact";
import type { Player } from "../types.ts";
import { Icon } from "./Icon.tsx";
import { Visible } from "./Visible.tsx";

interface AskProps {
  ask: NonNullable<Player["ask"]>;
  live: boolean;
  choose: (optionId: string) => void;
}

/** A question to the learner: of a note, or what they would answer the agent. */
export function PlayerAsk({ ask, live, choose }: AskProps): VNode {
  return (
    <div class="acp-player-ask" role="group" aria-label="Question">
      <h4>
        <Visible text={ask.question} />
      </h4>
      {ask.predict && <p class="acp-dim">What comes is hidden until you have chosen.</p>}
      <div class="acp-ask-row">
        {ask.options.map(({ optionId, name }, at) => (
          <button
            key={optionId}
            type="button"
            aria-disabled={!live}
            title={at < 9 ? `key ${at + 1}` : undefined}
            onClick={() => choose(optionId)}
          >
            <span class="acp-option-name">
              <Visible text={name} oneLine />
            </span>
            {at < 9 && <kbd aria-hidden="true">{at + 1}</kbd>}
          </button>
        ))}
      </div>
    </div>
  );
}

const RIGHT = { true: "Right.", false: "It was another.", null: "" };

/** What the learner chose last, and what was done then. */
export function PlayerChoice({ player: { choices, position } }: { player: Player }): VNode | null {
  const choice = choices.findLast((each) => each.position <= position);
  if (choice === undefined) return null;
  const { chosen, recorded, right, question } = choice;
  return (
    <p class="acp-player-choice" role="status">
      {right !== null && <Icon name={right ? "allow_once" : "reject_once"} />}
      <span>
        <span class="acp-dim">
          <Visible text={question} oneLine />
        </span>{" "}
        You chose{" "}
        <b>
          <Visible text={chosen} oneLine />
        </b>
        .{" "}
        {recorded !== null && (
          <>
            In the recording:{" "}
            <b>
              <Visible text={recorded} oneLine />
            </b>
            .{" "}
          </>
        )}
        {RIGHT[`${right}`]}
      </span>
    </p>
  );
}
