"""A hand played out on the page: without a service, against one, its review, files, and reports."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from bidcascade.bridge import Vulnerability as Sides
from bidcascade.bridge import (
    format_card,
    is_vulnerable,
    parse_card,
    parse_contract,
    parse_hand,
    score,
)
from bidcascade.inference.card_play.rules_of_thumb import legal_cards
from bidcascade.inference.card_play.sight import give_to_seats
from bidcascade.kernels.core.functions import solve_tables
from bidcascade.loaders import read_lin, read_pbn
from bidcascade.service.cli import DONE, main
from bidcascade.systems import System
from tests.page.support_browser import Visit, no_compiler_words, paste, serving, visiting
from tests.service.cli.test_cli_page import NO_DEALS

pytestmark = pytest.mark.slow

HANDS = ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]
MASKS = [parse_hand(hand) for hand in HANDS]
CALLS = "1N-P-2C-P-2D-P-2N-P-P-P"
DEAL = (
    "#"
    + "&".join(f"{seat}={hand}" for seat, hand in zip("nesw", HANDS, strict=True))
    + f"&dealer=N&vul=NS&auction={CALLS}"
)
CONTRACT = parse_contract("2NN")
NAME = "bidcascade.play"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Folder of the page with one system."""
    site: Path = tmp_path_factory.mktemp("page") / "site"
    assert main(["page", *NO_DEALS, "--out", str(site), "sayc"]) == DONE
    return site


def button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def kept(page: Any) -> dict[str, Any]:
    """What the browser keeps of the play."""
    value: dict[str, Any] = page.evaluate(f"JSON.parse(localStorage.getItem('{NAME}')).value")
    return value


def begin(visit: Visit, address: str, role: str) -> Any:
    """Go from a finished auction to the play."""
    page = visit.page
    page.goto(f"{address}{DEAL}")
    button(page, "Play it out").click()
    button(page, role).click()
    return page


def random_play(length: int) -> list[int]:
    """Cards that the laws allow."""
    rng, left, play = np.random.default_rng(3), list(MASKS), list[int]()
    for _ in range(length):
        state = give_to_seats(play, CONTRACT)
        card = int(rng.choice(legal_cards(left[state.turn], state.trick)))
        left[state.turn] &= ~(1 << card)
        play.append(card)
    return play


def play_on(page: Any) -> None:
    """Play whatever is first until the play is over."""
    for _ in range(400):
        if page.locator(".headline").count():
            return
        if page.locator(".card-button").count():
            page.locator(".card-button").first.click()
        page.wait_for_timeout(50)
    raise AssertionError("the play does not end")


def saved(page: Any, name: str, folder: Path) -> Path:
    with page.expect_download() as download:
        button(page, name).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_a_board_is_declared_without_a_service(browser, folder, axe, pictures, tmp_path):
    with serving(folder) as url:
        for visit in visiting(browser, url, viewport={"width": 1280, "height": 900}):
            declares_a_board(visit, axe, pictures, tmp_path)


