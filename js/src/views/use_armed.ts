import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Milliseconds in which a card that has just appeared, changed or moved takes no answer. */
export const INERT = 300;

export interface Arming {
  /** False for a moment after the card appeared, and after what it asks about changed under the reader's hand. */
  armed: boolean;
  /** False for a moment after the page pushed the card elsewhere: a click then may be meant for what stood there. */
  steady: boolean;
  /** Whether this press may answer: a click not while unsteady, a key not in the moment after it was handed on. */
  ripe: (event: UIEvent) => boolean;
  /** To be called when the focus came from a card that went away. */
  onHandedOn: () => void;
}

const passed = (since: number): boolean => performance.now() - since >= INERT - 20;

export function useArmed(card: RefObject<HTMLElement | null>, about: readonly unknown[]): Arming {
  const [armed, setArmed] = useState(false);
  const [steady, setSteady] = useState(true);
  const changed = useRef(performance.now());
  const moved = useRef(0);
  const focused = useRef(0);
  useLayoutEffect(() => {
    changed.current = performance.now();
    setArmed(false);
    const timer = setTimeout(() => setArmed(true), INERT);
    return () => clearTimeout(timer);
  }, about);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = watchPushes(card.current, () => {
      moved.current = performance.now();
      setSteady(false);
      clearTimeout(timer);
      timer = setTimeout(() => setSteady(true), INERT);
    });
    return () => {
      clearTimeout(timer);
      stop?.();
    };
  }, []);
  return {
    armed,
    steady,
    // A click that keys made has no count: the keys' own guard holds for it.
    ripe: (event) => passed(changed.current) && passed(event.detail > 0 ? moved.current : focused.current),
    onHandedOn: () => {
      focused.current = performance.now();
    },
  };
}

/**
 * Tells when the page moved an element: something grew or shrank above it, or the log scrolled on because of that. What
 * the reader scrolls to by hand is no push: they look for it.
 */
function watchPushes(element: HTMLElement | null, pushed: () => void): (() => void) | undefined {
  if (!element) return;
  let [left, top] = [0, 0];
  let grown = false;
  const moved = (): boolean => {
    const now = element.getBoundingClientRect();
    const far = Math.abs(now.left - left) + Math.abs(now.top - top) > 4;
    [left, top] = [now.left, now.top];
    return far;
  };
  moved();
  const onSize = (): void => {
    if (moved()) pushed();
    grown = true;
    // The scroll that follows from it comes in the next frame, before what is asked for then.
    requestAnimationFrame(() => {
      grown = false;
    });
  };
  const onScroll = (): void => {
    if (moved() && grown) pushed();
  };
  const sizes = new ResizeObserver(onSize);
  for (let around = element.parentElement; around; around = around.parentElement) sizes.observe(around);
  document.addEventListener("scroll", onScroll, { capture: true, passive: true });
  return () => {
    sizes.disconnect();
    document.removeEventListener("scroll", onScroll, { capture: true });
  };
}
