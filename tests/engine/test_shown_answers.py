"""Answers at a prompt and in a notebook: one line, and tables."""

from dataclasses import dataclass, is_dataclass
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import parse_hand
from bidcascade.bridge.shown_answers import LONGEST_LINE, MOST_ROWS, ShownAnswer, short
from bidcascade.engine import Engine
from bidcascade.inference import interpret, sample_layouts
from bidcascade.inference.layouts.rejections import count_rejections
from bidcascade.inference.search import SearchQuestion, search_call
from bidcascade.inference.simulate import CallQuestion, simulate_calls
from bidcascade.systems import open_system
from bidcascade.systems.checking.check import check_system
from bidcascade.systems.checking.diff import diff_systems

HAND = "K52.AQ3.9876.KJ2"


@pytest.fixture(scope="module")
def engine():
    return Engine.open("sayc")


def answers(engine):
    system = open_system("sayc")
    bid, found = engine.bid(HAND, "1N P"), interpret(system, "1N P 2C", layouts=20, seed=1)
    question = CallQuestion(parse_hand(HAND), (), layouts=4)
    yield from (bid, bid.candidates, bid.candidates[0])
    yield from (engine.explain("1N P 2C"), engine.explain("1N P 2C").calls[0])
    yield from (engine.expand("1N P"), engine.expand("1N P").entries[0])
    yield from (found, found.report, found.hands["N"], found.shown["N"])
    yield sample_layouts(system, "1N", count=3)
    yield count_rejections(system, "1N", deals=50)
    yield simulate_calls(engine.bidder.meanings, engine.bidder, question)
    yield search_call(
        engine.bidder.meanings, engine.bidder, SearchQuestion(parse_hand(HAND), (), 0, layouts=4)
    )
    yield check_system(system, deals=20)
    yield diff_systems(system, system, deals=20)
    yield from (engine, system, engine.table)


class Tables(HTMLParser):
    """Texts and nesting of what a notebook is given."""

    def __init__(self):
        super().__init__()
        self.open, self.texts, self.rows = [], [], 0

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.rows += tag == "tr"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def read_tables(text):
    tables = Tables()
    tables.feed(text)
    tables.close()
    assert not tables.open
    return tables


def test_every_answer_is_one_line(engine):
    for one in answers(engine):
        text = repr(one)
        assert "\n" not in text
        assert len(text) <= LONGEST_LINE, type(one)
        assert type(one).__name__ in text or "candidates" in text


def test_a_notebook_shows_what_is_in_an_answer(engine):
    shown = read_tables(engine.bid(HAND, "1N P")._repr_html_())
    assert {"call", "3N", "candidates", "Game", "criteria"} <= set(shown.texts)
    assert any(text.endswith(" more") for text in shown.texts)
    assert shown.rows <= MOST_ROWS + 12
    for one in answers(engine):
        if is_dataclass(one):
            read_tables(one._repr_html_())


def test_an_engine_shows_table_digest_and_backend(engine):
    for text in (repr(engine), engine._repr_html_().replace("&#x27;", "'")):
        assert "'sayc'" in text
        assert engine.digest[:12] in text
        assert f"on {engine.backend}" in text


@dataclass(frozen=True, slots=True, repr=False)
class Anything(ShownAnswer):
    call: object
    rest: object = ()


values = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
)


@given(values, values)
def test_any_value_is_one_short_line(call, rest):
    text = repr(Anything(call, rest))
    assert len(text) <= LONGEST_LINE
    assert len(text.splitlines()) == 1
    assert len(short(call).splitlines()) == 1
    # what a text holds is text, not markup
    assert set(read_tables(Anything("<b>&", [Anything(call)])._repr_html_()).texts) >= {"<b>&"}
