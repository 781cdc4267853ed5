"""PBN files to a deal frame: every board becomes a row, every record that cannot be used a reject.

Portable Bridge Notation 2.1 import format, read by what real files hold rather than by what
they should. Cut into games by :mod:`.pbn_tokens`; the auction and play sections of all games
are decoded together by :mod:`.pbn_kernel`, odd ones by :mod:`.pbn_sections`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

import polars as pl

from bidcascade.bridge import (
    InvalidDeal,
    board_dealer,
    board_vulnerability,
    parse_vulnerability,
)

from .encodings import decode_text
from .frame import Batch
from .hand_text import Hands, read_hands
from .pbn_columns import Boards
from .pbn_sections import UNKNOWN, read_seat
from .pbn_tokens import FreeText, Game, Inheritance, split_games

_NUMBER = re.compile(r"\d+")


def read_pbn(data: bytes, source: str = "") -> Batch:
    r"""Read a PBN file.

    Every game and every run of foreign text is a record, numbered from 1 in the order of the
    file; deals and rejects together are the records. What is not given is derived: one unknown
    hand from the other three; the dealer from the ``Auction`` tag, else the board number, else
    the first hand named in ``Deal``; the vulnerability from the board number, else ``None``.
    If the ``Auction`` tag names another opener than ``Dealer``, the auction's seat stands;
    opening passes that a program left out are put back where contract, declarer and opening
    leader prove them (:func:`.pbn_sections.omitted_passes`). The contract comes from a complete
    auction, else from ``Contract`` and ``Declarer``; tricks from the cards played if they are
    all there, else from ``Result``; the score from ``Score``, else from contract and tricks. A
    call counts as alerted if it refers to a note; the note's text is its announcement.
    Comments are commentary.

    Parameters
    ----------
    data : bytes
        The file; the encoding is detected, whatever ``%Content-type`` claims.
    source : str
        Name for the columns ``source``.

    Returns
    -------
    Batch
        Deal frame and rejects frame.

    Examples
    --------
    >>> deal = b"N:AKQ.AKQ.AKQ.AKQ2 - T98.T987.T98.T98 765.65.765.76543"
    >>> batch = read_pbn(b'[Board "2"] [Deal "%b"]' % deal)
    >>> batch.deals.select("dealer", "vulnerability").rows(), batch.rejects.height
    ([('E', 'NS')], 0)
    """
    text, encoding = decode_text(data)
    return read_pbn_part(text, source=source, encoding=encoding)


def read_pbn_part(
    text: str,
    *,
    source: str = "",
    encoding: str = "utf-8",
    before: Inheritance | None = None,
    goes_on: bool = False,
) -> Batch:
    """Read decoded PBN text, or a part of one that :func:`.find_last_game` has cut.

    Examples
    --------
    >>> read_pbn_part('[Board "7"]').rejects["reason"].to_list()
    ['expected a [Deal] tag with four hands, got none']
    """
    batches = list(
        read_pbn_text(text, source=source, encoding=encoding, before=before, goes_on=goes_on)
    )
    if len(batches) == 1:
        return batches[0]
    return Batch(
        pl.concat([batch.deals for batch in batches]),
        pl.concat([batch.rejects for batch in batches]),
    )


def read_pbn_text(
    text: str,
    *,
    source: str = "",
    encoding: str = "utf-8",
    boards_per_batch: int = 50_000,
    plain: bool = False,
    before: Inheritance | None = None,
    goes_on: bool = False,
) -> Iterator[Batch]:
    """Read PBN text that is decoded already, in batches that bound the memory needed.

    Parameters
    ----------
    text : str
    source, encoding : str
        Values of the columns of these names.
    boards_per_batch : int
        A batch is given out when it holds that many boards.
    plain : bool
        Decode every section with the plain readers, not with the kernel; the frame is the same.
    before, goes_on
        As for :func:`.split_games`.

    Yields
    ------
    Batch
        At least one.
    """
    boards = Boards(source, encoding)
    hands_of: dict[str, Hands | str] = {}
    for record in split_games(text, before, goes_on=goes_on):
        if isinstance(record, FreeText):
            boards.reject(
                record.number,
                f"expected a tag such as '[Deal \"…\"]', got {_first_line(record.text)!r}",
                record.text,
            )
            continue
        deal = record.tags.get("Deal", "")
        hands = hands_of.get(deal)
        if hands is None:
            hands = hands_of[deal] = read_hands(deal)
        if isinstance(hands, str):
            boards.reject(record.number, hands, deal or _describe(record))
        else:
            _add(boards, record, hands)
            if len(boards) >= boards_per_batch:
                yield boards.batch(plain=plain)
                boards = Boards(source, encoding)
                hands_of.clear()
    yield boards.batch(plain=plain)


def _add(boards: Boards, game: Game, hands: Hands) -> None:
    tag = game.tags.get
    board = _board_number(tag("Board", ""))
    dealer = read_seat(tag("Dealer", ""))
    auction = game.sections.get("Auction")
    opener = read_seat(tag("Auction", "")) if auction is not None else UNKNOWN
    if dealer < 0:
        if opener >= 0:
            dealer = opener
        elif board:
            dealer = int(board_dealer(board))
        else:
            dealer = read_seat(tag("Deal", "").lstrip()[:1])
    vulnerability = _vulnerability(tag("Vulnerable", ""))
    if vulnerability < 0:
        vulnerability = int(board_vulnerability(board)) if board else 0
    boards.add(game, hands, board, dealer, opener, vulnerability)


@lru_cache(4096)
def _board_number(text: str) -> int | None:
    numbers = _NUMBER.findall(text)
    if len(numbers) != 1 or len(numbers[0]) > 9:
        return None
    return int(numbers[0]) or None


@lru_cache(256)
def _vulnerability(text: str) -> int:
    if not text.strip():
        return UNKNOWN
    try:
        return int(parse_vulnerability(text))
    except InvalidDeal:
        return UNKNOWN


def _first_line(text: str) -> str:
    line = text.partition("\n")[0]
    return line if len(line) <= 60 else f"{line[:60]}…"


def _describe(game: Game) -> str:
    return " ".join(f'[{name} "{value}"]' for name, value in game.tags.items())
