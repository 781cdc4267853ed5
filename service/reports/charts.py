"""Charts as inline SVG: bars, stacked bars, dots with an interval, columns.

Lengths across are per cent of the width and text has its own size, so a chart is as readable on a
phone as on a wide screen; nothing is scaled. Colours are classes of the page's style sheet
(``c1`` … ``c5``), which knows light and dark. Every chart has a title, a description and its values
as text; nothing is told by colour alone. No scripts, no style attributes, no ids but those given.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .escaping import html_text

SERIES = 5
"""How many series can be told apart by their colours."""

_ROW = 42
_BAR = 14
_COLUMN_HEIGHT = 150


class Bar(NamedTuple):
    """One bar: its label, its value and what is written at its end (the value by default)."""

    label: str
    value: float
    note: str = ""


class Interval(NamedTuple):
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


def bars(rows: Sequence[Bar], *, name: str, title: str, most: float | None = None) -> str:
    """Bars across, one below the other, each under its label.

    Parameters
    ----------
    rows : sequence of Bar
        Values from 0.
    name : str
        Letters and hyphens, once on a page; ids are made of it.
    title : str
        What the chart shows, for those who do not see it.
    most : float, optional
        Value of a bar of full length; the largest by default.

    Raises
    ------
    ValueError
        If a value is negative.

    Examples
    --------
    >>> svg = bars([Bar("1N", 412), Bar("2C <b>", 51, "51 deals")], name="calls", title="Calls")
    >>> "2C &lt;b&gt;" in svg, svg.count("<rect")
    (True, 2)
    """
    _check(row.value for row in rows)
    full = most or max((row.value for row in rows), default=0) or 1
    parts = []
    for number, row in enumerate(rows):
        top = number * _ROW
        parts.append(_label(row.label, row.note or _number(row.value), top))
        parts.append(_rect(0, row.value / full, top + 20, "c1"))
    return _svg("".join(parts), len(rows) * _ROW, name, title, _spoken(rows))


def stacks(
    rows: Sequence[Stack], series: Sequence[str], *, name: str, title: str, whole: bool = True
) -> str:
    """Bars in parts, with a legend.

    Parameters
    ----------
    rows : sequence of Stack
        Parts from 0, one for each of ``series``.
    series : sequence of str
        Names of the parts, at most :data:`SERIES`.
    name, title : str
        See :func:`bars`.
    whole : bool
        Whether every bar has full length and its parts are shares of it.

    Raises
    ------
    ValueError
        If there are too many series, or a part is negative or missing.

    Examples
    --------
    >>> svg = stacks([Stack("opening", (90, 10))], ["agrees", "differs"], name="s", title="Share")
    >>> svg.count('class="c2"'), 'width="90.00%"' in svg
    (1, True)
    """
    if not 0 < len(series) <= SERIES:
        raise ValueError(f"expected 1 to {SERIES} series, got {len(series)}")
    if any(len(row.parts) != len(series) for row in rows):
        raise ValueError(f"expected {len(series)} parts in every bar")
    _check(part for row in rows for part in row.parts)
    longest = max((sum(row.parts) for row in rows), default=0) or 1
    drawn = []
    for number, row in enumerate(rows):
        top = number * _ROW
        full = (sum(row.parts) or 1) if whole else longest
        drawn.append(_label(row.label, row.note, top))
        begin = 0.0
        for place, part in enumerate(row.parts):
            drawn.append(_rect(begin / full, part / full, top + 20, f"c{place + 1}"))
            begin += part
    spoken = "; ".join(
        f"{row.label}: "
        + ", ".join(f"{one} {_number(part)}" for one, part in zip(series, row.parts, strict=True))
        for row in rows
    )
    return legend(series) + _svg("".join(drawn), len(rows) * _ROW, name, title, spoken)


def intervals(
    rows: Sequence[Interval], *, name: str, title: str, low: float = 0, high: float = 1,
    ends: tuple[str, str] = ("0 %", "100 %"), middle: float | None = None,
) -> str:  # fmt: skip
    """Dots with an interval each, under their labels, on one scale.

    Parameters
    ----------
    rows : sequence of Interval
    name, title : str
        See :func:`bars`.
    low, high : float
        Ends of the scale; what lies beyond is drawn at the end.
    ends : tuple of str
        What is written at the ends.
    middle : float, optional
        Where to draw a line down, such as 0 for differences.

    Raises
    ------
    ValueError
        If the scale has no length.

    Examples
    --------
    >>> rows = [Interval("1N P", 0.2, 0.1, 0.35, "8 of 40")]
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

    height = len(rows) * _ROW + 18
    drawn = []
    if middle is not None:
        x = across(middle)
        drawn.append(f'<line class="grid" x1="{x}" x2="{x}" y1="18" y2="{height - 18}"/>')
    for number, row in enumerate(rows):
        top = number * _ROW
        y = top + 27
        drawn.append(_label(row.label, row.note or _number(row.value), top))
        drawn.append(f'<line class="grid" x1="0%" x2="100%" y1="{y}" y2="{y}"/>')
        drawn.append(
            f'<line class="l1" x1="{across(row.low)}" x2="{across(row.high)}" y1="{y}" y2="{y}"/>'
        )
        drawn.append(f'<circle cx="{across(row.value)}" cy="{y}" r="5" class="c1"/>')
    drawn.append(_text(ends[0], "0%", height - 4, "small"))
    drawn.append(_text(ends[1], "100%", height - 4, "small end"))
    spoken = "; ".join(
        f"{row.label}: {row.note or _number(row.value)}, interval {_number(row.low)} to "
        f"{_number(row.high)}"
        for row in rows
    )
    return _svg("".join(drawn), height, name, title, spoken)


