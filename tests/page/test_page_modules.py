"""The page's own reading of cards and calls, against the package's: same deals, same laws."""

from typing import Any

import numpy as np
import pytest

from bidcascade.bridge import (
    CALL_COUNT,
    Auction,
    Deal,
    Seat,
    format_call,
    format_deal,
    parse_call,
    parse_hand,
)
from bidcascade.loaders import HAND_COLUMNS, random_deals
from tests.support.examples import sized

pytestmark = pytest.mark.slow

HANDS = ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]
LIN = "SJ876HA65DQ93CJ94,ST32HT94DJT2CA876,SAQ4HKJ3DK876CQ52,"


def test_what_is_legal_is_legal_by_the_laws(module):
    rng = np.random.default_rng(8)
    for _ in range(sized(3, 25)):
        auction = Auction(Seat.NORTH)
        while not auction.is_complete and len(auction.calls) < 40:
            calls = [format_call(call) for call in auction.calls]
            mine = [call for call in range(CALL_COUNT) if auction.is_legal(call)]
            if len(calls) % 3 == 0:
                found = [
                    call
                    for call in range(CALL_COUNT)
                    if module("bridge/calls", "isLegal", calls, format_call(call))["value"]
                ]
                assert found == mine, calls
            # passes and doubles often, so that the auction ends and is doubled
            low = [call for call in mine if call < 12]
            auction = auction.add(int(rng.choice(low or mine)))
        calls = [format_call(call) for call in auction.calls]
        assert module("bridge/calls", "isOver", calls)["value"] == auction.is_complete
        if auction.is_complete:
            contract = module("bridge/calls", "contractOf", calls, 0)["value"]
            text = contract and (
                f"{contract['level']}{contract['strain']}{contract['risk']}"
                f"{'NESW'[contract['declarer']]}"
            )
            assert text == (auction.contract and str(auction.contract))


@pytest.mark.parametrize(
    "text", ["p", "Pass", "D", "Dbl", "X", "R", "XX", "1C", "7nt", "3n", "2♠", "4♥"]
)
def test_calls_are_read_alike(module, text):
    assert module("bridge/calls", "readCall", text)["value"] == format_call(parse_call(text))


def test_random_deals_are_whole(module):
    seen = set()
    for _ in range(20):
        hands = module("bridge/cards", "randomHands")["value"]
        for hand in hands:
            parse_hand(hand)
        cards = [
            card for hand in hands for card in module("bridge/cards", "cardsOf", hand)["value"]
        ]
        assert len(set(cards)) == 52
        seen.add(tuple(hands))
    assert len(seen) == 20


def test_deals_are_read_as_they_are_written(module):
    for row in random_deals(20, seed=5).select(*HAND_COLUMNS).rows():
        text = format_deal(Deal(row))
        (board,) = module("deal/pasting", "readPasted", text)["value"]["boards"]
        assert f"N:{' '.join(board['hands'])}" == text
        for hand, cards in zip(board["hands"], row, strict=True):
            assert parse_hand(hand) == cards


TEXTS = {
    "PBN deal from another seat": f"E:{HANDS[1]} {HANDS[2]} {HANDS[3]} {HANDS[0]}",
    "PBN deal with a hand left out": f"N:{HANDS[0]} - {HANDS[2]} {HANDS[3]}",
    "PBN file": (
        '[Event "x"]\n[Board "7"]\n[Dealer "E"]\n[Vulnerable "All"]\n'
        f'[Deal "N:{" ".join(HANDS)}"]\n[Auction "E"]\nPass 1C =1= Pass 1S\n'
        "{a remark with 7NT} Pass 1NT $2 AP\n"
    ),
    "LIN": f"qx|o7|md|2{LIN}|sv|b|mb|p|mb|1C!|an|clubs|mb|p|mb|1S|mb|p|mb|1N|mb|p|mb|p|mb|p|pg||",
    "viewer of LIN": f"https://example.org/v?lin=md|2{LIN}|sv|b|mb|p|mb|1C|",
    "viewer of hands": (
        "https://example.org/v?s=sj876ha65dq93cj94&w=st32ht94djt2ca876&n=saq4hkj3dk876cq52"
        "&d=e&v=b&b=7&a=p1c(natural)p1s"
    ),
    "four lines": "\n".join(HANDS),
}


