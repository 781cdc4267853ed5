"""Calls as small integers: 0 pass, 1 double, 2 redouble, 3 … 37 the bids 1C … 7N."""

import re
from collections.abc import Iterable
from operator import index

from .errors import InvalidCall

PASS = 0
DOUBLE = 1
REDOUBLE = 2
FIRST_BID = 3
LAST_BID = 37
CALL_COUNT = 38
STRAINS = "CDHSN"
"""Strain letters in bidding order; a strain's code is its position here."""

CALL_TEXTS: tuple[str, ...] = (
    "P",
    "X",
    "XX",
    *(f"{level}{strain}" for level in range(1, 8) for strain in STRAINS),
)

_CALL_BY_TEXT: dict[str, int] = {text.lower(): code for code, text in enumerate(CALL_TEXTS)}
_CALL_BY_TEXT |= {f"{text.lower()}t": code for code, text in enumerate(CALL_TEXTS) if "N" in text}
_CALL_BY_TEXT |= {
    f"{level}{sign}": FIRST_BID + 5 * (level - 1) + strain
    for level in range(1, 8)
    for strain, sign in enumerate("♣♦♥♠")
}
_CALL_BY_TEXT |= {
    "pass": PASS, "d": DOUBLE, "dbl": DOUBLE, "double": DOUBLE, "r": REDOUBLE, "rdbl": REDOUBLE,
    "rd": REDOUBLE, "redouble": REDOUBLE,
}  # fmt: skip

_SEPARATORS = re.compile(r"[\s,\-]+")


def parse_call(text: str) -> int:
    """Code of a call: ``P``, ``Pass``, ``X``, ``D``, ``Dbl``, ``XX``, ``R``, ``1C`` … ``7NT``.

    Raises
    ------
    InvalidCall
        If the text is no call.

    Examples
    --------
    >>> parse_call("1NT"), parse_call("d"), parse_call("7N")
    (7, 1, 37)
    """
    code = _CALL_BY_TEXT.get(text.lower()) if isinstance(text, str) else None
    if code is None:
        raise InvalidCall(f"expected a call (P, X, XX or 1C … 7N), got {text!r}")
    return code


def format_call(call: int) -> str:
    """Text of a call code.

    Raises
    ------
    InvalidCall
        If the number is no call code.

    Examples
    --------
    >>> format_call(7)
    '1N'
    """
    if not 0 <= call < CALL_COUNT:
        raise InvalidCall(f"expected a call code 0-37, got {call!r}")
    return CALL_TEXTS[call]


def make_bid(level: int, strain: int) -> int:
    """Code of a bid from its level (1-7) and strain (0-4 = C D H S N).

    Examples
    --------
    >>> format_call(make_bid(3, 4))
    '3N'
    """
    if not (1 <= level <= 7 and 0 <= strain <= 4):
        raise InvalidCall(f"expected level 1-7 and strain 0-4, got {level!r} and {strain!r}")
    return FIRST_BID + 5 * (level - 1) + strain


def _check_bid(call: int) -> int:
    if not FIRST_BID <= call <= LAST_BID:
        raise InvalidCall(f"expected a bid (code {FIRST_BID}-{LAST_BID}), got {call!r}")
    return call - FIRST_BID


def bid_level(call: int) -> int:
    """Level 1-7 of a bid code (not of pass, double or redouble).

    Examples
    --------
    >>> bid_level(parse_call("4S"))
    4
    """
    return _check_bid(call) // 5 + 1


def bid_strain(call: int) -> int:
    """Strain 0-4 (C D H S N) of a bid code.

    Examples
    --------
    >>> STRAINS[bid_strain(parse_call("4S"))]
    'S'
    """
    return _check_bid(call) % 5


def split_calls(text: str) -> list[str]:
    """Texts of calls, which are separated by blanks, commas or hyphens.

    Examples
    --------
    >>> split_calls("1N-P, 3N")
    ['1N', 'P', '3N']
    """
    return [part for part in _SEPARATORS.split(text.strip()) if part]


def parse_calls(calls: str | Iterable[int | str]) -> tuple[int, ...]:
    """Codes of calls, in order: a text of them, or each by itself as its text or its code.

    In a text they are separated by blanks, commas or hyphens. Neither legality nor codes that are
    given are looked at here: see :class:`bidcascade.bridge.auction.Auction`.

    Examples
    --------
    >>> parse_calls("1N-P-3N")
    (7, 0, 17)
    >>> parse_calls(["1N", 0])
    (7, 0)
    """
    if isinstance(calls, str):
        calls = split_calls(calls)
    try:
        return tuple(parse_call(call) if isinstance(call, str) else index(call) for call in calls)
    except TypeError:
        raise InvalidCall(f"expected calls as text or codes, got {calls!r}") from None


def format_calls(calls: Iterable[int], separator: str = " ") -> str:
    """Text of several calls.

    Examples
    --------
    >>> format_calls((7, 0, 17), "-")
    '1N-P-3N'
    """
    return separator.join(format_call(call) for call in calls)
