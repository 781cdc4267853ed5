"""Vetting equals its definition, adds up in any order, finds nothing wrong with own auctions."""

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Auction, format_call, format_calls, parse_calls
from bidcascade.inference.quantiles import wilson_interval
from bidcascade.kernels import NO_ENTRY, DealArrays, get_backend
from bidcascade.table import build_table
from bidcascade.table.judging import UNDESCRIBED as NO_EXPRESSION
from bidcascade.table.judging import TableJudge
from bidcascade.workshop.evidence.vetting import NEVER, WHOLE, Vetting, VettingTally
from bidcascade.workshop.evidence.vetting_frames import COLUMNS, vetting_frames
from tests.support.deals import deals_in_turn
from tests.support.examples import examples
from tests.support.systems import sayc_table
from tests.workshop.evidence.support_evidence import call_lists
from tests.workshop.evidence.support_vetting import UNDESCRIBED, SlowJudge

DEALS = deals_in_turn(24)
TESTS = (
    "HCP >= 10", "HCP >= 13", "HCP <= 11", "Balanced", "not Balanced", "SL_S >= 4", "SL_H >= 4",
    "SL_S >= SL_H", "Vul_We", "Seat == 2", "Total_Points >= 12", "Stopper_C",
    "Opponents_Cannot_Play_Undoubled_Below_2N",
)  # fmt: skip
CALLS = ("P", "1C", "1H", "1N", "X", "2C", "2N")
CODES = parse_calls(" ".join(CALLS))


@st.composite
def tables(draw):
    """Small tables with several meanings for a call, undescribed calls, holes and tags."""
    rows = []
    priors = [""]
    for _ in range(draw(st.integers(1, 14))):
        prior = draw(st.sampled_from(priors))
        auction = Auction.of(parse_calls(prior))
        calls = [format_call(one) for one in CODES if auction.is_legal(one)]
        if not calls:
            continue
        call = draw(st.sampled_from(calls))
        criteria = draw(st.lists(st.sampled_from(TESTS), max_size=3, unique=True))
        rows.append({"prior": prior, "call": call, "criteria": criteria})
        priors.append(f"{prior} {call}".strip())
    policy = draw(st.sampled_from(("allow", "pass", "reject")))
    return build_table(rows or [{"prior": "", "call": "P"}], undescribed=policy)[0]


@st.composite
def auctions(draw, table):
    """An auction that stays in a table for a while, and may leave it."""
    auction, entry = Auction(), None
    for _ in range(draw(st.integers(0, 6))):
        here = table.children(entry) if entry is not None or not auction.calls else range(0)
        known = [int(table.call[one]) for one in here]
        legal = [call for call in CODES if auction.is_legal(call)]
        choice = draw(st.sampled_from(known + legal)) if known + legal else None
        if choice is None:
            break
        auction = auction.add(choice)
        entry = table.find(auction.calls)
        if auction.is_complete:
            break
    return auction.calls


def readable(vetting):
    """Counts of a vetting by the keys of the slow judge; zeros left out."""
    texts = vetting.judge.expressions

    def auction(entry):
        return () if entry < 0 else vetting.table.auction_of(entry)

    readers = {
        "place": auction,
        "leaves": lambda call: None if call == WHOLE else call,
        "stop_at": lambda depth: None if depth == NEVER else depth,
        "expression": lambda one: UNDESCRIBED if one == NO_EXPRESSION else texts[one],
    }

    def tallied(tally, keys, **own):
        found = Counter()
        for row in tally.frame.iter_rows(named=True):
            key = tuple((readers | own).get(name, int)(row[name]) for name in keys)
            for field in row.keys() - set(keys):
                found[(*key, field)] = row[field]
        return found

    return {
        name: +counter
        for name, counter in {
            "places": tallied(vetting.places, ["place"]),
            "calls": tallied(vetting.calls, ["place", "call"]),
            "instead": tallied(vetting.instead, ["place", "call", "instead"]),
            "entries": tallied(vetting.siblings, ["entry"]),
            "blocking": tallied(vetting.blocking, ["entry", "expression"]),
            "overlaps": tallied(vetting.overlaps, ["first", "second"]),
            "auctions": tallied(vetting.auctions, ["entry", "leaves", "stop_at"], entry=auction),
            "stops": tallied(vetting.stops, ["place", "call"]),
            "depths": tallied(vetting.depths, ["depth"]),
            "seats": tallied(vetting.seats, ["seat"]),
            "holding": tallied(vetting.holding, ["holding"]),
            "totals": Counter(
                {name: vetting.counts[name]
                 for name in ("deals", "without_auction", "calls", "beyond", "whole", "held")}
            ),
        }.items()
    }  # fmt: skip


