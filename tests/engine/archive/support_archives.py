"""Files of boards for archives, archives of several parts, and what all of one is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from bidcascade.engine.archive import adding, parts
from bidcascade.engine.archive.archive import Archive
from bidcascade.engine.archive.catalogue import Catalogue
from bidcascade.engine.runs.run_folder import LOCK
from bidcascade.kernels import DealArrays
from bidcascade.loaders import deal_arrays, random_deals, write_deal_parquet, write_lin, write_pbn
from bidcascade.loaders.frames.frame import AUCTION_STATUS, SEAT_ENUM
from bidcascade.systems.system import System
from tests.support.systems import SMALL_SYSTEM, bid_call_by_call, definition_of

HUMANS = System.parse(
    """
opening:
  1NT = Strong: 15-17 points, balanced
  1X = Natural: 11+ points, 4+ X
after 1NT:
  2C = Stayman: 8+ points, 4-card major
    2M = Four: 4+ M
    2D = None: any hand
after 1X:
  1Y = Natural: 6+ points, 4+ Y
over (1X):
  Double = Takeout: 12+ points, at most 2 X
"""
)


def played(count: int, seed: int) -> pl.DataFrame:
    """Boards that people bid and played, some without an auction, a result or names."""
    boards = random_deals(count, seed)
    deals = deal_arrays(boards)
    chance = np.random.default_rng(seed)
    expander = definition_of(HUMANS)
    auctions = [[*bid_call_by_call(HUMANS, deals, row, expander)] for row in range(count)]
    silent = chance.random(count) < 0.1
    return boards.with_columns(
        pl.Series(
            "auction",
            [None if no else one for one, no in zip(auctions, silent, strict=True)],
            pl.List(pl.UInt8),
        ),
        pl.Series("auction_status", ["none" if no else "complete" for no in silent]).cast(
            AUCTION_STATUS
        ),
        pl.Series("contract", chance.choice(["4S", "3N", "4SX", "Pass", "1C"], count).tolist()),
        pl.Series("declarer", chance.choice([*"NESW"], count).tolist()).cast(SEAT_ENUM),
        pl.Series(
            "tricks", [None if one > 12 else one for one in chance.integers(5, 15, count)], pl.UInt8
        ),
        pl.Series(
            "event",
            [None if one > 1 else f"Cup {one}" for one in chance.integers(0, 3, count)],
            pl.String,
        ),
        pl.Series(
            "players",
            [
                [f"South{one}", "West", "North", "Ünal"] if one else None
                for one in chance.integers(0, 3, count)
            ],
            pl.List(pl.String),
        ),
    )


def write_files(folder: Path, boards: int, kinds: int = 3) -> list[Path]:
    """Files of boards of ours, of three kinds in turn."""
    folder.mkdir(parents=True, exist_ok=True)
    writers = ((write_deal_parquet, "parquet"), (write_lin, "lin"), (write_pbn, "pbn"))
    files = []
    for number in range(kinds):
        write, ending = writers[number % 3]
        files.append(folder / f"file{number}.{ending}")
        frame = played(boards // kinds, number + 1)
        write(frame.with_columns(source=pl.lit(files[-1].name)), files[-1])
    return files


def write_system(folder: Path, text: str = SMALL_SYSTEM) -> Path:
    """File of a system's text."""
    path = folder / "small.bidding"
    path.write_text(text, "utf-8")
    return path


def cut_small(monkeypatch: Any, boards: int) -> None:
    """Let parts have few boards, which are not put together."""
    for module in (parts, adding):
        monkeypatch.setattr(module, "PART_BOARDS", boards)
    monkeypatch.setattr(adding, "_CHUNK", boards)


def contents(folder: Path) -> dict[str, Any]:
    """All of an archive, however it is cut into parts; checks that nothing else lies there."""
    catalogue = Catalogue.read(folder)
    on_disk = {file.name for file in folder.iterdir()}
    assert on_disk == {*catalogue.files(), "archive.json", LOCK}
    kinds: dict[str, list[pl.DataFrame]] = {}
    for files in catalogue.parts:
        assert files.files.keys() == files.sums.keys()
        for name, size in files.files.items():
            assert (folder / name).stat().st_size == size
            kind = name.partition(f"-{files.number:05}")[0]
            if name.endswith(".parquet"):
                kinds.setdefault(kind, []).append(pl.read_parquet(folder / name))
    sources = [
        one and (one.name, one.boards, one.duplicates, one.rejects, one.done)
        for one in catalogue.sources
    ]
    archive = Archive(folder)
    indexes = {}
    for name in ("own", *catalogue.bidders):
        ways: dict[bytes, list[int]] = {}
        for part in archive.parts:
            if part.files.boards:
                postings = part.postings(name, archive.digest(name))
                for place, auction in enumerate(postings.auctions):
                    rows = postings.rows(place, place + 1)
                    ways.setdefault(auction, []).extend(part.ids[rows].tolist())
        indexes[name] = {auction: sorted(ids) for auction, ids in ways.items()}
    frames = {kind: pl.concat(some, how="diagonal") for kind, some in kinds.items()}
    return {"sources": sources, "next_id": catalogue.next_id, "indexes": indexes, **frames}


def check_equal(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """Check that two archives hold the same."""
    assert found.keys() == expected.keys()
    for kind, one in expected.items():
        same = found[kind].equals(one) if isinstance(one, pl.DataFrame) else found[kind] == one
        assert same, (kind, found[kind], one)


def all_boards(archive: Archive) -> tuple[pl.DataFrame, DealArrays]:
    """All boards of an archive in the order in which they came."""
    frame = pl.concat(
        [part.frame(np.arange(part.files.boards, dtype=np.uint32)) for part in archive.parts]
    )
    return frame, deal_arrays(frame)


def points(hand: int) -> int:
    """High-card points of a hand, counted card by card."""
    return sum(
        (hand >> (13 * suit + 12 - place) & 1) * (4 - place)
        for suit in range(4)
        for place in range(4)
    )


def spades(hand: int) -> int:
    """Spades of a hand."""
    return (hand >> 39).bit_count()


def rows_where(holds: Iterator[bool]) -> list[int]:
    """Numbers of what holds."""
    return [row for row, one in enumerate(holds) if one]
