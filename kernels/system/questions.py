"""What a place answers: facts about the auction, suits by their role, what has been shown.

The definition is :mod:`bidcascade.systems.facts`; here a place is a row. Who is asked about is
a mask of positions relative to the player to call: 1 me, 2 LHO, 4 partner, 8 RHO.
"""

from typing import Any, Final

import numpy as np

from bidcascade.kernels.types import U64

from .arrays import (
    DEED_CUE_BID,
    DEED_NEW_SUIT,
    DEED_RAISE,
    DEED_REVERSE,
    HULL_TERMS,
    NO_CALL,
    RANGES,
    Block,
    Store,
)
from .native import native, native_inline

AGREEMENT_KINDS: Final = (
    "forcing", "forcing to game", "not forcing", "invitational", "sign-off", "limited", "natural",
    "artificial", "alert", "announce", "relay", "transfer", "puppet", "preemptive", "penalty",
    "takeout", "asks", "shows", "denies", "agrees", "tag",
)  # fmt: skip
FORCING: Final = np.uint32(1)
FORCING_TO_GAME: Final = np.uint32(2)
ARTIFICIAL: Final = np.uint32(1 << 7 | 1 << 10 | 1 << 11 | 1 << 12)

ROLES: Final = (
    "their suits", "RHO's suit", "LHO's suit", "partner's suit", "my suit", "our suit",
    "unbid suits", "unbid majors", "unbid minors",
)  # fmt: skip
"""Suits that depend on the auction, by number."""

KINDS: Final = (
    "suits", "shown", "level of bid", "last bid's code", "passed hand", "opened", "nobody opened",
    "only passed", "made", "named", "last call", "last call's tag", "last call's kinds",
    "last call in words", "has called", "unbid", "fourth suit", "fit", "forced", "game forced",
    "balancing", "contested", "level", "last bid", "has shown", "may have", "ranks above",
    "same suit", "available", "nth call", "seat", "game reached",
)  # fmt: skip
"""Kinds of questions by number; the first four have more answers than no and yes."""
(
    _SUITS, _SHOWN, _BID, _LAST_BID_CODE, _PASSED_HAND, _OPENED, _NOBODY_OPENED, _ONLY_PASSED,
    _MADE, _NAMED, _LAST_CALL, _LAST_CALLS_TAG, _LAST_CALLS_KINDS, _LAST_CALL_IN_WORDS,
    _HAS_CALLED, _UNBID, _FOURTH_SUIT, _FIT, _FORCED, _GAME_FORCED, _BALANCING, _CONTESTED, _LEVEL,
    _LAST_BID, _HAS_SHOWN, _MAY_HAVE, _RANKS_ABOVE, _SAME_SUIT, _AVAILABLE, _NTH_CALL, _SEAT,
    _GAME_REACHED,
) = range(len(KINDS))  # fmt: skip
MANY_ANSWERS: Final = 4
"""Kinds below this have answers other than no and yes."""

WORDS: Final = (
    "natural", "bid", "raise", "jump", "double jump", "jump raise", "new suit", "suit", "notrump",
    "cue-bid", "reverse", "jump shift", "artificial",
)  # fmt: skip
"""What a call may be beside its agreements, by number."""

BID_KINDS: Final = ("bid", "cheapest", "jump", "double jump", "game", "transfer")
"""How the level of a bid is found."""

NOTRUMP: Final = 5
"""Stands for notrump among packed suits (1-4 = C D H S)."""
ALL_SUITS: Final = 1 | 2 << 3 | 3 << 6 | 4 << 9


@native_inline
def _last(suits: Any) -> Any:
    """Last of some packed suits, 0 for none."""
    suit = 0
    while suits:
        suit = suits & 7
        suits >>= 3
    return suit


@native
def set_of(suits: int) -> int:
    """Bits 0-4 for the suits (and notrump) that are packed."""
    found = 0
    while suits:
        found |= 1 << ((suits & 7) - 1)
        suits >>= 3
    return found


@native
def _packed(found: int) -> int:
    """Suits of a set in the order C D H S, packed."""
    suits = shift = 0
    for suit in range(4):
        if found >> suit & 1:
            suits |= (suit + 1) << shift
            shift += 3
    return suits


