"""A deal frame as PBN text, so that :func:`.pbn.read_pbn` gives the same frame back.

Portable Bridge Notation 2.1, export order of tags. What PBN has no tag for goes into the
supplementary tag ``AlertedCalls``: numbers of the alerted calls, from 1, written only where they
are not simply the calls with a note. Columns that a deal frame need not have are written where it
has them: systems, double-dummy tables and par, as :mod:`.pbn_double_dummy` reads them.
"""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

import polars as pl

from bidcascade.bridge import (
    CALL_TEXTS,
    SEATS,
    Auction,
    IllegalCall,
    Seat,
    format_card,
    format_hand,
)
from bidcascade.loaders.files.whole_files import write_texts
from bidcascade.loaders.frames.frame import HAND_COLUMNS, UNREADABLE
from bidcascade.loaders.frames.value_rules import checked_rows

from .pbn_double_dummy import (
    BID_SYSTEM_TAGS,
    BID_SYSTEMS_COLUMN,
    DOUBLE_DUMMY_COLUMNS,
    PAR_COLUMN,
    format_double_dummy_tricks,
    format_optimum_result_table,
)
from .pbn_tokens import TAG_LINE
from .pbn_travellers import SCORE_TABLE_COLUMN, SCORE_TABLE_HEADER

PBN_HEADER = "% PBN 2.1\n% EXPORT\n"
"""First lines of a file."""
_FURTHER = frozenset({BID_SYSTEMS_COLUMN, PAR_COLUMN, SCORE_TABLE_COLUMN, *DOUBLE_DUMMY_COLUMNS})
_VULNERABLE = {"None": "None", "NS": "NS", "EW": "EW", "Both": "All"}
_LINE_BREAKS = re.compile(r"[\r\n]+")


def write_pbn(frame: pl.DataFrame, file: str | Path | TextIO) -> None:
    """Write a deal frame to a PBN file, UTF-8.

    Reading the file gives the frame back, apart from ``source``, ``record`` and ``encoding``,
    if contract, declarer, tricks and score agree with the calls and cards as the reader
    derives them. PBN cannot hold some things: line breaks in names, events and announcements
    become blanks; a closing brace in a remark of several lines becomes a bracket, and the bracket
    of a line that looks like a tag a parenthesis; play without a contract, a declarer or all four
    hands, cards behind one that its player does not hold, calls behind one that could not be read,
    a name of dashes, and an empty or padded remark are left out or trimmed.

    Parameters
    ----------
    frame : polars.DataFrame
        Deal frame; columns but the six required ones may be missing.
    file : path or text file
        A path is created or overwritten, whole or not at all.

    Raises
    ------
    InvalidInput
        If the frame is no deal frame; names the column and the row.

    Examples
    --------
    >>> from bidcascade.loaders.frames.random_deals import random_deals
    >>> import io
    >>> with io.StringIO() as text:
    ...     write_pbn(random_deals(1, seed=1), text)
    ...     text.getvalue().splitlines()[5]
    '[Board "1"]'
    """
    if isinstance(file, str | Path):
        write_texts(chain([PBN_HEADER], format_games(frame)), Path(file))
    else:
        file.writelines(chain([PBN_HEADER], format_games(frame)))


def format_games(frame: pl.DataFrame) -> Iterator[str]:
    """Give the text of each game of a deal frame, blank line included."""
    for row in checked_rows(frame, _FURTHER):
        yield "\n".join(_game(row)) + "\n\n"


def _game(row: dict[str, Any]) -> Iterator[str]:
    dealer = Seat(SEATS.index(row["dealer"]))
    hands = [row[name] for name in HAND_COLUMNS]
    players = row.get("players") or [""] * 4
    board = row.get("board")
    yield _tag("Event", row.get("event") or "")
    yield _tag("Site", "")
    yield _tag("Date", "")
    yield _tag("Board", "" if board is None else str(board))
    for place, name in ((3, "West"), (0, "North"), (1, "East"), (2, "South")):
        yield _tag(name, players[place])
    yield _tag("Dealer", dealer.letter)
    yield _tag("Vulnerable", _VULNERABLE[row["vulnerability"]])
    texts = ["-" if hand is None else format_hand(hand) for hand in hands]
    yield _tag("Deal", f"{dealer.letter}:{' '.join(texts[dealer:] + texts[:dealer])}")
    yield _tag("Scoring", "")
    calls = row.get("auction") or []
    contract, declarer = row.get("contract"), row.get("declarer")
    passed_out = contract == "Pass"
    irregular = (
        "^" if declarer is not None and _declarer(calls, dealer) not in (None, declarer) else ""
    )
    yield _tag("Declarer", "" if passed_out else irregular + (declarer or "?"))
    yield _tag("Contract", _contract_text(contract))
    tricks = row.get("tricks")
    yield _tag("Result", "" if tricks is None else str(tricks))
    for name, system in zip(BID_SYSTEM_TAGS, row.get(BID_SYSTEMS_COLUMN) or (), strict=False):
        if system:
            yield _tag(name, system)
    if row.get("room") is not None:
        yield _tag("Room", row["room"].capitalize())
    if row.get("score") is not None:
        yield _tag("Score", f"NS {row['score']}")
    for remark in row.get("commentary") or ():
        yield from _remark(remark)
    tail = row.get("illegal_tail") or []
    if calls or tail:
        yield from _auction(row, dealer, calls, tail)
    is_played = contract and not passed_out and declarer is not None and row.get("play")
    if is_played and declarer is not None and None not in hands:
        yield from _play(row["play"], hands, SEATS.index(declarer))
    yield from _results(row)


