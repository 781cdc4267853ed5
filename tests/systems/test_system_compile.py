"""From systems to tables, and beyond them: the same calls as the system makes one by one."""

import threading

import pytest

from bidcascade.bridge import PASS, Auction, parse_calls
from bidcascade.kernels import get_backend
from bidcascade.systems.auctions.bidder import seen_from_dealer
from bidcascade.systems.system import System
from bidcascade.systems.tables.compile import Growth, Sample, compile_system
from bidcascade.table.build import TableBuilder
from bidcascade.table.row import Row
from tests.support.deals import mixed_deals
from tests.support.systems import SMALL_SYSTEM, bid_call_by_call

SMALL = System.parse(SMALL_SYSTEM)


def rows_behind(system: System, auction: str = "") -> list[Row]:
    """Rows of a place of the compiled table, by rank."""
    prior = bytes(parse_calls(auction))
    rows = [row for row in compile_system(system, deals=400).rows() if row.prior == prior]
    return sorted(rows, key=lambda row: row.rank)


def test_deals_seen_from_the_dealer():
    deals = mixed_deals(40, 8)
    turned = seen_from_dealer(deals)
    assert not turned.dealer.any()
    for deal in range(40):
        dealer, sides = int(deals.dealer[deal]), int(deals.vulnerability[deal])
        for position in range(4):
            seat = (dealer + position) % 4
            assert turned.hands[position, deal] == deals.hands[seat, deal]
            assert turned.vulnerability[deal] >> (position & 1) & 1 == sides >> (seat & 1) & 1


@pytest.mark.parametrize("least", [1, 5])
def test_mode_first_of_the_table_is_the_systems_bidding(least):
    """Also for a call whose lines stand at two ranks, with another call's line between."""
    table = compile_system(SMALL, deals=400, least=least)
    deals = mixed_deals(300, 21)
    first = get_backend("cpu").cascade_first(table.plan(), deals)
    inside = 0
    for deal in range(300):
        calls = bid_call_by_call(SMALL, deals, deal)
        bid = tuple(table.auction_of(int(first.entry[deal])))
        if first.passes[deal] == 0:
            inside += 1
            assert bid == calls
        else:
            assert calls[: len(bid)] == bid
    assert inside > 100


def test_a_call_at_two_ranks_leaves_alone_what_stands_between():
    rows = {row.name: row for row in reversed(rows_behind(SMALL, "1N P"))}
    assert rows["Weak with diamonds"].call == rows["Longer diamonds"].call
    # game comes first: ten points are denied to the later line
    assert rows["Weak with diamonds"].rank < rows["Game"].rank < rows["Longer diamonds"].rank
    assert "not HCP >= 10" in rows["Longer diamonds"].criteria
    assert len(rows["Weak with diamonds"].criteria) == 2


def test_a_line_behind_one_for_any_hand_makes_no_row():
    system = System.parse(
        "opening:\n  1C = Clubs: 12+ points\n  Pass = Rest: 0+ points\n  1C = Never: 8+ points\n"
    )
    rows = rows_behind(system)
    assert [(row.call, row.name) for row in rows] == [(3, "Clubs"), (PASS, "Rest")]


def test_rows_say_where_they_are_from():
    row = next(row for row in rows_behind(SMALL) if row.name == "Strong")
    assert (row.where, row.tags) == ("<text>:6", ("artificial", "forcing", "#strong"))
    assert row.description == "22+ points"


def test_rows_of_many_places_at_once_are_the_rows_one_by_one():
    table = compile_system(SMALL, deals=400)
    builder = TableBuilder(undescribed="allow", source=table.source)
    builder.add(table.rows())
    assert builder.finish()[0].digest == table.digest


def test_places_that_few_deals_reach_are_left_open():
    sample = Sample.random(500, seed=4)
    growth = Growth(SMALL.bidder(), sample, least=20)
    expanded = {
        place.calls: sum(len(deals) for _, deals in taken) for _, place, taken in growth.places()
    }
    assert min(expanded.values()) >= 20
    assert growth.left_open > 0
    table = compile_system(SMALL, deals=500, seed=4, least=20)
    for calls in expanded:
        entry = table.find(calls) if calls else None
        assert entry is not None or not calls
        assert any(table.call[child] == PASS for child in table.children(entry))


def test_growth_is_the_same_for_the_same_seed():
    first, second = (compile_system(SMALL, deals=300, seed=9) for _ in range(2))
    assert first.digest == second.digest
    assert compile_system(SMALL, deals=300, seed=10).digest != first.digest


def test_several_threads_may_ask_for_places():
    shared = System.parse(SMALL_SYSTEM).bidder()
    auctions = [tuple(parse_calls(text)) for text in ("1N P 2C", "1H 2C P", "P 1D 1S X", "2C P 2D")]
    failures = []

    def ask(turn):
        try:
            for number in range(30):
                calls = auctions[(turn + number) % 4]
                assert shared.place(calls).calls == calls
        except Exception as error:  # told in the main thread
            failures.append(error)

    threads = [threading.Thread(target=ask, args=(turn,)) for turn in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_every_auction_of_the_table_is_legal():
    table = compile_system(SMALL, deals=300)
    for entry in range(len(table)):
        auction = Auction.of(table.auction_of(entry))
        assert auction.is_complete == table.is_completed(entry)
