"""A table held against real auctions, chunk by chunk; what is counted adds up in any order."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import PASS, InvalidInput
from bidcascade.kernels import Backend, DealArrays
from bidcascade.kernels.types import I64, Bools
from bidcascade.table import NONE_U32, BiddingTable
from bidcascade.table.judging import (
    ROW_BYTES_AT_ONCE,
    STATUS_FIELDS,
    Blocking,
    Judgement,
    Status,
    TableJudge,
)
from bidcascade.table.real_calls import (
    CallLists,
)

WHOLE: Final = 63
"""Stands for the call by which an auction leaves the table, where it does not; no call's code."""
NEVER: Final = 0xFFFF
"""Stands for the depth at which an auction stops, where all of it holds."""


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
