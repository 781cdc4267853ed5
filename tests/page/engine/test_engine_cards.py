"""The engine's convention cards are those of the package, line by line."""

from dataclasses import asdict

import pytest

from bidcascade.engine.browser_system import browser_system
from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.systems.book.convention_card import card_of
from bidcascade.systems.system import System
from tests.support.systems import BY_SIDES, EACH_SYSTEM

pytestmark = pytest.mark.slow

CARD = """async (load, rows) => {
  const system = (await load("load")).load(rows);
  return (await load("words/convention_card")).conventionCard(system);
}"""
SMALL = """system Small <b>
option told, on
opening:
  1NT = A name of a line that is far too long for any line of a card to hold it: 15-17 points
  1M  = Majors: 10+ points, 5+ M, 4+ oM
  1C  = Any club: 16+ points; artificial, forcing
  2D  = Multi: 5-10 points, exactly 6 hearts or exactly 6 spades; artificial
option told:
  over (1M):
    2M = Michaels: 5+ oM; artificial
"""


def told(engine, system):
    card = engine(CARD, plain(browser_system(system))["rows"])
    mine = asdict(card_of(system, "any"))
    assert card["title"] == mine["title"]
    return card["sections"], [{**one, "lines": [*one["lines"]]} for one in mine["sections"]]


@pytest.mark.parametrize("name", EACH_SYSTEM)
def test_cards_are_those_of_the_package(engine, name):
    theirs, mine = told(engine, System.open(name))
    assert theirs == mine
    assert len(theirs) > 14


@pytest.mark.parametrize(
    ("system", "words"), [(System.parse(SMALL), "Told"), (BY_SIDES, "not vul")]
)
def test_cards_of_texts_are_those_of_the_package(engine, system, words):
    theirs, mine = told(engine, system)
    assert theirs == mine
    assert any(words in line["words"] for one in theirs for line in one["lines"])
