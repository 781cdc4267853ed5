"""A page in Chromium: what it says, where it stands, what went wrong in it."""

import importlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

from bidcascade.page.static_files import static_files

# the shell has no window to draw: pages take half the time
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


class Visit:
    """A page of the browser, and what went wrong in it."""

    def __init__(self, browser: Any, url: str, **options: Any) -> None:
        self.url = url
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(30_000)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _hear(self, message: Any) -> None:
        # that a path is not there, or that a key is needed, is told to the person by the page
        told = message.type == "error" and "Failed to load resource" in message.text
        if message.type in {"error", "warning"} and not told:
            self.errors.append(message.text)

    def open(self, fragment: str = "") -> "Visit":
        """Go to a state of the page."""
        self.page.goto(f"{self.url}/{fragment}")
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


def visiting(browser: Any, url: str, **options: Any) -> Iterator[Visit]:
    """Page that is looked after."""
    visit = Visit(browser, url, **options)
    yield visit
    visit.context.close()
    assert not visit.errors
    assert {one for one in visit.requests if not one.startswith((url, "blob:"))} == set()


def why_no_browser() -> str | None:
    """Say what is missing, or ``None``."""
    if not any(map(shutil.which, BROWSERS)):
        return "no Chromium: on Debian install chromium-headless-shell"
    if find_spec("playwright") is None:
        return "playwright is not installed: pip install -e '.[browser]'"
    return None


@contextmanager
def chromium() -> Iterator[Any]:
    """Chromium without a window, by playwright.

    Raises
    ------
    RuntimeError
        If one of them is not there.
    """
    reason = why_no_browser()
    if reason is not None:
        raise RuntimeError(reason)
    path = next(filter(None, map(shutil.which, BROWSERS)))
    with importlib.import_module("playwright.sync_api").sync_playwright() as driver:
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


def write_static_files(folder: Path) -> None:
    """Write the page's files to a folder as the service sends them, the engine's core too."""
    for name, file in static_files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Address of a plain file server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
