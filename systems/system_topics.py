"""What a system is about: tags and names of its calls at the places that random deals come to."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from bidcascade.bridge import PASS
from bidcascade.table.topics import MOST_PLACES, Topic, in_order

from .describing import agreements_of

if TYPE_CHECKING:
    from .bidder import Bidder, Step

DEALS: Final = 5_000
"""Deals that a system is asked on."""
SEED: Final = 1
_TAG: Final = "#"


@dataclass(slots=True)
class _Found:
    """A topic so far."""

    calls: int = 0
    bids: bool = False
    places: list[bytes] = field(default_factory=list)
    chosen: list[bytes] = field(default_factory=list)
    """Places where a deal chose such a call."""


def topics_of_system(
    places: "Bidder", *, deals: int = DEALS, most_places: int = MOST_PLACES
) -> tuple[Topic, ...]:
    r"""All topics of a system, by name, as :func:`~bidcascade.table.topics.topics_of` has them.

    Their places are those where a deal chose such a call: elsewhere hands for it may not exist.
    Where no deal did they are those where the system offers one.

    Examples
    --------
    >>> from bidcascade.bridge import format_calls
    >>> from .system import System
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... after 1NT:
    ...   2C = Stayman: 8+ points; artificial, #ask
    ... ''')
    >>> [(one.name, format_calls(one.places[0])) for one in topics_of_system(system.bidder())]
    [('#ask', '1N P'), ('Stayman', '1N P'), ('Strong notrump', '')]
    """
    from .compile import Sample

    found: dict[str, _Found] = {}
    made: dict[tuple[int, int], dict[str, set[int]]] = {}
    with places.lock:
        for depth, step in enumerate(places.steps(Sample.random(deals, seed=SEED).deals)):
            reached = np.unique(step.place)
            lists, which, counts = np.unique(
                places.lists_of(reached, depth)[0], return_inverse=True, return_counts=True
            )
            auctions = places.auctions_to(reached, depth)
            fresh: dict[str, list[bytes]] = {}
            for at, (number, count) in enumerate(zip(lists.tolist(), counts.tolist(), strict=True)):
                key = number, depth & 1
                if key not in made:
                    made[key] = _topics_of_list(places, *key)
                for name, some in made[key].items():
                    topic = found.setdefault(name, _Found())
                    topic.calls += count * len(some)
                    topic.bids |= some != {PASS}
                    # longer auctions come later
                    if len(topic.places) < most_places:
                        there = auctions[which == at]
                        fresh.setdefault(name, []).extend(map(bytes, there))
            for name, some_places in fresh.items():
                found[name].places += in_order(some_places)
            auction_of = dict(zip(reached.tolist(), map(bytes, auctions), strict=True))
            for name, some_chosen in _chosen(places, step, depth & 1).items():
                topic = found[name]
                if len(topic.chosen) < most_places:
                    topic.chosen += in_order(auction_of[place] for place in some_chosen)
    return tuple(
        Topic(name, topic.calls, tuple((topic.chosen or topic.places)[:most_places]))
        for name, topic in sorted(found.items())
        if topic.bids
    )


def _chosen(places: "Bidder", step: "Step", side: int) -> dict[str, set[int]]:
    """Topics of the calls that deals chose, each with the places where they did."""
    is_line = step.entry >= 0
    pairs = np.unique(np.stack([step.entry[is_line], step.place[is_line]]), axis=1)
    found: dict[str, set[int]] = {}
    for entry, place in pairs.T.tolist():
        line = places.sides[side].entry(entry, 0)
        for name in _topics_of_line(line.name, agreements_of(line)):
            found.setdefault(name, set()).add(place)
    return found


def _topics_of_list(places: "Bidder", number: int, side: int) -> dict[str, set[int]]:
    """Topics of a list of entries, each with the calls that it stands for there."""
    found: dict[str, set[int]] = {}
    for entry in places.entries_of_list(number):
        line = places.sides[side].entry(entry, 0)
        for name in _topics_of_line(line.name, agreements_of(line)):
            found.setdefault(name, set()).add(line.call)
    return found


def _topics_of_line(name: str, agreements: tuple[str, ...]) -> Iterator[str]:
    if name:
        yield name
    yield from (one for one in agreements if one.startswith(_TAG))
