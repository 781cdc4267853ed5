"""All auctions that systems allow for deals: mode ``all``, counts and members without a table.

At a place every entry whose criteria hold allows its call; entries of one call are its variants.
Siblings come in the order of the first entry that holds. A pass is allowed, behind the others,
where the place has no entry for it, and where nothing holds. So the first sibling is always the
call of mode ``first``.

An answer is bounded (see :class:`ListingBounds`), as a system may go on without end; the auction
that the systems bid is in it all the same. :func:`.reference.allowed_auctions.allowed_auctions` is
the definition.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np

from bidcascade.bridge import Auction
from bidcascade.kernels import Backend, DealArrays
from bidcascade.kernels.core import functions as walk
from bidcascade.kernels.core import rows
from bidcascade.kernels.machine.threads import in_blocks
from bidcascade.kernels.types import I32, I64, U8, U64, Bools
from bidcascade.table.columns import offsets_of

from .bidder import FEW, LONGEST_AUCTION, Bidder

if TYPE_CHECKING:
    from bidcascade.kernels.cuda import CudaBackend
    from bidcascade.table.real_calls import CallLists

Calls = tuple[int, ...]

DEFAULT_LIMIT: Final = 1000
DEFAULT_PLACES: Final = 2000
CUTS: Final = (None, "limit", "depth", "places")
"""What left auctions out, by the numbers of :mod:`bidcascade.kernels.core.functions`."""
MOST_COUNTED: Final = 100_000
MOST_PAIRS: Final = 1 << 25
"""Pairs of a place and a deal that counts look at together, 24 bytes each."""
_PAIRS_AT_ONCE: Final = 1 << 14


class ListingBounds(NamedTuple):
    """How far the auctions of one deal are listed.

    Parameters
    ----------
    limit
        Auctions at most.
    depth
        Calls of an auction at most.
    places
        Places that are looked at, at most. At those beyond it auctions are not followed.
    completed_only
        List only auctions that are over.
    """

    limit: int = DEFAULT_LIMIT
    depth: int = LONGEST_AUCTION
    places: int = DEFAULT_PLACES
    completed_only: bool = False


class Listing(NamedTuple):
    """Auctions of deals, as numbers of a bidder, which nobody else may use meanwhile.

    Parameters
    ----------
    offsets : int64 [deals + 1]
        Deal i has the auctions ``offsets[i]`` to ``offsets[i + 1]``.
    cut : uint8 [deals]
        Number in :data:`CUTS`.
    place : int32 [auctions], call : uint8 [auctions]
        Last call and where it is made.
    completed : bool [auctions]
    held_offsets : int64 [auctions + 1], held : int32
        Entries that hold for the last call.
    """

    offsets: I64
    cut: U8
    place: I32
    call: U8
    completed: Bools
    held_offsets: I64
    held: I32


def list_allowed(
    bidder: Bidder, deals: DealArrays, bounds: ListingBounds, *, backend: Backend | None = None
) -> Listing:
    r"""List the auctions of deals, an auction before its continuations.

    The caller holds the bidder's lock as long as it uses the answer. Many deals are listed on the
    backend if it is ``cuda``, else on the processor.
    """
    with bidder.walking():
        if _is_there(backend, deals):
            return _listed_there(bidder, deals, bounds, cast("CudaBackend", backend))
        return _list_allowed(bidder, deals, bounds)


def _listed_there(
    bidder: Bidder, deals: DealArrays, bounds: ListingBounds, backend: "CudaBackend"
) -> Listing:
    parts = bidder.list_on_device(deals, np.array([*bounds], np.int64), backend)
    auctions = offsets_of([len(part.place) for part in parts], np.int64)
    entries = offsets_of([len(part.held) for part in parts], np.int64)
    offsets = [part.first + before for part, before in zip(parts, auctions, strict=False)]
    held = [part.held_end[1:] + before for part, before in zip(parts, entries, strict=False)]
    return Listing(
        np.concatenate([*offsets, auctions[-1:]]),
        np.concatenate([part.cut for part in parts]),
        np.concatenate([part.place for part in parts]),
        np.concatenate([part.call for part in parts]),
        np.concatenate([part.completed for part in parts]) != 0,
        np.concatenate([entries[:1], *held]),
        np.concatenate([part.held for part in parts]),
    )


def _list_allowed(bidder: Bidder, deals: DealArrays, bounds: ListingBounds) -> Listing:
    count = len(deals)
    out = rows.Listed(
        end=np.zeros(count + 1, np.int64),
        cut=np.zeros(count, np.uint8),
        place=np.zeros(1 << 10, np.int32),
        call=np.zeros(1 << 10, np.uint8),
        completed=np.zeros(1 << 10, np.uint8),
        held_end=np.zeros((1 << 10) + 1, np.int64),
        held=np.zeros(1 << 14, np.int32),
        levels=np.zeros((rows.LEVELS, rows.LEVEL_BYTES), np.uint8),
        at=np.zeros(1, rows.WALK),
    )
    out.at[["is_own", "is_new"]] = 1
    numbers = np.array([*bounds], np.int64)
    bidder.list_into(out, deals, numbers)
    while int(out.at["deal"][0]) < count:
        _enlarge(out)
        bidder.list_into(out, deals, numbers)
    last = int(out.end[-1])
    return Listing(
        out.end,
        out.cut,
        out.place[:last],
        out.call[:last],
        out.completed[:last] != 0,
        out.held_end[: last + 1],
        out.held[: int(out.held_end[last])],
    )


def _enlarge(out: rows.Listed) -> None:
    for name in ("place", "call", "completed", "held_end", "held"):
        array = getattr(out, name)
        larger = np.zeros(2 * len(array), array.dtype)
        larger[: len(array)] = array
        out.set(**{name: larger})


# --- members --------------------------------------------------------------------------------------


def members(
    bidder: Bidder,
    deals: DealArrays,
    auctions: Sequence[Calls],
    *,
    known: int = 0,
    backend: Backend | None = None,
) -> list[Bools]:
    r"""Which deals may bid each of some legal auctions.

    ``known`` calls at the beginning of each are such that all deals may make them. What many deals
    may call is found on the backend if it is ``cuda``, else on the processor.

    Raises
    ------
    IllegalCall
        If an auction is illegal.

    Examples
    --------
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from bidcascade.systems.system import System
    >>> system = System.parse("opening:\n  1NT = Strong: 15-17 points, balanced")
    >>> zeros = np.zeros(9, np.uint8)
    >>> deals = DealArrays(deal_hands(1, 0, 9), zeros, zeros)
    >>> [int(one.sum()) for one in members(system.bidder(), deals, [(0,), (7, 8)])]
    [9, 0]
    """
    for calls in auctions:
        Auction.of(calls)
    with bidder.walking():
        prefixes = {calls[:length] for calls in auctions for length in range(len(calls))}
        # hands are packed when all places have said what they ask of them
        place: dict[Calls, int] = {(): bidder.reach(())}
        for calls in sorted(prefixes - {()}, key=len):
            place[calls] = bidder.reach(calls)
        with _can_call(bidder, deals, backend) as can_call:
            everybody = np.arange(len(deals), dtype=np.int32)
            found: dict[Calls, I32] = {calls[:known]: everybody for calls in auctions}
            columns = []
            for calls in auctions:
                for length in range(known, len(calls)):
                    before = calls[:length]
                    if calls[: length + 1] not in found:
                        chosen = can_call(length, place[before], calls[length], found[before])
                        found[calls[: length + 1]] = found[before][chosen]
                column = np.zeros(len(deals), np.bool_)
                column[found[calls]] = True
                columns.append(column)
            return columns


@contextmanager
def _can_call(
    bidder: Bidder, deals: DealArrays, backend: Backend | None
) -> Iterator[Callable[[int, int, int, I32], Bools]]:
    """Who tells which of the deals may make a call at a place, by depth, place, call and deals."""
    if not _is_there(backend, deals):
        words = bidder.packed(deals).words
        yield lambda depth, place, call, who: _may_call(bidder, words, depth, place, call, who)
        return
    with bidder.masks_on_device(deals, cast("CudaBackend", backend)) as masks:

        def can_call(depth: int, place: int, call: int, who: I32) -> Bools:
            found = masks(depth, np.full(len(who), place, np.int32), who)
            is_allowed: Bools = (found >> np.uint64(call) & np.uint64(1)) != 0
            return is_allowed

        yield can_call


def _is_there(backend: Backend | None, deals: DealArrays) -> bool:
    """Whether a device is asked; few deals are quicker on the processor."""
    return backend is not None and backend.NAME == "cuda" and len(deals) > FEW


def _may_call(bidder: Bidder, words: U64, depth: int, place: int, call: int, deals: I32) -> Bools:
    """Which deals may make a call at a place."""
    found = np.zeros(len(deals), np.bool_)
    program, store, hands = bidder.programs[depth & 1], bidder.store, words[depth & 3]
    in_blocks(
        lambda start: walk.may_call(
            program,
            store,
            hands,
            place,
            call,
            deals,
            start,
            min(start + _PAIRS_AT_ONCE, len(deals)),
            found,
        ),
        range(0, len(deals), _PAIRS_AT_ONCE),
    )
    return found


class Along(NamedTuple):
    """What hands may call along auctions; nobody else may use the bidder meanwhile.

    Parameters
    ----------
    place : int32 [calls]
        Where each call is made.
    allowed : uint64 [calls]
        Bit ``c`` is set where the hand that is to call may call ``c`` there.
    """

    place: I32
    allowed: U64


def allowed_along(bidder: Bidder, deals: DealArrays, auctions: "CallLists") -> Along:
    r"""Find the calls that hands may make at every place of auctions, whatever was called there.

    The caller holds the bidder's lock as long as it uses the places.

    Parameters
    ----------
    auctions : CallLists
        A legal one for each deal, from the dealer on; it need not be over.

    Examples
    --------
    >>> import polars as pl
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from bidcascade.table.real_calls import CallLists
    >>> from bidcascade.systems.system import System
    >>> bidder = System.parse("opening:\n  1NT = Strong: 15-17 points, balanced").bidder()
    >>> deals = DealArrays(deal_hands(1, 0, 1), np.zeros(1, np.uint8), np.zeros(1, np.uint8))
    >>> auctions = CallLists.of(pl.Series([[0, 7]], dtype=pl.List(pl.UInt8)))
    >>> allowed_along(bidder, deals, auctions).allowed
    array([1, 1], dtype=uint64)
    """
    with bidder.walking():
        return _allowed_along(bidder, deals, auctions)


def _allowed_along(bidder: Bidder, deals: DealArrays, auctions: "CallLists") -> Along:
    lengths = np.diff(auctions.offsets)
    here = np.full(len(deals), bidder.reach(()), np.int32)
    call = np.zeros(len(deals), np.uint8)
    going_on, new = np.empty(len(deals), np.int64), np.empty(len(deals), np.int32)
    place = np.empty(len(auctions.calls), np.int32)
    levels: list[tuple[I32, I64]] = []
    active = np.flatnonzero(lengths)
    while len(active):
        where = auctions.offsets[active] + len(levels)
        place[where] = here[active]
        levels.append((active.astype(np.int32), where))
        active = active[lengths[active] > len(levels)]
        call[active] = auctions.calls[auctions.offsets[active] + len(levels) - 1]
        bidder.make_room(len(active))
        _, found = walk.follow(bidder.store, active, here, call, going_on, new)
        bidder.work_out(new[:found].copy())
    # hands are packed when all places have said what they ask of them
    words = bidder.packed(deals).words
    allowed = np.empty(len(place), np.uint64)
    for depth, (who, where) in enumerate(levels):
        allowed[where] = masks_at(bidder, words, depth, place[where], who)
    return Along(place, allowed)


def masks_at(bidder: Bidder, words: U64, depth: int, place: I32, deals: I32) -> U64:
    """Find the calls that deals may make at places of one depth, a bit each."""
    found = np.zeros(len(place), np.uint64)
    program, store, hands = bidder.programs[depth & 1], bidder.store, words[depth & 3]
    in_blocks(
        lambda start: walk.masks(
            program,
            store,
            hands,
            place,
            deals,
            start,
            min(start + _PAIRS_AT_ONCE, len(place)),
            found,
        ),
        range(0, len(place), _PAIRS_AT_ONCE),
    )
    return found


# --- counts ---------------------------------------------------------------------------------------


class CountedAuctions(NamedTuple):
    """Auctions that enough deals may bid, shorter ones first.

    Parameters
    ----------
    calls
        Auctions as bytes of codes.
    counts : int64 [auctions]
        Deals that may bid each.
    cut
        ``depth`` or ``number`` where longer auctions were not looked at, else None.
    """

    calls: list[bytes]
    counts: I64
    cut: str | None


def count_allowed(
    bidder: Bidder,
    deals: DealArrays,
    *,
    least: int,
    depth: int = LONGEST_AUCTION,
    most: int = MOST_COUNTED,
    backend: Backend | None = None,
) -> CountedAuctions:
    r"""Count how many deals may bid each auction, for all auctions that at least some may.

    Parameters
    ----------
    least
        Auctions that fewer deals may bid are neither listed nor gone on with.
    depth
        Calls of an auction at most.
    most
        When more auctions are listed, those of another call more are not looked at.
    backend
        Where it is found what many deals may call; on the processor unless it is ``cuda``.
    """
    with bidder.walking(), _masks(bidder, deals, backend) as masks:
        return _count_allowed(bidder, deals, least, depth, most, masks)


@contextmanager
def _masks(
    bidder: Bidder, deals: DealArrays, backend: Backend | None
) -> Iterator[Callable[[int, I32, I32], U64]]:
    """Who finds the calls that deals may make at places, by depth, places and deals."""
    if _is_there(backend, deals):
        with bidder.masks_on_device(deals, cast("CudaBackend", backend)) as masks:
            yield masks
        return
    packed = bidder.packed(deals)

    def masks_here(depth: int, place: I32, who: I32) -> U64:
        nonlocal packed
        packed = bidder.packed(deals, packed)
        return masks_at(bidder, packed.words, depth, place, who)

    yield masks_here


def _count_allowed(
    bidder: Bidder,
    deals: DealArrays,
    least: int,
    depth: int,
    most: int,
    masks: Callable[[int, I32, I32], U64],
) -> CountedAuctions:
    least = max(1, least)
    places = np.full(min(1, len(deals)), bidder.reach(()), np.int32)
    first = np.array([0, len(deals)][: len(places) + 1], np.int64)
    here = np.zeros(len(deals), np.int32)
    who = np.arange(len(deals), dtype=np.int32)
    calls: list[bytes] = []
    counts: list[I64] = []
    level = 0
    while len(places):
        found = masks(level, here, who)
        table = walk.count_calls(first, found)
        group, call = np.nonzero(table >= least)
        reached = table[group, call]
        calls += bidder.ending_with(places[group], call.astype(np.uint8))
        counts.append(reached)
        level += 1
        chosen = walk.going_on(bidder.store, places[group], call.astype(np.uint8))
        group, call, reached = group[chosen], call[chosen], reached[chosen]
        if len(group) and (level >= depth or len(calls) > most or reached.sum() > MOST_PAIRS):
            cut = "depth" if level >= depth else "number"
            return CountedAuctions(calls, np.concatenate(counts), cut)
        next_first = offsets_of(reached, np.int64)
        next_place, next_who = np.empty((2, int(next_first[-1])), np.int32)
        bidder.make_room(len(group))
        walk.deals_behind(
            bidder.store, first, found, who, group, call, places, next_first, next_place, next_who
        )
        places, first, here, who = next_place[next_first[:-1]], next_first, next_place, next_who
        new = bidder.store.list[places] == rows.UNKNOWN
        bidder.work_out(places[new])
    return CountedAuctions(calls, np.concatenate(counts) if counts else np.zeros(0, np.int64), None)
