"""Conditions in the words of players: what a call wants, and what of it a hand has.

A phrase of the system's text comes with its condition; what has none is told by its tree. The
browser's definition is ``page/static/engine/words/condition_words.js``, which makes these words by
:data:`WORDS` too, and the page by its own texts of the same names.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from math import inf
from typing import Final, NamedTuple

from bidcascade.table.language.explain import ExpressionCheck, Value
from bidcascade.table.language.expression_tree import TermName, format_expression

from .condition_trees import (
    Bounds,
    Denied,
    Joined,
    Node,
    Said,
    Values,
    bounds_of,
    compared,
    missed_parts,
    number_in,
    open_tree,
    parts_of,
    rule_number,
    term_parts,
    terms_of,
    tree_of,
    values_of,
)

WORDS: Final = {
    "missed": "{wanted} ({has})",
    "and": " and ", "or": " or ", "comma": ", ", "semicolon": "; ", "comma-or": ", or ",
    "you-have": "you have {has}", "you-lack": "you do not have that",
    "lack.meant": "you do not have that ({meant})", "lack.one": "you have one",
    "lack.not": "yours are", "lack.neither": "you have neither", "lack.none": "you have none",
    "plus": "{number}+ {what}", "most": "at most {number} {what}", "exactly": "{number} {what}",
    "between": "{low}–{high} {what}", "no": "no {what}", "none": "none {what}",
    "not": "not {what}",
    "not-number": "not {number} {what}", "a": "a {what}",
    "as-long": "{one} at least as long as {other}", "longer": "{one} longer than {other}",
    "no-longer": "{one} no longer than {other}", "shorter": "{one} shorter than {other}",
    "longest": "{one} the longest suit", "not-longest": "{one} not the longest suit",
    "balanced": "balanced hand", "semi-balanced": "balanced or nearly balanced hand",
    "unbalanced": "an unbalanced hand", "shape": "{shape} shape", "no-void": "no void",
    "a-void": "a void", "a-singleton": "a singleton", "a-doubleton": "a doubleton",
    "a-shortness": "a singleton or void", "has-rule": "{value} by the rule of {number}",
    "stopper": "stopper in {suit}", "card": "the {card}", "tops": "of the top {number} {suit}",
    "all-tops": "all {what}", "long-suit": "cards in the longest suit",
    "we-vulnerable": "vulnerable", "they-vulnerable": "the opponents vulnerable",
    "rule": "the rule of {number}", "count.HCP": "point|points",
    "count.HCP-in": "point in {suit}|points in {suit}",
    "count.Support_Points": "support point for {suit}|support points for {suit}",
    "count.Total_Points": "total point|total points",
    "count.Losers": "loser|losers", "count.QT": "quick trick|quick tricks",
    "count.Playing_Tricks": "playing trick|playing tricks", "count.Controls": "control|controls",
    "count.Aces": "ace|aces", "count.Kings": "king|kings", "count.Queens": "queen|queens",
    "count.Keycards": "keycard for {suit}|keycards for {suit}", "count.SL_S": "spade|spades",
    "count.SL_H": "heart|hearts", "count.SL_D": "diamond|diamonds", "count.SL_C": "club|clubs",
    "suit.S": "spades", "suit.H": "hearts", "suit.D": "diamonds", "suit.C": "clubs",
}  # fmt: skip
"""Texts by name, parts of them in braces; forms for one and for many stand beside a stroke."""

_BALANCED: Final = ("4333", "4432", "5332")
_SEMI_BALANCED: Final = (*_BALANCED, "5422", "6322")
_SUIT_COUNT: Final = 4
_SIGNS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_COUNTED: Final = frozenset(
    {
        "HCP",
        "Support_Points",
        "Total_Points",
        "Losers",
        "QT",
        "Playing_Tricks",
        "Controls",
        "Aces",
        "Kings",
        "Queens",
        "Keycards",
    }
)
_SHORT: Final[Mapping[tuple[float | None, float | None], str]] = {
    (0, 0): "a-void",
    (None, 0): "a-void",
    (1, 1): "a-singleton",
    (None, 1): "a-shortness",
    (2, 2): "a-doubleton",
}
"""Bounds of a short suit that have a name, whichever suit it is."""
_LACKS: Final = {"a": "lack.none", "no": "lack.one", "not": "lack.not", "the": "lack.neither"}
"""What is missing, by the first word of a phrase."""
_AGAINST: Final = {">=": "as-long", ">": "longer", "<=": "no-longer", "<": "shorter"}


class MissedCondition(NamedTuple):
    """A condition that a hand does not meet."""

    expression: str
    wanted: str
    """In players' words: ``12+ points``."""
    has: str
    """What of it the hand has: ``you have 6``."""


