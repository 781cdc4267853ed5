"""Answers to unusual calls: those that a system would not make.

Run ``python -m benchmarks.bidding.unusual_calls NEW OLD``.

Who tunes a system by matches against itself never meets the calls of others: another opening style,
a cue-bid, a sacrifice, a double. Here both sides play OLD on deals of the bank, and on each deal
each side makes one call that OLD would not make there, drawn by seed: a suit of four cards at most
one level higher than it must be, their suit, or a double, up to the four level. Then the auction
goes on by the systems, and the side that answers plays OLD, or NEW. Contracts are scored double
dummy, plainly and with each contract that fails doubled.

Printed is what NEW gains beside OLD, and what an unusual call costs who makes it, in IMPs.
"""

import argparse
import sys
from typing import NamedTuple

import numpy as np

from bidcascade.bridge import DOUBLE, FIRST_BID, STRAINS, Auction
from bidcascade.inference.board_scores import imps_of
from bidcascade.inference.double_dummy.solved_deals import HELD_OUT, OPEN, bank_sample
from bidcascade.inference.double_dummy.table_cache import user_tables
from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import I8, I32, I64, Bools
from bidcascade.systems import open_system
from bidcascade.systems.auctions.bidder import Bidder
from bidcascade.workshop.boards.doctor import bid_to_the_end

from .over_their_bid import scores

SEED = 38
_PART_DEALS = 5_000
_LEAST_CARDS = 4
_HIGHEST = FIRST_BID + 4 * len(STRAINS)
_SUITS = 4
_NEVER = -1
_BITS = np.uint64(13)
_Z = 1.96
"""Standard errors of an interval of 95 %."""


class Unusual(NamedTuple):
    """Unusual calls: arrays of one length, of different deals or sides."""

    deal: I64
    depth: I64
    call: I64

    def of(self, chosen: Bools) -> "Unusual":
        return Unusual(*(column[chosen] for column in self))


def main() -> int:
    """Draw, bid, score and print."""
    parser = argparse.ArgumentParser(prog="benchmarks.bidding.unusual_calls", description=__doc__)
    parser.add_argument("new")
    parser.add_argument("old")
    parser.add_argument("--part", choices=(OPEN, HELD_OUT), default=OPEN)
    options = parser.parse_args()
    new, old = open_system(options.new), open_system(options.old)
    deals, tables = bank_sample(options.part, user_tables())
    usual = old.bidder()
    drawn = unusual_calls(usual, deals)
    gains, costs = [], []
    for side in (0, 1):
        of_side = drawn.of(drawn.depth % 2 == side)
        answers = old.bidder(new) if side == 0 else new.bidder(old)
        by_old, by_new = (points(one, of_side, deals, tables) for one in (usual, answers))
        without = points(
            usual, of_side._replace(depth=np.full_like(of_side.depth, _NEVER)), deals, tables
        )
        seats = deals.dealer[of_side.deal].astype(np.int64) + side
        sign = np.where(seats % 2 == 0, 1, -1)
        gains.append(-sign * imps(by_new, by_old))
        costs.append([-sign * imps(one, without) for one in (by_old, by_new)])
    gain = np.concatenate(gains, axis=1)
    by_old, by_new = np.concatenate(costs, axis=2)
    print(f"{options.new} beside {options.old}, {len(deals):,} deals, {gain.shape[1]:,} calls")
    print(f"{'':42}{'plain':>18}{'defended':>22}")
    print(f"{'the side that answers gains by the new text':42} {intervals(gain)}")
    print(f"{'an unusual call costs against the old text':42} {intervals(by_old)}")
    print(f"{'and against the new one':42} {intervals(by_new)}")
    return 0


