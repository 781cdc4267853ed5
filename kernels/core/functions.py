"""Functions of the core over arrays of numpy.

Arrays must be in one piece and of the type that the core reads, which is checked here; numbers are
looked at by the core, which refuses what is out of range before it follows any.
"""

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import BackendUnavailable
from bidcascade.kernels.results import DealArrays
from bidcascade.kernels.types import I8, I16, I32, I64, U8, U16, U32, U64

from . import rows
from .groups import ArrayGroup
from .library import load

DONE, LEARN, STORE_FULL, LIST_FULL, BLOCK_FULL, FAULTY = range(6)
"""Why a function came back: all is done; something has to be learned; the store is full, a list of
auctions is, the block is; a text asks for what does not exist there."""
NO_ENTRY: Final = -1
LIMIT, DEPTH, VISITS, COMPLETED_ONLY = range(4)
"""Places in the array of bounds of :func:`list_deals`."""
WHOLE, CUT_LIMIT, CUT_DEPTH, CUT_PLACES = range(4)
"""What kept a list from being whole."""
_INVALID: Final = -1
_MOST_VALUES: Final = 512
"""That all terms beyond the hull may have together."""
_WITHOUT_ANSWER: Final = frozenset(
    {
        "core_hull_of", "core_deals_by_call", "core_system_problem", "core_system_rows",
        "core_system_packing", "core_system_tables", "core_index_sets", "core_trick_bounds",
        "core_most_of_suit",
    }
)  # fmt: skip


def has_core() -> bool:
    """Whether there is a library; where there is none, a warning has said what to install."""
    return load() is not None


@cache
def function(name: str, answer: Any = ctypes.c_int64) -> Any:
    """Find a function of the library by its name, with the type of what it returns.

    Raises
    ------
    BackendUnavailable
        If there is no library.
    """
    library = load()
    if library is None:
        raise BackendUnavailable(
            "expected the core's library, which bids by systems, draws layouts, finds par and "
            "counts; build it, or bid with the backend 'reference'"
        )
    found = library[name]
    found.restype = answer
    return found


def call_core(name: str, *arguments: Any) -> int:
    """Call a function with groups, arrays and whole numbers.

    Raises
    ------
    ValueError
        If the core refuses a number as out of range.
    """
    found = function(name, None if name in _WITHOUT_ANSWER else ctypes.c_int64)(
        *map(_plain, arguments)
    )
    if found == _INVALID:
        raise ValueError(f"expected numbers within the arrays that {name} works on")
    return int(found or 0)


def _plain(argument: Any) -> Any:
    if isinstance(argument, int):
        return ctypes.c_int64(argument)
    if isinstance(argument, np.ndarray):
        try:
            # a fifth of the time that the array's own ``ctypes`` takes
            return ctypes.byref(ctypes.c_char.from_buffer(argument))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            # read-only, or without items
            return ctypes.c_void_p(argument.ctypes.data)
    if isinstance(argument, np.integer):
        return ctypes.c_int64(int(argument))
    if argument is None:
        return None
    return ctypes.c_void_p(argument.address)


def checked(array: NDArray[Any], kind: Any, count: int = 0) -> NDArray[Any]:
    """Return an array if it is one of a kind, in one piece, with at least so many items."""
    if array.dtype != kind or not array.flags.c_contiguous or len(array) < count:
        raise TypeError(
            f"expected at least {count} of {np.dtype(kind)} in one piece, "
            f"got {array.dtype}{array.shape}"
        )
    return array


def row_sizes() -> list[int]:
    """Bytes of each row type of the library, in the order of :data:`.rows.LAYOUT`."""
    sizes = np.zeros(len(rows.LAYOUT), np.int32)
    library = load()
    count = 0 if library is None else library.core_layout(ctypes.c_void_p(sizes.ctypes.data))
    found: list[int] = sizes[:count].tolist()
    return found


