"""Statistics of an archive are those of all its boards, and of a node those of its part of them."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from bidcascade.bridge import InvalidInput
from bidcascade.engine.archive.adding import add_files
from bidcascade.engine.archive.archive import Archive
from bidcascade.engine.archive.upkeep import bid_archive, solve_archive
from bidcascade.engine.runs.columns.wide_columns import PAR_CONTRACTS_COLUMN
from bidcascade.loaders import deal_arrays
from bidcascade.loaders.pbn.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS, PAR_COLUMN
from bidcascade.workshop.boards import archive_statistics as subject
from bidcascade.workshop.boards.archive_statistics import statistics
from bidcascade.workshop.boards.node_statistics import node_statistics
from tests.engine.archive.support_archives import cut_small, write_files, write_system
from tests.support.deals import possible


def _tables(boards: pl.DataFrame) -> pl.DataFrame:
    """Tables that stand for those of a solver: any possible number of tricks."""
    chance = np.random.default_rng(boards.height)
    tricks = possible(chance.integers(0, 14, (boards.height, 20)), deal_arrays(boards).hands)
    columns = [
        pl.Series(name, tricks[:, place], pl.UInt8)
        for place, name in enumerate(DOUBLE_DUMMY_COLUMNS)
    ]
    par = pl.Series(PAR_COLUMN, chance.integers(-9, 10, boards.height) * 50, pl.Int32)
    contracts = pl.Series(PAR_CONTRACTS_COLUMN, [["1N-NS"]] * boards.height)
    return pl.DataFrame([*columns, par, contracts])


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("statistics")
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, 70)
        add_files(folder / "club", write_files(folder / "in", 200))
        bid_archive(folder / "club", str(write_system(folder)), backend="cpu", name="small")
        solve_archive(folder / "club", _tables)
    return Archive(folder / "club")


def _whole(archive: Archive, by: str) -> pl.DataFrame:
    parts = [
        part.frame(np.arange(part.files.boards, dtype=np.uint32)).hstack(
            part.solved.drop(PAR_CONTRACTS_COLUMN)
        )
        for part in archive.parts
    ]
    assert len(parts) > 1
    boards = pl.concat(parts)
    if by == "own":
        return node_statistics(boards, boards["auction"], least=3)
    bids = [
        pl.read_parquet(part.path(name))
        for part in archive.parts
        for name in part.files.files
        if name.startswith("bids-small-")
    ]
    return node_statistics(boards, pl.concat(bids)["auction"], least=3, humans=boards["auction"])


@pytest.mark.parametrize("by", ["own", "small"])
def test_all_nodes_are_those_of_all_boards(archive, by):
    found = statistics(archive, by=by, least=3)
    assert found.height > 20
    assert_frame_equal(found, _whole(archive, by))


@pytest.mark.parametrize("auction", ["P", "1N", "P P P P", "1D P"])
def test_nodes_below_an_auction_are_the_same_as_among_all(archive, auction):
    whole = _whole(archive, "small").filter(
        (pl.col("auction") == auction) | pl.col("auction").str.starts_with(f"{auction} ")
    )
    assert whole.height
    assert_frame_equal(statistics(archive, auction, "small", least=3), whole)


def test_of_more_boards_so_many_are_taken_by_chance(archive, monkeypatch):
    monkeypatch.setattr(subject, "MOST_BOARDS", 120)
    found = statistics(archive, by="small", least=3)
    assert found["boards"][0] == 120
    assert found["share_of_all"][0] == 1
    # behind one that few boards come to all of them count
    assert_frame_equal(
        statistics(archive, "1N P", "small", least=1),
        node_statistics_of(archive, "1N P"),
    )


def node_statistics_of(archive: Archive, auction: str) -> pl.DataFrame:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subject, "MOST_BOARDS", 10**6)
        return statistics(archive, auction, "small", least=1)


@pytest.mark.parametrize(
    ("auction", "by", "least", "message"),
    [
        ("1M P", "small", 3, "expected an auction with all its calls"),
        ("1N P", "nobody", 3, r"expected who bids the archive \(own, small\), got 'nobody'"),
        ("", "small", 0, "expected at least one board a node"),
        ("7N P P", "small", 3, "expected boards of the archive after '7N P', got none"),
    ],
)
def test_what_cannot_be_worked_out_is_said(archive, auction, by, least, message):
    with pytest.raises(InvalidInput, match=message):
        statistics(archive, auction, by, least=least)
