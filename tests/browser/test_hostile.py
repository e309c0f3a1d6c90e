"""What an agent says is text: no script, no handler, no link of its own making, no request, in view and transcript."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from .conftest import OpenNotebook
from .lab import WITHOUT_KERNEL, Lab, NotebookPage
from .session import expect_end, turn_view

START = """from acp_widget import Agent
agent = Agent("demo", permissions="reject")"""

# Attributes and elements that could act by themselves or when pressed.
ACTING = """root => {
    const elements = ["SCRIPT", "IFRAME", "OBJECT", "EMBED", "FORM", "BASE", "META"];
    const addresses = ["href", "src", "action", "formaction", "xlink:href", "srcdoc"];
    const safe = /^(https?:|#|mailto:|blob:|data:(image\\/(png|jpeg|gif|webp)|audio\\/[\\w-]+);)/i;
    return [...root.querySelectorAll("*")].flatMap(element => [
        ...elements.filter(name => name === element.tagName),
        ...[...element.attributes]
            .filter(({ name, value }) => name.startsWith("on") || (addresses.includes(name) && !safe.test(value)))
            .map(({ name, value }) => `${name}=${value}`),
    ]);
}"""


# Hover and click everything that says something.
TOUCH = """root => {
    for (const element of root.querySelectorAll("p, td, th, li, code, pre, span"))
        for (const type of ["mouseover", "mouseenter", "focus", "click"])
            element.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true }));
}"""


def open_all(view: Locator) -> None:
    """Open every fold, as a curious user would."""
    for summary in view.locator("summary, [aria-expanded=false]").all():
        if summary.is_visible():
            summary.click()


def expect_inert(notebook: NotebookPage, part: Locator) -> None:
    assert part.evaluate(ACTING) == []
    for link in part.get_by_role("link").all():
        assert (link.get_attribute("href") or "").startswith(("http://", "https://", "mailto:"))
    part.evaluate(TOUCH)
    assert notebook.page.evaluate("() => window.pwned") is None


def test_hostile_text_is_inert_in_view_and_transcript(open_notebook: OpenNotebook, lab: Lab) -> None:
    notebook = open_notebook([START, 'turn = agent.prompt("/odd")\nturn.wait().stop_reason'], height=2000)
    notebook.run(0)
    assert "_odd_reason" in notebook.run(1)
    view = turn_view(notebook, 1)
    expect_end(view, "_odd_reason")
    open_all(view)
    expect(view).to_contain_text("window.pwned = 1")
    expect_inert(notebook, view)
    notebook.save()
    notebook.assert_quiet()
    notebook.close()
    lab.end_kernels()

    again = open_notebook(name=notebook.name, harmless=WITHOUT_KERNEL)
    static = again.output(1).locator(".acp-transcript")
    expect(static).to_be_visible()
    for summary in static.locator("summary").all():
        summary.click()
    expect(static).to_contain_text("window.pwned = 1")
    expect_inert(again, static)
    expect(static.get_by_role("link")).to_have_count(0)
    expect(static.get_by_role("button")).to_have_count(0)
