"""Report on a benchmark: text for a terminal, a page, its files, a row of a table of results."""

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.workshop.boards.bench import Bench
from bidcascade.workshop.boards.compare_summary import Estimate

from .compare_report import BOARDS, HTML, MARKDOWN, SUMMARY, rate_text, signed_text
from .report_page import (
    ColumnKind,
    Page,
    PageBlock,
    ReportTable,
    Section,
    Text,
    page_html,
    page_markdown,
)
from .yardstick_report import cause_rows, heads, lines_of, result_rows, sanity_rows

TIMES: Final = "times.json"

_SCORES: Final = {
    "imps": "IMPs",
    "defended_imps": "IMPs, failing contracts doubled",
    "points": "points",
}
"""Words for scores; others go by their names."""
_OUTCOMES: Final = ("won", "lost", "flat")
_TIMES: Final = ("seconds",)


def bench_dict(bench: Bench) -> dict[str, Any]:
    """Write a benchmark as JSON can hold it, without times: the same numbers give the same text."""
    found: dict[str, Any] = _timeless(plain(bench))
    return found


def times_dict(bench: Bench) -> dict[str, Any]:
    """Say what took how long: seconds, and milliseconds a call of a foreign engine."""
    a_call = 1000 * bench.seconds / bench.requests if bench.requests else None
    return {
        "seconds": bench.seconds,
        "asked": bench.requests,
        "ms_a_call": a_call,
        "yardstick": bench.yardstick.seconds,
    }


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _timeless(one) for name, one in value.items() if name not in _TIMES}
    return [_timeless(one) for one in value] if isinstance(value, list) else value


def write_bench_report(bench: Bench, boards: pl.DataFrame, folder: Path) -> list[Path]:
    """Write the files of a report into a folder that exists, and return their paths."""
    page, answer = bench_page(bench), bench_dict(bench)
    texts = {
        HTML: page_html(page, answer),
        MARKDOWN: page_markdown(page),
        SUMMARY: json.dumps(answer, indent=1, ensure_ascii=False) + "\n",
        TIMES: json.dumps(times_dict(bench), indent=1) + "\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    boards.write_parquet(folder / BOARDS)
    return [folder / name for name in (*texts, BOARDS)]


# --- texts that terminal and page share -----------------------------------------------------------


def subtitle(bench: Bench) -> str:
    """Say on which boards."""
    part = {"all": "the bank"}.get(bench.part, f"the {bench.part} part of the bank")
    return f"{bench.boards:,} boards of {part}, seed {bench.seed}"


def match_columns(bench: Bench) -> tuple[str, ...]:
    """Heads of :func:`match_rows`."""
    scores = (_SCORES.get(name, name.replace("_", " ")) for name in _score_names(bench))
    return ("against", *scores, *_OUTCOMES)


def match_rows(bench: Bench) -> list[tuple[str, ...]]:
    """Say what came of each match: means a deal with half an interval of 95 %, parts of deals."""
    unknown = Estimate(None)
    names = _score_names(bench)
    return [
        (
            one.against,
            *(interval_text(one.scores.get(name, unknown)) for name in names),
            *(rate_text(_with_margin(one.outcomes[name])) for name in _OUTCOMES),
        )
        for one in bench.matches
    ]


def _score_names(bench: Bench) -> list[str]:
    # a match where no board differs has all scores, others may lack some
    return [*dict.fromkeys(name for one in bench.matches for name in one.scores)]


def interval_text(estimate: Estimate) -> str:
    """Write a mean with half its interval of 95 %.

    Examples
    --------
    >>> interval_text(Estimate(0.5, 0.1, 0.196)), interval_text(Estimate(None))
    ('+0.50 ± 0.20', 'unknown')
    """
    return signed_text(_with_margin(estimate))


def _with_margin(estimate: Estimate) -> Estimate:
    """Give half the interval where texts have the standard error."""
    return estimate._replace(error=estimate.margin)


def fault_text(bench: Bench) -> str:
    """Say how many calls could not be used."""
    if not bench.calls:
        return "no call that could not be used"
    counts = ", ".join(f"{count:,} {kind}" for kind, count in bench.calls.items())
    return f"{counts} of {bench.requests:,} calls, each of which counts as a pass"


# --- the page -------------------------------------------------------------------------------------


def bench_page(bench: Bench) -> Page:
    """Make the page of a benchmark; it names no times, so that it is the same each time."""
    yardstick = bench.yardstick
    columns: tuple[tuple[str, ColumnKind], ...] = tuple((name, "text") for name in heads(yardstick))
    match_kinds: tuple[tuple[str, ColumnKind], ...] = tuple(
        (name, "text") for name in match_columns(bench)
    )
    digests = [(bench.name, bench.digest or None), *((m.against, m.digest) for m in bench.matches)]
    faults: tuple[PageBlock, ...] = (Text(fault_text(bench)),)
    if bench.faults:
        rows = tuple((one.kind, one.message) for one in bench.faults)
        faults += (ReportTable("The first ones", (("kind", "text"), ("what", "words")), rows),)
    whose = yardstick.players.name
    return Page(
        f"Benchmark of {bench.name}",
        subtitle(bench),
        (
            Section("Matches", (
                ReportTable(f"For {bench.name}, a deal, ± half the interval of 95 %", match_kinds,
                      tuple(match_rows(bench))),
            )),
            Section("Calls that could not be used", faults),
            Section("Against par, at all four seats", (
                ReportTable("Results", (("what", "text"), *columns), tuple(result_rows(yardstick))),
                ReportTable("IMPs a board (boards)", (("cause", "text"), *columns),
                      tuple(cause_rows(yardstick))),
            )),
            Section("Sanity", (
                ReportTable("What no pair wants to see, with intervals of 95 %",
                      (("what", "text"), *columns), tuple(sanity_rows(yardstick))),
            )),
            Section(f"Where {bench.name} loses", lines_of(yardstick.systems[0], whose)),
            Section("Versions", (
                ReportTable("SHA-256 of what bids", (("name", "text"), ("digest", "code")),
                      tuple(digests)),
            )),
        ),
    )  # fmt: skip


class ResultRow(NamedTuple):
    """One line of a table of results over versions."""

    version: str
    name: str
    digest: str
    boards: str
    """Which ones, in words."""
    par: str
    """IMPs from par, a board."""
    matches: dict[str, str]
    """IMPs a deal by opponent."""


def result_row(bench: Bench, version: str) -> ResultRow:
    """Sum a benchmark up in a line."""
    return ResultRow(
        version,
        bench.name,
        bench.digest,
        subtitle(bench),
        f"{bench.yardstick.systems[0].imps:.3f}",
        {one.against: interval_text(one.scores["imps"]) for one in bench.matches},
    )
