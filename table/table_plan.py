"""From a bidding table to a plan of the kernels: the table's arrays as they are, texts as postfix.

Tags are no tests and fall away here. A criteria list without tests is undescribed, and what that
means is the table's policy: kernels apply it where an entry says nothing else; where an undescribed
variant stands beside described ones, it is applied here.
"""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from bidcascade.bridge import PASS
from bidcascade.kernels import Plan, build_plan
from bidcascade.kernels.number_ranges import blocks
from bidcascade.kernels.types import U32

from .columns import Column, Columns, UndescribedPolicy
from .language.expressions import TermName, parse_expression, to_postfix
from .language.vocabulary import Vocabulary

UNDESCRIBED_LIST = 0
"""Number of the empty criteria list."""


def make_plan(
    columns: Columns,
    texts: Iterable[str],
    vocabulary: Vocabulary,
    undescribed: UndescribedPolicy,
    root_count: int,
) -> Plan:
    """Plan of a table; its columns are shared, not copied."""
    parsed = [parse_expression(text) for text in texts]
    is_tag = [isinstance(one, TermName) and vocabulary.is_tag(one.name) for one in parsed]
    # tags keep their number, so that expression numbers are the same in table and plan
    expressions = [to_postfix(one, vocabulary) for one in parsed]
    criteria = [
        tuple(number for number in numbers if not is_tag[number])
        for numbers in criteria_lists(columns)
    ]
    variant_sets, variant_set = _variant_sets(columns, undescribed, criteria)
    return build_plan(
        expressions=expressions,
        criteria=criteria,
        variant_sets=variant_sets,
        first_child=columns["first_child"],
        child_count=columns["child_count"],
        call=columns["call"],
        flags=columns["flags"],
        variant_set=variant_set,
        root_count=root_count,
        profile=vocabulary.profile,
        undescribed=undescribed,
    )


def criteria_lists(columns: Columns) -> list[list[int]]:
    """All criteria lists of a table as expression numbers; list 0 is empty."""
    return _lists(columns["criteria_offsets"], columns["criteria_expressions"])


def _lists(offsets: Column, values: Column) -> list[list[int]]:
    ends, flat = offsets.tolist(), values.tolist()
    return [flat[begin:end] for begin, end in pairwise(ends)]


def _variant_sets(
    columns: Columns, policy: UndescribedPolicy, criteria: list[tuple[int, ...]]
) -> tuple[list[tuple[int, ...]], U32]:
    """Variant sets as kernels take them, and each entry's set."""
    # set 0 is empty and stands for undescribed; the entries' numbers are copied only where an entry
    # is described by tags alone, or has undescribed variants beside others and the call decides
    sets: list[tuple[int, ...]] = [()]
    undescribed: list[int] = []
    decided_by_call: list[int] = []
    written = _lists(columns["set_offsets"], columns["set_criteria"])
    for number, lists in enumerate(written[1:], 1):
        described = tuple(one for one in lists if criteria[one])
        sets.append(described)
        if not described:
            undescribed.append(number)
        elif len(described) < len(lists):
            if policy == "allow":
                sets[number] = (UNDESCRIBED_LIST,)
            elif policy == "pass":
                decided_by_call.append(number)
    variant_set: U32 = columns["variant_set"]
    if not undescribed and not decided_by_call:
        return sets, variant_set
    empty, by_call = np.array(undescribed, np.uint32), np.array(decided_by_call, np.uint32)
    changed: U32 | None = None
    for block in blocks(len(variant_set)):
        here = variant_set[block]
        is_empty = np.isin(here, empty)
        passes = np.isin(here, by_call) & (columns["call"][block] == PASS)
        if is_empty.any() or passes.any():
            if changed is None:
                changed = variant_set.copy()
            changed[block][is_empty] = 0
            # a pass with an undescribed variant holds always
            changed[block][passes] = len(sets)
    if changed is None:
        return sets, variant_set
    sets.append((UNDESCRIBED_LIST,))
    return sets, changed