class CellTables(NamedTuple):
    """What places know of cells, sets as uint64 [SET_WORDS].

    Parameters
    ----------
    reach : uint64 [2 * values, SET_WORDS]
        Cells where the least, and then the most, of each term beyond the hull is 0, 1, ….
    reach_first : int32 [RANGES + 1]
        Where the values of each term begin.
    lengths : uint8 [SHAPES, 4]
        Clubs, diamonds, hearts and spades of each shape.
    everything : uint64 [SET_WORDS]
        All cells that some hand is in.
    """

    reach: U64
    reach_first: I32
    lengths: U8
    everything: U64


@cache
def cell_tables() -> CellTables:
    """Tables of the core, which every store of places has."""
    first = np.zeros(rows.RANGES + 1, np.int32)
    lengths = np.zeros((rows.SHAPES, 4), np.uint8)
    everything = np.zeros(rows.SET_WORDS, np.uint64)
    reach = np.zeros((2 * _MOST_VALUES, rows.SET_WORDS), np.uint64)
    values = call_core("core_cell_tables", reach, len(reach), first, lengths, everything)
    return CellTables(reach[: 2 * values].copy(), first, lengths, everything)


# --- systems -------------------------------------------------------------------------------------


def arrays_of(deals: DealArrays) -> tuple[U64, U8, U8, int]:
    """Hands, dealers and vulnerabilities, each in one piece, and how many deals they are."""
    count = len(deals)
    return (
        checked(np.ascontiguousarray(deals.hands), np.uint64, 4),
        checked(np.ascontiguousarray(deals.dealer), np.uint8, count),
        checked(np.ascontiguousarray(deals.vulnerability), np.uint8, count),
        count,
    )


def pack(system: Any, deals: DealArrays, start: int, stop: int, out: U64) -> None:
    """Pack the hands of deals ``start`` to ``stop`` by position into ``out`` [4, n, words].

    Row 0 is the dealer's hand. ``out`` may be wider than a hand.
    """
    positions, room, stride = out.shape
    if positions != 4 or room != stop - start:
        raise ValueError(f"expected room for four hands of {stop - start} deals, got {out.shape}")
    call_core("core_pack", system, *arrays_of(deals), start, stop, checked(out, np.uint64), stride)


def learn(first: Any, other: Any, store: ArrayGroup, row: rows.Rows, miss: I64) -> int:
    """Learn what a place missed whose row comes with the store's sets; the side that fails, or -1.

    ``miss`` is a row of a block's ``misses``.
    """
    faulty = np.zeros(1, np.int64)
    why = call_core(
        "core_learn",
        first,
        other,
        store,
        checked(row, rows.PLACE, 1),
        checked(miss, np.int64, 5),
        faulty,
    )
    return int(faulty[0]) if why == FAULTY else -1


# --- hands without a system ----------------------------------------------------------------------


def pack_by_tables(
    tables: Any, deals: DealArrays, start: int, stop: int, out: U64, *, rotate: bool = True
) -> None:
    """Pack the hands of deals ``start`` to ``stop`` into ``out`` [4, n, words], derived flags 0.

    ``tables`` are :class:`.packing.PackingTables`. With ``rotate`` row 0 of ``out`` is the dealer's
    hand and so on, else North's.
    """
    words = sum(tables.words)
    if out.shape != (4, stop - start, words):
        raise ValueError(
            f"expected room for {words} words of {stop - start} deals, got {out.shape}"
        )
    call_core(
        "core_pack_by_tables",
        tables,
        *tables.words,
        *arrays_of(deals),
        start,
        stop,
        int(rotate),
        checked(out, np.uint64),
    )


def sort_by_dealer(deals: DealArrays, start: int, stop: int) -> tuple[DealArrays, U32]:
    """Sort deals ``start`` to ``stop`` by the dealer's HCP, longest suit and its length.

    Deals with like hands stand together then, so a set of deals is a few runs of bits, and many
    blocks of deals miss whole subtrees. Also returns the number of the deal, from ``start``, at
    each place.
    """
    count = stop - start
    hands = np.empty((4, count), np.uint64)
    dealer, vulnerability = np.empty((2, count), np.uint8)
    order = np.empty(count, np.uint32)
    call_core(
        "core_sort_by_dealer", *arrays_of(deals), start, stop, hands, dealer, vulnerability, order
    )
    return DealArrays(hands, dealer, vulnerability), order


