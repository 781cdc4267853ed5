"""A system that searches its decisions, as a player of matches (:mod:`.search`)."""

import hashlib
from collections.abc import Sequence
from time import perf_counter
from types import TracebackType
from typing import Final, Self

from bidcascade.bridge import EngineFailed
from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
from bidcascade.inference.search import Search, SearchQuestion, SearchRules, search_call
from bidcascade.systems import System
from bidcascade.systems.bidding.system_bidder import PlacesBidder
from bidcascade.systems.places.turn_context import context_at

from .foreign.bidding import places_against
from .foreign.protocol import Reply, Turn

MATCH_LAYOUTS: Final = 64
"""Layouts of a decision where nobody says how many: a match has many decisions."""


class SearchPlayer:
    """A system whose calls are searched: what matches, benchmarks and tables take as a player.

    Its partner and the others read its calls as the system's own.

    Parameters
    ----------
    system : System
    layouts : int
        Of each decision.
    rules : SearchRules, optional
    seed : int
        With no budget the same seed gives the same calls.
    budget_ms : int, optional
        For each call.
    solver : DoubleDummy, optional
        As :func:`.search.search_call` takes it.

    Examples
    --------
    >>> from bidcascade.bridge import Seat, Vulnerability, parse_calls, parse_hand
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... after 1NT:
    ...   3NT = Game: 10+ points
    ...   Pass = Too little: any hand
    ... ''', name="small")
    >>> hand = parse_hand("KQ5.J74.KQT98.J2")
    >>> turn = Turn(hand, Seat.NORTH, Vulnerability.NONE, parse_calls("1N P"))
    >>> with SearchPlayer(system) as player:
    ...     player.name, player.answers([turn])
    ('search:small', [Reply(call=17, meaning='')])
    """

    def __init__(
        self,
        system: System,
        *,
        layouts: int = MATCH_LAYOUTS,
        rules: SearchRules | None = None,
        seed: int = 0,
        budget_ms: int | None = None,
        solver: DoubleDummy | None = None,
    ) -> None:
        self.system = system
        self.name = f"search:{system.name}"
        self.seconds = 0.0
        self.requests = 0
        """How many calls it was asked for."""
        self.differed = 0
        """How many were not those of the system."""
        self.layouts, self.seed, self._rules = layouts, seed, rules or SearchRules()
        self._budget_ms, self._solver = budget_ms, solver

    @property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, of the system and of how it is searched."""
        how = (self.layouts, self._rules, self.seed, self._budget_ms, self._solver is not None)
        return hashlib.sha256(f"{self.system.digest} {how!r}".encode()).hexdigest()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave nothing behind."""

    def answers(
        self, turns: Sequence[Turn], deals: Sequence[int] | None = None
    ) -> list[Reply | EngineFailed]:
        """Answer questions in their order; the others play what the system's text says."""
        return [
            Reply(call)
            for turn in turns
            for call in self.calls_against([turn], None, is_first=len(turn.calls) % 2 == 0)
        ]

    def calls_against(
        self, turns: Sequence[Turn], opponents: System | None, *, is_first: bool
    ) -> list[int]:
        """Give the calls of some turns against another system."""
        started = perf_counter()
        found = [self.search(turn, opponents, is_first=is_first) for turn in turns]
        self.requests += len(found)
        self.differed += sum(one.differs for one in found)
        self.seconds += perf_counter() - started
        return [one.call for one in found]

    def search(self, turn: Turn, opponents: System | None, *, is_first: bool) -> Search:
        """Search one decision."""
        places = places_against(self.system, opponents, is_first=is_first)
        context = context_at(len(turn.calls), turn.dealer, turn.vulnerability)
        with places.lock:
            made = places.call(turn.calls, turn.hand, context)
        assert made is not None
        question = SearchQuestion(
            turn.hand,
            turn.calls,
            made.call,
            turn.dealer,
            turn.vulnerability,
            forced=bool(made.forced),
            layouts=self.layouts,
            seed=self.seed,
        )
        return search_call(
            self.system.reader(opponents, first=is_first),
            PlacesBidder(places),
            question,
            self._rules,
            self._solver,
            time_limit_s=None if self._budget_ms is None else self._budget_ms / 1000,
        )
