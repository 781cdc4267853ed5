"""All auctions that systems allow for one deal: what mode ``all`` lists, defined."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from bidcascade.bridge import PASS, Auction
from bidcascade.kernels import Context, DealArrays
from bidcascade.systems.auctions.allowed import Calls, ListingBounds
from bidcascade.systems.places.choice import fits
from bidcascade.systems.places.places import PlaceEntry, Rules
from bidcascade.systems.places.turn_context import context_at
from bidcascade.table.language.explain import HandValues
from bidcascade.table.language.vocabulary import Vocabulary

from .place_entries import Expander


class AllowedAuction(NamedTuple):
    """One auction of a deal.

    Parameters
    ----------
    calls
        From the dealer on.
    completed
        Whether it is over.
    variants
        Names of the entries that hold for the last call; none for a pass that no entry makes.
    """

    calls: Calls
    completed: bool
    variants: tuple[str, ...]


def allowed_auctions(
    expander: Expander, deals: DealArrays, deal: int, bounds: ListingBounds
) -> tuple[list[AllowedAuction], str | None]:
    r"""List the auctions of one deal, an auction before its continuations.

    Returns
    -------
    tuple of list of AllowedAuction and str or None
        What left auctions out: ``limit`` (there are more than that), ``places``, ``depth``, in this
        order if several did; None if nothing did. The auction that the systems bid is listed
        whatever is cut: behind those of its beginnings that are listed, with a limit as the last.
    """
    found, cut = held_auctions(
        lambda calls: expander.place(calls).entries, expander.sides, deals, deal, bounds
    )
    return [AllowedAuction(one.calls, one.completed, _names(one.entries)) for one in found], cut


class HeldAuction(NamedTuple):
    """One auction of a deal, with the entries that hold for its last call."""

    calls: Calls
    completed: bool
    entries: tuple[PlaceEntry, ...]


def held_auctions(
    entries_at: Callable[[Calls], Sequence[PlaceEntry]],
    sides: Sequence[Rules],
    deals: DealArrays,
    deal: int,
    bounds: ListingBounds,
) -> tuple[list[HeldAuction], str | None]:
    """List the auctions of one deal as :func:`allowed_auctions` does, with entries.

    ``entries_at`` gives what is chosen from after an auction.
    """

    def options(calls: Calls) -> list[HeldAuction]:
        entries = entries_at(calls)
        hand, context = hand_at(deals, deal, len(calls))
        held: dict[int, list[PlaceEntry]] = {}
        for entry in fitting(entries, hand, context, sides[len(calls) % 2].vocabulary):
            held.setdefault(entry.call, []).append(entry)
        if not held or all(entry.call != PASS for entry in entries):
            held[PASS] = []
        return [
            HeldAuction((*calls, call), Auction.of((*calls, call)).is_complete, tuple(fit))
            for call, fit in held.items()
        ]

    own = options(())[0]
    while not own.completed:
        own = options(own.calls)[0]
    cuts: set[str] = set()
    visited = 0

    def walk_on(calls: Calls) -> Iterator[HeldAuction]:
        nonlocal visited
        visited += 1
        for one in options(calls):
            if one.completed or not bounds.completed_only:
                yield one
            if one.completed:
                continue
            if len(one.calls) >= bounds.depth:
                cuts.add("depth")
            elif visited >= bounds.places:
                cuts.add("places")
            else:
                yield from walk_on(one.calls)

    found: list[HeldAuction] = []
    for one in walk_on(()):
        if len(found) == bounds.limit:
            cuts.add("limit")
            break
        found.append(one)
    if all(one.calls != own.calls for one in found):
        leading = 0
        while leading < len(found) and own.calls[: leading + 1] == found[leading].calls:
            leading += 1
        if leading == bounds.limit:
            leading -= 1
        if len(found) == bounds.limit:
            cuts.add("limit")
        found.insert(leading, own)
        del found[bounds.limit :]
    return found, next((cut for cut in ("limit", "places", "depth") if cut in cuts), None)


def fitting(
    entries: Sequence[PlaceEntry], hand: int, context: Context, vocabulary: Vocabulary
) -> Iterator[PlaceEntry]:
    """Entries that a hand fits, in order."""
    values = HandValues(hand, vocabulary, context)
    for entry in entries:
        if fits(entry, hand, context, vocabulary, values=values):
            yield entry


def hand_at(deals: DealArrays, deal: int, depth: int) -> tuple[int, Context]:
    """Hand that is to call after so many calls of a deal, with its seat and vulnerability."""
    dealer, sides = int(deals.dealer[deal]), int(deals.vulnerability[deal])
    return int(deals.hands[(dealer + depth) % 4, deal]), context_at(depth, dealer, sides)


def _names(entries: Sequence[PlaceEntry]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.name for entry in entries if entry.name))
