import { describe, expect, it } from "vitest";
import { inferDiff } from "../../src/lib/inferred_diffs.ts";
import { matchPatch } from "../../src/lib/patch.ts";
import type { Json, JsonObject } from "../../src/types.ts";

const FILE = "/home/user/project/notes.txt";

/** The changes, and the changed lines that the diff view would draw of them. */
function read(input: Json, kind = "edit", place: string | null = null) {
  const item = inferDiff(input, kind, place);
  if (!item) return null;
  const changes = item.changes as JsonObject[];
  const text = String((item.patch as JsonObject | null)?.text ?? "");
  const { files, rest } = matchPatch(text, changes);
  expect(rest).toEqual([]);
  const lines = files.map((file) =>
    (file?.rows ?? [])
      .filter((row) => row.kind !== "hunk")
      .map((row) => `${{ add: "+", del: "-" }[row.kind as "add"] ?? " "}${row.text}`),
  );
  return changes.map((change, at) => [change.operation, change.oldPath ?? null, change.path, lines[at]]);
}

describe("changes in a raw input", () => {
  it.each([
    { file_path: FILE, old_string: "second line", new_string: "SECOND line" },
    { filePath: FILE, oldString: "second line", newString: "SECOND line" },
    { path: FILE, old_str: "second line", new_str: "SECOND line" },
    { path: FILE, old_text: "second line", content: "SECOND line" },
    { path: FILE, before: "second line\n", after: "SECOND line\n" },
    { path: FILE, content: { type: "diff", path: FILE, oldText: "second line", newText: "SECOND line" } },
    { path: FILE, edits: [{ old_string: "second line", new_string: "SECOND line" }] },
  ])("are one text in the place of another: %j", (input) => {
    expect(read(input)).toEqual([["modify", null, FILE, ["-second line", "+SECOND line"]]]);
  });

  it("are a file that is written, which may have been there", () => {
    expect(read({ file_path: FILE, content: "a\nb\n" })).toEqual([["write", null, FILE, ["+a", "+b"]]]);
    expect(read({ command: "create", path: FILE, file_text: "a" })).toEqual([["write", null, FILE, ["+a"]]]);
  });

  it("are none where nothing is written", () => {
    expect(inferDiff({ path: FILE, content: "a" }, "delete")).toBeNull();
    expect(inferDiff({ path: FILE, text: "needle" }, "other")).toBeNull();
    expect(inferDiff({ path: FILE, content: "a" }, "other")).not.toBeNull();
  });

  it("of another file than the call names are shown under their own name", () => {
    const hunk = "@@ -1 +1 @@\n-a\n+b\n";
    const patch = `--- a/x.py\n+++ b/x.py\n${hunk}--- a/.ssh/keys\n+++ b/.ssh/keys\n${hunk}`;
    const paths = (input: JsonObject) =>
      ((inferDiff(input, "edit")?.changes ?? []) as JsonObject[]).map(({ path }) => path);
    expect(paths({ path: "/p/x.py", patch })).toEqual(["/p/x.py", ".ssh/keys"]);
    expect(paths({ changes: { "/p/x.py": { type: "update", unified_diff: patch } } })).toEqual([
      "/p/x.py",
      ".ssh/keys",
    ]);
  });

  it("are none when a part of the patch has no place, so that nothing of it is hidden", () => {
    const patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nos.system('rm')\n";
    expect(inferDiff({ path: "/p/x", patch }, "edit")).toBeNull();
  });

  it("are the map that codex sends", () => {
    const changes = {
      "/p/new.txt": { type: "add", content: "a\n" },
      "/p/old.txt": { type: "delete", content: "b\n" },
      "/p/c.txt": { type: "update", unified_diff: "@@ -1,2 +1,2 @@\n c\n-d\n+e\n", move_path: null },
      "/p/f.txt": { update: { unified_diff: "@@ -1,1 +1,1 @@\n-f\n+g\n", move_path: "/p/h.txt" } },
    };
    expect(read({ call_id: "1", changes })).toEqual([
      ["add", null, "/p/new.txt", ["+a"]],
      ["delete", null, "/p/old.txt", ["-b"]],
      ["modify", null, "/p/c.txt", [" c", "-d", "+e"]],
      ["move", "/p/f.txt", "/p/h.txt", ["-f", "+g"]],
    ]);
  });

  it("are a unified diff, with the path that it names or that the call does", () => {
    const diff = `Index: ${FILE}\n=====\n--- ${FILE}\n+++ ${FILE}\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n`;
    expect(read({ patch: diff })).toEqual([["modify", null, FILE, [" a", "-b", "+c"]]]);
    expect(read({ diff: "@@ -1,1 +1,1 @@\n-b\n+c\n" }, "edit", FILE)).toEqual([["modify", null, FILE, ["-b", "+c"]]]);
  });

  it("are the text of apply_patch, also in a command", () => {
    const text =
      "*** Begin Patch\n*** Add File: a.txt\n+one\n*** Update File: b.txt\n*** Move to: c.txt\n@@ def f():\n x\n-y\n+z\n*** Delete File: d.txt\n*** End Patch\n";
    const all = [
      ["add", null, "a.txt", ["+one"]],
      ["move", "b.txt", "c.txt", [" x", "-y", "+z"]],
      ["delete", null, "d.txt", []],
    ];
    expect(read({ input: text })).toEqual(all);
    expect(read({ command: ["apply_patch", text] }, "execute")).toEqual(all);
    expect(read(text)).toEqual(all);
  });

  it("are not read into what only looks, or into a patch that cannot be read", () => {
    expect(inferDiff({ path: FILE, content: "a" }, "read")).toBeNull();
    expect(inferDiff({ command: "ls" }, "execute")).toBeNull();
    expect(inferDiff({ path: FILE }, "edit")).toBeNull();
    expect(inferDiff({ patch: "@@ -1,9 +1,9 @@\n nonsense", path: FILE }, "edit")).toBeNull();
    expect(inferDiff(null, "edit")).toBeNull();
  });

  it("are shown of a path that a patch would have to quote, without a patch", () => {
    expect(inferDiff({ path: "/a\tb", content: "x" }, "edit")).toEqual({
      type: "diff",
      changes: [{ operation: "write", path: "/a\tb" }],
      patch: null,
    });
  });
});
