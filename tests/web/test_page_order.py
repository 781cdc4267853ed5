"""The order of the page: what is seen at once, what things are called, what stays in its place."""

from typing import Any
from urllib.parse import quote

import pytest

from bidcascade.service.cli import DONE, main
from tests.web.support_browser import Visit, serving, visiting

pytestmark = pytest.mark.slow

HANDS = ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]
DEAL = f"#n={HANDS[0]}&e={HANDS[1]}&s={HANDS[2]}&w={HANDS[3]}"
LONG = "1C-1D-1H-1S-1N-2C-2D-2H-2S-2N-3C-3D-3H-3S-3N-4C-4D-4H-4S-4N-5C-5D-5H-5S-5N-6C-6D"
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
BOX = "#box .box, .game-table .box"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Any:
    """Address of a folder of the page with two systems."""
    site = tmp_path_factory.mktemp("page") / "site"
    assert main(["page", "--out", str(site), "sayc", "acol"]) == DONE
    with serving(site) as url:
        yield url


@pytest.fixture
def offline(browser, folder) -> Any:
    """The folder's page on a desk."""
    yield from visiting(browser, folder, viewport=DESK)


def is_whole(visit: Visit, selector: str) -> bool:
    """Whether all of an element is seen without scrolling."""
    place = visit.page.locator(selector).locator("visible=true").bounding_box()
    size = visit.page.viewport_size
    assert size is not None
    return bool(
        place
        and place["y"] >= 0
        and place["y"] + place["height"] <= size["height"]
        and place["x"] + place["width"] <= size["width"]
    )


# --- the bidding box ------------------------------------------------------------------------------


@pytest.mark.parametrize("view", ["call", "shown", "auctions", "compare", "book"])
@pytest.mark.parametrize("auction", ["", "1N-P-2C-P-2D-P", LONG])
def test_the_bidding_box_is_seen_whole_on_a_desk(offline, view, auction):
    offline.open(f"{DEAL}&dealer=S&vul=Both&auction={auction}&view={view}")
    offline.page.locator("#view > *").first.wait_for()
    assert is_whole(offline, BOX)


def test_the_box_stays_whole_where_a_hand_is_entered(offline):
    page = offline.open(f"{DEAL}&dealer=N&auction=1N-P").page
    for way in ("Paste", "Write", "Pick cards"):
        if not page.locator("#enter-panel").is_visible():
            page.get_by_role("button", name="Enter or paste").click()
        page.get_by_role("button", name=way, exact=True).click()
        assert is_whole(offline, BOX)


@pytest.mark.parametrize("view", ["bid", "practice"])
def test_the_box_of_a_game_is_seen_whole(offline, view):
    page = offline.open(f"#dealer=N&view={view}").page
    if view == "practice":
        hand = f"{LONG[:59]}~N~None~{HANDS[0]}"
        page.goto(f"{offline.url}/#dealer=N&view=practice&ask={quote('1!Stayman!' + hand)}")
    page.locator(".game-table .box:not([inert])").wait_for()
    assert is_whole(offline, BOX)


# --- what things are called -----------------------------------------------------------------------


def test_a_table_is_no_longer_three_things(offline):
    page = offline.open(DEAL + "&dealer=N").page
    assert page.get_by_label("System", exact=True).input_value() == "sayc"
    pages = page.locator("#pages a").all_text_contents()
    assert "Table" not in pages
    assert "Play" not in pages
    page.get_by_role("button", name="Help").click()
    page.wait_for_selector("#help-text dd")
    told = page.locator("#help-text").text_content() or ""
    assert "able" not in told.replace("able to", "").replace("unable", "") or "table" not in told


@pytest.mark.parametrize(
    ("old", "title"), [("table", "System book"), ("play", "Bid")]
)  # fmt: skip
def test_an_older_address_leads_to_what_a_view_is_called_now(offline, old, title):
    page = offline.open(f"#dealer=N&view={old}").page
    assert page.locator("#pages [aria-current]").text_content() == title