def declares_a_board(visit: Visit, axe: Any, pictures: Path, folder: Path) -> None:
    page = begin(visit, f"{visit.url}/", "Declare as North")
    page.locator(".card-button").first.wait_for()
    # dummy is open with the lead, the defenders are not; and it is said how they play
    seats = page.locator(".play-seat")
    assert page.locator(".play-seat .hand").count() == 2
    assert seats.nth(1).inner_text().endswith("12 cards")
    assert "see all four hands" in page.locator("#view").inner_text()
    page.screenshot(path=pictures / "card-play.png", full_page=True)
    assert axe(page, "#view") == []
    no_compiler_words(page.locator("#view").inner_text())
    # keys play a card and take it back
    (lead,) = kept(page)["play"]
    card = page.locator(".card-button").first.get_attribute("data-card")
    page.keyboard.press(card[0].lower())
    page.keyboard.press(card[1].lower())
    visit.wait_said("South: ")
    assert kept(page)["play"][:2] == [lead, card]
    page.locator(".play-seat.below .card-button").first.wait_for()
    page.keyboard.press("Backspace")
    assert kept(page)["play"] == [lead]
    # nobody takes all thirteen tricks here
    page.locator("summary", has_text="Claim").click()
    page.locator(".claim button").click()
    page.get_by_text("The others do not agree").wait_for()

    # it goes on where it was left, here with forty cards played
    value = kept(page)
    play = [format_card(one) for one in random_play(40)]
    value |= {"play": play, "chosen": [{"by": "you", "why": ""}] * 40}
    text = json.dumps({"version": 1, "value": value})
    page.evaluate(f"text => localStorage.setItem('{NAME}', text)", text)
    page.reload()
    page.locator(".last-trick").wait_for()
    play_on(page)
    found = kept(page)
    assert found["play"][:40] == play
    cards = [parse_card(one) for one in found["play"]]
    left = list(MASKS)
    for place, one in enumerate(cards):
        state = give_to_seats(cards[:place], CONTRACT)
        assert one in legal_cards(left[state.turn], state.trick)
        left[state.turn] &= ~(1 << one)
    tricks = give_to_seats(cards, CONTRACT).declarer_tricks
    points = score(CONTRACT, tricks, vulnerable=is_vulnerable(Sides.NS, CONTRACT.declarer))
    headline = page.locator(".headline").inner_text()
    assert f"{tricks} trick" in headline
    assert f"{abs(points)} points for {'North-South' if points > 0 else 'East-West'}" in headline

    # what was lost is what lies between double dummy and the play
    page.get_by_text("Double dummy North takes").wait_for()
    told = page.locator("#view").inner_text()
    best = int(solve_tables(np.array(MASKS, np.uint64)[:, None])[0][4])
    assert f"Double dummy North takes {best} tricks." in told
    lost = [int(one) for one in re.findall(r"lost (\d+) trick", told)]
    assert best - lost[0] + lost[1] == tricks
    assert page.locator(".costly-cards li").count() == page.locator(".played.costly").count() > 0
    # nobody is charged for a card that the solver chose
    names = [one["by"] for one in found["chosen"][40:]]
    assert "solver" in names or "only" in names
    page.screenshot(path=pictures / "card-play-over.png", full_page=True)
    assert axe(page, "#view") == []
    no_compiler_words(told)

    # the board as files that the loaders read back
    for name, read in (("LIN", read_lin), ("PBN", read_pbn)):
        frame = read(saved(page, name, folder).read_bytes()).deals
        (row,) = frame.select("play", "tricks", "score").rows()
        assert [list(row[0]), *row[1:]] == [cards, tricks, points], name

    # a card with its reason, and a report of it
    costly = page.locator(".played.costly").first
    chosen = costly.get_attribute("data-card")
    costly.click()
    assert "cost 1 trick double dummy" in page.locator(".verdict").inner_text()
    button(page, "Report this card").click()
    page.get_by_label("What is wrong with the card?").fill("It gives a trick away.")
    report = json.loads(saved(page, "Save the report", folder).read_text("utf-8"))
    place = found["play"].index(chosen)
    assert report["deal"] == "N:" + " ".join(HANDS)
    assert report["auction"] == CALLS.split("-")
    assert report["play"] == found["play"][:place]
    assert report["chosen"] == chosen
    assert report["words"] == "It gives a trick away."
    assert report["double_dummy"]["loss"] == 1
    assert report["system"] == {"name": "sayc", "digest": System.open("sayc").digest, "own": False}


