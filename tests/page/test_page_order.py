"""The order of the page: what is seen at once, what things are called, what stays in its place."""

import re
from typing import Any
from urllib.parse import quote

import pytest

from bidcascade.service.cli import DONE, main
from tests.page.support_browser import (
    GROUPS,
    Visit,
    no_compiler_words,
    open_view,
    put_text,
    serving,
    visiting,
)
from tests.page.systems.test_page_texts import texts
from tests.service.cli.test_cli_page import NO_DEALS
from tests.support.examples import rows_in_check, some_in_check

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
    assert main(["page", *NO_DEALS, "--out", str(site), "sayc", "acol"]) == DONE
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


BOXES = [
    pytest.param(view, auction)
    # the longest first: the check takes two views of it, and one with less
    for auction in (LONG, "", "1N-P-2C-P-2D-P")
    for view in ("call", "shown", "auctions", "compare", "book")
]


@pytest.mark.parametrize(("view", "auction"), some_in_check((0, 3, 6), *BOXES))
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


PLACED = """() => {
    const [answer, box] = ["#answer", "#calls-box"].map((one) => document.querySelector(one));
    return [
        answer.getBoundingClientRect().bottom <= box.getBoundingClientRect().top,
        Boolean(answer.compareDocumentPosition(box) & Node.DOCUMENT_POSITION_FOLLOWING),
    ];
}"""
"""Whether the answer stands above the box, and is read before it."""


def test_the_answer_stands_above_the_box_on_a_phone(browser, folder):
    for visit in visiting(browser, folder, viewport=PHONE, has_touch=True, is_mobile=True):
        page = visit.open(f"{DEAL}&dealer=N&auction=1N-P").page
        page.locator(".close-calls").wait_for()
        assert page.evaluate(PLACED) == [True, True]
        # the box is led to, and stays under the finger while the answer above it changes
        page.get_by_role("link", name="to the bidding box").click()
        assert page.evaluate("document.activeElement.matches('#calls-box .bid')")
        assert is_whole(visit, BOX)
        before = page.locator("#calls-box").bounding_box()
        page.locator("#calls-box [data-call='2C']").tap()
        page.locator(".headline", has_text="West:").wait_for()
        page.wait_for_function("() => !document.querySelector('#view[aria-busy]')")
        after = page.locator("#calls-box").bounding_box()
        assert before is not None
        assert after is not None
        assert abs(before["y"] - after["y"]) < 3
        # where there is no deal there is no box
        open_view(page, "Convention card")
        page.locator(".card-part").first.wait_for()
        assert not page.locator("#box-below").is_visible()
        # all views are found in five names, and one row more
        assert page.locator("#pages a").count() == 5


def test_a_screen_that_grows_has_the_box_beside_the_answer(offline):
    page = offline.open(f"{DEAL}&dealer=N&auction=1N-P").page
    page.locator(".close-calls").wait_for()
    assert page.evaluate(PLACED) == [False, False]
    page.set_viewport_size(PHONE)
    page.wait_for_function(f"() => ({PLACED})().every(Boolean)")
    page.locator("#calls-box .bid[tabindex='0']").focus()
    page.set_viewport_size(DESK)
    page.wait_for_function(f"() => !({PLACED})().some(Boolean)")
    assert page.evaluate("document.activeElement.matches('#calls-box .bid')")


# --- what things are called -----------------------------------------------------------------------


def test_a_table_is_no_longer_three_things(offline):
    page = offline.open(DEAL + "&dealer=N").page
    assert page.get_by_label("System", exact=True).input_value() == "sayc"
    assert page.locator("#pages a").all_text_contents() == [*GROUPS]
    page.get_by_role("button", name="Help").click()
    page.wait_for_selector("#help-text dd")
    assert not re.search(r"\btables?\b", page.locator("#help-text").inner_text(), re.IGNORECASE)


