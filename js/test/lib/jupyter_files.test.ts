import { describe, expect, it } from "vitest";
import { opening, serverPath, serverRoot } from "../../src/lib/jupyter_files.ts";

describe("a path of the agent on the server", () => {
  it.each([
    ["/srv/team/a.py", "/srv/team", "a.py"],
    ["/srv/team/sub dir/a.py", "/srv/team/", "sub dir/a.py"],
    ["/home/ada/team/a.py", "~/team", "a.py"],
    ["/home/ada/a.py", "~", "a.py"],
    ["/root/nb/a.py", "~/nb", "a.py"],
    ["/Users/ada/nb/a.py", "~/nb", "a.py"],
    ["C:\\Users\\ada\\nb\\x\\a.py", "~/nb", "x/a.py"],
    ["C:\\work\\a.py", "C:/work", "a.py"],
    ["/any/a.py", "/", "any/a.py"],
  ])("%s under %s is %s", (path, root, served) => {
    expect(serverPath(path, root)).toBe(served);
  });

  it.each([
    ["/srv/team2/a.py", "/srv/team"],
    ["/srv/team", "/srv/team"],
    ["/srv/team/../secret", "/srv/team"],
    ["/srv/team/./a.py", "/srv/team"],
    ["a.py", "/srv/team"],
    ["/etc/passwd", "~/nb"],
    ["/home/ada/nb/a.py", null],
    ["/home/ada/nb/a.py", ""],
  ])("%s under %s is not there", (path, root) => {
    expect(serverPath(path, root)).toBeNull();
  });

  it("is told by the page's configuration, and by nothing where there is none", () => {
    expect(serverRoot()).toBeNull();
    const script = document.createElement("script");
    script.type = "application/json";
    script.id = "jupyter-config-data";
    script.textContent = '{"serverRoot": "~/nb"}';
    document.head.append(script);
    expect(serverRoot()).toBe("~/nb");
    script.textContent = "{";
    expect(serverRoot()).toBeNull();
    script.remove();
  });
});

it("the home of another user is not ours", () => {
  expect(serverPath("/home/eve/nb/a.py", "~/nb", "/home/ada/nb")).toBeNull();
  expect(serverPath("/home/ada/nb/a.py", "~/nb", "/home/ada/nb/sub")).toBe("a.py");
});

describe("opening a file", () => {
  it("names the command, the path and the line", () => {
    const attributes = opening('a "b".py', 12);
    expect(attributes["data-commandlinker-command"]).toBe("rendermime:handle-local-link");
    expect(JSON.parse(attributes["data-commandlinker-args"] ?? "")).toEqual({ path: 'a "b".py', id: "#line=11" });
  });

  it.each([undefined, null, 0, "7"])("has no line for %s: it may be a folder", (line) => {
    const attributes = opening("a.py", line);
    expect(attributes["data-commandlinker-command"]).toBe("filebrowser:open-path");
    expect(JSON.parse(attributes["data-commandlinker-args"] ?? "")).toEqual({ path: "a.py" });
  });

  it("takes the editor for what would be drawn, where a line was told", () => {
    const attributes = opening("docs/r.md", 3);
    expect(attributes["data-commandlinker-command"]).toBe("docmanager:open");
    expect(JSON.parse(attributes["data-commandlinker-args"] ?? "")).toEqual({ path: "docs/r.md", factory: "Editor" });
  });

  it("needs no file browser in Notebook 7", () => {
    const page = document.implementation.createHTMLDocument();
    page.body.append(
      Object.assign(page.createElement("script"), { id: "jupyter-config-data", type: "application/json" }),
    );
    (page.getElementById("jupyter-config-data") as HTMLElement).textContent = '{"notebookPage": "notebooks"}';
    expect(opening("a.py", null, page)["data-commandlinker-command"]).toBe("rendermime:handle-local-link");
  });
});
