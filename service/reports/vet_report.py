"""The report of a vetting for bridge players: what the table does with real auctions, and why."""

from collections.abc import Sequence
from typing import Final

import polars as pl

from bidcascade.bridge import format_calls, parse_calls
from bidcascade.table.inspection.linting import KINDS, LintReport
from bidcascade.workshop.evidence.vet_run import LEAST_DECISIONS, Vetted

from .charts import Bar, Bars, IntervalDot, Intervals, Stack, Stacks
from .report_page import (
    Cell,
    Chart,
    ColumnKind,
    Numbers,
    Page,
    ReportTable,
    Section,
    Text,
    auction_text,
    percent_text,
)

MOST_ROWS: Final = 25
"""Rows of a table in the report; the Parquet files have them all."""
_MOST_BARS: Final = 12
_SEATS: Final = ("the caller", "the next player", "the partner", "the player before")
_UNDESCRIBED: Final = "(undescribed)"


def vetting_page(
    vetted: Vetted, frames: dict[str, pl.DataFrame], *, least: int = LEAST_DECISIONS
) -> Page:
    """Report as a page.

    Parameters
    ----------
    vetted : Vetted
    frames : dict of str to polars.DataFrame
        What :func:`bidcascade.workshop.evidence.vetting_frames.vetting_frames` gives for it.
    least : int
        Calls that a place must have been bid at to stand among the worst.
    """
    sections = [
        _in_short(vetted, frames["seats"]),
        _along_the_auction(frames["depths"]),
        _worst_places(frames["places"], frames["instead"], least),
        _missing_calls(frames["calls"]),
        _conditions(frames["expressions"], frames["blocking"]),
        _whole_auctions(vetted, frames["auctions"], frames["stops"]),
        _overlap(vetted, frames["holding"], frames["overlaps"], frames["places"]),
        *_lint_sections(vetted),
        _how_to_read(),
    ]
    name = vetted.engine.name
    number = vetted.numbers["boards"]
    bid = f", bid {format_calls(vetted.auction)}" if vetted.auction else ""
    subtitle = (
        f"{number:,} {'board' if number == 1 else 'boards'}{bid}, against the table {name} "
        f"(digest {vetted.engine.table.digest[:12]}, profile {vetted.engine.table.profile}, "
        f"undescribed calls: {vetted.engine.table.undescribed})"
    )
    return Page("Bidding table against real auctions", subtitle, tuple(sections))


def _in_short(vetted: Vetted, seats: pl.DataFrame) -> Section:
    summary = vetted.summary()
    calls, auctions, boards = summary["calls"], summary["auctions"], summary["boards"]
    judged = calls["judged"]
    errors = judged - calls["agrees"]
    described, turned = summary["seats"]["described"], summary["seats"]["held"]
    sentences = [
        f"The table was asked at {judged:,} of {calls['made']:,} calls. It makes the actual call "
        f"at {_share(calls['agrees'], judged)} of them; at {_share(calls['allowed'], judged)} the "
        f"actual call fits the hand too, but stands behind another one; at "
        f"{_share(calls['fails'], judged)} the table has the call and the hand does not fit it; "
        f"at {_share(calls['missing'], judged)} the table does not have it.",
        f"The table has conditions for {described:,} of the calls made "
        f"({_share(described, calls['made'])}); {_share(turned[0], described)} of these fit the "
        "hand. The others hold or not as the table treats undescribed calls.",
        f"{auctions['held']:,} of {auctions['vetted']:,} auctions hold from the first call to the "
        f"last ({_share(auctions['held'], auctions['vetted'])}).",
    ]
    if not boards["other_auctions"] and summary["own"]["compared"]:
        own = summary["own"]
        sentences.append(
            f"Bid by the table itself, {own['same_auction']:,} of {own['compared']:,} boards have "
            f"the same auction and {own['same_contract']:,} the same contract by the same player."
        )
    blocks: list[Text | Numbers | ReportTable | Chart] = [
        Numbers(
            (
                ("boards with an auction", f"{auctions['vetted']:,}"),
                ("calls judged", f"{judged:,}"),
                ("agree with the table", _share(calls["agrees"], judged)),
                ("wrong bids", _share(errors, judged)),
                ("described calls that fit", _share(turned[0], described)),
                ("auctions that hold", _share(auctions["held"], auctions["vetted"])),
            )
        ),
        *(Text(sentence) for sentence in sentences),
        _boards_table(boards),
        _calls_table(calls),
        *_seats(summary["seats"]),
        _players_table(seats),
    ]
    return Section("In short", tuple(blocks))


