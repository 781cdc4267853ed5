"""Rows for learning: what stands in each, against the definitions, whoever has bid."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import SEATS, Auction, InvalidInput, parse_call, parse_calls
from bidcascade.engine import Engine, call_rows, iter_call_rows
from bidcascade.engine.call_rows import CALL_ROW_SCHEMA, MEANING_SCHEMA, CallRows
from bidcascade.loaders import deal_arrays, iter_deals, random_deals, read_deals
from bidcascade.systems.auctions.allowed import ListingBounds
from bidcascade.systems.bidding import along_table
from bidcascade.systems.reference.allowed_auctions import allowed_auctions
from bidcascade.systems.words.explanation import explain_auction
from bidcascade.table import build_table
from tests.support.auctions import random_auctions
from tests.support.examples import examples
from tests.support.service import SMALL_ROWS
from tests.support.systems import compile_few, definition_of, sayc_table
from tests.support.tables import made_up_rows

TERMS = ("C", "D", "H", "S")


@pytest.fixture(scope="module")
def sayc():
    return Engine.open("sayc", "cpu")


@pytest.fixture(scope="module")
def small():
    return Engine(build_table(SMALL_ROWS)[0], "cpu")


def rows_of(engine, frame, **options):
    return pl.concat(iter_call_rows(engine, frame, **options))


def bits(mask):
    return {call for call in range(64) if mask >> call & 1}


def allowed_by_definition(engine, row, frame):
    """Calls that may be made where a row stands, as ``Engine.bid`` tries them one by one."""
    dealer, vulnerability = frame["dealer"][row["deal"]], frame["vulnerability"][row["deal"]]
    found = engine.bid(row["hand"], row["auction"], dealer=dealer, vulnerability=vulnerability)
    held = {parse_call(one.call) for one in found.candidates if one.holds}
    has_pass = any(one.call == "P" for one in found.candidates)
    # a system may always pass where it has no line for it, a table only where nothing holds
    if not held or (found.forced is not None and not has_pass):
        held.add(0)
    assert parse_call(found.call) in held
    return held


def check(engine, frame, rows):
    """What does not depend on who has bid."""
    deals = deal_arrays(frame)
    for row in rows.iter_rows(named=True):
        before = Auction.of(row["auction"])
        seat = (SEATS.index(frame["dealer"][row["deal"]]) + len(row["auction"])) % 4
        assert row["seat"] == seat
        assert row["hand"] == int(deals.hands[seat, row["deal"]])
        sides = {"None": (), "NS": (0,), "EW": (1,), "Both": (0, 1)}[
            frame["vulnerability"][row["deal"]]
        ]
        assert (row["vul_we"], row["vul_they"]) == (seat % 2 in sides, 1 - seat % 2 in sides)
        assert bits(row["legal"]) == set(before.legal_calls())
        assert row["call"] in bits(row["legal"])
        assert bits(row["allowed"]) == allowed_by_definition(engine, row, frame)


def test_of_a_system_that_bids(sayc):
    frame = random_deals(60, seed=4)
    rows = rows_of(sayc, frame, bidder=sayc)
    assert rows.schema == CALL_ROW_SCHEMA
    assert rows["source"].unique().to_list() == ["random:4"]
    check(sayc, frame, rows)
    first = sayc.auctions(frame, mode="first")["auction"]
    made = rows.group_by("deal", maintain_order=True).agg("call")["call"]
    assert made.to_list() == first.to_list()
    assert rows.select((pl.col("allowed") // 2 ** pl.col("call").cast(pl.UInt64) % 2).all()).item()


@examples(4, 8)
@given(st.integers(0, 1 << 20))
def test_of_calls_that_no_system_made(seed):
    frame = random_deals(3, seed=seed).with_columns(random_auctions(3, seed))
    for engine in (Engine.open("sayc", "cpu"), Engine(build_table(SMALL_ROWS)[0], "cpu")):
        rows = rows_of(engine, frame)
        check(engine, frame, rows)
        assert rows.height == frame["auction"].list.len().sum()


@examples(4, 8)
@given(st.integers(0, 1 << 20), st.sampled_from(["allow", "pass", "reject"]))
def test_of_made_up_tables(seed, undescribed):
    table, _ = build_table(made_up_rows(300, seed), undescribed=undescribed)
    engine = Engine(table, "cpu")
    frame = random_deals(8, seed=seed)
    check(engine, frame, rows_of(engine, frame, bidder=engine))
    check(engine, frame, rows_of(engine, frame, bidder=Engine.open("sayc", "cpu")))


def test_allowed_auctions_are_the_same(sayc):
    """Against the definition of mode all, along the auctions that the system itself bids."""
    frame = random_deals(6, seed=9)
    deals = deal_arrays(frame)
    rows = rows_of(sayc, frame, bidder=sayc)
    for deal in range(frame.height):
        bounds = ListingBounds(limit=3000, depth=4)
        found, cut = allowed_auctions(definition_of(sayc.system), deals, deal, bounds)
        assert cut != "limit"
        auctions = {one.calls for one in found}
        for row in rows.filter(pl.col("deal") == deal).head(4).iter_rows(named=True):
            so_far = tuple(row["auction"])
            expected = {one[-1] for one in auctions if one[:-1] == so_far}
            assert bits(row["allowed"]) == expected


def test_another_system_bids(sayc):
    frame = random_deals(40, seed=5)
    acol = Engine.open("acol", "cpu")
    rows = rows_of(sayc, frame, bidder=acol)
    check(sayc, frame, rows)
    made = rows.group_by("deal", maintain_order=True).agg("call")["call"]
    assert made.to_list() == acol.auctions(frame, mode="first")["auction"].to_list()


def test_rules_laid_over_a_system(tmp_path, sayc, monkeypatch):
    compile_few(monkeypatch)
    rules = tmp_path / "rules.jsonl"
    rules.write_text('{"rule": "remove", "at": "1N"}\n')
    engine = Engine.open("sayc", "cpu", overlays=[str(rules)])
    frame = random_deals(200, seed=3)
    rows = rows_of(engine, frame, bidder=sayc)
    openings = rows.filter((pl.col("auction").list.len() == 0) & (pl.col("call") == 7))
    assert openings.height
    assert not any(7 in bits(mask) for mask in openings["allowed"])


def test_numbers_go_on_from_frame_to_frame(small, monkeypatch):
    frame = random_deals(50, seed=1)
    whole = rows_of(small, frame, bidder=small)
    monkeypatch.setattr(call_rows, "PIECE_DEALS", 7)
    parts = pl.concat(iter_call_rows(small, [frame.head(20), frame.slice(20)], bidder=small))
    assert parts.equals(whole)


def test_expressions_in_pieces(small, monkeypatch):
    frame = random_deals(200, seed=1)
    whole = rows_of(small, frame, bidder=small)
    monkeypatch.setattr(along_table, "ROW_BYTES_AT_ONCE", 1)
    assert rows_of(small, frame, bidder=small).equals(whole)


def test_what_was_shown_by_a_system(sayc):
    frame = random_deals(30, seed=8)
    rows = rows_of(sayc, frame, bidder=sayc, meanings=True)
    assert rows.schema == CALL_ROW_SCHEMA | MEANING_SCHEMA
    for row in rows.sample(60, seed=1).iter_rows(named=True):
        explained = explain_auction(sayc.system, row["auction"]).calls
        shown = np.array(row["shown"]).reshape(4, 5, 2)
        for turn in range(4):
            position = (len(row["auction"]) + turn) % 4
            last = next((one for one in reversed(explained) if one.player == position), None)
            if last is None:
                assert shown[turn].tolist() == [[0, 37], *[[0, 13]] * 4]
                continue
            lengths = [list(last.lengths[suit]) for suit in TERMS]
            assert shown[turn, 1:].tolist() == lengths
            # further words, such as combined points, may say more than the cells
            assert shown[turn, 0, 0] <= last.points[0] <= last.points[1] <= shown[turn, 0, 1]
        assert len(row["meanings"]) == len(row["auction"])
    notrump = rows.filter(pl.col("auction").list.get(0, null_on_oob=True) == 7).row(0, named=True)
    assert notrump["meanings"][0] == "Strong notrump"


def test_what_was_shown_by_a_table(small):
    auctions = ["P 1N", "1N P 2C P", "1N P 3N P P P"]
    calls = [list(parse_calls(auction)) for auction in auctions]
    frame = random_deals(3, seed=1).with_columns(
        pl.Series("auction", calls, dtype=pl.List(pl.UInt8))
    )
    rows = rows_of(small, frame, meanings=True)
    first, second, third = rows.partition_by("deal")
    assert first["meanings"].to_list() == [[], ["nothing to say"]]
    both = "Strong notrump / Flat notrump"
    assert second["meanings"].to_list()[-1] == [both, "", "Stayman"]
    # behind the end of the table nothing is said
    assert third["meanings"].to_list()[-1] == [both, "", "To play", "", ""]
    last = np.array(third["shown"].to_list()[-1]).reshape(4, 5, 2)
    # South has shown 9 points, North the wider of two meanings: they are two and three to the left
    assert last[1, 0].tolist() == [9, 37]
    assert last[3, 0].tolist() == [14, 37]
    assert last[0].tolist() == last[2].tolist() == [[0, 37], *[[0, 13]] * 4]


def test_deals_without_rows_are_told():
    text = (
        "md|3SAQ4HKJ3DK876CQ52,SK95HQ872DA54CKT3,SJ876HA65DQ93CJ94,|mb|1nppp|pg||\n"
        "md|3SAQ4HKJ3DK876CQ52,SK95HQ872DA54CKT3,SJ876HA65DQ93CJ94,|mb|1n1c|pg||\n"
        "md|3SAQ4HKJ3DK876CQ52,SK95HQ872DA54CKT3,SJ876HA65DQ93CJ94,|pg||\n"
        "md|3SAQ4HKJ3DK876CQ52,SK95HQ872DA54CKT3,SJ876HA65DQ93CJ94,|mb|1nppp|pc|D4|pg||\n"
        "md|3SAQ4HKJ3DK876CQ52,SK95HQ872DA54CKT3,SJ876HA65DQ93CJ94,|mb|1np|pg||\n"
    )
    frame = read_deals(text.encode()).deals
    engine = Engine(sayc_table(), "cpu")
    (piece,) = CallRows(engine).of(frame, 10)
    assert piece.left_out.select("deal", "reason").rows() == [
        (11, "illegal auction"),
        (12, "no auction"),
        (13, "play disagrees"),
    ]
    assert piece.rows["deal"].to_list() == [10, 10, 10, 10, 14, 14]


@pytest.mark.parametrize("calls", [[7, 3], [1], [0, 0, 0, 0, 0], [38], [255, 0]])
def test_auctions_of_others_frames_are_checked(small, calls):
    frame = random_deals(1, seed=1).with_columns(
        pl.Series("auction", [calls], dtype=pl.List(pl.UInt8))
    )
    (piece,) = CallRows(small).of(frame.drop("auction_status"))
    assert piece.left_out["reason"].to_list() == ["illegal auction"]
    assert piece.rows.height == 0


def test_frames_that_cannot_be_used(small):
    frame = random_deals(2, seed=1)
    with pytest.raises(InvalidInput, match="expected a column 'auction' in the deals, got none"):
        next(iter_call_rows(small, frame.drop("auction")))
    with pytest.raises(InvalidInput, match="expected auctions as List"):
        next(iter_call_rows(small, frame.with_columns(auction=pl.lit("1N P"))))
    with pytest.raises(InvalidInput, match="expected the columns of a deal frame"):
        next(iter_call_rows(small, frame.drop("north"), bidder=small))
    assert list(iter_call_rows(small, frame.clear())) == []


@pytest.mark.slow
def test_calls_of_players(sayc, shared_data):
    frame = next(iter_deals(shared_data / "lin")).deals.sample(60, seed=1)
    (piece,) = CallRows(sayc).of(frame)
    rows, left_out = piece
    check(sayc, frame, rows)
    assert {*rows["deal"]} | {*left_out["deal"]} == {*range(60)}
    assert not {*rows["deal"]} & {*left_out["deal"]}
