"""Conditions of the systems language: every phrase of the catalogue, and words from trees."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidSystem
from bidcascade.kernels.core.rows import TERMS
from bidcascade.systems.language.editing.formatter import condition_text
from bidcascade.systems.language.grammar.call_builder import without_signs
from bidcascade.systems.language.grammar.grammar import parse_statement
from bidcascade.systems.language.grammar.lark_parser import lark_parser
from bidcascade.systems.language.reader import parse_condition
from bidcascade.systems.language.tree.joining import all_of, any_of, phrases_of
from bidcascade.systems.language.tree.syntax_tree import (
    ROLES,
    SUIT_OF_SIGN,
    SUIT_WORDS,
    VARIABLES,
    AllOf,
    AnyOf,
    CallPattern,
    NotThis,
    Phrase,
    Range,
    Where,
)
from bidcascade.systems.language.words.phrases import (
    AUCTION,
    COUNTED,
    KINDS,
    words_of_terminals,
)
from bidcascade.systems.language.words.wording import call_text
from bidcascade.systems.reference.conditions import PHRASES as conditions_of_hands
from bidcascade.systems.reference.facts import FACTS as facts
from bidcascade.systems.system import System

PASS, DOUBLE = CallPattern("pass"), CallPattern("double")


def bid(level, strain):
    return CallPattern("bid", level, strain)


# what a text says, as kind and fields
PHRASES = {
    "22+ points": Phrase("points", range=Range(22)),
    "15-17 hcp": Phrase("points", range=Range(15, 17)),
    "15–17 HCP": Phrase("points", range=Range(15, 17)),
    "15 - 17 high-card  points": Phrase("points", range=Range(15, 17)),
    "10+ points in hearts": Phrase("points", range=Range(10), suits=("hearts",)),
    "exactly 12 points": Phrase("points", range=Range(12, 12)),
    "at least 12 points": Phrase("points", range=Range(12)),
    "at most 7 points": Phrase("points", range=Range(0, 7)),
    "fewer than 8 points": Phrase("points", range=Range(0, 7)),
    "more than 8 points": Phrase("points", range=Range(9)),
    "13+ total points": Phrase("total points", range=Range(13)),
    "10-12 support points": Phrase("support points", range=Range(10, 12)),
    "10-12 support points for M": Phrase("support points", range=Range(10, 12), suits=("M",)),
    "at most 6 losers": Phrase("losers", range=Range(0, 6)),
    "5+ controls": Phrase("controls", range=Range(5)),
    "3+ quick tricks": Phrase("quick tricks", range=Range(3)),
    "8-9 playing tricks": Phrase("playing tricks", range=Range(8, 9)),
    "at least 9.5 playing tricks": Phrase("playing tricks", range=Range(9.5)),
    "9.5+ playing tricks": Phrase("playing tricks", range=Range(9.5)),
    "at most 5.50 playing tricks": Phrase("playing tricks", range=Range(0, 5.5)),
    "2.5 quick tricks": Phrase("quick tricks", range=Range(2.5, 2.5)),
    "2.0 quick tricks": Phrase("quick tricks", range=Range(2, 2)),
    "1.5-2 quick tricks": Phrase("quick tricks", range=Range(1.5, 2)),
    "1.5 – 2.5 quick tricks": Phrase("quick tricks", range=Range(1.5, 2.5)),
    "0.5 or 1.5 quick tricks": Phrase("quick tricks", range=Range(0.5, 0.5, (1.5,))),
    "fewer than 2 quick tricks": Phrase("quick tricks", range=Range(0, 1.5)),
    "fewer than 2.5 quick tricks": Phrase("quick tricks", range=Range(0, 2)),
    "less than 0.5 quick tricks": Phrase("quick tricks", range=Range(0, 0)),
    "more than 2 quick tricks": Phrase("quick tricks", range=Range(2.5)),
    "more than 2.5 quick tricks": Phrase("quick tricks", range=Range(3)),
    "no aces": Phrase("aces", range=Range(0, 0)),
    "1 ace": Phrase("aces", range=Range(1, 1)),
    "0 or 4 aces": Phrase("aces", range=Range(0, 0, (4,))),
    "two kings": Phrase("kings", range=Range(2, 2)),
    "1 or 4 keycards": Phrase("keycards", range=Range(1, 1, (4,))),
    "2 keycards in M": Phrase("keycards", range=Range(2, 2), suits=("M",)),
    "4 hearts": Phrase("length", range=Range(4, 4), suits=("hearts",)),
    "four hearts": Phrase("length", range=Range(4, 4), suits=("hearts",)),
    "5+ M": Phrase("length", range=Range(5), suits=("M",)),
    "no spades": Phrase("length", range=Range(0, 0), suits=("spades",)),
    "at most one heart": Phrase("length", range=Range(0, 1), suits=("hearts",)),
    "3+ cards in their suit": Phrase("length", range=Range(3), suits=("their suit",)),
    "4+ in every unbid major": Phrase("length", range=Range(4), suits=("every unbid major",)),
    "a 5-card heart suit": Phrase("length", range=Range(5, 5), suits=("hearts",)),
    "4+ support": Phrase("support", range=Range(4), suits=("partner's suit",)),
    "3 card support": Phrase("support", range=Range(3, 3), suits=("partner's suit",)),
    "3+ cards of support": Phrase("support", range=Range(3), suits=("partner's suit",)),
    "4-card support for X": Phrase("support", range=Range(4, 4), suits=("X",)),
    "no support": Phrase("support", range=Range(0, 2), suits=("partner's suit",)),
    "5+-card minor": Phrase("suit length", range=Range(5), suits=("a minor",)),
    "a five-card major": Phrase("suit length", range=Range(5, 5), suits=("a major",)),
    "6-7-card suit": Phrase("suit length", range=Range(6, 7), suits=("a suit",)),
    "no 4-card major": NotThis(Phrase("suit length", range=Range(4), suits=("a major",))),
    "4=4=3=2": Phrase("shape", text="4=4=3=2"),
    "5+=x=x=4+": Phrase("shape", text="5+=x=x=4+"),
    "5-4-x-x": Phrase("shape", text="5-4-x-x"),
    "hearts longer than spades": Phrase("longer", suits=("hearts", "spades")),
    "hearts stronger than spades": Phrase("stronger", suits=("hearts", "spades")),
    "M at least as long as oM": Phrase("at least as long", suits=("M", "oM")),
    "X is the longest": Phrase("longest", suits=("X",)),
    "X is my longest suit": Phrase("longest", suits=("X",)),
    "longest suit X": Phrase("longest", suits=("X",)),
    "X is strictly longest": Phrase("strictly longest", suits=("X",)),
    "X is longest outside their suits": Phrase("longest outside theirs", suits=("X",)),
    "X is my longest suit outside their suit": Phrase("longest outside theirs", suits=("X",)),
    "two of the top three in M": Phrase("top honours", range=Range(2), count=2, of=3, suits=("M",)),
    "exactly 2 of the top 5 in M": Phrase(
        "top honours", range=Range(2, 2), count=2, of=5, suits=("M",)
    ),
    "at most one of the top 3 in M": Phrase(
        "top honours", range=Range(0, 1), count=1, of=3, suits=("M",)
    ),
    "king of trumps": Phrase("honour", text="king", suits=("trumps",)),
    "the ace of their suit": Phrase("honour", text="ace", suits=("their suit",)),
    "stopper in their suit": Phrase("stopper", suits=("their suit",)),
    "a stopper in X": Phrase("stopper", suits=("X",)),
    "stoppers in their suits": Phrase("stopper", suits=("their suits",)),
    "no stopper in X": NotThis(Phrase("stopper", suits=("X",))),
    "not stopper in X": NotThis(Phrase("stopper", suits=("X",))),
    "partial stopper in X": Phrase("partial stopper", suits=("X",)),
    "two stoppers in X": Phrase("two stoppers", suits=("X",)),
    "double stopper in X": Phrase("two stoppers", suits=("X",)),
    "void in X": Phrase("void", suits=("X",)),
    "a void": Phrase("void", suits=("a suit",)),
    "no singleton": NotThis(Phrase("singleton", suits=("a suit",))),
    "no singleton or void": NotThis(Phrase("shortness", suits=("a suit",))),
    "a singleton or void in their suit": Phrase("shortness", suits=("their suit",)),
    "doubleton in X": Phrase("doubleton", suits=("X",)),
    "first-round control in X": Phrase("first-round control", suits=("X",)),
    "no second-round control in X": NotThis(Phrase("second-round control", suits=("X",))),
    "rule of 20": Phrase("rule of", count=20),
    "balanced": Phrase("named", text="balanced"),
    "semi-balanced": Phrase("named", text="semi-balanced"),
    "good M": Phrase("named", text="good", suits=("M",)),
    "opening strength": Phrase("named", text="opening strength"),
    "better X Y": Phrase("named", text="better", suits=("X", "Y")),
    "any hand": Phrase("any hand"),
    "any other hand": Phrase("any hand"),
    "otherwise": Phrase("any hand"),
    "{ HCP + SL_S >= 15 }": Phrase("raw", text="HCP + SL_S >= 15"),
    "25+ combined points": Phrase("combined points", range=Range(25)),
    "at most 24 combined points at best": Phrase("combined points at best", range=Range(0, 24)),
    "25+ combined support points in M": Phrase(
        "combined support points", range=Range(25), suits=("M",)
    ),
    "4 combined aces": Phrase("combined aces", range=Range(4, 4)),
    "5+ combined keycards in X": Phrase("combined keycards", range=Range(5), suits=("X",)),
    "8+ combined cards in M": Phrase("combined cards", range=Range(8), suits=("M",)),
    "law of total tricks at 3M": Phrase("law", call=bid(3, "M")),
    "enough points for game in M": Phrase("enough points", call=CallPattern("game", None, "M")),
    "doubling 4X pays": Phrase("doubling pays", call=bid(4, "X")),
    "5X pays over theirs": Phrase("pays over theirs", call=bid(5, "X")),
    "cheapest M pays over theirs": Phrase(
        "pays over theirs", call=CallPattern("cheapest", None, "M")
    ),
    "game is remote": Phrase("game is remote"),
    "vulnerable": Phrase("vulnerable"),
    "not vulnerable": Phrase("not vulnerable"),
    "not (vulnerable)": NotThis(Phrase("vulnerable")),
    "not favourable": NotThis(Phrase("favourable")),
    "3rd seat": Phrase("seat", range=Range(3, 3)),
    "in third or fourth seat": Phrase("seat", range=Range(3, 4)),
    "1st, 2nd or 3rd seat": Phrase("seat", range=Range(1, 3)),
    "1st or 3rd seat": Phrase("seat", range=Range(1, 1, (3,))),
    "I am a passed hand": Phrase("passed hand", who="me"),
    "we are a passed hand": Phrase("passed hand", who="we"),
    "passed hand": Phrase("passed hand", who="me"),
    "partner opened": Phrase("opened", who="partner"),
    "they opened 1m": Phrase("opened", who="they", call=bid(1, "m")),
    "nobody has opened": Phrase("nobody opened"),
    "they bid X": Phrase("bid", who="they", suits=("X",)),
    "I have bid 2NT": Phrase("bid", who="me", call=bid(2, "NT")),
    "partner bid notrump": Phrase("bid", who="partner", call=bid(None, "NT")),
    "partner has not bid": Phrase("not bid", who="partner"),
    "they have not bid spades": Phrase("not bid", who="they", suits=("spades",)),
    "partner has only passed": Phrase("only passed", who="partner"),
    "RHO passed": Phrase("last call", who="RHO", call=PASS),
    "RHO bid": Phrase("last call", who="RHO", text="bid"),
    "LHO doubled": Phrase("last call", who="LHO", call=DOUBLE),
    "partner's last call was a double": Phrase("last call", who="partner", call=DOUBLE),
    "partner's last call was 2M": Phrase("last call", who="partner", call=bid(2, "M")),
    "my last call was a jump shift": Phrase("last call", who="me", text="jump shift"),
    "RHO's last call was not a raise": NotThis(Phrase("last call", who="RHO", text="raise")),
    "partner's last call was #stayman": Phrase("last call", who="partner", text="#stayman"),
    "partner's last call was forcing": Phrase("last call", who="partner", text="forcing"),
    "last bid was ours": Phrase("last bid", who="we"),
    "last bid was partner's #transfer": Phrase("last bid", who="partner", text="#transfer"),
    "last bid was 4NT": Phrase("last bid", call=bid(4, "NT")),
    "partner has called #stayman": Phrase("has called", who="partner", text="#stayman"),
    "partner has shown 5+ M": Phrase(
        "has shown", who="partner", range=Range(5), suits=("M",), text="length"
    ),
    "I have shown 15-17 points": Phrase("has shown", who="me", range=Range(15, 17), text="points"),
    "they may have 4+ X": Phrase(
        "may have", who="they", range=Range(4), suits=("X",), text="length"
    ),
    "unbid suit X": Phrase("unbid", suits=("X",), text="suit"),
    "unbid major M": Phrase("unbid", suits=("M",), text="major"),
    "X is the fourth suit": Phrase("fourth suit", suits=("X",)),
    "we have an 8-card fit in X": Phrase("fit", count=8, suits=("X",)),
    "a 9-card fit": Phrase("fit", count=9),
    "no fit": NotThis(Phrase("fit", count=8)),
    "forced": Phrase("forced"),
    "game forced": Phrase("game forced"),
    "balancing": Phrase("balancing"),
    "contested": Phrase("contested"),
    "game is reached": Phrase("game reached"),
    "at the 2-level": Phrase("level", range=Range(2, 2)),
    "at most 2-level": Phrase("level", range=Range(0, 2)),
    "at least the 3-level": Phrase("level", range=Range(3)),
    "cheapest X is at most the 2-level": Phrase(
        "available", call=CallPattern("cheapest", None, "X"), range=Range(0, 2)
    ),
    "2X is available": Phrase("available", call=bid(2, "X")),
    "X ranks above Y": Phrase("ranks above", suits=("X", "Y")),
    "X is a major": Phrase("same suit", suits=("X", "a major")),
    "X is not partner's suit": NotThis(Phrase("same suit", suits=("X", "partner's suit"))),
    "my second call": Phrase("nth call", count=2),
}

CALLS = {
    "1C": bid(1, "C"), "1nt": bid(1, "NT"), "1N": bid(1, "NT"), "2d": bid(2, "D"),
    "2M": bid(2, "M"), "1m": bid(1, "m"), "3oM": bid(3, "oM"), "3om": bid(3, "om"),
    "nX": bid(0, "X"), "nNT": bid(0, "NT"), "Pass": PASS, "P": PASS, "Double": DOUBLE,
    "Dbl": DOUBLE, "Redouble": CallPattern("redouble"), "any": CallPattern("any"),
    "any bid": CallPattern("any bid"), "transfer to 2M": CallPattern("transfer", 2, "M"),
    "cheapest X": CallPattern("cheapest", None, "X"),
    "cheapest hearts": CallPattern("cheapest", None, "H"),
    "cheapest notrump": CallPattern("cheapest", None, "NT"),
    "cheapest their suit": CallPattern("cheapest", None, "their suit"),
    "jump  X": CallPattern("jump", None, "X"),
    "double jump X": CallPattern("double jump", None, "X"),
    "game in M": CallPattern("game", None, "M"),
}  # fmt: skip


@pytest.mark.parametrize("text", PHRASES)
def test_phrase(text):
    assert parse_condition(text) == PHRASES[text]


@pytest.mark.parametrize("text", PHRASES)
def test_phrase_reads_again_as_itself(text):
    condition = PHRASES[text]
    assert parse_condition(condition_text(condition)) == condition


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Phrase("aces", range=Range(1, 1)), "1 ace"),
        (Phrase("aces", range=Range(1, 1, (4,))), "1 or 4 aces"),
        (Phrase("length", range=Range(0, 0), suits=("spades",)), "no spades"),
        (Phrase("length", range=Range(1, 1), suits=("clubs",)), "1 club"),
        (Phrase("length", range=Range(0, 1), suits=("clubs",)), "at most 1 club"),
        (Phrase("length", range=Range(0, 1), suits=("M",)), "at most 1 M"),
        (Phrase("length", range=Range(1, 1, (4,)), suits=("hearts",)), "1 or 4 hearts"),
        (Phrase("points", range=Range(0, 1)), "at most 1 point"),
        (Phrase("seat", range=Range(1, 3)), "1st, 2nd or 3rd seat"),
        (Phrase("last call", who="RHO", call=PASS), "RHO passed"),
        (NotThis(Phrase("last call", who="RHO", call=DOUBLE)), "RHO's last call was not a double"),
        (Phrase("last call", who="partner", text="raise"), "partner's last call was a raise"),
        (NotThis(Phrase("fit", count=8)), "no 8-card fit"),
        (Phrase("level", range=Range(0, 2)), "at most the 2-level"),
        (
            any_of([Phrase("forced"), all_of([Phrase("balancing"), Phrase("contested")])]),
            "forced or balancing and contested",
        ),
        (
            all_of([Phrase("forced"), any_of([Phrase("balancing"), Phrase("contested")])]),
            "forced, balancing or contested",
        ),
        (NotThis(all_of([Phrase("forced"), Phrase("balancing")])), "not (forced, balancing)"),
    ],
)
def test_words(condition, words):
    assert condition_text(condition) == words
    assert parse_condition(words) == condition


def test_every_kind_is_tested():
    tested = {phrase.kind for condition in PHRASES.values() for phrase in phrases_of(condition)}
    rest = {"queens", "combined kings", "slam is remote", "unfavourable", "uncontested"}
    assert KINDS.keys() - tested == rest
    for kind in rest:
        words = kind if " is " in kind or kind.startswith("un") else f"2 {kind}"
        assert parse_condition(words).kind == kind


def test_every_kind_means_something():
    assert not conditions_of_hands.keys() & facts.keys()
    assert conditions_of_hands.keys() | facts.keys() | {"named"} == KINDS.keys()
    assert facts.keys() <= {row.kind for row in AUCTION}


def test_what_is_kept_of_a_player_has_a_number():
    for row in COUNTED:
        assert (row.term in TERMS or f"{row.term}S" in TERMS) == row.shown


@pytest.mark.parametrize("words", ["3+ quick tricks", "2 queens", "10+ support points in hearts"])
def test_what_is_not_kept_of_a_player_is_said(words, tmp_path):
    path = tmp_path / "own.bidding"
    path.write_text(f"system Own\n\nopening:\n  1C = Any: any hand, partner has shown {words}\n")
    with pytest.raises(InvalidSystem, match=r"has shown of .* is not kept"):
        System.open(path)


@pytest.mark.parametrize("text", CALLS)
def test_call(text):
    line = parse_statement(f"{text} = any hand").statement
    assert line.call == CALLS[text]
    assert parse_statement(f"{call_text(line.call)} = any hand").statement.call == line.call


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("8+ points, 4 hearts or 4 spades", "8+ points, (4 hearts or 4 spades)"),
        ("4 hearts and 4 spades or 5 clubs", "(4 hearts and 4 spades) or 5 clubs"),
        ("4 hearts and (4 spades or 5 clubs)", "4 hearts, 4 spades or 5 clubs"),
        ("4 hearts, 4 spades and 5 clubs", "4 hearts, 4 spades, 5 clubs"),
        ("not balanced and 4 hearts", "(not balanced) and 4 hearts"),
        ("not (balanced, 4 hearts)", "not (balanced and 4 hearts)"),
        ("((4 hearts))", "4 hearts"),
    ],
)
def test_what_binds_how(text, same):
    assert parse_condition(text) == parse_condition(same)


def test_or_binds_tighter_than_the_comma():
    found = parse_condition("8+ points, 4 hearts or 4 spades")
    assert isinstance(found, AllOf)
    assert isinstance(found.parts[1], AnyOf)
    assert found.parts[0].kind == "points"


def test_places_ofwords_of_terminals():
    found = parse_condition("8+ points, 4 hearts or 4 spades", Where("a.bidding", 7, 11))
    columns = [phrase.where.column for phrase in phrases_of(found)]
    assert columns == [11, 22, 34]
    assert {(phrase.where.file, phrase.where.line) for phrase in phrases_of(found)} == {
        ("a.bidding", 7)
    }


def test_condition_alone_complains_with_its_place():
    with pytest.raises(InvalidSystem) as caught:
        parse_condition("15+ pointts", Where("a.bidding", 7, 11))
    (complaint,) = caught.value.complaints
    assert str(complaint.where) == "a.bidding:7"
    assert complaint.line_text[complaint.caret.index("^") :] == "pointts"


def test_longer_words_come_before_their_beginnings():
    """``is not`` must be tried before ``is``, wherever both can stand."""
    lexer_order = sorted(
        lark_parser().terminals,
        key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name),
    )
    place = {terminal.name: number for number, terminal in enumerate(lexer_order)}
    never_together = {("MEASURE", "HONOUR_OF"), ("AGREEMENT", "CALL_CLASS")}
    wrong = {
        (short, long)
        for short, beginnings in words_of_terminals().items()
        for long, phrases in words_of_terminals().items()
        for phrase in phrases
        for beginning in beginnings
        if short != long and phrase.startswith(f"{beginning} ") and place[long] > place[short]
    }
    assert wrong <= never_together


# ---------------------------------------------------------------------- trees to words and back
variables = st.sampled_from(VARIABLES)
plain_suits = st.sampled_from((*SUIT_WORDS, *VARIABLES))
suits = st.one_of(plain_suits, st.sampled_from(ROLES))
one_suit = suits.map(lambda suit: (suit,))
maybe_suit = st.one_of(st.just(()), one_suit)
two_suits = st.lists(plain_suits, min_size=2, max_size=2, unique=True).map(tuple)
names = st.sampled_from(("balanced", "good", "opening strength", "two-suiter", "decent"))
strains = st.sampled_from(("C", "D", "H", "S", "NT", *VARIABLES))
named_calls = st.one_of(
    st.builds(CallPattern, st.just("bid"), st.integers(0, 7), strains),
    st.builds(CallPattern, st.just("transfer"), st.integers(2, 7), strains),
    st.sampled_from((PASS, DOUBLE, CallPattern("redouble"), CallPattern("any bid"))),
)
calls = st.one_of(
    named_calls,
    st.builds(
        CallPattern,
        st.sampled_from(("cheapest", "jump", "double jump", "game")),
        st.none(),
        st.one_of(strains, st.sampled_from(ROLES)),
    ),
)
who = st.sampled_from(("me", "we", "partner", "LHO", "RHO", "they"))
seen = st.sampled_from(("me", "partner", "LHO", "RHO"))
tags = st.from_regex(r"#[a-z][a-z0-9-]{0,6}", fullmatch=True).filter(lambda t: "--" not in t)


@st.composite
def ranges(draw, most=13):
    low, high = sorted((draw(st.integers(0, most)), draw(st.integers(0, most))))
    return draw(st.sampled_from((Range(low), Range(low, low), Range(low, high), Range(0, high))))


@st.composite
def halves(draw, most=8):
    low, high = (
        half // 2 if half % 2 == 0 else half / 2
        for half in sorted((draw(st.integers(0, 2 * most)), draw(st.integers(0, 2 * most))))
    )
    return draw(st.sampled_from((Range(low), Range(low, low), Range(low, high), Range(0, high))))


@st.composite
def aces(draw):
    numbers = draw(st.lists(st.integers(0, 4), min_size=2, max_size=3, unique=True))
    return Range(numbers[0], numbers[0], tuple(numbers[1:]))


@st.composite
def shapes(draw):
    lengths = list(draw(st.sampled_from(((4, 3, 3, 3), (5, 4, 2, 2), (7, 6, 0, 0), (4, 4, 4, 1)))))
    words = [str(length) for length in draw(st.permutations(lengths))]
    for place in draw(st.sets(st.integers(0, 3))):
        words[place] = draw(st.sampled_from(("x", f"{words[place]}+")))
    return draw(st.sampled_from("=-")).join(words)


def phrase(kind, **fields):
    return st.builds(Phrase, st.just(kind) if isinstance(kind, str) else kind, **fields)


counted = st.one_of(
    phrase("points", range=ranges(37), suits=maybe_suit),
    phrase(st.sampled_from(("aces", "kings", "queens")), range=st.one_of(ranges(4), aces())),
    phrase(st.sampled_from(("total points", "losers", "controls")), range=ranges(12)),
    phrase(st.sampled_from(("quick tricks", "playing tricks")), range=halves()),
    phrase("keycards", range=ranges(5), suits=maybe_suit),
    phrase("length", range=ranges(13), suits=one_suit),
)
phrases = st.one_of(
    counted,
    phrase(st.sampled_from(("combined points", "combined points at best")), range=ranges(40)),
    phrase(
        st.sampled_from(("support points", "combined support points")),
        range=ranges(40),
        suits=maybe_suit,
    ),
    phrase("support", range=ranges(13), suits=one_suit),
    phrase("combined cards", range=ranges(13), suits=one_suit),
    phrase(
        "suit length",
        range=ranges(13),
        suits=st.sampled_from((("a suit",), ("a major",), ("a minor",))),
    ),
    phrase("shape", text=shapes()),
    phrase(
        st.sampled_from(("longer", "stronger", "at least as long", "ranks above")), suits=two_suits
    ),
    phrase("same suit", suits=st.tuples(suits, suits)),
    phrase(
        st.sampled_from(
            (
                "longest",
                "strictly longest",
                "longest outside theirs",
                "fourth suit",
                "stopper",
                "partial stopper",
                "two stoppers",
                "void",
                "singleton",
                "doubleton",
                "shortness",
                "first-round control",
                "second-round control",
            )
        ),
        suits=one_suit,
    ),
    st.tuples(st.integers(1, 3), st.integers(3, 5), suits).map(
        lambda t: Phrase("top honours", range=Range(t[0]), count=t[0], of=t[1], suits=(t[2],))
    ),
    phrase("honour", text=st.sampled_from(("ace", "king", "ten")), suits=one_suit),
    phrase("rule of", count=st.integers(10, 25)),
    phrase("named", text=names, suits=maybe_suit),
    phrase("raw", text=st.sampled_from(("HCP >= 15", "SL_S + SL_H >= 9 and not Balanced"))),
    phrase(
        st.sampled_from(("law", "enough points", "pays over theirs", "doubling pays", "available")),
        call=calls,
    ),
    phrase("available", call=calls, range=st.sampled_from((Range(0, 2), Range(3), Range(2, 2)))),
    phrase(
        st.sampled_from(
            (
                "any hand",
                "game is remote",
                "slam is remote",
                "vulnerable",
                "not vulnerable",
                "favourable",
                "unfavourable",
                "nobody opened",
                "forced",
                "game forced",
                "balancing",
                "contested",
                "uncontested",
                "game reached",
            )
        )
    ),
    phrase("seat", range=st.sampled_from((Range(1, 1), Range(1, 3), Range(1, 1, (3,))))),
    phrase("passed hand", who=who),
    phrase("opened", who=who, call=st.one_of(st.none(), calls)),
    phrase("bid", who=who, suits=maybe_suit),
    phrase("bid", who=who, call=calls),
    phrase("not bid", who=who, suits=maybe_suit),
    phrase("only passed", who=who),
    phrase("last call", who=seen, call=named_calls),
    phrase(
        "last call",
        who=seen,
        text=st.one_of(
            tags,
            st.sampled_from(
                (
                    "bid",
                    "raise",
                    "jump",
                    "double jump",
                    "jump raise",
                    "suit",
                    "new suit",
                    "notrump",
                    "cue-bid",
                    "reverse",
                    "forcing",
                    "forcing to game",
                    "artificial",
                    "sign-off",
                )
            ),
        ),
    ),
    phrase("last call", who=st.sampled_from(("we", "they")), call=st.sampled_from((PASS, DOUBLE))),
    phrase("last bid", who=who, text=st.one_of(st.just(""), tags)),
    phrase("last bid", call=named_calls),
    phrase("has called", who=who, text=tags),
    st.tuples(st.sampled_from(("has shown", "may have")), who, counted).map(
        lambda t: Phrase(t[0], who=t[1], range=t[2].range, suits=t[2].suits, text=t[2].kind)
    ),
    phrase("unbid", suits=one_suit, text=st.sampled_from(("suit", "major", "minor"))),
    phrase("fit", count=st.integers(7, 10), suits=maybe_suit),
    phrase("level", range=st.sampled_from((Range(2, 2), Range(0, 3), Range(4)))),
    phrase("nth call", count=st.integers(1, 4)),
)
conditions = st.recursive(
    phrases,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(all_of),
        st.lists(inner, min_size=2, max_size=3).map(any_of),
        inner.map(NotThis),
    ),
    max_leaves=6,
)


@given(condition=conditions)
def test_words_of_a_tree_read_as_the_tree(condition):
    assert parse_condition(condition_text(condition)) == condition


@given(condition=conditions, mark=st.sampled_from(["", "\ufe0f"]))
def test_signs_of_suits_read_as_their_words(condition, mark):
    written = condition_text(condition)
    signed = written
    for sign, word in SUIT_OF_SIGN.items():
        signed = re.sub(rf"\b{word}\b(?!['’-])", sign + mark, signed)
        signed = re.sub(rf"\b([1-7n]){SUIT_WORDS[word]}\b", rf"\1{sign}{mark}", signed)
    assert parse_condition(signed) == condition
    assert without_signs(signed) == written
