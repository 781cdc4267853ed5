"""Write what was measured: JSON lines, a Markdown report, a chart."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import NamedTuple

from benchmarks.gpu.roofline import COPIES, Ceilings, Work, median_run

from .worker import Timing
from .workloads import Workload

_BASELINES = ("polars", "cpu")


class Measured(NamedTuple):
    """One workload: its table's shape, how far answers were compared, the engines' times."""

    workload: Workload
    shape: dict[str, float]
    check_deals: int
    timings: Sequence[Timing]


def write_report(
    folder: Path,
    environment: dict[str, str],
    command: str,
    measured: Sequence[Measured],
    *,
    before: Sequence[str] = (),
) -> None:
    """Write ``environment.json``, ``results.jsonl``, ``report.md`` and ``chart.svg``.

    Lines ``before`` stand in the report ahead of what was timed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "environment.json").write_text(
        json.dumps({**environment, "command": command}, indent=1) + "\n", "utf-8"
    )
    with (folder / "results.jsonl").open("w", encoding="utf-8") as file:
        for one in measured:
            for timing in one.timings:
                file.write(json.dumps(record(one, timing, environment["commit"])) + "\n")
    (folder / "report.md").write_text(
        markdown(environment, command, measured, before=before), "utf-8"
    )
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
            "min": min(timing.runs), "median": timing.median,
            "max": max(timing.runs), "seconds_for_all_deals": timing.seconds,
            "formula": timing.formula,
        }  # fmt: skip
    return line


def markdown(
    environment: dict[str, str],
    command: str,
    measured: Sequence[Measured],
    *,
    before: Sequence[str] = (),
) -> str:
    """Write the report as text."""
    lines = [
        "# Measurements", "",
        "; ".join(f"{name} {value}" for name, value in environment.items()), "",
        f"`{command}`", "", *before, "![bar chart](chart.svg)", "",
    ]  # fmt: skip
    for one in measured:
        lines += _section(one)
    return "\n".join(lines)


def _section(one: Measured) -> list[str]:
    lines = [f"## {one.workload.name}", "", f"{one.workload.about}. {_shape(one)}", ""]
    done = [timing for timing in one.timings if timing.runs]
    if done:
        baselines = [one for name in _BASELINES for one in done if one.engine == name]
        heads = [
            "engine", "deals", "runs", "min", "median", "max", "kernels", "copies", _amount(done),
            "deals/s", *(f"× {timing.engine}" for timing in baselines), "peak memory",
            "of it inputs",
        ]  # fmt: skip
        lines += ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
        lines += ["| " + " | ".join(_row(timing, baselines)) + " |" for timing in done]
        lines.append("")
        for timing in done:
            lines += _device_lines(timing)
    notes = [
        f"* {timing.engine}: {timing.seconds:,.1f} s = {timing.formula}"
        for timing in done
        if timing.formula
    ]
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
        run = median_run(timing.device_runs)
        copied = sum(run[name][1] for name in COPIES if name in run)
        kernels = format_seconds(sum(seconds for _, seconds in run.values()) - copied)
        copies = format_seconds(copied) if copied else "–"
    spread = (min(timing.runs), timing.median, max(timing.runs))
    return [
        timing.engine, f"{timing.measured_deals:,}", str(len(timing.runs)),
        *map(format_seconds, spread), kernels, copies, format_seconds(timing.seconds),
        f"{timing.deals / timing.seconds:,.0f}",
        *(f"{baseline.seconds / timing.seconds:,.3g}" for baseline in baselines),
        f"{timing.peak / 2**20:,.0f} MiB", f"{timing.inputs / 2**20:,.0f} MiB",
    ]  # fmt: skip


