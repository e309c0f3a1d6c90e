"""Names in a prompt for which nothing is attached, though something was perhaps meant to be."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Final

BRACES: Final = re.compile(r"(?<!\{)\{([^\W\d]\w*)\}(?!\})")
_AT = re.compile(r"(?<![\w@`./\\])@([^\W\d]\w*)(?![\w@(/]|\.\w)")
_FENCED = re.compile(r"^ *(`{3,}|~{3,}).*?(?:^ *\1|\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`|^\s*@.*\n(?=\s*(?:@|async\s|def\s|class\s))", re.MULTILINE)
_NAMED: Final = 3  # names in a sentence


def doubt(
    text: str,
    objects: Container[str],
    named: Mapping[str, object],
    *,
    nameless: bool = False,
    known: Callable[[], Container[str]] = frozenset,
) -> str:
    """A sentence about names in the text that are perhaps not what was meant, or nothing.

    `objects`: what is attached; `named`: what of it the call gave a name; `nameless`: some of it has none. `known`: the
    variables of the notebook; other names in braces are code, or JSON, and nobody's business.

    >>> doubt("Why is {df} skewed? {other}", {}, {}, known=lambda: {"df"})
    'Nothing is attached for {df}, which stays as it is: pass df=df.'
    """
    mentioned = dict.fromkeys(match[1] for match in BRACES.finditer(text))
    unknown = [name for name in mentioned if name not in objects]
    unused = [name for name in named if name not in mentioned]
    if unknown and unused:
        meant = [near[0] for name in unknown if (near := difflib.get_close_matches(name, unused, 1))]
        return (
            f"Nothing is attached for {_braces(unknown[:_NAMED])}, which stays as it is, and the text does not mention "
            f"{_braces(unused[:_NAMED])}, which is attached all the same."
            f"{f' Did you mean {_braces(meant[:_NAMED])}?' if meant else ''}"
        )
    prose = _FENCED.sub("", text)
    missing = {name: f"{{{name}}}" for match in BRACES.finditer(prose) if (name := match[1]) not in objects}
    at = {name: f"@{name}" for match in _AT.finditer(_CODE.sub("", prose)) if (name := match[1]) not in objects}
    if not missing and not at:
        return ""
    names = known()
    told = {name: said for name, said in missing.items() if nameless or name in names}
    told |= {name: said for name, said in at.items() if name not in told and name in names}
    if not told:
        return ""
    first = list(told)[:_NAMED]
    which = "which stays as it is" if len(told) == 1 else "which stay as they are"
    instead = ", and not without a name" if nameless else ""
    return (
        f"Nothing is attached for {', '.join(told[name] for name in first)}, {which}: "
        f"pass {', '.join(f'{name}={name}' for name in first)}{instead}."
    )


def _braces(names: Sequence[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)
