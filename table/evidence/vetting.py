"""A table held against real auctions, chunk by chunk; what is counted adds up in any order."""

from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import PASS, InvalidInput
from bidcascade.kernels import Backend, DealArrays
from bidcascade.kernels.core.real_calls import (
    Conditions,
    count_held,
    held_calls,
    judge_calls,
    missing_expressions,
    nearest_lists,
)
from bidcascade.kernels.number_ranges import numbers_of_ranges
from bidcascade.kernels.types import I64, U8, U16, U32, U64, Bools
from bidcascade.table import NONE_U32, BiddingTable
from bidcascade.table.columns import offsets_of
from bidcascade.table.real_calls import (
    CallLists,
    RealCalls,
    expression_rows,
    find_real_calls,
    pack_lists,
)

ROW_BYTES_AT_ONCE: Final = 64 << 20
"""Bytes that bits of expressions may take at a time; deals are cut accordingly."""

UNDESCRIBED: Final = 1 << 32
"""Stands in the place of an expression where an entry does not hold because it has none."""
WHOLE: Final = 63
"""Stands for the call by which an auction leaves the table, where it does not; no call's code."""
NEVER: Final = 0xFFFF
"""Stands for the depth at which an auction stops, where all of it holds."""


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


class VettingTally:
    """Several counts for each key, added up chunk by chunk; grows with what was seen.

    Parameters
    ----------
    keys : sequence of str
        Names of the numbers that make a key.
    fields : sequence of str
        Names of the counts.
    """

    _LEAST_MERGED: Final = 1 << 16

    def __init__(self, keys: Sequence[str], fields: Sequence[str]) -> None:
        self._keys = keys
        self._schema = dict.fromkeys((*keys, *fields), pl.Int64())
        self._counted = pl.DataFrame(schema=self._schema)
        self._waiting: list[pl.DataFrame] = []

    @property
    def frame(self) -> pl.DataFrame:
        """Keys in ascending order and their counts, Int64."""
        if self._waiting:
            self._merge()
        return self._counted

    def merge(self, frame: pl.DataFrame) -> None:
        """Go on from what another one has counted, its :attr:`frame`.

        Raises
        ------
        InvalidInput
            If it has other columns.
        """
        if dict(frame.schema) != self._schema:
            raise InvalidInput(
                f"expected counts with the columns {', '.join(self._schema)}, got "
                f"{', '.join(frame.columns) or 'none'}"
            )
        self._counted, self._waiting = frame, []

    def _merge(self) -> None:
        every = pl.concat([self._counted, *self._waiting])
        self._counted = every.group_by(self._keys).sum().sort(self._keys)
        self._waiting = []

    def __getitem__(self, field: str) -> pl.Series:
        """One count of every key."""
        return self.frame[field]

    def add(
        self, keys: Sequence[NDArray[np.integer]], **counts: "NDArray[np.integer | np.bool_] | int"
    ) -> None:
        """Add to counts; a count given as one number goes to every key, one left out stays.

        Parameters
        ----------
        keys : sequence of int arrays [n]
            One array for each number of a key; keys may repeat.
        **counts : int array [n] or int
        """
        given = dict(zip(self._keys, keys, strict=True)) | counts
        columns = {
            name: np.broadcast_to(given.get(name, 0), keys[0].shape).astype(np.int64)
            for name in self._schema
        }
        self._waiting.append(pl.DataFrame(columns).group_by(self._keys).sum())
        # merged in when there is as much new as there is old, so that the work stays in proportion
        waiting = sum(frame.height for frame in self._waiting)
        if waiting > max(self._counted.height, self._LEAST_MERGED):
            self._merge()


