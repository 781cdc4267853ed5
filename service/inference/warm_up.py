"""What layouts need, compiled or read from numba's cache before somebody waits for it."""

import logging
import time

from bidcascade.bridge import BidcascadeError, parse_calls
from bidcascade.inference import interpret
from bidcascade.service.problems import Problem
from bidcascade.service.tables import Tables

from .sources import layouts_source

_logger = logging.getLogger("bidcascade.service")


def warm_up_inference(tables: Tables) -> bool:
    """Interpret one auction by the first table; whether that went well.

    On a new installation that compiles for some ten seconds, later it takes a fraction of one. The
    service is ready before: other questions need none of it. What goes wrong is logged, no more.

    Examples
    --------
    >>> tables = Tables({"sayc": "sayc"}, "cpu")
    >>> warm_up_inference(tables)  # they are not loaded
    False
    >>> tables.load()
    >>> warm_up_inference(tables)
    True
    """
    started = time.perf_counter()
    try:
        interpret(layouts_source(tables.get().engine), parse_calls("1N P"), layouts=4)
    except (BidcascadeError, Problem) as error:
        # the service may be stopping; a table need not know this auction
        _logger.info("layouts are not warmed up: %s", error)
        return False
    _logger.info("layouts are warm after %.0f ms", 1000 * (time.perf_counter() - started))
    return True