@native
def _shown_by_all(row: Any) -> int:
    shown = 0
    for position in range(4):
        shown |= set_of(np.int64(row.suits[position]))
    return shown


@native
def fit(row: Any, side: int, suit: int) -> int:
    """Cards of a suit (0-3) that a side is known to hold together."""
    return np.int64(row.hull[side, 1 + suit, 0]) + np.int64(row.hull[side + 2, 1 + suit, 0])


@native
def _our_suit(row: Any, me: int) -> int:
    side = me & 1
    if row.agreed[side]:
        return np.int64(row.agreed[side])
    best = 0
    longest = 7
    for suit in range(4):
        cards = fit(row, side, suit)
        if cards > 7 and cards >= longest:
            longest = cards
            best = suit + 1
    if best:
        return best
    partners = _last(np.int64(row.suits[me ^ 2]))
    return partners if partners else _last(np.int64(row.suits[me]))


@native
def role_suits(row: Any, role: int) -> int:
    """Suits of a role, packed in their order."""
    me = row.length & 3
    if role == 0:
        return _packed(
            set_of(np.int64(row.suits[(me + 1) & 3])) | set_of(np.int64(row.suits[(me + 3) & 3]))
        )
    if role == 1:
        return np.int64(row.suits[(me + 3) & 3])
    if role == 2:
        return np.int64(row.suits[(me + 1) & 3])
    if role == 3:
        return _last(np.int64(row.suits[me ^ 2]))
    if role == 4:
        return _last(np.int64(row.suits[me]))
    if role == 5:
        return _our_suit(row, me)
    among = 15 if role == 6 else 12 if role == 7 else 3
    return _packed(among & ~_shown_by_all(row))


@native
def _operand(row: Any, operand: int) -> int:
    return operand if operand >= 0 else role_suits(row, -1 - operand)


@native
def cheapest_level(last_bid: int, suit: int) -> int:
    """Lowest level at which a strain (1-5) may be bid; 8 if there is none."""
    if last_bid < 3:
        return 1
    level = (last_bid - 3) // 5 + 1
    return level if 5 * (level - 1) + suit + 2 > last_bid else level + 1


@native
def game_level(suit: int) -> int:
    """Level of game in a strain (1-5)."""
    return 3 if suit == NOTRUMP else 4 if suit > 2 else 5


@native
def _game_reached(row: Any) -> bool:
    last = np.int64(row.last_bid)
    return last >= 3 and (last - 3) // 5 + 1 >= game_level((last - 3) % 5 + 1)


@native
def forced(row: Any) -> bool:
    """Whether the player to call may not pass: partner's call was forcing and RHO passed."""
    me = row.length & 3
    if row.length < 2 or row.call[(me + 3) & 3] != 0:
        return False
    kinds = row.kinds[me ^ 2]
    if kinds & FORCING:
        return True
    if _game_reached(row):
        return False
    side = me & 1
    return bool(kinds & FORCING_TO_GAME) or bool(row.game_forced[side] and row.acted[side])


@native
def _meet(cells: U64, others: U64) -> bool:
    """Whether two sets of cells have a cell in common."""
    both = np.uint64(0)
    for word in range(len(cells)):
        both |= cells[word] & others[word]
    return both != 0


@native
def _range_in(store: Store, cells: U64, term: int) -> tuple[int, int]:
    """Least and most value of a term in a set of cells that is not empty."""
    first, end = store.reach_first[term], store.reach_first[term + 1]
    all_values = store.reach_first[RANGES]
    low = 0
    while first + low < end - 1 and not _meet(cells, store.reach[first + low]):
        low += 1
    high = end - first - 1
    while high > low and not _meet(cells, store.reach[all_values + first + high]):
        high -= 1
    return low, high


@native
def shown(store: Store, block: Block, row: Any, position: int, term: int) -> tuple[int, int]:
    """Bounds of a term that a position has shown."""
    if term < HULL_TERMS:
        low, high = np.int64(row.hull[position, term, 0]), np.int64(row.hull[position, term, 1])
    else:
        number = row.known[position]
        cells, ranges = store.sets, store.ranges
        if number < 0:
            number, cells, ranges = -1 - number, block.sets, block.ranges
        kept = ranges[number, term - HULL_TERMS]
        if kept[0] < 0:
            low, high = _range_in(store, cells[number], term - HULL_TERMS)
            # a thread that comes here meanwhile writes the same; low, which it looks at, last
            kept[1] = high
            kept[0] = low
        low, high = np.int64(kept[0]), np.int64(kept[1])
    said_low, said_high = (
        np.int64(row.terms[position, term, 0]),
        np.int64(row.terms[position, term, 1]),
    )
    if max(low, said_low) <= min(high, said_high):
        return max(low, said_low), min(high, said_high)
    return low, high


