"""The list of boards says what results are worth, what calls cost and how cards were played."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from bidcascade.bridge import Vulnerability as Sides
from bidcascade.bridge import imps, is_vulnerable, parse_contract, score
from bidcascade.inference.double_dummy.par import par_results
from bidcascade.kernels.core.functions import solve_tables
from bidcascade.loaders import HAND_COLUMNS, read_lin
from tests.page.boards.test_page_boards import drop, items
from tests.page.support_browser import Visit, no_compiler_words, open_view, visiting, without_engine

pytestmark = pytest.mark.slow

HANDS = ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]
FILE = "lin/vugraph/10573.lin"
"""Eight boards at two tables."""
COST = r"/cost (\d+) IMP/"


def club_night(results: Sequence[str]) -> str:
    """PBN of one deal with results as "3NT N 9"."""
    deal = f'[Deal "N:{" ".join(HANDS)}"]\n[Dealer "N"]\n[Vulnerable "None"]\n'
    return "".join(
        f'[Board "1"]\n{deal}[Contract "{contract}"]\n[Declarer "{seat}"]\n[Result "{tricks}"]\n\n'
        for contract, seat, tricks in (one.split() for one in results)
    )


def listed(visit: Visit, name: str, content: str | bytes) -> Any:
    page = visit.open("#dealer=N").page
    page.wait_for_selector("#view > *")
    drop(visit, {name: content})
    visit.wait_said("boards. The system bids differently on")
    return page


def solve_all(visit: Visit) -> None:
    visit.page.get_by_label("Order").select_option("by what calls cost, most first")
    visit.page.get_by_role("button", name="Solve").click()
    visit.wait_said("boards solved.")


def boards_with_worth(frame: pl.DataFrame) -> list[tuple[int, int]]:
    """IMPs against par of each board's contract at its best, and of its result."""
    hands = np.stack([frame[name].to_numpy() for name in HAND_COLUMNS])
    tables = solve_tables(hands.astype(np.uint64))
    found = []
    for row, table in zip(frame.iter_rows(named=True), tables, strict=True):
        dealer, sides = "NESW".index(row["dealer"]), Sides[row["vulnerability"].upper()]
        points, _ = par_results(table.reshape(1, 20), dealer, sides)
        contract = parse_contract(row["contract"] + row["declarer"])
        taken = int(table.reshape(4, 5)[contract.declarer, contract.strain])
        worth = score(contract, taken, vulnerable=is_vulnerable(sides, contract.declarer))
        signed = -worth if contract.declarer % 2 else worth
        found.append((imps(signed - int(points[0])), imps(row["score"] - int(points[0]))))
    return found


def test_a_real_match_is_told_what_its_calls_cost(browser, service, shared_data, axe, pictures):
    content = (shared_data / FILE).read_bytes()
    frame = read_lin(content).deals
    for visit in visiting(browser, service, viewport={"width": 1280, "height": 900}):
        page = listed(visit, Path(FILE).name, content)
        # those that are seen, of themselves; the others wait
        first = items(visit).first.locator(".board-worth")
        first.get_by_text("Par: ").wait_for()
        assert "Against the other table: 11 IMPs for North-South." in first.inner_text()
        assert page.locator(".board-worth", has_text="Par: ").count() < frame.height
        solve_all(visit)
        rows = page.evaluate(
            f"""() => [...document.querySelectorAll('.board-item')].map((item) => [
                item.querySelector('h4').textContent.trim().replace(/differs$/, ''),
                [...item.querySelectorAll('.costly-calls li')].map(({{textContent}}) => [
                    'NESW'.indexOf(textContent[0]), Number({COST}.exec(textContent)[1])]),
                item.querySelector('.board-worth').textContent,
            ])"""
        )
        assert len(rows) == frame.height == page.locator(".board-worth", has_text="Par: ").count()
        totals = [sum(loss for _, loss in costs) for _, costs, _ in rows]
        assert totals == sorted(totals, reverse=True)
        assert totals[0] > 0
        # what both sides lost is what lies between the contract and par
        expected = dict(zip(titles(frame), boards_with_worth(frame), strict=True))
        for title, costs, told in rows:
            at_best, at_table = expected[title]
            sides = [sum(loss for seat, loss in costs if seat % 2 == side) for side in (0, 1)]
            assert sides[1] - sides[0] == at_best, title
            better = f"{abs(at_table)} IMP" if at_table else "as good as par"
            assert f"the result is {better}" in told
        no_compiler_words(page.locator("#view").inner_text())
        page.screenshot(path=pictures / "board-worth.png")
        # the calls of one player's side
        page.get_by_text("By player, side and loss").click()
        page.get_by_label("Player").fill("lovejoy")
        page.get_by_label("Player").press("Enter")
        page.wait_for_function("() => document.querySelectorAll('.board-item').length === 8")
        page.get_by_label("Side").select_option("the player's own")
        page.get_by_label("IMPs lost, at least").fill("3")
        page.get_by_label("IMPs lost, at least").press("Enter")
        wanted = [
            title
            for title, costs, _ in rows
            if "closed" in title and sum(loss for seat, loss in costs if seat % 2) >= 3
        ]
        assert 0 < len(wanted) < 8
        count = f"() => document.querySelectorAll('.board-item').length === {len(wanted)}"
        page.wait_for_function(count)
        assert axe(page, "#view") == []
        # a call leads to its place, and the filter is there again
        page.locator(".costly-calls a").first.click()
        page.wait_for_function("() => location.hash.includes('at=')")
        page.go_back()
        page.wait_for_function(count)


