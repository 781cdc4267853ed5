"""What is measured: seeded bidding tables of any size, expressions, deals. Needs numpy only.

Two shapes; in both, auctions are legal, passes are explicit and three passes behind a bid (four at
the start) end an auction.

``published``
    Two statistics of the published 1,026-row excerpt: how many entries stand at each depth (from
    depth 6 on; before that levels grow evenly from 36 openings), and the lengths of the criteria
    lists. Passes are undescribed. The knob is the share of the other calls that have criteria:
    the more, the fewer entries hold.
``bushy``
    36 openings, 1-12 calls below each entry near the root, 0-3 further down, at most 17 calls an
    auction. Every entry has criteria, passes too. The knob is how loose the criteria are: the
    looser, the more entries hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels import CAN_COMPLETE, COMPLETED, DealArrays, Plan, Postfix, build_plan
from bidcascade.kernels.core.functions import has_core
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.types import I64

OPENINGS = 36
DEPTH_HISTOGRAM = (
    36,
    31,
    26,
    22,
    19,
    19,
    45,
    75,
    106,
    129,
    126,
    109,
    90,
    62,
    45,
    30,
    20,
    13,
    10,
    7,
    2,
    2,
    2,
)
LIST_LENGTHS = {1: 6, 2: 21, 3: 20, 4: 32, 5: 41, 6: 21, 7: 10, 8: 2, 10: 5, 11: 1}
_GROWTH_LEVELS = 6

BUSHY_DEPTH = 17
_NEAR_FAN_OUT = (1, 12)
_FAR_FAN_OUT = 3

SMALLEST = 1_000
"""Fewest entries a table can be asked for."""


class TableKind(NamedTuple):
    """A shape, and where its knob stands."""

    shape: str
    knob: float
    holding: int
    """How many of 2 M entries hold per random deal, about."""


DENSITIES = {
    "selective": TableKind("published", 0.975, 74),
    "middle": TableKind("published", 0.711, 1_500),
    "dense": TableKind("published", 0.5434, 8_000),
    "bushy-selective": TableKind("bushy", 1.425, 74),
    "bushy-middle": TableKind("bushy", 3.244, 1_500),
    "bushy-dense": TableKind("bushy", 4.45, 8_000),
}
"""Tables by name; the knobs are set for 2 M entries, seed 1."""


@dataclass(frozen=True)
class GeneratedTable:
    """What :func:`bidcascade.kernels.build_plan` needs, with the lists still readable.

    ``criteria[k]`` holds numbers of ``expressions``; variant set ``k + 1`` is criteria list ``k``.
    """

    expressions: list[Postfix]
    criteria: list[list[int]]
    first_child: NDArray[np.uint32]
    child_count: NDArray[np.uint16]
    call: NDArray[np.uint8]
    flags: NDArray[np.uint8]
    variant_set: NDArray[np.uint32]
    root_count: int

    def plan(self) -> Plan:
        """Lower the table."""
        sets = [[], *([number] for number in range(len(self.criteria)))]
        return build_plan(**vars(self), variant_sets=sets)


def level_sizes(entries: int) -> list[int]:
    """How many entries of a ``published`` table stand at each depth; the sum is ``entries``."""
    tail_share = DEPTH_HISTOGRAM[_GROWTH_LEVELS:]
    first_tail = entries * tail_share[0] / sum(tail_share)
    ratio = (first_tail / OPENINGS) ** (1 / _GROWTH_LEVELS)
    head = [round(OPENINGS * ratio**level) for level in range(_GROWTH_LEVELS)]
    rest = entries - sum(head)
    sizes = head + [max(1, round(rest * share / sum(tail_share))) for share in tail_share]
    sizes[int(np.argmax(sizes))] += entries - sum(sizes)
    return sizes


def named_table(name: str, entries: int = 2_000_000, *, seed: int = 1) -> GeneratedTable:
    """Generate one of the tables of :data:`DENSITIES`."""
    kind = DENSITIES[name]
    return generate_table(entries, shape=kind.shape, knob=kind.knob, seed=seed)


def generate_table(
    entries: int, *, shape: str, knob: float, seed: int = 1, distinct_lists: int = 20_000
) -> GeneratedTable:
    """Generate a table of exactly ``entries`` entries.

    Parameters
    ----------
    entries : int
        At least ``SMALLEST``.
    shape : {"published", "bushy"}
    knob : float
        Of a published table the share of calls other than passes that have criteria, 0 to 1; of a
        bushy one how loose criteria are, from 0 on (by about how many points).
    distinct_lists : int
        Size of the pool that criteria lists are drawn from; at most one for each entry.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if entries < SMALLEST:
        raise ValueError(f"expected at least {SMALLEST} entries, got {entries!r}")
    if shape not in ("published", "bushy"):
        raise ValueError(f"expected a shape of published, bushy, got {shape!r}")
    if knob < 0 or (shape == "published" and knob > 1):
        raise ValueError(f"expected a knob from 0 on, of a published table to 1, got {knob!r}")
    distinct_lists = min(distinct_lists, entries)
    rng = np.random.default_rng(seed)
    published = shape == "published"
    levels = (_published_levels if published else _bushy_levels)(rng, entries)
    expressions, criteria, draws = criteria_pool(rng, distinct_lists, 0.0 if published else knob)
    table = _number(levels, expressions, criteria)
    has_criteria = np.ones(entries, np.bool_)
    if published:
        has_criteria = (table.call != 0) & (rng.random(entries) < knob)
        # openings are always described: an opening without criteria would let every deal in
        has_criteria[: OPENINGS - 1] = True
    # common lists are used far more often than rare ones
    picks = (len(draws) * rng.random(entries) ** 2).astype(np.int64)
    table.variant_set[:] = np.where(has_criteria, 1 + draws[picks], 0)
    return table