@pytest.mark.slow
@examples(25, 100)
@given(data=st.data())
def test_vetting_equals_its_definition(data):
    table = data.draw(tables())
    bid = [data.draw(auctions(table)) for _ in range(data.draw(st.integers(0, 24)))]
    deals = DEALS.slice(0, len(bid))
    vetting = Vetting(table)
    vetting.add(deals, call_lists(bid))
    expected = SlowJudge(table).all(deals, bid)
    assert readable(vetting) == {name: +counter for name, counter in expected.items()}


@pytest.mark.slow
@examples(6, 15)
@given(data=st.data())
def test_chunks_add_up_in_any_order(data):
    table = data.draw(tables())
    bid = [data.draw(auctions(table)) for _ in range(12)]
    at_once, in_parts = Vetting(table), Vetting(table)
    at_once.add(DEALS.slice(0, 12), call_lists(bid))
    for begin in data.draw(st.permutations(range(0, 12, 4))):
        in_parts.add(DEALS.slice(begin, begin + 4), call_lists(bid[begin : begin + 4]))
    for name, frame in vetting_frames(at_once).items():
        assert frame.equals(vetting_frames(in_parts)[name]), name
    assert at_once.counts == in_parts.counts


@examples(25)
@given(tables())
def test_own_auctions_have_no_wrong_bids(table):
    vetting = Vetting(table)
    vetting.add(DEALS, call_lists(own_auctions(table, DEALS)))
    for wrong in ("allowed", "fails", "missing"):
        assert not vetting.places[wrong].sum()
    assert not vetting.instead.frame.height


def own_auctions(table, deals):
    """Auctions of mode ``first``, to their end."""
    first = get_backend("cpu").cascade_first(table.plan(), deals)
    return [
        (() if entry == NO_ENTRY else table.auction_of(entry)) + (0,) * passes
        for entry, passes in zip(first.entry.tolist(), first.passes.tolist(), strict=True)
    ]


@pytest.mark.slow
def test_sayc_agrees_with_itself():
    table = sayc_table()
    deals = deals_in_turn(3000, seed=7)
    vetting = Vetting(table)
    vetting.add(deals, call_lists(own_auctions(table, deals)))
    assert vetting.places["agrees"].sum() > 15_000
    assert not sum(vetting.places[name].sum() for name in ("allowed", "fails", "missing"))
    assert vetting.counts["whole"] == 3000
    assert vetting.counts["held"] == 3000
    # a described call fits its caller, and mostly nobody else
    described = vetting.counts["described"]
    turned = [vetting.counts[f"turned_{turn}"] for turn in range(4)]
    assert turned[0] > 0.999 * described
    assert max(turned[1:]) < 0.4 * described


def test_calls_turned_by_a_seat_are_noticed():
    table, _ = build_table(
        [
            {"prior": "", "call": "1N", "criteria": ["15 <= HCP <= 17"]},
            {"prior": "", "call": "P", "criteria": ["HCP <= 14"]},
        ]
    )
    deals = deals_in_turn(200)
    wrong_dealer = DealArrays(deals.hands, (deals.dealer + 1) % 4, deals.vulnerability)
    vetting = Vetting(table)
    openings = [auction[:1] for auction in own_auctions(table, deals)]
    vetting.add(wrong_dealer, call_lists(openings))
    held = [vetting.counts[f"turned_{turn}"] for turn in range(4)]
    assert held.index(max(held)) == 3


