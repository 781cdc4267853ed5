"""Which layouts make all calls of an auction: the lines of all calls in one plan."""

import threading
import weakref
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from bidcascade.bridge import PASS, Seat
from bidcascade.kernels import Backend, DealArrays, Plan, build_plan
from bidcascade.kernels.core.tables.tables import judge
from bidcascade.kernels.cpu import table_of
from bidcascade.kernels.machine.caches import LruCache
from bidcascade.kernels.types import I64, U32, Bools
from bidcascade.systems import System
from bidcascade.table import Expression, to_postfix
from bidcascade.table.language.expression_tree import Truth

from .meanings import MeaningSource, opened_source, read_auction
from .steps import Option, Step


class _Options(NamedTuple):
    """What steps ask: of the first option of a step that holds, whether it makes the call."""

    rows: I64
    """Position of the hand that each step asks."""
    starts: I64
    """Where the options of each step begin, and where the last ends."""
    boxes: U32
    is_made: Bools
    by_default: Bools
    """Of a step whose options all fail."""


class Judge:
    """Tells which layouts fit the calls of an auction; steps that say ``nothing`` are left out."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(step for step in steps if step.reading != "nothing")
        columns: dict[tuple[int, str], list[int]] = {}
        for column, step in enumerate(self.steps):
            key = (id(step.vocabulary), step.vocabulary.profile)
            columns.setdefault(key, []).append(column)
        # the steps of each vocabulary: where their columns stand, their plan and their options
        self._parts = [(own, *self._part(own)) for own in columns.values()]
        self.bytes = sum(plan.packing.bytes for _, plan, _ in self._parts)
        """Memory of its tables."""

    def _part(self, columns: list[int]) -> tuple[Plan, "_Options"]:
        vocabulary = self.steps[columns[0]].vocabulary
        numbers: dict[Expression, int] = {}
        lists: dict[tuple[int, ...], int] = {(): 0}
        wanted: list[int] = []
        made: list[bool] = []
        starts = [0]
        for column in columns:
            for option in _looked_at(self.steps[column]):
                criteria = tuple(
                    numbers.setdefault(one, len(numbers))
                    for one in option.criteria
                    if not (isinstance(one, Truth) and one.value)
                )
                wanted.append(lists.setdefault(criteria, len(lists)))
                made.append(option.is_made)
            starts.append(len(wanted))
        nothing = np.zeros(len(wanted), np.uint32)
        plan = build_plan(
            expressions=[to_postfix(one, vocabulary) for one in numbers],
            criteria=list(lists)[1:],
            # the first list is of what has no criteria
            variant_sets=[(), *((number,) for number in range(len(lists) - 1))],
            first_child=nothing,
            child_count=nothing.astype(np.uint16),
            call=nothing.astype(np.uint8),
            flags=nothing.astype(np.uint8),
            variant_set=np.array(wanted, np.uint32),
            root_count=len(wanted),
            profile=vocabulary.profile,
        )
        own = [self.steps[column] for column in columns]
        return plan, _Options(
            np.array([step.number % 4 for step in own], np.int64),
            np.array(starts, np.int64),
            plan.node_box,
            np.array(made, np.bool_),
            np.array([step.call == PASS for step in own], np.bool_),
        )

    def verdicts(self, deals: DealArrays, backend: Backend, *, hasty: bool = False) -> Bools:
        """Tell per layout and step whether the call is made, bool[n, steps].

        With ``hasty`` only whether all are true can be relied on.
        """
        found = np.ones((len(deals), len(self.steps)), np.bool_)
        if not len(deals):
            return found
        for columns, plan, options in self._parts:
            hands = backend.features(plan, deals)
            found[:, columns] = judge(table_of(plan), hands, options, hasty=hasty)
        return found


def _looked_at(step: Step) -> Sequence[Option]:
    if step.reading == "first" or not step.has_line:
        return step.options
    made = [option for option in step.options if option.is_made]
    # a pass is also made where no line holds
    return made if step.call != PASS else [*made, *(o for o in step.options if not o.is_made)]


# --- what was read before -------------------------------------------------------------------------

_MOST_CACHED: Final = 256
"""Auctions: reading one costs the most of a sample."""
_CACHED_BYTES: Final = 32 << 20
"""What their judges take together: some hundred kB each."""

Judges: TypeAlias = dict[tuple[tuple[int, str], ...], Judge]
"""Judges of an auction by the steps they look at and how these are read."""

_lock = threading.Lock()
_known = LruCache[tuple[object, ...], tuple[list[weakref.ref[object]], tuple[Step, ...], Judges]](
    _MOST_CACHED
)


def steps_of(
    source: MeaningSource, calls: tuple[int, ...], dealer: Seat, opponents: System | None = None
) -> tuple[tuple[Step, ...], Judges]:
    """Read the steps of an auction, or remember them and the judges that were made of them.

    Sources are told apart by what they are, not by what they say, and are not kept alive.
    """
    source = opened_source(source)
    parts: list[object] = [source] if opponents is None else [source, opponents]
    key = (*map(id, parts), calls, dealer)
    with _lock:
        found = _known.find(key)
        if found is not None and all(
            reference() is part for reference, part in zip(found[0], parts, strict=True)
        ):
            return found[1], found[2]
    steps = read_auction(source, calls, dealer, opponents)
    judges: Judges = {}
    with _lock:
        _known.store(key, ([weakref.ref(part) for part in parts], steps, judges))
        _forget_large()
    return steps, judges


def _forget_large() -> None:
    """Forget the auctions that were asked for longest ago, where their judges are large."""
    # others may be making judges meanwhile
    held = {key: sum(judge.bytes for judge in list(one[2].values())) for key, one in _known.items()}
    total = sum(held.values())
    while len(_known) > 1 and total > _CACHED_BYTES:
        key, _ = _known.popitem(last=False)
        total -= held[key]
