import type { VNode } from "preact";
import type { PlayerWord } from "../actions.ts";
import { optionIndex } from "../lib/keys.ts";
import { duration } from "../lib/time.ts";
import type { Player as PlayerState } from "../types.ts";
import { useApp } from "./context.ts";
import { Icon, type IconName } from "./Icon.tsx";
import { Markdown } from "./Markdown.tsx";
import { PlayerAsk, PlayerChoice } from "./PlayerAsk.tsx";
import { AgentName, stageOf } from "./Status.tsx";
import { Visible } from "./Visible.tsx";
import "./Player.css";

type Command = [PlayerWord, (string | number | null)?];

const SPEEDS = [0.5, 1, 2, 4, null];

/** What plays a recording, in the place of the composer. Keys work while the focus is in it. */
export function Player(): VNode | null {
  const { store, link, actions } = useApp();
  const player = store.single("player").value;
  if (player === null) return null;
  const { note, ask, position, count, limit, playing, name, end, problem, at, length } = player;
  const live = link.connection.value === "live";
  const { error } = actions.state("player").value;
  const act = (what: PlayerWord, value: string | number | null = null): void => {
    if (live) actions.player(what, value);
  };
  const stage = stageOf(player);
  const onKeyDown = (event: KeyboardEvent): void => {
    const option = ask?.options[optionIndex(event) ?? -1];
    const command: Command | null = option ? ["choose", option.optionId] : commandOf(event, player);
    if (!live || command === null) return;
    event.preventDefault();
    act(command[0], command[1]);
  };
  return (
    <div class="acp-player" role="group" aria-label="Player" onKeyDown={onKeyDown}>
      {note && (
        <div class="acp-player-note">
          {note.title && (
            <h4>
              <Visible text={note.title} oneLine />
            </h4>
          )}
          {note.text && <Markdown text={note.text} />}
        </div>
      )}
      <PlayerChoice player={player} />
      {ask && <PlayerAsk ask={ask} live={live} choose={(optionId) => act("choose", optionId)} />}
      <div class="acp-player-row" role="toolbar" aria-label="Play">
        <Button icon="skip_back" label="Previous mark (P)" off={!live || position === 0} act={() => act("previous")} />
        <Button icon="back" label="Step back (←)" off={!live || position === 0} act={() => act("back")} />
        <Button
          icon={playing ? "pause" : "play"}
          label={playing ? "Pause (Space)" : stage === "end" ? "Play again (Space)" : "Play (Space)"}
          off={!live || ask !== null}
          primary
          act={() => act(playing ? "pause" : "play")}
        />
        <Button icon="step" label="Step on (→)" off={!live || position >= limit} act={() => act("step")} />
        <Button icon="skip_forward" label="Next mark (N)" off={!live || position >= limit} act={() => act("next")} />
        <Track player={player} live={live} seek={(to) => act("seek", to)} />
        <span class="acp-dim acp-player-time">
          {clock(at)} / {clock(length)}
        </span>
        <Speed speed={player.speed} live={live} set={(speed) => act("speed", speed)} />
      </div>
      <p class="acp-dim acp-player-about">
        A recording of <AgentName /> · <Visible text={name} oneLine /> · message {position} of {count}
        {end !== null && stage === "end" && <> · {END[end] ?? <Visible text={end} oneLine />}</>}
      </p>
      {problem && (
        <p class="acp-warn">
          <Icon name="alert" /> <Visible text={problem} oneLine />
        </p>
      )}
      {!live && <p class="acp-dim">Run the cell again to play it.</p>}
      {error !== null && (
        <p class="acp-bad" role="alert">
          <Visible text={error} />
        </p>
      )}
      <span class="acp-hidden" role="status">
        {stage === "playing" ? "Playing" : `${STAGES[stage]}, message ${position} of ${count}`}
        {note && `. ${note.title} ${note.text}`}
      </span>
    </div>
  );
}

const STAGES = { ask: "Waits for your choice", paused: "Paused", end: "At the end" };

