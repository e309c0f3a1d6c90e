"""`agent.player`: where a replay is, how it moves, what it asks; the state is always that of the records so far."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from acp_widget import AcpError, Agent, AgentClosed, AnswerRefused, NobodyWatching, NotOffered, runtime
from acp_widget.session.operations import apply_to_snapshot

from .agents.scripted import until
from .replays import ASKED, INF, TRACES, clocked, played, player_of, positions, reduced, state_of, write

SEVERAL = [
    "claude-agent-acp-0.49-load",  # a session that is loaded anew
    "gemini-cli-0.61-load-error",  # two processes
    "codex-acp-2.6-v2-terminal",  # terminals
    "sdk-v2-agent-odd",
    "sdk-v2-agent-main",
]


@pytest.fixture
def replay() -> Iterator[Any]:
    """Makes replays, and closes them."""
    made: list[Agent] = []

    def make(path: Path = ASKED, **options: Any) -> Agent:
        made.append(Agent.replay(path, **{"paused": True, **options}))
        return made[-1]

    yield make
    for agent in made:
        agent.close()


def trace_named(name: str) -> Path:
    return next(path for path in TRACES if path.stem == name)


class Mirror:
    """A front end: what it was sent must be what is there."""

    def __init__(self, agent: Agent) -> None:
        self._state = agent._driver.state
        self._shown = self._state.snapshot()
        agent._driver.on_operations = self._take
        agent._driver.on_anew = self._anew

    def _take(self, operations: Any) -> None:
        self._shown = apply_to_snapshot(self._shown, operations)

    def _anew(self) -> None:
        self._shown = self._state.snapshot()

    def check(self) -> None:
        assert self._shown == self._state.snapshot()


# --- the state is that of the records so far -------------------------------------------------------------------------


@pytest.mark.parametrize("name", SEVERAL)
def test_the_state_after_n_records_is_that_of_the_first_n_whichever_way_one_came(replay: Any, name: str) -> None:
    path = trace_named(name)
    states = reduced(path)
    player = replay(path).player
    for position in [*range(player.count + 1), *reversed(range(player.count + 1))]:
        player.seek(position)
        assert player.position == position
        assert state_of(player_agent(player)) == states[position], position


def player_agent(player: Any) -> Any:
    """What `state_of` reads."""

    class Holder:
        _driver = player._playing._owner

    return Holder()


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_however_one_walks_the_state_and_what_a_page_shows_fit_the_position(replay: Any, path: Path) -> None:
    chance = Random(path.stem)
    states = reduced(path)
    agent = replay(path)
    mirror, player = Mirror(agent), agent.player
    for _ in range(12):
        walk = chance.choice(["seek", "seek", "step", "back", "next", "previous", "messages"])
        try:
            if walk == "seek":
                player.seek(chance.randint(0, player.count))
            elif walk == "messages":
                player.step(chance.randint(1, 5), messages=True)
            else:
                getattr(player, walk)()
        except NotOffered:
            assert walk != "seek"
        assert state_of(agent) == states[player.position]
        mirror.check()


def test_beats_are_steps_of_one_who_watches(replay: Any) -> None:
    player = replay().player
    stops = [player.step().position for _ in range(player.count) if player.position < player.count]
    assert stops == player_of(player_agent(player))["beats"]
    assert set(positions(player.marks, "permission")) <= set(stops)
    assert set(positions(player.marks, "prompt")) <= set(stops)
    back = [player.back().position for _ in stops]
    assert back == [*reversed(stops[:-1]), 0]
    assert len(stops) < player.count


def test_chunks_of_one_text_are_one_beat(replay: Any, tmp_path: Path) -> None:
    def chunk(text: str, role: str = "agent", message: str = "m") -> Any:
        content = {"type": "text", "text": text}
        update = {"sessionUpdate": f"{role}_message_chunk", "messageId": message, "content": content}
        return {"dir": "in", "msg": {"method": "session/update", "params": {"update": update}}}

    usage = {"sessionUpdate": "usage_update", "used": 1, "size": 2}
    quiet = {"dir": "in", "msg": {"method": "session/update", "params": {"update": usage}}}
    said = [chunk("a"), chunk("b"), quiet, chunk("c"), chunk("d", message="n"), quiet]
    player = replay(write(tmp_path / "it.jsonl", said)).player
    assert [player.step().position, player.step().position] == [4, 6]
    with pytest.raises(NotOffered, match="end of the recording"):
        player.step()
    assert player.back(5).position == 0
    with pytest.raises(NotOffered, match="beginning"):
        player.back()
    assert player.step(messages=True).position == 1


def test_marks_are_where_one_goes(replay: Any) -> None:
    player = replay(notes=[{"position": 30, "text": "Look here\nand there."}]).player
    assert player.next("permission").position == 24
    assert player.next("permission").position == 37
    with pytest.raises(NotOffered, match="no permission after"):
        player.next("permission")
    assert player.previous().position == 30
    assert player.previous("prompt").position == 5
    assert player.next("end").position == player.count
    titles = {mark["kind"]: mark["title"] for mark in player.marks}
    assert titles["permission"] == "Edit notes.txt?"
    assert titles["note"] == "Look here and there."
    assert titles["end"] == "complete"
    with pytest.raises(ValueError, match="no kind of mark"):
        player.next("turn")


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        (lambda player: player.seek(-1), ValueError),
        (lambda player: player.seek(10**9), NotOffered),
        (lambda player: player.seek(1.5), TypeError),
        (lambda player: player.step(0), ValueError),
        (lambda player: player.back(True), TypeError),
        (lambda player: player.choose("yes"), AnswerRefused),
        (lambda player: player.choose(3), TypeError),
        (lambda player: setattr(player, "speed", 0), ValueError),
        (lambda player: setattr(player, "speed", float("nan")), ValueError),
        (lambda player: setattr(player, "speed", "fast"), TypeError),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(replay: Any, call: Any, wrong: type[Exception]) -> None:
    player = replay().player
    player.seek(10)
    with pytest.raises(wrong):
        call(player)
    assert (player.position, player.speed, player.playing) == (10, 1.0, False)


# --- time -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [1.0, 7.5])
@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_at_any_speed_it_takes_its_time_and_ends_the_same(path: Path, speed: float) -> None:
    agent, clock = clocked(path, speed=speed, max_pause=None)
    player, length = agent.player, player_of(agent)["length"]
    assert player is not None
    player.play()
    clock.advance(length / speed * 0.999)
    assert player.position < player.count or length == 0
    assert player_of(agent)["at"] <= length * 0.999 + 0.001
    clock.advance(length / speed * 0.002)
    assert (player.position, player.playing, clock.waiting) == (player.count, False, 0)
    assert state_of(agent) == played(path)
    agent.wait(1).close()


def test_a_long_pause_is_played_as_so_many_seconds(tmp_path: Path) -> None:
    records = [{"t": at, "dir": "in", "msg": {"method": "x", "params": {}}} for at in (5, 6, 1000, 999, 1001)]
    path = write(tmp_path / "it.jsonl", records)
    for pause, length in ((3.0, 6.0), (0.5, 1.5), (None, 997.0), (0, 0.0)):
        with Agent.replay(path, paused=True, max_pause=pause) as agent:
            assert player_of(agent)["length"] == length


def test_pause_and_speed_take_effect_while_it_plays() -> None:
    agent, clock = clocked(ASKED, max_pause=None)
    player, length = agent.player, player_of(agent)["length"]
    assert player is not None
    player.play()
    clock.advance(length / 2)
    half = player.position
    assert 0 < half < player.count
    player.pause()
    clock.advance(length * 10)
    assert player.position == half
    player.speed = INF
    assert player_of(agent)["speed"] is None
    player.play()
    clock.advance(0)
    assert player.position == player.count
    player.play()  # from the beginning
    until(lambda: clock.waiting > 0)
    assert (player.position, player.playing) == (0, True)
    clock.advance(0)
    assert agent.wait(5) is agent
    agent.close()


def test_it_goes_on_from_where_one_goes_to() -> None:
    agent, clock = clocked(ASKED)
    player = agent.player
    assert player is not None
    player.play()
    player.seek(40)
    assert player.playing
    clock.advance(100)
    assert player.position == player.count
    player.seek(3)
    assert not player.playing
    agent.close()


# --- questions --------------------------------------------------------------------------------------------------------


def test_it_stops_at_each_question_and_goes_on_as_recorded() -> None:
    agent, clock = clocked(ASKED, permissions="ask", nobody_after=1000)
    player = agent.player
    assert player is not None
    player.play()
    clock.advance(100)
    assert (player.position, player.playing) == (24, False)
    ask = player_of(agent)["ask"]
    assert ask == player.question
    assert ask["permission"] == agent.pending[0]._key
    assert ask["question"] == "Run this command?"
    assert not ask["predict"]
    assert [option["optionId"] for option in ask["options"]] == [each["optionId"] for each in agent.pending[0].options]
    with pytest.raises(NotOffered, match="choose an answer"):
        player.play()
    with pytest.raises(NotOffered, match="choose an answer"):
        player.step()
    with pytest.raises(AnswerRefused, match="no such option"):
        player.choose("perhaps")
    rejecting = next(option for option in agent.pending[0].options if option["kind"] == "reject_once")
    agent.answer(agent.pending[0], rejecting["optionId"])
    assert agent.pending[0].pending  # as recorded
    clock.advance(100)
    assert player.position == 37
    assert agent.turns[0].permissions[0].option_id == "once"
    player.choose(agent.pending[0].options[0]["name"])
    clock.advance(100)
    assert player.position == player.count
    first, second = player.choices
    assert (first["chosen"], first["recorded"], first["right"]) == (rejecting["name"], "Allow once", None)
    assert second["chosen"] == second["recorded"]
    assert state_of(agent) == played(ASKED)
    assert player_of(agent)["choices"] == player.choices
    agent.close()


def test_one_may_go_past_a_question_but_a_step_stops_there(replay: Any) -> None:
    player = replay(permissions="ask").player
    assert player.seek(20).step(50).position == 24
    assert player.question is not None
    assert player.seek(30).question is None
    assert player.step(50, messages=True).position == 37
    player.choose(None)
    assert player.choices[-1]["chosen"] == "Dismiss"
    assert player.seek(37).question is None  # what was chosen is not asked again


def test_a_prediction_hides_what_comes(replay: Any) -> None:
    agent = replay(predict=True, notes=[{"position": 40, "text": "a secret"}, {"position": 3, "text": "seen"}])
    player = agent.player
    told = player_of(agent)
    assert told["limit"] == 24
    assert max(told["beats"]) == 24
    assert {mark["title"] for mark in player.marks if mark["position"] > 24} == {""}
    assert [note["text"] for note in player.notes] == ["seen"]
    assert "secret" not in json.dumps(agent._driver.state.snapshot())
    for move in (lambda: player.seek(25), lambda: player.seek(player.count)):
        with pytest.raises(NotOffered, match="when you have chosen"):
            move()
    assert player.position == 0
    assert player.next("end").position == 24  # as far as one may go
    with pytest.raises(NotOffered, match="when you have chosen"):
        player.next("end")
    assert player.question["predict"]
    assert len(agent.log) <= 24
    player.choose("once")
    assert player_of(agent)["limit"] == 37
    assert player.seek(37).question is not None
    player.choose("no")
    assert player.next("end").position == player.count
    assert [note["text"] for note in player.notes] == ["seen", "a secret"]


def test_clicks_choose_as_python_does_and_others_are_refused(replay: Any) -> None:
    agent = replay(permissions="ask", nobody_after=1000)
    player, buttons = agent.player, agent._stage._actions

    def press(name: str, *arguments: Any) -> None:
        async def do() -> None:
            done = getattr(buttons, name)(*arguments)
            if done is not None:
                await done

        runtime.submit(do()).result(5)

    press("player", "next", "permission")
    assert player.position == 24
    press("player", "back", "message")
    assert player.position == 23
    press("player", "step", None)
    press("answer", agent.pending[0]._key, "once")
    assert player.choices[0]["chosen"] == "Allow once"
    press("player", "next", None)
    press("player", "choose", "no")
    assert player.choices[1]["chosen"] == "Skip"
    for do, value in (("seek", "x"), ("seek", None), ("speed", -1), ("speed", "x"), ("next", 3), ("choose", 3)):
        with pytest.raises(AcpError):
            press("player", do, value)
    press("player", "speed", None)
    assert player.speed == INF
    for name, *arguments in (
        ("answer", "p:1", "once"),
        ("dismiss", "p:1"),
        ("prompt", "hello", {"README.md": True}),
        ("again", "r:1"),
        ("mention", "/etc/", ["/etc/passwd"]),
        ("remember", "p:1", "once", "Edit('*')"),
        ("revoke", "Edit('*')"),
        ("restart",),
        ("unqueue", "r:1"),
        ("cancel_call", "t:1"),
        ("cancel_terminal", "x:1"),
        ("configure", "mode", "code"),
        ("login", "key"),
    ):
        with pytest.raises(AcpError):
            press(name, *arguments)


def test_a_recording_that_is_not_asked_answers_no_click(replay: Any) -> None:
    agent = replay()
    agent.player.next("permission")
    with pytest.raises(AnswerRefused, match="goes on as recorded"):
        agent.answer(agent.pending[0], "once")
    assert agent.pending[0].pending
    agent.permissions = "ask"
    until(lambda: agent.player.question is not None)
    agent.answer(agent.pending[0], "once")
    with pytest.raises(ValueError, match="'recorded' or 'ask'"):
        agent.permissions = "allow"


def test_where_nobody_can_choose_it_goes_on_with_a_warning() -> None:
    with pytest.warns(NobodyWatching, match="goes on as recorded") as told:
        agent = Agent.replay(ASKED, speed=INF, predict=True).wait(10)
    assert len(told) == 1
    assert agent.player is not None
    assert (agent.player.position, agent.player.choices) == (agent.player.count, [])
    assert state_of(agent) == played(ASKED)
    agent.close()


def test_where_nobody_can_begin_it_begins_when_it_is_waited_for() -> None:
    with pytest.warns(NobodyWatching, match="nobody could begin"):
        agent = Agent.replay(ASKED, speed=INF, paused=True).wait(10)
    agent.close()


# --- notes ------------------------------------------------------------------------------------------------------------


def test_a_note_holds_until_the_next_and_may_ask(replay: Any) -> None:
    agent = replay(
        permissions="ask",
        notes=[
            {"position": 0, "title": "Welcome", "text": "This is **it**."},
            {"position": 10, "text": "", "question": "What comes?", "options": ["a", "b"], "answer": "b"},
            {"position": 24, "text": "Careful.", "question": "Is it safe?", "answer": "Allow once"},
        ],
    )
    player = agent.player
    assert player_of(agent)["note"] == {"position": 0, "title": "Welcome", "text": "This is **it**."}
    assert player.step(50).position == 10
    assert player.question["permission"] is None
    assert [each["name"] for each in player.question["options"]] == ["a", "b"]
    player.choose("0")
    assert player.choices[-1] == {
        "position": 10, "question": "What comes?", "chosen": "a", "recorded": "b", "right": False,
    }  # fmt: skip
    assert player.step(50).position == 24
    assert player.question["question"] == "Is it safe?"
    assert player_of(agent)["note"]["text"] == "Careful."
    player.choose("once")
    assert player.choices[-1]["right"] is True


def test_notes_are_found_beside_the_recording_and_kept_there(tmp_path: Path) -> None:
    path = tmp_path / "fix.jsonl"
    path.write_bytes(ASKED.read_bytes())
    with Agent.replay(path, paused=True) as agent:
        player = agent.player
        assert player is not None
        player.seek(7)
        agent.note("Read this.", title="One", question="Well?", options=["x", "y"], answer="x")
        player.seek(3)
        agent.note("Before.")
        assert player_of(agent)["note"]["text"] == "Before."
        assert player.save_notes() == tmp_path / "fix.notes.json"
        notes = player.notes
    assert [note["position"] for note in notes] == [3, 7]
    assert [each.name for each in tmp_path.iterdir() if each.name not in ("fix.jsonl", "fix.notes.json")] == []
    with Agent.replay(path, paused=True) as again:
        assert again.player is not None
        assert again.player.notes == notes
        assert again.player.save_notes(tmp_path / "other.json").read_text() == (tmp_path / "fix.notes.json").read_text()
    with Agent.replay(path, paused=True, notes=tmp_path / "other.json") as given:
        assert given.player is not None
        assert given.player.notes == notes
    with Agent.replay(path, paused=True, notes=[]) as without:
        assert without.player is not None
        assert without.player.notes == []


@pytest.mark.parametrize(
    ("notes", "wrong"),
    [
        ([{"text": "no position"}], "position"),
        ([{"position": -1, "text": "x"}], "position"),
        ([{"position": True, "text": "x"}], "position"),
        ([{"position": 1}], "no `text`"),
        ([{"position": 1, "text": 3}], "`text` is a text"),
        ([{"position": 1, "text": "x" * 30_000}], "can be shown"),
        ([{"position": 1, "text": "x", "options": "ab"}], "list of texts"),
        ([{"position": 1, "text": "x", "options": ["a", 1]}], "`options` is a text"),
        ([{"position": 1, "text": "x", "question": "?", "options": ["a"], "answer": "b"}], "none of its"),
        (["text"], r"notes\[0\]: a note is an object"),
        (3, "list of objects"),
    ],
)
def test_notes_that_are_none_are_refused_and_say_why(notes: Any, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        Agent.replay(ASKED, notes=notes)


def test_notes_beside_it_that_cannot_be_read_are_no_end(tmp_path: Path) -> None:
    path = tmp_path / "fix.jsonl"
    path.write_bytes(ASKED.read_bytes())
    (tmp_path / "fix.notes.json").write_text("[{")
    with Agent.replay(path, speed=INF).wait(10) as agent:
        assert "notes beside it cannot be read" in player_of(agent)["problem"]
        assert state_of(agent) == played(ASKED)


# --- what was held, threads, ends -------------------------------------------------------------------------------------


def test_what_is_held_says_so_where_it_is_not_there_yet_and_is_itself_again_later(replay: Any) -> None:
    agent = replay(trace_named("gemini-cli-0.61-load-error"))
    player = agent.player
    player.seek(player.count)
    held = [*agent.turns, *agent.messages, *agent.tool_calls, *agent.terminals, *agent.turns[0].permissions]
    texts = [(repr(each), each.to_dict(), each._repr_html_()) for each in held]
    player.seek(0)
    for each in held:
        assert "not there at this position" in repr(each)
        assert "not there at this position" in each._repr_html_()
        with pytest.raises(AcpError, match="not there at the position"):
            each.to_dict()
    player.seek(player.count)
    assert [(repr(each), each.to_dict(), each._repr_html_()) for each in held] == texts


def test_what_a_restart_renamed_is_the_same_thing_before_and_after(replay: Any, tmp_path: Path) -> None:
    def process() -> Iterator[Any]:
        yield {"dir": "out", "msg": {"id": 0, "method": "initialize", "params": {"protocolVersion": 2}}}
        yield {"dir": "in", "msg": {"id": 0, "result": {"protocolVersion": 2, "capabilities": {"session": {}}}}}
        yield {"dir": "out", "msg": {"id": 1, "method": "session/new", "params": {}}}
        yield {"dir": "in", "msg": {"id": 1, "result": {"sessionId": "s"}}}

    def call(title: str) -> Any:
        update = {"sessionUpdate": "tool_call_update", "toolCallId": "1", "title": title}
        return {"dir": "in", "msg": {"method": "session/update", "params": {"sessionId": "s", "update": update}}}

    records = [*process(), call("one"), *process(), call("two"), *process(), call("three")]
    agent = replay(write(tmp_path / "it.jsonl", records))
    player = agent.player
    player.seek(player.count)
    third, first, second = (agent.tool_calls[key] for key in ("1", "1@1", "1@2"))
    assert [each.title for each in (first, second, third)] == ["one", "two", "three"]
    player.seek(10)
    assert [first.title, second.title] == ["one", "two"]
    assert (first.id, second.id) == ("1@1", "1")
    assert "not there" in repr(third)
    player.seek(5)
    assert (first.title, first.id) == ("one", "1")
    assert "not there" in repr(second)
    player.seek(player.count)
    assert [each.title for each in (first, second, third)] == ["one", "two", "three"]


def test_a_turn_can_be_waited_for_once_more_after_going_back() -> None:
    agent, clock = clocked(ASKED)
    player = agent.player
    assert player is not None
    player.seek(player.count)
    turn = agent.turns[0]
    assert turn.wait(1).stop_reason == "end_turn"
    player.seek(10)
    assert not turn.done
    with pytest.raises(TimeoutError):
        turn.wait(0.01)
    assert turn.duration is not None
    assert 0 <= turn.duration < 100
    player.play()
    clock.advance(100)
    assert turn.wait(1).done
    agent.close()


def test_many_threads_move_it_at_once(replay: Any) -> None:
    player = replay().player
    states = reduced(ASKED)

    def walk(chance: Random) -> None:
        for _ in range(20):
            player.seek(chance.randint(0, player.count))

    threads = [threading.Thread(target=walk, args=(Random(seed),)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state_of(player_agent(player)) == states[player.position]


def test_after_close_it_can_be_read_but_not_moved() -> None:
    agent = Agent.replay(ASKED, paused=True)
    player = agent.player
    assert player is not None
    player.seek(20)
    agent.close()
    for move in (player.play, player.step, player.back, lambda: player.seek(3), lambda: player.choose("x")):
        with pytest.raises(AgentClosed):
            move()
    assert player.position == 20
    assert len(agent.messages) == 3
    assert repr(player).startswith("<Player of 'sdk-v2-agent-main.jsonl', 20/51")


def test_ids_of_ours_are_the_same_each_time(replay: Any) -> None:
    path = trace_named("claude-agent-acp-0.49-full")
    ids = [[message.id for message in replay(path, speed=INF, paused=False).wait(10).messages] for _ in range(2)]
    assert ids[0] == ids[1]
    assert any(each.startswith("acp-widget:") for each in itertools.chain(*ids))
