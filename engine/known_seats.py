"""A deal of known and unknown hands bid: the known hands by the system, the others as given."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bidcascade.bridge import (
    Auction,
    IllegalCall,
    Seat,
    Vulnerability,
    format_call,
    parse_call,
)
from bidcascade.systems.bidding.bid_answer import BidAnswer

from .engine import Engine
from .questions.parts.answer_fields import answer, answer_field


@dataclass(frozen=True, slots=True)
class SeatCall:
    """One call: whose, and the system's answer; None where it was given with the deal."""

    seat: Seat
    call: int
    answer: BidAnswer | None


@dataclass(frozen=True, slots=True)
class KnownAuction:
    """Calls as far as they are known, and whose unknown hand is to call then; None at the end."""

    calls: tuple[SeatCall, ...]
    stops_at: Seat | None


@answer
class KnownCallAnswer:
    """One call of a deal of which not all hands are known."""

    seat: str = answer_field(description="Who made it.", examples=["N"])
    call: str = answer_field(description="The call.", examples=["1N"])
    source: Literal["given", "system"] = answer_field(
        json_name="from",
        description="`system`: a known hand makes it; `given`: it came with the deal.",
        examples=["system"],
    )
    name: str | None = answer_field(
        description="Name of its line; null where the call was given.", examples=["Strong notrump"]
    )


@answer
class KnownAuctionAnswer:
    """The known hands of a deal, bid as far as that goes."""

    auction: tuple[str, ...] = answer_field(description="The calls.", examples=[["1N", "P"]])
    calls: tuple[KnownCallAnswer, ...] = answer_field(description="The same with who made them.")
    stops_at: str | None = answer_field(
        description="Who is to call then, whose hand is unknown; null at the end.", examples=["E"]
    )


def known_answer(found: KnownAuction) -> KnownAuctionAnswer:
    """Make an answer of the calls that are known."""
    calls = tuple(
        KnownCallAnswer(
            seat=one.seat.letter,
            call=format_call(one.call),
            source="given" if one.answer is None else "system",
            name=one.answer.name if one.answer else None,
        )
        for one in found.calls
    )
    return KnownAuctionAnswer(
        auction=tuple(one.call for one in calls),
        calls=calls,
        stops_at=None if found.stops_at is None else found.stops_at.letter,
    )


def bid_known(
    engine: Engine,
    hands: Sequence[int],
    given: Sequence[int] = (),
    *,
    dealer: Seat = Seat.NORTH,
    vulnerability: Vulnerability = Vulnerability.NONE,
) -> KnownAuction:
    """Bid the known hands of a deal.

    Parameters
    ----------
    engine : Engine
    hands : sequence of int
        Masks by compass seat; 0 where a hand is unknown.
    given : sequence of int
        An auction of the deal: where an unknown hand is to call, its call at that place is taken,
        if it is legal.
    dealer, vulnerability
        Of the deal.

    Examples
    --------
    >>> from bidcascade.bridge import parse_calls, parse_hand
    >>> engine = Engine.open("sayc")
    >>> hands = [parse_hand("AQ4.KJ3.K876.Q52"), 0, parse_hand("K762.A65.Q93.J94"), 0]
    >>> found = bid_known(engine, hands)
    >>> [format_call(one.call) for one in found.calls], found.stops_at.letter
    (['1N'], 'E')
    """
    auction = Auction.of((), dealer)
    calls: list[SeatCall] = []
    while not auction.is_complete:
        number = len(calls)
        seat = Seat((dealer + number) % 4)
        if hands[seat]:
            made = [one.call for one in calls]
            answer = engine.bid(hands[seat], made, dealer=dealer, vulnerability=vulnerability)
            call = parse_call(answer.call)
        elif number < len(given):
            answer, call = None, given[number]
        else:
            return KnownAuction(tuple(calls), seat)
        try:
            auction = Auction.of((*(one.call for one in calls), call), dealer)
        except IllegalCall:
            # the known hands bid otherwise than in the auction that is given
            return KnownAuction(tuple(calls), seat)
        calls.append(SeatCall(seat, call, answer))
    return KnownAuction(tuple(calls), None)
