"""``python -m benchmarks.over_their_game``: fit what bidding over their game is worth.

Random deals are bid by ``sayc`` at all four seats. Wherever an undoubled game is passed out, each
defender might have bid a suit in which his side has shown eight trumps or more with him; that
contract and theirs are solved. The gain in IMPs of bidding is fitted by least squares to what the
player sees, where a contract of either side that fails is doubled (perfect defence); the deals of a
fifth are judged by a fit to the others. ``Pays`` of ``systems/reference/conditions.py`` is the fit
in few small numbers. None of the deals is of the bank.
"""

import argparse
import sys

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import imps, score
from bidcascade.inference.auction_ends import contract_of
from bidcascade.inference.call_by_call import CallByCall
from bidcascade.inference.double_dummy.pool import DoubleDummyPool
from bidcascade.kernels import DealArrays, term_value
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.systems import open_system
from bidcascade.systems.bidder import Bidder
from bidcascade.systems.reference.conditions import PAYS

F64 = NDArray[np.floating]

FACTS = (
    "one", "own trumps", "support points", "points", "partner's trumps", "partner's points at best",
    "their points", "we are vulnerable", "they are vulnerable", "four level", "six level",
)  # fmt: skip
ROUNDED = np.array(
    [
        PAYS.levels[5], PAYS.own_trump, PAYS.support_point, -PAYS.point, PAYS.partners_trump,
        PAYS.partners_point, PAYS.their_point, PAYS.we_vulnerable, PAYS.they_vulnerable,
        PAYS.levels[4] - PAYS.levels[5], PAYS.levels[6] - PAYS.levels[5],
    ]
)  # fmt: skip
_FOLDS = 5
_TRUMPS = 8


def main() -> int:
    """Bid, solve, fit and print."""
    parser = argparse.ArgumentParser(prog="benchmarks.over_their_game", description=__doc__)
    parser.add_argument("--deals", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=555)
    options = parser.parse_args()
    deals = deal_arrays(random_deals(options.deals, options.seed))
    system = open_system("sayc")
    bidder = system.bidder(system)
    with bidder.lock:
        calls = CallByCall.of(bidder, deals)
        found = [one for deal in range(len(deals)) for one in chances(bidder, deals, calls, deal)]
    facts = np.array([one.facts for one in found], np.float64)
    with DoubleDummyPool() as pool:
        gains = np.array([one.gain for one in solved(found, deals, pool)], np.float64)
    fold = np.array([one.deal for one in found]) % _FOLDS
    whole = fitted(facts, gains)
    for name, worth, rounded in zip(FACTS, whole, ROUNDED, strict=True):
        print(f"{name:26} {worth:7.2f} IMPs   {rounded:4} units")
    expected = np.zeros(len(gains))
    for number in range(_FOLDS):
        out = fold == number
        expected[out] = facts[out] @ fitted(facts[~out], gains[~out])
    for name, bids in (("fit", expected > 0), ("units", facts @ ROUNDED > 0)):
        spread = np.sqrt((gains[bids] ** 2).sum())
        print(
            f"{name}: bids {bids.sum():,} of {len(gains):,} chances on {len(deals):,} deals, "
            f"{gains[bids].sum() / len(deals):+.4f} ± {spread / len(deals):.4f} IMPs a deal"
        )
    return 0


class Chance:
    """A contract that a defender might have bid, with what he sees; ``gain`` once it is solved."""

    def __init__(
        self, deal: int, facts: list[int], ours: "Contracted", theirs: "Contracted"
    ) -> None:
        self.deal, self.facts, self.ours, self.theirs = deal, facts, ours, theirs
        self.gain = 0


