"""Reports: whatever stands in them, the file is whole and the same, and nothing becomes markup."""

import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.loaders.lin.handviewer_writer import HANDVIEWER
from bidcascade.page.report_file import report_html
from bidcascade.service.reports.charts import (
    SERIES,
    Bar,
    Bars,
    IntervalDot,
    Intervals,
    Stack,
    Stacks,
    chart_dict,
)
from bidcascade.service.reports.report_page import (
    Chart,
    Links,
    Numbers,
    Page,
    ReportTable,
    Section,
    Text,
    markdown_text,
    page_dict,
    page_html,
    page_markdown,
    percent_text,
    visible,
)
from tests.service.reports.support_pages import check_page, read_report

PACKAGE = files("bidcascade.page")
HOSTILE = '</td></table><script>alert("x")</script><img src=x onerror=alert(1)> | `*_[a](http://b)'
texts = st.one_of(
    st.text(max_size=40),
    st.sampled_from([HOSTILE, "weak 2♥; 5-10", "\u202eabc", "a\nb | c", "'\"<&", "<!--"]),
)
shares = st.floats(0, 1, allow_nan=False)


@st.composite
def pages(draw):
    kinds = ("text", "words", "number", "decimal", "percent", "auction", "code")
    cells = {
        "text": texts, "words": texts, "code": texts, "number": st.integers(0, 10**12),
        "decimal": st.floats(-1e6, 1e6), "percent": shares,
        "auction": st.lists(st.integers(0, 37), max_size=5),
    }  # fmt: skip
    heads = draw(st.lists(st.tuples(texts, st.sampled_from(kinds)), min_size=1, max_size=4))
    rows = draw(st.lists(st.tuples(*(st.none() | cells[kind] for _, kind in heads)), max_size=3))
    label = draw(texts)
    charts = (
        Bars(draw(texts), [Bar(label, draw(shares), draw(texts))]),
        Intervals(label, [IntervalDot(label, 0.5, draw(shares), 1)]),
        Stacks(label, [Stack(label, (1, draw(shares)))], [label, "b"]),
    )
    blocks = (
        Text(draw(texts)),
        Text(draw(texts), soft=True),
        Numbers(((draw(texts), draw(texts)),)),
        ReportTable(draw(texts), tuple(heads), tuple(rows)),
        Links(draw(texts), ((draw(texts), f"{HANDVIEWER}?lin=md%7C3"),)),
        *(Chart(draw(texts), chart) for chart in charts),
    )
    headings = draw(st.lists(texts, min_size=1, max_size=2))
    sections = tuple(Section(heading, blocks) for heading in headings)
    return Page(draw(texts), draw(texts), sections, ((("name", draw(texts))),))


@given(pages())
def test_a_file_says_what_the_page_is(page):
    text = page_html(page)
    text.encode("utf-8")
    report = check_page(text)
    assert report.document == page_dict(page)
    assert len(report.charts) == 3 * len(page.sections)
    table = page.sections[0].blocks[3]
    assert len(report.tables[0]["rows"]) == len(table.rows)
    assert page_html(page) == text


@given(pages())
def test_markdown_has_one_line_a_row(page):
    text = page_markdown(page)
    assert "<script" not in re.sub(r"(?<!\\)`[^`\n]*`", "", text).replace("\\<", "")
    for section in page.sections:
        table = section.blocks[3]
        width = len(table.columns)
        lines = [line for line in text.splitlines() if line.startswith("| ")]
        assert all(len(re.findall(r"(?<!\\)\|", line)) == width + 1 for line in lines)


@given(st.text())
def test_a_text_comes_back_as_it_was(text):
    shown = visible(text)
    (block,) = check_page(page_html(Page("t", "s", (Section("h", (Text(text),)),)))).blocks
    assert block["text"] == shown
    assert all(one.isprintable() or one.isspace() for one in shown)
    assert len(shown.splitlines()) <= 1


def test_hostile_text_stays_text():
    table = ReportTable(HOSTILE, ((HOSTILE, "words"), ("code", "code")), ((HOSTILE, HOSTILE),))
    page = Page(HOSTILE, HOSTILE, (Section(HOSTILE, (table, Text(HOSTILE))),))
    report = check_page(page_html(page))
    assert report.rows[1] == [HOSTILE, HOSTILE]
    text = re.sub(r"(?<!\\)`[^`\n]*`", "", page_markdown(page))
    assert not re.search(r"(?<!\\)[<\[\]`*_]", markdown_text(HOSTILE))
    assert not re.search(r"(?<!\\)\]\(|(?<!\\)<", text)


