"""Conditions on whole deals, of terms with a seat: ``HCP_N >= 15 and SL_N_H + SL_S_H >= 8``."""

from collections.abc import Iterator, Sequence

import numpy as np

from bidcascade.kernels import Backend, BitColumns, DealArrays, Postfix
from bidcascade.kernels.packing.layout import evaluate_tree, term_tables
from bidcascade.kernels.packing.literals import Tree, term_names_in
from bidcascade.kernels.plan import expressions_plan
from bidcascade.kernels.types import U64, Bools

from .language.expressions import parse_expression
from .language.lowering import postfix_of, rename_tree_terms, tree_of
from .language.seat_terms import seat_vocabulary
from .language.vocabulary import Vocabulary
from .term_values import term_values


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

    Examples
    --------
    >>> condition = DealCondition("HCP_N >= 15 and SL_N_H + SL_S_H >= 8", Vocabulary())
    >>> condition.seats
    [0, 2]
    """

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self._names = seat_vocabulary(vocabulary)
        self._tree = tree_of(parse_expression(text), self._names)
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
            term_tables(name, vocabulary.profile).contexts.any() for name in kernel_terms
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
        return postfix_of(rename_tree_terms(tree, lambda name: self._names.origin[name][0]))

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
