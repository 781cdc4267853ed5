"""Names in a system's text, and every place where they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.systems.language.editing.names import names_of
from bidcascade.systems.language.shipped import shipped_folder

TEXT = """\
-- good is a remark, and so is #asked
include "words.bidding"
define good X = 5+ X, "good"
convention ask(opening 1NT, least 8):
  after opening:
    2C = Good to ask: least+ points; #asked, shows good  hearts
      either Good: good hearts,
        not good spades
option weak, off:
  use ask(opening 1NT, least 7)
without option weak:
  after 2C, when partner's last call was #asked:
    2D = Good: not good hearts; artificial
"""


def told(text):
    lines = text.split("\n")
    return [
        (one.kind, lines[one.line - 1][one.column - 1 :][: one.length], one.line, one.defines)
        for one in names_of(text)
    ]


def test_each_name_is_found_where_it_stands():
    assert told(TEXT) == [
        ("file", "words.bidding", 2, False),
        ("condition", "good", 3, True),
        ("convention", "ask", 4, True),
        ("parameter", "opening", 4, True),
        ("parameter", "least", 4, True),
        ("parameter", "opening", 5, False),
        ("parameter", "least", 6, False),
        ("tag", "asked", 6, True),
        ("condition", "good", 6, False),
        ("condition", "good", 7, False),
        ("condition", "good", 8, False),
        ("option", "weak", 9, True),
        ("convention", "ask", 10, False),
        ("parameter", "opening", 10, False),
        ("parameter", "least", 10, False),
        ("option", "weak", 11, False),
        ("tag", "asked", 12, False),
        ("condition", "good", 13, False),
    ]


def test_a_parameter_belongs_to_its_convention():
    text = "convention one(game 10):\n  2C = One: game+ points\n" * 2
    text = text.replace("one", "two", 1)
    assert [(one.scope, one.line) for one in names_of(text) if one.kind == "parameter"] == [
        ("two", 1),
        ("two", 2),
        ("one", 3),
        ("one", 4),
    ]


def test_words_of_a_name_may_stand_apart():
    (found,) = names_of("opening:\n  1C = Club: very   good hearts\n")
    assert (found.name, found.length) == ("very good", 11)


@pytest.mark.parametrize(
    "path", sorted(shipped_folder().glob("*.bidding")), ids=lambda one: one.stem
)
def test_names_of_the_shipped_texts_stand_where_they_are_said_to(path):
    text = path.read_text("utf-8")
    lines = text.split("\n")
    for one in names_of(text):
        there = lines[one.line - 1][one.column - 1 : one.column - 1 + one.length]
        assert " ".join(there.split()) == one.name


@given(st.text(alphabet='define option use conv(),:;="#\n ab1C+-', max_size=120))
def test_any_text_has_names(text):
    names_of(text)
