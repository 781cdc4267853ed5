"""The vocabulary: names, aliases, user terms, tags, and a second reading of every definition.

The definitions are written down here once more, on hands as text, straight from the published
words; the kernels' terms have to agree with them on random hands.
"""

import random

import pytest

from bidcascade.bridge import InvalidExpression, InvalidTable, UnknownTerm, format_hand, parse_hand
from bidcascade.kernels import Context, evaluate_postfix, term_names, term_value
from bidcascade.table.language.expressions import parse_expression, to_postfix
from bidcascade.table.language.term_catalogue import ALIASES, FAMILIES
from bidcascade.table.language.vocabulary import Vocabulary, parse_user_terms
from bidcascade.table.language.vocabulary_page import vocabulary_markdown
from tests.support.docs import page_text
from tests.support.examples import sized

HONOUR_POINTS = {"A": 4, "K": 3, "Q": 2, "J": 1}


def random_hands(count, seed):
    chooser = random.Random(seed)
    return [sum(1 << card for card in chooser.sample(range(52), 13)) for _ in range(count)]


def long_suit_hands(count, seed):
    """Hands with long strong suits, which random hands hardly ever have."""
    chooser = random.Random(seed)
    found = []
    for _ in range(count):
        length = chooser.randint(6, 11)
        suit = chooser.randrange(4)
        honours = [12, 11, 10, 9, 8]
        kept = [rank for rank in honours if chooser.random() < 0.8]
        low = chooser.sample(range(8), max(0, min(8, length - len(kept))))
        cards = {13 * suit + rank for rank in kept + low}
        rest = [card for card in range(52) if card not in cards and card // 13 != suit]
        cards.update(chooser.sample(rest, 13 - len(cards)))
        found.append(sum(1 << card for card in cards))
    return found


HANDS = [*random_hands(1_500, 1), *long_suit_hands(1_500, 2)]


# --- the definitions, from the text ---------------------------------------------------------------


def points(suit):
    return sum(HONOUR_POINTS.get(card, 0) for card in suit)


def shortness(suit):
    return {0: 3, 1: 2, 2: 1}.get(len(suit), 0)


def total_points(suit, profile):
    reduced = profile == "gib" and shortness(suit) and any(card in "AKQJ" for card in suit)
    return points(suit) + shortness(suit) - (1 if reduced else 0)


def quick_tricks(suit, profile):
    tops = "".join(card for card in suit if card in "AKQ")
    if tops.startswith("AK"):
        return 2
    if tops == "AQ":
        return 1.5
    if tops == "A" or tops == "KQ":
        return 1
    if tops == "K":
        return 0.5 if len(suit) > 1 or profile == "mlbridge" else 0
    return 0


def good(suit, profile):
    if profile == "mlbridge":
        return points(suit) >= 3
    return "A" in suit or "K" in suit or sum(card in "AKQJT" for card in suit) >= 3


def at_least(suit, length, profile):
    return len(suit) > length or (len(suit) == length and good(suit, profile))


def strong_rebiddable(suit, profile):
    if profile == "mlbridge":
        return len(suit) >= 6 and points(suit) >= 9
    honours = sum(card in "AKQJT" for card in suit)
    return at_least(suit, 6, profile) and (honours >= 4 or suit.startswith("AKQ"))


def solid(suit, profile):
    if profile == "mlbridge":
        return points(suit) >= 9
    starts = {6: ("AKQJ", "AKQT"), 7: ("AKQ",), 8: ("AKQ", "AKJ")}.get(
        len(suit), ("AK",) if len(suit) >= 9 else ()
    )
    return any(suit.startswith(start) for start in starts)


def stopper(suit, profile):
    measure = len(suit) + points(suit)
    if profile == "mlbridge":
        return points(suit) >= 4 or measure >= 6
    queen_jack = len(suit) >= 3 and "Q" in suit and "J" in suit
    return "A" in suit or queen_jack or points(suit) >= 5 or measure >= 7


def at_best_stopper(suit, profile):
    measure = len(suit) + points(suit)
    return measure <= 7 if profile == "gib" else measure >= 7


def balanced(suits, profile):
    shape = sorted(map(len, suits.values()))
    if shape in ([3, 3, 3, 4], [2, 3, 4, 4]):
        return True
    if profile == "gib":
        return shape == [2, 3, 3, 5]
    five_card_minor = len(suits["C"]) == 5 or len(suits["D"]) == 5
    return shape in ([2, 3, 3, 5], [2, 2, 4, 5]) and five_card_minor


def losers(suit):
    return sum(card not in suit for card in "AKQ"[: len(suit)])


LONG_SUIT_TRICKS = {
    "AKQ": 3, "AKJ": 2.5, "AQJ": 2.5, "AK": 2, "AQT": 2, "KQJ": 2, "AQ": 1.5, "AJT": 1.5,
    "KQ": 1.5, "A": 1, "KJ": 1, "QJT": 1, "K": 0.5, "QJ": 0.5,
}  # fmt: skip
SHORT_SUIT_TRICKS = {
    "AKQ": 3,
    "AK": 2,
    "AQJ": 2,
    "KQJ": 2,
    "AQ": 1.5,
    "A": 1,
    "KQ": 1,
    "QJT": 1,
    "K": 0.5,
}


def playing_tricks(suit):
    tricks = LONG_SUIT_TRICKS if len(suit) >= 4 else SHORT_SUIT_TRICKS
    found = [value for tops, value in tricks.items() if set(tops) <= set(suit)]
    if not found or suit == "K":
        return 0
    return max(found) + max(0, len(suit) - 3)


def support_points(suits, trumps):
    total = sum(map(points, suits.values()))
    for suit, cards in suits.items():
        if suit == trumps:
            continue
        if len(suits[trumps]) >= 4:
            total += {0: 5, 1: 3, 2: 1}.get(len(cards), 0)
        elif len(suits[trumps]) == 3:
            total += {0: 3, 1: 2, 2: 1}.get(len(cards), 0)
    return total


SUIT_TERMS = {
    "HCP": lambda suit, profile: points(suit),
    "SL": lambda suit, profile: len(suit),
    "Biddable": lambda suit, profile: at_least(suit, 4, profile),
    "Rebiddable": lambda suit, profile: at_least(suit, 5, profile),
    "Twice_Rebiddable": lambda suit, profile: at_least(suit, 6, profile),
    "Strong_Rebiddable": strong_rebiddable,
    "Solid": solid,
    "Partial_Stopper": lambda suit, profile: len(suit) + points(suit) >= 4,
    "Likely_Stopper": lambda suit, profile: len(suit) + points(suit) >= 5,
    "Stopper": stopper,
    "Two_Stoppers": lambda suit, profile: len(suit) + points(suit) >= 8,
    "At_Best_Partial_Stopper": lambda suit, profile: (
        len(suit) + points(suit) <= (4 if profile == "gib" else 3)
    ),
    "At_Best_Likely_Stopper": lambda suit, profile: len(suit) + points(suit) <= 5,
    "At_Best_Stopper": at_best_stopper,
    **{
        f"Top{cards}": lambda suit, profile, cards=cards: sum(
            card in "AKQJT"[:cards] for card in suit
        )
        for cards in (2, 3, 4, 5)
    },
}

HAND_TERMS = {
    "HCP": lambda suits, profile: sum(map(points, suits.values())),
    "Total_Points": lambda suits, profile: sum(total_points(s, profile) for s in suits.values()),
    "QT": lambda suits, profile: 2 * sum(quick_tricks(s, profile) for s in suits.values()),
    "Playing_Tricks": lambda suits, profile: 2 * sum(map(playing_tricks, suits.values())),
    "Queens": lambda suits, profile: sum("Q" in suit for suit in suits.values()),
    "Balanced": balanced,
    "Losers": lambda suits, profile: sum(map(losers, suits.values())),
    "Controls": lambda suits, profile: sum(2 * ("A" in s) + ("K" in s) for s in suits.values()),
    "Aces": lambda suits, profile: sum("A" in suit for suit in suits.values()),
    "Kings": lambda suits, profile: sum("K" in suit for suit in suits.values()),
    "Tens": lambda suits, profile: sum("T" in suit for suit in suits.values()),
    "Longest_Suit": lambda suits, profile: sorted(map(len, suits.values()))[3],
    "Second_Suit": lambda suits, profile: sorted(map(len, suits.values()))[2],
    "Pattern": lambda suits, profile: int(
        "".join(f"{length:X}" for length in sorted(map(len, suits.values()), reverse=True)), 16
    ),
    "Rule_Of_20": lambda suits, profile: (
        sum(map(points, suits.values())) + sum(sorted(map(len, suits.values()))[2:])
    ),
    "Rule_Of_15": lambda suits, profile: sum(map(points, suits.values())) + len(suits["S"]),
}


def second_reading(name, suits, profile):
    """Value of a term by the formulas above; None for what depends on the deal."""
    if name in HAND_TERMS:
        return HAND_TERMS[name](suits, profile)
    stem, _, tail = name.rpartition("_")
    if stem in SUIT_TERMS:
        return SUIT_TERMS[stem](suits[tail], profile)
    if stem == "Keycards":
        return sum("A" in suit for suit in suits.values()) + ("K" in suits[tail])
    if stem == "Support_Points":
        return support_points(suits, tail)
    if stem == "C":
        return tail[1] in suits[tail[0]]
    return None


def suits_of(hand):
    return dict(zip("SHDC", format_hand(hand).split("."), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["gib", "mlbridge"])
def test_every_definition_agrees_with_a_second_reading(profile):
    unread = []
    for name in term_names(profile):
        if second_reading(name, suits_of(HANDS[0]), profile) is None:
            unread.append(name)
            continue
        for hand in HANDS[:: sized(5, 1)]:
            expected = int(second_reading(name, suits_of(hand), profile))
            got = term_value(name, hand, profile=profile)
            assert got == expected, f"{name} of {format_hand(hand)} under {profile}"
    assert unread == ["Vul_We", "Vul_They", "Seat"]


@pytest.mark.parametrize(
    ("name", "seat", "vul_we", "vul_they", "value"),
    [("Seat", 3, 0, 0, 3), ("Vul_We", 1, 1, 0, 1), ("Vul_They", 1, 1, 0, 0)],
)
def test_terms_of_the_deal(name, seat, vul_we, vul_they, value):
    assert term_value(name, HANDS[0], Context(seat, vul_we, vul_they)) == value


@pytest.mark.parametrize(
    ("hand", "values"),
    [
        # worked by hand: singleton king, doubleton queen
        ("AKQJT9.K.Q2.5432",
         {"HCP": 15, "Total_Points": 16, "QT": 4, "Losers": 6, "Solid_S": 1, "Stopper_S": 1,
          "Stopper_H": 0, "At_Best_Stopper_H": 1, "At_Best_Partial_Stopper_H": 1,
          "Partial_Stopper_D": 1, "Likely_Stopper_D": 0, "Strong_Rebiddable_S": 1,
          "Playing_Tricks": 12, "Queens": 2, "Support_Points_S": 19, "Support_Points_C": 19,
          "Support_Points_H": 15}),
        ("KJ98.QJ3.A2.K543",
         {"HCP": 14, "Total_Points": 14, "QT": 4, "Biddable_S": 1, "Rebiddable_S": 0,
          "Stopper_H": 1, "Stopper_D": 1, "Two_Stoppers_D": 0, "Two_Stoppers_S": 1,
          "Balanced": 1, "Pattern": 0x4432, "Rule_Of_20": 22, "Rule_Of_15": 18,
          "Playing_Tricks": 9, "Support_Points_H": 15, "Support_Points_D": 14}),
        ("AKQJT98765432...",
         {"HCP": 10, "Total_Points": 19, "Longest_Suit": 13, "Second_Suit": 0, "Pattern": 0xD000,
          "Solid_S": 1, "Keycards_S": 2, "Keycards_H": 1, "Losers": 0, "Controls": 3}),
    ],
)  # fmt: skip
def test_hands_worked_by_hand(hand, values):
    assert {name: term_value(name, parse_hand(hand)) for name in values} == values


@pytest.mark.parametrize("profile", ["gib", "mlbridge"])
def test_values_stay_within_the_stated_range(profile):
    vocabulary = Vocabulary(profile)
    for name in vocabulary.names:
        low, high = vocabulary.range(name)
        code = vocabulary.lowered_term(name).code
        seen = {evaluate_postfix(code, hand, profile=profile) for hand in HANDS[:300]}
        assert low <= min(seen), name
        assert max(seen) <= high, name
        if vocabulary.is_boolean(name):
            assert seen <= {0, 1}


# --- names ---------------------------------------------------------------------------------------


def test_every_kernel_term_is_described_once():
    described = [name for family in FAMILIES for name in family.names]
    assert sorted(described) == sorted(term_names("gib")) == sorted(term_names("mlbridge"))


@pytest.mark.parametrize("profile", ["gib", "mlbridge"])
def test_every_name_has_a_description(profile):
    vocabulary = Vocabulary(profile)
    for name in vocabulary.names:
        description = vocabulary.describe(name)
        assert description.name == name
        assert description.meaning
        assert description.source
        assert "{" not in description.meaning
        assert description.low is not None
        assert description.high is not None
        assert description.low < description.high


@pytest.mark.parametrize("suit", "CDHS")
@pytest.mark.parametrize(
    ("alias", "term"),
    [
        ("Stop_In", "Stopper"),
        ("Partial_Stop_In", "Partial_Stopper"),
        ("Likely_Stop_In", "Likely_Stopper"),
        ("Two_Stops_In", "Two_Stoppers"),
        ("At_Best_Stop_In", "At_Best_Stopper"),
        ("At_Best_Partial_Stop_In", "At_Best_Partial_Stopper"),
        ("At_Best_Likely_Stop_In", "At_Best_Likely_Stopper"),
    ],
)
def test_stopper_aliases_mean_their_terms(alias, term, suit):
    vocabulary = Vocabulary()
    assert vocabulary.lowered_term(f"{alias}_{suit}") == vocabulary.lowered_term(f"{term}_{suit}")
    assert vocabulary.describe(f"{alias}_{suit}").definition == f"{term}_{suit}"


def test_aliases_hide_no_term():
    names = [name for alias in ALIASES for name in alias.spelled_out()]
    assert len(names) == len(set(names))
    assert not set(names) & set(term_names())


@pytest.mark.parametrize("cards", [2, 3, 4, 5])
def test_top_n_of_m(cards):
    vocabulary = Vocabulary()
    for hand in HANDS[1_500:1_800]:
        spades = suits_of(hand)["S"]
        held = sum(card in "AKQJT"[:cards] for card in spades)
        for least in range(1, cards + 1):
            code = to_postfix(parse_expression(f"Top{least}of{cards}_S"), vocabulary)
            assert evaluate_postfix(code, hand) == int(held >= least)


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        *((f"Opponents_Cannot_Play_Undoubled_Below_{bid}", True) for bid in ("1C", "2N", "7NT")),
        ("Opponents_Cannot_Play_Undoubled_Below_8N", False),
        ("Opponents_Cannot_Play_Undoubled_Below", False),
        ("Forcing", True),
        ("Forcing_One_Round", True),
        ("Forcing_To_3N", True),
        ("Forcing_", False),
        ("Forcingly", False),
        ("HCP", False),
    ],
)
def test_tags(name, tag):
    vocabulary = Vocabulary()
    assert vocabulary.is_tag(name) is tag
    assert (name in vocabulary) is (tag or name == "HCP")
    if tag:
        assert vocabulary.describe(name).kind == "tag"
        assert name not in vocabulary.names


