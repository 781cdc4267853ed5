"""The convention card on paper: two sheets of A4, with nothing of the page around it."""

import re
from typing import Any

import pytest

from bidcascade.service.reports.card_report import card_page
from bidcascade.service.reports.report_page import page_html
from bidcascade.systems.book.convention_card import card_of
from bidcascade.systems.registry import open_system
from tests.support.systems import EACH_SYSTEM

pytestmark = pytest.mark.slow

SMALLEST = 6.5
"""Points of letters that are read at the table."""
CUT = """() => [...document.querySelectorAll(".card-page")].flatMap(page => {
    const { left, right, top, bottom } = page.getBoundingClientRect();
    return [...page.querySelectorAll("span, h3, h4")].filter(one => {
        const box = one.getBoundingClientRect();
        return box.left < left - 1 || box.right > right + 1 || box.top < top - 1
            || box.bottom > bottom + 1;
    }).map(one => one.textContent);
})"""
SEEN = """() => [...document.body.querySelectorAll("*")]
    .filter(one => !one.closest(".card-sheet") && one.checkVisibility() && !one.children.length)
    .filter(one => one.textContent.trim() && !["SCRIPT", "STYLE"].includes(one.tagName))
    .map(one => one.textContent)"""


def printed(page: Any) -> list[Any]:
    """Print a page; the sizes of its sheets in points."""
    content = page.pdf(prefer_css_page_size=True)
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", content)
    assert len(boxes) == len(re.findall(rb"/Type /Page\b", content))
    return [tuple(round(float(side)) for side in box) for box in boxes]


def is_a_card(page: Any) -> None:
    """Check what is on paper: two sheets, all lines on them, nothing else."""
    assert printed(page) == [(595, 842)] * 2
    page.emulate_media(media="print")
    assert page.evaluate(SEEN) == []
    assert page.evaluate(CUT) == []
    sizes = page.evaluate(
        "() => [...document.querySelectorAll('.card-page')]"
        ".map(one => parseFloat(one.style.getPropertyValue('--card-size')))"
    )
    assert len(sizes) == 2
    assert min(sizes) >= SMALLEST
    page.emulate_media(media="screen")


@pytest.mark.parametrize("name", EACH_SYSTEM)
def test_a_card_is_two_sheets(browser, tmp_path, name):
    card = card_of(open_system(name), name)
    file = tmp_path / "card.html"
    file.write_text(page_html(card_page(card)), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector(".card-page")
    assert page.locator(".card-row").count() == sum(len(one.lines) for one in card.sections)
    is_a_card(page)
    page.close()


def test_the_page_prints_its_card_alone(visit):
    page = visit.open("#view=card&table=acol").page
    page.wait_for_selector(".card-page")
    assert page.get_by_role("button", name="Print or save as PDF").is_visible()
    assert page.locator(".card-sheet").count() == 1
    is_a_card(page)
