"""Double-dummy results as PBN files carry them, and any other tag of a PBN file by name.

``DoubleDummyTricks`` is a supplementary tag written by several programs: twenty hexadecimal
digits, declarers North, South, East, West, for each of them notrump, spades, hearts, diamonds,
clubs. ``OptimumResultTable`` is the table of Portable Bridge Notation 2.1, chapter 5.7.
"""

import re
from typing import Final

import numpy as np
import polars as pl

from bidcascade.bridge import SEATS, STRAINS, InvalidInput
from bidcascade.loaders.files.encodings import decode_text
from bidcascade.loaders.frames.trick_bounds import impossible_tables
from bidcascade.loaders.text.hand_text import read_hands

from .pbn_tokens import Game, split_games

DOUBLE_DUMMY_COLUMNS: Final = tuple(f"DD_{seat}_{strain}" for seat in SEATS for strain in STRAINS)
"""Columns with declarer's tricks, double dummy: ``DD_N_C`` to ``DD_W_N``, in the order of
:func:`parse_double_dummy_tricks`."""

PAR_COLUMN: Final = "Par_NS"
"""Column with the par score of a deal from the view of North-South."""

BID_SYSTEMS_COLUMN: Final = "bid_systems"
"""Column with what North-South and East-West play, two texts: the supplemental tags
``BidSystemNS`` and ``BidSystemEW`` of Portable Bridge Notation 2.1. Empty where one is not said."""
BID_SYSTEM_TAGS: Final = ("BidSystemNS", "BidSystemEW")

_DECLARERS = "NSEW"
_DENOMINATIONS = "NSHDC"


