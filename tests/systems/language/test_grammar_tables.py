"""Texts are read by the written tables as lark reads them: same trees, same words that stop it."""

import random
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from bidcascade.systems.language.grammar import grammar
from bidcascade.systems.language.grammar.lark_parser import lark_parser
from bidcascade.systems.language.reading.layout import logical_lines
from bidcascade.systems.language.shipped import shipped_folder
from bidcascade.systems.language.words.phrases import words_of_terminals
from bidcascade.table.language import expression_grammar, grammar_tables, lalr
from tests.support.expressions import expressions

LINES = sorted(
    {
        line.text
        for path in shipped_folder().rglob("*.bidding")
        for line in logical_lines(path.read_text("utf-8").splitlines(), "", lambda *_: None)
    }
)
ODD = [
    *"()[]{}\"“”—–-+=:;,./\\%&|<>≥½♠🂡éß٣²_#\t\u00a0\ufeff", "...", "--", "15,5", "4S", "gf", "Dbl",
    "ballanced", "heart", "not (", "1c", "hcp", "''", "0-3", "ten", "4+", "5-4-x-x", "A b", "Élan",
]  # fmt: skip


class Trees:
    """Builder that makes plain trees."""

    def __getattr__(self, name):
        return lambda *parts: (name, parts)


def plain(part):
    if isinstance(part, Tree):
        return str(part.data), tuple(map(plain, part.children))
    if isinstance(part, tuple):
        return part[0], tuple(map(plain, part[1]))
    if part is None:
        return None
    start = part.start if isinstance(part, lalr.Token) else part.start_pos
    return part.type, str(part), start


def stop_of(error):
    """What lark's errors and ours say alike: where, what could stand there, what does."""
    if isinstance(error, lalr.UnexpectedInput):
        token = None if error.token is None else (error.token.type, str(error.token))
        return error.position, error.expected, token
    if isinstance(error, UnexpectedCharacters):
        return error.pos_in_stream, frozenset(error.allowed), None
    assert isinstance(error, UnexpectedToken)
    position = None if error.token.type == "$END" else error.token.start_pos
    expected = frozenset(error.accepts or error.expected)
    return position, expected, (error.token.type, str(error.token))


def read(parser, text, start):
    try:
        return plain(parser.parse(text, start)), None
    except (UnexpectedInput, lalr.UnexpectedInput) as error:
        return None, stop_of(error)


def compare(lark, ours, texts, *starts):
    """How many texts read, and how many do not."""
    read_texts = unread = 0
    for text in texts:
        for start in starts:
            found, stop = read(ours, text, start)
            assert (found, stop) == read(lark, text, start), (text, start)
            read_texts, unread = read_texts + (stop is None), unread + (stop is not None)
    return read_texts, unread


@pytest.fixture(scope="module")
def bidding():
    folder = Path(grammar.__file__).parent
    return lark_parser(), lalr.Parser.of_file(folder / "bidding.json", Trees())


@pytest.fixture(scope="module")
def of_expressions():
    folder = Path(expression_grammar.__file__).parent
    lark = grammar_tables.expression_parser()
    return lark, lalr.Parser.of_file(folder / "expressions.json", Trees())


def test_the_lines_of_the_systems(bidding):
    # but for lines of conventions whose words are put in later
    assert compare(*bidding, LINES, "statement")[0] > 2500


def changed(chance, line):
    """Line with a word dropped, doubled, changed or put in another's place."""
    words = [*chain.from_iterable(words_of_terminals().values()), *ODD]
    parts = line.split(" ")
    for _ in range(chance.choice((1, 1, 2))):
        place = chance.randrange(len(parts))
        match chance.randrange(4):
            case 0:
                parts[place : place + 1] = []
            case 1:
                parts.insert(place, chance.choice(parts))
            case 2:
                parts[place] = chance.choice(words)
            case _:
                at = chance.randrange(len(parts[place]) + 1)
                letter = chance.choice([*ODD, "a", "s", "1"])
                parts[place] = parts[place][:at] + letter + parts[place][at + 1 :]
        parts = parts or [""]
    return " ".join(parts)


def test_changed_lines(bidding):
    chance = random.Random(5)
    lines = [changed(chance, line) for line in chance.sample(LINES, 300)]
    read_texts, unread = compare(*bidding, lines, "statement", "conditions", "agreements")
    assert read_texts > 30
    assert unread > 300


@given(expressions, st.randoms(use_true_random=False))
def test_expressions(of_expressions, expression, chance):
    text = str(expression)
    at = chance.randrange(len(text) + 1)
    other = text[:at] + chance.choice([" ", "(", "=", "and", "$", "'5332'", "é", "-1"]) + text[at:]
    assert compare(*of_expressions, [text], "start") == (1, 0)
    compare(*of_expressions, [other, text[:at]], "start")


@pytest.mark.parametrize(
    "text", ["", " ", "# a comment", "HCP # a comment\n >= 15", "Truest and True", "1 2", "nota"]
)
def test_odd_expressions(of_expressions, text):
    compare(*of_expressions, [text], "start")


def test_a_word_of_a_text():
    word = lalr.Token("SUIT", "hearts", 4)
    assert (word, word.type, word.start) == ("hearts", "SUIT", 4)
