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
from typing import Final, NamedTuple, Protocol

from bidcascade.bridge import InvalidExpression, InvalidSystem
from bidcascade.systems.language.tree.syntax_tree import (
    AllOf,
    AnyOf,
    CallPattern,
    Condition,
    Define,
    NotThis,
    Phrase,
    Range,
)
from bidcascade.systems.language.words.phrases import BOTH_HANDS, COUNTED, LENGTHS
from bidcascade.systems.places.formulas import (
    BUILT_IN,
    FALSE,
    GAME_POINTS,
    HONOURS,
    SLAM_POINTS,
    TRUE,
    built_in_shapes,
    compared,
    conjunction,
    disjunction,
    negation,
    shape_expression,
    within,
)
from bidcascade.table.language.expression_tree import (
    And,
    Comparison,
    Expression,
    Negative,
    Not,
    Number,
    Product,
    Sum,
    TermName,
    Truth,
)
from bidcascade.table.language.expressions import parse_expression

POINTS_FOR_LEVEL: Final[dict[str, tuple[int, ...]]] = {
    "suit": (16, 19, 22, 25, 28, 33, 37),
    "notrump": (19, 22, 25, 28, 30, 33, 37),
}
"""Combined points for a contract on level 1 to 7: the usual 25 for game in a major or notrump, 28
in a minor, 33 and 37 for slams, carried on downwards in steps of three (bidcascade's own)."""


class PaysOver(NamedTuple):
    """What a suit pays over a bid of theirs, beside what both hands bring: tenths of a unit."""

    their_point: int
    """Of the least that both opponents have shown together."""
    we_vulnerable: int
    they_vulnerable: int
    levels: Mapping[int, int]


class Pays(NamedTuple):
    """What bidding a suit over their bid is worth on average, beside a pass: a sum.

    What the own hand brings is counted in units of about 0.3 IMPs over part scores and 0.4 over
    games, in few and small numbers: so it is one value a hand for each suit, and a place only says
    how much of it is enough. All else is counted in tenths of a unit. Fitted to the double-dummy
    results of the open part of the bank, at places where the shipped ``sayc`` might have bid a suit
    over theirs or passed, as the mean of both scores: as the bidding left them, and doubled where a
    contract fails (``python -m benchmarks.bidding.over_their_bid``; bidcascade's own). The highest
    level of each, where few bid, carries on the steps of those below it. All levels ask for two
    units less than the fit, which gains by the first score what it loses by the second.
    """

    own_trump: int = 4
    support_point: int = 2
    """Less high-card points, which so count but half of shortness: they defend as well."""
    partners_trump: int = 40
    partners_point: int = 8
    """Of the most that partner may hold, at most ``widest`` beyond his least."""
    widest: int = 12
    part_score: PaysOver = PaysOver(-4, -18, -12, {2: -469, 3: -506, 4: -544, 5: -582})
    game: PaysOver = PaysOver(-9, -47, 14, {4: -451, 5: -499, 6: -547})


PAYS: Final = Pays()
"""The table that ``pays over theirs`` counts with; the core has the same numbers."""


class DoublingPays(NamedTuple):
    """What a double of their suit contract is worth on average, beside a pass: a sum.

    Own parts are in units of about 0.3 IMPs, one for each high-card point in their trumps besides;
    all else is in tenths of a unit. Fitted to the same results and scores as :class:`Pays`, where
    both sides have bid and the suit is one that they have shown; no benchmark repeats that fit.
    """

    control: int = 2
    trump: int = 2
    shortness: int = 2
    """Total points less high-card points."""
    partners_least: int = 6
    partners_most: int = 2
    their_most: int = -4
    """Of the most that each opponent may hold."""
    highest: int = 22
    """More points than these count as these, of those that somebody may hold at most."""
    their_trump: int = -8
    """Of those that both have shown together, six at least."""
    fewest_trumps: int = 6
    they_vulnerable: int = -15
    levels: Mapping[int, int] = {4: -73, 5: -14}


DOUBLING_PAYS: Final = DoublingPays()
"""The table that ``doubling 4S pays`` counts with; the core has the same numbers."""
_TENTHS: Final = 10

DEEPEST_DEFINITION: Final = 32
"""Definitions within definitions before a circle is assumed."""

_ALL: Final = ("their suit", "their suits")


class Scope(Protocol):
    """What lowering asks about the place: values of words, of partner's and opponents' calls."""

    def suits(self, word: str) -> tuple[str, ...]:
        """Letters of a suit word, variable or role; may be empty, InvalidSystem if not bound."""

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


