"""Figures of README and docs come from reports and stand with their work; there are no others."""

import doctest
import importlib
import re

import pytest

from tests.support.docs import CHECKOUT, page_text

pytestmark = pytest.mark.checkout

ALL_PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (CHECKOUT / "docs").glob("*.md"))]

_CODE = re.compile(r"^ *(?P<fence>```+).*?^ *(?P=fence)$", re.MULTILINE | re.DOTALL)
_WRITTEN = re.compile(r"<!-- figures?: .*?<!-- end -->", re.DOTALL)
_NUMBER = r"(?:\d[\d,.]*|a|an|half an?|some|several|a few|two|three|five|ten|twenty|thirty)"
_TIME = re.compile(
    rf"\b(?!a second){_NUMBER} "
    r"(?:ms|µs|us|ns|s|min|h|milliseconds?|microseconds?|seconds?|minutes?|hours?)\b"
    r"|\b\d[\d,.]*(?: \w+)? a (?:CPU )?second\b|\b\d[\d,.]* times as (?:fast|quick)",
)
NO_OPERATION = {"docs/decisions.md", "docs/judgement.md", "docs/bench.md", "docs/strength.md"}
"""Pages of decisions and of strength: what was found at the time."""
LIMITS = {
    "README.md": ("a quarter of an hour",),
    "docs/README.md": ("a quarter of an hour",),
    "docs/archives.md": ("not changed for ten seconds",),
    "docs/clients.md": ("after more than 30 s",),
    "docs/command-line.md": (
        "as take about five seconds", "writes a line after ten seconds",
    ),
    "docs/double-dummy.md": (
        "given up after ten minutes", "ends after two minutes without work",
    ),
    "docs/engines.md": ("for the first call a minute more",),
    "docs/gpu.md": ("of at most two minutes", "ends after ten minutes"),
    "docs/jobs.md": ("slower than 1 KiB a second", "of a part, which takes about 5 s"),
    "docs/operations.md": (
        "than take about 10 ms together", "in slices of about 10 ms", "for ten minutes at most",
    ),
    "docs/scale-out.md": ("says so every 30 seconds", "with a worker, within 5 seconds"),
    "docs/search.md": (
        "within 100 ms of", "a clock of 100 ms", "up to 100 within a second",
    ),
    "docs/simulation.md": ("by double dummy as 8 s on two busy cores gave",),
    "docs/table-manager.md": ("send nothing for ten seconds",),
    "docs/web.md": ("after ten minutes", "stopped after 20 seconds"),
}  # fmt: skip
"""Times that pages set as limits or say of a reader, an experiment or a program's plan."""


def prose_of(page: str) -> str:
    """Text of a page without code and without what is written from reports, line by line."""

    def blank(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n")

    return _CODE.sub(blank, _WRITTEN.sub(blank, page_text(page)))


def section_of(text: str, title: str) -> str:
    """Text of a section of a page."""
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0]


@pytest.fixture(scope="module")
def figures():
    return importlib.import_module("docs.figures")


@pytest.mark.parametrize("page", ALL_PAGES)
def test_figures_are_those_of_the_reports(figures, page):
    assert page_text(page) == figures.filled(page_text(page), page), (
        "write them anew: python docs/write_files.py"
    )


def test_all_figures_stand_on_a_page(figures):
    texts = "".join(map(page_text, ALL_PAGES))
    assert [name for name in figures.FIGURES if f"<!-- figure: {name} -->" not in texts] == []
    assert [name for name in figures.BLOCKS if f"<!-- figures: {name} -->" not in texts] == []


def test_readme_says_how_fast_by_reports_alone():
    section = section_of(page_text("README.md"), "How fast")
    assert "<!-- figures: how-fast -->" in section
    assert not re.search(r"\d", re.sub(r"\([^)]*\)", "", _WRITTEN.sub("", section)))
    rows = [row for row in section.splitlines() if row.startswith("| ")][2:]
    assert len(rows) > 5
    for row in rows:
        work, time, machine, report = (cell.strip() for cell in row.strip("|").split("|"))
        assert re.search(r"\d (?:µs|ms|s|min)\b", time), row
        assert re.search(r"\d cores of ", machine), row
        assert re.match(r"\[[0-9a-f]{8}\]\(benchmarks/results/[\w./-]+\.md\)", report), row
        assert work
    (device,) = (row for row in rows if "H100" in row)
    assert "466,174,530" not in device
    assert "1,000,000 deals" in device
    assert "table of 2,000,000" in device


