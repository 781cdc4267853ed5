"""Boards as PBN with the auction that the table bids in the place of theirs, its calls explained.

A call that the table has gets a note with its name and description. What belongs to another auction
is left out: the auction that was bid at the table, its contract, tricks, score and play.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import polars as pl

from bidcascade.loaders import DEAL_SCHEMA
from bidcascade.loaders.inputs import Source
from bidcascade.loaders.pbn_writer import format_games
from bidcascade.service.engine import Engine
from bidcascade.service.jobs.batch_inputs import Inputs
from bidcascade.service.jobs.manifest import Position
from bidcascade.table import BiddingTable

CHUNK_DEALS: Final = 10_000
HEADER: Final = "% PBN 2.1\n% EXPORT\n"
_LEFT_OUT: Final = (
    "alerts", "announcements", "auction_status", "illegal_call", "illegal_tail", "tricks", "score",
    "play",
)  # fmt: skip
_MOST_KNOWN: Final = 100_000


def annotated_games(
    engine: Engine, sources: Sequence[Source], answers: Iterable[pl.DataFrame]
) -> Iterator[str]:
    """Text of a PBN file, piece by piece.

    Parameters
    ----------
    engine : Engine
        Its table explains the calls.
    sources : sequence of Source
        What the deals are read from, as the batch read them.
    answers : iterable of polars.DataFrame
        Answers of mode ``first`` to all their deals, in order.
    """
    yield HEADER
    notes = Notes(engine.table)
    waiting = _rows(answers)
    boards = Inputs(list(sources), CHUNK_DEALS, 1)
    for chunk in boards.chunks(Position()):
        if chunk.deals.height:
            yield from format_games(
                _annotated(chunk.deals, waiting.take(chunk.deals.height), notes)
            )


class Notes:
    """What a table says about the calls of auctions; remembers what it was asked.

    Examples
    --------
    >>> from bidcascade.table import build_table
    >>> table, _ = build_table([
    ...     {"prior": "", "call": "1N", "name": "Strong", "description": "15-17",
    ...      "criteria": ["HCP >= 15"]},
    ...     {"prior": "1N", "call": "P"}], undescribed="allow")
    >>> Notes(table).of((7, 0, 0, 0))
    ('Strong: 15-17', '', '', '')
    """

    def __init__(self, table: BiddingTable) -> None:
        self._table = table
        self._known: dict[tuple[int, ...], tuple[str, ...]] = {}

    def of(self, auction: tuple[int, ...]) -> tuple[str, ...]:
        """Give a text for each call; empty where the table says nothing."""
        found = self._known.get(auction)
        if found is None:
            found = tuple(self._explain(auction))
            if len(self._known) < _MOST_KNOWN:
                self._known[auction] = found
        return found

    def _explain(self, auction: tuple[int, ...]) -> Iterator[str]:
        table = self._table
        entry: int | None = None
        inside = True
        for call in auction:
            siblings = table.children(entry) if inside else range(0)
            places = np.flatnonzero(table.call[siblings.start : siblings.stop] == call)
            inside = inside and bool(len(places))
            if not inside:
                yield ""
                continue
            entry = siblings.start + int(places[0])
            said = (table.name(entry), table.description(entry))
            yield ": ".join(dict.fromkeys(text for text in said if text))


class _rows:
    """Rows of consecutive frames, so many at a time."""

    def __init__(self, frames: Iterable[pl.DataFrame]) -> None:
        self._frames = iter(frames)
        self._held: list[pl.DataFrame] = []
        self._height = 0

    def take(self, count: int) -> pl.DataFrame:
        while self._height < count:
            frame = next(self._frames)
            self._held.append(frame)
            self._height += frame.height
        held = pl.concat(self._held)
        self._held, self._height = [held.slice(count)], held.height - count
        return held.head(count)


def _annotated(deals: pl.DataFrame, answers: pl.DataFrame, notes: Notes) -> pl.DataFrame:
    texts = [list(notes.of(tuple(auction))) for auction in answers["auction"].to_list()]
    return deals.drop(_LEFT_OUT).with_columns(
        answers["auction"],
        answers["contract"],
        answers["declarer"],
        pl.Series("announcements", texts, dtype=DEAL_SCHEMA["announcements"]),
    )
