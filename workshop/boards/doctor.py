"""What the lines of a system cost: each call against the others of its place, deal by deal.

The system bids deals at all four seats. Wherever a line makes a call, the other calls that have a
line there, a pass and a double are made in its stead, and the auction goes on by the system; both
results are scored double dummy. What a call loses against another one on average is *regret*, in
International Match Points of the caller's side.

An average over all hands hides what only some of them lose. So for each line and each other call
the simplest condition is looked for (``7+ points``, ``6+ hearts``) under which the other call would
have gained most, on one half of the deals; the other half, which the search has not seen, tells
what it is worth. Only what gains on both is told. Double-dummy results flatter calls that the other
side, seeing all hands, would punish: a finding is a question to the author, not an answer.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import CALL_TEXTS, DOUBLE, FIRST_BID, PASS, STRAINS, ShownAnswer
from bidcascade.inference.auction_ends import DistinctAuctions, contracts_by_compass
from bidcascade.inference.board_scores import imps_of
from bidcascade.kernels import DealArrays
from bidcascade.kernels.terms import high_card_points
from bidcascade.kernels.types import F64, I8, I16, I32, I64, U8, Bools
from bidcascade.systems import System
from bidcascade.systems.auctions.bidder import Bidder, BiddingLevel

from .call_by_call import LineName
from .scored_boards import BoardContracts

MOST_DECISIONS: Final = 2_000
"""Decisions of one line that are looked at; of further ones only the number."""
LEAST_DECISIONS: Final = 60
"""Decisions that a finding is made of, in both halves together."""
PART_DEALS: Final = 500
"""Deals that are looked at together."""
_BUDGET: Final = 1 << 30
_UNKNOWN: Final = -1
_SURE: Final = 1.64
"""Standard errors by which a gain must be above zero where a condition is looked for."""
_BITS: Final = np.uint64(13)
_POINTS: Final = np.array([high_card_points(holding) for holding in range(1 << 13)])
_HAND: Final = ("points", "the suit bid", "partner's suit", "their suit", "shortest",
                "combined points", "combined cards", "vulnerable")  # fmt: skip
"""What conditions are made of; those of suits count cards."""


class Gain(NamedTuple):
    """Mean gain in IMPs, its standard error, and of how many decisions."""

    mean: float
    error: float
    decisions: int


@dataclass(frozen=True, slots=True, repr=False)
class Regret(ShownAnswer):
    """A call that would have done better than the one a line makes.

    Parameters
    ----------
    line : Line
        Who made the calls.
    instead : Line
        Who has the better one; without a line where it is a pass or a double that has none.
    calls : tuple of str
        The better calls, the most frequent first.
    when : str
        Condition under which they are better; empty for any hand.
    share : float
        Decisions of this kind per deal.
    found, unseen : Gain
        On the half of the deals where the condition was looked for, and on the other one.
    """

    line: LineName
    instead: LineName
    calls: tuple[str, ...]
    when: str
    share: float
    found: Gain
    unseen: Gain

    @property
    def imps(self) -> float:
        """IMPs a deal that it may be worth, by the half that was not seen."""
        return self.share * self.unseen.mean


@dataclass(frozen=True, slots=True, repr=False)
class Examination(ShownAnswer):
    """Findings of a doctor, the dearest first, and how much was looked at."""

    name: str
    deals: int
    decisions: int
    alternatives: int
    regrets: tuple[Regret, ...]


class _Pairs(NamedTuple):
    """Decisions with one other call each: arrays of one length."""

    line: I64
    other: I64
    call: U8
    deal: I64
    gain: I8
    hand: I16  # [n, features]

    def of(self, chosen: "I64 | Bools") -> "_Pairs":
        return _Pairs(
            self.line[chosen],
            self.other[chosen],
            self.call[chosen],
            self.deal[chosen],
            self.gain[chosen],
            self.hand[chosen],
        )


class Examiner:
    r"""Looks at deals part by part; what it has found so far can be asked for at any time.

    Parameters
    ----------
    system : System
        Bids at all four seats.

    Examples
    --------
    >>> from bidcascade.loaders import deal_arrays, random_deals
    >>> examiner = Examiner(System.parse("opening:\n  1C = Club: any hand"))
    >>> examiner.look_at(deal_arrays(random_deals(4, 1)), np.full((4, 20), 7, np.int8))
    >>> examiner.findings().deals
    4
    """

    def __init__(self, system: System) -> None:
        self.name = system.name
        self.deals = 0
        self._lines = _Lines(system.bidder())
        self._counts: dict[int, int] = defaultdict(int)
        self._parts: list[_Pairs] = []

    def look_at(self, deals: DealArrays, tables: I8) -> None:
        """Bid further deals to the end by every other call.

        Parameters
        ----------
        deals : DealArrays
            Two halves are made of all by number, even and odd.
        tables : int8 [n, 20]
            Double-dummy tricks at ``5 * declarer + strain``.
        """
        if tables.shape != (len(deals), 20):
            raise ValueError(f"expected tables int8[{len(deals)}, 20], got {tables.shape}")
        # a part counts once it is whole: whoever is interrupted asks for the others
        counts = self._counts.copy()
        parts = [
            pairs._replace(deal=pairs.deal + self.deals)
            for pairs in _alternatives(self._lines, deals, tables, counts)
        ]
        self._parts += parts
        self._counts = counts
        self.deals += len(deals)

    def findings(self, least: int = LEAST_DECISIONS) -> Examination:
        """Find calls that lost against another one, on the deals so far.

        Parameters
        ----------
        least : int
            Decisions that a finding is made of at least.
        """
        regrets: list[Regret] = []
        if self._parts:
            pairs = _Pairs(*(np.concatenate(arrays) for arrays in zip(*self._parts, strict=True)))
            found = (
                _regret(pairs.of(group), self._lines, self._counts, self.deals, least)
                for group in _groups(pairs)
            )
            regrets = sorted(
                (one for one in found if one is not None),
                key=lambda one: (-one.imps, one.line, one.instead),
            )
        return Examination(
            self.name,
            self.deals,
            sum(self._counts.values()),
            sum(len(part.line) for part in self._parts),
            tuple(regrets),
        )


def examine(
    system: System,
    deals: DealArrays,
    tables: I8,
    *,
    least: int = LEAST_DECISIONS,
    progress: Callable[[int, int], None] | None = None,
) -> Examination:
    r"""Look for calls of a system that lose against another one of the same place.

    Parameters
    ----------
    system : System
        Bids at all four seats.
    deals : DealArrays
        Two halves are made of them by number, even and odd.
    tables : int8 [n, 20]
        Double-dummy tricks at ``5 * declarer + strain``.
    least : int
        Decisions that a finding is made of at least.
    progress : callable, optional
        Told how many of how many deals are done.

    Examples
    --------
    >>> from bidcascade.loaders import deal_arrays, random_deals
    >>> rude = System.parse("opening:\n  7NT = Nothing less: 0+ points\n  1C = Club: any hand")
    >>> deals = deal_arrays(random_deals(200, 1))
    >>> found = examine(rude, deals, np.full((200, 20), 7, np.int8))
    >>> [(one.line.name, one.calls) for one in found.regrets]
    [('Pass', ('X',)), ('Nothing less', ('P',)), ('Nothing less', ('1C',))]
    """
    if tables.shape != (len(deals), 20):
        raise ValueError(f"expected tables int8[{len(deals)}, 20], got {tables.shape}")
    examiner = Examiner(system)
    for start in range(0, len(deals), PART_DEALS):
        stop = min(start + PART_DEALS, len(deals))
        examiner.look_at(deals.slice(start, stop), tables[start:stop])
        if progress is not None:
            progress(stop, len(deals))
    return examiner.findings(least)


# --- what the other calls would have led to -------------------------------------------------------


class _Lines:
    """Lines of a system by number, and the calls of places with the lines that make them."""

    def __init__(self, bidder: Bidder) -> None:
        self.bidder = bidder
        self.lines: list[LineName] = [LineName("", "Pass"), LineName("", "Double")]
        self._numbers = {line: number for number, line in enumerate(self.lines)}
        self._of_entry: dict[tuple[int, int], int] = {}
        self._calls: dict[tuple[int, int], dict[int, int]] = {}

    def forget_calls(self) -> None:
        """Forget lists, which others who use the bidder may have numbered anew."""
        self._calls.clear()

    def of_entry(self, side: int, entry: int) -> int:
        """Line of an entry; that of a pass without one for none."""
        if entry < 0:
            return PASS
        known = self._of_entry.get((side, entry))
        if known is None:
            line = LineName.of_entry(self.bidder, side, entry)
            known = self._numbers.setdefault(line, len(self.lines))
            if known == len(self.lines):
                self.lines.append(line)
            self._of_entry[side, entry] = known
        return known

    def calls_at(self, side: int, entries: int, row: "np.void") -> dict[int, int]:
        """Name the calls at a place, each with the first line that has it."""
        known = self._calls.get((side, entries))
        if known is None:
            known = {}
            program = self.bidder.sides[side]
            for entry in self.bidder.entries_of_list(entries):
                call = program.call_of(entry)
                known.setdefault(call, self.of_entry(side, entry))
            known.setdefault(PASS, PASS)
            self._calls[side, entries] = known
        may_double = row["last_bid"] > 0 and row["doubled"] == 0
        if may_double and (row["last_bidder"] - row["length"]) % 2 and DOUBLE not in known:
            return {**known, DOUBLE: DOUBLE}
        return known


def _alternatives(
    lines: _Lines, deals: DealArrays, tables: I8, counts: dict[int, int]
) -> Iterator[_Pairs]:
    """Every decision of some deals beside each other call, level by level."""
    bidder = lines.bidder
    with bidder.lock:
        lines.forget_calls()
        steps, places = bid_to_the_end(bidder, deals)
        made = _scores(bidder, places, deals, tables)
        for depth, step in enumerate(steps):
            chosen = _chosen(lines, step, depth, counts)
            if not len(chosen[0]):
                continue
            at, call, line, other = chosen
            deal, place = step.deals[at], step.place[at]
            taken = DealArrays(
                np.ascontiguousarray(deals.hands[:, deal]),
                deals.dealer[deal],
                deals.vulnerability[deal],
            )
            ended = bidder.bid_on(taken, place, call, depth).place
            swings = _scores(bidder, ended, taken, tables[deal]) - made[deal]
            seat = (deals.dealer[deal].astype(np.int64) + depth) % 4
            gain = imps_of(np.where(seat % 2 == 0, swings, -swings).astype(np.int32))
            yield _Pairs(line, other, call, deal, gain, _hands(bidder, taken, place, call, depth))


def _chosen(
    lines: _Lines, step: BiddingLevel, depth: int, counts: dict[int, int]
) -> tuple[I64, U8, I64, I64]:
    """Decisions of a step with each other call: place in the step, call, own and other line."""
    side = depth & 1
    at, calls, own, other = [], [], [], []
    order = np.argsort(step.place, kind="stable")
    cuts = np.flatnonzero(np.diff(step.place[order])) + 1
    for group in np.split(order, cuts):
        place = int(step.place[group[0]])
        row = lines.bidder.row(place)
        entries = int(lines.bidder.lists_of(step.place[group[:1]], depth)[0][0])
        offered = lines.calls_at(side, entries, row)
        for number in group.tolist():
            line = lines.of_entry(side, int(step.entry[number]))
            counts[line] += 1
            if counts[line] > MOST_DECISIONS:
                continue
            for call, whose in offered.items():
                if call != step.call[number]:
                    at.append(number)
                    calls.append(call)
                    own.append(line)
                    other.append(whose)
    return np.array(at, np.int64), np.array(calls, np.uint8), np.array(own), np.array(other)


def bid_to_the_end(bidder: Bidder, deals: DealArrays) -> tuple[list[BiddingLevel], I32]:
    """Bid deals at all four seats: every level, and the place where each deal ends, int32 [n].

    Who calls holds the bidder's lock. Places of earlier deals are forgotten where there are many.
    """
    if bidder.bytes > _BUDGET:
        bidder.start_over()
    steps = list(bidder.steps(deals))
    places = np.zeros(len(deals), np.int32)
    for step in steps:
        places[step.deals] = step.place
    return steps, places


def played_at(
    bidder: Bidder, places: I32, deals: DealArrays, tables: I8
) -> tuple[BoardContracts, I8]:
    """Contracts of auctions that end at some places, and their tricks, int8 [n]."""
    different, which = np.unique(places, return_inverse=True)
    numbers = DistinctAuctions.of(bidder.endings(different)).contracts[which]
    contracts = BoardContracts(*contracts_by_compass(numbers, deals.dealer))
    return contracts, contracts.tricks_in(tables)


def _scores(bidder: Bidder, places: I32, deals: DealArrays, tables: I8) -> I64:
    """Points of North-South of auctions that end at some places."""
    contracts, tricks = played_at(bidder, places, deals, tables)
    return contracts.scores(deals.vulnerability, tricks).astype(np.int64)


def _hands(
    bidder: Bidder, deals: DealArrays, places: NDArray[np.int32], calls: U8, depth: int
) -> I16:
    """Give what conditions ask of the hands that call, int16 [n, features] in ``_HAND``'s order."""
    # _UNKNOWN where there is no such suit
    number = np.arange(len(calls))
    seat = (deals.dealer.astype(np.int64) + depth) % 4
    suits = deals.hands[seat, number, None] >> (_BITS * np.arange(4, dtype=np.uint64))
    holdings = (suits & np.uint64(len(_POINTS) - 1)).astype(np.int64)
    points, lengths = _POINTS[holdings].sum(axis=1), np.bitwise_count(holdings).astype(np.int64)

    different, which = np.unique(places, return_inverse=True)
    me = depth & 3
    rows = [bidder.row(int(place)) for place in different]
    shown = np.array([row["hull"][me ^ 2][:, 0] for row in rows], np.int64)[which]
    last = [[_last_suit(row["suits"][(me + who) & 3]) for who in (2, 1, 3)] for row in rows]
    partners, left, right = np.array(last, np.int64)[which].T
    bid = np.where(calls >= FIRST_BID, (calls.astype(np.int64) - FIRST_BID) % 5, _UNKNOWN)
    bid[bid == len(STRAINS) - 1] = _UNKNOWN

    def cards(suit: I64, more: I64 | int = 0) -> I64:
        return np.where(suit == _UNKNOWN, _UNKNOWN, lengths[number, suit] + more)

    return np.stack(
        [
            points, cards(bid), cards(partners), cards(np.where(right == _UNKNOWN, left, right)),
            lengths.min(axis=1), points + shown[:, 0], cards(bid, shown[number, 1 + bid]),
            deals.vulnerability >> (seat % 2) & 1,
        ],
        axis=1,
    ).astype(np.int16)  # fmt: skip