def test_a_phone_in_the_dark_and_one_who_looks_on(browser, folder, axe, pictures):
    visits = visiting(
        browser,
        folder.as_uri(),
        viewport={"width": 320, "height": 640},
        is_mobile=True,
        has_touch=True,
        color_scheme="dark",
        reduced_motion="reduce",
    )
    visit = next(visits)
    address = f"{folder.as_uri()}/index.html"
    page = begin(visit, address, "Watch")
    assert page.locator(".play-seat .hand").count() == 4
    for number in range(1, 3):
        button(page, "Next card").click()
        page.wait_for_function(
            "n => document.querySelectorAll('.trick li').length === n", arg=number
        )
    button(page, "Undo").click()
    page.wait_for_function("() => document.querySelectorAll('.trick li').length === 1")
    page.screenshot(path=pictures / "card-play-phone.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert axe(page, "#view", ["color-contrast", "target-size"]) == []
    # others see their own hand and dummy alone
    page.get_by_label("The others play").select_option("by rules of thumb")
    page.get_by_text("they guess, and make mistakes").wait_for()
    button(page, "Next card").click()
    page.wait_for_function("() => document.querySelectorAll('.trick li').length === 2")
    assert [one["by"] for one in kept(page)["chosen"]] == ["solver", "thumb"]
    # second hand low
    assert kept(page)["play"] == ["H2", "H5"]
    page.get_by_label("The others play").select_option("double dummy")
    # one who defends sees his own hand and, after the lead, dummy
    page.get_by_role("link", name="Another seat").click()
    button(page, "Defend as West").click()
    page.locator(".play-seat.below .card-button").first.wait_for()
    assert page.locator(".play-seat .hand").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert axe(page, "#view", ["color-contrast", "target-size"]) == []
    # declarer takes what he can: less is given up at once
    page.locator("summary", has_text="Claim").click()
    page.get_by_label("The defenders take of the rest").select_option("0")
    page.locator(".claim button").click()
    page.get_by_text("The rest was claimed.").wait_for()
    assert "13 tricks" in page.locator(".headline").inner_text()
    page.get_by_text("Double dummy North takes").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert axe(page, "#view", ["color-contrast", "target-size"]) == []
    # a link that is none says so
    page.goto(f"{address}#view=cards&ask={visit.state()['ask'].split('~')[0]}~1N-P-P")
    page.locator(".notice.error", has_text="no auction that ended in a contract").wait_for()
    assert next(visits, None) is None


@pytest.fixture
def asked(visit) -> Iterator[list[dict[str, str]]]:
    """Questions for cards that the page has put."""
    found: list[dict[str, str]] = []

    def hear(request: Any) -> None:
        address = urlsplit(request.url)
        if address.path == "/play":
            found.append({name: one for name, (one,) in parse_qs(address.query).items()})

    visit.page.on("request", hear)
    return found


def test_the_service_chooses_cards_and_sees_what_the_player_sees(visit, asked):
    leads: list[dict[str, Any]] = []

    def few(route: Any) -> None:
        # solving takes seconds: here fewer layouts do
        leads.append(json.loads(route.request.post_data))
        route.continue_(post_data=json.dumps({**leads[-1], "layouts": 4}))

    visit.page.route("**/v1/leads", few)
    page = begin(visit, f"{visit.url}/", "Defend as West")
    page.locator(".play-seat.below .card-button").first.wait_for()
    (lead,) = leads
    assert lead["hand"] == HANDS[1]
    assert len(asked) == 1
    (question,) = asked
    assert (question["seat"], question["hand"], question["dummy"]) == ("N", HANDS[0], HANDS[2])
    assert question["ctx"] == "1N--2C--2D--2N------"
    assert question["vul"] == "@v"
    # nothing is lost where the service goes away
    page.route("**/play?*", lambda route: route.abort())
    page.locator(".card-button").first.click()
    page.get_by_role("alert").wait_for()
    count = len(kept(page)["play"])
    page.unroute("**/play?*")
    button(page, "Try again").click()
    page.wait_for_function(
        f"n => JSON.parse(localStorage.getItem('{NAME}')).value.play.length > n", arg=count
    )
    assert not any(HANDS[3] in one.values() for one in asked)
    # the page's own solver plays on, and what the service chose has its reason
    page.get_by_label("The others play").select_option("double dummy")
    page.get_by_text("see all four hands").wait_for()
    page.locator("summary", has_text="Claim").click()
    page.get_by_label("The defenders take of the rest").select_option("0")
    page.locator(".claim button").click()
    page.locator(".played").first.wait_for()
    led = kept(page)["play"][0]
    page.locator(f".played[data-card={led}]").click()
    told = page.locator(".verdict").inner_text()
    assert re.search(r"chosen over deals .*: it beats the contract in .* of \d deals? ", told)
    no_compiler_words(told)


def test_the_cards_are_played_before_all_hands_are_seen(visit, module):
    board = {"hands": HANDS, "dealer": 0, "vulnerability": "NS", "seat": 2}
    code = module("boards/board_code", "writeBoard", board)["value"]
    page = visit.open(f"#view=bid&ask={code}").page
    visit.wait_said("Your call")
    page.get_by_label("Then I play the cards").check()
    page.locator(".game-table").get_by_role("button", name="three notrump", exact=True).click()
    # South's partner declares: his cards are played from North
    page.locator(".play-seat.below h3", has_text="North").wait_for()
    assert visit.state()["ask"].endswith("~1N-P-3N-P-P-P~N")
    assert page.locator(".play-seat .hand").count() <= 2


def test_a_call_is_reported(visit, tmp_path):
    page = visit.open(DEAL.replace(CALLS, "1N-P")).page
    visit.wait_said("South: two clubs")
    button(page, "Report this call").click()
    page.get_by_label("What is wrong with the call?").fill("I would pass.")
    report = json.loads(saved(page, "Save the report", tmp_path).read_text("utf-8"))
    assert (report["format"], report["version"], report["what"]) == ("bidcascade report", 1, "call")
    assert (report["chosen"], report["by"], report["words"]) == ("2C", "South", "I would pass.")
    assert report["auction"] == ["1N", "P"]
    assert "wants 8+ points" in report["reason"]
    assert report["answer"]["candidates"]
    # who gets the file pastes or drops it: the deal at that call
    text = json.dumps(report, indent=2)
    page.goto("about:blank")
    visit.open("#dealer=E")
    paste(page, text)
    page.wait_for_function("() => location.hash.includes('auction=1N-P')")
    assert visit.state()["n"] == HANDS[0]
    for changed in (
        text.replace('"1N"', '"P"').replace('"dealer": "N"', '"dealer": "Q"'),
        text.replace('"version": 1', '"version": 9'),
        text[:-5],
    ):
        visit.open("#dealer=E")
        paste(page, changed)
        problem = page.locator("#paste-problem")
        problem.wait_for()
        assert "report" in problem.inner_text()
        button(page, "Close").click()
    assert report["system"]["digest"] == System.open("sayc").digest
