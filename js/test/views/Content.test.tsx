import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { message, START, state, text, turn } from "../../dev/states.ts";
import type { Json, JsonObject } from "../../src/types.ts";
import { Message, UserBubble } from "../../src/views/Message.tsx";
import { clear, click, type Page, pass, show } from "../help.tsx";

beforeEach(() => void vi.useFakeTimers({ now: (START + 12) * 1000 }));
afterEach(() => {
  clear();
  vi.restoreAllMocks();
});

/** A message of the agent that holds these blocks. */
function blocks(...content: Json[]): Page {
  return show(<Message id="a:1" />, state({ messages: { "a:1": message("agent", "1", "", { content, turn: null }) } }));
}

const button = (page: Page, name: string): HTMLElement => {
  const found = page.all("button").find((each) => each.textContent?.includes(name));
  if (!found) throw new Error(`no button ${name}: ${page.text()}`);
  return found;
};

/** What is given to the browser to save: names, types and bytes. */
function saved(): { name: string; type: string; bytes: () => Promise<number[]>; revoked: string[] } {
  const file = { name: "", type: "", bytes: async (): Promise<number[]> => [], revoked: [] as string[] };
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
    file.type = (blob as Blob).type;
    file.bytes = async () => [...new Uint8Array(await (blob as Blob).arrayBuffer())];
    return "blob:here";
  });
  vi.spyOn(URL, "revokeObjectURL").mockImplementation((url) => void file.revoked.push(url));
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    file.name = this.download;
  });
  return file;
}

function copied(): string[] {
  const texts: string[] = [];
  vi.spyOn(navigator.clipboard, "writeText").mockImplementation(async (value) => void texts.push(value));
  return texts;
}

describe("a picture", () => {
  it("is drawn from its data with its name, type and size, and larger after a click", () => {
    const page = blocks({ type: "image", data: "AAAA", mimeType: "image/PNG", uri: "file:///plots/a%20b.png" });
    const image = page.one("img");
    expect([image.getAttribute("src"), image.getAttribute("alt")]).toEqual(["data:image/png;base64,AAAA", "a b.png"]);
    Object.defineProperties(image, { naturalWidth: { value: 640 }, naturalHeight: { value: 480 } });
    act(() => void image.dispatchEvent(new Event("load")));
    expect(page.text()).toContain("a b.png · image/PNG · 3 B · 640 × 480");
    const open = page.one("[aria-pressed]");
    expect(open.getAttribute("aria-label")).toBe("a b.png, in its own size");
    click(open);
    expect(open.getAttribute("aria-pressed")).toBe("true");
    expect(page.all(".acp-large")).toHaveLength(1);
  });

  it("that cannot be drawn is a line that says why, with its data to save where there is some", () => {
    const said = (more: JsonObject): string => blocks({ type: "image", mimeType: "image/png", ...more }).text();
    expect(said({})).toContain("its data is missing or not text");
    expect(said({ data: 5 })).toContain("its data is missing or not text");
    expect(said({ data: "<b>" })).toMatch(/its data is not base64(?!.*Download)/);
    expect(said({ data: "AAA… [cut: 9 characters]" })).toContain("only a part of its data was kept");
    expect(said({ data: "AAAA", mimeType: "image/svg+xml" })).toMatch(/image\/svg\+xml.*not a type that is safe.*Down/);
    expect(said({ data: "AAAA", mimeType: "text/html" })).toContain("not a type that is safe");
    expect(said({ data: "AAAA", mimeType: "audio/wav" })).toContain("not a type that is safe");
    expect(said({ data: "AAAA", mimeType: "image/png;base64,x onerror=1" })).not.toContain("Not shown");
    const page = blocks({ type: "image", data: "AAAA", mimeType: "image/png" });
    act(() => void page.one("img").dispatchEvent(new Event("error")));
    expect(page.all("img")).toEqual([]);
    expect(page.text()).toContain("the browser cannot read it");
  });

  it("that stands elsewhere is loaded when the reader says so, from where is said", () => {
    const page = blocks({ type: "image", uri: "https://cdn.example/a.png", mimeType: "image/png" });
    expect(page.all("img")).toEqual([]);
    click(button(page, "Load it from cdn.example"));
    const image = page.one("img");
    expect(image.getAttribute("src")).toBe("https://cdn.example/a.png");
    expect(image.getAttribute("referrerpolicy")).toBe("no-referrer");
    const odd = blocks({ type: "image", uri: "javascript:alert(1)", mimeType: "image/png" });
    expect(odd.all("img, a")).toEqual([]);
    expect(odd.text()).not.toContain("Load");
  });
});

