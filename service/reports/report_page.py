"""A report as data: sections of paragraphs, numbers, tables and charts; as HTML and as Markdown.

The HTML is one file, which has the page as JSON and draws it (:mod:`bidcascade.page.report_file`).
Announcements, names and file names were typed by strangers: characters that would reorder or hide
the text around them are shown as ``�``, and no text becomes markup.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from bidcascade.bridge import FIRST_BID, bid_level, bid_strain, format_call
from bidcascade.page.report_file import report_html

from .charts import AnyChart, chart_dict

ColumnKind: TypeAlias = Literal["text", "words", "number", "decimal", "percent", "auction", "code"]
"""What a column holds: short texts, long texts, counts, numbers with two decimals, shares (0-1
written as per cent), auctions or calls (sequences of call codes), expressions."""
Cell: TypeAlias = "str | int | float | Sequence[int] | Link | None"

_SIGNS: Final = "♣♦♥♠"
_NUMBERS: Final = ("number", "decimal", "percent")
_MARKDOWN: Final = re.compile(r"([\\`*_\[\]<>|~#&$])")
_LINK: Final = re.compile(r"(?i)(https?|ftp|www)(://|\.)")


class Link(NamedTuple):
    """A cell whose text leads somewhere: to another page of ours, or to an anchor."""

    text: str
    address: str


class Text(NamedTuple):
    """A paragraph; ``soft`` for remarks."""

    text: str
    soft: bool = False


class Links(NamedTuple):
    """A remark with links behind it: pairs of a text and an address, opened by who clicks on it."""

    text: str
    pairs: tuple[tuple[str, str], ...]


class Numbers(NamedTuple):
    """A few numbers that say most: pairs of what and how much, as text."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ReportTable:
    """A table under its caption.

    Parameters
    ----------
    caption : str
        What the rows are.
    columns : tuple of (str, ColumnKind)
        Heads, and what the cells are. The first column names the row.
    rows : tuple of tuples
        Cells; ``None`` is shown as a dash.
    """

    caption: str
    columns: tuple[tuple[str, ColumnKind], ...]
    rows: tuple[tuple[Cell, ...], ...]
    anchor: str = ""
    """Where links to it lead, once on a page; else it has one of its section's."""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"expected rows of {len(self.columns)} cells in {self.caption!r}")


class Chart(NamedTuple):
    """A chart under its caption.

    Markdown leaves charts out, so what they show belongs into a table as well.
    """

    caption: str
    chart: AnyChart


class SourceLine(NamedTuple):
    """A line of a text with its number, what is noted about it, and where it leads."""

    number: int
    text: str
    note: str = ""
    address: str = ""


class SourceText(NamedTuple):
    """A text line by line; links lead to ``#l12``. One on a page."""

    lines: tuple[SourceLine, ...]


class HandRecord(NamedTuple):
    """A board as clubs print it: four hands of North, East, South, West, spades first.

    Parameters
    ----------
    title, subtitle : str
        Its number; who deals, and who is vulnerable.
    hands : tuple
        Four holdings each, empty for a void; None for a hand that is not known.
    tricks : tuple
        Rows of declarer and five numbers, notrump first; none where they are not known.
    notes : tuple of str
        What stands below.
    address : str
        Where its title leads: a hand viewer that shows the board, from which readers take it.
    """

    title: str
    subtitle: str
    hands: tuple[tuple[str, str, str, str] | None, ...]
    tricks: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    address: str = ""


class HandRecords(NamedTuple):
    """Boards side by side, as many as the width holds; none is cut by the end of a sheet."""

    records: tuple[HandRecord, ...]


class CardSheet(NamedTuple):
    """A convention card, two sheets when it is printed.

    Parameters
    ----------
    title : str
    sections : tuple of mappings
        Heading, page and lines, as a card's JSON has them.
    """

    title: str
    sections: tuple[Mapping[str, Any], ...]


PageBlock: TypeAlias = (
    Text | Links | Numbers | ReportTable | Chart | SourceText | HandRecords | CardSheet
)


class Section(NamedTuple):
    """A heading with what stands below it."""

    heading: str
    blocks: tuple[PageBlock, ...]


