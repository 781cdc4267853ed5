"""The page of a convention card, and its lines for a terminal."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from bidcascade.bridge import parse_calls
from bidcascade.systems.book.convention_card import (
    PAGE_NAME,
    CardRow,
    CardSection,
    ConventionCard,
    print_card_head,
)

from .report_page import ColumnKind, Page, PageBlock, ReportTable, Section, Text, auction_text

ORDER_NAMES = {"acbl": "ACBL", "wbf": "WBF"}
"""Whose card has the order, as players call it."""
_OPTION: Final[tuple[tuple[str, ColumnKind], ...]] = (("option", "text"),)
_LEADS = "Leads and signals are no part of a system's text: write them in by hand."


def card_page(card: ConventionCard) -> Page:
    """Make the page of a card."""
    general = [Text(one) for one in paragraphs(card.about)]
    return Page(
        card.title,
        f"Convention card in the order of the {ORDER_NAMES[card.order]} card; {options_text(card)}",
        (
            Section("General approach", tuple(general) or (Text("The text has no words on it."),)),
            *(Section(one.heading, tuple(_tables(one))) for one in card.sections),
            Section("Leads and signals", (Text(_LEADS, soft=True),)),
            *_conventions(card),
        ),
        ((PAGE_NAME, print_card_head(card)),),
    )


def paragraphs(prose: str) -> list[str]:
    """Give the paragraphs of a comment page, each on one line."""
    return [" ".join(one.split()) for one in prose.split("\n\n") if one.strip()]


def options_text(card: ConventionCard) -> str:
    """Say which options are on and which off."""
    if not card.options:
        return "a text without options"
    texts = (f"{name} {'on' if is_on else 'off'}" for name, is_on in card.options.items())
    return f"options: {', '.join(texts)}"


def after_text(auction: str) -> str:
    """Say where a call is made, as players write auctions.

    Examples
    --------
    >>> after_text(""), after_text("1N P")
    ('Opening', 'After 1NT Pass')
    """
    return f"After {players_text(auction)}" if auction else "Opening"


def players_text(auction: str) -> str:
    """Auction from dealer's first call, without first passes of those who bid nothing."""
    words = {"P": "Pass", "X": "Double", "XX": "Redouble"}
    calls = auction_text(parse_calls(auction)).split()
    return " ".join(words.get(one, one.replace("N", "NT")) for one in calls)


def agreed_text(row: CardRow) -> str:
    """Agreements of a row without tags, which are for the text itself."""
    return ", ".join(one for one in row.agreements if not one.startswith("#"))


def row_text(row: CardRow) -> str:
    """Name of a call and what it asks for."""
    return ": ".join(filter(None, (row.name, row.meaning))) or "any hand"


def _tables(section: CardSection) -> Iterator[PageBlock]:
    for auction, found in groupby(section.rows, lambda row: row.auction):
        rows = [*found]
        by_option = any(row.option for row in rows)
        columns: tuple[tuple[str, ColumnKind], ...] = (
            ("call", "auction"), ("means", "words"), ("agreed", "words"),
            *(_OPTION if by_option else ()), ("line", "code"),
        )  # fmt: skip
        yield ReportTable(
            after_text(auction), columns,
            tuple(
                (parse_calls(row.call), row_text(row), agreed_text(row) or None,
                 *([row.option or None] if by_option else []), row.where)
                for row in rows
            ),
        )  # fmt: skip


def _conventions(card: ConventionCard) -> Iterator[Section]:
    options = [one for one in card.conventions if one.is_on is not None]
    if options:
        yield Section(
            "Options",
            (
                ReportTable(
                    "What can be turned on and off when the system is opened "
                    "(--option NAME=on|off)",
                    (
                        ("option", "text"),
                        ("is", "text"),
                        ("about", "words"),
                        ("name", "code"),
                        ("line", "code"),
                    ),
                    tuple(
                        (
                            one.title or one.name,
                            "on" if one.is_on else "off",
                            one.about or None,
                            one.name,
                            one.where,
                        )
                        for one in options
                    ),
                ),
            ),
        )
    others = [one for one in card.conventions if one.is_on is None]
    if others:
        yield Section(
            "Conventions of the text",
            (
                ReportTable(
                    "Lines that the text names and uses at one or more places",
                    (("convention", "text"), ("about", "words"), ("line", "code")),
                    tuple((one.name, one.about or None, one.where) for one in others),
                ),
            ),
        )
