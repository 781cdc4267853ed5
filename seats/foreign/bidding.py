"""Deals bid call by call by players of any kind: systems, and engines of others.

A system knows nothing of what a foreign engine's calls mean. It reads them as those of the
opponents that its text names, or as its own.
"""

from collections.abc import Sequence
from types import TracebackType
from typing import NamedTuple, Protocol, Self, TypeAlias, runtime_checkable

from bidcascade.bridge import (
    PASS,
    Auction,
    EngineFailed,
    Seat,
    Vulnerability,
    format_call,
)
from bidcascade.inference.auction_ends import DistinctAuctions
from bidcascade.kernels import DealArrays
from bidcascade.kernels.core.functions import has_core
from bidcascade.kernels.types import I64
from bidcascade.systems import System
from bidcascade.systems.bidding.bidder_protocol import Calls
from bidcascade.systems.places.choice import choose
from bidcascade.systems.places.turn_context import context_at
from bidcascade.systems.system import SystemPlaces

from .protocol import Reply, Turn, where


class ForeignEngine(Protocol):
    """An engine that is asked for calls, ended behind a block; ``name`` is for reports."""

    name: str
    seconds: float
    """Spent waiting for answers."""
    requests: int
    """How many calls it was asked for."""

    @property
    def digest(self) -> str:
        """What tells one version from another, as far as that is known."""
        ...

    def answers(
        self, turns: Sequence[Turn], deals: Sequence[int] | None = None
    ) -> list[Reply | EngineFailed]:
        """Answer questions in their order, as :meth:`.process.ProcessEngine.answers` does."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


Player: TypeAlias = System | ForeignEngine
"""Who bids for a side."""


@runtime_checkable
class SystemPlayer(Protocol):
    """A player whose calls mean what a system's do, and who is told what the others play."""

    system: System

    def calls_against(
        self, turns: Sequence[Turn], opponents: System | None, *, is_first: bool
    ) -> list[int]:
        """Give the calls of some turns; ``is_first`` says whether the dealer's side plays it."""
        ...


def system_of(player: Player) -> System | None:
    """System by which a player's calls are read; None of a foreign engine."""
    if isinstance(player, System):
        return player
    return player.system if isinstance(player, SystemPlayer) else None


class EngineFault(NamedTuple):
    """A call that could not be used, for which a pass was made."""

    deal: int
    kind: str
    """``illegal`` or ``unreadable``."""
    message: str


class ForeignBidder:
    """A foreign engine at all four seats, as simulation asks who goes on behind a call."""

    def __init__(self, engine: ForeignEngine) -> None:
        self._engine = engine

    def bid_from(self, calls: Sequence[int], deals: DealArrays) -> tuple[list[Calls], I64]:
        """Bid deals on from an auction; different auctions, and which of them each deal has."""
        endings, which = DistinctAuctions.of_auctions(
            bid_out(self._engine, self._engine, deals, calls)
        )
        return [endings.auction(one) for one in range(len(endings.calls))], which


