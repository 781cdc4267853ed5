"""What a table is about: the tags and names of its calls, each with the places where they come."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import PASS
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.columns import NONE_U32, Column

MOST_PLACES: Final = 24
"""Places named of each topic, unless asked otherwise."""
_TAG: Final = "#"


class TopicExample(NamedTuple):
    """A deal, dealt by North, and the calls after which a call of the topic is made on it."""

    hands: tuple[int, int, int, int]
    vulnerability: int
    calls: bytes


@dataclass(frozen=True, slots=True)
class Topic:
    """A tag such as ``#stayman``, or the name of calls such as ``Weak two``.

    Parameters
    ----------
    name : str
    calls : int
        Entries of the table that have it.
    places : tuple of bytes
        Auctions after which such a call may come, the shortest first; some of them.
    examples : tuple of TopicExample
        Deals on which a system makes such a call, at different places; a table makes none.
    """

    name: str
    calls: int
    places: tuple[bytes, ...]
    examples: tuple[TopicExample, ...] = ()


def topics_of(table: BiddingTable, *, most_places: int = MOST_PLACES) -> tuple[Topic, ...]:
    """All topics of a table, by name; those that only passes have are none.

    Parameters
    ----------
    table : BiddingTable
    most_places : int
        Most places named of each.

    Examples
    --------
    >>> from bidcascade.bridge import format_calls
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([
    ...     {"prior": "", "call": "1N", "name": "Strong notrump"},
    ...     {"prior": "1N P", "call": "2C", "name": "Stayman", "tags": ["#ask", "forcing"]}])
    >>> [(one.name, one.calls, format_calls(one.places[0])) for one in topics_of(table)]
    [('#ask', 1, '1N P'), ('Stayman', 1, '1N P'), ('Strong notrump', 1, '')]
    """
    entries, texts = _pairs(table)
    order = np.lexsort((entries, texts))
    entries, texts = entries[order], texts[order]
    first = np.flatnonzero(np.diff(texts, prepend=-1))
    found = [
        _topic(table, table.texts[int(text)], np.unique(some), most_places)
        for text, some in zip(texts[first], np.split(entries, first[1:]), strict=False)
    ]
    return tuple(sorted(filter(None, found), key=lambda one: one.name))


def _topic(
    table: BiddingTable, name: str, entries: NDArray[np.int64], most_places: int
) -> Topic | None:
    if (table.call[entries] == PASS).all():
        return None
    parents = np.unique(table.parents[entries]).astype(np.int64)
    at_start = bool(parents[-1] == NONE_U32)
    places = [b"", *table.auctions_of(parents[:-1])] if at_start else table.auctions_of(parents)
    return Topic(name, len(entries), tuple(in_order(places)[:most_places]))


def in_order(places: Iterable[bytes]) -> list[bytes]:
    """Auctions in the order in which they are named, the shortest first."""
    # of auctions of one length those with the most passes are commonest
    return sorted(places, key=lambda calls: (len(calls), -calls.count(PASS), calls))


def _pairs(table: BiddingTable) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Entries, and the numbers of the texts that are their names and tags: both int64[n]."""
    columns = table.columns
    whose = np.concatenate([np.arange(len(table)), columns["variant_entry"]]).astype(np.int64)
    names, tags = (_labels(table, label) for label in ("name", "tags"))
    offsets = columns["tag_offsets"].astype(np.int64)
    is_topic = np.array([table.texts[int(text)].startswith(_TAG) for text in columns["tag_texts"]])
    entries, texts = [whose[names > 0]], [names[names > 0]]
    for number in np.unique(tags[tags > 0]).tolist():
        some = whose[tags == number]
        for place in range(offsets[number], offsets[number + 1]):
            if is_topic[place]:
                entries.append(some)
                texts.append(np.full(len(some), columns["tag_texts"][place], np.int64))
    return np.concatenate(entries), np.concatenate(texts)


def _labels(table: BiddingTable, label: str) -> NDArray[np.int64]:
    """Values of a column of labels, of all entries and of all further variants."""
    count = len(table)
    of_entries: Any = table.columns.get(label, np.zeros(count, np.int64))
    of_variants: Column = table.columns[f"variant_{label}"]
    return np.concatenate([of_entries, of_variants]).astype(np.int64)