def deal(start: int, first: int, begin: int, end: int, hands: U64) -> None:
    """Fill columns ``begin`` to ``end`` of hands [4, n] with the deals from number ``first`` on.

    ``start`` is the seed, mixed.
    """
    count = hands.shape[1]
    call_core("core_deal", start, first, begin, end, checked(hands, np.uint64, 4), count)


def disagreeing_plays(
    hands: U64, declarer: NDArray[np.int8], cards: U8, ends: I64
) -> NDArray[np.bool_]:
    """Tell which boards have cards that were not played from their hands [4, n].

    ``ends[i]`` is where the cards of board i end among all; declarer -1 is not known.
    """
    count = len(declarer)
    found = np.zeros(count, np.bool_)
    if hands.shape != (4, count):
        raise ValueError(f"expected four hands of {count} boards, got {hands.shape}")
    call_core(
        "core_disagreeing_plays",
        checked(hands, np.uint64),
        checked(declarer, np.int8),
        count,
        checked(cards, np.uint8),
        len(cards),
        checked(ends, np.int64, count),
        found,
    )
    return found


def trick_bounds(hands: U64, low: NDArray[np.int8], high: NDArray[np.int8]) -> None:
    """Fill the least and most tricks of deals [4, n], int8 [n, 20] each."""
    count = hands.shape[1]
    call_core(
        "core_trick_bounds",
        checked(hands, np.uint64, 4),
        count,
        checked(low, np.int8, count),
        checked(high, np.int8, count),
    )


def solve_plays(hands: U64, strain: I64, first: I64, trick: U8, tricks: NDArray[np.int8]) -> None:
    """Fill the tricks of the side to move for each card that may be played, int8 [n, 52].

    Hands are [4, n], of an ending or whole; ``trick`` [n, 3] has the cards that were played to it,
    255 for none, from the hand of ``first`` on. Hands that no play leaves are refused.
    """
    count = hands.shape[1]
    if hands.shape != (4, count) or trick.shape != (count, 3) or tricks.shape != (count, 52):
        raise ValueError(f"expected arrays of {count} endings, got {trick.shape}, {tricks.shape}")
    call_core(
        "core_solve_plays",
        checked(hands, np.uint64),
        checked(strain, np.int64, count),
        checked(first, np.int64, count),
        checked(trick, np.uint8),
        count,
        checked(tricks, np.int8),
    )


def solve_tables(hands: U64) -> NDArray[np.int8]:
    """Tricks of all contracts, int8 [n, 20] at ``5 * declarer + strain``, of hands [4, n].

    Hands of a deal hold as many cards each, and no card twice: others are refused.
    """
    count = hands.shape[1]
    tricks = np.empty((count, 20), np.int8)
    call_core("core_solve_tables", checked(hands, np.uint64, 4), count, tricks)
    return tricks


# --- par, and cards without a search --------------------------------------------------------------


def contract_scores(tables: I8, vulnerability: U8) -> I16:
    """Points of North-South for every contract played, int16 [n, 35, 4], of tricks [n, 20]."""
    count = len(vulnerability)
    scores = np.empty((count, 35, 4), np.int16)
    call_core(
        "core_contract_scores",
        _tables(tables, count),
        checked(vulnerability, np.uint8),
        count,
        scores,
    )
    return scores


def par(tables: I8, dealer: U8, vulnerability: U8) -> tuple[I16, NDArray[np.bool_]]:
    """Par scores of North-South, and which contracts reach them, bool [n, 35, 4]."""
    count = len(dealer)
    scores = np.empty(count, np.int16)
    best = np.empty((count, 35, 4), np.bool_)
    call_core(
        "core_par",
        _tables(tables, count),
        checked(dealer, np.uint8),
        checked(vulnerability, np.uint8, count),
        count,
        scores,
        best,
    )
    return scores, best


