"""Values inside LIN tokens, read from bytes by compiled code.

Each function is the fast twin of one in :mod:`bidcascade.loaders.lin_reference`, which says what
the value means. ``text`` is UTF-8, ``start`` and ``end`` bound the value, -1 stands for ``None``.

Whoever edits this file: numba keeps compiled code by the file of the outermost function, so
:mod:`.lin_kernel` goes on with the old code until its own file changes or the cache is deleted.
"""

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import VULNERABILITY_WORDS
from bidcascade.kernels.compiled import compiled
from bidcascade.kernels.types import U8

from .frame import UNREADABLE

I64 = NDArray[np.int64]

SUIT_OF = np.full(256, -1, np.int64)
RANK_OF = np.full(256, -1, np.int64)
STRAIN_OF = np.full(256, -1, np.int64)
for _code, _letter in enumerate(b"CDHS"):
    SUIT_OF[_letter] = SUIT_OF[_letter + 32] = _code
for _code, _letter in enumerate(b"23456789TJQKA"):
    RANK_OF[_letter] = _code
    if _letter >= ord("A"):
        RANK_OF[_letter + 32] = _code
for _code, _letter in enumerate(b"CDHSN"):
    STRAIN_OF[_letter] = STRAIN_OF[_letter + 32] = _code
# by length, so that the usual letters come first
_WORDS = sorted(filter(None, VULNERABILITY_WORDS), key=len)
SIDE_OF = np.array([VULNERABILITY_WORDS[word] for word in _WORDS], np.int64)
SIDE_LENGTHS = np.array([len(word) for word in _WORDS], np.int64)
SIDE_WORDS = np.array([list(word.upper().encode().ljust(16)) for word in _WORDS], np.int64)


@compiled
def is_blank(byte: int) -> bool:
    """Blank, tab, line end, vertical tab or form feed."""
    return byte == 32 or (byte >= 9 and byte <= 13)


@compiled
def upper(byte: int) -> int:
    """ASCII upper case."""
    return byte - 32 if byte >= 97 and byte <= 122 else byte


@compiled
def skip_blanks(text: U8, start: int, end: int) -> int:
    """First place from ``start`` on that is no blank."""
    while start < end and is_blank(text[start]):
        start += 1
    return start


@compiled
def trim_blanks(text: U8, start: int, end: int) -> int:
    """End of the value without blanks behind it."""
    while end > start and is_blank(text[end - 1]):
        end -= 1
    return end


@compiled
def find(text: U8, byte: int, start: int, end: int) -> int:
    """First place of a byte, ``end`` if it does not occur."""
    while start < end and text[start] != byte:
        start += 1
    return start


@compiled
def starts_with(text: U8, start: int, end: int, word: bytes) -> bool:
    """Whether an upper-case word stands at ``start``, in either case."""
    if end - start < len(word):
        return False
    offset = 0
    while offset < len(word) and upper(text[start + offset]) == word[offset]:
        offset += 1
    return offset == len(word)


@compiled
def parse_md(text: U8, start: int, end: int, hands: I64) -> int:
    """Fill ``hands`` (N E S W) and return the dealer, -1 if not given, -2 if it is no deal.

    A hand that stays unknown is 0.
    """
    start = skip_blanks(text, start, end)
    end = trim_blanks(text, start, end)
    if start == end:
        return -2
    dealer = -1
    first = text[start]
    if first >= 48 and first <= 52:
        if first > 48:
            dealer = (first - 48 + 1) % 4
        start += 1
    full = (1 << 52) - 1
    seen = 0
    missing = -1
    unknown = 0
    for part in range(4):
        # LIN names South, West, North, East
        seat = (part + 2) % 4
        suits_seen = 0
        suit = -1
        hand = 0
        count = 0
        while start < end and text[start] != 44:
            byte = text[start]
            start += 1
            if is_blank(byte) or byte == 45:
                continue
            if SUIT_OF[byte] >= 0:
                suit = SUIT_OF[byte]
                if suits_seen >> suit & 1:
                    return -2
                suits_seen |= 1 << suit
                continue
            if byte == 49 and start < end and text[start] == 48:
                rank = 8
                start += 1
            else:
                rank = RANK_OF[byte]
            if rank < 0 or suit < 0:
                return -2
            bit = 1 << (13 * suit + rank)
            if seen & bit:
                return -2
            seen |= bit
            hand |= bit
            count += 1
        hands[seat] = hand
        if count == 0:
            unknown += 1
            missing = seat
        elif count != 13:
            return -2
        # past the comma; at the end of the value there is none
        start += 1
    if unknown == 4:
        return -2
    if unknown == 1:
        hands[missing] = full & ~seen
    while start < end:
        if text[start] != 44 and not is_blank(text[start]):
            return -2
        start += 1
    return dealer


