"""Cards of systems: what is gathered from a text, in which order, and what JSON brings back."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import BidcascadeError, InvalidSystem, parse_calls
from bidcascade.service.reports.card_report import card_page
from bidcascade.service.reports.report_page import page_html, page_markdown
from bidcascade.systems.book.convention_card import (
    ORDERS,
    CardConvention,
    CardRow,
    CardSection,
    ConventionCard,
    card_of,
    options_of_card,
    parse_card,
    print_card,
)
from bidcascade.systems.book.text_outline import outline_of
from bidcascade.systems.chosen_options import chosen_options
from bidcascade.systems.registry import open_system
from tests.service.reports.support_pages import check_page
from tests.support_systems import one_system

TEXT = """-- A system <for> tests & "cards".

system Mine <b>

opening:
  1NT = Strong notrump: 15-17 points, balanced
  1S  = Spades: 12+ points, 5+ spades

-- Twelve to fourteen.
option weak-notrump:
  opening:
    1NT = Weak <i>notrump</i>: 12-14 points, balanced

convention stayman:
  after 1S:
    2C = Stayman: 8+ points; artificial
option two-way, on:
  after 1NT:
    use asking
    option deep:
      2H = Hearts: 5+ hearts

convention asking:
  2C = Asking: 8+ points; artificial, forcing

over (1S):
  2S = Cue bid: 15+ points; artificial
  2D = Overcall: 5+ diamonds
  3H = Jump: 6+ hearts
  1NT = Balanced: 15-18 points, balanced
  Double = Takeout: 12+ points; takeout
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.bidding").write_text(TEXT)
    return "mine.bidding"


def test_options_and_conventions_stand_with_their_lines(mine):
    outline = outline_of(open_system(mine))
    assert [(one.name, one.where.line, one.last) for one in outline.options] == [
        ("weak-notrump", 10, 12),
        ("two-way", 17, 21),
        ("deep", 20, 21),
    ]
    assert outline.options[0].about == "Twelve to fourteen."
    assert outline.options[1].about == 'A system <for> tests & "cards".'
    assert outline.options[2].about == ""
    assert [one.name for one in outline.conventions] == ["stayman", "asking"]


def test_an_option_is_told_where_it_has_lines_and_a_comment(tmp_path):
    text = """-- A text.
opening:
  option one:
    1NT = Ten: 10-12 points, balanced
option two, on
-- What one is.
option one:
  after 1NT:
    2C = Asking: 8+ points; artificial
option one, on
without option two:
  after 1NT:
    2D = Other: 9+ points; artificial
"""
    (tmp_path / "set.bidding").write_text(text)
    system = open_system(str(tmp_path / "set.bidding"))
    told = outline_of(system).described_options()
    assert {name: (one.where.line, one.about) for name, one in told.items()} == {
        "one": (7, "What one is."),
        "two": (5, "A text."),
    }


def test_a_card_has_what_its_options_say(mine):
    card = card_of(open_system(mine, options={"weak-notrump": True, "deep": True}), mine)
    assert card.options == {"weak-notrump": True, "two-way": True, "deep": True}
    rows = {(row.auction, row.call, row.name): row for one in card.sections for row in one.rows}
    assert rows["", "1N", "Weak <i>notrump</i>"].option == "weak-notrump"
    assert rows["1N P", "2H", "Hearts"].option == "deep"
    # what a convention says stands in its own lines, whoever uses it
    assert rows["1N P", "2C", "Asking"].where == "mine.bidding:24"
    off = card_of(open_system(mine, options={"two-way": False}), mine)
    assert not any(row.auction == "1N P" for one in off.sections for row in one.rows)
    assert off.digest != card.digest


def test_parts_take_the_calls_that_belong_to_them(mine):
    card = card_of(open_system(mine), mine, "wbf")
    over = {
        one.heading: {row.call for row in one.rows if row.auction == "1S"} for one in card.sections
    }
    assert over["Overcalls"] == {"2D"}
    assert over["Jump overcalls"] == {"3H"}
    assert over["Direct and jump cue-bids"] == {"2S"}
    assert over["1NT overcall"] == {"1N"}
    assert over["Takeout doubles"] == {"X"}


def test_both_orders_have_the_same_rows():
    cards = [card_of(open_system("two-over-one"), "two-over-one", order) for order in ORDERS]
    rows = [sorted(repr(row) for one in card.sections for row in one.rows) for card in cards]
    assert rows[0] == rows[1]
    assert cards[0].sections[0].heading == "Notrump opening bids"
    assert cards[1].sections[0].heading == "Overcalls"