def _boards_table(boards: dict[str, int]) -> ReportTable:
    meanings = {
        "records": "records in the inputs",
        "rejects": "refused, with their reason in rejects.parquet",
        "play_disagrees": "left out, because the cards played are not of their hands",
        "other_auctions": "left out, because they were bid otherwise",
        "boards": "boards taken",
        "complete": "of them, with a complete auction",
        "unfinished": "with an unfinished one, taken as far as it goes",
        "illegal": "with an illegal call, taken up to it",
        "none": "without a call",
    }
    rows = [(meaning, boards[name]) for name, meaning in meanings.items() if boards[name]]
    return ReportTable("Boards", (("what", "text"), ("number", "number")), tuple(rows))


def _calls_table(calls: dict[str, int]) -> ReportTable:
    meanings = {
        "agrees": "the table makes the same call",
        "allowed": "it fits the hand, behind a call that the table makes",
        "fails": "the table has it, and the hand does not fit",
        "missing": "the table has other calls there, not this one",
        "ended": "the table has no calls there",
        "beyond": "behind a call that the table does not have",
    }
    rows = [
        (meaning, calls[name], calls[name] / max(1, calls["made"]))
        for name, meaning in meanings.items()
    ]
    columns: tuple[tuple[str, ColumnKind], ...] = (
        ("calls made", "text"),
        ("number", "number"),
        ("share", "percent"),
    )
    return ReportTable("What the table says of all calls", columns, tuple(rows))


def _seats(seats: dict[str, "int | list[int]"]) -> "list[Text | ReportTable]":
    """Warn where the described calls hold better on another player's hand."""
    described, held = seats["described"], seats["held"]
    if not isinstance(described, int) or not isinstance(held, list) or not described:
        return []
    rows = tuple((who, count, count / described) for who, count in zip(_SEATS, held, strict=True))
    columns: tuple[tuple[str, ColumnKind], ...] = (
        ("on the hand of", "text"),
        ("hold", "number"),
        ("share", "percent"),
    )
    caption = f"Check of the seats: {described:,} described calls tried on all four hands"
    found: list[Text | ReportTable] = [ReportTable(caption, columns, rows)]
    if max(held) > held[0]:
        better = _SEATS[held.index(max(held))]
        found.insert(
            0,
            Text(
                f"Warning: the calls fit the hand of {better} better than that of the caller. "
                "Dealer or seats are probably wrong, in the deals or in the table."
            ),
        )
    return found


def _players_table(seats: pl.DataFrame) -> ReportTable:
    share = pl.when(pl.col("described") > 0).then(pl.col("described_held") / pl.col("described"))
    return _table(
        "By player; robots and people may sit in fixed seats",
        seats.with_columns(
            judged=pl.sum_horizontal("agrees", "allowed", "fails", "missing"), share=share
        ),
        ("seat", "seat", "text"),
        ("judged", "calls judged", "number"),
        ("agrees", "table agrees", "number"),
        ("described", "described", "number"),
        ("described_held", "of them fit", "number"),
        ("share", "share", "percent"),
    )


