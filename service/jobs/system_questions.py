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
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
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
from bidcascade.engine.auction_questions import deal_text, rounded
from bidcascade.inference.bench import Bench, bench
from bidcascade.inference.compare import Budget, SystemMatch
from bidcascade.inference.compare_summary import (
    Estimate,
    MatchSummary,
    boards_frame,
    divergence_text,
    summarize,
)
from bidcascade.inference.double_dummy import DoubleDummyPool
from bidcascade.inference.double_dummy.table_cache import user_tables
from bidcascade.inference.yardstick import LineLoss
from bidcascade.kernels import DealArrays
from bidcascade.kernels.core.functions import has_core
from bidcascade.loaders import HAND_COLUMNS, deal_arrays, random_deals
from bidcascade.systems.budget import places_budget, set_places_budget
from bidcascade.systems.check import check_system
from bidcascade.systems.diff import diff_systems
from bidcascade.systems.digests import text_digest
from bidcascade.systems.language.options import option_rows
from bidcascade.systems.registry import named_systems
from bidcascade.systems.system import System

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
    complaints: list[dict[str, Any]] = []
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
    described = {
        name: {
            "name": one.name,
            "title": one.text.title,
            "digest": text_digest(one.text),
            "options": option_rows(one.text),
        }
        for name, one in systems.items()
    }
    done = {"systems": described, "complaints": complaints[:MOST_COMPLAINTS], "result": result}
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


def _complaints(name: str, error: InvalidSystem) -> list[dict[str, Any]]:
    """Complaints about a text; one that has no place is at line 0."""
    if not error.complaints:
        complaint = {"file": name, "line": 0, "column": 0, "message": str(error), "advice": ""}
        return [{"system": name, **complaint}]
    return [
        {
            # folders of this machine are nobody's business
            "system": name, "file": PurePath(one.where.file).name, "line": one.where.line,
            "column": one.where.column, "message": one.message, "advice": one.advice,
        }
        for one in error.complaints
    ]  # fmt: skip


def _check(
    system: System, opponents: System | None = None, *, time_limit_s: float, **given: Any
) -> dict[str, Any]:
    found = check_system(system, opponents=opponents, **given)
    findings = [{**asdict(one), "examples": list(one.examples)} for one in found.findings]
    return {
        "deals": found.deals,
        "places": [asdict(one) for one in found.places],
        "findings": findings[:MOST_FINDINGS],
        "findings_total": len(findings),
        "expanded": found.expanded,
        "entries": found.entries,
        "by_depth": [found.by_depth.get(depth, 0) for depth in range(max(found.by_depth) + 1)],
    }


def _diff(
    old: System, new: System, *, time_limit_s: float, show: int, **given: Any
) -> dict[str, Any]:
    found = diff_systems(old, new, **given)
    changes = [{**asdict(one), "examples": list(one.examples)} for one in found.changes]
    return {
        "deals": found.deals,
        "changed": found.changed,
        "changes": changes[:show],
        "changes_total": len(changes),
    }


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
) -> dict[str, Any]:
    started = time.monotonic()
    chosen = deal_arrays(random_deals(deals, seed)) if boards is None else _deals_of(boards)
    match = SystemMatch(first, second, chosen, seed=seed)
    limit = min(_SHARE_FOR_SOLVING * time_limit_s, budget_s)
    left = max(0.0, limit - (time.monotonic() - started))
    with DoubleDummyPool(workers or None) as pool:
        # deals that commands on this machine have solved before
        match.work_out(pool, Budget(seconds=left, deals=solve), user_tables().find(chosen.hands))
    return {**match_dict(summarize(match)), "boards": _boards(match, whole=boards is not None)}


def _deals_of(boards: list[list[int]]) -> DealArrays:
    rows = np.array(boards, np.uint64).T
    hands = np.ascontiguousarray(rows[:4])
    return DealArrays(hands, rows[4].astype(np.uint8), rows[5].astype(np.uint8))


def match_dict(summary: MatchSummary) -> dict[str, Any]:
    """Sum of a match as plain values for JSON; numbers are for the first system.

    Parameters
    ----------
    summary : MatchSummary
    """
    return {
        "names": list(summary.names),
        "deals": summary.deals,
        "same": summary.kinds["same"],
        "differs": summary.kinds["differs"],
        "examined": summary.examined,
        "solved": summary.solved,
        "imps": estimate_dict(summary.imps),
        "defended_imps": estimate_dict(summary.defended_imps),
        "points": estimate_dict(summary.points),
        "outcomes": {
            name.replace(" ", "_"): estimate_dict(one) for name, one in summary.outcomes.items()
        },
        "divergences": [
            {
                "where": divergence_text(one.where), "examined": one.examined,
                "share": estimate_dict(one.share), "imps": estimate_dict(one.imps),
                "effect": estimate_dict(one.effect),
            }
            for one in summary.divergences
        ],
    }  # fmt: skip


