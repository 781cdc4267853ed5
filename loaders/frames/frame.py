"""The deal frame: the polars schema that every loader fills and every job reads.

``north east south west`` are hand masks (bit ``13 * suit + rank``, suits C D H S), null where a
hand is unknown, as in quizzes that show two; ``dealer`` and ``vulnerability`` are enums. The other
columns are there where the source has them, null where it has not. Records that could not be used
go to a rejects frame, never silently away.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from bidcascade.bridge import (
    FULL_DECK,
    SEATS,
    VULNERABILITIES,
    Deal,
    InvalidInput,
    Seat,
    Vulnerability,
    format_card,
    format_hand,
)
from bidcascade.kernels import DealArrays
from bidcascade.kernels.machine.forks import check_not_forked
from bidcascade.kernels.types import U8, U64
from bidcascade.loaders.limits import MOST_COLLECTED, MOST_LISTED

SEAT_ENUM = pl.Enum(list(SEATS))
VULNERABILITY_ENUM = pl.Enum(list(VULNERABILITIES))
AUCTION_STATUS = pl.Enum(["complete", "unfinished", "illegal", "none"])
"""``none``: no call in the record; ``illegal``: see column ``illegal_call``."""
ROOM = pl.Enum(["open", "closed"])
HAND_COLUMNS = ("north", "east", "south", "west")
UNREADABLE = 255
"""Stands in ``illegal_tail`` for text that is no call."""

DEAL_SCHEMA = pl.Schema(
    {
        "north": pl.UInt64(),
        "east": pl.UInt64(),
        "south": pl.UInt64(),
        "west": pl.UInt64(),
        "dealer": SEAT_ENUM,
        "vulnerability": VULNERABILITY_ENUM,
        # board number as printed; null where the record has none
        "board": pl.Int32(),
        "room": ROOM,
        # call codes from the dealer on (0 pass, 1 double, 2 redouble, 3 … 37 = 1C … 7N);
        # legal part only: an illegal call and what follows it are kept in illegal_tail
        "auction": pl.List(pl.UInt8()),
        "auction_status": AUCTION_STATUS,
        # position (0-based) of the first illegal call; null if there is none
        "illegal_call": pl.UInt16(),
        # calls from the illegal one on, codes as above; 255 for text that is no call
        "illegal_tail": pl.List(pl.UInt8()),
        # one text per call of the auction, "" where none was given
        "announcements": pl.List(pl.String()),
        # one flag per call of the auction
        "alerts": pl.List(pl.Boolean()),
        # operator's or annotator's remarks in the order of the record
        "commentary": pl.List(pl.String()),
        # level, strain, doubling ("4SX"); "Pass" for a passed-out board: then declarer and
        # tricks are null and the score is 0
        "contract": pl.String(),
        "declarer": SEAT_ENUM,
        # tricks taken by declarer
        "tricks": pl.UInt8(),
        # duplicate score from the view of North-South
        "score": pl.Int32(),
        # card numbers (13 * suit + rank) in the order played
        "play": pl.List(pl.UInt8()),
        # names of North, East, South, West
        "players": pl.List(pl.String()),
        "event": pl.String(),
        # file (or other origin) and 1-based number of the record in it
        "source": pl.String(),
        "record": pl.UInt32(),
        # text encoding the file was read with
        "encoding": pl.String(),
    }
)
"""Columns of a deal frame. The first six are required; of them hands may be null, not all four."""

REQUIRED_COLUMNS = (*HAND_COLUMNS, "dealer", "vulnerability")

READER_REMARK = "reader: expected "
"""Begins a remark in ``commentary`` that is the reader's own: what of a board it did not take."""
_REMARK_EXCERPT = 60

QUOTED = 500
"""Longest offending text kept in a rejects frame, in characters."""

_LEFT_OUT: Final = r"^([0-9,]+) further records are no deals; the first [0-9,]+ are listed$"
"""Reason of the row that closes a list of rejects that was cut."""

REJECT_SCHEMA = pl.Schema(
    {
        "source": pl.String(),
        # null where a whole file is refused
        # where others are counted: see `count_rejects`
        "record": pl.UInt32(),
        "reason": pl.String(),
        # the offending text, shortened to 500 characters
        "text": pl.String(),
    }
)


