"""What a change of a system's text does: the same deals bid by both texts, and where they part."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import format_call, format_calls, format_hand

from .compile import DEFAULT_SEED, Growth, Progress, Sample
from .system import System

_EXAMPLES: Final = 2
NO_CALL: Final = 255
"""Stands behind the end of an auction, and where a deal was not followed further."""


@dataclass(frozen=True, slots=True)
class Change:
    """One place where the two texts call differently.

    Parameters
    ----------
    auction
        Calls before, as text.
    old, new
        The calls that part them.
    old_rule, new_rule
        Name, file and line of the rules.
    deals
        How many deals part here.
    examples
        Hands that do.
    """

    auction: str
    old: str
    new: str
    old_rule: str
    new_rule: str
    deals: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SystemDiff:
    """Outcome of :func:`diff_systems`.

    Parameters
    ----------
    deals
        Size of the sample.
    changed
        Deals whose auctions differ.
    followed
        Deals that both texts bid to the end; the others were compared as far as both went.
    changes
        Most deals first.
    """

    deals: int
    changed: int
    followed: int
    changes: tuple[Change, ...]


def diff_systems(
    old: System,
    new: System,
    *,
    deals: int = 100_000,
    seed: int = DEFAULT_SEED,
    least: int = 1,
    processes: int = 1,
    progress: Callable[[Progress], None] | None = None,
) -> SystemDiff:
    r"""Bid the same random deals with two systems and list where their auctions part.

    Parameters
    ----------
    old, new
        Both sides play one, then both play the other.
    deals, seed
        The sample.
    least
        Places that fewer deals reach are not expanded: deals that get there are compared up to
        there and counted as not followed. It makes a million deals a matter of seconds.
    processes
        2 bids with both systems at once.

    Examples
    --------
    >>> old = System.parse("opening:\n  1NT = Strong: 15-17 points, balanced")
    >>> new = System.parse("opening:\n  1NT = Weak: 12-14 points, balanced")
    >>> diff = diff_systems(old, new, deals=500)
    >>> sorted({(change.old, change.new) for change in diff.changes if change.auction == ""})
    [('1N', 'P'), ('P', '1N')]
    """
    if processes > 1:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            waiting = [pool.submit(_bid_all, system, deals, seed, least) for system in (old, new)]
            first, second = (one.result() for one in waiting)
    else:
        first = _bid_all(old, deals, seed, least, progress)
        second = _bid_all(new, deals, seed, least, progress)
    return _compare(old, new, first, second, seed)


@dataclass(frozen=True, slots=True)
class _Bidding:
    """Calls of every deal, NO_CALL behind the end; ``ended`` is whether it was bid to the end."""

    calls: NDArray[np.uint8]
    ended: NDArray[np.bool_]


def _bid_all(
    system: System,
    deals: int,
    seed: int,
    least: int,
    progress: Callable[[Progress], None] | None = None,
) -> _Bidding:
    growth = Growth(
        system.expander(), Sample.random(deals, seed=seed), least=least, progress=progress
    )
    columns: list[NDArray[np.uint8]] = []
    ended = np.zeros(deals, bool)
    for place, taken in growth.places():
        depth = len(place.calls)
        while len(columns) <= depth:
            columns.append(np.full(deals, NO_CALL, np.uint8))
        for entry, took in taken:
            call = 0 if entry is None else entry.call
            columns[depth][took] = call
            if len(took) and place.state.auction.add(call).is_complete:
                ended[took] = True
    calls = np.stack(columns, axis=1) if columns else np.zeros((deals, 0), np.uint8)
    return _Bidding(calls, ended)


def _compare(old: System, new: System, first: _Bidding, second: _Bidding, seed: int) -> SystemDiff:
    deals = len(first.ended)
    width = max(first.calls.shape[1], second.calls.shape[1])
    a, b = (_widened(one.calls, width) for one in (first, second))
    # a deal that one text stopped following says nothing beyond that call
    open_a, open_b = ~first.ended[:, None] & (a == NO_CALL), ~second.ended[:, None] & (b == NO_CALL)
    differs = (a != b) & ~open_a & ~open_b
    changed = differs.any(axis=1)
    where = differs.argmax(axis=1)
    counts: Counter[tuple[bytes, int, int]] = Counter()
    sample: dict[tuple[bytes, int, int], list[int]] = {}
    for deal in np.flatnonzero(changed).tolist():
        depth = int(where[deal])
        key = (a[deal, :depth].tobytes(), int(a[deal, depth]), int(b[deal, depth]))
        counts[key] += 1
        kept = sample.setdefault(key, [])
        if len(kept) < _EXAMPLES:
            kept.append(deal)
    hands = Sample.random(deals, seed=seed).deals.hands
    changes = []
    for (prior, mine, other), count in counts.most_common():
        calls = tuple(prior)
        examples = tuple(
            format_hand(int(hands[len(calls) % 4, deal])) for deal in sample[prior, mine, other]
        )
        changes.append(
            Change(
                format_calls(calls),
                _text(mine),
                _text(other),
                _rule(old, calls, mine),
                _rule(new, calls, other),
                count,
                examples,
            )
        )
    followed = int((first.ended & second.ended).sum())
    return SystemDiff(deals, int(changed.sum()), followed, tuple(changes))


def _widened(calls: NDArray[np.uint8], width: int) -> NDArray[np.uint8]:
    missing = width - calls.shape[1]
    return np.pad(calls, ((0, 0), (0, missing)), constant_values=NO_CALL)


def _text(call: int) -> str:
    return "end" if call == NO_CALL else format_call(call)


def _rule(system: System, calls: tuple[int, ...], call: int) -> str:
    """Rules of a place that make a call."""
    if call == NO_CALL:
        return "the auction is over"
    found = [
        f"{entry.name} ({entry.where})"
        for entry in system.expand(calls).entries
        if entry.call == call
    ]
    return " or ".join(dict.fromkeys(found)) or "no line fits"
