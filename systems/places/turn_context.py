"""Whose turn it is: auction, dealer and sides as people give them, and what terms ask."""

from collections.abc import Iterable, Sequence

from bidcascade.bridge import (
    Auction,
    IllegalCall,
    Seat,
    Vulnerability,
    dealer_relative_seat,
    format_calls,
    is_vulnerable,
    parse_calls,
    parse_seat,
    parse_vulnerability,
    seat_of_call,
)
from bidcascade.kernels import Context


def auction_calls(auction: "str | Iterable[int | str]") -> tuple[int, ...]:
    """Codes of an auction given as text or codes."""
    return parse_calls(auction)


def dealer_and_sides(
    dealer: "Seat | int | str", vulnerability: "Vulnerability | int | str"
) -> tuple[Seat, Vulnerability]:
    """Dealer and vulnerable sides, which may be given as text."""
    numbers = (0, 1, 2, 3)
    seat = Seat(dealer) if dealer in numbers else parse_seat(dealer)  # type: ignore[arg-type]
    if vulnerability in numbers:
        return seat, Vulnerability(vulnerability)
    return seat, parse_vulnerability(vulnerability)  # type: ignore[arg-type]


def context_at(
    depth: int,
    dealer: "Seat | int | str" = Seat.NORTH,
    vulnerability: "Vulnerability | int | str" = "None",
) -> Context:
    """Seat and vulnerability of the player to call at a depth."""
    seat, sides = dealer_and_sides(dealer, vulnerability)
    caller = seat_of_call(seat, depth)
    return Context(
        dealer_relative_seat(seat, caller),
        int(is_vulnerable(sides, caller)),
        int(is_vulnerable(sides, Seat((caller + 1) % 4))),
    )


def calls_before(auction: "str | Sequence[int | str]") -> tuple[int, ...]:
    """Read the calls of an auction behind which somebody is to call.

    Raises
    ------
    IllegalCall
        If the auction is illegal or over.

    Examples
    --------
    >>> calls_before("1N P")
    (7, 0)
    """
    calls = auction_calls(auction)
    if Auction.of(calls).is_complete:
        raise IllegalCall(f"expected an auction that goes on, got {format_calls(calls)!r}")
    return calls