NOTRUMP = [
    {"prior": "", "call": "1N", "criteria": ["HCP >= 15", "HCP <= 17", "Balanced"]},
    {"prior": "1N", "call": "P"},
    {"prior": "1N P", "call": "2C", "description": "<b>Stayman</b>", "criteria": ["SL_H >= 4"]},
    {"prior": "1N P", "call": "3N", "criteria": ["HCP >= 10", "SL_H <= 3", "SL_S <= 3"]},
]


@pytest.fixture(scope="module")
def notrump():
    """Two thousand deals that all went 1N P 3N, whatever the hands."""
    table, _ = build_table(NOTRUMP)
    deals = deals_in_turn(2000, seed=3)
    vetting = Vetting(table)
    vetting.add(deals, call_lists([parse_calls("1N P 3N")] * 2000))
    return vetting, deals


def test_which_condition_failed_how_often(notrump):
    vetting, deals = notrump
    slow = SlowJudge(vetting.table)
    entry = vetting.table.find(parse_calls("1N P 3N"))
    failed, only = Counter(), Counter()
    for deal in range(2000):
        seat = (int(deals.dealer[deal]) + 2) % 4
        reasons = slow.failing(["HCP >= 10", "SL_H <= 3", "SL_S <= 3"], deals, deal, seat)
        failed.update(reasons)
        only.update(reasons if len(reasons) == 1 else ())
    frame = vetting_frames(vetting)["blocking"].filter(pl.col("entry") == entry)
    assert dict(frame.select("expression", "failed").iter_rows()) == failed
    assert dict(frame.select("expression", "only").iter_rows()) == only
    assert frame["failed"].is_sorted(descending=True)
    assert set(frame["made"]) == {2000}


def test_frames_have_the_columns_that_are_documented(notrump):
    frames = vetting_frames(notrump[0])
    assert {name: frame.columns for name, frame in frames.items()} == {
        name: list(columns) for name, columns in COLUMNS.items()
    }
    assert all(meaning for columns in COLUMNS.values() for meaning in columns.values())
    # an empty vetting has the same ones
    nothing = vetting_frames(Vetting(notrump[0].table))
    assert {name: frame.schema for name, frame in nothing.items()} == {
        name: frame.schema for name, frame in frames.items()
    }


def test_frames_tell_what_was_counted(notrump):
    vetting, _ = notrump
    frames = vetting_frames(vetting)
    auctions = frames["auctions"].row(0, named=True)
    assert (auctions["auction"], auctions["leaves"], auctions["deals"]) == ("1N P 3N", None, 2000)
    assert auctions["held"] == vetting.counts["held"]
    assert auctions["stop"] == "1N"
    call = frames["calls"].filter(pl.col("call") == "3N").row(0, named=True)
    assert call["made"] == 2000
    assert call["auction"] == "1N P"
    # most hands without four hearts and ten points pass
    assert call["instead"] == "P"
    assert frames["overlaps"].height == 0
    # auctions are in the words of the command line
    for text in frames["blocking"]["auction"]:
        assert format_calls(parse_calls(text)) == text
    expressions = frames["expressions"]
    by_text = {row["expression"]: row for row in expressions.iter_rows(named=True)}
    assert by_text["HCP >= 10"]["made"] == 2000
    # the pass over one notrump is undescribed and holds
    assert by_text[None]["made"] == 2000
    assert by_text[None]["failed"] == 0
    assert by_text["SL_H <= 3"]["kind"] == by_text["SL_S <= 3"]["kind"] == "SL_x <= n"
    assert expressions["failed"].sum() == frames["blocking"]["failed"].sum()
    places = frames["places"]
    assert places["wrong"].sum() == sum(
        places[name].sum() for name in ("allowed", "fails", "missing")
    )


