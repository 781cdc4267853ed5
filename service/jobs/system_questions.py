"""Questions about systems that came as text: each has a process of its own, and nothing is kept.

How much a text asks for nobody knows before it is read: what is worked out at its places is bounded
by a budget for the whole process, memory by a limit of the process, and time by its end. So the
service itself reads no text that came in a request.

``python -m bidcascade.service.jobs.system_questions`` is that process; see ``job_process``. A text
may include what comes with the package, and nothing else of this machine.
"""

import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import IO, Any, Final

import numpy as np

from bidcascade.bridge import (
    Cancelled,
    InvalidInput,
    InvalidSystem,
    LimitExceeded,
    TimedOut,
    format_calls,
)
from bidcascade.engine.questions.inference.layouts import deal_text
from bidcascade.engine.questions.parts.answer_fields import answer_of, plain
from bidcascade.engine.questions.parts.answer_parts import OptionAnswer
from bidcascade.engine.questions.systems import (
    AboutSystems,
    BenchBoard,
    BenchCause,
    BenchLine,
    BenchMatch,
    BenchResult,
    BenchSign,
    EstimateAnswer,
    MatchBoard,
    MatchDivergence,
    MatchResult,
    MatchTable,
    SystemChange,
    SystemCheckResult,
    SystemComplaint,
    SystemDiffResult,
    SystemFinding,
    SystemName,
)
from bidcascade.inference.double_dummy import DoubleDummyPool
from bidcascade.inference.double_dummy.table_cache import user_tables
from bidcascade.kernels import DealArrays
from bidcascade.kernels.core.functions import has_core
from bidcascade.loaders import HAND_COLUMNS, deal_arrays, random_deals
from bidcascade.systems.auctions.budget import places_budget, set_places_budget
from bidcascade.systems.checking.check import check_system
from bidcascade.systems.checking.diff import diff_systems
from bidcascade.systems.digests import text_digest
from bidcascade.systems.language.reading.options import option_rows
from bidcascade.systems.registry import named_systems
from bidcascade.systems.system import System
from bidcascade.workshop.boards.bench import Bench, bench
from bidcascade.workshop.boards.compare import SystemMatch
from bidcascade.workshop.boards.compare_summary import (
    Estimate,
    MatchSummary,
    boards_frame,
    divergence_text,
    summarize,
)
from bidcascade.workshop.boards.scored_boards import Budget
from bidcascade.workshop.boards.yardstick import LineLoss

from .child import QUESTION, Child
from .job_process import main

PLACES_BYTES: Final = 512 << 20
"""Most memory for the places of a question's systems."""
MEMORY_BYTES: Final = 2 << 30
"""Most memory of its process; the largest questions about shipped systems need less than half."""
ANSWER_BYTES: Final = 16 << 20
"""Longest answer: the service holds it as a whole."""
MOST_COMPLAINTS: Final = 200
MOST_FINDINGS: Final = 300
MOST_LINES: Final = 20
_TOO_LONG: Final = "expected an answer of at most"
_SHARE_FOR_SOLVING: Final = 0.8
_WATCH_S: Final = 0.05

_OUT_OF_MEMORY: Final = ("memory", "failed to map segment", "SIGKILL", "SIGILL", "SIGTRAP")
"""What the end of a process without memory is told with, by the loader of libraries among others;
the core traps where it gets none."""


