"""The one way from deals to answers: a bidding table, its plan and a backend.

REST, command line, batch jobs and benchmarks all go through :class:`Engine`.
"""

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from bidcascade.bridge import (
    Auction,
    BackendUnavailable,
    InvalidTable,
    Seat,
    Vulnerability,
    format_calls,
    parse_calls,
)
from bidcascade.kernels import (
    Backend,
    DealArrays,
    EntryLists,
    Plan,
    backend_name,
    get_backend,
)
from bidcascade.kernels.types import U32, U64
from bidcascade.loaders import deal_arrays
from bidcascade.systems import is_system, open_system, open_table
from bidcascade.table import BiddingTable
from bidcascade.table.compass import evaluation_plan, expression_columns
from bidcascade.table.overlays.overlaid_table import changed_entries

from .answers import AnswerWriter, EntryColumns, FrameWriter, Mode, Query, counted_frame
from .bid_answer import BidAnswer, answer_bid, matching_variants, what_is_asked

if TYPE_CHECKING:
    from bidcascade.systems.allowed_calls import AllowedCalls
    from bidcascade.systems.bidder import Bidder
    from bidcascade.systems.expansion import Expander, Place
    from bidcascade.systems.explanation import AuctionExplanation
    from bidcascade.systems.system import System

    from .device_engine import DeviceEngine

Written = TypeVar("Written")
_OF_NO_DEALS = EntryLists(0, np.zeros(1, np.uint64), np.zeros(0, np.uint32), np.zeros(0, np.uint64))
FIRST_CHUNK = 1 << 18
"""Deals that one frame of :meth:`Engine.iter_auctions` answers in mode ``first``."""
ALLOWED_CHUNK = 1 << 8
"""Deals that one frame of a system answers in mode ``all``."""