class Contracted:
    """A contract by compass: level, strain (0-4), declarer and whether his side is vulnerable."""

    def __init__(self, level: int, strain: int, declarer: int, *, vulnerable: bool) -> None:
        self.level, self.strain, self.declarer, self.vulnerable = (
            level,
            strain,
            declarer,
            vulnerable,
        )

    def scored(self, tricks: int) -> int:
        """Points of declarer's side, doubled where it fails."""
        doubled = tricks < self.level + 6
        contract = contract_of(1 + 4 * (3 * (5 * (self.level - 1) + self.strain) + doubled), 0)
        assert contract is not None
        return score(contract, tricks, vulnerable=self.vulnerable)


def is_game(level: int, strain: int) -> bool:
    """Whether a contract is game or more."""
    return level >= (3 if strain == 4 else 4 if strain >= 2 else 5)


def chances(bidder: Bidder, deals: DealArrays, found: CallByCall, deal: int) -> list[Chance]:
    """What either defender might have bid over the last bid of a deal."""
    calls = [one for one in found.call[deal].tolist() if one >= 0]
    bids = [at for at, call in enumerate(calls) if call >= 3]
    if not bids or any(call in (1, 2) for call in calls[bids[-1] :]):
        return []
    last = bids[-1]
    level, strain = divmod(calls[last] - 3, 5)
    level += 1
    if not is_game(level, strain):
        return []
    dealer, sides = int(deals.dealer[deal]), int(deals.vulnerability[deal])

    def declarer(of: int, named: int) -> int:
        """Who of the side that calls at a turn has named a strain first, else who calls."""
        first = (
            at for at in range(of & 1, of, 2) if calls[at] >= 3 and (calls[at] - 3) % 5 == named
        )
        return (dealer + next(first, of)) % 4

    def contracted(level: int, strain: int, of: int) -> Contracted:
        seat = declarer(of, strain)
        return Contracted(level, strain, seat, vulnerable=bool(sides >> seat % 2 & 1))

    chosen = []
    for at in (last + 1, last + 3):
        if at >= len(calls):
            continue
        seat, me = (dealer + at) % 4, at & 3
        hand, row = int(deals.hands[seat, deal]), bidder.row(int(found.place[deal, at]))["hull"]
        partner, theirs = row[me ^ 2], row[me - 1][0][0] + row[(me + 1) & 3][0][0]
        for suit in range(4):
            letter = "CDHS"[suit]
            own = term_value(f"SL_{letter}", hand)
            over = level + (suit <= strain)
            if own + partner[1 + suit][0] < _TRUMPS or over not in PAYS.levels:
                continue
            ours, their_own = contracted(over, suit, at), contracted(level, strain, last)
            facts = [
                1, own, term_value(f"Support_Points_{letter}", hand), term_value("HCP", hand),
                partner[1 + suit][0], min(partner[0][1], partner[0][0] + PAYS.widest), theirs,
                ours.vulnerable, their_own.vulnerable, over == 4, over == 6,
            ]  # fmt: skip
            chosen.append(Chance(deal, [int(one) for one in facts], ours, their_own))
    return chosen


def solved(found: list[Chance], deals: DealArrays, pool: DoubleDummyPool) -> list[Chance]:
    """Solve the contracts of some chances and put down their gains."""
    cells = np.array(
        [
            (one.deal, which.declarer, which.strain)
            for one in found
            for which in (one.ours, one.theirs)
        ]
    )
    different, which = np.unique(cells, axis=0, return_inverse=True)
    tricks = pool.tricks(
        np.ascontiguousarray(deals.hands[:, different[:, 0]]),
        different[:, 2].astype(np.uint8),
        different[:, 1].astype(np.uint8),
    )[which.ravel()].reshape(-1, 2)
    for one, (ours, theirs) in zip(found, tricks.tolist(), strict=True):
        one.gain = imps(one.ours.scored(ours) + one.theirs.scored(theirs))
    return found


def fitted(facts: F64, gains: F64) -> F64:
    """Least squares with a small penalty."""
    return np.linalg.solve(facts.T @ facts + 3 * np.eye(facts.shape[1]), facts.T @ gains)


if __name__ == "__main__":
    sys.exit(main())
