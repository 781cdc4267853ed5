"""A table held against real auctions, chunk by chunk; what is counted adds up in any order."""

from collections import Counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import PASS
from bidcascade.kernels import Backend, DealArrays
from bidcascade.table import NONE_U32, BiddingTable
from bidcascade.table.decisions import CallLists
from bidcascade.table.vetting.judging import Blocking, Judge, Judgement, Status
from bidcascade.table.vetting.tally import Tally

I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

ROW_BYTES_AT_ONCE: Final = 64 << 20
"""Bytes that bits of expressions may take at a time; deals are cut accordingly."""

WHOLE: Final = 63
"""Stands for the call by which an auction leaves the table, where it does not."""
NEVER: Final = 0xFFFF
"""Stands for the depth at which an auction stops, where all of it holds."""

_STATUS_FIELDS: Final = tuple(status.name.lower() for status in Status)


class Vetting:
    """What came of the auctions added so far.

    Memory grows with the places, calls and auctions that occur, not with the deals. Keys of places
    are entries plus one, 0 being the opening.

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
    >>> vetting.places["agrees"].tolist(), vetting.places["fails"].tolist()
    ([1, 0], [1, 0])
    """

    def __init__(self, table: BiddingTable, backend: Backend | None = None) -> None:
        self.table = table
        self.judge = Judge(table, backend)
        self.auction_texts: dict[int, str] = {-1: ""}
        """Auctions of entries that were asked for, as text; -1 is the empty one."""
        self.counts: Counter[str] = Counter()
        """``deals``; ``without_auction``; ``calls`` in all; ``beyond``: calls behind one that the
        table does not have; ``whole`` and ``held``: auctions that are in the table to their last
        call (where the table ends, passes that close the auction are), and that hold to it;
        ``described``, ``turned_0`` … ``turned_3``: see :meth:`Judge.held_when_turned`."""
        self.places = Tally((*_STATUS_FIELDS, "held", "silent", "several"))
        """By place: calls by :class:`Status`; actual calls that hold; how often no call of the
        table holds, and how often more than one."""
        self.calls = Tally(("made", "held", "agrees"), keys=2)
        """By place and call: how often made, how often it held, and was the table's call."""
        self.instead = Tally(("decisions",), keys=2)
        """By place and ``64 * call made + call of the table``, where they differ."""
        self.siblings = Tally(("held", "first"))
        """By entry: how often it held where a call was made, and was the first to hold."""
        self.blocking = Tally(("failed", "only", "decides"), keys=2)
        """By entry and expression: how often it did not hold on a hand that made the call, how
        often it was the only one, and how often it was all that the whole auction lacked."""
        self.overlaps = Tally(("both",), keys=2)
        """By two entries of one place: how often both held."""
        self.auctions = Tally(("deals",), keys=2)
        """By ``64 * (deepest entry + 1) + call that leaves the table`` and the depth of the first
        call that does not hold."""
        self.stops = Tally(("deals", "behind"), keys=2)
        """By place and call: auctions whose first call that does not hold it is, and their calls
        behind it."""
        self.depths = Tally(_STATUS_FIELDS)
        """By number of calls before: calls by :class:`Status`."""
        self.seats = Tally((*_STATUS_FIELDS, "described", "described_held"))
        """By compass seat of the caller: calls by :class:`Status`; calls that the table describes,
        and how many of them hold."""
        self.holding = Tally(("decisions",))
        """By how many calls of the table hold: decisions at places with calls."""

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
            offsets = auctions.offsets[begin : end + 1]
            part = CallLists(auctions.calls[offsets[0] : offsets[-1]], offsets - offsets[0])
            self._add(deals.slice(begin, end), part)

    def _add(self, deals: DealArrays, auctions: CallLists) -> None:
        lengths = np.diff(auctions.offsets)
        rows = self.judge.rows(deals)
        judgement = self.judge.judge(auctions, deals, rows)
        decisions = judgement.decisions
        self.counts["deals"] += len(deals)
        self.counts["without_auction"] += int(np.count_nonzero(lengths == 0))
        self.counts["calls"] += len(auctions.calls)
        self.counts["beyond"] += decisions.beyond
        self._add_decisions(judgement)
        self.siblings.add(
            [judgement.siblings], held=judgement.sibling_held, first=judgement.sibling_first
        )
        self.overlaps.add([*judgement.pairs], both=judgement.pair_held)
        whole = self._add_auctions(judgement, auctions)
        self._add_blocking(judgement, self.judge.blocking(judgement, rows), whole)
        described, held = self.judge.held_when_turned(judgement, rows)
        self.counts["described"] += described
        self.counts.update({f"turned_{turn}": count for turn, count in enumerate(held)})

    def _add_decisions(self, judgement: Judgement) -> None:
        decisions, status = judgement.decisions, judgement.status
        place = judgement.places[judgement.place]
        judged = status != Status.ENDED
        by_status = {name: status == number for number, name in enumerate(_STATUS_FIELDS)}
        self.places.add(
            [place],
            **by_status,
            held=judgement.holds,
            silent=judged & (judgement.holding == 0),
            several=judgement.holding > 1,
        )
        self.depths.add([decisions.depth], **by_status)
        described = self.judge.describes(decisions.entry)
        self.seats.add(
            [decisions.seat],
            **by_status,
            described=described,
            described_held=described & judgement.holds,
        )
        self.calls.add(
            [place, decisions.call], made=1, held=judgement.holds, agrees=by_status["agrees"]
        )
        differs = judged & ~by_status["agrees"]
        changed = 64 * decisions.call.astype(np.int64) + judgement.chosen_call
        self.instead.add([place[differs], changed[differs]], decisions=1)
        self.holding.add([judgement.holding[judged]], decisions=1)

    def _add_blocking(self, judgement: Judgement, blocking: Blocking, whole: Bools) -> None:
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

    def _add_auctions(self, judgement: Judgement, auctions: CallLists) -> Bools:
        """Count where auctions stop to hold; tell which are in the table as a whole."""
        decisions = judgement.decisions
        whole = np.zeros(len(auctions), np.bool_)
        if not len(decisions):
            return whole
        lengths = np.diff(auctions.offsets)
        # the decisions of a deal stand together, in order
        last = np.flatnonzero(np.diff(decisions.deal, append=NONE_U32))
        deal = decisions.deal[last]
        inside = decisions.entry[last] != NONE_U32
        # where a table ends it passes, so it has what closes an auction there
        closing = (judgement.status[last] == Status.ENDED) & (
            decisions.depth[last] > _last_bids(auctions)[deal]
        )
        deepest = np.where(inside, decisions.entry[last], decisions.place[last])
        # an opening that the table does not have leaves it before its first entry
        above = np.where(deepest == NONE_U32, -1, deepest.astype(np.int64))
        leaving = np.where(inside | closing, WHOLE, decisions.call[last])
        fits = judgement.holds.copy()
        fits[last[closing]] = True
        failing = np.flatnonzero(~fits)
        first = failing[np.flatnonzero(np.diff(decisions.deal[failing], prepend=NONE_U32))]
        stop = np.full(len(lengths), NEVER, np.int64)
        stop[decisions.deal[first]] = decisions.depth[first]
        self.auctions.add([64 * (above + 1) + leaving, stop[deal]], deals=1)
        whole[deal] = inside | closing
        self.counts["whole"] += int(np.count_nonzero(whole))
        self.counts["held"] += int(np.count_nonzero(stop[deal] == NEVER))
        place = judgement.places[judgement.place[first]]
        behind = lengths[decisions.deal[first]] - decisions.depth[first] - 1
        self.stops.add([place, decisions.call[first]], deals=1, behind=behind)
        return whole


def _last_bids(auctions: CallLists) -> I64:
    """Depth of the last call of each auction that is no pass, -1 if there is none."""
    made = np.flatnonzero(auctions.calls != PASS)
    begins, ends = auctions.offsets[:-1], auctions.offsets[1:]
    before = np.searchsorted(made, ends)
    found = made[np.maximum(before - 1, 0)] if len(made) else np.full(len(ends), -1)
    depth: I64 = np.where((before > 0) & (found >= begins), found - begins, -1)
    return depth