def is_alert_alone(text: str) -> bool:
    """Whether what is said of a call is only the sign that alerts it.

    Examples
    --------
    >>> is_alert_alone("!"), is_alert_alone("! 4+ hearts"), is_alert_alone("")
    (True, False, False)
    """
    return bool(text) and not text.strip("!* \t\n\v\f\r")


def reader_remark(expected: str, got: str) -> str:
    """Remark about something that a board says and that could not be taken as it stands.

    Examples
    --------
    >>> reader_remark("a vulnerability (None, NS, EW or Both) in Vulnerable", "Sometimes")
    "reader: expected a vulnerability (None, NS, EW or Both) in Vulnerable, got 'Sometimes'"
    """
    shown = got if len(got) <= _REMARK_EXCERPT else f"{got[:_REMARK_EXCERPT]}…"
    return f"{READER_REMARK}{expected}, got '{shown}'"


def play_remark(cards: str) -> str:
    """Remark about the play of a deal with unknown hands, which is left out."""
    return reader_remark("four known hands to follow the cards played", cards)


def without_unknown_play(deals: pl.DataFrame) -> pl.DataFrame:
    """Leave out the cards played where a hand is unknown, and tell of them.

    Examples
    --------
    >>> from bidcascade.loaders.frames.random_deals import random_deals
    >>> deals = random_deals(1, seed=1).with_columns(
    ...     east=pl.lit(None, pl.UInt64), west=pl.lit(None, pl.UInt64), play=[0, 13]
    ... )
    >>> without_unknown_play(deals).select("play", "commentary").row(0)
    ([], ["reader: expected four known hands to follow the cards played, got 'C2 D2'"])
    """
    has_cards = pl.col("play").list.len().fill_null(0) > 0
    places = deals.select((has_cards & ~has_all_hands()).arg_true()).to_series().to_list()
    if not places:
        return deals
    play, commentary = deals["play"].to_list(), deals["commentary"].to_list()
    for place in places:
        cards = " ".join(map(format_card, play[place]))
        play[place] = []
        commentary[place] = [*(commentary[place] or ()), play_remark(cards)]
    return deals.with_columns(
        pl.Series("play", play, DEAL_SCHEMA["play"]),
        pl.Series("commentary", commentary, DEAL_SCHEMA["commentary"]),
    )


def reader_remarks(deals: pl.DataFrame) -> list[str]:
    r"""List remarks of the readers in a deal frame, the first of each board.

    Examples
    --------
    >>> from bidcascade.loaders import read_deals
    >>> deal = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -"
    >>> read = read_deals(f'[Deal "{deal}"]\n[Result "ten"]\n'.encode())
    >>> reader_remarks(read.deals)
    ["reader: expected tricks from 0 to 13 in Result, got 'ten'"]
    """
    is_remark = pl.element().str.starts_with(READER_REMARK)
    first = deals["commentary"].list.eval(pl.element().filter(is_remark)).list.first()
    remarks: list[str] = first.drop_nulls().to_list()
    return remarks


class Batch(NamedTuple):
    """What a reader makes of (a part of) one source: records in = deals + rejects.

    Examples
    --------
    >>> deals, rejects = Batch(empty_deals(), empty_rejects())
    >>> deals.height, rejects.columns
    (0, ['source', 'record', 'reason', 'text'])
    """

    deals: pl.DataFrame
    rejects: pl.DataFrame

    @property
    def refused(self) -> int:
        """How many records are no deals, those among them that are counted and not listed."""
        return count_rejects(self.rejects)

    def __repr__(self) -> str:
        return f"<Batch of {self.deals.height:,} deals, {self.refused:,} rejects>"


def empty_deals() -> pl.DataFrame:
    """Return a deal frame without rows.

    Examples
    --------
    >>> empty_deals().columns[:5]
    ['north', 'east', 'south', 'west', 'dealer']
    """
    return pl.DataFrame(schema=DEAL_SCHEMA)