def test_four_lines_of_suits_are_one_hand(module):
    (board,) = module("deal/pasting", "readPasted", "♠K52\n♥AQ3\n♦9876\n♣KJ2")["value"]["boards"]
    assert board["hand"] == "K52.AQ3.9876.KJ2"


@pytest.mark.parametrize("kind", TEXTS)
def test_whatever_is_pasted_is_the_same_deal(module, kind):
    answer = module("deal/pasting", "readPasted", TEXTS[kind])
    (board,) = answer["value"]["boards"]
    assert board["hands"] == HANDS
    if kind in {"PBN file", "LIN", "viewer of LIN", "viewer of hands"}:
        assert board["vulnerability"] == "Both"
        assert board["calls"][:2] == ["P", "1C"]
    if kind in {"PBN file", "viewer of hands"}:
        assert board["dealer"] == 1
        assert board["number"] == 7
    if kind in {"PBN file", "LIN"}:
        assert board["calls"] == ["P", "1C", "P", "1S", "P", "1N", "P", "P", "P"]
    if kind == "LIN":
        # 2 is West: South, West, North, East
        assert board["dealer"] == 3


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "nothing to read"),
        ("hello", "Read as one hand: A hand is four suits"),
        ("AQ4.KJ3.K876.Q5", "has 12: ♠AQ4 ♥KJ3 ♦K876 ♣Q5."),
        (f"N:{HANDS[0]} AQ.2.3.4 - -", "Read as a PBN deal: East: A hand has 13 cards"),
        ("\n".join([HANDS[0], "x", *HANDS[2:]]), "Read as hands, one a line: line 2: A hand"),
        ("AQ4.KJ3.K876.Q5Z", "“Z” is no card of clubs"),
        ("AAQ.KJ3.K876.Q52", "there twice"),
        (f"N:{HANDS[0]} {HANDS[0]} {HANDS[2]} {HANDS[3]}", "N and E"),
        (f"N:{HANDS[0]} {HANDS[1]}", "this one has 2"),
        (f"md|3{LIN}|mb|1S|mb|1H|", "1H is not a legal call after 1S"),
        ("https://example.org/?q=1", "no deal in this address"),
        ("<script>alert(1)</script>", "four suits"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(module, text, told):
    answer = module("deal/pasting", "readPasted", text)
    assert told in answer["error"]
    assert answer["error"].endswith(".")


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("1NT pass 3NT AP", ["1N", "P", "3N", "P", "P", "P"]),
        ("1NT (pass) 3NT! all pass", ["1N", "P", "3N", "P", "P", "P"]),
        ("1♠-(2h!)-X ! -ap", ["1S", "2H", "X", "P", "P", "P"]),
        ("1S (P) P (AP)", ["1S", "P", "P", "P"]),
        ("All Pass.", ["P"] * 4),
        ("(1H)2C", ["1H", "2C"]),
        ("", []),
    ],
)
def test_calls_are_read_as_people_write_them_down(module, text, calls):
    assert module("bridge/calls", "readWrittenCalls", text)["value"] == calls


def test_links_hold_everything(module):
    state = {
        "hands": HANDS, "dealer": 2, "vulnerability": "EW", "calls": ["1C", "X", "XX"], "at": 1,
        "table": "acol", "view": "shown", "eyes": "N", "other": "sayc",
        "asked": "archive=club&where=HCP_N+%3E%3D+15",
    }  # fmt: skip
    fragment = module("state", "fragmentOf", state)["value"]
    assert module("state", "readFragment", fragment)["value"] == {"next": state, "complaints": []}


@pytest.mark.parametrize(
    ("word", "read"),
    [("All", "Both"), ("both", "Both"), ("-", "None"), ("o", "None"), ("N/S", "NS"), ("", "None")],
)
def test_links_say_who_is_vulnerable_in_the_usual_words(module, word, read):
    told = module("state", "readFragment", f"#vul={word}")["value"]
    assert told["next"]["vulnerability"] == read
    assert told["complaints"] == []