def estimate_dict(found: Estimate) -> dict[str, float | None]:
    """Value with the interval that holds the truth in 95 of 100 matches.

    Examples
    --------
    >>> estimate_dict(Estimate(0.5, 0.125, 0.25))
    {'value': 0.5, 'low': 0.25, 'high': 0.75}
    """
    value, margin = found.value, found.margin
    known = value is not None and margin is not None
    return {
        "value": rounded(value),
        "low": rounded(value - margin) if known else None,  # type: ignore[operator]
        "high": rounded(value + margin) if known else None,  # type: ignore[operator]
    }


def _boards(match: SystemMatch, *, whole: bool) -> list[dict[str, Any]]:
    """Boards whose result is known; of random deals those alone whose contracts differ."""
    found = []
    for row in boards_frame(match).iter_rows(named=True):
        if not whole and row["kind"] == "same":
            continue
        tables = {
            suffix: {
                "calls": format_calls(row[f"auction_{suffix}"]).split(),
                "contract": (row[f"contract_{suffix}"] or "") + (row[f"declarer_{suffix}"] or ""),
                "tricks": row[f"tricks_{suffix}"],
                "score": row[f"score_{suffix}"],
            }
            for suffix in ("ns", "ew")
        }
        is_played = row["kind"] == "differs"
        found.append(
            {
                "number": row["deal"],
                "deal": deal_text([row[name] for name in HAND_COLUMNS]),
                "dealer": row["dealer"],
                "vulnerability": row["vulnerability"],
                "kind": row["kind"],
                "weight": rounded(row["weight"]),
                "imps": row["imps"],
                "divergence": row["divergence"],
                # the same contract is flat, whatever it makes
                "tables": [
                    {**one, "score": one["score"] if is_played else None} for one in tables.values()
                ],
            }
        )
    return found


def _bench(
    system: System,
    *against: System,
    time_limit_s: float,
    boards: int,
    seed: int,
    part: str,
    workers: int,
) -> dict[str, Any]:
    opponents = against or tuple(
        System.open(name) for name in named_systems() if name != system.name
    )
    # each pair of systems has places of its own: two for a match, one for each by itself
    set_places_budget(places_budget() // (3 * len(opponents) + 1))
    with DoubleDummyPool(workers or None) as pool:
        found, _ = bench(system, opponents, pool, boards=boards, seed=seed, part=part)
    return bench_result(found)


def bench_result(found: Bench) -> dict[str, Any]:
    """Write a benchmark as plain values for JSON: matches, and the distance from par by causes.

    Parameters
    ----------
    found : Bench
    """
    tally = found.yardstick.systems[0]
    return {
        "boards": found.boards,
        "bank": found.part,
        "seed": found.seed,
        "matches": [
            {
                "against": one.against,
                "digest": one.digest,
                "scores": {name: estimate_dict(value) for name, value in one.scores.items()},
                "outcomes": {
                    name.replace(" ", "_"): estimate_dict(value)
                    for name, value in one.outcomes.items()
                },
            }
            for one in found.matches
        ],
        "from_par": rounded(tally.imps),
        "causes": {
            cause: {"boards": one.boards, "imps": one.imps} for cause, one in tally.causes.items()
        },
        "sanity": [
            {
                "what": one.what,
                "boards": one.boards,
                "possible": one.possible,
                "share": rounded(one.share),
                "low": rounded(one.low),
                "high": rounded(one.high),
            }
            for one in tally.sanity
        ],
        "lines": [_line_loss(one) for one in tally.lines[:MOST_LINES]],
    }


def _line_loss(loss: LineLoss) -> dict[str, Any]:
    line, behind, over_them = loss.decisive
    return {
        "where": line.where, "name": line.name, "behind": behind.name, "over_them": over_them,
        "cause": loss.cause, "boards": loss.boards, "imps": loss.imps,
        "examples": [
            {
                "deal": one.deal, "dealer": one.dealer, "vulnerability": one.vulnerability,
                "board": one.where, "calls": format_calls(one.auction).split(),
                "contract": one.contract, "imps": one.imps,
            }
            for one in loss.examples
        ],
    }  # fmt: skip


_ANSWERS: Final[dict[str, Callable[..., dict[str, Any]]]] = {
    "check": _check,
    "diff": _diff,
    "compare": _compare,
    "bench": _bench,
}

if __name__ == "__main__":
    sys.exit(main(answer_question))
