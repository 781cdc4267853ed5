"""The pages of a system's book: chapters by place, the text line by line, one page to print."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final, NamedTuple
from urllib.parse import quote

from bidcascade.bridge import (
    PASS,
    VULNERABILITIES,
    Seat,
    Vulnerability,
    format_call,
    format_calls,
    format_hand,
    is_vulnerable,
)
from bidcascade.systems.book.system_book import (
    BookDeal,
    BookPlace,
    BookRow,
    LineExample,
    SystemBook,
)
from bidcascade.systems.book.text_outline import TextFile
from bidcascade.workshop.tuning.option_prices import OptionPrice

from .bench_report import interval_text
from .card_report import after_text, paragraphs, players_text
from .report_page import (
    Cell,
    ColumnKind,
    Link,
    Links,
    Numbers,
    Page,
    PageBlock,
    ReportTable,
    Section,
    SourceLine,
    SourceText,
    Text,
    call_text,
    page_html,
    percent_text,
)

PRINTED: Final = "print.html"
"""The whole book but the text, as one page."""
_FIRST: Final = "index.html"


class Chapter(NamedTuple):
    """A page of the book: its file, its title and its sections."""

    file: str
    title: str
    sections: tuple[Section, ...]


def book_files(book: SystemBook, prices: Sequence[OptionPrice] = ()) -> dict[str, str]:
    """HTML of every page, by its path in the book's folder.

    Parameters
    ----------
    book : SystemBook
    prices : sequence of OptionPrice
        What options gain, where that was measured.
    """
    texts = _TextPages(book)
    chapters = _chapters(book, prices, texts, apart=True)
    pages = {
        one.file: Page(
            book.title if one.file == _FIRST else f"{one.title}: {book.title}",
            _subtitle(book, with_options=one.file == _FIRST),
            (Section(_CONTENTS, (_ways(chapters, texts, one.file),)), *one.sections),
        )
        for one in chapters
    }
    whole = _chapters(book, prices, texts, apart=False)
    pages[PRINTED] = Page(
        book.title,
        _subtitle(book, with_options=True),
        tuple(section for one in whole for section in one.sections),
    )
    for file in book.outline.files:
        pages[texts.path(file)] = texts.page(file)
    return {name: page_html(page) for name, page in pages.items()}


_CONTENTS: Final = "Pages"
_PRICE: Final[tuple[tuple[str, ColumnKind], ...]] = (("IMPs a deal", "text"),)


def _subtitle(book: SystemBook, *, with_options: bool) -> str:
    on = ", ".join(f"{name} {'on' if is_on else 'off'}" for name, is_on in book.options.items())
    return (
        f"Counted on {book.deals:,} random deals (seed {book.seed}) that the system bids at all "
        f"four seats; digest {book.digest[:16]}{f'; options: {on}' if on and with_options else ''}"
    )


def _ways(chapters: Sequence[Chapter], texts: "_TextPages", here: str) -> Links:
    others = [(one.title, one.file) for one in chapters if one.file != here]
    return Links(
        "Book",
        (
            *others,
            ("The text", f"{_FIRST}#{_anchor(chapters[0], 'The text')}"),
            ("To print", PRINTED),
        ),
    )


def _anchor(chapter: Chapter, heading: str) -> str:
    number = [one.heading for one in chapter.sections].index(heading) + 2
    return f"{heading.lower().replace(' ', '-')}-{number}"


# --- the text -------------------------------------------------------------------------------------


class _TextPages:
    """Pages with the lines of a system's files, and where places in them are."""

    def __init__(self, book: SystemBook) -> None:
        self.book = book
        self._paths: dict[int, str] = {}
        taken: set[str] = set()
        for number, file in enumerate(book.outline.files):
            stem = PurePath(file.name).stem
            while f"text/{stem}.html" in taken:
                # another file of that name, in another folder
                stem += "-2"
            taken.add(f"text/{stem}.html")
            self._paths[number] = f"text/{stem}.html"

    def path(self, file: TextFile) -> str:
        """Path of a file's page in the book's folder."""
        return self._paths[self.book.outline.files.index(file)]

    def address(self, where: str, name: str = "") -> str:
        """Address of a place such as ``notrump.bidding:48``, whose line has a name."""
        file, _, line = where.rpartition(":")
        named = [one for one in self.book.outline.files if one.name == file]
        # two folders may have a file of one name: the line tells them apart
        number = int(line)
        fitting = [
            one for one in named if number <= len(one.lines) and name in one.lines[number - 1]
        ]
        return f"{quote(self.path((fitting or named)[0]))}#l{number}"

    def page(self, file: TextFile) -> Page:
        """Make the page of one file."""
        included = {
            where.line: name
            for where, name in self.book.outline.includes
            if where.file == file.name
        }
        lines = tuple(
            SourceLine(number, text, self._note(file, number), self._included(included.get(number)))
            for number, text in enumerate(file.lines, 1)
        )
        return Page(
            f"{file.name}: {self.book.title}",
            _subtitle(self.book, with_options=False),
            (Section("Lines", (Links("Book", (("Start", f"../{_FIRST}"),)), SourceText(lines))),),
        )

    def _included(self, name: str | None) -> str:
        if name is None:
            return ""
        stem = PurePath(name).name.removesuffix(".bidding")
        for one in self.book.outline.files:
            if PurePath(one.name).name.removesuffix(".bidding") == stem:
                return f"../{quote(self.path(one))}"
        return ""

    def _note(self, file: TextFile, number: int) -> str:
        use = self.book.uses.get(f"{file.name}:{number}")
        if use is None:
            return ""
        if not use.offered:
            return f"no deal of {self.book.deals:,} came to its place"
        share = percent_text(use.chosen / use.offered)
        text = f"{use.chosen:,} of {use.offered:,} calls at its places ({share})"
        if use.example is None:
            return text
        return f"{text}; e.g. {example_text(use.example)}"


