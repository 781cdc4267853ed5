"""The definition: features, expressions and the cascade in plain Python, one deal at a time.

Slow on purpose. Every fast backend gives the same bits.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from .packing.literals import LinearForm, Tree
from .plan import CAN_COMPLETE, COMPLETED, Plan
from .results import NO_ENTRY, BitColumns, DealArrays, EntryLists, FirstAuctions
from .terms import Context, terms
from .types import U64, Postfix

NAME = "reference"


def term_value(name: str, hand: int, context: Context | None = None, profile: str = "gib") -> int:
    """Value of a term for a hand mask (``QT`` in half tricks, truth values 0 or 1).

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> term_value("HCP", parse_hand("K52.AQ3.9876.KJ2"))
    13
    """
    return terms(profile)[name].value(hand, context or Context())


def evaluate_postfix(
    postfix: Postfix,
    hand: int,
    context: Context | None = None,
    *,
    profile: str = "gib",
    values: Mapping[str, int] | None = None,
) -> int:
    """Value of an expression for a hand mask; the expression holds where it is not 0.

    ``values`` are those of the hand's terms where the caller has them at hand already.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> evaluate_postfix(("HCP", 13, ">="), parse_hand("K52.AQ3.9876.KJ2"))
    1
    """
    context = context or Context()
    stack: list[int] = []
    for token in postfix:
        if isinstance(token, int):
            stack.append(int(token))
        elif token == "not":
            stack.append(int(stack.pop() == 0))
        elif token == "neg":
            stack.append(-stack.pop())
        elif token in _BINARY:
            right, left = stack.pop(), stack.pop()
            stack.append(_BINARY[token](left, right))
        elif values is not None:
            stack.append(values[token])
        else:
            stack.append(terms(profile)[token].value(hand, context))
    (value,) = stack
    return value


_BINARY: dict[str, Callable[[int, int], int]] = {
    "<": lambda left, right: int(left < right),
    "<=": lambda left, right: int(left <= right),
    "==": lambda left, right: int(left == right),
    "!=": lambda left, right: int(left != right),
    ">=": lambda left, right: int(left >= right),
    ">": lambda left, right: int(left > right),
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "and": lambda left, right: int(left != 0 and right != 0),
    "or": lambda left, right: int(left != 0 or right != 0),
}


def evaluate_tree(tree: Tree, hand: int, context: Context, profile: str) -> int:
    """Value of a lowered tree (see ``lowering``) for a hand mask."""
    operator, operands = tree[0], tree[1:]
    if operator == "int":
        return int(operands[0])
    if operator == "term":
        return terms(profile)[operands[0]].value(hand, context)
    if operator == "interval":
        form, low, high = operands
        return int(low <= _form_value(form, hand, context, profile) <= high)
    values = [evaluate_tree(operand, hand, context, profile) for operand in operands]
    if operator == "not":
        return int(values[0] == 0)
    return -values[0] if operator == "neg" else _BINARY[operator](values[0], values[1])


def _form_value(form: LinearForm, hand: int, context: Context, profile: str) -> int:
    return sum(factor * terms(profile)[name].value(hand, context) for name, factor in form)


def features(plan: Plan, deals: DealArrays) -> U64:
    """Packed words by dealer-relative seat, uint64 [4, deals, words]: lanes, then flags."""
    packing = plan.packing
    out = np.zeros((4, len(deals), packing.lane_words + packing.flag_words), np.uint64)
    for deal in range(len(deals)):
        dealer, vulnerability = int(deals.dealer[deal]), int(deals.vulnerability[deal])
        for row in range(4):
            seat = (dealer + row) % 4
            hand = int(deals.hands[seat, deal])
            context = _context(seat, row + 1, vulnerability)
            for lane, (form, offset) in enumerate(
                zip(packing.lane_forms, packing.lane_offsets, strict=True)
            ):
                value = _form_value(form, hand, context, plan.profile) - offset
                out[row, deal, lane // 8] |= np.uint64(value << 8 * (lane % 8))
            for flag, tree in enumerate(packing.flag_trees):
                if evaluate_tree(tree, hand, context, plan.profile):
                    word = packing.lane_words + flag // 64
                    out[row, deal, word] |= np.uint64(1 << flag % 64)
    return out


class _OneDeal:
    """One deal under one plan: which nodes hold."""

    def __init__(self, plan: Plan, deals: DealArrays, deal: int) -> None:
        self.plan = plan
        self._dealer = int(deals.dealer[deal])
        self._vulnerability = int(deals.vulnerability[deal])
        self._hands = [int(deals.hands[seat, deal]) for seat in range(4)]

    def expression_holds(self, number: int, depth: int) -> bool:
        """Whether an expression holds for the hand that makes the call at ``depth``."""
        seat = (self._dealer + depth) % 4
        return bool(
            evaluate_postfix(
                self.plan.expressions[number],
                self._hands[seat],
                _context(seat, depth % 4 + 1, self._vulnerability),
                profile=self.plan.profile,
            )
        )

    def node_holds(self, node: int, depth: int) -> bool:
        """Whether the criteria of a node hold, its ancestors aside."""
        variant_set = int(self.plan.variant_set[node])
        if variant_set == 0:
            if self.plan.undescribed == "pass":
                return int(self.plan.call[node]) == 0
            return self.plan.undescribed == "allow"
        return any(
            all(self.expression_holds(number, depth) for number in self.plan.criteria[criteria])
            for criteria in self.plan.variant_sets[variant_set]
        )

    def reached(
        self, children: range, depth: int, *, completed_only: bool, max_depth: int | None
    ) -> Iterator[int]:
        """Nodes that hold, depth first: an auction before its continuations."""
        if max_depth is not None and depth >= max_depth:
            return
        for node in children:
            if completed_only and not self.plan.flags[node] & CAN_COMPLETE:
                continue
            if self.node_holds(node, depth):
                if not completed_only or self.plan.flags[node] & COMPLETED:
                    yield node
                yield from self.reached(
                    _children(self.plan, node),
                    depth + 1,
                    completed_only=completed_only,
                    max_depth=max_depth,
                )


def _context(seat: int, relative_seat: int, vulnerability: int) -> Context:
    return Context(
        relative_seat, vulnerability >> (seat & 1) & 1, vulnerability >> (1 - (seat & 1)) & 1
    )


def _children(plan: Plan, node: int) -> range:
    first = int(plan.first_child[node])
    return range(first, first + int(plan.child_count[node]))


def evaluate(plan: Plan, deals: DealArrays, expressions: Sequence[int] | None = None) -> BitColumns:
    """Bit columns of expressions on all four compass hands."""
    numbers = range(len(plan.expressions)) if expressions is None else expressions
    columns = BitColumns.empty(len(numbers), len(deals))
    for deal in range(len(deals)):
        dealer, vulnerability = int(deals.dealer[deal]), int(deals.vulnerability[deal])
        for seat in range(4):
            context = _context(seat, (seat - dealer) % 4 + 1, vulnerability)
            for row, number in enumerate(numbers):
                if evaluate_postfix(
                    plan.expressions[number],
                    int(deals.hands[seat, deal]),
                    context,
                    profile=plan.profile,
                ):
                    columns.words[row, seat, deal // 64] |= np.uint64(1 << deal % 64)
    return columns


def cascade_counts(plan: Plan, deals: DealArrays) -> U64:
    """Per node, how many deals reach it."""
    counts = np.zeros(plan.node_count, np.uint64)
    for lists in cascade_all(plan, deals):
        np.add.at(counts, lists.entries, np.uint64(1))
    return counts


def cascade_all(
    plan: Plan,
    deals: DealArrays,
    *,
    completed_only: bool = False,
    max_depth: int | None = None,
    limit: int | None = None,
) -> Iterator[EntryLists]:
    """Per deal, the nodes it reaches, depth first; one chunk."""
    offsets = np.zeros(len(deals) + 1, np.uint64)
    totals = np.zeros(len(deals), np.uint64)
    entries: list[int] = []
    for deal in range(len(deals)):
        found = list(
            _OneDeal(plan, deals, deal).reached(
                range(plan.root_count), 0, completed_only=completed_only, max_depth=max_depth
            )
        )
        totals[deal] = len(found)
        entries += found[:limit]
        offsets[deal + 1] = len(entries)
    yield EntryLists(0, offsets, np.array(entries, np.uint32), totals)


def cascade_first(plan: Plan, deals: DealArrays) -> FirstAuctions:
    """Per deal, the one auction: among siblings the first that holds, none: pass."""
    result = FirstAuctions.empty(len(deals))
    for deal in range(len(deals)):
        _first_of(plan, _OneDeal(plan, deals, deal), result, deal)
    return result


def _first_of(plan: Plan, one: _OneDeal, result: FirstAuctions, deal: int) -> None:
    children = range(plan.root_count)
    entry, depth, trailing_passes, bids, defaults = int(NO_ENTRY), 0, 0, 0, 0
    while True:
        chosen = next((node for node in children if one.node_holds(node, depth)), None)
        if chosen is None:
            # a pass by default: on in the table if it has the pass, else passes to the end
            chosen = next((node for node in children if plan.call[node] == 0), None)
            if chosen is None:
                break
            defaults += 1
        entry, depth = chosen, depth + 1
        is_pass = int(plan.call[chosen]) == 0
        trailing_passes = trailing_passes + 1 if is_pass else 0
        bids += not is_pass
        if plan.flags[chosen] & COMPLETED:
            break
        children = _children(plan, chosen)
    complete = entry != NO_ENTRY and bool(plan.flags[entry] & COMPLETED)
    needed = 3 if bids else 4
    result.entry[deal] = entry
    result.passes[deal] = 0 if complete else needed - trailing_passes
    # those that follow have no entry either
    result.defaults[deal] = defaults + int(result.passes[deal])


def members(plan: Plan, deals: DealArrays, entries: Sequence[int]) -> BitColumns:
    """For chosen nodes, the bit column of the deals that reach them."""
    columns = BitColumns.empty(len(entries), len(deals), seats=1)
    rows: dict[int, list[int]] = {}
    for row, entry in enumerate(entries):
        rows.setdefault(entry, []).append(row)
    for lists in cascade_all(plan, deals):
        for deal in range(len(deals)):
            start, stop = int(lists.offsets[deal]), int(lists.offsets[deal + 1])
            for entry in lists.entries[start:stop]:
                for row in rows.get(int(entry), ()):
                    columns.words[row, 0, deal // 64] |= np.uint64(1 << deal % 64)
    return columns