class Page(NamedTuple):
    r"""A whole report: its title, a line below that says of what and from when, its sections."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    metadata: tuple[tuple[str, str], ...] = ()
    """Names and contents that programs read from its head."""


# --- texts ----------------------------------------------------------------------------------------


def visible(text: str) -> str:
    r"""Text without characters that do not show: blanks for line ends, ``�`` for the others.

    Control characters, and the format characters that change the direction of text (Unicode
    Standard Annex 9, explicit directional formatting), are the ones meant.
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character in "\t\n\r\x0b\x0c\x85\u2028\u2029":
        return " "
    # surrogates cannot be written as UTF-8 at all
    return "�" if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn") else character


def markdown_text(text: str) -> str:
    r"""Text for a paragraph or a cell of a table in Markdown (GitHub's form of CommonMark)."""
    return _LINK.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", visible(text)))


def call_text(call: int) -> str:
    """Call as players write it."""
    if call >= FIRST_BID and bid_strain(call) < len(_SIGNS):
        return f"{bid_level(call)}{_SIGNS[bid_strain(call)]}"
    return format_call(call)


def auction_text(calls: Iterable[int]) -> str:
    """Auction as players write it; ``opening`` for none."""
    return " ".join(map(call_text, calls)) or "opening"


def percent_text(share: float) -> str:
    """Share as per cent; small ones with one more digit, and only nothing at all is 0 %."""
    percent = 100 * share
    if percent in (0, 100):
        return f"{percent:.0f} %"
    if 0 < percent < 0.005:
        return "< 0.01 %"
    if 0 < percent < 1:
        return f"{percent:.2f} %"
    # what is not all of it is not written as all of it
    return f"{min(percent, 99.9) if percent < 100 else percent:.1f} %"


def _plain(cell: Cell, kind: ColumnKind) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Link):
        return cell.text
    if isinstance(cell, int | float):
        if kind == "percent":
            return percent_text(cell)
        return f"{cell:,.2f}" if kind == "decimal" else f"{cell:,}"
    return auction_text(cell)


# --- HTML ----------------------------------------------------------------------------------------


def page_html(page: Page, answer: Mapping[str, Any] | None = None) -> str:
    """Page as one HTML file, which draws its :func:`page_dict`.

    Parameters
    ----------
    page : Page
    answer : mapping, optional
        What the page is of, as ``--json`` prints it: for programs that read the file.
    """
    metadata = ((name, visible(content)) for name, content in page.metadata)
    report = page_dict(page) if answer is None else {**page_dict(page), "answer": answer}
    return report_html(report, visible(page.title), metadata)


def page_dict(page: Page) -> dict[str, Any]:
    """Page as a report's JSON: all of it as text that is shown.

    Examples
    --------
    >>> table = ReportTable("Calls", (("call", "auction"), ("share", "percent")), (((7,), 0.25),))
    >>> page_dict(Page("t", "s", (Section("Next calls", (table,)),)))["sections"][0]["anchor"]
    'next-calls-1'
    """
    sections = [
        {
            "heading": heading,
            "anchor": section_anchor(heading, number),
            "blocks": [_block_dict(block) for block in blocks],
        }
        for number, (heading, blocks) in enumerate(page.sections, 1)
    ]
    found = {"title": page.title, "subtitle": page.subtitle, "sections": sections}
    shown: dict[str, Any] = _shown(found)
    return shown


def section_anchor(heading: str, number: int) -> str:
    """Where links to the section of a page lead that has the number, from 1."""
    words = re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")
    return f"{words or 'section'}-{number}"


def _block_dict(block: PageBlock) -> dict[str, Any]:
    match block:
        case Text(text, soft):
            return {"kind": "text", "text": text, "soft": soft}
        case Links(text, pairs):
            links = [Link(*pair)._asdict() for pair in pairs]
            return {"kind": "links", "text": text, "links": links}
        case Numbers(pairs):
            return {"kind": "numbers", "pairs": pairs}
        case Chart(caption, chart):
            return {"kind": "chart", "caption": caption, "chart": chart_dict(chart)}
        case SourceText(lines):
            return {"kind": "source", "lines": [line._asdict() for line in lines]}
        case HandRecords(records):
            return {"kind": "records", "records": [one._asdict() for one in records]}
        case CardSheet(title, sections):
            return {"kind": "card", "title": title, "sections": sections}
    columns = [{"head": head, "kind": kind} for head, kind in block.columns]
    rows = [
        [
            cell._asdict() if isinstance(cell, Link) else _plain(cell, kind)
            for cell, (_, kind) in zip(row, block.columns, strict=True)
        ]
        for row in block.rows
    ]
    table = {"caption": block.caption, "columns": columns, "rows": rows}
    return {"kind": "table", **table, "anchor": block.anchor}


