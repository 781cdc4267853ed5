"""What no partnership wants to see, and how often it happens on boards that were bid.

Cards, contracts and lengths of auctions are all that is counted (and, where a system bids, calls
by what its text says of them: :mod:`.call_signs`), so boards that players bid are counted as those
of a system are. None of it is wrong on every board: six trumps may be the best spot, and a slam off
two aces gets a kind lead. How often it happens is what tells, beside the rates of players.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from bidcascade.bridge import SEATS, STRAINS, VULNERABILITIES, format_calls, format_deal
from bidcascade.inference.auction_ends import contract_number
from bidcascade.inference.quantiles import wilson_interval
from bidcascade.kernels.types import I64, Bools
from bidcascade.loaders.frames.frame import deal_at
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.term_values import term_values

from .call_signs import CALL_SIGNS
from .scored_boards import BidBoards, contract_text

GAME_POINTS: Final = 26
"""Points with which a side should be in game, given a fit in a major."""
SLAM_POINTS: Final = 33
OPENING_POINTS: Final = 12
MANY_CALLS: Final = 20
MANY_DOWN: Final = 4

_GAME: Final = 2
_SLAM: Final = 3
_NOTRUMP: Final = STRAINS.index("N")
_SIDES: Final = np.arange(2)[:, np.newaxis]


class SignExample(NamedTuple):
    """A board as it was bid: the deal as PBN, calls and contract in words."""

    deal: str
    dealer: str
    vulnerability: str
    auction: str
    contract: str


class Sign(NamedTuple):
    """How often something happened, of the boards on which it could.

    ``low`` and ``high`` are the ends of the share's interval of 95 % (Wilson), by different deals.
    Where it could happen on no board there is no share.
    """

    what: str
    among: str
    boards: int
    possible: int
    share: float | None
    low: float
    high: float
    examples: tuple[SignExample, ...] = ()


def sanity_of(boards: BidBoards, deal: I64 | None = None, *, examples: int = 0) -> list[Sign]:
    r"""Count what no partnership wants to see.

    Parameters
    ----------
    boards
        Without ``signs`` nothing is said of calls by what a text says of them; without tricks of
        any doubled contract nothing of those.
    deal : int64 [n], optional
        Number of each board's deal, where several boards are of one.
    examples
        How many boards are shown of each sign: the first ones.

    Examples
    --------
    >>> from bidcascade.loaders import deal_arrays, random_deals
    >>> from bidcascade.systems import System
    >>> from bidcascade.workshop.boards.scored_boards import bid_boards
    >>> rash = System.parse("opening:\n  6C = Slam: any hand")
    >>> boards = bid_boards(rash, deal_arrays(random_deals(50, 1)))
    >>> [one[:4] for one in sanity_of(boards) if "aces" in one.what]
    [('slam off two aces', 'undoubled slams', 37, 50)]
    """
    number = np.arange(len(boards.tricks)) if deal is None else deal
    found = []
    for what, among, seen, possible in _signs(boards):
        count, of = int(seen.sum()), int(possible.sum())
        # rooms of a deal are no two samples of what may be dealt
        deals = len(np.unique(number[possible]))
        low, high = wilson_interval([count * deals / max(of, 1)], [deals])
        found.append(
            Sign(
                what,
                among,
                count,
                of,
                count / of if of else None,
                float(low[0]),
                float(high[0]),
                tuple(_example(boards, one) for one in np.flatnonzero(seen)[:examples].tolist()),
            )
        )
    return found


def _signs(boards: BidBoards) -> Iterator[tuple[str, str, Bools, Bools]]:
    """Give what is counted, out of what, the boards that show it and those that could."""
    deals, (parts, played) = boards.deals, boards.contracts
    vocabulary = Vocabulary()

    def values(term: str) -> I64:
        return np.stack([term_values(term, seat, deals, vocabulary) for seat in range(4)])

    def either(sides: Bools) -> Bools:
        found: Bools = sides[0] | sides[1]
        return found

    count = np.arange(len(played))
    points, lengths = values("HCP"), np.stack([values(f"SL_{suit}") for suit in STRAINS[:4]])
    both, fits = points[:2] + points[2:], lengths[:, :2] + lengths[:, 2:]
    side = parts.declarer % 2
    category = boards.contracts.category
    # passed out, both sides have stopped below everything
    stopped = (side == _SIDES) | ~played

    strong = both >= GAME_POINTS
    with_fit = strong & ((fits[2] >= 8) | (fits[3] >= 8))
    yield (
        f"below game with {GAME_POINTS}+ points and 8+ cards in a major", "boards with both",
        either(with_fit & stopped & (category < _GAME)), either(with_fit),
    )  # fmt: skip
    slammish = both >= SLAM_POINTS
    yield (
        f"below slam with {SLAM_POINTS}+ points", "boards with them",
        either(slammish & stopped & (category < _SLAM)), either(slammish),
    )  # fmt: skip
    yield (
        f"{GAME_POINTS}+ points against an undoubled contract", "boards with them",
        either(strong & ~stopped) & (parts.doubling == 0), either(strong),
    )  # fmt: skip
    suits = played & (parts.strain < _NOTRUMP)
    trumps = fits[np.minimum(parts.strain, _NOTRUMP - 1), side, count]
    yield "at most 5 trumps", "suit contracts", suits & (trumps <= 5), suits
    yield "6 trumps", "suit contracts", suits & (trumps == 6), suits
    notrump = played & (parts.level == 3) & (parts.strain == _NOTRUMP)
    void = lengths.min(axis=0)[[side, side + 2], count].min(axis=0) == 0
    yield "3NT with a void", "contracts of 3NT", notrump & void, notrump
    opens = points.max(axis=0) >= OPENING_POINTS
    yield (
        f"passed out with a hand of {OPENING_POINTS}+ points", "boards with one",
        ~played & opens, opens,
    )  # fmt: skip
    # a doubled one may be a sacrifice
    slams = (category >= _SLAM) & (parts.doubling == 0)
    aces = (values("Aces")[:2] + values("Aces")[2:])[side, count]
    yield "slam off two aces", "undoubled slams", slams & (aces <= 2), slams
    doubled = played & (parts.doubling > 0) & (boards.tricks >= 0)
    if doubled.any():
        yield (
            f"doubled contract {MANY_DOWN}+ down, double dummy", "doubled contracts solved",
            doubled & (boards.tricks <= parts.level + 6 - MANY_DOWN), doubled,
        )  # fmt: skip
    long = np.array([len(calls) > MANY_CALLS for calls in boards.auctions], np.bool_)
    yield f"more than {MANY_CALLS} calls", "boards", long, np.ones(len(played), np.bool_)
    if boards.signs is not None:
        for sign, (possible, seen) in zip(CALL_SIGNS, boards.signs, strict=True):
            yield sign.what, sign.among, seen, possible


def _example(boards: BidBoards, number: int) -> SignExample:
    deals, calls = boards.deals, boards.auctions[number]
    dealer = int(deals.dealer[number])
    return SignExample(
        format_deal(deal_at(deals, number)),
        SEATS[dealer],
        VULNERABILITIES[int(deals.vulnerability[number])],
        format_calls(calls),
        contract_text(contract_number(calls), dealer),
    )
