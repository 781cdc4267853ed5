"""Auction and play sections in bulk: bytes in, call and card codes out.

Only the plain cases, which are nearly all: legal calls, known cards, notes ``=n=``, ``AP``,
``*``, ``-``. Any other section is marked odd and left to :func:`.pbn_sections.read_auction`
and :func:`.pbn_sections.read_play`, the definition of what comes out here.
"""

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.compiled import compiled
from bidcascade.kernels.types import U8 as Bytes
from bidcascade.kernels.types import U64 as Words

Integers = NDArray[np.int64]
SmallIntegers = NDArray[np.int8]
Flags = NDArray[np.bool_]

MAX_CALLS = 96
"""Auctions with more calls (the longest possible has 319) are marked odd."""

COMPLETE, UNFINISHED, ILLEGAL, NONE = range(4)

_STRAIN_OF = np.full(256, -1, np.int8)
_RANK_OF = np.full(256, -1, np.int8)
for _code, _letter in enumerate(b"CDHSN"):
    _STRAIN_OF[_letter] = _STRAIN_OF[_letter | 32] = _code
for _code, _letter in enumerate(b"23456789TJQKA"):
    _RANK_OF[_letter] = _code
    if _letter >= 65:
        _RANK_OF[_letter | 32] = _code

_TOO_LONG = -2
_ODD = -1


@compiled
def _is_blank(text: Bytes, start: int, end: int) -> bool:
    while start < end and text[start] <= 32:
        start += 1
    return start >= end


@compiled
def _read_auction(
    text: Bytes, start: int, end: int, calls: Bytes, notes: Bytes
) -> tuple[int, int, int, int, bool]:
    """Fill one row of calls and note numbers.

    Returns the number of calls or a negative mark, the last bid, its place, the doubling and
    whether the auction ended.
    """
    count = 0
    last_bid = 0
    bidder = -1
    doubling = 0
    passes = 0
    at = start
    while at < end:
        if text[at] <= 32:
            at += 1
            continue
        token = at
        while at < end and text[at] > 32:
            at += 1
        length = at - token
        first = text[token]
        over = passes == 4 or (passes == 3 and last_bid > 0)
        if first == 61:  # "=n=", note
            number = 0
            if length < 3 or length > 5 or count == 0 or text[at - 1] != 61:
                return _ODD, 0, 0, 0, False
            for digit in text[token + 1 : at - 1]:
                if digit < 48 or digit > 57:
                    return _ODD, 0, 0, 0, False
                number = 10 * number + digit - 48
            if number == 0 or number > 255 or notes[count - 1] != 0 or text[token + 1] == 48:
                return _ODD, 0, 0, 0, False
            notes[count - 1] = number
            continue
        if length == 1 and (first == 42 or first == 43):  # "*", "+"
            if not _is_blank(text, at, end):
                return _ODD, 0, 0, 0, False
            break
        lower = first | 32
        call = -1
        if lower == 112 and (  # "p", "pass"
            length == 1
            or (
                length == 4
                and text[token + 1] | 32 == 97
                and text[token + 2] | 32 == 115
                and text[token + 3] | 32 == 115
            )
        ):
            call = 0
        elif 49 <= first <= 55 and (length == 2 or (length == 3 and text[token + 2] | 32 == 116)):
            strain = _STRAIN_OF[text[token + 1]]
            if strain < 0 or (length == 3 and strain != 4):
                return _ODD, 0, 0, 0, False
            call = 3 + 5 * (first - 49) + strain
            if call <= last_bid:
                return _ODD, 0, 0, 0, False
        elif (lower == 120 or lower == 100) and length == 1:  # "x", "d"
            call = 1
            if last_bid == 0 or doubling != 0 or (count - bidder) % 2 == 0:
                return _ODD, 0, 0, 0, False
        elif (lower == 114 and length == 1) or (  # "r", "xx"
            lower == 120 and length == 2 and text[token + 1] | 32 == 120
        ):
            call = 2
            if doubling != 1 or (count - bidder) % 2 != 0:
                return _ODD, 0, 0, 0, False
        elif lower == 97 and length == 2 and text[token + 1] | 32 == 112:  # "ap"
            if count + 4 > MAX_CALLS:
                return _TOO_LONG, 0, 0, 0, False
            while not (passes == 4 or (passes == 3 and last_bid > 0)):
                calls[count] = 0
                count += 1
                passes += 1
            break
        if call < 0 or over or count >= MAX_CALLS:
            return _ODD, 0, 0, 0, False
        calls[count] = call
        if call == 0:
            passes += 1
        else:
            passes = 0
            if call <= 2:
                doubling = call
            else:
                last_bid = call
                bidder = count
                doubling = 0
        count += 1
    return count, last_bid, bidder, doubling, passes == 4 or (passes == 3 and last_bid > 0)


