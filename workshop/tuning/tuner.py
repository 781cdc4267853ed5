"""Better numbers for a system's text: one is changed, and stays if it gains by every scorer.

A search by coordinates: each number of the conditions is moved by one or two, alone or with those
it belongs to (:mod:`.text_numbers`), and the new text plays a team match against
the one before. What is found is kept and the search goes on from there, round after round, until
a round has found nothing.

A change is looked at in two stages. *Screening* bids random deals at both tables and scores the
contracts that differ by estimated tricks (:mod:`.trick_table`): over the likely ones, not at the
mean, because a contract that makes half the time is not worth the score of half a trick less. It
begins with few deals and goes on only while the gain may still be one. *Judging* has the contracts
of other random deals solved, some at a time, until it is decided or the budget is used up.

In both stages a change has to gain by plain double dummy and by a perfect defence (:mod:`.compare`)
on each half of the deals: whoever tries a thousand numbers finds some that gain by chance. What
holds there may still be chance, so all changes together are judged once on deals that nothing was
tried on.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidInput, InvalidSystem, ShownAnswer
from bidcascade.inference.auction_ends import contracts_by_compass
from bidcascade.inference.double_dummy.abstract_solver import TABLE_SIZE, DoubleDummy
from bidcascade.inference.double_dummy.table_cache import TableCache
from bidcascade.inference.double_dummy.trick_cache import TrickCache
from bidcascade.inference.trick_table import likely_tricks
from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import F64, I8, I64
from bidcascade.systems import System
from bidcascade.systems.checking.cases import Case, run_cases
from bidcascade.systems.language.tree.syntax_tree import SystemText, Where
from bidcascade.workshop.boards.compare import DIFFERS, SystemMatch
from bidcascade.workshop.boards.scored_boards import BoardContracts, Budget, imps_between

from .text_numbers import Move, NumberChange, OpenText, TextNumber, moves_of

SCORERS: Final = ("double dummy", "perfect defence")
SCREENED: Final = 120_000
"""Random deals that a change is screened on at most."""
JUDGED: Final = 200_000
"""Random deals that are bid at most to find those whose contracts differ."""
SOLVED: Final = 400
"""Deals with other contracts that are solved at most to judge a change."""
_FIRST: Final = 8_000
_SCREEN_GROWTH: Final = 4
_JUDGE_PART: Final = 8_000
_LEAST_SOLVED: Final = 100
_FEW: Final = 0.5
"""Share of the deals up to which only those are bid that may change."""
_NONE: Final = np.zeros(0, np.int64)
_CASES: Final = 8
"""Likely numbers of tricks that an estimate stands for."""
_DOUBT: Final = 0.5
"""Standard errors above zero that a gain may still lie while it is screened."""
_SURE: Final = 1.64
"""Standard errors that a gain lies above zero where a change is kept."""
_DECIDED: Final = 3.0
"""The same where nothing more is solved."""

_TEXTS: Final = 8
"""Texts that are kept parsed."""

UNREADABLE = "does not read"
NO_DIFFERENCE = "changes no auction"
SCREENED_OUT = "no gain by estimated tricks"
LOSES_A_CASE = "loses a case"
HURTS_ANOTHER = "hurts another system"
JUDGED_OUT = "no sure gain double dummy"
KEPT = "kept"
VERDICTS: Final = (
    UNREADABLE,
    NO_DIFFERENCE,
    SCREENED_OUT,
    LOSES_A_CASE,
    HURTS_ANOTHER,
    JUDGED_OUT,
    KEPT,
)


@dataclass(slots=True)
class TrialTally:
    """Gains of a match in IMPs, summed up by half of the deals and by scorer.

    Parameters
    ----------
    deals : list of int
        Of either half.
    sums, squares : list of list of float
        By scorer, then by half.
    differ : int
        Deals whose contracts differ.

    Examples
    --------
    >>> tally = TrialTally()
    >>> tally.add(range(4), np.array([0, 2]), np.array([[3.0, 3.0], [0.0, -2.0]]), 2)
    >>> tally.mean(0), tally.mean(0, 1), tally.mean(1), tally.gains_everywhere()
    (1.5, 0.0, -0.5, False)
    """

    deals: list[int] = field(default_factory=lambda: [0, 0])
    sums: list[list[float]] = field(default_factory=lambda: [[0.0, 0.0] for _ in SCORERS])
    squares: list[list[float]] = field(default_factory=lambda: [[0.0, 0.0] for _ in SCORERS])
    differ: int = 0

    def add(self, deals: range, numbers: I64, gains: F64, differ: int) -> None:
        """Take in gains [scorers, n] of some of a range of deals, by number; 0 of all others.

        Even and odd ones are the halves.
        """
        for half in range(2):
            chosen = numbers % 2 == half
            self.deals[half] += len(deals[(half - deals.start) % 2 :: 2])
            for scorer, own in enumerate(gains[:, chosen]):
                self.sums[scorer][half] += float(own.sum())
                self.squares[scorer][half] += float(own @ own)
        self.differ += differ

    def mean(self, scorer: int, half: int | None = None) -> float:
        """Gain in IMPs a deal, on one half or on all."""
        chosen = range(2) if half is None else [half]
        return sum(self.sums[scorer][one] for one in chosen) / max(
            sum(self.deals[one] for one in chosen), 1
        )

    def error(self, scorer: int, half: int | None = None) -> float:
        """Give the standard error of that."""
        chosen = range(2) if half is None else [half]
        count = sum(self.deals[one] for one in chosen)
        square = sum(self.squares[scorer][one] for one in chosen) / max(count, 1)
        variance = max(square - self.mean(scorer, half) ** 2, 0.0)
        return float(np.sqrt(variance / max(count - 1, 1)))

    def gains_everywhere(self) -> bool:
        """Whether it gains by plain double dummy and loses by no scorer, on each half."""
        return all(
            self.mean(scorer, half) >= 0 for scorer in range(len(SCORERS)) for half in range(2)
        ) and all(self.mean(0, half) > 0 for half in range(2))

    def may_gain(self, errors: float) -> bool:
        """Whether each scorer's gain lies above zero when some standard errors are added."""
        return all(
            self.mean(scorer) + errors * self.error(scorer) > 0 for scorer in range(len(SCORERS))
        )


