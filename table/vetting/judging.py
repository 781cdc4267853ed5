"""Calls that were made, judged by a table: what it says of each, and what it would have called."""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import PASS
from bidcascade.kernels import Backend, DealArrays
from bidcascade.kernels.auctions.judging import (
    Conditions,
    count_held,
    judge_calls,
    missing_expressions,
    nearest_lists,
)
from bidcascade.kernels.types import U8, U16, U32, U64
from bidcascade.table import NONE_U32, BiddingTable
from bidcascade.table.columns import offsets_of
from bidcascade.table.decisions import (
    CallLists,
    Decisions,
    expression_rows,
    find_decisions,
    pack_lists,
)

I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

UNDESCRIBED = 1 << 32
"""Stands in the place of an expression where an entry does not hold because it has none."""


class Status(IntEnum):
    """What a table says of a call that was made; the first that is true.

    Examples
    --------
    >>> [status.name for status in Status]
    ['ENDED', 'AGREES', 'ALLOWED', 'FAILS', 'MISSING']
    """

    ENDED = 0
    """The table has no calls at this place."""
    AGREES = 1
    """The table makes this call: the first one that holds, or a pass where none does."""
    ALLOWED = 2
    """The call holds, but another one stands before it and holds too."""
    FAILS = 3
    """The table has the call, and its criteria do not hold on the hand."""
    MISSING = 4
    """The table has other calls at this place."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Decisions of one chunk of deals and what the table says of each.

    Parameters
    ----------
    decisions : Decisions
        The calls that were made.
    status : uint8 [n]
        A :class:`Status` each.
    holds : bool [n]
        Whether the call's criteria hold on the hand of the caller.
    chosen : uint32 [n]
        Entry that mode ``first`` takes there; 0xFFFFFFFF where none holds.
    chosen_call : uint8 [n]
        The call of it; a pass where none holds.
    holding : uint16 [n]
        How many of the table's calls hold there.
    places : int64 [places]
        The distinct places, ascending, as the entry before it plus one; 0 is the opening.
    place : int64 [n]
        Which of them each decision is.
    siblings : int64 [siblings]
        Entries that may follow at the places, place by place.
    sibling_held, sibling_first : uint32 [siblings]
        How often each held, and was the first to hold.
    pairs : int64 [2, pairs]
        Two entries of one place that held together, and
    pair_held : uint32 [pairs]
        how often.
    """

    decisions: Decisions
    status: U8
    holds: Bools
    chosen: U32
    chosen_call: U8
    holding: U16
    places: I64
    place: I64
    siblings: I64
    sibling_held: U32
    sibling_first: U32
    pairs: I64
    pair_held: U32


class Blocking(NamedTuple):
    """What is in the way of calls that do not hold; a call may have several of these.

    Parameters
    ----------
    decision : int64 [n]
        Which decision.
    expression : int64 [n]
        An expression that does not hold, or :data:`UNDESCRIBED`.
    only : bool [n]
        Whether it is the only one of its call.

    Examples
    --------
    >>> Blocking(np.array([3]), np.array([0]), np.array([True])).only.all()
    np.True_
    """

    decision: I64
    expression: I64
    only: Bools


