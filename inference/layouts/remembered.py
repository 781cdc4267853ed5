"""Steps of the last few hundred auctions, with their judges: reading an auction costs the most."""

import threading
import weakref
from collections import OrderedDict
from typing import Final, TypeAlias

from bidcascade.bridge import Seat
from bidcascade.inference.layouts.judging import Judge
from bidcascade.inference.layouts.steps import OverlaidPlaces, Source, Step, read_auction
from bidcascade.table import System

Judges: TypeAlias = dict[tuple[tuple[int, str], ...], Judge]
"""Judges of an auction by the steps they look at and how these are read."""

KEPT: Final = 256

_Key: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], int]
_Kept: TypeAlias = tuple[tuple[weakref.ref[object], ...], tuple[Step, ...], Judges]

_lock = threading.Lock()
_known: OrderedDict[_Key, _Kept] = OrderedDict()


def steps_of(
    source: Source, calls: tuple[int, ...], dealer: Seat, opponents: System | None = None
) -> tuple[tuple[Step, ...], Judges]:
    """Read the steps of an auction, or remember them.

    Sources are told apart by what they are, not by what they say, and are not kept alive.

    Examples
    --------
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced")
    >>> steps_of(system, (7,), Seat.NORTH)[0] is steps_of(system, (7,), Seat.NORTH)[0]
    True
    """
    parts = _parts(source, opponents)
    key = (tuple(map(id, parts)), calls, int(dealer))
    with _lock:
        found = _known.get(key)
        if found is not None and all(
            reference() is part for reference, part in zip(found[0], parts, strict=True)
        ):
            _known.move_to_end(key)
            return found[1], found[2]
    steps = read_auction(source, calls, dealer, opponents)
    judges: Judges = {}
    with _lock:
        _known[key] = tuple(weakref.ref(part) for part in parts), steps, judges
        _known.move_to_end(key)
        if len(_known) > KEPT:
            _known.popitem(last=False)
    return steps, judges


def _parts(source: Source, opponents: System | None) -> tuple[object, ...]:
    """Objects that decide what calls mean."""
    # overlaid places are made anew for each question
    whole = (source.places, source.table) if isinstance(source, OverlaidPlaces) else (source,)
    return whole if opponents is None else (*whole, opponents)
