"""Whether a changed text is better: the match that Python plays, with and without a service."""

from typing import Any

import numpy as np
import pytest

from bidcascade.bridge import imps
from bidcascade.inference.double_dummy import default_pool
from bidcascade.inference.double_dummy.solved_deals import BANK_SEED, bank_hands
from bidcascade.inference.double_dummy.table_cache import user_tables
from bidcascade.inference.quantiles import quantile
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.service.cli import DONE, main
from bidcascade.systems.system import System
from bidcascade.workshop.boards.compare import SystemMatch
from bidcascade.workshop.boards.compare_summary import MatchSample, summarize
from bidcascade.workshop.boards.scored_boards import Budget
from tests.inference.double_dummy.support_double_dummy import made_up
from tests.page.support_browser import put_text, visiting
from tests.page.systems.test_page_systems import STRONG, opened, typed
from tests.support.systems import SMALL_SYSTEM

pytestmark = pytest.mark.slow

CHANGED = SMALL_SYSTEM.replace("15-17 points", "14-16 points")
BOARDS = 120
OVERCALL = "1NT = Strong notrump: RHO opened and 15-18 points or 17-18 points, balanced"


def test_imps_and_intervals_are_those_of_python(module):
    for difference in (0, 10, 20, -20, 40, 50, -599, 600, 3990, 4000, -9000):
        assert module("bridge/card_play", "impsOf", difference)["value"] == imps(difference)
    for degrees in (1, 2, 3, 10, 400):
        assert module("systems/system_match", "quantile", degrees)["value"] == pytest.approx(
            quantile(degrees), abs=1e-9
        )
    for boards, won in ((50, [3, -1, 7, 0]), (3, [1, 1]), (9, [5]), (4, []), (2, [6, 6])):
        values = np.zeros(boards)
        values[: len(won)] = won
        differs = np.arange(boards) < len(won)
        found = MatchSample(differs, np.ones(boards, bool)).mean(values)
        told = module("systems/system_match", "summaryOf", boards, won)["value"]
        assert (told["boards"], told["differs"]) == (boards, len(won))
        assert told["value"] == pytest.approx(found.value)
        if found.margin is None:
            assert told["low"] is told["high"] is None
        else:
            assert told["low"] == pytest.approx(found.value - found.margin)
            assert told["high"] == pytest.approx(found.value + found.margin)


def test_a_match_is_that_of_python(module_page):
    match = SystemMatch(
        System.parse(CHANGED),
        System.parse(SMALL_SYSTEM),
        deal_arrays(random_deals(BOARDS, BANK_SEED)),
    )
    match.work_out(default_pool(), Budget())
    found = summarize(match)
    assert found.kinds["differs"] > 5
    told = module_page.evaluate(
        """async ([first, second, boards]) => {
            const { playMatch } = bidcascade("systems/system_match.js");
            const texts = (text) => ({ main: "a.bidding", files: { "a.bidding": text } });
            const steps = [];
            const match = { first: texts(first), second: texts(second), boards };
            for await (const one of playMatch(match, AbortSignal.timeout(100000))) steps.push(one);
            return steps;
        }""",
        [CHANGED, SMALL_SYSTEM, BOARDS],
    )
    assert [one["boards"] for one in told] == [50, 100, BOARDS]
    last = told[-1]
    assert last["differs"] == found.kinds["differs"]
    assert last["value"] == pytest.approx(found.imps.value)
    assert last["low"] == pytest.approx(found.imps.value - found.imps.margin)
    assert last["high"] == pytest.approx(found.imps.value + found.imps.margin)


@pytest.fixture
def module_page(visit) -> Any:
    return visit.open().page


def test_whether_a_change_is_better(visit):
    """IMPs a board with the interval, time, and on what they were counted; it can be stopped."""
    page = opened(visit)
    typed(page, STRONG, STRONG.replace("15-17", "12-14"))
    page.wait_for_selector(".changes li")
    page.click("#system-better")
    page.get_by_text("s gone, about").wait_for(timeout=60_000)
    assert "of 2,000 boards" in page.inner_text("#view")
    # what is known by then is shown, and stays when it is stopped
    page.get_by_text("IMPs a board for the new version").wait_for(timeout=60_000)
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped after").wait_for()
    text = page.inner_text("#view")
    assert "IMPs a board for the new version" in text
    assert "interval of 95 %" in text
    assert not page.get_by_role("button", name="Stop").count()


def test_a_page_that_is_included_is_played_too(visit):
    page = opened(visit)
    page.select_option("#system-page", "overcalls.bidding")
    # nobody overcalls in notrump
    text = page.input_value("textarea")
    assert OVERCALL in text
    changed = text.replace(OVERCALL, OVERCALL.replace("15-18 points or 17-18", "19-20"))
    put_text(page.locator("textarea"), changed)
    page.wait_for_selector(".changes li")
    page.click("#system-better")
    page.get_by_text("IMPs a board for the new version").wait_for(timeout=100_000)
    page.get_by_role("button", name="Stop").click()


def test_without_a_service(browser, tmp_path, monkeypatch):
    """A folder has its solved deals with it, and says so where it has none."""
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    hands = bank_hands(BOARDS)
    user_tables().add(hands, made_up(hands))
    mine = tmp_path / "mine.bidding"
    mine.write_text(SMALL_SYSTEM, "utf-8")
    match = SystemMatch(
        System.parse(CHANGED),
        System.parse(SMALL_SYSTEM),
        deal_arrays(random_deals(BOARDS, BANK_SEED)),
    )
    match.work_out(None, Budget(), made_up(hands))
    found = summarize(match).imps
    for deals in (BOARDS, 0):
        site = tmp_path / f"site{deals}"
        command = ["page", "--out", str(site), str(mine), "--solved-deals", str(deals)]
        assert main(command) == DONE
        visits = visiting(browser, site.as_uri())
        page = next(visits).page
        page.goto(f"{site.as_uri()}/index.html#view=systems")
        page.wait_for_function("() => document.querySelector('textarea')?.value.length > 0")
        put_text(page.locator("textarea"), CHANGED)
        page.wait_for_selector(".changes li")
        page.click("#system-better")
        if deals:
            page.wait_for_function(
                f"() => document.querySelector('#view').innerText.includes('on {BOARDS} boards, ')"
            )
            text = page.inner_text("#view").replace("−", "-")
            assert f"{found.value:+.3f} IMPs a board for the new version" in text
            low, high = found.value - found.margin, found.value + found.margin
            assert f"({low:+.3f} to {high:+.3f})" in text
        else:
            page.get_by_text("This copy of the page has no solved deals").wait_for()
        assert next(visits, None) is None
