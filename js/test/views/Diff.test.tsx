import { afterEach, describe, expect, it } from "vitest";
import { CWD, PATCH, state } from "../../dev/states.ts";
import type { JsonObject, Tagged } from "../../src/types.ts";
import { Diff } from "../../src/views/Diff.tsx";
import { clear, click, show } from "../help.tsx";

afterEach(clear);

const change = (operation: string, path: string, more: JsonObject = {}): JsonObject => ({
  operation,
  path: `${CWD}/${path}`,
  ...more,
});
const draw = (changes: JsonObject[], patch: JsonObject | null = null) =>
  show(<Diff item={{ type: "diff", changes, patch } as Tagged} />, state({}));
const git = (text: string): JsonObject => ({ format: "git_patch", text });

describe("a diff", () => {
  it("has a row a file: operation, path in the folder, counts", () => {
    const page = draw([change("modify", "stats.py")], git(PATCH));
    expect(page.one(".acp-file").textContent).toMatch(/^modifystats\.py\+4 −2/);
  });

  it("without a patch says so, with what is known of the file", () => {
    const page = draw([
      change("add", "logo.png", { fileType: "binary", mimeType: "image/png" }),
      change("move", "docs/a.txt", { oldPath: `${CWD}/a.txt` }),
      change("delete", "old", { fileType: "directory" }),
    ]);
    expect(page.all(".acp-file").map((row) => row.textContent)).toEqual([
      "addlogo.pngbinary · image/png · no patch",
      "movea.txt → docs/a.txtno patch",
      "deleteold/directory · no patch",
    ]);
  });

  it("has line numbers, signs and marked words", () => {
    const page = draw([change("modify", "stats.py")], git(PATCH));
    expect(page.one(".acp-hunk").textContent).toBe("@@ -1,5 +1,7 @@ def mean");
    expect(page.all(".acp-row").map((row) => row.textContent)).toEqual([
      "11def mean(xs):",
      "2−    return sum(xs) / len(xs)",
      "2+    if not xs:",
      '3+        return float("nan")',
      "4+    return sum(xs) / len(xs)",
      "35",
      "46def spread(values):",
      "5−    return max(values) - min(values)",
      "7+    return max(values, default=0) - min(values)",
    ]);
    expect(page.all(".acp-diff-word").map((word) => word.textContent)).toEqual([", default=0"]);
  });

  it("shows the beginning of a very long line, and the rest on demand", () => {
    const long = `${"x".repeat(1_000_000)}end`;
    const text = `--- a/x.js\n+++ b/x.js\n@@ -1 +1 @@\n-a\n+${long}\n`;
    const page = draw([{ operation: "modify", path: "x.js" }], git(text));
    expect(page.text().length).toBeLessThan(10_000);
    expect(page.text()).toContain("more characters");
    click(page.all(".acp-line button")[0] as HTMLElement);
    expect(page.text()).toContain(long);
  });

  it("warns of a patch for a file that is not among the changes", () => {
    const page = draw([change("modify", "other.py")], git(PATCH));
    expect(page.text()).toContain("The patch names a file that is not among the changes. Shown as text:");
    expect(page.one(".acp-patch-text").textContent).toBe(PATCH);
    expect(page.text()).toContain("modifyother.pyno patch");
  });

  it("shows an unknown operation with its JSON, and an unknown format as text", () => {
    const page = draw([{ operation: "_chmod", path: `${CWD}/run.sh`, mode: "755" }], { format: "_ed", text: "1,$d" });
    expect(page.text()).toContain('"mode": "755"');
    expect(page.text()).toContain("A patch in the format _ed, as the agent sent it1,$d");
    expect(page.one("pre.acp-patch-text").textContent).toBe("1,$d");
    expect(page.text()).toContain("Copy patch");
    click(page.one(".acp-details button"));
    expect(page.text()).not.toContain("1,$d");
  });

  it("begins with a long patch of an unknown format closed, and shows one without text as it is", () => {
    const text = "1,$d\n".repeat(1000);
    const page = draw([change("modify", "a")], { format: "_ed", text });
    expect(page.text()).not.toContain("1,$d");
    click(page.one(".acp-details button"));
    expect(page.one("pre.acp-patch-text").textContent).toBe(text);
    expect(draw([change("modify", "a")], { format: "_ops", ops: ["cut"] }).text()).toContain('"cut"');
  });

  it("says a word about a file once", () => {
    const text = `diff --git ${CWD}/x.png ${CWD}/x.png\nBinary files differ\n`;
    const page = draw([change("modify", "x.png", { fileType: "binary" })], git(text));
    expect(page.one(".acp-file").textContent).toBe("modifyx.pngbinaryCopy patch");
  });

  it("hints at a patch that says something else than the change, and draws it", () => {
    const path = `${CWD}/a.txt`;
    const text = `diff --git ${path} ${path}\ndeleted file mode 100644\n--- ${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n`;
    const page = draw([change("modify", "a.txt")], git(text));
    expect(page.one(".acp-diff-hint").textContent).toContain("The agent says modify, its patch says delete.");
    expect(page.all(".acp-row")).toHaveLength(1);
    expect(draw([change("delete", "a.txt")], git(text)).all(".acp-diff-hint")).toEqual([]);
  });

  it("says once that lines end as on Windows, and marks those that do not", () => {
    const path = `${CWD}/a.txt`;
    const body = "@@ -1,3 +1,3 @@\n one\r\n-two\r\n+two\n three\r\n";
    const windows = (text: string) =>
      draw([change("modify", "a.txt")], git(`diff --git ${path} ${path}\n--- ${path}\n+++ ${path}\n${text}`));
    const all = windows(body.replace("+two\n", "+2\r\n"));
    expect(all.one(".acp-file").textContent).toContain("CRLF line ends");
    expect(all.all(".acp-mark")).toEqual([]);
    const one = windows(body);
    expect(one.one(".acp-file").textContent).toContain("mostly CRLF line ends");
    expect(one.all(".acp-mark").map((mark) => mark.closest(".acp-row")?.textContent)).toEqual(["2+two⟨LF⟩"]);
    const few = windows("@@ -1,2 +1,2 @@\n one\n-two\n+two\r\n");
    expect(few.all(".acp-row").map((row) => row.textContent)).toEqual(["11one", "2−two", "2+two⟨U+000D⟩"]);
  });

  it("folds what is long, and says how long it is", () => {
    const lines = Array.from({ length: 5000 }, (_, n) => `+row ${n}`).join("\n");
    const header = `diff --git ${CWD}/big.csv ${CWD}/big.csv\nnew file mode 100644\n--- /dev/null\n+++ ${CWD}/big.csv\n`;
    const page = draw([change("add", "big.csv")], git(`${header}@@ -0,0 +1,5000 @@\n${lines}\n`));
    expect(page.text()).toContain("+5,000 −0");
    expect(page.all(".acp-row")).toEqual([]);
    click(page.all("button").find((button) => button.textContent === "Show 5,001 lines") as HTMLElement);
    expect(page.all(".acp-row").length).toBeGreaterThan(50);
    expect(page.all(".acp-row").length).toBeLessThan(1000);
  });

  it("folds long unchanged stretches, and opens them", () => {
    const lines = Array.from({ length: 30 }, (_, n) => ` line ${n}`).join("\n");
    const path = `${CWD}/a.txt`;
    const text = `diff --git ${path} ${path}\n--- ${path}\n+++ ${path}\n@@ -1,31 +1,31 @@\n-a\n+b\n${lines}\n`;
    const page = draw([change("modify", "a.txt")], git(text));
    expect(page.all(".acp-row")).toHaveLength(8);
    click(page.one(".acp-fold"));
    expect(page.all(".acp-row")).toHaveLength(32);
    expect(page.text()).not.toContain("unchanged lines");
  });

  it("stands side by side when asked to, as every other diff then does", () => {
    const item = { type: "diff", changes: [change("modify", "stats.py")], patch: git(PATCH) };
    const page = show(
      <>
        <Diff item={item} />
        <Diff item={item} />
      </>,
      state({}),
    );
    click(page.one(".acp-split"));
    const pairs = page.all(".acp-pair").map((pair) => [...pair.children].map((row) => row.textContent));
    expect(pairs[1]).toEqual(["2−    return sum(xs) / len(xs)", "2+    if not xs:"]);
    expect(pairs[2]).toEqual(["", '3+        return float("nan")']);
    expect(page.all(".acp-split").map((button) => button.textContent)).toEqual(["Unified", "Unified"]);
    click(page.all(".acp-split")[1] as HTMLElement);
    expect(page.all(".acp-pair")).toEqual([]);
  });

  it("has the colours of its language together with the marked words", () => {
    const page = draw([change("modify", "stats.py")], git(PATCH));
    expect(page.all(".acp-row-del .acp-h-keyword").map((word) => word.textContent)).toEqual(["return", "return"]);
    expect(page.one(".acp-diff-word .acp-h-number").textContent).toBe("0");
  });

  it("offers each file's patch, and all of it", () => {
    const page = draw([change("modify", "stats.py"), change("delete", "b")], git(PATCH));
    const buttons = page.all(".acp-file button").map((button) => [button.textContent, button.title]);
    expect(buttons).toEqual([
      ["Split", "Split view of stats.py"],
      ["Copy patch", "Copies the patch of stats.py"],
      ["Copy all", "Copies the patch of all files"],
    ]);
  });

  it("shows hidden characters of paths and lines", () => {
    const path = `${CWD}/a\u202egpj.exe`;
    const text = `diff --git ${path} ${path}\n--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-a\n+if x: # \u2066 admin\n`;
    const page = draw([{ operation: "modify", path }], git(text));
    expect(page.one(".acp-path").textContent).toBe("a⟨U+202E⟩gpj.exe");
    expect(page.one(".acp-row-add").textContent).toContain("⟨U+2066⟩");
  });
});