def missed_words(condition: ExpressionCheck) -> MissedCondition:
    """Say what a condition wants that a hand misses, and what the hand has of it.

    Parameters
    ----------
    condition
        Tested on the hand, which does not meet it.

    Raises
    ------
    InvalidExpression
        If its expression is none.

    Examples
    --------
    >>> missed_words({"expression": "HCP >= 12", "value": 6, "holds": False})
    MissedCondition(expression='HCP >= 12', wanted='12+ points', has='you have 6')
    """
    tree = open_tree(condition) or tree_of(condition)
    return MissedCondition(condition["expression"], _words(tree), _lack(tree, values_of(condition)))


def needs_words(missing: Iterable[MissedCondition]) -> str:
    """Say in a line what is missing.

    Examples
    --------
    >>> needs_words([MissedCondition("HCP >= 12", "12+ points", "you have 6")])
    '12+ points (you have 6)'
    """
    return _listed([_phrase("missed", wanted=one.wanted, has=one.has) for one in missing])


# --- texts ----------------------------------------------------------------------------------------


def _phrase(name: str, **parts: object) -> str:
    """Text of a name with its parts filled in; a ``number`` chooses between its forms."""
    one, _, many = WORDS[name].partition("|")
    text = many if many and "number" in parts and parts["number"] != 1 else one
    return re.sub(r"\{(\w+)\}", lambda match: _shown(parts[match[1]]), text)


def _shown(part: object) -> str:
    return f"{part:g}" if isinstance(part, float) else str(part)


