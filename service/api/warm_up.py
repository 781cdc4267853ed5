"""What layouts, leads and LIN need, compiled, read or started before somebody waits for it.

``python -m bidcascade.service.api.warm_up`` compiles it. On a new installation that takes a core
for some twenty seconds; in the service's own process requests would wait for the interpreter's
lock.
"""

import logging
import os
import subprocess
import sys
import threading
import time
from typing import Final

from bidcascade.bridge import BidcascadeError, parse_calls, parse_contract, parse_hand
from bidcascade.inference import interpret
from bidcascade.inference.double_dummy.protocol import DoubleDummy
from bidcascade.inference.layouts.drawing import deal_rest
from bidcascade.kernels.child_processes import start_module
from bidcascade.kernels.compiled import is_kept
from bidcascade.loaders.lin import LinDocument, parse_lin
from bidcascade.loaders.lin_kernel import parse_documents
from bidcascade.service.auction_questions import LeadQuestion, iter_leads
from bidcascade.systems.any_bidder import bidder_of
from bidcascade.systems.system import System

from .problems import Problem
from .tables import Tables

_logger = logging.getLogger("bidcascade.service")

_MODULE: Final = "bidcascade.service.api.warm_up"
_LEAST_URGENT: Final = 19
_COMPILED: Final = (deal_rest, parse_documents)
"""The last of the functions that are compiled: where these are kept, the others are."""
_SYSTEM: Final = """
opening:
  1NT = Probe: 15-17 points, balanced
"""
_LIN: Final = b"md|3SJ876HA65DQ93CJ94,ST32HT94DJT2CA876,SAQ4HKJ3DK876CQ52,|"


def warm_up_inference(tables: Tables, solver: DoubleDummy | None = None) -> bool:
    """Interpret one auction by the first table, and solve one lead; whether that went well.

    On a new installation another process compiles what that needs first. The service is ready
    before: other questions need none of it. What goes wrong is logged, no more.
    """
    started = time.perf_counter()
    if not all(map(is_kept, _COMPILED)):
        _compile_elsewhere()
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


def _compile_elsewhere() -> None:
    try:
        # it ends by itself, and with the service, whose end of its input it waits for
        child = start_module(_MODULE, stderr=subprocess.DEVNULL)
    except OSError as error:
        _logger.info("nothing is compiled ahead: %s", error)
        return
    with child:
        child.wait()


def compile_ahead() -> None:
    """Compile what layouts and LIN need, with nothing else in a hurry, and keep it on the disk."""
    if hasattr(os, "nice"):
        os.nice(_LEAST_URGENT)
    parse_lin([LinDocument(_LIN, "", "utf-8")], [])
    interpret(bidder_of(System.parse(_SYSTEM)).meanings, parse_calls("1N P"), layouts=4)


def _end_with_the_service() -> None:
    # by the number: Python's own file would be locked when the interpreter ends
    while os.read(sys.stdin.fileno(), 1 << 16):
        pass
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=_end_with_the_service, daemon=True).start()
    compile_ahead()