const END: Record<string, string> = {
  complete: "the end",
  "cut short": "the recording ends in the middle of the work",
  "no session": "no session was opened",
  empty: "there is nothing in it",
};

/** What a key does, or null for one that is not the player's. */
function commandOf(event: KeyboardEvent, player: PlayerState): Command | null {
  const { key, shiftKey, ctrlKey, metaKey, altKey, target } = event;
  const element = target as HTMLElement;
  if (ctrlKey || metaKey || altKey || event.isComposing || element.tagName === "SELECT") return null;
  // What has the focus is pressed by these: a button, or an option.
  if ((key === " " || key === "Enter") && element.tagName === "BUTTON") return null;
  const one = shiftKey ? "message" : null;
  const speed = player.speed ?? 8;
  switch (key.length === 1 ? key.toLowerCase() : key) {
    case " ":
    case "k":
      return [player.playing ? "pause" : "play"];
    case "ArrowRight":
    case "l":
      return ["step", one];
    case "ArrowLeft":
    case "j":
      return ["back", one];
    case "n":
      return ["next"];
    case "p":
      return ["previous"];
    case "Home":
      return ["seek", 0];
    case "End":
      return ["seek", player.limit];
    case "+":
      return ["speed", speed >= 4 ? null : speed * 2];
    case "-":
      return ["speed", Math.max(0.25, speed / 2)];
    default:
      return null;
  }
}

interface ButtonProps {
  icon: IconName;
  label: string;
  off: boolean;
  primary?: boolean;
  act: () => void;
}

/** A button that keeps the focus when it has nothing to do. */
function Button({ icon, label, off, primary = false, act }: ButtonProps): VNode {
  return (
    <button
      type="button"
      class={primary ? "acp-primary" : "acp-quiet"}
      aria-label={label}
      title={label}
      aria-disabled={off}
      onClick={() => !off && act()}
    >
      <Icon name={icon} />
    </button>
  );
}

interface TrackProps {
  player: PlayerState;
  live: boolean;
  seek: (to: number) => void;
}

/** Where it stands, with the marks; what may not be reached yet is hatched. */
function Track({ player: { position, count, limit, marks }, live, seek }: TrackProps): VNode {
  const part = (at: number): number => (count > 0 ? at / count : 0);
  const here = marks.findLast((mark) => mark.position <= position)?.title;
  return (
    <span class="acp-player-track">
      <input
        type="range"
        min={0}
        max={count}
        value={position}
        disabled={!live}
        aria-label="Position"
        aria-valuetext={`message ${position} of ${count}${here ? `, ${here}` : ""}`}
        onInput={({ currentTarget }) => {
          const to = Math.min(limit, Number(currentTarget.value));
          currentTarget.value = String(to);
          seek(to);
        }}
      />
      {marks.map(({ position: at, kind, title }) => (
        <i
          key={`${at} ${kind}`}
          class={`acp-player-mark acp-player-at-${kind}`}
          style={{ "--part": part(at) }}
          title={title}
          aria-hidden="true"
        />
      ))}
      {limit < count && <i class="acp-player-hidden" style={{ "--part": part(limit) }} aria-hidden="true" />}
    </span>
  );
}

function Speed({ speed, live, set }: { speed: number | null; live: boolean; set: (to: number | null) => void }): VNode {
  const all = SPEEDS.includes(speed) ? SPEEDS : [speed, ...SPEEDS];
  return (
    <select
      aria-label="Speed"
      title="Speed (+ and -)"
      disabled={!live}
      value={String(speed)}
      onChange={({ currentTarget }) => set(currentTarget.value === "null" ? null : Number(currentTarget.value))}
    >
      {all.map((each) => (
        <option key={String(each)} value={String(each)}>
          {each === null ? "at once" : `${each} ×`}
        </option>
      ))}
    </select>
  );
}

/** `0:07`, `12:30`. */
function clock(seconds: number): string {
  const whole = Math.floor(Math.max(0, seconds));
  return whole >= 3600 ? duration(whole) : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
