"""The fast LIN reader: a token machine over bytes, compiled by numba.

It follows :mod:`bidcascade.loaders.lin_reference` token by token and writes flat arrays, from
which :mod:`bidcascade.loaders.lin` makes the frames. Every sign that matters is ASCII, so it
works on UTF-8 as it is.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.compiled import compiled

from .frame import UNREADABLE
from .lin_kernel_fields import (
    find,
    is_blank,
    next_call,
    next_card,
    parse_board,
    parse_md,
    parse_number,
    parse_result,
    parse_sv,
    parse_vg,
    skip_blanks,
    tricks_from_cards,
    trim_blanks,
    upper,
)
from .lin_reference import DEAL_KEYS

U8 = NDArray[np.uint8]
I64 = NDArray[np.int64]

# Columns of ``Parsed.boards``. The *_END are ends in the flat arrays of calls, tail, play and
# commentary; a board's part starts where that of the board before ends. An unknown hand is 0.
DOCUMENT, RECORD, NORTH, EAST, SOUTH, WEST, DEALER, VULNERABILITY, BOARD, ROOM = range(10)
BID, DOUBLING, DECLARER, TRICKS, STATUS, ILLEGAL = range(10, 16)
NAMES_START, NAMES_END, EVENT_START, EVENT_END = range(16, 20)
CALLS_END, TAIL_END, PLAY_END, COMMENTARY_END = range(20, 24)
# the word for a vulnerability that is none, -1 where there is no such word
SIDES_START, SIDES_END = range(24, 26)
BOARD_COLUMNS = 26

NO_DEAL, BAD_DEAL = 0, 1
REJECT_COLUMNS = 5
"""Document, record, NO_DEAL or BAD_DEAL, start and end of the text to quote."""

COMPLETE, UNFINISHED, ILLEGAL_CALL, NO_CALL = range(4)
"""Auction status, in the order of the deal frame's enum."""

# Rows of ``Parsed.state``: start and end of the value last seen, -1 if none. AH and SV only if
# they wait for the next board.
STATE_VG, STATE_RS, STATE_PN, STATE_AH, STATE_SV = range(5)

_MD, _MB, _AN, _PN, _PW, _QX, _SV, _NT, _AT, _PC, _MC, _PG, _AH, _VG, _RS, _ST, _UP = (
    ord(key[0]) << 8 | ord(key[1]) for key in DEAL_KEYS
)
_END_OF_DOCUMENT = 0
_OTHER = 1


class Parsed(NamedTuple):
    """Flat arrays of all boards of some documents."""

    boards: I64
    rejects: I64
    calls: U8
    alerts: U8
    announcements: U8
    announcement_ends: I64
    tail: U8
    play: U8
    commentary: U8
    state: I64