def ask_process(
    question: str,
    systems: Mapping[str, Mapping[str, Any]],
    given: Mapping[str, Any],
    *,
    time_limit_s: float,
    cancel: threading.Event,
    places_bytes: int = PLACES_BYTES,
    memory_bytes: int = MEMORY_BYTES,
    answer_bytes: int = ANSWER_BYTES,
) -> dict[str, Any]:
    """Answer a question about systems in a process that ends with it.

    Parameters
    ----------
    question : {"check", "diff", "compare", "bench"}
    systems : mapping
        By the name that complaints tell them by, each with ``text`` or ``path``, and ``options``.
    given : mapping
        Further arguments of the question, as JSON has them.
    time_limit_s : float
        When the process is killed.
    cancel : threading.Event
        Kills it when set by another thread.
    places_bytes, memory_bytes, answer_bytes : int
        Memory for places, and of the whole process; length of the answer.

    Returns
    -------
    dict
        ``systems``, by name the title, the digest and the options of each; ``complaints``, where
        texts cannot be used, and ``result``, null then.

    Raises
    ------
    TimedOut, Cancelled
        If the process was killed.
    LimitExceeded
        If its memory was not enough, or the answer is too long.
    InvalidInput
        If it refuses the question.
    RuntimeError
        If it failed.
    """
    until = time.monotonic() + time_limit_s
    start = {
        "mode": QUESTION, "question": question, "systems": systems, "given": given,
        "places_bytes": min(places_bytes or PLACES_BYTES, PLACES_BYTES),
        "memory_bytes": memory_bytes, "time_limit_s": time_limit_s, "answer_bytes": answer_bytes,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="bidcascade-") as folder:
        child = Child({**start, "folder": folder})
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(_WATCH_S):
                if cancel.is_set() or time.monotonic() > until:
                    child.stop()
                    return

        watching = threading.Thread(target=watch, name="system-question", daemon=True)
        watching.start()
        try:
            messages = list(child.messages())
        finally:
            ended.set()
            child.stop()
            watching.join()
        last: dict[str, Any] = messages[-1] if messages else {}
        if "done" in last:
            answer: dict[str, Any] = last["done"]
            return answer
        if cancel.is_set():
            raise Cancelled("the question was cancelled")
        if time.monotonic() > until:
            raise TimedOut(f"expected an answer within {time_limit_s:g} s, got none")
        if last.get("known"):
            too_long = last["error"].startswith(_TOO_LONG)
            raise (LimitExceeded if too_long else InvalidInput)(last["error"])
        child.write_log(question)
    reason = last.get("error", f"its process {child.end()}")
    if any(word in reason for word in _OUT_OF_MEMORY):
        raise LimitExceeded(f"expected a question that takes less memory: {reason}")
    raise RuntimeError(f"the question {question!r} failed: {reason}")


# --- in the process -------------------------------------------------------------------------------


def answer_question(start: dict[str, Any], outgoing: IO[bytes]) -> dict[str, Any]:
    """Read the systems and answer; return the last message."""
    set_places_budget(start["places_bytes"])
    # a library that does not fit into the memory would count as missing
    has_core()
    _bound_memory(start["memory_bytes"])
    systems: dict[str, System] = {}
    complaints: list[SystemComplaint] = []
    for name, given in start["systems"].items():
        try:
            systems[name] = _open(name, given)
            # what it is to play against is read as well
            _ = systems[name].opponents
        except InvalidSystem as error:
            complaints += _complaints(name, error)
    result = None
    if not complaints:
        limit = start["time_limit_s"]
        try:
            result = _ANSWERS[start["question"]](
                *systems.values(), time_limit_s=limit, **start["given"]
            )
        except InvalidSystem as error:
            # what means nothing is found where a hand is tested by it
            named = {one.where.file for one in error.complaints} & systems.keys()
            complaints += _complaints(min(named, default=next(iter(systems))), error)
    about = AboutSystems(
        systems={
            name: answer_of(
                SystemName,
                one,
                title=one.text.title,
                digest=text_digest(one.text),
                options=tuple(answer_of(OptionAnswer, row) for row in option_rows(one.text)),
            )
            for name, one in systems.items()
        },
        complaints=tuple(complaints[:MOST_COMPLAINTS]),
    )
    done = {**plain(about), "result": plain(result)}
    length = len(json.dumps(done))
    if length > start["answer_bytes"]:
        raise LimitExceeded(
            f"{_TOO_LONG} {start['answer_bytes']:,} bytes, got {length:,}: "
            "a system with fewer lines, or fewer auctions"
        )
    return {"done": done}


