"""Comparison of a backend with ``reference``: every operation on one plan and some deals."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bidcascade.kernels import (
    Backend,
    DealArrays,
    EntryLists,
    Plan,
    Postfix,
    build_plan,
    get_backend,
)

reference = get_backend("reference")

SIZES = (0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129)

SOME: list[Postfix] = [
    ("HCP", 8, ">="), ("HCP", 15, "<="), ("SL_S", 4, ">="), ("SL_H", "SL_S", ">="),
    ("Stopper_C",), ("Balanced", "not"), ("SL_H", 5, ">=", "Controls", 4, ">=", "or"),
    ("Vul_We",), ("Seat", 2, ">="), ("Losers", 8, "<="), ("QT", 3, ">="),
]  # fmt: skip


def merged(chunks: Any) -> EntryLists:
    parts: list[EntryLists] = list(chunks)
    offsets = [np.zeros(1, np.uint64)]
    for part in parts:
        assert part.first_deal == sum(len(done.totals) for done in parts[: parts.index(part)])
        offsets.append(part.offsets[1:] + offsets[-1][-1])
    return EntryLists(
        0,
        np.concatenate(offsets),
        np.concatenate([part.entries for part in parts] or [np.zeros(0, np.uint32)]),
        np.concatenate([part.totals for part in parts] or [np.zeros(0, np.uint64)]),
    )


def assert_same_lists(got: Any, wanted: Any) -> None:
    got, wanted = merged(got), merged(wanted)
    np.testing.assert_array_equal(got.totals, wanted.totals)
    np.testing.assert_array_equal(got.offsets, wanted.offsets)
    np.testing.assert_array_equal(got.entries, wanted.entries)


class Remembered:
    """What the definition answers of one plan and some deals, each question worked out once."""

    def __init__(self, plan: Plan, deals: DealArrays) -> None:
        self.plan, self.deals = plan, deals
        self._answers: dict[str, Any] = {}

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def answer(plan: Plan, deals: DealArrays, *more: Any, **options: Any) -> Any:
            assert plan is self.plan
            assert deals is self.deals
            question = repr((operation, more, options))
            if question not in self._answers:
                found = getattr(reference, operation)(plan, deals, *more, **options)
                is_whole = operation != "cascade_all"
                self._answers[question] = found if is_whole else list(found)
            return self._answers[question]

        return answer


def assert_same_answers(
    backend: Backend, plan: Plan, deals: DealArrays, definition: Any = reference
) -> None:
    """Ask everything; ``definition`` is the reference engine, or what it has said."""
    np.testing.assert_array_equal(backend.features(plan, deals), definition.features(plan, deals))
    np.testing.assert_array_equal(
        backend.evaluate(plan, deals).words, definition.evaluate(plan, deals).words
    )
    np.testing.assert_array_equal(
        backend.cascade_counts(plan, deals), definition.cascade_counts(plan, deals)
    )
    for options in (
        {}, {"completed_only": True}, {"max_depth": 2}, {"limit": 3},
        {"limit": 0}, {"completed_only": True, "max_depth": 5, "limit": 2},
    ):  # fmt: skip
        assert_same_lists(
            backend.cascade_all(plan, deals, **options),
            definition.cascade_all(plan, deals, **options),
        )
    got, wanted = backend.cascade_first(plan, deals), definition.cascade_first(plan, deals)
    np.testing.assert_array_equal(got.entry, wanted.entry)
    np.testing.assert_array_equal(got.passes, wanted.passes)
    np.testing.assert_array_equal(got.defaults, wanted.defaults)
    chosen = list(range(0, plan.node_count, 3)) + [0] * bool(plan.node_count)
    np.testing.assert_array_equal(
        backend.members(plan, deals, chosen).words, definition.members(plan, deals, chosen).words
    )


def expression_plan(expression_list: list[Postfix], profile: str = "gib") -> Plan:
    none = np.zeros(0, np.uint32)
    return build_plan(
        expressions=expression_list,
        criteria=[],
        variant_sets=[[]],
        first_child=none,
        child_count=none.astype(np.uint16),
        call=none.astype(np.uint8),
        flags=none.astype(np.uint8),
        variant_set=none,
        root_count=0,
        profile=profile,
    )
