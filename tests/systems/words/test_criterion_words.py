"""Phrases of a text beside the formulas that they became, by the core and by the definition."""

import re

import pytest

from bidcascade.bridge import parse_calls
from bidcascade.engine import Engine
from bidcascade.systems import System
from bidcascade.systems.language.shipped import shipped_defines, shipped_folder
from bidcascade.systems.language.words.phrases import (
    DESCRIBED,
    KINDS,
    OF_CARDS,
    PLAYERS_WORDS,
    SAID_BY_WORDS,
)
from bidcascade.systems.words.criterion_words import words_of_criteria

TEXT = """\
system Words
include "words.bidding"

define tolerable X = two of the top five in X or ace of X
define long tolerable X = 6+ X, tolerable X
define worth it in X = 6+ X or tolerable X

opening:
  1NT = {condition}
  1M = Major: 5+ M, 12+ points
    (2X):
      2NT = Stopped: {answer}
"""


def phrases(text: str, auction: str = "") -> list[tuple[str, str]]:
    """Phrases of the first line after an auction with what they became, in order."""
    system = System.parse(text)
    found, calls = [], tuple(parse_calls(auction))
    for reader in (system.reader(), system.by_definition()):
        entry = reader.place(calls).entries[0]
        words = words_of_criteria(
            entry,
            system.rules.defines,
            lambda condition, bindings, reader=reader: reader.lowered(condition, calls, bindings),
        )
        assert set(words) <= set(entry.criteria)
        some = {(one.text, str(one.expression)): None for each in words.values() for one in each}
        found.append(list(some))
    assert found[0] == found[1]
    return found[0]


def of_opening(condition: str) -> list[tuple[str, str]]:
    return phrases(TEXT.format(condition=condition, answer="any hand"))


GOOD = "Top3_H >= 2 or Top5_H >= 3"


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("good hearts", [("good hearts", GOOD)]),
        # beside others, and within a definition
        ("good hearts or 12+ points", [("good hearts", GOOD)]),
        ("sound hearts",
         [("good hearts", GOOD), ("a top honour in hearts", "C_HA or C_HK or C_HQ")]),
        # a name of one's own that looks at cards alone, and names that do not
        ("tolerable spades", [("tolerable spades", "Top5_S >= 2 or C_SA")]),
        ("long tolerable spades", [("tolerable spades", "Top5_S >= 2 or C_SA")]),
        ("worth it in spades", [("tolerable spades", "Top5_S >= 2 or C_SA")]),
        # one phrase, two conditions
        ("stopper in clubs", [("a stopper in clubs", "Likely_Stopper_C and HCP_C >= 1")]),
        ("no stopper in clubs", [("no stopper in clubs", "not Likely_Stopper_C or HCP_C < 1")]),
        ("not good hearts", [("not good hearts", "Top3_H < 2 and Top5_H < 3")]),
        ("not headed hearts",
         [("no top honour in hearts", "not C_HA and not C_HK and not C_HQ")]),
        ("not (good hearts or 12+ points)", [("not good hearts", "Top3_H < 2 and Top5_H < 3")]),
        ("first-round control in clubs", [("the ace or a void in clubs", "C_CA or SL_C == 0")]),
        ("no first-round control in clubs",
         [("no first-round control in clubs", "not C_CA and SL_C != 0")]),
        # what is counted says itself
        ("15-17 points, balanced, 5+ hearts, ace of spades", []),
    ],
)  # fmt: skip
def test_phrases_travel_with_what_they_became(condition, told):
    assert of_opening(condition) == told


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        # the suit of the place for a role and for a variable
        ("stopper in their suit", [("a stopper in clubs", "Likely_Stopper_C and HCP_C >= 1")]),
        ("good X", [("good clubs", "Top3_C >= 2 or Top5_C >= 3")]),
        ("good M", [("good spades", "Top3_S >= 2 or Top5_S >= 3")]),
        ("good oM", [("good hearts", GOOD)]),
        # each suit that a role stands for has its own
        ("stopper in every unbid suit",
         [("a stopper in diamonds", "Likely_Stopper_D and HCP_D >= 1"),
          ("a stopper in hearts", "Likely_Stopper_H and HCP_H >= 1")]),
        ("good an unbid suit",
         [("good diamonds", "Top3_D >= 2 or Top5_D >= 3"), ("good hearts", GOOD)]),
        # what the auction has decided is told nowhere
        ("good hearts or RHO bid clubs", []),
        ("good hearts or RHO bid diamonds", [("good hearts", GOOD)]),
    ],
)  # fmt: skip
def test_suits_of_the_place_are_put_in(answer, told):
    text = TEXT.format(condition="12+ points", answer=answer)
    assert sorted(phrases(text, "1S 2C")) == sorted(told)


def test_a_name_that_a_text_defines_anew_keeps_its_own_words():
    text = "define headed X = ace of X or king of X\nopening:\n  1NT = headed hearts\n"
    assert phrases(text) == [("headed hearts", "C_HA or C_HK")]


def test_the_tables_of_words_name_what_there_is():
    assert set(SAID_BY_WORDS) | set(OF_CARDS) <= set(KINDS)
    assert set(PLAYERS_WORDS) <= set(SAID_BY_WORDS) | shipped_defines()
    told = {re.sub(r" ?\{\w+\} ?", "", form) for form in DESCRIBED}
    texts = "".join(path.read_text("utf-8") for path in shipped_folder().rglob("*.bidding"))
    defined = {one for one in told if re.search(rf"^define {one}(?: \w)? =", texts, re.MULTILINE)}
    assert told - defined <= set(KINDS)


def test_they_are_told_where_they_are_asked_for():
    engine = Engine(System.parse(TEXT.format(condition="good hearts", answer="any hand")))
    plain, told = (engine.bid("K52.AQ3.9876.KJ2", words=words) for words in (False, True))
    assert "words" not in plain.candidates[0].criteria[0]
    (criterion,) = told.candidates[0].criteria
    assert criterion["words"] == [{"text": "good hearts", "expression": GOOD}]
    assert told.call == plain.call
