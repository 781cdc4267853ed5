"""Terms and expressions with a seat written in: ``HCP_N``, ``SL_N_S``, ``HCP_N + HCP_S >= 25``.

A term speaks of one hand; columns of a frame, and conditions on whole deals, must say whose. The
seat letter follows the term and goes before the suit (or card) it speaks of.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import SEATS, InvalidExpression, UnknownTerm
from bidcascade.kernels import Backend, BitColumns, DealArrays, Plan, Postfix, terms
from bidcascade.kernels.layout import Separable, evaluate_tree
from bidcascade.kernels.literals import Tree, term_names_in
from bidcascade.kernels.plan import expressions_plan
from bidcascade.kernels.types import U64

from .language.expression_tree import (
    And,
    Comparison,
    Negative,
    Not,
    Number,
    Or,
    Product,
    Shape,
    Sum,
    Term,
    Truth,
    terms_of,
)
from .language.expressions import Expression, format_expression, parse_expression, to_postfix
from .language.lowering import Lowered, postfix_of, tree_of
from .language.vocabulary import Vocabulary

Bools = NDArray[np.bool_]
I32 = NDArray[np.int32]

_LAST_PART = re.compile(r"_[CDHS][2-9TJQKA]?$")


def compass_name(term: str, seat: str) -> str:
    """Name of a term for the hand of a compass seat."""
    suit = _LAST_PART.search(term)
    if suit is None:
        return f"{term}_{seat}"
    return f"{term[: suit.start()]}_{seat}{suit[0]}"


def compass_expression(expression: Expression, seat: str) -> str:
    """Text of an expression for the hand of a compass seat."""
    return format_expression(rename_terms(expression, lambda name: compass_name(name, seat)))


def rename_terms(expression: Expression, rename: Callable[[str], str]) -> Expression:
    """Tree with other names for its terms."""

    def renamed(part: Expression) -> Expression:
        return rename_terms(part, rename)

    match expression:
        case Term(name):
            return Term(rename(name))
        case Number() | Truth() | Shape():
            return expression
        case Negative(operand) | Not(operand):
            return type(expression)(renamed(operand))
        case Product(operands) | And(operands) | Or(operands):
            return type(expression)(tuple(map(renamed, operands)))
        case Sum(first, rest) | Comparison(first, rest):
            parts = tuple((sign, renamed(part)) for sign, part in rest)
            return type(expression)(renamed(first), parts)


class CompassVocabulary(Vocabulary):
    """A vocabulary whose names carry a seat, for conditions on whole deals.

    Parameters
    ----------
    base : Vocabulary
        The terms of one hand.
    """

    def __init__(self, base: Vocabulary) -> None:
        self.base = base
        super().__init__(base.profile, base.user_terms)
        self.origin: dict[str, tuple[str, int]] = {}
        """Term and seat (0-3) behind each name."""
        lowered: dict[str, Lowered] = {}
        for name in base.names:
            for seat, letter in enumerate(SEATS):
                self.origin.setdefault(compass_name(name, letter), (name, seat))
                term = base.lowered_term(name)
                tree = _renamed(term.tree, partial(compass_name, seat=letter))
                lowered[compass_name(name, letter)] = term._replace(tree=tree)
        self._lowered = lowered

    def lowered_term(self, name: str) -> Lowered:
        """Code of a term with its seat; see :meth:`Vocabulary.lowered_term`."""
        if name in self.base and name not in self._lowered:
            example = compass_name(name, "N")
            raise UnknownTerm(
                f"expected a seat with the term {name!r}, such as {example!r} for North"
            )
        return super().lowered_term(name)


def compass_vocabulary(vocabulary: Vocabulary) -> CompassVocabulary:
    """Give the names of a vocabulary with seats, made once."""
    return _compass_vocabulary(vocabulary.profile, tuple(vocabulary.user_terms.items()))


@lru_cache(maxsize=8)
def _compass_vocabulary(profile: str, user_terms: tuple[tuple[str, str], ...]) -> CompassVocabulary:
    return CompassVocabulary(Vocabulary(profile, dict(user_terms)))


def evaluation_plan(
    expressions: Sequence[str], vocabulary: Vocabulary
) -> tuple[Plan, list[list[str]]]:
    """Plan that only evaluates expressions, and for each the names of its four columns."""
    trees = list(dict.fromkeys(parse_expression(text) for text in expressions))
    codes = tuple(to_postfix(tree, vocabulary) for tree in trees)
    names = [[compass_expression(tree, letter) for letter in SEATS] for tree in trees]
    return expressions_plan(codes, vocabulary.profile), names


def expression_columns(bits: BitColumns, names: Sequence[Sequence[str]]) -> pl.DataFrame:
    """Bit columns of expressions as a frame, four columns each; nothing is copied."""
    return pl.DataFrame(
        {
            name: pl.Series(bits.arrow(number, seat))
            for number, row in enumerate(names)
            for seat, name in enumerate(row)
        }
    )


# --- values of terms ---------------------------------------------------------------------------


def term_values(
    name: str, seat: int, deals: DealArrays, vocabulary: Vocabulary
) -> NDArray[np.int64]:
    """Values of a term for one compass seat of each deal, int64[n], in the kernels' unit.

    Taken from tables of holdings, shapes and contexts: no Python per deal.
    """
    tree = vocabulary.lowered_term(name).tree
    values = {
        part: _kernel_term_values(part, seat, deals, vocabulary.profile)
        for part in term_names_in(tree)
    }
    return np.broadcast_to(evaluate_tree(tree, values), len(deals)).astype(np.int64)


@lru_cache(maxsize=256)
def _separable(name: str, profile: str) -> Separable:
    return Separable.of_term(terms(profile)[name])


def _kernel_term_values(name: str, seat: int, deals: DealArrays, profile: str) -> NDArray[np.int64]:
    tables = _separable(name, profile)
    holdings = [
        (deals.hands[seat] >> np.uint64(13 * suit)) & np.uint64(0x1FFF) for suit in range(4)
    ]
    total = np.zeros(len(deals), np.int64)
    for suit, holding in enumerate(holdings):
        if tables.suits[suit].any():
            total += tables.suits[suit][holding]
    if tables.lengths.any():
        clubs, diamonds, hearts = (np.bitwise_count(one).astype(np.int64) for one in holdings[:3])
        total += tables.lengths[clubs + 14 * diamonds + 196 * hearts]
    if tables.contexts.any():
        ours = deals.vulnerability >> np.uint8(seat & 1) & 1
        theirs = deals.vulnerability >> np.uint8(1 - (seat & 1)) & 1
        total += tables.contexts[((seat - deals.dealer) & 3) + 4 * ours + 8 * theirs]
    return total


# --- conditions on whole deals --------------------------------------------------------------------


class DealCondition:
    """A truth value of whole deals, such as ``HCP_N >= 15 and SL_S_H + SL_N_H >= 8``.

    Parts about one hand are bit columns of a backend, put together as bits; parts that mix hands
    are computed from the values of their terms.

    Parameters
    ----------
    text : str
        Expression whose terms carry a seat.
    vocabulary : Vocabulary

    Raises
    ------
    InvalidExpression, UnknownTerm
        If it does not parse, or a term is unknown or names no seat.
    """

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self._names = compass_vocabulary(vocabulary)
        self._tree = tree_of(patterns_as_numbers(parse_expression(text)), self._names)
        codes = tuple(dict.fromkeys(code for _, code in self._codes(self._tree)))
        self._rows = {code: row for row, code in enumerate(codes)}
        self._plan = expressions_plan(codes, vocabulary.profile)
        self._seat_rows = {
            seat: sorted(
                {self._rows[code] for other, code in self._codes(self._tree) if other == seat}
            )
            for seat in sorted(self._seats(self._tree))
        }
        kernel_terms = (
            part
            for name in term_names_in(self._tree)
            for part in term_names_in(vocabulary.lowered_term(self._names.origin[name][0]).tree)
        )
        self._cards_only = not any(
            _separable(name, vocabulary.profile).contexts.any() for name in kernel_terms
        )

    @property
    def seats(self) -> Sequence[int]:
        """Seats (0-3) whose hands :meth:`holds` looks at."""
        return sorted(self._seat_rows) if self._cards_only else range(4)

    def holds(self, backend: Backend, deals: DealArrays) -> Bools:
        """Tell for which deals the condition holds, bool[n]."""
        bits: dict[int, BitColumns] = {}
        for seat, rows in self._seat_rows.items():
            if rows and self._cards_only:
                # the kernels look at four hands of a deal: here at one hand of four deals
                bits[seat] = backend.evaluate(self._plan, _in_fours(deals.hands[seat]), rows)
            elif rows:
                bits[seat] = backend.evaluate(self._plan, deals, rows)
        return self._truth(self._tree, deals, bits)

    def _bools(self, code: Postfix, seat: int, bits: dict[int, BitColumns], count: int) -> Bools:
        row = self._seat_rows[seat].index(self._rows[code])
        if not self._cards_only:
            return bits[seat].to_bools(row, seat)
        return np.concatenate([bits[seat].to_bools(row, four) for four in range(4)])[:count]

    def _seats(self, tree: Tree) -> set[int]:
        return {self._names.origin[name][1] for name in term_names_in(tree)}

    def _codes(self, tree: Tree) -> Iterator[tuple[int, Postfix]]:
        """Give the tests of one hand that a condition is made of, with whose it is."""
        if len(self._seats(tree)) == 1:
            yield next(iter(self._seats(tree))), self._of_one_hand(tree)
        elif tree[0] in ("and", "or", "not"):
            for operand in tree[1:]:
                yield from self._codes(operand)

    def _of_one_hand(self, tree: Tree) -> Postfix:
        return postfix_of(_renamed(tree, lambda name: self._names.origin[name][0]))

    def _truth(self, tree: Tree, deals: DealArrays, bits: dict[int, BitColumns]) -> Bools:
        seats = self._seats(tree)
        if len(seats) == 1:
            return self._bools(self._of_one_hand(tree), seats.pop(), bits, len(deals))
        match tree[0]:
            case "and":
                return self._truth(tree[1], deals, bits) & self._truth(tree[2], deals, bits)
            case "or":
                return self._truth(tree[1], deals, bits) | self._truth(tree[2], deals, bits)
            case "not":
                return ~self._truth(tree[1], deals, bits)
        values = {}
        for name in term_names_in(tree):
            term, seat = self._names.origin[name]
            values[name] = term_values(term, seat, deals, self._names.base)
        truth: Bools = np.broadcast_to(evaluate_tree(tree, values), len(deals)) != 0
        return truth


def _in_fours(hands: U64) -> DealArrays:
    """Hands as those of a quarter as many deals, the first quarter North's; none at the end."""
    filled = np.pad(hands, (0, -len(hands) % 4)) if len(hands) % 4 else hands
    quarters = np.ascontiguousarray(filled).reshape(4, -1)
    nothing = np.zeros(quarters.shape[1], np.uint8)
    return DealArrays(quarters, nothing, nothing)


def patterns_as_numbers(expression: Expression) -> Expression:
    """Write ``Pattern_N == '5332'`` as the comparison of numbers that it is in the kernels."""
    match expression:
        case Not(operand):
            return Not(patterns_as_numbers(operand))
        case And(operands):
            return And(tuple(map(patterns_as_numbers, operands)))
        case Or(operands):
            return Or(tuple(map(patterns_as_numbers, operands)))
        case Comparison(Term(), (("==" | "!=" as operator, Shape(pattern)),)):
            if expression.first in _PATTERNS:
                return Comparison(expression.first, ((operator, Number(2 * int(pattern, 16))),))
    if any(term in _PATTERNS for term in map(Term, terms_of(expression))):
        raise InvalidExpression(
            "expected Pattern_N == or != a shape in quotes, such as Pattern_N == '5332', "
            f"got {str(expression)[:80]!r}"
        )
    return expression


_PATTERNS = frozenset(Term(compass_name("Pattern", letter)) for letter in SEATS)


def _renamed(tree: Tree, rename: Callable[[str], str]) -> Tree:
    match tree[0]:
        case "int":
            return tree
        case "term":
            return ("term", rename(tree[1]))
    return (tree[0], *(_renamed(operand, rename) for operand in tree[1:]))