def criteria_of(condition: Condition | None, scope: Scope) -> tuple[Expression, ...] | None:
    """Criteria that a condition becomes at a place; None where it cannot hold."""
    expression = TRUE if condition is None else lower(condition, scope)
    if isinstance(expression, Truth):
        return () if expression.value else None
    return expression.operands if isinstance(expression, And) else (expression,)


def lower(condition: Condition, scope: Scope) -> Expression:
    """Expression over the vocabulary that a condition means at a place.

    Facts are :class:`~bidcascade.table.language.expression_tree.Truth` and fold away, so that the
    result is a truth itself where the hand does not matter.

    Raises
    ------
    InvalidSystem
        If a suit variable is not bound, a name is not defined or defined by itself, a raw
        expression does not parse, or a phrase asks for what does not exist (two of the top nine).
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
    lowered = PHRASES.get(condition.kind)
    if lowered is None:
        return TRUE if scope.fact(condition) else FALSE
    return lowered(condition, scope)


# --- suits of a phrase ---------------------------------------------------------------------------

_Lowered = Callable[[Phrase, Scope], Expression]
"""What a kind of phrase becomes at a place."""


def _join(word: str, parts: Sequence[Expression]) -> Expression:
    """All of the tests of several suits, or one of them, as the word for the suits says."""
    if word.startswith(("a ", "an ")):
        return disjunction(parts)
    if not parts and not (word in _ALL or word.startswith(("every ", "both "))):
        return FALSE
    return conjunction(parts)


def _each(test: Callable[[str, Phrase], Expression]) -> _Lowered:
    """Test of the letters of a phrase's one suit word."""

    def lowered(phrase: Phrase, scope: Scope) -> Expression:
        if len(phrase.suits) != 1:
            raise _unusable(phrase, f"one suit, got {phrase.suits!r}")
        word = phrase.suits[0]
        return _join(word, [test(letter, phrase) for letter in scope.suits(word)])

    return lowered


def _unusable(phrase: Phrase, expected: str) -> InvalidSystem:
    place = f" ({phrase.where})" if phrase.where.line else ""
    return InvalidSystem(f"{phrase.kind!r}: expected {expected}{place}")


def _range(phrase: Phrase) -> Range:
    if phrase.range is None:
        raise _unusable(phrase, "a number, got none")
    return phrase.range


# --- the hand ------------------------------------------------------------------------------------


def _measure(term: str) -> _Lowered:
    """Range of one number of the whole hand."""
    return lambda phrase, scope: within(term, _range(phrase))


def _in_suit(stem: str) -> _Lowered:
    """Range of a number of one suit."""
    return _each(lambda letter, phrase: within(f"{stem}_{letter}", _range(phrase)))


def _flag(stem: str) -> _Lowered:
    """Truth value of one suit."""
    return _each(lambda letter, phrase: TermName(f"{stem}_{letter}"))


def _cards(found: Range) -> _Lowered:
    """Ask for a fixed range of a suit's length: void, singleton, doubleton, shortness."""
    return _each(lambda letter, phrase: within(f"SL_{letter}", found))


def _length_beside(operator: str, term: str) -> _Lowered:
    """Compare a suit's length with a number of the whole hand."""
    return _each(lambda letter, phrase: _terms(f"SL_{letter}", operator, term))


@lru_cache(maxsize=256)
def _terms(first: str, operator: str, second: str) -> Expression:
    return Comparison(TermName(first), ((operator, TermName(second)),))


def _stopper(letter: str, phrase: Phrase) -> Expression:
    """Ask for what players call a stopper: ace, guarded king, twice guarded queen, jack fourth."""
    # the published tables' ``Stopper`` wants more (a king twice guarded does not do), their
    # ``Likely_Stopper`` takes five small cards too
    return conjunction((TermName(f"Likely_Stopper_{letter}"), compared(f"HCP_{letter}", ">=", 1)))


def _first_round_control(letter: str, phrase: Phrase) -> Expression:
    """Ace or void."""
    return disjunction((TermName(f"C_{letter}A"), compared(f"SL_{letter}", "==", 0)))


def _second_round_control(letter: str, phrase: Phrase) -> Expression:
    """Ace, king, void or singleton: the second round of the suit is not lost."""
    return disjunction((compared(f"Top2_{letter}", ">=", 1), compared(f"SL_{letter}", "<=", 1)))


