"""A stranger's first evening: a board against the system, ten hands, a board from a hand viewer.

At every step there is a way on, and no word that only those who write systems or programs know.
From a service and from a folder without a network, on a desk and on a phone.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from bidcascade.bridge import format_call, format_hand
from bidcascade.loaders import HAND_COLUMNS, read_lin, read_pbn
from bidcascade.service.cli import DONE, main
from tests.page.support_browser import Visit, no_compiler_words, open_view, serving, visiting
from tests.service.cli.test_cli_page import NO_DEALS
from tests.support.examples import some_in_check

pytestmark = pytest.mark.slow

HANDS = ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]
LIN = (
    "pn|Sue,Will,Nora,Ed|md|3SJ876HA65DQ93CJ94,ST32HT94DJT2CA876,SAQ4HKJ3DK876CQ52,|ah|Board 7|"
    "sv|n|mb|1N!|an|15-17|mb|p|mb|2C|mb|p|mb|2D|mb|p|mb|2N|mb|p|mb|p|mb|p|"
)
VIEWER = f"https://www.bridgebase.com/tools/handviewer.html?lin={quote(LIN)}"
SCREENS = {
    "desk": {"viewport": {"width": 1280, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    site: Path = tmp_path_factory.mktemp("page") / "site"
    assert main(["page", *NO_DEALS, "--out", str(site), "sayc"]) == DONE
    return site


@pytest.fixture(params=some_in_check(1, *SCREENS))
def screen(request) -> dict[str, Any]:
    return SCREENS[request.param]


@pytest.fixture
def stranger(browser, service, screen) -> Iterator[Visit]:
    """Visit of a browser that was never here, from a service."""
    yield from visiting(browser, service, **screen)


@pytest.fixture
def offline(browser, folder, screen) -> Iterator[Visit]:
    """Visit of the page that was opened once from a folder, and whose host is gone."""
    with serving(folder) as url:
        visits = visiting(browser, url, **screen)
        visit = next(visits).open()
        visit.page.evaluate("navigator.serviceWorker.ready.then(() => caches.keys())")
    visit.context.set_offline(True)
    yield visit
    assert next(visits, None) is None


def ways_on(visit: Visit, *names: str) -> None:
    """Look around: these links and buttons can be seen and used, and everything can be read."""
    page = visit.page
    for name in names:
        link = page.get_by_role("link", name=name, exact=True)
        found = link.or_(page.get_by_role("button", name=name, exact=True))
        found.first.wait_for()
        assert found.first.is_enabled(), name
    no_compiler_words(page.inner_text("body"))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def go(visit: Visit, name: str) -> None:
    """Follow the link of a name, or press its button."""
    ways_on(visit, name)
    link = visit.page.get_by_role("link", name=name, exact=True)
    link.or_(visit.page.get_by_role("button", name=name, exact=True)).first.click()


def call(visit: Visit, name: str) -> None:
    visit.page.locator(".game-table").get_by_role("button", name=name, exact=True).click()


def saved(visit: Visit, name: str) -> bytes:
    """Content of the file that a button gives."""
    with visit.page.expect_download() as download:
        go(visit, name)
    return Path(download.value.path()).read_bytes()


def plays_a_board(visit: Visit) -> None:
    """Bid a board foolishly and be told."""
    page = visit.page
    open_view(page, "Bid a hand")
    own_turn = page.locator(".game-table .box:not([inert])")
    over = page.locator(".own-calls")
    wish = "seven notrump"
    own_turn.wait_for()
    page.get_by_text("What the calls meant").click()
    ways_on(visit, wish, "pass")
    while not over.count():
        if own_turn.count():
            call(visit, wish)
            wish = "pass"
        own_turn.or_(over).wait_for()
    # the own call, what the system calls, and why
    first = page.locator(".own-call").first.inner_text()
    assert first.startswith("7NT"), first
    assert "the system bids" in first
    reasons = first.splitlines()[1:]
    assert any("wants" in one or "You have" in one for one in reasons), first
    ways_on(visit, "Next board", "Bid it again", "Look at it call by call", "Board 1")
    go(visit, "Look at it call by call")
    page.locator("#view:not([aria-busy]) > *").first.wait_for()
    ways_on(visit, "Shown", "New deal", "Bid")
    page.go_back()
    go(visit, "Next board")
    own_turn.wait_for()
    ways_on(visit, "pass", "Practise")


def practises_stayman(visit: Visit) -> None:
    """Call ten hands, and see how it went."""
    page = visit.page
    go(visit, "Practise")
    page.get_by_label("Topic").select_option(label="Stayman")
    go(visit, "Ten hands")
    for number in range(1, 11):
        page.locator(".game-table .box:not([inert])").wait_for()
        assert page.get_by_role("heading", name=f"Stayman: hand {number} of 10").is_visible()
        call(visit, "pass" if number % 2 else "seven notrump")
        page.locator(".verdict").wait_for()
        assert "Right: " in page.inner_text(".verdict") or "The system bids" in page.inner_text(
            ".verdict"
        )
        ways_on(visit, f"Look at hand {number} call by call")
        go(visit, "Next hand" if number < 10 else "See how it went")
    assert page.locator(".how tbody tr").count() == 10
    right = 10 - page.locator(".how .missed").count()
    assert page.inner_text("#how-many") == f"{right} of 10 right"
    ways_on(visit, "Another topic", "The same hands again", "Bid")


def takes_a_board_home(visit: Visit) -> None:
    """Paste the address of a hand viewer, look at its board, and save it."""
    page = visit.page
    open_view(page, "Deal")
    go(visit, "Enter or paste")
    page.get_by_label("Paste", exact=True).fill(VIEWER)
    go(visit, "Use what is pasted")
    page.get_by_text("The auction is over").first.wait_for()
    assert visit.auction() == [
        "1NT",
        "Pass",
        "2♣",
        "Pass",
        "2♦",
        "Pass",
        "2NT",
        "Pass",
        "Pass",
        "Pass",
    ]
    assert "AQ4" in page.inner_text(".seat.N")
    ways_on(visit, "two clubs by South", "Shown", "New deal", "System's auction")
    page.get_by_text("Save", exact=True).click()
    for name, read in (("LIN", read_lin), ("PBN", read_pbn)):
        [board] = read(saved(visit, name)).deals.iter_rows(named=True)
        assert [format_hand(board[column]) for column in HAND_COLUMNS] == HANDS
        calls = [format_call(one) for one in board["auction"]]
        assert calls == ["1N", "P", "2C", "P", "2D", "P", "2N", "P", "P", "P"]
        assert board["board"] == 7
    assert saved(visit, "PNG picture").startswith(b"\x89PNG")
    assert b"<svg" in saved(visit, "SVG picture")
    go(visit, "two clubs by South")
    page.locator(".reason").wait_for()
    ways_on(visit, "Shown", "Bid", "Boards")
    go(visit, "Boards")
    page.get_by_text("Board 7").first.wait_for()
    ways_on(visit, "Choose files", "Bid")


def test_a_first_evening(stranger):
    stranger.open()
    ways_on(stranger, "New deal", "System's call", "Bid", "Practise", "Help")
    plays_a_board(stranger)
    practises_stayman(stranger)
    takes_a_board_home(stranger)


def test_a_first_evening_without_a_network(offline):
    offline.open()
    ways_on(offline, "New deal", "System's call", "Bid", "Practise", "Help")
    plays_a_board(offline)
    practises_stayman(offline)
    takes_a_board_home(offline)
