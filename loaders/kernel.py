"""The fast readers of LIN and of PBN's sections: machines over bytes, compiled by numba.

LIN follows :mod:`.lin_reference` token by token; the auctions and plays of PBN that are plain,
nearly all, follow :mod:`.pbn_sections`, and the others are marked odd and left to it. Both fill
rows as :mod:`.columns` describes them, and share the auction and the counting of tricks. Every
sign that matters is ASCII, so that LIN is read as UTF-8 as it is.

All stands in one file: numba keeps compiled code by the file of the outermost function.
"""

from typing import NamedTuple

import numpy as np

from bidcascade.kernels.compiled import compiled
from bidcascade.kernels.types import U8

from .columns import (
    BID,
    BOARD,
    CALLS_END,
    COMPLETE,
    DEAL_COLUMNS,
    DEALER,
    DECLARER,
    DOUBLING,
    I64,
    ILLEGAL,
    NO_CALL,
    NORTH,
    PLAY_END,
    RECORD,
    REMARKS_END,
    ROOM_CODE,
    STATUS,
    TRICKS,
    UNFINISHED,
    UNREADABLE,
    VULNERABILITY,
    WEST,
)

SUIT_OF, RANK_OF, STRAIN_OF, SEAT_OF = np.full((4, 256), -1, np.int64)
for _table, _letters in (
    (SUIT_OF, "CDHS"), (RANK_OF, "23456789TJQKA"), (STRAIN_OF, "CDHSN"), (SEAT_OF, "NESW"),
):  # fmt: skip
    for _code, _letter in enumerate(_letters):
        _table[[ord(_letter), ord(_letter.lower())]] = _code

TAB, LINE_FEED, RETURN, BLANK, BAR, COMMA, PERCENT, SEMICOLON = b"\t\n\r |,%;"
PLUS, MINUS, EQUALS, STAR, ALERT, QUIZ, SHARP, POINT, COLON = b"+-=*!?#.:"
ZERO, ONE, FOUR, SEVEN, NINE = b"01479"
A, B, C, D, E, N, LETTER_O, P, R, S, T, W, X, Z = b"ABCDENOPRSTWXZ"
LOWER = 32
"""What a small letter is above its capital."""


@compiled
def _is_blank(byte: int) -> bool:
    """Blank, tab, line end, vertical tab or form feed."""
    return byte == BLANK or (byte >= TAB and byte <= RETURN)


@compiled
def _upper(byte: int) -> int:
    return byte - LOWER if byte >= A + LOWER and byte <= Z + LOWER else byte


@compiled
def _skip_blanks(text: U8, start: int, end: int) -> int:
    while start < end and _is_blank(text[start]):
        start += 1
    return start


@compiled
def _trim_blanks(text: U8, start: int, end: int) -> int:
    while end > start and _is_blank(text[end - 1]):
        end -= 1
    return end


@compiled
def _find(text: U8, byte: int, start: int, end: int) -> int:
    """First place of a byte, ``end`` if it does not occur."""
    while start < end and text[start] != byte:
        start += 1
    return start


@compiled
def _starts_with(text: U8, start: int, end: int, word: bytes) -> bool:
    """Whether an upper-case word stands at ``start``, in either case."""
    if end - start < len(word):
        return False
    offset = 0
    while offset < len(word) and _upper(text[start + offset]) == word[offset]:
        offset += 1
    return offset == len(word)


@compiled
def _number(text: U8, start: int, end: int, digits: int) -> int:
    """Read a number of at most ``digits`` digits and nothing else but blanks around it, or -1."""
    start = _skip_blanks(text, start, end)
    end = _trim_blanks(text, start, end)
    if start == end or end - start > digits:
        return -1
    number = 0
    for digit in text[start:end]:
        if digit < ZERO or digit > NINE:
            return -1
        number = 10 * number + digit - ZERO
    return number


# --- auction and play -----------------------------------------------------------------------

# Fields of an auction under way: calls made, the last bid, its place, whether it is doubled, and
# the passes since anything else.
COUNT, LAST_BID, BIDDER, DOUBLED, PASSES = range(5)


@compiled(forceinline=True)
def _is_over(auction: I64) -> bool:
    return auction[PASSES] == 4 or (auction[PASSES] == 3 and auction[LAST_BID] > 0)


