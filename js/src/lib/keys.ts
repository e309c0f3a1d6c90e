/** Which option a key chooses: 0 for "1" … 8 for "9", null for every other key, held keys and shortcuts included. */
export function optionIndex(event: KeyboardEvent): number | null {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  return /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : null;
}

/** Jupyter looks for this attribute before it takes a key in the capture phase, where nothing else stops it. */
export const SUPPRESS = "data-lm-suppress-shortcuts";

const KEY_EVENTS = ["keydown", "keypress", "keyup"] as const;

/**
 * Keeps keys that are typed inside an element from the notebook's shortcuts. Ends with the signal.
 *
 * The attribute must stand on what has the focus: Jupyter looks from there upwards, and its shortcuts for "whatever has
 * the focus in a notebook" fit there already. Notebook 7 listens in the capture phase, JupyterLab 4.1 and later do not.
 */
export function keepKeys(element: HTMLElement, signal: AbortSignal): void {
  element.setAttribute(SUPPRESS, "true");
  const mark = ({ target }: FocusEvent): void => (target as HTMLElement).setAttribute(SUPPRESS, "true");
  element.addEventListener("focusin", mark, { signal });
  for (const name of KEY_EVENTS) element.addEventListener(name, (event) => event.stopPropagation(), { signal });
}

/** True while the reader edits text, where digits are digits. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