class Vetting:
    """What came of the auctions added so far.

    Memory grows with the places, calls and auctions that occur, not with the deals. A place is the
    entry before it, -1 for the opening.

    Parameters
    ----------
    table : BiddingTable
    backend : Backend, optional
        What works out the expressions; ``auto`` if not given.

    Examples
    --------
    >>> import polars as pl
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([
    ...     {"prior": "", "call": "1N", "criteria": ["HCP >= 38"]}, {"prior": "", "call": "P"}])
    >>> deals = DealArrays(deal_hands(1, 0, 2), np.zeros(2, np.uint8), np.zeros(2, np.uint8))
    >>> vetting = Vetting(table)
    >>> vetting.add(deals, CallLists.of(pl.Series([[7, 0, 0, 0], [0]], dtype=pl.List(pl.UInt8))))
    >>> vetting.places["agrees"].to_list(), vetting.places["fails"].to_list()
    ([1, 0], [1, 0])
    """

    def __init__(self, table: BiddingTable, backend: Backend | None = None) -> None:
        self.table = table
        self.judge = TableJudge(table, backend)
        self.auction_texts: dict[int, str] = {-1: ""}
        """Auctions of entries that were asked for, as text; -1 is the empty one."""
        self.counts: Counter[str] = Counter()
        """``deals``; ``without_auction``; ``calls`` in all; ``beyond``: calls behind one that the
        table does not have; ``whole`` and ``held``: auctions that are in the table to their last
        call (where the table ends, passes that close the auction are), and that hold to it;
        ``described``, ``turned_0`` … ``turned_3``: see :meth:`TableJudge.held_when_turned`."""
        self.places = VettingTally(["place"], [*STATUS_FIELDS, "held", "silent", "several"])
        """Calls by :class:`Status`; actual calls that hold; how often no call of the table holds,
        and how often more than one."""
        self.calls = VettingTally(["place", "call"], ["made", "held", "agrees"])
        """How often made, how often it held, and was the table's call."""
        self.instead = VettingTally(["place", "call", "instead"], ["decisions"])
        """By the call made and that of the table, where they differ."""
        self.siblings = VettingTally(["entry"], ["held", "first"])
        """How often it held where a call was made, and was the first to hold."""
        self.blocking = VettingTally(["entry", "expression"], ["failed", "only", "decides"])
        """How often it did not hold on a hand that made the call, how often it was the only one,
        and how often it was all that the whole auction lacked."""
        self.overlaps = VettingTally(["first", "second"], ["both"])
        """By two entries of one place: how often both held."""
        self.auctions = VettingTally(["entry", "leaves", "stop_at"], ["deals"])
        """By deepest entry, call that leaves the table, and depth of the first call that does not
        hold."""
        self.stops = VettingTally(["place", "call"], ["deals", "behind"])
        """Auctions whose first call that does not hold it is, and their calls behind it."""
        self.depths = VettingTally(["depth"], STATUS_FIELDS)
        """By number of calls before: calls by :class:`Status`."""
        self.seats = VettingTally(["seat"], [*STATUS_FIELDS, "described", "described_held"])
        """By compass seat of the caller: calls by :class:`Status`; calls that the table describes,
        and how many of them hold."""
        self.holding = VettingTally(["holding"], ["decisions"])
        """By how many calls of the table hold: decisions at places with calls."""

    @property
    def tallies(self) -> dict[str, VettingTally]:
        """All of them by name: with :attr:`counts`, all that adds up."""
        return {name: one for name, one in vars(self).items() if isinstance(one, VettingTally)}

    def add(self, deals: DealArrays, auctions: CallLists) -> None:
        """Add deals and the auctions that were bid on them.

        Parameters
        ----------
        deals : DealArrays
        auctions : CallLists
            A legal one for each deal; an empty one where there is none.

        Raises
        ------
        ValueError
            If there are not as many auctions as deals.
        """
        if len(auctions) != len(deals):
            raise ValueError(f"expected {len(deals)} auctions, got {len(auctions)}")
        step = max(64, ROW_BYTES_AT_ONCE // max(1, self.judge.row_bytes))
        for begin in range(0, len(deals), step):
            end = min(begin + step, len(deals))
            self._add(deals.slice(begin, end), auctions.slice(begin, end))

    def _add(self, deals: DealArrays, auctions: CallLists) -> None:
        rows = self.judge.rows(deals)
        judgement = self.judge.judge(auctions, deals, rows)
        self._add_decisions(judgement)
        whole = self._add_auctions(judgement, auctions)
        self._add_blocking(judgement, self.judge.blocking(judgement, rows), whole)
        described, turned = self.judge.held_when_turned(judgement, rows)
        self.counts.update(
            deals=len(deals),
            without_auction=int(np.count_nonzero(np.diff(auctions.offsets) == 0)),
            calls=len(auctions.calls),
            beyond=judgement.decisions.beyond,
            described=described,
            **{f"turned_{turn}": count for turn, count in enumerate(turned)},
        )

    def _add_decisions(self, judgement: "Judgement") -> None:
        decisions, holds, holding = judgement.decisions, judgement.holds, judgement.holding
        judged = judgement.status != Status.ENDED
        by_status = {name: judgement.status == number for number, name in enumerate(STATUS_FIELDS)}
        self.places.add(
            [judgement.place],
            **by_status,
            held=holds,
            silent=judged & (holding == 0),
            several=holding > 1,
        )
        self.depths.add([decisions.depth], **by_status)
        described = self.judge.describes(decisions.entry)
        self.seats.add(
            [decisions.seat], **by_status, described=described, described_held=described & holds
        )
        agrees = by_status["agrees"]
        self.calls.add([judgement.place, decisions.call], made=1, held=holds, agrees=agrees)
        differs = judged & ~agrees
        self.instead.add(
            [one[differs] for one in (judgement.place, decisions.call, judgement.chosen_call)],
            decisions=1,
        )
        self.holding.add([holding[judged]], decisions=1)
        self.siblings.add(
            [judgement.siblings], held=judgement.sibling_held, first=judgement.sibling_first
        )
        self.overlaps.add([*judgement.pairs], both=judgement.pair_held)

    def _add_blocking(self, judgement: "Judgement", blocking: "Blocking", whole: Bools) -> None:
        decisions = judgement.decisions
        deal = decisions.deal[blocking.decision]
        # nothing else is in the way of the whole auction
        alone = np.bincount(deal, minlength=len(whole))[deal] == 1
        self.blocking.add(
            [decisions.entry[blocking.decision], blocking.expression],
            failed=1,
            only=blocking.only,
            decides=alone & whole[deal],
        )

    def _add_auctions(self, judgement: "Judgement", auctions: CallLists) -> Bools:
        """Count where auctions stop to hold; tell which are in the table as a whole."""
        decisions = judgement.decisions
        whole = np.zeros(len(auctions), np.bool_)
        lengths = np.diff(auctions.offsets)
        # the decisions of a deal stand together, in order
        last = np.flatnonzero(np.diff(decisions.deal, append=NONE_U32))
        deal = decisions.deal[last]
        inside = decisions.entry[last] != NONE_U32
        # where a table ends it passes, so it has what closes an auction there
        closing = (judgement.status[last] == Status.ENDED) & (
            decisions.depth[last] > _last_bids(auctions)[deal]
        )
        # an opening that the table does not have leaves it before its first entry
        deepest = np.where(inside, decisions.entry[last], judgement.place[last])
        leaving = np.where(inside | closing, WHOLE, decisions.call[last])
        fits = judgement.holds.copy()
        fits[last[closing]] = True
        failing = np.flatnonzero(~fits)
        first = failing[np.flatnonzero(np.diff(decisions.deal[failing], prepend=NONE_U32))]
        stop = np.full(len(lengths), NEVER, np.int64)
        stop[decisions.deal[first]] = decisions.depth[first]
        self.auctions.add([deepest, leaving, stop[deal]], deals=1)
        whole[deal] = inside | closing
        self.counts["whole"] += int(np.count_nonzero(whole))
        self.counts["held"] += int(np.count_nonzero(stop[deal] == NEVER))
        behind = lengths[decisions.deal[first]] - decisions.depth[first] - 1
        self.stops.add([judgement.place[first], decisions.call[first]], deals=1, behind=behind)
        return whole


def _last_bids(auctions: CallLists) -> I64:
    """Depth of the last call of each auction that is no pass, -1 if there is none."""
    made = np.flatnonzero(auctions.calls != PASS)
    begins, ends = auctions.offsets[:-1], auctions.offsets[1:]
    before = np.searchsorted(made, ends)
    found = made[np.maximum(before - 1, 0)] if len(made) else np.full(len(ends), -1)
    depth: I64 = np.where((before > 0) & (found >= begins), found - begins, -1)
    return depth


# --- what a table says of calls ------------------------------------------------------------------


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
