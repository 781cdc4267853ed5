"""Hands as text: deals written one a line to a deal frame, and PBN deals read fast."""

import re

import numpy as np
import polars as pl

from bidcascade.bridge import (
    FULL_DECK,
    SEATS,
    VULNERABILITIES,
    BidcascadeError,
    Deal,
    InvalidDeal,
    InvalidInput,
    Seat,
    cards_of,
    format_card,
    format_holding,
    parse_deal,
    parse_known_hands,
)
from bidcascade.loaders.files.encodings import decode_text
from bidcascade.loaders.frames.frame import (
    QUOTED,
    SEAT_ENUM,
    VULNERABILITY_ENUM,
    Batch,
    bare_deals,
    join,
    known_hands,
    left_out_row,
    listed_rejects,
    reject_frame,
)
from bidcascade.loaders.limits import LONGEST_LINE, MOST_LISTED
from bidcascade.loaders.lin.handviewer import first_link

from .printed_deals import PrintedDeals, may_be_printed, printed_deals

Hands = tuple[int, int, int, int]
"""Masks by compass seat; 0 stands for an unknown hand."""

_HOLDING = {format_holding(holding): holding for holding in range(1 << 13)}
_UNKNOWN_DEALS = ("", "?", "-")
_DEAL_TAG = re.compile(r'\[\s*Deal\s+"([^"]*)"\s*\]')
_LIN_TOKEN = re.compile(r"md\|([^|]*)\|?", re.IGNORECASE)
_PBN_HAND = r"(?:(?:[AKQJT2-9]*\.){3}[AKQJT2-9]*|-)"
_AMONG_WORDS = re.compile(rf"(?<![\w.])[NESW]:{_PBN_HAND}(?: {_PBN_HAND}){{3}}(?![.\w])")
_DEALER = re.compile(r"\bdealer ([NESW])\b")
_SIDES = re.compile(r"\bvulnerable (None|NS|EW|Both)\b")
_RULE = re.compile(r"─[─ ]*")
_Row = tuple[int, int, int, int, int, int, int]
"""Hands of North, East, South and West, dealer, vulnerability, and the number of the line."""


def read_hand_text(data: bytes, source: str = "", *, first_line: int = 1) -> Batch:
    r"""Read deals written one a line: PBN, LIN ``md`` or a PBN ``Deal`` tag.

    ``N:AQ.… … … …`` from any seat, ``3SAQ…,…,…,`` as in LIN (also with ``md|`` before it), or
    ``[Deal "…"]``. Hands may be left open; a single one gets the other cards. The dealer is the
    one LIN names, else the seat in front of the first hand; nobody is vulnerable. A PBN deal may
    stand among other words, which may name ``dealer`` and ``vulnerable``, as our commands print
    it. A line may hold handviewer links instead. What ``dealer`` prints is read too
    (:mod:`.printed_deals`); its counts and means, lines that start with ``#`` and blank lines are
    no records.

    Parameters
    ----------
    data : bytes
    source : str
        Name for the column ``source``.
    first_line : int
        Number of the first line, where the text is a part of a longer one.

    Returns
    -------
    Batch
        ``record`` is the line number, from ``first_line``, in both frames.

    Examples
    --------
    >>> text = b"# two deals\nN:AKQ.AKQ.AKQ.AKQ2 - T98.T987.T98.T98 765.65.765.76543\nno deal\n"
    >>> batch = read_hand_text(text)
    >>> batch.deals["record"].to_list(), batch.rejects["record"].to_list()
    ([2], [3])
    """
    text, encoding = decode_text(data)
    deals: list[_Row] = []
    rejects: list[tuple[str, int | None, str, str]] = []
    linked: list[tuple[int, str]] = []
    left_out = 0
    lines = text.splitlines()
    known = printed_deals(text, lines) if may_be_printed(text) else PrintedDeals([], set())
    deals += ((*one.hands, 0, 0, one.line + first_line) for one in known.deals)
    has_answers = False
    for number, written in enumerate(lines, start=first_line):
        line = written.strip()
        if not line or line.startswith("#") or number - first_line in known.lines:
            continue
        # auctions below a deal, as the command of that name prints them
        if has_answers and written.startswith("  "):
            continue
        has_answers = False
        is_short = len(line) <= LONGEST_LINE
        try:
            if not is_short:
                raise InvalidInput(
                    f"expected a line of at most {LONGEST_LINE:,} characters, got {len(line):,}"
                )
            hands, dealer = parse_hands_line(line)
        except BidcascadeError as error:
            if is_short and (told := _read_among_words(line)) is not None:
                deals.append((*told, number))
                has_answers = True
            elif is_short and _has_link(line):
                linked.append((number, line))
            elif is_short and _RULE.fullmatch(line) is not None:
                # the head of a table that a command prints, and the rule below it
                if rejects and rejects[-1][1] == number - 1:
                    rejects.pop()
            elif known.has_end:
                continue
            elif len(rejects) < MOST_LISTED:
                rejects.append((source, number, f"line {number}: {error}", line[:QUOTED]))
            else:
                left_out += 1
        else:
            deals.append((*hands, int(dealer), 0, number))
    if known.deals:
        deals.sort(key=lambda row: row[-1])
    columns = list(zip(*deals, strict=True)) if deals else [()] * 7
    masks = np.array(columns[:4], np.uint64).reshape(4, -1).T
    frame = bare_deals(
        known_hands(masks)
        | {
            "dealer": pl.Series([SEATS[seat] for seat in columns[4]], dtype=SEAT_ENUM),
            "vulnerability": pl.Series(
                [VULNERABILITIES[sides] for sides in columns[5]], dtype=VULNERABILITY_ENUM
            ),
            "source": pl.Series([source] * len(deals), dtype=pl.String),
            "record": pl.Series(columns[6], dtype=pl.UInt32),
            "encoding": pl.Series([encoding] * len(deals), dtype=pl.String),
        }
    )
    batch = Batch(frame, reject_frame(rejects))
    if linked:
        batch = join([batch, _read_links(linked, source)])
        batch = Batch(batch.deals.sort("record"), listed_rejects(batch.rejects.sort("record")))
    if not left_out:
        return batch
    listed = reject_frame([left_out_row(source, left_out, MOST_LISTED)])
    return Batch(batch.deals, listed_rejects(pl.concat([batch.rejects, listed])))


