"""The page of a convention card, and how auctions of its system are told."""

from dataclasses import asdict

from bidcascade.bridge import parse_calls
from bidcascade.systems.book.convention_card import PAGE_NAME, ConventionCard, print_card_head

from .report_page import CardSheet, Page, Section, auction_text


def card_page(card: ConventionCard) -> Page:
    """Make the page of a card: two sheets when it is printed."""
    sheet = CardSheet(card.title, tuple(asdict(one) for one in card.sections))
    return Page(
        card.title,
        f"Convention card; {options_text(card)}",
        (Section("Convention card", (sheet,)),),
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
