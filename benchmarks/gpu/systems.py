"""Systems timed on the processor and on the GPU: fresh deals, then places that are known."""

import argparse
from typing import Any

import numpy as np

from benchmarks.compare import Disagreement
from benchmarks.programs import timed
from bidcascade.kernels import Backend, DealArrays, get_backend
from bidcascade.kernels.dealing import deal_hands

SYSTEM = "sayc"
SEED = 20_261_126
_COMPARED = 2_000
_LISTED = 65


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
    from bidcascade.systems.allowed import ListingBounds, list_allowed

    answers, lists = [], []
    listed = deals.slice(0, min(len(deals), _LISTED))
    for where in (None, backend):
        bidder = _bidder()
        found = bidder.bid(deals, backend=where)
        endings = bidder.endings(found.place)
        auctions = np.split(endings.calls, endings.offsets[1:-1])
        answers.append(list(zip(map(np.ndarray.tolist, auctions), found.defaults, strict=True)))
        every = list_allowed(bidder, listed, ListingBounds(12, 5, 12), backend=where)
        lists.append(
            (
                every.offsets.tolist(),
                every.cut.tolist(),
                bidder.ending_with(every.place, every.call),
            )
        )
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
    return found


def _bidder() -> Any:
    from bidcascade.systems.bidder import Bidder
    from bidcascade.systems.program import opened_programs
    from bidcascade.systems.system import System

    rules = System.open(SYSTEM).rules
    # programs of their own: nothing that another bidder learned
    return Bidder(*opened_programs(rules, rules))
