"""What may be written next: the words of the language in their places, and the names of a text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.systems.language.editing.completion import proposals
from bidcascade.systems.language.editing.names import names_of
from bidcascade.systems.language.grammar.grammar import following
from bidcascade.systems.language.reading.layout import logical_lines
from bidcascade.systems.language.shipped import shipped_folder
from bidcascade.systems.language.words.phrases import words_of_terminals

LINES = sorted(
    {
        line.text
        for path in shipped_folder().glob("*.bidding")
        for line in logical_lines(path.read_text("utf-8").splitlines(), "", lambda *_: None)
    }
)
NAMES = """\
define good X = 5+ X
convention stayman(game 10, inv 8):
  2C = Stayman: game+ points; #asked
option weak:
"""


def proposed(text, files=()):
    """Texts proposed at the end of a text, by the column from which they are written."""
    lines = text.split("\n")
    found = proposals(text, len(lines), len(lines[-1]) + 1, names_of(text), files)
    return {one.text: one.column for one in found}


@pytest.mark.parametrize(
    ("text", "word", "column"),
    [
        ("ope", "opening", 1),
        ("opening:\n  1NT = Strong: 15-17 poi", "points", 23),
        ("opening:\n  1NT = Strong: 15-17 points, bal", "balanced", 31),
        ("opening:\n  1S = Long: spades at least as lo", "at least as long as", 21),
        ("opening:\n  1S = Long: 5+ spades; forcing to", "forcing to game", 25),
        ("opening:\n  1S = Long: 5+ spades; sho", "shows", 25),
        # a line that goes on below
        ("opening:\n  1S = Long: 5+ spades,\n     strictly", None, None),
        ("opening:\n  1S = Long: 5+ spades,\n     no stop", "stopper in", 9),
        # names of the text, each in its place alone
        (f"{NAMES}opening:\n  1C = Club: go", "good", 14),
        (f"{NAMES}  use st", "stayman", 7),
        (f"{NAMES}use stayman(game 11, i", "inv", 22),
        (f"{NAMES}option w", "weak", 8),
        (f"{NAMES}opening:\n  1C = Club: 5+ clubs; #", "#asked", 24),
        # the value of a parameter stands for it
        ("convention ask(game 10):\n  after 1NT:\n    2C = Ask: game+ poi", "points", 21),
    ],
)
def test_a_word_is_proposed_in_its_place(text, word, column):
    found = proposed(text)
    assert found.get(word) == column if word else not found


@pytest.mark.parametrize(
    "text",
    [
        "-- ope",
        "opening:\n  1NT = Strong: 15+ points  -- bal",
        'system "a',
        "what is this ",
        "1NT ? ",
    ],
)
def test_nothing_is_proposed_in_remarks_titles_and_what_does_not_read(text):
    assert not proposed(text)


def test_names_are_not_proposed_where_they_cannot_stand():
    found = proposed(f"{NAMES}opening:\n  1C = Club: 5+ ")
    assert "spades" in found
    assert not {"good", "stayman", "weak", "#asked", "game"} & found.keys()


def test_files_are_proposed_in_quotes():
    assert proposed('include "no', ["notrump.bidding", "majors.bidding"]) == {"notrump.bidding": 10}


@given(st.sampled_from(LINES), st.data())
def test_the_words_that_stand_there_are_proposed(line, data):
    """Of a line cut in the middle of a word of the language the rest is proposed."""
    words = {word for words in words_of_terminals().values() for word in words if len(word) > 3}
    code = re.split(r'"|--|\{', line)[0]
    places = [
        (found.start(), word)
        for word in sorted(words, key=len)
        for found in re.finditer(rf"(?<![\w'’-]){re.escape(word)}(?![\w'’-])", code)
        # a name, or what a convention is told, is no word of the language
        if following(code[: found.start()])
        & {terminal for terminal, those in words_of_terminals().items() if word in those}
    ]
    if not places:
        return
    start, word = data.draw(st.sampled_from(places))
    cut = start + data.draw(st.integers(1, len(word) - 1))
    found = {(one.text, one.column) for one in proposals(code[:cut], 1, cut + 1)}
    assert (word, start + 1) in found


@given(st.sampled_from(LINES), st.data())
def test_what_is_proposed_can_stand_there(line, data):
    cut = data.draw(st.integers(0, len(line)))
    for one in proposals(line[:cut], 1, cut + 1):
        assert following(f"{line[: one.column - 1]}{one.text}"), one


@given(st.text(max_size=80), st.integers(1, 3), st.integers(1, 90))
def test_any_text_has_proposals(text, line, column):
    proposals(text, line, column)
