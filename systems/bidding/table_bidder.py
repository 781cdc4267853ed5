"""A bidding table that bids: what :class:`~.bidder_protocol.AnyBidder` asks of a table."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import numpy as np
import polars as pl

from bidcascade.bridge import (
    PASS,
    Auction,
    NoSystem,
    Seat,
    UnknownAuction,
    Vulnerability,
    format_call,
)
from bidcascade.kernels import (
    NO_ENTRY,
    Backend,
    DealArrays,
    EntryLists,
    Plan,
    get_backend,
)
from bidcascade.kernels.types import I64
from bidcascade.systems.auctions.calls_along import CallsAlong
from bidcascade.systems.words.call_notes import RowNotes
from bidcascade.systems.words.next_calls import NextCalls, next_in_table
from bidcascade.table import BiddingTable, Vocabulary
from bidcascade.table.columns import UndescribedPolicy
from bidcascade.table.inspection.showing import where_it_leaves
from bidcascade.table.inspection.topics import Topic, topics_of
from bidcascade.table.overlays.changes import changed_entries
from bidcascade.table.overlays.rules import OverlayMark
from bidcascade.table.overlays.sub_plan import below_place
from bidcascade.table.real_calls import CallLists

from .bid_answer import BidAnswer, answer_bid
from .bidder_protocol import (
    AnswerWriter,
    AnyBidder,
    Calls,
    CountWriter,
    DeviceWriter,
    Query,
    Question,
    Written,
)

if TYPE_CHECKING:
    from bidcascade.kernels.cuda import CudaBackend
    from bidcascade.kernels.device_frames import DeviceDeals
    from bidcascade.systems.system import System
    from bidcascade.systems.words.explanation import AuctionExplanation

    from .allowed_calls import AllowedCalls
    from .along_table import AlongTable

UNLIMITED: Final = (1 << 31) - 1
_PARTS_CACHED: Final = 64
_OF_NO_DEALS: Final = EntryLists(
    0, np.zeros(1, np.uint64), np.zeros(0, np.uint32), np.zeros(0, np.uint64)
)


class TableBidder:
    """Bids by the rows of a table; what methods do says :class:`~.bidder_protocol.AnyBidder`.

    Parameters
    ----------
    table : BiddingTable
    backend : {"auto", "reference", "cpu", "cuda"}
    """

    title = None
    options: Final = ()
    usual_mode: Final = "all"
    usual_limit = UNLIMITED
    learned_bytes: Final = 0

    def __init__(self, table: BiddingTable, backend: str = "auto") -> None:
        self.table = table
        self._backend_name = backend
        self._lock = threading.Lock()
        self._below = lru_cache(_PARTS_CACHED)(lambda calls: below_place(table, calls))

    # --- what it is -----------------------------------------------------------------------------

    @cached_property
    def backend(self) -> Backend:
        return get_backend(self._backend_name)

    def backend_for(self, question: Question | None, backend: str, deals: int | None = None) -> str:
        return backend

    @cached_property
    def plan(self) -> Plan:
        with self._lock:
            return self.table.plan()

    @property
    def digest(self) -> str:
        return self.table.digest

    @property
    def source(self) -> str:
        return self.table.source

    @property
    def vocabulary(self) -> Vocabulary:
        return self.table.vocabulary

    @property
    def undescribed(self) -> UndescribedPolicy:
        return self.table.undescribed

    @property
    def overlays(self) -> tuple[OverlayMark, ...]:
        return self.table.overlays

    @property
    def overlay_notes(self) -> tuple[str, ...]:
        return self.table.overlay_notes

    @property
    def system(self) -> "System":
        raise NoSystem(f"expected a system, got a table of {len(self.table):,} entries")

    plain_system = system

    @property
    def meanings(self) -> BiddingTable:
        return self.table

    def numbers(self) -> dict[str, object]:
        return self.table.info()

    def changes_since(self, before: AnyBidder) -> str:
        """Say how many entries hold for other hands."""
        changed = len(changed_entries(before.table, self.table))
        return f"{changed:,} of {len(self.table):,} entries hold for other hands"

    def save(self, folder: Path) -> None:
        self.table.save(folder)

    def renewed(self) -> AnyBidder:
        return self

    def prepare(self) -> None:
        warm = getattr(self.backend, "warm_up", None)
        if warm is not None:
            warm(self.plan)

    warm_up = prepare

    def if_free(self) -> AbstractContextManager[bool]:
        """Threads of a processor share a table; a device has one caller."""
        return nullcontext(enter_result=self.backend.NAME != "cuda")

    # --- deals ----------------------------------------------------------------------------------

    def first(self, deals: DealArrays, writer: AnswerWriter[Written]) -> Written:
        return writer.first(self.backend.cascade_first(self.plan, deals), deals)

    def all(
        self, deals: DealArrays, query: Query, writer: AnswerWriter[Written]
    ) -> Iterator[Written]:
        found: Iterable[EntryLists] = [_OF_NO_DEALS]
        if len(deals):
            found = self.backend.cascade_all(
                self.plan,
                deals,
                completed_only=query.completed_only,
                max_depth=query.max_depth,
                limit=query.limit,
            )
        for lists in found:
            end = lists.first_deal + len(lists.totals)
            yield writer.entries(lists, deals.slice(lists.first_deal, end))

    def counts(
        self, deals: DealArrays, share: float, max_depth: int | None, writer: CountWriter[Written]
    ) -> Written:
        """Count the deals that reach each entry, however few and however deep."""
        return writer.entry_counts(self.backend.cascade_counts(self.plan, deals))

    def members(
        self, deals: DealArrays, auctions: Sequence[int | str]
    ) -> list[tuple[Calls, pl.Series]]:
        """Which deals reach entries; the very bits of the kernel, not copies."""
        numbers = self.table.entry_numbers(auctions)
        bits = self.backend.members(self.plan, deals, numbers)
        return [
            (self.table.auction_of(entry), pl.Series(bits.arrow(column)))
            for column, entry in enumerate(numbers)
        ]

    def allowed_calls(self, deals: DealArrays) -> "AllowedCalls":
        from .allowed_calls import TableCalls

        return TableCalls(self.table, deals)

    @cached_property
    def _along(self) -> "AlongTable":
        from .along_table import AlongTable

        return AlongTable(self.table, self.backend)

    def calls_along(
        self, deals: DealArrays, auctions: CallLists, depth: I64, *, meanings: bool
    ) -> CallsAlong:
        return self._along.find(deals, auctions, depth, meanings=meanings)

    @cached_property
    def _notes(self) -> RowNotes:
        return RowNotes(self.table)

    def notes(self, deals: DealArrays, auctions: Sequence[Sequence[int]]) -> list[Sequence[str]]:
        """Say what each call means, as far as the table goes."""
        return [self._notes.of(tuple(auction)) for auction in auctions]

    def bid_from(self, calls: Sequence[int], deals: DealArrays) -> tuple[list[Calls], I64]:
        """Bid deals to the end from a place; where the table has nothing, passes follow."""
        made = tuple(calls)
        part = self._below(made)
        if part is None:
            return [_passed_to_the_end(made)], np.zeros(len(deals), np.int64)
        # parts are small: to bring them to a device takes longer
        first = get_backend("cpu").cascade_first(part.plan, deals)
        entries, which = np.unique(first.entry, return_inverse=True)
        numbers: dict[Calls, int] = {}
        ending = []
        for entry in entries.tolist():
            last = None if entry == NO_ENTRY else int(part.numbers[entry])
            whole = made if last is None else self.table.auction_of(last)
            ending.append(numbers.setdefault(_passed_to_the_end(whole), len(numbers)))
        return list(numbers), np.array(ending, np.int64)[which]

    def first_on_device(self, deals: "DeviceDeals", writer: DeviceWriter[Written]) -> Written:
        backend = cast("CudaBackend", self.backend)
        return writer.first(*backend.first_on_device(self.plan, deals))

    # --- auctions -------------------------------------------------------------------------------

    def auction_of(self, entry: int | str) -> Calls:
        return self.table.auction_of(self.table.entry_number(entry))

    def entry_of(self, calls: Sequence[int]) -> int | None:
        return self.table.find(calls) if len(calls) else None

    def call(
        self,
        hand: int | str,
        auction: Sequence[int | str] | str,
        dealer: Seat | str,
        vulnerability: Vulnerability | str,
        *,
        words: bool = False,
    ) -> BidAnswer:
        return answer_bid(self.table, hand, auction, dealer, vulnerability)

    def next(self, calls: Calls) -> NextCalls:
        table, entry = self.table, self.entry_of(calls)
        if calls and entry is None:
            raise UnknownAuction(where_it_leaves(table, calls))
        return NextCalls(
            [format_call(call) for call in calls],
            entry,
            completed=entry is not None and table.is_completed(entry),
            forced=None,
            entries=[next_in_table(table, child) for child in table.children(entry)],
        )

    def explain(
        self,
        auction: "str | Sequence[int | str]",
        dealer: "Seat | str" = Seat.NORTH,
        vulnerability: "Vulnerability | str | None" = None,
    ) -> "AuctionExplanation":
        raise NoSystem(f"expected a system, got a table of {len(self.table):,} entries")

    topics_progress = 0, 0

    def topics(self, *, cancel: threading.Event | None = None) -> tuple[Topic, ...]:
        return topics_of(self.table)


def _passed_to_the_end(calls: Sequence[int]) -> Calls:
    auction = Auction.of(calls)
    while not auction.is_complete:
        auction = auction.add(PASS)
    return auction.calls