@compiled
def next_call(text: U8, start: int, end: int) -> tuple[int, int]:
    """Code of the call at ``start`` (not a blank) and where it ends; UNREADABLE ends the value."""
    byte = upper(text[start])
    if byte >= 49 and byte <= 55 and start + 1 < end and STRAIN_OF[text[start + 1]] >= 0:
        strain = STRAIN_OF[text[start + 1]]
        code = 3 + 5 * (byte - 49) + strain
        start += 2
        if strain == 4 and start < end and upper(text[start]) == 84:
            start += 1
        return code, start
    if byte == 80:
        return 0, start + (4 if starts_with(text, start, end, b"PASS") else 1)
    if byte == 68:
        if starts_with(text, start, end, b"DOUBLE"):
            return 1, start + 6
        return 1, start + (3 if starts_with(text, start, end, b"DBL") else 1)
    if byte == 88:
        if starts_with(text, start, end, b"XX"):
            return 2, start + 2
        return 1, start + 1
    if byte == 82:
        if starts_with(text, start, end, b"REDOUBLE"):
            return 2, start + 8
        if starts_with(text, start, end, b"RDBL"):
            return 2, start + 4
        return 2, start + (2 if starts_with(text, start, end, b"RD") else 1)
    return UNREADABLE, end


@compiled
def next_card(text: U8, start: int, end: int) -> tuple[int, int]:
    """Card number at ``start`` (not a blank) and where it ends; UNREADABLE ends the value."""
    suit = SUIT_OF[text[start]]
    if suit >= 0 and start + 1 < end:
        if text[start + 1] == 49 and start + 2 < end and text[start + 2] == 48:
            return 13 * suit + 8, start + 3
        rank = RANK_OF[text[start + 1]]
        if rank >= 0:
            return 13 * suit + rank, start + 2
    return UNREADABLE, end


@compiled
def parse_number(text: U8, start: int, end: int, digits: int) -> int:
    """Read a number of at most ``digits`` digits and nothing else but blanks around it, or -1."""
    start = skip_blanks(text, start, end)
    end = trim_blanks(text, start, end)
    if start == end or end - start > digits:
        return -1
    number = 0
    while start < end:
        digit = text[start] - 48
        if digit < 0 or digit > 9:
            return -1
        number = 10 * number + digit
        start += 1
    return number


@compiled
def parse_board(text: U8, start: int, end: int) -> tuple[int, int]:
    """Board number and room of a ``qx`` or ``ah`` value."""
    start = skip_blanks(text, start, end)
    end = trim_blanks(text, start, end)
    if starts_with(text, start, end, b"BOARD"):
        start += 5
    while start < end and text[start] in (32, 9, 35, 46, 58):
        start += 1
    room = -1
    if start < end:
        letter = upper(text[start])
        if letter == 79:
            room = 0
        elif letter == 67:
            room = 1
        if room >= 0:
            start += 1
    number = 0
    digits = 0
    while start < end and text[start] >= 48 and text[start] <= 57:
        digits += 1
        if digits > 6:
            return -1, -1
        number = 10 * number + (text[start] - 48)
        start += 1
    if digits == 0 or number == 0:
        return -1, -1
    if start < end:
        letter = upper(text[start])
        if letter >= 65 and letter <= 90:
            return -1, -1
    return number, room


