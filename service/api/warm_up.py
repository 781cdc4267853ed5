"""What layouts and leads need, compiled, read or started before somebody waits for it."""

import logging
import time
from collections.abc import Callable

from bidcascade.bridge import BidcascadeError, parse_calls, parse_contract, parse_hand
from bidcascade.inference import interpret
from bidcascade.inference.double_dummy.protocol import DoubleDummy
from bidcascade.service.auction_questions import LeadQuestion, iter_leads

from .compile_ahead import compile_elsewhere
from .problems import Problem
from .tables import Tables

_logger = logging.getLogger("bidcascade.service")


def warm_up_inference(
    tables: Tables,
    solver: DoubleDummy | None = None,
    tell_compiled: Callable[[], None] = lambda: None,
) -> bool:
    """Interpret one auction by the first table, and solve one lead; whether that went well.

    On a new installation another process compiles what that needs first, which ``tell_compiled``
    hears: questions that need it wait so long. The service is ready before: others need none of it.
    What goes wrong is logged, no more.
    """
    started = time.perf_counter()
    compile_elsewhere()
    tell_compiled()
    try:
        source = tables.get().engine.bidder.meanings
        interpret(source, parse_calls("1N P"), layouts=4)
        if solver is not None:
            hand, contract = parse_hand("K52.AQ3.9876.KJ2"), parse_contract("3NE")
            question = LeadQuestion(hand=hand, contract=contract, layouts=1)
            for _ in iter_leads(source, solver, question):
                continue
    except (BidcascadeError, Problem) as error:
        # the service may be stopping; a table need not know this auction
        _logger.info("layouts and leads are not warmed up: %s", error)
        return False
    _logger.info("layouts and leads are warm after %.0f ms", 1000 * (time.perf_counter() - started))
    return True
