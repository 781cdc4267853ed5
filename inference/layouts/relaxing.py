"""What to give up when too few layouts fit: the least likely call first, condition by condition."""

from dataclasses import replace
from typing import Final

import numpy as np

from bidcascade.bridge import NoSuchDeal, Seat, format_call
from bidcascade.inference.weighted import weighted_mean
from bidcascade.systems.places.knowledge import EVERYTHING, share, share_of
from bidcascade.table import format_expression

from .rare import impossible_sum
from .result import Relaxed, WhatWasRelaxed
from .searching import Attempt
from .steps import Step, bounds_of

_JUDGED: Final = 16_384
_MOST_CONDITIONS: Final = 6
"""Conditions of one call that are dropped one by one before the call says nothing."""
_MOST_PARTS: Final = 8
"""Conditions among which those are looked for that exclude each other."""
_ALMOST_ALWAYS: Final = 0.9


def note(step: Step, what: WhatWasRelaxed, text: str) -> Relaxed:
    """Say what was given up of a step."""
    return Relaxed(step.number, format_call(step.call), step.seat.letter, what, text)


def unknown_calls(steps: tuple[Step, ...]) -> tuple[tuple[Step, ...], tuple[Relaxed, ...]]:
    """Let calls that the system never makes say nothing, with a word on each."""
    unknown = [step for step in steps if not step.is_known]
    return (
        tuple(step if step.is_known else replace(step, reading="nothing") for step in steps),
        tuple(note(step, "call", "no line of the system makes this call") for step in unknown),
    )


def relax(attempt: Attempt) -> tuple[Attempt, Relaxed] | None:
    """Give up one condition of the least likely call; None if nothing is left to give up."""
    open_steps = [number for number, one in enumerate(attempt.steps) if one.reading != "nothing"]
    if not open_steps:
        return None
    choose = _culprit if attempt.dealing.is_impossible else _least_likely
    number = choose(attempt, open_steps)
    if number is None:
        return None
    step, text = _weaker(
        attempt.steps[number], attempt.cells_of(attempt.steps[number].seat, without=number)
    )
    steps = (*attempt.steps[:number], step, *attempt.steps[number + 1 :])
    return Attempt(attempt.question, steps, attempt.judges), text


def _culprit(attempt: Attempt, open_steps: list[int]) -> int | None:
    """Step of a seat that has no hand left whose loss leaves the most hands."""
    blamed = attempt.dealing.seats_without_hands
    ranks = []
    for number in open_steps:
        step = attempt.steps[number]
        if not blamed or step.seat in blamed:
            cells = list(attempt.cells)
            cells[step.seat] = attempt.cells_of(step.seat, without=number)
            room = attempt.dealing_with(cells).alone(step.seat)
            ranks.append((room, -share(step.cells()), number))
    return max(ranks)[2] if ranks else None


def _least_likely(attempt: Attempt, open_steps: list[int]) -> int:
    """Step that the fewest layouts within the shapes and points meet."""
    verdicts, weights = attempt.verdicts(_JUDGED)
    if len(weights):
        rates = weighted_mean(verdicts, weights)
        column = int(np.argmin(rates))
        if rates[column] <= _ALMOST_ALWAYS:
            # the judge leaves out what says nothing
            return open_steps[column]
    # shapes and points are what is rare
    return min(open_steps, key=lambda number: share(attempt.steps[number].cells()))


def _weaker(step: Step, cells: int) -> tuple[Step, Relaxed]:
    """Step with one condition less, and what was given up; ``cells`` is what else is known."""
    if not step.has_line:
        text = "a pass that denies every line of the system; it says nothing any more"
        return replace(step, reading="nothing"), note(step, "call", text)
    if step.reading == "first":
        text = "earlier lines that the hand should have taken no longer count"
        return replace(step, reading="any"), note(step, "order", text)
    lines = [option for option in step.options if option.is_made]
    conditions = list(dict.fromkeys(one for option in lines for one in option.criteria))
    if len(conditions) <= 1 or step.dropped >= _MOST_CONDITIONS:
        return replace(step, reading="nothing"), note(
            step, "call", "the call says nothing any more"
        )
    given = cells or EVERYTHING
    least = min(conditions, key=lambda one: share_of(one, given, step.vocabulary))
    options = []
    for option in lines:
        criteria = tuple(one for one in option.criteria if one != least)
        options.append(
            replace(option, criteria=criteria, reach=bounds_of(criteria, step.vocabulary))
        )
    text = f"without the condition {format_expression(least)}"
    weaker = replace(step, options=tuple(options), dropped=step.dropped + 1)
    return weaker, note(step, "condition", text)


def no_such_deal(attempt: Attempt) -> NoSuchDeal:
    """Error for what cannot be dealt, with the seats or the conditions at fault."""
    seats = [Seat(seat).letter for seat in attempt.dealing.seats_without_hands]
    if 0 < len(seats) < 4:
        why: str | None = f"no hand is left for {' and '.join(seats)}"
    else:
        why = _why_impossible(attempt.without_steps())
    return NoSuchDeal(f"no such deal{where_text(attempt)}" + (f": {why}" if why else ""))


def _why_impossible(attempt: Attempt) -> str | None:
    """Say why no deal fits, if the conditions on whole deals alone tell; None if some may.

    First by what a sum always is, such as the points of all four hands; else by counting.
    """
    conditions = attempt.constraints
    for one in conditions.intervals:
        if sentence := impossible_sum(one, conditions.vocabulary):
            return sentence
    if attempt.rare.total:
        return None
    parts = conditions.parts
    if len(parts) > _MOST_PARTS:
        return "no deal meets all of this"
    # without the conditions that may go, one after another
    needed = list(parts)
    for part in parts:
        fewer = [one for one in needed if one != part]
        if fewer and not attempt.with_conditions(fewer).rare.total:
            needed = fewer
    return f"no deal meets {' and '.join(needed)}" + (" together" if len(needed) > 1 else "")


def where_text(attempt: Attempt) -> str:
    """Conditions on whole deals as the end of a sentence."""
    texts = attempt.question.constraints.texts
    return f" where {', '.join(texts)}" if texts else ""
