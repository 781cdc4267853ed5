"""The PBN reader on real files: nothing lost, sensible rejects, kernel and plain reader alike."""

import re
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from bidcascade.bridge import FULL_DECK, SEATS, VULNERABILITIES, Auction, is_vulnerable, score
from bidcascade.loaders.files.encodings import decode_text
from bidcascade.loaders.frames.frame import HAND_COLUMNS
from bidcascade.loaders.pbn.pbn import read_pbn, read_pbn_text
from bidcascade.loaders.pbn.pbn_double_dummy import (
    DOUBLE_DUMMY_COLUMNS,
    PAR_COLUMN,
    double_dummy_columns,
)
from bidcascade.loaders.pbn.pbn_sections import contract_of, read_contract
from bidcascade.loaders.pbn.pbn_travellers import with_score_tables
from bidcascade.loaders.pbn.pbn_writer import format_games

pytestmark = [pytest.mark.real_data, pytest.mark.slow]

_BRACES = re.compile(r"\{[^}]*\}[ \t]*\n?")
_GAME = re.compile(r"^[ \t]*\[(?:Deal|Contract|Auction) ", re.MULTILINE)
_SCORES = re.compile(r'\[ScoreTable "[^"]*"\]\n((?:[^\[\n]+\n?)*)')


def count_games(text: str) -> int:
    """Games of a file, counted without the reader: blocks between blank lines that hold one.

    Lines of score tables count as well.
    """
    text = _BRACES.sub("", text.replace("\r\n", "\n"))
    lines = (line for line in text.split("\n") if not line.startswith(("%", ";")))
    text = "\n".join(lines)
    travellers = sum(len(found[1].splitlines()) for found in _SCORES.finditer(text))
    return travellers + sum(1 for block in re.split(r"\n\s*\n", text) if _GAME.search(block))


@pytest.fixture(scope="module")
def files(shared_data) -> list[Path]:
    found = sorted(path for path in (shared_data / "pbn").rglob("*") if path.is_file())
    assert len(found) > 100
    return found


@pytest.fixture(scope="module")
def everything(files) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Deals and rejects of all files."""
    deals, rejects = [], []
    for path in files:
        text, encoding = decode_text(path.read_bytes())
        for batch in read_pbn_text(text, source=path.name, encoding=encoding):
            deals.append(batch.deals)
            rejects.append(batch.rejects)
    return pl.concat(deals), pl.concat(rejects)


def test_no_record_is_lost(files):
    for path in files:
        text, _ = decode_text(path.read_bytes())
        (batch,) = read_pbn_text(text)
        assert batch.deals.height + batch.rejects.height == count_games(text), path.name
        records = [*batch.deals["record"], *batch.rejects["record"]]
        assert sorted(records) == list(range(1, len(records) + 1)), path.name


def test_kernel_equals_plain_readers(files):
    for path in files[::4]:
        text, _ = decode_text(path.read_bytes())
        text = text[:300_000]
        (batch,), (plain,) = read_pbn_text(text), read_pbn_text(text, plain=True)
        assert_frame_equal(batch.deals, plain.deals)


def test_rejects_say_why(everything):
    deals, rejects = everything
    assert rejects.height < deals.height / 1000
    reasons = rejects["reason"].str.extract(r"^(duplicate card|expected a \[Deal\] tag)")
    assert reasons.null_count() == 0


def test_deals_are_decks(everything):
    deals, _ = everything
    whole = deals.select(pl.sum_horizontal(HAND_COLUMNS))
    assert whole.to_series().unique().to_list() == [FULL_DECK]


IS_TRAVELLER = (pl.col("source") == "OKB_v20.pbn") & (pl.col("auction_status") == "none")
"""Lines of the only file with score tables."""


def test_auctions_agree_with_contracts(everything):
    deals, _ = everything
    deals = deals.filter(~IS_TRAVELLER)
    status = dict(deals["auction_status"].value_counts().rows())
    assert status["complete"] > 0.97 * deals.height
    assert status["illegal"] + status["unfinished"] < 20
    for row in deals.filter(auction_status="complete")[::7].iter_rows(named=True):
        contract = Auction.of(row["auction"], SEATS.index(row["dealer"])).contract
        assert row["contract"] == ("Pass" if contract is None else contract.name)
        assert row["declarer"] == (None if contract is None else contract.declarer.letter)


def test_tricks_counted_agree_with_the_scores_printed(everything):
    # the score comes from its own tag, the tricks from the cards: two witnesses
    deals, _ = everything
    whole = deals.filter(pl.col("play").list.len() >= 48)
    assert whole.height > 1000
    assert count_agreeing(whole) > 0.99 * whole.height


def test_lines_of_score_tables_agree_with_the_scores_printed(everything):
    deals, _ = everything
    travellers = deals.filter(IS_TRAVELLER, pl.col("tricks").is_not_null())
    assert travellers.height > 2000
    assert count_agreeing(travellers) > 0.99 * travellers.height


def count_agreeing(deals: pl.DataFrame) -> int:
    """Boards whose score is that of contract, tricks and vulnerability."""
    agree = 0
    for row in deals.iter_rows(named=True):
        code = read_contract(row["contract"])
        contract = contract_of(code, SEATS.index(row["declarer"]))
        assert contract is not None
        vulnerable = is_vulnerable(VULNERABILITIES.index(row["vulnerability"]), contract.declarer)
        points = score(contract, row["tricks"], vulnerable=vulnerable)
        agree += row["score"] == (-points if contract.declarer % 2 else points)
    return agree


def test_real_boards_read_back(everything):
    deals, _ = everything
    sample = deals[::50]
    (batch,) = read_pbn_text("".join(format_games(sample)))
    assert batch.rejects.height == 0
    where = ["source", "record", "encoding"]
    assert_frame_equal(batch.deals.drop(where), sample.drop(where))


def test_results_of_real_files_are_written_back(files):
    """Tables and par of real files read the same from what is written of them."""
    solved = 0
    for path in files:
        data = path.read_bytes()
        if b"OptimumResultTable" not in data and b"DoubleDummyTricks" not in data:
            continue
        deals = read_pbn(data, path.name).deals.head(200)
        frame = deals.join(
            double_dummy_columns(data)[0], on="record", how="left", maintain_order="left"
        )
        again, unread = double_dummy_columns("".join(format_games(frame)).encode())
        assert unread == 0
        for name in (*DOUBLE_DUMMY_COLUMNS, PAR_COLUMN):
            assert again[name].equals(frame[name]), (path.name, name)
        solved += again[DOUBLE_DUMMY_COLUMNS[0]].count()
    assert solved > 0


def test_tables_of_real_deals_are_written_as_lines(files):
    """Rows that become lines of a score table are read as they are from games of their own."""
    lines = 0
    for path in files:
        data = path.read_bytes()
        if b"[ScoreTable" not in data:
            continue
        deals = read_pbn(data, path.name).deals.head(2_000)
        frame = with_score_tables(deals)
        lines += deals.height - frame.height
        apart, together = (
            read_pbn("".join(format_games(one)).encode()).deals.drop("record", "source")
            for one in (deals, frame)
        )
        assert_frame_equal(together, apart)
    assert lines > 0
