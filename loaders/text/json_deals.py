"""Deals as JSON: what ``deals --out`` writes as lines, requests and answers of the API.

A deal is an object with a text ``deal``, as ``{"deal": "N:…", "dealer": "N", "vulnerability":
"None"}``, a line each or anywhere in one value; what it does not say of dealer and vulnerability is
that of the object around it. ``board``, ``event``, ``auction`` and ``play`` are read where they
stand in the deal itself, so that a report of a call or card from the page is a board too.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import polars as pl

from bidcascade.bridge import (
    SEATS,
    BidcascadeError,
    InvalidInput,
    Vulnerability,
    format_call,
    format_card,
    format_hand_bbo,
    parse_calls,
    parse_card,
    parse_seat,
    parse_vulnerability,
)
from bidcascade.loaders.files.encodings import decode_text
from bidcascade.loaders.frames.frame import DEAL_SCHEMA, QUOTED, Batch, join, reject_frame

LONGEST_VALUE: Final = 4 << 20
"""Characters of one value that are read: what it becomes takes twenty times as much memory."""
_DEAL: Final = re.compile(rb'"deal"\s*:\s*"(?!")|"(?:deals|layouts)"\s*:\s*\[\s*"\s*[NESWnesw0-4]')
_LISTS: Final = ("deals", "layouts")
"""Fields whose texts are deals."""
_SIDES: Final = dict(zip(Vulnerability, "oneb", strict=True))
_LIN_DEALERS: Final = {"S": "1", "W": "2", "N": "3", "E": "4"}
_Reject: TypeAlias = tuple[str, int | None, str, str]


def holds_deals(head: bytes) -> bool:
    """Whether the beginning of a JSON file has a deal in it.

    Examples
    --------
    >>> holds_deals(b'{"deal": "N:..."}'), holds_deals(b'{"deal": 0, "total": 1}')
    (True, False)
    """
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") and (
        _DEAL.search(head) is not None
    )


class _Told(NamedTuple):
    """A deal as it stands, and what the objects around it say."""

    deal: Mapping[str, Any]
    dealer: object
    vulnerability: object


def read_json_deals(data: bytes, source: str = "", *, first_line: int = 1) -> Batch:
    """Read the deals of JSON Lines, or of one JSON value.

    Parameters
    ----------
    data : bytes
    source : str
        Name for the column ``source``.
    first_line : int
        Number of the first line, where the text is a part of longer JSON Lines.

    Returns
    -------
    Batch
        ``record`` counts the deals from 1 on, in both frames; a line that is no JSON counts too.

    Examples
    --------
    >>> deal = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    >>> line = f'{{"deal": "{deal}", "dealer": "E", "vulnerability": "NS", "board": 2}}'
    >>> read_json_deals(line.encode()).deals.select("dealer", "vulnerability", "board").row(0)
    ('E', 'NS', 2)
    """
    text, encoding = decode_text(data)
    rejects: list[_Reject] = []
    lins: list[str] = []
    rows: list[tuple[int, int | None, str | None]] = []
    number = 0
    for line, written, value in _values(text, first_line):
        if isinstance(value, InvalidInput):
            number += 1
            rejects.append((source, number, f"line {line}: {value}", written))
            continue
        for told in _deals_in(value):
            number += 1
            try:
                lins.append(_as_lin(told))
            except BidcascadeError as error:
                reason = f"line {line}: {error}"
                rejects.append((source, number, reason, json.dumps(told.deal, default=str)))
            else:
                rows.append((number, _board(told.deal), _text(told.deal.get("event"))))
    return join([_frame(lins, rows, source, encoding), Batch(_no_deals(), reject_frame(rejects))])


def _no_deals() -> pl.DataFrame:
    return pl.DataFrame(schema=DEAL_SCHEMA)


def _values(text: str, first_line: int) -> Iterator[tuple[int, str, object]]:
    """Give the values of a text, one a line or one in all, behind their lines and how these begin.

    What is no value is an error.
    """
    body = text.removeprefix("\ufeff")
    first = next((line for line in body.split("\n", 50) if line.strip()), "")
    # a part of JSON Lines may begin with a line that is none
    if first_line == 1 and isinstance(_value(first), InvalidInput):
        start = body[: len(body) - len(body.lstrip())].count("\n") + 1
        yield start, body.strip()[:QUOTED], _value(body)
        return
    for number, line in enumerate(body.split("\n"), first_line):
        if line.strip():
            yield number, line[:QUOTED], _value(line)


def _value(text: str) -> object:
    if len(text) > LONGEST_VALUE:
        return InvalidInput(
            f"expected JSON of at most {LONGEST_VALUE:,} characters in one value, got {len(text):,}"
        )
    try:
        return json.loads(text)
    except ValueError as error:
        return InvalidInput(f"expected JSON, got {text.strip()[:40]!r}: {error}")
    except RecursionError:
        return InvalidInput(f"expected JSON, got {text.strip()[:40]!r}: nested too deep")


def _deals_in(value: object) -> Iterator[_Told]:
    """Give the deals in a value, in their order."""
    open_values: list[tuple[object, object, object]] = [(value, None, None)]
    while open_values:
        one, dealer, sides = open_values.pop()
        if isinstance(one, list):
            open_values += ((item, dealer, sides) for item in reversed(one))
        if not isinstance(one, dict):
            continue
        if isinstance(one.get("deal"), str):
            yield _Told(one, one.get("dealer") or dealer, one.get("vulnerability") or sides)
            continue
        dealer, sides = one.get("dealer") or dealer, one.get("vulnerability") or sides
        for name, inner in reversed(one.items()):
            if name in _LISTS and isinstance(inner, list):
                inner = [{"deal": item} if isinstance(item, str) else item for item in inner]
            if isinstance(inner, dict | list):
                open_values.append((inner, dealer, sides))


def _as_lin(told: _Told) -> str:
    """Say in LIN what a deal says; raises with what is wrong."""
    from .hand_text import parse_hands_line

    deal = told.deal
    hands, first = parse_hands_line(deal["deal"])
    dealer = first if told.dealer is None else parse_seat(_text(told.dealer) or "")
    sides = (
        Vulnerability.NONE
        if told.vulnerability is None
        else parse_vulnerability(_text(told.vulnerability) or "")
    )
    written = ",".join(format_hand_bbo(hands[seat]) if hands[seat] else "" for seat in (2, 3, 0, 1))
    calls = [f"mb|{format_call(call)}|" for call in _calls(deal.get("auction"))]
    cards = [f"pc|{format_card(card)}|" for card in _cards(deal.get("play"))]
    return (
        f"st||md|{_LIN_DEALERS[SEATS[dealer]]}{written}|sv|{_SIDES[sides]}|"
        f"{''.join(calls)}pg||{''.join(cards)}pg||"
    )


def _calls(value: object) -> tuple[int, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return parse_calls(value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return parse_calls(value)
    raise InvalidInput(f"expected calls as text or a list in 'auction', got {value!r:.60}")


def _cards(value: object) -> list[int]:
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [parse_card(one) for one in value]
    raise InvalidInput(f"expected a list of cards in 'play', got {value!r:.60}")


def _board(deal: Mapping[str, Any]) -> int | None:
    number = deal.get("board")
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if 0 < number < 1 << 31 else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _frame(
    lins: list[str], rows: list[tuple[int, int | None, str | None]], source: str, encoding: str
) -> Batch:
    """Read the boards that were brought into LIN, each with its own number and event."""
    from bidcascade.loaders.lin.lin import LinDocument, parse_lin

    text = "".join(lins).encode()
    deals, refused = parse_lin([LinDocument(text, source, encoding)] if lins else [], [])
    # who is read is the board of that place: LIN counts those that it refuses, too
    places = [number - 1 for number in deals["record"].to_list()]
    kept = pl.DataFrame(
        [rows[place] for place in places],
        schema={name: DEAL_SCHEMA[name] for name in ("record", "board", "event")},
        orient="row",
    )
    numbers = [rows[number - 1][0] if number else None for number in refused["record"].to_list()]
    return Batch(
        deals.with_columns(kept),
        refused.with_columns(pl.Series("record", numbers, pl.UInt32)),
    )
