"""The form of BEN's clients: a question in the query of an address, calls as pairs of letters.

It is that of BEN's server (https://github.com/lorserker/ben, ``src/gameapi.py`` and the page on
its API). The calls so far, ``ctx``, are pairs of letters: ``--`` pass, ``Db`` double, ``Rd``
redouble, else the bid. Of ``vul`` ``@v`` says that North-South are vulnerable, ``@V`` East-West.
"""

from typing import Final

from bidcascade.bridge import (
    CALL_TEXTS,
    DOUBLE,
    PASS,
    REDOUBLE,
    InvalidInput,
    Vulnerability,
    format_hand,
)

from .protocol import Turn

_SIDES: Final = ("", "@v", "@V", "@v@V")
"""By vulnerability, in the order of its numbers."""
_PAIRS: Final = {PASS: "--", DOUBLE: "Db", REDOUBLE: "Rd"}
_CALL_OF_PAIR: Final = {
    **{_PAIRS.get(call, text).upper(): call for call, text in enumerate(CALL_TEXTS)},
}


def query_of(turn: Turn) -> dict[str, str]:
    """Write a question as BEN's clients do.

    Examples
    --------
    >>> from bidcascade.bridge import Seat, parse_calls, parse_hand
    >>> hand = parse_hand("AK97543.K.T3.AK7")
    >>> query_of(Turn(hand, Seat.NORTH, Vulnerability.EW, parse_calls("P 1N X P")))
    ... # doctest: +NORMALIZE_WHITESPACE
    {'user': 'bidcascade', 'dealer': 'N', 'seat': 'N', 'vul': '@V', 'ctx': '--1NDb--',
     'hand': 'AK97543.K.T3.AK7'}
    """
    return {
        "user": "bidcascade",
        "dealer": turn.dealer.letter,
        "seat": turn.seat.letter,
        "vul": _SIDES[turn.vulnerability],
        "ctx": "".join(_PAIRS.get(call, CALL_TEXTS[call]) for call in turn.calls),
        "hand": format_hand(turn.hand),
    }


def calls_of_pairs(text: str) -> tuple[int, ...]:
    """Read calls so far as BEN's clients write them.

    Raises
    ------
    InvalidInput
        If a pair of letters is no call.

    Examples
    --------
    >>> calls_of_pairs("--1NDb--")
    (0, 7, 1, 0)
    """
    found = []
    for start in range(0, len(text), 2):
        pair = text[start : start + 2]
        if pair.upper() not in _CALL_OF_PAIR:
            raise InvalidInput(
                f"expected calls in pairs of letters (-- Db Rd 1C … 7N), got {pair!r} at {start}"
            )
        found.append(_CALL_OF_PAIR[pair.upper()])
    return tuple(found)


def vulnerability_of(text: str) -> Vulnerability:
    """Read who is vulnerable as BEN does: by what is in the text.

    Examples
    --------
    >>> vulnerability_of("@v@V").text, vulnerability_of("").text
    ('Both', 'None')
    """
    return Vulnerability(("@v" in text) + 2 * ("@V" in text))
