"""Canonical numbers: equal tables get equal columns, whatever order their rows were read in."""

import numpy as np
from numpy.typing import NDArray

from .columns import COLUMN_TYPES, NONE_U32, Column, Columns, TextPool, list_of_lists
from .interning import CriteriaInterner, TagInterner, TextInterner

I64 = NDArray[np.int64]


def _first_use(uses: list[Column], count: int) -> tuple[I64, I64]:
    """Order numbers by first use, 0 first: old number to new (unused: -1), and new to old."""
    used = np.concatenate([np.zeros(1, dtype=np.int64), *uses])
    first = np.full(count, -1, dtype=np.int64)
    # of several values written to one place the last one stays, hence backwards
    first[used[::-1]] = np.arange(len(used))[::-1]
    order = np.flatnonzero(first >= 0)
    order = order[np.argsort(first[order])]
    new = np.full(count, -1, dtype=np.int64)
    new[order] = np.arange(len(order))
    return new, order


def renumber(
    columns: Columns, criteria: CriteriaInterner, texts: TextInterner, tags: TagInterner
) -> None:
    """Make the variant sets, and number everything interned by first use in table order.

    Equal tables then have equal columns, whatever order their rows were read in.
    """
    variant_set, variants = columns["variant_set"], columns["variant_entry"]
    sets: list[tuple[int, ...]] = [(number,) for number in range(len(criteria.lists))]
    set_numbers: dict[tuple[int, ...], int] = {}
    starts = np.flatnonzero(np.diff(variants, prepend=np.uint32(NONE_U32)))
    for begin, end in zip(starts, np.append(starts, len(variants))[1:], strict=True):
        entry = variants[begin]
        all_lists = [int(variant_set[entry]), *columns["variant_criteria"][begin:end].tolist()]
        distinct = tuple(dict.fromkeys(all_lists))
        if len(distinct) > 1:
            if distinct not in set_numbers:
                set_numbers[distinct] = len(sets)
                sets.append(distinct)
            variant_set[entry] = set_numbers[distinct]

    new_set, set_order = _first_use([variant_set], len(sets))
    columns["variant_set"] = _take(new_set, variant_set)
    sets = [sets[number] for number in set_order.tolist()]
    set_offsets, set_criteria = list_of_lists(sets)

    lists = list(criteria.lists)
    new_list, list_order = _first_use([set_criteria], len(lists))
    columns["set_offsets"] = set_offsets
    columns["set_criteria"] = _take(new_list, set_criteria)
    columns["variant_criteria"] = _take(new_list, columns["variant_criteria"])
    criteria_offsets, numbers = list_of_lists([lists[number] for number in list_order.tolist()])

    expressions = list(criteria.expressions)
    used = list(dict.fromkeys(numbers.tolist()))
    new_expression = np.zeros(len(expressions), dtype=np.int64)
    new_expression[used] = np.arange(len(used))
    columns["criteria_offsets"] = criteria_offsets
    columns["criteria_expressions"] = _take(new_expression, numbers)
    pool = TextPool.of(expressions[number] for number in used)
    columns["expression_offsets"], columns["expression_bytes"] = pool.offsets, pool.data

    tag_uses: list[str] = [name for name in ("tags", "variant_tags") if name in columns]
    new_tags, tag_order = _first_use([columns[name] for name in tag_uses], len(tags.sets))
    for name in tag_uses:
        columns[name] = _take(new_tags, columns[name])
    tag_offsets, tag_texts = list_of_lists([tags.sets[number] for number in tag_order.tolist()])
    columns["tag_offsets"], columns["tag_texts"] = tag_offsets, tag_texts

    text_uses: list[str] = [
        name
        for label in ("description", "name", "where", "source")
        for name in (label, f"variant_{label}")
        if name in columns
    ] + ["tag_texts"]
    all_texts = texts.texts
    new_text, text_order = _first_use([columns[name] for name in text_uses], len(all_texts))
    for name in text_uses:
        columns[name] = _take(new_text, columns[name])
    pool = TextPool.of(all_texts[number] for number in text_order.tolist())
    columns["text_offsets"], columns["text_bytes"] = pool.offsets, pool.data
    for name, column in columns.items():
        columns[name] = np.ascontiguousarray(column, dtype=COLUMN_TYPES[name])


def _take(new_numbers: I64, old: Column) -> NDArray[np.uint32]:
    if not len(old):
        return np.zeros(0, dtype=np.uint32)
    return new_numbers.astype(np.uint32)[old]
