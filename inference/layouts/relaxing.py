"""What to give up when too few layouts fit: the least likely call first, condition by condition."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from bidcascade.bridge import NoSuchDeal, Seat
from bidcascade.inference.layouts.attempt import Attempt
from bidcascade.inference.layouts.result import Relaxed, WhatWasRelaxed
from bidcascade.inference.layouts.steps import Option, Step, bounds_of
from bidcascade.table import Expression, format_expression
from bidcascade.table.system.hand_space import EVERYTHING, share, share_of

_JUDGED: Final = 16_384
_MOST_CONDITIONS: Final = 6
"""Conditions of one call that are dropped one by one before the call says nothing."""


def unknown_calls(steps: tuple[Step, ...]) -> tuple[tuple[Step, ...], tuple[Relaxed, ...]]:
    """Let calls that the system never makes say nothing, with a word on each.

    Examples
    --------
    >>> from bidcascade.inference.layouts.steps import read_auction
    >>> from bidcascade.table import System
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced")
    >>> steps, relaxed = unknown_calls(read_auction(system, [3]))
    >>> steps[0].reading, str(relaxed[0])
    ('nothing', 'call 1, 1C by N: no line of the system makes this call')
    """
    found = []
    relaxed = []
    for step in steps:
        if step.reading != "nothing" and not step.is_known:
            relaxed.append(_note(step, "call", "no line of the system makes this call"))
            step = replace(step, reading="nothing")
        found.append(step)
    return tuple(found), tuple(relaxed)


def _note(step: Step, what: WhatWasRelaxed, text: str) -> Relaxed:
    return Relaxed.of(step.number, step.call, step.seat, what, text)


def relax(attempt: Attempt) -> tuple[Attempt, Relaxed] | None:
    """Give up one condition of the least likely call; None if nothing is left to give up.

    Raises
    ------
    NoSuchDeal
        If no deal is possible whatever was called.
    """
    number = _culprit(attempt) if attempt.dealing.is_impossible else _least_likely(attempt)
    if number is None:
        return None
    step, note = _weaker(
        attempt.steps[number], attempt.cells_of(attempt.steps[number].seat, without=number)
    )
    steps = (*attempt.steps[:number], step, *attempt.steps[number + 1 :])
    return Attempt(attempt.question, steps, attempt.judges), note


def _open_steps(attempt: Attempt) -> Iterator[int]:
    for number, step in enumerate(attempt.steps):
        if step.reading != "nothing":
            yield number


def _culprit(attempt: Attempt) -> int | None:
    """Step of a seat that has no hand left whose loss leaves the most hands."""
    blamed = attempt.dealing.seats_without_hands
    best: tuple[float, float, int] | None = None
    for number in _open_steps(attempt):
        seat = attempt.steps[number].seat
        if blamed and seat not in blamed:
            continue
        cells = list(attempt.cells)
        cells[seat] = attempt.cells_of(seat, without=number)
        room = attempt.dealing_with(cells).alone(seat)
        rank = (room, -share(attempt.steps[number].cells()), number)
        best = max(best, rank) if best is not None else rank
    return None if best is None else best[2]


def _least_likely(attempt: Attempt) -> int | None:
    """Step that the fewest layouts within the shapes and points meet."""
    open_steps = list(_open_steps(attempt))
    if not open_steps:
        return None
    verdicts, weights = attempt.verdicts(_JUDGED)
    if not len(weights):
        return min(open_steps, key=lambda number: share(attempt.steps[number].cells()))
    rates = weights @ verdicts / weights.sum()
    column = int(np.argmin(rates))
    if rates[column] > _ALMOST_ALWAYS:
        # shapes and points are what is rare
        return min(open_steps, key=lambda number: share(attempt.steps[number].cells()))
    # the judge leaves out what says nothing
    return open_steps[column]


_ALMOST_ALWAYS: Final = 0.9


def _weaker(step: Step, cells: int) -> tuple[Step, Relaxed]:
    """Step with one condition less, and what was given up; ``cells`` is what else is known."""
    if not step.has_line:
        return replace(step, reading="nothing"), _note(
            step, "call", "a pass that denies every line of the system; it says nothing any more"
        )
    if step.reading == "first":
        return replace(step, reading="any"), _note(
            step, "order", "earlier lines that the hand should have taken no longer count"
        )
    conditions = list(
        dict.fromkeys(one for option in step.options if option.is_made for one in option.criteria)
    )
    if len(conditions) <= 1 or step.dropped >= _MOST_CONDITIONS:
        return replace(step, reading="nothing"), _note(
            step, "call", "the call says nothing any more"
        )
    given = cells or EVERYTHING
    least = min(conditions, key=lambda one: share_of(one, given, step.vocabulary))
    options = tuple(_without(option, least, step) for option in step.options if option.is_made)
    return replace(step, options=options, dropped=step.dropped + 1), _note(
        step, "condition", f"without the condition {format_expression(least)}"
    )


def _without(option: Option, condition: Expression, step: Step) -> Option:
    criteria = tuple(one for one in option.criteria if one != condition)
    return replace(option, criteria=criteria, reach=bounds_of(criteria, step.vocabulary))


def no_such_deal(attempt: Attempt) -> NoSuchDeal:
    """Error for what cannot be dealt, with the seats at fault."""
    seats = [Seat(seat).letter for seat in attempt.dealing.seats_without_hands]
    told = ", ".join(attempt.question.constraints.texts)
    where = f" where {told}" if told else ""
    who = f": no hand is left for {' and '.join(seats)}" if seats else ""
    return NoSuchDeal(f"no such deal{where}{who}")
