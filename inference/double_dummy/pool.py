"""A pool of processes that solve deals double dummy, for any number of threads that ask."""

import os
import signal
import threading
import weakref
from collections.abc import Callable, Iterable
from time import monotonic, sleep
from types import TracebackType
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidcascade.bridge import (
    BackendUnavailable,
    BidcascadeError,
    Cancelled,
    DoubleDummyFailed,
    Seat,
    format_hand,
)
from bidcascade.kernels.types import I8, U8, U64

from .abstract_solver import NO_CARD, NOT_HELD, TABLE_SIZE, SolvedInPart, SolverBoards, check_boards
from .answer_cache import DEFAULT_ENTRIES, AnswerCache, Known
from .canonical import canonical
from .records import deal_records, read_answers, read_values
from .schedule import Schedule, SolverBatch, SolverCall, SolverQuestion
from .solver_link import SolverDied, SolverLink
from .solver_process import SOLVED

_IDLE_S: Final = 120.0
"""A process that has nothing to do for so long is ended; the next question starts another."""
_GIVE_UP_S: Final = 0.5
"""What nobody waits for any more may be solved to its end for so long."""
_MOST_FAILED_STARTS: Final = 3
_KILLED: Final = tuple(-number for number in (signal.SIGTERM, getattr(signal, "SIGKILL", 9)))
"""Exit codes of a process that was ended from outside."""
_CANCEL_POLL_S: Final = 0.02


class PoolState(NamedTuple):
    """What a pool is at."""

    workers: int
    processes: tuple[int, ...]
    """Ids of the processes that run; they are started when they are first needed."""
    cached: int
    hits: int
    misses: int