@pytest.mark.parametrize(
    "hidden", ["\u202e", "\u2066", "\u200b", "\x00", "\x1b", "\ufeff", "\ud800"]
)
def test_characters_that_do_not_show_are_shown(hidden):
    assert visible(f"a{hidden}b") == "a�b"


def test_a_cell_is_the_text_that_markdown_has():
    kinds = ("number", "decimal", "percent", "auction", "text")
    cells = (1234, 2.5, 0.001, (7, 0), None)
    table = ReportTable("t", tuple((kind, kind) for kind in kinds), (cells,))
    page = Page("t", "s", (Section("h", (table,)),))
    (row,) = read_report(page_html(page)).tables[0]["rows"]
    assert row == ["1,234", "2.50", "0.10 %", "1N P", "–"]
    assert f"| {' | '.join(row)} |" in page_markdown(page)


def test_numbers_that_json_has_not_are_refused():
    with pytest.raises(ValueError, match="JSON"):
        report_html({"value": float("inf")}, "t")


def test_charts_use_colours_that_the_style_sheet_has():
    style = PACKAGE.joinpath("report", "report.css").read_text("utf-8")
    for number in range(1, SERIES + 1):
        assert f".c{number} {{ fill: var(--s{number})" in style
        assert f".k{number} {{ background: var(--s{number})" in style


def luminance(colour):
    """Relative luminance as WCAG 2.2 defines it."""
    full = colour if len(colour) == 7 else "#" + "".join(2 * digit for digit in colour[1:])
    parts = [int(full[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_colours_can_be_told_from_the_page():
    """Texts with 4.5 to 1, marks of charts with 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11)."""
    schemes = [
        dict(re.findall(r"--([\w-]+): (#\w+)", part))
        for name in ("static/styles/base.css", "report/report.css")
        for part in PACKAGE.joinpath(*name.split("/")).read_text("utf-8").split("\n@media", 3)[:2]
    ]
    light, dark = schemes[0] | schemes[2], schemes[1] | schemes[3]
    for colours in (light, dark):
        series = {f"s{number}" for number in range(1, SERIES + 1)}
        marked = {"text", "soft", "link", "spade", "heart", "diamond", "club", *series}
        assert marked <= set(colours)
        for name in marked:
            low, high = sorted((luminance(colours[name]), luminance(colours["card"])))
            assert (high + 0.05) / (low + 0.05) >= (3 if name in series else 4.5), name


def test_what_a_chart_shows_is_said_too():
    chart = chart_dict(Bars("Openings", [Bar("1N", 412, "412 deals"), Bar("2C", 51)]))
    assert (chart["title"], chart["spoken"]) == ("Openings", "1N: 412 deals; 2C: 51")
    chart = chart_dict(Stacks("t", [Stack("a", (1, 0.25))], ["one", "two"]))
    assert chart["spoken"] == "a: one 1, two 0.25"
    chart = chart_dict(Intervals("t", [IntervalDot("1N P", 0.2, 0.1, 0.35, "8 of 40")]))
    assert chart["spoken"] == "1N P: 8 of 40, interval 0.1 to 0.35"


@pytest.mark.parametrize(
    "make",
    [
        lambda: Bars("t", [Bar("a", -1)]),
        lambda: Bars("t", [Bar("a", float("nan"))]),
        lambda: Stacks("t", [Stack("a", (1, 2))], ["one"]),
        lambda: Stacks("t", [], []),
        lambda: Stacks("t", [Stack("a", (1,) * 6)], list("abcdef")),
        lambda: Intervals("t", [], low=1, high=1),
        lambda: ReportTable("t", (("a", "text"),), (("b", "c"),)),
    ],
)
def test_what_cannot_be_drawn_is_refused(make):
    with pytest.raises(ValueError, match="expected"):
        make()


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_percent_is_all_or_nothing_only_where_it_is(part, whole):
    share = min(part, whole) / whole
    text = percent_text(share)
    assert (text == "0 %") == (share == 0)
    assert (text == "100 %") == (share == 1)
