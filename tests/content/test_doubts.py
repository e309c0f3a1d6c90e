"""A prompt that names a variable of the notebook and does not attach it says so; other braces are code."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

from acp_widget import Agent
from acp_widget.content.doubts import doubt


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance()
    made.user_ns.update(df=[1, 2], limit=3, _hidden=4)
    yield made
    made.history_manager.end_session()
    InteractiveShell.clear_instance()


@pytest.fixture
def agent() -> Iterator[Agent]:
    with Agent("demo", permissions="reject", env={"ACP_WIDGET_DEMO_PACE": "0"}) as made:
        yield made


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Why is {df} skewed?", r"^Nothing is attached for \{df\}, which stays as it is: pass df=df\.$"),
        ("Why is @df skewed?", r"^Nothing is attached for @df, which stays as it is: pass df=df\.$"),
        ("{df} or @limit: @df?", r"^Nothing is attached for \{df\}, @limit, which stay .*: pass df=df, limit=limit\.$"),
        ("Look at @df.", r"for @df,"),
    ],
)
def test_a_variable_that_is_named_and_not_attached_is_told_once(
    shell: InteractiveShell, agent: Agent, text: str, words: str
) -> None:
    with pytest.warns(UserWarning, match=words) as told:
        turn = agent.prompt(text)
    assert len(told) == 1
    assert told[0].filename == __file__
    assert turn.wait().prompt == text, "it goes out all the same"


@pytest.mark.parametrize(
    "text",
    [
        *("What is {x}?", 'Return {"df": 1}', "{{df}}", "{df.a} and {df!r}", "{_hidden} {In} {exit}", "me@df.org"),
        *("```python\nprint(f'{df}', x @df)\n```", "Why does `@df` fail?", "@df\ndef f(): pass", "@df.cache", "@dff"),
    ],
)
def test_what_names_nothing_in_the_notebook_is_code(shell: InteractiveShell, agent: Agent, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agent.run(text)


def test_what_is_attached_is_no_reason_to_warn(shell: InteractiveShell, agent: Agent) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agent.run("Why are {df} and @limit so?", df=[1], limit=3)
        agent.run("Why is {df} so?", attach={"df": [1]})


def test_an_object_without_a_name_is_not_what_the_braces_mean(agent: Agent) -> None:
    with pytest.warns(UserWarning, match=r"for \{df\}, .*: pass df=df, and not without a name\.$"):
        turn = agent.run("What about {df}?", [1, 2])
    assert [each.name for each in turn.attached] == ["part 1"]


def test_what_is_no_text_is_to_be_attached(shell: InteractiveShell, agent: Agent) -> None:
    with pytest.raises(TypeError, match=r'not list\. .*: agent\.prompt\("… \{df\} …", df=df\)'):
        agent.prompt(shell.user_ns["df"])
    with pytest.raises(TypeError, match=r"not dict\. .*it=…"):
        agent.prompt({})  # type: ignore[arg-type]


def test_a_script_has_no_notebook() -> None:
    assert doubt("Why is {df} skewed, @df?", {}, {}) == ""
