"""The small table that is there out of the box: Standard American after the ACBL SAYC booklet.

The lines are written once, for an opening by the dealer, in ``uncontested``, ``notrump``,
``rebids`` and ``competition``; here they become rows for an opening in each of the four seats, with
the passes that stand between them and behind them.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final, TypedDict

from bidcascade.bridge import Auction, parse_calls

from .book import Book, Line
from .competition import write_competition
from .uncontested import openings, write_uncontested


class StarterRow(TypedDict):
    """One row of the table, as JSON Lines tables are written."""

    prior: list[str]
    call: str
    name: str
    description: str
    criteria: list[str]


_SILENT: Final = Line("P", ("True",), "Pass", "Nothing to add")


def starter_rows() -> Iterator[StarterRow]:
    """Rows of the table; parents first, siblings in priority order.

    Examples
    --------
    >>> first = next(starter_rows())
    >>> first["call"], first["name"], first["criteria"]
    ('2C', 'Strong two clubs', ['HCP >= 22'])
    """
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        prior = waiting.pop()
        below: list[tuple[str, ...]] = []
        for line in _children(prior):
            yield {
                "prior": list(prior),
                "call": line.call,
                "name": line.name,
                "description": line.description,
                "criteria": list(line.criteria),
            }
            calls = (*prior, line.call)
            if calls not in below:
                below.append(calls)
        waiting += reversed(below)


def _children(prior: tuple[str, ...]) -> tuple[Line, ...]:
    """Lines at a place; where none are written, the passes that end the auction."""
    passes = next((count for count, call in enumerate(prior) if call != "P"), len(prior))
    if passes == len(prior):
        return openings(passes + 1) if passes < 4 else ()
    written = _book().places.get(prior[passes:], ())
    if written:
        if any(line.call == "P" for line in written) or not _may_pass(prior):
            return written
        return (*written, _SILENT)
    if Auction.of(parse_calls(" ".join(prior))).is_complete:
        return ()
    return (_SILENT,)


def _may_pass(prior: tuple[str, ...]) -> bool:
    """Whether the last call that is no pass is an opponent's, so that nobody is forced."""
    last = max(place for place, call in enumerate(prior) if call != "P")
    return (len(prior) - last) % 2 == 1


@cache
def _book() -> Book:
    book = Book()
    write_uncontested(book)
    write_competition(book)
    book.close()
    return book