def par_contracts(tables: I8, best: NDArray[np.bool_]) -> tuple[U8, I64]:
    """List the contracts that reach par, and where those of each deal end.

    Parameters
    ----------
    tables : int8 [n, 20]
    best : bool [n, 35, 4]
        As :func:`par` finds it.

    Returns
    -------
    contracts : uint8 [contracts, 4]
        Level, strain, a bit for each declarer, and tricks; the highest first.
    ends : int64 [n]
    """
    count = len(best)
    if best.shape[1:] != (35, 4):
        raise ValueError(f"expected 35 bids of four declarers, got {best.shape}")
    room = int(np.count_nonzero(best))
    contracts, ends = np.empty((room, 4), np.uint8), np.empty(count, np.int64)
    found = call_core(
        "core_par_contracts",
        _tables(tables, count),
        checked(best, np.bool_),
        count,
        contracts,
        room,
        ends,
    )
    return contracts[:found], ends


def _tables(tables: I8, count: int) -> I8:
    if tables.shape != (count, 20):
        raise ValueError(f"expected tables of {count} deals, got {tables.shape}")
    return checked(tables, np.int8)


def usual_cards(
    hand: int, trick: Sequence[int], strain: int, gone: int, other: int, *, declares: bool
) -> list[int]:
    """List the cards that may be played: that of the rules of thumb, then the lowest first.

    As :func:`bidcascade.inference.card_play.rules_of_thumb.usual_cards` says.
    """
    cards = (ctypes.c_uint8 * 13)()
    # a number that is too large for 64 bits would lose its head
    fits = 0 <= hand | gone | other < 1 << 52 and all(0 <= card < 52 for card in trick)
    count = _INVALID
    if fits and 0 <= strain <= 4:
        count = function("core_usual_cards")(
            ctypes.c_uint64(hand),
            ctypes.c_uint64(gone),
            ctypes.c_uint64(other),
            bytes(trick),
            ctypes.c_int64(len(trick)),
            ctypes.c_int64(strain),
            ctypes.c_int64(declares),
            cards,
        )
    if count == _INVALID:
        raise ValueError(
            "expected a hand of 1 to 13 cards, those that were played, up to three of them on the "
            "table, and another hand, no card in two of these, and a strain of 0-4"
        )
    return list(cards[:count])


# --- layouts -------------------------------------------------------------------------------------


def move_states(
    states: I64,
    step: I64,
    joint: NDArray[np.bool_],
    low: I64,
    high: I64,
    rests: I64,
    is_raw: NDArray[np.bool_],
    *,
    room: int,
    is_last: bool,
) -> tuple[I64, I64, I64]:
    """States after a part got 0, 1, … cards of a class, those left out that cannot end well.

    Parameters
    ----------
    states : int64 [n, columns + 1]
        Sums, and the cards of the class that are left.
    step : int64 [columns + 1]
        What a card adds to each sum.
    joint : bool [sums - columns, columns]
        Further sums, each of some of the columns.
    low, high : int64 [sums]
        Where each must end.
    rests : int64 [4, sums]
        Least and most of later classes, and of a card of this class in a later part.
    is_raw : bool [columns]
        Columns that are kept as they are; others become the least sum that ends as well.
    room : int
        How many states at most.
    is_last : bool
        Whether the part gets all that are left.

    Returns
    -------
    tuple of int64 arrays
        The new states, and of each the one before and how many cards.
    """
    columns, sums = len(step) - 1, len(low)
    if states.shape[1:] != (columns + 1,) or joint.shape != (sums - columns, columns):
        raise ValueError(f"expected states of {columns} sums, got {states.shape}, {joint.shape}")
    if rests.shape != (4, sums) or len(is_raw) != columns:
        raise ValueError(f"expected the rests of {sums} sums, got {rests.shape}")
    found = np.empty((room, columns + 1), np.int64)
    before, taken = np.empty((2, room), np.int64)
    moved = call_core(
        "core_move_states",
        checked(states, np.int64),
        len(states),
        checked(step, np.int64),
        columns,
        sums,
        int(is_last),
        checked(joint, np.bool_),
        checked(low, np.int64),
        checked(high, np.int64, sums),
        checked(rests, np.int64),
        checked(is_raw, np.bool_),
        room,
        found,
        before,
        taken,
    )
    return found[:moved], before[:moved], taken[:moved]


