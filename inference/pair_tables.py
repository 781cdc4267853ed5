"""Compiled tables for two systems against each other, kept in the cache of compiled tables.

The table of a system is compiled with the same system on both sides. In a match each side plays
its own, so places and meanings are others: the pair gets a table of its own, for each of the two
ways to deal it.
"""

import hashlib
import shutil
from pathlib import Path
from typing import Any, Final

from bidcascade.bridge import InvalidTable
from bidcascade.table import BiddingTable, System, cache_folder, compile_system
from bidcascade.table.compiled import ON_REQUEST, RECORD, Growth, record_of, write
from bidcascade.table.storage import is_table_folder, open_folder

_KEY_DIGITS: Final = 16
KEPT_PAIRS: Final = 16
"""Tables of pairs that stay in the cache; a match takes two."""


def pair_table(
    dealer_side: System,
    other_side: System,
    *,
    growth: Growth = ON_REQUEST,
    folder: Path | None = None,
    progress: Any = None,
) -> BiddingTable:
    """Table of two systems: from the cache if it was compiled before, else compiled and kept there.

    Parameters
    ----------
    dealer_side, other_side : System
        What the dealer's side plays, and what the other side plays.
    growth : Growth
        How far the table is grown.
    folder : Path, optional
        Of the cache; ``tables`` in :func:`bidcascade.table.cache_folder` if not given.
    progress : callable, optional
        Called before each depth if the table is compiled.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> one = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced")
    >>> other = System.parse("opening:" + chr(10) + "  1NT = Weak: 12-14 points, balanced")
    >>> with TemporaryDirectory() as place:
    ...     table = pair_table(one, other, growth=Growth(200), folder=Path(place))
    >>> [table.name(number) for number in table.children(table.find([0]))]
    ['Weak', 'Pass']
    """
    key = pair_key(dealer_side, other_side, growth)
    place = (cache_folder() / "tables" if folder is None else folder) / f"pair-{key}"
    if is_table_folder(place):
        try:
            return open_folder(place)
        except InvalidTable:
            # a damaged cache is no error of the user's: the table is compiled again
            pass
    table = compile_system(
        dealer_side, deals=growth.deals, seed=growth.seed, least=growth.least,
        opponents=other_side, progress=progress,
    )  # fmt: skip
    record = {
        "key": key,
        "dealer_side": record_of(dealer_side, growth),
        "other_side": record_of(other_side, growth),
    }
    try:
        write(table, record, place)
    except InvalidTable:
        # without a cache the table is compiled each time
        return table
    _forget_old(place.parent)
    return table


def pair_key(dealer_side: System, other_side: System, growth: Growth) -> str:
    """Key of the table of a pair: equal keys, equal tables.

    Examples
    --------
    >>> one = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced")
    >>> other = System.parse("opening:" + chr(10) + "  1NT = Weak: 12-14 points, balanced")
    >>> pair_key(one, other, ON_REQUEST) == pair_key(other, one, ON_REQUEST)
    False
    """
    keys = (record_of(side, growth)["key"] for side in (dealer_side, other_side))
    return hashlib.sha256(" ".join(keys).encode()).hexdigest()[:_KEY_DIGITS]


def _forget_old(folder: Path) -> None:
    """Remove all but the latest tables of pairs."""
    found = [
        (place.stat().st_mtime, place)
        for place in folder.glob(f"pair-{'[0-9a-f]' * _KEY_DIGITS}")
        if (place / RECORD).is_file()
    ]
    for _, place in sorted(found)[:-KEPT_PAIRS]:
        shutil.rmtree(place, ignore_errors=True)
