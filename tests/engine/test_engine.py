"""The engine: every answer held against the game's own rules or the definition in plain Python."""

from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    Auction,
    IllegalCall,
    InvalidDeal,
    InvalidHand,
    InvalidInput,
    InvalidTable,
    Seat,
    UnknownTerm,
    format_calls,
    format_hand,
    parse_calls,
    parse_deal,
)
from bidcascade.engine import Engine, answers
from bidcascade.engine.answers import distinct
from bidcascade.kernels import BACKENDS, get_backend, why_unavailable
from bidcascade.loaders import deal_arrays, deal_frame, empty_deals, random_deals
from bidcascade.systems import open_system
from bidcascade.systems.any_bidder import bidder_of
from bidcascade.table import build_table, explain_one, parse_expression
from tests.support.examples import examples
from tests.support.systems import sayc_table
from tests.support.tables import made_up_rows

DEALS = random_deals(60, seed=5)
SLOWEST = ("sayc", "reference")
HAND_NAMES = ("north", "east", "south", "west")


@pytest.fixture(scope="module")
def sayc():
    return sayc_table()


@pytest.fixture(scope="module")
def made_up():
    table, _ = build_table(made_up_rows(3000, seed=2), undescribed="pass")
    return table


@pytest.fixture(scope="module", params=["sayc", "made_up"])
def table(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(
    params=[
        # the definition takes its time for a large table
        pytest.param(
            (table, name),
            marks=[pytest.mark.slow] * ((table, name) == SLOWEST),
            id=f"{table}-{name}",
        )
        for table in ("sayc", "made_up")
        for name in BACKENDS
    ]
)
def engine(request):
    """An engine of each backend with each table."""
    table, name = request.param
    reason = why_unavailable(name)
    if reason is not None:
        pytest.skip(reason)
    return Engine(request.getfixturevalue(table), name)


@pytest.fixture(params=BACKENDS)
def backend(request):
    reason = why_unavailable(request.param)
    if reason is not None:
        pytest.skip(reason)
    return request.param


@pytest.fixture(params=["texts kept", "texts made"])
def either_size(request, monkeypatch):
    """Both ways from entries to calls: that of small tables, and that of large ones."""
    if request.param == "texts made":
        monkeypatch.setattr(answers, "_SMALL_TABLE", 0)


@cache
def listed(table, **options):
    """Entries of each deal by the reference backend."""
    (lists,) = get_backend("reference").cascade_all(table.plan(), deal_arrays(DEALS), **options)
    return [
        lists.entries[int(begin) : int(end)].tolist()
        for begin, end in zip(lists.offsets, lists.offsets[1:], strict=False)
    ]


@pytest.mark.slow
def test_all_lists_the_entries_that_hold(engine, either_size):
    table = engine.table
    found = engine.auctions(DEALS)
    expected = listed(table)
    assert found.columns[:4] == ["deal", "entry", "calls", "completed"]
    assert found.select("deal", "entry").rows() == [
        (deal, entry) for deal, entries in enumerate(expected) for entry in entries
    ]
    entries = found.unique("entry").select("entry", "calls", "completed")
    for entry, calls, completed in entries.iter_rows():
        auction = table.auction_of(entry)
        assert calls == format_calls(auction)
        assert completed == Auction.of(auction).is_complete


def test_options_of_all(engine):
    table = engine.table
    for options in ({"completed_only": True}, {"max_depth": 3}):
        found = engine.auctions(DEALS, **options)
        expected = listed(table, **options)
        assert found["entry"].to_list() == [entry for entries in expected for entry in entries]
    everything = listed(table)
    limited = engine.auctions(DEALS, limit=2)
    assert limited["entry"].to_list() == [entry for one in everything for entry in one[:2]]
    for deal, total, truncated in limited.select("deal", "total", "truncated").iter_rows():
        assert total == len(everything[deal])
        assert truncated == (total > 2)


def test_first_is_a_whole_auction_with_its_contract(engine, either_size):
    table = engine.table
    found = engine.auctions(DEALS, mode="first")
    expected = get_backend("reference").cascade_first(table.plan(), deal_arrays(DEALS))
    assert found["deal"].to_list() == list(range(DEALS.height))
    for row, dealer in zip(found.iter_rows(named=True), DEALS["dealer"], strict=True):
        auction = Auction.of(row["auction"], Seat("NESW".index(dealer)))
        assert auction.is_complete
        passes = int(expected.passes[row["deal"]])
        assert row["completed"] == (passes == 0)
        assert row["defaults"] == expected.defaults[row["deal"]]
        if row["entry"] is None:
            assert auction.calls == (0, 0, 0, 0)
        else:
            assert row["entry"] == expected.entry[row["deal"]]
            assert auction.calls == (*table.auction_of(row["entry"]), *(0,) * passes)
        if auction.contract is None:
            assert (row["contract"], row["declarer"]) == ("Pass", None)
        else:
            assert str(auction.contract) == row["contract"] + row["declarer"]


def test_contracts_with_doubles_either_way(either_size):
    auctions = [
        "1C X XX 1N P P X",
        "1H P 2N X P 3H X XX",
        "P P P P",
        "P",
        "7N X XX P",
        "1S 2S P 3S",
    ]
    rows = []
    for text in auctions:
        calls = text.split()
        rows += [
            {"prior": calls[:place], "call": call, "criteria": []}
            for place, call in enumerate(calls)
        ]
    table, _ = build_table(rows, undescribed="allow")
    columns = answers.EntryColumns(bidder_of(table))
    entries = np.array([table.find(parse_calls(text)) for text in auctions], np.uint32)
    whole = []
    for text in auctions:
        auction = Auction.of(parse_calls(text))
        while not auction.is_complete:
            auction = auction.add(0)
        whole.append(auction)
    passes = [
        len(auction.calls) - len(text.split())
        for auction, text in zip(whole, auctions, strict=True)
    ]
    first = answers.FirstAuctions(
        entries, np.array(passes, np.uint8), np.zeros(len(entries), np.uint16)
    )
    for dealer in range(4):
        found = columns.finished(first, np.full(len(entries), dealer, np.uint8))
        for row, auction in zip(found.iter_rows(named=True), whole, strict=True):
            contract = Auction.of(auction.calls, dealer).contract
            assert tuple(row["auction"]) == auction.calls
            assert row["contract"] + (row["declarer"] or "") == str(contract or "Pass")


def test_counts_sum_up_the_lists(engine):
    table = engine.table
    counts = engine.counts(DEALS)
    expected = {}
    for entries in listed(table):
        for entry in entries:
            expected[entry] = expected.get(entry, 0) + 1
    assert dict(counts.select("entry", "count").iter_rows()) == expected
    assert counts["entry"].is_sorted()
    assert counts["calls"][0] == format_calls(table.auction_of(counts["entry"][0]))


def test_members_tell_who_reaches_an_entry(engine):
    table = engine.table
    lists = listed(table)
    chosen = [lists[0][0], lists[1][-1], len(table) - 1, lists[0][0]]
    found = engine.members(DEALS, chosen)
    assert found.columns == [format_calls(table.auction_of(one)) for one in dict.fromkeys(chosen)]
    for entry in chosen:
        column = found[format_calls(table.auction_of(entry))]
        assert column.to_list() == [entry in entries for entries in lists]
    by_text = engine.members(DEALS, found.columns)
    assert by_text.equals(found)


def test_members_of_no_entry(sayc):
    engine = Engine(sayc, "cpu")
    for wrong in (len(sayc), -1, "7N X XX"):
        with pytest.raises(InvalidTable, match="expected an"):
            engine.members(DEALS, [wrong])


def test_expressions_on_all_hands(sayc, backend):
    expressions = [
        "HCP>=12",
        "SL_S >= SL_H",
        "Balanced or QT >= 2.5",
        "Seat == 2",
        "Vul_We",
        "True",
    ]
    found = Engine(sayc, backend).evaluate(DEALS, expressions)
    assert found.columns[:5] == [
        "HCP_N >= 12",
        "HCP_E >= 12",
        "HCP_S >= 12",
        "HCP_W >= 12",
        "SL_N_S >= SL_N_H",
    ]
    # one alone may be a text
    assert Engine(sayc, backend).evaluate(DEALS, "HCP>=12").equals(found[:, :4])
    deals = deal_arrays(DEALS)
    for text, first in zip(expressions[:3], range(0, 12, 4), strict=True):
        for seat in range(4):
            expected = [
                explain_one(int(hand), parse_expression(text), sayc.vocabulary)["holds"]
                for hand in deals.hands[seat]
            ]
            assert found.to_series(first + seat).to_list() == expected
    second = (DEALS["dealer"].to_physical().cast(pl.Int64) + 1) % 4
    assert found["Seat_N == 2"].to_list() == (second == 0).to_list()
    ns = DEALS["vulnerability"].cast(pl.String).is_in(["NS", "Both"])
    assert found["Vul_We_S"].to_list() == ns.to_list()


def test_an_unknown_term(sayc):
    with pytest.raises(UnknownTerm, match="'HPC'"):
        Engine(sayc, "cpu").evaluate(DEALS, ["HPC >= 12"])


def test_bid_makes_the_calls_of_mode_first(table):
    engine = Engine(table, "cpu")
    found = engine.auctions(DEALS.head(25), mode="first")
    for row, deal in zip(found.iter_rows(named=True), DEALS.iter_rows(named=True), strict=False):
        dealer = "NESW".index(deal["dealer"])
        for place in range(len(row["auction"])):
            answer = engine.bid(
                deal[HAND_NAMES[(dealer + place) % 4]],
                row["auction"][:place],
                dealer=Seat(dealer),
                vulnerability=deal["vulnerability"],
            )
            assert answer.call == format_calls(row["auction"][place : place + 1])
            holding = [candidate for candidate in answer.candidates if candidate.holds]
            assert answer.default_pass == (not holding)
            if holding:
                assert (answer.entry, answer.call) == (holding[0].entry, holding[0].call)
                assert not answer.note


def test_bid_outside_the_table():
    table, _ = build_table([{"prior": "", "call": "1N"}])
    answer = Engine(table, "cpu").bid("K52.AQ3.9876.KJ2", "7N P")
    assert (answer.call, answer.entry, answer.default_pass) == ("P", None, True)
    assert answer.note == "pass by default: the table does not have '7N'"


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("K52.AQ3.9876.KJ2", "1N P 1C"), {}, IllegalCall, "call 3, '1C', is illegal"),
        (("K52.AQ3.9876.KJ2", "1N P P P"), {}, IllegalCall, "got '1N P P P'"),
        (("K52.AQ3.9876.KJ",), {}, InvalidHand, "expected 13 cards, got 12"),
        ((1,), {}, InvalidHand, "expected a mask of 13 of 52 cards"),
        (("K52.AQ3.9876.KJ2",), {"dealer": "Q"}, InvalidDeal, "got 'Q'"),
        (("K52.AQ3.9876.KJ2",), {"vulnerability": "we"}, InvalidDeal, "got 'we'"),
    ],
)
def test_questions_that_cannot_be_answered(sayc, arguments, options, error, message):
    with pytest.raises(error, match=message):
        Engine(sayc, "cpu").bid(*arguments, **options)