@pytest.mark.parametrize("name", one_system("acol"))
def test_shipped_systems_have_a_card_that_reads_back(name):
    card = card_of(open_system(name), name)
    assert parse_card(print_card(card)) == card
    assert all(row.where for one in card.sections for row in one.rows)
    for one in card.sections:
        assert all(parse_calls(row.auction) is not None for row in one.rows)
    page = check_page(page_html(card_page(card)))
    assert sum(len(one.rows) for one in card.sections) <= len(page.rows)


def test_texts_are_escaped(mine):
    card = card_of(open_system(mine, options={"weak-notrump": True}), mine)
    page = check_page(page_html(card_page(card)))
    assert "Mine <b>" in page.document["title"]
    assert any("<i>notrump" in cell for row in page.rows for cell in row)
    assert "\\<i\\>" in page_markdown(card_page(card))


def test_a_system_without_options_has_a_card_too(tmp_path):
    path = tmp_path / "plain.bidding"
    path.write_text("opening:\n  1C = Any: any hand\n")
    card = card_of(open_system(path), str(path))
    assert card.options == {}
    assert card.conventions == ()
    assert "a text without options" in page_html(card_page(card))


texts = st.text(max_size=8)
rows = st.builds(CardRow, texts, texts, texts, texts, st.tuples(texts), texts, texts)
cards = st.builds(
    ConventionCard,
    texts,
    texts,
    texts,
    texts,
    st.dictionaries(texts, st.booleans(), max_size=3),
    texts,
    st.tuples(st.builds(CardSection, texts, st.tuples(rows))),
    st.tuples(st.builds(CardConvention, texts, st.none() | st.booleans(), texts, texts)),
)


@given(cards)
def test_any_card_reads_back(card):
    assert parse_card(print_card(card)) == card


@given(cards, st.data())
def test_cards_that_are_none_are_refused_with_a_reason(card, data):
    told = json.loads(print_card(card))
    name = data.draw(st.sampled_from(sorted(told)))
    told[name] = data.draw(st.sampled_from([7, None, {"x": 1}, [3]]))
    with pytest.raises(InvalidSystem, match=r"card\.json: expected"):
        parse_card(json.dumps(told), "card.json")


@pytest.mark.parametrize("text", ["", "[", "7", "{}", "[" * 100_000, '{"a": 1, "a": 2}'])
def test_nonsense_is_no_card(text):
    with pytest.raises(InvalidSystem, match="expected"):
        parse_card(text)


def test_a_card_opens_the_system_it_was_made_of(mine, tmp_path):
    card = card_of(open_system(mine, options={"weak-notrump": True, "two-way": False}), mine)
    (tmp_path / "card.json").write_text(print_card(card))
    assert chosen_options(["@card.json"], [(mine, mine)]) == [dict(card.options)]
    again = open_system(mine, options=options_of_card("card.json", mine))
    assert again.digest == card.digest
    # of two systems one is named, and what is said later counts
    both = [("sayc", "sayc"), (mine, mine)]
    assert chosen_options(["2:@card.json", "2:deep"], both)[1]["deep"] is True
    for word in ("@card.json", "3:@card.json", "1:@card.json", "@none.json"):
        with pytest.raises(InvalidSystem):
            chosen_options([word], both)


def test_a_card_of_a_changed_text_is_told(mine, tmp_path):
    (tmp_path / "card.json").write_text(print_card(card_of(open_system(mine), mine)))
    (tmp_path / mine).write_text(TEXT.replace("15-17", "14-16"))
    with pytest.raises(InvalidSystem, match="make it anew"):
        options_of_card("card.json", mine)


def test_a_changed_file_and_a_string_have_no_outline(mine, tmp_path):
    from bidcascade.systems.system import System

    opened = open_system(mine)
    (tmp_path / mine).write_text("opening:\n  1C = Any: any hand\n")
    with pytest.raises(InvalidSystem, match="changed meanwhile"):
        outline_of(opened)
    with pytest.raises(InvalidSystem, match="read from a file"):
        outline_of(System.parse(TEXT))


def test_an_unknown_order_is_told():
    with pytest.raises(BidcascadeError, match="acbl, wbf"):
        card_of(open_system("sayc"), "sayc", "ebu")


def test_a_card_may_be_changed_by_hand(mine, tmp_path):
    card = card_of(open_system(mine), mine)
    (tmp_path / "card.json").write_text(print_card(replace(card, options={"deep": True})))
    with pytest.raises(InvalidSystem, match="make it anew"):
        options_of_card("card.json", mine)
