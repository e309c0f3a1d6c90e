"""The scene that everybody sees first: fix the failing test."""

from __future__ import annotations

import re

from . import project, tools
from .turn import Plan, Turn

_STEPS = ("Read the failing test", "Fix stats.py", "Run the tests")
_BY_HAND = "You can run the tests yourself with `python -m unittest`."


async def fix_the_test(turn: Turn) -> None:
    """Read, explain, edit, run and report; or say plainly that there is nothing here that it can fix."""
    await turn.think(
        "The user wants the failing test fixed. "
        "I look at the test first, then at the function, and change no more than it needs."
    )
    found = project.find(turn.cwd)
    if found is None:
        await _nothing_to_fix(turn)
        return
    await turn.session.name("Fix mean() of an empty list")
    plan = await turn.plan(*_STEPS)
    await turn.pause(0.2)
    texts = (found.tests_text, found.source_bytes.decode())
    places = ((found.tests, found.line), (found.source, found.function_line))
    await tools.show_files(turn, "Read tests/test_stats.py", places, texts)
    await turn.session.report_usage()
    fixed = found.fixed
    if fixed is None:
        await _check(turn, plan)
    elif await _edit(turn, plan, found, fixed):
        await plan.start(2)
        ran = await _run(turn)
        await _close(plan, ran)
        await turn.say(_report(ran, changed=True))


async def _edit(turn: Turn, plan: Plan, found: project.Project, fixed: bytes) -> bool:
    await plan.start(1)
    await turn.say(
        "The function divides by `len(xs)` without checking for an empty list. I'll return `nan`, as `numpy.mean` does."
    )
    edited = await tools.edit(
        turn,
        found.source,
        found.source_bytes,
        fixed,
        line=found.function_line,
        question="Edit stats.py?",
        reason="mean() of an empty list will be nan instead of a ZeroDivisionError.",
    )
    await turn.session.report_usage()
    if not edited.done:
        await plan.drop()
        await turn.say(
            f"I did not change `stats.py`. {edited.why}\n\n"
            'I would have made `mean()` return `float("nan")` for an empty list, and then run the tests. '
            "Ask again when you want that."
        )
    return edited.done


async def _check(turn: Turn, plan: Plan) -> None:
    """The bug is not there (any more): only a run of the tests can tell whether they pass."""
    await plan.start(2)
    await turn.say("`mean()` already checks for an empty list, so I see nothing to fix. I'll run the tests to be sure.")
    ran = await _run(turn)
    await _close(plan, ran)
    await turn.say(_report(ran, changed=False))


async def _run(turn: Turn) -> tools.Ran:
    argv, command = tools.program("runner")
    return await tools.run(
        turn,
        argv,
        command,
        title="Run the tests",
        question="Run the tests?",
        reason="This runs the code in this folder, in your Python.",
    )


async def _close(plan: Plan, ran: tools.Ran) -> None:
    if ran.exit is None:
        await plan.drop()
    else:
        await plan.finish()


def _report(ran: tools.Ran, *, changed: bool) -> str:
    what = "`mean([])` gives `nan` now, and says so in its docstring" if changed else "nothing, it was fixed already"
    table = f"| File | Change |\n| --- | --- |\n| `stats.py` | {what} |\n\n"
    if ran.exit is None:
        return f"I did not run the tests. {ran.why} {_BY_HAND}\n\n{table if changed else ''}"
    passed = re.search(r"^(\d+) passed", ran.text, re.MULTILINE)
    failed = re.search(r"(\d+) failed", ran.text)
    if ran.passed and passed:
        head = f"**All {passed[1]} tests pass.**"
        return (
            f"{head}\n\n{table}`median` and `spread` are as they were."
            if changed
            else f"{head} There was nothing to fix."
        )
    how = f"{failed[1]} of the tests failed" if failed else f"the run ended with {ran.exit.signal or ran.exit.code}"
    did = f"I made the change, but {how}" if changed else f"The bug that I know is not there, but {how}"
    return f"{did}. The rest is beyond me: I am a demo, and know only this one bug.\n\n{table if changed else ''}"


async def _nothing_to_fix(turn: Turn) -> None:
    await turn.session.name("Nothing that the demo agent can fix")
    call = await turn.call(
        title="List the folder",
        name="list_files",
        kind="search",
        status="in_progress",
        locations=[{"path": str(turn.cwd)}],
        rawInput={"path": str(turn.cwd)},
    )
    try:
        names, count = project.listing(turn.cwd)
    except OSError as error:
        await call.update(status="failed", rawOutput={"error": str(error)})
        await turn.say(f"I cannot read this folder, so there is nothing that I can do: {error}")
        return
    await call.update(status="completed", rawOutput={"names": names, "count": count})
    listed = "".join(f"- `{name.replace('`', chr(39))}`\n" for name in names)
    more = f"- and {count - len(names)} more\n" if count > len(names) else ""
    await turn.say(
        "I found no failing test here that I know how to fix. In this folder I see:\n\n"
        f"{listed or '- nothing' + chr(10)}{more}\n"
        "I changed nothing and ran nothing. I am a demo agent without a model: the one thing that I can fix "
        "is the small project (`stats.py` and `tests/test_stats.py`) that I make when I start in an empty folder. "
        "Try that, or `/run` a command of yours here."
    )