def _along_the_auction(depths: pl.DataFrame) -> Section:
    names = ("agrees", "allowed", "fails", "missing", "ended")
    series = ("table agrees", "fits, behind another", "does not fit", "not in table", "table ends")
    shown = depths.filter(pl.sum_horizontal(names) > 0).head(16)
    rows = [
        Stack(
            f"call {row['depth'] + 1}",
            tuple(row[name] for name in names),
            f"{sum(row[name] for name in names):,}",
        )
        for row in shown.iter_rows(named=True)
    ]
    columns: tuple[tuple[str, ColumnKind], ...] = (
        ("call", "number"),
        *((one, "number") for one in series),
    )
    table = ReportTable(
        "Calls by their number in the auction, passes included",
        columns,
        tuple((row[0] + 1, *row[1:]) for row in shown.select("depth", *names).iter_rows()),
    )
    chart = Stacks("What the table says of calls", rows, series)
    return Section(
        "Along the auction",
        (Chart("What the table says of the first, second … call of auctions", chart), table),
    )


def _worst_places(places: pl.DataFrame, instead: pl.DataFrame, least: int) -> Section:
    enough = places.filter((pl.col("decisions") >= least) & (pl.col("wrong") > 0))
    blocks: list[Text | ReportTable | Chart] = [
        Text(
            "A wrong bid is an actual call that the table would not have made. Places stand in "
            "the order of the lower end of a 95 % interval, so that a few deals do not lead the "
            f"list by chance; places with fewer than {least} calls are left out."
        )
    ]
    if not enough.height:
        blocks.append(Text("No place with wrong bids has been bid at so often."))
    else:
        worst = enough.head(_MOST_BARS)
        rows = [
            IntervalDot(
                auction_text(parse_calls(row["auction"])),
                row["wrong_share"],
                row["wrong_low"],
                row["wrong_high"],
                f"{row['wrong']:,} of {row['decisions']:,}",
            )
            for row in worst.iter_rows(named=True)
        ]
        chart = Intervals("Share of wrong bids at the worst places", rows)
        blocks.append(Chart("Share of wrong bids, with its 95 % interval", chart))
        blocks.append(
            _table(
                "Worst places",
                enough.head(MOST_ROWS),
                ("auction", "after", "auction"),
                ("decisions", "calls", "number"),
                ("wrong", "wrong", "number"),
                ("wrong_share", "share", "percent"),
                ("wrong_low", "at least", "percent"),
                ("allowed", "fit too", "number"),
                ("fails", "do not fit", "number"),
                ("missing", "not in table", "number"),
            )
        )
    if instead.height:
        blocks.append(
            _table(
                "What the table calls instead, most frequent first",
                instead.head(MOST_ROWS),
                ("auction", "after", "auction"),
                ("call", "actual", "auction"),
                ("instead", "table", "auction"),
                ("decisions", "calls", "number"),
            )
        )
    return Section("Worst places", tuple(blocks))


def _missing_calls(calls: pl.DataFrame) -> Section:
    missing = calls.filter(pl.col("entry").is_null())
    if not missing.height:
        return Section("Calls not in the table", (Text("The table has every call made."),))
    return Section(
        "Calls not in the table",
        (
            _table(
                f"{missing['made'].sum():,} calls, most frequent first",
                missing.head(MOST_ROWS),
                ("auction", "after", "auction"),
                ("call", "call", "auction"),
                ("made", "made", "number"),
            ),
        ),
    )