def columns(rows: Sequence[Bar], *, name: str, title: str) -> str:
    """Columns side by side, for a histogram or something counted along the auction.

    Labels stand below, as many as there is room for; values above where there are few columns.

    Parameters
    ----------
    rows : sequence of Bar
        Values from 0.
    name, title : str
        See :func:`bars`.

    Raises
    ------
    ValueError
        If a value is negative.

    Examples
    --------
    >>> svg = columns([Bar(str(n), n) for n in range(4)], name="n", title="Numbers")
    >>> svg.count("<rect"), 'x="0.00%"' in svg
    (4, True)
    """
    _check(row.value for row in rows)
    full = max((row.value for row in rows), default=0) or 1
    count = len(rows) or 1
    # about a dozen labels fit the width of a phone, and half as many values
    every = -(-count // 12)
    top = 18
    drawn = []
    for number, row in enumerate(rows):
        height = row.value / full * _COLUMN_HEIGHT
        y = top + _COLUMN_HEIGHT - height
        left, width = 100 * number / count, 80 / count
        drawn.append(
            f'<rect class="c1" x="{left:.2f}%" y="{y:.1f}" width="{width:.2f}%" '
            f'height="{height:.1f}"><title>{html_text(row.label)}: '
            f"{html_text(row.note or _number(row.value))}</title></rect>"
        )
        centre = f"{left + width / 2:.2f}%"
        if number % every == 0:
            drawn.append(_text(row.label, centre, top + _COLUMN_HEIGHT + 16, "small mid"))
        if count <= 8:
            drawn.append(_text(row.note or _number(row.value), centre, y - 4, "small mid"))
    foot = top + _COLUMN_HEIGHT
    drawn.append(f'<line class="grid" x1="0%" x2="100%" y1="{foot}" y2="{foot}"/>')
    return _svg("".join(drawn), foot + 24, name, title, _spoken(rows))


def legend(series: Sequence[str]) -> str:
    """List of the series of a chart with their colours.

    Examples
    --------
    >>> legend(["agrees"])
    '<ul class="legend"><li><span class="key k1"></span>agrees</li></ul>'
    """
    items = "".join(
        f'<li><span class="key k{number}"></span>{html_text(one)}</li>'
        for number, one in enumerate(series, 1)
    )
    return f'<ul class="legend">{items}</ul>'


def _check(values: Iterable[float]) -> None:
    for value in values:
        if not value >= 0:
            raise ValueError(f"expected values from 0, got {value!r}")


def _spoken(rows: Sequence[Bar]) -> str:
    return "; ".join(f"{row.label}: {row.note or _number(row.value)}" for row in rows)


def _number(value: float) -> str:
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:,.1f}"


def _label(label: str, note: str, top: float) -> str:
    # the note stands at the right end of the line above the bar, the label at the left
    return _text(label, "0%", top + 14, "label") + _text(note, "100%", top + 14, "small end")


def _text(text: str, x: str, y: float, kind: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y:g}">{html_text(text)}</text>' if text else ""


def _rect(begin: float, length: float, y: float, kind: str) -> str:
    if length <= 0:
        return ""
    return (
        f'<rect class="{kind}" x="{100 * begin:.2f}%" y="{y:g}" '
        f'width="{100 * min(length, 1):.2f}%" height="{_BAR}"/>'
    )


def _svg(content: str, height: float, name: str, title: str, spoken: str) -> str:
    return (
        f'<svg class="chart" role="img" width="100%" height="{height:g}" '
        f'aria-labelledby="{name}-title {name}-description">'
        f'<title id="{name}-title">{html_text(title)}</title>'
        f'<desc id="{name}-description">{html_text(spoken)}</desc>{content}</svg>'
    )
