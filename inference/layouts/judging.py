"""Which layouts make all calls of an auction: the lines of all calls in one plan."""

import threading
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import PASS, Seat
from bidcascade.kernels import NEVER, Backend, DealArrays, Plan, build_plan
from bidcascade.kernels.compiled import compiled
from bidcascade.kernels.plan import LANE_HIGH_BITS, MULTIPLE
from bidcascade.kernels.types import U32, U64
from bidcascade.systems import System
from bidcascade.table import Expression, to_postfix
from bidcascade.table.language.expression_tree import Truth

from .drawing import I64
from .meanings import Source, opened_source, read_auction
from .steps import Option, Step

Bools = NDArray[np.bool_]

_HIGH_BITS: Final = np.uint64(LANE_HIGH_BITS)
_NUMBER: Final = np.int64(MULTIPLE - 1)


@compiled
def _meets(words: U64, box: U64, lanes: int, flags: int) -> bool:
    """Whether packed words pass a box of the plan (lo.. hi.. need.. forbid..)."""
    for word in range(lanes):
        value = words[word]
        inside = ((value | _HIGH_BITS) - box[word]) & ((box[lanes + word] | _HIGH_BITS) - value)
        if (inside & _HIGH_BITS) != _HIGH_BITS:
            return False
    for word in range(flags):
        value = words[lanes + word]
        need = box[2 * lanes + word]
        if (value & need) != need or (value & box[2 * lanes + flags + word]):
            return False
    return True


@compiled
def _meets_any(
    words: U64, number: Any, boxes: U64, set_offsets: U32, set_boxes: U32, lanes: int, flags: int
) -> Any:
    if number == NEVER:
        return False
    if number & MULTIPLE:
        group = np.int64(number) & _NUMBER
        for member in set_boxes[set_offsets[group] : set_offsets[group + 1]]:
            if _meets(words, boxes[member], lanes, flags):
                return True
        return False
    return _meets(words, boxes[number], lanes, flags)


@compiled
def _judge(
    words: U64, boxes: U64, set_offsets: U32, set_boxes: U32, lanes: int, flags: int,
    hasty: int, out: Bools, rows: I64, starts: I64, option_boxes: U32, is_made: Bools,
    default: Bools,
) -> None:  # fmt: skip
    """Judge packed layouts [4, n, words] by every step: ``out`` [n, steps].

    Among a step's options the first that holds decides by its ``is_made``; none holds: ``default``.
    With ``hasty`` the steps behind the first that fails are not looked at and count as failed.
    """
    for deal in range(out.shape[0]):
        good = True
        for step in range(out.shape[1]):
            if hasty and not good:
                out[deal, step] = False
                continue
            hand = words[rows[step], deal]
            found = default[step]
            for option in range(starts[step], starts[step + 1]):
                if _meets_any(
                    hand, option_boxes[option], boxes, set_offsets, set_boxes, lanes, flags
                ):
                    found = is_made[option]
                    break
            out[deal, step] = found
            good = good and found


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

    def _part(self, columns: list[int]) -> tuple[Plan, tuple[Any, ...]]:
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
            first_child=nothing, child_count=nothing.astype(np.uint16),
            call=nothing.astype(np.uint8), flags=nothing.astype(np.uint8),
            variant_set=np.array(wanted, np.uint32), root_count=len(wanted),
            profile=vocabulary.profile,
        )  # fmt: skip
        own = [self.steps[column] for column in columns]
        return plan, (
            np.array([step.number % 4 for step in own]), np.array(starts), plan.node_box,
            np.array(made, np.bool_), np.array([step.call == PASS for step in own]),
        )  # fmt: skip

    def verdicts(self, deals: DealArrays, backend: Backend, *, hasty: bool = False) -> Bools:
        """Tell per layout and step whether the call is made, bool[n, steps].

        With ``hasty`` only whether all are true can be relied on.
        """
        found = np.ones((len(deals), len(self.steps)), np.bool_)
        if not len(deals):
            return found
        for columns, plan, options in self._parts:
            out = np.empty((len(deals), len(columns)), np.bool_)
            _judge(
                backend.features(plan, deals), plan.boxes, plan.set_offsets, plan.set_boxes,
                plan.packing.lane_words, plan.packing.flag_words, int(hasty), out, *options,
            )  # fmt: skip
            found[:, columns] = out
        return found


def _looked_at(step: Step) -> Sequence[Option]:
    if step.reading == "first" or not step.has_line:
        return step.options
    made = [option for option in step.options if option.is_made]
    # a pass is also made where no line holds
    return made if step.call != PASS else [*made, *(o for o in step.options if not o.is_made)]


# --- what was read before -------------------------------------------------------------------------

_KEPT: Final = 256
"""Auctions: reading one costs the most of a sample."""
_KEPT_BYTES: Final = 32 << 20
"""What their judges take together: some hundred kB each."""

Judges: TypeAlias = dict[tuple[tuple[int, str], ...], Judge]
"""Judges of an auction by the steps they look at and how these are read."""

_lock = threading.Lock()
_known: OrderedDict[
    tuple[object, ...], tuple[list[weakref.ref[object]], tuple[Step, ...], Judges]
] = OrderedDict()


def steps_of(
    source: Source, calls: tuple[int, ...], dealer: Seat, opponents: System | None = None
) -> tuple[tuple[Step, ...], Judges]:
    """Read the steps of an auction, or remember them and the judges that were made of them.

    Sources are told apart by what they are, not by what they say, and are not kept alive.
    """
    source = opened_source(source)
    parts: list[object] = [source] if opponents is None else [source, opponents]
    key = (*map(id, parts), calls, dealer)
    with _lock:
        found = _known.get(key)
        if found is not None and all(
            reference() is part for reference, part in zip(found[0], parts, strict=True)
        ):
            _known.move_to_end(key)
            return found[1], found[2]
    steps = read_auction(source, calls, dealer, opponents)
    judges: Judges = {}
    with _lock:
        _known[key] = [weakref.ref(part) for part in parts], steps, judges
        _known.move_to_end(key)
        _forget_old()
    return steps, judges


def _forget_old() -> None:
    """Forget the auctions that were asked for longest ago, where there are many or large ones."""
    # others may be making judges meanwhile
    held = {key: sum(judge.bytes for judge in list(one[2].values())) for key, one in _known.items()}
    total = sum(held.values())
    while len(_known) > 1 and (len(_known) > _KEPT or total > _KEPT_BYTES):
        key, _ = _known.popitem(last=False)
        total -= held[key]