def test_calls_and_places_outside_the_table():
    table, _ = build_table(NOTRUMP)
    bid = [parse_calls(text) for text in ("1N P 3N P P P", "1N P 2D P 2H", "1S P", "", "1N X")]
    vetting = Vetting(table)
    vetting.add(DEALS.slice(0, 5), call_lists(bid))
    frames = vetting_frames(vetting)
    places = {row["auction"]: row for row in frames["places"].iter_rows(named=True)}
    assert places["1N P 3N"]["ended"] == 1
    assert places["1N P"]["decisions"] == 2
    assert places["1N"]["decisions"] == 3
    assert frames["auctions"].filter(pl.col("auction") == "1N P 3N")["leaves"].to_list() == [None]
    leaving = frames["auctions"].filter(pl.col("leaves").is_not_null())
    assert set(leaving.select("auction", "leaves").iter_rows()) == {
        ("1N P", "2D"),
        ("", "1S"),
        ("1N", "X"),
    }
    assert vetting.counts["beyond"] == 2 + 2 + 1
    assert vetting.counts["without_auction"] == 1
    missing = frames["calls"].filter(pl.col("entry").is_null())
    assert set(missing["call"]) == {"P", "2D", "1S", "X"}


def test_wrong_lengths_are_refused():
    with pytest.raises(ValueError, match="expected 24 auctions, got 1"):
        Vetting(build_table(NOTRUMP)[0]).add(DEALS, call_lists([(0,)]))


def test_many_expressions_are_cut_into_parts(monkeypatch):
    table, _ = build_table(NOTRUMP)
    bid = [parse_calls("1N P 3N")] * 200
    deals = deals_in_turn(200)
    whole, cut = Vetting(table), Vetting(table)
    whole.add(deals, call_lists(bid))
    monkeypatch.setattr("bidcascade.table.judging.ROW_BYTES_AT_ONCE", 1)
    cut.add(deals, call_lists(bid))
    assert vetting_frames(whole)["blocking"].equals(vetting_frames(cut)["blocking"])
    assert whole.counts == cut.counts


def test_pairs_are_named_right():
    """All 38 calls at one place hold at once: every pair is counted under its own two entries."""
    rows = [
        {"prior": prior, "call": format_call(call)}
        for prior in ("", "1C", "1C P")
        for call in range(38)
        if Auction.of(parse_calls(prior)).is_legal(call)
    ]
    table, _ = build_table(rows, undescribed="allow")
    judge = TableJudge(table)
    lists = call_lists([parse_calls("1C P P P")])
    judgement = judge.judge(lists, DEALS.slice(0, 1), judge.rows(DEALS.slice(0, 1)))
    expected = {
        pair
        for prior in ("", "1C", "1C P")
        for pair in combinations(table.children(table.find(parse_calls(prior))), 2)
    }
    assert set(zip(*judgement.pairs.tolist(), strict=True)) == expected
    assert judgement.pairs.shape[1] == len(expected)
    assert set(judgement.pair_held.tolist()) == {1}


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 9)), max_size=9),
        max_size=5,
    )
)
def test_tally_counts(chunks):
    tally = VettingTally(("a", "b"), ("one", "two"))
    one, two = Counter(), Counter()
    for chunk in chunks:
        keys = np.array(chunk, np.int64).reshape(-1, 3).T
        tally.add([keys[0], keys[1]], one=keys[2], two=1)
        for a, b, count in chunk:
            one[a, b] += count
            two[a, b] += 1
    assert tally.frame.rows() == [(*key, one[key], two[key]) for key in sorted(two)]


@given(st.integers(0, 500), st.integers(0, 500))
def test_wilson_interval_encloses_the_share(hits, more):
    trials = hits + more
    low, high = wilson_interval([hits], [trials])
    share = hits / trials if trials else 0.5
    assert 0 <= low[0] <= share <= high[0] <= 1
    if trials:
        # ten times as much of the same is surer
        closer = wilson_interval([10 * hits], [10 * trials])
        assert closer[1][0] - closer[0][0] < high[0] - low[0]


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    # centre and reach worked out by hand from the formula with z = 1.96
    [(5, 10, 0.2366, 0.7634), (0, 10, 0.0, 0.2775), (81, 263, 0.2553, 0.3662)],
)
def test_wilson_interval_as_published(hits, trials, low, high):
    found = wilson_interval([hits], [trials])
    assert (round(float(found[0][0]), 4), round(float(found[1][0]), 4)) == (low, high)
