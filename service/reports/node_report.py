"""Report on nodes of auctions: what one is worth, or a table of many."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, Final

import polars as pl

from bidcascade.bridge import STRAINS, SUITS, InvalidInput, format_calls, parse_call, parse_calls
from bidcascade.workshop.boards.node_statistics import NODE_SCHEMA

from .charts import Bar, Bars, IntervalDot, Intervals
from .report_page import (
    Cell,
    Chart,
    ColumnKind,
    Numbers,
    Page,
    PageBlock,
    ReportTable,
    Section,
    Text,
    auction_text,
    call_text,
    percent_text,
)

MOST_NODES = 500
"""Rows of the table of nodes."""
_PLAYERS = ("dealer", "left of dealer", "dealer's partner", "right of dealer")
_SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠", "N": "notrump"}
_RANGE: Final[tuple[tuple[str, ColumnKind], ...]] = (
    ("least", "number"),
    ("5 %", "number"),
    ("mean", "decimal"),
    ("95 %", "number"),
    ("most", "number"),
)

Row = dict[str, Any]


def node_page(nodes: pl.DataFrame, calls: Sequence[int], subject: str) -> Page:
    """Make the page of one node.

    Parameters
    ----------
    nodes : polars.DataFrame
        As :func:`bidcascade.workshop.boards.node_statistics.node_statistics` gives them.
    calls : sequence of int
        Call codes of the node; none for the root.
    subject : str
        What the boards are, and who bid them.

    Raises
    ------
    InvalidInput
        If the node is not among them, or a column is missing.

    Examples
    --------
    >>> from bidcascade.workshop.boards.node_statistics import node_statistics
    >>> from bidcascade.loaders import random_deals
    >>> bid = pl.Series([[7, 0], [7, 0]], dtype=pl.List(pl.UInt8))
    >>> nodes = node_statistics(random_deals(2, 1), bid, least=1)
    >>> page = node_page(nodes, [7], "2 random boards")
    >>> page.title, [section.heading for section in page.sections]
    ('What is 1N worth?', ['Summary', 'Hands', 'Next calls', 'How this was worked out'])
    """
    rows = _rows(nodes)
    auction = format_calls(calls)
    if auction not in rows:
        raise InvalidInput(f"expected a node that the statistics have, got {auction!r}")
    row = rows[auction]
    found = {
        "Summary": _summary(row, rows, calls),
        "Contracts": _contracts(row),
        "Tricks": _tricks(row),
        "Hands": _hands(row, calls),
        "Next calls": _next_calls(row, rows),
        "What the players bid instead": _humans(row, calls),
        "How this was worked out": _method(),
    }
    return Page(
        f"What is {auction_text(calls)} worth?" if calls else "Before the first call",
        f"{row['boards']:,} boards of {subject}",
        tuple(Section(heading, blocks) for heading, blocks in found.items() if blocks),
    )


def nodes_page(nodes: pl.DataFrame, subject: str) -> Page:
    """Make the page of all nodes, or of the :data:`MOST_NODES` with most boards.

    Parameters and errors are those of :func:`node_page`.
    """
    rows = _rows(nodes)
    shown = sorted(rows.values(), key=lambda row: -row["boards"])[:MOST_NODES]
    auctions = {row["auction"] for row in shown}
    columns: tuple[tuple[str, ColumnKind], ...] = (
        ("auction", "auction"), ("boards", "number"), ("share", "percent"), ("par", "decimal"),
        ("score", "decimal"), ("IMPs to par", "decimal"), ("points", "auction"),
        ("players too", "percent"), ("next", "auction"),
    )  # fmt: skip
    table: list[tuple[Cell, ...]] = [
        (
            calls, row["boards"], row["share"], row["par"], row["score"], row["imps_par"],
            _range_text(row[f"HCP_{(len(calls) - 1) % 4 + 1}"]) if calls else None,
            row["humans_same"], _shares_text(row["next_calls"][:2]),
        )
        for row in rows.values() if row["auction"] in auctions
        for calls in [parse_calls(row["auction"])]
    ]  # fmt: skip
    chosen = [
        number
        for number, (_, kind) in enumerate(columns)
        if kind not in ("decimal", "percent") or any(row[number] is not None for row in table)
    ]
    counted = (
        f"{len(auctions):,} of {len(rows):,}" if len(auctions) < len(rows) else f"{len(rows):,}"
    )
    return Page(
        "Nodes of auctions",
        f"{counted} nodes of {subject}",
        (
            Section(
                "Nodes",
                (
                    Text(
                        "Points are those of whoever called last, mean and from 5 % to 95 %; "
                        "players too is how often the players made the same call at that place."
                    ),
                    ReportTable(
                        "In the order of calls",
                        tuple(columns[number] for number in chosen),
                        tuple(tuple(row[number] for number in chosen) for row in table),
                    ),
                ),
            ),
            Section("How this was worked out", _method()),
        ),
    )


def _rows(nodes: pl.DataFrame) -> dict[str, Row]:
    missing = [name for name in NODE_SCHEMA if name not in nodes.columns]
    if missing:
        raise InvalidInput(
            f"expected the columns of statistics by node, got none named {missing!r}"
        )
    return {row["auction"]: row for row in nodes.iter_rows(named=True)}


# --- sections -------------------------------------------------------------------------------------


def _summary(row: Row, rows: dict[str, Row], calls: Sequence[int]) -> tuple[PageBlock, ...]:
    counts = {
        "boards": f"{row['boards']:,}",
        "of the node before": percent_text(row["share"]) if calls else None,
        "of all boards": percent_text(row["share_of_all"]),
        "par": _signed(row["par"], 0),
        "score double dummy": _signed(row["score"], 0),
        "IMPs to par": _signed(row["imps_par"], 2),
        "score at the table": _signed(row["table_score"], 0),
        "IMPs at the table to par": _signed(row["table_imps_par"], 2),
        "IMPs to the other room": _signed(row["table_imps_room"], 2),
        "players did the same": None
        if row["humans_same"] is None
        else percent_text(row["humans_same"]),
    }
    dealers = "the dealer and partner"
    if not calls:
        whose = f"Numbers are those of {dealers}."
    else:
        side = dealers if len(calls) % 2 else "the dealer's opponents"
        whose = f"Numbers are those of the side that called last: {side}."
    numbers = Numbers(tuple((what, number) for what, number in counts.items() if number))
    # the statistics may be those of a node and what is below it alone
    way = [format_calls(calls[:count]) for count in range(len(calls) + 1)]
    known = [rows[one] for one in way if one in rows]
    return Text(whose), numbers, *([_way(known)] if len(known) > 1 else [])


def _way(nodes: Sequence[Row]) -> ReportTable:
    return ReportTable(
        "The way to this node; par and score as whoever called last sees them",
        (
            ("auction", "auction"),
            ("boards", "number"),
            ("share", "percent"),
            ("par", "decimal"),
            ("score", "decimal"),
        ),
        tuple(
            (parse_calls(one["auction"]), one["boards"], one["share"], one["par"], one["score"])
            for one in nodes
        ),
    )


def _contracts(row: Row) -> tuple[PageBlock, ...]:
    contracts = row["contracts"]
    if not contracts:
        return ()
    title = f"Commonest contracts of {row['finished']:,} auctions that are over"
    rows = [
        (_contract_text(one), "" if one["is_own"] is None else _whose(one), one)
        for one in contracts
    ]
    drawn = [
        Bar(f"{text} {whose}", one["share"], percent_text(one["share"]))
        for text, whose, one in rows
    ]
    return (
        Chart(title, Bars(title, drawn)),
        ReportTable(
            "The same, with their mean score double dummy",
            (
                ("contract", "auction"),
                ("played", "text"),
                ("share", "percent"),
                ("score", "decimal"),
            ),
            tuple((text, whose or None, one["share"], one["score"]) for text, whose, one in rows),
        ),
    )


def _tricks(row: Row) -> tuple[PageBlock, ...]:
    if not row["solved"]:
        return ()
    title = "Mean tricks of the side by strain, played by the better hand"
    rows = [
        (_SIGNS[one], row[f"tricks_{one}"], row[f"other_tricks_{one}"]) for one in reversed(STRAINS)
    ]
    drawn = [Bar(strain, own, f"{own:.2f}, opponents {other:.2f}") for strain, own, other in rows]
    return (
        Chart(title, Bars(title, drawn)),
        ReportTable(
            f"Mean tricks double dummy, {row['solved']:,} boards",
            (("strain", "auction"), ("this side", "decimal"), ("opponents", "decimal")),
            tuple(rows),
        ),
    )


def _hands(row: Row, calls: Sequence[int]) -> tuple[PageBlock, ...]:
    players = [_player(place, calls) for place in range(4)]
    points = {player: row[f"HCP_{place}"] for place, player in enumerate(players, 1)}
    lengths = [
        {_SIGNS[suit]: row[f"SL_{place}_{suit}"] for suit in SUITS[::-1]} for place in range(1, 5)
    ]
    longest = max(one["most"] for suits in lengths for one in suits.values())
    shapes = [row[f"shapes_{place}"] for place in range(1, 5)]
    blocks: list[PageBlock] = [
        Text("Dots are means; lines reach from where 5 % have no more to where 95 % have no more."),
        _ranges("High card points", points, max(one["most"] for one in points.values())),
    ]
    for player, suits in zip(players, lengths, strict=True):
        ranges = {"points": points[player], **suits}
        blocks += (
            _ranges(f"Cards by suit, {player}", suits, longest),
            ReportTable(
                f"From the least to the most, {player}",
                (("what", "auction"), *_RANGE),
                tuple((what, *one.values()) for what, one in ranges.items()),
            ),
        )
    shares = (
        tuple(f"{one['shape']} {percent_text(one['share'])}" if one else None for one in ranked)
        for ranked in zip_longest(*shapes)
    )
    heads: tuple[tuple[str, ColumnKind], ...] = tuple((player, "text") for player in players)
    return (*blocks, ReportTable("Commonest shapes, spades first", heads, tuple(shares)))


def _ranges(title: str, ranges: dict[str, Row], most: int) -> Chart:
    drawn = [
        IntervalDot(what, one["mean"], one["low"], one["high"], _range_text(one))
        for what, one in ranges.items()
    ]
    return Chart(title, Intervals(title, drawn, high=max(most, 1), ends=("0", f"{most}")))


def _next_calls(row: Row, rows: dict[str, Row]) -> tuple[PageBlock, ...]:
    calls = row["next_calls"]
    if not calls:
        return (Text("No call follows."),)
    title = f"Next calls on {row['boards']:,} boards"
    following = [(one, rows.get(f"{row['auction']} {one['call']}".strip(), {})) for one in calls]
    return (
        _call_chart(calls, title),
        ReportTable(
            "What they are worth to the side that makes them; a dash where boards are too few",
            (("call", "auction"), ("share", "percent"), ("boards", "number"), ("par", "decimal"),
             ("score", "decimal"), ("IMPs to par", "decimal")),
            tuple(
                ((parse_call(one["call"]),), one["share"],
                 *(node.get(name) for name in ("boards", "par", "score", "imps_par")))
                for one, node in following
            ),
        ),
    )  # fmt: skip


def _humans(row: Row, calls: Sequence[int]) -> tuple[PageBlock, ...]:
    if row["humans"] is None:
        return ()
    before = f"came to {auction_text(calls[:-1])}" if calls[1:] else "opened the auction"
    text = f"On {row['humans']:,} of the {row['boards']:,} boards the players {before}"
    if not row["humans"]:
        return (Text(f"{text}."),)
    same = f"{call_text(calls[-1])} was their call on {percent_text(row['humans_same'])} of them."
    if not row["humans_instead"]:
        return (Text(f"{text}. {same}"),)
    title = "Their other calls"
    return (
        Text(f"{text}. {same}"),
        _call_chart(row["humans_instead"], title),
        ReportTable(title, (("call", "auction"), ("share", "percent")),
              tuple(((parse_call(one["call"]),), one["share"]) for one in row["humans_instead"])),
    )  # fmt: skip


def _method() -> tuple[PageBlock, ...]:
    return (
        Text(
            "A node is how an auction begins. Its boards are those whose auction begins so. Par "
            "and tricks are double dummy, of the boards that are solved; the score is that of the "
            "contract in which an auction ends, played double dummy. Scores, par and IMPs are "
            "means as the side sees them that made the last call. IMPs are those of each board, "
            "below zero where the side has less."
        ),
    )


# --- texts ----------------------------------------------------------------------------------------


def _call_chart(calls: Sequence[Row], title: str) -> Chart:
    drawn = [
        Bar(call_text(parse_call(one["call"])), one["share"], percent_text(one["share"]))
        for one in calls
    ]
    return Chart(title, Bars(title, drawn))


def _shares_text(calls: Sequence[Row]) -> str | None:
    texts = (f"{call_text(parse_call(one['call']))} {percent_text(one['share'])}" for one in calls)
    return ", ".join(texts) or None


def _range_text(one: Row) -> str:
    reach = f"{one['low']}" if one["low"] == one["high"] else f"{one['low']}-{one['high']}"
    return f"{one['mean']:.1f} ({reach})"


def _contract_text(one: Row) -> str:
    name: str = one["contract"]
    return name if one["is_own"] is None else call_text(parse_call(name[:2])) + name[2:]


def _whose(one: Row) -> str:
    return "by this side" if one["is_own"] else "by the opponents"


def _player(place: int, calls: Sequence[int]) -> str:
    own = calls[place::4]
    return f"{_PLAYERS[place]}: {auction_text(own)}" if own else _PLAYERS[place]


def _signed(value: float | None, digits: int) -> str | None:
    return None if value is None else f"{value:+.{digits}f}"
