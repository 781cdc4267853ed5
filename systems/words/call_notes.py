"""What made the calls of auctions, in words: lines of a system, or rows of a table."""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Final

from bidcascade.bridge import InvalidInput
from bidcascade.kernels import DealArrays
from bidcascade.table import BiddingTable

from .describing import agreements_of, description_of

if TYPE_CHECKING:
    from bidcascade.systems.system import SystemPlaces

NO_LINE: Final = "No line of the system: pass"
_MOST_KNOWN: Final = 100_000


class RowNotes:
    """What a table says about the calls of auctions; remembers what it was asked.

    Examples
    --------
    >>> from bidcascade.table import build_table
    >>> table, _ = build_table([
    ...     {"prior": "", "call": "1N", "name": "Strong", "description": "15-17",
    ...      "criteria": ["HCP >= 15"]},
    ...     {"prior": "1N", "call": "P"}], undescribed="allow")
    >>> RowNotes(table).of((7, 0, 0, 0))
    ('Strong: 15-17', '', '', '')
    """

    def __init__(self, table: BiddingTable) -> None:
        self.of = lru_cache(_MOST_KNOWN)(partial(_texts_of_rows, table))
        """Gives a text for each call of an auction; empty where the table says nothing."""


class LineNotes:
    """What the lines of a system say about the calls that they make for deals.

    Several lines may make the same call at a place: the note is that of the line that the hand
    fits.
    """

    def __init__(self, places: "SystemPlaces") -> None:
        self._places = places
        self._text = cache(partial(_text_of_line, places))

    def on(self, deals: DealArrays, auctions: Sequence[Sequence[int]]) -> list[Sequence[str]]:
        """Give the texts of the auctions that the system bids with some deals.

        Raises
        ------
        InvalidInput
            If the system bids other auctions.
        """
        texts: list[list[str]] = [[] for _ in auctions]
        with self._places.lock:
            for depth, step in enumerate(self._places.steps(deals)):
                found = zip(
                    step.deals.tolist(), step.entry.tolist(), step.call.tolist(), strict=True
                )
                for deal, entry, call in found:
                    if [*auctions[deal][depth : depth + 1]] != [call]:
                        raise InvalidInput(
                            f"expected the auctions that the system bids, got {auctions[deal]!r}"
                        )
                    texts[deal].append(self._text(depth & 1, entry))
        return list(texts)


def _texts_of_rows(table: BiddingTable, auction: tuple[int, ...]) -> tuple[str, ...]:
    entries = (table.find(auction[:length]) for length in range(1, len(auction) + 1))
    return tuple(
        "" if entry is None else _joined((table.name(entry), table.description(entry)))
        for entry in entries
    )


def _text_of_line(places: "SystemPlaces", side: int, entry: int) -> str:
    if entry < 0:
        return NO_LINE
    program = places.sides[side]
    if program.is_foreign(entry):
        # an overlay put it there: it stands in no text
        return program.name(entry)
    line = program.entry(entry, 0)
    parts = (_joined((line.name, description_of(line))), *agreements_of(line))
    return "; ".join(text for text in parts if text)


def _joined(parts: Iterable[str]) -> str:
    """Name and description; once where they are the same."""
    return ": ".join(dict.fromkeys(text for text in parts if text))
