"""A system with overlays: its table answers where they change what follows, elsewhere the system.

Overlays are rules about rows, so the system is compiled to lay them.
"""

import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from bidcascade.bridge import NoSystem, Seat, Vulnerability, parse_calls
from bidcascade.systems.system import System
from bidcascade.systems.tables.overlaid_system import OverlaidPlaces, OverlaidSystem
from bidcascade.systems.words.explanation import StatesAndPlaces
from bidcascade.systems.words.next_calls import NextCalls
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.inspection.topics import Topic
from bidcascade.table.overlays.overlaid_table import changed_entries, derived_digest
from bidcascade.table.overlays.rules import OverlayMark

from .bid_answer import BidAnswer
from .bidder_protocol import AnyBidder, Calls
from .system_bidder import SystemBidder
from .table_bidder import TableBidder

if TYPE_CHECKING:
    from bidcascade.systems.auctions.bidder import Instead


class OverlaidBidder(SystemBidder):
    """Bids by a system and the overlays on its table.

    Parameters
    ----------
    held : OverlaidSystem
    backend : {"auto", "reference", "cpu", "cuda"}
    """

    def __init__(self, held: OverlaidSystem, backend: str = "auto") -> None:
        super().__init__(held.system, backend)
        self._rows = TableBidder(held.table, backend)

    @cached_property
    def _laid(self) -> OverlaidPlaces:
        return OverlaidPlaces(self.system.reader(), self.table, self.table.changed_places)

    @cached_property
    def _instead(self) -> "Mapping[Calls, Instead]":
        return changed_entries(self.table)

    def renewed(self) -> AnyBidder:
        held = OverlaidSystem(self.system.renewed(), self.table)
        return OverlaidBidder(held, self._backend_name)

    @property
    def digest(self) -> str:
        return derived_digest(self.system.digest, self.overlays)

    @property
    def overlays(self) -> tuple[OverlayMark, ...]:
        return self.table.overlays

    @property
    def overlay_notes(self) -> tuple[str, ...]:
        return self.table.overlay_notes

    @property
    def table(self) -> BiddingTable:
        return self._rows.table

    @property
    def plain_system(self) -> System:
        names = ", ".join(mark.name for mark in self.overlays)
        raise NoSystem(f"expected a system without overlays, got one with {names}")

    @property
    def meanings(self) -> StatesAndPlaces:
        return self._laid

    def numbers(self) -> dict[str, object]:
        return self._rows.numbers()

    def changes_since(self, before: AnyBidder) -> str:
        return self._rows.changes_since(before)

    def auction_of(self, entry: int | str) -> Calls:
        return self._rows.auction_of(entry) if isinstance(entry, int) else super().auction_of(entry)

    def entry_of(self, calls: Sequence[int]) -> int | None:
        return self._rows.entry_of(calls)

    def call(
        self,
        hand: int | str,
        auction: Sequence[int | str] | str,
        dealer: Seat | str,
        vulnerability: Vulnerability | str,
        *,
        words: bool = False,
    ) -> BidAnswer:
        """Call of the table where overlays changed what follows, else of the system."""
        if self._laid.is_changed(parse_calls(auction)):
            return self._rows.call(hand, auction, dealer, vulnerability)
        return super().call(hand, auction, dealer, vulnerability, words=words)

    def next(self, calls: Calls) -> NextCalls:
        """Ask the table where overlays changed what follows, else the system."""
        return self._rows.next(calls) if self._laid.is_changed(calls) else super().next(calls)

    def _calls_after(self, calls: Calls) -> int:
        if self._laid.is_changed(calls):
            return len(self._rows.next(calls).entries)
        return super()._calls_after(calls)

    def topics(self, *, cancel: threading.Event | None = None) -> tuple[Topic, ...]:
        return self._rows.topics()