@compiled
def parse_sv(text: U8, start: int, end: int) -> int:
    """Vulnerability of an ``sv`` value without blanks around it; -1 unknown, -2 no word for it."""
    length = end - start
    if length == 0 or (length == 1 and text[start] == 63):
        return -1
    for word in range(len(SIDE_OF)):
        if SIDE_LENGTHS[word] == length:
            offset = 0
            while offset < length and upper(text[start + offset]) == SIDE_WORDS[word, offset]:
                offset += 1
            if offset == length:
                return int(SIDE_OF[word])
    return -2


@compiled
def parse_vg(text: U8, start: int, end: int) -> tuple[int, int, int]:
    """Start and end of the event and the first board number of a ``vg`` value."""
    commas = 0
    at = end
    sixth = fifth = end
    while at > start and commas < 7:
        at -= 1
        if text[at] == 44:
            commas += 1
            if commas == 5:
                fifth = at
            elif commas == 6:
                sixth = at
    first = -1
    event_end = end
    if commas == 7:
        event_end = at
        first = parse_number(text, sixth + 1, fifth, 6)
    event_start = start
    while event_start < event_end and (text[event_start] == 44 or is_blank(text[event_start])):
        event_start += 1
    while event_end > event_start and (text[event_end - 1] == 44 or is_blank(text[event_end - 1])):
        event_end -= 1
    return event_start, event_end, first


@compiled
def parse_result(text: U8, start: int, end: int, place: int) -> tuple[int, int, int, int]:
    """Bid, doubling, declarer, tricks of one entry of an ``rs`` value; bid -1 if unreadable."""
    nothing = (-1, 0, -1, -1)
    for _ in range(place):
        start = find(text, 44, start, end) + 1
        if start > end:
            return nothing
    end = find(text, 44, start, end)
    start = skip_blanks(text, start, end)
    end = trim_blanks(text, start, end)
    if start == end:
        return nothing
    length = end - start
    if starts_with(text, start, end, b"P") and (
        length == 1 or (length == 4 and starts_with(text, start, end, b"PASS"))
    ):
        return 0, 0, -1, -1
    level = text[start] - 48
    if level < 1 or level > 7 or length < 3 or STRAIN_OF[text[start + 1]] < 0:
        return nothing
    strain = STRAIN_OF[text[start + 1]]
    at = start + 2
    if strain == 4 and upper(text[at]) == 84:
        at += 1
    letter = upper(text[at]) if at < end else 0
    if letter == 78:
        declarer = 0
    elif letter == 69:
        declarer = 1
    elif letter == 83:
        declarer = 2
    elif letter == 87:
        declarer = 3
    else:
        return nothing
    at += 1
    doubling = 0
    while at < end and doubling < 2 and upper(text[at]) == 88:
        doubling += 1
        at += 1
    if at >= end:
        return 3 + 5 * (level - 1) + strain, doubling, declarer, -1
    sign = text[at]
    at += 1
    tricks = level + 6
    if sign == 43 or sign == 45:
        if at == end or is_blank(text[at]) or is_blank(text[end - 1]):
            return nothing
        number = parse_number(text, at, end, 2)
        if number < 0:
            return nothing
        tricks += number if sign == 43 else -number
    elif sign != 61 or at != end:
        return nothing
    if tricks < 0 or tricks > 13:
        return nothing
    return 3 + 5 * (level - 1) + strain, doubling, declarer, tricks


@compiled
def tricks_from_cards(play: U8, hands: I64, declarer: int, strain: int) -> int:
    """Tricks of declarer's side if the play is complete but for a forced last trick, or -1."""
    count = len(play)
    if count < 48 or count > 52:
        return -1
    held = hands.copy()
    leader = (declarer + 1) % 4
    tricks = 0
    for start in range(0, 52, 4):
        winner = 0
        top = -1
        for offset in range(4):
            seat = (leader + offset) % 4
            if start + offset < count:
                card = int(play[start + offset])
            else:
                card = 0
                while card < 52 and not held[seat] >> card & 1:
                    card += 1
            if card > 51 or not held[seat] >> card & 1:
                return -1
            held[seat] ^= 1 << card
            if (
                offset == 0
                or (card // 13 == top // 13 and card > top)
                or (card // 13 != top // 13 and card // 13 == strain)
            ):
                top = card
                winner = offset
        leader = (leader + winner) % 4
        if (leader - declarer) % 2 == 0:
            tricks += 1
    return tricks
