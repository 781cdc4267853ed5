"""Hand records: boards as sheets that a club prints, with tricks and par where they are known."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import polars as pl

from bidcascade.bridge import SEATS, Seat, format_calls, format_hand
from bidcascade.engine.runs.wide_columns import PAR_CONTRACTS_COLUMN
from bidcascade.loaders import format_handviewer
from bidcascade.loaders.frames.frame import HAND_COLUMNS
from bidcascade.loaders.pbn.pbn_double_dummy import PAR_COLUMN

from .card_report import players_text
from .report_page import HandRecord, HandRecords, Page, Section, Text

_VULNERABLE: Final = {"None": "none", "NS": "North-South", "EW": "East-West", "Both": "both"}
_SIGNS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠", "N": "NT"}
_STRAINS: Final = "NSHDC"
_ROWS: Final = "NSEW"


def records_page(frames: Iterable[pl.DataFrame], title: str, subtitle: str = "") -> Page:
    """Make the sheets of boards.

    Parameters
    ----------
    frames : iterable of polars.DataFrame
        Deal frames; with the columns of double-dummy results, these stand below each board.
    title, subtitle : str

    Examples
    --------
    >>> from bidcascade.loaders import random_deals
    >>> page = records_page([random_deals(2, 1)], "Thursday")
    >>> [record.subtitle for record in page.sections[0].blocks[0].records]
    ['North deals, vulnerable: none', 'East deals, vulnerable: North-South']
    """
    records: list[HandRecord] = []
    for frame in frames:
        # a sheet is read again by its links
        rows = zip(frame.iter_rows(named=True), format_handviewer(frame), strict=True)
        numbers = range(len(records) + 1, 1 << 31)
        records += (
            _record(row, number, link) for (row, link), number in zip(rows, numbers, strict=False)
        )
    boards = HandRecords(tuple(records)) if records else Text("No boards.")
    return Page(title, subtitle or f"{len(records):,} boards", (Section("Boards", (boards,)),))


def _record(row: dict[str, Any], number: int, link: str) -> HandRecord:
    board = row.get("board")
    hands = tuple(_holdings(row[name]) for name in HAND_COLUMNS)
    dealer = Seat(SEATS.index(row["dealer"])).name.capitalize()
    return HandRecord(
        f"Board {number if board is None else board}",
        f"{dealer} deals, vulnerable: {_VULNERABLE[row['vulnerability']]}",
        hands,
        tuple(_tricks(row)),
        tuple(_notes(row)),
        link,
    )


def _holdings(hand: int | None) -> tuple[str, str, str, str] | None:
    if hand is None:
        return None
    spades, hearts, diamonds, clubs = format_hand(hand).split(".")
    return spades, hearts, diamonds, clubs


def _tricks(row: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for seat in _ROWS:
        found = [row.get(f"DD_{seat}_{strain}") for strain in _STRAINS]
        if None not in found:
            yield seat, *map(str, found)


def _notes(row: dict[str, Any]) -> Iterator[str]:
    if row.get(PAR_COLUMN) is not None:
        contracts: Sequence[str] = row.get(PAR_CONTRACTS_COLUMN) or ()
        yield f"Par {row[PAR_COLUMN]:+} N/S{': ' + ', '.join(contracts) if contracts else ''}"
    calls = row.get("auction") or []
    if calls:
        yield f"{row['dealer']}: {players_text(format_calls(calls))}"
    contract, tricks = row.get("contract"), row.get("tricks")
    if contract and contract != "Pass" and row.get("declarer"):
        made = "" if tricks is None else f", {tricks} tricks"
        score = "" if row.get("score") is None else f", {row['score']:+} N/S"
        named = contract[0] + _SIGNS[contract[1]] + contract[2:]
        yield f"{named} by {row['declarer']}{made}{score}"