def parse_double_dummy_tricks(text: str) -> tuple[int, ...]:
    """Read the twenty digits of a ``DoubleDummyTricks`` tag.

    Parameters
    ----------
    text : str
        Tricks as hexadecimal digits, declarers N S E W, denominations NT S H D C.

    Returns
    -------
    tuple of 20 int
        Tricks at ``5 * seat + strain``: seats N E S W, strains C D H S N as everywhere here.

    Raises
    ------
    InvalidInput
        If the text is not twenty digits from 0 to d.
    """
    digits = text.strip()
    values = [int(digit, 16) for digit in digits if digit in "0123456789abcdABCD"]
    if len(digits) != 20 or len(values) != 20:
        raise InvalidInput(f"expected 20 hexadecimal digits from 0 to d, got {text!r}")
    tricks = [0] * 20
    for place, value in enumerate(values):
        seat = SEATS.index(_DECLARERS[place // 5])
        tricks[5 * seat + STRAINS.index(_DENOMINATIONS[place % 5])] = value
    return tuple(tricks)


def format_double_dummy_tricks(tricks: tuple[int, ...] | list[int]) -> str:
    """Write a ``DoubleDummyTricks`` value; the counterpart of the parser."""
    if len(tricks) != 20 or not all(0 <= value <= 13 for value in tricks):
        raise InvalidInput(f"expected 20 trick counts from 0 to 13, got {tricks!r}")
    return "".join(
        f"{tricks[5 * SEATS.index(declarer) + STRAINS.index(strain)]:x}"
        for declarer in _DECLARERS
        for strain in _DENOMINATIONS
    )


def parse_optimum_result_table(text: str) -> tuple[int, ...]:
    """Read the rows of an ``OptimumResultTable``: declarer, denomination, tricks.

    Returns
    -------
    tuple of 20 int
        In the order of :func:`parse_double_dummy_tricks`.

    Raises
    ------
    InvalidInput
        If a row is no result, or one of the twenty is missing.
    """
    words = text.split()
    tricks = [-1] * 20
    for declarer, denomination, result in zip(words[0::3], words[1::3], words[2::3], strict=False):
        strain = "N" if denomination.upper() == "NT" else denomination.upper()
        if (
            len(declarer) != 1
            or declarer not in SEATS
            or len(strain) != 1
            or strain not in STRAINS
            or not (result.isascii() and result.isdigit() and int(result) <= 13)
        ):
            raise InvalidInput(
                f"expected declarer, denomination and tricks, got {declarer!r} {denomination!r} "
                f"{result!r}"
            )
        tricks[5 * SEATS.index(declarer) + STRAINS.index(strain)] = int(result)
    if -1 in tricks or len(words) % 3:
        raise InvalidInput(f"expected 20 rows of declarer, denomination and tricks, got {text!r}")
    return tuple(tricks)


def pbn_tags(data: bytes, names: list[str]) -> pl.DataFrame:
    r"""Read chosen tags of every game of a PBN file, to be joined to the deals by ``record``.

    Parameters
    ----------
    data : bytes
    names : list of str
        Tag names; those that end in ``Table`` give the rows behind the tag, not its value.

    Returns
    -------
    polars.DataFrame
        ``record`` as in :func:`.pbn.read_pbn` and one text column a name, null where absent.
    """
    rows: list[tuple[int | str | None, ...]] = []
    for game in split_games(decode_text(data)[0]):
        if isinstance(game, Game):
            values = (
                game.sections.get(name) if name.endswith("Table") else game.tags.get(name)
                for name in names
            )
            rows.append((game.number, *values))
    schema = {"record": pl.UInt32(), **{name: pl.String() for name in names}}
    return pl.DataFrame(rows, schema=schema, orient="row")


def bid_system_column(data: bytes) -> pl.DataFrame:
    r"""Systems of every game of a PBN file, to be joined to the deals by ``record``.

    Returns
    -------
    polars.DataFrame
        ``record`` as in :func:`.pbn.read_pbn` and :data:`BID_SYSTEMS_COLUMN`, null where a game
        names neither.

    Examples
    --------
    >>> game = b'[Board "1"] [BidSystemEW "Acol"]'
    >>> bid_system_column(game)["bid_systems"].to_list()
    [['', 'Acol']]
    """
    tags = pbn_tags(data, [*BID_SYSTEM_TAGS])
    found = [
        None if not any(systems) else [one or "" for one in systems]
        for systems in tags.select(BID_SYSTEM_TAGS).iter_rows()
    ]
    return tags.select("record").with_columns(
        pl.Series(BID_SYSTEMS_COLUMN, found, dtype=pl.List(pl.String()))
    )


def format_optimum_result_table(tricks: tuple[int, ...] | list[int]) -> list[str]:
    """Write the rows of an ``OptimumResultTable``; the counterpart of the parser.

    Examples
    --------
    >>> format_optimum_result_table([7] * 20)[:2]
    ['N NT 7', 'N  S 7']
    """
    digits = format_double_dummy_tricks(tricks)
    names = (name if name != "N" else "NT" for _ in _DECLARERS for name in _DENOMINATIONS)
    return [
        f"{_DECLARERS[place // 5]} {name:>2} {int(digits[place], 16)}"
        for place, name in enumerate(names)
    ]


_OPTIMUM_SCORE = re.compile(r"\s*(NS|EW)\s+([+-]?\d{1,4})\s*")


def parse_optimum_score(text: str) -> int:
    """Read an ``OptimumScore`` tag: the par score, from the view of North-South.

    Raises
    ------
    InvalidInput
        If the text is not a side and a score.
    """
    found = _OPTIMUM_SCORE.fullmatch(text)
    if found is None:
        raise InvalidInput(f"expected a side and a score such as 'NS 620', got {text!r}")
    return int(found[2]) if found[1] == "NS" else -int(found[2])


def _is_believed(deal: str | None, tricks: tuple[int, ...]) -> bool:
    hands = read_hands(deal or "")
    if isinstance(hands, str):
        # a reject: nobody asks for its table
        return True
    columns = np.array(hands, np.uint64).reshape(4, 1)
    return not impossible_tables(columns, np.array([tricks], np.int8))[0]


def double_dummy_columns(data: bytes) -> tuple[pl.DataFrame, int]:
    r"""Double-dummy tricks and par of every game of a PBN file, to be joined by ``record``.

    ``DoubleDummyTricks`` counts before ``OptimumResultTable``, where a game has both and both are
    believed: a table that is impossible with its deal is none
    (:func:`.trick_bounds.impossible_tables`).

    Returns
    -------
    polars.DataFrame
        ``record`` as in :func:`.pbn.read_pbn`, :data:`DOUBLE_DUMMY_COLUMNS` (UInt8) and
        :data:`PAR_COLUMN` (Int16); null where a game has none.
    int
        How many tags could not be read, or not be believed, and were left out.
    """
    tags = pbn_tags(data, ["Deal", "DoubleDummyTricks", "OptimumResultTable", "OptimumScore"])
    rows: list[tuple[int | None, ...]] = []
    unread = 0
    for record, deal, digits, table, optimum in tags.iter_rows():
        tricks: tuple[int | None, ...] = (None,) * len(DOUBLE_DUMMY_COLUMNS)
        par = None
        for text, parse in (
            (digits, parse_double_dummy_tricks),
            (table, parse_optimum_result_table),
        ):
            if text is None:
                continue
            try:
                found = parse(text)
            except InvalidInput:
                unread += 1
                continue
            if _is_believed(deal, found):
                tricks = found
                break
            unread += 1
        try:
            par = parse_optimum_score(optimum) if optimum is not None else None
        except InvalidInput:
            unread += 1
        rows.append((record, *tricks, par))
    schema = {
        "record": pl.UInt32(),
        **dict.fromkeys(DOUBLE_DUMMY_COLUMNS, pl.UInt8()),
        PAR_COLUMN: pl.Int16(),
    }
    return pl.DataFrame(rows, schema=schema, orient="row"), unread