@compiled(forceinline=True)
def _add_call(auction: I64, call: int) -> bool:
    """Add a call, and say whether it was legal; if not, nothing has changed."""
    count = auction[COUNT]
    is_partners = (count - auction[BIDDER]) % 2 == 0
    if _is_over(auction):
        return False
    if call == 1 and (auction[LAST_BID] == 0 or auction[DOUBLED] != 0 or is_partners):
        return False
    if call == 2 and (auction[DOUBLED] != 1 or not is_partners):
        return False
    if call > 2 and call <= auction[LAST_BID]:
        return False
    if call > 2:
        auction[LAST_BID] = call
        auction[BIDDER] = count
        auction[DOUBLED] = 0
    elif call > 0:
        auction[DOUBLED] = call
    auction[PASSES] = 0 if call > 0 else auction[PASSES] + 1
    auction[COUNT] = count + 1
    return True


@compiled
def _declarers_place(calls: U8, auction: I64) -> int:
    """Place of the call by which the last bidder's side first named its strain."""
    strain = (auction[LAST_BID] - 3) % 5
    place = auction[BIDDER] % 2
    while calls[place] < 3 or (calls[place] - 3) % 5 != strain:
        place += 2
    return place


@compiled
def _beats(card: int, top: int, strain: int) -> bool:
    return card > top if card // 13 == top // 13 else card // 13 == strain


@compiled
def _tricks_from_cards(play: U8, hands: I64, declarer: int, strain: int) -> int:
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
                while not held[seat] >> card & 1:
                    card += 1
            if not held[seat] >> card & 1:
                return -1
            held[seat] ^= 1 << card
            if offset == 0 or _beats(card, top, strain):
                top = card
                winner = offset
        leader = (leader + winner) % 4
        if (leader - declarer) % 2 == 0:
            tricks += 1
    return tricks


# --- the values of LIN: each function is the twin of one in lin_reference ---------------------


@compiled
def _parse_md(text: U8, start: int, end: int, hands: I64) -> int:
    """Fill ``hands`` (N E S W) and return the dealer, -1 if not given, -2 if it is no deal."""
    start = _skip_blanks(text, start, end)
    end = _trim_blanks(text, start, end)
    if start == end:
        return -2
    dealer = -1
    first = text[start]
    if first >= ZERO and first <= FOUR:
        if first > ZERO:
            dealer = (first - ZERO + 1) % 4
        start += 1
    seen = 0
    missing = -1
    for part in range(4):
        # LIN names South, West, North, East
        seat = (part + 2) % 4
        suits_seen = 0
        suit = -1
        hand = 0
        count = 0
        while start < end and text[start] != COMMA:
            byte = text[start]
            start += 1
            if _is_blank(byte) or byte == MINUS:
                continue
            if SUIT_OF[byte] >= 0:
                suit = SUIT_OF[byte]
                if suits_seen >> suit & 1:
                    return -2
                suits_seen |= 1 << suit
                continue
            if byte == ONE and start < end and text[start] == ZERO:
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
            if missing >= 0:
                return -2
            missing = seat
        elif count != 13:
            return -2
        # past the comma; at the end of the value there is none
        start += 1
    if missing >= 0:
        hands[missing] = (1 << 52) - 1 & ~seen
    while start < end:
        if text[start] != COMMA and not _is_blank(text[start]):
            return -2
        start += 1
    return dealer


@compiled
def _next_call(text: U8, start: int, end: int) -> tuple[int, int]:
    """Code of the call at ``start`` (not a blank) and where it ends; UNREADABLE ends the value."""
    byte = _upper(text[start])
    if byte >= ONE and byte <= SEVEN and start + 1 < end and STRAIN_OF[text[start + 1]] >= 0:
        strain = STRAIN_OF[text[start + 1]]
        code = 3 + 5 * (byte - ONE) + strain
        start += 2
        if strain == 4 and start < end and _upper(text[start]) == T:
            start += 1
        return code, start
    if byte == P:
        return 0, start + (4 if _starts_with(text, start, end, b"PASS") else 1)
    if byte == D:
        if _starts_with(text, start, end, b"DOUBLE"):
            return 1, start + 6
        return 1, start + (3 if _starts_with(text, start, end, b"DBL") else 1)
    if byte == X:
        if _starts_with(text, start, end, b"XX"):
            return 2, start + 2
        return 1, start + 1
    if byte == R:
        if _starts_with(text, start, end, b"REDOUBLE"):
            return 2, start + 8
        if _starts_with(text, start, end, b"RDBL"):
            return 2, start + 4
        return 2, start + (2 if _starts_with(text, start, end, b"RD") else 1)
    return UNREADABLE, end