def unusual_calls(bidder: Bidder, deals: DealArrays) -> Unusual:
    """One call of each side on each deal, where it has one."""
    random = np.random.default_rng(SEED)
    parts = []
    for start in range(0, len(deals), _PART_DEALS):
        some = deals.slice(start, min(start + _PART_DEALS, len(deals)))
        with bidder.lock:
            found = unusual_calls_of_part(bidder, some, random)
        parts.append(found._replace(deal=found.deal + start))
    return Unusual(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def unusual_calls_of_part(
    bidder: Bidder, deals: DealArrays, random: np.random.Generator
) -> Unusual:
    steps, _ = bid_to_the_end(bidder, deals)
    count = np.zeros(len(deals), np.int64)
    for step in steps:
        count[step.deals] += 1
    rows: list[tuple[int, int, int]] = []
    for side in (0, 1):
        depths = side + 2 * random.integers(0, np.maximum((count - side + 1) // 2, 1))
        for depth, step in enumerate(steps):
            for at in np.flatnonzero(depths[step.deals] == depth).tolist():
                deal, place = int(step.deals[at]), int(step.place[at])
                hand = deals.hands[(int(deals.dealer[deal]) + depth) % 4, deal]
                calls = [
                    call for call in sensible(bidder, place, hand) if call != int(step.call[at])
                ]
                if calls:
                    rows.append((deal, depth, int(random.choice(calls))))
    return Unusual(*np.array(rows, np.int64).reshape(-1, 3).T)


def sensible(bidder: Bidder, place: int, hand: np.uint64) -> list[int]:
    """Legal calls that somebody might make at a place with a hand."""
    auction = auction_at(bidder, place)
    me, shown = len(auction.calls) & 3, bidder.row(place)["suits"]
    cards = np.bitwise_count(hand >> (_BITS * np.arange(_SUITS, dtype=np.uint64)) & 0x1FFF)
    # three bits a suit, four suits at most
    packed = int(shown[me - 1]) | int(shown[(me + 1) & 3]) << 12
    theirs = {packed >> shift & 7 for shift in range(0, 24, 3)} - {0}
    calls = [DOUBLE] if auction.is_legal(DOUBLE) else []
    for suit in range(_SUITS):
        bids = [
            bid for bid in range(FIRST_BID + suit, _HIGHEST, len(STRAINS)) if auction.is_legal(bid)
        ]
        if suit + 1 in theirs:
            calls += bids[:1]
        elif cards[suit] >= _LEAST_CARDS:
            calls += bids[:2]
    return calls


def auction_at(bidder: Bidder, place: int) -> Auction:
    """Calls that lead to a place."""
    return Auction.of(bidder.auction_of(place))


def points(bidder: Bidder, unusual: Unusual, deals: DealArrays, tables: I8) -> I32:
    """Points of North-South, plain and defended, int32 [2, n].

    Where the auction does not come to the depth, or the call is not legal there, the deal is bid
    as usual.
    """
    found = []
    for start in range(0, len(unusual.deal), _PART_DEALS):
        part = Unusual(*(column[start : start + _PART_DEALS] for column in unusual))
        some, known = deals.take(part.deal), tables[part.deal]
        with bidder.lock:
            steps, ends = bid_to_the_end(bidder, some)
            for depth, step in enumerate(steps):
                at = np.flatnonzero(part.depth[step.deals] == depth)
                legal = [
                    auction_at(bidder, int(step.place[one])).is_legal(
                        int(part.call[step.deals[one]])
                    )
                    for one in at.tolist()
                ]
                at = at[np.array(legal, bool)]
                if len(at):
                    here = step.deals[at]
                    calls = part.call[here].astype(np.uint8)
                    ends[here] = bidder.bid_on(some.take(here), step.place[at], calls, depth).place
            found.append(np.array(scores(bidder, ends, some, known), np.int32))
    return np.concatenate(found, axis=1)


def imps(there: I32, here: I32) -> I64:
    """IMPs by which North-South have more there than here, int64 [2, n]."""
    return np.array([imps_of(more) for more in there - here], np.int64)


def intervals(values: I64) -> str:
    """Means with intervals of 95 %."""
    errors = _Z * values.std(axis=1) / values.shape[1] ** 0.5
    return "   ".join(
        f"{mean:+8.4f} ± {error:.4f}"
        for mean, error in zip(values.mean(axis=1), errors, strict=True)
    )


if __name__ == "__main__":
    sys.exit(main())