class Judge:
    """A table made ready to judge calls.

    Parameters
    ----------
    table : BiddingTable
    backend : Backend, optional
        What works out the expressions; ``auto`` if not given.

    Examples
    --------
    >>> import polars as pl
    >>> from bidcascade.bridge import parse_hand
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([
    ...     {"prior": "", "call": "1N", "criteria": ["15 <= HCP <= 17"]},
    ...     {"prior": "", "call": "1C", "criteria": ["HCP >= 12"]}])
    >>> hands = [[parse_hand(text)] for text in
    ...     ("AKQ2.AK2.432.432", "JT98.QJT.AKQ.AKQ", "7654.98.JT98.JT9", "3.76543.765.8765")]
    >>> zero = np.zeros(1, np.uint8)
    >>> deals = DealArrays(np.array(hands, np.uint64), zero, zero)
    >>> auction = CallLists.of(pl.Series([[3, 0, 0, 0]], dtype=pl.List(pl.UInt8)))
    >>> judge = Judge(table)
    >>> judgement = judge.judge(auction, deals, judge.rows(deals))
    >>> Status(judgement.status[0]).name, judgement.chosen_call[0], judgement.holding[0]
    ('ALLOWED', np.uint8(7), np.uint16(2))
    """

    def __init__(self, table: BiddingTable, backend: Backend | None = None) -> None:
        self.table = table
        self.expressions: list[str] = list(table.expressions)
        """Expressions of the table; their numbers are those of its criteria."""
        self._backend = backend
        plan = table.plan()
        self.variant_set: U32 = plan.variant_set
        """Set of criteria lists of each entry, terms about the auction left out; 0 for none."""
        self.set_expressions = [
            sorted({expression for one in lists for expression in plan.criteria[one]})
            for lists in plan.variant_sets
        ]
        """Distinct expressions of each set."""
        self.conditions = _conditions(
            plan.variant_sets, plan.criteria, len(self.expressions), plan.undescribed
        )

    @property
    def row_bytes(self) -> int:
        """Bytes that the bits of a deal's four hands take."""
        return 4 * 8 * ((len(self.expressions) + 63) // 64)

    def rows(self, deals: DealArrays) -> U64:
        """Bits of the table's expressions, a row a hand; see ``expression_rows`` in decisions."""
        return expression_rows(self.expressions, deals, self.table.vocabulary, self._backend)

    def judge(self, auctions: CallLists, deals: DealArrays, rows: U64) -> Judgement:
        """Judge the calls of some auctions.

        Parameters
        ----------
        auctions : CallLists
            One for each deal; an empty one where there is none.
        deals : DealArrays
        rows : uint64 [4 * deals, words]
            What :meth:`rows` gives for the deals.
        """
        decisions = find_decisions(self.table, auctions, deals.dealer)
        size = len(decisions)
        above = np.where(decisions.place == NONE_U32, -1, decisions.place.astype(np.int64))
        places, place = np.unique(above + 1, return_inverse=True)
        first, count = self._blocks(places)
        sibling_base = _starts(count)
        pair_base = _starts(count * (count - 1) // 2)
        held, chosen_first = np.zeros((2, int(count.sum())), np.uint32)
        together = np.zeros(int((count * (count - 1) // 2).sum()), np.uint32)
        holds = np.zeros(size, np.bool_)
        chosen = np.zeros(size, np.uint32)
        holding = np.zeros(size, np.uint16)
        judge_calls(
            rows, decisions.hand, first[place], count[place], decisions.entry,
            self.variant_set, self.table.call, self.conditions, sibling_base[place],
            pair_base[place], holds, chosen, holding, held, chosen_first, together,
        )  # fmt: skip
        chosen_call = np.full(size, PASS, np.uint8)
        some = chosen != NONE_U32
        chosen_call[some] = self.table.call[chosen[some]]
        status = np.full(size, Status.FAILS, np.uint8)
        status[decisions.entry == NONE_U32] = Status.MISSING
        status[holds] = Status.ALLOWED
        status[chosen_call == decisions.call] = Status.AGREES
        status[count[place] == 0] = Status.ENDED
        siblings = np.repeat(first - sibling_base, count) + np.arange(len(held))
        return Judgement(
            decisions, status, holds, chosen, chosen_call, holding, places, place, siblings,
            held, chosen_first, *_pairs(first, count, pair_base, together),
        )  # fmt: skip

    def _blocks(self, places: I64) -> tuple[I64, I64]:
        """First entry and number of the calls at places."""
        opening = places == 0
        entries = np.where(opening, 0, places - 1)
        if not len(self.table):
            return np.zeros(len(places), np.int64), np.zeros(len(places), np.int64)
        first = np.where(opening, 0, self.table.first_child[entries].astype(np.int64))
        count = np.where(
            opening, self.table.root_count, self.table.child_count[entries].astype(np.int64)
        )
        return first, count

    def describes(self, entries: U32) -> Bools:
        """Whether each entry is one (not 0xFFFFFFFF) and has conditions, bool[n]."""
        described = np.zeros(len(entries), np.bool_)
        known = np.flatnonzero(entries != NONE_U32)
        described[known] = self.variant_set[entries[known]] != 0
        return described

    def blocking(self, judgement: Judgement, rows: U64) -> "Blocking":
        """Name what is in the way of calls that were made and do not hold.

        Of an entry with several variants the one counts that lacks least, the first of equals.
        """
        decisions = judgement.decisions
        blocked = np.flatnonzero(~judgement.holds & (decisions.entry != NONE_U32))
        hands, entries = decisions.hand[blocked], decisions.entry[blocked]
        nearest, missing = np.zeros((2, len(blocked)), np.int64)
        nearest_lists(
            rows, hands, self.variant_set[entries], self.conditions, nearest, missing
        )  # fmt: skip
        described = nearest >= 0
        counts = missing[described]
        expressions = np.zeros(int(counts.sum()), np.uint32)
        missing_expressions(
            rows, hands[described], nearest[described], self.conditions, expressions
        )
        bare = blocked[~described]
        undescribed = np.full(len(bare), UNDESCRIBED, np.int64)
        return Blocking(
            np.concatenate([np.repeat(blocked[described], counts), bare]),
            np.concatenate([expressions.astype(np.int64), undescribed]),
            np.concatenate([np.repeat(counts == 1, counts), np.ones(len(bare), np.bool_)]),
        )

    def held_when_turned(self, judgement: Judgement, rows: U64) -> tuple[int, tuple[int, ...]]:
        """Try described calls on the hands of all four players.

        Returns
        -------
        tuple
            How many calls, and how many of them hold on the hand of the caller, of the next
            player, of partner and of the player before. The first is the largest, unless the
            seats are wrong.
        """
        decisions = judgement.decisions
        known = np.flatnonzero(self.describes(decisions.entry))
        deal, seat = decisions.deal[known].astype(np.int64), decisions.seat[known].astype(np.int64)
        held = tuple(
            count_held(
                rows, 4 * deal + (seat + turn) % 4, decisions.entry[known], self.variant_set,
                self.table.call, self.conditions,
            )
            for turn in range(4)
        )  # fmt: skip
        return len(known), held


def _conditions(
    sets: tuple[tuple[int, ...], ...],
    criteria: tuple[tuple[int, ...], ...],
    expressions: int,
    undescribed: str,
) -> Conditions:
    masks = pack_lists(criteria, expressions)
    lists, words = np.nonzero(masks)
    return Conditions(
        offsets_of([len(one) for one in sets]).astype(np.int64),
        np.array([number for one in sets for number in one], np.int64),
        offsets_of(np.bincount(lists, minlength=len(criteria))).astype(np.int64),
        words.astype(np.int64),
        masks[lists, words],
        np.array([undescribed == "allow", undescribed != "reject"], np.bool_),
    )


def _starts(counts: I64) -> I64:
    starts: I64 = np.cumsum(counts) - counts
    return starts


def _pairs(first: I64, count: I64, base: I64, together: U32) -> tuple[I64, U32]:
    """Pairs that held together at all, as entries, with how often."""
    found = np.flatnonzero(together)
    place = np.searchsorted(base, found, side="right") - 1
    # places without pairs begin where the next one does: the last of equals has the pair
    number = found - base[place]
    size = count[place]
    # the earlier of a pair is the last one whose pairs begin at the number or before it
    root = np.sqrt((2 * size - 1) ** 2 - 8.0 * number)
    one = ((2 * size - 1 - root) / 2).astype(np.int64)
    begin = one * (2 * size - one - 1) // 2
    one -= begin > number
    one += number >= (one + 1) * (2 * size - one - 2) // 2
    other = number - one * (2 * size - one - 1) // 2 + one + 1
    return np.stack([first[place] + one, first[place] + other]), together[found]
