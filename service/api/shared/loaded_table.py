"""One table of the service with its engine, what its answers repeat, and what they cost."""

import json
import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Final

from bidcascade.bridge import (
    Auction,
    InvalidTable,
    NoSystem,
    format_calls,
    parse_call,
)
from bidcascade.engine.engine import Engine
from bidcascade.engine.questions.bidding.bids import BidQuestion
from bidcascade.engine.questions.service.tables import LintAnswer, lint_answer
from bidcascade.kernels import DealArrays
from bidcascade.page.static_files import StaticFile
from bidcascade.service.api.http.problems import Problem, field_problem
from bidcascade.systems.bidding.bid_answer import BidAnswer
from bidcascade.systems.bidding.bidder_protocol import Query, Question
from bidcascade.systems.system import System
from bidcascade.table import LintReport, lint

from .auction_results import AuctionResults
from .probe import example_deal, random_deals

_logger = logging.getLogger("bidcascade.service")


_MEASURED_DEALS: Final = 4
"""Random deals that are bid when a table is loaded, to measure what a deal costs."""
LEAST_PART_DEALS: Final = 16
"""Deals of a part of a long answer at least; time is learned from so many."""
_GUESSED_SECONDS: Final = {"all": 0.02, "first": 0.001}
"""What a deal costs by mode before that is known."""
_GUESSED_SECONDS_OF_FEW: Final = {"all": 0.02, "first": 0.01, "bid": 0.01}
MOST_SECONDS_NOW: Final = 0.001
"""Longest time that a question may take the event loop from all others."""
_TRIED_DEALS: Final = 24
"""Deals that a table bids to the end before it takes the place of another."""

MOST_LINT_EXAMPLES: Final = 1000
"""Examples of each kind that a lint over REST may list."""


