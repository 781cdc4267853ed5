"""Calls that no partnership wants to see where a system bids, by what the text says of them.

Cards and contracts do not tell whether a call forced, which suit was agreed, or what a bid asked:
the rows of places do.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import DOUBLE, FIRST_BID, PASS, STRAINS
from bidcascade.kernels import DealArrays
from bidcascade.kernels.core.functions import forced
from bidcascade.kernels.core.rows import AGREEMENT_KINDS
from bidcascade.kernels.types import I64, Bools
from bidcascade.systems.auctions.bidder import Bidder, seen_from_dealer
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.term_values import term_values

from .call_by_call import CallByCall

FEW_OF_THEIRS: Final = 4
"""With so few of the suit that they play, and no stopper, a takeout double is not left in."""
MANY_TRUMPS: Final = 10
"""With so many trumps between the hands a side raises, and does not double."""
FEW_POINTS: Final = 22
"""With fewer, a side that has balanced has said all that it has."""
RAISING_TRUMPS: Final = 9
"""With so many trumps a side may go on whatever its points."""

_NOTRUMP: Final = STRAINS.index("N")
_PER_LEVEL: Final = len(STRAINS)
_GAMES: Final = np.array(
    [FIRST_BID + _PER_LEVEL * (level - 1) + strain for strain, level in enumerate((5, 5, 4, 4, 3))]
)
"""The cheapest game in each strain, as a call."""
_FOUR_CLUBS: Final = FIRST_BID + 3 * _PER_LEVEL
_TWO_NOTRUMP: Final = FIRST_BID + _PER_LEVEL + _NOTRUMP
_ARTIFICIAL, _TAKEOUT = (
    np.uint32(1 << AGREEMENT_KINDS.index(kind)) for kind in ("artificial", "takeout")
)


class CallSign(NamedTuple):
    """What is counted, and of what."""

    what: str
    among: str


CALL_SIGNS: Final = (
    CallSign("pass over a forcing call", "boards with one that RHO passed"),
    CallSign(
        "new suit or artificial bid passed below the agreed suit's game",
        "boards with one that RHO passed",
    ),
    CallSign(
        f"takeout double left in with at most {FEW_OF_THEIRS} of their suit and no stopper",
        "boards with one left in below game",
    ),
    CallSign(
        f"double, not for takeout, with {MANY_TRUMPS}+ trumps in partner's suit",
        "boards with one by who could raise partner to four",
    ),
    CallSign("Blackwood with two small in an unbid suit", "boards with it"),
    CallSign(
        f"beyond two spades after balancing with fewer than {FEW_POINTS} points",
        "boards with an unforced bid after balancing",
    ),
)
"""In the order of what :func:`call_signs` gives."""


def call_signs(bid: CallByCall, bidder: Bidder, deals: DealArrays) -> Bools:
    """Tell on which deals each of :data:`CALL_SIGNS` could be seen, and on which it was.

    Parameters
    ----------
    bid
        How the deals were bid by ``bidder``, whose lock the caller holds since.

    Returns
    -------
    bool array [signs, 2, n]
        What could be seen, what was.
    """
    found = np.zeros((len(CALL_SIGNS), 2, len(deals)), np.bool_)
    found[0] = bid.forced(bidder)
    counted = _Counted(bid, bidder, deals, found)
    for depth in range(bid.call.shape[1]):
        counted.level(depth)
    return found


class _Counted:
    """Signs counted level by level; arrays of hands go by position from the dealer, [4, n]."""

    def __init__(self, bid: CallByCall, bidder: Bidder, deals: DealArrays, found: Bools) -> None:
        count, vocabulary, own = len(deals), Vocabulary(), seen_from_dealer(deals)

        def values(term: str) -> I64:
            return np.stack([term_values(term, one, own, vocabulary) for one in range(4)])

        self._bid, self._bidder, self._found = bid, bidder, found
        self._lengths = np.stack([values(f"SL_{suit}") for suit in STRAINS[:_NOTRUMP]])
        self._high = np.stack([values(f"Top2_{suit}") for suit in STRAINS[:_NOTRUMP]])
        self._stopped = np.stack([values(f"Stopper_{suit}") for suit in STRAINS[:_NOTRUMP]]) > 0
        points = values("HCP")
        self._points = points[:2] + points[2:]
        self._fits = self._lengths[:, :2] + self._lengths[:, 2:]
        # by side
        self._has_acted, self._has_balanced = np.zeros((2, 2, count), np.bool_)
        self._bid_strains = np.zeros((_NOTRUMP, count), np.bool_)

    def level(self, depth: int) -> None:
        """Take in one call of every auction that goes that far."""
        call = self._bid.call
        on = np.flatnonzero(call[:, depth] >= 0)
        places, which = np.unique(self._bid.place[on, depth], return_inverse=True)
        self._bidder.load_rows(places.astype(np.int32))
        store = self._bidder.store
        rows = store.rows[store.row[places]]
        made = call[on, depth]
        if depth >= 2:
            asked = np.where(call[on, depth - 1] == PASS, call[on, depth - 2], PASS)
            self._passed_agreement(depth, on[asked >= FIRST_BID], rows, which[asked >= FIRST_BID])
            left = (asked == DOUBLE) & (made == PASS)
            self._left_in(depth, on[left], rows, which[left])
            self._doubled(depth, on[made == DOUBLE], rows, which[made == DOUBLE])
        self._asked(depth, on)
        self._balanced(depth, on, places, rows, which)
        is_bid = made >= FIRST_BID
        strain = (made[is_bid] - FIRST_BID) % _PER_LEVEL
        suits = strain < _NOTRUMP
        self._bid_strains[strain[suits], on[is_bid][suits]] = True

    def _mark(self, sign: int, possible: I64, seen: I64) -> None:
        self._found[sign, 0, possible] = True
        self._found[sign, 1, seen] = True

    def _passed_agreement(self, depth: int, on: I64, rows: NDArray[np.void], which: I64) -> None:
        row = rows[which]
        agreed = row["agreed"][:, depth & 1].astype(np.int64) - 1
        artificial = (row["kinds"][:, depth + 2 & 3] & _ARTIFICIAL) > 0
        passed = self._bid.call[on, depth] == PASS
        asked = self._bid.call[on, depth - 2]
        strain = (asked - FIRST_BID) % _PER_LEVEL
        # three notrump is a game of its own, and a raise may be passed whatever it is called
        below = (asked < np.minimum(_GAMES[agreed], _GAMES[strain])) & (strain != agreed)
        # natural notrump offers to play there
        could = (agreed >= 0) & (artificial | (strain < _NOTRUMP)) & below
        fits = self._fits[:, depth & 1]
        better = (strain < _NOTRUMP) & (
            fits[np.minimum(strain, _NOTRUMP - 1), on] >= fits[agreed, on]
        )
        self._mark(1, on[could], on[could & passed & ~better])

    def _left_in(self, depth: int, on: I64, rows: NDArray[np.void], which: I64) -> None:
        row = rows[which]
        last = row["last_bid"].astype(np.int64)
        suit = (last - FIRST_BID) % _PER_LEVEL
        takeout = (row["kinds"][:, depth + 2 & 3] & _TAKEOUT) > 0
        could = takeout & (suit < _NOTRUMP) & (last < _GAMES[suit])
        on, suit, seat = on[could], suit[could], depth & 3
        nothing = (self._lengths[suit, seat, on] <= FEW_OF_THEIRS) & ~self._stopped[suit, seat, on]
        self._mark(2, on, on[nothing])

    def _doubled(self, depth: int, on: I64, rows: NDArray[np.void], which: I64) -> None:
        row = rows[which]
        last, count = row["last_bid"].astype(np.int64), np.arange(len(on))
        bidder = row["last_bidder"].astype(np.int64)
        # a double of an artificial bid asks for a lead
        natural = (row["kinds"][count, bidder] & _ARTIFICIAL) == 0
        natural &= ~self._says(depth, on, "takeout")
        shown = row["suits"][:, depth + 2 & 3].astype(np.int64)
        for place in range(_NOTRUMP):
            suit = (shown >> 3 * place & 7) - 1
            could = natural & (suit >= 0) & (last < _FOUR_CLUBS + suit)
            here = on[could]
            trumps = self._fits[suit[could], depth & 1, here]
            self._mark(3, here, here[trumps >= MANY_TRUMPS])

    def _asked(self, depth: int, on: I64) -> None:
        asks = self._says(depth, on, "tag", "blackwood")
        here, seat = on[asks], depth & 3
        small = (self._lengths[:, seat, here] == 2) & (self._high[:, seat, here] == 0)
        self._mark(4, here, here[(small & ~self._bid_strains[:, here]).any(axis=0)])

    def _says(self, depth: int, on: I64, kind: str, text: str = "") -> Bools:
        """Tell which calls have an agreement in the text."""
        entries, which = np.unique(self._bid.entry[on, depth], return_inverse=True)
        program = self._bidder.sides[depth & 1]
        says = [
            entry >= 0
            and any(
                (one.kind, one.text) == (kind, text) for one in program.entry(entry, 0).agreements
            )
            for entry in entries.tolist()
        ]
        return np.array(says, np.bool_)[which]

    def _balanced(
        self, depth: int, on: I64, places: I64, rows: NDArray[np.void], which: I64
    ) -> None:
        call, side = self._bid.call, depth & 1
        made = call[on, depth]
        going_on = self._has_balanced[side, on] & (made >= FIRST_BID)
        here, numbers, bids = on[going_on], which[going_on], made[going_on]
        last = rows["last_bid"][numbers].astype(np.int64)
        is_forced = np.zeros(len(places), np.bool_)
        for one in np.unique(numbers).tolist():
            is_forced[one] = bool(forced(rows[one]))
        unforced = ~is_forced[numbers] | (bids > last + _PER_LEVEL)
        # over a double a bid is a rescue
        unforced &= call[here, depth - 1] != DOUBLE
        here, bids = here[unforced], bids[unforced]
        strain = (bids - FIRST_BID) % _PER_LEVEL
        trumps = self._fits[np.minimum(strain, _NOTRUMP - 1), side, here]
        fits = (strain < _NOTRUMP) & (trumps >= RAISING_TRUMPS)
        weak = (bids >= _TWO_NOTRUMP) & (self._points[side, here] < FEW_POINTS) & ~fits
        self._mark(5, here, here[weak])
        new = ~self._has_acted[side, on] & (made != PASS)
        if depth >= 3:
            passed_out = (call[on, depth - 1] == PASS) & (call[on, depth - 2] == PASS)
            balancing = new & passed_out & (call[on, depth - 3] >= FIRST_BID)
            self._has_balanced[side, on[balancing]] = True
        self._has_acted[side, on[new]] = True