def titles(frame: pl.DataFrame) -> list[str]:
    return [
        f"Board {number} ({room} room)" for number, room in frame.select("board", "room").rows()
    ]


def test_cards_of_a_real_match_are_judged(visit, shared_data):
    content = (shared_data / FILE).read_bytes()
    page = listed(visit, Path(FILE).name, content)
    item = items(visit).nth(1)
    item.get_by_text("Play: 29 cards").click()
    item.get_by_role("button", name="Judge each card").click()
    item.get_by_text("Double dummy South takes 11 tricks.").wait_for()
    assert item.locator(".played").count() == 29
    costly = item.locator(".played.costly")
    assert costly.count() == item.locator(".costly-cards li").count()
    item.locator(".played").first.click()
    told = item.locator(".verdict").inner_text()
    assert "double dummy" in told
    # nobody on the page chose it, and nothing is to be reported
    assert "chosen" not in told
    assert item.get_by_role("button", name="Report").count() == 0
    no_compiler_words(page.locator("#view").inner_text())


def test_a_club_night_has_matchpoints(visit):
    listed(visit, "club.pbn", club_night(["1NT N 8", "1NT N 8", "2NT N 8", "3NT S 8"]))
    # 120, 120, 120 and -50
    told = [one.inner_text() for one in visit.page.locator(".board-worth").all()]
    assert "2 of 3 matchpoints (67 %), +1.7 IMPs on average" in told[0]
    assert "0 of 3 matchpoints (0 %), −5.0 IMPs on average" in told[3]


def test_what_cannot_be_solved_is_told_until_it_can(visit):
    page = visit.open("#dealer=N").page
    page.wait_for_selector("#view > *")
    page.evaluate(
        """() => {
            globalThis.kept = globalThis.Worker;
            globalThis.Worker = class {
                postMessage({id, ask}) {
                    const error = {message: "The solver is away."};
                    if (ask === "solve") setTimeout(() => this.onmessage({data: {id, error}}));
                }
                terminate() {}
            };
        }"""
    )
    drop(visit, {"club.pbn": club_night(["1NT N 8", "3NT S 8"])})
    told = page.locator(".board-worth [role=alert]")
    told.wait_for()
    assert "The solver is away." in told.inner_text()
    page.evaluate("() => { globalThis.Worker = globalThis.kept; }")
    page.get_by_label("Order").select_option("by number")
    page.locator(".board-worth", has_text="Par: ").first.wait_for()
    assert told.count() == 0


def test_errors_go_with_their_cause(visit):
    without_engine(visit)
    visit.page.route("**/v1/auctions", lambda route: route.abort())
    page = visit.open("#dealer=N").page
    page.wait_for_selector("#view > *")
    drop(visit, {"club.pbn": club_night(["1NT N 8", "3NT S 8"])})
    told = page.locator("#view .notice.error")
    told.wait_for()
    page.unroute("**/v1/auctions")
    page.get_by_role("button", name="Bid 2 more").click()
    visit.wait_said("boards bid.")
    assert told.count() == 0
    # what was wrong with a file goes with the list
    drop(visit, {"empty.lin": ""})
    page.locator("#messages [role=alert]").wait_for()
    page.get_by_role("button", name="Empty the list").click()
    page.get_by_text("Drop files of boards anywhere").first.wait_for()
    assert page.locator("#messages [role=alert]").count() == 0


def test_work_ends_where_the_list_is_left(visit, shared_data):
    page = listed(visit, Path(FILE).name, (shared_data / FILE).read_bytes())
    items(visit).first.get_by_text("Par: ").wait_for()
    before = len(page.workers)
    open_view(page, "Convention card")
    page.wait_for_selector(".card-part")
    for _ in range(100):
        if len(page.workers) < before:
            break
        page.wait_for_timeout(50)
    assert len(page.workers) == before - 1


def test_double_dummy_stays_open(visit, shared_data):
    page = listed(visit, Path(FILE).name, (shared_data / FILE).read_bytes())
    items(visit).first.get_by_role("link", name="at the table").click()
    page.get_by_role("button", name="Double dummy", exact=True).click()
    panel = page.locator("#double-dummy")
    panel.get_by_text("Par: ").wait_for()
    # a call taken back and made again
    assert "Contract: 4♠ by South" in panel.inner_text()
    page.get_by_role("button", name="Undo").click()
    panel.get_by_text("Contract: ").wait_for(state="detached")
    assert panel.locator(".tricks").count() == 1
    page.keyboard.press("p")
    panel.get_by_text("Contract: ").wait_for()
    # the same cards at the other table, and then another deal
    table = panel.locator(".tricks").inner_text()
    for is_same in (True, False):
        page.get_by_role("button", name="Next board").click()
        panel.get_by_text("Par: ").wait_for()
        assert (panel.locator(".tricks").inner_text() == table) is is_same
    # a deal that is new is not told
    page.get_by_role("button", name="New deal").click()
    panel.locator(".tricks").wait_for(state="detached")
    assert panel.get_by_role("button", name="Double dummy", exact=True).count() == 1
