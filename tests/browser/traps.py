"""A page in which whatever an agent's text does is caught: scripts, dialogs, requests, navigations, the console."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Error, Page, Route

ADDRESS = "http://page.test/"
"""Where a page stands that is given as text."""

LIVE = "script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: blob:; "
"""For a page with a script of ours."""
_ICON = f"{ADDRESS}favicon.ico"  # the browser asks for it by itself
STATIC = f"style-src 'unsafe-inline'; img-src data: {_ICON}; "
"""For a page that needs none."""
_NOTHING_ELSE = "default-src 'none'; media-src data: blob:; base-uri 'none'; form-action 'none'"

# In every frame, before anything of it runs.
_WATCH = """(() => {
    const tell = what => window.__tell?.(String(what).slice(0, 300));
    Object.defineProperty(window, "__pwned", { set: value => tell(`script: ${value}`), get: () => undefined });
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) =>
        tell(`policy: ${violatedDirective} ${blockedURI} ${sample}`), true);
    const copy = async text => { if (!window.__clicking) tell(`clipboard: ${text}`); };
    if (navigator.clipboard) navigator.clipboard.writeText = copy;
    document.execCommand = name => { if (!window.__clicking) tell(`clipboard: ${name}`); return true; };
    window.open = address => { tell(`window: ${address}`); return null; };
})();"""


class Traps:
    """What the traps of a page caught. They lie from before anything of the page runs."""

    def __init__(self, page: Page, *, harmless: Callable[[str], bool] = lambda caught: False) -> None:
        self.page = page
        self.caught: list[str] = []
        self._harmless = harmless
        self._title: str | None = None
        self._stays = False
        page.expose_binding("__tell", lambda _, what: self.catch(what))
        page.add_init_script(_WATCH)
        page.on("dialog", self._on_dialog)
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.catch(f"exception: {error}"))
        page.on("popup", lambda popup: self.catch(f"window: {popup.url}"))
        page.on("download", lambda download: self.catch(f"download: {download.suggested_filename}"))
        page.on("request", lambda request: self._on_address(request.url))
        page.on("websocket", lambda socket: self._on_address(socket.url))
        page.on("framenavigated", lambda frame: self._move(f"navigation: {frame.url}"))

    def catch(self, what: str) -> None:
        if not self._harmless(what):
            self.caught.append(what[:300])

    def _on_address(self, address: str) -> None:
        if is_told(address):
            self.catch(f"request: {address}")

    def _on_dialog(self, dialog: Dialog) -> None:
        self.catch(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _on_console(self, message: ConsoleMessage) -> None:
        # A violation of the policy is told by its event, a request that was stopped by its route.
        text = message.text
        if message.type in ("error", "warning") and "Content Security Policy" not in text and "ERR_FAILED" not in text:
            self.catch(f"console: {text}")

    def _move(self, what: str) -> None:
        if self._stays:
            self.catch(what)

    def stay(self, title: str | None = None) -> None:
        """From now on nobody goes anywhere or names the page."""
        self._title = self.page.title() if title is None else title
        self._stays = True

    def settle(self) -> list[str]:
        """What was caught, after all that was begun could happen."""
        try:
            self.page.evaluate(_A_MOMENT)
            title = self.page.title()
        except Error:  # the page is another one by now
            return self.caught
        if self._stays and title != self._title:
            self.catch(f"title: {title}")
        return list(dict.fromkeys(self.caught))

    def click_all(self, selector: str) -> int:
        """Press everything in it that can be pressed, but for what says that it leads elsewhere; how many it was."""
        try:
            return int(self.page.evaluate(_CLICK_ALL, selector))
        except Error:  # the page is another one by now
            return 0


class Trapped(Traps):
    """A page of its own that gets nothing from anywhere but `own`, and `policy`: more than that is reported."""

    def __init__(
        self,
        context: BrowserContext,
        *,
        own: str = ADDRESS,
        policy: str = STATIC,
        harmless: Callable[[str], bool] = lambda caught: False,
    ) -> None:
        page = context.new_page()
        page.set_default_timeout(30_000)
        super().__init__(page, harmless=harmless)
        self._own, self._policy, self._html = own, policy + _NOTHING_ELSE if policy else "", ""
        page.route("**/*", self._route)
        page.on("frameattached", lambda frame: self.catch(f"frame: {frame.name}"))

    def _route(self, route: Route) -> None:
        request = route.request
        address = request.url
        headers = {"content-security-policy-report-only": self._policy} if self._policy else {}
        is_page = request.is_navigation_request() and request.frame.parent_frame is None
        if address.startswith(("data:", "blob:")):
            route.continue_()
        elif address == _ICON:
            route.fulfill(status=204)
        elif self._html and address == ADDRESS and is_page:
            route.fulfill(body=self._html.encode("utf-8", "replace"), content_type="text/html", headers=headers)
        elif not self._html and address.startswith(self._own) and not is_told(address):
            answer = route.fetch()
            route.fulfill(response=answer, headers={**answer.headers, **(headers if is_page else {})})
        else:
            self.catch(f"request: {address}")
            route.abort()

    def open(self, address: str) -> None:
        self._html, self._stays = "", False
        self.page.goto(address)
        self.stay()

    def show(self, html: str, title: str | None) -> None:
        """Open a page that is given as text; `title` where it must be this one."""
        self._html, self._stays = html, False
        self.page.goto(ADDRESS)
        self.stay(title)

    def close(self) -> None:
        self.page.close()


def is_told(address: str) -> bool:
    """Whether an address is an agent's: it names its server, or asks ours for one of its canaries."""
    return "evil.example" in address or bool(re.search(r"77\d{10}", address))


