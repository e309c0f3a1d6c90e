"""What real agents were seen to do beside the protocol, done here by agents of a few lines over real pipes.

`agents/odd_v1.py` holds the agents, one function a behaviour; `test_traces.py` has what was recorded of the real ones.
What was seen (where), and the test of it:

* one line of 561 kB (qwen-code 0.24)
  `test_a_line_of_561_kB_is_read`
* no JSON on stdout, then the end (kimi)
  `test_garbage_and_the_end_fail_what_waits_at_once`
* stays when its stdin closes, with children (codex, claude 0.23)
  `test_one_that_stays_when_its_stdin_closes_is_ended_with_its_children`
* `session/new` is never answered (pi-acp)
  `test_a_session_that_is_never_made_is_an_error_in_time`
* much on stderr (opencode, claude, gemini)
  `test_much_on_stderr_is_no_trouble`
* the model's error as text, and a refusal (codex, fast-agent)
  `test_the_error_of_a_model_is_shown_as_what_the_agent_said`
* speaks v2 when offered it (codex 2.6, claude 0.101)
  `test_traces.py`
* echoes version 2 and speaks 1 (fast-agent, deepagents)
  `test_an_echo_of_version_2_is_no_version_2`
* refuses a version with -32022 (SDK)
  `test_a_refused_version_is_asked_for_again`
* neither info nor capabilities (gptme, deepagents)
  `test_one_without_info_and_capabilities_works`
* updates before the answer to `session/new` (vibe, pydantic-acp)
  `test_updates_before_the_session_is_known_are_kept`
* updates after the prompt's result (codex, claude, qwen)
  `test_updates_after_the_turn_are_taken`
* words after `session/cancel` (fast-agent)
  `test_words_after_a_stop_are_shown`
* a late update sets a done edit back (claude 0.101)
  `test_a_late_update_of_a_call_does_not_make_it_run`
* requests nobody knows, services not offered (qwen 0.24, opencode)
  `test_unknown_requests_are_answered_and_the_turn_goes_on`
* null in any field, three spellings of a new file (all)
  `test_null_is_as_good_as_nothing`
* `modes` and `configOptions` at once (claude, codex, qwen, vibe)
  `test_a_mode_that_is_told_twice_is_one_option`
* asks about a call never announced (gemini, qwen 0.15)
  `test_a_question_about_a_call_never_announced_makes_it`
* asks about an id that is no call's (deepagents, fast-agent)
  `test_a_question_about_another_id_leaves_no_call_running`
* a question with nothing but the call's id (vibe, codex, deepagents)
  `test_a_question_with_only_an_id_has_the_title_that_is_known`
* two options of one kind, any order, any id (vibe, qwen 0.24, zed codex)
  `test_two_options_of_a_kind_are_two_buttons`
* after a no the turn is `cancelled` (codex)
  `test_a_no_that_ends_the_turn`
* after a no there is no update at all (gemini, qwen 0.15)
  `test_a_no_that_is_not_heard_of_again`
* calls that are never finished (deepagents, fast-agent)
  `test_calls_that_never_finish_do_not_run_on`
* pending to completed, told twice, new title and kind (claude, codex)
  `test_a_call_may_jump_and_change_its_name`
* the whole output again with each line (opencode)
  `test_growing_snapshots_replace_each_other`
* a relative path, the same diff twice (qwen 0.15)
  `test_a_relative_path_is_shown_as_it_is`
* a terminal that nobody made (codex 2.6)
  `test_a_terminal_that_nobody_made_is_shown`
* git patches with absolute paths, terminals by snapshot, base64 (codex, claude (v2))
  `test_traces.py`
* a prompt answered with an error
  `test_a_prompt_answered_with_an_error_fails_its_turn_only`
* the prompt repeated as a user message (some v1 agents)
  `test_an_echo_is_not_shown_beside_the_prompt`
* replay by `session/load`, and one that is refused (claude, qwen; gemini)
  `test_traces.py`
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent, errors
from acp_widget.export.entries import Call
from acp_widget.export.reading import Reader
from acp_widget.protocol.peer import Peer
from acp_widget.protocol.stdio import StdioTransport
from acp_widget.session.reducer import reduce
from acp_widget.session.running import is_running
from acp_widget.session.state import State

from .agents import odd_v1
from .processes import alive, run, until

Json = dict[str, Any]
COMMAND = [sys.executable, "-S", "-E", str(Path(__file__).parent / "agents" / "odd_v1.py")]


class Panel:
    """A session with one of the odd agents, and its state as a panel shows it."""

    def __init__(self, transport: StdioTransport, choose: str | None) -> None:
        self.state = State()
        self.choose = choose
        self.count = 0
        self.turns = 0
        self.deaths: list[errors.AcpError] = []
        self.peer = Peer(transport, self.emit, on_closed=self.deaths.append)

    def emit(self, event: Json) -> None:
        self.count += 1
        outcome = reduce(self.state, {"at": float(self.count), **event})
        for answer in outcome.answers:
            self.peer.answer(answer.request_id, answer.result, answer.error)
        if event["type"] == "request":
            asyncio.get_running_loop().call_soon(self.answer)

    def answer(self) -> None:
        for key in self.state.pending_permissions():
            asked = self.state.get("permissions", key)
            assert asked is not None
            if any(option["optionId"] == self.choose for option in asked["options"]):
                self.emit({"type": "respond", "permission": key, "optionId": self.choose, "by": "you", "why": None})
            else:
                self.emit({"type": "dismiss", "permission": key, "by": "you", "why": None})

    def send(self, words: str = "Fix it.") -> str:
        self.turns += 1
        self.peer.prompt(f"r:{self.turns}", [{"type": "text", "text": words}])
        return f"r:{self.turns}"

    async def prompt(self, words: str = "Fix it.") -> Json:
        """Send a prompt, wait for the end of its turn, and give what is shown then."""
        turn = self.send(words)
        await until(lambda: self.shown["turns"][turn]["at"]["end"] is not None)
        return self.shown

    @property
    def shown(self) -> Json:
        return self.state.snapshot()

    def said(self, role: str = "agent") -> list[str]:
        messages = [each for each in self.shown["messages"].values() if each["role"] == role]
        return ["".join(block.get("text", "") for block in each["content"]) for each in messages]

    @property
    def running(self) -> list[str]:
        return [key for key in self.shown["toolCalls"] if is_running(self.shown, key)]


@asynccontextmanager
async def panel(behaviour: str, choose: str | None = "proceed_once", *, started: bool = True) -> AsyncIterator[Panel]:
    one = Panel(await StdioTransport.start([*COMMAND, behaviour], cwd="/"), choose)
    one.emit({"type": "starting", "command": [], "cwd": "/", "label": "odd", "temporary": False})
    try:
        if started:
            await one.peer.start(cwd="/", timeout=30)
        yield one
    finally:
        await one.peer.close()


def story(behaviour: str, check: Callable[[Panel, Json], None], choose: str | None = "proceed_once") -> None:
    """One prompt to one of the agents; `check` looks at what is shown when its turn is over."""

    async def told() -> None:
        async with panel(behaviour, choose) as one:
            shown = await one.prompt()
            check(one, shown)
            assert shown["diagnostics"] == []

    run(told())


def turn(shown: Json, number: int = 1) -> tuple[str, str | None]:
    return shown["turns"][f"r:{number}"]["status"], shown["turns"][f"r:{number}"]["stopReason"]


# --- transport and lifecycle -----------------------------------------------------------------------------------------


def test_a_line_of_561_kB_is_read() -> None:
    def check(one: Panel, shown: Json) -> None:
        assert one.said() == ["after the long line"]
        assert turn(shown) == ("done", "end_turn")

    story("long_line", check)


def test_garbage_and_the_end_fail_what_waits_at_once() -> None:
    async def told() -> None:
        async with panel("garbage_in_the_turn") as one:
            one.send()
            await until(lambda: one.deaths)
            assert isinstance(one.deaths[0], errors.AgentExited)
            assert "kimi-cli is no longer maintained" in str(one.shown["diagnostics"])

    run(told())


def test_one_that_stays_when_its_stdin_closes_is_ended_with_its_children() -> None:
    async def told() -> None:
        async with panel("stubborn") as one:
            await one.prompt()
            pids = [int(word) for word in one.said()[0].split()]
            assert len(pids) == 2
            assert all(map(alive, pids))
        assert not any(map(alive, pids))

    run(told())


def test_a_session_that_is_never_made_is_an_error_in_time() -> None:
    async def told() -> None:
        async with panel("silent_session", started=False) as one:
            with pytest.raises(errors.StartTimeout, match=r"did not answer `session/new`"):
                await one.peer.start(cwd="/", timeout=1.0)

    run(told())


def test_a_session_that_is_never_made_is_said_to_who_prompts(tmp_path: Path) -> None:
    with Agent([*COMMAND, "silent_session"], cwd=tmp_path, start_timeout=1.0) as agent:
        with pytest.raises(errors.StartTimeout, match=r"did not answer `session/new`"):
            agent.run("hi", timeout=30, show=False)
        assert agent.status == "failed"


def test_much_on_stderr_is_no_trouble() -> None:
    def check(one: Panel, shown: Json) -> None:
        assert one.said() == ["fine"]

    story("noisy_stderr", check)


def test_the_error_of_a_model_is_shown_as_what_the_agent_said() -> None:
    def check(one: Panel, shown: Json) -> None:
        assert one.said() == ["I hit an internal error while calling the model"]
        assert turn(shown) == ("done", "refusal")

    story("model_fails", check)


# --- negotiation -----------------------------------------------------------------------------------------------------


def test_an_echo_of_version_2_is_no_version_2() -> None:
    def check(one: Panel, shown: Json) -> None:
        assert one.peer.version == 1
        assert shown["session"]["protocolVersion"] == 1
        assert (one.said(), one.said("user")) == (["I speak version 1"], ["Fix it."])
        assert turn(shown) == ("done", "end_turn")

    story("echoes_two", check)


def test_a_refused_version_is_asked_for_again() -> None:
    async def told() -> None:
        async with panel("only_one") as one:
            assert one.peer.version == 1
            assert one.shown["session"]["agent"]["name"] == "odd"

    run(told())


def test_one_without_info_and_capabilities_works() -> None:
    def check(one: Panel, shown: Json) -> None:
        assert one.said() == ["hello"]
        assert shown["session"]["agent"] is None

    story("bare", check)


# --- order -----------------------------------------------------------------------------------------------------------


def test_updates_before_the_session_is_known_are_kept() -> None:
    async def told() -> None:
        async with panel("early") as one:
            assert [command["name"] for command in one.shown["commands"]] == ["tools"]
            assert one.shown["usage"]["used"] == 7
            assert one.shown["diagnostics"] == []

    run(told())


def test_updates_after_the_turn_are_taken() -> None:
    async def told() -> None:
        async with panel("after_the_result") as one:
            await one.prompt()
            await until(lambda: one.shown["commands"])
            shown = one.shown
            assert (shown["sessionInfo"]["title"], shown["usage"]["used"]) == ("Later", 9)
            assert (shown["state"]["state"], turn(shown)) == ("idle", ("done", "end_turn"))
            assert len(shown["turns"]) == 1

    run(told())


def test_words_after_a_stop_are_shown() -> None:
    async def told() -> None:
        async with panel("after_the_cancel") as one:
            one.send()
            await until(one.said)
            assert one.running == ["t:c1"]
            one.peer.cancel()
            await until(lambda: not one.state.busy())
            assert one.said() == ["before after"]
            assert turn(one.shown) == ("done", "cancelled")
            assert one.shown["toolCalls"]["t:c1"]["status"] == "in_progress"  # its own word counts, and yet:
            assert one.running == []

    run(told())


def test_a_late_update_of_a_call_does_not_make_it_run() -> None:
    async def told() -> None:
        async with panel("late_call") as one:
            await one.prompt()
            await until(lambda: "t:new" in one.shown["toolCalls"])
            late = one.shown["toolCalls"]["t:e"]
            assert late["status"] == "pending"
            assert "+old" in late["content"][0]["patch"]["text"]
            assert one.running == []
            assert one.shown["state"]["state"] == "idle"

    run(told())


# --- unknown things --------------------------------------------------------------------------------------------------


def test_unknown_requests_are_answered_and_the_turn_goes_on() -> None:
    def check(one: Panel, shown: Json) -> None:
        assert json.loads(one.said()[0]) == [-32601] * 4
        assert turn(shown) == ("done", "end_turn")

    story("unknown_requests", check)


def test_null_is_as_good_as_nothing() -> None:
    def check(one: Panel, shown: Json) -> None:
        call = shown["toolCalls"]["t:c"]
        assert (call["title"], call["kind"], call["status"]) == ("Edit", "edit", "completed")
        changes = [item["changes"][0] for item in call["content"]]
        assert [(each["operation"], each["path"]) for each in changes] == [
            ("add", "/p/a"),
            ("add", "/p/b"),
            ("modify", "/p/c"),
        ]
        assert call["locations"][0]["path"] == "/p/a"
        assert one.said() == ["done"]
        assert [command["name"] for command in shown["commands"]] == ["a"]

    story("nulls", check)


def test_a_mode_that_is_told_twice_is_one_option() -> None:
    async def told() -> None:
        async with panel("modes_and_options") as one:
            ids = [option["configId"] for option in one.shown["configOptions"]]
            assert ids == ["mode", "collaboration_mode"]
            await one.peer.configure("mode", "go")
            values = {option["configId"]: option["currentValue"] for option in one.shown["configOptions"]}
            assert values == {"mode": "go", "collaboration_mode": "ask"}

    run(told())


# --- tool calls and permissions --------------------------------------------------------------------------------------


def test_a_question_about_a_call_never_announced_makes_it() -> None:
    def check(one: Panel, shown: Json) -> None:
        (asked,) = shown["permissions"].values()
        assert (asked["title"], asked["optionId"]) == ("ls", "proceed_once")
        call = shown["toolCalls"]["t:c1"]
        assert (call["title"], call["kind"], call["status"]) == ("ls", "execute", "completed")
        assert [key for key in shown["timeline"] if key.startswith("t:")] == ["t:c1"]

    story("never_announced", check)


def test_a_question_about_another_id_leaves_no_call_running() -> None:
    def check(one: Panel, shown: Json) -> None:
        assert {key: call["status"] for key, call in shown["toolCalls"].items()} == {
            "t:pending": "pending",
            "t:c1": "completed",
        }
        assert one.running == []

    story("other_id", check)


def test_a_question_with_only_an_id_has_the_title_that_is_known() -> None:
    def check(one: Panel, shown: Json) -> None:
        titles = [asked["title"] for asked in shown["permissions"].values()]
        assert titles == ["ls", "The agent asks for permission"]
        call = shown["toolCalls"]["t:c1"]
        assert (call["title"], call["kind"]) == ("ls", "execute")

    story("only_an_id", check)


@pytest.mark.parametrize("choice", ["proceed_always", "approved", "cancel"])
def test_two_options_of_a_kind_are_two_buttons(choice: str) -> None:
    def check(one: Panel, shown: Json) -> None:
        (asked,) = shown["permissions"].values()
        assert [option["optionId"] for option in asked["options"]] == ["proceed_always", "approved", "cancel"]
        assert one.said() == [choice]

    story("two_of_a_kind", check, choice)


def test_a_no_that_ends_the_turn() -> None:
    def check(one: Panel, shown: Json) -> None:
        assert turn(shown) == ("done", "cancelled")
        assert one.running == []

    story("rejected_and_cancelled", check, "cancel")


@pytest.mark.parametrize("choice", ["cancel", None])
def test_a_no_that_is_not_heard_of_again(choice: str | None) -> None:
    def check(one: Panel, shown: Json) -> None:
        assert turn(shown) == ("done", "end_turn")
        assert shown["toolCalls"]["t:c1"]["status"] == "pending"
        assert one.running == []

    story("rejected_in_silence", check, choice)


def test_calls_that_never_finish_do_not_run_on() -> None:
    def check(one: Panel, shown: Json) -> None:
        assert [call["status"] for call in shown["toolCalls"].values()] == ["in_progress", "pending"]
        assert one.running == []

    story("never_finished", check)


def test_calls_that_never_finish_are_not_written_down_as_running() -> None:
    def check(one: Panel, shown: Json) -> None:
        (first, second) = [entry for entry in Reader(shown).entries("r:1") if isinstance(entry, Call)]
        assert (first.state, second.state) == ("not finished", "not started")

    story("never_finished", check)


def test_a_call_may_jump_and_change_its_name() -> None:
    def check(one: Panel, shown: Json) -> None:
        (call,) = shown["toolCalls"].values()
        assert (call["title"], call["kind"], call["status"]) == ("ls", "execute", "completed")

    story("jumps", check)


def test_growing_snapshots_replace_each_other() -> None:
    def check(one: Panel, shown: Json) -> None:
        (item,) = shown["toolCalls"]["t:c1"]["content"]
        lines = item["content"]["text"].split("\r\n")
        assert len(lines) == 11
        assert lines[9] == "\x1b[32m line 10 é 🙂\x1b[0m"

    story("growing_snapshots", check)


def test_a_relative_path_is_shown_as_it_is() -> None:
    def check(one: Panel, shown: Json) -> None:
        (item,) = shown["toolCalls"]["t:e"]["content"]
        assert item["changes"] == [{"operation": "modify", "path": "notes.txt"}]
        assert "+one" in item["patch"]["text"]

    story("relative_path", check)


def test_a_terminal_that_nobody_made_is_shown() -> None:
    def check(one: Panel, shown: Json) -> None:
        terminal = shown["terminals"]["x:c1"]
        assert base64.b64decode(terminal["output"]["data"]) == b"hi\n"
        assert terminal["exitStatus"]["exitCode"] == 0
        assert [call["content"] for call in shown["toolCalls"].values()] == [
            [{"type": "terminal", "terminalId": "c1"}],
            [{"type": "terminal", "terminalId": "gone"}],
        ]

    story("unknown_terminal", check)


# --- prompts ---------------------------------------------------------------------------------------------------------


def test_a_prompt_answered_with_an_error_fails_its_turn_only() -> None:
    async def told() -> None:
        async with panel("prompt_error") as one:
            shown = await one.prompt()
            assert turn(shown)[0] == "failed"
            assert shown["turns"]["r:1"]["error"]["message"] == "Internal error"
            assert shown["state"]["state"] == "idle"
            assert turn(await one.prompt(), 2) == ("done", "end_turn")
            assert one.said() == ["better"]

    run(told())


def test_an_echo_is_not_shown_beside_the_prompt() -> None:
    def check(one: Panel, shown: Json) -> None:
        assert (one.said("user"), one.said()) == (["Fix it."], ["Fixed."])

    story("echoes_the_prompt", check)


# --- the list above --------------------------------------------------------------------------------------------------


def test_the_list_names_tests_that_are_there_and_each_agent_is_used() -> None:
    names = {word.strip("`") for word in (__doc__ or "").split() if word.startswith("`test_") and ".py" not in word}
    assert names <= set(globals())
    mine = {name for name, value in vars(odd_v1).items() if callable(value) and getattr(value, "__doc__", None)}
    words = {"read", "until", "ask", "serve"}  # of the agents' own language
    source = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in sorted(mine - words) if f'"{name}"' not in source and name != "Any"] == []
