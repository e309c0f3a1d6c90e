"""Which commands run something that their words do not show: code, other programs, what a file says.

Pure, by tables. A rule allows such a command only where it spells the telling words out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_CODE = frozenset(
    """
    python pypy ipython jupyter node deno bun tsx perl ruby irb php lua luajit rscript r julia java jshell scala groovy
    kotlin ghci runghc elixir erl swift tclsh wish expect osascript pwsh powershell cmd wscript cscript awk gawk mawk
    nawk sed ed ex vi vim nvim emacs gdb lldb sqlite psql mysql duckdb octave matlab guile racket clojure bc dc m
    pythonw pyw py nodejs ts-node bpython ptpython pdb debugpy coverage torchrun sbcl clisp ocaml swipl iex mix
    gnuplot qjs coffee hy nim crystal zig rustc javac streamlit flask gunicorn uvicorn celery
    marimo papermill nano ftp sftp mail
    """.split()  # noqa: SIM905
)
_RUNNERS = frozenset(
    """
    make gmake cmake ninja bazel meson just task rake invoke npm npx pnpm pnpx yarn bunx corepack uv uvx pipx pip conda
    mamba poetry pdm hatch tox nox cargo go dotnet mvn gradle gradlew sbt docker podman kubectl helm vagrant terraform
    ansible ansible-playbook crontab at batch systemctl service launchctl schtasks start open xdg-open screen tmux
    entr git-shell rsh telnet nc ncat socat busctl dbus-run-session runuser su pkexec gosu setpriv bwrap firejail
    pre-commit lerna nx turbo wget2 unbuffer faketime fakeroot chronic ts parset prlimit taskset numactl choom
    systemd-run less more man ip scons snakemake dvc nix nix-shell nix-build mise asdf nodemon cpulimit ssh-add apt
    apt-get brew
    """.split()  # noqa: SIM905
)
_SHELL_STATE = frozenset(
    """
    cd pushd popd export alias unalias hash set unset trap shopt enable bind complete read
    """.split()  # noqa: SIM905
)

# What `python -m …` runs is as good as a program of that name.
_MODULES = frozenset({"pytest", "unittest", "mypy", "ruff", "black", "isort", "flake8", "pylint", "pyright"})

_PYTHON = re.compile(r"^(?:python|pypy)[\d.]*$")
_VERSION = re.compile(r"[\d.]+$")
_PLAIN_SED = re.compile(r"^(?:\d+(?:,(?:\d+|\$))?p|s([/|#,])(?:(?!\1)[^\n])*\1(?:(?!\1)[^\n])*\1[gpI\d]*)$")

# Programs whose flags may run or write something else: long ones (also abbreviated), letters, whole words.
_FLAGS: dict[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = {
    "git": (
        (
            *("--output", "--ext-diff", "--textconv", "--upload-pack", "--receive-pack", "--exec", "--exec-path"),
            *("--open-files-in-pager", "--config", "--config-env", "--git-dir", "--work-tree", "--template"),
            *("--extcmd", "--run", "--no-index", "--separate-git-dir", "--hooks-path", "--paginate"),
        ),
        "",
        ("-c", "-C", "-x", "-O", "-u", "-o", "foreach", "run"),
    ),
    "find": ((), "", ("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls")),
    "fd": (("--exec", "--exec-batch"), "xX", ()),
    "fdfind": (("--exec", "--exec-batch"), "xX", ()),
    "rg": (("--pre", "--hostname-bin", "--search-zip"), "z", ()),
    "tar": (
        (
            *("--checkpoint-action", "--to-command", "--use-compress-program", "--rsh-command", "--info-script"),
            *("--new-volume-script", "--rmt-command", "--absolute-names"),
        ),
        "IFP",
        (),
    ),
    "rsync": (("--rsh", "--rsync-path", "--delete", "--remove-source-files"), "eM", ()),
    "scp": ((), "So", ()),
    "sort": (("--compress-program", "--output"), "o", ()),
    "zip": (("--unzip-command",), "T", ()),
    "man": (("--pager", "--html", "--preprocessor"), "PHp", ()),
    "less": (("--log-file", "--LOG-FILE"), "oO", ()),
    "split": (("--filter",), "", ()),
    "curl": (
        (
            *("--config", "--output", "--output-dir", "--remote-name", "--remote-name-all", "--dump-header", "--trace"),
            *(
                "--cookie-jar",
                "--trace-ascii",
                "--stderr",
                "--libcurl",
                "--engine",
                "--hsts",
                "--alt-svc",
                "--etag-save",
            ),
        ),
        "KoOcD",
        (),
    ),
    "tcpdump": ((), "zw", ()),
    "pandoc": (("--filter", "--lua-filter", "--output", "--pdf-engine", "--extract-media"), "oFL", ()),
    "wget": (("--use-askpass", "--execute", "--config", "--output-document", "--input-file"), "eOi", ()),
}
_GIT_KNOWN = frozenset(
    """
    status diff log show add commit branch checkout switch restore reset stash fetch pull push merge rebase cherry-pick
    revert tag rev-parse rev-list ls-files ls-tree ls-remote blame grep describe shortlog reflog remote clone init mv rm
    clean cat-file show-ref symbolic-ref name-rev merge-base count-objects fsck gc apply am format-patch archive notes
    worktree bisect sparse-checkout submodule version help whatchanged range-diff diff-tree diff-index diff-files
    for-each-ref check-ignore check-attr update-index var verify-commit verify-tag
    """.split()  # noqa: SIM905
)
_GIT_HARMLESS = frozenset({"--no-pager", "--version", "--help", "--no-optional-locks", "-P", "--literal-pathspecs"})


@dataclass(frozen=True)
class Unseen:
    """Why it is not known what runs; `spelled`: the places of the words that a rule must spell out to allow it."""

    why: str = ""
    spelled: tuple[int, ...] = ()


NOTHING = Unseen()


def unseen(words: Sequence[str]) -> Unseen:
    """What a simple command may hide.

    >>> unseen(["pytest", "-q"]).why
    ''
    >>> unseen(["python", "-c", "1"])
    Unseen(why='python runs code', spelled=(0,))
    >>> unseen(["git", "diff", "--output=x"])
    Unseen(why='git can write or run something else with --output=x', spelled=(0, 2))
    """
    first = words[0]
    name = first.replace("\\", "/").rsplit("/", 1)[-1].casefold().removesuffix(".exe")
    if "/" in first or "\\" in first or first.startswith("."):
        return Unseen(f"{first[:60]} is a program of its own, wherever it comes from", (0,))
    if _PYTHON.match(name) and list(words[1:2]) == ["-m"] and words[2:3] and words[2] in _MODULES:
        return Unseen("", (0, 1, 2))
    if name == "sed" and _is_plain_sed(words[1:]):
        return NOTHING
    bare = _VERSION.sub("", name)
    if bare in _CODE:
        return Unseen(f"{name} runs code", (0,))
    if bare in _RUNNERS:
        return Unseen(f"{name} runs what is written elsewhere", (0,))
    if name in _SHELL_STATE:
        return Unseen(f"{name} changes what later commands do", (0,))
    if name == "git":
        return _git(words)
    return _flagged(name, words)


def _flagged(name: str, words: Sequence[str], begin: int = 1) -> Unseen:
    long, letters, whole = _FLAGS.get(name, ((), "", ()))
    telling = [
        at
        for at, word in enumerate(words)
        if at >= begin
        and (
            _is_long(word, long) or _is_whole(word, whole) or _has_letter(word, letters, bare=name == "tar" and at == 1)
        )
    ]
    if not telling:
        return NOTHING
    return Unseen(f"{name} can write or run something else with {words[telling[0]][:60]}", (0, *telling))


def _is_long(word: str, flags: Sequence[str]) -> bool:
    given = word.partition("=")[0]
    return len(given) > 2 and given.startswith("--") and any(flag.startswith(given) for flag in flags)


def _is_whole(word: str, flags: Sequence[str]) -> bool:
    # `-cname` and `-c name` are the same to most programs.
    return any(word == flag or (len(flag) == 2 and flag[0] == "-" and word.startswith(flag)) for flag in flags)


def _has_letter(word: str, letters: str, *, bare: bool) -> bool:
    if word.startswith("--") or not (word.startswith("-") or bare):
        return False
    return any(letter in word for letter in letters)


def _git(words: Sequence[str]) -> Unseen:
    at = 1
    while at < len(words) and words[at] in _GIT_HARMLESS:
        at += 1
    found = _flagged("git", words)
    if found.spelled:
        return found
    if at < len(words) and words[at] not in _GIT_KNOWN:
        return Unseen(f"git {words[at][:60]} may be an alias, or run something else", (0, at))
    address = next((at for at, word in enumerate(words) if word.casefold().startswith(("ext::", "fd::"))), None)
    return NOTHING if address is None else Unseen("git runs what such an address says", (0, address))


def _is_plain_sed(arguments: Sequence[str]) -> bool:
    """`sed -n '1,20p' file`, or a replacement that only prints."""
    rest = [word for word in arguments if word not in ("-n", "-E", "-r", "--quiet", "--silent")]
    return bool(rest) and not any(word.startswith("-") for word in rest) and bool(_PLAIN_SED.match(rest[0]))
