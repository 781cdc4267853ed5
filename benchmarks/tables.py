"""Seeded bidding tables of any size, shaped like the published ones. Needs numpy only.

Two statistics of the published 1,026-row excerpt shape a table: how many entries stand at each
depth (from depth 6 on; before that levels grow evenly from 36 openings), and the lengths of the
criteria lists. Auctions are legal, passes are explicit and undescribed, three passes behind a bid
end an auction. The knob is how selective the table is: the share of calls that have criteria.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels import CAN_COMPLETE, COMPLETED, Plan, Postfix, build_plan

I64 = NDArray[np.int64]

OPENINGS = 36
DEPTH_HISTOGRAM = (
    36, 31, 26, 22, 19, 19, 45, 75, 106, 129, 126, 109, 90, 62, 45, 30, 20, 13, 10, 7, 2, 2, 2,
)  # fmt: skip
LIST_LENGTHS = {1: 6, 2: 21, 3: 20, 4: 32, 5: 41, 6: 21, 7: 10, 8: 2, 10: 5, 11: 1}
_GROWTH_LEVELS = 6

DENSITIES = {"selective": 0.50, "middle": 0.31, "dense": 0.25}
"""Share of calls with criteria that lets about 74, 1,500 and 8,000 of 2 M entries hold per deal."""


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
        return build_plan(
            expressions=self.expressions,
            criteria=self.criteria,
            variant_sets=[[], *([number] for number in range(len(self.criteria)))],
            first_child=self.first_child,
            child_count=self.child_count,
            call=self.call,
            flags=self.flags,
            variant_set=self.variant_set,
            root_count=self.root_count,
        )


def level_sizes(entries: int) -> list[int]:
    """How many entries each depth gets; the sum is ``entries`` up to rounding."""
    tail_share = DEPTH_HISTOGRAM[_GROWTH_LEVELS:]
    first_tail = entries * tail_share[0] / sum(tail_share)
    ratio = (first_tail / OPENINGS) ** (1 / _GROWTH_LEVELS)
    head = [round(OPENINGS * ratio**level) for level in range(_GROWTH_LEVELS)]
    rest = entries - sum(head)
    return head + [max(1, round(rest * share / sum(tail_share))) for share in tail_share]


def generate_table(
    entries: int, *, seed: int = 1, described: float = 0.5, distinct_lists: int = 20_000
) -> GeneratedTable:
    """Generate a table of about ``entries`` entries.

    Parameters
    ----------
    entries : int
        At least 1,000.
    described : float
        Share of the calls other than passes that have criteria; fewer let more entries hold.
    distinct_lists : int
        Size of the pool that criteria lists are drawn from.
    """
    rng = np.random.default_rng(seed)
    levels = [_openings(rng)]
    for size in level_sizes(entries)[1:]:
        levels.append(_next_level(rng, levels[-1], size))
    expressions, criteria = _criteria_pool(rng, distinct_lists)
    return _number(rng, levels, expressions, criteria, described)


@dataclass
class _Level:
    """The entries of one depth; ``parent`` counts within the level above."""

    parent: I64
    call: I64
    last_bid: I64
    passes: I64  # trailing ones
    completed: NDArray[np.bool_]
    children: I64


def _openings(rng: np.random.Generator) -> _Level:
    calls = np.array([*range(3, 38), 0])[:OPENINGS]
    return _Level(
        parent=np.zeros(OPENINGS, np.int64), call=calls, last_bid=calls,
        passes=(calls == 0).astype(np.int64), completed=np.zeros(OPENINGS, np.bool_),
        children=np.zeros(OPENINGS, np.int64),
    )  # fmt: skip


def _next_level(rng: np.random.Generator, above: _Level, size: int) -> _Level:
    # how many calls an entry may have below it: a pass and every higher bid
    room = np.where(above.completed, 0, np.where(above.last_bid == 0, 36, 38 - above.last_bid))
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
    children = _fit(rng, np.minimum(children, room), room, size)
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
        able = np.flatnonzero(children < room if missing > 0 else children > 1)
        if not len(able):
            break
        chosen = rng.choice(able, min(abs(missing), len(able)), replace=False)
        children[chosen] += 1 if missing > 0 else -1
    return children


def _criteria_pool(rng: np.random.Generator, size: int) -> tuple[list[Postfix], list[list[int]]]:
    numbers: dict[Postfix, int] = {}
    lengths = rng.choice(
        list(LIST_LENGTHS), size, p=np.array([*LIST_LENGTHS.values()]) / sum(LIST_LENGTHS.values())
    )
    pool: dict[tuple[int, ...], None] = {}
    for length in lengths:
        atoms = _draw_list(rng, int(length))
        pool[tuple(numbers.setdefault(atom, len(numbers)) for atom in atoms)] = None
    return list(numbers), [list(row) for row in pool]


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


def _number(
    rng: np.random.Generator,
    levels: list[_Level],
    expressions: list[Postfix],
    criteria: list[list[int]],
    described: float,
) -> GeneratedTable:
    """Number the entries in depth-first order of sibling blocks."""
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
    has_criteria = (call != 0) & (rng.random(total) < described)
    # openings are always described: an opening without criteria would let every deal in
    has_criteria[: OPENINGS - 1] = True
    # common lists are used far more often than rare ones
    picks = (len(criteria) * rng.random(total) ** 2).astype(np.uint32)
    variant_set = np.where(has_criteria, 1 + picks, 0).astype(np.uint32)
    return GeneratedTable(
        expressions, criteria, first_child, child_count, call, flags, variant_set, OPENINGS
    )
