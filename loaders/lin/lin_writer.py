"""Write deal frames as LIN; :func:`bidcascade.loaders.read_lin` reads back what was written."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

import polars as pl

from bidcascade.bridge import CALL_TEXTS, VULNERABILITIES, format_card, format_hand_bbo
from bidcascade.loaders.files.whole_files import write_texts
from bidcascade.loaders.frames.frame import DEAL_SCHEMA, REQUIRED_COLUMNS, UNREADABLE
from bidcascade.loaders.frames.value_rules import checked_rows

_DEALER_DIGIT = {"S": "1", "W": "2", "N": "3", "E": "4"}
_SV = dict(zip(VULNERABILITIES, "oneb", strict=True))
_ROOM_LETTER = {"open": "o", "closed": "c"}
_CALL = [text.replace("XX", "r").replace("X", "d").replace("P", "p") for text in CALL_TEXTS]
_CARD = [format_card(card) for card in range(52)]
_LARGEST_BOARD = 999_999


def write_lin(frame: pl.DataFrame, file: str | Path | TextIO) -> None:
    """Write a deal frame as a LIN file.

    Parameters
    ----------
    frame : polars.DataFrame
        A deal frame; columns that are missing count as null.
    file : path or text stream
        A path is written in UTF-8 and replaced as a whole.

    Notes
    -----
    Everything LIN has a place for is read back equal. It has none for a score that does not
    follow from contract, vulnerability and tricks, for a room without a board number, for ``|``
    in a text (written ``/``), for a name of dashes and for a contract without its auction unless
    board and room are known. Letters that look like UTF-8 encoded twice (``Ã©``) are repaired on
    reading.
    ``source``, ``record`` and ``encoding`` belong to the file read.

    Examples
    --------
    >>> import io
    >>> from bidcascade.loaders.lin.lin import read_lin
    >>> lin = b"md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,|sv|b|mb|7S!|an|grand|"
    >>> stream = io.StringIO()
    >>> write_lin(read_lin(lin).deals, stream)
    >>> print(stream.getvalue(), end="")
    st||md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,SHDCAKQJT98765432|sv|b|
    mb|7S!|an|grand|pg||
    """
    if isinstance(file, str | Path):
        write_texts(format_lin(frame), Path(file))
    else:
        file.writelines(format_lin(frame))


def format_lin(frame: pl.DataFrame, shown: dict[str, Any] | None = None) -> Iterator[str]:
    """Yield the LIN text of a deal frame board by board; see :func:`write_lin`.

    Parameters
    ----------
    frame : polars.DataFrame
    shown : dict, optional
        Names and event that hold from what was written before; changed to those at the end, for
        the next frame of the same file.

    Examples
    --------
    >>> from bidcascade.loaders.frames.random_deals import random_deals
    >>> [text[:8] for text in format_lin(random_deals(2, seed=1))]
    ['st||md|3', 'st||md|4']
    """
    missing = [
        pl.lit(None, dtype=dtype).alias(name)
        for name, dtype in DEAL_SCHEMA.items()
        if name not in frame.columns and name not in REQUIRED_COLUMNS
    ]
    shown = {} if shown is None else shown
    for row in checked_rows(frame.with_columns(missing)):
        pieces: list[str] = []
        result = _result(row)
        own_event = _clean(row["event"] or "").strip(", ")
        if own_event != shown.get("event", "") or result or shown.get("result"):
            first = row["board"] or 1
            pieces.append(f"vg|{own_event},I,{first},{first},,0,,0|\n")
            if result:
                pieces.append(f"rs|{result}|\n")
            shown |= {"event": own_event, "result": result}
        if row["players"] != shown.get("players"):
            shown["players"] = row["players"]
            pieces.append(f"pn|{_names(row['players'])}|pg||\n")
        pieces += _board(row)
        yield "".join(pieces)


def count_lost_contracts(frame: pl.DataFrame) -> int:
    r"""How many boards of a deal frame have a contract that LIN has no place for.

    Examples
    --------
    >>> from bidcascade.loaders import read_deals
    >>> deal = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -"
    >>> text = f'[Deal "{deal}"]\n[Contract "7S"]\n[Declarer "N"]\n'
    >>> count_lost_contracts(read_deals(text.encode()).deals)
    1
    """
    asked = ("auction", "contract", "declarer", "board", "room")
    with_contract = frame.select(asked).filter(pl.col("contract").is_not_null())
    return sum(
        not (_ends(row["auction"] or []) or _result(row))
        for row in with_contract.iter_rows(named=True)
    )


def _board(row: dict[str, Any]) -> Iterator[str]:
    """Yield the tokens of one board."""
    number = row["board"]
    if number is not None and not 0 < number <= _LARGEST_BOARD:
        number = None
    room = _ROOM_LETTER.get(row["room"])
    if number and room:
        yield f"qx|{room}{number}|"
    known = (row[seat] for seat in ("south", "west", "north", "east"))
    hands = ",".join("" if hand is None else format_hand_bbo(hand) for hand in known)
    yield f"st||md|{_DEALER_DIGIT[row['dealer']]}{hands}|sv|{_SV[row['vulnerability']]}|"
    if number and not room:
        yield f"ah|Board {number}|"
    yield "\n"
    for remark in row["commentary"] or ():
        yield f"nt|{_clean(remark)}|\n"
    yield from _calls(row)
    yield "pg||\n"
    play = row["play"] or []
    for start in range(0, len(play), 4):
        yield "".join(f"pc|{_CARD[card]}|" for card in play[start : start + 4]) + "pg||\n"
    if row["tricks"] is not None and row["contract"] != "Pass":
        yield f"mc|{row['tricks']}|pg||\n"


def _calls(row: dict[str, Any]) -> Iterator[str]:
    calls = row["auction"] or []
    alerts = row["alerts"] or [False] * len(calls)
    announcements = row["announcements"] or [""] * len(calls)
    for call, alert, announcement in zip(calls, alerts, announcements, strict=True):
        yield f"mb|{_CALL[call]}{'!' if alert else ''}|"
        if announcement:
            yield f"an|{_clean(announcement)}|"
    for call in row["illegal_tail"] or ():
        yield "mb|#|" if call == UNREADABLE else f"mb|{_CALL[call]}|"


def _result(row: dict[str, Any]) -> str:
    """Entries of an ``rs`` value for a contract that the auction does not tell, or ``""``."""
    if row["contract"] is None or row["board"] is None or row["room"] is None:
        return ""
    if _ends(row["auction"] or []):
        return ""
    if row["contract"] == "Pass":
        entry = "PASS"
    elif row["declarer"] is None:
        return ""
    else:
        contract = row["contract"]
        entry = contract[:2] + row["declarer"] + contract[2:].lower()
    return f"{entry}," if row["room"] == "open" else f",{entry}"


def _ends(calls: list[int]) -> bool:
    """Whether the legal calls are a complete auction."""
    return len(calls) >= 4 and not any(calls[-3:])


def _names(players: Iterable[str] | None) -> str:
    """Names as South, West, North, East; for both tables where commas could mislead."""
    if players is None:
        return ",,,"
    north, east, south, west = (
        ", ".join(part.strip() for part in _clean(name).split(",")) for name in players
    )
    names = ",".join((south, west, north, east))
    return f"{names},{names}" if names.count(",") == 7 else names


def _clean(text: str) -> str:
    return text.replace("|", "/").strip()
