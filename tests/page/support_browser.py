"""A page in a browser for tests: its language, and without its engine."""

import re
from contextlib import AbstractContextManager
from typing import Any

from benchmarks.tools import browser
from benchmarks.tools.browser import Visit, serving, visiting, write_static_files
from tests.check.missing import missing

__all__ = [
    "Visit",
    "chromium",
    "no_compiler_words",
    "open_view",
    "paste",
    "put_text",
    "serving",
    "visiting",
    "without_engine",
    "write_static_files",
]

COMPILER_WORDS = re.compile(
    r"""
    not\ forced | \bmisses\b | \#[\w-]+ | \w+\.bidding | \bline\ \d | :\d+:\d
    | \b(?:digest | criteria | criterion | (?<!Slam\ )trie | node | entry | entries | variant
    | kernel | expression)s?\b
    | \b[A-Z]{2,}_[A-Z0-9] | \bHCP\ ?[<>=] | [<>!=]= | \b(?:undefined | null | NaN | Infinity)\b
    | \[object | \w+Error\b | \{[a-z]+\}
    """,
    re.VERBOSE,
)
"""What those who write systems or programs say to each other."""


GROUPS = {
    "Bid": ("Deal", "Call", "Shown", "All auctions", "Compare", "Lead", "Bid a hand"),
    "Practise": ("Practice", "Handout"),
    "Boards": ("Boards",),
    "Systems": ("Edit a system", "System book", "Convention card"),
    "More": ("Card play", "Archives", "Jobs"),
}
"""Names of the page, by the group that they are in."""


def no_compiler_words(text: str) -> None:
    """Check that a player can read what is seen."""
    found = COMPILER_WORDS.search(text)
    assert not found, f"{found[0]!r} in: {text[max(0, found.start() - 200) : found.end() + 100]}"


def put_text(field: Any, text: str) -> None:
    """Give a field a long text as a whole: typed line by line, 30 kB take 20 s."""
    field.evaluate(
        """(field, text) => {
            field.focus();
            field.value = text;
            field.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        text,
    )


def paste(page: Any, text: str) -> None:
    """Paste a text as the boards of the page."""
    page.get_by_role("button", name="Enter or paste", exact=True).click()
    put_text(page.get_by_label("Paste", exact=True), text)
    page.get_by_role("button", name="Use what is pasted", exact=True).click()


def open_view(page: Any, name: str) -> None:
    """Go to a view, or to an answer about the deal, by the names of the page."""
    (group,) = (group for group, views in GROUPS.items() if name in views)
    link = page.locator("#group, #views").get_by_role("link", name=name, exact=True)
    if not link.count():
        page.locator("#pages").get_by_role("link", name=group, exact=True).click()
    if len(GROUPS[group]) > 1 and name != "Practice":
        link.click()


def without_engine(visit: Visit) -> None:
    """Let the service bid alone: the page's engine gets no system."""
    visit.page.route("**/v1/tables/*/system", lambda route: route.abort())


def chromium() -> AbstractContextManager[Any]:
    """Chromium without a window; where it is missing the test is skipped."""
    reason = browser.why_no_browser()
    if reason is not None:
        missing(reason)
    return browser.chromium()
