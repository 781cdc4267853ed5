"""Cards of systems: what is gathered from a text, in which words, and what JSON brings back."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidSystem, parse_calls
from bidcascade.bridge import parse_card as card_number
from bidcascade.inference.lead_carding import usual_leads
from bidcascade.service.reports.card_report import card_page
from bidcascade.service.reports.report_page import page_html, page_markdown
from bidcascade.systems.book.convention_card import (
    KINDS,
    LEADS,
    PARTS,
    CardLine,
    CardSection,
    ConventionCard,
    auction_sign,
    card_of,
    options_of_card,
    parse_card,
    print_card,
)
from bidcascade.systems.book.text_outline import outline_of
from bidcascade.systems.chosen_options import chosen_options
from bidcascade.systems.registry import open_system
from bidcascade.systems.system import System
from bidcascade.systems.words.card_words import LONGEST_LINE
from tests.service.reports.support_pages import check_page
from tests.support.systems import BY_SIDES, EACH_SYSTEM

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

UNREADABLE = re.compile(
    r"\b(?:worth|headed|sound|at most|at least|combined|unfavourable|favourable|is the longest|"
    r"stopped in|shows|support points|losers|or not|not \w+ and)\b"
)
"""Words of conditions that opponents need not work out."""
HELD = r"\d+\+? (?:cards?|support|[♣♦♥♠]|in an? (?:major|minor)|in any suit)|\d-card support"
_RANGE = r"\d+(?:-\d+|\+)?"
POINTS = re.compile(rf"|{_RANGE}|{_RANGE} vul, {_RANGE} not|{_RANGE} against vul, {_RANGE} else")
DETAIL = re.compile(
    rf"{HELD}|\d\+? [♣♦♥♠] or \d\+? [♣♦♥♠]|balanced|asks for a 4-card major|"
    r"(?:game |not )?forcing|invitational|to play|preemptive|penalty|takeout|artificial|"
    r"light from \d+"
)
"""All that stands behind the name of a line."""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.bidding").write_text(TEXT)
    return "mine.bidding"


def lines_of(card, heading, after=None):
    """Lines of a section by call; those under a head, or all."""
    (section,) = [one for one in card.sections if one.heading == heading]
    return {line.call: line for line in section.lines if after in (None, line.after)}


def under(card, after):
    """Calls that stand under a head."""
    return [line for one in card.sections for line in one.lines if line.after == after]


def over(card, call):
    """Lines of all heads over an opening of theirs."""
    return [
        line
        for one in card.sections
        for line in one.lines
        if line.after.startswith("Over their") and call in line.after.split()
    ]


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
    assert lines_of(card, "Notrump openings", "")["1NT"].points == "12-17"
    answers = lines_of(card, "Notrump openings", "Responses to 1NT")
    assert answers["2♥"].words == "Hearts: 5+ cards"
    assert answers["2♣"] == CardLine(
        "Responses to 1NT", "2♣", "8+", "Asking: forcing, artificial", "1N P 2C"
    )
    said = [line.words for line in card.sections[0].lines]
    assert "Options played: Weak notrump, Two way, Deep" in said
    off = card_of(open_system(mine, options={"two-way": False}), mine)
    assert not under(off, "Responses to 1NT")
    assert off.digest != card.digest


def test_what_differs_by_vulnerability_is_said_for_both():
    card = card_of(BY_SIDES, "sides")
    openings = {
        line.call: (line.points, line.words)
        for one in card.sections[1:]
        for line in one.lines
        if line.auction and " " not in line.auction
    }
    assert openings["1NT"] == ("15-17 vul, 12-14 not", "Notrump: balanced")
    assert openings["1♦"] == ("8+ against vul, 11+ else", "Brave: 6+ cards")
    assert openings["1♥"] == ("12+ vul, 9+ not", "Hearts: 6+ cards vul; Light hearts: 5+ cards not")
    assert openings["3♣"] == ("6-9", "Preempt: 7+ cards (not vul)")
    assert openings["1♠"] == ("10+", "Spades: 5+ cards")
    approach = {line.call: (line.points, line.words) for line in card.sections[0].lines}
    assert approach["1NT"] == ("15-17 vul, 12-14 not", "balanced")
    (answer,) = [line for one in card.sections for line in one.lines if line.auction == "1N P 2N"]
    assert answer.points == "8-9 vul, 11-12 not"


def test_parts_take_the_calls_that_belong_to_them(mine):
    card = card_of(open_system(mine), mine)
    found = {
        one.heading: {line.call for line in one.lines if line.after == "Over their 1♠"}
        for one in card.sections
    }
    assert found["Overcalls"] == {"2♦"}
    assert found["Jump overcalls"] == {"3♥"}
    assert found["Cue bids and unusual notrump"] == {"2♠"}
    assert found["Notrump overcalls"] == {"1NT"}
    # what a text does not say has no part
    assert "Doubles" not in found


def test_every_group_is_of_a_kind_and_at_a_legal_place():
    for part in PARTS:
        assert part.page in (1, 2)
        for group in part.groups:
            assert group.kind in KINDS
            assert group.style in ("", "auction", "answer")
            assert all(parse_calls(auction) is not None for auction in group.auctions)


def test_auctions_are_written_from_our_side():
    assert auction_sign(parse_calls("1H P P X")) == "(1♥) P (P) X"
    assert auction_sign(parse_calls("1N P 2C P 2H")) == "1NT 2♣ (P) 2♥"
    assert auction_sign(parse_calls("1D 1S X")) == "1♦ (1♠) X"


@pytest.mark.parametrize("name", EACH_SYSTEM)
class TestShippedCards:
    """What opponents find on the card of every system that comes with bidcascade."""

    @pytest.fixture
    def card(self, name):
        return card_of(open_system(name), name)

    def test_openings_have_points_and_lengths(self, card):
        opened = [line for one in card.sections[1:] if one.page == 1 for line in one.lines]
        opened = [line for line in opened if not line.after and line.call]
        shown = {call: line for line in opened for call in line.call.split()}
        for call in ("1♣", "1♦", "1♥", "1♠", "1NT", "2♣", "2♦", "2♥", "2♠", "3♣", "3♠", "2NT"):
            assert re.fullmatch(r"\d+(?:-\d+|\+)", shown[call].points), call
        for call in ("1♥", "1♠", "2♥", "2♠", "3♣", "3♠"):
            assert re.search(r"\d\+? cards", shown[call].words), call
        assert "balanced" in shown["1NT"].words

    def test_responses_and_defence_are_there(self, card):
        for after in (f"Responses to {call}" for call in ("1♣", "1♦", "1♥", "1♠", "1NT", "2♣")):
            assert len(under(card, after)) >= 4, after
        for after in ("Responses to 2♥", "Responses to 2♠", "Responses to 3♣"):
            assert len(under(card, after)) >= 3, after
        for call in ("1♣", "1♦", "1♥", "1♠", "2♦", "2♥", "2♠", "3♦"):
            assert len(over(card, call)) >= 4, call
        assert len(lines_of(card, "Over their notrump")) >= 4
        assert {"(1♣) X", "(1♥) X"} <= {
            one for call in lines_of(card, "Doubles") for one in call.split(", ")
        }
        assert any("Negative double" in one.words for one in lines_of(card, "Doubles").values())
        assert len(card.sections[-1].lines) == len(LEADS) + 1
        assert card.sections[-1].heading == "Leads"

    def test_lines_are_short_and_readable(self, card):
        lines = [line for one in card.sections for line in one.lines]
        for line in lines:
            assert len(line.words) <= LONGEST_LINE, line
            assert not UNREADABLE.search(line.words), line
            assert POINTS.fullmatch(line.points), line
            name, colon, details = line.words.partition(": ")
            if line.call and (colon or name[0].isdigit()):
                for one in re.split("[,;] ", details if colon else name):
                    assert DETAIL.fullmatch(re.sub(r" (?:(?:against )?vul|not|else)$", "", one)), (
                        line
                    )
        for one in card.sections:
            shown = [(line.after, call) for line in one.lines for call in line.call.split(", ")]
            assert len(shown) == len({*shown}) or not one.lines[-1].call, one.heading

    def test_a_card_reads_back_and_is_drawn(self, card):
        assert parse_card(print_card(card)) == card
        assert all(
            parse_calls(line.auction) is not None for one in card.sections for line in one.lines
        )
        page = check_page(page_html(card_page(card)))
        (sheet,) = page.blocks
        assert [one["heading"] for one in sheet["sections"]] == [
            one.heading for one in card.sections
        ]


def test_leads_are_those_that_the_package_leads():
    tops = {"top": 0, "ace": 0, "top of touching honours": 0, "fourth best": 3, "lowest": -1}
    for name, holdings, which in LEADS:
        for holding in holdings:
            cards = [card_number(f"S{rank}") for rank in holding]
            (led, *_) = usual_leads(cards, trumps="suit contract" in name)
            # of honours inside, the higher one of those that touch
            assert led == cards[tops.get(which, 1)], (name, holding)


def test_texts_are_escaped(mine):
    card = card_of(open_system(mine, options={"weak-notrump": True}), mine)
    page = check_page(page_html(card_page(card)))
    assert "Mine <b>" in page.document["title"]
    assert "<b>" not in page_markdown(card_page(card))


def test_a_system_without_options_has_a_card_too(tmp_path):
    path = tmp_path / "plain.bidding"
    path.write_text("opening:\n  1C = Any: any hand\n")
    card = card_of(open_system(path), str(path))
    assert card.options == {}
    assert "a text without options" in page_html(card_page(card))
    assert card_of(System.parse(TEXT), "a string").title == "Mine <b>"


texts = st.text(max_size=8)
lines = st.builds(CardLine, texts, texts, texts, texts, texts)
cards = st.builds(
    ConventionCard,
    texts,
    texts,
    texts,
    st.dictionaries(texts, st.booleans(), max_size=3),
    st.tuples(st.builds(CardSection, texts, st.sampled_from([1, 2]), st.tuples(lines))),
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


@given(cards, st.sampled_from([0, 3, True, None, "1"]))
def test_a_part_stands_on_one_of_two_pages(card, page):
    told = json.loads(print_card(card))
    told["sections"][0]["page"] = page
    with pytest.raises(InvalidSystem, match="page 1 or 2"):
        parse_card(json.dumps(told))


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
    opened = open_system(mine)
    (tmp_path / mine).write_text("opening:\n  1C = Any: any hand\n")
    with pytest.raises(InvalidSystem, match="changed meanwhile"):
        outline_of(opened)
    with pytest.raises(InvalidSystem, match="read from a file"):
        outline_of(System.parse(TEXT))


def test_a_card_may_be_changed_by_hand(mine, tmp_path):
    card = card_of(open_system(mine), mine)
    (tmp_path / "card.json").write_text(print_card(replace(card, options={"deep": True})))
    with pytest.raises(InvalidSystem, match="make it anew"):
        options_of_card("card.json", mine)
