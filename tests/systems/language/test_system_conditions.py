"""Conditions in words against the expressions they mean."""

import random
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidSystem, parse_hand
from bidcascade.kernels import Context, evaluate_postfix
from bidcascade.systems.language.tree.syntax_tree import (
    AllOf,
    AnyOf,
    CallPattern,
    Define,
    NotThis,
    Phrase,
    Range,
    Where,
)
from bidcascade.systems.reference.conditions import lower
from bidcascade.table.language.expressions import format_expression, parse_expression, to_postfix
from bidcascade.table.language.vocabulary import Vocabulary

GIB = Vocabulary()
CHOOSER = random.Random(23)
HANDS = [sum(1 << card for card in CHOOSER.sample(range(52), 13)) for _ in range(400)]
WORDS = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}
CLASSES = {"a suit": "CDHS", "every suit": "CDHS", "a major": "HS", "both majors": "HS",
           "a minor": "CD", "both minors": "CD"}  # fmt: skip


@dataclass
class Place:
    """A place of an auction, told in tests: roles, what partner has shown, facts that hold."""

    roles: dict[str, str] = field(default_factory=dict)
    partner: dict[str, tuple[int, int]] = field(default_factory=dict)
    opponents: dict[str, tuple[int, int]] = field(default_factory=dict)
    facts: frozenset[str] = frozenset()
    bids: dict[CallPattern, tuple[int, str]] = field(default_factory=dict)
    defines: dict[str, Define] = field(default_factory=dict)
    bound: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def suits(self, word):
        if word in self.bound:
            return self.bound[word]
        if word in WORDS:
            return (WORDS[word],)
        if word in ("X", "Y", "M", "m", "oM", "om") and word not in self.roles:
            raise InvalidSystem(f"expected a suit or a variable that a call binds, got {word!r}")
        return tuple(self.roles.get(word, CLASSES.get(word, "")))

    def shown(self, who, term):
        assert who in ("partner", "LHO", "RHO")
        limit = 13 if term.startswith("SL_") else 37 if term == "HCP" else 5
        known = self.partner if who == "partner" else self.opponents
        return known.get(term, (0, limit))

    def fact(self, phrase):
        return phrase.kind in self.facts

    def bid(self, call):
        return self.bids.get(call)

    def define(self, name):
        return self.defines.get(name)

    def with_suits(self, bound):
        return replace(self, bound={**self.bound, **bound})


def text_of(condition, **place):
    lowered = lower(condition, Place(**place))
    assert parse_expression(str(lowered)) == lowered
    return format_expression(lowered)


def phrase(kind, *suits, low=None, high=None, also=(), **parts):
    wanted = None if low is None else Range(low, high, also)
    return Phrase(kind, wanted, suits=suits, **parts)


