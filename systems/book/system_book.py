"""What a book of a system tells: its places with shares of hands, its lines, examples of both.

Everything is counted on random deals of a seed that the system bids at all four seats, so shares
are those at the table. Every example is one of these deals, and is bid once more by itself.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from bidcascade.bridge import (
    FIRST_BID,
    PASS,
    Auction,
    BidcascadeError,
    Vulnerability,
    format_call,
    format_calls,
    format_hand,
)
from bidcascade.systems.language.tree.syntax_tree import OptionWords
from bidcascade.systems.places.places import PlaceEntry
from bidcascade.systems.system import System
from bidcascade.systems.tables.compile import DEFAULT_SEED, Sample
from bidcascade.systems.words.describing import agreements_of, description_of

from .text_outline import Outline, outline_of

if TYPE_CHECKING:
    from bidcascade.systems.auctions.bidder import Bidder, BiddingLevel
    from bidcascade.systems.places.choice import Choice
    from bidcascade.systems.tables.compile import Indices

DEALS: Final = 20_000
"""Deals that a book is made of."""
LEAST_SHARE: Final = 1 / 1000
"""Places are in a book that so many of the deals come to."""
_LONGEST: Final = 4
"""Calls before a place that is in a book, without first passes."""
_PASSED: Final = ((), (PASS,), (PASS, PASS), (PASS, PASS, PASS))


class WrongExample(BidcascadeError, RuntimeError):
    """An example that is not bid as the book says: the book would be wrong."""


class LineExample(NamedTuple):
    """A hand that makes a call: dealer North, and the player whose turn it is holds it."""

    deal: int
    """Number of the deal, from 0."""
    hand: int
    vulnerability: int
    auction: tuple[int, ...]
    call: int


class BookRow(NamedTuple):
    """One meaning of a call at a place, with the deals that make it so."""

    call: int
    name: str
    meaning: str
    agreements: tuple[str, ...]
    where: str
    option: str
    deals: int
    example: LineExample | None


class BookPlace(NamedTuple):
    """A place with the deals that came to it; ``passes`` are those that pass by default."""

    calls: tuple[int, ...]
    deals: int
    rows: tuple[BookRow, ...]
    passes: int

    @property
    def is_contested(self) -> bool:
        """Whether the other side has bid or doubled."""
        return any(one != PASS for one in self.calls[len(self.calls) % 2 ^ 1 :: 2])


class DealCall(NamedTuple):
    """One call of a whole auction, with the line that makes it; empty for a pass by default."""

    call: int
    name: str
    meaning: str
    where: str


class BookDeal(NamedTuple):
    """A deal that was bid to the end."""

    number: int
    hands: tuple[int, int, int, int]
    vulnerability: int
    calls: tuple[DealCall, ...]


@dataclass(slots=True)
class BookLineUse:
    """How a line of the text is used: deals whose place has it, those that bid it, an example."""

    offered: int = 0
    chosen: int = 0
    example: LineExample | None = None


@dataclass(frozen=True, slots=True)
class SystemBook:
    """A whole book; ``uses`` are those of every line that makes a call, by file and line."""

    title: str
    name: str
    digest: str
    options: dict[str, bool]
    option_words: dict[str, OptionWords]
    about: str
    deals: int
    seed: int
    outline: Outline
    places: tuple[BookPlace, ...]
    uses: dict[str, BookLineUse]
    whole_deals: tuple[BookDeal, ...]
    conventions: tuple[tuple[str, tuple[str, ...]], ...]
    """Names of calls that mean something else than their suit, and places of their lines."""


def book_of(
    system: System,
    *,
    deals: int = DEALS,
    seed: int = DEFAULT_SEED,
    least: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SystemBook:
    r"""Bid deals with a system that was opened from a file, and gather its book.

    Parameters
    ----------
    system : System
        Played by all four.
    deals, seed : int
        The sample.
    least : int, optional
        Deals that a place needs to be in the book; one in a thousand by default.
    progress : callable, optional
        Told how many calls are made, and of how many deals the auction goes on.

    Raises
    ------
    InvalidSystem
        If its files are no longer what was read.
    WrongExample
        If an example is bid otherwise when it is bid by itself.

    Examples
    --------
    >>> from bidcascade.systems.registry import open_system
    >>> book = book_of(open_system("acol"), deals=200)
    >>> book.places[0].calls, book.places[0].deals
    ((), 200)
    """
    outline = outline_of(system)
    sample = Sample.random(deals, seed=seed)
    counts = _Counts(
        system, sample, outline, max(1, round(deals * LEAST_SHARE)) if least is None else least
    )
    bidder = system.bidder(system)
    with bidder.lock:
        for depth, step in enumerate(bidder.steps(sample.deals)):
            if progress is not None:
                progress(depth, len(step.deals))
            counts.add(bidder, depth, step)
    for line in system.rules.places.written_lines():
        for one in line.variants or (line,):
            counts.uses.setdefault(str(one.where), BookLineUse())
    places = tuple(sorted(counts.places, key=lambda one: (_order(one.calls), one.calls)))
    check_examples([row.example for place in places for row in place.rows], system)
    check_examples([use.example for use in counts.uses.values()], system)
    return SystemBook(
        system.text.title or system.name,
        system.name,
        system.digest,
        dict(system.text.options),
        dict(system.text.option_words),
        system.text.prose,
        deals,
        seed,
        outline,
        _without_repeats(places),
        counts.uses,
        tuple(_whole_deals(system, sample, places[0])) if places else (),
        tuple(_conventions(system)),
    )


def _order(calls: Sequence[int]) -> tuple[int, int]:
    passes = next((at for at, one in enumerate(calls) if one != PASS), len(calls))
    return len(calls) - passes, passes


@dataclass(slots=True)
class _Counts:
    """Places and lines so far."""

    system: System
    sample: Sample
    outline: Outline
    least: int
    places: list[BookPlace] = field(default_factory=list)
    uses: dict[str, BookLineUse] = field(default_factory=dict)
    _entries: dict[tuple[int, int], PlaceEntry] = field(default_factory=dict)

    def add(self, bidder: "Bidder", depth: int, step: "BiddingLevel") -> None:
        """Take in what deals do after as many calls."""
        reached, which, counts = np.unique(step.place, return_inverse=True, return_counts=True)
        side = depth & 1
        lists = bidder.lists_of(reached, depth)[0]
        # lines that places have, however many deals take them
        numbers, of_list = np.unique(lists, return_inverse=True)
        for number, count in zip(
            numbers.tolist(), np.bincount(of_list, counts).astype(int).tolist(), strict=True
        ):
            lines = {
                str(self._entry(bidder, side, one).where) for one in bidder.entries_of_list(number)
            }
            for line in lines:
                self.uses.setdefault(line, BookLineUse()).offered += count
        auctions = bidder.auctions_to(reached, depth)
        by_deal = np.argsort(step.deals, kind="stable")
        chosen, first, number_of = np.unique(
            step.entry[by_deal], return_index=True, return_counts=True
        )
        # numbers of entries depend on who asked before, and on threads
        order = np.argsort(first)
        for entry, at, count in zip(
            chosen[order].tolist(),
            by_deal[first[order]].tolist(),
            number_of[order].tolist(),
            strict=True,
        ):
            if entry < 0:
                continue
            use = self.uses.setdefault(str(self._entry(bidder, side, entry).where), BookLineUse())
            use.chosen += count
            if use.example is None:
                use.example = self._example(step, at, auctions[which[at]])
        for at in np.flatnonzero(counts >= self.least).tolist():
            calls = tuple(auctions[at].tolist())
            if _order(calls)[0] <= _LONGEST:
                entries = bidder.entries_of_list(int(lists[at]))
                here = np.flatnonzero(which == at)
                self.places.append(self._place(bidder, calls, entries, step, here))

    def _entry(self, bidder: "Bidder", side: int, number: int) -> PlaceEntry:
        known = self._entries.get((side, number))
        if known is None:
            known = self._entries[side, number] = bidder.sides[side].entry(number, 0)
        return known

    def _example(self, step: "BiddingLevel", at: int, auction: "np.ndarray") -> LineExample:
        deal = int(step.deals[at])
        return LineExample(
            deal,
            int(self.sample.deals.hands[len(auction) % 4, deal]),
            int(self.sample.deals.vulnerability[deal]),
            tuple(auction.tolist()),
            int(step.call[at]),
        )

    def _place(
        self,
        bidder: "Bidder",
        calls: tuple[int, ...],
        numbers: list[int],
        step: "BiddingLevel",
        here: "Indices",
    ) -> BookPlace:
        auction = np.array(calls, np.uint8)
        taken = step.entry[here]
        side = len(calls) & 1
        entries = [(number, self._entry(bidder, side, number)) for number in numbers]
        # as readers look for them: bids upwards, then the calls that are none
        entries.sort(key=lambda one: (one[1].call < FIRST_BID, one[1].call))
        rows = []
        for (call, name), found in groupby(entries, lambda one: (one[1].call, one[1].name)):
            alike = [*found]
            takers = here[np.isin(taken, [number for number, _ in alike])]
            first = alike[0][1]
            if not len(takers) and first.specificity[3] == 0:
                # what every system does in general, and nobody did here
                continue
            descriptions = dict.fromkeys(filter(None, (description_of(one) for _, one in alike)))
            rows.append(
                BookRow(
                    call,
                    name,
                    "; or ".join(descriptions),
                    agreements_of(first),
                    str(first.where),
                    self.outline.option_at(first.where),
                    len(takers),
                    self._example(step, int(takers[0]), auction) if len(takers) else None,
                )
            )
        return BookPlace(calls, len(here), tuple(rows), int((taken < 0).sum()))


def _without_repeats(places: Sequence[BookPlace]) -> tuple[BookPlace, ...]:
    """Leave out places after first passes that say what they say without."""
    shown: dict[tuple[int, ...], list[tuple[int, str, str]]] = {}
    left = []
    for place in places:
        bare = tuple(place.calls[_order(place.calls)[1] :])
        lines = [(row.call, row.name, row.where) for row in place.rows]
        if bare != place.calls and lines == shown.get(bare):
            continue
        if bare == place.calls:
            shown[bare] = lines
        left.append(place)
    return tuple(left)


def _bid(system: System, hand: int, calls: Sequence[int], vulnerability: int) -> "Choice":
    # all four play the system, whatever its text says of opponents
    return system.bid(hand, calls, vulnerability=Vulnerability(vulnerability), opponents=system)


def check_examples(examples: Sequence[LineExample | None], system: System) -> None:
    """Bid examples once more, each by itself."""
    for one in dict.fromkeys(filter(None, examples)):
        choice = _bid(system, one.hand, one.auction, one.vulnerability)
        if choice.call != one.call:
            raise WrongExample(
                f"expected {format_call(one.call)} with {format_hand(one.hand)} after "
                f"{format_calls(one.auction)!r}, as deal {one.deal} was bid, got "
                f"{format_call(choice.call)}"
            )


def _whole_deals(system: System, sample: Sample, first: BookPlace) -> Iterator[BookDeal]:
    """Bid a deal for each opening bid that was made, call by call."""
    for row in first.rows:
        if row.example is None or row.call == PASS:
            continue
        number = row.example.deal
        hands = tuple(sample.deals.hands[:, number].tolist())
        vulnerability = int(sample.deals.vulnerability[number])
        yield BookDeal(
            number,
            (hands[0], hands[1], hands[2], hands[3]),
            vulnerability,
            tuple(_bid_out(system, hands, vulnerability)),
        )


def _bid_out(system: System, hands: Sequence[int], vulnerability: int) -> Iterator[DealCall]:
    calls: list[int] = []
    while not Auction.of(calls).is_complete:
        choice = _bid(system, hands[len(calls) % 4], calls, vulnerability)
        entry = choice.entry
        words = ("", "", "")
        if entry is not None:
            words = entry.name, description_of(entry), str(entry.where)
        yield DealCall(choice.call, *words)
        calls.append(choice.call)


def _conventions(system: System) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names of artificial calls with the places of their lines, by name."""
    found: dict[str, list[str]] = {}
    for line in system.rules.places.written_lines():
        kinds = {one.kind for one in line.agreements}
        if line.name and kinds & {"artificial", "relay", "transfer", "puppet", "tag"}:
            where = str(line.where)
            places = found.setdefault(line.name, [])
            if where not in places:
                places.append(where)
    for name in sorted(found, key=lambda one: (one.casefold(), one)):
        yield name, tuple(found[name])