describe("a sound", () => {
  it("can be played when its type is known to be one, and saved", () => {
    const page = blocks({ type: "audio", data: "AAAA", mimeType: "audio/ogg; codecs=opus" });
    const audio = page.one("audio");
    expect(audio.getAttribute("src")).toBe("data:audio/ogg;base64,AAAA");
    expect([audio.hasAttribute("controls"), audio.getAttribute("preload")]).toEqual([true, "none"]);
    act(() => void audio.dispatchEvent(new Event("error")));
    expect(page.text()).toMatch(
      /Sound audio\/ogg; codecs=opus · 3 B · Not shown: the browser cannot read it.*Download/,
    );
    expect(page.all("audio")).toEqual([]);
    for (const mimeType of ["audio/x-scpls", "text/html", "audio/", "video/mp4"])
      expect(blocks({ type: "audio", data: "AAAA", mimeType }).all("audio")).toEqual([]);
  });
});

describe("a link to a resource", () => {
  it("has its title, type, size and description", () => {
    const page = blocks({
      type: "resource_link",
      uri: "https://a.b/guide",
      name: "guide",
      title: "The guide",
      mimeType: "text/html",
      size: 48213,
      description: "How and why",
    });
    expect(page.text()).toContain("The guide https://a.b/guide text/html · 48.2 kBHow and why");
    expect(page.one("a").getAttribute("rel")).toBe("noopener noreferrer");
  });

  it("to a file copies its path, and no other scheme opens", async () => {
    const texts = copied();
    const page = blocks({ type: "resource_link", uri: "file:///p/a%20b.py", name: "ab" });
    expect(page.all("a")).toEqual([]);
    click(button(page, "/p/a b.py"));
    await pass(0);
    expect(texts).toEqual(["/p/a b.py"]);
    for (const uri of ["javascript:alert(1)", "data:text/html,x", "vbscript:x", " JaVaScRiPt:x", "blob:x", "x"])
      expect(blocks({ type: "resource_link", uri, name: "x" }).all("a")).toEqual([]);
    expect(blocks({ type: "resource_link", name: "x" }).text()).toContain("it has no address");
  });
});

describe("a resource that came along", () => {
  it("is folded text in its colours, to copy and to save", async () => {
    const file = saved();
    const page = blocks({ type: "resource", resource: { uri: "file:///p/b.py?x#y", text: "def f(): 1" } });
    expect(page.all("pre")).toEqual([]);
    click(page.one("[aria-expanded]"));
    expect(page.one(".acp-h-keyword").textContent).toBe("def");
    click(button(page, "Download"));
    expect([file.name, file.type]).toEqual(["b.py", "application/octet-stream"]);
    expect(await file.bytes()).toEqual([...new TextEncoder().encode("def f(): 1")]);
    await pass(2000);
    expect(file.revoked).toEqual(["blob:here"]);
    const typed = blocks({ type: "resource", resource: { uri: "x://1", text: "{}", mimeType: "application/json" } });
    click(typed.one("[aria-expanded]"));
    expect(typed.text()).toContain("json");
  });

  it("in bytes can be saved, under a name that leads nowhere", async () => {
    const file = saved();
    const name = (uri: string): string => {
      click(button(blocks({ type: "resource", resource: { uri, blob: "AAEC" } }), "Download"));
      return file.name;
    };
    expect(name("file:///data/a.parquet")).toBe("a.parquet");
    expect(await file.bytes()).toEqual([0, 1, 2]);
    expect(name("file:///x/..%2F..%2F.bashrc")).toBe("_.._.bashrc");
    expect(name("..")).toBe("resource");
    expect(name("x/gpj\u202eexe.\u0000<b>")).toBe("gpj_exe._b_");
    expect(name("x/%E0%A4%A")).toBe("_E0_A4_A");
  });

  it("that holds nothing says so", () => {
    for (const resource of [null, 5, {}, { uri: "x" }])
      expect(blocks({ type: "resource", resource }).text()).toContain("it has neither text nor data");
    expect(blocks({ type: "resource", resource: { uri: "x", blob: "%%" } }).text()).toContain("not base64");
  });
});

describe("what an agent noted on a block", () => {
  const noted = (annotations: Json): Page => blocks({ ...text("words"), annotations });

  it("for itself alone is folded and named so", () => {
    const page = noted({ audience: ["assistant"] });
    expect(page.text()).toMatch(/^For the agent/);
    expect(page.text()).not.toContain("words");
    click(page.one("[aria-expanded]"));
    expect(page.text()).toContain("words");
    expect(noted({ audience: ["user", "assistant"] }).text()).toMatch(/^words/);
  });

  it("as of little importance, or with the time of its change, is said", () => {
    expect(noted({ priority: 0.1 }).one(".acp-minor").textContent).toContain("minor");
    expect(noted({ priority: 1 }).text()).not.toContain("minor");
    const when = noted({ lastModified: "2026-01-02T03:04:05Z" });
    expect(when.text()).toContain(
      `changed ${new Date("2026-01-02T03:04:05Z").toLocaleString().replace(/\s/g, " ")}`.slice(0, 12),
    );
    expect(noted({ lastModified: "yesterday" }).text()).toContain("changed yesterday");
  });

  it("in no shape that is known does no harm", () => {
    for (const notes of [5, "x", [], { audience: "assistant" }, { audience: [] }, { priority: "0" }, null])
      expect(noted(notes as Json).text()).toMatch(/^words/);
  });
});