def test_profile_must_exist():
    with pytest.raises(InvalidTable, match="gib, mlbridge, got 'bbo'"):
        Vocabulary("bbo")


# --- terms of the user ------------------------------------------------------------------------


def test_user_terms_build_on_each_other_in_any_order():
    vocabulary = Vocabulary(
        user_terms={
            "Game_Hand": "Strength >= 17 or Solid_S",
            "Strength": "HCP + SL_S",
            "Tricks": "QT + 0.5",
        }
    )
    code = to_postfix(parse_expression("Game_Hand and Tricks >= 2"), vocabulary)
    hand = parse_hand("AKQ54.A32.432.32")
    assert evaluate_postfix(code, hand) == 1
    assert vocabulary.describe("Strength").definition == "HCP + SL_S"
    assert vocabulary.describe("Tricks").high == 8.5
    assert vocabulary.is_boolean("Game_Hand")
    assert not vocabulary.is_boolean("Strength")


def test_long_dependency_chain_needs_no_recursion():
    terms = {f"T{number}": f"T{number + 1}" for number in range(2_000)} | {"T2000": "HCP"}
    assert Vocabulary(user_terms=terms).lowered_term("T0").code == ("HCP",)


@pytest.mark.parametrize(
    ("terms", "error", "words"),
    [
        (
            {"A": "B + 1", "B": "C + 1", "C": "A"},
            InvalidExpression,
            "circle, got (A -> B -> C -> A|B -> C -> A -> B|C -> A -> B -> C)",
        ),
        ({"X": "Y", "Y": "Y + 1"}, InvalidExpression, "circle, got Y -> Y"),
        ({"A": "Nothing + 1"}, UnknownTerm, "user term 'A': unknown term 'Nothing'"),
        ({"A": "HCP +"}, InvalidExpression, "user term 'A': expected an operand"),
        ({"HCP": "SL_S"}, InvalidExpression, "known already"),
        ({"Stop_In_S": "SL_S"}, InvalidExpression, "known already"),
        ({"Forcing_Now": "SL_S"}, InvalidExpression, "known already"),
        ({"and": "SL_S"}, InvalidExpression, "letters, digits"),
        ({"2X": "SL_S"}, InvalidExpression, "letters, digits"),
        ({"A": "Forcing"}, InvalidExpression, "can only stand on its own"),
        (
            {"T0": "HCP"} | {f"T{n}": f"T{n - 1} + T{n - 1}" for n in range(1, 40)},
            InvalidExpression,
            "operations",
        ),
    ],
    ids=lambda value: None if isinstance(value, type) else str(value)[:20],
)
def test_bad_user_terms(terms, error, words):
    with pytest.raises(error, match=words):
        Vocabulary(user_terms=terms)


def test_user_terms_file():
    text = "# mine\n\nStrength = HCP + SL_S  # points\nGood==1\n"
    with pytest.raises(InvalidExpression, match="line 4: expected a term"):
        parse_user_terms(text)
    assert parse_user_terms(text.replace("Good==1", "Good = Strength == 20")) == {
        "Strength": "HCP + SL_S",
        "Good": "Strength == 20",
    }
    with pytest.raises(InvalidExpression, match="line 2: user term 'A' is defined twice"):
        parse_user_terms("A = HCP\nA = HCP")


@pytest.mark.checkout
@pytest.mark.page("docs/terms.md")
def test_page_of_terms_is_up_to_date():
    assert page_text("docs/terms.md") == vocabulary_markdown()
