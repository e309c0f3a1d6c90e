import { describe, expect, it } from "vitest";
import { matchPatch, type Row, wordMarks } from "../../src/lib/patch.ts";

const modify = (path: string) => ({ operation: "modify", path });
const section = (header: string, body = "@@ -1 +1 @@\n-a\n+b\n") => `${header}\n${body}`;
const plain = (path: string) => `diff --git ${path} ${path}\n--- ${path}\n+++ ${path}`;

describe("a patch beside its changes", () => {
  it("is split by file and put to the change with its path", () => {
    const text = section(plain("/p/b.py")) + section(plain("/p/a.py"), "@@ -1,2 +1 @@\n-x\n-y\n+z\n");
    const { files, rest } = matchPatch(text, [modify("/p/a.py"), modify("/p/b.py"), modify("/p/c.py")]);
    expect(files.map((file) => file && [file.added, file.removed])).toEqual([[1, 2], [1, 1], null]);
    expect(rest).toEqual([]);
  });

  it.each([
    ["a/ and b/ before an absolute path", "diff --git a/p/a.py b/p/a.py\n--- a/p/a.py\n+++ b/p/a.py", "/p/a.py"],
    ["a// before an absolute path", "diff --git a//p/a.py b//p/a.py\n--- a//p/a.py\n+++ b//p/a.py", "/p/a.py"],
    ["a relative path", "diff --git a/p/a.py b/p/a.py\n--- a/p/a.py\n+++ b/p/a.py", "p/a.py"],
    ["a Windows path", "diff --git C:\\p\\a.py C:\\p\\a.py\n--- C:\\p\\a.py\n+++ C:\\p\\a.py", "C:\\p\\a.py"],
    [
      "a quoted path",
      'diff --git "/p/\\303\\244.py" "/p/\\303\\244.py"\n--- "/p/\\303\\244.py"\n+++ "/p/\\303\\244.py"',
      "/p/ä.py",
    ],
    ["a deletion", "diff --git /p/a.py /p/a.py\ndeleted file mode 100644\n--- /p/a.py\n+++ /dev/null", "/p/a.py"],
    ["a new file", "diff --git /p/a.py /p/a.py\nnew file mode 100644\n--- /dev/null\n+++ /p/a.py", "/p/a.py"],
  ])("understands %s", (_, header, path) => {
    const { files, rest } = matchPatch(section(header), [modify(path)]);
    expect(rest).toEqual([]);
    expect(files[0]?.rows.map((row) => row.text)).toEqual(["@@ -1 +1 @@", "a", "b"]);
  });

  it("understands a rename without hunks", () => {
    const text = "diff --git /p/a b /p/c d\nsimilarity index 100%\nrename from /p/a b\nrename to /p/c d\n";
    const { files } = matchPatch(text, [{ operation: "move", oldPath: "/p/a b", path: "/p/c d" }]);
    expect(files[0]).toMatchObject({ rows: [], added: 0, removed: 0, notes: ["100% the same"] });
  });

  it("keeps what names another file, and says so", () => {
    const text = section(plain("/p/a.py")) + section(plain("/etc/passwd"));
    const { files, rest } = matchPatch(text, [modify("/p/a.py")]);
    expect(files[0]).not.toBeNull();
    expect(rest).toMatchObject([{ why: "stray", text: expect.stringContaining("/etc/passwd") }]);
  });

  it("shows every section of one file, and gives none to another change", () => {
    const text = section(plain("/p/a.py")) + section(plain("/p/a.py"), "@@ -9 +9 @@\n-c\n+d\n");
    const { files, rest } = matchPatch(text, [modify("/p/a.py"), modify("/p/b.py")]);
    expect(rest).toEqual([]);
    expect(files[0]?.rows.map((row) => row.text)).toEqual(["@@ -1 +1 @@", "a", "b", "@@ -9 +9 @@", "c", "d"]);
    expect(files[0]?.text).toBe(text);
    expect(files[1]).toBeNull();
  });

  it.each([
    ["a mode change", "diff --git /p/a b /p/a b\nold mode 100644\nnew mode 100755\n", "/p/a b", false],
    ["a quoted mode change", 'diff --git "/p/\\303\\244" "/p/\\303\\244"\nold mode 1\nnew mode 2\n', "/p/ä", false],
    ["a binary file", "diff --git a/p/x.png b/p/x.png\nBinary files differ\n", "/p/x.png", true],
    ["binary data", "diff --git /p/x /p/x\nGIT binary patch\nliteral 4\nDcmZQz\n", "/p/x", true],
  ])("understands %s without hunks", (_, text, path, binary) => {
    const { files, rest } = matchPatch(text, [modify(path)]);
    expect(rest).toEqual([]);
    expect(files[0]).toMatchObject({ rows: [], binary });
  });

  it.each([
    ["relative to the folder", "--- a/src/x.py\n+++ b/src/x.py", "/p/src/x.py"],
    ["with blanks and a date", "--- /p/a b.py\t2026-01-01\n+++ /p/a b.py\t2026-01-02", "/p/a b.py"],
    ["on a Windows share", "--- \\\\host\\s\\a.py\n+++ \\\\host\\s\\a.py", "\\\\host\\s\\a.py"],
  ])("finds a path %s, also without git's first line", (_, header, path) => {
    const { files, rest } = matchPatch(section(header), [modify(path)], "/p");
    expect(rest).toEqual([]);
    expect(files[0]?.rows).toHaveLength(3);
  });

  it("of several files without git's lines is split", () => {
    const text = section("--- /p/a\n+++ /p/a") + section("--- /p/b\n+++ /dev/null", "@@ -1 +0,0 @@\n-x\n");
    const { files, rest } = matchPatch(text, [modify("/p/b"), modify("/p/a")]);
    expect(rest).toEqual([]);
    expect(files.map((file) => file && [file.added, file.removed])).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });

  it("keeps notes on missing line ends, and lines that end as on Windows", () => {
    const body = "@@ -1 +1 @@\r\n-a\r\n+b\r\n\\ No newline at end of file\r\n";
    const { files } = matchPatch(section("diff --git /p/a /p/a\r\n--- /p/a\r\n+++ /p/a\r", body), [modify("/p/a")]);
    expect(files[0]?.rows.map((row) => [row.kind, row.text])).toEqual([
      ["hunk", "@@ -1 +1 @@"],
      ["del", "a"],
      ["add", "b"],
      ["note", "No newline at end of file"],
    ]);
    expect(files[0]?.notes).toEqual(["CRLF line ends"]);
    expect(files[0]?.text).toContain("-a\r\n");
  });

  it("draws the end of what may be the middle of a file only where the two sides differ in it", () => {
    const end = "\\ No newline at end of text\n";
    const drawn = (body: string) => {
      const [file] = matchPatch(section(plain("/p/a.py"), body), [modify("/p/a.py")]).files;
      return file?.rows.filter(({ kind }) => kind !== "hunk").map(({ kind, text }) => `${kind} ${text}`);
    };
    expect(drawn(`@@ -1 +1 @@\n-a\n${end}+b\n${end}`)).toEqual(["del a", "add b"]);
    expect(drawn(`@@ -1,2 +1,2 @@\n-a\n+b\n c\n${end}`)).toEqual(["del a", "add b", "same c"]);
    expect(drawn(`@@ -1 +1 @@\n-a\n${end}+a\n`)).toEqual(["del a", "note No newline at end of text", "add a"]);
    const file = "\\ No newline at end of file\n";
    expect(drawn(`@@ -1 +1 @@\n-a\n${file}+b\n${file}`)).toHaveLength(4);
  });

  it("is not fooled by removed lines that look like headers", () => {
    const body = "@@ -1,3 +1 @@\n--- tricky\n-diff --git x x\n-@@ no\n+ok\n";
    const { files, rest } = matchPatch(section(plain("/p/a"), body), [modify("/p/a")]);
    expect(rest).toEqual([]);
    expect(files[0]?.rows.slice(1).map((row) => [row.kind, row.text])).toEqual([
      ["del", "-- tricky"],
      ["del", "diff --git x x"],
      ["del", "@@ no"],
      ["add", "ok"],
    ]);
  });

  it("is drawn although the agent miscounted and stripped blanks", () => {
    const body = "@@ -1,9 +1 @@ def f\n a\n\n-b\n+c\n";
    const { files } = matchPatch(section(plain("/p/a"), body), [modify("/p/a")]);
    expect(files[0]?.rows.map((row) => [row.before, row.after, row.text])).toEqual([
      [null, null, "@@ -1,9 +1 @@ def f"],
      [1, 1, "a"],
      [2, 2, ""],
      [3, null, "b"],
      [null, 3, "c"],
    ]);
  });

  it.each([
    ["modify", "deleted file mode 100644\n--- /p/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "says delete"],
    ["modify", "new file mode 100644\n--- /dev/null\n+++ /p/a\n@@ -0,0 +1 @@\n+x\n", "says add"],
    ["delete", "--- /p/a\n+++ /p/a\n@@ -1 +1 @@\n-x\n+y\n", "says modify"],
    ["add", "--- /p/a\n+++ /p/a\n@@ -1 +1 @@\n-x\n+y\n", "says modify"],
    ["modify", "rename from /p/z\nrename to /p/a\n", "says move"],
    ["move", "rename from /p/z\nrename to /p/a\n", "another file to move: /p/z"],
    ["modify", "--- /p/a\n+++ /p/a\n@@ -1,9 +1,9 @@\n-x\n+y\n", "ends early"],
  ])("is drawn with a hint where the change says %s and it does not fit", (operation, body, words) => {
    const change = { operation, path: "/p/a", ...(operation === "move" ? { oldPath: "/p/b" } : {}) };
    const { files, rest } = matchPatch(`diff --git /p/a /p/a\n${body}`, [change]);
    expect(rest).toEqual([]);
    expect(files[0]?.hints).toEqual([expect.stringContaining(words)]);
  });

  it.each([
    ["add", "new file mode 100644\n--- /dev/null\n+++ /p/a\n@@ -0,0 +1 @@\n+x\n"],
    ["add", "--- /p/a\n+++ /p/a\n@@ -0,0 +1 @@\n+x\n"],
    ["delete", "--- /p/a\n+++ /p/a\n@@ -1 +0,0 @@\n-x\n"],
    ["modify", "--- /p/a\n+++ /p/a\n@@ -1,2 +1,2 @@\n-x\n+y\n \n"],
    ["modify", "old mode 100644\nnew mode 100755\n"],
    ["move", "rename from b\nrename to a\n"],
    ["copy", "--- /dev/null\n+++ /p/a\n@@ -0,0 +1 @@\n+x\n"],
    ["_merge", "deleted file mode 100644\n"],
  ])("that fits what the change says (%s) has no hint", (operation, body) => {
    const change = { operation, path: "/p/a", oldPath: "/p/b" };
    const { files } = matchPatch(`diff --git /p/a /p/a\n${body}`, [change], "/p");
    expect(files[0]?.hints).toEqual([]);
  });

  it("that is none is kept as text", () => {
    expect(matchPatch("I changed a few lines.", [modify("/p/a")]).rest).toEqual([
      { why: "unreadable", text: "I changed a few lines." },
    ]);
    expect(matchPatch("", [modify("/p/a")])).toEqual({ files: [null], rest: [] });
  });
});

describe("a patch that is not as git writes it", () => {
  const change = [modify("/p/x.py")];
  const head = "diff --git a/p/x.py b/p/x.py\n--- a/p/x.py\n+++ b/p/x.py\n";
  const all = (text: string) => {
    const { files, rest } = matchPatch(text, change);
    return [...files.flatMap((file) => file?.rows.map((row) => row.text) ?? []), ...rest.map((each) => each.text)].join(
      "\n",
    );
  };

  it.each(["@@ def main @@", "@@", "@@ ... @@"])("has hunks without numbers: %s", (header) => {
    const { files, rest } = matchPatch(`${head}${header}\n-safe()\n+evil()\n`, change);
    expect(files[0]).toMatchObject({ added: 1, removed: 1 });
    expect(files[0]?.rows.map(({ before, after, text }) => [before, after, text])).toEqual([
      [null, null, header],
      [null, null, "safe()"],
      [null, null, "evil()"],
    ]);
    expect(rest).toEqual([]);
  });

  it.each([
    ["garbage behind the headers", "garbage\nevil()\n"],
    ["more lines than its counts, behind a blank one", "@@ -1,1 +1,1 @@\n-a\n+b\n\n-c\n+evil()\n"],
    ["a line without its sign", "@@ -1,1 +1,1 @@\n-a\n+b\nevil()\n"],
    ["a hunk without numbers behind a good one", "@@ -1 +1 @@\n-a\n+b\n@@ evil @@\n+evil()\n"],
    ["what looks like a header", "@@ -1 +1 @@\n-a\n+b\nindex evil()\n"],
    ["a fence with words", "@@ -1 +1 @@\n-a\n+b\n``` evil()\n"],
    ["lines behind a binary file", "Binary files a/p/x.py and b/p/x.py differ\n+evil()\n"],
    ["lines in a binary file", "GIT binary patch\nliteral 3\nKcmZ?wbhEHbWMp7uU\n\n+evil() now\n"],
    ["words behind it", "@@ -1 +1 @@\n-a\n+b\n\nevil()\n"],
  ])("loses nothing: %s", (_, body) => {
    expect(all(head + body)).toContain("evil()");
  });

  it("of a merge is shown as text", () => {
    const text = "diff --cc x.py\nindex 1,2..3\n--- a/x.py\n+++ b/x.py\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++evil()\n";
    expect(matchPatch(text, [modify("x.py")])).toEqual({ files: [null], rest: [{ why: "unreadable", text }] });
  });

  it("says nothing of what stands around it and means nothing", () => {
    const { rest } = matchPatch(
      `diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.2\n\n`,
      [modify("x")],
    );
    expect(rest).toEqual([]);
  });

  it.each([
    ["a dot before the path", "--- ./x.py\n+++ ./x.py", "x.py"],
    ["a blank at the end of the name", "--- a/trail \t\n+++ b/trail \t", "trail "],
    ["another case of the drive", "--- c:\\p\\x\n+++ c:\\p\\x", "C:\\p\\x"],
  ])("may have %s", (_, header, path) => {
    expect(matchPatch(section(header), [modify(path)]).files[0]?.added).toBe(1);
  });
});

describe("word marks", () => {
  const row = (kind: Row["kind"], text: string): Row => ({ kind, before: null, after: null, text });

  it("show what differs between a removed and an added line", () => {
    const rows = [row("del", "return max(values)"), row("add", "return max(values, default=0)")];
    const marks = wordMarks(rows);
    expect(marks.get(rows[0] as Row)?.filter((part) => part.changed)).toEqual([]);
    expect(
      marks
        .get(rows[1] as Row)
        ?.filter((part) => part.changed)
        .map((part) => part.text),
    ).toEqual([", default=0"]);
  });

  it("say nothing where the lines have little in common, or are many against few", () => {
    expect(wordMarks([row("del", "alpha beta"), row("add", "x = 1")]).size).toBe(0);
    expect(wordMarks([row("del", "a b"), row("add", "a b c"), row("add", "d")]).size).toBe(0);
  });
});
