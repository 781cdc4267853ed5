"""What is missing to the nearest calls: named in players' words, and truly missing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import SUITS
from bidcascade.engine import Engine
from bidcascade.engine.questions.bidding.bids import BidRequest
from bidcascade.kernels import Context
from bidcascade.systems import System
from bidcascade.systems.words.condition_words import missed_words
from bidcascade.systems.words.missing_words import is_for_want_of_others, nearest_calls
from bidcascade.table import Vocabulary, parse_expression
from bidcascade.table.language.explain import explain_one, holds, term_value_shown
from bidcascade.table.language.expression_tree import terms_of
from bidcascade.table.language.term_catalogue import SUIT_NAMES
from tests.support.examples import examples, sized
from tests.support.reasons import SYSTEMS, Reasoned, answered, reasoned

VOCABULARY = Vocabulary()
WEAK = "J876.K65.Q93.T94"
STRONG = "AQ4.KJ3.KJ76.A52"
HANDS = st.permutations(range(52)).map(lambda cards: sum(1 << card for card in cards[:13]))


def _units() -> dict[str, str]:
    """Terms by what is counted, in the words for one and for many."""
    found = {"quick trick": "QT", "playing trick": "Playing_Tricks", "loser": "Losers",
             "control": "Controls", "ace": "Aces", "king": "Kings", "queen": "Queens",
             "point": "HCP"}  # fmt: skip
    found |= {f"{word}s": term for word, term in found.items()}
    for suit in SUITS:
        name = SUIT_NAMES[suit]
        found |= {name: f"SL_{suit}", name.removesuffix("s"): f"SL_{suit}"}
        for one in ("", "s"):
            found |= {
                f"support point{one} for {name}": f"Support_Points_{suit}",
                f"keycard{one} for {name}": f"Keycards_{suit}",
                f"point{one} in {name}": f"HCP_{suit}",
            }
        found |= {f"of the top {top} {name}": f"Top{top}_{suit}" for top in (3, 4, 5)}
    return found | dict.fromkeys(("total point", "total points"), "Total_Points")


UNITS = _units()
SAID = re.compile(r"(no|none|\d+(?:\.5)?)(?: (.+))?")


def check_is_true(expression: str, has: str, hand: int, context: Context) -> int:
    """What a hand is told to miss it misses, and what it is told to have it has; how many told."""
    condition = parse_expression(expression)
    assert not holds(hand, condition, VOCABULARY, context), expression

    def value(term: str) -> object:
        return term_value_shown(term, hand, VOCABULARY, context)

    if not has.startswith("you have ") or has in {
        "you have none",
        "you have one",
        "you have neither",
    }:
        return 0
    parts = re.split(r", | and ", has.removeprefix("you have "))
    for part in parts:
        number, unit = match.groups() if (match := SAID.fullmatch(part)) else (part, None)
        if re.fullmatch(r"a \w{4} shape", number):
            assert value("Pattern") == part[2:6]
        elif match := re.fullmatch(r"(\d+) by the rule of (\d+)", part):
            assert value(f"Rule_Of_{match[2]}") == int(match[1])
        elif unit is None:
            # a number alone is that of the one term that is counted
            (term,) = [one for one in terms_of(condition) if not one.startswith("Vul_")]
            assert value(term) == float(number)
        else:
            assert value(UNITS[unit]) == (0 if number in {"no", "none"} else float(number)), part
    return len(parts)


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_is_named_is_missing(name):
    told, depths = 0, set()
    for one in reasoned(name, sized(50, 300)):
        nearest = one.answer.nearest
        assert isinstance(nearest, tuple)
        assert len(nearest) <= 3
        assert len({near.call for near in nearest} - {one.answer.call}) == len(nearest)
        depths.add(len(one.request.auction))
        _check_lines(one)
        for near in nearest:
            assert near.missing
            for each in near.missing:
                told += check_is_true(each.expression, each.has, one.hand, one.context)
                assert f"{each.wanted} ({each.has})" in near.needs
    assert told > 50
    assert len(depths) > 3


def _check_lines(one: Reasoned) -> None:
    """All that a call misses is named, or something harder; each stands before the call made."""
    candidates = one.answer.candidates
    made = next((n for n, each in enumerate(candidates) if each.holds), len(candidates))
    others = {each.call for each in candidates[:made]} - {one.answer.call}
    assert isinstance(one.answer.nearest, tuple)
    assert bool(one.answer.nearest) == bool(others)
    for near in one.answer.nearest:
        named = {each.expression for each in near.missing}
        missed = [
            {each.expression for each in line.criteria if not each.holds}
            for line in candidates[:made]
            if (line.call, line.name) == (near.call, near.name)
        ]
        assert any(named <= expressions for expressions in missed)


TERMS = [
    "HCP",
    "Total_Points",
    "Losers",
    "Controls",
    "Aces",
    "QT",
    "Playing_Tricks",
    "Rule_Of_20",
    *(f"{stem}_{suit}" for stem in ("SL", "HCP", "Top3", "Top5") for suit in SUITS),
]
RANGES = st.builds(
    lambda term, low, width: f"{low} <= {term} <= {low + width}",
    st.sampled_from(TERMS),
    st.integers(0, 20),
    st.integers(0, 4),
)
BOUNDS = st.builds(
    lambda term, sign, number: f"{term} {sign} {number}",
    st.sampled_from(TERMS),
    st.sampled_from([">=", "<=", "==", "!=", ">", "<"]),
    st.integers(0, 20),
)
OTHERS = st.sampled_from(
    ["Balanced", "Likely_Stopper_S", "C_HA", "Vul_We", "SL_S > SL_H", "SL_D >= Longest_Suit",
     "Pattern == '4333'", "Pattern != '5332'"]
)  # fmt: skip
CONDITIONS = st.recursive(
    RANGES | BOUNDS | OTHERS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(" and ".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda some: f"({' or '.join(some)})"),
        inner.map(lambda one: f"not ({one})"),
    ),
    max_leaves=5,
)


@examples(200, 2000)
@given(HANDS, CONDITIONS, st.booleans())
def test_what_is_said_of_a_hand_is_true(hand, text, vulnerable):
    context = Context(1, int(vulnerable), 0)
    condition = parse_expression(text)
    check = explain_one(hand, condition, VOCABULARY, context)
    if not check["holds"]:
        check_is_true(check["expression"], missed_words(check).has, hand, context)


def test_a_weak_hand_is_told_the_lightest_opening():
    answer = answered("sayc", BidRequest(WEAK, candidates=True, words=True))
    assert answer.name == "Nothing more to say"
    assert [(near.call, near.name, near.needs) for near in answer.nearest] == [
        (
            "1C",
            "Better minor",
            "12+ points, or the rule of 20 and 10+ points (you have 6 points)",
        )
    ]


def test_a_strong_hand_that_passes_is_told_what_game_needs():
    answer = answered(
        "sayc", BidRequest(STRONG, ("1D", "P", "P", "X"), candidates=True, words=True)
    )
    assert answer.call == "P"
    assert [(near.call, near.needs) for near in answer.nearest] == [
        ("3N", "21+ points (you have 18)")
    ]


TEXT = """\
system Small

