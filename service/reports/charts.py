"""Charts as data: bars, stacked bars, dots with an interval; ``page/report/charts.js`` draws them.

Each has a title and its values as text, for those who do not see it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

SERIES: Final = 5
"""How many series can be told apart by their colours."""


class Bar(NamedTuple):
    """One bar: its label, its value and what is written at its end (the value by default)."""

    label: str
    value: float
    note: str = ""


class IntervalDot(NamedTuple):
    """One dot with its interval; all three on the scale of the chart."""

    label: str
    value: float
    low: float
    high: float
    note: str = ""


class Stack(NamedTuple):
    """One bar in parts, in the order of the series."""

    label: str
    parts: tuple[float, ...]
    note: str = ""


@dataclass(frozen=True)
class Bars:
    """Bars across, one below the other, each under its label; values from 0.

    Examples
    --------
    >>> chart_dict(Bars("Calls", [Bar("1N", 412), Bar("2C", 51, "51 deals")]))["spoken"]
    '1N: 412; 2C: 51 deals'
    """

    title: str
    rows: Sequence[Bar]

    def __post_init__(self) -> None:
        _check([row.value for row in self.rows])


@dataclass(frozen=True)
class Stacks:
    """Bars in parts, one for each of ``series`` (:data:`SERIES` at most), with a legend.

    ``whole`` bars have full length and their parts are shares of it.
    """

    title: str
    rows: Sequence[Stack]
    series: Sequence[str]
    whole: bool = True

    def __post_init__(self) -> None:
        if not 0 < len(self.series) <= SERIES:
            raise ValueError(f"expected 1 to {SERIES} series, got {len(self.series)}")
        if any(len(row.parts) != len(self.series) for row in self.rows):
            raise ValueError(f"expected {len(self.series)} parts in every bar")
        _check([part for row in self.rows for part in row.parts])


@dataclass(frozen=True)
class Intervals:
    """Dots with an interval each, under their labels, on one scale from ``low`` to ``high``.

    What lies beyond is drawn at the end; ``ends`` is written there. ``middle`` is where a line is
    drawn down, such as 0 for differences.
    """

    title: str
    rows: Sequence[IntervalDot]
    low: float = 0
    high: float = 1
    ends: tuple[str, str] = ("0 %", "100 %")
    middle: float | None = None

    def __post_init__(self) -> None:
        if not self.high > self.low:
            raise ValueError(
                f"expected a scale from low to high, got {self.low!r} to {self.high!r}"
            )


AnyChart: TypeAlias = Bars | Stacks | Intervals


def chart_dict(chart: AnyChart) -> dict[str, Any]:
    """Write a chart as a report's JSON has it, with what it shows in words."""
    found: dict[str, Any]
    match chart:
        case Stacks():
            found = {"kind": "stacks", "series": chart.series, "whole": chart.whole}
            found["rows"] = [row._asdict() for row in chart.rows]
            spoken = [f"{row.label}: {_parts(chart.series, row)}" for row in chart.rows]
        case Bars():
            bars = [row._replace(note=row.note or _number(row.value)) for row in chart.rows]
            found = {"kind": "bars", "rows": [row._asdict() for row in bars]}
            spoken = [f"{row.label}: {row.note}" for row in bars]
        case Intervals():
            dots = [row._replace(note=row.note or _number(row.value)) for row in chart.rows]
            scale = {name: getattr(chart, name) for name in ("low", "high", "ends", "middle")}
            found = {"kind": "intervals", "rows": [row._asdict() for row in dots], **scale}
            spoken = [
                f"{row.label}: {row.note}, interval {_number(row.low)} to {_number(row.high)}"
                for row in dots
            ]
    return {"title": chart.title, "spoken": "; ".join(spoken), **found}


def _parts(series: Sequence[str], row: Stack) -> str:
    return ", ".join(
        f"{name} {_number(part)}" for name, part in zip(series, row.parts, strict=True)
    )


def _check(values: Sequence[float]) -> None:
    for value in values:
        if not value >= 0:
            raise ValueError(f"expected values from 0, got {value!r}")


def _number(value: float) -> str:
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:,.1f}"