def _listed(parts: Sequence[str], last: str = "and") -> str:
    """Join as people say it: "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return _phrase("comma").join(parts[:-1]) + _phrase(last) + parts[-1]


# --- single tests ---------------------------------------------------------------------------------


def _suit(letter: str) -> str:
    return _phrase(f"suit.{letter}")


def _top(term: str) -> str:
    """Give the number in the name of a term such as ``Top3_S``; empty for others."""
    stem = term_parts(term).stem
    return stem[3] if len(stem) == 4 and stem.startswith("Top") else ""


def _counted(term: str, number: float) -> str | None:
    """Say what is counted, for a number of it: "points", "spades"; None where it has no words."""
    stem, suit, _ = term_parts(term)
    top = _top(term)
    if top:
        return _phrase("tops", number=top, suit=_suit(suit))
    if stem == "Longest_Suit":
        return _phrase("long-suit")
    if stem == "SL":
        return _phrase(f"count.{term}", number=number)
    if stem == "HCP" and suit:
        return _phrase("count.HCP-in", number=number, suit=_suit(suit))
    if stem not in _COUNTED:
        return None
    return _phrase(f"count.{stem}", number=number, suit=_suit(suit) if suit else "")


def _none(term: str) -> str:
    """Say that there is nothing of what is counted."""
    return _phrase("none" if _top(term) else "no", what=_counted(term, 2))


def _bounded(bounds: Bounds) -> str | None:
    """Say a term between bounds, of which one may be missing; None where it has no words."""
    term, low, high = bounds
    rule = rule_number(term)
    if rule is not None:
        text = _phrase("rule", number=rule)
        return _phrase("not", what=text) if low is None else text
    what = _counted(term, 2)
    if what is None:
        return None
    top = _top(term)
    if top and low == float(top):
        return _phrase("all-tops", what=what)
    if low is not None and low == high:
        if low == 0:
            return _none(term)
        return _phrase("exactly", number=low, what=_counted(term, low))
    if high is None:
        return _phrase("plus", number=low, what=what)
    if low is None:
        if high == 0:
            return _none(term)
        return _phrase("most", number=high, what=_counted(term, high))
    return _phrase("between", low=low, high=high, what=what)


def _is_stopper(stem: str) -> bool:
    return stem.rpartition("_")[2].startswith("Stopper")


def _cards(suit: str, rank: str) -> str:
    return _SIGNS[suit] + rank.replace("T", "10")


def _term(name: str) -> str | None:
    stem, suit, rank = term_parts(name)
    if rank:
        return _phrase("card", card=_cards(suit, rank))
    if suit and _is_stopper(stem):
        return _phrase("a", what=_phrase("stopper", suit=_suit(suit)))
    if name == "Balanced":
        return _phrase("a", what=_phrase("balanced"))
    if name == "Vul_We":
        return _phrase("we-vulnerable")
    return _phrase("they-vulnerable") if name == "Vul_They" else None


def _compared(node: Node) -> str | None:
    """Say a comparison that is no range of one number; None where it has no words."""
    test = compared(node)
    if test is None:
        return None
    if test.shape is not None:
        text = _phrase("shape", shape=test.shape)
        return text if test.sign == "==" else _phrase("not", what=text)
    if test.number is not None:
        if test.number == 0:
            return _bounded(Bounds(test.term, 1, None))
        what = _counted(test.term, test.number)
        return what and _phrase("not-number", number=test.number, what=what)
    assert test.other is not None
    one, two = term_parts(test.term), term_parts(test.other)
    if one.stem != "SL" or test.sign not in _AGAINST:
        return None
    if test.other == "Longest_Suit":
        return _phrase("longest" if test.sign == ">=" else "not-longest", one=_suit(one.suit))
    if two.stem != "SL":
        return None
    return _phrase(_AGAINST[test.sign], one=_suit(one.suit), other=_suit(two.suit))


def _denied(operand: Node) -> str:
    is_whole = isinstance(operand, Joined) or (
        isinstance(operand, TermName) and operand.name.startswith("Vul_")
    )
    text = _words(operand)
    first, _, rest = text.partition(" ")
    return _phrase("not" if is_whole else "no", what=rest if first in {"a", "an"} else text)


# --- whole trees ----------------------------------------------------------------------------------


def _words(node: Node) -> str:
    """Say a tree as players do; what has no words is written as it is."""
    match node:
        case Said(words, _):
            return words
        case Joined("or", operands):
            return (
                _shapes(operands) or _any_suit(operands) or _any_card(operands) or _either(operands)
            )
        case Joined(_, operands):
            return _listed(_wanted_parts(operands))
        case Denied(operand):
            return _denied(operand)
        case TermName(name):
            return _term(name) or name
        case _:
            bounds = bounds_of(node)
            return (_bounded(bounds) if bounds else _compared(node)) or format_expression(node)


def _shapes(parts: Sequence[Node]) -> str | None:
    """Hand patterns of which a hand has one."""
    tests = [compared(part) for part in parts]
    shapes = [one.shape for one in tests if one and one.shape is not None and one.sign == "=="]
    if len(shapes) < len(parts):
        return None
    for name, same in (("balanced", _BALANCED), ("semi-balanced", _SEMI_BALANCED)):
        if len(shapes) == len(same) and set(shapes) == set(same):
            return _phrase("a", what=_phrase(name))
    return _listed([_phrase("shape", shape=shape) for shape in shapes], "or")


def _any_suit(parts: Sequence[Node]) -> str | None:
    """One short suit, whichever it is."""
    ranges = [one for one in map(bounds_of, parts) if one and term_parts(one.term).stem == "SL"]
    if not len(parts) == len(ranges) == _SUIT_COUNT:
        return None
    lengths = {(one.low, one.high) for one in ranges}
    name = _SHORT.get(lengths.pop()) if len(lengths) == 1 else None
    is_each = len({one.term for one in ranges}) == _SUIT_COUNT
    return _phrase(name) if name and is_each else None


def _any_card(parts: Sequence[Node]) -> str | None:
    """Cards of one suit of which a hand has one: "the ♥A, ♥K or ♥Q"."""
    cards = [term_parts(one.name) for one in parts if isinstance(one, TermName)]
    if len(cards) < len(parts):
        return None
    if not all(one.rank and one.suit == cards[0].suit for one in cards):
        return None
    names = [_cards(one.suit, one.rank) for one in cards]
    return _phrase("card", card=_listed(names, "or"))


def _either(operands: Sequence[Node]) -> str:
    """Alternatives, plain ones first; a comma divides those with an "and" or "or" in them."""
    ranges = [_one_range(one) for one in operands]
    parts = list(
        dict.fromkeys(
            _words(one)
            for one, mine in zip(operands, ranges, strict=True)
            if not any(mine and other and _is_wider(other, mine) for other in ranges)
        )
    )
    ordered = sorted(parts, key=_is_mixed)
    if len(ordered) > 2 or any(map(_is_mixed, ordered)):
        return _phrase("comma-or").join(ordered)
    return _listed(ordered, "or")


def _one_range(node: Node) -> Bounds | None:
    """Bounds of a tree that asks for nothing but a range of one term; else None."""
    parts = parts_of(node, "and")
    ranges = [bounds for part in parts if (bounds := bounds_of(part))]
    is_one = len(ranges) == len(parts) and len({one.term for one in ranges}) == 1
    return reduce(_narrowed, ranges) if is_one else None


def _is_wider(one: Bounds, two: Bounds) -> bool:
    """Whether a range has all of another range of its term, and more."""
    (first, second) = (
        (-1.0 if low is None else low, inf if high is None else high) for _, low, high in (one, two)
    )
    return (
        one.term == two.term and first != second and first[0] <= second[0] <= second[1] <= first[1]
    )


def _is_mixed(part: str) -> bool:
    return _phrase("and") in part or _phrase("or") in part


def _wanted_parts(nodes: Iterable[Node]) -> list[str]:
    """Say what several trees want together: bounds of one term are one part."""
    found: list[str | Bounds] = []
    parts = [part for one in nodes for part in parts_of(one, "and")]
    where: dict[str, int] = {}
    for part in _without_voids(_without_patterns(parts, found), found):
        bounds = bounds_of(part)
        if bounds is None or _bounded(bounds) is None:
            found.append(_words(part))
            continue
        place = where.get(bounds.term)
        if place is None:
            where[bounds.term] = len(found)
            found.append(bounds)
            continue
        known = found[place]
        assert isinstance(known, Bounds)
        found[place] = _narrowed(known, bounds)
    texts = [one if isinstance(one, str) else _bounded(one) or "" for one in found]
    return list(dict.fromkeys(texts))


def _narrowed(one: Bounds, two: Bounds) -> Bounds:
    lows = [bound for bound in (one.low, two.low) if bound is not None]
    highs = [bound for bound in (one.high, two.high) if bound is not None]
    return Bounds(one.term, max(lows, default=None), min(highs, default=None))


def _without_patterns(parts: list[Node], found: list[str | Bounds]) -> list[Node]:
    """Leave out that no pattern is balanced: it is "an unbalanced hand"."""
    denied = [
        part
        for part in parts
        if (test := compared(part)) and test.sign == "!=" and test.shape in _BALANCED
    ]
    if len(set(denied)) != len(_BALANCED):
        return parts
    found.append(_phrase("unbalanced"))
    return [part for part in parts if part not in denied]


def _without_voids(parts: list[Node], found: list[str | Bounds]) -> list[Node]:
    """Leave out a card of every suit: it is "no void"."""
    denied = [
        part
        for part in parts
        if (test := compared(part))
        and (test.sign, test.number) == ("!=", 0)
        and term_parts(test.term).stem == "SL"
    ]
    if len(set(denied)) != _SUIT_COUNT:
        return parts
    found.append(_phrase("no-void"))
    return [part for part in parts if part not in denied]


# --- what the hand has ----------------------------------------------------------------------------


def _has(term: str, value: Value) -> str | None:
    if term == "Pattern":
        return _phrase("a", what=_phrase("shape", shape=value))
    if isinstance(value, bool) or not isinstance(value, int | float) or term == "Longest_Suit":
        return None
    rule = rule_number(term)
    if rule is not None:
        return _phrase("has-rule", value=value, number=rule)
    what = _counted(term, value)
    if what is None:
        return None
    return _none(term) if value == 0 else _phrase("exactly", number=value, what=what)


def _phrase_lack(said: Said) -> str | None:
    """Say that a hand has not what a phrase of the text asks for; None where numbers tell."""
    for name in terms_of(said.meaning):
        stem, suit, rank = term_parts(name)
        is_of_cards = rank or _top(name) or _is_stopper(stem) or (stem in {"HCP", "SL"} and suit)
        if not is_of_cards:
            return None
    first = said.words.split(" ")[0]
    if first in _LACKS:
        return _phrase(_LACKS[first])
    return _phrase("lack.meant", meant=_words(said.meaning))


def _lack(node: Node, values: Values) -> str:
    """Say what of a missed tree the hand has; of alternatives of the nearest one."""
    if isinstance(node, Joined) and node.kind == "or" and all(map(bounds_of, node.operands)):
        # alternatives of one test each are told in one
        missed = list(node.operands)
    else:
        missed = missed_parts(node, values)
    told = _one_lack(missed[0], values, is_alone=missed[0] == node) if len(missed) == 1 else None
    if told:
        return told
    terms = {name for part in missed for name in terms_of(part)}
    shown = [
        text
        for term, value in values.items()
        if term in terms and not _top(term) and (text := _has(term, value))
    ]
    return _phrase("you-have", has=_listed(shown)) if shown else _phrase("you-lack")


def _one_lack(first: Node, values: Values, *, is_alone: bool) -> str | None:
    """Say what the hand has of one missed test; None where its values must tell."""
    lack = _phrase_lack(first) if isinstance(first, Said) else None
    if lack:
        return lack
    if isinstance(first, TermName) and _is_stopper(term_parts(first.name).stem):
        return _phrase("lack.none")
    bounds = bounds_of(first)
    value = number_in(values, bounds.term) if bounds else None
    if bounds is None or value is None:
        return None
    is_number = is_alone and rule_number(bounds.term) is None
    has = _shown(value) if is_number else _has(bounds.term, value)
    return has and _phrase("you-have", has=has)
