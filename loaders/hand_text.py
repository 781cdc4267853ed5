"""Plain text with one deal a line to a deal frame."""

import re

import polars as pl

from bidcascade.bridge import SEATS, VULNERABILITIES, BidcascadeError, Deal, Seat, parse_deal

from .bare_deals import bare_deals
from .deal_text import read_hands
from .encodings import decode_text
from .frame import HAND_COLUMNS, REJECT_SCHEMA, SEAT_ENUM, VULNERABILITY_ENUM, Batch

_EXCERPT = 500
_DEAL_TAG = re.compile(r'\[\s*Deal\s+"([^"]*)"\s*\]')
_LIN_TOKEN = re.compile(r"md\|([^|]*)\|?", re.IGNORECASE)


def read_hand_text(data: bytes, source: str = "") -> Batch:
    r"""Read deals written one a line: PBN, LIN ``md`` or a PBN ``Deal`` tag.

    ``N:AQ.… … … …`` from any seat, ``3SAQ…,…,…,`` as in LIN (also with ``md|`` before it), or
    ``[Deal "…"]``. One hand may be left open. The dealer is the one LIN names, else the seat
    in front of the first hand; nobody is vulnerable. Lines that start with ``#`` and blank
    lines are no records.

    Parameters
    ----------
    data : bytes
    source : str
        Name for the column ``source``.

    Returns
    -------
    Batch
        ``record`` is the line number, from 1, in both frames.

    Examples
    --------
    >>> text = b"# two deals\nN:AKQ.AKQ.AKQ.AKQ2 - T98.T987.T98.T98 765.65.765.76543\nno deal\n"
    >>> batch = read_hand_text(text)
    >>> batch.deals["record"].to_list(), batch.rejects["record"].to_list()
    ([2], [3])
    """
    text, encoding = decode_text(data)
    deals: list[tuple[int, int, int, int, int, int]] = []
    rejects: list[tuple[str, int, str, str]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            deal = parse_deal_line(line)
        except BidcascadeError as error:
            rejects.append((source, number, f"line {number}: {error}", line[:_EXCERPT]))
        else:
            deals.append((*deal.hands, int(deal.dealer), number))
    columns = list(zip(*deals, strict=True)) if deals else [()] * 6
    hands = {
        name: pl.Series(values, dtype=pl.UInt64)
        for name, values in zip(HAND_COLUMNS, columns, strict=False)
    }
    frame = bare_deals(
        hands
        | {
            "dealer": pl.Series([SEATS[seat] for seat in columns[4]], dtype=SEAT_ENUM),
            "vulnerability": pl.Series([VULNERABILITIES[0]] * len(deals), dtype=VULNERABILITY_ENUM),
            "source": pl.Series([source] * len(deals), dtype=pl.String),
            "record": pl.Series(columns[5], dtype=pl.UInt32),
            "encoding": pl.Series([encoding] * len(deals), dtype=pl.String),
        }
    )
    return Batch(frame, pl.DataFrame(rejects, schema=REJECT_SCHEMA, orient="row"))


def parse_deal_line(line: str) -> Deal:
    """Read one deal in any of the spellings of :func:`read_hand_text`.

    Raises
    ------
    InvalidDeal, InvalidHand
        If the line is no deal; the message says why.

    Examples
    --------
    >>> parse_deal_line("E:- AKQ.AKQ.AKQ.AKQ2 T98.T987.T98.T98 765.65.765.76543").dealer.letter
    'E'
    """
    tag = _DEAL_TAG.fullmatch(line)
    if tag is not None:
        line = tag[1]
    elif (token := _LIN_TOKEN.fullmatch(line)) is not None:
        line = token[1]
    if line[1:2] == ":" and line[0] in SEATS:
        hands = read_hands(line)
        if not isinstance(hands, str):
            return Deal(hands, Seat(SEATS.index(line[0])))
    # not the usual spelling: the careful reader knows LIN, and says what is wrong
    return parse_deal(line)
