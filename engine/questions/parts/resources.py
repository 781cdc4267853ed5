"""What a question is answered with, whoever asks it: a service, a command, a job."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bidcascade.engine.engine import Engine
    from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
    from bidcascade.inference.layouts.meanings import MeaningSource

LEAST_S = 0.001
"""A limit of time is above 0."""


@dataclass(frozen=True, kw_only=True)
class Resources:
    """What an answer is found with.

    Parameters
    ----------
    meanings : MeaningSource, optional
        What tells the meaning of calls; only of questions about a table.
    engine : Engine, optional
        Who bids; only of questions about a table.
    solver : callable
        Gives the double-dummy solver when it is first needed.
    tries_double_dummy : bool
        Whether calls may be tried with contracts solved double dummy.
    time_limit_s : float, optional
        Answer with what is known by then.
    patience_s : float, optional
        How long a first result is waited for, where that is longer.
    waited_s : float
        How long the question has waited already; a budget of its own counts from before that.
    cancel : threading.Event, optional
        Ends the work when it is set.
    """

    solver: "Callable[[], DoubleDummy]"
    engine: "Engine | None" = None
    meanings: "MeaningSource | None" = None
    tries_double_dummy: bool = True
    time_limit_s: float | None = None
    patience_s: float | None = None
    waited_s: float = 0.0
    cancel: threading.Event | None = None

    def within_budget(self, budget_ms: int | None) -> float | None:
        """Give the shorter of the limit and what is left of a budget, in seconds.

        Examples
        --------
        >>> by = Resources(solver=NotImplemented, time_limit_s=2.0, waited_s=0.25)
        >>> by.within_budget(500), by.within_budget(100), by.within_budget(None)
        (0.25, 0.0, 2.0)
        """
        if budget_ms is None:
            return self.time_limit_s
        left = max(0.0, budget_ms / 1000 - self.waited_s)
        return left if self.time_limit_s is None else min(left, self.time_limit_s)

    @property
    def source(self) -> "MeaningSource":
        """What tells the meaning of calls."""
        if self.meanings is None:
            raise ValueError("expected a table for a question about an auction")
        return self.meanings

    @property
    def bidding_engine(self) -> "Engine":
        """Who bids."""
        if self.engine is None:
            raise ValueError("expected a table for a question about a call")
        return self.engine
