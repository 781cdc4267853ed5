"""Report on systems measured on an archive: text for a terminal, a page, and its files."""

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from bidcascade.bridge import parse_deal, parse_seat, parse_vulnerability
from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.loaders import deal_frame, format_handviewer
from bidcascade.workshop.boards.call_by_call import LineName
from bidcascade.workshop.boards.loss_causes import CAUSES
from bidcascade.workshop.boards.sanity import Sign
from bidcascade.workshop.boards.scored_boards import Difference
from bidcascade.workshop.boards.yardstick import (
    PLAYERS,
    BidCount,
    BoardExample,
    BoardTally,
    LineLoss,
    Reached,
    Yardstick,
)

from .charts import IntervalDot, Intervals
from .compare_report import BOARDS, HTML, MARKDOWN, SUMMARY
from .report_page import (
    Chart,
    ColumnKind,
    Links,
    Page,
    PageBlock,
    ReportTable,
    Section,
    Text,
    page_html,
    page_markdown,
    percent_text,
)

_MOST_LINES = 15
"""Of each cause."""
_EXAMPLES = 2


def write_yardstick_report(yardstick: Yardstick, boards: pl.DataFrame, folder: Path) -> list[Path]:
    """Write the files of a report into a folder that exists, and return their paths."""
    page = yardstick_page(yardstick)
    answer = plain(yardstick)
    written = json.dumps(answer, indent=1, ensure_ascii=False) + "\n"
    texts = {HTML: page_html(page, answer), MARKDOWN: page_markdown(page), SUMMARY: written}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    boards.write_parquet(folder / BOARDS)
    return [folder / name for name in (*texts, BOARDS)]


# --- texts that terminal and page share -----------------------------------------------------------


def heads(yardstick: Yardstick) -> tuple[str, ...]:
    """Names of those who are compared: the players first."""
    return tuple(one.name for one in (yardstick.players, *yardstick.systems))


def result_rows(yardstick: Yardstick) -> list[tuple[str, ...]]:
    """Numbers side by side: what, then that of the players and of each system."""
    tallies = (yardstick.players, *yardstick.systems)
    rows = {
        "IMPs from par, a board": [f"{one.imps:.3f}" for one in tallies],
        f"less {_those_of(tallies[0].name)}": [_difference(one.difference) for one in tallies],
        f"less those of {tallies[1].name}": [_difference(one.less_first) for one in tallies],
        "games bid": [_bid(one.games) for one in tallies],
        "slams bid": [_bid(one.slams) for one in tallies],
        "par games reached": [_reached(one.par_games) for one in tallies],
        "par slams reached": [_reached(one.par_slams) for one in tallies],
        "doubled": [percent_text(one.doubled) for one in tallies],
        "passed out": [f"{one.passed_out:,}" for one in tallies],
    }
    return [(what, *cells) for what, cells in rows.items() if any(cells)]


def cause_rows(yardstick: Yardstick) -> list[tuple[str, ...]]:
    """IMPs a board by cause, and on how many boards: what the systems lose most by first."""
    tallies = (yardstick.players, *yardstick.systems)
    order = sorted(CAUSES, key=lambda name: -sum(one.causes[name].imps for one in tallies[1:]))
    return [
        (
            name,
            *(f"{one.causes[name].per_board:.3f} ({one.causes[name].boards:,})" for one in tallies),
        )
        for name in order
    ]


def sanity_rows(yardstick: Yardstick) -> list[tuple[str, ...]]:
    """Tell how often something happened that no pair wants to see, side by side."""
    tallies = (yardstick.players, *yardstick.systems)
    names = dict.fromkeys(sign.what for one in tallies for sign in one.sanity)
    columns = [
        {sign.what: f"{sign_text(sign)} of {sign.possible:,}" for sign in one.sanity}
        for one in tallies
    ]
    return [(name, *(one.get(name, "") for one in columns)) for name in names]


def sign_text(sign: Sign) -> str:
    """Write a share with its interval."""
    if sign.share is None:
        return "none"
    low, high = percent_text(sign.low), percent_text(sign.high)
    return f"{percent_text(sign.share)} ({low} to {high})"


def line_row(loss: LineLoss) -> tuple[str, str, str]:
    """Tell the line, what stood before if it passed, and the cause."""
    line, behind, over_them = loss.decisive
    before = f"{'over' if over_them else 'behind'} {_line(behind)}" if behind.where else ""
    return _line(line), before, loss.cause


def _line(line: LineName) -> str:
    return f"{line.where} {line.name}" if line.where else "no line"


def left_out_text(yardstick: Yardstick) -> str:
    """Say which records were not measured."""
    texts = [f"{count:,} × {what}" for what, count in yardstick.left_out.items() if count]
    return f"left out: {', '.join(texts)}" if texts else "no record left out"


def _those_of(whose: str) -> str:
    """Say whose numbers are meant."""
    return "the players'" if whose == PLAYERS else f"those of {whose}"


def _whose(whose: str) -> str:
    return "players'" if whose == PLAYERS else f"{whose}'s"


def _difference(difference: Difference | None) -> str:
    if difference is None:
        return ""
    value, low, high = difference
    return f"{value:+.3f} ({low:+.3f} to {high:+.3f})"


def _bid(bid: BidCount) -> str:
    return f"{bid.bid:,}, {bid.failing:,} failing"


def _reached(reached: Reached) -> str:
    share = f" ({percent_text(reached.reached / reached.par)})" if reached.par else ""
    return f"{reached.reached:,} of {reached.par:,}{share}"