def most_of_suit(values: I64) -> int:
    """Most that four seats have of a suit, by what each has of a holding, int64 [4, 8192]."""
    if values.shape != (4, 1 << 13):
        raise ValueError(f"expected a value for each holding of four seats, got {values.shape}")
    found = np.zeros(1, np.int64)
    call_core("core_most_of_suit", checked(values, np.int64), found)
    return int(found[0])


# --- hash tables ---------------------------------------------------------------------------------


def empty_table(slots: int) -> rows.Rows:
    """Hash table with room for half as many keys as slots, a power of two."""
    table = np.zeros(slots, rows.SLOT)
    table["key"], table["value"] = rows.EMPTY, -1
    return table


def roomier(table: rows.Rows, count: int) -> rows.Rows:
    """Return the table, or a larger one with the same content, so that ``count`` keys fit well."""
    slots = len(table)
    while slots < 2 * count:
        slots *= 2
    if slots == len(table):
        return table
    larger = empty_table(slots)
    call_core("core_refill", checked(table, rows.SLOT), len(table), larger, slots)
    return larger


def number_sets(table: rows.Rows, keys: U64, first: int, numbers: I32, new: I32) -> int:
    """Find the numbers of sets by their keys; how many are new, and which ones.

    New ones are numbered from ``first`` on; the table must have room for them.
    """
    count = len(keys)
    return call_core(
        "core_number_sets",
        checked(table, rows.SLOT),
        len(table),
        checked(keys, np.uint64),
        count,
        first,
        checked(numbers, np.int32, count),
        checked(new, np.int32, count),
    )


def number_lists(offsets: I64, values: U32) -> tuple[U32, I64]:
    """Give numbers to lists of values as they come, equal ones alike, and the first list of each.

    ``offsets`` [lists + 1] is where each list begins in ``values`` and the last one ends.

    Examples
    --------
    >>> numbers, firsts = number_lists(np.array([0, 2, 2, 4]), np.array([7, 8, 7, 8], np.uint32))
    >>> numbers.tolist(), firsts.tolist()
    ([0, 1, 0], [0, 1])
    """
    numbers = np.empty(len(offsets) - 1, np.uint32)
    firsts = np.empty(len(offsets) - 1, np.int64)
    count = call_core(
        "core_number_lists",
        checked(values, np.uint32),
        len(values),
        checked(offsets, np.int64, 1),
        len(numbers),
        numbers,
        firsts,
    )
    return numbers, firsts[:count]


# --- places --------------------------------------------------------------------------------------


def work_out(
    first: Any, other: Any, store: ArrayGroup, block: ArrayGroup, places: I32, start: int, stop: int
) -> int:
    """Work out rows and entries of places from ``start`` on; where it stopped.

    The place before each must have its row. Places whose entries are known get rows only. What they
    ask that nobody asked before is learned: several threads may do so at once, each with a block of
    its own, and nobody else may use the systems meanwhile. A place at which something cannot be
    learned has status LEARN. It stops early where the block is full; at ``start`` if the block is
    too small for a single place.
    """
    checked(places, np.int32, stop)
    return call_core("core_work_out", first, other, store, block, places, start, stop)


