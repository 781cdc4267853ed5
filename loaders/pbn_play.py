"""The PBN play section, read the plain way, one at a time.

Portable Bridge Notation 2.1, chapter 3.6: every row is a trick, its columns are the seats from
the opening leader on, whoever led to that trick. The deal frame keeps cards in the order
played, so the winner of each trick has to be worked out. This is the definition;
:mod:`.pbn_kernel` does the plain cases in bulk and must agree with it.
"""

import re
from collections.abc import Sequence

from bidcascade.bridge import InvalidCard, parse_card

from .play import count_declarer_tricks, trick_winner

_TOKEN = re.compile(r"=\d*=|\$\d+|\^[A-Za-z]|[!?]+|[-*+]|[^\s=$^!?*+-]+|.")


def read_play(text: str, hands: Sequence[int], leader: int, strain: int) -> list[int]:
    """Read a play section: card numbers in the order played.

    Each card is given to the seat that holds it, so rows written in the order of play are
    read as well. Reading stops at ``*`` or ``+``, at the first card that is not known (``-``
    in the column of the seat to play), at a token that is no card, and at a card that cannot
    be played now (played before, or its holder has already played to the trick). Irregularities
    (``^R``), notes and glyphs are skipped.

    Parameters
    ----------
    text : str
        What stands behind the ``Play`` tag, without comments.
    hands : sequence of four int
        Hand masks of North, East, South and West.
    leader : int
        Seat code of the opening leader.
    strain : int
        0-4 = clubs, diamonds, hearts, spades, notrump.

    Returns
    -------
    list of int
        Card numbers ``13 * suit + rank``.
    """
    played: list[int] = []
    seen = 0
    trick = [-1] * 4
    columns = 0
    for token in _TOKEN.findall(text):
        first = token[0]
        if first.isspace() or first in "=$!?^":
            continue
        if first in "*+":
            break
        if first != "-":
            try:
                card = parse_card(token)
            except InvalidCard:
                break
            owner = next(seat for seat in range(4) if hands[seat] >> card & 1)
            if seen >> card & 1 or trick[owner] >= 0:
                break
            seen |= 1 << card
            trick[owner] = card
        columns += 1
        if columns == 4:
            leader, complete = _finish(trick, leader, strain, played)
            if not complete:
                return played
            trick = [-1] * 4
            columns = 0
    _finish(trick, leader, strain, played)
    return played


def _finish(trick: list[int], leader: int, strain: int, played: list[int]) -> tuple[int, bool]:
    """Append a trick in order; return its winner and whether all four cards were there."""
    cards = [trick[(leader + offset) % 4] for offset in range(4)]
    if -1 in cards:
        played.extend(cards[: cards.index(-1)])
        return leader, False
    played.extend(cards)
    return (leader + trick_winner(cards, strain)) % 4, True


def declarer_tricks(
    played: Sequence[int], hands: Sequence[int], declarer: int, strain: int
) -> int | None:
    """Tricks of declarer's side in a play of all cards, or of all but the forced last trick.

    Examples
    --------
    >>> hands = [0x1FFF << 13 * suit for suit in range(4)]
    >>> played = [13 * (place % 4) + place // 4 for place in range(48)]
    >>> declarer_tricks(played, hands, 3, 0), declarer_tricks(played[:40], hands, 3, 0)
    (0, None)
    """
    if not 48 <= len(played) <= 52:
        return None
    left = list(hands)
    leader = (declarer + 1) % 4
    for start in range(0, 48, 4):
        trick = played[start : start + 4]
        for offset, card in enumerate(trick):
            left[(leader + offset) % 4] &= ~(1 << card)
        leader = (leader + trick_winner(trick, strain)) % 4
    last = [left[(leader + offset) % 4].bit_length() - 1 for offset in range(4)]
    return count_declarer_tricks([*played[:48], *last], declarer, strain)
