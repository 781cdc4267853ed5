"""The report of the command ``gpu``: what was right, what was not done and why, what was timed."""

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.engines.report import Measured, format_seconds, write_report
from benchmarks.engines.worker import Timing
from benchmarks.engines.workloads import find_workloads
from benchmarks.tools.programs import table

from .parts import PARTS, SANITIZER, Part
from .roofline import Ceilings, Work
from .state import State

SHOWN_REASONS = 5


def write_summary(folder: Path, state: State, command: str, options: argparse.Namespace) -> None:
    """Write ``report.md`` and the files beside it, of all that is done so far."""
    measured = [
        _measured(part.workload, state.outcomes[part.name].result, options)
        for part in PARTS
        if part.workload not in (None, "systems") and state.is_done(part.name)
    ]
    environment = {"commit": "unknown", **state.environment}
    write_report(folder, environment, command, measured, before=_lines(state, options))


def _lines(state: State, options: argparse.Namespace) -> list[str]:
    lines = []
    if options.emulator:
        lines += [
            "**The device is the emulator, on the processor**: that answers are right is shown for "
            "what the emulator does as a GPU would; times say nothing.",
            "",
        ]
    lines += ["## What was done", ""]
    rows = []
    for part in (*PARTS, SANITIZER):
        outcome = state.outcomes.get(part.name)
        if outcome is not None:
            rows.append((part.name, part.about, outcome.status, outcome.about.replace("|", "/")))
        elif part is not SANITIZER:
            rows.append((part.name, part.about, "not yet", ""))
    lines += [*table(("part", "what", "how it ended", "with"), rows, left=4), ""]
    for part in (*PARTS, SANITIZER):
        lines += _reasons(part, state)
    systems = state.outcomes.get("time systems")
    if systems is not None and systems.status == "done":
        lines += _systems(systems.result["systems"])
    return lines


def _reasons(part: Part, state: State) -> Iterable[str]:
    outcome = state.outcomes.get(part.name)
    told = outcome.result.get("reasons", []) if outcome is not None else []
    if told:
        yield f"{part.name}:"
        yield ""
        yield from (f"* {one}" for one in told[:SHOWN_REASONS])
        if len(told) > SHOWN_REASONS:
            yield f"* and {len(told) - SHOWN_REASONS} more"
        yield ""


def _systems(found: dict[str, Any]) -> list[str]:
    rows = []
    for name in ("cpu", "cuda"):
        one = found[name]
        known = sorted(one["known"])[len(one["known"]) // 2]
        rows.append(
            (
                name, format_seconds(one["fresh"]), round(found["deals"] / one["fresh"]),
                format_seconds(known), round(found["deals"] / known), one["places"],
            )
        )  # fmt: skip
    heads = ("backend", "fresh", "deals/s", "known", "deals/s", "places")
    return [
        "## Systems", "",
        f"{found['deals']:,} deals bid by `{found['system']}`, calls compared first: fresh deals, "
        "and the same again, whose places are known (median).", "",
        *table(heads, rows), "",
        *_allowed(found),
    ]  # fmt: skip


def _allowed(found: dict[str, Any]) -> list[str]:
    rows = [
        (one["what"], one["deals"], format_seconds(one["cpu"]), format_seconds(one["cuda"]))
        for one in found["allowed"]
    ]
    return [
        "All that the system allows, of fresh deals and nothing known, once each, answers "
        "compared: whole lists at their standard bounds; counts of auctions that "
        f"{found['least']:,} deals or more may bid, to {found['depth']} calls; members of five "
        "auctions.",
        "",
        *table(("what", "deals", "cpu", "cuda"), rows),
        "",
    ]


def _measured(name: str | None, result: dict[str, Any], options: argparse.Namespace) -> Measured:
    (workload,) = find_workloads([str(name)])
    timings = [_timing(one) for one in result["timings"]]
    return Measured(workload, result["shape"], result["check_deals"], timings)


def _timing(kept: dict[str, Any]) -> Timing:
    """What one engine took, from JSON."""
    timing = Timing(**kept)
    timing.works = {name: Work(*one) for name, one in kept["works"].items()}
    timing.ceilings = None if kept["ceilings"] is None else Ceilings(**kept["ceilings"])
    timing.device_runs = [
        {name: (amount, seconds) for name, (amount, seconds) in run.items()}
        for run in kept["device_runs"]
    ]
    return timing
