"""A bar chart as SVG: one group of bars a workload, seconds on a logarithmic axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _LABELS, _ROW, _GAP, _HEAD = 860, 150, 18, 34, 44
_COLOURS = {
    "cpu": "#2a7f62", "cuda": "#1f5fa8", "reference": "#888888", "lists": "#7aa874",
    "numpy": "#c9a227", "polars": "#b5533c", "polars-frames": "#d08a73", "cudf": "#8c6bb1",
}  # fmt: skip


@dataclass(frozen=True)
class Bar:
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
