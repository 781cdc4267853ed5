"""The line protocol of foreign engines: a question is one line, and so is its answer.

A question has everything that a player knows: hand, dealer, vulnerability and the calls so far,
with blanks between them. Whose turn it is follows from the dealer and the number of calls. The
answer is a call, and behind a blank what it means, if the engine says so::

    AQ4.KJ3.K876.Q52 N None 1N P
    3N to play

Lines are UTF-8. An answer that begins with ``#`` is a remark, which nobody reads.
"""

from typing import Final, NamedTuple

from bidcascade.bridge import (
    VULNERABILITIES,
    Auction,
    BidcascadeError,
    EngineFailed,
    InvalidCall,
    InvalidInput,
    Seat,
    Vulnerability,
    format_call,
    format_calls,
    format_hand,
    parse_call,
    parse_calls,
    parse_hand,
    parse_seat,
    parse_vulnerability,
    visible,
)

PREFIX: Final = "engine:"
"""Before the command or address of an engine, where a system could stand."""
LONGEST_LINE: Final = 4096
"""Bytes of an answer with its line end."""
REMARK: Final = b"#"
_SHOWN: Final = 80


def is_engine_name(name: str) -> bool:
    """Whether this names a foreign engine.

    Examples
    --------
    >>> is_engine_name("engine:./bot"), is_engine_name("sayc")
    (True, False)
    """
    return name.startswith(PREFIX)


class Turn(NamedTuple):
    """What a player knows who is to call.

    Parameters
    ----------
    hand : int
        Mask of 13 cards.
    dealer : Seat
    vulnerability : Vulnerability
    calls : tuple of int
        From the dealer on.
    """

    hand: int
    dealer: Seat
    vulnerability: Vulnerability
    calls: tuple[int, ...]

    @property
    def seat(self) -> Seat:
        """Who is to call."""
        return Seat((self.dealer + len(self.calls)) % 4)


class Reply(NamedTuple):
    """A call, and what it means in the engine's own words, if it said so."""

    call: int
    meaning: str = ""


def format_turn(turn: Turn) -> str:
    """Write a question, without a line end.

    Examples
    --------
    >>> hand = parse_hand("AQ4.KJ3.K876.Q52")
    >>> format_turn(Turn(hand, Seat.EAST, Vulnerability.NS, parse_calls("1N P")))
    'AQ4.KJ3.K876.Q52 E NS 1N P'
    """
    head = format_hand(turn.hand), turn.dealer.letter, VULNERABILITIES[turn.vulnerability]
    return " ".join((*head, *map(format_call, turn.calls)))


def parse_turn(line: str) -> Turn:
    """Read a question.

    Raises
    ------
    InvalidInput
        If it is none, or its auction is over; illegal calls too.

    Examples
    --------
    >>> parse_turn("AQ4.KJ3.K876.Q52 E NS 1N P").seat.letter
    'W'
    """
    words = line.split()
    try:
        hand, dealer, vulnerability = words[:3]
        turn = Turn(
            parse_hand(hand),
            parse_seat(dealer),
            parse_vulnerability(vulnerability),
            parse_calls(words[3:]),
        )
        is_over = Auction.of(turn.calls, turn.dealer).is_complete
    except BidcascadeError as error:
        raise InvalidInput(f"expected hand, dealer, vulnerability and calls: {error}") from None
    except ValueError:
        raise InvalidInput(
            f"expected hand, dealer, vulnerability and calls, got {line[:_SHOWN]!r}"
        ) from None
    if is_over:
        raise InvalidInput(f"expected an auction that goes on, got {format_calls(turn.calls)!r}")
    return turn


def format_reply(reply: Reply) -> str:
    """Write an answer, without a line end.

    Examples
    --------
    >>> format_reply(Reply(7, "15-17 balanced")), format_reply(Reply(0))
    ('1N 15-17 balanced', 'P')
    """
    return f"{format_call(reply.call)} {' '.join(reply.meaning.split())}".rstrip()


def parse_reply(line: bytes) -> Reply:
    r"""Read an answer, with or without its line end.

    Raises
    ------
    EngineFailed
        If the first word is no call, or the line is no UTF-8.

    Examples
    --------
    >>> parse_reply(b"1NT 15-17 balanced\r\n")
    Reply(call=7, meaning='15-17 balanced')
    """
    try:
        # a byte order mark is what some programs begin with
        text = line.decode("utf-8").removeprefix("\ufeff").strip()
    except UnicodeDecodeError:
        shown = repr(line[:_SHOWN].rstrip(b"\r\n"))[1:]
        raise EngineFailed(f"expected a line in UTF-8, got the bytes {shown}") from None
    call, _, meaning = text.partition(" ")
    try:
        return Reply(parse_call(call), visible(meaning.strip()))
    except InvalidCall:
        hint = ""
        if "\0" in text:
            hint = "; lines with NUL bytes may be UTF-16, expected is UTF-8"
        raise EngineFailed(
            f"expected a call (P, X, XX or 1C … 7N), got {text[:_SHOWN]!r}{hint}"
        ) from None


def where(number: int, turn: Turn) -> str:
    """Say which question of which deal it is, for messages.

    Examples
    --------
    >>> hand = parse_hand("AQ4.KJ3.K876.Q52")
    >>> where(3, Turn(hand, Seat.NORTH, Vulnerability.NONE, ()))
    'deal 3, AQ4.KJ3.K876.Q52, dealer N, vulnerable None, N to open'
    """
    calls = f"after {format_calls(turn.calls)}" if turn.calls else "to open"
    return (
        f"deal {number}, {format_hand(turn.hand)}, dealer {turn.dealer.letter}, vulnerable "
        f"{VULNERABILITIES[turn.vulnerability]}, {turn.seat.letter} {calls}"
    )
