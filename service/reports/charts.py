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
    match chart:
        case Stacks(title, rows, series, whole):
            spoken = [
                f"{row.label}: "
                + ", ".join(
                    f"{name} {_number(part)}" for name, part in zip(series, row.parts, strict=True)
                )
                for row in rows
            ]
            found = {"kind": "stacks", "series": series, "whole": whole, "rows": _dicts(rows)}
        case Bars(title, rows):
            noted = [row._replace(note=row.note or _number(row.value)) for row in rows]
            spoken = [f"{row.label}: {row.note}" for row in noted]
            found = {"kind": "bars", "rows": _dicts(noted)}
        case Intervals(title, rows, low, high, ends, middle):
            dots = [row._replace(note=row.note or _number(row.value)) for row in rows]
            spoken = [
                f"{row.label}: {row.note}, interval {_number(row.low)} to {_number(row.high)}"
                for row in dots
            ]
            scale = {"low": low, "high": high, "ends": ends, "middle": middle}
            found = {"kind": "intervals", "rows": _dicts(dots), **scale}
    return {"title": title, "spoken": "; ".join(spoken), **found}


def _dicts(rows: Sequence[Bar | IntervalDot | Stack]) -> list[dict[str, Any]]:
    return [row._asdict() for row in rows]


def _check(values: Sequence[float]) -> None:
    for value in values:
        if not value >= 0:
            raise ValueError(f"expected values from 0, got {value!r}")


def _number(value: float) -> str:
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:,.1f}"
