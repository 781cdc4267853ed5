"""PBN files to a deal frame: every board becomes a row, every record that cannot be used a reject.

Portable Bridge Notation 2.1 import format, read by what real files hold rather than by what
they should. Cut into games by :mod:`.pbn_tokens`; the auction and play sections of all games
are read together by the core (``pbn.hpp``), odd ones by :mod:`.pbn_sections`.
"""

from collections.abc import Iterator

from bidcascade.kernels.machine.forks import check_not_forked
from bidcascade.loaders.files.encodings import decode_text
from bidcascade.loaders.frames.frame import QUOTED, Batch, join
from bidcascade.loaders.limits import BOARDS_PER_BATCH
from bidcascade.loaders.text.hand_text import Hands, read_hands

from .pbn_columns import BoardColumns
from .pbn_tokens import FreeText, Game, Inheritance, split_games
from .pbn_travellers import read_travellers


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
    Comments are commentary. Each line of a ``ScoreTable`` is a record of its own, numbered behind
    its game's: the same deal as another table played it (:func:`.pbn_travellers.read_travellers`).

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
    return join(list(read_pbn_text(text, source=source, encoding=encoding)))


def read_pbn_text(
    text: str,
    *,
    source: str = "",
    encoding: str = "utf-8",
    boards_per_batch: int = BOARDS_PER_BATCH,
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
    check_not_forked()
    boards = BoardColumns(source, encoding)
    hands_of: dict[str, Hands | str] = {}
    for record in split_games(text, before, goes_on=goes_on):
        if isinstance(record, FreeText):
            line = record.text.partition("\n")[0]
            shown = line if len(line) <= 60 else f"{line[:60]}…"
            reason = f"expected a tag such as '[Deal \"…\"]', got {shown!r}"
            boards.reject(record.number, reason, record.text[:QUOTED])
            continue
        if record.refusal:
            boards.reject(record.number, record.refusal, _written(record))
            continue
        deal = record.tags.get("Deal", "")
        hands = hands_of.get(deal)
        if hands is None:
            hands = hands_of[deal] = read_hands(deal)
        if isinstance(hands, str):
            boards.reject(record.number, hands, deal or _written(record))
            first = record.number + record.traveller_offset
            for number, (_, line) in enumerate(record.travellers, first):
                boards.reject(number, hands, line)
        else:
            boards.add(record, hands)
            for traveller in read_travellers(record) if record.travellers else ():
                if isinstance(traveller, Game):
                    boards.add(traveller, hands)
                else:
                    boards.reject(*traveller)
                if len(boards) >= boards_per_batch:
                    yield boards.batch(plain=plain)
                    boards = BoardColumns(source, encoding)
            if len(boards) >= boards_per_batch:
                yield boards.batch(plain=plain)
                boards = BoardColumns(source, encoding)
                hands_of.clear()
    yield boards.batch(plain=plain)


def _written(game: Game) -> str:
    """Beginning of a game's tags as they are written."""
    tags: list[str] = []
    length = 0
    for name, value in game.tags.items():
        tags.append(f'[{name} "{value[:QUOTED]}"]')
        length += len(tags[-1])
        if length > QUOTED:
            break
    return " ".join(tags)