def _honour(phrase: Phrase, scope: Scope) -> Expression:
    rank = HONOURS.get(phrase.text)
    if rank is None:
        raise _unusable(phrase, f"one of {', '.join(HONOURS)}, got {phrase.text!r}")
    return _each(lambda letter, phrase: TermName(f"C_{letter}{rank}"))(phrase, scope)


def _points(phrase: Phrase, scope: Scope) -> Expression:
    return (_in_suit if phrase.suits else _measure)("HCP")(phrase, scope)


def _suit_length(phrase: Phrase, scope: Scope) -> Expression:
    wanted = _range(phrase)
    if phrase.suits == ("a suit",) and wanted.high is None and not wanted.also:
        return compared("Longest_Suit", ">=", wanted.low)
    return _in_suit("SL")(phrase, scope)


def _suit_against(stem: str, operator: str) -> _Lowered:
    """Compare a number of the first suit with that of the second, every pair of them."""

    def lowered(phrase: Phrase, scope: Scope) -> Expression:
        if len(phrase.suits) != 2:
            raise _unusable(phrase, f"two suits, got {phrase.suits!r}")
        first, second = phrase.suits
        others = scope.suits(second)

        def against_all(letter: str) -> Expression:
            pairs = [(f"{stem}_{letter}", f"{stem}_{other}") for other in others if other != letter]
            tests = [_terms(one, operator, other) for one, other in pairs]
            return _join(second, tests) if others else TRUE

        return _join(first, [against_all(letter) for letter in scope.suits(first)])

    return lowered


def _longest_outside_theirs(phrase: Phrase, scope: Scope) -> Expression:
    theirs = scope.suits("their suits")

    def test(letter: str, phrase: Phrase) -> Expression:
        others = (other for other in "CDHS" if other != letter and other not in theirs)
        return conjunction(_terms(f"SL_{letter}", ">=", f"SL_{other}") for other in others)

    return _each(test)(phrase, scope)


def _top_honours(phrase: Phrase, scope: Scope) -> Expression:
    among = phrase.of or 0
    if not 1 <= among <= 5:
        raise _unusable(phrase, f"the top two, three, four or five, got {phrase.of!r}")
    return _in_suit(f"Top{max(among, 2)}")(phrase, scope)


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
        wanted = "four lengths of 13 cards such as 4=4=3=2 or 5-4-x-x"
        raise _unusable(phrase, f"{wanted}, got {phrase.text!r}") from None


def _named(phrase: Phrase, scope: Scope, depth: int) -> Expression:
    """Lower a defined name; its parameters take the phrase's suits, one letter at a time."""
    name = phrase.text
    definition = scope.define(name)
    if definition is None:
        if name == "unbalanced":
            return negation(built_in_shapes("balanced"))
        if name not in BUILT_IN:
            raise _unusable(phrase, f"a name that the system defines, got {name!r}")
        return built_in_shapes(name)
    if depth >= DEEPEST_DEFINITION:
        raise _unusable(phrase, f"a definition that does not use itself, got {name!r}")
    wanted, got = len(definition.suits), len(phrase.suits)
    if wanted != got:
        raise _unusable(phrase, f"{wanted} suits behind {name!r}, got {got}")
    condition, pairs = definition.condition, list(zip(definition.suits, phrase.suits, strict=True))

    def with_parameters(place: int, bound: dict[str, tuple[str, ...]]) -> Expression:
        if place == len(pairs):
            return _lower(condition, scope.with_suits(bound) if bound else scope, depth + 1)
        parameter, word = pairs[place]
        parts = [
            with_parameters(place + 1, bound | _parameter(parameter, letter))
            for letter in scope.suits(word)
        ]
        return _join(word, parts)

    return with_parameters(0, {})


def _parameter(name: str, letter: str) -> dict[str, tuple[str, ...]]:
    """Suit of a parameter, and of ``oM`` or ``om`` where the parameter is ``M`` or ``m``."""
    bound: dict[str, tuple[str, ...]] = {name: (letter,)}
    letters = {"M": "HS", "m": "CD"}.get(name, "")
    if letter in letters:
        bound["o" + name] = (letters.replace(letter, ""),)
    return bound


# --- both hands ----------------------------------------------------------------------------------


def _combined(term: str, shown: str = "", *, at_best: bool = False) -> _Lowered:
    """Range of a sum with partner's minimum, of ``shown`` where it is another term."""
    # both ends of the range use it: ``23-24 combined points`` is the hand that invites a partner
    # who may have more
    return lambda phrase, scope: within(
        term, _range(phrase), shift=scope.shown("partner", shown or term)[at_best]
    )


