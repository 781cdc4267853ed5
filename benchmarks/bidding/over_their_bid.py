"""``python -m benchmarks.bidding.over_their_bid``: fit what bidding a suit over their bid is worth.

A system bids the open part of the bank at all four seats. A *chance* is a place where the last bid
is theirs and undoubled, and a suit there that partner has shown three cards of or the player four
himself, and neither opponent four. Where the system passed, its cheapest bid is made instead; where
it bid that, a pass; the auction goes on by the system. What bidding gains beside passing is scored
double dummy, plainly and with each contract that fails doubled.

The mean of both is fitted to what the player sees, at part scores and at games, by least squares.
The hand itself is one number there, by the weights that ``Pays`` of
``systems/reference/conditions.py`` has, and what it is worth is the unit; the rest of ``Pays`` is
this fit in tenths of a unit. Then each level tells what the side gains or loses that bids by the
sum where the system's text does something else. The fit is judged on fifths of the deals that it
has not seen.
"""

import argparse
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import FIRST_BID, LAST_BID, PASS, STRAINS
from bidcascade.inference.board_scores import imps_of
from bidcascade.inference.double_dummy.solved_deals import OPEN, bank_sample
from bidcascade.inference.double_dummy.table_cache import user_tables
from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import I8, I32, I64, Bools
from bidcascade.systems import open_system
from bidcascade.systems.auctions.bidder import Bidder, BiddingLevel
from bidcascade.systems.language.auctions.patterns import game_level
from bidcascade.systems.reference.conditions import PAYS
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.term_values import term_values
from bidcascade.workshop.boards.doctor import bid_to_the_end, played_at

F64 = NDArray[np.floating]

SEEN = (
    "partner's trumps",
    "partner's points at best",
    "their points",
    "we are vulnerable",
    "they are vulnerable",
)
"""What the player sees beside his own hand."""
CLASSES = (("part score", PAYS.part_score), ("game", PAYS.game))
_SUITS = STRAINS[:4]
_GAMES = np.array([game_level(strain) for strain in STRAINS])
_PART_DEALS = 2_000
_FOLDS = 5
_RIDGE = 1.0
_TENTHS = 10
_PARTNERS_CARDS, _OWN_CARDS, _THEIR_CARDS = 3, 4, 4


class Chances(NamedTuple):
    """Places and suits that might be bid there: arrays of one length.

    ``bid`` is the call, ``bids`` whether the system makes it; ``seen`` int64 [n, SEEN];
    ``plain`` and ``defended`` are the IMPs that bidding gains beside passing, as the contracts are
    and where those that fail are doubled.
    """

    deal: I64
    bid: I64
    bids: Bools
    over_game: Bools
    own: I64
    seen: I64
    plain: I64
    defended: I64

    @property
    def level(self) -> I64:
        return (self.bid - FIRST_BID) // len(STRAINS) + 1

    def of(self, chosen: Bools) -> "Chances":
        return Chances(*(column[chosen] for column in self))


def main() -> int:
    """Bid, score, fit and print."""
    parser = argparse.ArgumentParser(prog="benchmarks.bidding.over_their_bid", description=__doc__)
    parser.add_argument("--system", default="sayc")
    options = parser.parse_args()
    deals, tables = bank_sample(OPEN, user_tables())
    found = chances(open_system(options.system).bidder(), deals, tables)
    print(
        f"{options.system}, {len(deals):,} deals of the open part of the bank, "
        f"{len(found.deal):,} chances"
    )
    for over_game, (name, pays) in enumerate(CLASSES):
        here = (found.over_game == over_game) & np.isin(found.level, tuple(pays.levels))
        report(name, tuple(pays.levels), numbers_of(over_game), found.of(here), len(deals))
    return 0


# --- what might have been bid ---------------------------------------------------------------------


