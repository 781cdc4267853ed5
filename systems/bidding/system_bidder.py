"""A system that bids: what :class:`~.bidder_protocol.AnyBidder` asks of a system.

Nothing is compiled. Places are worked out by the core as deals and questions come to them.
"""

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from bidcascade.bridge import (
    PASS,
    Auction,
    InvalidInput,
    InvalidTable,
    Seat,
    Vulnerability,
    format_call,
    parse_calls,
)
from bidcascade.kernels import Backend, DealArrays, backend_name, get_backend
from bidcascade.kernels.core.functions import has_core
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.machine.threads import in_order_apart, thread_count
from bidcascade.kernels.plan import expressions_plan
from bidcascade.systems.system import System, SystemPlaces
from bidcascade.table.language.vocabulary import Vocabulary

from .bid_answer import BidAnswer, read_question
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
from .system_bid import answer_from_system

if TYPE_CHECKING:
    import polars as pl

    from bidcascade.kernels.cuda import CudaBackend
    from bidcascade.kernels.device_frames import DeviceDeals
    from bidcascade.kernels.types import I64
    from bidcascade.systems.auctions.bidder import Bidder, Instead
    from bidcascade.systems.auctions.calls_along import CallsAlong
    from bidcascade.systems.words.call_notes import LineNotes
    from bidcascade.systems.words.explanation import AuctionExplanation, StatesAndPlaces
    from bidcascade.systems.words.next_calls import NextCalls
    from bidcascade.table import BiddingTable
    from bidcascade.table.columns import UndescribedPolicy
    from bidcascade.table.inspection.topics import Topic
    from bidcascade.table.overlays.rules import OverlayMark
    from bidcascade.table.real_calls import CallLists

    from .allowed_calls import AllowedCalls

ALLOWED_CHUNK: Final = 1 << 7
"""Deals that a thread lists at once in mode ``all``, at most."""
DEVICE_CHUNK: Final = 1 << 11
"""Deals that a device lists at once in mode ``all``: what its places take grows with them."""
_LEAST_CHUNK: Final = 1 << 6
"""Deals for which another thread, with places of its own to fill, is worth its while."""
_NO_NUMBERS: Final[dict[str, Any]] = {
    **dict.fromkeys(
        ("entries", "openings", "variants", "described", "undescribed_entries", "inserted",
         "completed", "criteria_lists", "expressions", "texts", "bytes")
    ),
    "extras": [],
    "user_terms": {},
}  # fmt: skip


