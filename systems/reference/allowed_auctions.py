"""All auctions that systems allow for one deal: what mode ``all`` lists, defined."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bidcascade.bridge import PASS, Auction
from bidcascade.kernels import DealArrays
from bidcascade.systems.allowed import Bounds, Calls
from bidcascade.systems.choice import fits
from bidcascade.systems.places import PlaceEntry
from bidcascade.systems.system import context_at
from bidcascade.table.language.explain import HandValues

from .expansion import Expander


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
    expander: Expander, deals: DealArrays, deal: int, bounds: Bounds
) -> tuple[list[AllowedAuction], str | None]:
    r"""List the auctions of one deal, an auction before its continuations.

    Returns
    -------
    tuple of list of AllowedAuction and str or None
        What left auctions out: ``limit`` (there are more than that), ``places``, ``depth``, in this
        order if several did; None if nothing did. The auction that the systems bid is listed
        whatever is cut: behind those of its beginnings that are listed, with a limit as the last.
    """
    dealer, sides = int(deals.dealer[deal]), int(deals.vulnerability[deal])

    def options(calls: Calls) -> list[AllowedAuction]:
        place = expander.place(calls)
        hand = int(deals.hands[(dealer + len(calls)) % 4, deal])
        vocabulary = expander.sides[len(calls) % 2].vocabulary
        context = context_at(len(calls), dealer, sides)
        values = HandValues(hand, vocabulary, context)
        held: dict[int, list[PlaceEntry]] = {}
        for entry in place.entries:
            if fits(entry, hand, context, vocabulary, values=values):
                held.setdefault(entry.call, []).append(entry)
        if not held or all(entry.call != PASS for entry in place.entries):
            held[PASS] = []
        return [
            AllowedAuction(
                (*calls, call), Auction.of((*calls, call)).is_complete, _names(entries)
            )
            for call, entries in held.items()
        ]  # fmt: skip

    own = options(())[0]
    while not own.completed:
        own = options(own.calls)[0]
    cuts: set[str] = set()
    visited = 0

    def walk_on(calls: Calls) -> Iterator[AllowedAuction]:
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

    found: list[AllowedAuction] = []
    for one in walk_on(()):
        if len(found) == bounds.limit:
            cuts.add("limit")
            break
        found.append(one)
    if own not in found:
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


def _names(entries: Sequence[PlaceEntry]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.name for entry in entries if entry.name))