describe("a block that is not as it should be", () => {
  it("spoils only itself", () => {
    const page = blocks(
      text("before"),
      null,
      5,
      "x",
      { type: "text", text: 5 },
      {},
      { type: "__proto__" },
      text("after"),
    );
    expect(page.text()).toMatch(/^before.*it is not an object.*it is missing or not text.*__proto__.*after/);
  });

  it("of a type that nobody knows is a line with its JSON", () => {
    const page = blocks({ type: "_scent", strength: 3 });
    click(page.one("[aria-expanded]"));
    expect(page.text()).toContain('"strength": 3');
  });

  it("without any words is nothing", () => {
    expect(blocks(text(""), text(" \n ")).root.innerHTML).toBe("");
    expect(blocks(text(""), text("a"), text("")).all(".acp-md")).toHaveLength(1);
    expect(show(<UserBubble blocks={[{ type: "text", text: "  " }]} />, state({})).root.innerHTML).toBe("");
  });
});

describe("what was attached", () => {
  const attached = { type: "text", text: "1 row", _meta: { "acp-widget": { name: "df", kind: "DataFrame" } } };
  const draw = (prompt: JsonObject[] | null, source: string | null, echo: JsonObject[]) =>
    show(
      <Message id="u:1" />,
      state({
        messages: { "u:1": message("user", "1", "", { content: echo }) },
        turns: { "r:1": turn(1, null, { prompt, source, echo: "u:1" }) },
      }),
    );

  it("is told by the prompt that we sent", () => {
    const page = draw([text("Look"), attached], "composer", [text("Look")]);
    expect(page.one(".acp-attached").textContent).toContain("df DataFrame");
  });

  it("is nothing that an agent says of its echo, or of a message that it replays", () => {
    const echo = draw([text("Look")], "python", [text("Look"), attached]);
    expect(echo.all(".acp-attached")).toEqual([]);
    expect(echo.text()).toContain("1 row");
    const replayed = draw([text("Look"), attached], null, [text("Look"), attached]);
    expect(replayed.all(".acp-attached")).toEqual([]);
    expect(show(<UserBubble blocks={[attached]} />, state({})).all(".acp-attached")).toEqual([]);
  });
});

describe("a thought", () => {
  const thought = (value: string, end: number | null, ended = false): Page =>
    show(
      <Message id="h:1" />,
      state({
        turns: { "r:1": turn(1, "go", ended ? { at: { queued: null, sent: START, end: START + 20 } } : {}) },
        messages: {
          "h:1": message("thought", "1", value, {
            at: { first: START + 9, start: null, end: end === null ? null : START + end },
          }),
        },
      }),
    );

  it("counts while it goes on, and says how long it took", async () => {
    const page = thought("hm", null);
    expect(page.text()).toBe("Thinking… 3 s");
    await pass(2000);
    expect(page.text()).toBe("Thinking… 5 s");
    page.ops(["set", ["messages", "h:1", "at", "end"], START + 15.4]);
    expect(page.text()).toBe("Thought for 6 s");
    expect(thought("hm", 9.4).text()).toBe("Thought for 0.4 s");
  });

  it("does not count aloud", () => {
    expect(thought("hm", null).one(".acp-thought [aria-live]").getAttribute("aria-live")).toBe("off");
  });

  it("without words is nothing when it is over", () => {
    expect(thought(" \n", 10).root.innerHTML).toBe("");
    expect(thought("", null, true).root.innerHTML).toBe("");
  });
});

describe("a message", () => {
  it("can be copied as markdown", async () => {
    const texts = copied();
    const page = blocks(
      text("# A\n\n`x` and "),
      text("**b**"),
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "resource_link", uri: "https://a.b/", name: "site" },
      { type: "resource", resource: { uri: "x.md", text: "```\ncode\n```" } },
      { type: "_scent", strength: 3 },
    );
    click(button(page, "Copy message"));
    await pass(0);
    expect(texts).toEqual([
      "# A\n\n`x` and **b**\n\n![picture](image/png)\n\n[site](https://a.b/)\n\n" +
        '````\n```\ncode\n```\n````\n\n```json\n{\n  "type": "_scent",\n  "strength": 3\n}\n```',
    ]);
  });

  it("of the user that is long is folded, and opens", () => {
    const long = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");
    const page = show(<UserBubble blocks={[{ type: "text", text: long }]} />, state({}));
    expect(page.all(".acp-folded")).toHaveLength(1);
    click(button(page, "Show all 40 lines"));
    expect(page.all(".acp-folded")).toHaveLength(0);
    click(button(page, "Show less"));
    expect(page.all(".acp-folded")).toHaveLength(1);
    const short = show(<UserBubble blocks={[{ type: "text", text: "Fix it" }]} />, state({}));
    expect(short.all(".acp-folded, button")).toEqual([]);
  });
});