# --- chapters -------------------------------------------------------------------------------------

_CHAPTERS: Final[tuple[tuple[str, str, Callable[[BookPlace], bool]], ...]] = (
    ("responses.html", "Responses", lambda one: not one.is_contested and _length(one) == 2),
    ("later.html", "Later calls", lambda one: not one.is_contested and _length(one) > 2),
    ("competition.html", "Competition", lambda one: one.is_contested and _length(one) <= 2),
    ("further.html", "Further competition", lambda one: one.is_contested and _length(one) > 2),
)


def _length(place: BookPlace) -> int:
    """Count the calls of a place without first passes."""
    first = next((at for at, one in enumerate(place.calls) if one != PASS), len(place.calls))
    return len(place.calls) - first


@dataclass(slots=True)
class _Ways:
    """Where the tables of places stand, seen from any page of the book or from the one page."""

    files: dict[tuple[int, ...], str]
    apart: bool

    def to(self, calls: tuple[int, ...]) -> str:
        """Address of a place; empty where the book has not got it."""
        file = self.files.get(calls)
        return "" if file is None else f"{file if self.apart else ''}#{place_anchor(calls)}"


def place_anchor(calls: Sequence[int]) -> str:
    """Anchor of a place's table.

    Examples
    --------
    >>> place_anchor((7, 0)), place_anchor(())
    ('at-1N-P', 'at')
    """
    return "-".join(("at", *format_calls(calls).split()))


def _chapters(
    book: SystemBook, prices: Sequence[OptionPrice], texts: _TextPages, *, apart: bool
) -> list[Chapter]:
    files = {}
    for place in book.places:
        named = (file for file, _, belongs in _CHAPTERS if belongs(place))
        files[place.calls] = next(named, _FIRST) if _length(place) else _FIRST
    ways = _Ways(files, apart)
    openings = [one for one in book.places if not _length(one)]
    return [
        Chapter(
            _FIRST,
            "Openings",
            (
                *_about(book, prices, texts),
                Section("Openings", tuple(_place(one, ways, texts) for one in openings)),
                _text_list(book, texts),
            ),
        ),
        *(
            Chapter(
                file,
                title,
                tuple(
                    _by_opening(
                        [one for one in book.places if ways.files[one.calls] == file],
                        ways,
                        texts,
                        title,
                    )
                ),
            )
            for file, title, _ in _CHAPTERS
        ),
        Chapter("deals.html", "Deals", (_deals(book, texts),)),
        Chapter("conventions.html", "Conventions", (_conventions(book, texts),)),
    ]


