"""A report as data: sections of paragraphs, numbers, tables and charts; as HTML and as Markdown.

The HTML is one file without scripts, fonts or anything from a network, and says so in its content
security policy: only the one style sheet of :mod:`.style` is let in. All texts are escaped here,
whoever wrote them; :class:`Chart` alone takes markup, that of :mod:`.charts`.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bidcascade.bridge import FIRST_BID, bid_level, bid_strain, format_call

from .escaping import html_text, markdown_code, markdown_text
from .style import STYLE

Kind: TypeAlias = Literal["text", "words", "number", "decimal", "percent", "auction", "code"]
"""What a column holds: short texts, long texts, counts, numbers with two decimals, shares (0-1
written as per cent), auctions or calls (sequences of call codes), expressions."""
Cell: TypeAlias = "str | int | float | Sequence[int] | None"

_NUMBERS: Final = ("number", "decimal", "percent")
_SIGNS: Final = "♣♦♥♠"
_NOTHING: Final = "–"


@dataclass(frozen=True)
class Text:
    """A paragraph; ``soft`` for remarks."""

    text: str
    soft: bool = False


@dataclass(frozen=True)
class Numbers:
    """A few numbers that say most: pairs of what and how much, as text."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Table:
    """A table under its caption.

    Parameters
    ----------
    caption : str
        What the rows are.
    columns : tuple of (str, Kind)
        Heads, and what the cells are. The first column names the row.
    rows : tuple of tuples
        Cells; ``None`` is shown as a dash.
    """

    caption: str
    columns: tuple[tuple[str, Kind], ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"expected rows of {len(self.columns)} cells in {self.caption!r}")


@dataclass(frozen=True)
class Chart:
    """A chart under its caption; ``markup`` is made by :mod:`.charts`, never by hand.

    Markdown leaves charts out, so what they show belongs into a table as well.
    """

    caption: str
    markup: str


Block: TypeAlias = Text | Numbers | Table | Chart


@dataclass(frozen=True)
class Section:
    """A heading with what stands below it."""

    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Page:
    r"""A whole report.

    Parameters
    ----------
    title : str
    subtitle : str
        A line below: of what, from when.
    sections : tuple of Section

    Examples
    --------
    >>> table = Table("Calls", (("call", "auction"), ("deals", "number")), (((15,), 1200),))
    >>> page = Page("Vetting", "of <a table>", (Section("Places", (table,)),))
    >>> print(page_markdown(page))
    # Vetting
    <BLANKLINE>
    of \<a table\>
    <BLANKLINE>
    ## Places
    <BLANKLINE>
    Calls:
    <BLANKLINE>
    | call | deals |
    | --- | ---: |
    | 3♥ | 1,200 |
    <BLANKLINE>
    >>> "of &lt;a table&gt;" in page_html(page), "<script" in page_html(page)
    (True, False)
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...]


# --- cells ----------------------------------------------------------------------------------------


def call_text(call: int) -> str:
    """Call as players write it.

    Examples
    --------
    >>> [call_text(call) for call in (0, 1, 7, 15)]
    ['P', 'X', '1N', '3♥']
    """
    if call >= FIRST_BID and bid_strain(call) < len(_SIGNS):
        return f"{bid_level(call)}{_SIGNS[bid_strain(call)]}"
    return format_call(call)


def auction_text(calls: Iterable[int]) -> str:
    """Auction as players write it; ``opening`` for none.

    Examples
    --------
    >>> auction_text((7, 0, 8)), auction_text(())
    ('1N P 2♣', 'opening')
    """
    return " ".join(map(call_text, calls)) or "opening"


def percent_text(share: float) -> str:
    """Share as per cent; small ones with one more digit, and only nothing at all is 0 %.

    Examples
    --------
    >>> [percent_text(share) for share in (0.5, 0.1234, 0.00123, 0.000004, 0, 0.99999)]
    ['50.0 %', '12.3 %', '0.12 %', '< 0.01 %', '0 %', '99.9 %']
    """
    percent = 100 * share
    if percent in (0, 100):
        return f"{percent:.0f} %"
    if 0 < percent < 0.005:
        return "< 0.01 %"
    if 0 < percent < 1:
        return f"{percent:.2f} %"
    # what is not all of it is not written as all of it
    return f"{min(percent, 99.9) if percent < 100 else percent:.1f} %"


def _plain(cell: Cell, kind: Kind) -> str:
    if cell is None:
        return _NOTHING
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int | float):
        if kind == "percent":
            return percent_text(cell)
        return f"{cell:,.2f}" if kind == "decimal" else f"{cell:,}"
    return auction_text(cell)


# --- HTML ----------------------------------------------------------------------------------------


def page_html(page: Page) -> str:
    """Page as one HTML file."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    anchors = _anchors(page)
    links = "".join(
        f'<li><a href="#{anchor}">{html_text(section.heading)}</a></li>'
        for anchor, section in zip(anchors, page.sections, strict=True)
    )
    sections = "".join(
        f'<section aria-labelledby="{anchor}"><h2 id="{anchor}">{html_text(section.heading)}</h2>'
        f"{_html_blocks(anchor, section.blocks)}</section>\n"
        for anchor, section in zip(anchors, page.sections, strict=True)
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        f"style-src 'sha256-{digest}'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{html_text(page.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f'<header><h1>{html_text(page.title)}</h1>\n<p class="soft">{html_text(page.subtitle)}</p>'
        f'</header>\n<nav aria-label="Sections"><ul>{links}</ul></nav>\n<main>\n{sections}</main>\n'
        "</body>\n</html>\n"
    )


