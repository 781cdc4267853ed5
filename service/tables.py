"""The bidding tables of the service: loaded and warmed up before it says that it is ready."""

import json
import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from bidcascade.bridge import (
    BackendUnavailable,
    BidcascadeError,
    DeviceFault,
    UnknownTable,
    parse_deal,
    parse_hand,
)
from bidcascade.kernels import DealArrays, get_backend
from bidcascade.table import LintReport, build_table, lint, open_table

from .auction_results import AuctionResults, Query
from .deal_requests import deals_of_lin
from .engine import Engine
from .problems import Problem
from .schemas import EXAMPLE_DEAL

_logger = logging.getLogger("bidcascade.service")

_ONE_LIN: Final = "md|3SJ876HA65DQ93CJ94,ST32HT94DJT2CA876,SAQ4HKJ3DK876CQ52,|"

_PROBE_ROWS: Final = (
    {"prior": "", "call": "1N", "name": "probe", "criteria": ["Balanced", "15 <= HCP <= 17"]},
    {"prior": "1N", "call": "P", "name": "probe", "criteria": ["HCP < 15"]},
    {"prior": "1N P", "call": "2C", "name": "probe", "criteria": ["SL_H >= 4"]},
    {"prior": "1N P", "call": "P", "name": "probe", "criteria": ["HCP <= 8", "SL_S == 4"]},
)
_PROBE_ANSWER: Final = [("1N",), ("1N", "P"), ("1N", "P", "P")]
"""What the example deal answers: South has four spades, three hearts and 8 HCP."""


MOST_LINT_EXAMPLES: Final = 1000
"""Examples of each kind that a lint over REST may list."""


@dataclass(slots=True)
class LoadedTable:
    """One table with its engine and what answers repeat.

    Parameters
    ----------
    name : str
    engine : Engine
    results : AuctionResults
    tail : bytes
        The members ``table`` and ``backend`` as every JSON answer ends with them.
    seconds_a_deal : dict of str to float
        Moving mean by mode of what a deal costs.
    """

    name: str
    engine: Engine
    results: AuctionResults
    tail: bytes
    seconds_a_deal: dict[str, float] = field(default_factory=dict)
    lint_report: LintReport | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def digest(self) -> str:
        """Digest of the table."""
        return self.engine.table.digest

    def write(self, deals: DealArrays, query: Query) -> list[bytes]:
        """Write the results of some deals as JSON objects; keeps account of what they cost."""
        started = time.perf_counter()
        written = self.results.write(deals, query)
        seconds = (time.perf_counter() - started) / len(deals)
        known = self.seconds_a_deal.get(query.mode, seconds)
        self.seconds_a_deal[query.mode] = known + (seconds - known) / 8
        return written

    def lint(self, examples: int) -> dict[str, Any]:
        """Lint of the table, worked out once with the most examples that may be asked for."""
        with self._lock:
            if self.lint_report is None:
                self.lint_report = lint(self.engine.table, examples=MOST_LINT_EXAMPLES)
        report = self.lint_report.to_dict()
        for finding in report["findings"].values():
            finding["examples"] = finding["examples"][:examples]
        return report


