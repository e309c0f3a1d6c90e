"""Runs test vectors of a client-side session against the reducer.

`final_state(case)` gives the neutral state for one case; `python -m tests.conformance DIR` runs all cases of DIR.
"""

from __future__ import annotations

import base64
import io
import json
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from acp_widget.recording.listener import Listener
from acp_widget.recording.neutral import neutral
from acp_widget.session.reducer import Outcome

# --- driving the reducer ---------------------------------------------------------------------------------------------


class Session(Listener):
    """One session that is driven by the steps of a case."""

    def __init__(self, version: int = 2, *, on_outcome: Callable[[Outcome], object] | None = None) -> None:
        super().__init__(version, on_outcome=on_outcome)
        self._turn: str | None = None

    def step(self, step: dict[str, Any]) -> None:
        """Do one step of a case."""
        ((name, value),) = step.items()
        if name not in STEPS:
            raise ValueError(f"a step of unknown kind: {name}")
        for event in STEPS[name](self, value):
            self.tell(event)

    def asked(self, request_id: Any) -> str:
        """The key of a permission request."""
        return self.permission(request_id) or "p:none"

    def sent_prompt(self) -> str:
        """The turn of the prompt that was sent last."""
        return self._turn or "r:0"

    def new_prompt(self) -> str:
        """A turn for a prompt that is sent now."""
        self._turn = self.state.next_turn()
        return self._turn


Events = Iterator[dict[str, Any]]
Step = Callable[[Session, Any], Events]


def _prompt_sent(session: Session, value: Any) -> Events:
    yield {"type": "promptSent", "turn": session.new_prompt(), "prompt": value.get("prompt"), "source": "python"}


def _terminal(terminal_id: str, **fields: Any) -> dict[str, Any]:
    return {"type": "update", "update": {"sessionUpdate": "terminal_update", "terminalId": terminal_id, **fields}}


STEPS: dict[str, Step] = {
    "update": lambda session, value: iter([{"type": "update", "update": value}]),
    "request": lambda session, value: iter([{"type": "request", **value}]),
    "respond": lambda session, value: iter(
        [{"type": "respond", "permission": session.asked(value["id"]), "optionId": value["optionId"]}]
    ),
    "dismiss": lambda session, value: iter([{"type": "dismiss", "permission": session.asked(value["id"])}]),
    "cancelRequest": lambda session, value: iter([{"type": "cancelRequest", **value}]),
    "cancel": lambda session, value: iter([{"type": "cancel"}]),
    "sessionNew": lambda session, value: iter([{"type": "sessionNew", "result": value}]),
    "promptSent": _prompt_sent,
    "promptResult": lambda session, value: iter(
        [{"type": "promptResult", "turn": session.sent_prompt(), "result": value}]
    ),
    "promptError": lambda session, value: iter(
        [{"type": "promptError", "turn": session.sent_prompt(), "error": value}]
    ),
    "replayBegin": lambda session, value: iter([{"type": "replayBegin"}]),
    "replayEnd": lambda session, value: iter([{"type": "replayEnd", "result": value}]),
    "terminalCreate": lambda session, value: iter(
        [
            _terminal(
                value["terminalId"],
                command=shlex.join([value["command"], *value.get("args", [])]),
                cwd=value.get("cwd"),
            )
        ]
    ),
    "terminalBytes": lambda session, value: iter(
        [{"type": "update", "update": {"sessionUpdate": "terminal_output_chunk", **value}}]
    ),
    "terminalExit": lambda session, value: iter(
        [_terminal(value["terminalId"], exitStatus={"exitCode": value.get("exitCode"), "signal": value.get("signal")})]
    ),
    "terminalRelease": lambda session, value: iter([]),
    "resumeBegin": lambda session, value: iter([{"type": "resumeBegin"}]),
    "resumeEnd": lambda session, value: iter([{"type": "resumeEnd", "result": value}]),
}
"""Each step as the events it is for the reducer."""


def run(case: dict[str, Any]) -> Session:
    """Drive a fresh session through the case."""
    version = case.get("version", 2)
    if version not in (1, 2):
        raise ValueError(f"a case of version {version}")
    session = Session(version)
    for step in case["steps"] if "steps" in case else [{"update": update} for update in case["updates"]]:
        session.step(step)
    return session


# --- the neutral state -----------------------------------------------------------------------------------------------


def final_state(case: dict[str, Any]) -> dict[str, Any]:
    """The neutral state after the case, and beside it all `diagnostics` that were raised.

    >>> call = {"sessionUpdate": "tool_call_update", "toolCallId": "c1"}
    >>> final_state({"updates": [call]})["timeline"]
    ['t:c1']
    """
    session = run(case)
    return {**neutral(session.state), "sent": session.sent, "diagnostics": session.diagnostics}


# --- comparing -------------------------------------------------------------------------------------------------------

_MAPS = ("toolCalls", "terminals", "plans", "permissions", "compactions")
_NAMED = ("state", "sessionInfo", "usage")
_LISTED = ("messages", "notices")


def differences(case: dict[str, Any], got: dict[str, Any]) -> list[str]:
    """What of the case's expectation is not met, in words; empty when all is."""
    wrong: list[str] = []
    for name, wanted in case.get("expect", {}).items():
        wrong += _compare_part(name, wanted, got[name]) if name in got else [f"{name}: no part of the state"]
    if len(got["diagnostics"]) < case.get("diagnostics", 0):
        wrong.append(f"diagnostics: at least {case['diagnostics']} wanted, {len(got['diagnostics'])} raised")
    return wrong


