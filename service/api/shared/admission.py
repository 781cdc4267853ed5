"""Who waits for work that takes long: in the order of arrival, a few at once, and not in vain.

Searches and simulations that share the cores end together, all of them late. So a few are worked on
at once and the others wait in line. Whoever would wait for most of the time that its answer may
take is refused at once, with when to ask again; so is who waits and turns out to.
"""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, NamedTuple

from bidcascade.bridge import Cancelled
from bidcascade.service.api.http.problems import Problem

SHARE_FOR_WAITING: Final = 0.75
"""How much of its time a request may spend in line; the rest is for the work."""
_DOUBT: Final = 4
"""A mean begins as if so many works had taken no time: few that were slow refuse nobody."""
_MEMORY: Final = 16
"""Works that a mean reaches back over."""
_MOST_SIZES: Final = 64
"""Sizes of works that means are kept of, those that were asked last."""
_REST: Final = 0.5
"""How much of the works that are being done is still to come, taken as known of none."""


class Place:
    """A place in which work is done, until it is given back.

    Parameters
    ----------
    line : Line
    size : hashable
        Of the work.
    """

    def __init__(self, line: "Line", size: Hashable) -> None:
        self._line: Line | None = line
        self.size = size
        self.started = line.now()

    def give_back(self, *, given_up: bool = False) -> None:
        """Let the next one in; does nothing when it is done again.

        ``given_up`` says that the work did not take the time that it takes.
        """
        if self._line is not None:
            line, self._line = self._line, None
            line.take_back(self, given_up=given_up)


@dataclass(slots=True, eq=False)
class _Waiting:
    """One request in line; it is refused if it still waits at ``until``."""

    size: Hashable
    until: float
    turn: "asyncio.Future[Place]" = field(repr=False)


class _Mean(NamedTuple):
    works: int = _DOUBT
    seconds: float = 0.0

    def with_one(self, seconds: float) -> "_Mean":
        works = min(self.works + 1, _MEMORY)
        return _Mean(works, self.seconds + (seconds - self.seconds) / works)


class Line:
    """Requests of one kind in the order of arrival, some of them being worked on.

    All methods are called on the event loop.

    Parameters
    ----------
    places : int
        How many are worked on at once.
    now : callable
        Seconds of a clock.

    Examples
    --------
    >>> async def two():
    ...     line = Line(1)
    ...     first = await line.place(limit_s=10)
    ...     second = asyncio.create_task(line.place(limit_s=10))
    ...     await asyncio.sleep(0)
    ...     waiting = line.waiting
    ...     first.give_back()
    ...     (await second).give_back()
    ...     return waiting, line.waiting, line.working
    >>> asyncio.run(two())
    (1, 0, 0)
    """

    def __init__(self, places: int, now: Callable[[], float] = monotonic) -> None:
        self._places = places
        self.now = now
        self._line: deque[_Waiting] = deque()
        self._taken: set[Place] = set()
        self._means: dict[Hashable, _Mean] = {}

    @property
    def waiting(self) -> int:
        """Requests in line."""
        return len(self._line)

    @property
    def working(self) -> int:
        """Places that are taken."""
        return len(self._taken)

    def expected_wait_s(self, ahead: Iterable[Hashable] | None = None) -> float:
        """Seconds until a request gets a place that works of these sizes are ahead of.

        They are those in line if not given. Of a size that was never seen nothing is expected.
        """
        sizes = [one.size for one in self._line] if ahead is None else ahead
        running = sum(self._mean_s(one.size) for one in self._taken)
        return (sum(map(self._mean_s, sizes)) + _REST * running) / self._places

    async def place(
        self,
        *,
        limit_s: float,
        size: Hashable = None,
        since: float | None = None,
        gone: "asyncio.Future[None] | None" = None,
    ) -> Place:
        """Wait for a place.

        Parameters
        ----------
        limit_s : float
            When the answer is due, in seconds from the arrival of its request.
        size : hashable, optional
            Works of one size are taken to take the same time.
        since : float, optional
            When the request came, by the line's clock; now if not given.
        gone : Future, optional
            Is done when nobody waits for the answer any more.

        Raises
        ------
        Problem
            429 with ``Retry-After`` if there is no place in time for the work.
        Cancelled
            If the client has gone.
        """
        if self.working < self._places:
            # nobody is in line then
            return self._take(size)
        now = self.now()
        until = (now if since is None else since) + SHARE_FOR_WAITING * limit_s
        if now + self.expected_wait_s() > until:
            raise self._refusal()
        one = _Waiting(size, until, asyncio.get_running_loop().create_future())
        self._line.append(one)
        others = () if gone is None else (gone,)
        try:
            await asyncio.wait(
                (one.turn, *others),
                timeout=max(0.0, until - now),
                return_when=asyncio.FIRST_COMPLETED,
            )
        except asyncio.CancelledError:
            if one.turn.done() and one.turn.exception() is None:
                one.turn.result().give_back(given_up=True)
            raise
        finally:
            if not one.turn.done():
                self._line.remove(one)
        if one.turn.done():
            return one.turn.result()
        if gone is not None and gone.done():
            raise Cancelled("the client left before its turn came")
        raise self._refusal()

    def take_back(self, place: Place, *, given_up: bool) -> None:
        """Take a place back, and give it to the next one in line."""
        self._taken.remove(place)
        if not given_up:
            # what was asked last stands last
            mean = self._means.pop(place.size, _Mean())
            self._means[place.size] = mean.with_one(self.now() - place.started)
            if len(self._means) > _MOST_SIZES:
                del self._means[next(iter(self._means))]
        if self._line:
            one = self._line.popleft()
            one.turn.set_result(self._take(one.size))
        self._refuse_hopeless()

    def _take(self, size: Hashable) -> Place:
        place = Place(self, size)
        self._taken.add(place)
        return place

    def _mean_s(self, size: Hashable) -> float:
        return self._means.get(size, _Mean()).seconds

    def _refuse_hopeless(self) -> None:
        """Refuse those in line whose turn will come too late, as is known now."""
        kept = deque[_Waiting]()
        turn_at = self.now() + self.expected_wait_s(())
        for one in self._line:
            if turn_at <= one.until:
                kept.append(one)
                turn_at += self._mean_s(one.size) / self._places
            else:
                one.turn.set_exception(self._refusal())
        self._line = kept

    def _refusal(self) -> Problem:
        """Problem that names when all that is in line now will have had its turn."""
        wait_s, count = self.expected_wait_s(), len(self._line)
        return Problem(
            "overloaded",
            f"expected a turn within {SHARE_FOR_WAITING:.0%} of the time for the answer, got a "
            f"line of {count} request{'s' * (count != 1)} before it",
            headers={"Retry-After": str(max(1, math.ceil(wait_s)))},
        )


class Turn(NamedTuple):
    """What a request needs to be worked on in its turn.

    Parameters
    ----------
    line : Line
        Of its kind.
    arrived : float
        When the request came, by ``time.monotonic``.
    limit_s : float
        When its answer is due, from then on.
    size : tuple
        What its work is like: of one size are those that ask for as much.
    """

    line: Line
    arrived: float
    limit_s: float
    size: tuple[object, ...] = ()
