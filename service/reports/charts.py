"""Charts as inline SVG: bars, stacked bars, dots with an interval.

Lengths across are per cent of the width and text has its own size, so a chart is as readable on a
phone as on a wide screen; nothing is scaled. Colours are classes of the page's style sheet
(``c1`` … ``c5``), which knows light and dark. Every chart has a title, a description and its values
as text; nothing is told by colour alone. No scripts, no style attributes, no ids but those given.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .report_page import html_text

SERIES = 5
"""How many series can be told apart by their colours."""

_ROW = 42


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


def bars(rows: Sequence[Bar], *, name: str, title: str) -> str:
    """Bars across, one below the other, each under its label.

    Parameters
    ----------
    rows : sequence of Bar
        Values from 0.
    name : str
        Letters and hyphens, once on a page; ids are made of it.
    title : str
        What the chart shows, for those who do not see it.

    Examples
    --------
    >>> svg = bars([Bar("1N", 412), Bar("2C <b>", 51, "51 deals")], name="calls", title="Calls")
    >>> "2C &lt;b&gt;" in svg, svg.count("<rect")
    (True, 2)
    """
    _check([row.value for row in rows])
    full = max((row.value for row in rows), default=0) or 1
    drawn = ""
    for number, row in enumerate(rows):
        top = number * _ROW
        drawn += _label(row.label, row.note or _number(row.value), top)
        drawn += _rect(0, row.value / full, top, "c1")
    spoken = (f"{row.label}: {row.note or _number(row.value)}" for row in rows)
    return _svg(drawn, len(rows) * _ROW, name, title, spoken)


def stacks(
    rows: Sequence[Stack], series: Sequence[str], *, name: str, title: str, whole: bool = True
) -> str:
    """Bars in parts, one for each of ``series`` (:data:`SERIES` at most), with a legend.

    ``whole`` bars have full length and their parts are shares of it.
    """
    if not 0 < len(series) <= SERIES:
        raise ValueError(f"expected 1 to {SERIES} series, got {len(series)}")
    if any(len(row.parts) != len(series) for row in rows):
        raise ValueError(f"expected {len(series)} parts in every bar")
    _check([part for row in rows for part in row.parts])
    longest = max((sum(row.parts) for row in rows), default=0) or 1
    drawn, spoken = "", []
    for number, row in enumerate(rows):
        top, begin = number * _ROW, 0.0
        full = (sum(row.parts) or 1) if whole else longest
        drawn += _label(row.label, row.note, top)
        for place, part in enumerate(row.parts, 1):
            drawn += _rect(begin / full, part / full, top, f"c{place}")
            begin += part
        texts = (f"{one} {_number(part)}" for one, part in zip(series, row.parts, strict=True))
        spoken.append(f"{row.label}: {', '.join(texts)}")
    legend = "".join(
        f'<li><span class="key k{number}"></span>{html_text(one)}</li>'
        for number, one in enumerate(series, 1)
    )
    chart = _svg(drawn, len(rows) * _ROW, name, title, spoken)
    return f'<ul class="legend">{legend}</ul>{chart}'


def intervals(
    rows: Sequence[IntervalDot],
    *,
    name: str,
    title: str,
    low: float = 0,
    high: float = 1,
    ends: tuple[str, str] = ("0 %", "100 %"),
    middle: float | None = None,
) -> str:
    """Dots with an interval each, under their labels, on one scale from ``low`` to ``high``.

    What lies beyond is drawn at the end; ``ends`` is written there. ``middle`` is where a line is
    drawn down, such as 0 for differences.

    Examples
    --------
    >>> rows = [IntervalDot("1N P", 0.2, 0.1, 0.35, "8 of 40")]
    >>> svg = intervals(rows, name="worst", title="Wrong bids")
    >>> '<circle cx="20.00%"' in svg, "8 of 40" in svg
    (True, True)
    """
    if not high > low:
        raise ValueError(f"expected a scale from low to high, got {low!r} to {high!r}")

    def across(value: float) -> str:
        # a little room on both sides, so that the dots at the ends are whole
        share = min(max((value - low) / (high - low), 0), 1)
        return f"{share * 98 + 1 if middle is not None else share * 100:.2f}%"

    def line(kind: str, x: tuple[str, str], y: tuple[float, float]) -> str:
        return f'<line class="{kind}" x1="{x[0]}" x2="{x[1]}" y1="{y[0]}" y2="{y[1]}"/>'

    height = len(rows) * _ROW + 18
    drawn, spoken = "", []
    if middle is not None:
        drawn += line("grid", (across(middle),) * 2, (18, height - 18))
    for number, row in enumerate(rows):
        note = row.note or _number(row.value)
        y = number * _ROW + 27
        drawn += _label(row.label, note, number * _ROW) + line("grid", ("0%", "100%"), (y, y))
        drawn += line("l1", (across(row.low), across(row.high)), (y, y))
        drawn += f'<circle cx="{across(row.value)}" cy="{y}" r="5" class="c1"/>'
        scale = f"{_number(row.low)} to {_number(row.high)}"
        spoken.append(f"{row.label}: {note}, interval {scale}")
    drawn += _text(ends[0], "0%", height - 4, "small")
    drawn += _text(ends[1], "100%", height - 4, "small end")
    return _svg(drawn, height, name, title, spoken)


def _check(values: Sequence[float]) -> None:
    for value in values:
        if not value >= 0:
            raise ValueError(f"expected values from 0, got {value!r}")


def _number(value: float) -> str:
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:,.1f}"


def _label(label: str, note: str, top: float) -> str:
    # the note stands at the right end of the line above the bar, the label at the left
    return _text(label, "0%", top + 14, "label") + _text(note, "100%", top + 14, "small end")


def _text(text: str, x: str, y: float, kind: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y:g}">{html_text(text)}</text>' if text else ""


def _rect(begin: float, length: float, top: float, kind: str) -> str:
    if length <= 0:
        return ""
    return (
        f'<rect class="{kind}" x="{100 * begin:.2f}%" y="{top + 20:g}" '
        f'width="{100 * min(length, 1):.2f}%" height="14"/>'
    )


def _svg(drawn: str, height: float, name: str, title: str, spoken: Iterable[str]) -> str:
    return (
        f'<svg class="chart" role="img" width="100%" height="{height:g}" '
        f'aria-labelledby="{name}-title {name}-description">'
        f'<title id="{name}-title">{html_text(title)}</title>'
        f'<desc id="{name}-description">{html_text("; ".join(spoken))}</desc>{drawn}</svg>'
    )