def _bound_memory(most: int) -> None:
    """Let the process have so much memory; where the system cannot say so, places are bounded."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _open(name: str, given: Mapping[str, Any]) -> System:
    if given.get("text") is not None:
        pages = given.get("pages", {})
        return System.parse(given["text"], options=given["options"], name=name, pages=pages)
    return System.open(given["path"], options=given["options"])


def _complaints(name: str, error: InvalidSystem) -> list[SystemComplaint]:
    """Complaints about a text; one that has no place is at line 0."""
    if not error.complaints:
        return [
            SystemComplaint(system=name, file=name, line=0, column=0, message=str(error), advice="")
        ]
    return [
        answer_of(
            SystemComplaint,
            one,
            system=name,
            # folders of this machine are nobody's business
            file=PurePath(one.where.file).name,
            line=one.where.line,
            column=one.where.column,
        )
        for one in error.complaints
    ]


def _check(
    system: System, opponents: System | None = None, *, time_limit_s: float, **given: Any
) -> SystemCheckResult:
    found = check_system(system, opponents=opponents, **given)
    return answer_of(
        SystemCheckResult,
        found,
        findings=tuple(answer_of(SystemFinding, one) for one in found.findings[:MOST_FINDINGS]),
        findings_total=len(found.findings),
        by_depth=tuple(found.by_depth.get(depth, 0) for depth in range(max(found.by_depth) + 1)),
    )


def _diff(
    old: System, new: System, *, time_limit_s: float, show: int, **given: Any
) -> SystemDiffResult:
    found = diff_systems(old, new, **given)
    return answer_of(
        SystemDiffResult,
        found,
        changes=tuple(answer_of(SystemChange, one) for one in found.changes[:show]),
        changes_total=len(found.changes),
    )


def _compare(
    first: System,
    second: System,
    *,
    time_limit_s: float,
    deals: int,
    seed: int,
    solve: int,
    boards: list[list[int]] | None,
    workers: int,
    budget_s: float,
) -> MatchResult:
    started = time.monotonic()
    chosen = deal_arrays(random_deals(deals, seed)) if boards is None else _deals_of(boards)
    match = SystemMatch(first, second, chosen, seed=seed)
    limit = min(_SHARE_FOR_SOLVING * time_limit_s, budget_s)
    left = max(0.0, limit - (time.monotonic() - started))
    with DoubleDummyPool(workers or None) as pool:
        # deals that commands on this machine have solved before
        match.work_out(pool, Budget(seconds=left, deals=solve), user_tables().find(chosen.hands))
    return match_answer(summarize(match), _boards(match, whole=boards is not None))


def _deals_of(boards: list[list[int]]) -> DealArrays:
    rows = np.array(boards, np.uint64).T
    hands = np.ascontiguousarray(rows[:4])
    return DealArrays(hands, rows[4].astype(np.uint8), rows[5].astype(np.uint8))


def match_answer(summary: MatchSummary, boards: Sequence[MatchBoard] = ()) -> MatchResult:
    """Make an answer of a match; numbers are for the first system.

    Parameters
    ----------
    summary : MatchSummary
    boards : sequence of MatchBoard
        Those that are shown.
    """
    return answer_of(
        MatchResult,
        summary,
        names=tuple(summary.names),
        same=summary.kinds["same"],
        differs=summary.kinds["differs"],
        imps=estimate_answer(summary.imps),
        defended_imps=estimate_answer(summary.defended_imps),
        points=estimate_answer(summary.points),
        outcomes=_by_name(summary.outcomes),
        divergences=tuple(
            MatchDivergence(
                where=divergence_text(one.where),
                examined=one.examined,
                share=estimate_answer(one.share),
                imps=estimate_answer(one.imps),
                effect=estimate_answer(one.effect),
            )
            for one in summary.divergences
        ),
        boards=tuple(boards),
    )


def _by_name(found: Mapping[str, Estimate]) -> dict[str, EstimateAnswer]:
    return {name.replace(" ", "_"): estimate_answer(one) for name, one in found.items()}


def estimate_answer(found: Estimate) -> EstimateAnswer:
    """Value with the interval that holds the truth in 95 of 100 matches.

    Examples
    --------
    >>> estimate_answer(Estimate(0.5, 0.125, 0.25))
    EstimateAnswer(value=0.5, low=0.25, high=0.75)
    """
    value, margin = found.value, found.margin
    if value is None or margin is None:
        return EstimateAnswer(value=value, low=None, high=None)
    return EstimateAnswer(value=value, low=value - margin, high=value + margin)


def _boards(match: SystemMatch, *, whole: bool) -> list[MatchBoard]:
    """Boards whose result is known; of random deals those alone whose contracts differ."""
    found = []
    for row in boards_frame(match).iter_rows(named=True):
        if not whole and row["kind"] == "same":
            continue
        is_played = row["kind"] == "differs"
        tables = tuple(
            MatchTable(
                calls=tuple(format_calls(row[f"auction_{suffix}"]).split()),
                contract=(row[f"contract_{suffix}"] or "") + (row[f"declarer_{suffix}"] or ""),
                tricks=row[f"tricks_{suffix}"],
                # the same contract is flat, whatever it makes
                score=row[f"score_{suffix}"] if is_played else None,
            )
            for suffix in ("ns", "ew")
        )
        deal = deal_text([row[name] for name in HAND_COLUMNS])
        number = row["deal"]
        found.append(answer_of(MatchBoard, row, number=number, deal=deal, tables=tables))
    return found


def _bench(
    system: System,
    *against: System,
    time_limit_s: float,
    boards: int,
    seed: int,
    part: str,
    workers: int,
) -> BenchResult:
    opponents = against or tuple(
        System.open(name) for name in named_systems() if name != system.name
    )
    # each pair of systems has places of its own: two for a match, one for each by itself
    set_places_budget(places_budget() // (3 * len(opponents) + 1))
    with DoubleDummyPool(workers or None) as pool:
        found, _ = bench(system, opponents, pool, boards=boards, seed=seed, part=part)
    return bench_result(found)


def bench_result(found: Bench) -> BenchResult:
    """Make an answer of a benchmark: matches, and the distance from par by causes.

    Parameters
    ----------
    found : Bench
    """
    tally = found.yardstick.systems[0]
    return BenchResult(
        boards=found.boards,
        bank=found.part,
        seed=found.seed,
        matches=tuple(
            answer_of(
                BenchMatch,
                one,
                scores={name: estimate_answer(value) for name, value in one.scores.items()},
                outcomes=_by_name(one.outcomes),
            )
            for one in found.matches
        ),
        from_par=tally.imps,
        causes={cause: answer_of(BenchCause, one) for cause, one in tally.causes.items()},
        sanity=tuple(answer_of(BenchSign, one) for one in tally.sanity),
        lines=tuple(_line_loss(one) for one in tally.lines[:MOST_LINES]),
    )


def _line_loss(loss: LineLoss) -> BenchLine:
    line, behind, over_them = loss.decisive
    return answer_of(
        BenchLine,
        loss,
        where=line.where,
        name=line.name,
        behind=behind.name,
        over_them=over_them,
        examples=tuple(
            answer_of(
                BenchBoard,
                one,
                board=one.where,
                calls=tuple(format_calls(one.auction).split()),
            )
            for one in loss.examples
        ),
    )


_ANSWERS: Final[dict[str, Callable[..., Any]]] = {
    "check": _check,
    "diff": _diff,
    "compare": _compare,
    "bench": _bench,
}

if __name__ == "__main__":
    sys.exit(main(answer_question))
