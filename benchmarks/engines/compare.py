"""Compare engines' answers; a difference is named by entry and deal."""

from collections.abc import Sequence

import numpy as np

from . import Engine
from .workloads import Answer, Inputs, answer, hands_complaint

REFERENCE_DEALS = 8


class Disagreement(ValueError):
    """Two engines answered differently; nothing that was timed counts."""


def check(engines: Sequence[Engine], inputs: Inputs) -> None:
    """Compare all engines on a workload's first deals: ``reference`` on fewer.

    Raises
    ------
    Disagreement
        At the first difference.
    """
    if inputs.workload.operation == "hands":
        for engine in engines:
            complaint = hands_complaint(engine.hands(len(inputs.deals), inputs.seed))
            if complaint is not None:
                raise Disagreement(f"{inputs.workload.name}: {engine.name}: {complaint}")
        _check_same_deals(engines, inputs)
        return
    few = inputs.only(0, min(REFERENCE_DEALS, len(inputs.deals)))
    slow = [engine for engine in engines if engine.name == "reference"]
    fast = [engine for engine in engines if engine.name != "reference"]
    for part, group in ((few, slow and slow + fast), (inputs, fast)):
        if len(group) < 2:
            continue
        wanted = answer(group[0], part)
        for engine in group[1:]:
            got = answer(engine, part)
            complaint = difference(group[0], wanted, engine, got, part)
            if complaint is not None:
                raise Disagreement(f"{inputs.workload.name}: {complaint}")


def _check_same_deals(engines: Sequence[Engine], inputs: Inputs) -> None:
    """Engines of the project deal the same deals; NumPy's are others."""
    own = [engine for engine in engines if engine.name in ("reference", "cpu", "cuda")]
    dealt = [engine.hands(REFERENCE_DEALS, inputs.seed) for engine in own]
    for engine, hands in zip(own[1:], dealt[1:], strict=True):
        if (hands != dealt[0]).any():
            deal = int(np.flatnonzero((hands != dealt[0]).any(axis=0))[0])
            raise Disagreement(
                f"{inputs.workload.name}: {own[0].name} and {engine.name} differ at deal {deal}"
            )


def difference(
    left: Engine, wanted: Answer, right: Engine, got: Answer, inputs: Inputs
) -> str | None:
    """Say where two answers first differ, or ``None`` if they are equal."""
    if all(
        wanted[name].shape == got[name].shape and (wanted[name] == got[name]).all()
        for name in wanted
    ):
        return None
    pair = f"{left.name} and {right.name} differ"
    operation = inputs.workload.operation
    if operation == "counts":
        return f"{pair} at {_where_counts(left, wanted, right, got, inputs)}"
    if operation == "entry_lists":
        return f"{pair} at {_where_lists(left, wanted, right, got)}"
    if operation == "first":
        deal = int(
            np.flatnonzero(np.any([wanted[part] != got[part] for part in wanted], axis=0))[0]
        )
        said = [
            ", ".join(f"{part} {int(one[part][deal])}" for part in wanted) for one in (wanted, got)
        ]
        return f"{pair} at deal {deal}: {said[0]} against {said[1]}"
    if operation == "evaluate":
        row, seat, word = (int(place[0]) for place in np.nonzero(wanted["words"] != got["words"]))
        bits = int(wanted["words"][row, seat, word] ^ got["words"][row, seat, word])
        deal = 64 * word + (bits & -bits).bit_length() - 1
        return f"{pair} at expression {inputs.plan.expressions[row]!r}, seat {seat}, deal {deal}"
    seat, deal, word = (int(place[0]) for place in np.nonzero(wanted[operation] != got[operation]))
    return f"{pair} at seat {seat}, deal {deal}, word {word}"


def _where_counts(left: Engine, wanted: Answer, right: Engine, got: Answer, inputs: Inputs) -> str:
    entry = int(np.flatnonzero(wanted["counts"] != got["counts"])[0])
    said = f"{int(wanted['counts'][entry])} against {int(got['counts'][entry])} deals"
    # halve the deals until one is left
    start, stop = 0, len(inputs.deals)
    while stop - start > 1:
        middle = (start + stop) // 2
        part = inputs.only(start, middle)
        in_first_half = answer(left, part)["counts"][entry] != answer(right, part)["counts"][entry]
        start, stop = (start, middle) if in_first_half else (middle, stop)
    part = inputs.only(start, stop)
    if answer(left, part)["counts"][entry] == answer(right, part)["counts"][entry]:
        return f"entry {entry}: {said}; no single deal differs"
    return f"entry {entry}, deal {start}: {said}"


def _where_lists(left: Engine, wanted: Answer, right: Engine, got: Answer) -> str:
    deals = min(len(wanted["offsets"]), len(got["offsets"])) - 1
    for deal in range(deals):
        lists = [
            one["entries"][int(one["offsets"][deal]) : int(one["offsets"][deal + 1])].tolist()
            for one in (wanted, got)
        ]
        if lists[0] != lists[1]:
            odd = sorted(set(lists[0]) ^ set(lists[1]))
            if not odd:
                return f"deal {deal}: the same entries in another order"
            holder = left.name if odd[0] in lists[0] else right.name
            return f"entry {odd[0]}, deal {deal}: it holds for {holder} only"
    return f"deal {deals}: one answer ends there"
