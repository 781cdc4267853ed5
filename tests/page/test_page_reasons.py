"""Why a call is made, on the page: what is missing to the nearest calls, as the package says it."""

import re
from dataclasses import replace
from typing import Any

import pytest

from bidcascade.bridge import format_hand
from bidcascade.engine.questions.bidding.bids import BidRequest
from bidcascade.engine.questions.parts.answer_fields import plain
from tests.support.examples import sized
from tests.support.reasons import SYSTEMS, answered, reasoned

pytestmark = pytest.mark.slow

SHOWN = {"N": "NT", "S": "♠", "H": "♥", "D": "♦", "C": "♣"}
BARE = re.compile(
    r"nothing more|any other hand|is left|every hand that|nothing else", re.IGNORECASE
)


def shown(call: str) -> str:
    if call == "P":
        return "Pass"
    return call if len(call) == 1 or call == "XX" else call[0] + SHOWN[call[1]]


@pytest.mark.parametrize("name", SYSTEMS)
def test_reasons_name_what_is_missing(module, name):
    for one in reasoned(name, sized(50, 300)):
        answer = one.json
        found = module("engine/words/missing_words", "nearestCalls", answer["candidates"])
        assert found["value"] == answer["nearest"], one.request
        asks = module("engine/words/missing_words", "isForWantOfOthers", answer["candidates"])
        assert asks["value"] is True
        reason = module("answers/answer_call", "reasonText", answer)["value"]
        assert not BARE.search(reason), reason
        calls = "; ".join(f"{shown(near['call'])} needs {near['needs']}" for near in found["value"])
        assert calls in reason
        # it says something: a number or a card that is wanted
        assert calls or re.search(r"\d", reason) or "every hand" in reason


def test_calls_that_ask_for_something_are_told_by_that(module):
    request = BidRequest("K52.AQ3.9876.KJ2", ("1N", "P"), candidates=True, words=True)
    answer: dict[str, Any] = plain(answered("sayc", request))
    assert "nearest" not in answer
    reason = module("answers/answer_call", "reasonText", answer)["value"]
    assert reason.startswith("You have 13 points")
    assert "needs" not in reason


@pytest.mark.parametrize(
    ("hand", "calls", "told"),
    [
        ("J876.K65.Q93.T94", (),
         "No call above Pass fits: "
         "1♣ needs 12+ points, or the rule of 20 and 10+ points (you have 6 points)."),
        ("AQ4.KJ3.KJ76.A52", ("1D", "P", "P", "X"),
         "You have 18 points. Pass wants at most 19 points. "
         "No call above Pass fits: 3NT needs 21+ points (you have 18)."),
    ],
)  # fmt: skip
def test_two_reasons_word_for_word(module, hand, calls, told):
    answer = plain(answered("sayc", BidRequest(hand, calls, candidates=True, words=True)))
    assert module("answers/answer_call", "reasonText", answer)["value"] == told


def test_a_pass_by_default_names_what_is_missing(module):
    (one,) = reasoned("sayc", 1)
    answer = one.json
    answer["candidates"] = [each for each in answer["candidates"] if not each["holds"]]
    answer |= {"call": "P", "default_pass": True}
    reason = module("answers/answer_call", "reasonText", answer)["value"]
    assert re.fullmatch(r"No call of the system fits .* The nearest: .* needs .*\.", reason)


def test_nothing_is_worked_out_where_nobody_asks_for_reasons():
    (one,) = reasoned("sayc", 1)
    assert "nearest" not in plain(answered("sayc", replace(one.request, words=False)))
    assert format_hand(one.hand) == one.request.hand
