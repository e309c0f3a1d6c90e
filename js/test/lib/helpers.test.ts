import { describe, expect, it } from "vitest";
import { optionIndex } from "../../src/lib/keys.ts";
import { relative, samePath, shortened, withLine } from "../../src/lib/paths.ts";
import { bytes, clock, duration, short } from "../../src/lib/time.ts";
import { safeHref, safeImage } from "../../src/lib/urls.ts";
import { visible, visibleText } from "../../src/lib/visible.ts";
import { displayKind, isFinal, nameSaysKind } from "../../src/lib/words.ts";

describe("paths", () => {
  it.each([
    ["/p/x/a.py", "/p/x", "a.py"],
    ["/p/x/a.py", "/p/x/", "a.py"],
    ["/p/xy/a.py", "/p/x", "/p/xy/a.py"],
    ["/p/x/../../etc/passwd", "/p/x", "/p/x/../../etc/passwd"],
    ["C:\\p\\src\\a.py", "C:\\p", "src\\a.py"],
    ["\\\\host\\share\\a", "\\\\host\\share", "a"],
    ["/etc/hosts", "/", "/etc/hosts"],
    ["/p/a", null, "/p/a"],
  ])("%s in %s is %s", (path, cwd, shown) => expect(relative(path, cwd)).toBe(shown));

  it("are short in a header and the same whatever slashes they have", () => {
    expect(shortened("/home/me/work/team/project")).toBe("…/team/project");
    expect(shortened("/tmp/project")).toBe("/tmp/project");
    expect(samePath("C:\\a\\b", "C:/a/b/")).toBe(true);
    expect(withLine("a.py", 12)).toBe("a.py:12");
    expect(withLine("a.py", null)).toBe("a.py");
  });
});

describe("hidden characters", () => {
  it.each([
    ["a right-to-left override", "a\u202eb", "a⟨U+202E⟩b"],
    ["a zero width space", "r\u200bm", "r⟨U+200B⟩m"],
    ["a no-break space", "rm\u00a0-rf", "rm⟨U+00A0⟩-rf"],
    ["an escape", "\x1b[8m", "⟨U+001B⟩[8m"],
    ["a tag character", "a\u{e0041}", "a⟨U+E0041⟩"],
    ["a variation selector", "a\ufe0f", "a⟨U+FE0F⟩"],
    ["a Hangul filler", "a\u3164b", "a⟨U+3164⟩b"],
    ["half a surrogate pair", "a\ud800b", "a⟨U+D800⟩b"],
    ["a carriage return", "safe\rrm -rf", "safe⟨U+000D⟩rm -rf"],
    ["a line separator", "a\u2028b", "a⟨U+2028⟩b"],
  ])("%s is shown", (_, text, shown) => expect(visibleText(text)).toBe(shown));

  it("leave line breaks and tabs of a command, and none in one line", () => {
    expect(visibleText("a\n\tb")).toBe("a\n\tb");
    expect(visibleText("a\n\tb", true)).toBe("a⟨U+000A⟩⟨U+0009⟩b");
  });

  it("leave everything else alone, accents and emoji too", () => {
    expect(visible("naïve 日本 😀 e\u0301")).toEqual([{ text: "naïve 日本 😀 e\u0301" }]);
    expect(visible("")).toEqual([{ text: "" }]);
  });

  it("have a name", () => expect(visible("\u202e")[0]?.mark).toBe("right-to-left override"));
});

describe("words", () => {
  it("know the kinds and the final statuses, and nothing else", () => {
    expect(displayKind("edit")).toBe("edit");
    expect(displayKind("_paint")).toBe("other");
    expect(displayKind("constructor")).toBe("other");
    expect(isFinal("failed")).toBe(true);
    expect(isFinal("_queued")).toBe(false);
  });

  it.each([
    ["Allow once", "allow_once", true],
    ["Yes", "allow_once", true],
    ["Yes, and don't ask again this session", "allow_always", true],
    ["Always allow", "allow_always", true],
    ["Reject", "reject_once", true],
    ["No, and tell the agent what to do", "reject_once", true],
    ["Allow", "reject_once", false],
    ["Reject", "allow_once", false],
    ["Don't allow", "allow_once", false],
    ["Allow", "allow_always", false],
    ["OK", "_custom", false],
    ["Go", "allow_once", false],
  ])("%s as %s needs no word of ours: %s", (name, kind, clear) => expect(nameSaysKind(name, kind)).toBe(clear));
});

describe("times and sizes", () => {
  it("are said as people say them", () => {
    expect([0.12, 3.24, 41.4, 125, 3720].map(duration)).toEqual(["0.1 s", "3.2 s", "41 s", "2 min 05 s", "1 h 02 min"]);
    expect(duration(-3)).toBe("0.0 s");
    expect([812, 2100, 3_400_000].map(bytes)).toEqual(["812 B", "2.1 kB", "3.4 MB"]);
    expect([900, 53_000, 1_200_000].map(short)).toEqual(["900", "53k", "1.2M"]);
    expect(clock(0)).toMatch(/^\d\d:\d\d:\d\d$/);
  });
});

describe("keys", () => {
  const key = (name: string, more: KeyboardEventInit = {}) => new KeyboardEvent("keydown", { key: name, ...more });

  it("choose by a digit, pressed anew and alone", () => {
    expect(optionIndex(key("1"))).toBe(0);
    expect(optionIndex(key("9"))).toBe(8);
    for (const other of [key("0"), key("a"), key("Enter"), key("F1")]) expect(optionIndex(other)).toBeNull();
    for (const more of [{ repeat: true }, { ctrlKey: true }, { metaKey: true }, { altKey: true }]) {
      expect(optionIndex(key("1", more))).toBeNull();
    }
  });
});

describe("addresses", () => {
  it("are links only when a click may open them", () => {
    for (const good of ["https://a.b/c", "http://a.b/", "mailto:me@a.b"]) expect(safeHref(good)).toBe(good);
    for (const bad of [
      "javascript:alert(1)",
      " JaVaScRiPt:alert(1)",
      "java\nscript:alert(1)",
      "data:text/html,<script>alert(1)</script>",
      "vbscript:x",
      "file:///etc/passwd",
      "blob:https://a.b/x",
      "/relative",
      "#anchor",
      "//a.b",
      "",
    ]) {
      expect(safeHref(bad)).toBeNull();
    }
  });

  it("are pictures only when they hold the picture", () => {
    expect(safeImage("data:image/png;base64,AAAA")).not.toBeNull();
    for (const bad of [
      "https://a.b/x.png",
      "data:image/svg+xml;base64,AAAA",
      "data:text/html;base64,AAAA",
      "data:image/png,x",
    ]) {
      expect(safeImage(bad)).toBeNull();
    }
  });
});