@dataclass(frozen=True, slots=True, repr=False)
class Trial(ShownAnswer):
    """A change that was tried.

    Parameters
    ----------
    changes : tuple of str
    verdict : str
        One of :data:`VERDICTS`.
    screened, judged : Tally or None
        By estimated tricks; by double dummy.
    others : mapping of str to Tally
        What other systems gained that read the same files, by estimated tricks.
    reason : str
        What was wrong, or lost.
    """

    changes: tuple[str, ...]
    verdict: str
    screened: TrialTally | None = None
    judged: TrialTally | None = None
    others: Mapping[str, TrialTally] = field(default_factory=dict)
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Give what a journal keeps."""
        tallies = {name: _fields(tally) for name, tally in self.others.items()}
        return {
            "changes": list(self.changes), "verdict": self.verdict, "told": self.reason,
            "screened": _fields(self.screened), "judged": _fields(self.judged), "others": tallies,
        }  # fmt: skip

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Trial":
        """Read what :meth:`to_dict` gave."""
        tallies = (stored["screened"], stored["judged"])
        screened, judged = (None if one is None else TrialTally(**one) for one in tallies)
        others = {name: TrialTally(**one) for name, one in stored["others"].items()}
        return cls(
            tuple(stored["changes"]), stored["verdict"], screened, judged, others, stored["told"]
        )


def _fields(tally: TrialTally | None) -> dict[str, Any] | None:
    if tally is None:
        return None
    return {
        "deals": tally.deals,
        "sums": tally.sums,
        "squares": tally.squares,
        "differ": tally.differ,
    }


class Journal:
    """Trials that were made, kept as they come: a line of JSON each, in a file.

    What a killed run has written only in part is left out. The first line says of which search
    they are.

    Raises
    ------
    InvalidInput
        If the file is the journal of another search.
    """

    def __init__(self, path: Path | None, search: str) -> None:
        self._path = path
        self._known: dict[str, dict[str, Any]] = {}
        lines = []
        if path is not None and path.exists():
            lines = [_read_line(line) for line in path.read_bytes().split(b"\n")]
        heads = [line["search"] for line in lines if line and "search" in line]
        if lines and any(lines) and heads[:1] != [search]:
            raise InvalidInput(f"expected the journal of this search, got {str(path)!r}")
        self._known = {line["key"]: line["trial"] for line in lines if line and "key" in line}
        if not heads:
            self._write({"search": search})

    def get(self, key: str) -> Trial | None:
        """Trial of a key, if it was made."""
        found = self._known.get(key)
        return None if found is None else Trial.from_dict(found)

    def add(self, key: str, trial: Trial) -> None:
        """Keep a trial."""
        self._known[key] = trial.to_dict()
        self._write({"key": key, "trial": self._known[key]})

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab", buffering=0) as file:
            # behind a line that was cut off
            file.write(b"\n" + json.dumps(line).encode() + b"\n")


def _read_line(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and ("search" in found or "key" in found) else None


@dataclass(frozen=True, slots=True)
class TuningPlan:
    """What is looked at, and how closely.

    Parameters
    ----------
    seed : int
        Of the random deals.
    screened, judged, solved : int
        See :data:`SCREENED`, :data:`JUDGED`, :data:`SOLVED`.
    steps : tuple of int
        By how much a number is moved, in the order in which they are tried.
    """

    seed: int = 1
    screened: int = SCREENED
    judged: int = JUDGED
    solved: int = SOLVED
    steps: tuple[int, ...] = (1, -1, 2, -2)


Choice = Callable[[NumberChange], bool]
"""Whether a number may be changed."""


class Tuner:
    """Searches better numbers; what is found so far can be asked for at any time.

    Parameters
    ----------
    text : OpenText
    deals : callable
        Gives so many random deals of a seed: ``deals(count, seed)``.
    solver : DoubleDummy
    plan : Plan
    others : sequence of OpenText
        Systems that read some of the same files and may not be hurt.
    cases : mapping of str to cases
        By a system's name: a change that loses one that held is refused.
    chosen : callable, optional
        Whether a number may be changed; all may without one.
    journal : path, optional
        Where trials are kept; with it a search that was ended goes on.
    tables, tricks : TableCache, TrickCache
        What is solved already.

    Raises
    ------
    InvalidInput
        If no number may be changed, or the journal is of another search.
    """

    def __init__(
        self,
        text: OpenText,
        deals: Callable[[int, int], DealArrays],
        solver: DoubleDummy,
        plan: TuningPlan,
        *,
        others: Sequence[OpenText] = (),
        cases: Mapping[str, Sequence[Case]] | None = None,
        chosen: Choice | None = None,
        journal: Path | None = None,
        tables: TableCache | None = None,
        tricks: TrickCache | None = None,
    ) -> None:
        self.before = self.text = text
        self.others = list(others)
        self.plan = plan
        self.trials: list[Trial] = []
        self.kept: list[Trial] = []
        self.moves_left: list[Move] = []
        """What this round has still to try."""
        self._deals = deals
        self._solver = solver
        self._cases = dict(cases or {})
        self._chosen: Choice = chosen or (lambda change: True)
        self._tables = TableCache() if tables is None else tables
        self._tricks = TrickCache() if tricks is None else tricks
        self._screen = deals(plan.screened, plan.seed)
        self._judge: DealArrays | None = None
        self._read: dict[str, SystemText] = {}
        self._reaches: dict[tuple[bool, int, int], _Reach] = {}
        self._reach_of = text
        self._missed: dict[tuple[str, str], frozenset[int]] = {}
        search = repr(plan), repr(sorted(self._cases.items())), *_text_digests([text, *others])
        self.journal = Journal(journal, _digest(*search))
        if not self.moves():
            raise InvalidInput(f"expected numbers in {text.name!r} that may be changed, got none")

    def moves(self) -> list[Move]:
        """Give what is tried on the text as it is now: by step, the lines used most first."""
        text = self.text
        found = [
            move
            for move in moves_of(text.numbers(), self.plan.steps)
            if all(self._chosen(change) for change in move)
        ]
        used = self._first_reach().used

        def order(move: Move) -> tuple[int, int]:
            step = move[0].value - move[0].number.value
            uses = max(used.get(str(one.number.owner), 0) for one in move)
            return self.plan.steps.index(step), -uses

        return sorted(found, key=order)

    def run(self) -> Iterator[Trial]:
        """Try changes until a round over all of them has found nothing; those made are given."""
        made: set[str] = set()
        while True:
            found = 0
            tried: set[tuple[Any, ...]] = set()
            self.moves_left = self.moves()
            while (move := self._next(tried)) is not None:
                key = _digest(*_text_digests([self.text, *self.others]), *map(str, _places(move)))
                # the next round meets those of this one that were tried since the text changed
                if key in made:
                    continue
                made.add(key)
                trial = self.journal.get(key)
                if trial is None:
                    trial = self._try(move)
                    self.journal.add(key, trial)
                self.trials.append(trial)
                if trial.verdict == KEPT:
                    found += 1
                    self.kept.append(trial)
                    self._keep(move)
                    # other values stand there now
                    self.moves_left = self.moves()
                yield trial
            if not found:
                return

    def _next(self, tried: set[tuple[Any, ...]]) -> Move | None:
        while self.moves_left:
            move = self.moves_left.pop(0)
            # columns move as numbers get another digit
            key = tuple(
                (one.number.file, one.number.line, one.number.kind, one.number.end, one.value)
                for one in move
            )
            if key not in tried:
                tried.add(key)
                return move
        return None

    def _keep(self, move: Move) -> None:
        paths = self.text.paths
        self.others = [one.changed(move, paths) for one in self.others]
        self.text = self.text.changed(move, paths)

    # --- one change --------------------------------------------------------------------------

    def _try(self, move: Move) -> Trial:
        changes = tuple(map(str, move))
        paths = self.text.paths
        try:
            new = self.text.changed(move, paths)
            system = new.system()
            others = [(old, old.changed(move, paths)) for old in self.others]
            others = [(old, other) for old, other in others if old.texts != other.texts]
            read = [(old, other.system()) for old, other in others]
        except InvalidSystem as error:
            return Trial(changes, UNREADABLE, reason=str(error).partition("\n")[0])
        before = self._system(self.text)
        screened = self._screened(system, before, move)
        if not screened.differ:
            return Trial(changes, NO_DIFFERENCE, screened)
        if not (screened.gains_everywhere() and screened.mean(0) > screened.error(0)):
            return Trial(changes, SCREENED_OUT, screened)
        lost = self._lost_case([(self.text, system), *read])
        if lost:
            return Trial(changes, LOSES_A_CASE, screened, reason=lost)
        tallies: dict[str, TrialTally] = {}
        for old, other in read:
            tally = tallies[old.name] = self._screened(other, self._system(old))
            if not all(tally.mean(one) + tally.error(one) >= 0 for one in range(len(SCORERS))):
                return Trial(changes, HURTS_ANOTHER, screened, None, tallies, reason=old.name)
        judged = self._judged(move, system, before)
        sure = judged.gains_everywhere() and judged.mean(0) > _SURE * judged.error(0)
        return Trial(changes, KEPT if sure else JUDGED_OUT, screened, judged, tallies)

    def _screened(self, new: System, old: System, move: Move | None = None) -> TrialTally:
        """Play by estimated tricks: more and more deals while there may be a gain."""
        # with a move of the text that is tuned only those deals are bid that it may change
        tally = TrialTally()
        for start, stop in pairwise(_edges(len(self._screen))):
            if move is None:
                every = np.arange(start, stop)
                played = iter([(every, SystemMatch(new, old, self._screen.slice(start, stop)))])
            else:
                played = self._played(move, new, old, self._screen, start, stop)
            for chosen, match in played:
                tally.add(range(0), chosen, estimated_gains(match), len(match.order))
            tally.add(range(start, stop), _NONE, np.zeros((len(SCORERS), 0)), 0)
            if not tally.may_gain(_DOUBT):
                break
        return tally

    def _judged(self, move: Move, new: System, old: System) -> TrialTally:
        """Play by double dummy, all deals of one part after the other, until it is decided."""
        if self._judge is None:
            self._judge = self._deals(self.plan.judged, self.plan.seed + 1)
        tally, count = TrialTally(), len(self._judge)
        for start in range(0, count, _JUDGE_PART):
            stop = min(start + _JUDGE_PART, count)
            for chosen, match in self._played(move, new, old, self._judge, start, stop):
                self._solve(match)
                gains = np.stack([match.imps, match.defended_imps]).astype(np.float64)
                tally.add(range(0), chosen, gains, len(match.order))
            tally.add(range(start, stop), _NONE, np.zeros((len(SCORERS), 0)), 0)
            far = [abs(tally.mean(one)) > _DECIDED * tally.error(one) for one in range(2)]
            if tally.differ >= self.plan.solved or (tally.differ >= _LEAST_SOLVED and all(far)):
                break
        return tally

    def _played(
        self, move: Move, new: System, old: System, deals: DealArrays, start: int, stop: int
    ) -> Iterator[tuple[I64, SystemMatch]]:
        """Play a range of deals, as far as a change can matter: their numbers, and the match."""
        chosen = np.arange(start, stop)
        # where most deals come there, finding out which costs more than it saves
        if self._first_reach().of_move(move).mean() <= _FEW:
            chosen = chosen[self._reach(deals, start, stop).of_move(move)]
        if len(chosen):
            yield chosen, SystemMatch(new, old, deals.take(chosen))

    def _solve(self, match: SystemMatch) -> None:
        known = np.full((len(match), TABLE_SIZE), -1, np.int8)
        order = np.sort(match.order)
        hands = np.ascontiguousarray(match.deals.hands[:, order])
        tables = self._tables.find(hands)
        known[order] = np.where(tables >= 0, tables, self._tricks.find(hands))
        match.work_out(self._solver, Budget(), known)
        self._tricks.add(hands, _tables_of(match, order))

    def _first_reach(self) -> "_Reach":
        return self._reach(self._screen, 0, min(_FIRST, len(self._screen)))

    def _reach(self, deals: DealArrays, start: int, stop: int) -> "_Reach":
        """Find which of a range of deals come to the blocks of the text as it is now."""
        if self._reach_of is not self.text:
            self._reaches, self._reach_of = {}, self.text
        key = (deals is self._screen, start, stop)
        if key not in self._reaches:
            system = self._system(self.text)
            self._reaches[key] = _Reach.of(self.text.numbers(), system, deals.slice(start, stop))
        return self._reaches[key]

    def _lost_case(self, read: Sequence[tuple[OpenText, System]]) -> str:
        """Name a case that held before and does not hold now."""
        for old, system in read:
            cases = self._cases.get(old.name, ())
            before = self._misses(old)
            for number, result in enumerate(run_cases(system, cases)):
                if not result.right and number not in before:
                    return f"{old.name}, {result.case.where}"
        return ""

    def _misses(self, text: OpenText) -> frozenset[int]:
        key = text.name, _digest(*_text_digests([text]))
        if key not in self._missed:
            results = run_cases(self._system(text), self._cases.get(text.name, ()))
            self._missed[key] = frozenset(
                number for number, result in enumerate(results) if not result.right
            )
        return self._missed[key]

    def _system(self, text: OpenText) -> System:
        """Make a system of a text that others are compared with; it is parsed once."""
        # a new one each time: a system keeps what it learned of each that it has played
        key = _digest(*_text_digests([text]))
        if key not in self._read:
            if len(self._read) > _TEXTS:
                self._read.clear()
            self._read[key] = text.system().text
        return System(self._read[key], text.name)


class _Reach(NamedTuple):
    """Where a system's auctions lead on some deals, so that only those are bid which may change."""

    # a number of a line can matter where a line of its block stands in the list: there it decides,
    # and what calls tell differs from there on; a number of a definition can matter anywhere

    size: int
    blocks_of: Mapping[tuple[str, int, int], frozenset[Where]]
    deals: Mapping[Where, NDArray[np.bool_]]
    used: Mapping[str, int]
    """Calls that each line makes, by its place in the text."""

    @classmethod
    def of(cls, numbers: Sequence[TextNumber], system: System, deals: DealArrays) -> "_Reach":
        blocks_of: dict[tuple[str, int, int], set[Where]] = defaultdict(set)
        of_line: dict[Where, set[Where]] = defaultdict(set)
        # a definition is a block without lines
        alone = {one.place for one in numbers if one.owner == one.block}
        for one in numbers:
            if one.place not in alone:
                blocks_of[one.place].add(one.block)
            of_line[one.owner].add(one.block)
        found: dict[Where, NDArray[np.bool_]] = defaultdict(lambda: np.zeros(len(deals), np.bool_))
        used: dict[str, int] = defaultdict(int)
        of_list: dict[tuple[int, int], set[Where]] = {}
        wheres: dict[tuple[int, int], Where] = {}
        bidder = system.bidder()
        with bidder.lock:
            for depth, step in enumerate(bidder.steps(deals)):
                program = bidder.sides[depth & 1]
                taken = np.unique(step.entry[step.entry >= 0], return_counts=True)
                for entry, count in zip(*taken, strict=True):
                    used[str(program.where(int(entry)))] += int(count)
                lists = bidder.lists_of(step.place, depth)[0]
                order = np.argsort(lists, kind="stable")
                for group in np.split(order, np.flatnonzero(np.diff(lists[order])) + 1):
                    if not len(group):
                        continue
                    key = depth & 1, int(lists[group[0]])
                    if key not in of_list:
                        of_list[key] = set()
                        for entry in bidder.entries_of_list(key[1]):
                            where = wheres.get((key[0], entry))
                            if where is None:
                                where = wheres[key[0], entry] = program.where(entry)
                            of_list[key] |= of_line.get(where, set())
                    for block in of_list[key]:
                        found[block][step.deals[group]] = True
        own = {place: frozenset(blocks) for place, blocks in blocks_of.items()}
        return cls(len(deals), own, dict(found), used)

    def of_move(self, move: Move) -> NDArray[np.bool_]:
        """Tell which deals may change, bool [n]."""
        places = [one.number.place for one in move]
        if any(place not in self.blocks_of for place in places):
            return np.ones(self.size, np.bool_)
        may = np.zeros(self.size, np.bool_)
        for block in {block for place in places for block in self.blocks_of[place]}:
            may |= self.deals.get(block, False)
        return may