@pytest.mark.parametrize(
    ("tested", "expected"),
    [
        (phrase("points", low=15, high=17), "HCP >= 15 and HCP <= 17"),
        (phrase("points", low=0, high=9), "HCP <= 9"),
        (phrase("points", low=0), "True"),
        (phrase("points", low=12, high=12), "HCP == 12"),
        (phrase("points", "hearts", low=5), "HCP_H >= 5"),
        (phrase("points", low=40), "False"),
        (phrase("total points", low=20), "Total_Points >= 20"),
        (phrase("losers", low=0, high=7), "Losers <= 7"),
        (phrase("quick tricks", low=2), "QT >= 2"),
        (phrase("quick tricks", low=9), "False"),
        (phrase("quick tricks", low=1.5, high=2), "QT >= 1.5 and QT <= 2"),
        (phrase("quick tricks", low=0, high=8), "True"),
        (phrase("quick tricks", low=0.5, high=0.5, also=(1.5,)), "QT == 0.5 or QT == 1.5"),
        (NotThis(phrase("quick tricks", low=0, high=1.5)), "QT > 1.5"),
        (phrase("playing tricks", low=8), "Playing_Tricks >= 8"),
        (phrase("playing tricks", low=9.5), "Playing_Tricks >= 9.5"),
        (phrase("controls", low=4, high=6), "Controls >= 4 and Controls <= 6"),
        (phrase("aces", low=0, high=0, also=(4,)), "Aces == 0 or Aces == 4"),
        (phrase("kings", low=2, high=2), "Kings == 2"),
        (phrase("queens", low=1), "Queens >= 1"),
        (phrase("keycards", low=1, high=1, also=(4,)), "Aces == 1 or Aces == 4"),
        (phrase("keycards", "spades", low=2), "Keycards_S >= 2"),
        (phrase("length", "spades", low=5), "SL_S >= 5"),
        (phrase("length", "hearts", low=0, high=0), "SL_H == 0"),
        (phrase("length", "both majors", low=5), "SL_H >= 5 and SL_S >= 5"),
        (phrase("length", "a minor", low=5), "SL_C >= 5 or SL_D >= 5"),
        (phrase("suit length", "a suit", low=6), "Longest_Suit >= 6"),
        (phrase("suit length", "a suit", low=6, high=6),
         "SL_C == 6 or SL_D == 6 or SL_H == 6 or SL_S == 6"),
        (NotThis(phrase("suit length", "a major", low=4)), "SL_H < 4 and SL_S < 4"),
        (phrase("longer", "spades", "hearts"), "SL_S > SL_H"),
        (phrase("stronger", "hearts", "spades"), "HCP_H > HCP_S"),
        (phrase("stronger", "spades", "both minors"), "HCP_S > HCP_C and HCP_S > HCP_D"),
        (phrase("at least as long", "diamonds", "clubs"), "SL_D >= SL_C"),
        (phrase("longer", "spades", "every suit"), "SL_S > SL_C and SL_S > SL_D and SL_S > SL_H"),
        (phrase("longest", "spades"), "SL_S >= Longest_Suit"),
        (phrase("strictly longest", "spades"), "SL_S > Second_Suit"),
        (phrase("longest outside theirs", "spades"),
         "SL_S >= SL_C and SL_S >= SL_D and SL_S >= SL_H"),
        (phrase("top honours", "hearts", low=2, count=2, of=3), "Top3_H >= 2"),
        (phrase("top honours", "hearts", low=0, high=1, count=1, of=5), "Top5_H <= 1"),
        (phrase("honour", "hearts", text="king"), "C_HK"),
        (NotThis(phrase("honour", "hearts", text="ten")), "not C_HT"),
        (phrase("stopper", "clubs"), "Likely_Stopper_C and HCP_C >= 1"),
        (NotThis(phrase("stopper", "clubs")), "not Likely_Stopper_C or HCP_C < 1"),
        (phrase("two stoppers", "both minors"), "Two_Stoppers_C and Two_Stoppers_D"),
        (phrase("partial stopper", "clubs"), "Partial_Stopper_C"),
        (phrase("two stoppers", "clubs"), "Two_Stoppers_C"),
        (phrase("void", "a suit"), "SL_C == 0 or SL_D == 0 or SL_H == 0 or SL_S == 0"),
        (NotThis(phrase("void", "a suit")), "SL_C != 0 and SL_D != 0 and SL_H != 0 and SL_S != 0"),
        (phrase("singleton", "hearts"), "SL_H == 1"),
        (phrase("doubleton", "hearts"), "SL_H == 2"),
        (phrase("shortness", "hearts"), "SL_H <= 1"),
        (phrase("first-round control", "hearts"), "C_HA or SL_H == 0"),
        (phrase("second-round control", "hearts"), "Top2_H >= 1 or SL_H <= 1"),
        (phrase("rule of", count=20), "Rule_Of_20 >= 20"),
        (phrase("rule of", count=15), "Rule_Of_15 >= 15"),
        (phrase("any hand"), "True"),
        (phrase("raw", text="HCP+SL_S >= 15"), "HCP + SL_S >= 15"),
        (NotThis(phrase("raw", text="12 <= HCP <= 14")), "12 > HCP or HCP > 14"),
        (phrase("shape", text="4=4=3=2"), "SL_S == 4 and SL_H == 4 and SL_D == 3 and SL_C == 2"),
        (phrase("shape", text="5+=x=x=4+"), "SL_S >= 5 and SL_C >= 4"),
        (phrase("shape", text="4-4-3-2"), "Pattern == '4432'"),
        (phrase("shape", text="2-3-4-4"), "Pattern == '4432'"),
        (phrase("shape", text="10-1-1-1"), "Pattern == 'A111'"),
        (phrase("shape", text="5-4-x-x"), "Longest_Suit == 5 and Second_Suit == 4"),
        (phrase("shape", text="5+-5+-x-x"), "Second_Suit >= 5"),
        (phrase("vulnerable"), "Vul_We"),
        (phrase("not vulnerable"), "not Vul_We"),
        (phrase("favourable"), "not Vul_We and Vul_They"),
        (phrase("unfavourable"), "Vul_We and not Vul_They"),
        (phrase("named", text="unbalanced"),
         "Pattern != '4333' and Pattern != '4432' and Pattern != '5332'"),
        (phrase("forced"), "False"),
        (NotThis(phrase("forced")), "True"),
        (AllOf((phrase("points", low=8), AnyOf((phrase("length", "hearts", low=4, high=4),
                                               phrase("length", "spades", low=4, high=4))))),
         "HCP >= 8 and (SL_H == 4 or SL_S == 4)"),
        (AllOf((phrase("any hand"), AnyOf((phrase("forced"), phrase("points", low=3))))),
         "HCP >= 3"),
    ],
)  # fmt: skip
def test_phrases_of_the_hand(tested, expected):
    assert text_of(tested) == expected