class Engine:
    """A bidding table on a backend; safe to use from several threads.

    With a system, calls, auctions, counts and members are answered from the system, whatever the
    table has; sums of counts by entry (:meth:`count_entries`) stay on the table.

    Parameters
    ----------
    table : BiddingTable
    backend : {"auto", "reference", "cpu", "cuda"}
        ``auto`` is cuda where it works, else cpu.
    name : str, optional
        What answers call the table; its source by default.
    system : System, or callable that returns one, optional
        What the table was compiled from; a callable is called when the system is needed.

    Raises
    ------
    BackendUnavailable
        If the backend cannot run here; the message says why.

    Examples
    --------
    >>> from bidcascade.loaders import read_deals
    >>> from bidcascade.table import build_table
    >>> table, _ = build_table([
    ...     {"prior": "", "call": "1N", "criteria": ["HCP >= 12"]},
    ...     {"prior": "1N", "call": "P"}], undescribed="allow")
    >>> engine = Engine(table, "reference")
    >>> deals = read_deals(b"N:AK2.AK2.5432.432 QJT9.QJT9.AK.AKQ 876.876.QJT9.JT9 543.543.876.8765")
    >>> engine.auctions(deals.deals, mode="first").select("contract", "declarer").row(0)
    ('1N', 'N')
    """

    def __init__(
        self,
        table: BiddingTable,
        backend: str = "auto",
        *,
        name: str | None = None,
        system: "System | Callable[[], System] | None" = None,
    ) -> None:
        self.table = table
        self.name = name or table.source or table.digest[:12]
        self.opened_from: tuple[str, dict[str, Any]] | None = None
        """What :meth:`open` was given: name or path, and options."""
        self.backend = backend_name(backend)
        """Name of the backend in use."""
        if self.backend == "cuda":
            # held from here on: a device that fails later is a fault, not a missing backend
            _ = self._backend
        self._plan: Plan | None = None
        self._entries = EntryColumns(table)
        self._system = system
        self._lock = threading.RLock()

    @classmethod
    def open(
        cls,
        name_or_path: str,
        backend: str = "auto",
        *,
        overlays: Sequence[str] = (),
        **options: Any,
    ) -> "Engine":
        """Engine of a system or table by name or path; see :func:`bidcascade.systems.open_table`.

        Where ``overlays`` change what follows an auction, the table answers there; elsewhere the
        system does, if the table was compiled from one.
        """
        # an absent backend is found out before a large table is read
        backend_name(backend)
        system = partial(open_system, name_or_path, **options) if is_system(name_or_path) else None
        table = open_table(name_or_path, overlays=overlays, **options)
        engine = cls(table, backend, name=name_or_path, system=system)
        engine.opened_from = name_or_path, options
        if overlays:
            engine.opened_from = name_or_path, {**options, "overlays": list(overlays)}
        return engine

    @property
    def has_system(self) -> bool:
        """Whether the table was compiled from a system that can be asked."""
        return self._system is not None

    @property
    def system(self) -> "System | None":
        """System that the table was compiled from; None for other tables."""
        if self._system is None or not callable(self._system):
            return self._system
        with self._lock:
            if callable(self._system):
                self._system = self._system()
            return self._system

    def answers_from_table(self, auction: Sequence[int]) -> bool:
        """Tell whether the table says what follows an auction, not the system.

        That is so where there is no system, and where overlays changed what follows.

        Examples
        --------
        >>> Engine.open("sayc", "reference").answers_from_table([])
        False
        """
        if not self.has_system:
            return True
        entry = self.table.find(auction) if len(auction) else -1
        return entry in self.table.changed_places

    @cached_property
    def places(self) -> "Expander | None":
        """What the system's calls mean, as the definition says; None for other tables."""
        return None if self.system is None else self.system.expander()

    @cached_property
    def bidder(self) -> "Bidder | None":
        """Places of the system, with what overlays changed; None for tables that are of none."""
        from bidcascade.systems.bidder import Bidder
        from bidcascade.systems.budget import places_budget

        with self._lock:
            if self.system is None:
                return None
            if not self.table.changed_places:
                return self.system.bidder()
            return Bidder(
                self.system.rules, self.system.opponents.rules,
                instead=changed_entries(self.table), budget=places_budget(),
            )  # fmt: skip

    @cached_property
    def _backend(self) -> Backend:
        return get_backend(self.backend)

    @property
    def plan(self) -> Plan:
        """What the kernels work from; made when first asked for, as one call needs none of it."""
        if self._plan is None:
            with self._lock:
                if self._plan is None:
                    self._plan = self.table.plan()
        return self._plan

    def on_device(self) -> "DeviceEngine":
        """Give the same table or system for deals and answers that stay on the GPU.

        Raises
        ------
        BackendUnavailable
            If the backend is not ``cuda``.
        """
        if self.backend != "cuda":
            raise BackendUnavailable(
                f"expected the backend 'cuda' for frames on a device, got {self.backend!r}"
            )
        from bidcascade.kernels.cuda import backend_here

        from .device_engine import DeviceEngine

        return DeviceEngine(self.table, backend_here(), bidder=self.bidder)

    def warm_up(self) -> None:
        """Compile or load all that first answers need, so that they come as fast as later ones."""
        if self.bidder is not None:
            self.bidder.warm_up()
            return
        warm = getattr(self._backend, "warm_up", None)
        if warm is not None:
            warm(self.plan)
        self._entries.warm_up()

    def table_info(self) -> dict[str, Any]:
        """Name, digest, profile and policy of the table, as every answer states them.

        With overlays, ``overlays`` lists name and SHA-256 of each.
        """
        info: dict[str, Any] = {
            "name": self.name,
            "digest": self.table.digest,
            "profile": self.table.profile,
            "undescribed": self.table.undescribed,
        }
        if self.table.overlays:
            info["overlays"] = [mark.to_dict() for mark in self.table.overlays]
        return info

    # --- auctions -----------------------------------------------------------------------------

    def auctions(
        self,
        frame: pl.DataFrame,
        *,
        mode: Mode = "all",
        completed_only: bool = False,
        max_depth: int | None = None,
        limit: int | None = None,
    ) -> pl.DataFrame:
        """Auctions that the table allows for each deal.

        Parameters
        ----------
        frame : polars.DataFrame
            Deal frame.
        mode : {"all", "first"}
            ``all``: every entry that holds, or every auction that the system allows. ``first``: the
            one auction that is bid.
        completed_only : bool
            Mode ``all``: only auctions that are complete.
        max_depth : int, optional
            Mode ``all``: only auctions of at most so many calls.
        limit : int, optional
            Mode ``all``: list at most so many auctions of a deal; of a system 1,000 if not given.

        Returns
        -------
        polars.DataFrame
            Mode ``all``, one row for each deal and entry, a deal's auctions depth first:
            ``deal`` (row in ``frame``), ``entry``, ``calls`` (``1N P 3N``), ``completed``; with a
            limit also ``total`` (how many the deal has) and ``truncated``. Of a system ``entry`` is
            null, and there are always ``variants`` (names of the rules that hold for the last
            call), ``total``, ``truncated`` and ``cut``: what left auctions out (``limit``,
            ``depth``, or ``places``: the walk looked at 2,000 places), null if nothing did. Where
            something did, ``total`` is how many were found, and the auction of mode ``first`` is
            listed all the same: behind its beginnings, with a limit as the last.
            Mode ``first``, one row a deal: ``deal``, ``auction`` (call codes, to the end),
            ``completed`` (by the table or its system, without passes put behind), ``entry`` (the
            deepest one; null if the first call already is not in the table, and for systems),
            ``defaults`` (passes made because no entry held),
            ``contract`` (``4SX``; ``Pass`` if passed out), ``declarer``.

        Raises
        ------
        InvalidInput
            If the frame is no deal frame.
        ValueError
            If the mode, the depth or the limit does not exist.
        """
        parts = list(
            self.iter_auctions(
                frame, mode=mode, completed_only=completed_only, max_depth=max_depth, limit=limit
            )
        )
        if not parts:
            query = Query(mode, completed_only, limit, max_depth)
            return next(self.frames(deal_arrays(frame), query))
        return parts[0] if len(parts) == 1 else pl.concat(parts)

    def iter_auctions(
        self,
        frame: pl.DataFrame,
        *,
        mode: Mode = "all",
        completed_only: bool = False,
        max_depth: int | None = None,
        limit: int | None = None,
    ) -> Iterator[pl.DataFrame]:
        """Like :meth:`auctions`, as frames of consecutive deals that fit the memory."""
        if mode not in ("all", "first"):
            raise ValueError(f"expected mode 'all' or 'first', got {mode!r}")
        for what, value in (("limit", limit), ("max_depth", max_depth)):
            if value is not None and value < 1:
                raise ValueError(f"expected a {what} of at least 1, got {value!r}")
        if mode == "first" and (completed_only or max_depth is not None or limit is not None):
            raise ValueError("expected completed_only, max_depth and limit only in mode 'all'")
        query = Query(mode, completed_only, limit, max_depth)
        size = FIRST_CHUNK if mode == "first" else max(1, frame.height)
        for start in range(0, frame.height, size):
            yield from self.frames(deal_arrays(frame.slice(start, size)), query, start)

    def frames(
        self, deals: DealArrays, query: Query, first_deal: int = 0
    ) -> Iterator[pl.DataFrame]:
        """Like :meth:`iter_auctions`, of deals as arrays; the first one has a given number."""
        return self.answers(deals, query, FrameWriter(self._entries, query, first_deal))

    def answers(
        self, deals: DealArrays, query: Query, writer: AnswerWriter[Written]
    ) -> Iterator[Written]:
        """Find the auctions of deals and write them, some deals at a time.

        The one place where they are found, whatever form the answer has.

        Parameters
        ----------
        deals : DealArrays
        query : Query
        writer : AnswerWriter
            Gets what was found: numbers of the table's entries, or of the bidder's places.
        """
        bidder = self.bidder
        if query.mode == "first":
            if bidder is None:
                yield writer.first(self._backend.cascade_first(self.plan, deals), deals)
                return
            with bidder.lock:
                bid = bidder.bid(deals, backend=self._backend)
                written = writer.bid(bidder, bid, deals)
            yield written
        elif bidder is not None:
            yield from _allowed(bidder, deals, query, writer)
        else:
            found: Iterable[EntryLists] = [_OF_NO_DEALS]
            if len(deals):
                found = self._backend.cascade_all(
                    self.plan, deals, completed_only=query.completed_only,
                    max_depth=query.max_depth, limit=query.limit,
                )  # fmt: skip
            for lists in found:
                end = lists.first_deal + len(lists.totals)
                yield writer.entries(lists, deals.slice(lists.first_deal, end))

    def iter_entries(
        self, frame: pl.DataFrame, *, completed_only: bool = False
    ) -> Iterator[pl.DataFrame]:
        """Bare ``deal`` and ``entry`` of mode ``all``, as frames that fit the memory.

        What entries mean is told once by :meth:`entries_frame`: less than half the work and a
        fraction of the bytes of :meth:`iter_auctions`. A system has no entry for every auction: its
        frames are those of :meth:`iter_auctions`, with all columns.
        """
        if not frame.height:
            return
        if self.bidder is not None:
            yield from self.iter_auctions(frame, completed_only=completed_only)
            return
        for lists in self._backend.cascade_all(
            self.plan, deal_arrays(frame), completed_only=completed_only
        ):
            counts = np.diff(lists.offsets).astype(np.int64)
            last = lists.first_deal + len(counts)
            numbers = np.arange(lists.first_deal, last, dtype=np.uint32)
            yield pl.DataFrame({"deal": np.repeat(numbers, counts), "entry": lists.entries})

    def entries_frame(self, entries: U32) -> pl.DataFrame:
        """Tell calls, completion, name and description of entries, one row each."""
        chosen = entries.tolist()
        return pl.DataFrame(
            [
                pl.Series("entry", entries, dtype=pl.UInt32),
                self._entries.calls(entries),
                self._entries.completed(entries),
                pl.Series("name", [self.table.name(entry) for entry in chosen], pl.String),
                pl.Series(
                    "description", [self.table.description(entry) for entry in chosen], pl.String
                ),
            ]
        )

    def variants(self, frame: pl.DataFrame, auctions: pl.DataFrame) -> list[list[str]]:
        """Names of the variants behind each row of an answer in mode ``all``.

        One by one by the definition of the kernels: meant for the deals of a request, not for
        millions.

        Parameters
        ----------
        frame : polars.DataFrame
            The deals asked about.
        auctions : polars.DataFrame
            What :meth:`auctions` answered; ``deal`` and ``entry`` are read, or ``variants`` where
            they are told already.

        Returns
        -------
        list of list of str
            Per row the variants that hold: their names, or descriptions where they have no name.
        """
        if "variants" in auctions.columns:
            return auctions["variants"].to_list()
        deals = deal_arrays(frame)
        return [
            matching_variants(self.table, deals, deal, entry)
            for deal, entry in auctions.select("deal", "entry").iter_rows()
        ]

    # --- counts, members, expressions ---------------------------------------------------------

    def counts(
        self, frame: pl.DataFrame, *, share: float = 1 / 100, max_depth: int | None = None
    ) -> pl.DataFrame:
        """How many of the deals reach each entry, or may bid each auction of a system.

        Parameters
        ----------
        frame : polars.DataFrame
            Deal frame.
        share : float
            Of a system the auctions that at least this part of the deals may bid are counted.
        max_depth : int, optional
            Of a system: only auctions of at most so many calls.

        Returns
        -------
        polars.DataFrame
            ``entry``, ``calls``, ``count``: the entries that some deal reaches, by number.
            Of a system, shorter auctions first: ``entry`` is null; ``least`` is the number of deals
            that ``share`` stands for, so no auction that as many may bid is missing, unless ``cut``
            says that longer ones were not looked at: ``depth``, or ``number`` (there are more than
            100,000, or too many to hold).

        Raises
        ------
        ValueError
            If the share is not between 0 and 1, or the depth is below 1.
        """
        if self.bidder is None:
            return self.counts_frame(self.count_entries(frame))
        from bidcascade.systems.allowed import count_allowed
        from bidcascade.systems.bidder import LONGEST_AUCTION

        if not 0 <= share <= 1:
            raise ValueError(f"expected a share from 0 to 1, got {share!r}")
        if max_depth is not None and max_depth < 1:
            raise ValueError(f"expected a max_depth of at least 1, got {max_depth!r}")
        least = max(1, math.ceil(share * frame.height))
        found = count_allowed(
            self.bidder, deal_arrays(frame), least=least, depth=max_depth or LONGEST_AUCTION
        )
        return counted_frame(found, least)

    def count_entries(self, frame: pl.DataFrame) -> U64:
        """How many of the deals reach each entry of the table; sums up over frames.

        Returns
        -------
        uint64 [entries]
            Of the table also where there is a system: what that allows beyond it is not counted.
        """
        return self._backend.cascade_counts(self.plan, deal_arrays(frame))

    def counts_frame(self, counts: U64) -> pl.DataFrame:
        """Frame of the table's counts from (sums of) :meth:`count_entries`."""
        entries: U32 = np.flatnonzero(counts).astype(np.uint32)
        return pl.DataFrame(
            [
                pl.Series("entry", entries),
                self._entries.calls(entries),
                pl.Series("count", counts[entries]),
            ]
        )

    def members(
        self, frame: pl.DataFrame | DealArrays, entries: Iterable[int | str]
    ) -> pl.DataFrame:
        """For chosen entries, or auctions of a system, which deals reach them.

        Parameters
        ----------
        frame : polars.DataFrame or DealArrays
            Deal frame, or the deals as arrays.
        entries : iterable of int or str
            Entry numbers, or auctions (``1N P 3N``); of a system any legal auction.

        Returns
        -------
        polars.DataFrame
            One Boolean column an entry, named by its auction; rows as in ``frame``. Of a table the
            columns are the very bits of the kernel, not copies.

        Raises
        ------
        InvalidTable
            If the table has no such entry, or an auction has no call.
        IllegalCall
            If an auction of a system is illegal.
        """
        deals = frame if isinstance(frame, DealArrays) else deal_arrays(frame)
        if self.bidder is not None:
            from bidcascade.systems.allowed import members

            auctions = list(dict.fromkeys(map(self.auction_of, entries)))
            columns = members(self.bidder, deals, auctions)
            return pl.DataFrame(
                [
                    pl.Series(format_calls(calls), column)
                    for calls, column in zip(auctions, columns, strict=True)
                ]
            )
        numbers = self.table.entry_numbers(entries)
        bits = self._backend.members(self.plan, deals, numbers)
        return pl.DataFrame(
            {
                format_calls(self.table.auction_of(entry)): pl.Series(bits.arrow(column))
                for column, entry in enumerate(numbers)
            }
        )

    def allowed_calls(self, deals: DealArrays) -> "AllowedCalls":
        """Tell what boards may call, for :mod:`bidcascade.systems.allowed_index`.

        Examples
        --------
        >>> from bidcascade.loaders import random_deals
        >>> from bidcascade.systems.allowed_index import allowed_nodes
        >>> calls = Engine.open("sayc").allowed_calls(deal_arrays(random_deals(100, seed=1)))
        >>> allowed_nodes(calls)[bytes([0])].boards
        100
        """
        from bidcascade.systems.allowed_calls import SystemCalls, TableCalls

        if self.bidder is None:
            return TableCalls(self.table, deals)
        return SystemCalls(self.bidder, deals)

    def auction_of(self, entry: int | str) -> tuple[int, ...]:
        """Give the calls of an entry, which is named by its number or as text.

        Parameters
        ----------
        entry : int or str
            An entry of the table; as text of a system any legal auction.

        Raises
        ------
        InvalidTable
            If the table has no such entry, or the auction has no call.
        InvalidCall, IllegalCall
            If it is no auction, or none that a system may bid.

        Examples
        --------
        >>> Engine.open("sayc", "reference").auction_of("1C P")
        (3, 0)
        """
        if isinstance(entry, int) or not self.has_system:
            return tuple(self.table.auction_of(self.table.entry_number(entry)))
        calls = tuple(parse_calls(entry))
        if not calls:
            raise InvalidTable(f"expected an auction of at least one call, got {entry!r}")
        Auction.of(calls)
        return calls

    def evaluate(self, frame: pl.DataFrame, expressions: Sequence[str]) -> pl.DataFrame:
        """Truth of expressions on all four hands of each deal.

        Parameters
        ----------
        frame : polars.DataFrame
            Deal frame.
        expressions : sequence of str
            In the words of the table's vocabulary, about one hand: ``SL_S >= 5``.

        Returns
        -------
        polars.DataFrame
            Four Boolean columns an expression, named by the expression with the seat written into
            its terms (``SL_N_S >= 5``; N, E, S, W), without a copy of the kernel's bits.

        Raises
        ------
        InvalidExpression, UnknownTerm
            If an expression does not parse or a term is unknown.
        """
        plan, names = evaluation_plan(expressions, self.table.vocabulary)
        return expression_columns(self._backend.evaluate(plan, deal_arrays(frame)), names)

    # --- one call -------------------------------------------------------------------------------

    def bid(
        self,
        hand: int | str,
        auction: Sequence[int | str] | str = (),
        *,
        dealer: Seat | str = Seat.NORTH,
        vulnerability: Vulnerability | str = Vulnerability.NONE,
    ) -> BidAnswer:
        """Call that the table, or its system, makes with a hand, and why.

        A system has an answer after every auction; a table that does not have the auction passes.

        Parameters
        ----------
        hand : int or str
            Hand mask or text (``K52.AQ3.9876.KJ2``) of the player to call.
        auction : sequence of int or str
            The calls so far, from the dealer on (``"1N P"``, ``["1N", "P"]``).
        dealer, vulnerability
            Who dealt, who is vulnerable.

        Raises
        ------
        InvalidHand, InvalidCall, InvalidDeal
            If a text or mask is none.
        IllegalCall
            If the auction is illegal or over; names the call.

        Examples
        --------
        >>> from bidcascade.table import build_table
        >>> table, _ = build_table([
        ...     {"prior": "", "call": "1N", "name": "Strong", "criteria": ["15 <= HCP <= 17"]}])
        >>> Engine(table, "reference").bid("AK52.AQ3.976.KJ2").call
        '1N'
        """
        system = self.system
        if system is None:
            return answer_bid(self.table, hand, auction, dealer, vulnerability)
        from .system_bid import answer_from_system

        mask, calls, context = what_is_asked(hand, auction, dealer, vulnerability)
        if self.answers_from_table(calls):
            return answer_bid(self.table, mask, calls, dealer, vulnerability)
        side = (system, system.opponents)[len(calls) % 2]
        place = system.place(calls)
        return answer_from_system(place, mask, context, side.vocabulary, self.table)

    def expand(self, auction: Sequence[int] | str = ()) -> "Place | None":
        """Place of the system behind an auction; None if the table is of no system.

        Raises
        ------
        InvalidCall, IllegalCall
            If it is no legal auction, or over.
        """
        return None if self.system is None else self.system.expand(auction)

    def explain(self, auction: Sequence[int] | str) -> "AuctionExplanation | None":
        """Explain every call of an auction by the system; None if the table is of none.

        Raises
        ------
        InvalidCall, IllegalCall
            If it is no legal auction.
        """
        from bidcascade.systems.explanation import explain_auction

        if self.system is None:
            return None
        with self._lock:
            return explain_auction(self.system, auction)


def _allowed(
    bidder: "Bidder", deals: DealArrays, query: Query, writer: AnswerWriter[Written]
) -> Iterator[Written]:
    from bidcascade.systems.allowed import Bounds, list_allowed

    standard = Bounds()
    bounds = Bounds(
        query.limit or standard.limit, query.max_depth or standard.depth,
        completed_only=query.completed_only,
    )  # fmt: skip
    # of no deals there is an answer too, without rows
    for start in range(0, max(1, len(deals)), ALLOWED_CHUNK):
        part = deals.slice(start, min(start + ALLOWED_CHUNK, len(deals)))
        with bidder.lock:
            written = writer.allowed(bidder, list_allowed(bidder, part, bounds), start)
        yield written