def chances(bidder: Bidder, deals: DealArrays, tables: I8) -> Chances:
    """All chances of some deals."""
    parts = []
    for start in range(0, len(deals), _PART_DEALS):
        stop = min(start + _PART_DEALS, len(deals))
        some = chances_of_part(bidder, deals.slice(start, stop), tables[start:stop])
        parts += [part._replace(deal=part.deal + start) for part in some]
    return Chances(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def chances_of_part(bidder: Bidder, deals: DealArrays, tables: I8) -> Iterator[Chances]:
    """Chances of deals that are bid together, call by call."""
    own = own_sums(deals)
    with bidder.lock:
        steps, places = bid_to_the_end(bidder, deals)
        made = scores(bidder, places, deals, tables)
        for depth, step in enumerate(steps):
            at, suit, bid, their_bid, seen = found_at(bidder, step, depth)
            if not len(at):
                continue
            deal, bids = step.deals[at], step.call[at] == bid
            taken = deals.take(deal)
            other = np.where(bids, PASS, bid).astype(np.uint8)
            ended = bidder.bid_on(taken, step.place[at], other, depth).place
            seat = (taken.dealer.astype(np.int64) + depth) % 4
            sign = np.where(seat % 2 == 0, 1, -1) * np.where(bids, -1, 1)
            plain, defended = (
                sign * imps_of((there - here[deal]).astype(np.int32)).astype(np.int64)
                for there, here in zip(
                    scores(bidder, ended, taken, tables[deal]), made, strict=True
                )
            )
            level, strain = np.divmod(their_bid - FIRST_BID, len(STRAINS))
            sides = [taken.vulnerability >> side & 1 for side in (seat % 2, 1 - seat % 2)]
            yield Chances(
                deal,
                bid,
                bids,
                level + 1 >= _GAMES[strain],
                own[suit, seat, deal],
                np.column_stack([seen, *sides]),
                plain,
                defended,
            )


def own_sums(deals: DealArrays) -> I64:
    """What each hand brings itself, by the weights of ``PAYS``: int64 [suit, seat, n]."""
    gib = Vocabulary()

    def values(term: str, seat: int) -> I64:
        return term_values(term, seat, deals, gib)

    return np.array(
        [
            [
                PAYS.own_trump * values(f"SL_{suit}", seat)
                + PAYS.support_point * values(f"Support_Points_{suit}", seat)
                - values("HCP", seat)
                for seat in range(4)
            ]
            for suit in _SUITS
        ]
    )


def found_at(bidder: Bidder, step: BiddingLevel, depth: int) -> tuple[I64, I64, I64, I64, I64]:
    """Chances of a level: number in it, suit, bid, their bid, and the first of what is seen."""
    different, which = np.unique(step.place, return_inverse=True)
    rows = [bidder.row(int(place)) for place in different]
    last = np.array([int(row["last_bid"]) for row in rows])
    by_them = np.array([(row["last_bidder"] - row["length"]) % 2 != 0 for row in rows])
    doubled = np.array([row["doubled"] != 0 for row in rows])
    open_to_us = (last >= FIRST_BID) & by_them & ~doubled
    # int64 [4, places, quantity, 2]: from the player to call on, points and cards of suits
    hull = np.roll(np.array([row["hull"] for row in rows], np.int64), -(depth & 3), axis=1)
    me, left, partner, right = hull.transpose(1, 0, 2, 3)
    points = np.stack(
        [
            np.minimum(partner[:, 0, 1], partner[:, 0, 0] + PAYS.widest),
            left[:, 0, 0] + right[:, 0, 0],
        ],
        axis=1,
    )
    found = []
    for suit in range(len(_SUITS)):
        over, strain = np.divmod(last - FIRST_BID, len(STRAINS))
        bid = FIRST_BID + len(STRAINS) * (over + (suit <= strain)) + suit
        cards = [one[:, 1 + suit, 0] for one in (me, left, partner, right)]
        shown = (cards[2] >= _PARTNERS_CARDS) | (cards[0] >= _OWN_CARDS)
        theirs = np.maximum(cards[1], cards[3]) >= _THEIR_CARDS
        might = (open_to_us & shown & ~theirs & (bid <= LAST_BID))[which]
        at = np.flatnonzero(might & ((step.call == PASS) | (step.call == bid[which])))
        place = which[at]
        found.append(
            (
                at,
                np.full(len(at), suit),
                bid[place],
                last[place],
                np.column_stack([cards[2][place], points[place]]),
            )
        )
    at, suits, bids, lasts, seen = (np.concatenate(one) for one in zip(*found, strict=True))
    return at, suits, bids, lasts, seen


def scores(bidder: Bidder, places: I32, deals: DealArrays, tables: I8) -> tuple[I32, I32]:
    """Points of North-South of auctions that end at some places: plain, and defended perfectly."""
    contracts, tricks = played_at(bidder, places, deals, tables)
    return (
        contracts.scores(deals.vulnerability, tricks),
        contracts.defended_scores(deals.vulnerability, tricks),
    )


# --- what it is worth -----------------------------------------------------------------------------


def numbers_of(over_game: int) -> I64:
    """Numbers of ``PAYS`` in the order of a fit: its levels, then what is seen."""
    pays = CLASSES[over_game][1]
    return np.array(
        [
            *pays.levels.values(),
            PAYS.partners_trump,
            PAYS.partners_point,
            pays.their_point,
            pays.we_vulnerable,
            pays.they_vulnerable,
        ]
    )


def fitted(facts: F64, gains: F64) -> F64:
    """Least squares with a small penalty."""
    found: F64 = np.linalg.solve(facts.T @ facts + _RIDGE * np.eye(facts.shape[1]), facts.T @ gains)
    return found


def report(name: str, levels: tuple[int, ...], pays: I64, found: Chances, deals: int) -> None:
    """Print the fit of a class in tenths beside those of ``PAYS``, and what it gains by level."""
    by_level = found.level[:, None] == np.array(levels)
    facts = np.column_stack([by_level, found.seen, found.own]).astype(np.float64)
    gains = (found.plain + found.defended) / 2
    fit = fitted(facts, gains)
    unit = fit[-1]
    print(f"\nover a {name}: {len(gains):,} chances, a unit is {unit:.2f} IMPs")
    print(f"{'tenths':26}   fit   PAYS")
    words = (*(f"{level} level" for level in levels), *SEEN)
    for word, tenths, number in zip(words, _TENTHS * fit / unit, pays.tolist(), strict=False):
        print(f"{word:26} {tenths:5.0f} {number:6}")
    expected = np.zeros(len(gains))
    fold = found.deal % _FOLDS
    for number in range(_FOLDS):
        out = fold == number
        expected[out] = facts[out] @ fitted(facts[~out], gains[~out])
    of_pays = facts @ np.array([*pays, _TENTHS])
    print(f"{'':35}instead of the text's call{'IMPs a deal':>23}")
    print("level   chances   by          bids     passes              plain             defended")
    for level in levels:
        here = found.level == level
        for by, pay in (("fit", expected > 0), ("PAYS", of_pays > 0)):
            line = compared(found.of(here), pay[here], deals)
            print(f"{level:5}   {np.count_nonzero(here):7,}   {by:4}   {line}")


def compared(found: Chances, pay: Bools, deals: int) -> str:
    """What bidding exactly where it pays gains beside what the text does."""
    more, less = pay & ~found.bids, ~pay & found.bids
    change = more.astype(np.int64) - less
    sums = []
    for gain in (found.plain, found.defended):
        # chances of one deal are not independent
        by_deal = np.bincount(found.deal, change * gain, deals)
        sums.append(f"{by_deal.mean():+.4f} ± {by_deal.std() / deals**0.5:.4f}")
    return f"{more.sum():9,}  {less.sum():9,}   {sums[0]}   {sums[1]}"


if __name__ == "__main__":
    sys.exit(main())