@pytest.mark.parametrize(
    ("tested", "roles", "expected"),
    [
        (phrase("stopper", "their suit"), {}, "True"),
        (phrase("two stoppers", "their suits"), {"their suits": "DH"},
         "Two_Stoppers_D and Two_Stoppers_H"),
        (phrase("length", "every unbid suit", low=3), {}, "True"),
        (phrase("length", "an unbid major", low=4), {}, "False"),
        (phrase("length", "an unbid major", low=4), {"an unbid major": "HS"},
         "SL_H >= 4 or SL_S >= 4"),
        (phrase("support", "partner's suit", low=4), {}, "False"),
        (phrase("support", "partner's suit", low=4), {"partner's suit": "H"}, "SL_H >= 4"),
        (phrase("support points", low=10), {"partner's suit": "H", "our suit": "S"},
         "Support_Points_H >= 10"),
        (phrase("support points", low=10), {"our suit": "S"}, "Support_Points_S >= 10"),
        (phrase("support points", low=10), {}, "False"),
        (phrase("support points", "X", low=10), {"X": "C"}, "Support_Points_C >= 10"),
        (phrase("keycards", low=2), {"our suit": "D"}, "Keycards_D >= 2"),
        (phrase("longest outside theirs", "hearts"), {"their suits": "S"},
         "SL_H >= SL_C and SL_H >= SL_D"),
        (phrase("longer", "X", "every unbid suit"), {"X": "D", "every unbid suit": "CD"},
         "SL_D > SL_C"),
        (phrase("longer", "X", "their suit"), {"X": "D"}, "True"),
    ],
)  # fmt: skip
def test_suits_by_their_role(tested, roles, expected):
    assert text_of(tested, roles=roles) == expected


LAW = CallPattern("bid", 3, "S")
NOTRUMP = CallPattern("bid", 3, "NT")
GRAND = CallPattern("bid", 7, "NT")
BIDS = {LAW: (3, "S"), NOTRUMP: (3, "N"), GRAND: (7, "N")}


