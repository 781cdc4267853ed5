"""The auction as a state machine: what may be called, when it ends, what was bought.

Laws of Duplicate Bridge, Laws 17-22: calls go clockwise from the dealer, a bid must be
higher than the last one, a double applies to the opponents' last bid, a redouble to their
double, and the auction ends after three passes behind a call or four at the start.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .calls import (
    CALL_COUNT,
    DOUBLE,
    FIRST_BID,
    PASS,
    REDOUBLE,
    bid_level,
    bid_strain,
    format_call,
    format_calls,
)
from .contract import Contract
from .errors import IllegalCall, InvalidCall
from .seats import Seat, seat_of_call


@dataclass(frozen=True, slots=True)
class Auction:
    """A legal auction, built call by call; instances never change.

    Parameters
    ----------
    dealer : Seat
        Who calls first.
    calls : tuple of int
        Codes of the calls made so far. The fields behind it follow from them; they are carried
        along so that adding a call costs no look back.

    Raises
    ------
    IllegalCall
        If one of the calls may not be made where it stands.

    Examples
    --------
    >>> from bidcascade.bridge import Auction, Seat, parse_calls
    >>> auction = Auction.of(parse_calls("1N P 3N P P P"), dealer=Seat.SOUTH)
    >>> auction.is_complete, str(auction.contract)
    (True, '3NS')
    >>> Auction.of(parse_calls("P P")).seat_to_act.letter
    'S'
    """

    dealer: Seat = Seat.NORTH
    calls: tuple[int, ...] = ()
    last_bid: int = field(default=0, kw_only=True, repr=False, compare=False)
    """Code of the highest bid, 0 before any."""
    last_bidder: int = field(default=-1, kw_only=True, repr=False, compare=False)
    """Number of the call that was the last bid, -1 before any."""
    doubling: int = field(default=0, kw_only=True, repr=False, compare=False)
    """0 undoubled, 1 doubled, 2 redoubled."""
    trailing_passes: int = field(default=0, kw_only=True, repr=False, compare=False)
    """How many passes stand at the end."""

    def __post_init__(self) -> None:
        if self.calls and not (self.last_bid or self.trailing_passes):
            # built from its calls alone: every call leaves a bid or a pass behind
            state = Auction.of(self.calls, self.dealer)
            for name in ("last_bid", "last_bidder", "doubling", "trailing_passes"):
                object.__setattr__(self, name, getattr(state, name))

    @classmethod
    def of(cls, calls: Iterable[int], dealer: Seat | int = Seat.NORTH) -> "Auction":
        """Build an auction from call codes; raises at the first illegal call."""
        auction = cls(Seat(dealer))
        for call in calls:
            auction = auction.add(call)
        return auction

    @property
    def is_complete(self) -> bool:
        """Whether three passes followed a call, or four opened."""
        return self.trailing_passes == 4 or (self.trailing_passes == 3 and self.last_bid > 0)

    @property
    def seat_to_act(self) -> Seat:
        """Compass seat whose turn it is (or would be, after the end)."""
        return seat_of_call(self.dealer, len(self.calls))

    def why_illegal(self, call: int) -> str | None:
        """Say why ``call`` may not be made now, or ``None`` if it may."""
        if not 0 <= call < CALL_COUNT:
            raise InvalidCall(f"expected a call code 0-37, got {call!r}")
        if self.is_complete:
            return "the auction is over"
        if call == PASS:
            return None
        by_last_bidders_side = (len(self.calls) - self.last_bidder) % 2 == 0
        if call == DOUBLE:
            if not self.last_bid:
                return "there is no bid to double"
            if self.doubling == 2:
                return "the bid is redoubled already"
            if by_last_bidders_side:
                return "the last bid is by the caller's own side"
            return "the bid is doubled already" if self.doubling else None
        if call == REDOUBLE:
            if self.doubling == 2:
                return "the bid is redoubled already"
            if self.doubling == 0:
                return "there is no double to redouble"
            return None if by_last_bidders_side else "the double is by the caller's own side"
        if call <= self.last_bid:
            return f"insufficient: not above {format_call(self.last_bid)}"
        return None

    def is_legal(self, call: int) -> bool:
        """Whether ``call`` may be made now."""
        return self.why_illegal(call) is None

    def legal_calls(self) -> Iterator[int]:
        """Codes of all calls that may be made now, ascending."""
        return (call for call in range(CALL_COUNT) if self.is_legal(call))

    def add(self, call: int) -> "Auction":
        """Return the auction with one more call.

        Raises
        ------
        IllegalCall
            If the call may not be made; the message says which, after what and why.
        """
        reason = self.why_illegal(call)
        if reason is not None:
            before = f"after {format_calls(self.calls)}" if self.calls else "as opening call"
            raise IllegalCall(
                f"call {len(self.calls) + 1}, {format_call(call)!r}, is illegal {before}: {reason}"
            )
        calls = (*self.calls, call)
        if call == PASS:
            return Auction(
                self.dealer,
                calls,
                last_bid=self.last_bid,
                last_bidder=self.last_bidder,
                doubling=self.doubling,
                trailing_passes=self.trailing_passes + 1,
            )
        if call in (DOUBLE, REDOUBLE):
            return Auction(
                self.dealer,
                calls,
                last_bid=self.last_bid,
                last_bidder=self.last_bidder,
                doubling=1 if call == DOUBLE else 2,
            )
        return Auction(self.dealer, calls, last_bid=call, last_bidder=len(self.calls))

    @property
    def declarer(self) -> Seat | None:
        """The first of the last bidder's side to name its strain; ``None`` before any bid."""
        if not self.last_bid:
            return None
        strain = bid_strain(self.last_bid)
        for number, call in enumerate(self.calls):
            if (
                call >= FIRST_BID
                and bid_strain(call) == strain
                and (number - self.last_bidder) % 2 == 0
            ):
                return seat_of_call(self.dealer, number)
        raise AssertionError("the last bid itself names the strain")

    @property
    def contract(self) -> Contract | None:
        """What the calls so far would be played in; ``None`` before any bid."""
        declarer = self.declarer
        if declarer is None:
            return None
        return Contract(
            bid_level(self.last_bid), bid_strain(self.last_bid), self.doubling, declarer
        )


def first_illegal_call(calls: Iterable[int], dealer: Seat | int = Seat.NORTH) -> int | None:
    """Position (0-based) of the first illegal call, ``None`` if all are legal.

    Examples
    --------
    >>> from bidcascade.bridge import parse_calls
    >>> first_illegal_call(parse_calls("1S P 1H"))
    2
    """
    auction = Auction(Seat(dealer))
    for number, call in enumerate(calls):
        if not auction.is_legal(call):
            return number
        auction = auction.add(call)
    return None