class SystemBidder:
    """Bids by the lines of a system; what methods do says :class:`~.bidder_protocol.AnyBidder`.

    Parameters
    ----------
    system : System
        Played by both sides, unless its text names another for the opponents.
    backend : {"auto", "reference", "cpu", "cuda"}
        Calls and auctions are found by the definition where it is ``reference``, and where there is
        no core. What counts auctions or tells who may bid them wants the core.
    """

    undescribed: "UndescribedPolicy" = "allow"
    usual_mode: Final = "first"

    def __init__(self, system: System, backend: str = "auto") -> None:
        self._system = system
        self._backend_name = backend
        self._lock, self._compiling = threading.RLock(), threading.Lock()
        self._topics_lock = threading.Lock()
        self._topics: tuple[Topic, ...] | None = None
        self.topics_progress = 0, 0
        self._places: Bidder | None = None
        self._further: list[Bidder] = []
        """Places for further threads, which list all auctions of many deals."""
        self._writing = threading.Lock()
        self._bidding: SystemPlaces | None = None
        self._table: BiddingTable | None = None

    # --- what it is -----------------------------------------------------------------------------

    @cached_property
    def backend(self) -> Backend:
        return get_backend(self._backend_name)

    @cached_property
    def _is_on_device(self) -> bool:
        return backend_name(self._backend_name) == "cuda"

    @property
    def _device(self) -> Backend | None:
        """The backend, if that is a device; the core needs none, and it takes a while to load."""
        return self.backend if self._is_on_device else None

    def backend_for(self, question: Question | None, backend: str, deals: int | None = None) -> str:
        """Tell that the core counts where the definition is asked for, and works for few deals."""
        from bidcascade.systems.auctions.bidder import FEW

        if backend == "cuda":
            is_core = question is None or (deals is not None and deals <= FEW)
        else:
            is_core = question in ("counts", "members")
        return "cpu" if is_core else backend

    @property
    def places(self) -> "Bidder":
        """Places of the system, worked out by the kernels."""
        with self._lock:
            if self._places is None:
                alike = self._instead is None
                self._places = self._system.bidder() if alike else self._more_places()
            return self._places

    @property
    def _instead(self) -> "Mapping[Calls, Instead] | None":
        """What is chosen from at some places in place of the system's entries."""
        return None

    @property
    def bidding(self) -> SystemPlaces:
        """Who finds calls and auctions: the kernels at their places, or the definition."""
        if self._backend_name != "reference" and has_core():
            return self.places
        with self._lock:
            if self._bidding is None:
                self._bidding = self._system.by_definition(instead=self._instead)
            return self._bidding

    @property
    def digest(self) -> str:
        return self._system.digest

    @property
    def source(self) -> str:
        return f"system {self._system.name}"

    @property
    def title(self) -> str | None:
        return self._system.text.title

    @property
    def options(self) -> list[dict[str, Any]]:
        # the grammar is not needed to bid
        from bidcascade.systems.language.reading.options import option_rows

        return option_rows(self._system.text)

    @property
    def vocabulary(self) -> Vocabulary:
        return self._system.vocabulary

    @property
    def overlays(self) -> "tuple[OverlayMark, ...]":
        return ()

    @property
    def overlay_notes(self) -> tuple[str, ...]:
        return ()

    @property
    def usual_limit(self) -> int:
        from bidcascade.systems.auctions.allowed import DEFAULT_LIMIT

        return DEFAULT_LIMIT

    @property
    def table(self) -> "BiddingTable":
        """Table that the system is compiled into, now or before: for those who ask for rows."""
        from bidcascade.systems.registry import table_of

        with self._compiling:
            if self._table is None:
                # with places of its own: others bid meanwhile
                self._table = table_of(System(self._system.text, self._system.name))
            return self._table

    @property
    def system(self) -> System:
        return self._system

    @property
    def plain_system(self) -> System:
        return self._system

    @cached_property
    def meanings(self) -> "StatesAndPlaces":
        """What calls mean."""
        return self._system.reader()

    def numbers(self) -> dict[str, object]:
        return dict(_NO_NUMBERS)

    def changes_since(self, before: AnyBidder) -> str:
        return "its text has changed"

    def save(self, folder: Path) -> None:
        raise InvalidInput("expected a system opened by its name or path for work elsewhere")

    @property
    def learned_bytes(self) -> int:
        with self._lock:
            opened = (self._places, *self._further)
        return sum(one.learned_bytes for one in opened if one is not None)

    def renewed(self) -> AnyBidder:
        return SystemBidder(self._system.renewed(), self._backend_name)

    def prepare(self) -> None:
        """Open the system."""
        self.bidding.reach(())

    def warm_up(self) -> None:
        """Open the system: the core needs nothing else, a device compiles its kernels."""
        self.prepare()
        if not self._is_on_device:
            return
        from bidcascade.systems.auctions.allowed import ListingBounds, list_allowed, members
        from bidcascade.systems.auctions.bidder import FEW, Bidder
        from bidcascade.table import parse_expression, to_postfix

        # so many that they are bid there
        hands = deal_hands(1, 0, 4 * FEW)
        zero = np.zeros(4 * FEW, np.uint8)
        deals = DealArrays(hands, zero, zero)
        bidding = self.bidding
        with bidding.lock:
            bidding.bid(deals, backend=self.backend)
            if isinstance(bidding, Bidder):
                list_allowed(bidding, deals, ListingBounds(1, 1, 1), backend=self.backend)
                members(bidding, deals, [(0,)], backend=self.backend)
        some = parse_expression("HCP >= 15"), parse_expression("Balanced")
        codes = tuple(to_postfix(one, self.vocabulary) for one in some)
        plan = expressions_plan(codes, self.vocabulary.profile)
        cast("CudaBackend", self.backend).warm_up(plan)

    @contextmanager
    def if_free(self) -> Iterator[bool]:
        """Whether no other thread works out places."""
        lock = self.bidding.lock
        is_free = not self._is_on_device and lock.acquire(blocking=False)
        try:
            yield is_free
        finally:
            if is_free:
                lock.release()

    # --- deals ----------------------------------------------------------------------------------

    def first(self, deals: DealArrays, writer: AnswerWriter[Written]) -> Written:
        bidding = self.bidding
        with bidding.lock:
            return writer.bid(bidding, bidding.bid(deals, backend=self._device), deals)

    def all(
        self, deals: DealArrays, query: Query, writer: AnswerWriter[Written]
    ) -> Iterator[Written]:
        from bidcascade.systems.auctions.allowed import ListingBounds, list_allowed
        from bidcascade.systems.auctions.bidder import Bidder

        standard = ListingBounds()
        bounds = ListingBounds(
            query.limit or standard.limit,
            query.max_depth or standard.depth,
            completed_only=query.completed_only,
        )
        device, threads = self._device, thread_count()
        size = min(ALLOWED_CHUNK, max(_LEAST_CHUNK, -(-len(deals) // (2 * threads))))
        if device is not None:
            size, threads = DEVICE_CHUNK, 1
        # of no deals there is an answer too, without rows
        starts = range(0, max(1, len(deals)), size)

        def answer(start: int) -> Written:
            part = deals.slice(start, min(start + starts.step, len(deals)))
            with self._free_bidding(threads if len(starts) > 1 else 1) as bidding:
                if isinstance(bidding, Bidder):
                    found = list_allowed(bidding, part, bounds, backend=device)
                else:
                    found = bidding.list_allowed(part, bounds)
                # writers keep what they have written for later
                with self._writing:
                    return writer.allowed(bidding, found, start)

        yield from in_order_apart(answer, starts)

    @contextmanager
    def _free_bidding(self, most: int) -> Iterator[SystemPlaces]:
        """Lock who finds auctions, or others of the same system where somebody works there."""
        # places of a deal lie close to each other, and each asks of the text what no other has:
        # that is twice as quick deal by deal as side by side, so each thread has places of its own
        with self._lock:
            first = self.bidding
            while first is self._places and len(self._further) + 1 < most:
                self._further.append(self._more_places())
            all_of_them = [first, *self._further]
        free = next((one for one in all_of_them if one.lock.acquire(blocking=False)), None)
        if free is None:
            # nobody works there but for a part of such an answer
            free = all_of_them[-1]
            free.lock.acquire()
        try:
            yield free
        finally:
            free.lock.release()

    def _more_places(self) -> "Bidder":
        """Places of the same, which share nothing with the others."""
        from bidcascade.systems.auctions.bidder import Bidder
        from bidcascade.systems.auctions.budget import places_budget

        return Bidder(
            self._system.rules,
            self._system.opponents.rules,
            instead=self._instead,
            budget=places_budget(),
        )

    def counts(
        self, deals: DealArrays, share: float, max_depth: int | None, writer: CountWriter[Written]
    ) -> Written:
        from bidcascade.systems.auctions.allowed import count_allowed
        from bidcascade.systems.auctions.bidder import LONGEST_AUCTION

        least = max(1, math.ceil(share * len(deals)))
        found = count_allowed(
            self.places,
            deals,
            least=least,
            depth=max_depth or LONGEST_AUCTION,
            backend=self._device,
        )
        return writer.auction_counts(found, least)

    def members(
        self, deals: DealArrays, auctions: Sequence[int | str]
    ) -> "list[tuple[Calls, pl.Series]]":
        import polars as pl

        from bidcascade.systems.auctions.allowed import members

        wanted = list(dict.fromkeys(map(self.auction_of, auctions)))
        columns = members(self.places, deals, wanted, backend=self._device)
        return [(calls, pl.Series(one)) for calls, one in zip(wanted, columns, strict=True)]

    def allowed_calls(self, deals: DealArrays) -> "AllowedCalls":
        from .allowed_calls import SystemCalls

        return SystemCalls(self.places, deals)

    def calls_along(
        self, deals: DealArrays, auctions: "CallLists", depth: "I64", *, meanings: bool
    ) -> "CallsAlong":
        from bidcascade.systems.auctions.calls_along import along_in_system

        return along_in_system(self.places, deals, auctions, meanings=meanings)

    @cached_property
    def _notes(self) -> "LineNotes":
        from bidcascade.systems.words.call_notes import LineNotes

        return LineNotes(self.bidding)

    def notes(self, deals: DealArrays, auctions: Sequence[Sequence[int]]) -> list[Sequence[str]]:
        """Say what the line is that made each call, to the end."""
        return self._notes.on(deals, auctions)

    def bid_from(self, calls: Sequence[int], deals: DealArrays) -> "tuple[list[Calls], I64]":
        return PlacesBidder(self.bidding).bid_from(calls, deals)

    def first_on_device(self, deals: "DeviceDeals", writer: DeviceWriter[Written]) -> Written:
        backend = cast("CudaBackend", self.backend)
        return writer.auctions(*self.places.auctions_on_device(deals, backend))

    # --- auctions -------------------------------------------------------------------------------

    def auction_of(self, entry: int | str) -> Calls:
        """Read an auction; a system numbers nothing."""
        if isinstance(entry, int):
            raise InvalidTable(f"expected an auction of a system, got the number {entry!r}")
        calls = tuple(parse_calls(entry))
        if not calls:
            raise InvalidTable(f"expected an auction of at least one call, got {entry!r}")
        Auction.of(calls)
        return calls

    def entry_of(self, calls: Sequence[int]) -> int | None:
        return None

    def call(
        self,
        hand: int | str,
        auction: Sequence[int | str] | str,
        dealer: Seat | str,
        vulnerability: Vulnerability | str,
        *,
        words: bool = False,
    ) -> BidAnswer:
        """Call of the first line that the hand fits; there is an answer after every auction."""
        mask, calls, context = read_question(hand, auction, dealer, vulnerability)
        return answer_from_system(self.bidding, calls, mask, context, self.entry_of, words=words)

    def next(self, calls: Calls) -> "NextCalls":
        """Give calls with their lines; a pass that no line makes stands behind all others."""
        from bidcascade.systems.words.next_calls import CallVariant, FollowingCall, NextCalls

        auction = Auction.of(calls)
        texts, entry = [format_call(call) for call in calls], self.entry_of(calls)
        if auction.is_complete:
            return NextCalls(texts, entry, completed=True, forced=False)
        place = self._system.place(calls)
        variants: dict[int, list[CallVariant]] = {}
        for line in place.entries:
            variants.setdefault(line.call, []).append(CallVariant.of_line(line))
        variants.setdefault(PASS, [CallVariant("Pass")])
        found = [
            FollowingCall(
                format_call(call),
                self.entry_of((*calls, call)),
                completed=auction.add(call).is_complete,
                can_complete=True,
                inserted=False,
                next=self._calls_after((*calls, call)),
                variants=meanings,
            )
            for call, meanings in variants.items()
        ]
        return NextCalls(texts, entry, completed=False, forced=place.forced, entries=found)

    def _calls_after(self, calls: Calls) -> int:
        """How many different calls may follow an auction."""
        if Auction.of(calls).is_complete:
            return 0
        return len({PASS, *(line.call for line in self._system.place(calls).entries)})

    def explain(
        self,
        auction: "str | Sequence[int | str]",
        dealer: "Seat | str" = Seat.NORTH,
        vulnerability: "Vulnerability | str | None" = None,
    ) -> "AuctionExplanation":
        from bidcascade.systems.words.explanation import explain_auction

        with self._lock:
            return explain_auction(
                self._system, auction, dealer=dealer, vulnerability=vulnerability
            )

    def topics(self, *, cancel: threading.Event | None = None) -> "tuple[Topic, ...]":
        """Topics of the places that random deals come to; found once, which takes seconds."""
        from bidcascade.systems.book.topic_cache import cached_topics

        def tell(done: int, of: int) -> None:
            self.topics_progress = done, of

        # who asks meanwhile waits for the same
        with self._topics_lock:
            if self._topics is None:
                self._topics = cached_topics(self._system, tell=tell, cancel=cancel)
            return self._topics


class PlacesBidder:
    """Places of two systems, asked for the ends of auctions alone."""

    def __init__(self, places: SystemPlaces) -> None:
        self._places = places

    def bid_from(self, calls: Sequence[int], deals: DealArrays) -> "tuple[list[Calls], I64]":
        """Bid deals to the end, as :meth:`SystemBidder.bid_from` does."""
        places = self._places
        with places.lock:
            bid = places.bid(deals, calls)
            there, which = np.unique(bid.place, return_inverse=True)
            return [(*places.auction_of(place), PASS) for place in there], which
