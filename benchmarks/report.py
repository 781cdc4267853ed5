"""Write what was measured: JSON lines, a Markdown report, a chart."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from .chart import Bar, bar_chart, format_seconds
from .gpu.device_times import DeviceRun, median_run
from .gpu.roofline import Ceilings, Work
from .worker import Timing
from .workloads import Workload

_BASELINES = ("polars", "polars-frames", "lists", "cpu")


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
            "kernels",
            "copies",
            _amount(done),
            "deals/s",
        ]
        heads += [f"× {timing.engine}" for timing in baselines] + ["peak memory", "of it inputs"]
        lines += ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
        lines += ["| " + " | ".join(_row(timing, baselines)) + " |" for timing in done]
        lines.append("")
        for timing in done:
            lines += _device_lines(timing)
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
    kernels = copies = "–"
    if timing.device_runs:
        device = _device_run(timing)
        kernels = format_seconds(device.kernel_seconds)
        copied = device.copied_in[1] + device.copied_out[1]
        copies = format_seconds(copied) if copied else "–"
    median = float(np.median(timing.runs))
    return [
        timing.engine, f"{timing.measured_deals:,}", str(len(timing.runs)),
        *(format_seconds(value) for value in (min(timing.runs), median, max(timing.runs))),
        kernels, copies, format_seconds(timing.seconds), f"{timing.deals / timing.seconds:,.0f}",
        *(f"{baseline.seconds / timing.seconds:,.3g}" for baseline in baselines),
        f"{timing.peak / 2**20:,.0f} MiB", f"{timing.inputs / 2**20:,.0f} MiB",
    ]  # fmt: skip


def _device_run(timing: Timing) -> DeviceRun:
    return median_run([DeviceRun.from_json(run) for run in timing.device_runs])


def _device_lines(timing: Timing) -> list[str]:
    """What the device did: kernels against their floors, and copies, on the deals measured."""
    if not timing.device_runs:
        return []
    run = _device_run(timing)
    ceilings = Ceilings(**timing.ceilings) if timing.ceilings else None
    lines = [
        f"{timing.engine} on the device, {timing.measured_deals:,} deals"
        + (f" ({_ceilings_text(ceilings)})" if ceilings else "") + ":", "",
        "| | launches | time | bytes | integer operations | floor | of | × floor |",
        "|" + " --- |" * 8,
    ]  # fmt: skip
    rows = [(name, *pair) for name, pair in sorted(run.kernels.items(), key=_by_time)]
    rows.append(("", sum(launches for launches, _ in run.kernels.values()), run.kernel_seconds))
    for name, launches, seconds in rows:
        work = Work(*timing.works[name]) if name in timing.works else None
        cells = [name or "all kernels", f"{launches:,}", format_seconds(seconds)]
        lines.append("| " + " | ".join(cells + _floor_cells(work, ceilings, seconds)) + " |")
    for name, (size, seconds) in (("copies in", run.copied_in), ("copies out", run.copied_out)):
        if size:
            speed = f"{size / seconds / 1e9:,.1f} GB/s" if seconds else "–"
            lines.append(
                f"| {name} | – | {format_seconds(seconds)} | {amount_of(size)} | – | {speed} | | |"
            )
    return [*lines, ""]


def _by_time(item: tuple[str, tuple[int, float]]) -> float:
    return -item[1][1]


def _floor_cells(work: Work | None, ceilings: Ceilings | None, seconds: float) -> list[str]:
    if work is None:
        return ["–"] * 5
    counted = [amount_of(work.bytes), amount_of(work.operations)]
    if ceilings is None:
        return [*counted, "–", "–", "–"]
    floor = ceilings.floor(work)
    return [*counted, format_seconds(floor), ceilings.bound(work), f"{seconds / floor:,.3g}"]


def amount_of(value: float) -> str:
    """Write a large number with three digits and a prefix of the SI.

    >>> amount_of(34_000_000)
    '34 M'
    """
    for factor, prefix in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= factor:
            return f"{value / factor:.3g}{prefix}"
    return f"{value:.3g}"


def _ceilings_text(ceilings: Ceilings) -> str:
    return (
        f"{ceilings.source}: {amount_of(ceilings.bytes)}B/s, "
        f"{amount_of(ceilings.operations)} integer operations/s"
    )