def test_variants_that_matched():
    rows = [
        {"prior": "", "call": "2D", "name": "Weak", "criteria": ["SL_D >= 6", "HCP <= 10"]},
        {"prior": "", "call": "2D", "name": "Strong", "criteria": ["HCP >= 20"]},
        {"prior": "", "call": "2D", "name": "Long", "criteria": ["SL_D >= 7"]},
        {"prior": "2D", "call": "P", "description": "nothing to say", "criteria": []},
    ]
    table, _ = build_table(rows, undescribed="pass")
    deal = parse_deal("N:2.43.AKJT9876.32 KQJ.AKQ.Q54.AKQ4 - A43.765.2.JT9876")
    frame = deal_frame([deal])
    engine = Engine(table, "cpu")
    found = engine.auctions(frame)
    assert found["calls"].to_list() == ["2D", "2D P"]
    assert engine.variants(frame, found) == [["Weak", "Long"], ["nothing to say"]]
    answer = engine.bid(deal.hands[1], "")
    assert [candidate.name for candidate in answer.candidates if candidate.holds] == ["Strong"]


def test_frames_that_are_none(sayc):
    engine = Engine(sayc, "cpu")
    for frame, message in (
        (DEALS.drop("dealer"), "none named \\['dealer'\\]"),
        (DEALS.with_columns(north=pl.lit(3, pl.UInt64)), "in row 0"),
        (DEALS.with_columns(north=pl.col("east")), "disjoint hands"),
        (DEALS.with_columns(north=pl.lit("AKQ")), "got String"),
        (DEALS.with_columns(dealer=pl.lit("Q")), "expected N, E, S, W in column 'dealer'"),
        (DEALS.with_columns(vulnerability=pl.lit(None, pl.String)), "got null"),
    ):
        with pytest.raises(InvalidInput, match=message):
            engine.auctions(frame)