@compiled
def _next_card(text: U8, start: int, end: int) -> tuple[int, int]:
    """Card number at ``start`` (not a blank) and where it ends; UNREADABLE ends the value."""
    suit = SUIT_OF[text[start]]
    if suit >= 0 and start + 1 < end:
        if text[start + 1] == ONE and start + 2 < end and text[start + 2] == ZERO:
            return 13 * suit + 8, start + 3
        rank = RANK_OF[text[start + 1]]
        if rank >= 0:
            return 13 * suit + rank, start + 2
    return UNREADABLE, end


@compiled
def _parse_board(text: U8, start: int, end: int) -> tuple[int, int]:
    """Board number and room of a ``qx`` or ``ah`` value."""
    start = _skip_blanks(text, start, end)
    end = _trim_blanks(text, start, end)
    if _starts_with(text, start, end, b"BOARD"):
        start += 5
    while start < end and text[start] in (BLANK, TAB, SHARP, POINT, COLON):
        start += 1
    room = -1
    if start < end and _upper(text[start]) in (LETTER_O, C):
        room = 0 if _upper(text[start]) == LETTER_O else 1
        start += 1
    number = 0
    digits = 0
    while start < end and text[start] >= ZERO and text[start] <= NINE:
        digits += 1
        if digits > 6:
            return -1, -1
        number = 10 * number + (text[start] - ZERO)
        start += 1
    if number == 0 or (start < end and _upper(text[start]) >= A and _upper(text[start]) <= Z):
        return -1, -1
    return number, room


@compiled
def _parse_sv(text: U8, start: int, end: int) -> int:
    """Vulnerability of an ``sv`` value."""
    start = _skip_blanks(text, start, end)
    if start == end:
        return -1
    letter = _upper(text[start])
    if letter in (LETTER_O, ZERO, MINUS):
        return 0
    if letter in (N, S):
        return 1
    if letter in (E, W):
        return 2
    return 3 if letter == B else -1


@compiled
def _parse_vg(text: U8, start: int, end: int) -> tuple[int, int, int]:
    """Start and end of the event and the first board number of a ``vg`` value."""
    commas = 0
    at = end
    sixth = fifth = end
    while at > start and commas < 7:
        at -= 1
        if text[at] == COMMA:
            commas += 1
            if commas == 5:
                fifth = at
            elif commas == 6:
                sixth = at
    first = -1
    if commas == 7:
        end = at
        first = _number(text, sixth + 1, fifth, 6)
    while start < end and (text[start] == COMMA or _is_blank(text[start])):
        start += 1
    while end > start and (text[end - 1] == COMMA or _is_blank(text[end - 1])):
        end -= 1
    return start, end, first


@compiled
def _parse_result(text: U8, start: int, end: int, place: int) -> tuple[int, int, int, int]:
    """Bid, doubling, declarer, tricks of one entry of an ``rs`` value; bid -1 if unreadable."""
    nothing = (-1, 0, -1, -1)
    for _ in range(place):
        start = _find(text, COMMA, start, end) + 1
        if start > end:
            return nothing
    end = _find(text, COMMA, start, end)
    start = _skip_blanks(text, start, end)
    end = _trim_blanks(text, start, end)
    length = end - start
    if (length == 1 and _upper(text[start]) == P) or (
        length == 4 and _starts_with(text, start, end, b"PASS")
    ):
        return 0, 0, -1, -1
    if length < 3:
        return nothing
    level = text[start] - ZERO
    strain = STRAIN_OF[text[start + 1]]
    if level < 1 or level > 7 or strain < 0:
        return nothing
    at = start + 2
    if strain == 4 and _upper(text[at]) == T:
        at += 1
    if at >= end or SEAT_OF[text[at]] < 0:
        return nothing
    declarer = SEAT_OF[text[at]]
    at += 1
    doubling = 0
    while at < end and doubling < 2 and _upper(text[at]) == X:
        doubling += 1
        at += 1
    bid = 3 + 5 * (level - 1) + strain
    if at >= end:
        return bid, doubling, declarer, -1
    sign = text[at]
    at += 1
    tricks = level + 6
    if sign in (PLUS, MINUS):
        if at == end or _is_blank(text[at]):
            return nothing
        number = _number(text, at, end, 2)
        if number < 0:
            return nothing
        tricks += number if sign == PLUS else -number
    elif sign != EQUALS or at != end:
        return nothing
    if tricks < 0 or tricks > 13:
        return nothing
    return bid, doubling, declarer, tricks


# --- LIN ------------------------------------------------------------------------------------

DOCUMENT, NAMES_START, NAMES_END, EVENT_START, EVENT_END = range(DEAL_COLUMNS, DEAL_COLUMNS + 5)
LIN_COLUMNS = DEAL_COLUMNS + 5
# What is known of a board only while it is read.
(
    IS_OPEN, IN_HEADER, START, DEAL, MD_START, MD_END, BROKEN_PLAY, FIRST_BOARD, RESULTS_START,
    RESULTS_END,
) = range(LIN_COLUMNS, LIN_COLUMNS + 10)  # fmt: skip
_ALL_COLUMNS = LIN_COLUMNS + 10

