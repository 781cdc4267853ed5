"""A report as data: sections of paragraphs, numbers, tables and charts; as HTML and as Markdown.

The HTML is one file without scripts, fonts or anything from a network, and says so in its content
security policy: only the one style sheet, ``report.css``, is let in. Announcements, names and file
names were typed by strangers: all texts are escaped here, and characters that would reorder or hide
the text around them are shown as ``�``; :class:`Chart` alone takes markup, that of :mod:`.charts`.
"""

import base64
import hashlib
import html
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final, Literal, NamedTuple, TypeAlias

from bidcascade.bridge import FIRST_BID, bid_level, bid_strain, format_call

ColumnKind: TypeAlias = Literal["text", "words", "number", "decimal", "percent", "auction", "code"]
"""What a column holds: short texts, long texts, counts, numbers with two decimals, shares (0-1
written as per cent), auctions or calls (sequences of call codes), expressions."""
Cell: TypeAlias = "str | int | float | Sequence[int] | Link | None"

STYLE: Final = files(__package__).joinpath("report.css").read_text("utf-8")
_SIGNS: Final = "♣♦♥♠"
_NUMBERS: Final = ("number", "decimal", "percent")
_CLASSES: Final = {
    **dict.fromkeys(_NUMBERS, ' class="n"'),
    "auction": ' class="a"',
    "words": ' class="w"',
}
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
    """A chart under its caption; ``markup`` is made by :mod:`.charts`, never by hand.

    Markdown leaves charts out, so what they show belongs into a table as well.
    """

    caption: str
    markup: str


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


PageBlock: TypeAlias = Text | Links | Numbers | ReportTable | Chart | SourceText | HandRecords


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


def html_text(text: str) -> str:
    """Text for the inside of an element or of a quoted attribute."""
    return html.escape(visible(text))


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


def page_html(page: Page) -> str:
    """Page as one HTML file."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    title, links, sections = html_text(page.title), "", ""
    for number, (heading, blocks) in enumerate(page.sections, 1):
        words = re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")
        anchor, name = f"{words or 'section'}-{number}", html_text(heading)
        links += f'<li><a href="#{anchor}">{name}</a></li>'
        content = "\n".join(_html_block(one, f"{anchor}-t{n}") for n, one in enumerate(blocks, 1))
        sections += f'<section aria-labelledby="{anchor}"><h2 id="{anchor}">{name}</h2>'
        sections += f"{content}</section>\n"
    metadata = "".join(
        f'<meta name="{html_text(name)}" content="{html_text(content)}">\n'
        for name, content in page.metadata
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
{metadata}<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<header><h1>{title}</h1>
<p class="soft">{html_text(page.subtitle)}</p></header>
<nav aria-label="Sections"><ul>{links}</ul></nav>
<main>
{sections}</main>
</body>
</html>
"""


def _html_block(block: PageBlock, name: str) -> str:
    match block:
        case Text(text, soft):
            return f'<p class="soft">{html_text(text)}</p>' if soft else f"<p>{html_text(text)}</p>"
        case Links(text, pairs):
            links = (
                f'<a href="{html_text(address)}">{html_text(what)}</a>' for what, address in pairs
            )
            return f'<p class="soft">{" · ".join((html_text(text), *links))}</p>'
        case Numbers(pairs):
            tiles = (
                f"<div><dt>{html_text(what)}</dt><dd>{html_text(number)}</dd></div>"
                for what, number in pairs
            )
            return f'<dl class="tiles">{"".join(tiles)}</dl>'
        case SourceText(lines):
            return f'<div class="source">{"".join(map(_source_line, lines))}</div>'
        case HandRecords(records):
            return f'<div class="records">{"".join(map(_hand_record, records))}</div>'
        case Chart(caption, markup):
            return f"<figure><figcaption>{html_text(caption)}</figcaption>{markup}</figure>"
    name = block.anchor or name
    heads = "".join(
        f'<th scope="col"{_CLASSES.get(kind, "")}>{html_text(head)}</th>'
        for head, kind in block.columns
    )
    rows = ""
    for row in block.rows:
        rows += "<tr>"
        for place, (cell, (_, kind)) in enumerate(zip(row, block.columns, strict=True)):
            tag, scope = ("td", "") if place else ("th", ' scope="row"')
            rows += f"<{tag}{scope}{_CLASSES.get(kind, '')}>{_html_cell(cell, kind)}</{tag}>"
        rows += "</tr>\n"
    # wide tables are moved sideways inside their frame, by keyboard too
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{name}"><table>'
        f'<caption id="{name}">{html_text(block.caption)}</caption>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table></div>"
    )


def _hand_record(record: HandRecord) -> str:
    hands = "".join(
        f'<div class="{name[0].lower()}"><h4>{name}</h4>{_holdings(hand)}</div>'
        for name, hand in zip(("North", "East", "South", "West"), record.hands, strict=True)
    )
    tricks = ""
    if record.tricks:
        heads = "".join(f'<th scope="col">{_red(one)}</th>' for one in ("", "NT", *"♠♥♦♣"))
        rows = "".join(
            f'<tr><th scope="row">{html_text(row[0])}</th>'
            + "".join(f"<td>{html_text(one)}</td>" for one in row[1:])
            + "</tr>"
            for row in record.tricks
        )
        tricks = (
            f"<table><caption>tricks, double dummy</caption><thead><tr>{heads}</tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )
    notes = "".join(f"<p>{_red(html_text(one))}</p>" for one in record.notes)
    title = html_text(record.title)
    if record.address:
        title = f'<a href="{html_text(record.address)}">{title}</a>'
    return (
        f'<article><h3>{title} <span class="soft">{html_text(record.subtitle)}'
        f'</span></h3><div class="hands">{hands}</div>{tricks}{notes}</article>\n'
    )


def _holdings(hand: Sequence[str] | None) -> str:
    if hand is None:
        return "<p>not known</p>"
    suits = zip("♠♥♦♣", hand, strict=True)
    held = "<br>".join(f"{_red(sign)} {html_text(cards or '–')}" for sign, cards in suits)
    return f"<p>{held}</p>"


def _source_line(line: SourceLine) -> str:
    anchor = f"l{line.number}"
    text = html_text(line.text) or "&nbsp;"
    if line.address:
        text = f'<a href="{html_text(line.address)}">{text}</a>'
    note = f"<span>{_red(html_text(line.note))}</span>" if line.note else ""
    return f'<p id="{anchor}"><a href="#{anchor}">{line.number}</a><code>{text}</code>{note}</p>\n'


def _red(text: str) -> str:
    return re.sub(r"([♦♥])", r'<span class="r">\1</span>', text)


def _html_cell(cell: Cell, kind: ColumnKind) -> str:
    text = html_text(_plain(cell, kind))
    if kind == "auction":
        text = _red(text)
    if isinstance(cell, Link):
        return f'<a href="{html_text(cell.address)}">{text}</a>'
    return f"<code>{text}</code>" if kind == "code" and cell else text


# --- Markdown ------------------------------------------------------------------------------------


def page_markdown(page: Page) -> str:
    """Page as Markdown, without its charts."""
    parts = [f"# {markdown_text(page.title)}", markdown_text(page.subtitle)]
    for heading, blocks in page.sections:
        parts.append(f"## {markdown_text(heading)}")
        written = (_markdown_block(block) for block in blocks if not isinstance(block, Chart))
        parts += filter(None, written)
    return "\n\n".join(parts) + "\n"


def _markdown_block(block: Text | Links | Numbers | ReportTable | SourceText | HandRecords) -> str:
    match block:
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
