"""A call chosen by simulation, beside or instead of the one that the system's lines make."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bidcascade.bridge import (
    BidcascadeError,
    TimedOut,
    format_call,
    parse_call,
)
from bidcascade.engine.engine import Engine
from bidcascade.engine.questions.parts.resources import LEAST_S, Resources
from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
from bidcascade.inference.simulate import (
    CallQuestion,
    Simulation,
    simulate_calls,
)
from bidcascade.systems.bidding.bid_answer import BidAnswer

from .bids import BidQuestion, SimulateRequest


def simulate_bid(
    question: BidQuestion,
    wish: SimulateRequest,
    answer: BidAnswer,
    by: Resources,
    solver: DoubleDummy | None,
) -> tuple[BidAnswer, Simulation | None]:
    """Find the best call by simulation; without time for that it is the one that the system makes.

    Parameters are those of :func:`~bidcascade.engine.questions.bidding.searched_bid.search_bid`.

    Returns
    -------
    tuple of BidAnswer and Simulation
        The answer with the call that came out best, and how; without a simulation, and with a note
        that says so, where the wish's budget was over before a deal was found.

    Raises
    ------
    BidcascadeError
        As :func:`~bidcascade.inference.simulate.simulate_calls` does.
    """
    lines = [parse_call(one.call) for one in answer.candidates if one.holds]
    engine = by.bidding_engine
    simulated = CallQuestion(
        question.hand,
        question.calls,
        tuple(dict.fromkeys(lines)),
        question.dealer,
        question.vulnerability,
        wish.scoring,
        wish.layouts,
        seed=wish.seed,
    )
    limit = by.within_budget(wish.budget_ms)
    try:
        found = simulate_calls(
            engine.bidder.meanings,
            engine.bidder,
            simulated,
            solver,
            time_limit_s=None if limit is None else max(LEAST_S, limit),
            cancel=by.cancel,
        )
    except TimedOut as error:
        if wish.budget_ms is None:
            raise
        return _not_simulated(answer, error), None
    return with_call(engine, answer, question.calls, found.best.call, _how(found)), found


def _not_simulated(answer: BidAnswer, error: BidcascadeError) -> BidAnswer:
    return replace(answer, note="; ".join(filter(None, (answer.note, f"simulation: {error}"))))


def with_call(
    engine: Engine, answer: BidAnswer, calls: Sequence[int], call: int, how: str, why: str = ""
) -> BidAnswer:
    """Answer in which a call that was found by trying is made, and the note that says how.

    ``why`` says why no line makes it, where that is known.
    """
    text = format_call(call)
    line = next((one for one in answer.candidates if one.holds and one.call == text), None)
    if line is not None:
        return replace(
            answer,
            call=text,
            entry=line.entry,
            name=line.name,
            description=line.description,
            where=line.where,
            agreements=line.agreements,
            default_pass=False,
            note=f"by {how}",
        )
    if not why:
        without = "the system has no line here" if answer.is_without_line else "no line makes it"
        why = f"{without}: natural call"
    entry = engine.bidder.entry_of((*calls, call))
    return replace(
        answer,
        call=text,
        entry=entry,
        name="",
        description="",
        where="",
        agreements=[],
        default_pass=False,
        note=f"{why} by {how}",
    )


_UNITS: Final = {"imps": "IMPs", "matchpoints": "matchpoints", "points": "points"}


def _how(found: Simulation) -> str:
    """How a call was found, and by how much it is ahead of the one that others are against."""
    best = found.best
    number = f"{found.layouts} layouts"
    if found.stopped_because == "time":
        number = f"{found.layouts} of {found.requested} layouts, for time was over"
    how = f"simulation of {number}, tricks by {found.tricks_by}"
    if best.call == found.compared_with or best.low is None or best.high is None:
        return how
    unit = _UNITS[found.scoring]
    against = "" if found.scoring == "points" else f" against {format_call(found.compared_with)}"
    interval = f"{best.low:+.2f} to {best.high:+.2f}"
    return f"{how}: {best.mean:+.2f} {unit}{against}, with 95 % {interval}"
