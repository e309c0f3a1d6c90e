"""What can be mentioned with `@`: variables of the notebook, and files below the agent's folders.

What is listed is told by names, types and shapes: no object is asked for its `repr()`, and no code of its own runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from ..errors import AcpError, RequestError
from ..host.roots import Place, Roots
from . import files
from .adapters import snapshot
from .attached import Attached, together
from .own import words
from .walk import below

SHOWN: Final = 20
FILES: Final = 8
"""At least so many files are among those that are shown, where there are that many."""

_IPYTHONS: Final = frozenset({"In", "Out", "exit", "quit", "get_ipython"})
_NOTHING_IN_IT: Final = frozenset(
    {
        *("module", "function", "builtin_function_or_method", "method", "coroutine", "generator", "async_generator"),
        *("ufunc", "partial", "Agent", "ExitAutocall", "ZMQExitAutocall"),
    }
)
_COUNTED: Final[tuple[tuple[type, Callable[[Any], int], str], ...]] = (
    (str, str.__len__, "characters"),
    (bytes, bytes.__len__, "bytes"),
    (list, list.__len__, "items"),
    (tuple, tuple.__len__, "items"),
    (dict, dict.__len__, "items"),
    (set, set.__len__, "items"),
)
_SHAPED: Final = (
    *(("pandas", "DataFrame"), ("pandas", "Series")),
    *(("polars", "DataFrame"), ("polars", "Series"), ("numpy", "ndarray")),
)

_Ranked = tuple[int, bool, int, int, str]
"""How well it fits, whether it is a file, what else it is sorted by, and its text."""


def offers(roots: Roots, typed: str) -> tuple[list[dict[str, str]], str]:
    """What fits `typed`, the best first, as `{"text", "kind", "detail"}`; and a sentence about what is not shown."""
    mine = variables()
    listed = [name for name in mine if not _hidden(name, mine[name]) and (typed[:1] == "_" or name[0] != "_")]
    found, whole = below(roots, typed)
    # A file that is called as a variable is named with its folder.
    paths = {f"./{each.text}" if each.text in mine else each.text: each.path for each in found}
    names = _ranked(reversed(listed), typed, are_files=False)  # what was made last comes first
    places = _ranked(paths, typed, are_files=True)
    some = places[: max(FILES, SHOWN - len(names))]
    taken = sorted([*names[: SHOWN - len(some)], *some])
    items = [
        {"text": text, **(_told(paths[text]) if is_file else {"kind": "variable", "detail": about(mine[text])})}
        for _, is_file, _, _, text in taken
    ]
    left = len(names) + len(places) - len(taken)
    more = [f"{left:,} more: type on." if left else "", "" if whole else "Not all files were looked at."]
    return items, " ".join(filter(None, more))


def found(roots: Roots, names: Iterable[str]) -> dict[str, dict[str, str] | None]:
    """What each name would attach, as `{"kind", "detail"}`; None: nothing."""
    mine = variables()
    told: dict[str, dict[str, str] | None] = {}
    for name in names:
        if name in mine:
            told[name] = {"kind": "variable", "detail": about(mine[name])}
        else:
            place = _place(roots, name)
            told[name] = None if place is None else _told(place.path)
    return told


def mentioned(text: str, mentions: Mapping[str, bool], roots: Roots) -> Attached:
    """The prompt with what its mentions name, as it is now. The text stays as it is.

    Raises `AcpError` for a name that must be there (`True`) and is not, and for what cannot be attached.
    """
    mine = variables()
    parts = []
    for name, must in mentions.items():
        value = mine[name] if name in mine else _place(roots, name)
        if value is None and name not in mine:
            if must:
                raise AcpError(
                    f"@{name[:200]} is no variable of the notebook, and no file in {roots.folders[0]}.",
                    hint="Nothing was sent. Take it out of the prompt, or make it again.",
                )
            continue
        try:
            parts.append(snapshot(value, name))
        except BaseException as error:  # also SystemExit: this is a thread of its own, and it has no say in ours
            said = words(error).removeprefix(f"{name} cannot be attached: ") or type(error).__name__
            raise AcpError(
                f"@{name[:200]} cannot be attached: {said}",
                hint="Nothing was sent.",
            ) from error
    try:
        return together(text, parts)
    except ValueError as error:
        raise AcpError(str(error), hint="Nothing was sent.") from None


def variables() -> dict[str, object]:
    """The user's names and objects that can be attached; nothing outside of IPython."""
    shell = _shell()
    names = {} if shell is None else dict(shell.user_ns)
    return {
        name: value
        for name, value in names.items()
        if type(name) is str and name and name not in _IPYTHONS and attachable(value)
    }


