"""The play of the cards: who wins a trick, how many declarer's side took.

Laws of Duplicate Bridge 2017, Laws 41 and 44: the player on declarer's left leads, the highest
trump wins, else the highest card of the suit led, and the winner of a trick leads to the next.
Cards are card numbers, ``13 * suit + rank``; strains 0-4 are C D H S N.
"""

from collections.abc import Sequence


def trick_winner(cards: Sequence[int], strain: int) -> int:
    """Position (0-3, 0 led) of the card that wins a trick of four.

    Examples
    --------
    >>> from bidcascade.bridge import parse_card
    >>> trick_winner([parse_card(card) for card in ("HK", "HA", "C2", "H3")], strain=0)
    2
    """
    best = 0
    for position in range(1, 4):
        card, top = cards[position], cards[best]
        if card > top if card // 13 == top // 13 else card // 13 == strain:
            best = position
    return best


def count_declarer_tricks(
    play: Sequence[int], hands: Sequence[int], declarer: int, strain: int
) -> int | None:
    """Tricks of declarer's side in a play of all cards, or of all but a forced last trick.

    Parameters
    ----------
    play : sequence of int
        Card numbers in the order played, the opening lead first.
    hands : sequence of four int
        Hand masks of North, East, South and West.
    declarer : int
        Seat 0-3 = N E S W.
    strain : int
        Trump suit 0-3, or 4 for notrump.

    Returns
    -------
    int or None
        ``None`` if fewer cards are known, or one is not held by who should have played it.

    Examples
    --------
    >>> hands = [0x1FFF << 13 * suit for suit in range(4)]
    >>> play = [13 * (place % 4) + place // 4 for place in range(48)]
    >>> count_declarer_tricks(play, hands, 3, 0), count_declarer_tricks(play[:47], hands, 3, 0)
    (0, None)
    """
    if not 48 <= len(play) <= 52:
        return None
    held = list(hands)
    leader = (declarer + 1) % 4
    tricks = 0
    for start in range(0, 52, 4):
        trick = list(play[start : start + 4])
        for offset in range(4):
            seat = (leader + offset) % 4
            if offset == len(trick):
                trick.append(held[seat].bit_length() - 1)
            if not held[seat] >> trick[offset] & 1:
                return None
            held[seat] ^= 1 << trick[offset]
        leader = (leader + trick_winner(trick, strain)) % 4
        tricks += (leader - declarer) % 2 == 0
    return tricks
