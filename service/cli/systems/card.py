"""Command ``system card``: the convention card of a system."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bidcascade.bridge import visible
from bidcascade.service.cli import shared
from bidcascade.service.cli.outputs import add_output, file_ending

if TYPE_CHECKING:
    from bidcascade.systems.book.convention_card import ConventionCard


def configure_card(action: Callable[..., argparse.ArgumentParser], system_help: str) -> None:
    """Arguments of ``system card``."""
    card = action("card", "the convention card, two pages to hand to opponents", show_card)
    add = card.add_argument
    add("system", metavar="SYSTEM", help=system_help)
    shared.add_system_option(card)
    add(
        "--bbsa",
        metavar="FILE",
        help="take options from a card of Bridge Bidding Analyser, and say what it has that the "
        "text has not",
    )
    add_output(
        card,
        "--out",
        check=file_ending(".html", ".json"),
        help="write it there instead: *.html to be printed on two pages of A4, *.json with all of "
        "it; either is read again (--option @FILE)",
    )


def show_card(options: argparse.Namespace) -> None:
    """Print the card of a system, or write it to a file."""
    out = None if options.out is None else Path(options.out)

    from bidcascade.loaders.files.whole_files import write_texts
    from bidcascade.service.reports.card_report import card_page
    from bidcascade.service.reports.report_page import page_html
    from bidcascade.systems.book.convention_card import card_of, print_card
    from bidcascade.systems.registry import open_system

    (chosen,) = shared.chosen_options(options, options.system)
    if options.bbsa is not None:
        chosen = _taken(options, chosen)
    card = card_of(open_system(options.system, options=chosen), options.system)
    if out is not None:
        is_page = out.suffix.lower() == ".html"
        text = page_html(card_page(card)) if is_page else print_card(card)
        write_texts([text], out)
        shared.note(f"{out}: {sum(len(one.lines) for one in card.sections)} lines")
    elif options.json:
        print(print_card(card), end="")
    else:
        _print_card(card)


def _taken(options: argparse.Namespace, chosen: dict[str, bool]) -> dict[str, bool]:
    """Add the options of a card of another program, and say what else it has."""
    from bidcascade.systems.notations.bba_switches import read_bbsa, switches_of
    from bidcascade.systems.registry import open_system

    found = switches_of(open_system(options.system), read_bbsa(options.bbsa))
    report = {
        "options": [f"{name} {'on' if is_on else 'off'}" for name, is_on in found.options.items()],
        "played by the text always": found.played,
        "not in this text": found.lacking,
        "off there, but played by the text always": found.unwanted,
        "not known here": found.unknown,
    }
    for what, names in report.items():
        if names:
            shared.note(f"{options.bbsa}: {what}: {', '.join(names)}")
    return found.options | chosen


def _print_card(card: "ConventionCard") -> None:
    from bidcascade.service.reports.card_report import options_text

    print(visible(f"{card.title}: {options_text(card)}"))
    for section in card.sections:
        print(f"\n{section.heading}")
        after = ""
        for line in section.lines:
            if line.after != after:
                after = line.after
                print(f"  {after}")
            text = f"{line.call:12} {line.points:6} {line.words}" if line.call else line.words
            print(visible(f"    {text}".rstrip()))
