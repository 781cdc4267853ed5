"""Bodies with many deals: cut into short pieces, which are parsed one after the other.

The JSON parser holds Python's lock from the first byte that it is given to the last, and its errors
are written under the lock too: a body of 32 MB in one piece would stop the whole service for
seconds. So nobody gets more than :data:`PIECE` bytes. Patterns find where values end without
looking into them; they never look further than a piece either, and never go back.
"""

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

from pydantic_core import from_json

from bidcascade.engine.questions.deals.auctions import DealsRequest
from bidcascade.engine.questions.deals.deal_reading import deals_of
from bidcascade.kernels import DealArrays
from bidcascade.service.api.http.limits import malformed, parse_body
from bidcascade.service.api.http.problems import LONGEST_VALUE, Problem, field_problem

from .batched_questions import joined

_Model = TypeVar("_Model", bound=DealsRequest)

PIECE: Final = 1 << 16
"""Bytes of JSON that are parsed at once, and longest deal or other value of a large body."""
_MOST_IN_PIECE: Final = 1000

_TEXT: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_LIST: Final = rb'\[(?:[^][{}"]++|%b)*+\]' % _TEXT
_OBJECT: Final = rb'\{(?:[^][{}"]++|%b|%b)*+\}' % (_TEXT, _LIST)
_VALUE: Final = rb'(?:[^][{}",]++|%b|%b|%b)++' % (_TEXT, _LIST, _OBJECT)

_BEGIN: Final = re.compile(rb"\s*+\{")
_KEY: Final = re.compile(rb"\s*+(?P<name>%b)\s*+:\s*+" % _TEXT, re.DOTALL)
_MEMBER: Final = re.compile(rb"%b(?=[,}])" % _VALUE, re.DOTALL)
_DEALS: Final = re.compile(rb"(?:%b(?=[,\]]),?+){1,%d}+" % (_VALUE, _MOST_IN_PIECE), re.DOTALL)
_LIST_BEGIN: Final = re.compile(rb"\[")
_LIST_END: Final = re.compile(rb"\]")
_NEXT: Final = re.compile(rb"\s*+([,}])")
_END: Final = re.compile(rb"\s*+\Z")


def read_large(
    model: type[_Model],
    body: bytes | bytearray,
    check: Callable[[int], None],
    *,
    piece: int = PIECE,
) -> tuple[_Model, DealArrays]:
    """Read a request with many deals; what it returns of the request has none.

    Parameters
    ----------
    model : type
        Of the request; its deals are the field ``deals``.
    body : bytes
    check : callable
        Gets the number of deals so far, and raises where they are too many.
    piece : int
        Bytes that are parsed at once.

    Raises
    ------
    Problem
        400 if the body is not JSON, 422 if it does not fit; names the first fields.
    """
    scan = _Scan(body, piece)
    runs: list[DealArrays] | None = None
    others: list[bytes] = []
    scan.take(_BEGIN, b"", "body")
    more = True
    while more:
        key = scan.take(_KEY, b"{", "body")
        try:
            name = str(from_json(key["name"]))
        except ValueError as error:
            raise malformed(str(error), key["name"], key.start("name")) from None
        if name == "deals" and scan.is_at(b"["):
            # of two members of one name the last one counts, as for the parser of short bodies
            runs = _read_deals(scan, check)
        else:
            value = scan.take(_MEMBER, b"[", name)
            others.append(key[0] + value[0])
            # all of them are parsed at once
            scan.reach -= len(others[-1])
        more = scan.take(_NEXT, b"{", "body")[1] == b","
    scan.take(_END, b"", "body")
    if runs is not None:
        others.append(b'"deals":[{}]')
    request = parse_body(model, b"{%b}" % b",".join(others))
    return request, joined(runs or [])


def read_deals_body(
    model: type[_Model], body: bytes | bytearray, most: int
) -> tuple[_Model, DealArrays | None]:
    """Read a request about deals, short or large.

    Returns
    -------
    tuple of request and DealArrays or None
        The deals are read already where there are many; else they are in the request.

    Raises
    ------
    Problem
        As :func:`read_large`; 413 if there are more than ``most`` deals.
    """

    def check(count: int) -> None:
        if count > most:
            raise Problem(
                "too-many-deals",
                f"expected at most {most:,} deals in a request (setting max_request_deals), got "
                f"{count:,}; `bidcascade batch` works on any number",
            )

    if len(body) > PIECE:
        return read_large(model, body, check)
    request = parse_body(model, body)
    check(len(request.deals))
    return request, None


def _read_deals(scan: "_Scan", check: Callable[[int], None]) -> list[DealArrays]:
    """Deals of the list that begins here; goes on behind it."""
    runs: list[DealArrays] = []
    count = 0
    scan.take(_LIST_BEGIN, b"", "deals")
    more = True
    while more:
        start = scan.position
        text = scan.take(_DEALS, b"[", f"deals[{count}]")[0]
        run = text.removesuffix(b",")
        more = len(run) < len(text)
        request = parse_body(DealsRequest, b'{"deals":[%b]}' % run, first=count, start=start)
        check(count + len(request.deals))
        runs.append(deals_of(request.deals, first=count))
        count += len(request.deals)
    scan.take(_LIST_END, b"[", f"deals[{count}]")
    return runs


class _Scan:
    """A place in a body that moves on from match to match, none of them longer than a piece."""

    def __init__(self, body: bytes | bytearray, piece: int) -> None:
        self.position = 0
        self.reach = piece
        self._body = body
        self._piece = piece

    def is_at(self, text: bytes) -> bool:
        return self._body.startswith(text, self.position)

    def take(self, pattern: re.Pattern[bytes], opening: bytes, field: str) -> re.Match[bytes]:
        """Match of a pattern here; with ``opening`` before it what stands here is JSON."""
        # 400 if the next piece is no JSON, else 422: its value is too long, or too deep
        found = pattern.match(self._body, self.position, self.position + self.reach)
        if found is None:
            raise self._problem(opening, field)
        self.position = found.end()
        return found

    def _problem(self, opening: bytes, field: str) -> Problem:
        piece = bytes(self._body[self.position : self.position + self._piece])
        value: Any = None
        try:
            value = from_json(
                opening + piece, allow_inf_nan=False, allow_partial="trailing-strings"
            )
        except ValueError as error:
            return malformed(str(error), piece, self.position)
        reason = f"expected values of at most {self.reach:,} bytes, none of them deep"
        if not opening and not isinstance(value, dict):
            reason = "expected an object"
        text = piece[: LONGEST_VALUE + 1].decode("utf-8", "replace")
        return field_problem(field, text, reason)