def _last_suit(packed: int) -> int:
    """Last of the suits that a player has shown, -1 for none."""
    suit = _UNKNOWN
    rest = int(packed)
    while rest:
        suit, rest = (rest & 7) - 1, rest >> 3
    return suit


# --- what to make of it ---------------------------------------------------------------------------


def _groups(pairs: _Pairs) -> list[I64]:
    """Numbers of the pairs of one line and one other line each, in the order of their deals."""
    # as they come they are in the order of places, which may be numbered otherwise the next time
    keys = pairs.line << 32 | pairs.other
    order = np.lexsort((pairs.deal, keys))
    return np.split(order, np.flatnonzero(np.diff(keys[order])) + 1) if len(order) else []


def _regret(
    pairs: _Pairs, lines: _Lines, counts: dict[int, int], deals: int, least: int
) -> Regret | None:
    """Make a finding of what one line loses to another, if it loses on both halves."""
    if len(pairs.line) < least:
        return None
    gain = pairs.gain.astype(np.float64)
    seen = pairs.deal % 2 == 0
    found = _best_condition(gain, pairs.hand, seen, least)
    if found is None:
        return None
    where, words = found
    unseen = _gain(gain[where & ~seen])
    if unseen.decisions < least // 4 or unseen.mean <= unseen.error:
        return None
    line = int(pairs.line[0])
    calls, often = np.unique(pairs.call[where], return_counts=True)
    looked_at = min(counts[line], MOST_DECISIONS)
    share = counts[line] / deals * np.count_nonzero(where) / looked_at
    return Regret(
        lines.lines[line],
        lines.lines[int(pairs.other[0])],
        tuple(CALL_TEXTS[call] for call in calls[np.argsort(-often, kind="stable")]),
        words,
        float(share),
        _gain(gain[where & seen]),
        unseen,
    )


