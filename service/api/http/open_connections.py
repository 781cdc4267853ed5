"""How many connections are open at once, and which of them makes room for another.

A process has so many file descriptors, and each connection takes one: who opens connections and
says nothing, or half of something, would leave none for others. Beyond a bound the connection is
closed that has waited longest for its client; one whose request is being worked on never is.
"""

import logging
from contextlib import suppress
from typing import Final, NamedTuple, Protocol

_logger = logging.getLogger("bidcascade.service")

OWN_FILES: Final = 256
"""Descriptors left for tables, jobs, archives, their processes and the log."""
MOST_WAITING: Final = 2048
"""Connections that the system holds until they are accepted, which may all be at once."""
_LEAST: Final = 16


class Connection(Protocol):
    """What is open."""

    def drop(self) -> None:
        """Close it at once."""


class OpenConnections:
    """The connections of a server; used by the thread of its event loop alone.

    Parameters
    ----------
    most : int
        So many may be open.

    Examples
    --------
    >>> class Told:
    ...     def drop(self): print("dropped")
    >>> connections = OpenConnections(1)
    >>> connections.came(Told())
    >>> connections.came(Told())
    dropped
    >>> connections.is_full
    False
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._open: set[Connection] = set()
        # a dict keeps their order: who has waited longest comes first
        self._waiting: dict[Connection, None] = {}

    @property
    def is_full(self) -> bool:
        """Whether more are open than may be, and all but the newest are being worked for."""
        return len(self._open) > self.most

    def came(self, connection: Connection) -> None:
        """Take in a connection, and close another one if there is no room for it."""
        while len(self._open) >= self.most and self._waiting:
            oldest = next(iter(self._waiting))
            self.left(oldest)
            oldest.drop()
        self._open.add(connection)
        self._waiting[connection] = None

    def waits(self, connection: Connection) -> None:
        """Note that a client is to send or to read; more of the same is no reason to note it."""
        if connection in self._open:
            self._waiting.pop(connection, None)
            self._waiting[connection] = None

    def works(self, connection: Connection) -> None:
        """Note that a client waits for its answer."""
        self._waiting.pop(connection, None)

    def left(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        self._open.discard(connection)
        self._waiting.pop(connection, None)


class Room(NamedTuple):
    """Connections that may be open, and that the system may hold before they are accepted."""

    most: int
    backlog: int


def room_for(wanted: int) -> Room:
    """Make room for so many connections, as far as the process may have descriptors.

    The limit that a process begins with is raised up to that of the system's administrator.

    Examples
    --------
    >>> room_for(100)
    Room(most=100, backlog=2048)
    """
    allowed = _descriptors(wanted + MOST_WAITING + OWN_FILES)
    if allowed is None or allowed >= wanted + MOST_WAITING + OWN_FILES:
        return Room(wanted, MOST_WAITING)
    left = max(2 * _LEAST, allowed - OWN_FILES)
    # all that wait can be accepted before the first of them is looked at
    room = Room(min(wanted, left * 3 // 4), min(MOST_WAITING, left // 4))
    if room.most < wanted:
        _logger.warning(
            "at most %d connections, not %d (setting max_connections): this process may have %d "
            "open files (ulimit -n)",
            room.most,
            wanted,
            allowed,
        )
    return room


def _descriptors(wanted: int) -> int | None:
    """Descriptors that the process may have, after it asked for so many; None if without bound."""
    try:
        import resource
    except ImportError:
        return None
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return None
    if allowed < wanted:
        requested = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (requested, most))
        allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return allowed
