"""Report on a match of two systems: a page of numbers, charts and deals, and its files."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl

from bidcascade.inference.compare_summary import (
    CATEGORIES,
    DivergenceResult,
    Estimate,
    Example,
    Summary,
    SystemResult,
)

from .charts import Interval, Stack, intervals, stacks
from .page import (
    Block,
    Chart,
    Kind,
    Numbers,
    Page,
    Section,
    Table,
    Text,
    auction_text,
    call_text,
    page_html,
    page_markdown,
    percent_text,
)

BOARDS: Final = "boards.parquet"
DIVERGENCES: Final = "divergences.parquet"
SUMMARY: Final = "summary.json"
MARKDOWN: Final = "report.md"
HTML: Final = "report.html"

_CHART_ROWS: Final = 14
_UNKNOWN: Final = "unknown"


def write_compare_report(summary: Summary, boards: pl.DataFrame, folder: Path) -> list[Path]:
    """Write the files of a report into a folder that exists.

    Parameters
    ----------
    summary : Summary
    boards : polars.DataFrame
        Of :func:`bidcascade.inference.compare_summary.boards_frame`.
    folder : Path

    Returns
    -------
    list of Path
        ``report.html``, ``report.md``, ``summary.json``, ``boards.parquet``,
        ``divergences.parquet``.
    """
    page = compare_page(summary)
    paths = [folder / name for name in (HTML, MARKDOWN, SUMMARY, BOARDS, DIVERGENCES)]
    paths[0].write_text(page_html(page), encoding="utf-8")
    paths[1].write_text(page_markdown(page), encoding="utf-8")
    paths[2].write_text(
        json.dumps(summary_dict(summary), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    boards.write_parquet(paths[3])
    divergence_frame(summary).write_parquet(paths[4])
    return paths


def summary_dict(summary: Summary) -> dict[str, Any]:
    """Write a summary as JSON can hold it: estimates as value and error, auctions as text.

    Examples
    --------
    >>> plain(Estimate(0.5)), plain((7, 0))
    ({'value': 0.5, 'error': None, 'margin': None}, [7, 0])
    """
    found: dict[str, Any] = plain(summary)
    return found


def plain(value: Any) -> Any:
    """Turn dataclasses, named tuples and tuples into dictionaries and lists.

    Examples
    --------
    >>> plain({"imps": Estimate(0.5, 0.1, 0.2)})
    {'imps': {'value': 0.5, 'error': 0.1, 'margin': 0.2}}
    """
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if hasattr(value, "_asdict"):
        return {name: plain(one) for name, one in value._asdict().items()}
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value


def divergence_frame(summary: Summary) -> pl.DataFrame:
    """Write the places where auctions parted as a frame, one row each."""
    rows = summary.divergences
    columns: dict[str, Any] = {
        "before": pl.Series([list(one.where.before) for one in rows], dtype=pl.List(pl.UInt8)),
        "first": pl.Series([one.where.first for one in rows], dtype=pl.UInt8),
        "second": pl.Series([one.where.second for one in rows], dtype=pl.UInt8),
        "examined": pl.Series([one.examined for one in rows], dtype=pl.UInt32),
    }
    for name in ("share", "imps", "effect"):
        estimates = [getattr(one, name) for one in rows]
        columns[name] = pl.Series([one.value for one in estimates], dtype=pl.Float64)
        columns[f"{name}_error"] = pl.Series([one.error for one in estimates], dtype=pl.Float64)
        columns[f"{name}_margin"] = pl.Series([one.margin for one in estimates], dtype=pl.Float64)
    return pl.DataFrame(columns)


# --- the page -------------------------------------------------------------------------------------


def compare_page(summary: Summary) -> Page:
    """Make the page of a match."""
    first, second = summary.names
    sections = [
        Section("Result", _result(summary)),
        Section("Where the auctions part", _parting(summary)),
        Section("Contracts", _contracts(summary)),
        Section("Vulnerability", _vulnerability(summary)),
        Section("Deals with the largest swings", _examples(summary)),
        Section("How this was worked out", _method(summary)),
    ]
    return Page(
        f"{first} against {second}",
        f"{summary.deals:,} deals bid at two tables; IMPs are for {first}", tuple(sections),
    )  # fmt: skip


def _result(summary: Summary) -> tuple[Block, ...]:
    first, second = summary.names
    outcomes = summary.outcomes
    pairs = (
        (f"IMPs a deal for {first}", signed_text(summary.imps)),
        (f"points a deal for {first}", signed_text(summary.points, digits=1)),
        (f"deals that {first} wins", rate_text(outcomes["won"])),
        (f"deals that {second} wins", rate_text(outcomes["lost"])),
        ("deals with different auctions", rate_text(outcomes["other auction"])),
        ("deals with different contracts", rate_text(outcomes["other contract"])),
    )
    return Text(verdict(summary)), Numbers(pairs)


def verdict(summary: Summary) -> str:
    """Say in a sentence who is ahead, and how sure that is."""
    first, second = summary.names
    value, _, margin = summary.imps
    if not summary.kinds["differs"]:
        return "Both systems come to the same results on every deal."
    if value is None or margin is None:
        return "Too few deals were worked out to tell how sure this result is: more deals would."
    low, high = value - margin, value + margin
    between = f"between {low:+.2f} and {high:+.2f} IMPs a deal in 95 of 100 such samples"
    if low > 0:
        return f"{first} is ahead of {second}: {between}."
    if high < 0:
        return f"{second} is ahead of {first}: for {first} {between}."
    return f"Neither system is ahead for certain: for {first} {between}."


def _parting(summary: Summary) -> tuple[Block, ...]:
    first, second = summary.names
    rows = summary.divergences
    if not rows:
        return (Text("At no place did enough auctions part to tell what that brings."),)
    shown = rows[:_CHART_ROWS]
    blocks: list[Block] = [
        Text(
            "The first call that was different at the two tables, and what the deals that parted "
            f"there add to the mean: above zero they were won by {first}. Passes before the first "
            "bid are left out."
        )
    ]
    blocks.append(Chart(f"IMPs a deal for {first}, by divergence", _parting_chart(shown)))
    columns: tuple[tuple[str, Kind], ...] = (
        ("after", "auction"), (first, "auction"), (second, "auction"), ("examined", "number"),
        ("of deals", "percent"), ("IMPs there", "text"), ("adds per deal", "text"),
    )  # fmt: skip
    blocks.append(
        Table(
            "Divergences, surest effect first",
            columns,
            tuple(
                (
                    one.where.before, (one.where.first,), (one.where.second,), one.examined,
                    one.share.value, signed_text(one.imps), signed_text(one.effect, digits=4),
                )
                for one in rows
            ),
        )
    )  # fmt: skip
    return tuple(blocks)


def _parting_chart(rows: Sequence[DivergenceResult]) -> str:
    drawn = []
    for one in rows:
        before, calls = auction_text(one.where.before), (one.where.first, one.where.second)
        value, margin = one.effect.value or 0.0, one.effect.margin or 0.0
        label = f"{before}: {' / '.join(map(call_text, calls))}"
        drawn.append(Interval(label, value, value - margin, value + margin, f"{value:+.4f}"))
    reach = max((max(abs(one.low), abs(one.high)) for one in drawn), default=0.0) or 1.0
    return intervals(
        drawn, name="divergences", title="IMPs a deal by divergence, with 95 % intervals",
        low=-reach, high=reach, ends=(f"{-reach:+.3f}", f"{reach:+.3f}"), middle=0.0,
    )  # fmt: skip


def _contracts(summary: Summary) -> tuple[Block, ...]:
    names = CATEGORIES[1:]
    series = tuple(f"{name}s" for name in names)
    drawn = [
        Stack(
            one.name, tuple(100 * (one.per_deal[name].value or 0.0) for name in names),
            f"{100 * (one.per_deal['declared'].value or 0.0):.1f} declared",
        )
        for one in summary.systems
    ]  # fmt: skip
    head: tuple[tuple[str, Kind], ...] = (
        ("system", "text"),
        *((name, "text") for name in ("declared", *series, "doubled")),
    )
    rows = tuple(
        (
            one.name,
            *(
                _hundred(one.per_deal[name])
                for name in ("declared", *names, "doubled")
            ),
        )
        for one in summary.systems
    )  # fmt: skip
    return (
        Text(
            "Contracts that a system's side declared, for 100 deals: each deal is played at two "
            "tables, and each system sits there once in either direction."
        ),
        Chart("Contracts for 100 deals", stacks(
            drawn, series, name="mix", title="Contract mix of either system", whole=False
        )),
        Table("Contracts for 100 deals, with standard errors", head, rows),
        Table(
            "Contracts that were made, and auctions",
            (
                ("system", "text"),
                ("made where results differ", "text"),
                ("calls of an auction", "text"),
            ),
            tuple(
                (one.name, rate_text(one.made), signed_text(one.length, sign=""))
                for one in summary.systems
            ),
        ),
        _commonest(summary.systems),
    )  # fmt: skip


def _commonest(systems: tuple[SystemResult, SystemResult]) -> Table:
    first, second = (dict(one.contracts) for one in systems)
    names = list(dict.fromkeys([*first, *second]))
    names.sort(key=lambda name: -(first.get(name, 0) + second.get(name, 0)))
    return Table(
        "Commonest contracts, as part of those that a side declared",
        (("contract", "text"), (systems[0].name, "percent"), (systems[1].name, "percent")),
        tuple((name, first.get(name), second.get(name)) for name in names),
    )


def _vulnerability(summary: Summary) -> tuple[Block, ...]:
    return (
        Table(
            f"IMPs a deal for {summary.names[0]} by vulnerability",
            (("vulnerable", "text"), ("of deals", "percent"), ("IMPs", "text")),
            tuple(
                (name, share.value, signed_text(imps))
                for name, (share, imps) in summary.vulnerabilities.items()
            ),
        ),
    )


def _examples(summary: Summary) -> tuple[Block, ...]:
    if not summary.examples:
        return (Text("No deal that was worked out had a swing."),)
    return tuple(
        block
        for one in summary.examples
        for block in (_example(one, summary.names), Text(one.text, soft=True))
    )


def _example(one: Example, names: tuple[str, str]) -> Table:
    caption = (
        f"Deal {one.deal + 1:,}: {one.imps:+d} IMPs for {names[0]}; {one.dealer} dealt, "
        f"vulnerable: {one.vulnerability}"
    )
    rows = tuple(
        (
            f"{names[table]} {names[1 - table]}", one.auctions[table], one.contracts[table],
            one.tricks[table], one.scores[table],
        )
        for table in range(2)
    )  # fmt: skip
    return Table(
        caption,
        (
            ("North-South, East-West", "text"), ("auction", "auction"), ("contract", "text"),
            ("tricks", "number"), ("score NS", "number"),
        ),
        rows,
    )  # fmt: skip


def _method(summary: Summary) -> tuple[Block, ...]:
    kinds = summary.kinds
    pairs = (
        ("deals with the same contract at both tables", f"{kinds['same']:,}"),
        ("deals with different contracts", f"{kinds['differs']:,}"),
        ("of these worked out", f"{summary.examined:,}"),
        ("double-dummy results", f"{summary.solved:,}"),
        *((f"seconds, {name}", f"{spent:,.1f}") for name, spent in summary.seconds.items()),
    )
    return (
        Text(
            "Both systems bid every deal to its end at both tables. Deals that come to one "
            "contract are flat. Of the others those that were worked out, in random order, were "
            "played double dummy. The deals are a random sample: the standard error (±) accounts "
            "for the deals that were not dealt or not worked out, not for what double dummy does "
            "not know."
        ),
        Numbers(pairs),
    )


def signed_text(estimate: Estimate, *, digits: int = 2, sign: str = "+") -> str:
    """Write an estimate with its standard error.

    Examples
    --------
    >>> signed_text(Estimate(0.5, 0.1)), signed_text(Estimate(-1), sign="")
    ('+0.50 ± 0.10', '-1.00')
    """
    if estimate.value is None:
        return _UNKNOWN
    value = f"{estimate.value:{sign}.{digits}f}"
    return value if estimate.error is None else f"{value} ± {estimate.error:.{digits}f}"


def _hundred(estimate: Estimate) -> str:
    return signed_text(Estimate(*(None if one is None else 100 * one for one in estimate)), sign="")


def rate_text(estimate: Estimate) -> str:
    """Write a share with its standard error.

    Examples
    --------
    >>> rate_text(Estimate(0.5, 0.015))
    '50.0 % ± 1.5 %'
    """
    if estimate.value is None:
        return _UNKNOWN
    value = percent_text(estimate.value)
    return value if estimate.error is None else f"{value} ± {percent_text(estimate.error)}"
