import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Milliseconds in which a card that has just appeared, changed or moved takes no answer. */
export const INERT = 300;

export interface Arming {
  /** False for a moment after the card appeared, and after what it asks about changed under the reader's hand. */
  armed: boolean;
  /** False also in the moment after it moved under the pointer, or after the keys came to it. */
  ripe: (event: UIEvent) => boolean;
  onFocus: () => void;
}

const passed = (since: number): boolean => performance.now() - since >= INERT - 20;

export function useArmed(card: RefObject<HTMLElement | null>, about: readonly unknown[]): Arming {
  const [armed, setArmed] = useState(false);
  const changed = useRef(performance.now());
  const moved = useRef(0);
  const focused = useRef(0);
  useLayoutEffect(() => {
    changed.current = performance.now();
    setArmed(false);
    const timer = setTimeout(() => setArmed(true), INERT);
    return () => clearTimeout(timer);
  }, about);
  const touch = (since: { current: number }): void => {
    since.current = performance.now();
  };
  useEffect(() => watchMoves(card.current, () => touch(moved)), []);
  return {
    armed,
    // A click that keys made has no count: the keys' own guard holds for it.
    ripe: (event) => passed(changed.current) && passed(event.detail > 0 ? moved.current : focused.current),
    onFocus: () => touch(focused),
  };
}

/** Tells when an element stands elsewhere on the screen than before: pushed by what grew above it, or scrolled. */
function watchMoves(element: HTMLElement | null, moved: () => void): (() => void) | undefined {
  if (!element) return;
  let [left, top] = [0, 0];
  const look = (): void => {
    const now = element.getBoundingClientRect();
    if (Math.abs(now.left - left) + Math.abs(now.top - top) > 4) moved();
    [left, top] = [now.left, now.top];
  };
  ({ left, top } = element.getBoundingClientRect());
  const sizes = new ResizeObserver(look);
  for (let around = element.parentElement; around; around = around.parentElement) sizes.observe(around);
  document.addEventListener("scroll", look, { capture: true, passive: true });
  return () => {
    sizes.disconnect();
    document.removeEventListener("scroll", look, { capture: true });
  };
}
