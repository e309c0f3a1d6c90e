"""The two magics: a cell that is a prompt, and a line that looks after the agents."""

from __future__ import annotations

import contextlib
import keyword
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display
from IPython.utils.text import FullEvalFormatter

from .. import policy, registry
from .agents import Agents, near
from .settings import current_of, policy_of, set_option
from .tables import Table
from .telling import in_magics, plainly

_GLANCE = 0.2  # seconds between two looks at an agent that starts

# IPython says of these that they take no function.
_CELL: Any = cell_magic("acp")
_LINE: Any = line_magic("acp")


@magics_class
class AcpMagics(Magics):
    """`%%acp` and `%acp` of one shell."""

    shell: InteractiveShell

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self.agents = Agents()

    # --- %%acp -----------------------------------------------------------------------------------------------------

    @no_var_expand
    @magic_arguments("%acp")  # IPython puts another % before it
    @argument("--agent", metavar="NAME", help="a known name, or a quoted command; kept for the next cells")
    @argument("--cwd", metavar="FOLDER", help="where a new agent works")
    @argument("--record", metavar="FILE", help="gets all that passes between us and a new agent, without secrets")
    @argument("--permissions", metavar="POLICY", help="ask, allow, reject, or an expression, quoted")
    @argument(
        "--attach", nargs="+", action="extend", default=[], metavar="VARIABLE", help="variables that go with the prompt"
    )
    @argument("--out", metavar="VARIABLE", help="gets the Turn, before the cell waits")
    @argument("--no-wait", action="store_true", help="return at once; the turn streams below the cell")
    @argument("--expand", action="store_true", help="put the values of {expressions} into the text; {{ }} stay braces")
    @_CELL
    def prompt(self, line: str, cell: str) -> None:
        """Prompt a coding agent with the text of the cell, show its turn below, and wait for its end.

        The buttons of its questions work meanwhile. An interrupt stops the turn. Without `--agent` the text goes to the
        agent of the last cell, at first to the demo agent. `%acp` looks after the agents.
        """
        with plainly("The turn was stopped; the session goes on."):
            self._prompt(line, cell)

    def _prompt(self, line: str, cell: str) -> None:
        text = cell.strip()
        given = self._parsed(line, text)
        if not text:
            raise UsageError("The prompt is empty: write it below the line with %%acp.")
        out = _unquoted(given.out)
        if out and (not out.isidentifier() or keyword.iskeyword(out)):
            raise UsageError(f"--out: {out!r} is no name of a variable.")
        attach = {name: self._variable("--attach", name) for name in map(_unquoted, given.attach)}
        if given.expand:
            text = self._expanded(text)
        name, permissions = _unquoted(given.agent) or None, None
        if given.permissions:
            permissions = policy_of(_unquoted(given.permissions), self.shell.user_ns, "--permissions")
        place = _unquoted(given.cwd), _unquoted(given.record)
        agent = self.agents.move(name, *place) if any(place) else self.agents.use(name)
        if permissions is not None:
            agent.permissions = permissions
        try:
            turn = agent._prompt(text, (), True, attach or None, None, {}, _doubt)
        except (ValueError, TypeError, OSError) as error:
            raise UsageError(in_magics(str(error))) from None
        if out:
            self.shell.user_ns[out] = turn
        if not given.no_wait:
            turn.wait()

    def _parsed(self, line: str, text: str) -> Any:
        try:
            return parse_argstring(self.prompt, line)
        except (UsageError, ValueError) as error:  # ValueError: a quotation mark that nothing closes
            hint = _about_words(str(error))
            if not text and _BELOW in hint:
                raise UsageError(f"{_TWO_LINES}:\n%%acp\n{line.strip()}") from None
            raise UsageError(f"{error}.{hint}") from None

    def _expanded(self, text: str) -> str:
        try:
            return str(FullEvalFormatter().vformat(text, (), dict(self.shell.user_ns)))
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
            raise UsageError(f"--expand: {told}. Braces that shall stay are written twice: {{{{ }}}}.") from None

    def _variable(self, option: str, name: str) -> Any:
        if name not in self.shell.user_ns:
            names = [each for each in self.shell.user_ns if not each.startswith("_")]
            hint = near(name, names)
            if not name.isidentifier():
                hint = " It takes names of variables, parted by blanks: give an expression a name first."
            raise UsageError(f"{option}: there is no variable {name!r}.{hint or _BELOW}")
        return self.shell.user_ns[name]

    # --- %acp ------------------------------------------------------------------------------------------------------

    @no_var_expand
    @_LINE
    def command(self, line: str) -> Table | None:
        """Look after the agents of %%acp.

        %acp                    what there is, and these words
        %acp agents             the agents that a name starts here, and how to get the others
        %acp status             the agents that work for this notebook
        %acp use NAME           the agent of the next cells; a known name or a command
        %acp mode [VALUE]       its mode; without a value: what it offers
        %acp model [VALUE]      its model; the same
        %acp policy POLICY      who answers its requests: ask, allow, reject, Policy(…) or a function
        %acp sessions           the sessions that it keeps
        %acp load ID            go on with one of them, with all that was said in it
        %acp resume ID          go on with one of them, without that
        %acp stop               stop the work in progress
        %acp restart            end its process and start it again
        %acp close [NAME]       end it for good
        """
        word, _, rest = line.strip().partition(" ")
        handle = COMMANDS.get(word)
        if handle is None:
            what = f"%acp has no {word!r}.{near(word, COMMANDS)}"
            if rest.strip() and not near(word, COMMANDS):
                raise UsageError(f"{what} {_TWO_LINES}:\n%%acp\n{line.strip()}")
            raise UsageError(f"{what} It has: {', '.join(filter(None, COMMANDS))}. {_TWO_LINES}.")
        if rest.strip() and word in _ALONE:
            raise UsageError(f"%acp {word} stands alone: it takes no {rest.strip()!r}.")
        with plainly(f"%acp {word} was given up."):
            return handle(self, rest.strip())

    def _help(self, rest: str) -> Table | None:
        display(self._status(rest))
        print(f"%acp {' | '.join(filter(None, COMMANDS))}; %acp? tells more, and %%acp? of the prompts.")
        return None

    def _list(self, rest: str) -> Table:
        found = registry.listed()
        rows: list[list[str]] = []
        for name, agent in found["agents"].items():
            missing = agent["error"] if agent["error"] not in (None, "not installed") else ""
            install = "" if agent["found"] == "program" else agent["install"] or ""
            login = agent["login"] or ""
            rows.append([name, _FOUND[agent["found"]], login, "; ".join(filter(None, [missing, install]))])
        file = found["file"]
        below = f"Your own agents: {file['path']}" + (f"\n{file['error']}" if file["error"] else "")
        return Table(("NAME", "STATE", "LOGIN", "TO INSTALL IT"), rows, below)

    def _status(self, rest: str) -> Table:
        current, agents = self.agents.current, self.agents.items
        rows = [
            (
                "*" if name == current else "",
                name,
                agent.status,
                str(len(agent.turns)),
                current_of(agent, "mode"),
                current_of(agent, "model"),
                policy.told(agent.permissions),
                agent.cwd,
            )
            for name, agent in agents
        ]
        told = [] if rows else ["No agent yet: a cell with %%acp starts one, and so does %acp use NAME."]
        errors = [(name, agent.error) for name, agent in agents]
        told += [self.agents.undecided] if self.agents.undecided else []
        told += [f"{name}: {error.message}" for name, error in errors if error is not None]
        return Table(("", "AGENT", "STATE", "TURNS", "MODE", "MODEL", "POLICY", "FOLDER"), rows, "\n".join(told))

    def _use(self, rest: str) -> Table:
        if not rest:
            raise UsageError("%acp use: which agent? %acp agents lists the known ones.")
        self.agents.use(_unquoted(rest))
        return self._status("")

    def _set(self, word: str, rest: str) -> Table | None:
        agent = self.agents.need()
        if agent.status == "new":
            agent.start()
        while agent.status in ("new", "starting"):
            # Not for the end of a turn that was not waited for. Buttons work meanwhile, those of a login too.
            with contextlib.suppress(TimeoutError):
                agent.wait(_GLANCE)
        if agent.error is not None:
            raise agent.error
        value = _unquoted(rest)
        listed = set_option(agent, word, value)
        if value:
            print(f"{word}: {current_of(agent, word)}")
        return listed

    def _policy(self, rest: str) -> None:
        agent = self.agents.need()
        if rest:
            agent.permissions = policy_of(_unquoted(rest), self.shell.user_ns, "%acp policy")
        now = agent.permissions
        print(f"permissions: {now!r}" if isinstance(now, policy.Policy) else f"permissions: {policy.told(now)}")

    def _sessions(self, rest: str) -> Table:
        found = self.agents.need().sessions()
        self.agents.session_ids = [each.id for each in found]
        rows = [(each.id, each.title or "", each.cwd or "", each.updated_at or "") for each in found]
        return Table(("ID", "TITLE", "FOLDER", "CHANGED"), rows, "" if rows else "It keeps no sessions.")

    def _open(self, word: str, rest: str) -> Table:
        if not rest:
            raise UsageError(f"%acp {word}: which session? %acp sessions lists them.")
        agent = self.agents.need()
        (agent.load if word == "load" else agent.resume)(_unquoted(rest))
        return self._status("")

    def _stop(self, rest: str) -> None:
        agent = self.agents.need()
        was = agent.status
        agent.cancel()
        idle = was in ("new", "idle", "failed")
        print(f"There is nothing to stop: {self.agents.current} is {was}." if idle else f"{self.agents.current} stops.")

    def _restart(self, rest: str) -> None:
        self.agents.need().restart()
        print(f"{self.agents.current} starts again. What is shown stays; it remembers nothing of it.")

    def _close(self, rest: str) -> None:
        ended = self.agents.close(_unquoted(rest) or None)
        first = "" if self.agents.items else "The next prompt starts the demo agent, unless you choose another one."
        print(f"{ended} was ended. {self.agents.undecided or first}".rstrip())


