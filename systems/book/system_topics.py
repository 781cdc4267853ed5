"""What a system is about: tags and names of its calls at the places that random deals come to."""

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import itemgetter
from threading import Event
from typing import TYPE_CHECKING, Final

import numpy as np

from bidcascade.bridge import PASS, Cancelled
from bidcascade.systems.words.describing import tags_of
from bidcascade.table.inspection.topics import MOST_PLACES, Topic, TopicExample, in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bidcascade.kernels import DealArrays
    from bidcascade.kernels.types import U8
    from bidcascade.systems.auctions.bidder import Bidder, BiddingLevel

DEALS: Final = 5_000
"""Deals that a system is asked on."""
MOST_DEALS: Final = 50_000
"""Deals that topics which few of these chose are asked on."""
MORE_DEALS: Final = 5_000
"""So many of them at a time."""
MOST_EXAMPLES: Final = 4
"""Deals named of each topic."""
SEED: Final = 1


@dataclass(slots=True)
class _Found:
    """A topic so far."""

    calls: int = 0
    bids: bool = False
    places: list[bytes] = field(default_factory=list)
    chosen: list[bytes] = field(default_factory=list)
    """Places where a deal chose such a call."""
    examples: list[TopicExample] = field(default_factory=list)


def topics_of_system(
    places: "Bidder",
    *,
    deals: int = DEALS,
    most_places: int = MOST_PLACES,
    tell: Callable[[int, int], object] | None = None,
    cancel: Event | None = None,
) -> tuple[Topic, ...]:
    r"""All topics of a system, by name.

    They are as :func:`~bidcascade.table.inspection.topics.topics_of` has them. Their places are
    those where a deal chose such a call, some of these deals their examples: elsewhere hands for it
    may not exist. Where no deal did they are those where the system offers one. What few of the
    deals chose is looked for in :data:`MOST_DEALS`. ``tell`` hears how many deals are bid, and of
    how many.

    Raises
    ------
    Cancelled
        If the event ``cancel`` was set.

    Examples
    --------
    >>> from bidcascade.bridge import format_calls
    >>> from bidcascade.systems.system import System
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... after 1NT:
    ...   2C = Stayman: 8+ points; artificial, #ask
    ... ''')
    >>> [(one.name, format_calls(one.places[0])) for one in topics_of_system(system.bidder())]
    [('#ask', '1N P'), ('Stayman', '1N P'), ('Strong notrump', '')]
    """
    from bidcascade.systems.tables.compile import Sample

    sample = Sample.random(max(deals, MOST_DEALS), seed=SEED).deals
    search = _TopicSearch(places, most_places, cancel)
    with places.lock:
        search.bid(sample.slice(0, deals))
    # a call that one deal of ten thousand makes is practised too
    for start in range(deals, MOST_DEALS, MORE_DEALS):
        if tell is not None:
            tell(start, MOST_DEALS)
        # others bid in between, and places may be forgotten
        with places.lock:
            search.bid(sample.slice(start, min(start + MORE_DEALS, MOST_DEALS)), chosen_only=True)
    return search.topics()