@pytest.mark.parametrize(
    ("fragment", "told"),
    [
        ("#auction=1S-1H", "1H is not legal there"),
        ("#n=AQ4.KJ3.K876.Q5", "has 12"),
        ("#auction=1Z", "“1Z” is no call"),
        ("#dealer=Q", "no dealer"),
        ("#vul=XX", "who is vulnerable"),
        ("#view=nosuch", "no view of this page"),
    ],
)
def test_broken_links_are_told(module, fragment, told):
    complaints = module("state", "readFragment", fragment)["value"]["complaints"]
    assert told in " ".join(complaints)


def test_conditions_in_the_words_of_players(module):
    def text(expression):
        return module("format", "conditionText", expression)["value"]

    assert text("SL_H >= 4") == "hearts ≥ 4"
    assert text("15 <= HCP <= 17") == "15 ≤ points ≤ 17"
    assert text("Pattern == '4333' or Stopper_S") == "pattern = 4333 or stopper in spades"
    assert text("C_SA and not Vul_We") == "♠A and not we are vulnerable"
    assert text("Unheard_Of > 2") == "Unheard_Of > 2"


GOOD = "Top3_S >= 2 or Top5_S >= 3"
DECENT = f"{GOOD} or C_SA or C_SK"
HONOUR = "C_SA or C_SK or C_SQ"
STOPPER = "Likely_Stopper_S and HCP_S >= 1"
PHRASES = {
    "good spades": GOOD, "decent spades": DECENT, "a top honour in spades": HONOUR,
    "a stopper in spades": STOPPER, "no stopper in spades": "not Likely_Stopper_S or HCP_S < 1",
    "tolerable spades": "Top5_S >= 2 or C_SA",
}  # fmt: skip


def condition(expression: str, *phrases: str, **others: object) -> dict[str, Any]:
    """Condition of an answer with phrases of its line."""
    words = [{"text": text, "expression": PHRASES[text]} for text in phrases]
    return {"expression": expression, **({"words": words} if words else {}), **others}


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        ([condition(GOOD, "good spades"), condition("SL_D == 0")], "good spades and no diamonds"),
        # the longest phrase is told, in whatever order they come
        ([condition(DECENT, "good spades", "decent spades")], "decent spades"),
        ([condition(f"{GOOD} or SL_S >= 6 and ({HONOUR})", "a top honour in spades",
                    "good spades")],
         "good spades, or 6+ spades and a top honour in spades"),
        # several conditions that one phrase became
        ([condition("Likely_Stopper_S", "a stopper in spades"), condition("HCP >= 16"),
          condition("HCP_S >= 1", "a stopper in spades")], "a stopper in spades and 16+ points"),
        ([condition("SL_H >= 5 or not Likely_Stopper_S or HCP_S < 1", "no stopper in spades")],
         "5+ hearts or no stopper in spades"),
        # a definition of one's own, and one that was changed
        ([condition("HCP >= 9 or C_SA or Top5_S >= 2", "tolerable spades")],
         "9+ points or tolerable spades"),
        # words that belong to another formula are left
        ([condition("C_SA or C_SK", "good spades")], "the ♠A or ♠K"),
        # without words the formula is told
        ([condition(GOOD)], "2+ of the top 3 spades or 3+ of the top 5 spades"),
        ([condition("not (C_SA or C_SK)")], "not the ♠A or ♠K"),
        ([condition("SL_C == 1 or SL_D == 1 or SL_H == 1 or SL_S == 1")], "a singleton"),
        ([condition("12 <= HCP <= 14"), condition("14 >= HCP")], "12–14 points"),
        ([condition("Keycards_H >= 2")], "2+ keycards for hearts"),
        ([condition("HCP - SL_S * 2 > 3")], "points - spades * 2 > 3"),
        # what is no expression is told as it is written
        ([condition("<b>HCP</b> >> 3"), condition("HCP >= 9")], "<b>points</b> >> 3 and 9+ points"),
    ],
)  # fmt: skip
def test_phrases_of_the_text_come_with_their_conditions(module, conditions, told):
    assert module("answers/reasons", "wantedWords", conditions)["value"] == told


