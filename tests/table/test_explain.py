"""Explanations: the hand's own values beside each expression."""

import random

import pytest

from bidcascade.bridge import UnknownTerm, parse_hand
from bidcascade.kernels import Context
from bidcascade.table.language.explain import explain, holds
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.vocabulary import Vocabulary

HAND = parse_hand("K52.AQ3.9876.KJ2")


def check(text, *, hand=HAND, vocabulary=None, context=None):
    (answer,) = explain(hand, [parse_expression(text)], vocabulary or Vocabulary(), context)
    return answer


@pytest.mark.parametrize(
    ("text", "value", "holds_"),
    [
        ("SL_H >= 4", 3, False),
        ("HCP>=13", 13, True),
        ("12 <= HCP <= 14", 13, True),
        ("not HCP >= 15", 13, True),
        ("Balanced", True, True),
        ("not Balanced", True, False),
        ("Balanced == False", True, False),
        ("QT >= 2.5", 2.5, True),
        ("QT >= 3", 2.5, False),
        ("Pattern == '4333'", "4333", True),
        ("Top2of3_H", True, True),
        ("HCP + 2 >= 16", 13, False),
        ("SL_S >= SL_D", {"SL_S": 3, "SL_D": 4}, False),
        ("HCP + SL_S >= 15", {"HCP": 13, "SL_S": 3}, True),
        ("SL_H >= 4 or Stopper_H and QT > 2", {"SL_H": 3, "Stopper_H": True, "QT": 2.5}, True),
        ("Forcing_One_Round", None, True),
        ("True", None, True),
        ("DP == 0", 0, True),
    ],
)
def test_value_and_verdict(text, value, holds_):
    answer = check(text)
    assert answer == {"expression": str(parse_expression(text)), "value": value, "holds": holds_}
    assert type(answer["value"]) is type(value)


def test_context_counts():
    context = Context(seat=3, vul_we=1, vul_they=0)
    assert check("Seat >= 3", context=context) == {
        "expression": "Seat >= 3",
        "value": 3,
        "holds": True,
    }
    assert check("Vul_We and not Vul_They", context=context)["holds"]
    assert not check("Vul_We")["holds"]


def test_profile_counts():
    hand = parse_hand("K.AQ32.98765.KJ2")
    assert check("Total_Points >= 15", hand=hand)["value"] == 14
    answer = check("Total_Points >= 15", hand=hand, vocabulary=Vocabulary("mlbridge"))
    assert (answer["value"], answer["holds"]) == (15, True)


def test_user_terms_have_values():
    vocabulary = Vocabulary(user_terms={"Strength": "HCP + SL_S", "Sound": "QT - 0.5"})
    assert check("Strength >= 17", vocabulary=vocabulary)["value"] == 16
    assert check("Sound >= 2", vocabulary=vocabulary) == {
        "expression": "Sound >= 2",
        "value": 2,
        "holds": True,
    }


def test_unknown_terms_are_an_error():
    with pytest.raises(UnknownTerm, match="did you mean 'SL_H'"):
        check("SLH >= 3")


def test_list_keeps_its_order_and_length():
    texts = ["SL_S >= 3", "Balanced", "HCP >= 20"]
    answers = explain(HAND, [parse_expression(text) for text in texts], Vocabulary())
    assert [answer["expression"] for answer in answers] == texts
    assert [answer["holds"] for answer in answers] == [True, True, False]
    assert explain(HAND, [], Vocabulary()) == []


def test_verdict_follows_from_the_shown_value():
    chooser = random.Random(5)
    vocabulary = Vocabulary()
    for _ in range(200):
        hand = sum(1 << card for card in chooser.sample(range(52), 13))
        least = chooser.randint(0, 20)
        answer = check(f"Total_Points >= {least}", hand=hand)
        assert answer["holds"] == (answer["value"] >= least)
        expression = parse_expression(f"Total_Points >= {least}")
        assert holds(hand, expression, vocabulary) == answer["holds"]