def reject_frame(rows: Sequence[tuple[str, int | None, str, str]]) -> pl.DataFrame:
    """Make a rejects frame from (source, record, reason, text); texts are shortened.

    Examples
    --------
    >>> reject_frame([("a.lin", None, "empty", "")]).row(0)
    ('a.lin', None, 'empty', '')
    """
    check_not_forked()
    columns = list(zip(*rows, strict=True)) or [()] * len(REJECT_SCHEMA)
    frame = pl.DataFrame(columns, schema=REJECT_SCHEMA, orient="col")
    return frame.with_columns(pl.col("text").str.head(QUOTED))


def left_out_row(source: str, count: int, listed: int) -> tuple[str, None, str, str]:
    """Row that stands for the rejects of a source which are counted and not listed.

    Examples
    --------
    >>> left_out_row("a.lin", 1234, 2000)[2]
    '1,234 further records are no deals; the first 2,000 are listed'
    """
    reason = f"{count:,} further records are no deals; the first {listed:,} are listed"
    return source, None, reason, ""


def is_left_out() -> pl.Expr:
    """Whether a row of a rejects frame stands for those that are counted and not listed."""
    return pl.col("reason").str.contains(_LEFT_OUT)


def reject_weights() -> pl.Expr:
    """How many records each row of a rejects frame stands for."""
    left_out = pl.col("reason").str.extract(_LEFT_OUT).str.replace_all(",", "", literal=True)
    return left_out.cast(pl.Int64).fill_null(1)


def count_rejects(rejects: pl.DataFrame) -> int:
    """How many records a rejects frame tells of, those that are counted and not listed with them.

    Examples
    --------
    >>> count_rejects(reject_frame([("a.lin", 1, "empty", ""), left_out_row("a.lin", 9, 1)]))
    10
    """
    count: int = rejects.select(reject_weights().sum()).item() if rejects.height else 0
    return count


def rejects_by(rejects: pl.DataFrame, column: str) -> Iterator[tuple[Any, int]]:
    """Count what :func:`count_rejects` does for each value of a column."""
    if rejects.height:
        yield from rejects.group_by(column).agg(reject_weights().sum()).iter_rows()


def count_numbered(rejects: pl.DataFrame) -> int:
    """Count the rejects that have a number in their source: not those that are whole files."""
    is_counted = pl.col("record").is_not_null() | is_left_out()
    return count_rejects(rejects.filter(is_counted))


def has_left_out(rejects: pl.DataFrame) -> bool:
    """Whether some rejects are counted and not listed."""
    found: bool = rejects.select(is_left_out().any()).item()
    return found


def listed_rejects(rejects: pl.DataFrame, most: int = MOST_LISTED) -> pl.DataFrame:
    """Let a rejects frame list the first of each source; one more row counts the others.

    Examples
    --------
    >>> found = reject_frame([("a.lin", number, "empty", "") for number in range(5)])
    >>> listed_rejects(found, 2)["reason"].to_list()
    ['empty', 'empty', '3 further records are no deals; the first 2 are listed']
    """
    if rejects.height <= most:
        return rejects
    place = (~is_left_out()).cum_sum().over("source")
    marked = rejects.with_columns(kept=~is_left_out() & (place <= most))
    if marked["kept"].all():
        return rejects
    parts = []
    for part in marked.partition_by("source", maintain_order=True):
        kept = part.filter("kept").drop("kept")
        parts.append(kept)
        if count := count_rejects(part.filter(~pl.col("kept")).drop("kept")):
            parts.append(reject_frame([left_out_row(part["source"][0], count, kept.height)]))
    return pl.concat(parts)


class Rejects:
    """Rejects of many batches in one frame: the first are listed, the others counted.

    Examples
    --------
    >>> found = Rejects(most=1)
    >>> for number in (1, 2, 3):
    ...     found.add(reject_frame([("a.lin", number, "empty", "")]))
    >>> found.count, found.frame().height
    (3, 2)
    """

    def __init__(self, most: int = MOST_COLLECTED) -> None:
        self.count = 0
        """How many records they are."""
        self._most = most
        self.listed = 0
        """How many of them are listed."""
        self._frames = [empty_rejects()]
        self._left_out: dict[str, int] = {}

    def add(self, rejects: pl.DataFrame) -> None:
        """Add the rejects of a batch."""
        if not rejects.height:
            return
        self.count += count_rejects(rejects)
        listed = rejects.filter(~is_left_out())
        kept = listed.head(self._most - self.listed)
        if kept.height:
            self._frames.append(kept)
            self.listed += kept.height
        others = pl.concat([listed.slice(kept.height), rejects.filter(is_left_out())])
        for source, count in rejects_by(others, "source"):
            self._left_out[source] = self._left_out.get(source, 0) + count

    def frame(self) -> pl.DataFrame:
        """Give all, behind them a row for each source of which some are not listed."""
        joined = pl.concat(self._frames)
        if not self._left_out:
            return joined
        listed = dict(joined.group_by("source").len().iter_rows())
        rows = [
            left_out_row(source, count, listed.get(source, 0))
            for source, count in self._left_out.items()
        ]
        return pl.concat([joined, reject_frame(rows)])