def _combined_cards(phrase: Phrase, scope: Scope) -> Expression:
    return _each(lambda letter, _: _combined(f"SL_{letter}")(phrase, scope))(phrase, scope)


def _in_trumps(
    of_suit: Callable[[str], _Lowered], *roles: str, without: _Lowered | None = None
) -> _Lowered:
    """Test of the phrase's suit, else of the first of some roles that has one."""
    # where none has, it is a test of the whole hand, or never holds

    def lowered(phrase: Phrase, scope: Scope) -> Expression:
        words = phrase.suits or roles
        letters = next((letters for word in words if (letters := scope.suits(word))), ())
        if without is not None and not letters and not phrase.suits:
            return without(phrase, scope)
        return _join(words[0], [of_suit(letter)(phrase, scope) for letter in letters])

    return lowered


def _law(phrase: Phrase, scope: Scope) -> Expression:
    """As many trumps together as tricks bid for: level + 6, partner's minimum counted."""
    # law of total tricks, J.-R. Vernes (1969), as a rule of bidding: L. Cohen, "To Bid or Not to
    # Bid" (1992)
    found = _contract(phrase, scope)
    if found is None:
        return FALSE
    level, strain = found
    if strain == "N":
        raise _unusable(phrase, "a suit contract, got notrump")
    known = scope.shown("partner", f"SL_{strain}")[0]
    return compared(f"SL_{strain}", ">=", level + 6 - known)


def _enough_points(phrase: Phrase, scope: Scope) -> Expression:
    """Ask for the combined points of a contract by :data:`POINTS_FOR_LEVEL`."""
    # in a suit with eight cards or more together support points count instead of HCP; where three
    # cards make the fit, support points alone say it: with fewer they are HCP
    found = _contract(phrase, scope)
    if found is None:
        return FALSE
    level, strain = found
    partner = scope.shown("partner", "HCP")[0]
    needed = POINTS_FOR_LEVEL["notrump" if strain == "N" else "suit"][level - 1] - partner
    points = compared("HCP", ">=", needed)
    if strain == "N":
        return points
    for_fit = 8 - scope.shown("partner", f"SL_{strain}")[0]
    with_fit = compared(f"Support_Points_{strain}", ">=", needed)
    if for_fit <= 3:
        return with_fit
    return disjunction((points, conjunction((compared(f"SL_{strain}", ">=", for_fit), with_fit))))


def _contract(phrase: Phrase, scope: Scope) -> tuple[int, str] | None:
    if phrase.call is None:
        raise _unusable(phrase, "a call, got none")
    return scope.bid(phrase.call)


def _remote(points: int) -> _Lowered:
    """Not even with partner's maximum are there the points."""
    return lambda phrase, scope: compared(
        "HCP", "<=", points - 1 - scope.shown("partner", "HCP")[1]
    )


def _pays_over(phrase: Phrase, scope: Scope) -> Expression:
    """Tell whether a suit contract over their bid gains IMPs on average, by :data:`PAYS`."""
    # what a hand brings itself is one sum of its terms; it must be more than what the others have
    # shown, the level and the vulnerability leave to be won
    found = _contract(phrase, scope)
    if found is None:
        return FALSE
    level, strain = found
    if strain == "N":
        raise _unusable(phrase, "a suit contract, got notrump")
    over = PAYS.game if scope.fact(_GAME_REACHED) else PAYS.part_score
    if level not in over.levels:
        return FALSE
    low, high = scope.shown("partner", "HCP")
    theirs = sum(scope.shown(who, "HCP")[0] for who in ("LHO", "RHO"))
    shown = (
        PAYS.partners_trump * scope.shown("partner", f"SL_{strain}")[0]
        + PAYS.partners_point * min(high, low + PAYS.widest)
        + over.their_point * theirs
        + over.levels[level]
    )
    own = Sum(
        _times(f"SL_{strain}", PAYS.own_trump),
        (
            ("+", _times(f"Support_Points_{strain}", PAYS.support_point)),
            ("-", TermName("HCP")),
        ),
    )
    return disjunction(
        conjunction((we, they, _above(own, -shown - more)))
        for we, they, more in (
            (Not(_WE), Not(_THEY), 0),
            (Not(_WE), _THEY, over.they_vulnerable),
            (_WE, Not(_THEY), over.we_vulnerable),
            (_WE, _THEY, over.we_vulnerable + over.they_vulnerable),
        )
    )


