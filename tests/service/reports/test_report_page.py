"""Report pages: whatever stands in them, they are well formed, and nothing becomes markup."""

import base64
import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.loaders.lin.handviewer_writer import HANDVIEWER
from bidcascade.service.reports.charts import (
    SERIES,
    Bar,
    IntervalDot,
    Stack,
    bars,
    intervals,
    stacks,
)
from bidcascade.service.reports.report_page import (
    STYLE,
    Chart,
    Links,
    Numbers,
    Page,
    ReportTable,
    Section,
    Text,
    html_text,
    markdown_text,
    page_html,
    page_markdown,
    percent_text,
    visible,
)
from tests.service.reports.support_pages import check_page

HOSTILE = '</td></table><script>alert("x")</script><img src=x onerror=alert(1)> | `*_[a](http://b)'
texts = st.one_of(
    st.text(max_size=40),
    st.sampled_from([HOSTILE, "weak 2♥; 5-10", "\u202eabc", "a\nb | c", "'\"<&"]),
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
        bars([Bar(label, draw(shares), draw(texts))], name="bars", title=draw(texts)),
        intervals([IntervalDot(label, 0.5, draw(shares), 1)], name="intervals", title=label),
        stacks([Stack(label, (1, draw(shares)))], [label, "b"], name="stacks", title=label),
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
    # ids of charts may stand once on a page
    sections = [Section(heading, blocks[:5]) for heading in headings]
    sections[0] = Section(headings[0], blocks)
    return Page(draw(texts), draw(texts), tuple(sections))


@given(pages())
def test_pages_are_well_formed(page):
    text = page_html(page)
    text.encode("utf-8")
    reader = check_page(text)
    assert sum(tag == "svg" for tag, _ in reader.tags) == 3
    table = page.sections[0].blocks[3]
    assert len(reader.rows) >= 1 + len(table.rows)


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
def test_what_is_escaped_comes_back_as_it_was(text):
    shown = visible(text)
    reader = check_page(page_html(Page("t", "s", (Section("h", (Text(text),)),))))
    assert "".join(data for tag, data in reader.texts if tag == "p").endswith(shown)
    assert html_text(text).count("<") == 0
    assert all(one.isprintable() or one.isspace() for one in shown)
    assert len(shown.splitlines()) <= 1


def test_hostile_text_stays_text():
    table = ReportTable(HOSTILE, ((HOSTILE, "words"), ("code", "code")), ((HOSTILE, HOSTILE),))
    page = Page(HOSTILE, HOSTILE, (Section(HOSTILE, (table, Text(HOSTILE))),))
    reader = check_page(page_html(page))
    assert reader.rows[1] == [HOSTILE, HOSTILE]
    text = re.sub(r"(?<!\\)`[^`\n]*`", "", page_markdown(page))
    assert not re.search(r"(?<!\\)[<\[\]`*_]", markdown_text(HOSTILE))
    assert not re.search(r"(?<!\\)\]\(|(?<!\\)<", text)


@pytest.mark.parametrize(
    "hidden", ["\u202e", "\u2066", "\u200b", "\x00", "\x1b", "\ufeff", "\ud800"]
)
def test_characters_that_do_not_show_are_shown(hidden):
    assert visible(f"a{hidden}b") == "a�b"


def test_only_the_style_sheet_is_let_in():
    text = page_html(Page("t", "s", ()))
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    assert style == STYLE
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in text
    assert "url(" not in style
    assert "@import" not in style


def test_charts_use_colours_that_the_style_sheet_has():
    svg = stacks([Stack("a", (1,) * SERIES)], list("abcde"), name="n", title="t")
    used = set(re.findall(r'class="(c\d)"', svg)) | set(re.findall(r"key (k\d)", svg))
    assert used == {f"{kind}{number}" for kind in "ck" for number in range(1, SERIES + 1)}
    assert all(f".{name} {{" in STYLE for name in used)
    # both schemes name every colour
    light, dark = (set(re.findall(r"(--\w+):", part)) for part in STYLE.split("@media")[:2])
    assert light == dark
    assert set(re.findall(r"var\((--\w+)\)", STYLE)) <= light


def luminance(colour):
    """Relative luminance as WCAG 2.2 defines it."""
    full = colour if len(colour) == 7 else "#" + "".join(2 * digit for digit in colour[1:])
    parts = [int(full[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_colours_can_be_told_from_the_page():
    """Texts with 4.5 to 1, marks of charts with 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11)."""
    for part in STYLE.split("@media")[:2]:
        colours = dict(re.findall(r"--(\w+): (#\w+)", part))
        page = luminance(colours["page"])
        for name, colour in colours.items():
            light, dark = sorted((luminance(colour), page), reverse=True)
            least = {"text": 4.5, "soft": 4.5, "link": 4.5, "red": 4.5}.get(name, 3)
            if name not in ("page", "band", "line"):
                assert (light + 0.05) / (dark + 0.05) >= least, (name, colour)


def test_what_a_chart_shows_is_said_too():
    svg = bars([Bar("1N", 412, "412 deals"), Bar("2C", 51)], name="n", title="Openings")
    assert '<desc id="n-description">1N: 412 deals; 2C: 51</desc>' in svg
    assert '<title id="n-title">Openings</title>' in svg


@pytest.mark.parametrize(
    "make",
    [
        lambda: bars([Bar("a", -1)], name="n", title="t"),
        lambda: bars([Bar("a", float("nan"))], name="n", title="t"),
        lambda: stacks([Stack("a", (1, 2))], ["one"], name="n", title="t"),
        lambda: stacks([], [], name="n", title="t"),
        lambda: stacks([Stack("a", (1,) * 6)], list("abcdef"), name="n", title="t"),
        lambda: intervals([], name="n", title="t", low=1, high=1),
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