class Tables:
    """All tables of a service by name, in the order of the settings; the first is the default.

    Parameters
    ----------
    paths : mapping of str to str
        Name and what :func:`bidcascade.table.open_table` opens for it.
    backend : str

    Examples
    --------
    >>> tables = Tables({"sayc": "sayc"}, "reference")
    >>> tables.state
    'loading'
    """

    def __init__(self, paths: Mapping[str, str], backend: str) -> None:
        self.paths = dict(paths)
        self.asked_backend = backend
        self.backend = ""
        self.state = "loading"
        """``loading``, ``ready``, ``stopping``, or ``failed``."""
        self.error: BidcascadeError | None = None
        self.started_in_ms = 0
        self._loaded: dict[str, LoadedTable] = {}
        self._probe: tuple[Engine, DealArrays] | None = None

    def load(self) -> None:
        """Load all tables and answer each kind of question once, so that the first is not slow.

        Numba's kernels are compiled or read from its cache on the way.

        Raises
        ------
        BidcascadeError
            If a table or the backend cannot be used; kept in ``error`` as well.
        """
        started = time.perf_counter()
        try:
            self.backend = get_backend(self.asked_backend).NAME
            self._probe = _probe(self.backend)
            for name, path in self.paths.items():
                self._loaded[name] = _load(name, path, self.backend)
            self.check()
        except BidcascadeError as error:
            self.state, self.error = "failed", error
            raise
        self.started_in_ms = round(1000 * (time.perf_counter() - started))
        if self.state == "loading":
            self.state = "ready"
        _logger.info(
            "ready in %d ms: tables %s, backend %s",
            self.started_in_ms, ", ".join(self._loaded), self.backend,
        )  # fmt: skip

    def check(self) -> None:
        """Ask the backend a small question whose answer is known.

        Raises
        ------
        Problem
            503 if the answer is another one.
        """
        if self._probe is None:
            raise self._not_ready()
        engine, deals = self._probe
        results = AuctionResults(engine).write(deals, Query())
        answer = [tuple(auction["calls"]) for auction in json.loads(results[0])["auctions"]]
        if answer != _PROBE_ANSWER:
            _logger.error("backend %s answers the probe with %r", self.backend, answer)
            raise Problem("not-ready", f"backend {self.backend!r} gives a wrong answer")

    def fail(self, error: DeviceFault) -> None:
        """Answer nothing any more: what a device says after a fault may be wrong.

        Examples
        --------
        >>> tables = Tables({"sayc": "sayc"}, "reference")
        >>> tables.fail(DeviceFault("an illegal address was met"))
        >>> tables.state
        'failed'
        """
        if self.state != "failed":
            _logger.critical("backend %s failed, start anew: %s", self.backend, error)
        self.state, self.error = "failed", error

    def names(self) -> list[str]:
        """Names of the tables, the default one first."""
        return list(self.paths)

    def all(self) -> list[LoadedTable]:
        """Every table.

        Raises
        ------
        Problem
            503 while they are not loaded.
        """
        if self.state != "ready":
            raise self._not_ready()
        return list(self._loaded.values())

    def get(self, name: str | None = None) -> LoadedTable:
        """Table of a name; the default table for ``None``.

        Raises
        ------
        UnknownTable
            If there is none; the message lists the names.
        Problem
            503 while the tables are not loaded.
        """
        if name is not None and name not in self.paths:
            raise UnknownTable(
                f"expected a table of this service ({', '.join(self.paths)}), got {name[:100]!r}"
            )
        if self.state != "ready":
            raise self._not_ready()
        return self._loaded[name or next(iter(self.paths))]

    def _not_ready(self) -> Problem:
        reason = {
            "loading": "the bidding tables are being loaded",
            "stopping": "the service is being stopped",
        }.get(self.state, "the bidding tables could not be loaded")
        if isinstance(self.error, BackendUnavailable | DeviceFault):
            reason = str(self.error)
        return Problem("not-ready", reason, headers={"Retry-After": "1"})


def _load(name: str, path: str, backend: str) -> LoadedTable:
    engine = Engine(open_table(path), backend, name=name)
    engine.warm_up()
    results = AuctionResults(engine)
    members = json.dumps(
        {"table": engine.table_info(), "backend": engine.backend},
        ensure_ascii=False, separators=(",", ":"),
    )  # fmt: skip
    loaded = LoadedTable(name, engine, results, members[1:-1].encode())
    deals = _example()
    for query in (Query(), Query(completed_only=True), Query("first")):
        # twice: what the first time costs says nothing about later ones
        results.write(deals, query)
        loaded.write(deals, query)
    engine.bid(parse_hand(EXAMPLE_DEAL[2:].split()[0]))
    deals_of_lin([_ONE_LIN])
    return loaded


def _example() -> DealArrays:
    zero = np.zeros(1, np.uint8)
    hands = np.array(parse_deal(EXAMPLE_DEAL).hands, np.uint64).reshape(4, 1)
    return DealArrays(hands, zero, zero)


def _probe(backend: str) -> tuple[Engine, DealArrays]:
    table, _ = build_table(_PROBE_ROWS, undescribed="reject")
    return Engine(table, backend, name="probe"), _example()
