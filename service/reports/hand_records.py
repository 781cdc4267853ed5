"""Hand records: boards as sheets that a club prints, with tricks and par where they are known.

A board stands there once, with what all its tables made of it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import polars as pl

from bidcascade.bridge import SEATS, Seat, format_calls, format_hand
from bidcascade.engine.runs.columns.wide_columns import PAR_CONTRACTS_COLUMN
from bidcascade.loaders import format_handviewer
from bidcascade.loaders.frames.frame import HAND_COLUMNS
from bidcascade.loaders.pbn.pbn_double_dummy import PAR_COLUMN

from .card_report import players_text
from .report_page import HandRecord, HandRecords, Page, Section, Text

_VULNERABLE: Final = {"None": "none", "NS": "North-South", "EW": "East-West", "Both": "both"}
_SIGNS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠", "N": "NT"}
_STRAINS: Final = "NSHDC"
_ROWS: Final = "NSEW"
_SAME_BOARD: Final = (*HAND_COLUMNS, "dealer", "vulnerability", "board")
_MOST_AUCTIONS: Final = 2
"""Tables of a board whose auctions are told: those of a match."""
_MOST_RESULTS: Final = 8
_LEAST: Final = -1 << 31


def records_page(frames: Iterable[pl.DataFrame], title: str, subtitle: str = "") -> Page:
    """Make the sheets of boards.

    Parameters
    ----------
    frames : iterable of polars.DataFrame
        Deal frames; with the columns of double-dummy results, these stand below each board. Rows
        of one board (hands, dealer, vulnerability, number) are its tables.
    title, subtitle : str

    Examples
    --------
    >>> from bidcascade.loaders import random_deals
    >>> page = records_page([random_deals(2, 1)], "Thursday")
    >>> [record.subtitle for record in page.sections[0].blocks[0].records]
    ['North deals, vulnerable: none', 'East deals, vulnerable: North-South']
    """
    tables: dict[tuple[object, ...], list[dict[str, Any]]] = {}
    links: list[str] = []
    for frame in frames:
        # a sheet is read again by its links
        rows = zip(frame.iter_rows(named=True), format_handviewer(frame), strict=True)
        for row, link in rows:
            at_table = tables.setdefault(tuple(row.get(name) for name in _SAME_BOARD), [])
            if not at_table:
                links.append(link)
            at_table.append(row)
    records = tuple(map(_record, tables.values(), range(1, len(tables) + 1), links))
    boards = HandRecords(records) if records else Text("No boards.")
    return Page(title, subtitle or f"{len(records):,} boards", (Section("Boards", (boards,)),))


def _record(rows: list[dict[str, Any]], number: int, link: str) -> HandRecord:
    """Make the record of a board that was played at some tables."""
    row = rows[0]
    board = row.get("board")
    hands = tuple(_holdings(row[name]) for name in HAND_COLUMNS)
    dealer = Seat(SEATS.index(row["dealer"])).name.capitalize()
    return HandRecord(
        f"Board {number if board is None else board}",
        f"{dealer} deals, vulnerable: {_VULNERABLE[row['vulnerability']]}",
        hands,
        next((found for found in map(_tricks, rows) if found), ()),
        tuple(_notes(rows)),
        link,
    )


def _holdings(hand: int | None) -> tuple[str, str, str, str] | None:
    if hand is None:
        return None
    spades, hearts, diamonds, clubs = format_hand(hand).split(".")
    return spades, hearts, diamonds, clubs


def _tricks(row: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    found = {seat: [row.get(f"DD_{seat}_{strain}") for strain in _STRAINS] for seat in _ROWS}
    return tuple((seat, *map(str, one)) for seat, one in found.items() if None not in one)


def _notes(rows: list[dict[str, Any]]) -> Iterator[str]:
    solved = next((row for row in rows if row.get(PAR_COLUMN) is not None), None)
    if solved is not None:
        contracts: Sequence[str] = solved.get(PAR_CONTRACTS_COLUMN) or ()
        yield f"Par {solved[PAR_COLUMN]:+} N/S{': ' + ', '.join(contracts) if contracts else ''}"
    if len(rows) <= _MOST_AUCTIONS:
        yield from dict.fromkeys(
            note for row in rows for note in (_auction(row), _result(row)) if note
        )
        return
    # as a traveller has them, the best score of North and South first
    ordered = sorted(rows, key=lambda row: -(_LEAST if row.get("score") is None else row["score"]))
    results = Counter(note for note in map(_result, ordered) if note)
    listed = {note for note, _ in results.most_common(_MOST_RESULTS)}
    yield from (
        f"{note} ({count} tables)" if count > 1 else note
        for note, count in results.items()
        if note in listed
    )
    others = sum(count for note, count in results.items() if note not in listed)
    if others:
        yield f"{others:,} other tables"


def _auction(row: dict[str, Any]) -> str:
    calls = row.get("auction") or []
    return f"{row['dealer']}: {players_text(format_calls(calls))}" if calls else ""


def _result(row: dict[str, Any]) -> str:
    contract, tricks = row.get("contract"), row.get("tricks")
    if not contract or contract == "Pass" or not row.get("declarer"):
        return ""
    made = "" if tricks is None else f", {tricks} tricks"
    score = "" if row.get("score") is None else f", {row['score']:+} N/S"
    named = contract[0] + _SIGNS[contract[1]] + contract[2:]
    return f"{named} by {row['declarer']}{made}{score}"