def _gain(values: F64) -> Gain:
    count = len(values)
    error = float(values.std(ddof=1) / count**0.5) if count > 1 else float("inf")
    return Gain(float(values.mean()) if count else 0.0, error, count)


def _best_condition(gain: F64, hand: I16, seen: Bools, least: int) -> tuple[Bools, str] | None:
    """Find the condition that is sure to gain most on the seen half, if any gains there."""
    best: tuple[float, Bools, str] | None = None

    def take(where: Bools, words: str) -> None:
        nonlocal best
        values = gain[where & seen]
        if np.count_nonzero(where) < least or len(values) < least // 4:
            return
        sure = float(values.sum() - _SURE * values.std() * len(values) ** 0.5)
        if sure > 0 and (best is None or sure > best[0]):
            best = sure, where, words

    take(np.ones(len(gain), np.bool_), "")
    single = list(_conditions(hand))
    for where, words, _ in single:
        take(where, words)
    for where, words, feature in single:
        for other, more, second in single:
            if feature < second:
                take(where & other, f"{words}, {more}")
    return None if best is None else (best[1], best[2])


def _conditions(hand: I16) -> Iterator[tuple[Bools, str, int]]:
    for feature, name in enumerate(_HAND):
        values = hand[:, feature]
        if (values == _UNKNOWN).any():
            continue
        for bound in np.unique(values)[1:].tolist():
            yield values >= bound, _at_least(name, bound), feature
            yield values < bound, _at_most(name, bound - 1), feature


def _at_least(name: str, bound: int) -> str:
    if name == "vulnerable":
        return name
    if name == "shortest":
        return {1: "no void", 2: "no singleton or void", 3: "4-3-3-3"}[bound]
    return f"{bound}+ {_counted(name)}"


def _at_most(name: str, bound: int) -> str:
    if name == "vulnerable":
        return "not vulnerable"
    if name == "shortest":
        return {0: "a void", 1: "a singleton or void", 2: "not 4-3-3-3"}[bound]
    return f"at most {bound} {_counted(name)}"


def _counted(name: str) -> str:
    if name == "combined cards":
        return "combined cards in the suit bid"
    return name if "points" in name else f"cards in {name}"
