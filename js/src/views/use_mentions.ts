import { useEffect, useMemo, useState } from "preact/hooks";
import { fitting, mentionsIn, namesIn, type Typed, typedAt, written } from "../lib/mentions.ts";
import { aboutOf, Lookup, type Told } from "../lookup.ts";
import type { Completion } from "./CompletionList.tsx";
import { useApp } from "./context.ts";

export interface Chip {
  name: string;
  what: Told;
}

export interface Mentions {
  /** The mention that is being typed. */
  typed: Typed | null;
  items: readonly Completion[];
  /** About what is not in the list. */
  more: string;
  /** Why nothing is known yet. */
  trouble: string;
  /** What would be attached. */
  chips: readonly Chip[];
  /** For the prompt: the names, and whether each must be there. */
  attached: () => Record<string, boolean>;
  took: (item: Completion) => void;
  remove: (name: string) => void;
  refresh: () => void;
  forget: () => void;
}

/** What a draft mentions, and what fits what is typed before the caret (null: no list is wanted). */
export function useMentions(draft: string, caret: number | null): Mentions {
  const { actions } = useApp();
  const [lookup] = useState(() => new Lookup(actions));
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const names = useMemo(() => namesIn(draft), [draft]);
  const typed = useMemo(() => (caret === null ? null : typedAt(draft, caret)), [draft, caret]);
  const word = typed?.typed ?? null;

  useEffect(() => () => lookup.end(), [lookup]);
  useEffect(() => lookup.want(word, names), [lookup, word, names]);
  // A name that is typed again is mentioned again.
  useEffect(() => {
    if (removed.length > 0) setRemoved((all) => all.filter((name) => names.includes(name)));
  }, [names]);

  const offers = lookup.offers.value;
  const found = lookup.found.value;
  const items = useMemo(() => (word === null ? [] : itemsOf(offers, word)), [offers, word]);
  const kept = names.filter((name) => !removed.includes(name));
  const chips = mentionsIn(draft).filter(({ from }) => from !== typed?.from); // that one may become another
  return {
    typed,
    items: items.map(({ item }) => item),
    more: offers.typed === word ? offers.more : "",
    trouble: lookup.trouble.value,
    chips: kept.flatMap((name) => {
      const what = found.get(name);
      return what && chips.some((each) => each.name === name) ? [{ name, what }] : [];
    }),
    // What has a chip must be there. What is not known yet may be; what is known to be nothing is a word of the text.
    attached: () =>
      Object.fromEntries(
        kept.flatMap((name) => (found.get(name) === null ? [] : [[name, found.get(name) !== undefined]])),
      ),
    took: (item) => {
      const chosen = items.find((each) => each.item === item)?.offer;
      if (!chosen) return;
      lookup.learn(chosen);
      setRemoved((all) => all.filter((name) => name !== chosen.text));
    },
    remove: (name) => setRemoved((all) => [...all, name]),
    refresh: () => lookup.refresh(),
    forget: () => {
      lookup.forget();
      setRemoved([]);
    },
  };
}

function itemsOf(offers: Lookup["offers"]["value"], typed: string) {
  const fit = offers.typed === typed ? offers.items : fitting(offers.items, typed);
  return fit.flatMap((offer) => {
    const label = written(offer.text);
    return label === null ? [] : [{ offer, item: { label, detail: aboutOf(offer), hint: null, text: `${label} ` } }];
  });
}
