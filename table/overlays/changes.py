"""What differs between two tables, as far as the cascade goes: which entries hold for other deals.

An entry holds for the same deals as before if its criteria, and those of every entry above it, say
the same: then its count of deals is the same too, whatever became of its siblings, of its rank and
of its descriptions.
"""

import json
from typing import Final, NamedTuple

import numpy as np

from bidcascade.kernels.number_ranges import numbers_of_ranges
from bidcascade.kernels.types import I64, U8, U16, U32
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.columns import NONE_U32
from bidcascade.table.table_plan import criteria_lists

_BETWEEN_EXPRESSIONS: Final = "; "
_BETWEEN_VARIANTS: Final = " | "
_UNDESCRIBED: Final = "undescribed"


class EntryCriteria(NamedTuple):
    """What the entries of a table ask for, without the table.

    Parameters
    ----------
    rules : str
        Profile, policy and the user's terms: what criteria mean depends on them.
    call : uint8 [entries]
    child_count : uint16 [entries]
    first_child : uint32 [entries]
        Without meaning where there are no children.
    root_count : int
    meaning : int64 [entries]
        Number of each entry's text in ``texts``.
    texts : list of str
        Criteria in one way of writing: equal texts hold for the same hands.

    Examples
    --------
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1C", "criteria": ["SL_C >= 3", "HCP>=12"]}])
    >>> EntryCriteria.of(table).texts[1]
    'HCP >= 12; SL_C >= 3'
    """

    rules: str
    call: U8
    child_count: U16
    first_child: U32
    root_count: int
    meaning: I64
    texts: list[str]

    @staticmethod
    def of(table: BiddingTable) -> "EntryCriteria":
        """Meanings of a table's entries."""
        vocabulary = table.vocabulary
        # tags are no tests of a hand
        tests = ["" if vocabulary.is_tag(text) else text for text in table.expressions]
        lists = [
            _BETWEEN_EXPRESSIONS.join(sorted({tests[one] for one in numbers} - {""}))
            for numbers in criteria_lists(table.columns)
        ]
        sets = len(table.columns["set_offsets"]) - 1
        known: dict[str, int] = {"": 0}
        number_of_set = np.zeros(sets, dtype=np.int64)
        for number in range(1, sets):
            variants = {lists[one] for one in table.criteria_of_set(number)}
            number_of_set[number] = known.setdefault(_joined(variants), len(known))
        return EntryCriteria(
            rules_of(table),
            table.call,
            table.child_count,
            table.first_child,
            table.root_count,
            number_of_set[table.variant_set],
            list(known),
        )


def _joined(variants: set[str]) -> str:
    if variants == {""}:
        return ""
    return _BETWEEN_VARIANTS.join(sorted(text or _UNDESCRIBED for text in variants))


def rules_of(table: BiddingTable) -> str:
    """Give what criteria of a table depend on, as one text."""
    return json.dumps([table.profile, table.undescribed, table.user_terms], sort_keys=True)


def unchanged_entries(before: EntryCriteria, after: EntryCriteria) -> U32:
    """Entry of ``before`` whose deals are those of each entry of ``after``, uint32 [entries].

    ``0xFFFFFFFF`` where the entry is new, or it or one above it asks for something else.
    """
    origin: U32 = np.full(len(after.call), NONE_U32, dtype=np.uint32)
    if before.rules != after.rules:
        return origin
    known = {text: number for number, text in enumerate(after.texts)}
    same_number = np.array([known.get(text, -1) for text in before.texts], dtype=np.int64)
    old: I64 = np.arange(before.root_count, dtype=np.int64)
    new: I64 = np.arange(after.root_count, dtype=np.int64)
    old_pair, new_pair = np.zeros(len(old), np.int64), np.zeros(len(new), np.int64)
    while len(old) and len(new):
        # calls behind the same place meet; a place has each of them at most once
        old_keys, new_keys = old_pair * 64 + before.call[old], new_pair * 64 + after.call[new]
        order = np.argsort(old_keys)
        found = np.minimum(np.searchsorted(old_keys[order], new_keys), len(order) - 1)
        partner = old[order[found]]
        same = old_keys[order[found]] == new_keys
        same &= same_number[before.meaning[partner]] == after.meaning[new]
        old, new = partner[same], new[same]
        origin[new] = old
        old, old_pair = _children(before, old)
        new, new_pair = _children(after, new)
    return origin


def _children(meanings: EntryCriteria, entries: I64) -> tuple[I64, I64]:
    """Children of entries, and the place in ``entries`` of each one's parent."""
    counts = meanings.child_count[entries]
    children = numbers_of_ranges(meanings.first_child[entries], counts)
    return children, np.repeat(np.arange(len(entries)), counts)


def changed_entries(before: BiddingTable, after: BiddingTable) -> U32:
    """Entries of ``after`` that may hold for other deals than in ``before``, ascending.

    Those that are new, those whose criteria say something else, and all below them.

    Examples
    --------
    >>> from bidcascade.table.build import build_table
    >>> rows = [{"prior": "", "call": "1C", "criteria": ["HCP >= 12"]}, {"prior": "", "call": "1D"}]
    >>> one, _ = build_table(rows)
    >>> other, _ = build_table([*rows, {"prior": "1D", "call": "X"}, {"prior": "1C", "call": "P"}])
    >>> [other.auction_of(entry) for entry in changed_entries(one, other).tolist()]
    [(3, 0), (4, 1)]
    """
    origin = unchanged_entries(EntryCriteria.of(before), EntryCriteria.of(after))
    return np.flatnonzero(origin == NONE_U32).astype(np.uint32)


def changed_subtrees(before: BiddingTable, after: BiddingTable) -> U32:
    """Topmost of the changed entries: each stands for itself and everything below it.

    Examples
    --------
    >>> from bidcascade.table.build import build_table
    >>> one, _ = build_table([{"prior": "", "call": "1C"}])
    >>> other, _ = build_table([{"prior": "", "call": "1C"}, {"prior": "1C", "call": "P"},
    ...                         {"prior": "1C P", "call": "1D"}])
    >>> changed_subtrees(one, other).tolist()
    [1]
    """
    changed = changed_entries(before, after)
    parents = after.parents[changed]
    is_top = (parents == NONE_U32) | ~np.isin(parents, changed)
    tops: U32 = changed[is_top]
    return tops