def take_in(store: ArrayGroup, block: ArrayGroup, places: I32, start: int, stop: int) -> None:
    """Put what a block worked out into the store, which has room for all of it."""
    call_core("core_take_in", store, block, checked(places, np.int32, stop), start, stop)


def take_lists(store: ArrayGroup, block: ArrayGroup, places: I32) -> None:
    """Put the entries of places into the store, and nothing else of what a block worked out."""
    call_core("core_take_lists", store, block, checked(places, np.int32), len(places))


def list_number(store: ArrayGroup, items: I32) -> int:
    """Find the number of a list of entries in the store; it is added if it is new."""
    return call_core("core_list_number", store, checked(items, np.int32), len(items))


def set_number(store: ArrayGroup, block: ArrayGroup, item: int) -> int:
    """Find the number of a block's set of cells in the store; it is added if it is new."""
    return call_core("core_set_number", store, block, item)


def index_sets(store: ArrayGroup) -> None:
    """Enter all sets of a store into its table of their numbers, which is empty."""
    call_core("core_index_sets", store)


def places_behind(store: ArrayGroup, keys: U64, places: I32) -> None:
    """Find the places behind ``place << 6 | call``; each gets a number if it has none."""
    count = len(keys)
    call_core(
        "core_places_behind",
        store,
        checked(keys, np.uint64),
        count,
        checked(places, np.int32, count),
    )


def has_room(store: ArrayGroup, places: int, worked_out: int, lists: int, items: int) -> bool:
    """Whether so many places, rows with their sets, lists, and items of lists fit."""
    return bool(call_core("core_has_room", store, places, worked_out, lists, items))


def hull_of(store: ArrayGroup, cells: U64) -> U8:
    """Least and most HCP and cards of each suit in a set of cells, uint8 [5, 2]."""
    hull = np.zeros((rows.HULL_TERMS, 2), np.uint8)
    call_core("core_hull_of", store, checked(cells, np.uint64, rows.SET_WORDS), hull)
    return hull


def forced(row: Any) -> bool:
    """Whether the player to call may not pass: partner's call was forcing and RHO passed."""
    return bool(call_core("core_forced", np.array(row, rows.PLACE).reshape(1)))


def make_ready(
    first: Any, other: Any, store: ArrayGroup, block: ArrayGroup, places: I32, counts: I64
) -> tuple[int, int]:
    """Work out places and those on the way to them; why it returned, and who is to blame.

    It goes on from place ``counts[0]``, which says where it returned; ``counts[1]`` counts the
    places that asked what nobody had asked before.
    """
    faulty = np.zeros(1, np.int64)
    why = call_core(
        "core_make_ready",
        first,
        other,
        store,
        block,
        checked(places, np.int32),
        len(places),
        checked(counts, np.int64, 2),
        faulty,
    )
    return why, int(faulty[0])


def reach(
    first: Any, other: Any, store: ArrayGroup, block: ArrayGroup, calls: U8
) -> tuple[int, int, int]:
    """Find the place behind calls, worked out: why it returned, the place, and who is to blame."""
    place, faulty = np.zeros(1, np.int32), np.zeros(1, np.int64)
    why = call_core(
        "core_reach",
        first,
        other,
        store,
        block,
        checked(calls, np.uint8),
        len(calls),
        place,
        faulty,
    )
    return why, int(place[0]), int(faulty[0])


def call_of_hand(
    first: Any,
    other: Any,
    store: ArrayGroup,
    block: ArrayGroup,
    calls: bytes,
    hand: int,
    context: int,
) -> tuple[int, int, tuple[int, int, int, int, int]]:
    """Call of one hand after an auction: why it returned, who is to blame, and what it makes.

    That is the place, the entry (NO_ENTRY for none), the call, whether it is a pass by default,
    and whether partner's call asked for an answer. Returns -1 for an auction that is illegal or
    over. ``context`` is position + 4 * we + 8 * they vulnerable.
    """
    out, faulty = (ctypes.c_int32 * 5)(), ctypes.c_int64()
    why = function("core_call")(
        ctypes.c_void_p(first.address),
        ctypes.c_void_p(other.address),
        ctypes.c_void_p(store.address),
        ctypes.c_void_p(block.address),
        calls,
        ctypes.c_int64(len(calls)),
        ctypes.c_uint64(hand),
        ctypes.c_int64(context),
        out,
        ctypes.byref(faulty),
    )
    return why, faulty.value, tuple(out)


