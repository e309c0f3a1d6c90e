import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { plural } from "../lib/time.ts";
import { visibleText } from "../lib/visible.ts";
import type { Store } from "../store.ts";
import { useApp } from "./context.ts";
import { Details } from "./Details.tsx";
import { Icon } from "./Icon.tsx";
import { Visible } from "./Visible.tsx";
import "./Notice.css";

/** Notices in a row that are shown; those before them fold. */
const SHOWN = 3;

/** Notices of the agent that follow each other. What a reader hides stays hidden while the page lives. */
export function Notices({ ids }: { ids: readonly string[] }): VNode {
  const { store } = useApp();
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const left = ids.filter((id) => !hidden.includes(id));
  const earlier = left.slice(0, -SHOWN);
  const draw = (id: string): VNode => <Notice key={id} id={id} hide={() => setHidden([...hidden, id])} />;
  return (
    <div class="acp-notices">
      {earlier.length > 0 && (
        <Details class="acp-note-details" summary={foldedWords(store, earlier)}>
          {() => earlier.map(draw)}
        </Details>
      )}
      {left.slice(-SHOWN).map(draw)}
    </div>
  );
}

/** "7 earlier notices, 2 of them errors or warnings": nothing grave hides in a fold. */
function foldedWords(store: Store, ids: readonly string[]): string {
  const grave = ids.filter((id) => toneOf(store.get("notices", id)?.severity) !== "").length;
  return plural(ids.length, "earlier notice") + (grave > 0 ? `, ${grave} of them errors or warnings` : "");
}

const TONES: Record<string, string> = { warning: "acp-wait", error: "acp-bad" };

function toneOf(severity: string | undefined): string {
  return (severity !== undefined && Object.hasOwn(TONES, severity) && TONES[severity]) || "";
}

function Notice({ id, hide }: { id: string; hide: () => void }): VNode | null {
  const notice = useApp().store.get("notices", id);
  if (!notice) return null;
  const tone = toneOf(notice.severity);
  return (
    <div class="acp-note">
      {notice.severity !== "info" && <Icon name={tone ? "alert" : "other"} class={tone} />}
      <span>
        {notice.severity !== "info" && (
          <span class={`acp-severity ${tone}`}>
            <Visible text={notice.severity} oneLine />{" "}
          </span>
        )}
        <b class={tone}>
          <Visible text={notice.title} oneLine />
        </b>{" "}
        {notice.description && <Visible text={notice.description} />}
      </span>
      <span class="acp-grow" />
      <button
        type="button"
        class="acp-quiet"
        onClick={hide}
        aria-label={`Hide the notice: ${visibleText(notice.title, true)}`}
      >
        Hide
      </button>
    </div>
  );
}
