import { describe, expect, it } from "vitest";
import { pythonString } from "../../src/lib/python.ts";
import { exitOf, readOutput, unfenced } from "../../src/lib/raw_output.ts";

describe("a raw output", () => {
  it.each([
    ["hello\n", "hello\n", "", ""],
    [{ stdout: "a", stderr: "b", exit_code: 3 }, "a", "b", "exit 3"],
    [
      { stdout: "a", stderr: "", aggregated_output: "a all", formatted_output: "f", exit_code: 0 },
      "a all",
      "",
      "exit 0",
    ],
    [{ output: "o", metadata: { output: "o", exit: 0 } }, "o", "", "exit 0"],
    [{ type: "shell_result", text: "t", output: "t", exitCode: 1, error: null }, "t", "", "exit 1"],
    [{ error: "The user said no." }, "", "The user said no.", ""],
  ])("%j is text", (value, text, errors, exit) => {
    expect(readOutput(value) ?? {}).toMatchObject(text || errors ? { kind: "text", text, errors } : { kind: "tree" });
    expect(exitOf(value)).toBe(exit);
  });

  it("without any text has its exit code still", () => {
    expect(readOutput({ exit_code: 0 })).toEqual({ kind: "text", text: "", errors: "", exit: "exit 0" });
  });

  it("of content blocks is blocks, bare or wrapped", () => {
    const block = { type: "text", text: "hi" };
    for (const value of [[block], { content: [block], isError: false }, [{ type: "content", content: block }]]) {
      expect(readOutput(value)).toEqual({ kind: "blocks", blocks: [block] });
    }
  });

  it("of any other shape is a tree", () => {
    for (const value of [{ rows: 3 }, [1, 2], [{ type: "text" }], { code: 404 }, false, 7]) {
      expect(readOutput(value)).toEqual({ kind: "tree" });
    }
  });

  it("that is empty is nothing", () => {
    for (const value of [null, undefined, "", " \n"]) expect(readOutput(value)).toBeNull();
  });
});

describe("a fence around output", () => {
  it("is taken away when it is the one around all of it", () => {
    expect(unfenced("```console\na\nb\n```\n")).toEqual({ text: "a\nb", language: "console" });
    expect(unfenced("````\n```\n````").text).toBe("```");
    const two = "```\na\n```\nthen\n```\nb\n```";
    expect(unfenced(two).text).toBe(two);
    expect(unfenced("plain").text).toBe("plain");
  });
});

describe("a string for Python", () => {
  it("is one literal, whatever the agent put in", () => {
    expect(pythonString("call_2")).toBe('"call_2"');
    expect(pythonString('"]; import os #')).toBe('"\\"]; import os #"');
    expect(pythonString("a\\\n\u202eé🙂")).toBe('"a\\\\\\n\\u202e\\u00e9\\U0001f642"');
  });
});
