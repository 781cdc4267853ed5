"""Canonical numbers: equal tables get equal columns, whatever order their rows were read in."""

import numpy as np

from bidcascade.kernels.number_ranges import blocks
from bidcascade.kernels.types import I64
from bidcascade.table.columns import (
    COLUMN_TYPES,
    NONE_U32,
    Column,
    Columns,
    TextPool,
    list_of_lists,
)

from .interning import CriteriaInterner, TagInterner, TextInterner


def _first_use(uses: list[Column], count: int) -> tuple[I64, I64]:
    """Order numbers by first use, 0 first: old number to new (unused: -1), and new to old."""
    first = np.full(count, -1, dtype=np.int64)
    first[0] = 0
    begin = 1
    for column in uses:
        for block in blocks(len(column)):
            used = column[block]
            unseen = np.flatnonzero(first[used] < 0)
            # of several values written to one place the last one stays, hence backwards
            first[used[unseen[::-1]]] = begin + block.start + unseen[::-1]
        begin += len(column)
    order = np.flatnonzero(first >= 0)
    order = order[np.argsort(first[order])]
    new = np.full(count, -1, dtype=np.int64)
    new[order] = np.arange(len(order))
    return new, order


def renumber(
    columns: Columns, criteria: CriteriaInterner, texts: TextInterner, tags: TagInterner
) -> None:
    """Make the variant sets, and number everything interned by first use in table order.

    Equal tables then have equal columns, whatever order their rows were read in. Columns with a
    value an entry are changed in place: they may be mapped files.
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
    _renumber(variant_set, new_set)
    sets = [sets[number] for number in set_order.tolist()]
    set_offsets, set_criteria = list_of_lists(sets)

    lists = list(criteria.lists)
    new_list, list_order = _first_use([set_criteria], len(lists))
    columns["set_offsets"] = set_offsets
    columns["set_criteria"] = set_criteria
    for name in ("set_criteria", "variant_criteria"):
        _renumber(columns[name], new_list)
    criteria_offsets, numbers = list_of_lists([lists[number] for number in list_order.tolist()])

    expressions = list(criteria.expressions)
    used = list(dict.fromkeys(numbers.tolist()))
    new_expression = np.zeros(len(expressions), dtype=np.int64)
    new_expression[used] = np.arange(len(used))
    columns["criteria_offsets"] = criteria_offsets
    columns["criteria_expressions"] = numbers
    _renumber(numbers, new_expression)
    pool = TextPool.of(expressions[number] for number in used)
    columns["expression_offsets"], columns["expression_bytes"] = pool.offsets, pool.data

    tag_uses: list[str] = [name for name in ("tags", "variant_tags") if name in columns]
    new_tags, tag_order = _first_use([columns[name] for name in tag_uses], len(tags.sets))
    for name in tag_uses:
        _renumber(columns[name], new_tags)
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
        _renumber(columns[name], new_text)
    pool = TextPool.of(all_texts[number] for number in text_order.tolist())
    columns["text_offsets"], columns["text_bytes"] = pool.offsets, pool.data
    for name, column in columns.items():
        columns[name] = np.ascontiguousarray(column, dtype=COLUMN_TYPES[name])


def _renumber(column: Column, new_numbers: I64) -> None:
    """Replace numbers in place."""
    new = new_numbers.astype(np.uint32)
    for block in blocks(len(column)):
        column[block] = new[column[block]]