def _conditions(expressions: pl.DataFrame, blocking: pl.DataFrame) -> Section:
    if not blocking.height:
        return Section("Conditions in the way", (Text("Every call in the table fits its hand."),))
    named = pl.col("expression").fill_null(_UNDESCRIBED)
    expressions, blocking = expressions.with_columns(named), blocking.with_columns(named)
    kinds = (
        expressions.with_columns(pl.col("kind").fill_null(_UNDESCRIBED))
        .group_by("kind", maintain_order=True)
        .agg(pl.len().alias("conditions"), pl.col("made", "failed", "only", "decides").sum())
        .with_columns(share=pl.col("failed") / pl.col("made"))
        .sort("failed", descending=True, maintain_order=True)
    )
    rows = [
        Bar(_shortened(row["kind"]), row["failed"], f"{row['failed']:,} of {row['made']:,}")
        for row in kinds.filter(pl.col("failed") > 0).head(_MOST_BARS).iter_rows(named=True)
    ]
    return Section(
        "Conditions in the way",
        (
            Text(
                "Of calls that players made and whose hands do not fit: which conditions fail. "
                "“Alone” counts the calls at which nothing else failed, so that the call would "
                "fit without this condition; “auctions” counts those in which nothing else failed "
                "from the first call to the last. Of several meanings of a call the nearest counts."
            ),
            Chart(
                "Kinds of conditions that fail most often, of how often they were asked",
                Bars("How often kinds of conditions fail", rows),
            ),
            _table(
                "By kind: x is a suit, n a number", kinds.head(MOST_ROWS),
                ("kind", "condition", "code"), ("conditions", "different ones", "number"),
                ("made", "asked", "number"), ("failed", "failed", "number"),
                ("share", "share", "percent"), ("only", "alone", "number"),
                ("decides", "auctions", "number"),
            ),
            _table(
                "Over all calls", expressions.filter(pl.col("failed") > 0).head(MOST_ROWS),
                ("expression", "condition", "code"), ("entries", "different calls", "number"),
                ("made", "asked", "number"), ("failed", "failed", "number"),
                ("failed_share", "share", "percent"), ("only", "alone", "number"),
                ("decides", "auctions", "number"),
            ),
            _table(
                "By call", blocking.head(2 * MOST_ROWS),
                ("auction", "call made", "auction"), ("made", "made", "number"),
                ("blocked", "did not fit", "number"), ("expression", "condition", "code"),
                ("failed", "failed", "number"), ("failed_share", "share", "percent"),
                ("only", "alone", "number"),
                ("decides", "auctions", "number"),
            ),
        ),
    )  # fmt: skip


def _whole_auctions(vetted: Vetted, auctions: pl.DataFrame, stops: pl.DataFrame) -> Section:
    counts = vetted.vetting.counts
    total = counts["deals"] - counts["without_auction"]
    blocks: list[Text | ReportTable] = [
        Text(
            f"{counts['whole']:,} of {total:,} auctions are in the table to their last call, and "
            f"{counts['held']:,} hold: every call fits the hand of the player who made it."
        ),
        _table(
            "Most frequent auctions",
            auctions.head(MOST_ROWS),
            ("auction", "auction", "auction"),
            ("leaves", "leaves with", "auction"),
            ("deals", "deals", "number"),
            ("held", "hold", "number"),
            ("stop", "most stop at", "auction"),
            ("stop_deals", "deals", "number"),
        ),
    ]
    if stops.height:
        shown = stops.head(MOST_ROWS).with_columns(
            known=pl.when("known").then(pl.lit("does not fit")).otherwise(pl.lit("not in table"))
        )
        blocks.append(
            _table(
                "Calls at which auctions stop to hold",
                shown,
                ("auction", "after", "auction"),
                ("call", "call", "auction"),
                ("known", "why", "text"),
                ("deals", "deals", "number"),
                ("behind", "calls behind", "number"),
            )
        )
    return Section("Whole auctions", tuple(blocks))