@native_inline
def _inside(value: int, q: Any) -> bool:
    if q.low <= value <= q.high:
        return True
    return 0 <= value < 64 and bool((q.also >> np.uint64(value)) & np.uint64(1))


@native
def _in_words(row: Any, position: int, word: int) -> bool:
    """Whether a position's last call is what one of :data:`WORDS` says."""
    call = row.call[position]
    is_bid = 3 <= call < NO_CALL
    deed, jump = row.deed[position], row.jump[position]
    artificial = bool(row.kinds[position] & ARTIFICIAL)
    if word == 0:
        return is_bid and not artificial
    if word == 1:
        return is_bid
    if word == 2:
        return bool(deed & DEED_RAISE)
    if word == 3:
        return jump >= 1
    if word == 4:
        return jump >= 2
    if word == 5:
        return bool(deed & DEED_RAISE) and jump >= 1
    if word == 6:
        return bool(deed & DEED_NEW_SUIT)
    if word == 7:
        return is_bid and (call - 3) % 5 != 4
    if word == 8:
        return is_bid and (call - 3) % 5 == 4
    if word == 9:
        return bool(deed & DEED_CUE_BID)
    if word == 10:
        return bool(deed & DEED_REVERSE)
    if word == 11:
        return bool(deed & DEED_NEW_SUIT) and jump >= 1
    return artificial


