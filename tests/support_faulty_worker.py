"""A device's process whose backend fails: what a batch must survive, without a device.

``BIDCASCADE_TEST_FAULT`` says how: ``fault:N`` raises in the N-th call of the cascade, ``kill:N``
ends the process there, ``start`` refuses to begin.
"""

import os
import signal
import sys

from bidcascade.bridge import BackendUnavailable
from bidcascade.service import engine
from bidcascade.service.jobs import device_worker

_HOW, _, _WHEN = os.environ["BIDCASCADE_TEST_FAULT"].partition(":")
_REAL = engine.get_backend


class FaultyBackend:
    """Another backend until the moment comes."""

    def __init__(self, name: str) -> None:
        self._real = _REAL(name)
        self.NAME = self._real.NAME
        self._calls = 0

    def __getattr__(self, name: str) -> object:
        if name in ("cascade_all", "cascade_first", "cascade_counts"):
            self._calls += 1
            if self._calls >= int(_WHEN):
                if _HOW == "kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                raise BackendUnavailable("an illegal address was met")
        return getattr(self._real, name)


def faulty(name: str = "auto") -> object:
    """Take the place of ``get_backend``."""
    if _HOW == "start":
        raise BackendUnavailable(f"no device {os.environ['CUDA_VISIBLE_DEVICES']}")
    return FaultyBackend(name)


if __name__ == "__main__":
    engine.get_backend = faulty
    if _HOW == "start":
        engine.backend_name = faulty
    sys.exit(device_worker.main())
