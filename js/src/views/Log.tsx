import type { ComponentChildren, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import "./Log.css";

/** Pixels from the end that still count as the end. */
const NEAR = 40;

/** Whether some of the text is selected: it must not move away. */
function isReading(box: HTMLElement): boolean {
  const selection = getSelection();
  return !!selection && !selection.isCollapsed && box.contains(selection.anchorNode);
}

interface Props {
  children: ComponentChildren;
  /** What the reader sent last from here: it comes into view, wherever they were. */
  sent?: string | undefined;
}

/** The scrolling body: follows the end until the reader scrolls up. */
export function Log({ children, sent }: Props): VNode {
  const outer = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const follow = useRef(true);
  const lastTop = useRef(0);
  const [away, setAway] = useState(false);

  const toEnd = (): void => {
    const element = outer.current;
    if (!element) return;
    follow.current = true;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
    setAway(false);
    element.focus({ preventScroll: true }); // the button goes; the keys stay here
  };
  const before = useRef(sent);
  useLayoutEffect(() => {
    if (sent !== before.current && outer.current) {
      follow.current = true;
      outer.current.scrollTop = outer.current.scrollHeight;
    }
    before.current = sent;
  }, [sent]);
  const onScroll = (): void => {
    const element = outer.current;
    if (!element) return;
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (left <= NEAR) follow.current = true;
    else if (element.scrollTop < lastTop.current - 1) follow.current = false;
    lastTop.current = element.scrollTop;
    setAway(!follow.current);
  };
  useEffect(() => {
    const [box, content] = [outer.current, inner.current];
    if (!box || !content) return;
    const observer = new ResizeObserver(() => {
      if (!follow.current || document.activeElement?.closest("[data-permission]")) return; // never pull a question away
      if (isReading(box)) return setAway(true);
      box.scrollTop = box.scrollHeight;
      lastTop.current = box.scrollTop;
    });
    observer.observe(content);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="acp-log-frame">
      <div
        ref={outer}
        class="acp-log"
        role="log"
        aria-live="polite"
        aria-label="Transcript"
        tabIndex={0}
        onScroll={onScroll}
      >
        <div ref={inner} class="acp-log-inner">
          {children}
        </div>
      </div>
      {away && (
        <button type="button" class="acp-to-end" onClick={toEnd}>
          ↓ Latest
        </button>
      )}
    </div>
  );
}
