"""A bidding system: a text file that expands into entries wherever an auction goes."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from bidcascade.bridge import (
    Auction,
    Seat,
    Vulnerability,
    check_hand,
    parse_hand,
)
from bidcascade.kernels.core.functions import has_core
from bidcascade.kernels.machine.caches import folder_in_cache
from bidcascade.systems.language.text_cache import open_text, without_collections
from bidcascade.systems.language.tree.syntax_tree import SystemText
from bidcascade.table.language.vocabulary import Vocabulary

from .auctions.auction_reader import AuctionReader, CoreReader
from .digests import digest_of
from .places.choice import Choice, choose
from .places.places import Place, Rules
from .places.state import State
from .places.turn_context import auction_calls, calls_before, context_at

if TYPE_CHECKING:
    from .auctions.bidder import Bidder, Calls, Instead
    from .reference.bidder import ReferenceBidder

SystemPlaces: TypeAlias = "Bidder | ReferenceBidder"
"""Places of systems, with their calls and auctions: by the kernels, or by the definition."""


class System:
    """A bidding system that was read from text.

    Two systems can play each other: methods take ``opponents``, whose calls are then read as
    that system means them; by default both sides play the same.

    Parameters
    ----------
    text : SystemText
        As :func:`~bidcascade.systems.language.reader.read_system` gives it.
    name : str
        For messages and table info.

    Examples
    --------
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... ''')
    >>> [entry.name for entry in system.expand("P").entries]
    ['Strong notrump']
    """

    def __init__(self, text: SystemText, name: str = "") -> None:
        self.text = text
        self.name = name or text.title
        self.rules = Rules(text)
        self._opponents: System | None = None
        self._readers: dict[tuple[int, int], CoreReader] = {}
        self._bidders: dict[tuple[int, int], Bidder] = {}
        self._defined: dict[tuple[int, int], ReferenceBidder] = {}

    def __repr__(self) -> str:
        return f"<System {self.name!r}, {self.digest[:12]}>"

    @classmethod
    def open(cls, path: "str | Path", *, options: Mapping[str, bool] | None = None) -> "System":
        """Read a file, or a system that comes with the package by its name.

        Parsed texts are kept in ``texts`` of
        :func:`~bidcascade.kernels.machine.caches.cache_folder`.

        Raises
        ------
        InvalidSystem
            With every complaint about the text: file, line, caret and advice.
        """
        with without_collections():
            text = open_text(path, folder_in_cache("texts"), options=options)
            return cls(text, Path(path).stem)

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        options: Mapping[str, bool] | None = None,
        name: str = "<text>",
        pages: Mapping[str, str] = MappingProxyType({}),
    ) -> "System":
        """Read a system from a string; ``pages`` are texts that it may include, by file name."""
        from bidcascade.systems.language.reader import read_text

        return cls(read_text(text, name, options=options, pages=pages), name)

    @property
    def opponents(self) -> "System":
        """What the other side plays unless a caller says otherwise.

        It is the file that the text names (``opponents play "acol.bidding"``), else this system.
        """
        named = self.text.opponents
        if named is None:
            # not kept: a system that refers to itself would outlive its last use
            return self
        if self._opponents is None:
            self._opponents = System.open(named)
        return self._opponents

    def renewed(self) -> "System":
        """Make another one of the same text, of which nothing is known or learned yet."""
        found = System(self.text, self.name)
        if self._opponents is not None:
            found._opponents = self._opponents.renewed()
        return found

    @cached_property
    def digest(self) -> str:
        """Digest of what it bids by; see :func:`~bidcascade.systems.digests.digest_of`."""
        opponents = None if self.opponents is self else self.opponents.text
        return digest_of(self.text, opponents)

    @property
    def vocabulary(self) -> Vocabulary:
        """Terms of its conditions."""
        return self.rules.vocabulary

    def bidder(self, opponents: "System | None" = None, *, first: bool = True) -> "Bidder":
        """Places of this system against another, worked out by the kernels.

        Parameters
        ----------
        opponents
            The other side's system; None is the one that the text names, else this one.
        first
            Whether this system is played by the dealer's side.
        """
        pair, key = self._pair(opponents, first=first)
        if key not in self._bidders:
            from .auctions.bidder import Bidder
            from .auctions.budget import places_budget

            self._bidders[key] = Bidder(pair[0].rules, pair[1].rules, budget=places_budget())
        return self._bidders[key]

    def by_definition(
        self,
        opponents: "System | None" = None,
        *,
        first: bool = True,
        instead: "Mapping[Calls, Instead] | None" = None,
    ) -> "ReferenceBidder":
        """Find the same places by the definition, which is slow; parameters as of :meth:`bidder`.

        For the backend ``reference``, and for all who ask where there is no core. With ``instead``,
        which is as of :class:`.bidder.Bidder`, they are new ones each time.
        """
        from .reference.bidder import ReferenceBidder

        pair, key = self._pair(opponents, first=first)
        if instead is not None:
            return ReferenceBidder(pair[0].rules, pair[1].rules, instead=instead)
        if key not in self._defined:
            self._defined[key] = ReferenceBidder(pair[0].rules, pair[1].rules)
        return self._defined[key]

    def reader(self, opponents: "System | None" = None, *, first: bool = True) -> AuctionReader:
        """Reader of auctions of this system against another; parameters as of :meth:`bidder`."""
        if not has_core():
            return self.by_definition(opponents, first=first).reader
        _, key = self._pair(opponents, first=first)
        if key not in self._readers:
            self._readers[key] = CoreReader(self.bidder(opponents, first=first))
        return self._readers[key]

    def _pair(
        self, opponents: "System | None", *, first: bool
    ) -> "tuple[tuple[System, System], tuple[int, int]]":
        other = opponents or self.opponents
        pair = (self, other) if first else (other, self)
        return pair, (id(pair[0].rules), id(pair[1].rules))

    def place(
        self, calls: Sequence[int], opponents: "System | None" = None, *, first: bool = True
    ) -> Place:
        """Place behind a legal auction that goes on; parameters are those of :meth:`bidder`."""
        if not has_core():
            return self.by_definition(opponents, first=first).place(calls)
        return self.bidder(opponents, first=first).place(calls)

    def expand(
        self, auction: "str | Sequence[int | str]" = (), opponents: "System | None" = None
    ) -> Place:
        """Entries at a place, in the order in which they are tried.

        Parameters
        ----------
        auction
            Calls from the dealer on, as text or codes; the player behind them plays this system.

        Raises
        ------
        IllegalCall
            If the auction is illegal or over.
        """
        calls = calls_before(auction)
        return self.place(calls, opponents, first=len(calls) % 2 == 0)

    def state(
        self, auction: "str | Sequence[int]" = (), opponents: "System | None" = None
    ) -> State:
        """State after an auction; the player behind it plays this system."""
        calls = auction_calls(auction)
        Auction.of(calls)
        return self.reader(opponents, first=len(calls) % 2 == 0).state(calls)

    def bid(
        self,
        hand: "str | int",
        auction: "str | Sequence[int]" = (),
        *,
        dealer: "Seat | str" = Seat.NORTH,
        vulnerability: "Vulnerability | str" = Vulnerability.NONE,
        opponents: "System | None" = None,
    ) -> Choice:
        """Call that the system makes with a hand.

        Examples
        --------
        >>> from bidcascade.bridge import format_call
        >>> system = System.parse('''
        ... opening:
        ...   1NT = Strong notrump: 15-17 points, balanced
        ... ''')
        >>> choice = system.bid("AK5.Q32.KJ52.Q97")
        >>> format_call(choice.call), choice.entry.name
        ('1N', 'Strong notrump')
        """
        mask = parse_hand(hand) if isinstance(hand, str) else check_hand(hand)
        place = self.expand(auction, opponents)
        context = context_at(len(place.calls), dealer, vulnerability)
        return choose(place, mask, context, self.vocabulary)