def _read_among_words(line: str) -> tuple[int, int, int, int, int, int] | None:
    """Hands, dealer and vulnerability of a PBN deal among other words, ``None`` if it is none."""
    found = _AMONG_WORDS.search(line)
    if found is None:
        return None
    hands = read_hands(found[0])
    if isinstance(hands, str):
        return None
    words = line[found.end() :]
    dealer, sides = _DEALER.search(words), _SIDES.search(words)
    return (
        *hands,
        SEATS.index(dealer[1] if dealer else found[0][0]),
        VULNERABILITIES.index(sides[1]) if sides else 0,
    )


def _has_link(line: str) -> bool:
    return first_link(line.encode()) >= 0


def _read_links(lines: list[tuple[int, str]], source: str) -> Batch:
    """Boards of the handviewer links in some lines, with the numbers of the lines as records."""
    from bidcascade.loaders.lin.lin import read_handviewers

    numbers = {str(number): line for number, line in lines}
    record = pl.col("source").cast(pl.UInt32).alias("record")
    deals, rejects = read_handviewers((line, number) for number, line in numbers.items())
    name = pl.lit(source, pl.String).alias("source")
    return Batch(
        deals.with_columns(record).with_columns(name),
        rejects.with_columns(record).with_columns(name),
    )


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
    hands, dealer = parse_hands_line(line)
    if not all(hands):
        raise InvalidDeal(f"expected at most one unknown hand, got {hands.count(0)}")
    return Deal(hands, dealer)


def parse_hands_line(line: str) -> tuple[Hands, Seat]:
    """Read hands and dealer of one deal as :func:`parse_deal_line`; any hands may be unknown.

    Raises
    ------
    InvalidDeal, InvalidHand
        If the line is no deal; the message says why.

    Examples
    --------
    >>> parse_hands_line("N:AKQJT98765432... - - -")[0][1:]
    (0, 0, 0)
    """
    if line[1:2] != ":":
        tag = _DEAL_TAG.fullmatch(line)
        if tag is not None:
            line = tag[1]
        elif (token := _LIN_TOKEN.fullmatch(line)) is not None:
            line = token[1]
    if line[1:2] == ":" and line[0] in SEATS:
        hands = read_hands(line)
        if not isinstance(hands, str):
            return hands, Seat(SEATS.index(line[0]))
    # not the usual spelling: the careful reader knows LIN, and says what is wrong
    return _read_carefully(line)


def read_hands(text: str) -> Hands | str:
    """Read the hands of a PBN deal; a single unknown hand is derived from the other three.

    Parameters
    ----------
    text : str
        ``N:hand hand hand hand`` from any seat; ``-`` or ``...`` stands for an unknown hand.

    Returns
    -------
    tuple of four int, or str
        Hand masks of North, East, South and West, 0 for a hand that stays unknown, or the reason
        why the text is no deal.
    """
    if text[1:2] == ":":
        parts = text[2:].split()
        seat = "NESW".find(text[0])
        if seat >= 0 and len(parts) == 4:
            masks = [0, 0, 0, 0]
            try:
                for part in parts:
                    spades, hearts, diamonds, clubs = part.split(".")
                    masks[seat & 3] = (
                        _HOLDING[spades] << 39
                        | _HOLDING[hearts] << 26
                        | _HOLDING[diamonds] << 13
                        | _HOLDING[clubs]
                    )
                    seat += 1
            except (KeyError, ValueError):
                return _read_odd_hands(text)
            north, east, south, west = masks
            if (
                north + east + south + west == FULL_DECK == north | east | south | west
                and north.bit_count() == east.bit_count() == south.bit_count() == 13
            ):
                return north, east, south, west
    return _read_odd_hands(text)


def _read_odd_hands(text: str) -> Hands | str:
    if text.strip() in _UNKNOWN_DEALS:
        return "expected a [Deal] tag with four hands, got none"
    first, colon, hands = text.partition(":")
    # an unknown hand is written "-" or, by some programs, as four empty suits
    parts = ["-" if part == "..." else part for part in hands.split()]
    try:
        return _read_carefully(f"{first}{colon}{' '.join(parts)}" if colon else text)[0]
    except BidcascadeError as error:
        return str(error)


def _read_carefully(text: str) -> tuple[Hands, Seat]:
    """Hands and dealer of a deal in any spelling; raises with what is wrong."""
    given, first = parse_known_hands(text)
    if given.count(None) < 2:
        return parse_deal(text).hands, first
    seen = 0
    for hand in given:
        if hand is not None and (both := hand & seen):
            card = format_card(next(iter(cards_of(both))))
            raise InvalidDeal(f"duplicate card: {card} is in two hands")
        seen |= hand or 0
    if not seen:
        raise InvalidDeal("expected a known hand, got four unknown ones")
    north, east, south, west = (hand or 0 for hand in given)
    return (north, east, south, west), first