def test_wrong_options(sayc):
    engine = Engine(sayc, "cpu")
    for options, message in (
        ({"limit": 0}, "limit of at least 1"),
        ({"limit": -1}, "limit of at least 1"),
        ({"limit": 2.5}, "limit of at least 1, a whole number, got 2.5"),
        ({"max_depth": 0}, "max_depth of at least 1"),
        ({"max_depth": "3"}, "max_depth of at least 1, a whole number, got '3'"),
        ({"mode": "some"}, "'some'"),
        ({"mode": "first", "limit": 3}, "only in mode 'all'"),
    ):
        with pytest.raises(ValueError, match=message):
            engine.auctions(DEALS, **options)


def test_no_deals(engine):
    none = empty_deals()
    assert engine.auctions(none).schema == engine.auctions(DEALS).schema
    assert engine.auctions(none, limit=1).schema == engine.auctions(DEALS, limit=1).schema
    first = engine.auctions(none, mode="first")
    assert first.schema == engine.auctions(DEALS, mode="first").schema
    assert engine.counts(none).height == 0
    assert engine.members(none, [0]).height == 0
    assert engine.evaluate(none, ["HCP >= 3"]).height == 0


def test_an_empty_table():
    table, _ = build_table([])
    engine = Engine(table, "cpu")
    first = engine.auctions(DEALS, mode="first")
    assert first["contract"].unique().to_list() == ["Pass"]
    assert first["auction"].to_list() == [[0, 0, 0, 0]] * DEALS.height
    assert engine.auctions(DEALS).height == engine.counts(DEALS).height == 0
    assert engine.bid(int(DEALS["north"][0])).note == (
        "pass by default: the table has no call as opening call"
    )