def _shown(value: Any) -> Any:
    """Value with all its texts :func:`visible`."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {name: _shown(one) for name, one in value.items()}
    return [_shown(one) for one in value] if isinstance(value, list | tuple) else value


# --- Markdown ------------------------------------------------------------------------------------


def page_markdown(page: Page) -> str:
    """Page as Markdown, without its charts."""
    parts = [f"# {markdown_text(page.title)}", markdown_text(page.subtitle)]
    for heading, blocks in page.sections:
        parts.append(f"## {markdown_text(heading)}")
        written = (_markdown_block(block) for block in blocks if not isinstance(block, Chart))
        parts += filter(None, written)
    return "\n\n".join(parts) + "\n"


def _markdown_card(section: Mapping[str, Any]) -> str:
    """Part of a card: its lines as rows of a table."""
    rows = [
        [line[name] for name in ("after", "call", "points", "words")] for line in section["lines"]
    ]
    lines = ["| after | call | points | shows |", "| --- | --- | --- | --- |"]
    lines += (f"| {' | '.join(map(markdown_text, row))} |" for row in rows)
    return "\n".join([f"**{markdown_text(section['heading'])}**", "", *lines])


def _markdown_block(
    block: Text | Links | Numbers | ReportTable | SourceText | HandRecords | CardSheet,
) -> str:
    match block:
        case CardSheet(_, sections):
            return "\n\n".join(map(_markdown_card, sections))
        case HandRecords(records):
            return "\n\n".join(map(_markdown_record, records))
        case SourceText(written):
            # a fence longer than any in it
            return "\n".join(("~~~~~~~~", *(visible(one.text) for one in written), "~~~~~~~~"))
        case Text(text):
            return markdown_text(text)
        case Links(text, pairs):
            links = (f"[{markdown_text(what)}]({address})" for what, address in pairs)
            return " · ".join((markdown_text(text), *links))
        case Numbers(pairs):
            return "\n".join(f"- {markdown_text(what)}: {markdown_text(n)}" for what, n in pairs)
    rows = [
        [markdown_text(head) for head, _ in block.columns],
        ["---:" if kind in _NUMBERS else "---" for _, kind in block.columns],
        *(
            [_markdown_cell(cell, kind) for cell, (_, kind) in zip(row, block.columns, strict=True)]
            for row in block.rows
        ),
    ]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{markdown_text(block.caption)}:\n\n{lines}"


def _markdown_record(record: HandRecord) -> str:
    lines = [f"{record.title}, {record.subtitle}"]
    for name, hand in zip(("North", "East", "South", "West"), record.hands, strict=True):
        text = (
            "not known"
            if hand is None
            else " ".join(f"{sign}{cards or '–'}" for sign, cards in zip("♠♥♦♣", hand, strict=True))
        )
        lines.append(f"{name}: {text}")
    for row in record.tricks:
        lines.append(
            f"{row[0]}: "
            + ", ".join(
                f"{count} {strain}" for count, strain in zip(row[1:], ("NT", *"♠♥♦♣"), strict=True)
            )
        )
    return "\n".join(f"- {markdown_text(one)}" for one in (*lines, *record.notes))


def _markdown_cell(cell: Cell, kind: ColumnKind) -> str:
    text = _plain(cell, kind)
    if isinstance(cell, Link):
        return f"[{markdown_text(text)}]({cell.address})"
    if kind == "code" and cell:
        # a bar ends a cell even inside code; a backquote would end the code
        return "`" + visible(text).replace("`", "'").replace("|", "\\|") + "`"
    return markdown_text(text)