def _doubt(text: str) -> None:
    """A line in the cell: a warning would show the code that IPython made of it, too."""
    print(in_magics(text), file=sys.stderr)


def _about_words(problem: str) -> str:
    """What to do about words that `%%acp` cannot read."""
    if not problem.startswith("unrecognized arguments: "):
        return ' What has blanks stands in quotes: --agent "my-agent --acp".'
    unknown = problem.partition(": ")[2].split()
    options = [each for each in unknown if each.startswith("-")]
    hint = "".join(near(each, OPTIONS) for each in options)
    if len(options) < len(unknown) and not hint:
        hint = _BELOW + ' What has blanks stands in quotes: --agent "my-agent --acp".'
    return hint or f" There are: {', '.join(OPTIONS)}."


def _unquoted(text: str | None) -> str:
    text = (text or "").strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


_FOUND: Final[Mapping[str | None, str]] = {"program": "installed", "npx": "by npx", None: "missing"}

_TWO_LINES: Final = "A prompt is a cell: write %%acp on its first line, and the prompt below it"
_BELOW: Final = " The prompt goes on the lines below %%acp."
_ALONE: Final = frozenset({"agents", "status", "sessions", "stop", "restart"})
OPTIONS: Final = ("--agent", "--attach", "--cwd", "--expand", "--no-wait", "--out", "--permissions", "--record")

COMMANDS: Final[Mapping[str, Callable[[AcpMagics, str], Table | None]]] = {
    "": AcpMagics._help,
    "agents": AcpMagics._list,
    "status": AcpMagics._status,
    "use": AcpMagics._use,
    "mode": lambda magics, rest: magics._set("mode", rest),
    "model": lambda magics, rest: magics._set("model", rest),
    "policy": AcpMagics._policy,
    "sessions": AcpMagics._sessions,
    "load": lambda magics, rest: magics._open("load", rest),
    "resume": lambda magics, rest: magics._open("resume", rest),
    "stop": AcpMagics._stop,
    "restart": AcpMagics._restart,
    "close": AcpMagics._close,
}
