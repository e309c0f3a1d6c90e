/**
 * New cells below the one that a view stands in: never run, nothing overwritten, no file written.
 *
 * JupyterLab and Notebook 7 have one way, the notebook of the view's own widget manager (`WidgetManager.context`), by
 * which JupyterLab itself makes the cell of `set_next_input`. It does not go by the active cell. Other front ends have
 * no such manager, and the views offer a copy alone.
 */

import { createContext } from "preact";

/** Puts code into a new cell below the one that holds the element. False: there is none, and nothing was changed. */
export type Insert = (from: Element, source: string) => boolean;

/** What a view inserts with; null where there is no way. */
export const Inserting = createContext<Insert | null>(null);

interface Cell {
  cell_type: string;
  getSource(): string;
  toJSON(): unknown;
}

interface Notebook {
  cells: readonly Cell[];
  insertCell(index: number, cell: { cell_type: "code"; source: string; metadata: { trusted: false } }): Cell;
}

/** The notebook that a view's model belongs to, while it is open and may be changed. */
function notebookOf(model: unknown): Notebook | null {
  const manager = (
    model as { widget_manager?: { context?: { model?: { readOnly?: boolean; sharedModel?: Notebook } } } }
  )?.widget_manager;
  const { readOnly, sharedModel } = manager?.context?.model ?? {};
  return !readOnly && typeof sharedModel?.insertCell === "function" ? sharedModel : null;
}

/** How cells are inserted beside the views of this model. */
export function inserting(model: unknown): Insert | null {
  /** Which cell each new one was made for: several stand in the order in which they were asked for. */
  const madeFor = new WeakMap<Cell, Cell>();
  const insert: Insert = (from, source) => {
    const place = from.closest<HTMLElement>(".jp-Notebook .jp-CodeCell")?.dataset.windowedListIndex;
    const notebook = notebookOf(model);
    const ours = place ? notebook?.cells[Number(place)] : undefined;
    if (!notebook || !ours || !JSON.stringify(ours.toJSON()).includes("jupyter.widget-view+json")) return false;
    let below = Number(place) + 1;
    for (let next = notebook.cells[below]; next && madeFor.get(next) === ours; next = notebook.cells[below]) below += 1;
    const made = notebook.insertCell(below, { cell_type: "code", source, metadata: { trusted: false } });
    madeFor.set(made, ours);
    return notebook.cells[below] === made;
  };
  const safe: Insert = (from, source) => {
    try {
      return insert(from, source);
    } catch {
      return false; // a notebook that was closed, or another shape of it
    }
  };
  try {
    return notebookOf(model) && safe;
  } catch {
    return null;
  }
}