@pytest.mark.parametrize(("old", "title"), [("table", "System book"), ("play", "Bid a hand")])
def test_an_older_address_leads_to_what_a_view_is_called_now(offline, old, title):
    page = offline.open(f"#dealer=N&view={old}").page
    assert page.locator("#group [aria-current=page]").text_content() == title
    (group,) = (group for group, views in GROUPS.items() if title in views)
    assert page.locator("#pages [aria-current]").text_content() == group


def test_a_table_is_said_of_nothing_but_what_lin_and_pbn_call_so():
    """What one chooses is a system; at a table people sat, and it is a word of the files."""
    said = {name: re.sub(r"\{\w+\}|--[\w-]+", "", text) for name, text in texts().items()}
    about = {name for name, text in said.items() if re.search(r"\btables?\b", text, re.IGNORECASE)}
    of_files = {"boards.no-result", "boards.expected-Multiplicity"}
    where_people_sat = re.compile(r"at the table|the other tables?", re.IGNORECASE)
    assert {name for name in about - of_files if not where_people_sat.search(said[name])} == set()


def test_the_service_says_system_on_the_page(module):
    body = {
        "type": "urn:bidcascade:unknown-table",
        "title": "There is no bidding table of this name",
    }
    body["detail"] = "expected one of sayc, got 'x'"
    told = module("api", "sentenceOf", 404, body, None)["value"]
    assert told == "There is no system of this name. Expected one of sayc, got 'x'."


# --- conditions in words, a ten in one way --------------------------------------------------------


@pytest.mark.parametrize("auction", some_in_check(2, "", "1N-P", "2C-P", "1H", "1N"))
def test_players_see_no_formula_and_authors_do(offline, auction):
    page = offline.open(f"#dealer=N&view=book&auction={auction}").page
    page.locator(".candidate").first.wait_for()
    no_compiler_words(page.locator("#view").inner_text())
    assert "{" not in page.locator("#view").inner_text()
    page.get_by_label("For authors of systems").check()
    assert re.search("[≥≤=] ?[0-9]", page.locator("#view").inner_text())


def test_a_ten_is_written_in_one_way(offline):
    """What is shown has 10; what is entered may have either."""
    page = offline.open(f"{DEAL}&dealer=N").page
    page.get_by_role("button", name="Enter or paste").click()
    page.get_by_role("button", name="Write", exact=True).click()
    assert page.get_by_label("West", exact=True).input_value() == "1032.1094.J102.A876"
    page.get_by_label("West", exact=True).fill("T32.T94.JT2.A876")
    page.get_by_role("button", name="Use these hands").click()
    assert offline.state()["w"] == HANDS[3]
    page.get_by_role("button", name="Enter or paste").click()
    page.get_by_role("button", name="Pick cards").click()
    assert page.get_by_role("button", name="10 of clubs").count() == 1
    page.get_by_role("button", name="Paste", exact=True).click()
    page.locator("#paste").fill("AQ4.KJ3.K876.QTT")
    page.get_by_role("button", name="Use what is pasted").click()
    page.get_by_text("The 10 of clubs is there twice").wait_for()
    assert "T" not in "".join(page.locator("dd").all_inner_texts())


@pytest.mark.parametrize("view", some_in_check(3, "call", "bid", "cards", "boards", "systems"))
def test_words_are_explained_from_every_view(offline, view):
    page = offline.open(f"{DEAL}&dealer=N&view={view}").page
    page.locator("#view:not([aria-busy]) > *").first.wait_for()
    button = page.get_by_role("button", name="What the words mean")
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="What the words mean")
    dialog.wait_for()
    words = " ".join(dialog.locator("dt").all_inner_texts())
    for word in ("HCP", "Stopper", "Forcing", "Limited", "Possible deals", "Par", "IMPs"):
        assert word in words
    assert dialog.locator("dt").count() == dialog.locator("dd").count()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "words-button"
    page.keyboard.press("w")
    dialog.wait_for()


