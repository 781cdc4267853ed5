"""Conditions in words, lowered to expressions at one place of an auction.

A phrase tests the hand (``15-17 points``), the hand beside what partner has shown (``25+ combined
points``) or the auction (``partner is a passed hand``). At a place everything but the hand is
known: facts become true or false, partner's minimum becomes a number, suit words become letters.
What is left is an :data:`~bidcascade.table.language.expression_tree.Expression`.

Where a suit word means several suits, all of them must pass the test (``stopper in their suits``);
after ``a`` or ``an`` (``a major``, ``an unbid suit``) one is enough. With no suit at all the words
in the plural and ``their suit`` hold, the others do not.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Protocol

from bidcascade.bridge import InvalidExpression, InvalidSystem
from bidcascade.table.language.expression_tree import Comparison, Expression, Not, Term
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.system_text.syntax_tree import (
    AllOf,
    AnyOf,
    CallPattern,
    Condition,
    Define,
    NotThis,
    Phrase,
    Range,
)

from .formulas import (
    FALSE,
    TRUE,
    compared,
    conjunction,
    disjunction,
    disjuncts,
    negation,
    within,
)
from .shapes import BUILT_IN, built_in_shapes, shape_expression

__all__ = ["POINTS_FOR_LEVEL", "Scope", "disjuncts", "lower"]

POINTS_FOR_LEVEL: Final[dict[str, tuple[int, ...]]] = {
    "suit": (16, 19, 22, 25, 28, 33, 37),
    "notrump": (19, 22, 25, 28, 30, 33, 37),
}
"""Combined points for a contract on level 1 to 7: the usual 25 for game in a major or notrump, 28
in a minor, 33 and 37 for slams, carried on downwards in steps of three (bidcascade's own)."""

GAME_POINTS: Final = 25
SLAM_POINTS: Final = 33
DEEPEST_DEFINITION: Final = 32
"""Definitions within definitions before a circle is assumed."""

_HONOURS: Final = {"ace": "A", "king": "K", "queen": "Q", "jack": "J", "ten": "T"}
_ALL: Final = ("their suit", "their suits")


class Scope(Protocol):
    """What lowering asks about the place: values of words, of partner's and opponents' calls."""

    def suits(self, word: str) -> tuple[str, ...]:
        """Letters of a suit word, variable or role; may be empty.

        Raises
        ------
        InvalidSystem
            For a variable that is not bound.
        """

    def shown(self, who: str, term: str) -> tuple[int, int]:
        """Smallest and largest value of a term that a player (``partner``, ``me``) has shown."""

    def fact(self, phrase: Phrase) -> bool:
        """Whether a fact about the auction holds."""

    def bid(self, call: CallPattern) -> tuple[int, str] | None:
        """Level and strain letter (``C D H S N``) of a bid here; None if there is none."""

    def define(self, name: str) -> Define | None:
        """Definition of a name."""

    def with_suits(self, bound: Mapping[str, tuple[str, ...]]) -> "Scope":
        """Scope in which these words mean these suits."""


def lower(condition: Condition, scope: Scope) -> Expression:
    """Expression over the vocabulary that a condition means at a place.

    Facts are :class:`~bidcascade.table.language.expression_tree.Truth` and fold away, so that the
    result is a truth itself where the hand does not matter.

    Raises
    ------
    InvalidSystem
        If a suit variable is not bound, a name is not defined or defined by itself, a raw
        expression does not parse, or a phrase asks for what does not exist (two of the top nine).

    Examples
    --------
    >>> class NothingShown:
    ...     def suits(self, word): return (word[0].upper(),)
    ...     def shown(self, who, term): return (0, 37)
    ...     def fact(self, phrase): return False
    ...     def bid(self, call): return None
    ...     def define(self, name): return None
    ...     def with_suits(self, bound): return self
    >>> weak, long = Phrase("points", Range(5, 10)), Phrase("length", Range(6, 6), ("spades",))
    >>> good = Phrase("top honours", Range(2), ("spades",), count=2, of=3)
    >>> str(lower(AllOf((weak, long, good)), NothingShown()))
    'HCP >= 5 and HCP <= 10 and SL_S == 6 and Top3_S >= 2'
    """
    return _lower(condition, scope, 0)


def _lower(condition: Condition, scope: Scope, depth: int) -> Expression:
    match condition:
        case AllOf(parts):
            return conjunction(_lower(part, scope, depth) for part in parts)
        case AnyOf(parts):
            return disjunction(_lower(part, scope, depth) for part in parts)
        case NotThis(part):
            return negation(_lower(part, scope, depth))
        case Phrase(kind="named"):
            return _named(condition, scope, depth)
    lowered = _PHRASES.get(condition.kind)
    if lowered is None:
        return TRUE if scope.fact(condition) else FALSE
    return lowered(condition, scope)


# --- suits of a phrase ---------------------------------------------------------------------------


def _join(word: str, parts: Sequence[Expression]) -> Expression:
    """All of the tests of several suits, or one of them, as the word for the suits says."""
    if word.startswith(("a ", "an ")):
        return disjunction(parts)
    if not parts and not (word in _ALL or word.startswith(("every ", "both "))):
        return FALSE
    return conjunction(parts)


def _each(phrase: Phrase, scope: Scope, test: Callable[[str], Expression]) -> Expression:
    """Test of a phrase's one suit word, for the suits that it means."""
    word = _word(phrase)
    return _join(word, [test(letter) for letter in scope.suits(word)])


def _word(phrase: Phrase) -> str:
    if len(phrase.suits) != 1:
        raise _unusable(phrase, f"one suit, got {phrase.suits!r}")
    return phrase.suits[0]


def _trumps(phrase: Phrase, scope: Scope, words: Sequence[str]) -> tuple[str, ...]:
    """Letters of the phrase's suit, or of the first of some roles that has a suit."""
    for word in phrase.suits or words:
        letters = scope.suits(word)
        if letters:
            return letters
    return ()


def _unusable(phrase: Phrase, expected: str) -> InvalidSystem:
    place = f" ({phrase.where})" if phrase.where.line else ""
    return InvalidSystem(f"{phrase.kind!r}: expected {expected}{place}")


def _range(phrase: Phrase) -> Range:
    if phrase.range is None:
        raise _unusable(phrase, "a number, got none")
    return phrase.range


# --- the hand ------------------------------------------------------------------------------------


def _measure(term: str) -> Callable[[Phrase, Scope], Expression]:
    """Range of one number of the whole hand."""
    return lambda phrase, scope: within(term, _range(phrase))


def _in_suit(stem: str) -> Callable[[Phrase, Scope], Expression]:
    """Range of a number of one suit."""
    return lambda phrase, scope: _each(
        phrase, scope, lambda letter: within(f"{stem}_{letter}", _range(phrase))
    )


def _flag(stem: str) -> Callable[[Phrase, Scope], Expression]:
    """Truth value of one suit."""
    return lambda phrase, scope: _each(phrase, scope, lambda letter: Term(f"{stem}_{letter}"))


def _stopper(phrase: Phrase, scope: Scope) -> Expression:
    """Ask for what players call a stopper: ace, guarded king, twice guarded queen, jack fourth.

    The published tables' ``Stopper`` wants more (a king twice guarded does not do), their
    ``Likely_Stopper`` takes five small cards too.
    """
    return _each(
        phrase,
        scope,
        lambda letter: conjunction(
            (Term(f"Likely_Stopper_{letter}"), compared(f"HCP_{letter}", ">=", 1))
        ),
    )


def _cards(wanted: Range) -> Callable[[Phrase, Scope], Expression]:
    """Ask for a fixed range of a suit's length: void, singleton, doubleton, shortness."""
    return lambda phrase, scope: _each(phrase, scope, lambda letter: within(f"SL_{letter}", wanted))


def _points(phrase: Phrase, scope: Scope) -> Expression:
    return _in_suit("HCP")(phrase, scope) if phrase.suits else within("HCP", _range(phrase))


def _support_points(phrase: Phrase, scope: Scope) -> Expression:
    """For partner's suit unless another is named, else for ours; no suit, no support."""
    letters = _trumps(phrase, scope, ("partner's suit", "our suit"))
    return _join(
        phrase.suits[0] if phrase.suits else "partner's suit",
        [within(f"Support_Points_{letter}", _range(phrase)) for letter in letters],
    )


def _keycards(phrase: Phrase, scope: Scope) -> Expression:
    """Aces and the king of our suit; while there is none, aces."""
    if phrase.suits:
        return _in_suit("Keycards")(phrase, scope)
    letters = scope.suits("our suit")
    return within(f"Keycards_{letters[0]}" if letters else "Aces", _range(phrase))


def _suit_length(phrase: Phrase, scope: Scope) -> Expression:
    wanted = _range(phrase)
    if phrase.suits == ("a suit",) and wanted.high is None and not wanted.also:
        return compared("Longest_Suit", ">=", wanted.low)
    return _in_suit("SL")(phrase, scope)


def _length_against(operator: str) -> Callable[[Phrase, Scope], Expression]:
    """``longer`` and ``at least as long``: first suit against the second, every pair of them."""

    def lowered(phrase: Phrase, scope: Scope) -> Expression:
        if len(phrase.suits) != 2:
            raise _unusable(phrase, f"two suits, got {phrase.suits!r}")
        first, second = phrase.suits
        others = scope.suits(second)

        def against_all(letter: str) -> Expression:
            tests = [_lengths(letter, operator, other) for other in others if other != letter]
            return _join(second, tests) if others else TRUE

        return _join(first, [against_all(letter) for letter in scope.suits(first)])

    return lowered


@lru_cache(maxsize=64)
def _lengths(first: str, operator: str, second: str) -> Expression:
    return Comparison(Term(f"SL_{first}"), ((operator, Term(f"SL_{second}")),))


def _longest(phrase: Phrase, scope: Scope) -> Expression:
    return _each(
        phrase,
        scope,
        lambda letter: Comparison(Term(f"SL_{letter}"), ((">=", Term("Longest_Suit")),)),
    )


def _strictly_longest(phrase: Phrase, scope: Scope) -> Expression:
    # the second longest suit is shorter only than a longest one that stands alone
    return _each(
        phrase,
        scope,
        lambda letter: Comparison(Term(f"SL_{letter}"), ((">", Term("Second_Suit")),)),
    )


def _longest_outside_theirs(phrase: Phrase, scope: Scope) -> Expression:
    theirs = scope.suits("their suits")
    return _each(
        phrase,
        scope,
        lambda letter: conjunction(
            _lengths(letter, ">=", other)
            for other in "CDHS"
            if other != letter and other not in theirs
        ),
    )


def _top_honours(phrase: Phrase, scope: Scope) -> Expression:
    among = phrase.of or 0
    if among == 1:
        return _in_suit("Top2")(phrase, scope)
    if not 2 <= among <= 5:
        raise _unusable(phrase, f"the top two, three, four or five, got {phrase.of!r}")
    return _in_suit(f"Top{among}")(phrase, scope)


def _honour(phrase: Phrase, scope: Scope) -> Expression:
    rank = _HONOURS.get(phrase.text)
    if rank is None:
        raise _unusable(phrase, f"one of {', '.join(_HONOURS)}, got {phrase.text!r}")
    return _each(phrase, scope, lambda letter: Term(f"C_{letter}{rank}"))


def _first_round_control(phrase: Phrase, scope: Scope) -> Expression:
    """Ace or void."""
    return _each(
        phrase,
        scope,
        lambda letter: disjunction((Term(f"C_{letter}A"), compared(f"SL_{letter}", "==", 0))),
    )


def _second_round_control(phrase: Phrase, scope: Scope) -> Expression:
    """Ace, king, void or singleton: the second round of the suit is not lost."""
    return _each(
        phrase,
        scope,
        lambda letter: disjunction(
            (compared(f"Top2_{letter}", ">=", 1), compared(f"SL_{letter}", "<=", 1))
        ),
    )


def _rule_of(phrase: Phrase, scope: Scope) -> Expression:
    """Rule of 20 and its kin (18 to 22): points and the two longest suits; of 15: and spades."""
    if phrase.count == 15:
        return compared("Rule_Of_15", ">=", 15)
    if phrase.count is None or not 18 <= phrase.count <= 22:
        raise _unusable(phrase, f"the rule of 15 or of 18 to 22, got {phrase.count!r}")
    return compared("Rule_Of_20", ">=", phrase.count)


def _raw(phrase: Phrase, scope: Scope) -> Expression:
    try:
        return conjunction((parse_expression(phrase.text),))
    except InvalidExpression as error:
        raise InvalidSystem(f"{phrase.where}: in {{{phrase.text}}}: {error}") from None


# --- shapes and definitions ---------------------------------------------------------------------


def _shape(phrase: Phrase, scope: Scope) -> Expression:
    try:
        return shape_expression(phrase.text)
    except ValueError:
        raise _unusable(
            phrase, f"four lengths of 13 cards such as 4=4=3=2 or 5-4-x-x, got {phrase.text!r}"
        ) from None


def _named(phrase: Phrase, scope: Scope, depth: int) -> Expression:
    """Lower a defined name; its parameters take the phrase's suits, one letter at a time."""
    definition = scope.define(phrase.text)
    if definition is None:
        return _built_in(phrase)
    if depth >= DEEPEST_DEFINITION:
        raise _unusable(phrase, f"a definition that does not use itself, got {phrase.text!r}")
    if len(definition.suits) != len(phrase.suits):
        raise _unusable(
            phrase,
            f"{len(definition.suits)} suits behind {phrase.text!r}, got {len(phrase.suits)}",
        )
    return _defined(definition, phrase, scope, depth + 1, 0, {})


def _defined(
    definition: Define,
    phrase: Phrase,
    scope: Scope,
    depth: int,
    place: int,
    bound: dict[str, tuple[str, ...]],
) -> Expression:
    """Lower a definition with its parameters from ``place`` on still to be bound."""
    if place == len(phrase.suits):
        inner = scope.with_suits(bound) if bound else scope
        return _lower(definition.condition, inner, depth)
    word = phrase.suits[place]
    return _join(
        word,
        [
            _defined(
                definition, phrase, scope, depth, place + 1,
                bound | _parameter(definition.suits[place], letter),
            )
            for letter in scope.suits(word)
        ],
    )  # fmt: skip


def _parameter(name: str, letter: str) -> dict[str, tuple[str, ...]]:
    """Suit of a parameter, and of ``oM`` or ``om`` where the parameter is ``M`` or ``m``."""
    bound: dict[str, tuple[str, ...]] = {name: (letter,)}
    for rank, letters in (("M", "HS"), ("m", "CD")):
        if name == rank and letter in letters:
            bound["o" + rank] = (letters.replace(letter, ""),)
    return bound


def _built_in(phrase: Phrase) -> Expression:
    if phrase.text == "unbalanced":
        return negation(built_in_shapes("balanced"))
    if phrase.text not in BUILT_IN:
        raise _unusable(phrase, f"a name that the system defines, got {phrase.text!r}")
    return built_in_shapes(phrase.text)


# --- both hands ----------------------------------------------------------------------------------


def _combined(term: str, *, at_best: bool = False) -> Callable[[Phrase, Scope], Expression]:
    """Range of a sum with partner's minimum; both ends of the range use it.

    So ``23-24 combined points`` is the hand that invites a partner who may have more.
    """
    return lambda phrase, scope: within(
        term, _range(phrase), shift=scope.shown("partner", term)[at_best]
    )


def _combined_support_points(phrase: Phrase, scope: Scope) -> Expression:
    """Own support points and partner's minimum of HCP; without a suit of ours, HCP alone."""
    partner = scope.shown("partner", "HCP")[0]
    letters = _trumps(phrase, scope, ("our suit", "partner's suit"))
    if not letters and not phrase.suits:
        return within("HCP", _range(phrase), shift=partner)
    return _join(
        phrase.suits[0] if phrase.suits else "our suit",
        [within(f"Support_Points_{letter}", _range(phrase), shift=partner) for letter in letters],
    )


def _combined_keycards(phrase: Phrase, scope: Scope) -> Expression:
    letters = _trumps(phrase, scope, ("our suit",))
    if not letters and not phrase.suits:
        return _combined("Aces")(phrase, scope)
    return _join(
        phrase.suits[0] if phrase.suits else "our suit",
        [_combined(f"Keycards_{letter}")(phrase, scope) for letter in letters],
    )


def _combined_cards(phrase: Phrase, scope: Scope) -> Expression:
    return _each(phrase, scope, lambda letter: _combined(f"SL_{letter}")(phrase, scope))


def _law(phrase: Phrase, scope: Scope) -> Expression:
    """As many trumps together as tricks bid for: level + 6, partner's minimum counted.

    Law of total tricks, J.-R. Vernes (1969), as a rule of bidding: L. Cohen, "To Bid or Not to
    Bid" (1992).
    """
    found = _contract(phrase, scope)
    if found is None:
        return FALSE
    level, strain = found
    if strain == "N":
        raise _unusable(phrase, "a suit contract, got notrump")
    known = scope.shown("partner", f"SL_{strain}")[0]
    return compared(f"SL_{strain}", ">=", level + 6 - known)


def _enough_points(phrase: Phrase, scope: Scope) -> Expression:
    """Ask for the combined points of a contract by :data:`POINTS_FOR_LEVEL`.

    In a suit with eight cards or more together support points count instead of HCP. Where three
    cards make the fit, support points alone say it: with fewer they are HCP.
    """
    found = _contract(phrase, scope)
    if found is None:
        return FALSE
    level, strain = found
    partner = scope.shown("partner", "HCP")[0]
    if strain == "N":
        return compared("HCP", ">=", POINTS_FOR_LEVEL["notrump"][level - 1] - partner)
    needed = POINTS_FOR_LEVEL["suit"][level - 1] - partner
    for_fit = 8 - scope.shown("partner", f"SL_{strain}")[0]
    with_fit = compared(f"Support_Points_{strain}", ">=", needed)
    if for_fit <= 3:
        return with_fit
    fit = compared(f"SL_{strain}", ">=", for_fit)
    points = compared("HCP", ">=", needed)
    return points if points == TRUE else disjunction((points, conjunction((fit, with_fit))))


def _contract(phrase: Phrase, scope: Scope) -> tuple[int, str] | None:
    if phrase.call is None:
        raise _unusable(phrase, "a call, got none")
    return scope.bid(phrase.call)


def _remote(points: int) -> Callable[[Phrase, Scope], Expression]:
    """Not even with partner's maximum are there the points."""
    return lambda phrase, scope: compared(
        "HCP", "<=", points - 1 - scope.shown("partner", "HCP")[1]
    )


# --- vulnerability -------------------------------------------------------------------------------

_WE: Final = Term("Vul_We")
_THEY: Final = Term("Vul_They")


def _always(expression: Expression) -> Callable[[Phrase, Scope], Expression]:
    return lambda phrase, scope: expression


_PHRASES: Final[dict[str, Callable[[Phrase, Scope], Expression]]] = {
    "points": _points,
    "total points": _measure("Total_Points"),
    "support points": _support_points,
    "losers": _measure("Losers"),
    "controls": _measure("Controls"),
    "quick tricks": _measure("QT"),
    "playing tricks": _measure("Playing_Tricks"),
    "aces": _measure("Aces"),
    "kings": _measure("Kings"),
    "queens": _measure("Queens"),
    "keycards": _keycards,
    "length": _in_suit("SL"),
    "support": _in_suit("SL"),
    "suit length": _suit_length,
    "shape": _shape,
    "longer": _length_against(">"),
    "at least as long": _length_against(">="),
    "longest": _longest,
    "strictly longest": _strictly_longest,
    "longest outside theirs": _longest_outside_theirs,
    "top honours": _top_honours,
    "honour": _honour,
    "stopper": _stopper,
    "stoppers": _stopper,
    "partial stopper": _flag("Partial_Stopper"),
    "two stoppers": _flag("Two_Stoppers"),
    "void": _cards(Range(0, 0)),
    "singleton": _cards(Range(1, 1)),
    "doubleton": _cards(Range(2, 2)),
    "shortness": _cards(Range(0, 1)),
    "first-round control": _first_round_control,
    "second-round control": _second_round_control,
    "rule of": _rule_of,
    "any hand": _always(TRUE),
    "raw": _raw,
    "combined points": _combined("HCP"),
    "combined points at best": _combined("HCP", at_best=True),
    "combined support points": _combined_support_points,
    "combined aces": _combined("Aces"),
    "combined kings": _combined("Kings"),
    "combined keycards": _combined_keycards,
    "combined cards": _combined_cards,
    "law": _law,
    "enough points": _enough_points,
    "game is remote": _remote(GAME_POINTS),
    "slam is remote": _remote(SLAM_POINTS),
    "vulnerable": _always(_WE),
    "not vulnerable": _always(Not(_WE)),
    "favourable": _always(conjunction((Not(_WE), _THEY))),
    "unfavourable": _always(conjunction((_WE, Not(_THEY)))),
}
"""Phrases that the hand or the vulnerability decides; any other kind is a fact of the auction."""