@dataclass(slots=True, eq=False)
class LoadedTable:
    """One table with its engine and what answers repeat.

    Parameters
    ----------
    name : str
    engine : Engine
    results : AuctionResults
    table_member : bytes
        The member ``table`` as every JSON answer has it.
    seconds_a_deal : dict of str to float
        Moving mean by mode of what a deal of many costs.
    seconds_of_few : dict of str to float
        The same of a deal where few are asked about, and of a call (``bid``).
    reload_errors : tuple of str
    """

    name: str
    engine: Engine
    results: AuctionResults
    table_member: bytes
    seconds_a_deal: dict[str, float] = field(default_factory=lambda: dict(_GUESSED_SECONDS))
    seconds_of_few: dict[str, float] = field(default_factory=lambda: dict(_GUESSED_SECONDS_OF_FEW))
    reload_errors: tuple[str, ...] = ()
    """What was wrong when it was loaded anew without success: what is here is the last good one."""
    lint_report: LintReport | None = None
    system_file: StaticFile | None = None
    """The answer of :meth:`Tables.system_file`, once somebody asked."""
    learned_at_start: int = 0
    """Bytes that had been learned when it began to answer."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def digest(self) -> str:
        """Digest of the table."""
        return self.engine.digest

    def headers_for(
        self, question: Question | None = None, deals: int | None = None
    ) -> dict[str, str]:
        """Headers that name table and backend, for forms of answers without room for them."""
        return {
            "Bidcascade-Table": self.name,
            "Bidcascade-Table-Digest": self.digest,
            "Bidcascade-Backend": self.engine.backend_for(question, deals),
        }

    def tail_for(self, question: Question | None = None, deals: int | None = None) -> bytes:
        """Members ``table`` and ``backend`` as every JSON answer ends with them."""
        backend = self.engine.backend_for(question, deals).encode()
        return b'"table":%s,"backend":"%s"' % (self.table_member, backend)

    def with_table(
        self, content: bytes, question: Question | None = None, deals: int | None = None
    ) -> bytes:
        """Put table and backend behind the members of an answer, a JSON object."""
        return b"%s,%s}" % (content[:-1], self.tail_for(question, deals))

    def saw(self, mode: str, deals: int, started: float) -> None:
        """Keep account of what the auctions of some deals cost."""
        # what a call costs however few its deals says nothing about many deals
        means = self.seconds_a_deal if deals >= LEAST_PART_DEALS else self.seconds_of_few
        _observe(means, mode, started, deals)

    def if_free(self, what: str, deals: int = 1) -> AbstractContextManager[bool]:
        """Whether a question is so short, and its bidder so free, that it may be answered at once.

        Parameters
        ----------
        what : {"all", "first", "bid"}
        deals : int
        """
        if deals * self.seconds_of_few[what] > MOST_SECONDS_NOW:
            return nullcontext(enter_result=False)
        return self.engine.bidder.if_free()

    def bid(self, payloads: Sequence[BidQuestion]) -> list[BidAnswer]:
        """Call for each hand with its reasons."""
        started = time.perf_counter()
        answers = [
            self.engine.bid(
                one.hand,
                one.calls,
                dealer=one.dealer,
                vulnerability=one.vulnerability,
                words=one.words,
            )
            for one in payloads
        ]
        _observe(self.seconds_of_few, "bid", started, len(answers))
        return answers

    def warm_up(self) -> None:
        """Answer each kind of question, so that it is quick later, and measure its cost."""
        started = time.perf_counter()
        self.engine.warm_up()
        example, some = example_deal(), random_deals(_MEASURED_DEALS)
        hand = int(example.hands[0, 0])
        questions: dict[str, Callable[[DealArrays], object]] = {
            "first": lambda deals: self.results.write(deals, Query("first")),
            "all": lambda deals: self.results.write(deals, Query()),
            "bid": lambda deals: [self.engine.bid(hand, ()) for _ in range(len(deals))],
        }
        for what, ask in questions.items():
            # what the first question costs says nothing about later ones
            ask(example)
            since = time.perf_counter()
            ask(some)
            seconds = (time.perf_counter() - since) / len(some)
            self.seconds_of_few[what] = seconds
            if what in self.seconds_a_deal:
                self.seconds_a_deal[what] = seconds
        self.learned_at_start = self.engine.bidder.learned_bytes
        _logger.info("table %s is warm after %.1f s", self.name, time.perf_counter() - started)

    def renewed(self) -> "LoadedTable":
        """Make another one that answers the same, whose system has learned nothing yet."""
        engine = self.engine.renewed()
        engine.prepare()
        found = replace(self, engine=engine, results=AuctionResults(engine), _lock=threading.Lock())
        for query in (Query("first"), Query()):
            found.results.write(example_deal(), query)
        found.learned_at_start = engine.bidder.learned_bytes
        return found

    def lint(self, examples: int) -> LintAnswer:
        """Lint of the table, worked out once with the most examples that may be asked for."""
        with self._lock:
            if self.lint_report is None:
                self.lint_report = lint(self.engine.table, examples=MOST_LINT_EXAMPLES)
        return lint_answer(self.lint_report, examples)


def _observe(means: dict[str, float], what: str, started: float, count: int) -> None:
    """Take what some deals or calls cost, since a moment, into a moving mean."""
    means[what] += ((time.perf_counter() - started) / count - means[what]) / 8


def loaded_table(engine: Engine) -> LoadedTable:
    """Prepare an engine for answers, which takes a while."""
    started = time.perf_counter()
    name = engine.name
    for line in engine.bidder.overlay_notes:
        _logger.info("table %s with overlays: %s", name, line)
    engine.prepare()
    results = AuctionResults(engine)
    info = json.dumps(engine.table_info(), ensure_ascii=False, separators=(",", ":"))
    _logger.info("table %s is prepared after %.1f s", name, time.perf_counter() - started)
    return LoadedTable(name, engine, results, info.encode())


def try_out(engine: Engine) -> None:
    """Bid random deals at once and call by call: both must make the same, legal calls."""
    deals = random_deals(_TRIED_DEALS)
    (bid,) = engine.frames(deals, Query("first"))
    for deal, made in enumerate(bid["auction"].to_list()):
        calls: list[int] = []
        while not Auction.of(calls).is_complete:
            hand = int(deals.hands[len(calls) % 4, deal])
            calls.append(parse_call(engine.bid(hand, calls).call))
        if calls != made:
            raise InvalidTable(
                f"expected {format_calls(calls)!r} to be bid as it is call by call, "
                f"got {format_calls(made)!r}"
            )


def plain_system(table: LoadedTable) -> System:
    """System whose text says all that a table bids.

    Raises
    ------
    Problem
        404 if there is none.
    """
    try:
        return table.engine.bidder.plain_system
    except NoSystem:
        reason = f"expected a system without overlays, got {table.name!r}"
        raise Problem("no-system", reason) from None


def check_system(table: LoadedTable, field: str) -> None:
    """Refuse tables that have no system behind their last entry, or not everywhere.

    Raises
    ------
    Problem
        422 that names the field.
    """
    try:
        _ = table.engine.bidder.plain_system
    except NoSystem:
        reason = "expected a system without overlays: a table says nothing behind its last entry"
        raise field_problem(field, table.name, reason) from None