# --- topics ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", ["sayc", "acol"])
def test_topics_come_in_levels_twenty_first(offline, system):
    page = offline.open(f"#dealer=N&view=practice&table={system}").page
    page.locator("#topic option").first.wait_for(state="attached")
    groups = page.locator("#topic optgroup")
    assert [one.get_attribute("label") for one in groups.all()] == [
        "To begin with",
        "Further conventions",
        "Further calls by name",
    ]
    first = groups.first.locator("option").all_text_contents()
    assert len(first) == 20
    assert {"Stayman", "Weak two", "Takeout double", "Negative double", "Blackwood"} <= set(first)
    every = page.locator("#topic option").all_text_contents()
    # names that say nothing without the auction, and tags that players call otherwise
    assert not {"Enough", "Final", "Values", "Balance"} & set(every)
    assert {"Balancing", "Double showing values"} <= set(every)
    assert len(every) == len(set(every)) > 150


def test_topics_are_found_by_typing(offline):
    page = offline.open("#dealer=N&view=practice").page
    page.locator("#topic option").first.wait_for(state="attached")
    page.get_by_label("Find by typing").fill("doub neg")
    assert page.locator("#topic option").all_text_contents() == ["Negative double"]
    assert page.get_by_text("1 topic of").is_visible()
    page.get_by_label("Find by typing").fill("no such thing")
    assert page.locator("#topic option").count() == 0
    assert page.locator("#ten-hands").is_disabled()
    page.get_by_label("Find by typing").fill("")
    assert page.locator("#topic").input_value() == "#stayman"


# --- the convention card --------------------------------------------------------------------------


def part(page: Any, head: str) -> Any:
    """One part of the convention card."""
    return page.locator(".card-part").filter(has=page.get_by_role("heading", name=head, exact=True))


def test_the_convention_card_says_what_the_system_plays(offline):
    page = offline.open("#dealer=N&view=card").page
    offline.wait_said("The convention card of Standard American Yellow Card")
    notrump = part(page, "Notrump openings").inner_text()
    assert re.search(r"1NT\s+15–17\s+Strong notrump: balanced", notrump)
    assert re.search(r"Responses to 1NT\s+2♣\s+Stayman", notrump)
    twos = part(page, "Two-level openings").inner_text()
    assert "Weak two: 6+ cards" in twos
    assert re.search(r"2♦\s+Waiting", twos)
    assert "Michaels cue bid" in part(page, "Cue bids and unusual notrump").inner_text()
    assert "Cappelletti" in part(page, "Over their notrump").inner_text()
    doubles = part(page, "Doubles").inner_text()
    for name in ("Takeout double", "Negative double", "Penalty double"):
        assert name in doubles
    no_compiler_words(page.locator("#view").inner_text())
    part(page, "Notrump openings").get_by_role("link", name="2♣:", exact=False).first.click()
    offline.wait_said("in sayc")
    assert offline.state()["auction"] == "1N-P-2C"


def test_the_card_of_a_text_of_ones_own(offline):
    page = offline.open("#dealer=N&view=systems&ask=sayc").page
    text = page.locator(".sheet textarea")
    text.wait_for()
    put_text(text, re.sub("(Strong notrump: )15-17", r"\g<1>13-15", text.input_value()))
    page.locator("#system-use").click()
    page.wait_for_function("() => location.hash.includes('table=my')")
    open_view(page, "Convention card")
    page.locator(".card-part").first.wait_for()
    assert "13–15" in part(page, "Notrump openings").inner_text()
    page.get_by_role("link", name="Edit the system").click()
    text.wait_for()
    assert "13-15" in text.input_value()


# --- what stays in its place ----------------------------------------------------------------------


PLACES = """() => [...document.querySelectorAll('#pages a, #group a, #views a')].map(one => [
    one.textContent, ...["x", "y"].map(side => Math.round(one.getBoundingClientRect()[side])),
])"""