class _TopicSearch:
    """Topics of the places that deals come to, and what the deals choose there."""

    def __init__(self, places: "Bidder", most_places: int, cancel: Event | None) -> None:
        self._places = places
        self._cancel = cancel
        self._most = most_places
        self._found: dict[str, _Found] = {}
        self._made: dict[tuple[int, int], dict[str, set[int]]] = {}
        self._lines: dict[tuple[int, int], tuple[tuple[str, ...], int]] = {}
        self._names: dict[tuple[int, int], tuple[str, ...]] = {}

    def bid(self, deals: "DealArrays", *, chosen_only: bool = False) -> None:
        """Bid deals, and take in topics; or of those that have few deals yet, what deals choose."""
        few = {name for name, one in self._found.items() if len(one.examples) < MOST_EXAMPLES}
        for depth, step in enumerate(self._places.steps(deals)):
            if self._cancel is not None and self._cancel.is_set():
                raise Cancelled("cancelled while topics were looked for")
            reached = np.unique(step.place)
            auctions = self._places.auctions_to(reached, depth)
            if not chosen_only:
                self._offered(reached, auctions, depth)
            auction_of = dict(zip(reached.tolist(), map(bytes, auctions), strict=True))
            for name, some in self._chosen(step, depth & 1).items():
                if chosen_only and name not in few:
                    continue
                topic = self._found.setdefault(name, _Found())
                if len(topic.chosen) < self._most:
                    topic.chosen += in_order(auction_of[place] for place in some)
                # numbers of places and entries depend on who asked before, and on threads
                for place, deal in sorted(some.items(), key=itemgetter(1)):
                    if len(topic.examples) >= MOST_EXAMPLES:
                        break
                    north, east, south, west = deals.hands[:, deal].tolist()
                    topic.examples.append(
                        TopicExample(
                            (north, east, south, west),
                            int(deals.vulnerability[deal]),
                            auction_of[place],
                        )
                    )

    def _line(self, side: int, entry: int) -> tuple[tuple[str, ...], int]:
        """Topics of an entry and its call; entries stand in many lists."""
        known = self._lines.get((side, entry))
        if known is None:
            program = self._places.sides[side]
            # thousands of entries come of each line of the text, and all are called as it is
            key = side, program.variant_of(entry)
            names = self._names.get(key)
            if names is None:
                line = program.entry(entry, 0)
                names = self._names[key] = ((line.name,) if line.name else ()) + tags_of(line)
            known = self._lines[side, entry] = names, program.call_of(entry)
        return known

    def _topics_of_list(self, number: int, side: int) -> dict[str, set[int]]:
        """Topics of a list of entries, each with the calls that it stands for there."""
        found: dict[str, set[int]] = {}
        for entry in self._places.entries_of_list(number):
            names, call = self._line(side, entry)
            for name in names:
                found.setdefault(name, set()).add(call)
        return found

    def _chosen(self, step: "BiddingLevel", side: int) -> dict[str, dict[int, int]]:
        """Topics of calls that deals chose, with the places, and the first deal of each."""
        lines = np.flatnonzero(step.entry >= 0)
        lines = lines[np.argsort(step.deals[lines], kind="stable")]
        pairs, first = np.unique(
            np.stack([step.place[lines], step.entry[lines]]), axis=1, return_index=True
        )
        found: dict[str, dict[int, int]] = {}
        deals = step.deals[lines[first]].tolist()
        for (place, entry), deal in zip(pairs.T.tolist(), deals, strict=True):
            for name in self._line(side, entry)[0]:
                some = found.setdefault(name, {})
                some[place] = min(deal, some.get(place, deal))
        return found

    def _offered(self, reached: "NDArray[np.int32]", auctions: "U8", depth: int) -> None:
        """Take in the topics that places have."""
        lists, which, counts = np.unique(
            self._places.lists_of(reached, depth)[0], return_inverse=True, return_counts=True
        )
        fresh: dict[str, list[bytes]] = {}
        for at, (number, count) in enumerate(zip(lists.tolist(), counts.tolist(), strict=True)):
            key = number, depth & 1
            if key not in self._made:
                self._made[key] = self._topics_of_list(*key)
            for name, some in self._made[key].items():
                topic = self._found.setdefault(name, _Found())
                topic.calls += count * len(some)
                topic.bids |= some != {PASS}
                # longer auctions come later
                if len(topic.places) < self._most:
                    there = auctions[which == at]
                    fresh.setdefault(name, []).extend(map(bytes, there))
        for name, some_places in fresh.items():
            self._found[name].places += in_order(some_places)

    def topics(self) -> tuple[Topic, ...]:
        return tuple(
            Topic(
                name,
                one.calls,
                tuple((one.chosen or one.places)[: self._most]),
                tuple(one.examples),
            )
            for name, one in sorted(self._found.items())
            if one.bids
        )
