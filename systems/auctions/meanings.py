"""What was said and shown on the way to places of a bidder, each different place worked out once.

Whoever asks holds the bidder's lock, and has the places from it.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from bidcascade.kernels.core import functions as walk
from bidcascade.kernels.types import I32, I64, U8

from .bidder import Bidder


class NamesAlong(NamedTuple):
    """Names of the calls on the way to places.

    Parameters
    ----------
    names : list of str
        Different ones.
    number : int64 [places, longest]
        Which of them each call has; without meaning behind the last one.
    lengths : int64 [places]
        Calls on the way to each place.
    """

    names: list[str]
    number: I64
    lengths: I64


def names_along(bidder: Bidder, places: I32) -> NamesAlong:
    """Name each call on the way to places: the rules that make it there, divided by `` / ``.

    A call that no rule with a name makes there has an empty one.
    """
    store = bidder.store
    lengths = walk.auction_lengths(store, places)
    keys = np.zeros((len(places), int(lengths.max(initial=0))), np.int64)
    here = places
    rows = np.flatnonzero(lengths)
    for back in range(1, keys.shape[1] + 1):
        at = lengths[rows] - back
        parent = store.parent[here[rows]]
        # entries are numbered by each side's system for itself
        keys[rows, at] = store.chosen[parent].astype(np.int64) << 7 | (at & 1) << 6
        keys[rows, at] |= store.call[here[rows]]
        here = here.copy()
        here[rows] = parent
        rows = rows[at > 0]
    found, number = np.unique(keys, return_inverse=True)

    @cache
    def name(side: int, entry: int) -> str:
        return bidder.sides[side].name(entry)

    called = [side.core.rows("entries")["call"] for side in bidder.sides]
    names = []
    for key in found.tolist():
        side, call = key >> 6 & 1, key & 63
        first, end = store.list_first[key >> 7 : (key >> 7) + 2]
        entries = store.list_items[first:end] >> 1
        made = entries[called[side][entries] == call].tolist()
        names_here = dict.fromkeys(name(side, entry) for entry in made)
        names.append(" / ".join(filter(None, names_here)))
    return NamesAlong(names, number.reshape(keys.shape), lengths)


def shown_at(bidder: Bidder, places: I32) -> U8:
    """Bounds of what each player has shown where auctions stand.

    Returns
    -------
    uint8 [n, 4, 5, 2]
        By position from the dealer: least and most high-card points, clubs, diamonds, hearts and
        spades.
    """
    bidder.load_rows(places)
    store = bidder.store
    hulls: U8 = store.rows["hull"][store.row[places]]
    return hulls
