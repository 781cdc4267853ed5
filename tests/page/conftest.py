"""The page in a real browser: a running service, Chromium, and pages that complain of nothing."""

import importlib.util
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.check.missing import missing
from tests.page.support_browser import Visit, chromium, visiting
from tests.support.service import ready_server

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="session")
def service(tmp_path_factory) -> Iterator[str]:
    """Address of a service with two systems."""
    folder = tmp_path_factory.mktemp("data")
    with ready_server(table="sayc", extra_tables="acol", data_folder=folder) as (url, _):
        assert httpx.get(url).status_code == 200
        yield url


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium without a window.

    Not for the whole session: while it is there this thread has an event loop, in which other tests
    could not run one of their own.
    """
    with chromium() as started:
        yield started


@pytest.fixture
def visit(browser, service) -> Iterator[Visit]:
    """Page on a desk; its console stays empty and it asks nobody but the service."""
    yield from visiting(browser, service, viewport={"width": 1280, "height": 900})


@pytest.fixture(scope="session")
def pictures(tmp_path_factory) -> Path:
    """Folder for screenshots; PICTURES names one that stays."""
    named = os.environ.get("PICTURES")
    folder = Path(named) if named else tmp_path_factory.mktemp("pictures")
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def module(browser, service) -> Iterator[Callable[..., Any]]:
    """Call a function of one of the page's modules."""

    def call(name: str, function: str, *arguments: Any) -> Any:
        return visit.page.evaluate(
            """async ([name, what, given]) => {
                const found = bidcascade(`${name}.js`);
                try { return {value: await found[what](...given)}; }
                catch (error) { return {error: error.message}; }
            }""",
            [name, function, arguments],
        )

    visits = visiting(browser, service)
    visit = next(visits).open()
    yield call
    assert next(visits, None) is None


@pytest.fixture(scope="module")
def axe():
    """Axe's violations on a page."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        missing("axe is not installed: pip install -e '.[browser]'")
    script = next(Path(found.origin).parent.rglob("axe.min.js")).read_text("utf-8")

    def violations(page: Any, root: str = "html", rules: Sequence[str] = ()) -> list[str]:
        page.evaluate(script)
        chosen = (
            {"type": "rule", "values": list(rules)} if rules else {"type": "tag", "values": RULES}
        )
        result = page.evaluate(
            "([root, runOnly]) => axe.run(root, {runOnly, resultTypes: ['violations']})",
            [root, chosen],
        )
        assert len(result["passes"]) >= (len(rules) or 4)
        return [
            f"{one['id']}: {node['html'][:200]} {node['failureSummary']}"
            for one in result["violations"]
            for node in one["nodes"]
        ]

    return violations