def _edges(count: int) -> list[int]:
    edges = [0]
    part = _FIRST
    while edges[-1] < count:
        edges.append(min(count, part))
        part *= _SCREEN_GROWTH
    return edges


def _places(move: Move) -> list[tuple[str, int, int, int]]:
    return [(*one.number.place, one.value) for one in move]


def _text_digests(texts: Sequence[OpenText]) -> list[str]:
    return [
        part
        for text in texts
        for part in (
            text.name,
            repr(sorted(text.options.items())),
            repr(sorted(text.texts.items())),
        )
    ]


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


# --- scores --------------------------------------------------------------------------------------


def estimated_gains(match: SystemMatch, cases: int = _CASES) -> F64:
    r"""IMPs for the first system of a match by estimated tricks, float64 [scorers, deals].

    For each deal whose contracts differ, the mean over likely numbers of tricks. Both contracts
    are taken to go well together where one side declares them, and one for the other where both
    sides do.

    Examples
    --------
    >>> from bidcascade.loaders import deal_arrays, random_deals
    >>> texts = ("opening:\n  1C = Club: any hand", "opening:\n  7NT = High: any hand")
    >>> match = SystemMatch(*map(System.parse, texts), deal_arrays(random_deals(100, 1)))
    >>> [round(float(one)) for one in estimated_gains(match).mean(axis=1)]
    [9, 16]
    """
    gains = np.zeros((len(SCORERS), len(match)), np.float64)
    order = np.flatnonzero(match.kind == DIFFERS)
    if not len(order):
        return gains
    numbers = match.contracts[:, order]
    contracts = BoardContracts(*contracts_by_compass(numbers, match.deals.dealer[order]))
    played, column = contracts.played, contracts.column
    tricks = np.zeros((cases, *numbers.shape), np.int8)
    for table in range(2):
        of_table = np.where(played[table], column[table], -1)
        for place in np.unique(of_table[of_table >= 0]).tolist():
            chosen = np.flatnonzero(of_table == place)
            declarer, strain = divmod(place, 5)
            hands = match.deals.hands[:, order[chosen]]
            likely = likely_tricks(hands, strain, declarer, cases).T
            # the cards that are good for one side are bad for the other
            tricks[:, table, chosen] = likely if declarer % 2 == 0 else likely[::-1]
    vulnerability = match.deals.vulnerability[order]
    for case in tricks:
        for scorer, scores_by in enumerate((contracts.scores, contracts.defended_scores)):
            gains[scorer, order] += imps_between(scores_by(vulnerability, case))
    return gains / cases


def _tables_of(match: SystemMatch, deals: I64) -> I8:
    """Give what a match knows of the tables of some deals, int8 [n, 20], -1 for the rest."""
    dealer = match.deals.dealer[deals]
    contracts = BoardContracts(*contracts_by_compass(match.contracts[:, deals], dealer))
    found = np.full((len(deals), TABLE_SIZE), -1, np.int8)
    for table in range(2):
        rows = np.flatnonzero(contracts.played[table])
        found[rows, contracts.column[table, rows]] = match.tricks[table, deals[rows]]
    return found