def _doubling_pays(phrase: Phrase, scope: Scope) -> Expression:
    """Tell whether a double of their suit contract gains IMPs on average, by the table."""
    found = _contract(phrase, scope)
    if found is None:
        return FALSE
    table, (level, strain) = DOUBLING_PAYS, found
    if strain == "N":
        raise _unusable(phrase, "a suit contract, got notrump")
    if level not in table.levels:
        return FALSE
    low, high = scope.shown("partner", "HCP")
    opponents = ("LHO", "RHO")
    theirs = sum(min(scope.shown(who, "HCP")[1], table.highest) for who in opponents)
    trumps = sum(scope.shown(who, f"SL_{strain}")[0] for who in opponents)
    shown = (
        table.partners_least * low
        + table.partners_most * min(high, table.highest)
        + table.their_most * theirs
        + table.their_trump * max(trumps, table.fewest_trumps)
        + table.levels[level]
    )
    own = Sum(
        _times("Controls", table.control),
        (
            ("+", _times(f"SL_{strain}", table.trump)),
            ("+", TermName(f"HCP_{strain}")),
            ("+", _times("Total_Points", table.shortness)),
            ("-", _times("HCP", table.shortness)),
        ),
    )
    return disjunction(
        conjunction((they, _above(own, -shown - more)))
        for they, more in ((Not(_THEY), 0), (_THEY, table.they_vulnerable))
    )


def _times(term: str, factor: int) -> Product:
    return Product((TermName(term), Number(2 * factor)))


def _above(own: Sum, tenths: int) -> Expression:
    """Ask for a sum that is more than a number of tenths."""
    bound = tenths // _TENTHS
    wanted = Number(2 * abs(bound))
    return Comparison(own, ((">", Negative(wanted) if bound < 0 else wanted),))


def _always(expression: Expression) -> _Lowered:
    return lambda phrase, scope: expression


_WE, _THEY = TermName("Vul_We"), TermName("Vul_They")
_GAME_REACHED: Final = Phrase("game reached")
PHRASES: Final[dict[str, _Lowered]] = {
    **{row.kind: _measure(row.term) for row in COUNTED if row.term[-1] != "_"},
    **{kind: _cards(found) for kind, found in LENGTHS.items()},
    **{row.kind: _combined(row.term) for row in BOTH_HANDS if row.term},
    "points": _points,
    "support points": _in_trumps(
        lambda letter: _measure(f"Support_Points_{letter}"), "partner's suit", "our suit"
    ),
    # aces and the king of our suit; while there is none, aces
    "keycards": _in_trumps(
        lambda letter: _measure(f"Keycards_{letter}"), "our suit", without=_measure("Aces")
    ),
    "length": _in_suit("SL"),
    "support": _in_suit("SL"),
    "suit length": _suit_length,
    "shape": _shape,
    "longer": _suit_against("SL", ">"),
    "stronger": _suit_against("HCP", ">"),
    "at least as long": _suit_against("SL", ">="),
    "longest": _length_beside(">=", "Longest_Suit"),
    # the second longest suit is shorter only than a longest one that stands alone
    "strictly longest": _length_beside(">", "Second_Suit"),
    "longest outside theirs": _longest_outside_theirs,
    "top honours": _top_honours,
    "honour": _honour,
    "stopper": _each(_stopper),
    "partial stopper": _flag("Partial_Stopper"),
    "two stoppers": _flag("Two_Stoppers"),
    "first-round control": _each(_first_round_control),
    "second-round control": _each(_second_round_control),
    "rule of": _rule_of,
    "any hand": _always(TRUE),
    "raw": _raw,
    "combined points at best": _combined("HCP", at_best=True),
    # own support points and partner's HCP; without a suit of ours, HCP alone
    "combined support points": _in_trumps(
        lambda letter: _combined(f"Support_Points_{letter}", "HCP"),
        "our suit",
        "partner's suit",
        without=_combined("HCP"),
    ),
    "combined keycards": _in_trumps(
        lambda letter: _combined(f"Keycards_{letter}"), "our suit", without=_combined("Aces")
    ),
    "combined cards": _combined_cards,
    "law": _law,
    "enough points": _enough_points,
    "pays over theirs": _pays_over,
    "doubling pays": _doubling_pays,
    "game is remote": _remote(GAME_POINTS),
    "slam is remote": _remote(SLAM_POINTS),
    "vulnerable": _always(_WE),
    "not vulnerable": _always(Not(_WE)),
    "favourable": _always(conjunction((Not(_WE), _THEY))),
    "unfavourable": _always(conjunction((_WE, Not(_THEY)))),
}
"""Phrases that the hand or the vulnerability decides; any other kind is a fact of the auction."""