@pytest.mark.parametrize("status", [200, 404])
def test_no_name_of_a_page_moves_or_takes_the_focus_while_it_loads(visit, status):
    """Whether the service has archives and jobs or not."""
    page = visit.page
    held = []
    page.route(re.compile("/v1/(archives|jobs)$"), lambda route: held.append(route))
    visit.open(f"{DEAL}&dealer=N&view=cards")
    page.locator("#view:not([aria-busy]) > *").first.wait_for()
    before = page.evaluate(PLACES)
    assert {"Card play", "Archives", "Jobs"} <= {name for name, *_ in before}
    page.locator("#help-button").focus()
    for _ in range(100):
        if len(held) == 2:
            break
        page.wait_for_timeout(100)
    problem = {"type": "urn:bidcascade:problem:not-found", "title": "There is nothing at this path"}
    for route in held:
        route.fulfill(status=status, json={} if status == 200 else problem)
    seen = page.get_by_role("link", name="Archives", exact=True)
    seen.wait_for() if status == 200 else page.wait_for_timeout(300)
    assert seen.count() == (status == 200)
    assert page.evaluate(PLACES) == before
    assert page.evaluate("document.activeElement.id") == "help-button"


def test_a_folder_has_no_page_that_needs_a_service(offline):
    page = offline.open(f"{DEAL}&dealer=N&view=cards").page
    page.wait_for_selector("#pages a")
    assert page.locator("#pages a").all_text_contents() == [*GROUPS]
    # one view alone needs no second row
    assert not page.locator("#group").is_visible()


# --- links ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "told"),
    rows_in_check(
        (0, 4, 5),
        ("http://127.0.0.1:8000/#x", "begins with 127.0.0.1:8000, so it works on this computer"),
        ("http://localhost:8000/#x", "begins with localhost:8000"),
        ("http://[::1]:8000/#x", "works on this computer only"),
        ("http://app.localhost/#x", "works on this computer only"),
        ("file:///home/ada/site/index.html#x", "a file on this computer"),
        ("https://example.org/#x", None),
        ("http://127.example.org/#x", None),
    ),
)
def test_a_link_to_this_computer_says_so(visit, address, told):
    page = visit.open("#dealer=N").page
    found = page.evaluate(
        """async address => bidcascade('games/game_table.js').copiedText(new URL(address))""",
        address,
    )
    assert told in found if told else found == "The link is copied."


def test_who_copies_a_link_of_this_computer_reads_it(offline):
    page = offline.open(f"{DEAL}&dealer=N").page
    offline.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("so it works on this computer only").locator("visible=true").first.wait_for()


# --- bidding with the system ----------------------------------------------------------------------


def test_an_own_call_is_taken_back_with_those_after_it(offline):
    page = offline.open("#dealer=N&view=bid").page
    box = page.locator(".game-table .box:not([inert])")
    undo = page.get_by_role("button", name="Undo")
    box.wait_for()
    assert undo.is_disabled()
    calls = ".game-table .auction .place .call"
    before = page.locator(calls).all_text_contents()
    page.locator(".game-table .bid[data-call='7N']").click()
    # the others pass, and the auction ends; or one doubles, and it comes back, maybe at once
    page.wait_for_function(
        """([calls, own]) => !document.querySelector(".game-table .box:not([inert])")
        || document.querySelectorAll(calls).length > own""",
        arg=[calls, len(before) + 1],
    )
    page.get_by_role("button", name="Undo").and_(page.locator(":enabled")).click()
    box.wait_for()
    assert page.locator(calls).all_text_contents() == before
    assert undo.is_disabled()
    page.keyboard.press("p")
    page.get_by_role("button", name="Undo").and_(page.locator(":enabled")).wait_for()
    page.keyboard.press("Backspace")
    box.wait_for()
    assert page.locator(calls).all_text_contents() == before
    # what was taken back is not kept
    page.reload()
    box.wait_for()
    assert page.locator(calls).all_text_contents() == before
