"""Boards as PBN with the auction that the table bids in the place of theirs, its calls explained.

A call gets a note with the name and the description of what made it: of a system the line with its
agreements, to the end of the auction; of another table the entry, as far as the table goes. What
belongs to another auction is left out: the auction of the source, its contract, tricks, score and
play.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.loaders import DEAL_SCHEMA, deal_arrays
from bidcascade.loaders.inputs import Source
from bidcascade.loaders.pbn_writer import format_games
from bidcascade.service.engine import Engine
from bidcascade.table import BiddingTable

from .batch_inputs import Inputs
from .manifest import Position

if TYPE_CHECKING:
    from bidcascade.systems.bidder import Bidder

CHUNK_DEALS: Final = 10_000
HEADER: Final = "% PBN 2.1\n% EXPORT\n"
NO_LINE: Final = "No line of the system: pass"
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
        Its system, or else its table, explains the calls.
    sources : sequence of Source
        What the deals are read from, as the batch read them.
    answers : iterable of polars.DataFrame
        Answers of mode ``first`` to all their deals, in order.
    """
    yield HEADER
    bidder = engine.bidder
    notes: Notes | LineNotes = Notes(engine.table) if bidder is None else LineNotes(bidder)
    waiting = RowsOf(answers)
    boards = Inputs(list(sources), CHUNK_DEALS, 1)
    for chunk in boards.chunks(Position()):
        if chunk.deals.height:
            answered = waiting.take(chunk.deals.height)
            texts = notes.on(chunk.deals, answered["auction"])
            yield from format_games(_annotated(chunk.deals, answered, texts))


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
        self.of = lru_cache(_MOST_KNOWN)(self._texts_of)

    def on(self, deals: pl.DataFrame, auctions: pl.Series) -> list[Sequence[str]]:
        """Give the texts of the auctions of some deals."""
        return [self.of(tuple(auction)) for auction in auctions.to_list()]

    def _texts_of(self, auction: tuple[int, ...]) -> tuple[str, ...]:
        """Give a text for each call; empty where the table says nothing."""
        table = self._table
        entries = (table.find(auction[:length]) for length in range(1, len(auction) + 1))
        return tuple(
            "" if entry is None else _joined((table.name(entry), table.description(entry)))
            for entry in entries
        )


class LineNotes:
    """What the lines of a system say about the calls that they make for deals.

    Several lines may make the same call at a place: the note is that of the line that the hand
    fits.
    """

    def __init__(self, bidder: "Bidder") -> None:
        self._bidder = bidder
        self._text = cache(self._text_of)

    def on(self, deals: pl.DataFrame, auctions: pl.Series) -> list[Sequence[str]]:
        """Give the texts of the auctions that the system bids with some deals.

        Raises
        ------
        InvalidInput
            If the system bids other auctions.
        """
        given = auctions.to_list()
        texts: list[list[str]] = [[] for _ in given]
        with self._bidder.lock:
            for depth, step in enumerate(self._bidder.steps(deal_arrays(deals))):
                found = zip(
                    step.deals.tolist(), step.entry.tolist(), step.call.tolist(), strict=True
                )
                for deal, entry, call in found:
                    if given[deal][depth : depth + 1] != [call]:
                        raise InvalidInput(
                            f"expected the auctions that the system bids, got {given[deal]!r}"
                        )
                    texts[deal].append(self._text(depth & 1, entry))
        return list(texts)

    def _text_of(self, side: int, entry: int) -> str:
        from bidcascade.systems.describing import agreements_of, description_of

        if entry < 0:
            return NO_LINE
        program = self._bidder.sides[side]
        name = program.name(entry)
        line = program.entry(entry, 0)
        if name != line.name:
            # an overlay put it there: it stands in no text
            return name
        said = (_joined((name, description_of(line))), *agreements_of(line))
        return "; ".join(text for text in said if text)


def _joined(said: Iterable[str]) -> str:
    """Name and description; once where they are the same."""
    return ": ".join(dict.fromkeys(text for text in said if text))


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
    deals: pl.DataFrame, answers: pl.DataFrame, texts: Sequence[Sequence[str]]
) -> pl.DataFrame:
    return deals.drop(_LEFT_OUT).with_columns(
        answers["auction"],
        answers["contract"],
        answers["declarer"],
        pl.Series("announcements", list(map(list, texts)), dtype=DEAL_SCHEMA["announcements"]),
    )