NO_DEAL, GOOD_DEAL, BAD_DEAL = range(3)
REJECT_COLUMNS = 5
"""Document, record, NO_DEAL or BAD_DEAL, start and end of the text to quote."""

# Rows of ``Parsed.state``: start and end of the value last seen, -1 if none. AH and SV only if
# they wait for the next board.
STATE_VG, STATE_RS, STATE_PN, STATE_AH, STATE_SV = range(5)

# How much there is of each flat array; the first four in the order of CALLS_END to REMARKS_END.
CALLS, TAIL, PLAY, REMARKS, ANNOUNCED_BYTES, REMARKED_BYTES = range(6)

_KEYS = (
    "md", "mb", "an", "pn", "pw", "qx", "sv", "nt", "at", "pc", "mc", "pg", "ah", "vg", "rs", "st",
)  # fmt: skip
_MD, _MB, _AN, _PN, _PW, _QX, _SV, _NT, _AT, _PC, _MC, _PG, _AH, _VG, _RS, _ = (
    ord(key[0]) << 8 | ord(key[1]) for key in _KEYS
)
_IS_USED = np.zeros(1 << 15, np.bool_)
_IS_USED[[ord(key[0]) << 8 | ord(key[1]) for key in _KEYS]] = True
_END_OF_DOCUMENT, _OTHER = 0, 1


class Parsed(NamedTuple):
    """Flat arrays of all boards of some documents.

    Texts are copied out, trimmed; remarks end with ``|``, which no value can hold.
    """

    boards: I64
    rejects: I64
    calls: U8
    alerts: U8
    announcements: U8
    announcement_ends: I64
    tail: U8
    play: U8
    remarks: U8
    state: I64


@compiled
def _read_key(text: U8, start: int, bar: int) -> int:
    """Lower-case key code of the piece before a ``|``; 1 for an unused key, 0 if it is no key."""
    if _trim_blanks(text, start, bar) - start != 2:
        return 0
    first = _upper(text[start])
    second = _upper(text[start + 1])
    if first < A or first > Z or second < A or second > Z:
        return 0
    key = (first + LOWER) << 8 | (second + LOWER)
    if _IS_USED[key]:
        return key
    return _OTHER if text[start] > Z and text[start + 1] > Z else 0


@compiled
def _next_token(text: U8, at: int, end: int) -> tuple[int, int, int, int]:
    """Key, where the token starts, start and end of its value."""
    while True:
        at = _skip_blanks(text, at, end)
        if at + 1 < end and text[at] == PERCENT and text[at + 1] == PERCENT:
            at = _find(text, LINE_FEED, at, end)
            continue
        bar = _find(text, BAR, at, end)
        if bar == end:
            return _END_OF_DOCUMENT, end, end, end
        key = _read_key(text, at, bar)
        if key != 0:
            return key, at, bar + 1, _find(text, BAR, bar + 1, end)
        at = bar + 1


@compiled
def _begin_board(text: U8, start: int, board: I64, auction: I64, state: I64) -> None:
    """Give a board what was said for it and for all boards before it began."""
    board[BID:RECORD] = -1
    board[IS_OPEN : BROKEN_PLAY + 1] = 0
    board[IS_OPEN] = board[IN_HEADER] = 1
    board[START] = start
    board[DEALER] = -1
    board[NAMES_START : NAMES_END + 1] = state[STATE_PN]
    board[EVENT_START], board[EVENT_END], board[FIRST_BOARD] = _parse_vg(
        text, state[STATE_VG, 0], state[STATE_VG, 1]
    )
    board[RESULTS_START : RESULTS_END + 1] = state[STATE_RS]
    board[BOARD], board[ROOM_CODE] = _parse_board(text, state[STATE_AH, 0], state[STATE_AH, 1])
    board[VULNERABILITY] = _parse_sv(text, state[STATE_SV, 0], state[STATE_SV, 1])
    state[STATE_AH] = -1
    state[STATE_SV] = -1
    auction[:] = 0


