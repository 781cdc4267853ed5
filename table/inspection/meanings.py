"""What was said and shown on the way to entries of a table, each entry worked out once."""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Final

import numpy as np

from bidcascade.kernels.types import U8
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.language.criteria import analyse
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.row import Row

SHOWN_TERMS: Final = ("HCP", "SL_C", "SL_D", "SL_H", "SL_S")
"""Terms of which it is told what was shown, in this order."""
_ALL: Final = np.array([[0, 37], *[[0, 13]] * 4], np.uint8)


class EntryMeanings:
    """What the calls on the way to entries say, as the rows of a table have it.

    Examples
    --------
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1N", "name": "Strong",
    ...                          "criteria": ["15 <= HCP <= 17", "SL_S <= 5"]}])
    >>> meanings = EntryMeanings(table)
    >>> meanings.names(0), meanings.shown(0)[0, 0].tolist(), meanings.shown(0)[0, 4].tolist()
    (['Strong'], [15, 17], [0, 5])
    """

    def __init__(self, table: BiddingTable) -> None:
        self._table = table
        self._names: dict[int, list[str]] = {-1: []}
        self._shown: dict[int, U8] = {-1: np.stack([_ALL] * 4)}
        # not a method of its own: that would be a cycle, for which a collector is needed
        self._bounds = lru_cache(maxsize=1 << 14)(partial(_bounds_of, table.vocabulary))

    def names(self, entry: int) -> list[str]:
        """Name or description of each call up to an entry (-1: none); variants by `` / ``."""
        if entry not in self._names:
            self._learn(entry)
        return self._names[entry]

    def shown(self, entry: int) -> U8:
        """Bounds of :data:`SHOWN_TERMS` that players have shown up to an entry.

        Returns
        -------
        uint8 [4, 5, 2]
            By position from the dealer. Of several variants the widest; what no criteria bound is
            0 to 37 points, 0 to 13 cards. Where calls contradict each other the later one counts.
        """
        if entry not in self._shown:
            self._learn(entry)
        return self._shown[entry]

    def _learn(self, entry: int) -> None:
        way = []
        while entry not in self._names:
            way.append(entry)
            parent = int(self._table.parents[entry])
            entry = parent if parent < len(self._table) else -1
        for here in reversed(way):
            rows = self._table.variants(here)
            names = dict.fromkeys(row.name or row.description for row in rows)
            position = len(self._names[entry]) % 4
            self._names[here] = [*self._names[entry], " / ".join(filter(None, names))]
            shown = self._shown[here] = self._shown[entry].copy()
            shown[position] = _both(shown[position], self._widest(rows))
            entry = here

    def _widest(self, rows: Sequence[Row]) -> U8:
        if not rows:
            return _ALL
        bounds = np.stack([self._bounds(row.criteria) for row in rows])
        return np.stack([bounds[..., 0].min(axis=0), bounds[..., 1].max(axis=0)], axis=-1)


def _bounds_of(vocabulary: Vocabulary, criteria: tuple[str, ...]) -> U8:
    found = analyse(tuple(map(parse_expression, criteria)), vocabulary).bounds
    bounds = _ALL.copy()
    for number, term in enumerate(SHOWN_TERMS):
        bounds[number] = found.get(term, _ALL[number])
    return bounds


def _both(before: U8, now: U8) -> U8:
    low, high = np.maximum(before[:, 0], now[:, 0]), np.minimum(before[:, 1], now[:, 1])
    agree = (low <= high)[:, np.newaxis]
    return np.where(agree, np.stack([low, high], axis=1), now)