@compiled
def _read_play(
    text: Bytes, start: int, end: int, hands: Words, leader: int, strain: int, cards: Bytes
) -> tuple[int, int, int]:
    """Fill one row of cards in the order played.

    Returns the number of cards (negative: odd) and how many tricks each parity of seat won.
    """
    count = 0
    won_even = 0
    won_odd = 0
    seen = np.uint64(0)
    trick = np.full(4, -1, np.int64)
    columns = 0
    in_row = 0
    at = start
    stopped = False
    while not stopped:
        while at < end and text[at] <= 32:
            at += 1
        if at >= end:
            stopped = True
        else:
            token = at
            while at < end and text[at] > 32:
                at += 1
            length = at - token
            first = text[token]
            if length == 1 and (first == 42 or first == 43):
                if not _is_blank(text, at, end):
                    return -1, 0, 0
                stopped = True
            elif length == 2 and first != 61:
                suit = _STRAIN_OF[first]
                rank = _RANK_OF[text[token + 1]]
                if suit < 0 or suit > 3 or rank < 0:
                    return -1, 0, 0
                card = 13 * suit + rank
                bit = np.uint64(1) << np.uint64(card)
                owner = 0
                while hands[owner] & bit == 0:
                    owner += 1
                if count == 0:
                    # as written, until the row is whole
                    cards[in_row] = card
                    in_row += 1
                if seen & bit != 0 or trick[owner] >= 0:
                    if count == 0:
                        return in_row, 0, 0
                    stopped = True
                else:
                    seen |= bit
                    trick[owner] = card
                    columns += 1
            elif length == 1 and first == 45:
                columns += 1
            else:
                return -1, 0, 0
        if columns == 4 or stopped:
            winner = leader
            best = -1
            whole = True
            for offset in range(4):
                seat = (leader + offset) & 3
                card = trick[seat]
                if card < 0:
                    whole = False
                    break
                cards[count] = card
                count += 1
                if best < 0:
                    best = card
                else:
                    same = card // 13 == best // 13
                    if (same and card > best) or (not same and card // 13 == strain):
                        best = card
                        winner = seat
            if not whole:
                break
            leader = winner
            if winner & 1:
                won_odd += 1
            else:
                won_even += 1
            trick[:] = -1
            columns = 0
    if 48 <= count < 52:
        # one card is left to each hand that has not played to the last trick: it is forced
        best = -1
        winner = leader
        for offset in range(4):
            seat = (leader + offset) & 3
            card = trick[seat]
            if card < 0:
                left = hands[seat] & ~seen
                card = 0
                while left & (np.uint64(1) << np.uint64(card)) == 0:
                    card += 1
            if best < 0:
                best = card
            else:
                same = card // 13 == best // 13
                if (same and card > best) or (not same and card // 13 == strain):
                    best = card
                    winner = seat
        if winner & 1:
            won_odd += 1
        else:
            won_even += 1
    return count, won_even, won_odd


@compiled
def decode_sections(
    text: Bytes,
    auction_bounds: Integers,
    play_bounds: Integers,
    opener: SmallIntegers,
    hands: Words,
    tag_code: NDArray[np.int16],
    tag_declarer: SmallIntegers,
    declarer_is_irregular: Flags,
    play_leader: SmallIntegers,
    calls: Bytes,
    notes: Bytes,
    call_count: Integers,
    status: Bytes,
    cards: Bytes,
    card_count: Integers,
    code: NDArray[np.int16],
    declarer: SmallIntegers,
    tricks: SmallIntegers,
    odd: Flags,
) -> None:
    """Decode the sections of ``n`` boards; boards marked odd are left out.

    Parameters
    ----------
    text : U8[:]
        All sections, one after another.
    auction_bounds, play_bounds : I64[n, 2]
        Start and end of each section in ``text``.
    opener : I8[n]
        Seat code of the first caller.
    hands : U64[n, 4]
        Hand masks of North, East, South and West, a whole deck.
    tag_code, tag_declarer : I16[n], I8[n]
        Contract and declarer as the tags say, for auctions that do not; -1 unknown.
    declarer_is_irregular : bool[n]
        The tag's declarer stands even against the auction.
    play_leader : I8[n]
        Seat code of the opening leader for boards without declarer; -1 unknown.
    calls, notes : U8[n, MAX_CALLS], out
    call_count, card_count : I64[n], out
    status : U8[n], out
    cards : U8[n, 52], out
        In the order played.
    code, declarer, tricks : I16[n], I8[n], I8[n], out
        Outcome code as in :mod:`.pbn_sections`; tricks are -1 unless the cards say.
    odd : bool[n], in and out
        Boards that need the plain reader.
    """
    for board in range(opener.size):
        if odd[board]:
            continue
        count, last_bid, bidder, doubling, ended = _read_auction(
            text, auction_bounds[board, 0], auction_bounds[board, 1], calls[board], notes[board]
        )
        if count < 0:
            odd[board] = True
            calls[board] = 0
            notes[board] = 0
            continue
        call_count[board] = count
        board_code = tag_code[board]
        board_declarer = tag_declarer[board]
        if count == 0:
            status[board] = NONE
        elif not ended:
            status[board] = UNFINISHED
        else:
            status[board] = COMPLETE
            if last_bid == 0:
                board_code = 0
                board_declarer = -1
            else:
                board_code = 3 * last_bid + doubling
                if not declarer_is_irregular[board]:
                    strain = (last_bid - 3) % 5
                    first = bidder & 1
                    while calls[board, first] < 3 or (calls[board, first] - 3) % 5 != strain:
                        first += 2
                    board_declarer = (opener[board] + first) & 3
                    named = tag_declarer[board]
                    if (
                        named >= 0
                        and named != board_declarer
                        and play_leader[board] == (named + 1) & 3
                        and tag_code[board] // 3 == last_bid
                        and calls[board, 0] != 0
                    ):
                        # opening passes are left out: see pbn_sections.omitted_passes
                        omitted = (named - board_declarer) & 3
                        if count + omitted > MAX_CALLS:
                            odd[board] = True
                            continue
                        for place in range(count - 1, -1, -1):
                            calls[board, place + omitted] = calls[board, place]
                            notes[board, place + omitted] = notes[board, place]
                        calls[board, :omitted] = 0
                        notes[board, :omitted] = 0
                        call_count[board] = count + omitted
                        board_declarer = named
        if board_code == 0:
            board_declarer = -1
        code[board] = board_code
        declarer[board] = board_declarer
        if board_code <= 0 or play_bounds[board, 1] <= play_bounds[board, 0]:
            continue
        leader = (board_declarer + 1) & 3 if board_declarer >= 0 else play_leader[board]
        if leader < 0:
            continue
        number, won_even, won_odd = _read_play(
            text,
            play_bounds[board, 0],
            play_bounds[board, 1],
            hands[board],
            leader,
            (board_code // 3 - 3) % 5,
            cards[board],
        )
        if number < 0:
            odd[board] = True
            continue
        card_count[board] = number
        if number >= 48 and board_declarer >= 0:
            tricks[board] = won_odd if board_declarer & 1 else won_even
