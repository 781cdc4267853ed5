"""Boards as PBN with the auction that the table bids in the place of theirs, its calls explained.

A call gets a note with the name and the description of what made it: of a system the line with its
agreements, to the end of the auction; of another table the entry, as far as the table goes. What
belongs to another auction is left out: the auction of the source, its contract, tricks, score and
play.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import polars as pl

from bidcascade.engine.engine import Engine
from bidcascade.engine.runs.batches.batch_inputs import Inputs
from bidcascade.engine.runs.manifest import RunPosition
from bidcascade.loaders import DEAL_SCHEMA, deal_arrays
from bidcascade.loaders.inputs import Source, sniff
from bidcascade.loaders.pbn.pbn_double_dummy import (
    BID_SYSTEM_TAGS,
    BID_SYSTEMS_COLUMN,
    bid_system_column,
)
from bidcascade.loaders.pbn.pbn_writer import PBN_HEADER, format_games

CHUNK_DEALS: Final = 10_000
_LEFT_OUT: Final = (
    "alerts",
    "announcements",
    "auction_status",
    "illegal_call",
    "illegal_tail",
    "tricks",
    "score",
    "play",
)


def annotated_games(
    engine: Engine, sources: Sequence[Source], answers: Iterable[pl.DataFrame]
) -> Iterator[str]:
    """Text of a PBN file, piece by piece.

    Parameters
    ----------
    engine : Engine
        Its system, or else its table, explains the calls.
    sources : sequence of Source
        What the deals are read from, as the batch read them.
    answers : iterable of polars.DataFrame
        Answers of mode ``first`` to all their deals, in order.
    """
    yield PBN_HEADER
    waiting = RowsOf(answers)
    boards = Inputs(list(sources), CHUNK_DEALS, 1)
    for chunk in boards.chunks(RunPosition()):
        if chunk.deals.height:
            answered = waiting.take(chunk.deals.height)
            yield from format_games(_annotated(engine, chunk.deals, answered, engine.name))


def bid_boards(engine: Engine, deals: pl.DataFrame, name: str) -> pl.DataFrame:
    """Boards with the auctions that a system or table bids, its notes, and its name for both sides.

    Parameters
    ----------
    engine : Engine
    deals : polars.DataFrame
        Deal frame; further columns stay.
    name : str
        What the systems are called in the column :data:`BID_SYSTEMS_COLUMN`.
    """
    if not deals.height:
        return deals.with_columns(_systems(0, name))
    return _annotated(engine, deals, engine.auctions(deals, mode="first"), name)


def _systems(count: int, name: str) -> pl.Series:
    return pl.Series(BID_SYSTEMS_COLUMN, [[name, name]] * count, dtype=pl.List(pl.String()))


class NamedSystems:
    """Puts the systems that PBN files name into the frames of their deals.

    Parameters
    ----------
    sources : sequence of Source
        What the deals are read from; one that is no file of its own, as in a zip file, names none.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self._paths = {one.name: one.path for one in sources if one.path is not None}
        self._found: dict[str, pl.DataFrame] = {}

    def add(self, deals: pl.DataFrame) -> pl.DataFrame:
        """Deal frame with the column :data:`BID_SYSTEMS_COLUMN`, if one of its files has such tags.

        Lines of a score table name nothing: they are of the game before.
        """
        named = [self._of(name) for name in deals["source"].unique(maintain_order=True)]
        systems = pl.concat(named) if named else pl.DataFrame()
        if not systems.height:
            return deals
        return deals.join(systems, on=["source", "record"], how="left", maintain_order="left")

    def _of(self, name: str) -> pl.DataFrame:
        if name not in self._found:
            path = self._paths.get(name)
            data = b"" if path is None else path.read_bytes()
            is_pbn = any(tag.encode() in data for tag in BID_SYSTEM_TAGS) and sniff(data) == "pbn"
            systems = bid_system_column(data if is_pbn else b"").drop_nulls()
            self._found[name] = systems.with_columns(source=pl.lit(name, dtype=pl.String))
        return self._found[name]


class RowsOf:
    """Rows of consecutive frames, so many at a time."""

    def __init__(self, frames: Iterable[pl.DataFrame]) -> None:
        self._frames = iter(frames)
        self._held: list[pl.DataFrame] = []
        self._height = 0

    def take(self, count: int) -> pl.DataFrame:
        """Give the next rows; fewer at the end."""
        while not self._held or self._height < count:
            frame = next(self._frames, None)
            if frame is None:
                break
            self._held.append(frame)
            self._height += frame.height
        held = pl.concat(self._held)
        self._held = [held.slice(count)]
        self._height = self._held[0].height
        return held.head(count)


def _annotated(
    engine: Engine, deals: pl.DataFrame, answers: pl.DataFrame, name: str
) -> pl.DataFrame:
    texts = engine.bidder.notes(deal_arrays(deals), answers["auction"].to_list())
    return deals.drop(_LEFT_OUT).with_columns(
        answers["auction"],
        answers["contract"],
        answers["declarer"],
        pl.Series("announcements", list(map(list, texts)), dtype=DEAL_SCHEMA["announcements"]),
        _systems(deals.height, name),
    )
