"""Which layouts make all calls of an auction: the lines of all calls in one plan."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from bidcascade.bridge import PASS
from bidcascade.inference.layouts.steps import Option, Step
from bidcascade.kernels import ALWAYS, NEVER, Backend, DealArrays, Plan, build_plan
from bidcascade.kernels.plan import LANE_HIGH_BITS, MULTIPLE
from bidcascade.table import Expression, to_postfix
from bidcascade.table.language.expression_tree import Truth

U64 = NDArray[np.uint64]
U32 = NDArray[np.uint32]
U8 = NDArray[np.uint8]
I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

_HIGH_BITS: Final = np.uint64(LANE_HIGH_BITS)
_NUMBER: Final = np.int64(MULTIPLE - 1)


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _meets_any(
    words: U64, number: Any, boxes: U64, set_offsets: U32, set_boxes: U32, lanes: int, flags: int
) -> bool:
    if number == ALWAYS:
        return True
    if number == NEVER:
        return False
    if number & MULTIPLE:
        group = np.int64(number) & _NUMBER
        for member in set_boxes[set_offsets[group] : set_offsets[group + 1]]:
            if _meets(words, boxes[member], lanes, flags):
                return True
        return False
    return _meets(words, boxes[number], lanes, flags)


@njit(cache=True, nogil=True)
def _judge(
    words: U64,
    boxes: U64,
    set_offsets: U32,
    set_boxes: U32,
    lanes: int,
    flags: int,
    rows: I64,
    starts: I64,
    option_boxes: U32,
    is_made: U8,
    default: U8,
    hasty: int,
    out: Bools,
) -> None:
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
            found = default[step] != 0
            for option in range(starts[step], starts[step + 1]):
                if _meets_any(
                    hand, option_boxes[option], boxes, set_offsets, set_boxes, lanes, flags
                ):
                    found = is_made[option] != 0
                    break
            out[deal, step] = found
            good = good and found


@dataclass(frozen=True)
class _Part:
    """Steps of one vocabulary with their plan, and where their columns stand."""

    plan: Plan
    columns: I64
    rows: I64
    starts: I64
    option_boxes: U32
    is_made: U8
    default: U8


class Judge:
    """Tells which layouts fit the calls of an auction.

    Parameters
    ----------
    steps
        Those that are read as ``nothing`` are left out.

    Examples
    --------
    >>> from bidcascade.inference.layouts.steps import read_auction
    >>> from bidcascade.kernels import get_backend
    >>> from bidcascade.table import System
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Any ten: 10 points")
    >>> hands = np.array([[0x1FFF << 13 * suit] for suit in range(4)], np.uint64)
    >>> deals = DealArrays(hands, np.zeros(1, np.uint8), np.zeros(1, np.uint8))
    >>> judge = Judge(read_auction(system, [7]))
    >>> judge.verdicts(deals, get_backend("cpu")).tolist()
    [[True]]
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(step for step in steps if step.reading != "nothing")
        groups: dict[tuple[int, str], list[int]] = {}
        for column, step in enumerate(self.steps):
            key = (id(step.vocabulary), step.vocabulary.profile)
            groups.setdefault(key, []).append(column)
        self._parts = [self._part(columns) for columns in groups.values()]

    def _part(self, columns: list[int]) -> _Part:
        vocabulary = self.steps[columns[0]].vocabulary
        numbers: dict[Expression, int] = {}
        lists: dict[tuple[int, ...], int] = {}
        wanted: list[int] = []
        made: list[int] = []
        starts = [0]
        default = []
        for column in columns:
            step = self.steps[column]
            for option in _looked_at(step):
                criteria = tuple(
                    numbers.setdefault(one, len(numbers))
                    for one in option.criteria
                    if not (isinstance(one, Truth) and one.value)
                )
                # variant set 0 is for what has no criteria
                wanted.append(0 if not criteria else 1 + lists.setdefault(criteria, len(lists)))
                made.append(option.is_made)
            starts.append(len(wanted))
            default.append(step.call == PASS)
        count = len(wanted)
        nothing = np.zeros(count, np.uint32)
        plan = build_plan(
            expressions=[to_postfix(one, vocabulary) for one in numbers],
            criteria=list(lists),
            variant_sets=[(), *((number,) for number in range(len(lists)))],
            first_child=nothing, child_count=nothing.astype(np.uint16),
            call=nothing.astype(np.uint8), flags=nothing.astype(np.uint8),
            variant_set=np.array(wanted, np.uint32), root_count=count, profile=vocabulary.profile,
        )  # fmt: skip
        return _Part(
            plan,
            np.array(columns, np.int64),
            np.array([self.steps[column].number % 4 for column in columns], np.int64),
            np.array(starts, np.int64),
            plan.node_box,
            np.array(made, np.uint8),
            np.array(default, np.uint8),
        )

    def verdicts(self, deals: DealArrays, backend: Backend, *, hasty: bool = False) -> Bools:
        """Tell per layout and step whether the call is made, bool[n, steps].

        With ``hasty`` only whether all are true can be relied on.
        """
        found = np.ones((len(deals), len(self.steps)), np.bool_)
        if not len(deals):
            return found
        for part in self._parts:
            words = backend.features(part.plan, deals)
            out = np.empty((len(deals), len(part.columns)), np.bool_)
            _judge(
                words, part.plan.boxes, part.plan.set_offsets, part.plan.set_boxes,
                part.plan.packing.lane_words, part.plan.packing.flag_words, part.rows,
                part.starts, part.option_boxes, part.is_made, part.default, int(hasty), out,
            )  # fmt: skip
            found[:, part.columns] = out
        return found


def _looked_at(step: Step) -> Sequence[Option]:
    if step.reading == "first" or not step.has_line:
        return step.options
    made = [option for option in step.options if option.is_made]
    # a pass is also made where no line holds
    return made if step.call != PASS else [*made, *(o for o in step.options if not o.is_made)]
