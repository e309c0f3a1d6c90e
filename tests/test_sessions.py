"""The sessions that an agent keeps: listed, loaded, resumed, begun with; what one works with. The agent is a fake."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_widget import AcpError, Agent, AgentExited, AuthRequired, NotOffered, SessionNotFound

from .agents.scripted import until
from .keeping import Keeper, part

TOLD = (("user", "what is it?"), ("agent", "a lamp"), ("user", "how much?"), ("agent", "nine"))
Make = Callable[..., Keeper]


@pytest.fixture(params=[1, 2], ids=["v1", "v2"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    return lambda **how: Keeper(tmp_path, request.param, **how)


@pytest.fixture
def keeper(make: Make) -> Keeper:
    return make()


def texts(agent: Agent) -> list[tuple[str, str]]:
    """Who said what, in the order that the page shows."""
    shown = [agent._driver.state.get("messages", key) for key in part(agent, "timeline") if key[:2] in ("u:", "a:")]
    return [(each["role"], "".join(block["text"] for block in each["content"])) for each in shown if each]


# --- the list ---------------------------------------------------------------------------------------------------------


def test_all_pages_of_the_list_are_asked_for(keeper: Keeper) -> None:
    with keeper.keeps("a", "b", "c", "d", "e").agent() as agent:
        found = agent.sessions()
        assert [each.id for each in found if each.id in "abcde"] == ["a", "b", "c", "d", "e"]
        assert (found[0].title, found[0].cwd, found[0].updated_at) == ("About a", "/p", "2026-01-01T00:00:00Z")
        assert [each.get("cursor") for each in keeper.asked("session/list")] == [None, "2", "4"]


def test_a_list_that_begins_again_and_again_ends_and_says_so(make: Make) -> None:
    keeper = make(cursor="1")
    with keeper.keeps("a", "b", "c").agent() as agent:
        assert [each.id for each in agent.sessions()][:3] == ["a", "b", "c"]
        assert len(keeper.asked("session/list")) == 2
        until(lambda: agent.diagnostics)
        assert "begins again and again" in str(agent.diagnostics)


def test_the_list_of_one_folder_asks_for_it_on_every_page(keeper: Keeper) -> None:
    with keeper.keeps("a", "b", "c").agent() as agent:
        agent.sessions("/p")
        assert {each["cwd"] for each in keeper.asked("session/list")} == {"/p"}


def test_a_list_that_is_not_offered_says_so(make: Make) -> None:
    keeper = make(capabilities={"sessionCapabilities": {}} if make().version == 1 else {})
    with keeper.agent() as agent, pytest.raises(NotOffered, match="list of its sessions"):
        agent.sessions()
    assert keeper.asked("session/list") == []


# --- load and resume --------------------------------------------------------------------------------------------------


def test_a_loaded_session_takes_the_place_of_what_was_shown(keeper: Keeper) -> None:
    with keeper.keeps("old", told=TOLD).agent() as agent:
        agent.run("before", timeout=20, show=False)
        agent.load("old")
        assert texts(agent) == list(TOLD)
        assert part(agent)["sessionId"] == "old"
        assert agent.run("more", timeout=20, show=False).text == "You said more"
        assert keeper.asked("session/prompt")[-1]["sessionId"] == "old"


def test_a_turn_of_the_session_that_was_left_is_gone_and_not_queued(keeper: Keeper) -> None:
    with keeper.keeps("old", told=TOLD).keeps("older", told=(("user", "and why?"),)).agent() as agent:
        left = agent.run("before", timeout=20, show=False)
        agent.load("old")
        told = agent.turns[-1]
        agent.load("older")
        for turn in (left, told):
            assert turn not in agent.turns
            assert (turn.status, turn.done, turn.text) == ("gone", True, "")
            assert turn.wait(20) is turn
        assert "'before', gone" in repr(left)
        assert agent.prompt("more", show=False).wait(20).status == "done"


def test_a_session_that_is_loaded_twice_is_shown_once(keeper: Keeper) -> None:
    with keeper.keeps("old", told=TOLD).agent() as agent:
        for _ in range(3):
            agent.load("old")
            assert texts(agent) == list(TOLD)
        assert [turn.prompt for turn in agent.turns if turn.prompt] == ["what is it?", "how much?"]


@pytest.mark.parametrize("breaks", ["refuses", "dies"])
@pytest.mark.parametrize("which", ["own", "old"])
def test_a_load_that_breaks_half_way_leaves_what_is_shown(make: Make, breaks: str, which: str) -> None:
    with make(breaks=breaks).keeps("old", told=TOLD).agent() as agent:
        turn = agent.run("one", timeout=20, show=False)
        shown = texts(agent)
        own = part(agent)["sessionId"]
        error = AcpError if breaks == "dies" else SessionNotFound
        with pytest.raises(error):
            agent.load(own if which == "own" else "old")
        until(lambda: agent.status != "working")
        assert texts(agent) == shown
        assert [each.prompt for each in agent.turns] == ["one"]
        assert (turn.text, turn.status, part(agent)["sessionId"]) == ("You said one", "done", own)


def test_the_own_session_loaded_again_is_shown_once(keeper: Keeper) -> None:
    with keeper.agent() as agent:
        agent.run("one", timeout=20, show=False)
        agent.load(part(agent)["sessionId"])
        assert texts(agent) == [("user", "one"), ("agent", "You said one")]
        assert agent.run("two", timeout=20, show=False).text == "You said two"


def test_only_what_a_session_that_was_left_says_is_worth_a_word(make: Make) -> None:
    for word, told in (("available_commands_update", []), ("agent_message_chunk", ["Messages of another session"])):
        with make(late=[word]).keeps("old", told=TOLD).agent() as agent:
            agent.run("before", timeout=20, show=False)
            own = part(agent)["sessionId"]
            agent.load("old")
            agent.load("old")
            assert [each["message"][:27] for each in agent.diagnostics if own in each["message"]] == told


def test_a_resumed_session_adds_to_what_is_shown(keeper: Keeper) -> None:
    with keeper.keeps("old", told=TOLD).agent() as agent:
        agent.run("before", timeout=20, show=False)
        shown = texts(agent)
        agent.resume("old")
        assert texts(agent) == shown
        assert agent.run("more", timeout=20, show=False).text == "You said more"
        assert keeper.asked("session/prompt")[-1]["sessionId"] == "old"


@pytest.mark.parametrize("way", ["load", "resume"])
def test_an_agent_that_does_not_run_yet_begins_with_the_session(keeper: Keeper, way: str) -> None:
    with keeper.keeps("old", told=TOLD).agent() as agent:
        getattr(agent, way)("old")
        assert texts(agent) == (list(TOLD) if way == "load" else [])
        assert keeper.asked("session/new") == []


@pytest.mark.parametrize("code", [-32002, -32602, -32603])
@pytest.mark.parametrize("way", ["load", "resume"])
def test_a_stale_id_is_told_and_what_is_shown_stays(make: Make, way: str, code: int) -> None:
    with make(gone=code).agent() as agent:
        agent.run("one", timeout=20, show=False)
        shown, session = texts(agent), part(agent)["sessionId"]
        with pytest.raises(SessionNotFound, match="'stale'") as caught:
            getattr(agent, way)("stale")
        assert "agent.restart() begins a new session" in caught.value.hint
        assert (texts(agent), part(agent)["sessionId"], agent.status) == (shown, session, "idle")
        assert agent.run("two", timeout=20, show=False).text == "You said two"


@pytest.mark.parametrize("way", ["load", "resume"])
def test_what_is_not_offered_is_not_asked(make: Make, way: str) -> None:
    nothing: dict[str, Any] = {"loadSession": False, "sessionCapabilities": {}} if make().version == 1 else {}
    keeper = make(capabilities=nothing)
    with keeper.keeps("old").agent() as agent:
        agent.start().wait(20)
        with pytest.raises(NotOffered, match=f"does not offer to {way}"):
            getattr(agent, way)("old")
        assert not keeper.asked("session/load")
        assert not keeper.asked("session/resume")


def test_a_load_that_wants_a_login_first_can_be_tried_again(keeper: Keeper) -> None:
    with keeper.wants("open", keeper.method("web")).keeps("old", told=TOLD).agent() as agent:
        agent.start().wait(20)
        with pytest.raises(AuthRequired):
            agent.load("old")
        agent.login("web")
        agent.load("old")
        assert texts(agent) == list(TOLD)


@pytest.mark.parametrize("given", ["", None, 7])
def test_an_id_that_is_none_is_refused_here(keeper: Keeper, given: Any) -> None:
    with keeper.agent() as agent, pytest.raises(TypeError, match="named by its id"):
        agent.load(given)


# --- session= ---------------------------------------------------------------------------------------------------------


def test_an_agent_may_begin_with_a_session_that_it_keeps(keeper: Keeper) -> None:
    with keeper.keeps("old", told=TOLD).agent(session="old") as agent:
        turn = agent.run("more", timeout=20, show=False)
        assert turn.text == "You said more"
        assert texts(agent)[:4] == list(TOLD)
        assert keeper.asked("session/new") == []
        assert keeper.asked("session/prompt")[0]["sessionId"] == "old"


def test_a_session_to_begin_with_that_is_gone_is_told_and_a_restart_begins_a_new_one(keeper: Keeper) -> None:
    with keeper.agent(session="stale") as agent:
        for _ in range(2):  # never in another session than was asked for
            with pytest.raises(SessionNotFound):
                agent.run("hi", timeout=20, show=False)
        assert agent.status == "failed"
        agent.restart()
        assert agent.run("again", timeout=20, show=False).text == "You said again"


def test_a_session_to_begin_with_waits_for_the_login(keeper: Keeper) -> None:
    with keeper.wants("open", keeper.method("web")).keeps("old", told=TOLD).agent(session="old") as agent:
        turn = agent.prompt("more", show=False)
        agent.login("web")
        assert turn.wait(20).text == "You said more"
        assert texts(agent)[:4] == list(TOLD)
        assert keeper.asked("session/new") == []


# --- what it works with -----------------------------------------------------------------------------------------------


def test_servers_and_folders_are_given_to_the_agent_and_shown_without_their_secrets(
    keeper: Keeper, tmp_path: Path
) -> None:
    more = tmp_path / "more"
    more.mkdir()
    if keeper.version == 1:
        marked = {"list": {}, "resume": {}, "additionalDirectories": {}}
        keeper.how["capabilities"] = {"mcpCapabilities": {"http": True}, "sessionCapabilities": marked}
    servers = {
        "tools": {"command": sys.executable, "args": ["-V"], "env": {"TOKEN": "hush-one"}},
        "web": {"url": "https://example.org/mcp", "headers": {"Authorization": "hush-two"}},
    }
    with keeper.keeps("old").agent(mcp_servers=servers, additional_directories=["../more"]) as agent:
        agent.start().wait(20)
        assert agent.error is None
        (params,) = keeper.asked("session/new")
        assert params["additionalDirectories"] == [str(keeper.cwd / "../more")]
        typed = {} if keeper.version == 1 else {"type": "stdio"}
        assert params["mcpServers"] == [
            {
                **typed,
                "name": "tools",
                "command": sys.executable,
                "args": ["-V"],
                "env": [{"name": "TOKEN", "value": "hush-one"}],
            },
            {
                "type": "http",
                "name": "web",
                "url": "https://example.org/mcp",
                "headers": [{"name": "Authorization", "value": "hush-two"}],
            },
        ]
        assert "hush" not in str(agent._driver.state.snapshot()) + repr(agent) + str(agent.widget.get_state())
        assert "tools" in str(part(agent)["mcpServers"])
        assert "web" in str(part(agent)["mcpServers"])
        assert part(agent)["additionalDirectories"] == params["additionalDirectories"]
        agent.load("old")
        opened = keeper.asked("session/load" if keeper.version == 1 else "session/resume")[-1]
        assert {**opened, "sessionId": 0, "replayFrom": 0} == {**params, "sessionId": 0, "replayFrom": 0}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mcp_servers": {"web": {"url": "https://example.org/mcp"}}}, "no MCP servers over http"),
        ({"additional_directories": ["."]}, "no additional directories"),
    ],
)
def test_what_the_agent_does_not_take_is_said_before_anything_is_sent(
    make: Make, options: dict[str, Any], words: str
) -> None:
    keeper = make()
    keeper.how["capabilities"] = {} if keeper.version == 1 else {"session": {}}
    with keeper.agent(**options) as agent:
        with pytest.raises(NotOffered, match=words):
            agent.run("hi", timeout=20, show=False)
        assert keeper.asked("session/new") == []


# --- models -----------------------------------------------------------------------------------------------------------


def test_the_model_is_set_through_the_options(keeper: Keeper) -> None:
    with keeper.agent() as agent:
        agent.start().wait(20)
        agent.config["model"] = "large"
        assert agent.config["model"] == "large"
        assert keeper.asked("session/set_config_option")[0]["value"] == "large"


def test_an_older_agent_has_its_model_set_by_its_own_request(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path, 1, models=True)
    with keeper.agent() as agent:
        agent.start().wait(20)
        assert agent.config["model"] == "small"
        agent.config["model"] = "large"
        assert agent.config["model"] == "large"
        assert keeper.asked("session/set_model") == [{"sessionId": part(agent)["sessionId"], "modelId": "large"}]


def test_an_agent_that_dies_while_it_opens_a_session_is_told(make: Make) -> None:
    keeper = make(dies=["session/load", "session/resume"])
    with keeper.keeps("old", told=TOLD).agent() as agent:
        agent.run("one", timeout=20, show=False)
        shown = texts(agent)
        with pytest.raises(AgentExited):
            agent.load("old")
        until(lambda: agent.status == "failed")
        assert texts(agent) == shown
        assert agent.restart().run("two", timeout=20, show=False).text == "You said two"