@pytest.mark.parametrize(
    ("tested", "partner", "expected"),
    [
        (phrase("combined points", low=25), {"HCP": (12, 14)}, "HCP >= 13"),
        (phrase("combined points", low=25), {"HCP": (25, 30)}, "True"),
        (phrase("combined points", low=23, high=24), {"HCP": (15, 17)}, "HCP >= 8 and HCP <= 9"),
        (phrase("combined points", low=20, high=24), {"HCP": (26, 30)}, "False"),
        (phrase("combined points at best", low=25), {"HCP": (12, 14)}, "HCP >= 11"),
        (phrase("combined points at best", low=0, high=24), {"HCP": (12, 14)}, "HCP <= 10"),
        (phrase("combined cards", "spades", low=8), {"SL_S": (5, 8)}, "SL_S >= 3"),
        (phrase("combined cards", "spades", low=0, high=7), {"SL_S": (5, 8)}, "SL_S <= 2"),
        (phrase("combined support points", "spades", low=25), {"HCP": (12, 14)},
         "Support_Points_S >= 13"),
        (phrase("combined support points", low=25), {"HCP": (12, 14)}, "HCP >= 13"),
        (phrase("combined aces", low=4, high=4), {"Aces": (1, 1)}, "Aces == 3"),
        (phrase("combined kings", low=3), {"Kings": (1, 4)}, "Kings >= 2"),
        (phrase("combined keycards", "hearts", low=5), {"Keycards_H": (2, 2)}, "Keycards_H >= 3"),
        (phrase("combined keycards", low=4), {"Aces": (2, 2)}, "Aces >= 2"),
        (phrase("game is remote"), {"HCP": (6, 10)}, "HCP <= 14"),
        (phrase("game is remote"), {}, "False"),
        (phrase("slam is remote"), {"HCP": (6, 10)}, "HCP <= 22"),
        (phrase("law", call=LAW), {"SL_S": (5, 13)}, "SL_S >= 4"),
        (phrase("law", call=LAW), {"SL_S": (9, 13)}, "True"),
        (phrase("law", call=CallPattern("bid", 1, "S")), {}, "False"),
        (phrase("enough points", call=NOTRUMP), {"HCP": (12, 21)}, "HCP >= 13"),
        (phrase("enough points", call=GRAND), {"HCP": (20, 21)}, "HCP >= 17"),
        (phrase("enough points", call=LAW), {"HCP": (12, 21), "SL_S": (5, 8)},
         "Support_Points_S >= 10"),
        (phrase("enough points", call=LAW), {"HCP": (12, 21)},
         "HCP >= 10 or SL_S >= 8 and Support_Points_S >= 10"),
        (phrase("enough points", call=LAW), {"HCP": (22, 30), "SL_S": (4, 8)}, "True"),
        (phrase("enough points", call=CallPattern("bid", 1, "S")), {}, "False"),
    ],
)  # fmt: skip
def test_numbers_beside_what_partner_has_shown(tested, partner, expected):
    assert text_of(tested, partner=partner, bids=BIDS) == expected


OVER = CallPattern("bid", 5, "H")
SHOWN = {"HCP": (5, 8), "SL_H": (5, 6)}
GAME = frozenset({"game reached"})


def over_theirs(level=5, strain="H", **place):
    call = CallPattern("bid", level, strain)
    return text_of(
        phrase("pays over theirs", call=call), **{"bids": {call: (level, strain)}, **place}
    )


@pytest.mark.parametrize(
    ("facts", "partner", "theirs", "bounds"),
    [
        # five trumps and at most 8 points with partner, 22 points with them: 200 + 64 - 198 - 499
        (GAME, SHOWN, 11, (43, 41, 48, 46)),
        # 200 + 64 - 88 - 582
        (frozenset(), SHOWN, 11, (40, 41, 42, 43)),
        # no trumps, at best twelve points more than his least: 8 * 17
        (GAME, {"HCP": (5, 30)}, 0, (36, 34, 41, 39)),
        (frozenset(), {"HCP": (5, 30)}, 0, (44, 45, 46, 47)),
        # bounds below zero are rounded down too: 320 + 296 - 499
        (GAME, {"HCP": (25, 37), "SL_H": (8, 13)}, 0, (-12, -14, -7, -9)),
        # 360 + 248 - 582, where whether we are vulnerable changes the sign
        (frozenset(), {"HCP": (19, 37), "SL_H": (9, 13)}, 0, (-3, -2, -1, 0)),
        (frozenset(), {"HCP": (25, 37), "SL_H": (9, 13)}, 0, (-8, -7, -6, -5)),
    ],
)
def test_bidding_over_theirs_is_a_sum_for_each_vulnerability(facts, partner, theirs, bounds):
    text = over_theirs(partner=partner, opponents={"HCP": (theirs, 20)}, facts=facts)
    sides = ("not Vul_We and not Vul_They", "not Vul_We and Vul_They",
             "Vul_We and not Vul_They", "Vul_We and Vul_They")  # fmt: skip
    own = "SL_H * 4 + Support_Points_H * 2 - HCP"
    assert text == " or ".join(
        f"{who} and {own} > {bound}" for who, bound in zip(sides, bounds, strict=True)
    )