def _results(row: dict[str, Any]) -> Iterator[str]:
    """Other tables, then tricks and par, double dummy: behind all that is of this table."""
    if row.get(SCORE_TABLE_COLUMN):
        yield f'[ScoreTable "{SCORE_TABLE_HEADER}"]'
        yield from row[SCORE_TABLE_COLUMN]
    tricks = [row.get(name) for name in DOUBLE_DUMMY_COLUMNS]
    if None not in tricks:
        known = [int(one) for one in tricks if one is not None]
        yield _tag("DoubleDummyTricks", format_double_dummy_tricks(known))
        # widths of columns stand behind a backslash, which is none of an escape
        yield r'[OptimumResultTable "Declarer;Denomination\2R;Result\2R"]'
        yield from format_optimum_result_table(known)
    if row.get(PAR_COLUMN) is not None:
        yield _tag("OptimumScore", f"NS {row[PAR_COLUMN]}")


def _tag(name: str, value: str) -> str:
    text = _LINE_BREAKS.sub(" ", value).replace("\\", "\\\\").replace('"', '\\"')
    if text.startswith("#"):
        # a bare number sign would repeat the value of the game before
        text = "\\" + text
    return f'[{name} "{text}"]'


def _remark(text: str) -> Iterator[str]:
    text = text.strip()
    if not text:
        return
    if "}" not in text:
        yield f"{{{_without_tags(text)}}}"
    elif _LINE_BREAKS.search(text) is None:
        yield f";{text}"
    else:
        yield f"{{{_without_tags(text.replace('}', ']'))}}}"


def _without_tags(text: str) -> str:
    """Remark whose lines do not begin as tags do: none goes on beyond such a line."""
    return TAG_LINE.sub(lambda match: match[0].replace("[", "(", 1), text)


def _contract_text(contract: str | None) -> str:
    if contract is None:
        return "?"
    return contract.replace("N", "NT", 1) if contract[1:2] == "N" else contract


def _declarer(calls: list[int], dealer: Seat) -> str | None:
    """Seat letter of the declarer that a complete auction gives."""
    try:
        auction = Auction.of(calls, dealer)
    except IllegalCall:
        return None
    declarer = auction.declarer if auction.is_complete else None
    return None if declarer is None else declarer.letter


def _auction(row: dict[str, Any], dealer: Seat, calls: list[int], tail: list[int]) -> Iterator[str]:
    texts: list[str] = row.get("announcements") or [""] * len(calls)
    alerts: list[bool] = row.get("alerts") or [bool(text) for text in texts]
    number_of: dict[str, int] = {}
    words: list[str] = []
    for call, text, alert in zip(calls, texts, alerts, strict=True):
        word = _call_text(call)
        if text or alert:
            text = _LINE_BREAKS.sub(" ", text).strip()
            word += f" ={number_of.setdefault(text, len(number_of) + 1)}="
        words.append(word)
    if tail:
        words.append("^S")
        words.extend("#" if call == UNREADABLE else _call_text(call) for call in tail)
    elif row.get("auction_status") == "unfinished":
        words.append("*")
    noted = [bool(text) or alert for text, alert in zip(texts, alerts, strict=True)]
    if noted != alerts:
        numbers = " ".join(str(place) for place, alert in enumerate(alerts, start=1) if alert)
        yield _tag("AlertedCalls", numbers)
    yield _tag("Auction", dealer.letter)
    for start in range(0, len(words), 4):
        yield " ".join(words[start : start + 4])
    for text, number in number_of.items():
        yield _tag("Note", f"{number}:{text}")


def _call_text(call: int) -> str:
    text = CALL_TEXTS[call]
    return "Pass" if text == "P" else text.replace("N", "NT")


def _play(cards: list[int], hands: list[int], declarer: int) -> Iterator[str]:
    """Rows of the play section: columns are the seats from the opening leader on."""
    leader = (declarer + 1) % 4
    yield _tag("Play", SEATS[leader])
    for start in range(0, len(cards), 4):
        trick = cards[start : start + 4]
        owners = [next(seat for seat in range(4) if hands[seat] >> card & 1) for card in trick]
        row = ["-"] * 4
        for owner, card in zip(owners, trick, strict=True):
            row[(owner - leader) % 4] = format_card(card)
        if len(set(owners)) < len(owners):
            # no columns: it was not played from these hands
            row = [format_card(card) for card in trick]
        yield " ".join(row)
    if len(cards) < 52:
        yield "*"
