"""What layouts need, compiled by a process of its own for the cache on the disk.

On a new installation that takes a core for some twenty seconds; in the service's own process
requests would wait for the interpreter's lock. The process is this module, run by its name.
"""

import logging
import os
import subprocess
import sys
from typing import Final

from bidcascade.bridge import parse_calls
from bidcascade.inference import interpret
from bidcascade.inference.layouts.drawing import deal_rest
from bidcascade.kernels.child_processes import end_with_parent, start_module
from bidcascade.kernels.compiled import is_cached
from bidcascade.systems.any_bidder import bidder_of
from bidcascade.systems.system import System

_logger = logging.getLogger("bidcascade.service")

_LEAST_URGENT: Final = 19
_COMPILED: Final = (deal_rest,)
"""The last of the functions that are compiled: where these are in the cache, the others are."""
_SYSTEM: Final = """
opening:
  1NT = Probe: 15-17 points, balanced
"""


def compile_elsewhere() -> None:
    """Have a process compile what is not in the cache, and wait for its end."""
    if all(map(is_cached, _COMPILED)):
        return
    try:
        # it ends by itself, and with the service
        child = start_module("bidcascade.service.api.compile_ahead", stderr=subprocess.DEVNULL)
    except OSError as error:
        _logger.info("nothing is compiled ahead: %s", error)
        return
    with child:
        child.wait()


def main() -> None:
    """Compile it here, after all that is in a hurry."""
    end_with_parent(sys.stdin.fileno())
    if hasattr(os, "nice"):
        os.nice(_LEAST_URGENT)
    interpret(bidder_of(System.parse(_SYSTEM)).meanings, parse_calls("1N P"), layouts=4)


if __name__ == "__main__":
    main()