def bid_out(
    dealers: Player,
    others: Player,
    deals: DealArrays,
    calls: Sequence[int] = (),
    *,
    faults: list[EngineFault] | None = None,
    first_deal: int = 0,
) -> list[Calls]:
    r"""Bid deals to the end.

    Parameters
    ----------
    dealers, others
        Who bids for the dealer's side, and for the other one.
    deals
        With any dealers and vulnerabilities.
    calls
        What all have bid so far; the auction goes on.
    faults
        Takes calls that are illegal or cannot be read, for which a pass is made. Without it they
        are errors.
    first_deal
        Number of the first deal, for messages.

    Returns
    -------
    list of tuple of int
        Whole auctions by deal.

    Raises
    ------
    EngineFailed
        With deal and auction, if an engine has no call that can be used.

    Examples
    --------
    >>> from bidcascade.seats.foreign.process import ProcessEngine
    >>> from bidcascade.loaders import deal_arrays, random_deals
    >>> opens = System.parse("opening:\n  1NT = Any: any hand")
    >>> with ProcessEngine("sed -u s/.*/P/") as passes:
    ...     bid_out(opens, passes, deal_arrays(random_deals(1, 1)))
    [(7, 0, 0, 0)]
    """
    count = len(deals)
    auctions = [Auction.of(calls)] * count
    seats, sides = deals.dealer.tolist(), deals.vulnerability.tolist()
    hands = deals.hands.T.tolist()
    active = list(range(count))
    depth = len(calls)
    while active:
        turns = [
            Turn(
                hands[one][(seats[one] + depth) % 4],
                Seat(seats[one]),
                Vulnerability(sides[one]),
                auctions[one].calls,
            )
            for one in active
        ]
        player, other = (dealers, others) if depth % 2 == 0 else (others, dealers)
        is_first = depth % 2 == 0
        if isinstance(player, System):
            made = _system_calls(player, system_of(other), turns, is_first=is_first)
        elif isinstance(player, SystemPlayer):
            made = player.calls_against(turns, system_of(other), is_first=is_first)
        else:
            numbers = [first_deal + one for one in active]
            made = _engine_calls(player, turns, numbers, faults)
        for one, call in zip(active, made, strict=True):
            auctions[one] = auctions[one].add(call)
        active = [one for one in active if not auctions[one].is_complete]
        depth += 1
    return [one.calls for one in auctions]


def _system_calls(
    system: System, opponents: System | None, turns: Sequence[Turn], *, is_first: bool
) -> list[int]:
    bidder = places_against(system, opponents, is_first=is_first)
    found = []
    with bidder.lock:
        for turn in turns:
            context = context_at(len(turn.calls), turn.dealer, turn.vulnerability)
            made = bidder.call(turn.calls, turn.hand, context)
            assert made is not None
            found.append(made.call)
    return found


def places_against(system: System, opponents: System | None, *, is_first: bool) -> SystemPlaces:
    """Give the places of a system against another, started over if they take too much memory."""
    if not has_core():
        return system.by_definition(opponents, first=is_first)
    bidder = system.bidder(opponents, first=is_first)
    with bidder.lock:
        if bidder.bytes > bidder.budget:
            bidder.start_over()
    return bidder


def _engine_calls(
    engine: ForeignEngine,
    turns: Sequence[Turn],
    numbers: Sequence[int],
    faults: list[EngineFault] | None,
) -> list[int]:
    found = []
    for number, turn, reply in zip(numbers, turns, engine.answers(turns, numbers), strict=True):
        try:
            found.append(legal_reply(turn, reply, number).call)
        except EngineFailed as error:
            if faults is None:
                raise
            faults.append(EngineFault(number, error.fault, str(error)))
            found.append(PASS)
    return found


def call_of(player: Player, turn: Turn, deal: int = 0) -> Reply:
    """Ask a player of any kind for one call, with what it means.

    Raises
    ------
    EngineFailed
        If a foreign engine has no legal call.
    """
    if not isinstance(player, System):
        return legal_reply(turn, player.answers([turn], [deal])[0], deal)
    place = player.place(turn.calls, first=len(turn.calls) % 2 == 0)
    context = context_at(len(turn.calls), turn.dealer, turn.vulnerability)
    choice = choose(place, turn.hand, context, player.vocabulary)
    is_artificial = choice.entry is not None and any(
        one.kind == "artificial" for one in choice.entry.agreements
    )
    return Reply(choice.call, choice.entry.name if choice.entry and is_artificial else "")


def legal_reply(turn: Turn, reply: Reply | EngineFailed, deal: int = 0) -> Reply:
    """Give an answer of an engine if its call may be made.

    Raises
    ------
    EngineFailed
        If it is an error, or an illegal call; with the deal's number and the auction.
    """
    if isinstance(reply, EngineFailed):
        raise reply
    reason = Auction.of(turn.calls, turn.dealer).why_illegal(reply.call)
    if reason is not None:
        raise EngineFailed(
            f"{where(deal, turn)}: expected a legal call, got {format_call(reply.call)}: {reason}",
            "illegal",
        )
    return reply