@pytest.mark.parametrize(
    ("expressions", "told"),
    [
        (["HCP >= 12", "HCP <= 14", "SL_H >= 5"], "12–14 points and 5+ hearts"),
        (["SL_C != 0", "SL_D != 0", "SL_H != 0", "SL_S != 0"], "no void"),
        (["Pattern == '4333' or Pattern == '4432' or Pattern == '5332'"], "a balanced hand"),
        (["Pattern != '4333'", "Pattern != '4432'", "Pattern != '5332'"], "an unbalanced hand"),
        (["Rule_Of_20 >= 20 and HCP >= 9 or HCP >= 12"],
         "12+ points, or the rule of 20 and 9+ points"),
        (["HCP >= 12 or Rule_Of_20 >= 20 and HCP >= 9", "SL_C >= 3"],
         "12+ points, or the rule of 20 and 9+ points; 3+ clubs"),
        (["SL_S >= Longest_Suit", "not Likely_Stopper_H"],
         "spades the longest suit and no stopper in hearts"),
        (["Top3_S >= 3", "HCP >= 5 or SL_S >= 6 or SL_H >= 6"],
         "all of the top 3 spades; 5+ points, or 6+ spades, or 6+ hearts"),
        (["SL_H > SL_S", "not Vul_We", "Losers <= 7"],
         "hearts longer than spades, not vulnerable and at most 7 losers"),
        (["Unheard_Of > 2"], "Unheard_Of > 2"),
    ],
)  # fmt: skip
def test_what_a_call_wants(module, expressions, told):
    conditions = [{"expression": one} for one in expressions]
    assert module("answers/reasons", "wantedWords", conditions)["value"] == told


def test_what_comes_close(module):
    def one(call: str, *criteria: tuple[str, Any]) -> dict[str, Any]:
        """Candidate that misses all of its conditions."""
        tests = [{"expression": text, "value": has, "holds": False} for text, has in criteria]
        return {"call": call, "holds": False, "criteria": tests}

    candidates = [
        one("4S", ("HCP >= 13", 12)), one("4S", ("HCP >= 15", 12)), one("6S", ("HCP >= 19", 12)),
        one("3S", ("SL_S >= 5", 4), ("HCP <= 11", 12)), one("2N", ("Balanced", False)),
        one("P", ("HCP <= 9", 12)), one("3C", ("SL_C >= 6", 4)), one("1C", ("SL_C >= 3", 2)),
    ]  # fmt: skip
    found = module("answers/reasons", "closeCalls", candidates, "P", 9)["value"]
    assert [each["candidate"]["call"] for each in found] == ["4S", "2N", "3S"]
    told = module("answers/reasons", "missWords", found[0]["missed"][0])["value"]
    assert told == {"wanted": "13+ points", "has": "you have 12"}


OPENING = "Rule_Of_20 >= 20 and HCP >= 9 or HCP >= 12"
PREEMPT = (
    "not Vul_We and Vul_They or (Top3_C >= 2 or Top5_C >= 3) and not (Vul_We and not Vul_They) "
    "or Playing_Tricks >= 6.5"
)


@pytest.mark.parametrize(
    ("expression", "value", "wanted", "has"),
    [
        # it is the rule that fails, by one
        (OPENING, {"Rule_Of_20": 19, "HCP": 9}, "12+ points, or the rule of 20 and 9+ points",
         "you have 19 by the rule of 20"),
        (OPENING, {"Rule_Of_20": 17, "HCP": 11}, "12+ points, or the rule of 20 and 9+ points",
         "you have 11 points"),
        ("SL_H == 4 or SL_S == 4", {"SL_H": 5, "SL_S": 3}, "4 hearts or 4 spades",
         "you have 5 hearts and 3 spades"),
        ("Likely_Stopper_H", False, "a stopper in hearts", "you have none"),
        # what the vulnerability has decided is not asked of the hand
        (PREEMPT, {"Vul_We": True, "Vul_They": False, "Playing_Tricks": 5.5, "Top3_C": 2},
         "6.5+ playing tricks", "you have 5.5"),
        ("Playing_Tricks < 6.5", 7, "at most 6 playing tricks", "you have 7"),
        ("QT <= 1.5", 2, "at most 1.5 quick tricks", "you have 2"),
    ],
)  # fmt: skip
def test_what_a_hand_lacks(module, expression, value, wanted, has):
    """Of alternatives the nearest one: what is said to be missing is what is missing."""
    told = module("answers/reasons", "missWords", {"expression": expression, "value": value})[
        "value"
    ]
    assert told == {"wanted": wanted, "has": has}


