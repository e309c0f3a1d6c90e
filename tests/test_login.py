"""What a user sees and does when an agent wants a login, in both versions of ACP. The agent is a fake."""

from __future__ import annotations

import ast
import json
import shlex
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent, AgentExited, AuthRequired, NotOffered, RequestError

from .agents.scripted import scripted, until
from .keeping import Keeper, part

SECRET = "hush-hush-4711"
Make = Callable[..., Keeper]


@pytest.fixture(params=[1, 2], ids=["v1", "v2"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    return lambda **how: Keeper(tmp_path, request.param, **how)


@pytest.fixture
def keeper(make: Make) -> Keeper:
    return make()


def refused(agent: Agent, text: str = "hi") -> AuthRequired:
    with pytest.raises(AuthRequired) as caught:
        agent.run(text, timeout=20, show=False)
    return caught.value


def everything(agent: Agent) -> str:
    """Whatever a notebook, a page or a user could get to see."""
    widget = agent.widget
    traits = {name: getattr(widget, name) for name in widget.trait_names() if not name.startswith("_")}
    return " ".join(
        [
            json.dumps(agent._driver.state.snapshot(), default=str),
            repr(agent),
            str(agent.error),
            repr(traits),
            repr(agent.diagnostics),
            json.dumps(widget.get_state(), default=str),
        ]
    )


def test_a_known_agent_comes_with_how_people_log_in_to_it(make: Make, tmp_path: Path) -> None:
    keeper = make()
    with keeper.wants("new", keeper.method("web")).agent() as there:
        program, *arguments = there._driver._launch.command
    known = tmp_path / "codex-acp"
    known.write_text(f"#!/bin/sh\nexec {shlex.join([program, *arguments])}\n")
    known.chmod(0o755)
    with Agent("codex", cwd=keeper.cwd, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}) as agent:
        with pytest.raises(AuthRequired) as caught:
            agent.run("hi", timeout=20, show=False)
        advice = "For Codex: run `codex login` in a terminal, or agent.login('api-key', env={'OPENAI_API_KEY': …})."
        assert caught.value.hint.startswith(f"{advice} With web: `agent.login('web')`.")
        assert part(agent)["login"]["hint"] == advice


# --- methods that the agent runs itself -------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["new", "prompt"])
def test_a_prompt_that_waits_for_a_login_is_sent_again_once(keeper: Keeper, where: str) -> None:
    with keeper.wants(where, keeper.method("web"), keeper.method("key")).agent() as agent:
        turn = agent.prompt("hello", show=False)
        with pytest.raises(AuthRequired, match="log in first: Authentication required") as caught:
            turn.wait(20)
        assert "With web: `agent.login('web')`." in caught.value.hint
        assert "The prompt waits, and is sent after that." in caught.value.hint
        assert (agent.status, turn.status, agent.error) == ("login", "queued", agent.error)
        assert isinstance(agent.error, AuthRequired)
        agent.login("web")
        assert turn.wait(20).text == "You said hello"
        assert agent.status == "idle"
        assert agent.error is None
        assert part(agent)["login"] is None
        assert [each["prompt"][0]["text"] for each in keeper.asked("session/prompt")] == ["hello"] * (
            1 if where == "new" else 2
        )
        assert keeper.asked(keeper.login) == [{"methodId": "web"}]
        assert len(agent.turns) == 1
        assert [message.text for message in turn.messages if message.role == "user"] in ([], ["hello"])


def test_prompts_that_came_meanwhile_follow_in_their_order(keeper: Keeper) -> None:
    with keeper.wants("prompt", keeper.method("web")).agent() as agent:
        first, second = agent.prompt("one", show=False), agent.prompt("two", show=False)
        with pytest.raises(AuthRequired):
            first.wait(20)
        agent.login()
        assert (first.wait(20).text, second.wait(20).text) == ("You said one", "You said two")
        assert [each["prompt"][0]["text"] for each in keeper.asked("session/prompt")] == ["one", "one", "two"]


def test_a_login_before_any_prompt_starts_the_agent(keeper: Keeper) -> None:
    with keeper.wants("new", keeper.method("web")).agent() as agent:
        agent.login("web")
        assert agent.status == "idle"
        assert agent.run("hi", timeout=20, show=False).text == "You said hi"
        assert len(keeper.asked("initialize")) == 1


def test_a_login_that_fails_says_why_and_keeps_the_methods(keeper: Keeper) -> None:
    with keeper.wants("new", keeper.method("broken"), keeper.method("web")).agent() as agent:
        turn = agent.prompt("hi", show=False)
        with pytest.raises(RequestError, match="The browser did not open"):
            agent.login("broken")
        shown = part(agent)
        assert "The browser did not open" in shown["login"]["error"]
        assert shown["login"]["methodId"] is None
        assert [method["methodId"] for method in shown["authMethods"]] == ["broken", "web"]
        agent.login("web")
        assert turn.wait(20).text == "You said hi"


def test_a_stop_takes_the_waiting_prompt_back(keeper: Keeper) -> None:
    with keeper.wants("prompt", keeper.method("web")).agent() as agent:
        turn = agent.prompt("hi", show=False)
        with pytest.raises(AuthRequired):
            turn.wait(20)
        agent.cancel()
        with pytest.warns(UserWarning, match="never sent"):
            assert turn.wait(20).status == "not_sent"
        agent.login("web")
        assert agent.run("again", timeout=20, show=False).text == "You said again"
        assert [each["prompt"][0]["text"] for each in keeper.asked("session/prompt")] == ["hi", "again"]


def test_without_any_method_the_agents_words_are_the_error(keeper: Keeper) -> None:
    with keeper.wants("new").agent() as agent:
        assert "Authentication required" in refused(agent).message
        assert agent.status == "failed"
        with pytest.raises((AuthRequired, NotOffered)):
            agent.login()


@pytest.mark.parametrize("method", ["nope", None])
def test_a_login_that_is_not_offered_names_those_that_are(keeper: Keeper, method: str | None) -> None:
    with keeper.wants("new", keeper.method("web"), keeper.method("key")).agent() as agent:
        with pytest.raises(NotOffered) as caught:
            agent.login(method)
        assert "agent.login('web')" in caught.value.hint
        assert "agent.login('key')" in caught.value.hint
        assert keeper.asked(keeper.login) == []


def test_an_agent_that_dies_while_it_waits_for_a_login_is_told(tmp_path: Path) -> None:
    body = """
answer(read(), {"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "capabilities": {"session": {}},
    "authMethods": [{"methodId": "web", "type": "agent", "name": "Web"}]})
send({"jsonrpc": "2.0", "id": read()["id"], "error": {"code": -32000, "message": "Log in"}})
read()
sys.exit(3)
"""
    with Agent(scripted(tmp_path, body), cwd=tmp_path) as agent:
        turn = agent.prompt("hi", show=False)
        with pytest.raises(AgentExited):
            agent.login("web")
        with pytest.raises(AgentExited):
            turn.wait(20)
        assert agent.status == "failed"
        assert part(agent)["login"] is None
        assert agent._driver.login.open is None


def test_a_restart_while_it_waits_begins_anew(keeper: Keeper) -> None:
    with keeper.wants("new", keeper.method("web")).agent() as agent:
        refused(agent)
        agent.restart()
        until(lambda: agent.status == "login")
        agent.login("web")
        assert agent.run("hi", timeout=20, show=False).text == "You said hi"


def test_after_a_logout_the_next_prompt_wants_a_login(make: Make) -> None:
    keeper = make()
    if keeper.version == 1:
        keeper.how["capabilities"] = {"auth": {"logout": {}}}
    with keeper.wants("prompt", keeper.method("web")).agent() as agent:
        agent.login("web")
        assert agent.run("one", timeout=20, show=False).text == "You said one"
        agent.logout()
        turn = agent.prompt("two", show=False)
        with pytest.raises(AuthRequired):
            turn.wait(20)
        agent.login("web")
        assert turn.wait(20).text == "You said two"


def test_a_logout_that_is_not_offered_says_so(make: Make) -> None:
    with make().agent() as agent:
        agent.start().wait(20)
        with pytest.raises(NotOffered, match="log out"):
            agent.logout()


# --- variables --------------------------------------------------------------------------------------------------------


def variables(keeper: Keeper) -> dict[str, Any]:
    return keeper.method("key", "env_var", vars=[{"name": "KEEPER_KEY", "secret": True}])


@pytest.mark.parametrize("name_it", [False, True], ids=["enough", "named too"])
@pytest.mark.parametrize("where", ["new", "prompt"])
def test_a_key_in_a_variable_starts_the_agent_again_and_is_found_nowhere(make: Make, where: str, name_it: bool) -> None:
    keeper = make(key="KEEPER_KEY", secret=SECRET, name_it=name_it)
    if name_it and where == "prompt":
        where = "new"
    with keeper.wants(where, variables(keeper)).agent() as agent:
        turn = agent.prompt("hi", show=False)
        with pytest.raises(AuthRequired) as caught:
            turn.wait(20)
        assert 'agent.login(\'key\', env={"KEEPER_KEY": "…"})' in caught.value.hint
        agent.login("key", env={"KEEPER_KEY": SECRET})
        assert turn.wait(20).text == "You said hi"
        assert len({entry["pid"] for entry in keeper.log}) == 2
        assert SECRET not in everything(agent)
        assert len(agent.turns) == 1


@pytest.mark.parametrize("name_it", [False, True], ids=["enough", "named too"])
def test_a_key_may_come_with_a_method_that_the_agent_runs_itself(make: Make, name_it: bool) -> None:
    keeper = make(key="KEEPER_KEY", secret=SECRET, name_it=name_it)
    with keeper.wants("new", keeper.method("api-key")).agent() as agent:
        turn = agent.prompt("hi", show=False)
        agent.login("api-key", env={"KEEPER_KEY": SECRET})
        assert turn.wait(20).text == "You said hi"
        assert len(keeper.asked(keeper.login)) == int(name_it)


def test_a_setting_of_an_agent_that_waits_for_a_login_says_so(keeper: Keeper) -> None:
    with keeper.wants("new", keeper.method("web")).agent() as agent:
        agent.start().wait()
        with pytest.raises(AuthRequired, match="log in first"):
            agent.config["model"] = "large"


def test_a_wrong_key_is_refused_without_being_shown_and_another_one_may_follow(make: Make) -> None:
    keeper = make(key="KEEPER_KEY", secret=SECRET, name_it=True)
    with keeper.wants("new", variables(keeper)).agent() as agent:
        turn = agent.prompt("hi", show=False)
        with pytest.raises(AuthRequired) as caught:
            agent.login("key", env={"KEEPER_KEY": "wrong-wrong-wrong"})
        assert "The key [KEEPER_KEY] is wrong" in str(caught.value)
        assert "wrong-wrong-wrong" not in str(caught.value) + everything(agent)
        assert agent.status == "login"
        agent.login("key", env={"KEEPER_KEY": SECRET})
        assert turn.wait(20).text == "You said hi"


@pytest.mark.parametrize("env", [None, {}, {"OTHER": "x"}])
def test_a_method_of_variables_says_which_it_wants(keeper: Keeper, env: dict[str, str] | None) -> None:
    with keeper.wants("new", variables(keeper)).agent() as agent:
        with pytest.raises(NotOffered) as caught:
            agent.login("key", env=env)
        assert "KEEPER_KEY" in caught.value.hint
        assert len(keeper.asked("initialize")) == 1


def test_the_line_to_copy_holds_no_code_of_the_agents(keeper: Keeper) -> None:
    names = ['A": "x"}); print("gotcha', "B\n", "C\\"]
    method = keeper.method("k'); print('gotcha", "env_var", vars=[{"name": name} for name in names])
    with keeper.wants("new", method).agent() as agent:
        refused(agent)
        (call,) = [
            node for node in ast.walk(ast.parse(part(agent)["authMethods"][0]["python"])) if isinstance(node, ast.Call)
        ]
        assert ast.literal_eval(call.args[0]) == "k'); print('gotcha"
        given = ast.literal_eval(call.keywords[0].value)
        assert (len(given), set(given.values())) == (3, {"…"})


def test_a_value_that_is_no_text_is_refused_by_name(keeper: Keeper) -> None:
    with keeper.agent() as agent, pytest.raises(TypeError, match="KEEPER_KEY") as caught:
        agent.login("key", env={"KEEPER_KEY": 4711})  # type: ignore[dict-item]
    assert "4711" not in str(caught.value)


# --- terminals, and what nobody knows ---------------------------------------------------------------------------------


def test_a_login_in_a_terminal_shows_the_exact_command_and_tries_again_afterwards(keeper: Keeper) -> None:
    method = keeper.method("tty", "terminal", args=["--login", "a b"], env={"KEEPER_MODE": SECRET})
    with keeper.wants("new", method).agent() as agent:
        turn = agent.prompt("hi", show=False)
        with pytest.raises(AuthRequired) as caught:
            turn.wait(20)
        command = shlex.join([*part(agent)["command"], "--login", "a b"])
        assert part(agent)["authMethods"][0]["command"] == command
        assert f"run `{command}` in a terminal with KEEPER_MODE set, then `agent.login('tty')`" in caught.value.hint
        assert SECRET not in everything(agent)
        with pytest.raises(AuthRequired):  # not yet
            agent.login("tty")
        assert (agent.status, turn.status) == ("login", "queued")
        assert part(agent)["login"]["error"] == "You are not logged in yet."
        (keeper.folder / "login").touch()
        agent.login("tty")
        assert turn.wait(20).text == "You said hi"
        assert keeper.asked(keeper.login) == []


def test_a_login_of_an_unknown_type_is_listed_and_refused(keeper: Keeper) -> None:
    with keeper.wants("new", keeper.method("odd", "telepathy"), keeper.method("web")).agent() as agent:
        with pytest.raises(NotOffered, match="of a type that this version does not know"):
            agent.login("odd")
        assert [method["type"] for method in part(agent)["authMethods"]] == ["telepathy", "agent"]
        agent.login("web")
        assert agent.run("hi", timeout=20, show=False).text == "You said hi"


# --- while a cell of a notebook waits ---------------------------------------------------------------------------------


class Somebody:
    """As a notebook has it: a page could show the login, and does or not."""

    def __init__(self, *, seen: bool) -> None:
        self.is_seen = seen

    def possible(self) -> bool:
        return True

    def seen(self) -> bool:
        return self.is_seen

    def readable_seconds(self) -> float:
        return time.monotonic()

    def patience(self, nobody_after: float | None) -> float:
        return 10.0 if nobody_after is None else nobody_after


def in_a_notebook(agent: Agent, *, seen: bool) -> Agent:
    agent._driver.login._audience = Somebody(seen=seen)  # type: ignore[assignment]
    return agent


def click(agent: Agent, method_id: str) -> list[dict[str, Any]]:
    """Press the button; the results come into the list."""
    sent: list[dict[str, Any]] = []
    widget = agent.widget
    widget.send = lambda content, buffers=None: sent.append(content) if content["type"] == "result" else None
    widget._on_message(widget, {"type": "login", "id": "action-1", "methodId": method_id}, [])
    return sent


@pytest.mark.parametrize("kind", ["agent", "terminal"])
def test_a_waiting_cell_goes_on_after_a_press_of_the_button(keeper: Keeper, kind: str) -> None:
    with in_a_notebook(keeper.wants("prompt", keeper.method("m", kind)).agent(), seen=True) as agent:
        turn = agent.prompt("hi", show=False)
        waits = threading.Thread(target=lambda: turn.wait(20))
        waits.start()
        until(lambda: agent.status == "login")
        assert waits.is_alive()
        if kind == "terminal":
            (keeper.folder / "login").touch()
        results = click(agent, "m")
        waits.join(20)
        assert turn.text == "You said hi"
        until(lambda: results)
        assert results == [{"type": "result", "id": "action-1", "ok": True, "error": None}]


def test_a_press_that_does_not_work_says_why(keeper: Keeper) -> None:
    with in_a_notebook(keeper.wants("new", keeper.method("broken")).agent(), seen=True) as agent:
        agent.start()
        until(lambda: agent.status == "login")
        results = click(agent, "broken")
        until(lambda: results)
        assert "The browser did not open" in results[0]["error"]
        assert "The browser did not open" in part(agent)["login"]["error"]


def test_a_cell_does_not_wait_for_a_button_that_there_is_not(keeper: Keeper) -> None:
    with in_a_notebook(keeper.wants("new", variables(keeper)).agent(nobody_after=600), seen=True) as agent:
        assert "KEEPER_KEY" in refused(agent).hint


def test_a_cell_does_not_wait_for_a_button_that_nobody_sees(keeper: Keeper) -> None:
    with in_a_notebook(keeper.wants("new", keeper.method("web")).agent(nobody_after=0.1), seen=False) as agent:
        assert "agent.login('web')" in refused(agent).hint


@pytest.mark.parametrize("before", [False, True], ids=["meanwhile", "before"])
def test_a_cell_does_not_wait_where_no_press_arrives(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    monkeypatch.setattr("acp_widget.widget.waiting.clicks_arrive", lambda **_: False)
    with in_a_notebook(keeper.wants("new", keeper.method("web")).agent(nobody_after=600), seen=True) as agent:
        turn = agent.prompt("hi", show=False)
        if before:
            until(lambda: agent.status == "login")
        with pytest.raises(AuthRequired):
            turn.wait(20)
        agent.login("web")
        assert turn.wait(20).text == "You said hi"