def _overlap(
    vetted: Vetted, holding: pl.DataFrame, overlaps: pl.DataFrame, places: pl.DataFrame
) -> Section:
    decisions = int(holding["decisions"].sum()) or 1
    several = int(holding.filter(pl.col("holding") > 1)["decisions"].sum())
    silent = int(holding.filter(pl.col("holding") == 0)["decisions"].sum())
    blocks: list[Text | ReportTable] = [
        Text(
            f"At {_share(decisions - silent, decisions)} of the calls judged at least one call of "
            f"the table fits the hand, at {_share(several, decisions)} more than one; the order "
            "of the table then decides. Where none fits, it passes."
        ),
        _table(
            "How many calls of the table fit at once",
            holding,
            ("holding", "calls that fit", "number"),
            ("decisions", "times", "number"),
        ),
    ]
    quiet = places.filter(pl.col("silent") > 0).sort("silent", descending=True, maintain_order=True)
    if quiet.height:
        blocks.append(
            _table(
                "Places where no call fits",
                quiet.head(MOST_ROWS),
                ("auction", "after", "auction"),
                ("decisions", "calls", "number"),
                ("silent", "none fits", "number"),
            )
        )
    if overlaps.height:
        blocks.append(
            _table(
                "Calls that fit together most often",
                overlaps.head(MOST_ROWS),
                ("auction", "after", "auction"),
                ("first", "first", "auction"),
                ("second", "second", "auction"),
                ("both", "both fit", "number"),
                ("decisions", "of", "number"),
                ("both_share", "share", "percent"),
            )
        )
    return Section("Coverage and overlap", tuple(blocks))


def _lint_sections(vetted: Vetted) -> list[Section]:
    return [
        Section(heading, tuple(_lint_blocks(report, heading)))
        for heading, report in (
            ("The table by itself", vetted.table_lint),
            ("The table on these deals", vetted.deal_lint),
        )
        if report is not None
    ]


def _lint_blocks(report: LintReport, heading: str) -> "list[Text | ReportTable]":
    found = [(KINDS[kind], one.count) for kind, one in report.findings.items() if one.count]
    columns: tuple[tuple[str, ColumnKind], ...] = (("finding", "text"), ("number", "number"))
    caption = f"Findings among {report.entries:,} entries"
    if report.deals is not None:
        caption += f" on {report.deals:,} deals, bid by the table alone"
    blocks: list[Text | ReportTable] = [ReportTable(caption, columns, tuple(found))]
    examples: tuple[tuple[str, ColumnKind], ...] = (("auction", "text"), ("detail", "words"))
    for kind, one in report.findings.items():
        rows = [
            (str(example.get("auction", "")), str(example["detail"]))
            for example in one.examples
            if example.get("detail")
        ]
        if rows:
            first = f"{KINDS[kind]}: the first {len(rows)} of {one.count:,}"
            blocks.append(ReportTable(first[0].upper() + first[1:], examples, tuple(rows)))
    return blocks


def _how_to_read() -> Section:
    return Section(
        "How to read this",
        (
            Text(
                "Every call of a real auction is looked up in the table at the place where it was "
                "made, after the calls before it, right or wrong. Its conditions are tried on the "
                "hand of the player who made it. The table's own call is the first one there, in "
                "its order, whose conditions hold; if none holds, it passes."
            ),
            Text(
                "A call that does not fit is no proof of a wrong call: an announcement may be cut "
                "off or shortened, players judge, and a table made of announcements says what a "
                "call shows, not when it is chosen. A condition that fails often and alone is the "
                "one to look at first."
            ),
        ),
    )


# --- helpers --------------------------------------------------------------------------------------


def _share(part: int, whole: int) -> str:
    return percent_text(part / whole) if whole else "–"


def _shortened(text: str) -> str:
    return text if len(text) <= 34 else f"{text[:33]}…"


def _table(caption: str, frame: pl.DataFrame, *columns: tuple[str, str, ColumnKind]) -> ReportTable:
    """Table of a frame's columns: name, head, kind."""
    rows: list[tuple[Cell, ...]] = []
    for row in frame.select([name for name, _, _ in columns]).iter_rows():
        cells: Sequence[Cell] = [
            None if cell is None else parse_calls(cell) if kind == "auction" else cell
            for cell, (_, _, kind) in zip(row, columns, strict=True)
        ]
        rows.append(tuple(cells))
    return ReportTable(caption, tuple((head, kind) for _, head, kind in columns), tuple(rows))