def names() -> set[str]:
    """The variables of the notebook that somebody made, and that can be attached."""
    return {name for name, value in variables().items() if name[0] != "_" and not _hidden(name, value)}


def name_of(value: object) -> str | None:
    """The variable of the notebook that is this very object."""
    mine = variables()
    return next((name for name in mine if mine[name] is value and name[0] != "_" and not _hidden(name, value)), None)


def attachable(value: object) -> bool:
    """Whether there is something in it to send: it is no class, module or code."""
    return not issubclass(type(value), type) and type_name(value) not in _NOTHING_IN_IT


def about(value: object) -> str:
    """Its type, and how large it is where that can be told without its own code.

    >>> about([1, 2, 3])
    'list, 3 items'
    """
    name, kind = type_name(value), type(value)
    for base, count, what in _COUNTED:
        if issubclass(kind, base):
            return f"{name}, {(number := count(value)):,} {what if number != 1 else what[:-1]}"
    for module, title in _SHAPED:
        shaped = getattr(sys.modules.get(module), title, None)
        if isinstance(shaped, type) and issubclass(kind, shaped):
            return f"{name} {_shape(shaped, value)}".rstrip()
    return name


def _shape(shaped: Any, value: object) -> str:
    try:
        # The library's own property: that of a subclass may do anything.
        return "\N{MULTIPLICATION SIGN}".join(f"{int(side):,}" for side in shaped.shape.__get__(value, shaped))
    except Exception:
        return ""


def type_name(value: object) -> str:
    """The name of its type; not as a metaclass tells it."""
    return str(type.__dict__["__name__"].__get__(type(value)))[:60]


def rank(name: str, typed: str) -> int | None:
    """0: the name itself; 1: it begins so; 2: its last part does; 3: holds it; 4: has its letters in this order.

    >>> [rank("src/Stats.py", typed) for typed in ("src/stats.py", "SRC", "sta", "ats", "sp", "x")]
    [0, 1, 2, 3, 4, None]
    """
    low, want = name.lower().rstrip("/"), typed.lower().rstrip("/")
    if low == want:
        return 0
    if low.startswith(want):
        return 1
    if low.rpartition("/")[2].startswith(want):
        return 2
    if want in low:
        return 3
    letters = iter(low)
    return 4 if all(letter in letters for letter in want) else None


def _ranked(names: Iterable[str], typed: str, *, are_files: bool) -> list[_Ranked]:
    ranked = []
    for number, name in enumerate(names):
        fits = rank(name, typed)
        if fits is not None:
            order = len(name) if typed else 0 if are_files else number
            ranked.append((fits, are_files, name.rstrip("/").count("/"), order, name))
    return sorted(ranked)


def _place(roots: Roots, name: str) -> Place | None:
    """A file or folder by a path that leads nowhere else."""
    try:
        place = roots.find(name)
    except RequestError:
        return None
    return place if files.kind_of(place.path) else None


def _told(path: str) -> dict[str, str]:
    return {"kind": files.kind_of(path) or "file", "detail": files.detail(path)}


def _hidden(name: str, value: object) -> bool:
    """A name that IPython or Python made."""
    if name.startswith("__") and name.endswith("__"):
        return True
    nothing = object()
    return getattr(_shell(), "user_ns_hidden", {}).get(name, nothing) is value


def _shell() -> Any:
    """The IPython that runs here; it is not imported for this."""
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()
