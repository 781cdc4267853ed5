"""Write what was measured: JSON lines, a Markdown report, a chart."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from .chart import Bar, bar_chart, format_seconds
from .worker import Timing
from .workloads import Workload

_BASELINES = ("polars", "polars-frames", "lists")


@dataclass(frozen=True)
class Measured:
    """One workload: its table's shape, how far answers were compared, the engines' times."""

    workload: Workload
    shape: dict[str, float]
    check_deals: int
    timings: Sequence[Timing]


def write_report(
    folder: Path, environment: dict[str, str], command: str, measured: Sequence[Measured]
) -> None:
    """Write ``environment.json``, ``results.jsonl``, ``report.md`` and ``chart.svg``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "environment.json").write_text(
        json.dumps({**environment, "command": command}, indent=1) + "\n", "utf-8"
    )
    with (folder / "results.jsonl").open("w", encoding="utf-8") as file:
        for one in measured:
            for timing in one.timings:
                file.write(json.dumps(record(one, timing, environment["commit"])) + "\n")
    (folder / "report.md").write_text(markdown(environment, command, measured), "utf-8")
    groups = [
        (
            f"{one.workload.name}, {_amount(one.timings)}",
            [
                Bar(timing.engine, timing.seconds, bool(timing.formula))
                for timing in one.timings
                if timing.runs
            ],
        )
        for one in measured
    ]
    (folder / "chart.svg").write_text(bar_chart("Seconds by engine", groups), "utf-8")


def record(one: Measured, timing: Timing, commit: str) -> dict[str, object]:
    """One line of ``results.jsonl``; times in seconds, memory in bytes."""
    line: dict[str, object] = {**asdict(timing), "table": one.shape, "commit": commit}
    if timing.runs:
        line |= {
            "min": min(timing.runs), "median": float(np.median(timing.runs)),
            "max": max(timing.runs), "seconds_for_all_deals": timing.seconds,
            "formula": timing.formula,
        }  # fmt: skip
    return line


def markdown(environment: dict[str, str], command: str, measured: Sequence[Measured]) -> str:
    """Write the report as text."""
    lines = [
        "# Measurements", "",
        "; ".join(f"{name} {value}" for name, value in environment.items()), "",
        f"`{command}`", "", "![bar chart](chart.svg)", "",
    ]  # fmt: skip
    for one in measured:
        lines += _section(one)
    return "\n".join(lines)


def _section(one: Measured) -> list[str]:
    lines = [f"## {one.workload.name}", "", f"{one.workload.about}. {_shape(one)}", ""]
    done = [timing for timing in one.timings if timing.runs]
    if done:
        baselines = [
            timing for name in _BASELINES for timing in done if timing.engine == name
        ]  # fmt: skip
        heads = [
            "engine",
            "deals",
            "runs",
            "min",
            "median",
            "max",
            "device",
            _amount(done),
            "deals/s",
        ]
        heads += [f"× {timing.engine}" for timing in baselines] + ["peak memory", "of it inputs"]
        lines += ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
        lines += ["| " + " | ".join(_row(timing, baselines)) + " |" for timing in done]
        lines.append("")
    notes = [
        f"* {timing.engine}: {timing.seconds:,.1f} s = {timing.formula}" for timing in done
        if timing.formula
    ]  # fmt: skip
    notes += [f"* {timing.engine}: {timing.detail}" for timing in done if timing.detail]
    notes += [
        f"* {timing.engine}: once a table {format_seconds(timing.prepare)}"
        for timing in done
        if timing.prepare > 0.05
    ]
    missing: dict[str, list[str]] = {}
    for timing in one.timings:
        if timing.unavailable:
            missing.setdefault(timing.unavailable, []).append(timing.engine)
    notes += [f"* not measured, {', '.join(names)}: {why}" for why, names in missing.items()]
    return lines + notes + [""]


def _shape(one: Measured) -> str:
    text = ""
    if one.shape:
        text = (
            f"{one.shape['entries']:,.0f} entries; a deal reaches "
            f"{one.shape['holding_per_deal']:,.0f} of them after "
            f"{one.shape['tests_per_deal']:,.0f} tests of criteria. "
        )
    return text + f"Answers were compared on {one.check_deals:,} deals."


def _amount(timings: Sequence[Timing]) -> str:
    deals = next((timing.deals for timing in timings if timing.runs), 0)
    return "one deal" if deals == 1 else f"{deals:,} deals"


def _row(timing: Timing, baselines: Sequence[Timing]) -> list[str]:
    device = format_seconds(float(np.median(timing.device_runs))) if timing.device_runs else "–"
    median = float(np.median(timing.runs))
    return [
        timing.engine, f"{timing.measured_deals:,}", str(len(timing.runs)),
        *(format_seconds(value) for value in (min(timing.runs), median, max(timing.runs))),
        device, format_seconds(timing.seconds), f"{timing.deals / timing.seconds:,.0f}",
        *(f"{baseline.seconds / timing.seconds:,.3g}" for baseline in baselines),
        f"{timing.peak / 2**20:,.0f} MiB", f"{timing.inputs / 2**20:,.0f} MiB",
    ]  # fmt: skip
