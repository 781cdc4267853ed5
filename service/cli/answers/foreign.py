"""Command ``bid`` with a foreign engine: its call, or the one that scores best as it bids on."""

import argparse
from contextlib import ExitStack
from typing import Any

from bidcascade.bridge import format_call, visible
from bidcascade.engine.questions.bidding.bids import SimulateRequest, simulation_answer
from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.inference.simulate import CallQuestion, simulate_calls
from bidcascade.seats.foreign.bidding import ForeignBidder, legal_reply
from bidcascade.seats.foreign.engines import open_foreign
from bidcascade.seats.foreign.protocol import Turn
from bidcascade.service.cli import shared
from bidcascade.service.cli.flags import question_of
from bidcascade.systems import open_system

from .simulation import print_simulation


def bid_foreign(options: argparse.Namespace, turn: Turn) -> None:
    """Ask an engine for a call, print it, and simulate where that is asked for.

    Raises
    ------
    UsageError
        If what only a table can answer is asked for.
    EngineFailed
        If the engine has no legal call.
    """
    if options.explain or options.overlays or options.system_options:
        raise shared.UsageError(
            "expected a table or system with --explain, --overlay or --option, got a foreign engine"
        )
    meanings = options.meanings or "sayc"
    simulation = None
    with ExitStack() as stack:
        engine = stack.enter_context(
            open_foreign(options.table, timeout_s=options.call_timeout_ms / 1000)
        )
        reply = legal_reply(turn, engine.answers([turn])[0])
        answer: dict[str, Any] = {"call": format_call(reply.call), "meaning": reply.meaning}
        if options.layouts is not None:
            wish = question_of(SimulateRequest, options)
            question = CallQuestion(
                turn.hand,
                turn.calls,
                (reply.call,),
                turn.dealer,
                turn.vulnerability,
                wish.scoring,
                wish.layouts,
                seed=wish.seed,
            )
            solver = None
            if wish.double_dummy:
                solver = stack.enter_context(shared.double_dummy_pool())
            limit = None if wish.budget_ms is None else wish.budget_ms / 1000
            found = simulate_calls(
                open_system(meanings),
                ForeignBidder(engine),
                question,
                solver,
                time_limit_s=limit,
            )
            simulation = simulation_answer(found)
            answer |= {"call": simulation.best, "simulation": plain(simulation)}
    if options.json:
        shared.print_json({**answer, "engine": engine.name})
        return
    meaning = reply.meaning if answer["call"] == format_call(reply.call) else ""
    print(f"{answer['call']}  {visible(meaning or 'undescribed')}")
    if simulation is not None:
        print_simulation(simulation, f"auction read as {meanings}, bid on by {engine.name}")
