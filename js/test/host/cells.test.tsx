import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Inserting, inserting } from "../../src/host/cells.ts";
import { Markdown } from "../../src/views/Markdown.tsx";
import { clear, show } from "../help.tsx";

const WIDGET = { outputs: [{ data: { "application/vnd.jupyter.widget-view+json": { model_id: "m" } } }] };

class Cell {
  cell_type = "code";
  constructor(
    public source: string,
    private readonly more: object = {},
  ) {}
  getSource = (): string => this.source;
  toJSON = (): unknown => ({ source: this.source, ...this.more });
}

/** What of JupyterLab's notebook is used, and a page that shows it: each cell has its number. */
class Notebook {
  readonly element = document.createElement("div");
  constructor(readonly cells: Cell[]) {
    this.element.className = "jp-Notebook";
    document.body.append(this.element);
    this.draw();
  }
  insertCell = vi.fn((index: number, cell: { source: string }): Cell => {
    const made = new Cell(cell.source);
    this.cells.splice(index, 0, made);
    this.draw();
    return made;
  });
  sources = (): string[] => this.cells.map((cell) => cell.source);
  model = (more: object = {}): unknown => ({ widget_manager: { context: { model: { sharedModel: this, ...more } } } });
  at = (index: number): Element => this.element.children[index] as Element;
  private draw(): void {
    this.element.replaceChildren(
      ...this.cells.map((_, index) => {
        const element = document.createElement("div");
        element.className = "jp-Cell jp-CodeCell";
        element.dataset.windowedListIndex = String(index);
        return element;
      }),
    );
  }
}

let notebook: Notebook;
beforeEach(() => {
  document.body.replaceChildren();
  notebook = new Notebook([new Cell("first"), new Cell("ours", WIDGET), new Cell("last")]);
});
afterEach(clear);

describe("inserting a cell", () => {
  it("puts it below the view's cell, several in the order of asking", () => {
    const insert = inserting(notebook.model());
    expect(insert?.(notebook.at(1), "a")).toBe(true);
    expect(insert?.(notebook.at(1), "b")).toBe(true);
    expect(notebook.sources()).toEqual(["first", "ours", "a", "b", "last"]);
    expect(notebook.insertCell.mock.calls[0]?.[1]).toEqual({
      cell_type: "code",
      source: "a",
      metadata: { trusted: false },
    });
  });

  it.each([
    ["outside of a notebook", () => document.body],
    ["in a cell without a widget", () => notebook.at(0)],
    [
      "in a cell whose place is not known",
      () => {
        delete (notebook.at(1) as HTMLElement).dataset.windowedListIndex;
        return notebook.at(1);
      },
    ],
  ])("changes nothing %s", (_, from) => {
    expect(inserting(notebook.model())?.(from(), "a")).toBe(false);
    expect(notebook.sources()).toEqual(["first", "ours", "last"]);
  });

  it("says so when the notebook refuses", () => {
    notebook.insertCell.mockImplementation(() => {
      throw new Error("disposed");
    });
    expect(inserting(notebook.model())?.(notebook.at(1), "a")).toBe(false);
  });

  it.each([
    ["no manager", () => ({})],
    ["a manager without a notebook", () => ({ widget_manager: { context: null } })],
    ["a notebook that may not be changed", () => notebook.model({ readOnly: true })],
  ])("is not offered with %s", (_, model) => {
    expect(inserting(model())).toBeNull();
  });
});

describe("a code block", () => {
  const python = "```python\nx = 1\n```";
  const buttons = (text: string, insert: ((from: Element, source: string) => boolean) | null, growing = false) =>
    show(
      <Inserting.Provider value={insert}>
        <Markdown text={text} growing={growing} />
      </Inserting.Provider>,
      {},
    );

  it.each(["python", "py", "Python3", "ipython"])("of %s can be inserted", async (language) => {
    const insert = vi.fn(() => true);
    const page = buttons(`\`\`\`${language}\nx = 1\n\`\`\``, insert);
    await act(async () => page.one(".acp-code-insert").click());
    expect(insert).toHaveBeenCalledWith(page.one(".acp-code-insert"), "x = 1");
    expect(page.one(".acp-code-insert [aria-live]").textContent).toBe("Inserted below");
  });

  it("is copied when it cannot be inserted after all, and says so", async () => {
    const write = vi.fn(async () => {});
    vi.stubGlobal("navigator", { clipboard: { writeText: write } });
    const page = buttons(python, () => false);
    page.one(".acp-code-insert").click();
    const said = (): string | null => page.one(".acp-code-insert").textContent;
    await vi.waitFor(() => expect(said()).toBe("Could not insert: copied instead"));
    vi.unstubAllGlobals();
    expect(write).toHaveBeenCalledWith("x = 1");
  });

  it.each([
    ["of another language", "```bash\nls\n```", false],
    ["without a language", "```\nls\n```", false],
    ["that still grows", "```python\nx =", true],
  ])("%s is only copied", (_, text, growing) => {
    const page = buttons(text, () => true, growing);
    expect(page.all("button").map((button) => button.textContent)).toEqual(["Copy"]);
  });

  it("is only copied where there is no way", () => {
    expect(buttons(python, null).all("button")).toHaveLength(1);
  });
});
