"""What a table says of calls that were made: whether it makes them, allows them, or what fails."""

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from bidcascade.bridge import PASS
from bidcascade.kernels import Backend, DealArrays
from bidcascade.kernels.core.tables.real_calls import (
    Conditions,
    count_held,
    held_calls,
    judge_calls,
    missing_expressions,
    nearest_lists,
)
from bidcascade.kernels.number_ranges import numbers_of_ranges
from bidcascade.kernels.types import I64, U8, U16, U32, U64, Bools

from .bidding_table import BiddingTable
from .columns import NONE_U32, offsets_of
from .real_calls import CallLists, RealCalls, expression_rows, find_real_calls, pack_lists

ROW_BYTES_AT_ONCE: Final = 64 << 20
"""Bytes that bits of expressions may take at a time; deals are cut accordingly."""
UNDESCRIBED: Final = 1 << 32
"""Stands in the place of an expression where an entry does not hold because it has none."""


class Status(IntEnum):
    """What a table says of a call that was made; the first that is true."""

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


STATUS_FIELDS: Final = tuple(status.name.lower() for status in Status)


class Judgement(NamedTuple):
    """Decisions of one chunk of deals, what the table says of each, and of its own calls there."""

    decisions: RealCalls
    place: I64  # entry before each; -1 for the opening
    status: U8  # a Status each
    holds: Bools  # whether the call's criteria hold on the hand of the caller
    chosen_call: U8  # the call that mode "first" makes there; a pass where none holds
    holding: U16  # how many of the table's calls hold there
    siblings: I64  # entries that may follow at the places, place by place
    sibling_held: U32
    sibling_first: U32  # how often each was the first to hold
    pairs: I64  # [2, n]: two entries of one place that held together
    pair_held: U32


class Blocking(NamedTuple):
    """What is in the way of calls that do not hold; a call may have several of these."""

    decision: I64
    expression: I64  # one that does not hold, or UNDESCRIBED
    only: Bools  # whether it is the only one of its call