@pytest.mark.parametrize(
    ("facts", "bounds"),
    [
        (frozenset(), {2: 38, 3: 41, 4: 45, 5: 49}),
        (GAME, {4: 36, 5: 41, 6: 45}),
    ],
)
def test_levels_that_pay_over_theirs(facts, bounds):
    for level in range(1, 8):
        text = over_theirs(level, "S", partner={"HCP": (0, 11)}, facts=facts)
        if level in bounds:
            assert text.startswith(
                "not Vul_We and not Vul_They and "
                f"SL_S * 4 + Support_Points_S * 2 - HCP > {bounds[level]} or "
            )
        else:
            assert text == "False"
        assert over_theirs(level, "S", facts=facts, bids={}) == "False"


def test_trumps_and_shortness_pay_and_vulnerability_costs():
    condition = phrase("pays over theirs", call=OVER)
    place = Place(bids={OVER: (5, "H")}, partner=SHOWN, opponents={"HCP": (9, 20)}, facts=GAME)
    code = to_postfix(lower(condition, place), GIB)
    short, flat = parse_hand("-.KQ8432.T9743.82"), parse_hand("832.KQ84.T97.832")
    they, we = Context(vul_they=True), Context(vul_we=True)
    assert [bool(evaluate_postfix(code, short, context)) for context in (they, we)] == [True, False]
    assert [bool(evaluate_postfix(code, flat, context)) for context in (they, we)] == [False, False]


@pytest.mark.parametrize(
    ("partner", "opponents", "bounds"),
    [
        # 2 * 13 - 4 * (20 + 20) - 8 * 6 - 73
        ({"HCP": (0, 13)}, {"HCP": (6, 20)}, (25, 27)),
        # no more than 22 points count, and both have shown trumps: 6 * 8 + 2 * 22 - 4 * 44 - 8 * 10
        ({"HCP": (8, 37)}, {"HCP": (6, 30), "SL_H": (5, 7)}, (23, 25)),
        # rounded down below zero too: 6 * 25 + 2 * 22 - 4 * 4 - 8 * 6 - 73
        ({"HCP": (25, 37)}, {"HCP": (0, 2)}, (-6, -5)),
    ],
)
def test_doubling_is_a_sum_for_each_vulnerability(partner, opponents, bounds):
    call = CallPattern("bid", 4, "H")
    text = text_of(
        phrase("doubling pays", call=call),
        bids={call: (4, "H")},
        partner=partner,
        opponents=opponents,
    )
    own = "Controls * 2 + SL_H * 2 + HCP_H + Total_Points * 2 - HCP * 2"
    assert text == " or ".join(
        f"{they} and {own} > {bound}"
        for they, bound in zip(("not Vul_They", "Vul_They"), bounds, strict=True)
    )


@pytest.mark.parametrize("level", range(1, 8))
def test_levels_at_which_doubling_pays(level):
    call = CallPattern("bid", level, "S")
    doubling = phrase("doubling pays", call=call)
    assert (text_of(doubling, bids={call: (level, "S")}) == "False") == (level not in {4, 5})
    assert text_of(doubling) == "False"


def test_facts_are_asked_and_fold_away():
    condition = AllOf((phrase("passed hand", who="partner"), phrase("points", low=12)))
    assert text_of(condition, facts=frozenset({"passed hand"})) == "HCP >= 12"
    assert text_of(condition) == "False"


GOOD = Define("good", ("X",), phrase("top honours", "X", low=2, count=2, of=3))
MAJOR = Define("clear", ("M",), phrase("longer", "M", "oM"))
BALANCED = Define("balanced", (), phrase("shape", text="4-3-3-3"))


def test_definitions():
    defines = {"good": GOOD, "clear": MAJOR, "balanced": BALANCED}
    assert text_of(phrase("named", "spades", text="good"), defines=defines) == "Top3_S >= 2"
    assert (
        text_of(phrase("named", "a major", text="good"), defines=defines)
        == "Top3_H >= 2 or Top3_S >= 2"
    )
    assert (
        text_of(phrase("named", "both majors", text="good"), defines=defines)
        == "Top3_H >= 2 and Top3_S >= 2"
    )
    assert text_of(phrase("named", "hearts", text="clear"), defines=defines) == "SL_H > SL_S"
    assert text_of(phrase("named", text="balanced"), defines=defines) == "Pattern == '4333'"
    assert text_of(phrase("named", text="balanced")).count("Pattern ==") == 3
    assert text_of(phrase("named", text="semi-balanced")).count("Pattern ==") == 5


