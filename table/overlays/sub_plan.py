"""Parts of a table as plans of the kernels: some entries with all above them, or all below one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bidcascade.kernels import Plan, build_plan
from bidcascade.kernels.plan import ALWAYS
from bidcascade.kernels.types import U32
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.columns import NONE_U32


class PlanPart(NamedTuple):
    """Part of a table that begins at a place, with the numbers that its entries have there."""

    plan: Plan
    numbers: U32


def sub_plan(plan: Plan, entries: U32, always: Sequence[int] = ()) -> tuple[Plan, U32]:
    """Plan of some entries and those above them.

    What the criteria need is shared with the whole plan; only the entries are picked out.

    Parameters
    ----------
    plan : Plan
        Of the whole table.
    entries : uint32 [wanted]
    always : sequence of int
        Entries above others that are to hold for every deal.

    Returns
    -------
    tuple of Plan and uint32 [entries]
        The part, and for each of its entries the number in the table.
    """
    size = plan.node_count
    if len(entries) and int(entries.max()) >= size:
        raise ValueError(f"expected entries below {size:,}, got {int(entries.max()):,}")
    keep = np.zeros(size, dtype=np.bool_)
    level = np.unique(entries)
    while len(level):
        keep[level] = True
        above = plan.parent[level]
        level = np.unique(above[above != size])
        level = level[~keep[level]]
    # how many entries are kept before each number: what a place becomes when others fall away
    before = np.zeros(size + 1, dtype=np.uint32)
    np.cumsum(keep, out=before[1:])
    numbers = np.flatnonzero(keep).astype(np.uint32)
    first_child = plan.first_child[numbers]
    ends = first_child.astype(np.int64) + plan.child_count[numbers]
    node_box, variant_set = plan.node_box[numbers], plan.variant_set[numbers]
    criteria, variant_sets = plan.criteria, plan.variant_sets
    if len(always):
        held = before[np.asarray(always, dtype=np.int64)]
        node_box[held] = ALWAYS
        # the same for those who read criteria: a list of none
        variant_set[held] = len(variant_sets)
        variant_sets = (*variant_sets, (len(criteria),))
        criteria = (*criteria, ())
    part = replace(
        plan,
        criteria=criteria,
        variant_sets=variant_sets,
        first_child=before[first_child],
        child_count=(before[ends] - before[first_child]).astype(np.uint16),
        call=plan.call[numbers],
        flags=plan.flags[numbers],
        variant_set=variant_set,
        node_box=node_box,
        root_count=int(before[plan.root_count]),
        cache={},
    )
    return part, numbers


def pruned(part: Plan) -> Plan:
    """Plan of the same entries that knows no more criteria than they have.

    Kernels then work out less of each hand: worth while for many deals.
    """
    used_sets, variant_set = np.unique(
        np.concatenate([np.zeros(1, np.uint32), part.variant_set]), return_inverse=True
    )
    lists: dict[int, int] = {}
    sets = [
        [lists.setdefault(one, len(lists)) for one in part.variant_sets[number]]
        for number in used_sets.tolist()
    ]
    expressions: dict[int, int] = {}
    criteria = [
        [expressions.setdefault(one, len(expressions)) for one in part.criteria[number]]
        for number in lists
    ]
    return build_plan(
        expressions=[part.expressions[number] for number in expressions],
        criteria=criteria,
        variant_sets=sets,
        first_child=part.first_child,
        child_count=part.child_count,
        call=part.call,
        flags=part.flags,
        variant_set=variant_set[1:].astype(np.uint32),
        root_count=part.root_count,
        profile=part.profile,
        undescribed=part.undescribed,
    )


def below_place(table: BiddingTable, calls: Sequence[int]) -> PlanPart | None:
    """Part of a table that begins at a place: every hand makes the calls that lead there.

    None where the table has nothing below the place.
    """
    if not calls:
        return (
            PlanPart(table.plan(), np.arange(len(table), dtype=np.uint32)) if len(table) else None
        )
    entry = table.find(calls)
    if entry is None or not len(table.below(entry)):
        return None
    way, above = [], entry
    while above != NONE_U32:
        way.append(above)
        above = int(table.parents[above])
    below = table.below(entry)
    entries = np.arange(below.start, below.stop, dtype=np.uint32)
    return PlanPart(*sub_plan(table.plan(), entries, always=way))
