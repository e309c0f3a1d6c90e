import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

export interface Reach {
  reached: boolean;
  scrolls: boolean;
  onScroll: () => void;
}

/** Whether the reader could see all of it: it fits, it was expanded, or it was scrolled to its end. */
export function useReach(body: RefObject<HTMLDivElement | null>, about: readonly unknown[]): Reach {
  const [seen, setSeen] = useState(false);
  const [scrolls, setScrolls] = useState(false);
  const measure = (): void => {
    const element = body.current;
    if (!element || element.checkVisibility?.() === false) return; // nobody reads what is folded away
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    setScrolls(element.scrollHeight - element.clientHeight > 2);
    if (left <= 2) setSeen(true);
  };
  useLayoutEffect(() => {
    setSeen(false);
    measure();
  }, about);
  useEffect(() => {
    if (!body.current) return;
    const observer = new ResizeObserver(measure);
    observer.observe(body.current);
    return () => observer.disconnect();
  }, []);
  return { reached: seen, scrolls, onScroll: measure };
}
