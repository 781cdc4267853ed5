"""What is asked of who bids, a bidding table or a system, in one way.

An :class:`AnyBidder` is made by :func:`.any_bidder.bidder_of` from a table or system. Nobody else
asks which of them it is: where the answers differ in kind, the asker gives a writer that can write
both.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from bidcascade.bridge import Seat, Vulnerability
from bidcascade.kernels import Backend, DealArrays, EntryLists, FirstAuctions
from bidcascade.kernels.types import U64

if TYPE_CHECKING:
    import polars as pl

    from bidcascade.kernels.cuda_device import DeviceArray
    from bidcascade.kernels.device_frames import DeviceDeals
    from bidcascade.kernels.gpu.systems.systems import DeviceAuctions
    from bidcascade.kernels.types import I64
    from bidcascade.systems.auctions.allowed import CountedAuctions, Listing
    from bidcascade.systems.auctions.bidder import BidDeals
    from bidcascade.systems.auctions.calls_along import CallsAlong
    from bidcascade.systems.system import System, SystemPlaces
    from bidcascade.systems.words.explanation import AuctionExplanation, StatesAndPlaces
    from bidcascade.systems.words.next_calls import NextCalls
    from bidcascade.table import BiddingTable, Vocabulary
    from bidcascade.table.columns import UndescribedPolicy
    from bidcascade.table.inspection.topics import Topic
    from bidcascade.table.overlays.rules import OverlayMark
    from bidcascade.table.real_calls import CallLists

    from .allowed_calls import AllowedCalls
    from .bid_answer import BidAnswer

Calls: TypeAlias = tuple[int, ...]
Mode: TypeAlias = Literal["all", "first"]
Question: TypeAlias = Literal["all", "first", "counts", "members"]
Written = TypeVar("Written")
Written_co = TypeVar("Written_co", covariant=True)


class Query(NamedTuple):
    """Which auctions of each deal are listed; see :meth:`bidcascade.engine.Engine.auctions`.

    Examples
    --------
    >>> Query("first")
    Query(mode='first', completed_only=False, limit=100, max_depth=None)
    """

    mode: Mode = "all"
    completed_only: bool = False
    limit: int | None = 100
    max_depth: int | None = None


class AnswerWriter(Protocol[Written_co]):
    """A form of answers: what becomes of what was found for consecutive deals."""

    def entries(self, lists: EntryLists, deals: DealArrays) -> Written_co:
        """Write the entries of a table that hold for deals."""

    def first(self, first: FirstAuctions, deals: DealArrays) -> Written_co:
        """Write the auctions that a table bids."""

    def allowed(self, places: "SystemPlaces", found: "Listing", first_deal: int) -> Written_co:
        """Write the auctions that a system allows; nobody else uses its places meanwhile."""

    def bid(self, places: "SystemPlaces", bid: "BidDeals", deals: DealArrays) -> Written_co:
        """Write the auctions that a system bids; nobody else uses its places meanwhile."""


class CountWriter(Protocol[Written_co]):
    """A form of counts."""

    def entry_counts(self, counts: U64) -> Written_co:
        """Write how many deals reach each entry of a table."""

    def auction_counts(self, found: "CountedAuctions", least: int) -> Written_co:
        """Write how many deals may bid auctions of a system, those that at least some may."""


class DeviceWriter(Protocol[Written_co]):
    """A form of auctions that lie on a device."""

    def first(
        self, entry: "DeviceArray", passes: "DeviceArray", defaults: "DeviceArray"
    ) -> Written_co:
        """Write the auctions that a table bids."""

    def auctions(self, found: "DeviceAuctions", defaults: "DeviceArray") -> Written_co:
        """Write the auctions that a system bids."""


class AnyBidder(Protocol):
    """A bidding table or a system on a backend; safe to use from several threads."""

    # --- what it is -----------------------------------------------------------------------------

    @property
    def backend(self) -> Backend:
        """Where many deals are answered."""
        ...

    def backend_for(self, question: Question | None, backend: str, deals: int | None = None) -> str:
        """Name of the backend that answers a question, where one is asked for.

        ``question`` is None for what is not about deals, ``deals`` for many.
        """
        ...

    @property
    def digest(self) -> str:
        """SHA-256, in hexadecimal: of a table's rows, or of what a system's text says."""
        ...

    @property
    def source(self) -> str:
        """Where its rows are from, or which system it is."""
        ...

    @property
    def title(self) -> str | None:
        """Title of the system; None for a table of rows."""
        ...

    @property
    def options(self) -> Sequence[dict[str, Any]]:
        """Options of the system's text (``option_rows``); none for a table of rows."""
        ...

    @property
    def vocabulary(self) -> "Vocabulary":
        """Terms of its conditions."""
        ...

    @property
    def undescribed(self) -> "UndescribedPolicy":
        """What holds where nothing is asked of a hand."""
        ...

    @property
    def overlays(self) -> "tuple[OverlayMark, ...]":
        """Overlays, in their order."""
        ...

    @property
    def overlay_notes(self) -> tuple[str, ...]:
        """What the overlays did, in lines."""
        ...

    @property
    def usual_mode(self) -> Mode:
        """What a batch answers where nobody says it."""
        ...

    @property
    def usual_limit(self) -> int:
        """Auctions of a deal that are listed where nobody says how many."""
        ...

    @property
    def table(self) -> "BiddingTable":
        """Rows with their numbers; a system is compiled when it is first asked for them."""
        ...

    @property
    def system(self) -> "System":
        """The system, as if there were no overlays.

        Raises
        ------
        NoSystem
            If it is a table of rows.
        """
        ...

    @property
    def plain_system(self) -> "System":
        """The system whose text says all that is bid.

        Raises
        ------
        NoSystem
            If it is a table of rows, or overlays change what is bid.
        """
        ...

    @property
    def meanings(self) -> "BiddingTable | StatesAndPlaces":
        """What calls mean, as :mod:`bidcascade.inference` asks for it."""
        ...

    @property
    def learned_bytes(self) -> int:
        """Memory of what was learned from a system's text; 0 for a table of rows."""
        ...

    def renewed(self) -> "AnyBidder":
        """Make another one that answers the same and has learned nothing yet.

        A table of rows learns nothing, and gives itself.
        """
        ...

    def numbers(self) -> dict[str, object]:
        """Describe what it holds in numbers, as plain values; None where a system has none."""
        ...

    def changes_since(self, before: "AnyBidder") -> str:
        """Say in a few words what has changed, from an earlier state of the same table or system.

        Both have different digests.
        """
        ...

    def save(self, folder: Path) -> None:
        """Write it to a folder, for another process to open.

        Raises
        ------
        InvalidInput
            If it is a system, which cannot be kept so.
        InvalidTable
            If something is in the way, or the folder cannot be written.
        """
        ...

    def prepare(self) -> None:
        """Make what has to be there before the first question, if that is soon done."""
        ...

    def warm_up(self) -> None:
        """Load all that first answers need, so that they come as fast as later ones."""
        ...

    def if_free(self) -> AbstractContextManager[bool]:
        """Whether a short question would be answered at once, in any thread.

        If so, nobody else works with the bidder until the end of the block.
        """
        ...

    # --- deals ----------------------------------------------------------------------------------

    def first(self, deals: DealArrays, writer: AnswerWriter[Written]) -> Written:
        """Bid deals to the end."""
        ...

    def all(
        self, deals: DealArrays, query: Query, writer: AnswerWriter[Written]
    ) -> Iterator[Written]:
        """List what holds for deals, some of them at a time; of no deals too."""
        ...

    def counts(
        self, deals: DealArrays, share: float, max_depth: int | None, writer: CountWriter[Written]
    ) -> Written:
        """Count the deals that reach each entry, or may bid each auction.

        ``share`` is the part of the deals that must be able to bid an auction of a system for it to
        be counted, ``max_depth`` the most calls that such an auction has.
        """
        ...

    def members(
        self, deals: DealArrays, auctions: Sequence[int | str]
    ) -> "list[tuple[Calls, pl.Series]]":
        """Which deals reach entries, or may bid auctions; each different one once.

        Raises
        ------
        BidcascadeError
            As :meth:`auction_of` does.
        """
        ...

    def allowed_calls(self, deals: DealArrays) -> "AllowedCalls":
        """Tell what boards may call, for :mod:`.allowed_index`."""
        ...

    def calls_along(
        self, deals: DealArrays, auctions: "CallLists", depth: "I64", *, meanings: bool
    ) -> "CallsAlong":
        """Find the calls that hands may make at every place of auctions, whatever was called there.

        Parameters
        ----------
        deals : DealArrays
        auctions : CallLists
            A legal one for each deal, which need not be over.
        depth : int64 [calls]
            Calls before each.
        meanings : bool
            Whether to say what the calls before have said and shown.
        """
        ...

    def notes(self, deals: DealArrays, auctions: Sequence[Sequence[int]]) -> list[Sequence[str]]:
        """Say what each call of the auctions that it bids with deals means; empty where nothing.

        Raises
        ------
        InvalidInput
            If a system bids other auctions.
        """
        ...

    def bid_from(self, calls: Sequence[int], deals: DealArrays) -> "tuple[list[Calls], I64]":
        """Bid deals to the end from a place; the different auctions, and which one each deal has.

        Where a table has nothing passes follow.
        """
        ...

    def first_on_device(self, deals: "DeviceDeals", writer: DeviceWriter[Written]) -> Written:
        """Bid deals that lie on a device to the end; they stay there. The backend is ``cuda``.

        Raises
        ------
        InvalidInput
            If a system's auctions have more calls than a column of lists may have.
        """
        ...

    # --- auctions -------------------------------------------------------------------------------

    def auction_of(self, entry: int | str) -> Calls:
        """Give the calls of an entry, which is named by its number or as text.

        Raises
        ------
        InvalidTable
            If a table has no such entry, a system is given a number, or the auction has no call.
        InvalidCall, IllegalCall
            If it is no auction, or none that a system may bid.
        """
        ...

    def entry_of(self, calls: Sequence[int]) -> int | None:
        """Give the number of an entry; None where there is none, as in a system."""
        ...

    def call(
        self,
        hand: int | str,
        auction: Sequence[int | str] | str,
        dealer: Seat | str,
        vulnerability: Vulnerability | str,
        *,
        words: bool = False,
    ) -> "BidAnswer":
        """Answer :meth:`bidcascade.engine.Engine.bid`."""
        ...

    def next(self, calls: Calls) -> "NextCalls":
        """Say what may follow an auction, and what it means.

        Raises
        ------
        UnknownAuction
            If a table does not have the auction.
        """
        ...

    def explain(
        self,
        auction: "str | Sequence[int | str]",
        dealer: "Seat | str" = Seat.NORTH,
        vulnerability: "Vulnerability | str | None" = None,
    ) -> "AuctionExplanation":
        """Explain every call of an auction by the system, as at each vulnerability or at one.

        Raises
        ------
        NoSystem
            If it is a table of rows.
        InvalidCall, IllegalCall
            If it is no legal auction.
        """
        ...

    topics_progress: tuple[int, int]
    """Deals that a system was asked on for its topics so far, and of how many; 0 of 0 before."""

    def topics(self, *, cancel: threading.Event | None = None) -> "tuple[Topic, ...]":
        """Tags and names of its calls, by name, with places where they come.

        Raises
        ------
        Cancelled
            If ``cancel`` was set while they were looked for.
        """
        ...
