"""Systems timed on the processor and on the GPU: calls, lists, counts and members.

Calls of fresh deals come first, then those of deals whose places are known.
"""

import argparse
from functools import partial
from typing import Any

import numpy as np

from benchmarks.engines.compare import Disagreement
from benchmarks.tools.programs import timed
from bidcascade.kernels import Backend, DealArrays, get_backend
from bidcascade.kernels.dealing import deal_hands

SYSTEM = "sayc"
SEED = 20_261_126
_COMPARED = 2_000
_LISTED = 65
_TIMED_LISTS = 4_096
_COUNT_DEPTH = 6
_MEMBERS = ((7,), (0, 7), (7, 0, 8), (6, 0, 7), (3, 5, 0, 6))
"""1NT, pass 1NT, 1NT pass 2C, 1S pass 1NT, 1C 1H pass 1S."""


def deals_of(seed: int, count: int) -> DealArrays:
    """Random deals with every dealer and vulnerability in turn."""
    every = np.arange(count)
    hands = deal_hands(seed, 0, count)
    return DealArrays(hands, (every % 4).astype(np.uint8), (every // 4 % 4).astype(np.uint8))


def compare_systems(deals: DealArrays, backend: Backend) -> None:
    """Bid deals on the processor and on the GPU, and list all auctions of some.

    Raises
    ------
    Disagreement
        At the first deal that is bid otherwise, or where lists differ.
    """
    # the parent has none of the wheels that this needs
    from bidcascade.systems.auctions.allowed import ListingBounds, list_allowed

    answers, lists = [], []
    listed = deals.slice(0, min(len(deals), _LISTED))
    for where in (None, backend):
        bidder = _bidder()
        found = bidder.bid(deals, backend=where)
        endings = bidder.endings(found.place)
        auctions = np.split(endings.calls, endings.offsets[1:-1])
        answers.append(list(zip(map(np.ndarray.tolist, auctions), found.defaults, strict=True)))
        every = list_allowed(bidder, listed, ListingBounds(12, 5, 12), backend=where)
        lists.append(_listed(bidder, every))
    for deal, (wanted, got) in enumerate(zip(*answers, strict=True)):
        if wanted != got:
            raise Disagreement(
                f"system {SYSTEM!r}: cpu and cuda differ at deal {deal}: calls {wanted[0]} with "
                f"{wanted[1]} passes by default against {got[0]} with {got[1]}"
            )
    if lists[0] != lists[1]:
        raise Disagreement(
            f"system {SYSTEM!r}: cpu and cuda list other auctions, of {_LISTED} deals"
        )


def time_systems(options: argparse.Namespace) -> dict[str, Any]:
    """Compare, then time; deals a second by backend, of fresh deals and of known places."""
    cuda = get_backend("cuda")
    compare_systems(deals_of(SEED, min(_COMPARED, options.deals)), cuda)
    deals = deals_of(SEED + 1, max(1, options.deals // 4))
    found: dict[str, Any] = {"system": SYSTEM, "deals": len(deals)}
    for name, where in (("cpu", None), ("cuda", cuda)):
        # kernels are compiled, the system's text is read
        _bidder().bid(deals.slice(0, min(len(deals), 200)), backend=where)
        bidder = _bidder()
        fresh, _ = timed(lambda bidder=bidder, where=where: bidder.bid(deals, backend=where))
        known = [
            timed(lambda bidder=bidder, where=where: bidder.bid(deals, backend=where))[0]
            for _ in range(options.repeat)
        ]
        found[name] = {"fresh": fresh, "known": known, "places": bidder.count}
    found |= _time_allowed(deals, cuda)
    return found


def _time_allowed(deals: DealArrays, cuda: Backend) -> dict[str, Any]:
    """Time lists, counts and members of fresh deals, and compare what both have found."""
    from bidcascade.systems.auctions.allowed import (
        ListingBounds,
        count_allowed,
        list_allowed,
        members,
    )

    few = deals.slice(0, min(len(deals), _TIMED_LISTS))
    least = max(1, len(deals) // 1_000)

    def lists(bidder: Any, where: Backend | None) -> Any:
        return list_allowed(bidder, few, ListingBounds(), backend=where)

    def counts(bidder: Any, where: Backend | None) -> Any:
        return count_allowed(bidder, deals, least=least, depth=_COUNT_DEPTH, backend=where)

    def columns(bidder: Any, where: Backend | None) -> Any:
        return members(bidder, deals, _MEMBERS, backend=where)

    rows: list[dict[str, Any]] = []
    for kind, size, work, comparable in (
        ("lists", len(few), lists, _listed),
        ("counts", len(deals), counts, _counted),
        ("members", len(deals), columns, lambda _, found: [one.tobytes() for one in found]),
    ):
        seconds, answers = {}, []
        for name, where in (("cpu", None), ("cuda", cuda)):
            bidder = _bidder()
            seconds[name], found = timed(partial(work, bidder, where))
            answers.append(comparable(bidder, found))
        if answers[0] != answers[1]:
            raise Disagreement(f"system {SYSTEM!r}: cpu and cuda give other {kind}")
        rows.append({"what": kind, "deals": size, **seconds})
    return {"allowed": rows, "least": least, "depth": _COUNT_DEPTH}


# --- what does not go by numbers of a bidder's places -------------------------------------------


def _listed(bidder: Any, found: Any) -> Any:
    auctions = bidder.ending_with(found.place, found.call)
    return found.offsets.tolist(), found.cut.tolist(), auctions


def _counted(_: Any, found: Any) -> Any:
    return dict(zip(found.calls, found.counts.tolist(), strict=True)), found.cut


def _bidder() -> Any:
    from bidcascade.systems.auctions.bidder import Bidder
    from bidcascade.systems.auctions.program import opened_programs
    from bidcascade.systems.system import System

    rules = System.open(SYSTEM).rules
    # programs of their own: nothing that another bidder learned
    return Bidder(*opened_programs(rules, rules))