_A_MOMENT = """() => new Promise(done =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20))))"""
_CLICK_ALL = """async selector => {
    window.__clicking = true;
    let pressed = 0;
    for (const root of document.querySelectorAll(selector)) {
        const all = "a, area, button, summary, input, label, select, textarea, [role=button], [tabindex], [onclick]";
        for (const element of root.querySelectorAll(all)) {
            if (!element.isConnected || element.closest("a[href^='http'], a[href^='mailto:']")) continue;
            if (element.textContent.startsWith("Load it from")) continue;
            element.focus?.({ preventScroll: true });
            element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
            pressed += 1;
        }
    }
    await new Promise(done => setTimeout(done, 20));
    window.__clicking = false;
    return pressed;
}"""

# All that stands in a part of a page, each once: names of elements and attributes, and the values that could act.
CONTENTS = """selector => {
    const [tags, attributes, addresses, styles, words] = [new Set(), new Set(), new Set(), new Set(), new Set()];
    const leading = ["href", "xlink:href", "src", "srcset", "action", "formaction", "data", "poster", "ping"];
    const telling = ["title", "aria-label", "alt", "placeholder", "value", "label", "datetime"];
    const known = [...leading, ...telling, "data-call", "data-status"];
    for (const root of document.querySelectorAll(selector)) {
        for (const element of root.querySelectorAll("*")) {
            tags.add(element.localName);
            for (const { name, value } of element.attributes) {
                attributes.add(name);
                if (leading.includes(name)) addresses.add(`${element.localName} ${name}=${value.slice(0, 200)}`);
                if (name === "style") styles.add(value);
                if (/77\\d{10}/.test(value) && !known.includes(name)) words.add(`${name}=${value.slice(0, 200)}`);
            }
        }
    }
    return [tags, attributes, addresses, styles, words].map(set => [...set]);
}"""


class Contents:
    """What stands in a part of a page: `wrong` is what has no business there."""

    def __init__(self, page: Page, selector: str, *, links: bool) -> None:
        found: list[list[str]] = page.evaluate(CONTENTS, selector)
        self.tags, self.attributes, self.addresses, styles, words = found
        self.wrong = [f"<{tag}>" for tag in self.tags if tag in _FORBIDDEN]
        self.wrong += [name for name in self.attributes if name.startswith("on") or name in _FORBIDDEN_ATTRIBUTES]
        self.wrong += [each for each in self.addresses if not _is_fine(each, links)]
        self.wrong += [each for each in styles if any(word in each.lower() for word in ("url", "image", "@", "\\"))]
        self.wrong += words


_FORBIDDEN = {
    *("script", "iframe", "frame", "frameset", "object", "embed", "form", "base", "meta", "link", "style", "template"),
    *(
        "noscript",
        "math",
        "foreignobject",
        "use",
        "image",
        "animate",
        "set",
        "video",
        "marquee",
        "portal",
        "map",
        "area",
    ),
}
_FORBIDDEN_ATTRIBUTES = {"srcdoc", "srcset", "action", "formaction", "ping", "background", "autofocus", "http-equiv"}


def _is_fine(told: str, links: bool) -> bool:
    where, address = told.split("=", 1)
    if where == "a href":
        return links and address.startswith(("http://", "https://", "mailto:"))
    raster = tuple(f"data:image/{kind};base64," for kind in ("png", "jpeg", "gif", "webp"))
    return (where == "img src" and address.startswith(raster)) or (
        where == "audio src" and address.startswith("data:audio/")
    )