class TableJudge:
    """A table made ready to judge calls."""

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
        masks = pack_lists(plan.criteria, len(self.expressions))
        lists, words = np.nonzero(masks)
        self._conditions = Conditions(
            set_offsets=offsets_of([len(one) for one in plan.variant_sets], np.int64),
            set_lists=np.array([number for one in plan.variant_sets for number in one], np.int64),
            list_offsets=offsets_of(np.bincount(lists, minlength=len(plan.criteria)), np.int64),
            list_words=words.astype(np.int64),
            list_masks=masks[lists, words],
            holds_undescribed=np.array(
                [plan.undescribed == "allow", plan.undescribed != "reject"], np.bool_
            ),
        )

    @property
    def row_bytes(self) -> int:
        """Bytes that the bits of a deal's four hands take."""
        return 4 * 8 * ((len(self.expressions) + 63) // 64)

    def rows(self, deals: DealArrays) -> U64:
        """Bits of the table's expressions, a row a hand; see ``expression_rows`` in decisions."""
        return expression_rows(self.expressions, deals, self.table.vocabulary, self._backend)

    def judge(self, auctions: CallLists, deals: DealArrays, rows: U64) -> Judgement:
        """Judge the calls of auctions, one for each deal; the rows are what :meth:`rows` gives."""
        decisions = find_real_calls(self.table, auctions, deals.dealer)
        size = len(decisions)
        above = np.where(decisions.place == NONE_U32, -1, decisions.place.astype(np.int64))
        places, place = np.unique(above, return_inverse=True)
        first, count = blocks_at(self.table, places)
        pair_count = count * (count - 1) // 2
        sibling_base, pair_base = np.cumsum(count) - count, np.cumsum(pair_count) - pair_count
        held, chosen_first = np.zeros((2, int(count.sum())), np.uint32)
        together = np.zeros(int(pair_count.sum()), np.uint32)
        holds = np.zeros(size, np.bool_)
        chosen = np.zeros(size, np.uint32)
        holding = np.zeros(size, np.uint16)
        judge_calls(
            rows,
            decisions.hand,
            first[place],
            count[place],
            decisions.entry,
            self.variant_set,
            self.table.call,
            self._conditions,
            sibling_base[place],
            pair_base[place],
            holds,
            chosen,
            holding,
            held,
            chosen_first,
            together,
        )
        chosen_call = np.full(size, PASS, np.uint8)
        some = chosen != NONE_U32
        chosen_call[some] = self.table.call[chosen[some]]
        status = np.full(size, Status.FAILS, np.uint8)
        status[decisions.entry == NONE_U32] = Status.MISSING
        status[holds] = Status.ALLOWED
        status[chosen_call == decisions.call] = Status.AGREES
        status[count[place] == 0] = Status.ENDED
        return Judgement(
            decisions,
            above,
            status,
            holds,
            chosen_call,
            holding,
            numbers_of_ranges(first, count),
            held,
            chosen_first,
            *_pairs(first, count, pair_base, together),
        )

    def held_calls(self, places: I64, hands: I64, rows: U64) -> U64:
        """Find the calls that hold at places, a bit each.

        Parameters
        ----------
        places : int64 [n]
            Entry before each; -1 for the opening, -2 for what the table does not have.
        hands : int64 [n]
            Row of the hand that is to call.
        rows : uint64 [hands, words]
            What :meth:`rows` gives.

        Returns
        -------
        uint64 [n]
            Bit ``c`` is set where call ``c`` holds; 0 where none does.
        """
        first, count = blocks_at(self.table, np.maximum(places, -1))
        count = np.where(places < -1, 0, count)
        calls = np.zeros(len(places), np.uint64)
        held_calls(
            rows, hands, first, count, self.variant_set, self.table.call, self._conditions, calls
        )
        return calls

    def describes(self, entries: U32) -> Bools:
        """Whether each entry is one (not 0xFFFFFFFF) and has conditions, bool[n]."""
        described = np.zeros(len(entries), np.bool_)
        known = np.flatnonzero(entries != NONE_U32)
        described[known] = self.variant_set[entries[known]] != 0
        return described

    def blocking(self, judgement: Judgement, rows: U64) -> Blocking:
        """Name what is in the way of calls that were made and do not hold.

        Of an entry with several variants the one counts that lacks least, the first of equals.
        """
        decisions = judgement.decisions
        blocked = np.flatnonzero(~judgement.holds & (decisions.entry != NONE_U32))
        hands, entries = decisions.hand[blocked], decisions.entry[blocked]
        nearest, missing = np.zeros((2, len(blocked)), np.int64)
        nearest_lists(rows, hands, self.variant_set[entries], self._conditions, nearest, missing)
        described = nearest >= 0
        counts = missing[described]
        expressions = np.zeros(int(counts.sum()), np.uint32)
        missing_expressions(
            rows, hands[described], nearest[described], self._conditions, expressions
        )
        bare = blocked[~described]
        undescribed = np.full(len(bare), UNDESCRIBED, np.int64)
        return Blocking(
            np.concatenate([np.repeat(blocked[described], counts), bare]),
            np.concatenate([expressions.astype(np.int64), undescribed]),
            np.concatenate([np.repeat(counts == 1, counts), np.ones(len(bare), np.bool_)]),
        )

    def held_when_turned(self, judgement: Judgement, rows: U64) -> tuple[int, tuple[int, ...]]:
        """Count described calls, and those that hold on the hands of each player.

        The hands are those of the caller, of the next player, of partner and of the player before.
        The first count is the largest, unless the seats are wrong.
        """
        decisions = judgement.decisions
        known = np.flatnonzero(self.describes(decisions.entry))
        deal, seat = decisions.deal[known].astype(np.int64), decisions.seat[known].astype(np.int64)
        held = tuple(
            count_held(
                rows,
                4 * deal + (seat + turn) % 4,
                decisions.entry[known],
                self.variant_set,
                self.table.call,
                self._conditions,
            )
            for turn in range(4)
        )
        return len(known), held


def blocks_at(table: BiddingTable, places: I64) -> tuple[I64, I64]:
    """First entry and number of the calls at places."""
    if not len(table):
        return np.zeros(len(places), np.int64), np.zeros(len(places), np.int64)
    opening, entries = places < 0, np.maximum(places, 0)
    first = np.where(opening, 0, table.first_child[entries].astype(np.int64))
    count = np.where(opening, table.root_count, table.child_count[entries].astype(np.int64))
    return first, count


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