def empty_rejects() -> pl.DataFrame:
    """Return a rejects frame without rows.

    Examples
    --------
    >>> empty_rejects().height
    0
    """
    return pl.DataFrame(schema=REJECT_SCHEMA)


def join(batches: list[Batch]) -> Batch:
    """Put batches one behind the other."""
    if len(batches) == 1:
        return batches[0]
    return Batch(
        pl.concat([empty_deals(), *(batch.deals for batch in batches)]),
        pl.concat([empty_rejects(), *(batch.rejects for batch in batches)]),
    )


def has_all_hands() -> pl.Expr:
    """Whether all four hands of a deal are known."""
    return pl.all_horizontal(pl.col(name).is_not_null() for name in HAND_COLUMNS)


def known_hands(hands: U64) -> dict[str, pl.Series]:
    """Hand columns from masks, uint64[n, 4], in which 0 stands for an unknown hand.

    Examples
    --------
    >>> known_hands(np.array([[0x1FFF, 0, 1 << 51, 0]], np.uint64))["east"].to_list()
    [None]
    """
    columns = {name: pl.Series(hands[:, seat]) for seat, name in enumerate(HAND_COLUMNS)}
    if hands.all():
        return columns
    return {name: column.replace(0, None) for name, column in columns.items()}


def whole_deals(batch: Batch) -> Batch:
    """Make rejects of the deals with unknown hands, for work that needs all four.

    Examples
    --------
    >>> from bidcascade.loaders import read_deals
    >>> read = read_deals(b'[Deal "N:AKQJT98765432... - .AKQJT98765432.. -"]')
    >>> read.deals["east"].to_list(), whole_deals(read).rejects["reason"].to_list()
    ([None], ['expected four known hands, got those of N and S'])
    """
    if not batch.deals.select(has_all_hands().not_().any()).item():
        return batch
    rows = [
        (row["source"], row["record"], _what_is_known(row), _known_text(row))
        for row in batch.deals.filter(~has_all_hands()).iter_rows(named=True)
    ]
    return Batch(
        batch.deals.filter(has_all_hands()), pl.concat([batch.rejects, reject_frame(rows)])
    )


def _what_is_known(row: dict[str, Any]) -> str:
    seats = [seat for seat, name in zip(SEATS, HAND_COLUMNS, strict=True) if row[name] is not None]
    return f"expected four known hands, got {'those' if len(seats) > 1 else 'that'} of " + (
        " and ".join(seats) if len(seats) < 3 else f"{', '.join(seats[:-1])} and {seats[-1]}"
    )


def _known_text(row: dict[str, Any]) -> str:
    hands = [row[name] for name in HAND_COLUMNS]
    return "N:" + " ".join("-" if hand is None else format_hand(hand) for hand in hands)


def bare_deals(columns: dict[str, pl.Series]) -> pl.DataFrame:
    """Make a deal frame from some of its columns: no calls, everything else null.

    Parameters
    ----------
    columns : dict of str to polars.Series
        Columns of one length; the six required ones must be among them.
    """
    check_not_forked()
    known = pl.DataFrame(columns)
    return known.select(
        (pl.col(name) if name in columns else pl.lit("none" if name == "auction_status" else None))
        .cast(dtype)
        .alias(name)
        for name, dtype in DEAL_SCHEMA.items()
    )


