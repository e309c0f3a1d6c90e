/**
 * A turn's static transcript stands as another output of the same cell. One of the two is shown: the live view while a
 * kernel is there, the transcript when there is none.
 */

import { effect } from "@preact/signals";
import type { Connection } from "./link.ts";

const AREA = ".jp-OutputArea";
const CHILD = ".jp-OutputArea-child";

/** Shows either the view or its transcript, from now until the signal ends; then the transcript. */
export function shareWithTranscript(
  view: HTMLElement,
  uid: string,
  connection: () => Connection,
  signal: AbortSignal,
): void {
  let hidden: HTMLElement | null = null;
  const observer = new MutationObserver(() => update(connection()));
  let watched: Element | null | undefined;

  const show = (): void => {
    if (hidden) hidden.style.display = "";
    hidden = null;
  };
  const update = (now: Connection): void => {
    const area = view.closest(AREA);
    if (view.isConnected && area !== watched) {
      observer.disconnect(); // the wait for a place in the page is over
      if (area) observer.observe(area, { childList: true, subtree: true });
      watched = area;
    }
    const transcript = area?.querySelector(`.acp-transcript-${CSS.escape(uid)}`)?.closest<HTMLElement>(CHILD) ?? null;
    if (transcript !== hidden) show(); // drawn anew
    const instead = transcript !== null && (now === "saved" || now === "connecting");
    if (instead) show();
    else if (transcript && !transcript.contains(view)) {
      hidden = transcript;
      hidden.style.display = "none";
    }
    view.style.display = instead ? "none" : "";
  };
  // The view may be drawn before it is put into the page.
  if (!view.isConnected) observer.observe(document.body, { childList: true, subtree: true });
  const stop = effect(() => update(connection()));
  signal.addEventListener("abort", () => {
    stop();
    observer.disconnect();
    show();
  });
}