opening:
  7NT = Grand: 37+ points
  1NT = Notrump: 15-17 points, balanced
  2S = Weak: 6-10 points, 6+ spades
  1S = Major: 12+ points, 5+ spades
  1H = Major: 12+ points, 5+ hearts
  1C = Clubs: 12+ points
{last}

after 1NT:
  2D = Only call: any hand
"""


def candidates(hand: str, auction: str = "", last: str = ""):
    """Meanings at a place of the small system, tested on a hand."""
    engine = Engine(System.parse(TEXT.format(last=last)))
    return engine.bid(hand, auction, words=True).candidates


@pytest.mark.parametrize(
    ("hand", "told"),
    [
        # calls that want still more points say nothing new, and suits far too short are not told
        (WEAK, ["1C 12+ points (you have 6)"]),
        ("KQ876.K65.J93.94",
         ["2S 6+ spades (you have 5)", "1S 12+ points (you have 9)"]),
        ("2.KQ876.KJ.J9876", ["1H 12+ points (you have 10)"]),
    ],
)  # fmt: skip
def test_the_nearest_come_first_and_say_something_new(hand, told):
    found = nearest_calls(candidates(hand))
    assert [f"{near.call} {near.needs}" for near in found] == told


@pytest.mark.parametrize(
    ("last", "is_told"),
    [
        ("  Pass = Nothing more: any hand", True),
        ("  Pass = Enough: at most 11 points", True),
        ("  Pass = Enough: at most 11 points or 7+ losers", True),
        ("  Pass = Some values: 3+ points", False),
        ("  Pass = Length: 3+ spades or at most 8 points", False),
        # no line at all: a pass by default
        ("", True),
    ],
)
def test_it_is_told_of_calls_that_ask_for_nothing(last, is_told):
    assert is_for_want_of_others(candidates(WEAK, last=last)) is is_told


def test_the_only_call_of_a_place_has_no_others():
    found = candidates(WEAK, "1N P")
    assert found[0].call == "2D"
    assert is_for_want_of_others(found)
    assert nearest_calls(found) == ()