@dataclass
class _Level:
    """The entries of one depth; ``parent`` counts within the level above."""

    parent: I64
    call: I64
    last_bid: I64
    passes: I64  # trailing ones
    completed: NDArray[np.bool_]
    children: I64

    def room(self) -> I64:
        """How many calls each entry may have below it: a pass and every higher bid."""
        below = np.where(self.last_bid == 0, 36, 38 - self.last_bid)
        return np.where(self.completed, 0, below)


def _openings() -> _Level:
    calls = np.array([*range(3, 38), 0])[:OPENINGS]
    return _Level(
        parent=np.zeros(OPENINGS, np.int64),
        call=calls,
        last_bid=calls,
        passes=(calls == 0).astype(np.int64),
        completed=np.zeros(OPENINGS, np.bool_),
        children=np.zeros(OPENINGS, np.int64),
    )


def _published_levels(rng: np.random.Generator, entries: int) -> list[_Level]:
    levels = [_openings()]
    for size in level_sizes(entries)[1:]:
        above = levels[-1]
        room = above.room()
        open_entries = np.flatnonzero(room)
        children = np.zeros(len(room), np.int64)
        if size >= len(open_entries):
            children[open_entries] = rng.geometric(len(open_entries) / size, len(open_entries))
        else:
            # a few entries have two calls below them, in place of others that have none
            chosen = rng.choice(open_entries, size, replace=False)
            children[chosen] = 1
            children[chosen[: size // 8]] = 2
            children[chosen[len(chosen) - size // 8 :]] = 0
        levels.append(_next_level(rng, above, _fit(rng, np.minimum(children, room), room, size)))
    return levels


def _bushy_levels(rng: np.random.Generator, entries: int) -> list[_Level]:
    """Wide levels up to a quarter of the entries, then as slim ones as reach the last depth."""
    levels = [_openings()]
    rest = entries - OPENINGS
    while rest:
        above = levels[-1]
        room = above.room()
        levels_left = BUSHY_DEPTH - len(levels)
        if len(above.call) * sum(_NEAR_FAN_OUT) / 2 <= entries / 4:
            least, most = _NEAR_FAN_OUT
            children = rng.integers(least, most + 1, len(room))
        else:
            mean = _even_growth(int((room > 0).sum()), rest, levels_left)
            children = rng.binomial(_FAR_FAN_OUT, min(1.0, mean / _FAR_FAN_OUT), len(room))
        children = np.minimum(children, room)
        if levels_left == 1 or children.sum() > rest:
            children = _fit(rng, children, room, rest)
        levels.append(_next_level(rng, above, children))
        rest -= len(levels[-1].call)
        if levels_left == 1 and rest:
            raise ValueError(f"expected to place {entries} entries, {rest!r} found no legal call")
    return levels


def _even_growth(size: int, wanted: int, levels: int) -> float:
    """Growth a level with which ``levels`` levels after one of ``size`` hold ``wanted`` entries."""
    low, high = 0.0, 12.0
    for _ in range(40):
        middle = (low + high) / 2
        total = sum(size * middle**level for level in range(1, levels + 1))
        low, high = (middle, high) if total < wanted else (low, middle)
    return high


def _next_level(rng: np.random.Generator, above: _Level, children: I64) -> _Level:
    """Make the calls below a level, ``children`` of them below each of its entries."""
    above.children = children
    parent = np.repeat(np.arange(len(children)), children)
    place = np.arange(len(parent)) - np.repeat(np.cumsum(children) - children, children)
    only = children[parent] == 1
    last_child = place == children[parent] - 1
    is_pass = np.where(only, rng.random(len(parent)) < 0.6, last_child)
    # no room for a bid above 7N
    is_pass |= above.last_bid[parent] + place + 1 > 37
    bids = np.maximum(above.last_bid[parent], 2) + 1 + place
    call = np.where(is_pass, 0, bids)
    passes = np.where(is_pass, above.passes[parent] + 1, 0)
    last_bid = np.where(is_pass, above.last_bid[parent], call)
    completed = (passes >= 3) & ((last_bid > 0) | (passes >= 4))
    return _Level(parent, call, last_bid, passes, completed, np.zeros(len(parent), np.int64))


def _fit(rng: np.random.Generator, children: I64, room: I64, size: int) -> I64:
    """Add or take single children until there are ``size``, within the room there is."""
    while (missing := size - int(children.sum())) != 0:
        able = np.flatnonzero(children < room if missing > 0 else children > 0)
        if not len(able):
            break
        chosen = rng.choice(able, min(abs(missing), len(able)), replace=False)
        children[chosen] += 1 if missing > 0 else -1
    return children


def criteria_pool(
    rng: np.random.Generator, size: int, slack: float
) -> tuple[list[Postfix], list[list[int]], NDArray[np.uint32]]:
    """Expressions, criteria lists of them, and numbers of lists to draw from, common ones first."""
    lengths = rng.choice(
        list(LIST_LENGTHS), size, p=np.array([*LIST_LENGTHS.values()]) / sum(LIST_LENGTHS.values())
    )
    drawn = dict.fromkeys(tuple(_draw_list(rng, int(length))) for length in lengths)
    # the same draws whatever the slack, so that a little more of it changes little
    chances = rng.random((len(drawn), 3))
    expressions: dict[Postfix, int] = {}
    pool: dict[tuple[int, ...], int] = {}
    draws = []
    for atoms, chance in zip(drawn, chances.tolist(), strict=True):
        row = tuple(
            expressions.setdefault(atom, len(expressions))
            for atom in (_widened(atoms, slack, chance) if slack else atoms)
        )
        draws.append(pool.setdefault(row, len(pool)))
    return list(expressions), [list(row) for row in pool], np.array(draws, np.uint32)


def _draw_list(rng: np.random.Generator, length: int) -> list[Postfix]:
    """Draw a list as announcements have it: points first, then lengths, then suit quality."""
    points = int(rng.integers(5, 17))
    suits = [str(letter) for letter in rng.permutation(list("CDHS"))]
    atoms: list[Postfix] = [
        (f"SL_{suits[0]}", int(rng.choice([3, 4, 5, 6], p=[0.2, 0.4, 0.3, 0.1])), ">="),
        ("HCP", points, ">="),
        ("HCP", points + int(rng.integers(2, 9)), "<="),
        ("Total_Points", points + 1, ">="),
        ("Total_Points", points + int(rng.integers(5, 11)), "<="),
        (f"SL_{suits[1]}", int(rng.integers(3, 6)), "<="),
        (f"SL_{suits[2]}", int(rng.integers(3, 6)), "<="),
        (f"{rng.choice(['Biddable', 'Likely_Stopper', 'Rebiddable'])}_{suits[0]}",),
        (f"SL_{suits[3]}", int(rng.integers(3, 6)), "<="),
        (f"Stopper_{suits[1]}",),
        (f"SL_{suits[1]}", 1, ">="),
    ]
    return atoms[:length]


def _widened(atoms: Sequence[Postfix], slack: float, chance: Sequence[float]) -> list[Postfix]:
    """Widen ranges by about ``slack`` points and a third as many cards.

    Demands on suit quality stay with a chance of 1 in ``1 + slack``.
    """
    more_points = int(slack + chance[0])
    more_cards = int(slack / 3 + chance[1])
    wider: list[Postfix] = []
    for atom in atoms:
        if len(atom) == 1:
            if chance[2] < 1 / (1 + slack):
                wider.append(atom)
            continue
        term, bound, operator = str(atom[0]), int(atom[1]), str(atom[2])
        more = more_cards if term.startswith("SL") else more_points
        # a bound that every hand keeps would be no test at all
        bound = min(bound + more, 36) if operator == "<=" else max(bound - more, 1)
        wider.append((term, bound, operator))
    return wider


def _number(
    levels: list[_Level], expressions: list[Postfix], criteria: list[list[int]]
) -> GeneratedTable:
    """Number the entries in depth-first order of sibling blocks; all are undescribed yet."""
    below = [np.zeros(len(level.call), np.int64) for level in levels]  # descendants
    can_complete = [level.completed.copy() for level in levels]
    for depth in range(len(levels) - 1, 0, -1):
        np.add.at(below[depth - 1], levels[depth].parent, below[depth] + 1)
        np.logical_or.at(can_complete[depth - 1], levels[depth].parent, can_complete[depth])
    total = OPENINGS + int(below[0].sum())
    first_child = np.zeros(total, np.uint32)
    child_count = np.zeros(total, np.uint16)
    call = np.zeros(total, np.uint8)
    flags = np.zeros(total, np.uint8)
    number = np.arange(OPENINGS)
    block = OPENINGS + np.cumsum(below[0]) - below[0]  # where the entry's descendants start
    for depth, level in enumerate(levels):
        if depth:
            counts = levels[depth - 1].children
            starts = np.cumsum(counts) - counts
            place = np.arange(len(level.call)) - starts[level.parent]
            number = block[level.parent] + place
            before = np.cumsum(below[depth]) - below[depth]
            before -= before[starts[level.parent]]
            block = block[level.parent] + counts[level.parent] + before
        call[number] = level.call
        flags[number] = COMPLETED * level.completed + CAN_COMPLETE * can_complete[depth]
        child_count[number] = level.children
        first_child[number] = np.where(level.children > 0, block, 0)
    return GeneratedTable(
        expressions,
        criteria,
        first_child,
        child_count,
        call,
        flags,
        np.zeros(total, np.uint32),
        OPENINGS,
    )


_SUIT_QUALITIES = (
    "Biddable", "Rebiddable", "Twice_Rebiddable", "Strong_Rebiddable", "Solid",
    "Partial_Stopper", "Likely_Stopper", "Stopper", "Two_Stoppers",
    "At_Best_Partial_Stopper", "At_Best_Stopper",
)  # fmt: skip

# term: highest value compared with ==, from 0 on; with <= and with >=, from 1 on
_BOUNDS = {"HCP": (33, 35, 35), "Total_Points": (32, 33, 35)}
_LENGTH_BOUNDS = (7, 7, 9)


def published_expressions() -> list[Postfix]:
    """104 on HCP, 101 on total points, 24 on each suit's length, 44 suit qualities, 4 queens."""
    bounds = {**_BOUNDS, **{f"SL_{suit}": _LENGTH_BOUNDS for suit in "CDHS"}}
    expressions: list[Postfix] = []
    for term, (equal, at_most, at_least) in bounds.items():
        expressions += [(term, value, "==") for value in range(equal + 1)]
        expressions += [(term, value, "<=") for value in range(1, at_most + 1)]
        expressions += [(term, value, ">=") for value in range(1, at_least + 1)]
    expressions += [(f"{quality}_{suit}",) for quality in _SUIT_QUALITIES for suit in "CDHS"]
    expressions += [(f"C_{suit}Q",) for suit in "CDHS"]
    return expressions


def expression_plan() -> Plan:
    """Plan of a table without entries that has the published expressions."""
    none = np.zeros(0, np.uint32)
    return build_plan(
        expressions=published_expressions(),
        criteria=[],
        variant_sets=[[]],
        first_child=none,
        child_count=none.astype(np.uint16),
        call=none.astype(np.uint8),
        flags=none.astype(np.uint8),
        variant_set=none,
        root_count=0,
    )


def random_deals(count: int, *, seed: int = 1) -> DealArrays:
    """Deal by the project's own generator; where there is no core, by NumPy's (other deals)."""
    hands = deal_hands(seed, 0, count) if has_core() else numpy_hands(count, seed)
    numbers = np.arange(count)
    return DealArrays(hands, (numbers % 4).astype(np.uint8), (numbers // 4 % 4).astype(np.uint8))


def numpy_hands(count: int, seed: int) -> NDArray[np.uint64]:
    """Deal with NumPy alone: sort random keys, thirteen cards to each hand (uint64 [4, n])."""
    rng = np.random.default_rng(seed)
    hands = np.empty((4, count), np.uint64)
    for start in range(0, count, 1 << 16):
        stop = min(start + (1 << 16), count)
        cards = np.argsort(rng.random((stop - start, 52), dtype=np.float32), axis=1)
        bits = np.uint64(1) << cards.astype(np.uint64)
        hands[:, start:stop] = bits.reshape(-1, 4, 13).sum(axis=2, dtype=np.uint64).T
    return hands