@native
def _bid(row: Any, q: Any) -> int:
    """``8 * level + strain`` (1-5) of a bid's pattern here, 0 for none."""
    suits = _operand(row, q.suits[0])
    if suits == 0 or suits > 7:
        return 0
    suit, how = suits, q.number
    if how == 0 or how == 5:
        level = q.count
    elif how == 4:
        level = game_level(suit)
    else:
        level = cheapest_level(np.int64(row.last_bid), suit) + how - 1
    if how == 5:
        code = 5 * (level - 1) + suit + 1
        return 0 if code < 3 else 8 * ((code - 3) // 5 + 1) + (code - 3) % 5 + 1
    return 8 * level + suit if 1 <= level <= 7 else 0


@native
def _has_shown(store: Store, block: Block, row: Any, q: Any, me: int) -> bool:
    suits = _operand(row, q.suits[0])
    one_term = q.count == 0
    for step in range(4):
        if not q.who >> step & 1:
            continue
        rest = 1 if one_term else suits
        while rest:
            term = q.number if one_term else q.number + (rest & 7) - 1
            low, high = shown(store, block, row, (me + step) & 3, term)
            if q.kind == _HAS_SHOWN:
                if low >= q.low and high <= q.high:
                    return True
            elif high >= q.low and low <= q.high:
                return True
            rest >>= 3
    return False


@native
def answer(store: Store, block: Block, row: Any, q: Any) -> int:
    """Answer a question about a place: 0 or 1, packed suits, bounds, a bid.

    Bounds are ``low << 16 | high & 0xFFFF``.
    """
    kind = q.kind
    me = row.length & 3
    if kind == _SUITS:
        return role_suits(row, q.number)
    if kind == _SHOWN:
        position = me
        for step in range(3, -1, -1):
            if q.who >> step & 1:
                position = (me + step) & 3
        low, high = shown(store, block, row, position, q.number)
        return low << 16 | (high & 0xFFFF)
    if kind == _BID:
        return _bid(row, q)
    if kind == _LAST_BID_CODE:
        return np.int64(row.last_bid)
    if kind in (_HAS_SHOWN, _MAY_HAVE):
        return int(_has_shown(store, block, row, q, me) != bool(q.negated))
    return int(_fact(q, row, kind, me) != bool(q.negated))


@native
def _about_calls(q: Any, row: Any, kind: int, me: int) -> bool:
    """Facts about what some positions have called."""
    made = np.uint64(0)
    for step in range(4):
        if not q.who >> step & 1:
            continue
        position = (me + step) & 3
        call = row.call[position]
        if kind in (_MADE, _ONLY_PASSED):
            made |= row.made[position]
        elif kind == _NAMED:
            found = _operand(row, q.suits[0])
            if set_of(found) & (
                set_of(np.int64(row.suits[position])) | (16 if row.notrump[position] else 0)
            ):
                return True
        elif kind == _PASSED_HAND:
            if position < (row.length if row.opening < 0 else row.opening):
                return True
        elif kind == _OPENED:
            if (
                row.opening >= 0
                and row.opening & 3 == position
                and (q.calls >> np.uint64(row.opening_call)) & np.uint64(1)
            ):
                return True
        elif kind == _HAS_CALLED:
            if q.number >= 0 and (
                row.tags_ever[position, q.number >> 6] >> np.uint64(q.number & 63)
            ) & np.uint64(1):
                return True
        elif call == NO_CALL:
            continue
        elif kind == _LAST_CALL:
            if (q.calls >> np.uint64(call)) & np.uint64(1):
                return True
        elif kind == _LAST_CALLS_TAG:
            if q.number >= 0 and (
                row.tags[position, q.number >> 6] >> np.uint64(q.number & 63)
            ) & np.uint64(1):
                return True
        elif kind == _LAST_CALLS_KINDS:
            if row.kinds[position] & np.uint32(q.number):
                return True
        elif _in_words(row, position, q.number):
            return True
    if kind == _ONLY_PASSED:
        return made == np.uint64(1)
    return kind == _MADE and (made & q.calls) != 0


@native
def _fact(q: Any, row: Any, kind: int, me: int) -> bool:
    if kind >= _PASSED_HAND and kind <= _HAS_CALLED and kind != _NOBODY_OPENED:
        return _about_calls(q, row, kind, me)
    side = me & 1
    if kind == _NOBODY_OPENED:
        return row.opening < 0
    if kind == _FORCED:
        return forced(row)
    if kind == _GAME_FORCED:
        return bool(row.game_forced[side])
    if kind == _BALANCING:
        return row.opening >= 0 and row.passes == 2
    if kind == _CONTESTED:
        return bool(row.acted[0] and row.acted[1])
    if kind == _GAME_REACHED:
        return _game_reached(row)
    if kind == _NTH_CALL:
        return row.length // 4 + 1 == q.count
    if kind == _SEAT:
        return _inside(me + 1, q)
    last = np.int64(row.last_bid)
    if kind == _LEVEL:
        return _inside((last - 3) // 5 + 1 if last >= 3 else 0, q)
    if kind == _LAST_BID:
        if last < 3 or not (q.calls >> np.uint64(last)) & np.uint64(1):
            return False
        if q.count and (
            q.number < 0
            or not (row.last_bid_tags[q.number >> 6] >> np.uint64(q.number & 63)) & np.uint64(1)
        ):
            return False
        return bool(q.who >> ((np.int64(row.last_bidder) - me) & 3) & 1)
    suits = _operand(row, q.suits[0])
    if kind == _UNBID:
        return not set_of(suits) & _shown_by_all(row)
    if kind == _FOURTH_SUIT:
        ours = set_of(np.int64(row.suits[me])) | set_of(np.int64(row.suits[me ^ 2]))
        three = (ours & 1) + (ours >> 1 & 1) + (ours >> 2 & 1) + (ours >> 3 & 1) == 3
        return three and 0 < suits < 8 and not set_of(suits) & _shown_by_all(row)
    if kind == _FIT:
        if suits == 0:
            suits = ALL_SUITS
        while suits:
            if fit(row, side, (suits & 7) - 1) >= q.count:
                return True
            suits >>= 3
        return False
    if kind == _AVAILABLE:
        while suits:
            if _inside(cheapest_level(last, suits & 7) + q.number, q):
                return True
            suits >>= 3
        return False
    second = _operand(row, q.suits[1])
    if kind == _SAME_SUIT:
        return bool(set_of(suits) & set_of(second))
    # ranks above: every one of the first above every one of the second
    if suits == 0 or second == 0:
        return False
    while suits:
        rest = second
        while rest:
            if suits & 7 <= rest & 7:
                return False
            rest >>= 3
        suits >>= 3
    return True