@compiled
def _read_key(text: U8, start: int, bar: int) -> int:
    """Lower-case key code of the piece before a ``|``; 1 for an unused key, 0 if it is no key."""
    end = trim_blanks(text, start, bar)
    if end - start != 2:
        return 0
    first = text[start]
    second = text[start + 1]
    is_lower = first >= 97 and first <= 122 and second >= 97 and second <= 122
    first_upper = upper(first)
    second_upper = upper(second)
    if first_upper < 65 or first_upper > 90 or second_upper < 65 or second_upper > 90:
        return 0
    key: int = (first_upper + 32) << 8 | (second_upper + 32)
    if key in (
        _MD, _MB, _AN, _PN, _PW, _QX, _SV, _NT, _AT, _PC, _MC, _PG, _AH, _VG, _RS, _ST, _UP,
    ):  # fmt: skip
        return key
    return _OTHER if is_lower else 0


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

    Returns
    -------
    Parsed
        Flat arrays; text columns are copied out, trimmed, into arrays of their own. Remarks end
        with ``|``, which no value can hold.
    """
    size = len(text)
    limit = bars + 2 + len(ends)
    boards = np.empty((limit, BOARD_COLUMNS), np.int64)
    rejects = np.empty((limit, REJECT_COLUMNS), np.int64)
    calls = np.empty(size + 1, np.uint8)
    alerts = np.empty(size + 1, np.uint8)
    announcements = np.empty(size + 1, np.uint8)
    announcement_ends = np.empty(size + 1, np.int64)
    tail = np.empty(size + 1, np.uint8)
    play = np.empty(size + 1, np.uint8)
    commentary = np.empty(size + 1, np.uint8)
    state = np.full((5, 2), -1, np.int64)
    hands = np.zeros(4, np.int64)
    # number of the call that first named a strain, by side (even or odd calls) and strain
    first_named = np.full(10, -1, np.int64)

    board_count = reject_count = 0
    call_count = announced = tail_count = card_count = remark_count = remarked = 0
    call_start = announced_start = tail_start = card_start = remark_start = remarked_start = 0

    document_start = 0
    for document in range(len(ends)):
        end_of_text = ends[document]
        state[:] = -1
        event_start = event_end = first_board = -1
        waiting_board = waiting_room = waiting_vulnerability = -1
        waiting_sides_start = waiting_sides_end = sides_start = sides_end = -1
        records = 0

        is_open = False
        has_deal = has_problem = in_header = broken_play = False
        start_of_record = md_start = md_end = 0
        board = room = vulnerability = dealer = claim = -1
        names_start = names_end = own_event_start = own_event_end = -1
        own_first_board = results_start = results_end = -1
        last_bid = last_bidder = doubling = passes = 0

        at = document_start
        at_end = False
        while not at_end:
            # --- one token -------------------------------------------------------------
            key = _END_OF_DOCUMENT
            start = end_of_text
            value_start = value_end = end_of_text
            while True:
                at = skip_blanks(text, at, end_of_text)
                if at >= end_of_text:
                    break
                if text[at] == 37 and at + 1 < end_of_text and text[at + 1] == 37:
                    at = find(text, 10, at, end_of_text)
                    continue
                bar = find(text, 124, at, end_of_text)
                if bar == end_of_text:
                    break
                key = _read_key(text, at, bar)
                if key == 0:
                    at = bar + 1
                    continue
                start = at
                value_start = bar + 1
                value_end = find(text, 124, value_start, end_of_text)
                at = value_end + 1
                break
            if key in (_OTHER, _ST):
                continue
            at_end = key == _END_OF_DOCUMENT

            is_fresh = not (
                call_count > call_start
                or tail_count > tail_start
                or card_count > card_start
                or broken_play
            )
            begins = key == _QX or at_end
            if key == _MD:
                has_md = has_deal or has_problem
                if is_open and has_md and is_fresh:
                    begins = find(text, 44, value_start, value_end) < value_end
                    if not begins:
                        # a mark such as ``*1`` behind the deal
                        continue
                else:
                    begins = not is_open or has_md or not is_fresh

            # --- a board ends ----------------------------------------------------------
            if begins and is_open:
                records += 1
                is_open = False
                if has_deal:
                    if dealer < 0:
                        dealer = (board - 1) % 4 if board > 0 else 0
                    if vulnerability != -2:
                        sides_start = sides_end = -1
                    if vulnerability < 0:
                        is_word = vulnerability == -2
                        vulnerability = 0
                        if board > 0 and not is_word:
                            index = (board - 1) % 16
                            vulnerability = (index + index // 4) % 4
                    count = call_count - call_start
                    is_complete = passes == 4 or (passes == 3 and last_bid > 0)
                    status = UNFINISHED
                    if tail_count > tail_start:
                        status = ILLEGAL_CALL
                    elif count == 0:
                        status = NO_CALL
                    elif is_complete:
                        status = COMPLETE
                    bid = -1
                    declarer = -1
                    if is_complete:
                        bid = last_bid
                        if bid > 0:
                            declarer = (
                                dealer + first_named[5 * (last_bidder % 2) + (bid - 3) % 5]
                            ) % 4
                    else:
                        doubling = 0
                    tricks = claim
                    if bid > 0 and not broken_play:
                        counted = tricks_from_cards(
                            play[card_start:card_count], hands, declarer, (bid - 3) % 5
                        )
                        if counted >= 0:
                            tricks = counted
                    if bid != 0 and (bid < 0 or tricks < 0):
                        place = -1
                        if board > 0 and room >= 0 and own_first_board >= 0 and results_end >= 0:
                            place = 2 * (board - own_first_board) + room
                        if place >= 0:
                            result_bid, result_doubling, result_declarer, result_tricks = (
                                parse_result(text, results_start, results_end, place)
                            )
                            if result_bid == 0:
                                if bid < 0:
                                    bid = 0
                            elif result_bid > 0 and bid < 0:
                                bid = result_bid
                                doubling = result_doubling
                                declarer = result_declarer
                                if tricks < 0:
                                    tricks = result_tricks
                            elif result_bid > 0 and (result_bid, result_declarer) == (
                                bid,
                                declarer,
                            ):
                                tricks = result_tricks
                    if bid == 0:
                        tricks = -1
                    row = boards[board_count]
                    board_count += 1
                    row[DOCUMENT] = document
                    row[RECORD] = records
                    row[NORTH : WEST + 1] = hands
                    row[DEALER] = dealer
                    row[VULNERABILITY] = vulnerability
                    row[BOARD] = board
                    row[ROOM] = room
                    row[BID] = bid
                    row[DOUBLING] = doubling
                    row[DECLARER] = declarer
                    row[TRICKS] = tricks
                    row[STATUS] = status
                    row[ILLEGAL] = count if status == ILLEGAL_CALL else -1
                    row[NAMES_START] = names_start
                    row[NAMES_END] = names_end
                    row[EVENT_START] = own_event_start
                    row[EVENT_END] = own_event_end
                    row[CALLS_END] = call_count
                    row[TAIL_END] = tail_count
                    row[PLAY_END] = card_count
                    row[COMMENTARY_END] = remark_count
                    row[SIDES_START] = sides_start
                    row[SIDES_END] = sides_end
                    call_start = call_count
                    announced_start = announced
                    tail_start = tail_count
                    card_start = card_count
                    remark_start = remark_count
                    remarked_start = remarked
                else:
                    out = rejects[reject_count]
                    reject_count += 1
                    out[0] = document
                    out[1] = records
                    out[2] = BAD_DEAL if has_problem else NO_DEAL
                    out[3] = md_start if has_problem else start_of_record
                    out[4] = md_end if has_problem else start
                    call_count = call_start
                    announced = announced_start
                    tail_count = tail_start
                    card_count = card_start
                    remark_count = remark_start
                    remarked = remarked_start
            if at_end:
                break

            # --- a board begins --------------------------------------------------------
            if begins:
                is_open = True
                has_deal = has_problem = broken_play = False
                in_header = True
                start_of_record = start
                dealer = claim = -1
                names_start, names_end = state[STATE_PN]
                own_event_start, own_event_end = event_start, event_end
                own_first_board = first_board
                results_start, results_end = state[STATE_RS]
                last_bid = last_bidder = doubling = passes = 0
                first_named[:] = -1
                board = waiting_board
                room = waiting_room
                vulnerability = waiting_vulnerability
                sides_start = waiting_sides_start
                sides_end = waiting_sides_end
                waiting_board = waiting_room = waiting_vulnerability = -1
                state[STATE_AH] = -1
                state[STATE_SV] = -1
                if key == _QX:
                    vulnerability = -1
                    board, room = parse_board(text, value_start, value_end)
            belongs = is_open and in_header
            if key == _MD:
                in_header = True
                dealer = parse_md(text, value_start, value_end, hands)
                has_deal = dealer > -2
                has_problem = not has_deal
                md_start = value_start
                md_end = value_end
            elif key in (_PN, _PW):
                state[STATE_PN, 0] = value_start
                state[STATE_PN, 1] = value_end
                if belongs:
                    names_start = value_start
                    names_end = value_end
            elif key == _VG:
                event_start, event_end, first_board = parse_vg(text, value_start, value_end)
                state[STATE_VG, 0] = value_start
                state[STATE_VG, 1] = value_end
                state[STATE_RS] = -1
                if belongs:
                    own_event_start, own_event_end = event_start, event_end
                    own_first_board = first_board
                    results_start = results_end = -1
            elif key == _RS:
                state[STATE_RS, 0] = value_start
                state[STATE_RS, 1] = value_end
                if belongs:
                    results_start = value_start
                    results_end = value_end
            elif key == _SV:
                first = skip_blanks(text, value_start, value_end)
                last = trim_blanks(text, first, value_end)
                if belongs:
                    vulnerability = parse_sv(text, first, last)
                    sides_start = first
                    sides_end = last
                else:
                    waiting_vulnerability = parse_sv(text, first, last)
                    waiting_sides_start = first
                    waiting_sides_end = last
                    state[STATE_SV, 0] = value_start
                    state[STATE_SV, 1] = value_end
            elif key == _AH:
                number, letter = parse_board(text, value_start, value_end)
                if number > 0:
                    if belongs:
                        board = number
                        if room < 0:
                            room = letter
                    else:
                        waiting_board = number
                        waiting_room = letter
                        state[STATE_AH, 0] = value_start
                        state[STATE_AH, 1] = value_end
            elif not is_open:
                continue
            elif key == _MB:
                in_header = False
                place = value_start
                is_first = True
                while place < value_end:
                    byte = text[place]
                    if is_blank(byte) or byte == 63 or byte == 44:
                        place += 1
                        continue
                    if byte == 45 and call_count == call_start and tail_count == tail_start:
                        place += 1
                        continue
                    if (byte == 33 or byte == 42) and not is_first:
                        if tail_count == tail_start:
                            alerts[call_count - 1] = 1
                        place += 1
                        continue
                    call, place = next_call(text, place, value_end)
                    is_first = False
                    count = call_count - call_start
                    is_legal = tail_count == tail_start and call != UNREADABLE
                    if is_legal:
                        if passes == 4 or (passes == 3 and last_bid > 0):
                            is_legal = False
                        elif call == 1:
                            is_legal = (
                                last_bid > 0 and doubling == 0 and (count - last_bidder) % 2 == 1
                            )
                        elif call == 2:
                            is_legal = doubling == 1 and (count - last_bidder) % 2 == 0
                        elif call > 2:
                            is_legal = call > last_bid
                    if not is_legal:
                        tail[tail_count] = call
                        tail_count += 1
                        continue
                    if call == 0:
                        passes += 1
                    else:
                        passes = 0
                        if call > 2:
                            last_bid = call
                            last_bidder = count
                            doubling = 0
                            strain = 5 * (count % 2) + (call - 3) % 5
                            if first_named[strain] < 0:
                                first_named[strain] = count
                        else:
                            doubling = call
                    calls[call_count] = call
                    alerts[call_count] = 0
                    announcement_ends[call_count] = announced
                    call_count += 1
            elif key == _AN:
                if tail_count > tail_start:
                    continue
                first = skip_blanks(text, value_start, value_end)
                last = trim_blanks(text, first, value_end)
                if first == last:
                    continue
                if call_count == call_start:
                    for place in range(first, last):
                        if text[place] != 10 and text[place] != 13:
                            commentary[remarked] = text[place]
                            remarked += 1
                    commentary[remarked] = 124
                    remarked += 1
                    remark_count += 1
                    continue
                before = announcement_ends[call_count - 2] if call_count > 1 else 0
                if announced > before:
                    announcements[announced] = 59
                    announcements[announced + 1] = 32
                    announced += 2
                for place in range(first, last):
                    if text[place] != 10 and text[place] != 13:
                        announcements[announced] = text[place]
                        announced += 1
                announcement_ends[call_count - 1] = announced
            elif key in (_NT, _AT):
                first = skip_blanks(text, value_start, value_end)
                last = trim_blanks(text, first, value_end)
                if first < last:
                    for place in range(first, last):
                        commentary[remarked] = text[place]
                        remarked += 1
                    commentary[remarked] = 124
                    remarked += 1
                    remark_count += 1
            elif key == _PC:
                in_header = False
                place = skip_blanks(text, value_start, value_end)
                while place < value_end and not broken_play:
                    card, place = next_card(text, place, value_end)
                    if card == UNREADABLE:
                        broken_play = True
                    else:
                        play[card_count] = card
                        card_count += 1
                    place = skip_blanks(text, place, value_end)
            elif key == _UP:
                in_header = False
                number = parse_number(text, value_start, value_end, 2)
                if number < 0:
                    broken_play = True
                elif not broken_play:
                    card_count = max(card_start, card_count - number)
            elif key == _MC:
                in_header = False
                number = parse_number(text, value_start, value_end, 2)
                if number >= 0 and number <= 13:
                    claim = number
            elif key == _PG:
                in_header = False
        document_start = end_of_text

    return Parsed(
        boards[:board_count],
        rejects[:reject_count],
        calls[:call_count],
        alerts[:call_count],
        announcements[:announced],
        announcement_ends[:call_count],
        tail[:tail_count],
        play[:card_count],
        commentary[:remarked],
        state,
    )
