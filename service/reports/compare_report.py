"""Report on a match of two systems: a page of numbers, charts and deals, and its files."""

import json
from pathlib import Path
from typing import Any, Final

import polars as pl

from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.workshop.boards.compare_summary import (
    Estimate,
    MatchExample,
    MatchSummary,
    SystemResult,
)
from bidcascade.workshop.boards.scored_boards import CATEGORIES

from .charts import IntervalDot, Intervals, Stack, Stacks
from .report_page import (
    Chart,
    Numbers,
    Page,
    PageBlock,
    ReportTable,
    Section,
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


def write_compare_report(summary: MatchSummary, boards: pl.DataFrame, folder: Path) -> list[Path]:
    """Write the files of a report into a folder that exists, and return their paths.

    ``boards`` is that of :func:`bidcascade.workshop.boards.compare_summary.boards_frame`.
    """
    page = compare_page(summary)
    answer = plain(summary)
    written = json.dumps(answer, indent=1, ensure_ascii=False) + "\n"
    texts = {HTML: page_html(page, answer), MARKDOWN: page_markdown(page), SUMMARY: written}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    boards.write_parquet(folder / BOARDS)
    divergence_frame(summary).write_parquet(folder / DIVERGENCES)
    return [folder / name for name in (*texts, BOARDS, DIVERGENCES)]


def divergence_frame(summary: MatchSummary) -> pl.DataFrame:
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


def compare_page(summary: MatchSummary) -> Page:
    """Make the page of a match."""
    first, second = summary.names
    examples = [
        block
        for one in summary.examples
        for block in (_example(one, summary.names), Text(one.text, soft=True))
    ]
    vulnerabilities = ReportTable(
        f"IMPs a deal for {first} by vulnerability",
        (("vulnerable", "text"), ("of deals", "percent"), ("IMPs", "text")),
        tuple(
            (name, share.value, signed_text(imps))
            for name, (share, imps) in summary.vulnerabilities.items()
        ),
    )
    return Page(
        f"{first} against {second}",
        f"{summary.deals:,} deals bid at two tables; IMPs are for {first}",
        (
            Section("Result", _result(summary)),
            Section("Where the auctions part", _parting(summary)),
            Section("Contracts", _contracts(summary.systems)),
            Section("Vulnerability", (vulnerabilities,)),
            Section(
                "Deals with the largest swings",
                tuple(examples) or (Text("No deal that was worked out had a swing."),),
            ),
            Section("How this was worked out", _method(summary)),
        ),
    )


def _result(summary: MatchSummary) -> tuple[PageBlock, ...]:
    first, second = summary.names
    outcomes = summary.outcomes
    pairs = (
        (f"IMPs a deal for {first}", signed_text(summary.imps)),
        (
            "the same where each contract that fails is doubled",
            signed_text(summary.defended_imps),
        ),
        ("the same with leads by who sees one hand", blind_text(summary)),
        (f"points a deal for {first}", signed_text(summary.points, digits=1)),
        (f"deals that {first} wins", rate_text(outcomes["won"])),
        (f"deals that {second} wins", rate_text(outcomes["lost"])),
        ("deals with different auctions", rate_text(outcomes["other auction"])),
        ("deals with different contracts", rate_text(outcomes["other contract"])),
    )
    return Text(verdict(summary)), Numbers(pairs)


def blind_text(summary: MatchSummary, *, digits: int = 2) -> str:
    """Write the result with blind leads, and how many deals were led."""
    if summary.blind_imps.value is None:
        return "unknown, no deal was led (--lead-budget)"
    return f"{signed_text(summary.blind_imps, digits=digits)} ({summary.led:,} deals led)"


def verdict(summary: MatchSummary) -> str:
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


def _parting(summary: MatchSummary) -> tuple[PageBlock, ...]:
    first, second = summary.names
    rows = summary.divergences
    if not rows:
        return (Text("At no place did enough auctions part to tell what that brings."),)
    drawn = []
    for one in rows[:_CHART_ROWS]:
        calls = f"{call_text(one.where.first)} / {call_text(one.where.second)}"
        value, margin = one.effect.value or 0.0, one.effect.margin or 0.0
        label = f"{auction_text(one.where.before)}: {calls}"
        drawn.append(IntervalDot(label, value, value - margin, value + margin, f"{value:+.4f}"))
    reach = max(max(abs(one.low), abs(one.high)) for one in drawn) or 1.0
    chart = Intervals(
        "IMPs a deal by divergence, with 95 % intervals",
        drawn,
        low=-reach,
        high=reach,
        ends=(f"{-reach:+.3f}", f"{reach:+.3f}"),
        middle=0.0,
    )
    return (
        Text(
            "The first call that was different at the two tables, and what the deals that parted "
            f"there add to the mean: above zero they were won by {first}. Passes before the first "
            "bid are left out."
        ),
        Chart(f"IMPs a deal for {first}, by divergence", chart),
        ReportTable(
            "Divergences, surest effect first",
            (
                ("after", "auction"), (first, "auction"), (second, "auction"),
                ("examined", "number"), ("of deals", "percent"), ("IMPs there", "text"),
                ("adds per deal", "text"),
            ),
            tuple(
                (
                    one.where.before, (one.where.first,), (one.where.second,), one.examined,
                    one.share.value, signed_text(one.imps), signed_text(one.effect, digits=4),
                )
                for one in rows
            ),
        ),
    )  # fmt: skip


def _contracts(systems: tuple[SystemResult, SystemResult]) -> tuple[PageBlock, ...]:
    names = CATEGORIES[1:]
    series = [f"{name}s" for name in names]
    heads = ("declared", *series, "doubled")
    mix = [
        Stack(
            one.name,
            tuple(100 * (one.per_deal[name].value or 0.0) for name in names),
            f"{100 * (one.per_deal['declared'].value or 0.0):.1f} declared",
        )
        for one in systems
    ]
    first, second = (dict(one.contracts) for one in systems)
    commonest = sorted(
        {**first, **second}, key=lambda name: -(first.get(name, 0) + second.get(name, 0))
    )
    return (
        Text(
            "Contracts that a system's side declared, for 100 deals: each deal is played at two "
            "tables, and each system sits there once in either direction."
        ),
        Chart(
            "Contracts for 100 deals",
            Stacks("Contract mix of either system", mix, series, whole=False),
        ),
        ReportTable(
            "Contracts for 100 deals, with standard errors",
            (("system", "text"), *((name, "text") for name in heads)),
            tuple(
                (
                    one.name,
                    *(_hundred(one.per_deal[name]) for name in ("declared", *names, "doubled")),
                )
                for one in systems
            ),
        ),
        ReportTable(
            "Contracts that were made, and auctions",
            (
                ("system", "text"), ("made where results differ", "text"),
                ("calls of an auction", "text"),
            ),
            tuple(
                (one.name, rate_text(one.made), signed_text(one.length, sign=""))
                for one in systems
            ),
        ),
        ReportTable(
            "Commonest contracts, as part of those that a side declared",
            (("contract", "text"), *((one.name, "percent") for one in systems)),
            tuple((name, first.get(name), second.get(name)) for name in commonest),
        ),
    )  # fmt: skip


def _example(one: MatchExample, names: tuple[str, str]) -> ReportTable:
    return ReportTable(
        f"Deal {one.deal + 1:,}: {one.imps:+d} IMPs for {names[0]}; {one.dealer} dealt, "
        f"vulnerable: {one.vulnerability}",
        (
            ("North-South, East-West", "text"), ("auction", "auction"), ("contract", "text"),
            ("tricks", "number"), ("score NS", "number"),
        ),
        tuple(
            (
                f"{names[table]} {names[1 - table]}", one.auctions[table], one.contracts[table],
                one.tricks[table], one.scores[table],
            )
            for table in range(2)
        ),
    )  # fmt: skip


def _method(summary: MatchSummary) -> tuple[PageBlock, ...]:
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
    """Write an estimate with its standard error."""
    if estimate.value is None:
        return _UNKNOWN
    value = f"{estimate.value:{sign}.{digits}f}"
    return value if estimate.error is None else f"{value} ± {estimate.error:.{digits}f}"


def _hundred(estimate: Estimate) -> str:
    return signed_text(Estimate(*(None if one is None else 100 * one for one in estimate)), sign="")


def rate_text(estimate: Estimate) -> str:
    """Write a share with its standard error."""
    if estimate.value is None:
        return _UNKNOWN
    value = percent_text(estimate.value)
    return value if estimate.error is None else f"{value} ± {percent_text(estimate.error)}"
