"""The engine of a system: calls with reasons, auctions, counts and members, and no table."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest

from bidcascade.bridge import (
    Auction,
    IllegalCall,
    InvalidCall,
    InvalidTable,
    NoSystem,
    Seat,
    format_call,
    format_calls,
    parse_call,
    parse_calls,
)
from bidcascade.engine import Engine
from bidcascade.engine.answers import ALLOWED_SCHEMA
from bidcascade.engine.runs.columns.augment import augment
from bidcascade.kernels import DealArrays
from bidcascade.kernels.machine import threads
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.service.api.shared.auction_results import AuctionResults
from bidcascade.systems import registry
from bidcascade.systems.allowed_index import allowed_nodes, allowed_rows
from bidcascade.systems.auctions import allowed, bidder
from bidcascade.systems.auctions.allowed import ListingBounds
from bidcascade.systems.bidding import system_bidder
from bidcascade.systems.bidding.bidder_protocol import Query
from bidcascade.systems.reference.allowed_auctions import allowed_auctions
from bidcascade.systems.system import System
from bidcascade.systems.tables.compile import compile_system
from bidcascade.table import build_table
from tests.support.systems import SMALL_SYSTEM, bid_call_by_call, definition_of

SMALL = System.parse(SMALL_SYSTEM, name="small.bidding")


@pytest.fixture(scope="module")
def table():
    return compile_system(SMALL, deals=120, least=3)


@pytest.fixture
def engine(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("nobody asked for a table")

    monkeypatch.setattr(registry, "table_of", refuse)
    return Engine(SMALL, "cpu", name="small")


def deals_and_frame(count: int, seed: int) -> tuple[DealArrays, pl.DataFrame]:
    frame = random_deals(count, seed=seed)
    # the generator deals round the table in step; here dealers and sides are mixed
    rng = np.random.default_rng(seed)
    sides = [("None", "NS", "EW", "Both")[number] for number in rng.integers(0, 4, count)]
    dealers = ["NESW"[number] for number in rng.integers(0, 4, count)]
    frame = frame.with_columns(
        pl.Series("dealer", dealers, frame.schema["dealer"]),
        pl.Series("vulnerability", sides, frame.schema["vulnerability"]),
    )
    return deal_arrays(frame), frame


@pytest.mark.parametrize("by_table", [False, True])
def test_an_index_answers_as_members_do(engine, table, by_table):
    engine = Engine(table, "cpu") if by_table else engine
    deals, frame = deals_and_frame(300, 8)
    nodes = allowed_nodes(engine.allowed_calls(deals))
    texts = ["P", "1N", "1N P 2C", "1N P 2C P", "1S P P 2D"]
    wanted = [text for text in texts if not by_table or table.find(parse_calls(text)) is not None]
    asked = 0
    for text in wanted:
        expected = engine.members(frame, [text]).to_series().arg_true()
        found = allowed_rows(
            nodes, bytes(parse_calls(text)), lambda rows: engine.allowed_calls(deals.take(rows))
        )
        assert found.tolist() == expected.to_list()
        asked += len(found)
    assert asked > 300


@pytest.mark.parametrize("calls", [(), ("1N", "P"), ("1C", "X", "P")])
def test_calls_may_stand_each_by_itself(engine, calls):
    hand = "K52.AQ32.9876.K2"
    answer = engine.bid(hand, " ".join(calls))
    assert answer == engine.bid(hand, list(calls)) == engine.bid(hand, parse_calls(calls))
    with pytest.raises(InvalidCall, match="'8N'"):
        engine.bid(hand, [*calls, "8N"])


@pytest.mark.parametrize("few", [0, 2000])
def test_mode_first_is_the_systems_bidding(engine, monkeypatch, few):
    monkeypatch.setattr(bidder, "FEW", few)
    deals, frame = deals_and_frame(250, 12)
    found = engine.auctions(frame, mode="first")
    assert found["completed"].all()
    assert found["entry"].null_count() == 250
    for row in found.iter_rows(named=True):
        calls = bid_call_by_call(SMALL, deals, row["deal"])
        assert tuple(row["auction"]) == calls
        dealer = Seat(int(deals.dealer[row["deal"]]))
        contract = Auction.of(calls, dealer).contract
        assert row["contract"] == ("Pass" if contract is None else contract.name)
        assert row["declarer"] == (None if contract is None else contract.declarer.letter)


def test_frames_of_any_size(engine, monkeypatch):
    _, frame = deals_and_frame(50, 6)
    whole = engine.auctions(frame, mode="first")
    monkeypatch.setattr("bidcascade.engine.engine.FIRST_CHUNK", 7)
    assert pl.concat(engine.iter_auctions(frame, mode="first")).equals(whole)
    assert engine.auctions(frame.head(0), mode="first").height == 0


def test_nobody_uses_a_bidder_before_its_numbers_are_written(engine, monkeypatch):
    deals, frame = deals_and_frame(20, 9)
    places, tries = engine.bidder.places, []

    def bid_while_others_want_to(deals, backend=None):
        bid = bidder.Bidder.bid(places, deals, backend=backend)
        with ThreadPoolExecutor(1) as other:
            tries.append(other.submit(places.lock.acquire, blocking=False).result())
        return bid

    monkeypatch.setattr(places, "bid", bid_while_others_want_to)
    engine.auctions(frame, mode="first")
    AuctionResults(engine).write(deals, Query("first"))
    assert tries == [False, False]


def test_json_tells_what_the_frames_tell(engine):
    deals, frame = deals_and_frame(120, 9)
    found = engine.auctions(frame, mode="first")
    written = [json.loads(one) for one in AuctionResults(engine).write(deals, Query("first"))]
    for result, row in zip(written, found.iter_rows(named=True), strict=True):
        (auction,) = result["auctions"]
        assert " ".join(auction["calls"]) == format_calls(row["auction"])
        assert (auction["entry"], auction["completed"]) == (row["entry"], True)
        place = SMALL.expand(row["auction"][:-1])
        assert set(auction["variants"]) <= {one.name for one in place.entries} | {"Pass"}


ALL_COLUMNS = ["deal", "entry", "calls", "completed", "variants", "total", "truncated", "cut"]


def test_mode_all_is_of_the_system(engine, monkeypatch):
    deals, frame = deals_and_frame(40, 2)
    for options, bounds in (
        ({}, ListingBounds()),
        ({"limit": 7}, ListingBounds(7)),
        ({"max_depth": 3}, ListingBounds(depth=3)),
        ({"completed_only": True, "limit": 2}, ListingBounds(2, completed_only=True)),
    ):
        found = engine.auctions(frame, **options)
        assert found.columns == ALL_COLUMNS
        assert found["entry"].null_count() == found.height
        rows = found.select("calls", "completed", "variants").rows()
        for deal in range(40):
            expected, cut = allowed_auctions(definition_of(SMALL), deals, deal, bounds)
            here, rows = rows[: len(expected)], rows[len(expected) :]
            assert here == [
                (format_calls(calls), done, list(names)) for calls, done, names in expected
            ]
            answer = found.filter(deal=deal)
            total = len(expected) + (cut == "limit")
            assert set(answer.select("total", "truncated", "cut").rows()) == {
                (total, cut is not None, cut)
            }
        assert not rows
        assert engine.variants(frame, found) == found["variants"].to_list()
    monkeypatch.setattr("bidcascade.systems.bidding.system_bidder.ALLOWED_CHUNK", 7)
    parts = list(engine.iter_auctions(frame, limit=9))
    assert [part["deal"].n_unique() for part in parts] == [7] * 5 + [5]
    assert pl.concat(parts).equals(engine.auctions(frame, limit=9))
    assert pl.concat(engine.iter_entries(frame)).equals(engine.auctions(frame))
    none = engine.auctions(frame.head(0))
    assert none.schema == found.schema
    assert none.height == 0


@pytest.mark.parametrize("options", [{}, {"limit": 6}, {"max_depth": 4, "completed_only": True}])
def test_mode_all_is_the_same_on_any_number_of_threads(engine, monkeypatch, options):
    deals, frame = deals_and_frame(150, 12)
    monkeypatch.setattr(threads, "thread_count", lambda: 1)
    alone = engine.auctions(frame, **options)
    several = Engine(System.parse(SMALL_SYSTEM, name="small.bidding"), "cpu")
    monkeypatch.setattr(threads, "thread_count", lambda: 3)
    monkeypatch.setattr(system_bidder, "thread_count", lambda: 3)
    assert several.auctions(frame, **options).equals(alone)
    assert len(several.bidder._further) == 2
    query = Query(
        "all", options.get("completed_only", False), options.get("limit"), options.get("max_depth")
    )
    written = AuctionResults(engine).write(deals, query)
    results = AuctionResults(several)
    for _ in range(2):
        assert results.write(deals, query) == written


def test_a_thread_that_fails_ends_mode_all(engine, monkeypatch):
    _, frame = deals_and_frame(150, 13)
    monkeypatch.setattr(threads, "thread_count", lambda: 2)
    monkeypatch.setattr(system_bidder, "thread_count", lambda: 2)

    def fail(bidder, deals, bounds, *, backend):
        raise InvalidTable("expected something else")

    with monkeypatch.context() as broken:
        broken.setattr(allowed, "list_allowed", fail)
        with pytest.raises(InvalidTable, match="something else"):
            engine.auctions(frame)
    # locks were let go
    with ThreadPoolExecutor(1) as elsewhere:
        assert elsewhere.submit(engine.auctions, frame, limit=3).result(timeout=60).height


def test_mode_all_goes_on_where_somebody_works_at_the_places(engine, monkeypatch):
    _, frame = deals_and_frame(150, 14)
    expected = engine.auctions(frame, limit=9)
    monkeypatch.setattr(threads, "thread_count", lambda: 2)
    monkeypatch.setattr(system_bidder, "thread_count", lambda: 2)
    with ThreadPoolExecutor(1) as elsewhere, engine.bidder.places.lock:
        found = elsewhere.submit(engine.auctions, frame, limit=9).result(timeout=60)
    assert found.equals(expected)


def test_json_of_mode_all_tells_what_the_frames_tell(engine, monkeypatch):
    deals, frame = deals_and_frame(50, 8)
    results = AuctionResults(engine)
    monkeypatch.setattr("bidcascade.systems.bidding.system_bidder.ALLOWED_CHUNK", 20)
    for limit, completed_only in ((5, False), (300, False), (4, True), (5, False)):
        found = engine.auctions(frame, limit=limit, completed_only=completed_only)
        query = Query("all", completed_only, limit)
        told = [
            (deal, None, " ".join(one["calls"]), one["completed"], one["variants"],
             result["total"], result["truncated"], result["cut"])
            for deal, result in enumerate(map(json.loads, results.write(deals, query)))
            for one in result["auctions"]
        ]  # fmt: skip
        assert told == found.rows()
        # numbers of places mean something else afterwards
        engine.bidder.places.start_over()


def test_counts_and_members_are_of_the_system(engine):
    _, frame = deals_and_frame(60, 2)
    found = engine.auctions(frame, max_depth=4, limit=1 << 20)
    found = found.filter(pl.col("calls").str.count_matches(" ") < 4)
    expected = found.group_by("calls").len("count").filter(pl.col("count") >= 6)
    counts = engine.counts(frame, share=0.1, max_depth=4)
    assert counts.columns == ["entry", "calls", "count", "least", "cut"]
    assert dict(counts.select("calls", "count").iter_rows()) == dict(expected.iter_rows())
    assert set(counts.select("entry", "least", "cut").rows()) == {(None, 6, "depth")}
    members = engine.members(frame, [*counts["calls"], "7C X XX 7D"])
    assert members.width == counts.height + 1
    assert [members[calls].sum() for calls in counts["calls"]] == counts["count"].to_list()
    assert engine.counts(frame.head(0)).height == 0
    assert engine.members(frame.head(0), ["1N P 2C"]).shape == (0, 1)
    for wrong, error in ((["1N 1C"], IllegalCall), ([""], InvalidTable), ([3], InvalidTable)):
        with pytest.raises(error):
            engine.members(frame, wrong)
    for options in ({"share": 2.0}, {"share": -0.1}, {"max_depth": 0}):
        with pytest.raises(ValueError, match="expected a"):
            engine.counts(frame, **options)


def test_columns_of_any_auction(engine):
    _, frame = deals_and_frame(30, 5)
    deep = "1N P 2C P 2H P 3N P P P"
    wide = augment(engine, frame, auctions=["1N", deep])
    assert wide.columns[-2:] == ["1N", deep]
    assert wide.select("1N", deep).equals(engine.members(frame, ["1N", deep]))


def test_a_call_has_its_reasons(engine):
    answer = engine.bid("K52.AQ32.J876.Q2", "1N P")
    assert (answer.call, answer.name, answer.where) == ("2C", "Stayman", "small.bidding:16")
    assert answer.description == "8+ points, 4-card major"
    assert (answer.agreements, answer.forced, answer.default_pass) == (
        ["artificial", "forcing"],
        False,
        False,
    )
    by_name = {one.name: one for one in answer.candidates}
    game = by_name["Game"]
    assert (game.holds, game.taken_by) == (True, "2C Stayman (small.bidding:16)")
    assert by_name["Stayman"].taken_by is None
    weak = by_name["Weak with diamonds"]
    assert [(one["expression"], one["value"]) for one in weak.criteria if not one["holds"]] == [
        ("HCP <= 7", 12),
        ("SL_D >= 6", 4),
    ]
    assert weak.taken_by is None
    assert [one.name for one in answer.candidates][:2] == ["Stayman", "Weak with diamonds"]


def test_a_system_numbers_nothing(engine):
    answer = engine.bid("K52.AQ32.J876.Q2", "1N P")
    assert {answer.entry, *(one.entry for one in answer.candidates)} == {None}
    assert engine.bidder.entry_of(parse_calls("1N P 2C")) is None
    assert engine.bidder.numbers()["entries"] is None
    assert engine.bidder.overlays == ()


@pytest.mark.parametrize("auction", ["", "1N P", "1N 3D P 4C", "1N P P", "7N P P"])
def test_next_says_how_many_calls_follow(engine, auction):
    calls = tuple(parse_calls(auction))
    found = engine.bidder.next(calls)
    place = SMALL.expand(calls)
    assert found.auction == auction.split()
    assert [one.call for one in found.entries] == list(
        dict.fromkeys([*(format_call(line.call) for line in place.entries), "P"])
    )
    for one in found.entries:
        behind = engine.bidder.next((*calls, parse_call(one.call)))
        assert (one.next, one.completed) == (len(behind.entries), behind.completed)
    named = [variant.name for one in found.entries for variant in one.variants]
    assert {line.name for line in place.entries} <= {*named}


def test_rows_are_compiled_for_those_who_ask(table, monkeypatch):
    asked = []
    monkeypatch.setattr(registry, "table_of", lambda system: asked.append(system) or table)
    engine = Engine(SMALL, "cpu")
    _, frame = deals_and_frame(60, 2)
    engine.auctions(frame, limit=5)
    assert not asked
    counted = Engine(table, "cpu").count_entries(frame)
    assert engine.count_entries(frame).tolist() == counted.tolist()
    assert engine.table is engine.table is table
    assert len(asked) == 1
    assert asked[0].bidder() is not SMALL.bidder(), "others bid meanwhile"


def test_digests_are_of_what_is_said(tmp_path):
    first, renamed, other = (tmp_path / f"{name}.bidding" for name in ("a", "b", "c"))
    for path in (first, renamed):
        path.write_text("option weak:\n  opening:\n    1NT = Weak: 12-14 points, balanced\n")
    other.write_text('opponents play "a"\nopening:\n  1NT = Strong: 15-17 points, balanced\n')
    digest = Engine.open(str(first)).digest
    assert digest == Engine.open(str(renamed), "reference").digest
    assert digest != Engine.open(str(first), options={"weak": True}).digest
    before = Engine.open(str(other)).digest
    first.write_text(first.read_text().replace("12-14", "11-14"))
    assert Engine.open(str(first)).digest != digest
    # auctions have the opponents' calls too
    assert Engine.open(str(other)).digest != before


@pytest.mark.parametrize(
    ("auction", "forced", "note"),
    [
        ("7N P", False, "pass by default: the system has no line here"),
        ("7C X XX 7N", False, "pass by default: the system has no line here"),
        ("1N", False, "pass by default: no line of the system holds"),
    ],
)
def test_every_auction_has_an_answer(engine, auction, forced, note):
    answer = engine.bid("5432.432.J876.Q2", auction)
    assert (answer.call, answer.default_pass, answer.forced) == ("P", True, forced)
    assert answer.note == note


def test_a_gap_after_a_forcing_call_is_told():
    text = "opening:\n  2C = Strong: 22+ points; forcing\nafter 2C:\n  2D = Good: 8+ points\n"
    engine = Engine(System.parse(text), "cpu")
    answer = engine.bid("5432.432.J876.Q2", "2C P")
    assert (answer.call, answer.forced) == ("P", True)
    assert answer.note == (
        "pass by default: no line of the system holds, though partner's call is forcing"
    )


def test_auctions_that_are_none(engine):
    for auction in ("1N P P P", "1N 1C"):
        with pytest.raises(IllegalCall):
            engine.bid("5432.432.J876.Q2", auction)


def test_the_engine_explains(engine, table):
    explained = engine.explain("1N P")
    assert explained.calls[0].points == (15, 17)
    assert engine.expand("1N P").calls == (7, 0)
    assert engine.system is engine.bidder.plain_system is SMALL
    rows = Engine(table, "cpu")
    for asked in (lambda: rows.explain("1N P"), lambda: rows.expand("1N P"), lambda: rows.system):
        with pytest.raises(NoSystem, match="expected a system, got a table of"):
            asked()


def test_an_engine_opened_by_path(tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))
    path = tmp_path / "mine.bidding"
    path.write_text("opening:\n  1NT = Strong: 15-17 points, balanced\n")
    engine = Engine.open(str(path), "cpu")
    assert engine.bid("AK52.AQ3.976.KJ2").where == "mine.bidding:2"


def test_several_threads(engine):
    _, frame = deals_and_frame(40, 15)
    expected = engine.auctions(frame, mode="first")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: engine.auctions(frame, mode="first"), range(6)))
    assert all(one.equals(expected) for one in found)


def test_mode_all_has_one_schema(engine):
    """Of tables and systems, with a limit and without, and where no auction is there."""
    deals = random_deals(30, seed=4)
    table = Engine(
        build_table(
            [{"prior": "", "call": "1N", "criteria": ["HCP >= 12"]}, {"prior": "1N", "call": "P"}]
        )[0]
    )
    for one in (engine, table):
        for frame in (deals, deals.clear(), deals.filter(pl.col("north") == 0)):
            for limit in (None, 1, 50):
                assert one.auctions(frame, limit=limit).schema == ALLOWED_SCHEMA
        assert set(one.auctions(deals, limit=1)["cut"]) <= {"limit", "places", None}
    cut = table.auctions(deals, limit=1)
    assert cut["truncated"].to_list() == cut["cut"].is_not_null().to_list()