# --- deals ---------------------------------------------------------------------------------------


def choose_all(
    program: Any,
    store: ArrayGroup,
    words: U64,
    deals: I64,
    start: int,
    stop: int,
    place: I32,
    call: U8,
    entry: I32,
    defaults: U16,
) -> None:
    """Choose for deals ``deals[start:stop]``, whose hands to call are ``words[deal]``."""
    hands, width = words.shape
    call_core(
        "core_choose_all",
        program,
        store,
        checked(words, np.uint64),
        width,
        min(hands, len(place), len(call), len(entry), len(defaults)),
        checked(deals, np.int64, stop),
        start,
        stop,
        checked(place, np.int32),
        checked(call, np.uint8),
        checked(entry, np.int32),
        checked(defaults, np.uint16),
    )


def bid_few(
    first: Any,
    other: Any,
    store: ArrayGroup,
    block: ArrayGroup,
    deals: DealArrays,
    place: I32,
    entry: I32,
    defaults: U16,
    done: I64,
) -> tuple[int, int]:
    """Bid deals to the end one by one, from ``done[0]`` on; why it returned, and who is to blame.

    ``place`` says where each deal is, and becomes the place of its last call, which ``entry`` made.
    """
    count, faulty = len(deals), np.zeros(1, np.int64)
    why = call_core(
        "core_bid_few",
        first,
        other,
        store,
        block,
        *arrays_of(deals),
        checked(place, np.int32, count),
        checked(entry, np.int32, count),
        checked(defaults, np.uint16, count),
        checked(done, np.int64, 1),
        faulty,
    )
    return why, int(faulty[0])


def follow(
    store: ArrayGroup, deals: I64, place: I32, call: U8, going_on: I64, new: I32
) -> tuple[int, int]:
    """Move deals to the places behind their calls; there must be room for a place each.

    Returns how many go on (``going_on``), and how many places are not expanded yet (``new``).
    A deal whose auction is over stays at the place of its last call.
    """
    count, found = len(deals), np.zeros(1, np.int64)
    left = call_core(
        "core_follow",
        store,
        checked(deals, np.int64),
        count,
        min(len(place), len(call)),
        checked(place, np.int32),
        checked(call, np.uint8),
        checked(going_on, np.int64, count),
        checked(new, np.int32, count),
        found,
    )
    return left, int(found[0])


def auction_lengths(store: ArrayGroup, places: I32) -> I64:
    """Count the calls that lead to each place, int64 [n]."""
    lengths = np.zeros(len(places), np.int64)
    call_core("core_auction_lengths", store, checked(places, np.int32), len(places), lengths)
    return lengths


def auctions_of(
    store: ArrayGroup,
    places: I32,
    offsets: I64,
    calls: U8,
    contract: U8,
    declarer: U8,
    most: int,
    start: int,
) -> None:
    """Write whole auctions that end with a pass at places, ``most`` from ``start`` on.

    ``contract`` is 0 passed out, else ``1 + 3 * (bid - 3) + doubling``; ``declarer`` is counted
    from the dealer, 4 for none.
    """
    stop = min(start + most, len(places))
    call_core(
        "core_auctions_of",
        store,
        checked(places, np.int32, stop),
        checked(offsets, np.int64, stop + 1),
        start,
        stop,
        len(calls),
        checked(calls, np.uint8),
        checked(contract, np.uint8, stop),
        checked(declarer, np.uint8, stop),
    )


# --- all auctions --------------------------------------------------------------------------------


