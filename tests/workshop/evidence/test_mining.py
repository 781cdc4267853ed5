"""Mining: counts, texts and order of the entries against plain Python, however boards come."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Auction, IllegalCall, InvalidInput, InvalidTable, parse_calls
from bidcascade.table import BiddingTable, Row, build_table, read_announcement
from bidcascade.workshop.evidence.mined_table import ANNOUNCEMENTS, RANKS
from bidcascade.workshop.evidence.mining import (
    MinedCounts,
    Miner,
    mining_report,
    open_mined_run,
    write_mined_run,
)
from tests.support.examples import examples

SCHEMA = {"auction": pl.List(pl.UInt8), "announcements": pl.List(pl.String), "source": pl.String}
TEXTS = [
    "", " ", "Minor suit opening -- 3+ !C; 11-21 HCP; 12-22 total points",
    "Minor suit opening -- 3+ !C; 11-21 HCP; 12-2", "15-17 HCP", "12-14 HCP", "could be short",
    "peut être court", "nicht unter 8 Punkten", "3Ö¼+", "一般", "a -- b -- c", "4+ !S; forcing",
]  # fmt: skip
BOARDS = st.lists(
    st.tuples(
        # few calls, so that auctions meet; some are illegal, some are no calls at all
        st.lists(st.sampled_from([0, 0, 0, 1, 2, 3, 4, 7, 8, 37, 38, 255]), max_size=9),
        st.none() | st.lists(st.none() | st.sampled_from(TEXTS), max_size=10),
        st.sampled_from(["a.lin", "b.pbn", "C.PBN", None]),
    ),
    max_size=30,
)
Board = tuple[list[int], list[str | None] | None, str | None]


def frame_of(boards: Sequence[Board]) -> pl.DataFrame:
    return pl.DataFrame(list(boards), schema=SCHEMA, orient="row")


def mine(boards: Sequence[Board], *, chunk: int = 1000, most: int = 10**6, **options: Any) -> Any:
    with Miner(most_in_memory=most) as miner:
        for first in range(0, len(boards), chunk):
            miner.add(frame_of(boards[first : first + chunk]))
        return miner.finish(**options)


def legal_part(calls: Sequence[int]) -> bytes:
    auction = Auction()
    for number, call in enumerate(calls):
        try:
            auction = auction.add(call)
        except (IllegalCall, ValueError):
            return bytes(calls[:number])
    return bytes(calls)


def expected(boards: Sequence[Board]) -> tuple[Counter[bytes], dict[bytes, Counter[Any]]]:
    """How often each prefix occurs, and with which texts, and whether these are notes."""
    counts: Counter[bytes] = Counter()
    texts: dict[bytes, Counter[Any]] = defaultdict(Counter)
    for calls, announcements, source in boards:
        legal = legal_part(calls)
        is_note = bool(source) and source.lower().endswith(".pbn")
        given = [*(announcements or []), *[None] * len(legal)]
        for end in range(1, len(legal) + 1):
            counts[legal[:end]] += 1
            text = (given[end - 1] or "").strip()
            if text:
                texts[legal[:end]][text, is_note] += 1
    return counts, texts


def texts_of(table: BiddingTable) -> dict[bytes, Counter[Any]]:
    auctions = table.auctions_of(range(len(table)))
    found: dict[bytes, Counter[Any]] = defaultdict(Counter)
    announcements = table.extra(ANNOUNCEMENTS)
    assert announcements is not None
    for entry, text, count, notes in announcements.select(
        "entry", "text", "count", "notes"
    ).iter_rows():
        for is_note, often in ((True, notes), (False, count - notes)):
            if often:
                found[auctions[entry]][text, is_note] += often
    return found


def same(one: BiddingTable, other: BiddingTable) -> bool:
    first, second = one.extra(ANNOUNCEMENTS), other.extra(ANNOUNCEMENTS)
    assert first is not None
    assert second is not None
    return one == other and first.equals(second) and one.imported == other.imported


@examples(25)
@given(BOARDS)
def test_every_prefix_of_every_legal_part_is_counted(boards):
    table = mine(boards)
    counts, texts = expected(boards)
    auctions = table.auctions_of(range(len(table)))
    found = table.columns["count"].tolist() if len(table) else []
    assert dict(zip(auctions, found, strict=True)) == dict(counts)
    assert texts_of(table) == texts
    report = MinedCounts.of_table(table)
    assert report.boards + report.without_auction == len(boards)
    assert report.calls + report.calls_ignored == sum(len(calls) for calls, _, _ in boards)
    given = sum(1 for _, given, _ in boards for text in given or [] if (text or "").strip())
    assert report.texts + report.texts_ignored == given


@examples(25)
@given(BOARDS, st.sampled_from(RANKS))
def test_a_mined_table_is_a_table_like_others(boards, rank):
    table = mine(boards, rank=rank)
    rows = list(table.rows())
    again, report = build_table(rows)
    assert again == table
    assert not any(report.counts()[kind] for kind in ("illegal_calls", "variants", "orphans"))
    _, texts = expected(boards)
    for row in rows:
        given = texts.get(row.prior + bytes([row.call]))
        if not given:
            assert (row.source, row.description, row.criteria) == ("undescribed", "", ())
            continue
        reading = read_announcement(row.description)
        assert row.criteria == reading.expressions
        assert set(reading.tags) <= set(row.tags)
        notes, all_times = given[row.description, True], given[row.description, False]
        assert row.source == ("note" if notes > all_times else "announcement")


@examples(15)
@given(BOARDS, st.integers(1, 7), st.sampled_from([1, 20]), st.randoms(use_true_random=False))
def test_the_way_boards_come_makes_no_difference(boards, chunk, most, chance):
    whole = mine(boards)
    shuffled = list(boards)
    chance.shuffle(shuffled)
    assert same(mine(shuffled, chunk=chunk, most=most), whole)


@pytest.mark.slow
@examples(15)
@given(BOARDS, BOARDS, st.sampled_from(RANKS))
def test_adding_to_a_table_is_mining_at_once(first, second, rank):
    with Miner() as miner:
        miner.add_table(mine(first))
        miner.add(frame_of(second))
        added = miner.finish(rank=rank)
    assert same(added, mine(first + second, rank=rank))
    with Miner() as miner:
        miner.add_table(mine(first))
        miner.add_table(mine(second))
        assert same(miner.finish(rank=rank), added)


@pytest.mark.slow
def test_many_auctions_outgrow_tables_and_runs(tmp_path):
    """More than the first hash tables hold, and several levels of merging."""
    chance = np.random.default_rng(1)
    boards: list[Board] = []
    for _ in range(3000):
        calls = sorted(chance.choice(np.arange(3, 38), 6, replace=False).tolist())
        boards.append((calls, [f"text {chance.integers(500)}" for _ in calls], "a.lin"))
    whole = mine(boards)
    counts, texts = expected(boards)
    assert len(whole) == len(counts) > 8192
    assert texts_of(whole) == texts
    with Miner(tmp_path, most_in_memory=2000) as miner:
        for first in range(0, len(boards), 150):
            miner.add(frame_of(boards[first : first + 150]))
        assert len(miner.runs) > 5
        assert same(miner.finish(), whole)
        # what was merged on the way is gone, the runs are still there
        assert sorted(tmp_path.iterdir()) == miner.runs


def board(auction: str, *texts: str, source: str = "a.lin") -> Board:
    return [int(call) for call in parse_calls(auction)], list(texts), source


def row_at(table: BiddingTable, auction: str) -> Row:
    entry = table.find(parse_calls(auction))
    assert entry is not None
    return table.row(entry)


LONG = "Minor suit opening -- 3+ !C; 11-21 HCP; 12-22 total points"


@pytest.mark.parametrize(
    ("texts", "kept", "tags"),
    [
        # the longest complete text, however rare
        (["3+ !C", "3+ !C", LONG, "3+ !C; 11-21 HCP"], LONG, {"suit opening"}),
        # a complete one before a longer one that is cut off
        (["3+ !C; 11-21 HCP", "Minor suit opening -- 3+ !C; 11-21 HCP; 12-"], "3+ !C; 11-21 HCP",
         set()),
        # one that is cut off before any human one
        (["Minor suit opening -- 3+ !C; 11-21 HCP; 12-", "natural, could be as short as two cards"],
         "Minor suit opening -- 3+ !C; 11-21 HCP; 12-", {"suit opening", "truncated"}),
        # of human ones the most frequent, then the longest, then by text
        (["short", "short", "may be as short as two"], "short", {"human"}),
        (["short", "shorter", "shortes"], "shorter", {"human"}),
        # complete texts that no hand fits together
        (["15-17 HCP; 2+ !C", "12-14 HCP"], "15-17 HCP; 2+ !C", {"contradicted"}),
        (["a -- b -- c"], "a -- b -- c", {"rejected"}),
    ],
)  # fmt: skip
def test_one_text_describes_a_call(texts, kept, tags):
    table = mine([board("1C", text) for text in texts])
    row = row_at(table, "1C")
    assert row.description == kept
    assert row.criteria == read_announcement(kept).expressions
    assert set(row.tags) == tags
    assert row.count == len(texts)
    announcements = table.extra(ANNOUNCEMENTS)
    assert announcements is not None
    # the others are kept as evidence, the most frequent first behind the one that describes
    assert announcements["kept"].to_list() == [True] + [False] * (len(set(texts)) - 1)
    assert announcements["count"].sum() == len(texts)
    others = announcements["count"].to_list()[1:]
    assert others == sorted(others, reverse=True)


def test_notes_and_announcements_are_told_apart():
    boards = [
        board("1C P 1H", LONG, "", "Natural", source="match.PBN"),
        board("1C P 1H", LONG, "", "Natural", source="match.lin"),
        board("1C P 1H", LONG, source="match.pbn"),
    ]
    table = mine(boards)
    assert row_at(table, "1C").source == "note"
    # as often the one as the other
    assert row_at(table, "1C P 1H").source == "announcement"
    assert row_at(table, "1C P").source == "undescribed"


def test_an_archive_without_texts_gives_counts():
    table = mine([board("1N P P P"), board("1N P 2C"), ([], None, None)])
    assert [row.count for row in table.rows()] == [2, 2, 1, 1, 1]
    assert {row.source for row in table.rows()} == {"undescribed"}
    report = mining_report(table)
    assert (report["boards"], report["without_auction"], report["described"]) == (2, 1, 0)
    assert table.extra(ANNOUNCEMENTS) is not None
    # a frame may have no column of texts at all
    with Miner() as miner:
        miner.add(pl.DataFrame({"auction": [[0, 3]]}, schema={"auction": pl.List(pl.UInt8)}))
        assert len(miner.finish()) == 2


def test_ranks():
    strong = "Strong two club -- 22+ HCP"
    boards = [board("1C", "12-21 HCP")] * 9 + [board("1S", "5+ !S; 11-21 HCP")] * 4
    boards += [board("2C", strong), board("1D"), board("P"), board("P"), board("1N", "11-20 HCP")]
    order = {rank: [int(call) for call in mine(boards, rank=rank).call] for rank in RANKS}
    calls = {name: int(parse_calls(name)[0]) for name in ("1C", "1D", "1S", "2C", "1N", "P")}

    def named(*names: str) -> list[int]:
        return [calls[name] for name in names]

    # text of the calls, passes (p) behind the bids
    assert order["file"] == named("1C", "1D", "1N", "1S", "2C", "P")
    # described ones first, then by count
    assert order["frequency"] == named("1C", "1S", "2C", "1N", "P", "1D")
    # described ones first, the fewest hands first
    assert order["specificity"] == named("2C", "1S", "1C", "1N", "P", "1D")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.DataFrame({"calls": [[0]]}), "expected a column 'auction', got calls"),
        (pl.DataFrame({"auction": ["1N P"]}), r"expected 'auction' as List\(UInt8\), got String"),
        (frame_of([]).with_columns(announcements=pl.lit("")), "expected 'announcements' as List"),
    ],
)
def test_frames_that_are_none_are_refused(frame, message):
    with Miner() as miner, pytest.raises(InvalidInput, match=message):
        miner.add(frame)


def test_too_many_boards_are_refused(monkeypatch):
    monkeypatch.setattr("bidcascade.workshop.evidence.mining.LARGEST_TOTAL", 2)
    with Miner() as miner, pytest.raises(InvalidInput, match="expected at most 2 boards"):
        miner.add(frame_of([board("P")] * 3))


def test_only_mined_tables_can_be_added_to():
    plain, _ = build_table([Row(b"", 7, "Strong", ("HCP >= 15",))])
    mined = mine([board("1N", "15-17 HCP"), board("1N P")])
    texts = mined.extra(ANNOUNCEMENTS)
    assert texts is not None
    changed, _ = build_table(
        [row._replace(source="learned" if row.call else row.source) for row in mined.rows()]
    )
    with Miner() as miner:
        for table, message in (
            (plain, "without counts and texts"),
            (changed, "without counts and texts"),
            (changed.with_extra(ANNOUNCEMENTS, texts), "entries of source 'learned'"),
        ):
            with pytest.raises(InvalidTable, match=message):
                miner.add_table(table)


def test_runs_that_are_damaged_are_named(tmp_path):
    with Miner(tmp_path / "runs") as miner:
        miner.add(frame_of([board("1N", "15-17 HCP"), board("1N P")]))
        miner.spill()
        [place] = miner.runs
    run = open_mined_run(place)
    write_mined_run(run, tmp_path / "copy")
    assert all(
        np.array_equal(*two) for two in zip(run, open_mined_run(tmp_path / "copy"), strict=True)
    )
    np.save(tmp_path / "copy" / "call.npy", np.zeros(5, np.uint8))
    with pytest.raises(InvalidInput, match="expected columns of one length"):
        open_mined_run(tmp_path / "copy")
    np.save(tmp_path / "copy" / "call.npy", np.zeros(2, np.int8))
    with pytest.raises(InvalidInput, match="expected a column of uint8"):
        open_mined_run(tmp_path / "copy")
    (tmp_path / "copy" / "call.npy").unlink()
    with pytest.raises(InvalidInput, match=r"cannot read .*call\.npy"):
        open_mined_run(tmp_path / "copy")
