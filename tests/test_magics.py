"""`%acp` and `%%acp` in a shell of IPython's own, with the demo agent."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import acp_widget
from acp_widget import Turn

from .agents.scripted import until


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance()
    made.run_line_magic("load_ext", "acp_widget")
    yield made
    made.run_line_magic("unload_ext", "acp_widget")
    made.history_manager.end_session()
    InteractiveShell.clear_instance()


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


def said(shell: InteractiveShell, code: str) -> str:
    """All that a cell prints, shows and complains about."""
    with capture_output() as captured:
        result = shell.run_cell(code)
    value = "" if result.result is None else repr(result.result)
    return f"{captured.stdout}{captured.stderr}{value}"


def completed(shell: InteractiveShell, text: str) -> list[str]:
    with provisionalcompleter():
        return [each.text for each in shell.Completer.completions(text, len(text))]


def test_importing_the_package_registers_nothing() -> None:
    code = "import acp_widget, sys; sys.exit('IPython' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_cell_is_a_prompt_and_its_turn_gets_a_name(shell: InteractiveShell) -> None:
    said(shell, "%%acp --permissions allow --out turn\nThe test for mean() fails on an empty list. Fix it.")
    turn = shell.user_ns["turn"]
    assert isinstance(turn, Turn)
    assert (turn.stop_reason, turn.prompt) == ("end_turn", "The test for mean() fails on an empty list. Fix it.")


def test_the_next_cell_goes_to_the_same_agent(shell: InteractiveShell) -> None:
    said(shell, "%%acp --out one\nhello")
    said(shell, "%%acp --out two\nhello again")
    assert (shell.user_ns["one"].id, shell.user_ns["two"].id) == ("1", "2")
    assert "demo" in said(shell, "%acp status")


def test_braces_stay_unless_they_are_asked_for(shell: InteractiveShell) -> None:
    said(shell, "x = 5")
    said(shell, "%%acp --out a\nhello {x} $x {y}")
    said(shell, "%%acp --out b --expand\nhello {x}")
    assert shell.user_ns["a"].prompt == "hello {x} $x {y}"
    said(shell, "%%acp --out c --expand\nhello {x + 1} {{x}} $x")
    assert shell.user_ns["b"].prompt == "hello 5"
    assert shell.user_ns["c"].prompt == "hello 6 {x} $x"


def test_variables_go_with_the_prompt(shell: InteractiveShell) -> None:
    said(shell, "primes = [2, 3, 5]")
    said(shell, "%%acp --attach primes --out turn\nhello")
    assert "[2, 3, 5]" in str(shell.user_ns["turn"].raw["prompt"])


def test_a_variable_that_is_named_and_not_attached_is_told_in_a_line(shell: InteractiveShell) -> None:
    shell.user_ns.update(df=[1], limit=2)
    told = said(shell, "%%acp\nWhy are {df} and {limit} skewed?")
    line = "Nothing is attached for {df}, {limit}, which stay as they are: --attach df limit.\n"
    assert told.count("Nothing is attached") == 1
    assert line in told
    assert "run_cell_magic" not in told
    assert "Nothing" not in said(shell, "%%acp --attach df\nWhy is {df} not {x}?")


def test_what_is_attached_in_several_options_all_goes(shell: InteractiveShell) -> None:
    shell.user_ns.update(df=[1], s=[2], last=[3])
    said(shell, "%%acp --attach df --attach 's' last --out 'turn'\nLook.")
    assert [each.name for each in shell.user_ns["turn"].attached] == ["df", "s", "last"]


def test_a_cell_that_does_not_wait_returns_at_once(shell: InteractiveShell) -> None:
    said(shell, "%%acp --no-wait --out turn\n/slow")
    until(lambda: shell.user_ns["turn"].text)
    assert not shell.user_ns["turn"].done
    assert "running" in said(shell, "%acp status")
    said(shell, "%acp stop")
    assert shell.user_ns["turn"].wait(20).stop_reason == "cancelled"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("%%acp\n  ", "UsageError: The prompt is empty"),
        ("%%acp --attach prims\nhello", "there is no variable 'prims'. Did you mean 'primes'?"),
        ("%%acp --out 1x\nhello", "--out: '1x' is no name"),
        ("%%acp --out class\nhello", "--out: 'class' is no name"),
        ("%%acp --expand\nhello {nobody}", "--expand: NameError: name 'nobody' is not defined"),
        ("%%acp --cwd /no/such/folder\nhello", "/no/such/folder"),
        ("%%acp --agent gemin\nhello", "AgentNotFound: There is no command `gemin`"),
        ("%%acp --agent gemin\nhello", "Did you mean 'gemini'?"),
        ("%%acp --agent \"sh -c 'echo sorry >&2; exit 3'\"\nhello", "AgentExited: The agent ended: exit code 3."),
        ("%%acp --nonsense\nhello", "unrecognized arguments: --nonsense. There are: --agent, --attach,"),
        ("%%acp --atach primes\nhello", "unrecognized arguments: --atach primes. Did you mean '--attach'?"),
        ("%%acp hello you\nhello", "unrecognized arguments: hello you. The prompt goes on the lines below %%acp."),
        ("%%acp --agent my agent\nhello", 'What has blanks stands in quotes: --agent "my-agent --acp".'),
        ('%%acp --agent "my agent\nhello', "No closing quotation. What has blanks stands in quotes"),
        ("%%acp --agent\nhello", "expected one argument"),
        ("%%acp --attach primes[0]\nhello", "It takes names of variables, parted by blanks"),
        ("%%acp --attach primes Why is it so?\nhello", "'Why'. The prompt goes on the lines below %%acp."),
        ("%acp Fix the test.", "%acp has no 'Fix'. A prompt is a cell: write %%acp on its first line, and the prompt"),
        ("%acp Fix the test.", "below it:\n%%acp\nFix the test."),
        ("%acp hello", "restart, close. A prompt is a cell: write %%acp on its first line, and the prompt below it."),
        (
            "%%acp Fix the test.",
            "Error: A prompt is a cell: write %%acp on its first line, and the prompt below it:\n%%acp\nFix",
        ),
        ("%%acp Fix the test.\n", "below it:\n%%acp\nFix the test."),
        ("%%acp", "UsageError: The prompt is empty: write it below the line with %%acp."),
        ("%%acp --agent demo", "UsageError: The prompt is empty: write it below the line with %%acp."),
        ("%acp stop it", "%acp stop stands alone: it takes no 'it'."),
        ("%acp use demmo", "There is no command `demmo`.\nDid you mean 'demo'?"),
        ("%acp use demo extra", "'demo' is the name of an agent: it stands alone"),
        (
            "%acp use no-such-agent --acp",
            "There is no command `no-such-agent`.\nInstall it, or give its absolute path.",
        ),
        ("%%acp --cwd /no/such/folder\nhello", "--cwd: '/no/such/folder' is no folder."),
        ("%%acp --permissions maybe\nhello", "'maybe' is neither ask, allow, reject"),
        ("%acp statsu", "has no 'statsu'. Did you mean 'status'"),
        ("%acp stop", "There is no agent yet"),
        ("%acp load x", "There is no agent yet"),
        ("%acp policy allow", "There is no agent yet"),
        ("%acp use", "which agent?"),
        ("%acp restart", "There is no agent yet"),
        ("%acp sessions", "There is no agent yet"),
        ("%acp mode", "There is no agent yet"),
        ("%acp close", "There is no agent yet"),
        ("%%acp --agent 'demo\nhi", "No closing quotation. What has blanks stands in quotes"),
        ("%acp use demo 'x", "cannot be read: No closing quotation"),
        ("%acp close nobody", "There is no agent 'nobody'"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(shell: InteractiveShell, code: str, words: str) -> None:
    said(shell, "primes = [2, 3]")
    told = said(shell, code)
    assert words in told
    assert "Traceback" not in told


def test_a_terminal_still_waits_for_the_lines_of_a_prompt(shell: InteractiveShell) -> None:
    assert shell.check_complete("%%acp Fix it")[0] == "incomplete"
    assert shell.check_complete("%%acp\nFix it")[0] == "incomplete"
    assert shell.check_complete("%%acp\nFix it\n\n")[0] == "complete"


def test_modes_are_listed_and_set(shell: InteractiveShell) -> None:
    said(shell, "%acp use demo")
    assert "accept-edits" in said(shell, "%acp mode")
    assert said(shell, "%acp mode accept-edits") == "mode: accept-edits\n"
    assert "*" in next(line for line in said(shell, "%acp mode").splitlines() if "accept-edits" in line)
    assert "Did you mean 'accept-edits'?" in said(shell, "%acp mode accept-edit")


def test_a_policy_is_a_word_or_an_expression(shell: InteractiveShell) -> None:
    said(shell, "%acp use demo")
    for text in ("allow", 'Policy(allow=[Edit("*.py")], otherwise="reject")', "lambda request: False"):
        assert said(shell, f"%acp policy {text}").startswith("permissions: ")
    assert said(shell, "%acp policy reject") == said(shell, "%acp policy") == "permissions: reject\n"
    for wrong in ("5", "nobody", "aks"):
        assert f"%acp policy: {wrong!r} is neither ask, allow, reject" in said(shell, f"%acp policy {wrong}")
    said(shell, "%%acp --out turn\nThe test for mean() fails on an empty list. Fix it.")
    assert {(each.by, each.allowed) for each in shell.user_ns["turn"].permissions} == {("policy", False)}


@pytest.mark.parametrize("quoted", ['\'Policy(otherwise="reject", allow=[Read("**")])\'', '"lambda request: False"'])
def test_the_policy_of_a_cell_is_an_expression_in_quotes_and_stays(shell: InteractiveShell, quoted: str) -> None:
    said(shell, f"%%acp --permissions {quoted} --out one\nThe test for mean() fails on an empty list. Fix it.")
    said(shell, "%%acp --out two\nThe test for mean() fails on an empty list. Fix it.")
    for name in ("one", "two"):
        assert {(each.by, each.allowed) for each in shell.user_ns[name].permissions} == {("policy", False)}


def test_a_function_in_a_policy_sees_later_values_of_variables(shell: InteractiveShell) -> None:
    said(shell, "strict = False")
    said(shell, "%acp use demo")
    said(shell, "%acp policy lambda request: not strict")
    said(shell, "strict = True")
    said(shell, "%%acp --out turn\nThe test for mean() fails on an empty list. Fix it.")
    assert {each.allowed for each in shell.user_ns["turn"].permissions} == {False}


def test_one_agent_a_name_and_the_last_used_is_the_next(shell: InteractiveShell) -> None:
    said(shell, "%%acp --out one\nhello")
    said(shell, f'%%acp --agent "{sys.executable} -m acp_widget.demo" --out two\nhello')
    said(shell, "%%acp --out three\nhello")
    said(shell, "%%acp --agent demo --out four\nhello")
    assert [shell.user_ns[name].id for name in ("one", "two", "three", "four")] == ["1", "1", "2", "2"]


@pytest.mark.parametrize("code", ["%%acp --agent gemin\nhello", "%acp use gemin", "%%acp --agent gemin --cwd .\nhello"])
def test_a_mistyped_agent_is_told_and_the_choice_stays_what_it_was(shell: InteractiveShell, code: str) -> None:
    assert "There is no command `gemin`" in said(shell, code)
    assert "No agent yet" in said(shell, "%acp status")
    said(shell, "%acp use demo")
    assert "There is no command `gemin`" in said(shell, code)
    said(shell, "%%acp --out turn\nhello")
    assert shell.user_ns["turn"].stop_reason == "end_turn"
    assert "gemin" not in said(shell, "%acp status")


def test_the_folder_of_an_agent_can_be_said_until_it_works_and_again(shell: InteractiveShell, tmp_path: Path) -> None:
    said(shell, "%acp use demo")
    said(shell, "%acp policy reject")
    for _ in range(2):  # the cell is run again
        assert "Error" not in said(shell, f"%%acp --cwd {tmp_path}\nhello")
    status = said(shell, "%acp status")
    assert str(tmp_path) in status
    assert "reject" in status
    assert f"'demo' works already, in {tmp_path}. To end it first: %acp close demo" in said(shell, "%%acp --cwd ..\nhi")


def test_a_recording_begins_with_an_agent_and_goes_on(shell: InteractiveShell, tmp_path: Path) -> None:
    file = tmp_path / "it.jsonl"
    said(shell, "%acp use demo")
    said(shell, "%acp policy reject")
    for _ in range(2):  # the cell is run again
        assert "Error" not in said(shell, f"%%acp --record {file}\nhello")
    assert file.read_text().count('"session/prompt"') == 2
    assert "reject" in said(shell, "%acp status")
    other = f"%%acp --record {tmp_path / 'other.jsonl'}\nhello"
    assert f"'demo' works already, recorded into {file}; a recording begins with its agent." in said(shell, other)
    said(shell, "%acp close")
    assert "the file is there already" in said(shell, f"%%acp --record {file}\nhello")
    assert "Error" not in said(shell, other)


def test_stop_and_restart_say_what_they_did(shell: InteractiveShell) -> None:
    said(shell, "%acp use demo")
    assert said(shell, "%acp stop") == "There is nothing to stop: demo is new.\n"
    said(shell, "%%acp --no-wait --out turn\n/slow")
    until(lambda: shell.user_ns["turn"].text)
    assert said(shell, "%acp stop") == "demo stops.\n"
    assert shell.user_ns["turn"].wait(20).stop_reason == "cancelled"
    assert said(shell, "%acp restart").startswith("demo starts again.")


def test_advice_names_the_magics(shell: InteractiveShell) -> None:
    said(shell, "%acp use demo")
    told = said(shell, "%acp load nonsense")
    assert "%acp restart begins a new session." in told
    assert "agent." not in told


def test_a_mode_can_be_set_while_the_agent_starts_and_works(shell: InteractiveShell) -> None:
    said(shell, "%%acp --no-wait --out turn\n/slow")
    assert "Error" not in said(shell, "%acp mode accept-edits")
    assert not shell.user_ns["turn"].done
    assert "accept-edits" in said(shell, "%acp status")
    until(lambda: shell.user_ns["turn"].text)  # a prompt that was not sent yet would never be
    said(shell, "%acp stop")
    shell.user_ns["turn"].wait(20)


def test_an_interrupt_is_one_line_and_still_an_error(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    said(shell, "%acp use demo")
    monkeypatch.setattr(acp_widget.Agent, "sessions", interrupted)
    result = None
    with capture_output() as captured:
        result = shell.run_cell("%acp sessions")
    assert isinstance(result.error_in_exec, KeyboardInterrupt)
    assert captured.stdout == "KeyboardInterrupt: %acp sessions was given up.\n"


def test_sessions_are_listed_and_loaded(shell: InteractiveShell) -> None:
    said(shell, "%%acp --out turn\nhello")
    table: Any = shell.run_line_magic("acp", "sessions")
    session_id = table.rows[0][0]
    assert session_id in completed(shell, "%acp load ")
    assert "Error" not in said(shell, f"%acp load {session_id}")
    assert "no longer knows the session" in said(shell, "%acp load nonsense")


def test_help_tells_all(shell: InteractiveShell) -> None:
    assert "--attach" in said(shell, "%%acp?") or "--attach" in str(shell.object_inspect_text("%%acp"))
    assert "%acp sessions" in shell.object_inspect_text("%acp")
    assert "status | use" in said(shell, "%acp")


def test_tab_offers_what_may_stand_there_and_starts_nothing(shell: InteractiveShell) -> None:
    said(shell, "primes = [2]")
    before = children()
    assert {"agents", "status", "sessions"} <= set(completed(shell, "%acp "))
    assert completed(shell, "%acp st") == ["status", "stop"]
    assert {"demo", "claude"} <= set(completed(shell, "%acp use "))
    assert "primes" in completed(shell, "%%acp --attach pri")
    assert "--no-wait" in completed(shell, "%%acp --no")
    assert "demo" in completed(shell, "%%acp --agent=de")
    assert {"demo", "claude"} <= set(completed(shell, "%%acp --out turn --agent="))
    assert "allow" in completed(shell, "%%acp --permissions=al")
    assert "primes" in completed(shell, "%%acp --attach=x pri")
    assert "accept-edits" not in completed(shell, "%acp mode acc")
    assert children() == before
    said(shell, "%acp use demo")
    said(shell, "%acp mode")
    assert "accept-edits" in completed(shell, "%acp mode acc")


def test_closing_and_unloading_end_the_agents(shell: InteractiveShell) -> None:
    before = children()
    said(shell, "%acp use demo")
    said(shell, "%%acp\nhello")
    assert children() != before
    assert "demo was ended" in said(shell, "%acp close")
    assert children() == before
    said(shell, "%%acp\nhello")
    said(shell, "%unload_ext acp_widget")
    assert children() == before
    assert "not found" in said(shell, "%acp status")
    assert "body is empty" in said(shell, "%%time"), "other magics are as they were"
    assert "not found" in said(shell, "%%acp hello")
    said(shell, "%load_ext acp_widget")
    assert "No agent yet" in said(shell, "%acp status")


def test_closing_the_current_agent_sends_no_prompt_to_another_one(shell: InteractiveShell) -> None:
    said(shell, f"%acp use {sys.executable} -c 0")
    said(shell, "%acp use demo")
    closed = said(shell, "%acp close")
    other = f"{sys.executable} -c 0"
    choose = f"No agent is the current one: %acp use NAME chooses. There are: {other!r}."
    assert closed == f"demo was ended. {choose}\n"
    for code in ("%%acp --out turn\nhello", "%%acp --cwd .\nhello", "%acp mode", "%acp close", "%acp status"):
        assert choose in said(shell, code)
    assert "turn" not in shell.user_ns
    said(shell, "%%acp --agent demo --out turn\nhello")
    assert shell.user_ns["turn"].stop_reason == "end_turn"
    assert said(shell, f"%acp close {other}") == f"{other} was ended.\n"
    assert "The next prompt starts the demo agent" in said(shell, "%acp close")


def test_every_prompt_that_nobody_answered_warns_as_the_users_filters_say(shell: InteractiveShell) -> None:
    prompt = "%%acp\nThe test for mean() fails on an empty list. Fix it."
    told = [said(shell, prompt) for _ in range(3)]
    assert [each.count("NobodyWatching: The agent asked 'Edit stats.py?'") for each in told] == [1, 1, 1]
    said(shell, "import warnings, acp_widget\nwarnings.simplefilter('ignore', acp_widget.NobodyWatching)")
    assert "NobodyWatching" not in said(shell, prompt)
    said(shell, "warnings.simplefilter('error', acp_widget.NobodyWatching)")
    with capture_output() as captured:
        result = shell.run_cell(prompt)
    assert type(result.error_in_exec) is acp_widget.NobodyWatching
    [line] = (captured.stdout + captured.stderr).splitlines()
    assert line.startswith("NobodyWatching: The agent asked 'Edit stats.py?' and nobody could answer")
    assert "--permissions allow" in line


def test_known_agents_are_a_table_that_is_only_text(shell: InteractiveShell) -> None:
    table: Any = shell.run_line_magic("acp", "agents")
    assert "codex" in repr(table)
    assert table._repr_html_().startswith('<div class="mathjax_ignore tex2jax_ignore"><table>')
    assert "<b>" not in type(table)(("<b>",), [("<b>",)], "<b>")._repr_html_()
    hostile = type(table)(("TITLE",), [("\x1b[2J" + "x" * 10_000,)] * 1_000)
    assert "\x1b" not in repr(hostile)
    assert "… and 800 more" in repr(hostile)
    assert len(repr(hostile)) < 100_000


def test_the_functions_that_ipython_calls_are_there() -> None:
    assert callable(acp_widget.load_ipython_extension)
    assert callable(acp_widget.unload_ipython_extension)
