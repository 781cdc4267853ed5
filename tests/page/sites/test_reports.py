"""Reports in a browser, opened from a disk: what is drawn, and that texts of others run nothing."""

import pytest

from bidcascade.loaders.lin.handviewer_writer import HANDVIEWER
from bidcascade.service.reports.charts import (
    Bar,
    Bars,
    IntervalDot,
    Intervals,
    Stack,
    Stacks,
)
from bidcascade.service.reports.report_page import (
    Chart,
    HandRecord,
    HandRecords,
    Link,
    Links,
    Numbers,
    Page,
    ReportTable,
    Section,
    SourceLine,
    SourceText,
    Text,
    page_dict,
    page_html,
)
from tests.page.support_browser import visiting

HOSTILE = "</script><img src=x onerror=document.title='run'><b>x</b>&lt;{{a}}"
VIEWER = f"{HANDVIEWER}?lin=st%7C%7Cmd%7C3"
PAGE = Page(
    HOSTILE,
    HOSTILE,
    (
        Section(
            HOSTILE,
            (
                Text(HOSTILE),
                Text("a remark", soft=True),
                Links(HOSTILE, ((HOSTILE, VIEWER),)),
                Numbers(((HOSTILE, "12"),)),
                ReportTable(
                    f"Table {HOSTILE}",
                    (("name", "words"), ("calls", "auction"), ("share", "percent"), ("c", "code")),
                    (
                        (HOSTILE, (7, 8, 0), 0.25, HOSTILE),
                        (Link(HOSTILE, "javascript:document.title='run'"), None, 0.5, ""),
                    ),
                    "at-1N",
                ),
                HandRecords(
                    (
                        HandRecord(
                            HOSTILE,
                            "North deals",
                            (("AKQ", "", "2", HOSTILE), None, *((("A", "2", "3", "4"),) * 2)),
                            (("N", *"56789"),),
                            ("Par 1♥",),
                            VIEWER,
                        ),
                    )
                ),
            ),
        ),
        Section(
            "Charts",
            (
                Chart(HOSTILE, Bars(HOSTILE, [Bar("2♥", 412), Bar(HOSTILE, 51, HOSTILE)])),
                Chart("b", Intervals("b", [IntervalDot("x", 0.2, 0.1, 0.4)], low=-1, middle=0)),
                Chart("c", Stacks(HOSTILE, [Stack(HOSTILE, (1, 3))], [HOSTILE, "two"])),
            ),
        ),
        Section(
            "Lines",
            (SourceText(tuple(SourceLine(one, HOSTILE, HOSTILE) for one in range(1, 200))),),
        ),
    ),
)


@pytest.fixture
def report(tmp_path):
    path = tmp_path / "report.html"
    path.write_text(page_html(PAGE), encoding="utf-8")
    return path


@pytest.fixture(params=["light", "dark"])
def visit(request, browser, report):
    """The report from a disk; its console stays empty and it asks for nothing but itself."""
    yield from visiting(browser, report.as_uri(), color_scheme=request.param)


def texts(page, selector):
    return page.eval_on_selector_all(selector, "found => found.map(one => one.textContent)")


def test_all_is_drawn_as_text(visit, axe):
    page = visit.page
    page.goto(visit.url)
    assert page.title() == HOSTILE
    assert texts(page, "h1") == [HOSTILE]
    assert texts(page, "h2") == [section["heading"] for section in page_dict(PAGE)["sections"]]
    assert page.locator("img, b, iframe, form").count() == 0
    rows = page.eval_on_selector_all(
        "#at-1N ~ tbody tr", "rows => rows.map(row => [...row.cells].map(one => one.textContent))"
    )
    assert rows == [[HOSTILE, "1N 2♣ P", "25.0 %", HOSTILE], [HOSTILE, "–", "50.0 %", ""]]
    assert texts(page, ".tiles dd") == ["12"]
    assert texts(page, ".records article h4") == ["North", "East", "South", "West"]
    assert "not known" in texts(page, ".records article")[0]
    assert page.locator(f'a[href="{VIEWER}"]').count() == 2
    assert [page.locator(f"svg {one}").count() for one in ("rect", "circle", "desc")] == [4, 1, 3]
    # a quarter of the width, of a bar in parts
    assert page.locator("svg rect.c1").last.get_attribute("width") == "25.00%"
    assert texts(page, "svg desc")[0] == f"2♥: 412; {HOSTILE}: {HOSTILE}"
    assert len(texts(page, ".source p")) == 199
    found = axe(page)
    assert not found, "\n".join(found)


def test_a_link_to_a_line_leads_there(visit):
    visit.page.goto(f"{visit.url}#l150")
    line = visit.page.locator("#l150")
    visit.page.wait_for_function("document.querySelector('#l150:target') !== null")
    assert -2 <= line.bounding_box()["y"] < visit.page.viewport_size["height"]


def test_an_address_that_is_a_script_runs_nothing(browser, report):
    context = browser.new_context()
    page = context.new_page()
    told = []
    page.on("console", lambda message: told.append(message.text))
    page.goto(report.as_uri())
    page.locator('a[href^="javascript:"]').click()
    page.wait_for_timeout(100)
    assert page.title() == HOSTILE
    assert any("Content Security Policy" in one for one in told)
    context.close()


def test_without_scripts_the_page_says_where_its_numbers_are(browser, report):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert "--json" in page.locator("noscript").inner_text()
    context.close()