# --- the page -------------------------------------------------------------------------------------


def yardstick_page(yardstick: Yardstick) -> Page:
    """Make the page of systems on an archive."""
    names = heads(yardstick)
    columns: tuple[tuple[str, ColumnKind], ...] = tuple((name, "text") for name in names)
    return Page(
        f"{', '.join(names[1:])} against par",
        f"{yardstick.boards:,} boards of {yardstick.deals:,} deals; {left_out_text(yardstick)}",
        (
            Section(
                "Result",
                (
                    *_chart(yardstick.systems),
                    ReportTable(
                        "Systems and players",
                        (("what", "text"), *columns),
                        tuple(result_rows(yardstick)),
                    ),
                ),
            ),
            Section(
                "Loss by cause",
                (
                    ReportTable(
                        "IMPs a board, and boards",
                        (("cause", "text"), *columns),
                        tuple(cause_rows(yardstick)),
                    ),
                    ReportTable(
                        "What the causes are",
                        (("cause", "text"), ("the side that lost", "words")),
                        tuple(CAUSES.items()),
                    ),
                ),
            ),
            Section(
                "Sanity",
                (
                    ReportTable(
                        "What no pair wants to see, with intervals of 95 %",
                        (("what", "text"), *columns),
                        tuple(sanity_rows(yardstick)),
                    ),
                ),
            ),
            *(Section(f"Lines of {one.name}", lines_of(one)) for one in yardstick.systems),
            Section("How this was worked out", _method(yardstick)),
        ),
    )


def _chart(systems: Sequence[BoardTally]) -> tuple[PageBlock, ...]:
    drawn = [
        IntervalDot(one.name, *one.difference, f"{one.difference.value:+.3f}")
        for one in systems
        if one.difference is not None
    ]
    reach = max((max(abs(one.low), abs(one.high)) for one in drawn), default=0) or 1.0
    title = "IMPs from par less the players', a board, with 95 % intervals"
    chart = Intervals(
        title,
        drawn,
        low=-reach,
        high=reach,
        ends=(f"{-reach:+.2f}", f"{reach:+.2f}"),
        middle=0.0,
    )
    return Chart(title, chart), Text("Left of zero a system is closer to par than the players.")


def lines_of(tally: BoardTally, whose: str = PLAYERS) -> tuple[PageBlock, ...]:
    """Lines by cause, the costliest cause first, each with boards below.

    ``whose`` is who else bid the boards.
    """
    blocks: list[PageBlock] = []
    for cause, loss in sorted(tally.causes.items(), key=lambda one: -one[1].imps):
        lines = [one for one in tally.lines if one.cause == cause][:_MOST_LINES]
        if not lines:
            continue
        lost = f"{loss.imps:,} IMPs on {loss.boards:,} boards"
        blocks.append(
            ReportTable(
                f"{cause.capitalize()}: {lost}, by the line of the decisive call",
                (
                    ("line", "words"),
                    ("where it passed", "words"),
                    ("boards", "number"),
                    ("IMPs", "number"),
                    (f"{_whose(whose)} IMPs there", "number"),
                ),
                tuple(
                    (*line_row(one)[:2], one.boards, one.imps, one.players_imps) for one in lines
                ),
            )
        )
        for line in lines:
            for one in line.examples[:_EXAMPLES]:
                blocks += _example(line, one, tally.name, whose), _pictures(one, tally.name, whose)
    return tuple(blocks) or (Text("It lost nothing."),)


def _example(line: LineLoss, one: BoardExample, name: str, whose: str) -> ReportTable:
    return ReportTable(
        f"{' '.join(filter(None, line_row(line)[:2]))}, {line.cause}: "
        f"{one.where}, dealer {one.dealer}, "
        f"vulnerable {one.vulnerability}, par {one.par_score:+d} {one.par_contracts}",
        (
            ("who", "text"), ("auction", "auction"), ("contract", "text"),
            ("score NS", "number"), ("IMPs from par", "number"),
        ),
        (
            (name, one.auction, one.contract, one.score, one.imps),
            (whose, one.players_auction, one.players_contract, one.players_score,
             one.players_imps),
        ),
    )  # fmt: skip


def _pictures(one: BoardExample, name: str, whose: str) -> Links:
    """Give the deal, with links to a picture of it and either auction."""
    sides = parse_vulnerability(one.vulnerability)
    deal = parse_deal(one.deal, dealer=parse_seat(one.dealer), vulnerability=sides)
    auctions = pl.Series([one.auction, one.players_auction], dtype=pl.List(pl.UInt8))
    links = format_handviewer(deal_frame([deal] * 2).with_columns(auction=auctions))
    others = "the players" if whose == PLAYERS else whose
    texts = (f"as {name} bid it", f"as {others} did")
    return Links(one.deal, tuple(zip(texts, links, strict=True)))


def _method(yardstick: Yardstick) -> tuple[PageBlock, ...]:
    spent = ", ".join(f"{name} {one:.1f} s" for name, one in yardstick.seconds.items())
    return (
        Text(
            "Each system bid every deal at all four seats. Its contract, and the one that the "
            "players reached in each room, were scored with double-dummy tricks. Their distance "
            "from par in IMPs is the loss, of whichever side has less than par. Intervals are of "
            "a bootstrap over deals. A line is named where it made the loser's decisive call: its "
            "last bid for a contract that it should not be in, its last double for a wrong one, "
            "else its last call where the text offers a choice. A pass stands with the line that "
            "made the bid before it: that of its own side, or else of the opponents."
        ),
        Text(spent, soft=True),
    )
