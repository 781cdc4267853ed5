"""A page in a browser for tests: what it says, where it stands, what went wrong in it."""

import importlib
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from tests.support_missing import missing

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

COMPILER_WORDS = re.compile(
    r"""
    not\ forced | \bmisses\b | \#[\w-]+ | \w+\.bidding | \bline\ \d | :\d+:\d
    | \b(?:digest | criteria | criterion | trie | node | entry | entries | variant
    | kernel | expression)s?\b
    | \b[A-Z]{2,}_[A-Z0-9] | \bHCP\ ?[<>=] | [<>!=]= | \b(?:undefined | null | NaN | Infinity)\b
    | \[object | \w+Error\b | \{[a-z]+\}
    """,
    re.VERBOSE,
)
"""What those who write systems or programs say to each other."""


def no_compiler_words(text: str) -> None:
    """Check that a player can read what is seen."""
    found = COMPILER_WORDS.search(text)
    assert not found, f"{found[0]!r} in: {text[max(0, found.start() - 200) : found.end() + 100]}"


class Visit:
    """A page of the browser, and what went wrong in it."""

    def __init__(self, browser: Any, url: str, **options: Any) -> None:
        self.url = url
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(30_000)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def _hear(self, message: Any) -> None:
        # that a path is not there, or that a key is needed, is told to the person by the page
        told = message.type == "error" and "Failed to load resource" in message.text
        if message.type in {"error", "warning"} and not told:
            self.errors.append(message.text)

    def open(self, fragment: str = "") -> "Visit":
        """Go to a state of the page."""
        self.page.goto(f"{self.url}/{fragment}")
        return self

    def without_engine(self) -> "Visit":
        """Leave to the service what the engine in the browser would answer."""
        silent = "addEventListener('message', () => {});"
        self.page.route(
            "**/engine/worker.js",
            lambda route: route.fulfill(body=silent, content_type="text/javascript"),
        )
        return self

    def wait_said(self, text: str) -> None:
        """Wait until the page says a text aloud."""
        self.page.wait_for_function(
            "text => document.getElementById('live').textContent.includes(text)", arg=text
        )

    def auction(self) -> list[str]:
        """Calls of the diagram."""
        calls: list[str] = self.page.eval_on_selector_all(
            "#auction .place .call", "nodes => nodes.map(node => node.textContent)"
        )
        return calls

    def state(self) -> dict[str, str]:
        """What the address says."""
        told: dict[str, str] = self.page.evaluate(
            "Object.fromEntries(new URLSearchParams(location.hash.slice(1)))"
        )
        return told


def without_engine(visit: Visit) -> None:
    """Let the service bid alone: the page's engine gets no system."""
    visit.page.route("**/v1/tables/*/system", lambda route: route.abort())


def visiting(browser: Any, url: str, **options: Any) -> Iterator[Visit]:
    """Page that is looked after."""
    visit = Visit(browser, url, **options)
    yield visit
    visit.context.close()
    assert not visit.errors
    assert {one for one in visit.asked if not one.startswith((url, "blob:"))} == set()


@contextmanager
def chromium() -> Iterator[Any]:
    """Chromium without a window, by playwright."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        missing("no Chromium: on Debian install the package chromium")
    try:
        playwright = importlib.import_module("playwright.sync_api")
    except ImportError:
        missing("playwright is not installed: pip install -e '.[browser]'")
    with playwright.sync_playwright() as driver:
        # in a container there is no sandbox to be had, and /dev/shm is small
        options = ["--no-sandbox", "--disable-dev-shm-usage"]
        started = driver.chromium.launch(executable_path=path, args=options)
        yield started
        started.close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_told: object) -> None:
        """Say nothing of a request."""

    def end_headers(self) -> None:
        """Keep other sites away from a page: then its clock is exact."""
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Address of a plain file server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