def list_deals(
    first: Any,
    other: Any,
    store: ArrayGroup,
    block: ArrayGroup,
    out: ArrayGroup,
    deals: DealArrays,
    bounds: I64,
) -> int:
    """List the auctions of deals from where the walk stands; why it returned."""
    return call_core(
        "core_list_deals",
        first,
        other,
        store,
        block,
        out,
        *arrays_of(deals),
        checked(bounds, np.int64, 4),
    )


def write_calls(store: ArrayGroup, places: I32, last: U8, offsets: I64, calls: U8) -> None:
    """Write the auctions that end with a call at each place."""
    count = len(places)
    call_core(
        "core_write_calls",
        store,
        checked(places, np.int32),
        checked(last, np.uint8, count),
        checked(offsets, np.int64, count + 1),
        count,
        len(calls),
        checked(calls, np.uint8),
    )


def going_on(store: ArrayGroup, places: I32, calls: U8) -> NDArray[np.bool_]:
    """Whether the auction goes on behind a call at each place, bool [n]."""
    found = np.zeros(len(places), np.uint8)
    call_core(
        "core_going_on",
        store,
        checked(places, np.int32),
        checked(calls, np.uint8, len(places)),
        len(places),
        found,
    )
    goes_on: NDArray[np.bool_] = found != 0
    return goes_on


def masks(
    program: Any,
    store: ArrayGroup,
    words: U64,
    place: I32,
    deals: I32,
    start: int,
    stop: int,
    found: U64,
) -> None:
    """Find the calls that each deal may make at a place, a bit each, for pairs of the two."""
    hands, width = words.shape
    call_core(
        "core_masks",
        program,
        store,
        checked(words, np.uint64),
        width,
        hands,
        checked(place, np.int32, stop),
        checked(deals, np.int32, stop),
        start,
        stop,
        checked(found, np.uint64, stop),
    )


def may_call(
    program: Any,
    store: ArrayGroup,
    words: U64,
    place: int,
    call: int,
    deals: I32,
    start: int,
    stop: int,
    found: NDArray[np.bool_],
) -> None:
    """Tell which deals may make a call at a place: the bit of :func:`masks`, and no other."""
    hands, width = words.shape
    call_core(
        "core_may_call",
        program,
        store,
        checked(words, np.uint64),
        width,
        hands,
        place,
        call,
        checked(deals, np.int32, stop),
        start,
        stop,
        checked(found, np.bool_, stop),
    )


def count_calls(first: I64, found: U64) -> I64:
    """How many of the pairs of each place, from ``first`` on, allow each call, int64 [n, 38]."""
    groups = len(first) - 1
    counts = np.zeros((groups, rows.CALLS), np.int64)
    call_core(
        "core_count_calls",
        checked(first, np.int64),
        groups,
        checked(found, np.uint64),
        len(found),
        counts,
    )
    return counts


def deals_by_call(found: U64, deals: I32, end: I64, out: I32) -> None:
    """Write the deals that may make each call, from ``end[call]`` on, which becomes their end."""
    count = len(found)
    call_core(
        "core_deals_by_call",
        checked(found, np.uint64),
        checked(deals, np.int32, count),
        count,
        checked(end, np.int64, rows.CALLS),
        checked(out, np.int32),
    )


def deals_behind(
    store: ArrayGroup,
    first: I64,
    found: U64,
    deals: I32,
    groups: I64,
    calls: I64,
    places: I32,
    next_first: I64,
    next_place: I32,
    next_deals: I32,
) -> None:
    """Pairs of the places behind calls that were chosen; each gets a number if it has none."""
    count = len(groups)
    call_core(
        "core_deals_behind",
        store,
        checked(first, np.int64, len(places) + 1),
        checked(found, np.uint64),
        checked(deals, np.int32),
        checked(groups, np.int64),
        checked(calls, np.int64, count),
        count,
        len(places),
        checked(places, np.int32),
        checked(next_first, np.int64, count + 1),
        checked(next_place, np.int32),
        checked(next_deals, np.int32),
    )
