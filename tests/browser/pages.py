"""The front end alone in a browser: the story page of scripts/stories.py, and what must hold on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, ConsoleMessage, Page

from scripts import stories

from .lab import ROOT

AXE = ROOT / "js" / "node_modules" / "axe-core" / "axe.min.js"
PICTURES = ROOT / "test-results" / "stories"


class StoryPage:
    """The story page, open in a window of its own."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self._address = address
        self.complaints: list[str] = []
        self.page: Page = context.new_page()
        self.page.set_default_timeout(30_000)
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        self.page.on("request", lambda request: self._on_address(request.url))

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"console: {message.text}")

    def _on_address(self, url: str) -> None:
        if not url.startswith((self._address, "data:", "blob:")):
            self.complaints.append(f"request: {url}")

    def open(self, query: str = "", theme: str = "light", width: int = 1000) -> StoryPage:
        """Load it, and wait until every story is drawn and its buttons are live."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.goto(f"{self._address}?{query}#{theme}")
        self.page.locator("html[data-ready]").wait_for(state="attached")
        return self

    def close(self) -> None:
        self.page.close()

    def assert_quiet(self) -> None:
        """No error or warning on the console, no exception, no request to elsewhere, nothing that failed to draw."""
        assert self.complaints == [], self.complaints
        assert self.page.get_by_text("cannot be drawn.").count() == 0

    def resize(self, width: int) -> None:
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def texts(self) -> dict[str, str]:
        """What each story says, by its name; labels and alternative texts too."""
        found: dict[str, str] = self.page.evaluate(_TEXTS)
        return found

    def overflows(self) -> list[str]:
        """What stands out to the right of its view, or of the window, where nothing can be scrolled to it."""
        found: list[str] = self.page.evaluate(_OVERFLOWS)
        return found

    def barriers(self) -> list[str]:
        """The serious and critical findings of axe-core, contrast among them."""
        if self.page.evaluate("() => typeof axe") == "undefined":
            self.page.add_script_tag(path=AXE)
        found: list[str] = self.page.evaluate(_BARRIERS)
        return found

    def play(self, state: dict[str, Any], messages: list[Any]) -> None:
        """Draw a session that begins with a state and lives through messages of the kernel."""
        self.page.evaluate("([state, messages]) => window.play(state, messages)", [state, messages])

    def open_all(self) -> None:
        """Open everything that can be opened, as a curious reader would."""
        self.page.evaluate("() => window.openAll(document.body)")


def write_page(folder: Path) -> Path:
    stories.make(folder)
    return folder


_TEXTS = """() => Object.fromEntries([...document.querySelectorAll(".story")].map(story => {
    const here = story.querySelector(".here");
    const said = [...here.querySelectorAll("[aria-label], [title], [alt], [placeholder]")].flatMap(element =>
        ["aria-label", "title", "alt", "placeholder"].map(name => element.getAttribute(name) ?? ""));
    const fields = [...here.querySelectorAll("textarea, input")].map(field => field.value);
    return [story.id, [here.textContent, ...said, ...fields].join("\\n")];
}))"""

_OVERFLOWS = """() => {
    const wide = document.scrollingElement.scrollWidth > innerWidth ? ["the page"] : [];
    const clips = element => getComputedStyle(element).overflowX !== "visible";
    const out = [...document.querySelectorAll(".story")].flatMap(story => {
        const panel = story.querySelector(".acp-widget");
        const edge = panel.getBoundingClientRect().right + 1;
        return [...panel.querySelectorAll("*")].filter(element => {
            const box = element.getBoundingClientRect();
            if (box.width === 0 || box.right <= edge || element.closest(".acp-hidden")) return false;
            for (let up = element.parentElement; up !== panel; up = up.parentElement) if (clips(up)) return false;
            return true;
        }).map(element => `${story.id}: <${element.tagName.toLowerCase()} class="${element.getAttribute("class")}">`);
    });
    return [...wide, ...out.slice(0, 10)];
}"""

_BARRIERS = """async () => {
    const { violations } = await axe.run("#stories", {
        resultTypes: ["violations"],
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
        rules: { "heading-order": { enabled: false } },
    });
    return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).flatMap(({ id, nodes }) =>
        nodes.slice(0, 5).map(node =>
            `${id}: ${node.target.join(" ")} ${node.html.slice(0, 200)} ${node.failureSummary ?? ""}`));
}"""
