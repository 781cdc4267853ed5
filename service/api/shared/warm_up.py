"""What layouts, leads and practice need, made ready before somebody waits for it."""

import logging
import threading
import time

from bidcascade.bridge import BidcascadeError, Cancelled, parse_calls, parse_contract, parse_hand
from bidcascade.engine.questions.inference.leads import LeadQuestion, answer_leads
from bidcascade.engine.questions.parts.resources import Resources
from bidcascade.inference import interpret
from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
from bidcascade.service.api.http.problems import Problem

from .tables import Tables

_logger = logging.getLogger("bidcascade.service")


def warm_up_inference(tables: Tables, solver: DoubleDummy | None = None) -> bool:
    """Interpret one auction by the first table, and solve one lead; whether that went well.

    The service is ready before: other questions need none of it. What goes wrong is logged, no
    more.
    """
    started = time.perf_counter()
    try:
        source = tables.get().engine.bidder.meanings
        interpret(source, parse_calls("1N P"), layouts=4)
        if solver is not None:
            hand, contract = parse_hand("K52.AQ3.9876.KJ2"), parse_contract("3NE")
            question = LeadQuestion(hand=hand, contract=contract, layouts=1)
            by = Resources(solver=lambda: solver, meanings=source)
            for _ in answer_leads(question, by):
                continue
    except (BidcascadeError, Problem) as error:
        # the service may be stopping; a table need not know this auction
        _logger.info("layouts and leads are not warmed up: %s", error)
        return False
    _logger.info("layouts and leads are warm after %.0f ms", 1000 * (time.perf_counter() - started))
    return True


def find_topics(tables: Tables, cancel: threading.Event) -> None:
    """Find the topics of all tables for who practises first, one after the other.

    The service is warm before. What was found is kept, so that only the first start of a version
    works for it.
    """
    for name in tables.names():
        try:
            tables.get(name).engine.bidder.topics(cancel=cancel)
        except Cancelled:
            return
        except (BidcascadeError, Problem) as error:
            _logger.info("topics of %s are not looked for: %s", name, error)