@pytest.mark.parametrize("page", [page for page in ALL_PAGES if page not in NO_OPERATION])
def test_no_time_stands_beside_the_reports(page):
    text = prose_of(page)
    for limit in LIMITS.get(page, ()):
        text = re.sub(r"\s+".join(map(re.escape, limit.split())), "", text)
    found = [
        f"{page}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]!r}"
        for match in _TIME.finditer(text)
    ]
    assert not found, (
        f"{found}: put the marker of a figure around it (docs/figures.py), or name it in LIMITS "
        "if the program sets it"
    )


def test_marker_without_a_figure_is_named(figures):
    with pytest.raises(figures.FigureError, match=r"got 'nothing' \(page\.md:3\)"):
        figures.filled("# Page\n\nIt takes <!-- figure: nothing -->1 s<!-- end -->.\n", "page.md")
    with pytest.raises(figures.FigureError, match=r"got 'nothing' \(page\.md:1\)"):
        figures.filled("<!-- figures: nothing -->\n\n<!-- end -->\n", "page.md")
    with pytest.raises(figures.FigureError, match="'<!-- figure: start -->' alone"):
        figures.filled("It takes <!-- figure: start -->1 s.\n", "page.md")
    with pytest.raises(figures.FigureError, match="'<!-- end -->' alone"):
        figures.filled("It takes 1 s<!-- end -->.\n", "page.md")


def test_figure_of_no_report_or_field_is_named(figures, monkeypatch):
    text = "Two cores take <!-- figure: some -->1 s<!-- end -->.\n"

    def stands_for(figure) -> None:
        monkeypatch.setattr(figures, "FIGURES", {"some": figure})

    stands_for(figures.Figure("no-report", str, lambda found: ()))
    with pytest.raises(figures.FigureError, match="got 'no-report'"):
        figures.filled(text, "page.md")
    stands_for(figures.Figure("bidding/systems", lambda found: found["no-field"], lambda found: ()))
    with pytest.raises(figures.FigureError, match=r"systems to have 'no-field' for figure 'some'"):
        figures.filled(text, "page.md")
    stands_for(
        figures.Figure("bidding/systems", lambda found: "1 s", lambda found: (found["no-work"],))
    )
    with pytest.raises(figures.FigureError, match=r"systems to have 'no-work' for figure 'some'"):
        figures.filled(text, "page.md")
    monkeypatch.setattr(figures, "BLOCKS", {"some": lambda page: {}["no-row"]})
    with pytest.raises(
        figures.FigureError, match=r"has 'no-row' for figures 'some' \(page\.md:1\)"
    ):
        figures.filled("<!-- figures: some -->\n\n<!-- end -->\n", "page.md")


def test_figure_stands_beside_its_work(figures, monkeypatch):
    large = figures.Figure(
        "tables/scale",
        lambda found: "68 s",
        lambda found: (f"{found['deals'] // 1_000_000} million",),
    )
    monkeypatch.setattr(figures, "FIGURES", {"large": large})
    marker = "<!-- figure: large -->?<!-- end -->"
    assert "-->68 s<!--" in figures.filled(f"Of 16\nmillion deals: {marker}\n", "page.md")
    for text in (
        f"Of 16 million deals.\n\nIt takes {marker}.\n",
        f"| of 16 million | 1 |\n| of a million | {marker} |\n",
        f"* of 16 million\n* of a million: {marker}\n",
    ):
        with pytest.raises(
            figures.FigureError, match=r"expected '16 million', the work of figure 'large'"
        ):
            figures.filled(text, "page.md")
    # a comment at the beginning of a line would end the paragraph
    with pytest.raises(figures.FigureError, match="expected words before a marker"):
        figures.filled(f"Of 16 million deals:\n{marker}\n", "page.md")


def test_numbers_are_written_as_their_examples_say(figures):
    found = doctest.testmod(figures)
    assert found.attempted > 3
    assert not found.failed
