"""Which deals are to be solved, for whom and in which order: the state that a pool's threads share.

    calls ── take turns ── batches ── one thread and one process a worker ── answers ── who waits

A question that several calls ask is solved once. Nothing here knows processes.
"""

from collections import deque
from collections.abc import Callable, Iterable
from threading import Condition, Event
from time import monotonic
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import BidcascadeError, DoubleDummyFailed
from bidcascade.kernels.types import I8, U8

from .abstract_solver import NOT_HELD
from .answer_cache import AnswerCache, Known

MOST_ENDS: Final = 3
"""So many processes may end over one deal on its own before the deal is given up."""
MOST_KILLS: Final = 30
"""The same for processes that were killed from outside, which says little about the deal."""
LONGEST_GOING_ON_S: Final = 600.0
"""For so long a call may go on when nobody waits; the hardest tables known take a minute or two."""

_BATCH_COST: Final = 10.0
"""Cost of a batch in deals of 13 cards, of which a process solves about 100 a second."""
_ALL_CARDS_COST: Final = 5.0
"""More than it is: whoever asks for all leads waits for the first answers."""
_CARD_FACTOR: Final = 2.0
_MOST_IN_BATCH: Final = 512


class SolverQuestion:
    """A deal to be solved, and who waits for its answer."""

    __slots__ = ("all_cards", "alone", "askers", "cost", "deal", "ends", "key", "kills", "places")

    def __init__(
        self, key: bytes, deal: NDArray[np.int32], places: U8, cards: int, *, all_cards: bool
    ) -> None:
        self.key = key
        self.deal = deal
        """The solver's structure, int32 [24]."""
        self.places = places
        """Canonical number of each card, uint8 [52]."""
        self.all_cards = all_cards
        self.cost = (_ALL_CARDS_COST if all_cards else 1.0) / _CARD_FACTOR ** (13 - cards)
        self.alone = False
        """Whether it was in a batch that ended a process."""
        self.ends = self.kills = 0
        self.askers: list[tuple[SolverCall, int]] = []


class SolverCall:
    """One request: questions of one kind, some of them answered already.

    Parameters
    ----------
    count : int
    all_cards : bool
    """

    def __init__(self, count: int, *, all_cards: bool) -> None:
        self.answers: I8 = np.full((count, 52) if all_cards else count, NOT_HELD, np.int8)
        """By question; for all cards by canonical card."""
        self.all_cards = all_cards
        self.missing = count
        self.failed: dict[int, str] = {}
        self.error: BidcascadeError | None = None
        self.done = Event()
        self.goes_on = False
        """Whether nobody waits for it any more, and what it asks is solved all the same."""
        self.queue: deque[SolverQuestion] = deque()
        self.questions: list[SolverQuestion] = []

    def answer(self, number: int, known: Known) -> None:
        """Take in the answer to a question."""
        if isinstance(known, int):
            self.answers[number] = known
        elif self.all_cards:
            self.answers[number] = np.frombuffer(known, np.int8)
        else:
            self.answers[number] = max(np.frombuffer(known, np.int8))
        self._one_less()

    def fail_one(self, number: int, reason: str) -> None:
        """Take in that a question has no answer."""
        self.failed[number] = reason
        self._one_less()

    def _one_less(self) -> None:
        self.missing -= 1
        if not self.missing:
            self.done.set()


class SolverBatch:
    """Questions that go to a process together."""

    def __init__(self, questions: list[SolverQuestion]) -> None:
        self.questions = questions
        self.answered = 0
        self.kill: Callable[[], None] | None = None
        """Ends the process that is at it; set while one is."""
        self.given_up = False

    @property
    def all_cards(self) -> bool:
        """Whether the tricks of each card are asked."""
        return self.questions[0].all_cards

    @property
    def is_wanted(self) -> bool:
        """Whether somebody still waits for one of its answers."""
        return any(question.askers for question in self.questions[self.answered :])

    @property
    def is_waited_for(self) -> bool:
        """Whether somebody waits for one of its answers at this moment."""
        return any(map(_is_waited_for, self.questions[self.answered :]))