def _compare_part(name: str, wanted: Any, got: Any) -> list[str]:
    if name in _MAPS:
        if wanted.keys() != got.keys():
            return [f"{name}: wanted the ids {sorted(wanted)}, got {sorted(got)}"]
        return [line for key in wanted for line in _compare_named(f"{name}[{key!r}]", wanted[key], got[key])]
    if name in _NAMED:
        return _compare_named(name, wanted, got)
    if name in _LISTED:
        if len(wanted) != len(got):
            return [f"{name}: {len(wanted)} wanted, got {_short(got)}"]
        return [
            line
            for place, (one, other) in enumerate(zip(wanted, got, strict=True))
            for line in _compare_named(f"{name}[{place}]", one, other, is_message=name == "messages")
        ]
    return [] if matches(wanted, got) else [_report(name, wanted, got)]


def _compare_named(where: str, wanted: Any, got: Any, *, is_message: bool = False) -> list[str]:
    """Compare an entity: only the fields that are named."""
    if not isinstance(wanted, dict) or wanted.keys() & {"$contains", "$patch"}:
        return [] if matches(wanted, got) else [_report(where, wanted, got)]
    wrong = []
    for field, value in wanted.items():
        compare = matches
        if field == "_meta":
            compare = _same_meta
        elif field == "output":
            compare = _same_output
        elif field == "content" and is_message:
            compare = _same_running_text
        if not compare(value, got.get(field)):
            wrong.append(_report(f"{where}.{field}", value, got.get(field)))
    return wrong


def _report(where: str, wanted: Any, got: Any) -> str:
    return f"{where}: wanted {_short(wanted)}, got {_short(got)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) < 600 else text[:600] + "…"


def matches(wanted: Any, got: Any) -> bool:
    """Deep equality, in which a null field is an absent one, with the matchers of the vectors."""
    if wanted == "$any":
        return got is not None
    if isinstance(wanted, dict):
        if wanted.keys() == {"$contains"}:
            inner = wanted["$contains"]
            return isinstance(got, dict) and all(
                _same_field(name, value, got.get(name)) for name, value in inner.items()
            )
        if wanted.keys() == {"$patch"}:
            return _matches_patch(wanted["$patch"], got)
        return isinstance(got, dict) and all(
            _same_field(name, wanted.get(name), got.get(name)) for name in wanted.keys() | got.keys()
        )
    if isinstance(wanted, list):
        return isinstance(got, list) and len(wanted) == len(got) and all(map(matches, wanted, got))
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    return bool(wanted == got)


def _same_field(name: str, wanted: Any, got: Any) -> bool:
    if name == "_meta" and wanted != "$any":
        wanted, got = ({} if meta is None else meta for meta in (wanted, got))
    return matches(wanted, got)


def _same_meta(wanted: Any, got: Any) -> bool:
    """Directly inside `_meta` the sets of keys are equal, null values included; an empty one is an absent one."""
    if not isinstance(wanted, dict) or wanted.keys() & {"$contains"}:
        return matches(wanted or None, got or None)
    given = got or {}
    return wanted.keys() == given.keys() and all(matches(value, given[name]) for name, value in wanted.items())


def _same_output(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, dict) and wanted.keys() == {"$contains"}:
        wanted = wanted["$contains"]
    if not isinstance(wanted, dict) or "data" not in wanted:
        return matches(wanted, got)
    data = wanted["data"]
    same = matches(data, got["data"]) if data == "$any" else _decoded(data) == _decoded(got["data"])
    return same and ("_meta" not in wanted or _same_meta(wanted["_meta"], got["_meta"]))


def _decoded(data: str) -> bytes:
    return base64.b64decode(data)


def _same_running_text(wanted: Any, got: Any) -> bool:
    return matches(_joined(wanted), _joined(got))


def _joined(content: Any) -> Any:
    """The blocks of a message with neighbouring plain texts as one."""
    if not isinstance(content, list):
        return content
    joined: list[Any] = []
    for block in content:
        if _is_plain_text(block) and joined and _is_plain_text(joined[-1]):
            joined[-1] = {"type": "text", "text": joined[-1]["text"] + block["text"]}
        else:
            joined.append(block)
    return joined


def _is_plain_text(block: Any) -> bool:
    """Exactly `type` and `text`; a null field and an empty `_meta` are absent."""
    if not isinstance(block, dict) or block.get("type") != "text" or not isinstance(block.get("text"), str):
        return False
    return all(name in ("type", "text") or _same_field(name, None, value) for name, value in block.items())


def _matches_patch(wanted: dict[str, list[str]], got: Any) -> bool:
    if not isinstance(got, dict) or got.get("format") != "git_patch" or not isinstance(got.get("text"), str):
        return False
    removed, added = [], []
    in_hunk = False
    for line in got["text"].split("\n"):
        if line.startswith("diff "):
            in_hunk = False
        elif line.startswith("@@"):
            in_hunk = True
        elif in_hunk and line.startswith("-"):
            removed.append(line[1:])
        elif in_hunk and line.startswith("+"):
            added.append(line[1:])
    return removed == wanted.get("removed", []) and added == wanted.get("added", [])


# --- the command -----------------------------------------------------------------------------------------------------


def load(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """`(file: case name, case)` of every case in the folder."""
    return [
        (f"{path.name}: {case['name']}", case)
        for path in sorted(folder.glob("*.json"))
        for case in json.loads(path.read_text(encoding="utf-8"))
    ]


def failures(case: dict[str, Any]) -> list[str]:
    """Why the case fails; empty when it passes."""
    try:
        return differences(case, final_state(case))
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print("usage: python -m tests.conformance DIR", file=sys.stderr)
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # half a surrogate pair can be in what is reported
    passed = failed = 0
    for name, case in load(Path(arguments[0])):
        wrong = failures(case)
        if wrong:
            failed += 1
            print(f"FAIL {name}")
            for line in wrong:
                print(f"     {line}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