def _about(book: SystemBook, prices: Sequence[OptionPrice], texts: _TextPages) -> Iterator[Section]:
    chosen = sum(use.chosen > 0 for use in book.uses.values())
    yield Section("About", (
        *map(Text, paragraphs(book.about)),
        Numbers((
            ("deals", f"{book.deals:,}"), ("places in the book", f"{len(book.places):,}"),
            ("lines that make calls", f"{len(book.uses):,}"), ("of them bid", f"{chosen:,}"),
        )),
        Text("The share of a call is that of the deals that came to its place. Every example is "
             "one of these deals, and was bid once more by itself when the book was made."),
    ))  # fmt: skip
    if book.options:
        yield Section("Options", tuple(_options(book, prices, texts)))


def _options(
    book: SystemBook, prices: Sequence[OptionPrice], texts: _TextPages
) -> Iterator[PageBlock]:
    price = {one.option: one for one in prices}
    told = book.outline.described_options()
    rows: list[tuple[Cell, ...]] = []
    for name, is_on in book.options.items():
        part, found = told[name], price.get(name)
        cost = (None if found is None else interval_text(found.imps),) if prices else ()
        words = book.option_words[name]
        rows.append((
            Link(words.title, texts.address(str(part.where))), "on" if is_on else "off",
            words.about or part.about or None, name, *cost,
        ))  # fmt: skip
    yield ReportTable(
        "Turned on and off when the system is opened (--option NAME=on|off)",
        (
            ("option", "text"),
            ("is", "text"),
            ("about", "words"),
            ("name", "code"),
            *(_PRICE if prices else ()),
        ),
        tuple(rows),
    )
    yield Text(
        f"IMPs a deal are what the text with the option gains against the text without it, double "
        f"dummy, with half the interval of 95 %, on {prices[0].deals:,} solved deals."
        if prices
        else "What the options gain was not measured for this book.",
        soft=True,
    )


def _by_opening(
    places: Sequence[BookPlace], ways: _Ways, texts: _TextPages, title: str
) -> Iterator[Section]:
    """Sections by the first bid, in the order of bids."""
    found: dict[int, list[BookPlace]] = {}
    for place in places:
        found.setdefault(next(one for one in place.calls if one != PASS), []).append(place)
    for call in sorted(found):
        blocks = tuple(_place(one, ways, texts) for one in found[call])
        yield Section(f"{title}: {call_text(call)}", blocks)


def _place(place: BookPlace, ways: _Ways, texts: _TextPages) -> ReportTable:
    by_option = any(row.option for row in place.rows)
    columns: list[tuple[str, ColumnKind]] = [
        ("call", "auction"), ("share", "percent"), ("means", "words"), ("agreed", "text"),
        ("a hand that bids it", "auction"), ("line", "code"),
    ]  # fmt: skip
    if by_option:
        columns.insert(4, ("option", "text"))
    rows: list[tuple[Cell, ...]] = []
    for row in place.rows:
        cells = [
            _call_cell(place, row, ways),
            row.deals / place.deals,
            ": ".join(filter(None, (row.name, row.meaning))) or "any hand",
            ", ".join(one for one in row.agreements if not one.startswith("#")) or None,
            None if row.example is None else f"{hand_text(row.example.hand)}{_vul(row.example)}",
            Link(row.where, texts.address(row.where, row.name)),
        ]
        if by_option:
            cells.insert(4, row.option or None)
        rows.append(tuple(cells))
    if place.passes:
        rows.append(
            ("P", place.passes / place.deals, "Pass: no line fits", *([None] * (3 + by_option)))
        )
    heading = after_text(format_calls(place.calls))
    return ReportTable(
        f"{heading}: {place.deals:,} deals", tuple(columns), tuple(rows), place_anchor(place.calls)
    )