class Schedule:
    """Open questions of all calls; every method takes the lock itself.

    Parameters
    ----------
    cache : AnswerCache
    workers : int
        Threads that take batches. While others ask, one of them at least is not at calls that go on
        without anybody who waits.
    going_on : int
        How many calls may go on so.
    """

    def __init__(self, cache: AnswerCache, workers: int = 1, going_on: int = 0) -> None:
        self.cache = cache
        self._workers = workers
        self._most_going_on = going_on
        self._going_on: dict[SolverCall, float] = {}
        """Since when."""
        self._idle = 0
        self.changed = Condition()
        self.is_closed = False
        self._turns: deque[SolverCall] = deque()
        self._open: dict[tuple[bytes, bool], SolverQuestion] = {}
        self._running: list[SolverBatch] = []

    # --- callers ---------------------------------------------------------------------------------

    def submit(
        self,
        keys: list[bytes],
        places: U8,
        deals: Callable[[NDArray[np.intp]], NDArray[np.int32]],
        sizes: NDArray[np.integer],
        order: NDArray[np.intp],
        *,
        all_cards: bool,
    ) -> SolverCall:
        """Ask questions; what is known already is answered at once.

        Parameters
        ----------
        keys, places
            Of the questions, as :func:`.canonical.canonical` finds them.
        deals : callable
            Makes the solver's structures of the questions of these numbers.
        sizes : int [n]
            Cards of a hand.
        order : int [n]
            In which order they are best solved.
        all_cards : bool

        Raises
        ------
        DoubleDummyFailed
            If the pool is closed.
        """
        call = SolverCall(len(keys), all_cards=all_cards)
        if not keys:
            call.done.set()
            return call
        with self.changed:
            self._check_open()
            self._end_old()
            new = [number for number in order.tolist() if not self._known(call, number, keys)]
            records = deals(np.array(new, np.intp))
            for record, number in zip(records, new, strict=True):
                key = keys[number]
                question = self._open.get((key, all_cards))
                if question is None and not all_cards:
                    question = self._open.get((key, True))
                if question is None:
                    question = SolverQuestion(
                        key, record, places[number], int(sizes[number]), all_cards=all_cards
                    )
                    self._open[key, all_cards] = question
                    call.queue.append(question)
                question.askers.append((call, number))
                call.questions.append(question)
            if call.queue:
                self._turns.append(call)
                self.changed.notify_all()
                self._make_room()
        return call

    def _make_room(self) -> None:
        """Free a thread that is at what nobody waits for, if none is idle; it goes on later."""
        unwaited = [batch for batch in self._running if not batch.is_waited_for]
        if not self._idle and len(unwaited) == self._workers and unwaited[-1].kill is not None:
            unwaited[-1].given_up = True
            unwaited[-1].kill()

    def let_go_on(self, call: SolverCall) -> bool:
        """Keep what a call asks though its caller leaves; tell whether there is room for it."""
        with self.changed:
            self._end_old()
            left = [one for one in call.questions if any(asker[0] is call for asker in one.askers)]
            if self.is_closed or not left:
                return False
            if all(any(asker[0].goes_on for asker in question.askers) for question in left):
                # somebody asked the same before, which is still at it
                self._withdraw(call)
                return True
            if len(self._going_on) >= self._most_going_on:
                return False
            call.goes_on = True
            self._going_on[call] = monotonic()
            return True

    def _end_old(self) -> None:
        """Forget calls that went on to their end, and give up those that are at it for too long."""
        for call, since in list(self._going_on.items()):
            if monotonic() - since > LONGEST_GOING_ON_S:
                for batch in self._withdraw(call):
                    self.give_up(batch)
            elif call.missing:
                continue
            del self._going_on[call]

    def _known(self, call: SolverCall, number: int, keys: list[bytes]) -> bool:
        key = keys[number]
        known = self.cache.cards(key) if call.all_cards else self.cache.value(key)
        if known is None:
            return False
        call.answer(number, known)
        return True

    def withdraw(self, call: SolverCall) -> list[SolverBatch]:
        """Give up a call; return the batches under way that nobody waits for any more."""
        with self.changed:
            return self._withdraw(call)

    def _withdraw(self, call: SolverCall) -> list[SolverBatch]:
        for question in call.questions:
            question.askers = [asker for asker in question.askers if asker[0] is not call]
        for question in call.queue:
            if question.askers:
                # others wait for it: it is theirs from now on
                self._enqueue(question)
            else:
                del self._open[question.key, question.all_cards]
        call.queue.clear()
        call.questions.clear()
        if call in self._turns:
            self._turns.remove(call)
        return [batch for batch in self._running if not batch.is_wanted]

    def give_up(self, batch: SolverBatch) -> None:
        """End the process that is at a batch, if nobody has come to wait for it meanwhile."""
        with self.changed:
            if batch in self._running and not batch.is_wanted and batch.kill is not None:
                batch.given_up = True
                batch.kill()

    def close(self) -> None:
        """Tell all who wait that there will be no answers, and let all who work go."""
        with self.changed:
            self.is_closed = True
            self._fail_all(DoubleDummyFailed("the double-dummy pool was closed"))
            for batch in self._running:
                if batch.kill is not None:
                    batch.kill()
            self.changed.notify_all()

    def _check_open(self) -> None:
        if self.is_closed:
            raise DoubleDummyFailed("the double-dummy pool was closed")

    # --- workers ---------------------------------------------------------------------------------

    def next_batch(self, timeout_s: float) -> SolverBatch | None:
        """Wait for questions to solve; ``None`` after the time, or when the pool is closed."""
        with self.changed:
            self._idle += 1
            self.changed.wait_for(lambda: self._turns or self.is_closed, timeout_s)
            self._idle -= 1
            if self.is_closed or not self._turns:
                return None
            # calls take turns, so that a long one does not hold up the others; those that nobody
            # waits for come last
            call = next(
                (one for one in self._turns if any(map(_is_waited_for, one.queue))), self._turns[0]
            )
            self._turns.remove(call)
            batch = SolverBatch(_take(call.queue))
            if call.queue:
                self._turns.append(call)
            self._running.append(batch)
            return batch

    def deliver(self, batch: SolverBatch, known: Iterable[Known | str]) -> None:
        """Take in answers to the next questions of a batch, or why there is none."""
        with self.changed:
            for one in known:
                question = batch.questions[batch.answered]
                batch.answered += 1
                self._open.pop((question.key, question.all_cards), None)
                if isinstance(one, str):
                    self._fail(question, one)
                    continue
                self.cache.store(question.key, one)
                for call, number in question.askers:
                    call.answer(number, one)
                question.askers = []

    def finish(self, batch: SolverBatch, *, died: bool, killed: bool = False) -> None:
        """Take back what a batch has left unanswered, in front of all else of its calls.

        Parameters
        ----------
        died, killed : bool
            Whether the process ended over it, and whether somebody else ended it.
        """
        with self.changed:
            self._running.remove(batch)
            batch.kill = None
            rest = batch.questions[batch.answered :]
            if died and len(rest) == 1 and not batch.given_up:
                rest[0].kills += killed
                rest[0].ends += not killed
            for question in reversed(rest):
                question.alone |= died
                if not question.askers:
                    self._open.pop((question.key, question.all_cards), None)
                elif question.ends < MOST_ENDS and question.kills < MOST_KILLS:
                    self._enqueue(question, first=True)
                else:
                    self._open.pop((question.key, question.all_cards), None)
                    self._fail(question, _why(question))
            self.changed.notify_all()

    def fail_all(self, error: BidcascadeError) -> None:
        """Let all who wait know that nothing can be solved."""
        with self.changed:
            self._fail_all(error)

    def _fail_all(self, error: BidcascadeError) -> None:
        askers = {call for question in self._open.values() for call, _ in question.askers}
        for call in askers:
            call.error = error
            self._withdraw(call)
            call.done.set()

    def _fail(self, question: SolverQuestion, reason: str) -> None:
        for call, number in question.askers:
            call.fail_one(number, reason)
        question.askers = []

    def _enqueue(self, question: SolverQuestion, *, first: bool = False) -> None:
        call = question.askers[0][0]
        if not call.queue:
            self._turns.append(call)
        if first:
            call.queue.appendleft(question)
        else:
            call.queue.append(question)
        self.changed.notify()


def _is_waited_for(question: SolverQuestion) -> bool:
    return any(not call.goes_on for call, _ in question.askers)


def _why(question: SolverQuestion) -> str:
    if question.ends >= MOST_ENDS:
        return f"ended the solver {question.ends} times"
    return f"was not solved before the solver was killed, {question.kills} times"


def _take(queue: "deque[SolverQuestion]") -> list[SolverQuestion]:
    """Take questions for one batch from a queue that holds some."""
    taken = [queue.popleft()]
    cost = taken[0].cost
    while (
        queue
        and not (taken[0].alone or queue[0].alone)
        and queue[0].all_cards == taken[0].all_cards
        and cost + queue[0].cost <= _BATCH_COST
        and len(taken) < _MOST_IN_BATCH
    ):
        taken.append(queue.popleft())
        cost += taken[-1].cost
    return taken