def _anchors(page: Page) -> list[str]:
    anchors: list[str] = []
    for number, section in enumerate(page.sections, 1):
        words = re.sub(r"[^a-z0-9]+", "-", section.heading.lower()).strip("-")
        anchors.append(f"{words or 'section'}-{number}")
    return anchors


def _html_blocks(anchor: str, blocks: tuple[Block, ...]) -> str:
    return "\n".join(_html_block(block, f"{anchor}-t{n}") for n, block in enumerate(blocks, 1))


def _html_block(block: Block, name: str) -> str:
    match block:
        case Text(text, soft):
            return f'<p class="soft">{html_text(text)}</p>' if soft else f"<p>{html_text(text)}</p>"
        case Numbers(pairs):
            tiles = "".join(
                f"<div><dt>{html_text(what)}</dt><dd>{html_text(number)}</dd></div>"
                for what, number in pairs
            )
            return f'<dl class="tiles">{tiles}</dl>'
        case Chart(caption, markup):
            return f"<figure><figcaption>{html_text(caption)}</figcaption>{markup}</figure>"
        case Table():
            return _html_table(block, name)


def _html_table(table: Table, name: str) -> str:
    heads = "".join(
        f'<th scope="col"{_html_class(kind)}>{html_text(head)}</th>' for head, kind in table.columns
    )
    rows = []
    for row in table.rows:
        cells = []
        for place, (cell, (_, kind)) in enumerate(zip(row, table.columns, strict=True)):
            tag = 'th scope="row"' if place == 0 else "td"
            cells.append(f"<{tag}{_html_class(kind)}>{_html_cell(cell, kind)}</{tag[:2]}>")
        rows.append(f"<tr>{''.join(cells)}</tr>\n")
    # wide tables are moved sideways inside their frame, by keyboard too
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{name}"><table>'
        f'<caption id="{name}">{html_text(table.caption)}</caption>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _html_class(kind: Kind) -> str:
    if kind in _NUMBERS:
        return ' class="n"'
    return {"auction": ' class="a"', "words": ' class="w"'}.get(kind, "")


def _html_cell(cell: Cell, kind: Kind) -> str:
    text = html_text(_plain(cell, kind))
    if kind == "code" and cell:
        return f"<code>{text}</code>"
    if kind == "auction":
        return re.sub(r"([♦♥])", r'<span class="r">\1</span>', text)
    return text


# --- Markdown ------------------------------------------------------------------------------------


def page_markdown(page: Page) -> str:
    """Page as Markdown, without its charts."""
    parts = [f"# {markdown_text(page.title)}", markdown_text(page.subtitle)]
    for section in page.sections:
        parts.append(f"## {markdown_text(section.heading)}")
        parts += [text for block in section.blocks if (text := _markdown_block(block))]
    return "\n\n".join(parts) + "\n"


def _markdown_block(block: Block) -> str:
    match block:
        case Text(text):
            return markdown_text(text)
        case Numbers(pairs):
            return "\n".join(f"- {markdown_text(what)}: {markdown_text(n)}" for what, n in pairs)
        case Chart():
            return ""
        case Table():
            return _markdown_table(block)


def _markdown_table(table: Table) -> str:
    heads = " | ".join(markdown_text(head) for head, _ in table.columns)
    rules = " | ".join("---:" if kind in _NUMBERS else "---" for _, kind in table.columns)
    rows = [
        " | ".join(
            _markdown_cell(cell, kind) for cell, (_, kind) in zip(row, table.columns, strict=True)
        )
        for row in table.rows
    ]
    lines = "\n".join(f"| {row} |" for row in [heads, rules, *rows])
    return f"{markdown_text(table.caption)}:\n\n{lines}"


def _markdown_cell(cell: Cell, kind: Kind) -> str:
    text = _plain(cell, kind)
    return markdown_code(text) if kind == "code" and cell else markdown_text(text)