def _device_lines(timing: Timing) -> list[str]:
    """What the device did: kernels against their floors, and copies, on the deals measured."""
    if not timing.device_runs:
        return []
    run, ceilings = median_run(timing.device_runs), timing.ceilings
    told = (
        ""
        if ceilings is None
        else (
            f" ({ceilings.source}: {amount_of(ceilings.bytes)}B/s, "
            f"{amount_of(ceilings.operations)} integer operations/s)"
        )
    )
    lines = [
        f"{timing.engine} on the device, {timing.measured_deals:,} deals{told}:",
        "",
        "| | launches | time | bytes | integer operations | floor | of | × floor |",
        "|" + " --- |" * 8,
    ]
    kernels = [(name, *run[name]) for name in run if name not in COPIES]
    kernels.sort(key=lambda row: -row[2])
    kernels.append(("", sum(row[1] for row in kernels), sum(row[2] for row in kernels)))
    for name, launches, seconds in kernels:
        cells = [name or "all kernels", f"{launches:,}", format_seconds(seconds)]
        cells += _floor_cells(timing.works.get(name), ceilings, seconds)
        lines.append("| " + " | ".join(cells) + " |")
    for name, shown in zip(COPIES, ("copies in", "copies out"), strict=True):
        size, seconds = run.get(name, (0, 0.0))
        if size:
            speed = f"{size / seconds / 1e9:,.1f} GB/s" if seconds else "–"
            cells = [shown, "–", format_seconds(seconds), amount_of(size), "–", speed]
            lines.append("| " + " | ".join(cells) + " | | |")
    return [*lines, ""]


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


_WIDTH, _LABELS, _ROW, _GAP, _HEAD = 860, 150, 18, 34, 44
_COLOURS = {
    "cpu": "#2a7f62", "cuda": "#1f5fa8", "reference": "#888888", "numpy": "#c9a227",
    "polars": "#b5533c", "polars-columns": "#d08a73", "cudf": "#8c6bb1",
}  # fmt: skip


class Bar(NamedTuple):
    """One engine's time."""

    engine: str
    seconds: float
    extrapolated: bool


def bar_chart(title: str, groups: Sequence[tuple[str, Sequence[Bar]]]) -> str:
    """Draw the chart; groups without bars are left out."""
    groups = [(name, bars) for name, bars in groups if bars]
    times = [bar.seconds for _, bars in groups for bar in bars if bar.seconds > 0]
    low = math.floor(math.log10(min(times, default=0.1)))
    high = max(low + 1, math.ceil(math.log10(max(times, default=1.0))))
    scale = (_WIDTH - _LABELS - 190) / (high - low)
    height = _HEAD + sum(_GAP + _ROW * len(bars) for _, bars in groups) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        f'viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="12" y="24" font-size="15" font-weight="bold">{escape(title)}</text>',
    ]
    for decade in range(low, high + 1):
        x = _LABELS + scale * (decade - low)
        parts.append(
            f'<line x1="{x:.1f}" y1="{_HEAD - 6}" x2="{x:.1f}" y2="{height - 24}" '
            f'stroke="#dddddd"/><text x="{x:.1f}" y="{height - 10}" text-anchor="middle" '
            f'fill="#666666">{format_seconds(10.0**decade)}</text>'
        )
    y = _HEAD
    for name, bars in groups:
        parts.append(f'<text x="12" y="{y + 14}" font-weight="bold">{escape(name)}</text>')
        y += _GAP - 14
        for bar in bars:
            length = max(1.0, scale * (math.log10(bar.seconds) - low)) if bar.seconds > 0 else 1.0
            colour = _COLOURS.get(bar.engine.partition(":")[0], "#555555")
            faint = ' fill-opacity="0.55" stroke-dasharray="3 2"' if bar.extrapolated else ""
            note = " (extrapolated)" if bar.extrapolated else ""
            parts.append(
                f'<text x="{_LABELS - 8}" y="{y + 12}" text-anchor="end">{escape(bar.engine)}'
                f'</text><rect x="{_LABELS}" y="{y + 2}" width="{length:.1f}" height="{_ROW - 5}" '
                f'fill="{colour}" stroke="{colour}"{faint}/>'
                f'<text x="{_LABELS + length + 6:.1f}" y="{y + 12}">'
                f"{format_seconds(bar.seconds)}{note}</text>"
            )
            y += _ROW
        y += 14
    return "\n".join([*parts, "</svg>", ""])


def format_seconds(seconds: float) -> str:
    """Write a time with three digits and a fitting unit."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 0.9995:
            value = seconds * factor
            return f"{value:,.0f} {unit}" if value >= 99.95 else f"{value:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
