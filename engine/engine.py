"""The one way from deals to answers: who bids, on a backend.

REST, command line, batch jobs and benchmarks all go through :class:`Engine`.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

# frames are loaded when there are any: one call needs none
from bidcascade import loaders
from bidcascade.bridge import BackendUnavailable, Seat, Vulnerability, format_calls
from bidcascade.kernels import DealArrays, Plan, backend_name
from bidcascade.kernels.machine.forks import check_not_forked
from bidcascade.kernels.types import U32, U64
from bidcascade.systems.any_bidder import bidder_of
from bidcascade.systems.bidding.bid_answer import BidAnswer, Candidate, matching_variants
from bidcascade.systems.bidding.bidder_protocol import (
    AnswerWriter,
    Calls,
    Mode,
    Query,
    Question,
    Written,
)
from bidcascade.systems.registry import absolute_name, check_options, open_held
from bidcascade.table.language.vocabulary import Vocabulary

from .bounds import check_bound, check_count_bounds

if TYPE_CHECKING:
    import polars as pl

    from bidcascade.loaders import Deals
    from bidcascade.systems.bidding.allowed_calls import AllowedCalls
    from bidcascade.systems.places.places import Place
    from bidcascade.systems.system import System
    from bidcascade.systems.tables.overlaid_system import OverlaidSystem
    from bidcascade.systems.words.explanation import AuctionExplanation
    from bidcascade.table import BiddingTable

    from .answers import EntryColumns
    from .device_engine import DeviceEngine

__all__ = ["BidAnswer", "Candidate", "Engine", "Mode"]

FIRST_CHUNK = 1 << 18
"""Deals that one frame of :meth:`Engine.iter_auctions` answers in mode ``first``."""


class Engine:
    """A bidding table or a system on a backend; safe to use from several threads.

    A system answers from its text: it is compiled into a table only for those who ask for its rows
    (:attr:`table`, :meth:`count_entries`), or lay overlays over them.

    Parameters
    ----------
    held : BiddingTable or System, or str or Path
        A system with overlays is an
        :class:`~bidcascade.systems.tables.overlaid_system.OverlaidSystem`. A name or path is opened
        as by :meth:`open`.
    backend : {"auto", "reference", "cpu", "cuda"}
        ``auto`` is cuda where it works, else cpu; without the core's library it is reference.
    name : str, optional
        What answers call the table; its source by default.

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
        held: "BiddingTable | System | OverlaidSystem | str | Path",
        backend: str = "auto",
        *,
        name: str | None = None,
    ) -> None:
        self.backend = backend_name(backend)
        """Name of the backend in use."""
        self.opened_from: tuple[str, dict[str, Any]] | None = None
        """What :meth:`open` was given: name or path, and options."""
        if isinstance(held, str | Path):
            name, self.opened_from = name or str(held), (absolute_name(held), {})
            held = open_held(held)
        self.bidder = bidder_of(held, self.backend)
        """Who bids: the table or system."""
        self.name = name or self.bidder.source or self.digest[:12]
        if self.backend == "cuda":
            # held from here on: a device that fails later is a fault, not a missing backend
            _ = self.bidder.backend

    @classmethod
    def open(
        cls,
        name_or_path: "str | Path",
        backend: str = "auto",
        *,
        overlays: Sequence[str] = (),
        **options: Any,
    ) -> "Engine":
        """Engine of a system or table by name or path.

        Parameters and errors are those of :func:`bidcascade.systems.open_table`. Where ``overlays``
        change what follows an auction of a system, its table answers there, elsewhere the system.
        """
        check_options(name_or_path, options, also=("backend", "overlays"))
        # an absent backend is found out before a large table is read
        backend = backend_name(backend)
        held = open_held(name_or_path, overlays=overlays, **options)
        engine = cls(held, backend, name=str(name_or_path))
        if overlays:
            options |= {"overlays": [str(Path(one).absolute()) for one in overlays]}
        engine.opened_from = absolute_name(name_or_path), options
        return engine

    def renewed(self) -> "Engine":
        """Make another one that answers the same and has learned nothing yet.

        Examples
        --------
        >>> from bidcascade.loaders import random_deals
        >>> engine = Engine.open("sayc")
        >>> found = engine.auctions(random_deals(5, seed=1), mode="first")
        >>> again = engine.renewed()
        >>> found.equals(again.auctions(random_deals(5, seed=1), mode="first"))
        True
        """
        found = copy(self)
        # what was worked out by the old one stays with it
        found.__dict__.pop("_entries", None)
        found.bidder = self.bidder.renewed()
        return found

    def __repr__(self) -> str:
        return f"<{self._summary}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(self._summary)}</p>"

    @property
    def _summary(self) -> str:
        """Whose answers these are: table, profile, digest, backend."""
        laid = len(self.bidder.overlays)
        over = f" with {laid} overlay{'s' * (laid > 1)}" if laid else ""
        return (
            f"Engine of {self.name!r}{over}, {self.vocabulary.profile}, {self.digest[:12]}, "
            f"on {self.backend}"
        )

    @cached_property
    def _entries(self) -> "EntryColumns":
        from .answers import EntryColumns

        return EntryColumns(self.bidder)

    def backend_for(self, question: Question | None, deals: int | None = None) -> str:
        """Name of the backend that answers a kind of question.

        Parameters
        ----------
        question : {"all", "first", "counts", "members"}, optional
            Not given for what is not about deals: a call, a place, layouts.
        deals : int, optional
            How many deals; if not given, many.

        Returns
        -------
        str
            :attr:`backend`; but counts and members of systems are found by the core (``cpu``)
            where that is ``reference``. Where it is ``cuda`` the core answers of systems up to 64
            deals and what is not about deals; it puts together what the device has counted.

        Examples
        --------
        >>> engine = Engine.open("sayc", "reference")
        >>> engine.backend_for("first"), engine.backend_for("counts")
        ('reference', 'cpu')
        """
        return self.bidder.backend_for(question, self.backend, deals)

    @property
    def digest(self) -> str:
        """SHA-256 of the table's rows, or of what the system's text says."""
        return self.bidder.digest

    @property
    def vocabulary(self) -> Vocabulary:
        """Terms of its conditions."""
        return self.bidder.vocabulary

    @property
    def table(self) -> "BiddingTable":
        """The table; a system is compiled when it is first asked for, and kept in the cache."""
        return self.bidder.table

    @property
    def system(self) -> "System":
        """The system.

        Raises
        ------
        NoSystem
            If it is a table of rows.
        """
        return self.bidder.system

    @property
    def plan(self) -> Plan:
        """What the kernels work from, of the table."""
        return self.table.plan()

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

        return DeviceEngine(self.bidder, backend_here())

    def prepare(self) -> None:
        """Make what has to be there before the first question, if that is soon done."""
        self.bidder.prepare()

    def warm_up(self) -> None:
        """Load all that first answers need, so that they come as fast as later ones.

        A device compiles its kernels.
        """
        self.bidder.warm_up()
        for query in (Query(), Query("first")):
            list(self.frames(loaders.deal_arrays(loaders.empty_deals()), query))

    def table_info(self) -> dict[str, Any]:
        """Name, digest, profile and policy of the table, as every answer states them.

        With overlays, ``overlays`` lists name and SHA-256 of each.
        """
        info: dict[str, Any] = {
            "name": self.name,
            "digest": self.digest,
            "profile": self.vocabulary.profile,
            "undescribed": self.bidder.undescribed,
        }
        if self.bidder.overlays:
            info["overlays"] = list(map(asdict, self.bidder.overlays))
        return info

    # --- auctions -----------------------------------------------------------------------------

    def auctions(
        self,
        frame: "Deals",
        *,
        mode: Mode = "all",
        completed_only: bool = False,
        max_depth: int | None = None,
        limit: int | None = None,
    ) -> "pl.DataFrame":
        """Auctions that the table allows for each deal.

        Parameters
        ----------
        frame : polars.DataFrame
            Deal frame; or deals as text, a path or what else :func:`~bidcascade.loaders.frame_of`
            takes.
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
            ``deal`` (row in ``frame``), ``entry`` (null of a system), ``calls`` (``1N P 3N``),
            ``completed``, ``variants`` (names of the rules of a system that hold for the last call;
            null of a table, where :meth:`variants` tells them), ``total`` (how many the deal has),
            ``truncated`` and ``cut``: what left auctions out (``limit``, and of a system ``depth``
            or ``places``: the walk looked at 2,000 places), null if nothing did. Where something
            did, ``total`` of a system is how many were found, and the auction of mode ``first`` is
            listed all the same: behind its beginnings, with a limit as the last.
            Mode ``first``, one row a deal: ``deal``, ``auction`` (call codes, to the end),
            ``completed`` (by the table or its system, without passes put behind), ``entry`` (the
            deepest one; null if the first call already is not in the table, and for systems),
            ``defaults`` (how many of its passes no entry made, those put behind included: the calls
            of which :meth:`bid` says ``default_pass``),
            ``contract`` (``4SX``; ``Pass`` if passed out), ``declarer``.

        Raises
        ------
        InvalidInput
            If the frame is no deal frame.
        ValueError
            If the mode, the depth or the limit does not exist.
        """
        frame = loaders.frame_of(frame)
        parts = list(
            self.iter_auctions(
                frame, mode=mode, completed_only=completed_only, max_depth=max_depth, limit=limit
            )
        )
        if not parts:
            query = Query(mode, completed_only, limit, max_depth)
            return next(self.frames(loaders.deal_arrays(frame), query))
        if len(parts) == 1:
            return parts[0]
        import polars as pl

        return pl.concat(parts)

    def iter_auctions(
        self,
        frame: "Deals",
        *,
        mode: Mode = "all",
        completed_only: bool = False,
        max_depth: int | None = None,
        limit: int | None = None,
    ) -> "Iterator[pl.DataFrame]":
        """Like :meth:`auctions`, as frames of consecutive deals that fit the memory."""
        if mode not in ("all", "first"):
            raise ValueError(f"expected mode 'all' or 'first', got {mode!r}")
        for what, value in (("limit", limit), ("max_depth", max_depth)):
            check_bound(what, value)
        if mode == "first" and (completed_only or max_depth is not None or limit is not None):
            raise ValueError("expected completed_only, max_depth and limit only in mode 'all'")
        query = Query(mode, completed_only, limit, max_depth)
        frame = loaders.frame_of(frame)
        size = FIRST_CHUNK if mode == "first" else max(1, frame.height)
        for start in range(0, frame.height, size):
            yield from self.frames(loaders.deal_arrays(frame.slice(start, size)), query, start)

    def frames(
        self, deals: DealArrays, query: Query, first_deal: int = 0
    ) -> "Iterator[pl.DataFrame]":
        """Like :meth:`iter_auctions`, of deals as arrays; the first one has a given number."""
        check_not_forked()
        from .answers import FrameWriter

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
        if query.mode == "first":
            yield self.bidder.first(deals, writer)
        else:
            yield from self.bidder.all(deals, query, writer)

    def iter_entries(
        self, frame: "Deals", *, completed_only: bool = False
    ) -> "Iterator[pl.DataFrame]":
        """Bare ``deal`` and ``entry`` of mode ``all``, as frames that fit the memory.

        What entries mean is told once by :meth:`entries_frame`: less than half the work and a
        fraction of the bytes of :meth:`iter_auctions`. A system has no entry for every auction: its
        frames are those of :meth:`iter_auctions`, with all columns.
        """
        frame = loaders.frame_of(frame)
        if not frame.height:
            return
        from .answers import BareWriter

        query = Query("all", completed_only, limit=None)
        yield from self.answers(loaders.deal_arrays(frame), query, BareWriter(self._entries, query))

    def entries_frame(self, entries: U32) -> "pl.DataFrame":
        """Tell calls, completion, name and description of entries, one row each."""
        import polars as pl

        chosen = entries.tolist()
        if not chosen:
            # a system has none, and is not compiled to say so
            return _entries_schema().to_frame()
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

    def variants(self, frame: "Deals", auctions: "pl.DataFrame") -> list[list[str]]:
        """Names of the variants behind each row of an answer in mode ``all``.

        One by one by the definition of the kernels: meant for the deals of a request, not for
        millions.

        Parameters
        ----------
        frame
            The deals asked about, as for :meth:`auctions`.
        auctions : polars.DataFrame
            What :meth:`auctions` answered; ``deal`` and ``entry`` are read, or ``variants`` where
            they are told already.

        Returns
        -------
        list of list of str
            Per row the variants that hold: their names, or descriptions where they have no name.
        """
        if "variants" in auctions.columns and not auctions["variants"].null_count():
            return auctions["variants"].to_list()
        deals = _arrays(frame)
        return [
            matching_variants(self.table, deals, deal, entry)
            for deal, entry in auctions.select("deal", "entry").iter_rows()
        ]

    # --- counts, members, expressions ---------------------------------------------------------

    def counts(
        self, frame: "Deals", *, share: float = 1 / 100, max_depth: int | None = None
    ) -> "pl.DataFrame":
        """How many of the deals reach each entry, or may bid each auction of a system.

        Parameters
        ----------
        frame
            Deal frame, or what names deals, as for :meth:`auctions`.
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
        check_count_bounds(share, max_depth)
        from .answers import CountFrames

        writer = CountFrames(self._entries)
        return self.bidder.counts(_arrays(frame), share, max_depth, writer)

    def count_entries(self, frame: "Deals") -> U64:
        """How many of the deals reach each entry of the table; sums up over frames.

        Returns
        -------
        uint64 [entries]
            Of a system those of the table that it is compiled into: what it allows beyond that is
            not counted.
        """
        return self.bidder.backend.cascade_counts(self.plan, _arrays(frame))

    def counts_frame(self, counts: U64) -> "pl.DataFrame":
        """Frame of the table's counts from (sums of) :meth:`count_entries`."""
        from .answers import CountFrames

        return CountFrames(self._entries).entry_counts(counts)

    def members(self, frame: "Deals | DealArrays", entries: Iterable[int | str]) -> "pl.DataFrame":
        """For chosen entries, or auctions of a system, which deals reach them.

        Parameters
        ----------
        frame
            Deal frame, or what names deals, as for :meth:`auctions`; or the deals as arrays.
        entries : int or str, or iterable of them
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
        check_not_forked()
        import polars as pl

        deals = frame if isinstance(frame, DealArrays) else _arrays(frame)
        chosen = [entries] if isinstance(entries, int | str) else list(entries)
        found = self.bidder.members(deals, chosen)
        return pl.DataFrame([column.alias(format_calls(calls)) for calls, column in found])

    def allowed_calls(self, deals: DealArrays) -> "AllowedCalls":
        """Tell what boards may call, for :mod:`bidcascade.systems.allowed_index`.

        Examples
        --------
        >>> from bidcascade.loaders import deal_arrays, random_deals
        >>> from bidcascade.systems.allowed_index import allowed_nodes
        >>> calls = Engine.open("sayc").allowed_calls(deal_arrays(random_deals(100, seed=1)))
        >>> allowed_nodes(calls)[bytes([0])].boards
        100
        """
        return self.bidder.allowed_calls(deals)

    def auction_of(self, entry: int | str) -> Calls:
        """Give the calls of an entry, which is named by its number or as text.

        Parameters
        ----------
        entry : int or str
            An entry of the table; of a system any legal auction, as text.

        Raises
        ------
        InvalidTable
            If the table has no such entry, a system is given a number, or the auction has no call.
        InvalidCall, IllegalCall
            If it is no auction, or none that a system may bid.

        Examples
        --------
        >>> Engine.open("sayc", "reference").auction_of("1C P")
        (3, 0)
        """
        return self.bidder.auction_of(entry)

    def evaluate(self, frame: "Deals", expressions: Sequence[str] | str) -> "pl.DataFrame":
        """Truth of expressions on all four hands of each deal.

        Parameters
        ----------
        frame
            Deal frame, or what names deals, as for :meth:`auctions`.
        expressions : str or sequence of str
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
        from .expression_columns import evaluation_plan, expression_columns

        plan, names = evaluation_plan(expressions, self.vocabulary)
        return expression_columns(self.bidder.backend.evaluate(plan, _arrays(frame)), names)

    # --- one call -------------------------------------------------------------------------------

    def bid(
        self,
        hand: int | str,
        auction: Sequence[int | str] | str = (),
        *,
        dealer: Seat | str = Seat.NORTH,
        vulnerability: Vulnerability | str = Vulnerability.NONE,
        words: bool = False,
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
        words : bool
            Whether conditions of a system have the phrases of its lines that they are made of.

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
        return self.bidder.call(hand, auction, dealer, vulnerability, words=words)

    def expand(self, auction: Sequence[int | str] | str = ()) -> "Place":
        """Place of the system behind an auction.

        Raises
        ------
        NoSystem
            If it is a table of rows.
        InvalidCall, IllegalCall
            If it is no legal auction, or over.
        """
        return self.system.expand(auction)

    def explain(
        self,
        auction: Sequence[int | str] | str,
        dealer: Seat | str = Seat.NORTH,
        vulnerability: Vulnerability | str | None = None,
    ) -> "AuctionExplanation":
        """Explain every call of an auction by the system.

        Parameters
        ----------
        auction
        dealer, vulnerability
            Where it was bid; without a vulnerability calls are told as at each.

        Raises
        ------
        NoSystem
            If it is a table of rows.
        InvalidCall, IllegalCall
            If it is no legal auction.
        """
        return self.bidder.explain(auction, dealer, vulnerability)


def _arrays(deals: "Deals") -> DealArrays:
    return loaders.deal_arrays(loaders.frame_of(deals))


def _entries_schema() -> "pl.Schema":
    """Columns of :meth:`Engine.entries_frame`."""
    import polars as pl

    return pl.Schema(
        {
            "entry": pl.UInt32(),
            "calls": pl.String(),
            "completed": pl.Boolean(),
            "name": pl.String(),
            "description": pl.String(),
        }
    )
