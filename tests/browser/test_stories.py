"""Every view in every state: drawn without complaint, at all widths, in both themes, for everyone. Leaves pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from scripts.stories import Story, served, stories

from .pages import PICTURES, StoryPage, write_page

STORIES = stories()
GROUPS = sorted({story.group for story in STORIES})
THEMES = ("light", "dark")
WIDTHS = (360, 700, 1200)


def of(group: str) -> list[Story]:
    return [story for story in STORIES if story.group == group]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(write_page(tmp_path_factory.mktemp("stories"))) as where:
        yield where


Shown = tuple[str, str, StoryPage]


@pytest.fixture(scope="module", params=[(group, theme) for group in GROUPS for theme in THEMES], ids="-".join)
def shown(request: pytest.FixtureRequest, context: BrowserContext, address: str) -> Iterator[Shown]:
    """The page with one group of stories, in one theme."""
    group, theme = request.param
    opened = StoryPage(context, address).open(f"group={group}", theme)
    yield group, theme, opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext, address: str) -> Iterator[StoryPage]:
    opened = StoryPage(context, address)
    yield opened
    opened.close()


def test_names_of_stories_are_unique() -> None:
    names = [story.name for story in STORIES]
    assert len(set(names)) == len(names)


def test_every_story_shows_what_it_is_about(shown: Shown) -> None:
    group, theme, page = shown
    page.resize(1000)
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.page.screenshot(path=PICTURES / f"{group}-{theme}.png", full_page=True, animations="disabled")
    page.assert_quiet()
    texts = page.texts()
    assert list(texts) == [story.name for story in of(group)]
    missing = [
        f"{story.name}: {text}"
        for story in of(group)
        for text in story.case.get("shows", [])
        if text not in texts[story.name]
    ]
    assert missing == []
    assert [name for name, text in texts.items() if len(text.strip()) < 10] == []


def test_nothing_stands_out_at_any_width(shown: Shown) -> None:
    group, theme, page = shown
    if theme == "light":  # a theme has no sizes
        found = {}
        for width in WIDTHS:
            page.resize(width)
            found[width] = page.overflows()
            if width == min(WIDTHS):
                file = PICTURES / f"{group}-{width}.png"
                page.page.screenshot(path=file, full_page=True, animations="disabled")
        assert found == {width: [] for width in WIDTHS}


def test_nothing_is_a_serious_barrier(shown: Shown) -> None:
    _, theme, page = shown
    found = {}
    for width in (1200, 360) if theme == "light" else (1200,):  # a theme has no sizes
        page.resize(width)
        found[width] = page.barriers()
    assert found == {width: [] for width in found}


RUNNING = "() => document.getAnimations().filter(each => each.playState === 'running').length"


def test_nothing_moves_for_those_who_asked_for_less_motion(page: StoryPage) -> None:
    page.open("group=sessions")
    assert page.page.evaluate(RUNNING) > 0
    page.page.emulate_media(reduced_motion="reduce")
    for group in GROUPS:
        page.open(f"group={group}")
        assert page.page.evaluate(RUNNING) == 0, group


# What a keyboard must reach: everything that can be pressed or filled in and is on the page.
REACHABLE = """() => {
    document.querySelector("main").after(Object.assign(document.createElement("button"), { id: "after" }));
    const all = "button, a[href], input, textarea, select, summary, [role=button], [role=tab], [role=switch]";
    const controls = [...document.querySelectorAll("#stories .here")].flatMap(here => [...here.querySelectorAll(all)])
        .filter(each => !each.disabled && each.getAttribute("aria-disabled") !== "true" && each.checkVisibility())
        .filter(each => !each.closest("[aria-hidden=true]")); // a chevron beside its button is for the mouse
    controls.forEach((each, number) => { each.dataset.number = number; });
    document.querySelector("#stories h3 a").focus();
    return controls.map(each => `${each.tagName} ${each.getAttribute("aria-label") ?? each.textContent}`.slice(0, 60));
}"""
FOCUSED = """() => {
    const now = document.activeElement;
    return now?.id === "after" || now === document.body ? "out" : now?.dataset.number ?? "other";
}"""


@pytest.mark.parametrize("name", ["call_content_order", "session_waiting", "ask_several", "config_options", "queued"])
def test_tab_reaches_every_control_in_order_and_leaves(page: StoryPage, name: str) -> None:
    page.open(f"only={name}")
    controls = page.page.evaluate(REACHABLE)
    assert len(controls) >= 3
    reached: list[int] = []
    for _ in range(3 * len(controls) + 20):
        page.page.keyboard.press("Tab")
        at = page.page.evaluate(FOCUSED)
        if at == "out":
            break
        if at != "other":
            reached.append(int(at))
    else:
        pytest.fail(f"Tab does not leave the widget: {[controls[number] for number in reached]}")
    assert [controls[number] for number in range(len(controls)) if number not in reached] == []
    assert reached == sorted(reached)
    page.assert_quiet()


def test_the_page_is_written_whole(tmp_path: Path) -> None:
    names = {file.name for file in write_page(tmp_path).iterdir()}
    assert names == {"index.html", "stories.js", "stories.json", "widget.css", "widget.js"}