class DoubleDummyPool:
    """Solves deals in processes of its own, one thread each; a :class:`.protocol.DoubleDummy`.

    Any number of threads may use one pool. Processes are started when they are needed and end with
    the pool, or with this process however it ends. One that dies is replaced, and what it was at is
    solved again.

    Parameters
    ----------
    workers : int, optional
        Processes; as many as this process may use cores if not given.
    cache_entries : int
        Answers that are remembered; 0 for none.
    going_on : int
        How many calls of :meth:`tables` that ended by ``timeout_s`` are solved to their end, for
        whoever asks again; after ten minutes they are given up. They stand back for other calls.
    is_background : bool
        Run the processes at the lowest priority, where the machine has priorities.

    Examples
    --------
    >>> import numpy as np
    >>> from bidcascade.bridge import parse_deal
    >>> deal = parse_deal("N:AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9 6543.876.876.876 2.5432.5432.5432")
    >>> hands = np.array(deal.hands, np.uint64)[:, None]
    >>> with DoubleDummyPool(workers=1) as pool:
    ...     pool.tricks(hands, 4, 0), pool.tables(hands)[0, :5]
    (array([13], dtype=int8), array([12, 12, 12, 13, 13], dtype=int8))
    """

    def __init__(
        self,
        workers: int | None = None,
        *,
        cache_entries: int = DEFAULT_ENTRIES,
        going_on: int = 0,
        is_background: bool = False,
    ) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"expected at least one worker, got {workers!r}")
        if cache_entries < 0:
            raise ValueError(f"expected cache entries from 0 on, got {cache_entries!r}")
        self.workers = usable_cores() if workers is None else workers
        self._schedule = Schedule(AnswerCache(cache_entries), self.workers, going_on)
        self._crew = _Crew(self._schedule, self.workers, is_background=is_background)
        # also where nobody closes it: at the pool's own end, or that of the interpreter
        self._finalizer = weakref.finalize(self, _Crew.end, self._crew)

    def __enter__(self) -> "DoubleDummyPool":
        """Use the pool; it is closed when the block ends."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the pool."""
        self.close()

    def close(self) -> None:
        """End all processes; calls that wait, and later ones, get ``DoubleDummyFailed``."""
        self._finalizer()

    @property
    def state(self) -> PoolState:
        """What the pool is at."""
        cache = self._schedule.cache
        return PoolState(
            self.workers, self._crew.process_ids(), len(cache), cache.hits, cache.misses
        )

    def tricks(
        self,
        hands: U64,
        strain: ArrayLike,
        declarer: ArrayLike,
        *,
        cancel: threading.Event | None = None,
        timeout_s: float | None = None,
    ) -> I8:
        """Tricks of declarer's side; see :meth:`.protocol.DoubleDummy.tricks`."""
        boards = check_boards(hands, strain, declarer)
        led = boards._replace(first=(boards.first + np.uint8(1)) % np.uint8(4))
        return self._declarers_tricks(led, cancel, timeout_s)

    def leads(
        self,
        hands: U64,
        strain: ArrayLike,
        leader: ArrayLike,
        *,
        cancel: threading.Event | None = None,
        timeout_s: float | None = None,
    ) -> I8:
        """Tricks of the leader's side by lead; see :meth:`.protocol.DoubleDummy.leads`."""
        return self._all_cards(check_boards(hands, strain, leader), cancel, timeout_s)

    def plays(
        self,
        hands: U64,
        strain: ArrayLike,
        first: ArrayLike,
        trick: U8,
        *,
        cancel: threading.Event | None = None,
        timeout_s: float | None = None,
    ) -> I8:
        """Tricks from here on by card; see :meth:`.protocol.DoubleDummy.plays`."""
        return self._all_cards(check_boards(hands, strain, first, trick), cancel, timeout_s)

    def tables(
        self,
        hands: U64,
        *,
        cancel: threading.Event | None = None,
        timeout_s: float | None = None,
    ) -> I8:
        """Tricks of every declarer in every strain; see :meth:`.protocol.DoubleDummy.tables`."""
        hands = check_boards(hands, 0, 0).hands
        boards = _table_boards(hands)
        count = hands.shape[1]
        try:
            tricks = self._declarers_tricks(boards, cancel, timeout_s, may_go_on=True)
        except DoubleDummyFailed as error:
            if error.answers is None:
                raise
            deals = sorted({deal // TABLE_SIZE for deal in error.deals})
            answers = _as_tables(error.answers, count)
            raise DoubleDummyFailed(
                _failure(boards, error.deals[0], deals[0], str(error)), deals, answers
            ) from None
        except SolvedInPart as error:
            answers = _as_tables(error.answers, count)
            raise SolvedInPart(str(error), answers, goes_on=error.goes_on) from None
        return _as_tables(tricks, count)

    def add_tables(self, hands: U64, tables: ArrayLike) -> None:
        """Take known results into the cache, as those of a file.

        Parameters
        ----------
        hands : uint64 [4, n]
        tables : int8 [n, 20]
            In the order of :meth:`tables`.

        Raises
        ------
        ValueError
            If there is not a table a deal, or a number of tricks is none.

        Examples
        --------
        >>> import numpy as np
        >>> hands = np.array([[1], [2], [4], [8]], np.uint64)
        >>> with DoubleDummyPool(1) as pool:
        ...     pool.add_tables(hands, np.tile([0, 1], (1, 10)))
        ...     pool.tricks(hands, 1, 0), pool.state.processes
        (array([1], dtype=int8), ())
        """
        hands = check_boards(hands, 0, 0).hands
        known = np.asarray(tables)
        count = hands.shape[1]
        sizes = np.bitwise_count(hands[0]).astype(np.int64)
        if known.shape != (count, TABLE_SIZE) or not np.issubdtype(known.dtype, np.integer):
            raise ValueError(
                f"expected tables as int8[{count}, {TABLE_SIZE}], got {known.dtype}{known.shape}"
            )
        if (known < 0).any() or (known > sizes[:, None]).any():
            raise ValueError("expected tables of tricks from 0 to the cards of a hand")
        keys = canonical(_table_boards(hands)).keys
        declarers = known.reshape(count, 4, 5).transpose(0, 2, 1).ravel()
        leaders = np.repeat(sizes, TABLE_SIZE) - declarers
        schedule = self._schedule
        with schedule.changed:
            for key, value in zip(keys, leaders.tolist(), strict=True):
                schedule.cache.store(key, value)

    def _declarers_tricks(
        self,
        boards: SolverBoards,
        cancel: threading.Event | None,
        timeout_s: float | None,
        *,
        may_go_on: bool = False,
    ) -> I8:
        sizes: I8 = np.bitwise_count(boards.hands[0]).astype(np.int8)

        def of_declarer(found: I8, _: U8) -> I8:
            return np.where(found == NOT_HELD, np.int8(NOT_HELD), sizes - found)

        return self._ask(
            boards, cancel, timeout_s, of_declarer, all_cards=False, may_go_on=may_go_on
        )

    def _all_cards(
        self, boards: SolverBoards, cancel: threading.Event | None, timeout_s: float | None
    ) -> I8:
        turn = (boards.first + (boards.trick != NO_CARD).sum(axis=1)) % 4
        mover = np.take_along_axis(boards.hands, turn[None, :].astype(np.intp), axis=0)[0]
        held = mover[:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)

        def from_canonical(found: I8, places: U8) -> I8:
            by_card = np.take_along_axis(found, places.astype(np.intp), axis=1)
            return np.where(held == 1, by_card, np.int8(NOT_HELD))

        return self._ask(boards, cancel, timeout_s, from_canonical, all_cards=True)

    def _ask(
        self,
        boards: SolverBoards,
        cancel: threading.Event | None,
        timeout_s: float | None,
        convert: Callable[[I8, U8], I8],
        *,
        all_cards: bool,
        may_go_on: bool = False,
    ) -> I8:
        """Have questions answered."""
        # convert makes the caller's answers of the tricks by canonical card, and of the cards'
        # places
        keys, places = canonical(boards)
        call = self._schedule.submit(
            keys,
            places,
            lambda numbers: deal_records(_chosen(boards, numbers)),
            np.bitwise_count(boards.hands).max(axis=0),
            # what shares hands and strain goes together: the solver then knows positions already
            np.lexsort((boards.first, boards.strain, boards.hands[1], boards.hands[0])),
            all_cards=all_cards,
        )
        if call.missing:
            self._crew.start()
            try:
                self._wait(call, cancel, timeout_s, lambda: convert(call.answers, places))
            except SolvedInPart as error:
                error.goes_on = may_go_on and self._schedule.let_go_on(call)
                raise
            finally:
                if not (call.done.is_set() or call.goes_on):
                    self._withdraw(call)
        if call.error is not None:
            raise call.error
        if call.failed:
            deals = sorted(call.failed)
            first = deals[0]
            raise DoubleDummyFailed(
                _failure(boards, first, first, call.failed[first]),
                deals,
                convert(call.answers, places),
            )
        return convert(call.answers, places)

    def _wait(
        self,
        call: SolverCall,
        cancel: threading.Event | None,
        timeout_s: float | None,
        answers: Callable[[], I8],
    ) -> None:
        end = None if timeout_s is None else monotonic() + timeout_s
        finished = False
        while not finished:
            left = None if end is None else end - monotonic()
            if cancel is not None and cancel.is_set():
                raise Cancelled("double dummy was cancelled")
            if left is not None and left <= 0:
                count = len(call.answers)
                raise SolvedInPart(
                    f"expected double-dummy answers within {max(0.0, timeout_s or 0):.3g} s, "
                    f"got {count - call.missing} of {count}",
                    answers(),
                )
            if cancel is not None:
                left = _CANCEL_POLL_S if left is None else min(left, _CANCEL_POLL_S)
            finished = call.done.wait(left)

    def _withdraw(self, call: SolverCall) -> None:
        for batch in self._schedule.withdraw(call):
            # most are done in a moment, and their answers are worth keeping
            timer = threading.Timer(_GIVE_UP_S, self._schedule.give_up, (batch,))
            timer.daemon = True
            timer.start()


class _Crew:
    """The threads of a pool, each with a process; they know the schedule, not the pool."""

    def __init__(self, schedule: Schedule, workers: int, *, is_background: bool) -> None:
        self._schedule = schedule
        self._is_background = is_background
        self._workers = workers
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._links: dict[int, SolverLink] = {}
        self._failed_starts = 0

    def start(self) -> None:
        """Start the threads, if they do not run; processes come with the first batch of each."""
        with self._lock:
            if self._threads or self._schedule.is_closed:
                return
            self._threads = [
                threading.Thread(
                    target=self._work, args=(number,), name=f"double-dummy-{number}", daemon=True
                )
                for number in range(self._workers)
            ]
            for thread in self._threads:
                thread.start()

    def end(self) -> None:
        """End all threads and processes."""
        self._schedule.close()
        with self._lock:
            threads = self._threads
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join()

    def process_ids(self) -> tuple[int, ...]:
        """Ids of the processes that run."""
        return tuple(link.process_id for link in list(self._links.values()))

    def _work(self, number: int) -> None:
        """Solve batch after batch with one process at a time."""
        try:
            while not self._schedule.is_closed:
                batch = self._schedule.next_batch(_IDLE_S)
                if batch is None:
                    self._end_link(number)
                    continue
                died = killed = False
                try:
                    self._solve(number, batch)
                except SolverDied:
                    died = True
                    killed = self._end_link(number) in _KILLED
                except (BackendUnavailable, OSError) as error:
                    self._not_started(error)
                finally:
                    self._schedule.finish(batch, died=died, killed=killed)
        finally:
            self._end_link(number)

    def _solve(self, number: int, batch: SolverBatch) -> None:
        link = self._links.get(number)
        if link is None:
            link = self._links[number] = SolverLink(is_background=self._is_background)
            self._failed_starts = 0
        with self._schedule.changed:
            if self._schedule.is_closed:
                return
            batch.kill = link.kill
        deals = np.stack([question.deal for question in batch.questions])
        for place, answers in link.ask(deals, all_cards=batch.all_cards):
            questions = batch.questions[place : place + len(answers)]
            self._schedule.deliver(batch, _read(questions, answers, all_cards=batch.all_cards))

    def _end_link(self, number: int) -> int | None:
        link = self._links.pop(number, None)
        return None if link is None else link.end()

    def _not_started(self, error: Exception) -> None:
        """Try again after a while, or tell all who wait that no process can be started."""
        self._failed_starts += 1
        if self._failed_starts < _MOST_FAILED_STARTS:
            sleep(0.1 * self._failed_starts)
            return
        self._failed_starts = 0
        if not isinstance(error, BidcascadeError):
            error = BackendUnavailable(f"no process for double dummy can be started: {error}")
        self._schedule.fail_all(error)


def _read(
    questions: list[SolverQuestion], answers: NDArray[np.int32], *, all_cards: bool
) -> Iterable[Known | str]:
    """Read a solver's answers; text where it refused a deal."""
    codes = answers[:, 0].tolist()
    known: list[Known]
    if all_cards:
        by_card = read_answers(answers)
        places = np.stack([question.places for question in questions])
        found = np.full((len(questions), 52), NOT_HELD, np.int8)
        rows, cards = np.nonzero(by_card != NOT_HELD)
        found[rows, places[rows, cards]] = by_card[rows, cards]
        known = [row.tobytes() for row in found]
    else:
        known = read_values(answers).tolist()
    return [
        one if code == SOLVED else f"was refused by the solver with code {code}"
        for one, code in zip(known, codes, strict=True)
    ]


def _chosen(boards: SolverBoards, numbers: NDArray[np.intp]) -> SolverBoards:
    return SolverBoards(
        boards.hands[:, numbers],
        boards.strain[numbers],
        boards.first[numbers],
        boards.trick[numbers],
    )


def _table_boards(hands: U64) -> SolverBoards:
    """Questions for tables: by deal, strain and declarer, so that those of a strain go together."""
    count = hands.shape[1]
    strain = np.tile(np.repeat(np.arange(5, dtype=np.uint8), 4), count)
    leader = np.tile(np.arange(1, 5, dtype=np.uint8) % np.uint8(4), 5 * count)
    trick = np.full((TABLE_SIZE * count, 3), NO_CARD, np.uint8)
    return SolverBoards(np.repeat(hands, TABLE_SIZE, axis=1), strain, leader, trick)


def _as_tables(tricks: I8, count: int) -> I8:
    by_declarer = tricks.reshape(count, 5, 4).transpose(0, 2, 1)
    return np.ascontiguousarray(by_declarer.reshape(count, TABLE_SIZE))


def _failure(boards: SolverBoards, row: int, deal: int, reason: str) -> str:
    hands = " ".join(format_hand(int(hand)) for hand in boards.hands[:, row])
    return (
        f"deal {deal} (N:{hands}, strain {'CDHSN'[boards.strain[row]]}, "
        f"{Seat(int(boards.first[row])).letter} leads) {reason}"
    )


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_default: DoubleDummyPool | None = None
_default_lock = threading.Lock()


def default_pool() -> DoubleDummyPool:
    """Pool of this process for callers that have none of their own; made when first asked for.

    Examples
    --------
    >>> default_pool() is default_pool()
    True
    """
    global _default
    with _default_lock:
        if _default is None:
            _default = DoubleDummyPool()
        return _default