@pytest.mark.parametrize(
    ("missed", "wanted", "has"),
    [
        (condition(GOOD, "good spades", value={"Top3_S": 1, "Top5_S": 2}), "good spades",
         "you do not have that (2+ of the top 3 spades or 3+ of the top 5 spades)"),
        (condition("Likely_Stopper_S", "a stopper in spades", value=False), "a stopper in spades",
         "you have none"),
        (condition("not Likely_Stopper_S or HCP_S < 1", "no stopper in spades",
                   value={"Likely_Stopper_S": True, "HCP_S": 3}), "no stopper in spades",
         "you have one"),
        # of alternatives the number is nearer
        (condition(f"{GOOD} or HCP >= 13", "good spades",
                   value={"Top3_S": 0, "Top5_S": 1, "HCP": 12}), "good spades or 13+ points",
         "you have 12 points"),
    ],
)  # fmt: skip
def test_what_of_a_phrase_a_hand_lacks(module, missed, wanted, has):
    told = module("answers/reasons", "missWords", missed)["value"]
    assert told == {"wanted": wanted, "has": has}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Strong: {HCP >= 20 or Playing_Tricks >= 9.5}, 5+ hearts",
         "Strong: 20+ points or 9.5+ playing tricks, 5+ hearts"),
        # prose of a table
        ("a {remark}, {two of them} and {} {", "a remark, {two of them} and {} {"),
        # what a line's words mean, as players say it
        ("6 hearts, decent hearts or headed hearts and not unfavourable",
         "6 hearts, decent hearts or a top honour in hearts and not unfavourable"),
        ("not guarded their suits or guarded hearts, not stopped",
         "no stopper in their suits or a stopper in hearts, no stopper in every unbid suit"),
        ("Slam: 33+ combined points at best or (not below slam and doubletons guarded in spades)",
         "Slam: 33+ combined points opposite a maximum or (enough for slam and no worthless "
         "doubleton)"),
        ("guardedly hearts, well headed hearts", "guardedly hearts, well headed hearts"),
    ],
)  # fmt: skip
def test_formulas_in_descriptions_are_told_in_words(module, text, told):
    assert module("answers/reasons", "descriptionWords", text)["value"] == told


def test_what_one_phrase_became_is_missed_once(module):
    missed = [
        condition("Likely_Stopper_S", "a stopper in spades", value=False, holds=False),
        condition("HCP_S >= 1", "a stopper in spades", value=0, holds=False),
    ]
    assert len(module("answers/reasons", "hardest", missed)["value"]) == 1


def test_of_two_bounds_the_harder_one_is_told(module):
    tests = ["HCP >= 16", "SL_C >= 3", "HCP >= 15", "SL_C >= 4", "SL_C >= 4", "SL_H <= 3"]
    found = module("answers/reasons", "hardest", [{"expression": one} for one in tests])["value"]
    assert [one["expression"] for one in found] == ["HCP >= 16", "SL_C >= 4", "SL_H <= 3"]


def test_problems_become_sentences(module):
    body = {
        "title": "Something in the request is wrong",
        "detail": "x",
        "errors": [{"field": "hand", "value": "", "reason": "expected 13 cards"}],
    }
    sentence = module("api", "sentenceOf", 422, body, None)["value"]
    assert sentence == "Something in the request is wrong. Hand: expected 13 cards."
    assert module("api", "sentenceOf", 429, {}, "2")["value"] == (
        "The service is busy. Try again in 2 s."
    )
    assert "took longer" in module("api", "sentenceOf", 504, body, None)["value"]
    assert "502" in module("api", "sentenceOf", 502, None, None)["value"]
