"""Books of systems: every line reachable, examples bid as the book says, equal books."""

from collections import deque
from posixpath import dirname, join, normpath
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidcascade.bridge import Vulnerability, parse_calls, parse_hand
from bidcascade.service.reports.book_report import (
    PRINTED,
    book_files,
    example_text,
    hand_text,
    place_anchor,
)
from bidcascade.systems.book.system_book import LineExample, WrongExample, book_of, check_examples
from bidcascade.systems.registry import open_system
from bidcascade.workshop.boards.compare_summary import Estimate
from bidcascade.workshop.tuning.option_prices import OptionPrice
from tests.service.reports.support_pages import read_report

TEXT = """-- A book <of> & "tests".
--
-- Second <i>paragraph</i>.

system Mine <b>

include "words.bidding"
include "other/words.bidding"

opening:
  1NT = Strong <script>notrump</script>: 15-17 points, balanced
  1M = Major: 12+ points, 5+ M
  2C = Strong; artificial, forcing, #strong
    either Balanced: 22+ points, balanced
    or Any: 22+ points
option weak, on:
  opening:
    2M = Weak two: 5-10 points, 6 M

option never:
  opening:
    4NT = Specific aces: 30+ points

after 1NT:
  use asking

convention asking:
  2C = Asking: 8+ points, 4 hearts or 4 spades; artificial, forcing

over (1M):
  Double = Takeout: 12+ points, at most 2 M; takeout, forcing
"""


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    (folder / "mine.bidding").write_text(TEXT)
    (folder / "words.bidding").write_text("define fair X = two of the top four in X\n")
    (folder / "other").mkdir()
    (folder / "other" / "words.bidding").write_text("opening:\n  3C = Clubs: 7+ clubs\n")
    return open_system(folder / "mine.bidding")


@pytest.fixture(scope="module")
def book(system):
    return book_of(system, deals=2_000)


@pytest.fixture(scope="module")
def pages(book):
    return read(book_files(book))


def read(files):
    """What the pages of a book say, by path."""
    return {name: read_report(text) for name, text in files.items()}


def reached(pages, start="index.html"):
    """Pages that links lead to; every link must lead somewhere."""
    ids = {name: page.ids for name, page in pages.items()}
    seen, waiting = {start}, deque([start])
    while waiting:
        here = waiting.popleft()
        for link in pages[here].links:
            file, _, anchor = link.partition("#")
            there = normpath(join(dirname(here), unquote(file))) if file else here
            assert there in pages, (here, link)
            assert not anchor or anchor in ids[there], (here, link)
            if there not in seen:
                seen.add(there)
                waiting.append(there)
    return seen


def test_every_page_and_line_is_reached(book, pages):
    assert reached(pages) == set(pages)
    for file in book.outline.files:
        texts = [
            page
            for name, page in pages.items()
            if name.startswith("text/") and page.document["title"].startswith(file.name)
        ]
        assert any(f"l{len(file.lines)}" in page.ids for page in texts)
    # two files of one name have a page each
    assert {"text/mine.html", "text/words.html", "text/words-2.html"} <= set(pages)


@pytest.mark.parametrize("name", ["two-over-one"])
def test_every_line_of_a_shipped_system_is_reached(name):
    system = open_system(name)
    book = book_of(system, deals=200)
    pages = read(book_files(book))
    assert reached(pages) == set(pages)
    for line in system.rules.places.written_lines():
        assert f"l{line.where.line}" in pages[f"text/{line.where.file[:-8]}.html"].ids


def test_examples_are_bid_as_the_book_says(system, book):
    examples = [row.example for place in book.places for row in place.rows if row.example]
    assert len(examples) >= 10
    for one in examples:
        choice = system.bid(one.hand, one.auction, vulnerability=Vulnerability(one.vulnerability))
        assert choice.call == one.call
    for place in book.places:
        assert sum(row.deals for row in place.rows) + place.passes <= place.deals
        for row in place.rows:
            assert row.example is None or row.example.auction == place.calls
            assert (row.example is None) == (row.deals == 0)
    for deal in book.whole_deals:
        assert deal.calls[-1].call == 0


def test_a_wrong_example_is_told(system):
    hand = parse_hand("AK5.Q32.KJ52.Q97")
    check_examples([LineExample(0, hand, 0, (), 7), None], system)
    with pytest.raises(WrongExample, match="expected 1S with"):
        check_examples([LineExample(0, hand, 0, (), 6), None], system)


def test_shares_are_those_of_the_deals(book):
    first = next(one for one in book.places if not one.calls)
    assert first.deals == book.deals
    # four of 2,000 hands in a hundred are balanced with 15 to 17 points
    strong = next(row for row in first.rows if row.name.startswith("Strong <script>"))
    assert 60 < strong.deals < 140
    assert sum(row.deals for row in first.rows) + first.passes == first.deals
    twos = next(row for row in first.rows if row.name == "Strong")
    assert "Balanced" in twos.meaning
    assert "; or " in twos.meaning
    lines = {where: use.chosen for where, use in book.uses.items()}
    assert lines["mine.bidding:14"] + lines["mine.bidding:15"] >= twos.deals


def test_two_makings_are_equal(system, book):
    files = book_files(book)
    assert book_files(book_of(system, deals=2_000)) == files
    assert book_files(book_of(system, deals=2_000, seed=7)) != files


def test_texts_stay_texts(pages):
    strong = "Strong <script>notrump</script>"
    assert any(strong in cell for row in pages["index.html"].rows for cell in row)
    assert any(strong in line["text"] for line in pages["text/mine.html"].blocks[1]["lines"])


def test_options_and_their_prices(book, pages):
    assert "was not measured" in str(pages["index.html"].document)
    price = OptionPrice(
        "weak", True, 900, 30, 20, Estimate(0.125, 0.1, 0.2), *[Estimate(None)] * 2, 0
    )
    told = book_files(book, [price])["index.html"]
    assert "+0.12 ± 0.20" in told or "+0.13 ± 0.20" in told
    assert "900 solved deals" in told
    # lines of an option that is off are there, and said to be bid by nobody
    assert "Specific aces" in str(pages["text/mine.html"].document)
    assert not any(row.name == "Specific aces" for one in book.places for row in one.rows)


def test_a_system_without_options_or_lines_has_a_book(tmp_path):
    (tmp_path / "pass.bidding").write_text("general:\n  Pass = Enough: any hand\n")
    book = book_of(open_system(tmp_path / "pass.bidding"), deals=10, least=1)
    pages = read(book_files(book))
    assert reached(pages) == set(pages)
    assert "Options" not in pages["index.html"].headings


def test_the_page_to_print_has_every_place(book, pages):
    assert {place_anchor(one.calls) for one in book.places} <= pages[PRINTED].ids


@settings(max_examples=25)
@given(st.sets(st.integers(0, 51), min_size=13, max_size=13), st.integers(0, 3))
def test_examples_in_words(cards, vulnerability):
    hand = sum(1 << one for one in cards)
    text = example_text(LineExample(0, hand, vulnerability, parse_calls("1N P"), 0))
    assert text.startswith(hand_text(hand))
    assert text.endswith("after 1NT Pass: Pass")
    assert ("(vulnerable)" in text) == bool(vulnerability & 1)
