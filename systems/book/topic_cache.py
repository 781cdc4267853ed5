"""Topics of systems in the cache on the disk: finding them takes seconds, reading a moment.

A file is that of the system's digest and of all code that answers for systems, so that nothing of
another version is read.
"""

import hashlib
import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final

from bidcascade.kernels.machine.caches import cached_file, folder_in_cache, write_cached_file
from bidcascade.systems.digests import program_digest
from bidcascade.table.inspection.topics import Topic, TopicExample

from .system_topics import topics_of_system

if TYPE_CHECKING:
    from bidcascade.systems.system import System

FOLDER: Final = "topics"
"""In the cache."""
MOST_CACHED: Final = 32
"""Systems whose topics stay in the folder: those used last."""
_OURS: Final = re.compile(r"[0-9a-f]{64}\.json(\.|$)")


def cached_topics(
    system: "System",
    *,
    tell: Callable[[int, int], object] | None = None,
    cancel: Event | None = None,
) -> tuple[Topic, ...]:
    r"""Topics of a system, as they were found before or by looking for them now.

    They are looked for with a system that nobody else asks, so that nobody waits.

    Parameters
    ----------
    system
        Plays the one that its text names, else itself.
    tell
        Hears how many deals are bid, and of how many.
    cancel
        Ends the search.

    Raises
    ------
    Cancelled
        If the search was ended.

    Examples
    --------
    >>> from bidcascade.systems.system import System
    >>> system = System.parse("opening:\n  1NT = Strong notrump: 15-17 points, balanced\n")
    >>> [one.name for one in cached_topics(system)]
    ['Strong notrump']
    """
    place = _place(system)
    if place is not None and (known := _read(place)) is not None:
        return known
    topics = topics_of_system(system.renewed().bidder(), tell=tell, cancel=cancel)
    if place is not None:
        rows = [
            [
                one.name,
                one.calls,
                [calls.hex() for calls in one.places],
                [[deal.hands, deal.vulnerability, deal.calls.hex()] for deal in one.examples],
            ]
            for one in topics
        ]
        write_cached_file(
            place, json.dumps(rows, separators=(",", ":")).encode(), _OURS, MOST_CACHED
        )
    return topics


def _place(system: "System") -> Path | None:
    folder = folder_in_cache(FOLDER)
    # the code's own files may be out of reach
    with suppress(OSError):
        key = json.dumps([program_digest(), system.digest])
        return folder and folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"
    return None


def _read(place: Path) -> tuple[Topic, ...] | None:
    with suppress(OSError):
        content = cached_file(place)
        if content is not None:
            # read again as last used
            place.touch()
            return tuple(
                Topic(
                    name,
                    calls,
                    tuple(map(bytes.fromhex, places)),
                    tuple(
                        TopicExample(tuple(hands), vulnerability, bytes.fromhex(made))
                        for hands, vulnerability, made in examples
                    ),
                )
                for name, calls, places, examples in json.loads(content)
            )
    return None