@pytest.mark.parametrize(
    ("tested", "words"),
    [
        (phrase("length", "X", low=5), "a variable that a call binds, got 'X'"),
        (phrase("named", text="ballanced"), "a name that the system defines, got 'ballanced'"),
        (phrase("named", text="good"), "1 suits behind 'good', got 0"),
        (phrase("named", text="circle"), "does not use itself, got 'circle'"),
        (phrase("rule of", count=11, where=Where("a.bidding", 3)), r"\(a.bidding:3\)"),
        (phrase("top honours", "spades", low=1, of=9), "the top two, three, four or five, got 9"),
        (phrase("honour", "spades", text="nine"), "one of ace, king, queen, jack, ten, got 'nine'"),
        (phrase("shape", text="4-4-4-4"), "four lengths of 13 cards"),
        (phrase("shape", text="4=4=5"), "four lengths of 13 cards"),
        (phrase("shape", text="4=4=y=2"), "got '4=4=y=2'"),
        (phrase("raw", text="HCP => 3"), "in {HCP => 3}: expected"),
        (phrase("points"), "a number, got none"),
        (phrase("quick tricks"), "a number, got none"),
        (phrase("law"), "a call, got none"),
        (phrase("law", call=NOTRUMP), "a suit contract, got notrump"),
        (phrase("pays over theirs"), "a call, got none"),
        (phrase("doubling pays"), "a call, got none"),
        (phrase("doubling pays", call=NOTRUMP), "a suit contract, got notrump"),
        (phrase("pays over theirs", call=NOTRUMP), "a suit contract, got notrump"),
        (phrase("longer", "spades"), "two suits"),
        (phrase("length", low=5), "one suit"),
    ],
)
def test_what_cannot_be_meant_is_said(tested, words):
    place = Place(
        bids=BIDS,
        defines={"good": GOOD, "circle": Define("circle", (), phrase("named", text="circle"))},
    )
    with pytest.raises(InvalidSystem, match=words):
        lower(tested, place)


LENGTH_FIELDS = st.one_of(
    st.just("x"), st.integers(0, 7).map(str), st.integers(0, 5).map("{}+".format)
)


@given(st.lists(LENGTH_FIELDS, min_size=4, max_size=4))
def test_shapes_in_any_order_are_those_of_some_order(fields):
    condition = phrase("shape", text="-".join(fields))
    try:
        code = to_postfix(lower(condition, Place()), GIB)
    except InvalidSystem:
        return

    def fits(lengths, wanted):
        if not wanted:
            return True
        field, rest = wanted[0], wanted[1:]
        return any(
            (
                field == "x"
                or lengths[place] == int(field.rstrip("+"))
                or (field.endswith("+") and lengths[place] >= int(field[:-1]))
            )
            and fits(lengths[:place] + lengths[place + 1 :], rest)
            for place in range(len(lengths))
        )

    for hand in HANDS[:150]:
        lengths = [(hand >> 13 * suit & 0x1FFF).bit_count() for suit in range(4)]
        assert bool(evaluate_postfix(code, hand)) == fits(lengths, fields)


def test_strictly_longest_means_longer_than_every_other_suit():
    code = to_postfix(lower(phrase("strictly longest", "hearts"), Place()), GIB)
    for hand in HANDS:
        clubs, diamonds, hearts, spades = (
            (hand >> 13 * suit & 0x1FFF).bit_count() for suit in range(4)
        )
        assert bool(evaluate_postfix(code, hand)) == (hearts > max(clubs, diamonds, spades))


def test_enough_points_counts_shortness_only_with_a_fit():
    condition = phrase("enough points", call=LAW)
    place = Place(partner={"HCP": (12, 21), "SL_S": (4, 8)}, bids=BIDS)
    code = to_postfix(lower(condition, place), GIB)
    # nine points: a singleton beside four spades makes game tries, beside three it does not
    assert evaluate_postfix(code, parse_hand("QJ32.2.K432.K432"))
    assert not evaluate_postfix(code, parse_hand("QJ3.32.K432.K432"))
