"""Archives on the page: questions, boards, what follows, files, and what goes wrong."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.page.boards.support_archives import BOARD, HANDS, ROUTES, FakeArchives, address_of
from tests.page.support_browser import open_view, visiting
from tests.support.service import ready_server, write_small_table

pytestmark = pytest.mark.slow


@pytest.fixture
def archives(visit) -> FakeArchives:
    fake = FakeArchives()
    visit.page.route(ROUTES, fake.answer)
    return fake


def find(page: Any) -> None:
    page.get_by_role("button", name="Find boards").click()


def test_a_question_from_the_deal_to_the_board(visit, archives):
    page = visit.open("#dealer=N&auction=1N-P").page
    open_view(page, "Archives")
    visit.wait_said("1 board.")
    page.get_by_role("button", name="That of the deal: 1NT Pass").click()
    page.get_by_label("Auctions of").select_option("sayc")
    page.get_by_label("Auctions that are").select_option("all")
    page.get_by_label("Conditions on the hands").fill("HCP_N >= 15\n\n SL_S_S >= 4 ")
    page.get_by_text("Players, results, and how").click()
    page.get_by_label("Player").fill("ada")
    page.get_by_label("Contract played").fill("1N")
    page.get_by_label("Result").select_option("made")
    page.get_by_label("By chance").check()
    page.get_by_label("Seed", exact=True).fill("5")
    page.get_by_label("Equal shares").select_option("classes")
    page.get_by_label("Conditions, each a class").fill("HCP_N >= 17\nHCP_N >= 16")
    page.get_by_label("Boards at most").fill("500")
    find(page)
    page.wait_for_selector(".trail >> text=Pass")
    assert archives.questions("boards")[-1] == {
        "auction": ["1N P"], "by": ["sayc"], "mode": ["all"],
        "where": ["HCP_N >= 15", "SL_S_S >= 4"], "player": ["ada"], "contract": ["1N"],
        "result": ["made"], "seed": ["5"], "level": ["HCP_N >= 17", "HCP_N >= 16"],
        "limit": ["100"],
    }  # fmt: skip
    assert archives.questions("nodes")[-1] == {"auction": ["1N P"], "by": ["sayc"]}
    # the form keeps the focus, and the address the question
    assert page.evaluate("document.activeElement.textContent") == "Find boards"
    assert "limit=500" in visit.state()["ask"]
    board = page.locator(".board-item")
    assert "Board 12" in board.text_content()
    assert "<b>Di</b>" in board.text_content()
    assert "1NT by North +1, North-South 120" in board.text_content()
    assert "2NT by North" in board.text_content()
    assert board.locator(".place.parting").all_text_contents() == ["Pass", "2♣"]
    assert board.get_by_role("link", name="Hand viewer").get_attribute("href") == BOARD["link"]
    board.get_by_role("link", name="Open Board 12, bid by sayc").click()
    visit.wait_said("South: two clubs")
    told = visit.state()
    assert [told[seat] for seat in "nesw"] == HANDS.split()
    assert (told["at"], told["vul"], told["auction"]) == ("2", "EW", "1N-P-2C-P-2D-P-2N-P-P-P")
    page.go_back()
    page.wait_for_selector(".board-item")
    assert page.get_by_label("Conditions on the hands").input_value() == "HCP_N >= 15\nSL_S_S >= 4"
    assert page.get_by_label("Conditions, each a class").input_value().count("\n") == 1


def test_deeper_call_by_call_and_back(visit, archives):
    page = visit.open(address_of(archive="club", where="HCP_N >= 15", by="sayc", exact="true")).page
    follows = page.get_by_role("region", name="What follows")
    follows.get_by_role("link", name="one notrump, 30 boards").click()
    # this call leads on to all of its boards
    follows.get_by_role("link", name="pass, 30 boards").click()
    page.wait_for_selector("text=3 auctions ended here")
    assert page.locator(".bar-number").all_text_contents() == ["40 %", "50 %"]
    assert archives.questions("boards")[-1] == {
        "where": ["HCP_N >= 15"],
        "by": ["sayc"],
        "auction": ["1N P"],
        "limit": ["100"],
    }
    assert page.get_by_label("Beginning of the auction").input_value() == "1N P"
    follows.get_by_role("link", name="after one notrump").click()
    page.wait_for_selector("text=pass >> visible=true")
    page.go_back()
    page.wait_for_selector("text=3 auctions ended here")


def test_what_an_auction_is_worth(visit, archives):
    page = visit.open(
        address_of(archive="club", auction="1N P", by="sayc", where="HCP_N > 15")
    ).page
    page.get_by_role("button", name="What is it worth?").click()
    page.wait_for_selector(".tiles")
    # of all boards of the auction: conditions have no part in it
    assert archives.questions("nodes")[-1] == {
        "auction": ["1N P"],
        "by": ["sayc"],
        "statistics": ["true"],
    }
    tiles = page.locator(".tiles").text_content()
    assert "−112" in tiles
    assert "room" not in tiles
    assert "of the dealer's opponents" in page.locator(".follows").text_content()
    assert "1NT of the opponents50 %−90" in page.locator(".node-values").nth(1).text_content()
    assert page.get_by_role("region", name="Hands of the dealer's partner").count() == 1


def test_what_an_auction_is_worth_as_charts(visit, archives):
    page = visit.open(address_of(archive="club", auction="1N P")).page
    page.get_by_role("button", name="What is it worth?").click()
    page.wait_for_selector(".value-charts")
    contracts = "Commonest contracts: 1NT of the opponents 50 %, Pass 20 %, 2♠× 10 %"
    results = "Results double dummy: −3 20 %, = 50 %, +1 30 %"
    pars = "Par: about −100 60 %, about +100 20 %, +1000 and beyond 20 %"
    for label, bars in ((contracts, 3), (results, 3), (pars, 3)):
        chart = page.get_by_role("img", name=label, exact=True)
        assert chart.locator("rect").count() == bars, label
    heights = (
        page.get_by_role("img", name=results)
        .locator("rect")
        .evaluate_all(
            "bars => bars.map(bar => [bar.classList.contains('against'), bar.height.baseVal.value])"
        )
    )
    assert [below for below, _ in heights] == [True, False, False]
    assert heights[1][1] == max(height for _, height in heights)
    page.get_by_text("In numbers").click()
    table = page.get_by_role("region", name="Par", exact=True).get_by_role("row")
    assert table.all_text_contents() == ["parShare", "−9060 %", "+5020 %", "+143020 %"]


def test_a_pattern_has_boards_but_nothing_follows(visit, archives):
    page = visit.open(address_of(archive="club", auction="1M (P) 2M")).page
    page.wait_for_selector("text=not of a pattern")
    page.wait_for_selector(".board-item")
    assert archives.questions("nodes") == []
    assert archives.questions("boards") == [{"auction": ["1M (P) 2M"], "limit": ["100"]}]


def test_boards_are_counted_on_request(visit, archives):
    archives.total = None
    asked = {"archive": "club", "where": "HCP_N > 20", "limit": 1, "seed": 1, "level": "next"}
    page = visit.open(address_of(**asked)).page
    visit.wait_said("More than 1 board fit.")
    page.get_by_role("button", name="Count them").click()
    page.wait_for_selector("text=1,234 boards fit.")
    assert archives.questions("counts") == [{"where": ["HCP_N > 20"]}]


PLAIN = {"by": ["sayc"], "limit": ["500"], "format": ["pbn"]}


def test_boards_as_files(visit, archives):
    page = visit.open(address_of(archive="club", by="sayc", limit=500)).page
    page.wait_for_selector("text=at most 500 boards")
    link = page.get_by_role("link", name="PBN", exact=True)
    asked = [link.get_attribute("href")]
    page.get_by_label("with what sayc bids").check()
    asked.append(link.get_attribute("href"))
    assert {urlsplit(one).path for one in asked} == {"/v1/archives/club/boards"}
    queries = [parse_qs(urlsplit(one).query) for one in asked]
    assert queries == [PLAIN, {**PLAIN, "bids": ["true"]}]


def test_files_with_a_key(visit, archives):
    """A link would not carry it."""
    page = visit.open().page
    page.evaluate("sessionStorage.setItem('bidcascade.key', 'bc_key')")
    visit.open(address_of(archive="club", by="sayc", limit=500))
    take = page.get_by_role("button", name="PBN", exact=True)
    with page.expect_download() as download:
        take.click()
    assert download.value.suggested_filename == "club.pbn"
    assert PLAIN in archives.questions("boards")
    archives.problem = {"title": "Too many boards", "detail": "expected at most 100"}
    take.click()
    page.wait_for_selector("text=Too many boards. Expected at most 100.")


def test_what_is_wrong_with_a_question_is_told_below_it(visit, archives):
    page = visit.open(address_of(archive="club")).page
    visit.wait_said("1 board.")
    archives.problem = {
        "type": "urn:bidcascade:problem:invalid",
        "title": "Something in the request is wrong",
        "errors": [
            {
                "field": "where[0]",
                "value": "HCP_N >>",
                "reason": "expected a number\n  HCP_N >>\n         ^",
            }
        ],
    }
    page.get_by_label("Conditions on the hands").fill("HCP_N >>")
    find(page)
    visit.wait_said("expected a number.")
    said = page.locator("#view .notice.error").text_content()
    assert said == "Something in the request is wrong. Where[0]: expected a number."
    assert page.get_by_label("Conditions on the hands").input_value() == "HCP_N >>"
    archives.problem = None
    page.get_by_label("Conditions on the hands").fill("HCP_N > 1")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".board-item")


def test_what_the_service_does_not_know_is_asked_all_the_same(visit, archives):
    """It says what is wrong; nothing else is asked in its place."""
    page = visit.open(address_of(archive="club", by="gone", contract="9S", nonsense="1")).page
    page.wait_for_selector(".board-item")
    (asked,) = archives.questions("boards")
    assert asked == {"by": ["gone"], "contract": ["9S"], "limit": ["100"]}
    assert page.get_by_label("Auctions of").input_value() == "gone"


def test_only_who_has_it_is_asked_for_what_is_allowed(visit, archives):
    page = visit.open(address_of(archive="club")).page
    mode = page.get_by_label("Auctions that are")
    assert mode.is_disabled()
    for name, has in (("acol", False), ("sayc", True)):
        page.get_by_label("Auctions of").select_option(name)
        assert mode.is_enabled() == has
    page.get_by_label("Archive", exact=True).select_option("season")
    assert page.get_by_label("Auctions of").locator("option").all_text_contents() == [
        "the players",
        "sayc",
    ]


def test_no_archive_yet(visit, archives):
    archives.names = ()
    archives.damaged = {"old": "damaged catalogue"}
    page = visit.open("#view=archives").page
    visit.wait_said("There is no archive yet.")
    assert "bidcascade archive add club boards.pbn" in page.locator("#view").text_content()
    assert "old cannot be asked: damaged catalogue" in page.locator("#view").text_content()
    page.locator("#view").get_by_role("link", name="Jobs").click()
    page.wait_for_selector("text=No jobs yet")


def test_without_the_route_there_is_no_panel(visit):
    problem = {"type": "urn:bidcascade:problem:not-found", "title": "There is nothing at this path"}
    visit.page.route(ROUTES, lambda route: route.fulfill(status=404, json=problem))
    page = visit.open("#dealer=N&view=cards").page
    page.get_by_role("link", name="Jobs", exact=True).wait_for()
    assert page.get_by_role("link", name="Archives", exact=True).count() == 0
    visit.open("#view=archives")
    page.wait_for_selector("text=This service keeps no archives")


def test_a_file_is_uploaded_into_an_archive(visit, archives):
    posted = []
    job = {
        "id": "j1", "input": "may.pbn", "state": "done", "table": "", "mode": "archive",
        "archive": "club", "created": "2026-05-02T19:30:00.125Z", "results": [], "error": None,
        "progress": {"boards": 2, "of": 2, "rejects": 0},
    }  # fmt: skip

    def answer(route: Any) -> None:
        if route.request.method == "POST":
            posted.append(parse_qs(urlsplit(route.request.url).query))
            route.fulfill(status=202, body=json.dumps(job))
        else:
            route.fulfill(json={"jobs": [job] if posted else [], "next": None})

    visit.page.route(re.compile(r"/v1/jobs"), answer)
    page = visit.open("#view=jobs&table=acol").page
    file = {"name": "may.pbn", "mimeType": "text/plain", "buffer": b"x"}
    page.get_by_label("File").set_input_files(file)
    page.get_by_label("Find").select_option("archive")
    send = page.get_by_role("button", name="Upload and start")
    send.click()
    page.wait_for_selector("text=Name the archive")
    page.get_by_label("Archive, a new one").fill("club")
    send.click()
    page.get_by_role("link", name="Ask the archive club").click()
    page.wait_for_selector(".board-item")
    assert posted == [{"mode": ["archive"], "archive": ["club"], "name": ["may.pbn"]}]
    assert archives.questions("boards") == [{"limit": ["100"]}]


def test_with_the_service_itself(browser, tmp_path):
    """From no archive to a file of its boards, with nothing made up in between."""
    lin = "|".join((
        "md", "3SJ876HA65DQ93CJ94,ST32HT94DJT2CA876,SAQ4HKJ3DK876CQ52,", "sv", "n",
        "mb", "1N", "mb", "p", "mb", "p", "mb", "p", "mc", "8", "pg", "|\n",
    ))  # fmt: skip
    folders = {name: str(tmp_path / name) for name in ("data_folder", "archives_folder")}
    with ready_server(table=f"small={write_small_table(tmp_path)}", **folders) as (url, _):
        for visit in visiting(browser, url):
            page = visit.open("#view=archives").page
            visit.wait_said("There is no archive yet.")
            page.locator("#view").get_by_role("link", name="Jobs").click()
            file = {"name": "may.lin", "mimeType": "text/plain", "buffer": lin.encode()}
            page.get_by_label("File").set_input_files(file)
            page.get_by_label("Find").select_option("archive")
            page.get_by_label("Archive, a new one").fill("club")
            page.get_by_role("button", name="Upload and start").click()
            page.get_by_role("link", name="Ask the archive club").click(timeout=60_000)
            visit.wait_said("1 board.")
            assert "1NT by North +1" in page.locator(".board-item").text_content()
            page.get_by_role("link", name="one notrump, 1 board").click()
            page.wait_for_selector(".trail >> text=1NT")
            page.get_by_role("button", name="What is it worth?").click()
            page.wait_for_selector(".tiles")
            with page.expect_download() as download:
                page.get_by_role("link", name="LIN", exact=True).click()
            assert "SAQ4HKJ3DK876CQ52" in Path(download.value.path()).read_text("utf-8")
            page.get_by_label("Conditions on the hands").fill("HCP_N >= 16")
            find(page)
            visit.wait_said("0 boards.")
            page.get_by_label("Conditions on the hands").fill("HCP_N >>")
            find(page)
            visit.wait_said("expected")
            page.get_by_label("Conditions on the hands").fill("HCP_N >= 15\nHCP_S <= 8")
            page.get_by_text("Players, results, and how").click()
            page.get_by_label("By chance").check()
            page.get_by_label("Equal shares").select_option("dealer")
            find(page)
            page.wait_for_selector(".board-item .badge >> text=N")
