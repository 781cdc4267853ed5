"""The three backends behind one contract, and the choice between them.

``reference`` and ``cpu`` are modules with the functions of :class:`Backend`, ``cuda`` is an object
with them as methods.
"""

import importlib
import logging
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Protocol, cast

from bidcascade.bridge import BackendUnavailable

from .plan import Plan
from .results import BitColumns, DealArrays, EntryLists, FirstAuctions
from .types import U64

_logger = logging.getLogger("bidcascade.kernels")

BACKENDS = ("reference", "cpu", "cuda")


class Backend(Protocol):
    """What every backend can do; results are equal bit for bit."""

    NAME: str

    def features(self, plan: Plan, deals: DealArrays) -> U64:
        """Packed words by dealer-relative seat, uint64 [4, deals, words]."""

    def evaluate(
        self, plan: Plan, deals: DealArrays, expressions: Sequence[int] | None = None
    ) -> BitColumns:
        """Bit columns of expressions on all four compass hands."""

    def cascade_counts(self, plan: Plan, deals: DealArrays) -> U64:
        """Per node, how many deals reach it."""

    def cascade_all(
        self,
        plan: Plan,
        deals: DealArrays,
        *,
        completed_only: bool = False,
        max_depth: int | None = None,
        limit: int | None = None,
    ) -> Iterator[EntryLists]:
        """Per deal, the nodes it reaches, depth first, in chunks of deals."""

    def cascade_first(self, plan: Plan, deals: DealArrays) -> FirstAuctions:
        """Per deal, the one auction of mode ``first``."""

    def members(self, plan: Plan, deals: DealArrays, entries: Sequence[int]) -> BitColumns:
        """For chosen nodes, the bit column of the deals that reach them."""


def why_unavailable(name: str) -> str | None:
    """Say why a backend cannot run here, or ``None`` if it can."""
    if name not in BACKENDS:
        return f"expected a backend of auto, {', '.join(BACKENDS)}, got {name!r}"
    # looked for, not loaded: that takes longer than many a question
    if name == "cuda" and find_spec("cupy") is None:
        return "cupy is not installed"
    if name == "cpu":
        return _why_no_core()
    if name != "cuda":
        return None
    try:
        from . import cuda
    except ImportError as error:
        return f"{error.name or error} is not installed"
    return cuda.why_unavailable()


def _why_no_core() -> str | None:
    from .core.functions import has_core

    try:
        return None if has_core() else "the core's library cannot be loaded"
    except BackendUnavailable as error:
        return str(error)


def backend_name(name: str = "auto") -> str:
    """Name of the backend that a name stands for; ``auto`` is cuda where it works, else cpu.

    Where there is no library of the core, which a warning tells with what to install, ``auto`` is
    reference then.

    Raises
    ------
    BackendUnavailable
        If it cannot run here; the message says why.
    """
    if name == "auto":
        from .core.functions import has_core

        reason = why_unavailable("cuda")
        name = "cuda" if reason is None else "cpu" if has_core() else "reference"
        _logger.info("backend auto: %s%s", name, "" if reason is None else f" ({reason})")
    reason = why_unavailable(name)
    if reason is not None:
        raise BackendUnavailable(f"backend {name!r} cannot run here: {reason}")
    return name


def get_backend(name: str = "auto") -> Backend:
    """Return the backend that a name stands for; see :func:`backend_name`.

    Examples
    --------
    >>> get_backend("reference").NAME
    'reference'
    """
    name = backend_name(name)
    if name == "cuda":
        from . import cuda

        return cuda.backend_here()
    return cast("Backend", importlib.import_module(f".{name}", __package__))