@compiled
def _end_board(
    text: U8, board: I64, auction: I64, calls: U8, play: U8, sizes: I64, begun: I64
) -> None:
    """Derive dealer, vulnerability, status, contract and tricks, as far as they are not given."""
    number = board[BOARD]
    index = (number - 1) % 16 if number > 0 else 0
    if board[DEALER] < 0:
        board[DEALER] = index % 4
    if board[VULNERABILITY] < 0:
        board[VULNERABILITY] = (index + index // 4) % 4
    bid = declarer = -1
    doubling = 0
    board[STATUS] = UNFINISHED
    if _is_over(auction):
        board[STATUS] = COMPLETE
        bid, doubling = auction[LAST_BID], auction[DOUBLED]
        if bid > 0:
            place = _declarers_place(calls[begun[CALLS] : sizes[CALLS]], auction)
            declarer = (board[DEALER] + place) % 4
    if sizes[TAIL] > begun[TAIL]:
        board[STATUS] = ILLEGAL
    elif sizes[CALLS] == begun[CALLS]:
        board[STATUS] = NO_CALL
    tricks = board[TRICKS]
    if bid > 0 and not board[BROKEN_PLAY]:
        counted = _tricks_from_cards(
            play[begun[PLAY] : sizes[PLAY]], board[NORTH : WEST + 1], declarer, (bid - 3) % 5
        )
        if counted >= 0:
            tricks = counted
    place = 2 * (number - board[FIRST_BOARD]) + board[ROOM_CODE]
    if (
        (bid < 0 or (bid > 0 and tricks < 0))
        and number > 0
        and min(board[ROOM_CODE], board[FIRST_BOARD], board[RESULTS_END], place) >= 0
    ):
        result_bid, result_doubling, result_declarer, result_tricks = _parse_result(
            text, board[RESULTS_START], board[RESULTS_END], place
        )
        if bid < 0 and result_bid >= 0:
            bid, doubling, declarer = result_bid, result_doubling, result_declarer
            if tricks < 0:
                tricks = result_tricks
        elif bid > 0 and result_bid == bid and result_declarer == declarer:
            tricks = result_tricks
    board[BID] = bid
    board[DOUBLING] = doubling
    board[DECLARER] = declarer
    board[TRICKS] = -1 if bid == 0 else tricks
    board[CALLS_END : REMARKS_END + 1] = sizes[: REMARKS + 1]


@compiled(forceinline=True)
def _read_mb(
    text: U8, start: int, end: int, auction: I64, calls: U8, alerts: U8, announcement_ends: I64,
    tail: U8, sizes: I64, begun: I64,
) -> None:  # fmt: skip
    """Add the calls of a value to the legal part or, once one is illegal, to the tail."""
    at = start
    is_first = True
    while at < end:
        byte = text[at]
        if _is_blank(byte) or byte in (QUIZ, COMMA):
            at += 1
        elif byte in (ALERT, STAR) and not is_first:
            if sizes[TAIL] == begun[TAIL]:
                alerts[sizes[CALLS] - 1] = 1
            at += 1
        else:
            call, at = _next_call(text, at, end)
            is_first = False
            if sizes[TAIL] == begun[TAIL] and call != UNREADABLE and _add_call(auction, call):
                calls[sizes[CALLS]] = call
                alerts[sizes[CALLS]] = 0
                announcement_ends[sizes[CALLS]] = sizes[ANNOUNCED_BYTES]
                sizes[CALLS] += 1
            else:
                tail[sizes[TAIL]] = call
                sizes[TAIL] += 1


@compiled
def _copy(text: U8, start: int, end: int, to: U8, at: int, with_line_ends: int) -> int:
    """Copy a value and return where it ends."""
    for byte in text[start:end]:
        if with_line_ends or byte not in (LINE_FEED, RETURN):
            to[at] = byte
            at += 1
    return at


@compiled
def _read_remark(
    text: U8, start: int, end: int, remarks: U8, sizes: I64, with_line_ends: int
) -> None:
    start = _skip_blanks(text, start, end)
    end = _trim_blanks(text, start, end)
    if start < end:
        at = _copy(text, start, end, remarks, sizes[REMARKED_BYTES], with_line_ends)
        remarks[at] = BAR
        sizes[REMARKED_BYTES] = at + 1
        sizes[REMARKS] += 1


@compiled
def _read_announcement(
    text: U8, start: int, end: int, announcements: U8, announcement_ends: I64, sizes: I64
) -> None:
    """Add a text to those of the last call."""
    start = _skip_blanks(text, start, end)
    end = _trim_blanks(text, start, end)
    if start == end:
        return
    at = sizes[ANNOUNCED_BYTES]
    if at > (announcement_ends[sizes[CALLS] - 2] if sizes[CALLS] > 1 else 0):
        announcements[at] = SEMICOLON
        announcements[at + 1] = BLANK
        at += 2
    at = _copy(text, start, end, announcements, at, with_line_ends=0)
    sizes[ANNOUNCED_BYTES] = at
    announcement_ends[sizes[CALLS] - 1] = at


@compiled(forceinline=True)
def _read_pc(text: U8, start: int, end: int, board: I64, play: U8, sizes: I64) -> None:
    at = _skip_blanks(text, start, end)
    while at < end and not board[BROKEN_PLAY]:
        card, at = _next_card(text, at, end)
        if card == UNREADABLE:
            board[BROKEN_PLAY] = 1
        else:
            play[sizes[PLAY]] = card
            sizes[PLAY] += 1
        at = _skip_blanks(text, at, end)


@compiled
def _read_heading(text: U8, key: int, start: int, end: int, board: I64, state: I64) -> None:
    """Take in a token that speaks of the board, if it is not under way, or of those to come."""
    belongs = board[IS_OPEN] and board[IN_HEADER]
    if key == _MD:
        board[IN_HEADER] = 1
        board[DEALER] = _parse_md(text, start, end, board[NORTH : WEST + 1])
        board[DEAL] = GOOD_DEAL if board[DEALER] > -2 else BAD_DEAL
        board[MD_START] = start
        board[MD_END] = end
    elif key in (_PN, _PW):
        state[STATE_PN] = start, end
        if belongs:
            board[NAMES_START : NAMES_END + 1] = state[STATE_PN]
    elif key == _VG:
        state[STATE_VG] = start, end
        state[STATE_RS] = -1
        if belongs:
            board[EVENT_START], board[EVENT_END], board[FIRST_BOARD] = _parse_vg(text, start, end)
            board[RESULTS_START : RESULTS_END + 1] = -1
    elif key == _RS:
        state[STATE_RS] = start, end
        if belongs:
            board[RESULTS_START : RESULTS_END + 1] = state[STATE_RS]
    elif key == _SV:
        if belongs:
            board[VULNERABILITY] = _parse_sv(text, start, end)
        else:
            state[STATE_SV] = start, end
    elif key == _AH:
        number, room = _parse_board(text, start, end)
        if number > 0:
            if belongs:
                board[BOARD] = number
                if board[ROOM_CODE] < 0:
                    board[ROOM_CODE] = room
            else:
                state[STATE_AH] = start, end


@compiled
def parse_documents(text: U8, ends: I64, bars: int) -> Parsed:
    """Boards of several LIN documents that lie one behind the other.

    Parameters
    ----------
    text : uint8 array, shape (bytes,)
        All documents, UTF-8.
    ends : int64 array, shape (documents,)
        Where each document ends.
    bars : int
        How many ``|`` the text holds; bounds the number of tokens.
    """
    limit = bars + 2 + len(ends)
    size = len(text) + 1
    boards = np.empty((limit, LIN_COLUMNS), np.int64)
    rejects = np.empty((limit, REJECT_COLUMNS), np.int64)
    calls = np.empty(size, np.uint8)
    alerts = np.empty(size, np.uint8)
    announcements = np.empty(size, np.uint8)
    announcement_ends = np.empty(size, np.int64)
    tail = np.empty(size, np.uint8)
    play = np.empty(size, np.uint8)
    remarks = np.empty(size, np.uint8)
    state = np.empty((5, 2), np.int64)
    board = np.zeros(_ALL_COLUMNS, np.int64)
    auction = np.zeros(5, np.int64)
    sizes = np.zeros(6, np.int64)
    begun = np.zeros(6, np.int64)
    board_count = reject_count = 0
    end = -1
    for document in range(len(ends)):
        state[:] = -1
        board[:] = 0
        board[DOCUMENT] = document
        key = _OTHER
        while key != _END_OF_DOCUMENT:
            key, token, start, end = _next_token(text, end + 1, ends[document])
            begins = key in (_QX, _END_OF_DOCUMENT)
            if key == _MD:
                is_fresh = not board[BROKEN_PLAY] and (sizes[:REMARKS] == begun[:REMARKS]).all()
                begins = not board[IS_OPEN] or board[DEAL] != NO_DEAL or not is_fresh
                if begins and board[IS_OPEN] and is_fresh and _find(text, COMMA, start, end) == end:
                    # a mark such as ``*1`` behind the deal
                    continue
            if begins and board[IS_OPEN]:
                board[IS_OPEN] = 0
                board[RECORD] += 1
                if board[DEAL] == GOOD_DEAL:
                    _end_board(text, board, auction, calls, play, sizes, begun)
                    boards[board_count] = board[:LIN_COLUMNS]
                    board_count += 1
                    begun[:] = sizes
                else:
                    is_bad = board[DEAL] == BAD_DEAL
                    reject = rejects[reject_count]
                    reject[:3] = document, board[RECORD], board[DEAL]
                    reject[3] = board[MD_START] if is_bad else board[START]
                    reject[4] = board[MD_END] if is_bad else token
                    reject_count += 1
                    sizes[:] = begun
            if begins and key != _END_OF_DOCUMENT:
                _begin_board(text, token, board, auction, state)
            if key in (_MD, _PN, _PW, _VG, _RS, _SV, _AH):
                _read_heading(text, key, start, end, board, state)
            elif key == _QX:
                board[VULNERABILITY] = -1
                board[BOARD], board[ROOM_CODE] = _parse_board(text, start, end)
            elif not board[IS_OPEN]:
                continue
            elif key in (_NT, _AT):
                _read_remark(text, start, end, remarks, sizes, with_line_ends=1)
            elif key == _AN and sizes[TAIL] == begun[TAIL]:
                if sizes[CALLS] == begun[CALLS]:
                    _read_remark(text, start, end, remarks, sizes, with_line_ends=0)
                else:
                    _read_announcement(text, start, end, announcements, announcement_ends, sizes)
            elif key in (_MB, _PC, _MC, _PG):
                board[IN_HEADER] = 0
                if key == _MB:
                    _read_mb(
                        text, start, end, auction, calls, alerts, announcement_ends, tail, sizes,
                        begun,
                    )  # fmt: skip
                elif key == _PC:
                    _read_pc(text, start, end, board, play, sizes)
                elif key == _MC:
                    claim = _number(text, start, end, 2)
                    if claim >= 0 and claim <= 13:
                        board[TRICKS] = claim
        end = ends[document] - 1
    return Parsed(
        boards[:board_count],
        rejects[:reject_count],
        calls[: sizes[CALLS]],
        alerts[: sizes[CALLS]],
        announcements[: sizes[ANNOUNCED_BYTES]],
        announcement_ends[: sizes[CALLS]],
        tail[: sizes[TAIL]],
        play[: sizes[PLAY]],
        remarks[: sizes[REMARKED_BYTES]],
        state,
    )


# --- PBN ------------------------------------------------------------------------------------

# What the tags say of contract and play, behind the columns of the deal frame: declarer and
# leader -1 if unknown; ODD marks what is left to the plain reader.
OPENER, TAG_DECLARER, IS_IRREGULAR, LEADER, ODD = range(DEAL_COLUMNS, DEAL_COLUMNS + 5)
PBN_COLUMNS = DEAL_COLUMNS + 5

MAX_CALLS = 96
"""Auctions with more calls (the longest possible has 319) are odd."""


@compiled
def _token_end(text: U8, start: int, end: int) -> int:
    while start < end and text[start] > BLANK:
        start += 1
    return start


@compiled
def _read_call(text: U8, start: int, end: int) -> int:
    """Code of a call as PBN has it, -1 if it is none; ``ap`` is -2."""
    length = end - start
    first = text[start]
    if first > ZERO and first <= SEVEN and (length == 2 or length == 3):
        strain = STRAIN_OF[text[start + 1]]
        if strain < 0 or (length == 3 and (strain != 4 or _upper(text[start + 2]) != T)):
            return -1
        return 3 + 5 * (first - ONE) + strain
    letter = _upper(first)
    if length == 1:
        if letter == P:
            return 0
        if letter in (X, D):
            return 1
        return 2 if letter == R else -1
    if length == 2 and letter == X:
        return 2 if _upper(text[start + 1]) == X else -1
    if length == 2 and letter == A:
        return -2 if _upper(text[start + 1]) == P else -1
    return 0 if length == 4 and _starts_with(text, start, end, b"PASS") else -1


@compiled
def _read_auction(text: U8, start: int, end: int, calls: U8, notes: U8, auction: I64) -> bool:
    """Fill one row of calls and of note numbers; say whether the section is plain."""
    auction[:] = 0
    at = start
    while True:
        while at < end and text[at] <= BLANK:
            at += 1
        if at == end:
            return True
        token = at
        at = _token_end(text, at, end)
        count = auction[COUNT]
        if text[token] == EQUALS:  # a note, "=n="
            if at - token < 3 or count == 0 or text[at - 1] != EQUALS:
                return False
            number = _number(text, token + 1, at - 1, 3)
            if number < 1 or number > 255 or notes[count - 1] != 0 or text[token + 1] == ZERO:
                return False
            notes[count - 1] = number
            continue
        if at - token == 1 and (text[token] == STAR or text[token] == PLUS):
            return True
        call = _read_call(text, token, at)
        if call == -2 and count + 4 <= MAX_CALLS:
            while _add_call(auction, 0):
                calls[auction[COUNT] - 1] = 0
            return True
        if call < 0 or count >= MAX_CALLS or not _add_call(auction, call):
            return False
        calls[count] = call


@compiled
def _read_play(
    text: U8, start: int, end: int, hands: I64, leader: int, strain: int, cards: U8
) -> int:
    """Fill one row of cards in the order played and return their number, -1 if it is not plain."""
    count = 0
    seen = 0
    trick = np.full(4, -1, np.int64)
    columns = 0
    at = start
    stopped = False
    while not stopped:
        while at < end and text[at] <= BLANK:
            at += 1
        token = at
        at = _token_end(text, at, end)
        length = at - token
        if length == 0 or (length == 1 and (text[token] == STAR or text[token] == PLUS)):
            stopped = True
        elif length == 1 and text[token] == MINUS:
            columns += 1
        elif length == 2 and SUIT_OF[text[token]] >= 0 and RANK_OF[text[token + 1]] >= 0:
            card = 13 * SUIT_OF[text[token]] + RANK_OF[text[token + 1]]
            owner = 0
            while not hands[owner] >> card & 1:
                owner += 1
            if seen >> card & 1 or trick[owner] >= 0:
                stopped = True
            else:
                seen |= 1 << card
                trick[owner] = card
                columns += 1
        else:
            return -1
        if columns == 4 or stopped:
            winner = leader
            for offset in range(4):
                seat = (leader + offset) % 4
                if trick[seat] < 0:
                    return count
                cards[count] = trick[seat]
                count += 1
                if _beats(trick[seat], trick[winner], strain):
                    winner = seat
            leader = winner
            trick[:] = -1
            columns = 0
    return count


@compiled
def decode_sections(text: U8, bounds: I64, rows: I64, calls: U8, notes: U8, cards: U8) -> None:
    """Decode the auctions and plays of PBN boards.

    Parameters
    ----------
    text : U8[:]
        All sections, one after another.
    bounds : I64[n, 4]
        Start and end in ``text`` of each auction and each play.
    rows : I64[n, PBN_COLUMNS], in and out
        In: hands, opener, leader, BID, DOUBLING and declarer of the tags, -1 unknown. Out: the
        same as auction and cards have them, STATUS, and in CALLS_END and PLAY_END how many there
        are; or ODD.
    calls, notes : U8[n, MAX_CALLS], out
    cards : U8[n, 52], out
        In the order played.
    """
    auction = np.zeros(5, np.int64)
    for board in range(len(rows)):
        row = rows[board]
        start, end, play_start, play_end = bounds[board]
        if not _read_auction(text, start, end, calls[board], notes[board], auction):
            row[ODD] = 1
            continue
        count = auction[COUNT]
        bid, doubling, declarer = row[BID], row[DOUBLING], row[TAG_DECLARER]
        row[STATUS] = NO_CALL if count == 0 else UNFINISHED
        if _is_over(auction):
            row[STATUS] = COMPLETE
            bid, doubling = auction[LAST_BID], auction[DOUBLED]
            if bid > 0 and not row[IS_IRREGULAR]:
                first = (row[OPENER] + _declarers_place(calls[board], auction)) % 4
                if (
                    declarer >= 0
                    and row[LEADER] == (declarer + 1) % 4
                    and row[BID] == bid
                    and calls[board, 0] != 0
                ):
                    # opening passes may be left out: see pbn_sections.omitted_passes
                    omitted = (declarer - first) % 4
                    if count + omitted > MAX_CALLS:
                        row[ODD] = 1
                        continue
                    for place in range(count - 1, -1, -1):
                        calls[board, place + omitted] = calls[board, place]
                        notes[board, place + omitted] = notes[board, place]
                    calls[board, :omitted] = 0
                    notes[board, :omitted] = 0
                    count += omitted
                else:
                    declarer = first
        if bid == 0:
            declarer = -1
        leader = (declarer + 1) % 4 if declarer >= 0 else row[LEADER]
        if bid > 0 and leader >= 0:
            hands = row[NORTH : WEST + 1]
            strain = (bid - 3) % 5
            number = _read_play(text, play_start, play_end, hands, leader, strain, cards[board])
            if number < 0:
                row[ODD] = 1
                continue
            row[PLAY_END] = number
            if declarer >= 0:
                row[TRICKS] = _tricks_from_cards(cards[board, :number], hands, declarer, strain)
        row[CALLS_END] = count
        row[BID] = bid
        row[DOUBLING] = doubling
        row[DECLARER] = declarer
