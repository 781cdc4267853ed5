"""The lines of a PBN ``ScoreTable``: what the other tables did with a deal.

Portable Bridge Notation 2.1, chapters 5.1, 5.2 and 5.9. ``TotalScoreTable`` ranks the pairs of a
whole event and ``InstantScoreTable`` gives the points for a score: neither says what a table did.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import polars as pl

from bidcascade.kernels.machine.caches import bounded_cache
from bidcascade.loaders.frames.frame import HAND_COLUMNS, reader_remark
from bidcascade.loaders.limits import LONGEST_HEADER

from .pbn_sections import UNKNOWN, read_contract, read_score
from .pbn_tokens import Game

_COLUMN = re.compile(r"[+-]?\s*(\w+)(?:\\(\d+)[LR]?)?", re.ASCII)
_ONE = re.compile("0*1")
# a quote that is never closed ends with the line, so that the time is in proportion to its length
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"|\\?\Z)|(\S+)')
_BETWEEN_NAMES = (re.compile(r"\s+[-&/+]\s+"), re.compile(r"\s*[-&/+]\s*"))
_MISSING = re.compile(r"-|\?*")
_SHARED_TAGS = ("Deal", "Board", "Dealer", "Vulnerable", "Event")
_SIDES = (("NS", "North", "South"), ("EW", "East", "West"))


class _Column(NamedTuple):
    name: str
    """Without case."""
    width: int
    """Characters, 0 if the header does not say."""


class Refused(NamedTuple):
    """A line that is no result."""

    number: int
    reason: str
    text: str


def read_travellers(game: Game) -> Iterator[Game | Refused]:
    """Give each line of a game's score tables as a game of the same deal, without an auction.

    Values are set apart by blanks, or stand in quotes; a name may hold blanks where the header
    gives its width or it is the last. Names of a pair are divided at a dash, ``&``, ``/`` or ``+``;
    without names a player is called by the number of the pair: ``pair 12``, with the section in
    front of it. The result may be given as tricks or against the contract (``=``, ``-2``). An
    opening lead is all there is of the play. A line without a contract and a score, such as a
    bye or an adjusted score, is refused. One that counts for several tables is one board, which
    tells so.
    """
    shared = {name: game.tags[name] for name in _SHARED_TAGS if name in game.tags}
    first = game.number + game.traveller_offset
    for number, (table, line) in enumerate(game.travellers, first):
        header = game.tags.get(table, "")
        if len(header) > LONGEST_HEADER:
            reason = (
                f"expected a header of at most {LONGEST_HEADER:,} characters in {table}, "
                f"got {len(header):,}"
            )
            yield Refused(number, reason, line)
            continue
        columns = _columns(header)
        values = _values(line, columns)
        if values is None:
            got = len(_TOKEN.findall(line))
            yield Refused(
                number, f"expected {len(columns)} values in a line of ScoreTable, got {got}", line
            )
            continue
        tags = _result(values)
        if tags is None:
            contract = values.get("contract", "")
            reason = f"expected a contract or a score in a line of ScoreTable, got {contract!r}"
            yield Refused(number, reason, line)
            continue
        sections = {"Play": lead} if (lead := values.get("lead")) else {}
        remarks = _count(values.get("multiplicity", "1"))
        yield Game(number, {**shared, **tags, **_players(values)}, sections, {}, remarks)


@bounded_cache(64)
def _columns(header: str) -> list[_Column]:
    found = (_COLUMN.match(part.strip()) for part in header.split(";"))
    return [
        _Column(match[1].lower(), int(match[2] or 0) if len(match[2] or "") < 9 else 0)
        if match
        else _Column("", 0)
        for match in found
    ]


def _values(line: str, columns: list[_Column]) -> dict[str, str] | None:
    """Values by column, without those that are missing; ``None`` if they are not as many."""
    tokens = [quoted or plain for quoted, plain in _TOKEN.findall(line)]
    if len(tokens) != len(columns):
        tokens = []
        place = 0
        for number, column in enumerate(columns, 1):
            match = _TOKEN.match(line, place := _next(line, place))
            if match is None:
                return None
            end = match.end()
            if column.name.startswith("names") and match[1] is None:
                end = place + column.width if column.width else end
                end = len(line) if number == len(columns) else end
            tokens.append(match[1] if match[1] is not None else line[place:end].strip())
            place = end
        if line[place:].strip():
            return None
    pairs = zip(columns, tokens, strict=True)
    return {column.name: token.strip() for column, token in pairs if not _MISSING.fullmatch(token)}


def _next(line: str, place: int) -> int:
    while place < len(line) and line[place].isspace():
        place += 1
    return place


def _result(values: dict[str, str]) -> dict[str, str] | None:
    """Tags of what was played and scored; ``None`` if the line says neither."""
    get = values.get
    contract, declarer = get("contract", ""), get("declarer", "")
    score = ""
    for side in ("ns", "ew"):
        given = get(f"score_{side}", "")
        # the other side's is written as 0 by some
        if read_score(f"{side} {given}", UNKNOWN) is not None and score in ("", "ns 0"):
            score = f"{side} {given}"
    if read_contract(contract) == UNKNOWN and not score:
        return None
    result = get("result", "")
    return {"Contract": contract, "Declarer": declarer, "Result": result, "Score": score}


def _count(multiplicity: str) -> list[str]:
    """Tell where a line stands for any number of tables but one: it is one board here."""
    if _ONE.fullmatch(multiplicity):
        return []
    return [reader_remark("one table in Multiplicity", multiplicity)]


def _players(values: dict[str, str]) -> dict[str, str]:
    get = values.get
    names: dict[str, str] = {}
    for side, first, second in _SIDES:
        if names_of_pair := get(f"names_{side.lower()}"):
            names[first], names[second] = _divided(names_of_pair)
        elif number := get(f"pairid_{side.lower()}"):
            names[first] = names[second] = f"pair {get('section', '')}{number}"
        for seat in (first, second):
            names[seat] = get(seat.lower(), names.get(seat, ""))
    return names


def _divided(names: str) -> tuple[str, str]:
    names = " ".join(names.split())
    for pattern in _BETWEEN_NAMES:
        parts = pattern.split(names)
        if len(parts) == 2:
            return parts[0].strip(), parts[1].strip()
    return names, ""


# --- writing --------------------------------------------------------------------------------------

SCORE_TABLE_COLUMN: Final = "score_table"
"""Column with lines of a ``ScoreTable``: what other tables did with the deal of a row."""
SCORE_TABLE_HEADER: Final = r"Names_NS;Names_EW;Contract\4L;Declarer;Result\2R;Score_NS\5R"
_SAME_BOARD: Final = (*HAND_COLUMNS, "dealer", "vulnerability", "board", "event")
_MORE_THAN_A_LINE: Final = ("auction", "illegal_tail", "play", "commentary", "room")
_NO_NAME: Final = re.compile(r"[-&/+\"\\\r\n]")


def with_score_tables(frame: pl.DataFrame) -> pl.DataFrame:
    """Put rows that are lines of a traveller into the table of the board before them.

    Parameters
    ----------
    frame : polars.DataFrame
        Deal frame, rows of one board behind each other.

    Returns
    -------
    polars.DataFrame
        Fewer rows, with :data:`SCORE_TABLE_COLUMN`. A row with calls, cards, remarks, a room or a
        name that a line cannot hold stays a row of its own.
    """
    rows: list[int] = []
    lines: list[list[str]] = []
    before: tuple[object, ...] | None = None
    for number, row in enumerate(frame.iter_rows(named=True)):
        board = tuple(row.get(name) for name in _SAME_BOARD)
        line = format_score_line(row) if board == before else None
        if line is None:
            rows.append(number)
            lines.append([])
        else:
            lines[-1].append(line)
        before = board
    return frame[rows].with_columns(
        pl.Series(SCORE_TABLE_COLUMN, lines, dtype=pl.List(pl.String()))
    )


def format_score_line(row: dict[str, Any]) -> str | None:
    """Line of a ``ScoreTable`` under :data:`SCORE_TABLE_HEADER`; ``None`` where it is no line.

    Examples
    --------
    >>> format_score_line({"contract": "3NX", "declarer": "S", "tricks": 8, "score": -100})
    '- - 3NTX S  8  -100'
    """
    if any(row.get(name) for name in _MORE_THAN_A_LINE):
        return None
    contract, score = row.get("contract"), row.get("score")
    if contract is None and score is None:
        return None
    names = [name or "" for name in row.get("players") or ("",) * 4]
    pairs = [_pair(names[0], names[2]), _pair(names[1], names[3])]
    if None in pairs:
        return None
    bid = "-" if contract is None else contract
    bid = bid.replace("N", "NT", 1) if bid[1:2] == "N" else bid
    tricks = row.get("tricks")
    return (
        f"{pairs[0]} {pairs[1]} {bid:4} {row.get('declarer') or '-'} "
        f"{'-' if tricks is None else tricks:>2} {'-' if score is None else score:>5}"
    )


def _pair(first: str, second: str) -> str | None:
    if not first and not second:
        return "-"
    stripped = first == first.strip() and second == second.strip()
    if not first or not second or not stripped or _NO_NAME.search(first + second):
        return None
    return f'"{first} - {second}"'