def test_what_answers_say_about_the_table(sayc):
    engine = Engine(sayc, "reference", name="mine")
    assert engine.backend == "reference"
    assert engine.table_info() == {
        "name": "mine",
        "digest": sayc.digest,
        "profile": "gib",
        "undescribed": "allow",
    }
    engine.warm_up()
    system = Engine.open("sayc", "reference")
    assert system.table_info() == {
        "name": "sayc",
        "digest": open_system("sayc").digest,
        "profile": "gib",
        "undescribed": "allow",
    }
    system.warm_up()


def test_many_deals_come_in_chunks(sayc, monkeypatch):
    monkeypatch.setattr("bidcascade.engine.engine.FIRST_CHUNK", 7)
    engine = Engine(sayc, "cpu")
    parts = list(engine.iter_auctions(DEALS, mode="first"))
    assert [part.height for part in parts] == [7] * 8 + [4]
    assert pl.concat(parts)["deal"].to_list() == list(range(60))


@given(st.lists(st.integers(0, 40), max_size=60), st.integers(41, 1000))
@examples(60)
def test_distinct_numbers_and_their_places(numbers, size):
    array = np.array(numbers, np.uint32)
    found, place = distinct(array, size)
    assert found.tolist() == sorted(set(numbers))
    assert found[place].tolist() == numbers


def test_hands_as_text_or_mask(sayc):
    engine = Engine(sayc, "cpu")
    for hand in DEALS["north"].head(5):
        assert engine.bid(hand) == engine.bid(format_hand(hand))