def with_deal_schema(part: pl.DataFrame, name: str | None = None) -> pl.DataFrame:
    """Cast a frame to the deal schema: what is missing or does not fit becomes null.

    Parameters
    ----------
    part : polars.DataFrame
    name : str, optional
        The ``source`` of all rows where there is no such column.
    """
    columns = []
    for column, dtype in DEAL_SCHEMA.items():
        if column not in part.columns:
            value = name if column == "source" else None
            columns.append(pl.lit(value, dtype=dtype).alias(column))
        elif part.schema[column] != dtype:
            expression = pl.col(column)
            if isinstance(dtype, pl.Enum):
                expression = expression.cast(pl.String)
            columns.append(expression.cast(dtype, strict=False))
        else:
            columns.append(pl.col(column))
    return part.select(columns)


def deal_arrays(frame: pl.DataFrame) -> DealArrays:
    """Arrays of a deal frame for the kernels.

    Parameters
    ----------
    frame : polars.DataFrame
        Deal frame; only ``north east south west dealer vulnerability`` are read.

    Raises
    ------
    InvalidInput
        If a column is missing or of another type, or a row is no deal; names the column or row.

    Examples
    --------
    >>> from bidcascade.loaders.frames.random_deals import random_deals
    >>> deal_arrays(random_deals(3, seed=1)).dealer
    array([0, 1, 2], dtype=uint8)
    """
    check_not_forked()
    missing = [name for name in REQUIRED_COLUMNS if name not in frame.columns]
    if missing:
        raise InvalidInput(f"expected the columns of a deal frame, got none named {missing!r}")
    hands = np.empty((4, frame.height), np.uint64)
    for seat, name in enumerate(HAND_COLUMNS):
        column = frame[name]
        if column.dtype != pl.UInt64:
            raise InvalidInput(f"expected hand masks (UInt64) in {name!r}, got {column.dtype}")
        if column.null_count():
            row = int(column.is_null().arg_max() or 0)
            raise InvalidInput(f"expected four known hands, got none in {name!r} of row {row}")
        hands[seat] = column.to_numpy()
    union = hands[0] | hands[1] | hands[2] | hands[3]
    is_deal = (union == np.uint64(FULL_DECK)) & (np.bitwise_count(hands) == 13).all(axis=0)
    if not is_deal.all():
        row = int(np.argmin(is_deal))
        raise InvalidInput(
            f"expected four disjoint hands of 13 cards, got {frame.row(row)[:4]!r} in row {row}"
        )
    dealer = _codes(frame["dealer"], SEAT_ENUM)
    return DealArrays(hands, dealer, _codes(frame["vulnerability"], VULNERABILITY_ENUM))


def deal_frame(deals: Sequence[Deal]) -> pl.DataFrame:
    """Deal frame, the six required columns of it, of single deals.

    Examples
    --------
    >>> from bidcascade.bridge import parse_deal
    >>> text = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -"
    >>> deal_frame([parse_deal(text)])["dealer"].to_list()
    ['N']
    """
    check_not_forked()
    columns = {name: [deal.hands[seat] for deal in deals] for seat, name in enumerate(HAND_COLUMNS)}
    codes = {
        "dealer": [SEATS[deal.dealer] for deal in deals],
        "vulnerability": [VULNERABILITIES[deal.vulnerability] for deal in deals],
    }
    schema = {name: DEAL_SCHEMA[name] for name in REQUIRED_COLUMNS}
    return pl.DataFrame({**columns, **codes}, schema=schema)


def _codes(column: pl.Series, enum: pl.Enum) -> U8:
    allowed = ", ".join(enum.categories)
    if column.dtype != enum:
        try:
            column = column.cast(pl.String).cast(enum)
        except pl.exceptions.PolarsError:
            raise InvalidInput(
                f"expected {allowed} in column {column.name!r}, got other values"
            ) from None
    if column.null_count():
        raise InvalidInput(f"expected {allowed} in column {column.name!r}, got null")
    codes: U8 = column.to_physical().cast(pl.UInt8).to_numpy()
    return np.ascontiguousarray(codes)


def deal_at(deals: DealArrays, number: int) -> Deal:
    """Give one of some deals by itself."""
    north, east, south, west = deals.hands[:, number].tolist()
    dealer, sides = deals.dealer[number], deals.vulnerability[number]
    return Deal((north, east, south, west), Seat(dealer), Vulnerability(sides))
