"""The engine of a system: calls with reasons, and deals that go on where the table ends."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest

from bidcascade.bridge import Auction, IllegalCall, Seat, format_calls, parse_calls
from bidcascade.kernels import DealArrays
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.service import Engine, answers
from bidcascade.service.auction_results import AuctionResults, Query
from bidcascade.table import open_system
from bidcascade.table.system import on_demand
from bidcascade.table.system.compile import compile_system
from bidcascade.table.system.system import System
from tests.support_systems import SMALL_SYSTEM, bid_call_by_call

SMALL = System.parse(SMALL_SYSTEM, name="small.bidding")


@pytest.fixture(scope="module")
def table():
    return compile_system(SMALL, deals=120, least=3)


@pytest.fixture
def engine(table):
    return Engine(table, "cpu", name="small", system=SMALL)


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


@pytest.mark.parametrize("few", [0, 2000])
@pytest.mark.parametrize("small", [True, False])
def test_mode_first_is_the_systems_bidding(engine, monkeypatch, small, few):
    monkeypatch.setattr(on_demand, "FEW", few)
    if not small:
        monkeypatch.setattr(answers, "_SMALL_TABLE", 1)
        engine = Engine(engine.table, "cpu", system=SMALL)
    deals, frame = deals_and_frame(250, 12)
    found = engine.auctions(frame, mode="first")
    left = found["entry"].null_count()
    assert 20 < left < 200
    assert engine.left_table == left
    assert found["completed"].all()
    for row in found.iter_rows(named=True):
        calls = bid_call_by_call(SMALL, deals, row["deal"])
        assert tuple(row["auction"]) == calls
        dealer = Seat(int(deals.dealer[row["deal"]]))
        contract = Auction.of(calls, dealer).contract
        assert row["contract"] == ("Pass" if contract is None else contract.name)
        assert row["declarer"] == (None if contract is None else contract.declarer.letter)
        if row["entry"] is not None:
            assert engine.table.auction_of(row["entry"]) == calls


@pytest.mark.slow
def test_sayc_bids_as_its_table_and_beyond(monkeypatch):
    """A few hundred deals of the real thing, grown little so that many leave the table."""
    monkeypatch.setattr(on_demand, "FEW", 0)
    system = open_system("sayc")
    engine = Engine(compile_system(system, deals=150, least=2), "cpu", system=system)
    deals, frame = deals_and_frame(120, 77)
    found = engine.auctions(frame, mode="first")
    assert 10 < engine.left_table == found["entry"].null_count() < 120
    for row in found.iter_rows(named=True):
        assert tuple(row["auction"]) == bid_call_by_call(system, deals, row["deal"])


@pytest.mark.slow
def test_how_far_the_table_goes_makes_no_difference(engine):
    _, frame = deals_and_frame(400, 31)
    wider = Engine(compile_system(SMALL, deals=4000), "cpu", system=SMALL)
    narrow, wide = (one.auctions(frame, mode="first") for one in (engine, wider))
    assert wider.left_table < engine.left_table
    columns = ["deal", "auction", "completed", "defaults", "contract", "declarer"]
    assert narrow.select(columns).equals(wide.select(columns))


def test_frames_of_any_size(engine, monkeypatch):
    _, frame = deals_and_frame(50, 6)
    whole = engine.auctions(frame, mode="first")
    monkeypatch.setattr("bidcascade.service.engine.FIRST_CHUNK", 7)
    assert pl.concat(engine.iter_auctions(frame, mode="first")).equals(whole)
    assert engine.auctions(frame.head(0), mode="first").height == 0


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


def test_other_modes_stay_on_the_table(engine, table):
    _, frame = deals_and_frame(60, 2)
    plain = Engine(table, "cpu")
    assert engine.auctions(frame).equals(plain.auctions(frame))
    assert engine.counts(frame).equals(plain.counts(frame))
    assert engine.members(frame, ["1N"]).equals(plain.members(frame, ["1N"]))
    assert engine.left_table == plain.left_table == 0
    # a table alone leaves the rest to passes
    first = plain.auctions(frame, mode="first")
    assert not first["completed"].all()
    assert first["entry"].null_count() == 0


def test_a_call_has_its_reasons(engine):
    answer = engine.bid("K52.AQ32.J876.Q2", "1N P")
    assert (answer.call, answer.name, answer.where) == ("2C", "Stayman", "small.bidding:16")
    assert answer.description == "8+ points, 4-card major"
    assert (answer.agreements, answer.forced, answer.default_pass) == (
        ["artificial", "forcing"], False, False,
    )  # fmt: skip
    by_name = {one.name: one for one in answer.candidates}
    game = by_name["Game"]
    assert (game.holds, game.taken_by) == (True, "2C Stayman (small.bidding:16)")
    assert by_name["Stayman"].taken_by is None
    weak = by_name["Weak with diamonds"]
    assert [(one["expression"], one["value"]) for one in weak.criteria if not one["holds"]] == [
        ("HCP <= 7", 12), ("SL_D >= 6", 4),
    ]  # fmt: skip
    assert weak.taken_by is None
    assert [one.name for one in answer.candidates][:2] == ["Stayman", "Weak with diamonds"]


def test_numbers_are_those_of_the_table(engine, table):
    answer = engine.bid("K52.AQ32.J876.Q2", "1N P")
    assert answer.entry == table.find(parse_calls("1N P 2C"))
    deep = engine.bid("K52.AQ32.J876.Q2", "1N 3D P 4C")
    assert table.find(parse_calls("1N 3D P 4C")) is None
    assert deep.entry is None
    assert all(one.entry is None for one in deep.candidates)


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


def test_a_gap_after_a_forcing_call_is_told(table):
    text = "opening:\n  2C = Strong: 22+ points; forcing\nafter 2C:\n  2D = Good: 8+ points\n"
    system = System.parse(text)
    engine = Engine(compile_system(system, deals=50), "cpu", system=system)
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
    assert explained is not None
    assert explained.calls[0].points == (15, 17)
    assert Engine(table, "cpu").explain("1N P") is None
    assert Engine(table, "cpu").expand("1N P") is None
    place = engine.expand("1N P")
    assert place is not None
    assert place.calls == (7, 0)


def test_a_system_is_opened_when_it_is_needed(table):
    opened = []

    def system() -> System:
        opened.append(1)
        return SMALL

    engine = Engine(table, "cpu", system=system)
    assert engine.has_system
    assert not opened
    assert engine.system is engine.system is SMALL
    assert opened == [1]
    assert Engine(table, "cpu").system is None


def test_an_engine_opened_by_path(tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))
    path = tmp_path / "mine.bidding"
    path.write_text("opening:\n  1NT = Strong: 15-17 points, balanced\n")
    engine = Engine.open(str(path), "cpu")
    assert engine.has_system
    assert engine.bid("AK52.AQ3.976.KJ2").where == "mine.bidding:2"


def test_several_threads(engine):
    _, frame = deals_and_frame(40, 15)
    expected = engine.auctions(frame, mode="first")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: engine.auctions(frame, mode="first"), range(6)))
    assert all(one.equals(expected) for one in found)