def _call_cell(place: BookPlace, row: BookRow, ways: _Ways) -> Cell:
    # the other side passes, and partner answers
    for calls in ((*place.calls, row.call, PASS), (*place.calls, row.call)):
        address = ways.to(calls)
        if address:
            return Link(call_text(row.call), address)
    return call_text(row.call)


def _deals(book: SystemBook, texts: _TextPages) -> Section:
    blocks: list[PageBlock] = [
        Text("One deal for each opening in first seat, bid to the end; North deals.")
    ]
    for deal in book.whole_deals:
        blocks += _deal(deal, texts)
    return Section("Deals bid to the end", tuple(blocks))


def _deal(deal: BookDeal, texts: _TextPages) -> Iterator[PageBlock]:
    vulnerable = VULNERABILITIES[deal.vulnerability]
    yield ReportTable(
        f"Deal {deal.number + 1}: vulnerable {vulnerable}",
        (("player", "text"), ("hand", "auction")),
        tuple(
            (Seat(seat).name.capitalize(), hand_text(hand)) for seat, hand in enumerate(deal.hands)
        ),
    )
    yield ReportTable(
        f"Deal {deal.number + 1}, call by call",
        (("player", "text"), ("call", "auction"), ("means", "words"), ("line", "code")),
        tuple(
            (
                Seat(number % 4).name.capitalize(),
                call_text(one.call),
                ": ".join(filter(None, (one.name, one.meaning))) or "no line fits",
                Link(one.where, texts.address(one.where, one.name)) if one.where else None,
            )
            for number, one in enumerate(deal.calls)
        ),
    )


def _conventions(book: SystemBook, texts: _TextPages) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for name, places in book.conventions:
        for where in places:
            use = book.uses.get(where)
            example = None if use is None or use.example is None else example_text(use.example)
            chosen = None if use is None else use.chosen
            rows.append((name, chosen, example, Link(where, texts.address(where, name))))
    named = tuple(
        (one.name, one.about or None, Link(str(one.where), texts.address(str(one.where))))
        for one in sorted(book.outline.conventions, key=lambda one: one.name)
    )
    blocks: list[PageBlock] = [
        ReportTable(
            "Calls that are artificial or have a name in the text, with how many deals bid them",
            (("name", "text"), ("bid", "number"), ("example", "auction"), ("line", "code")),
            tuple(rows),
        )
    ]
    if named:
        blocks.append(
            ReportTable(
                "Conventions that the text writes once and uses where they apply",
                (("name", "text"), ("about", "words"), ("line", "code")),
                named,
            )
        )
    return Section("Index of conventions", tuple(blocks))


def _text_list(book: SystemBook, texts: _TextPages) -> Section:
    return Section(
        "The text",
        (
            ReportTable(
                "Files of the system, in the order in which they are read",
                (("file", "text"), ("about", "words"), ("lines", "number")),
                tuple(
                    (
                        Link(one.name, quote(texts.path(one))),
                        (paragraphs(one.prose) or [""])[0] or None,
                        len(one.lines),
                    )
                    for one in book.outline.files
                ),
            ),
        ),
    )


# --- texts ----------------------------------------------------------------------------------------


def hand_text(hand: int) -> str:
    """Hand with the signs of its suits.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> hand_text(parse_hand("AK52..QJ876.KJ92"))
    '♠AK52 ♥– ♦QJ876 ♣KJ92'
    """
    holdings = zip("♠♥♦♣", format_hand(hand).split("."), strict=True)
    return " ".join(f"{sign}{cards or '–'}" for sign, cards in holdings)


def example_text(example: LineExample) -> str:
    """Say an example in a line: the hand, the auction, the call."""
    after = players_text(format_calls(example.auction))
    call = players_text(format_call(example.call))
    where = f"after {after}" if after else "as dealer"
    return f"{hand_text(example.hand)}{_vul(example)} {where}: {call}"


def _vul(example: LineExample) -> str:
    seat = Seat(len(example.auction) % 4)
    is_ours = is_vulnerable(Vulnerability(example.vulnerability), seat)
    return " (vulnerable)" if is_ours else ""
