"""Hypothesis strategies for expressions, tables and deals on the level of kernels."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from bidcascade.kernels import (
    CAN_COMPLETE,
    COMPLETED,
    DealArrays,
    Plan,
    Postfix,
    build_plan,
    term_names,
    term_range,
)

COMPARISONS = ("<", "<=", "==", "!=", ">=", ">")
# the terms that tables use most come up most
COMMON = ("HCP", "Total_Points", "SL_C", "SL_D", "SL_H", "SL_S")


def term_strategy() -> st.SearchStrategy[str]:
    return st.one_of(st.sampled_from(COMMON), st.sampled_from(term_names()))


@st.composite
def atoms(draw: Any) -> Postfix:
    """``term op integer`` with the integer about the term's range."""
    name = draw(term_strategy())
    low, high = term_range(name)
    if name == "Pattern":
        value = draw(st.sampled_from([0x4333, 0x4432, 0x5332, 0x5431, 0x6322, 0x7222]))
    else:
        value = draw(st.integers(low - 1, min(high, 40) + 1))
    return (name, value, draw(st.sampled_from(COMPARISONS)))


def numbers() -> st.SearchStrategy[Postfix]:
    leaves = st.one_of(
        term_strategy().map(lambda name: (name,)), st.integers(-20, 40).map(lambda value: (value,))
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, inner, st.sampled_from("+-")).map(
                lambda parts: (*parts[0], *parts[1], parts[2])
            ),
            st.tuples(inner, st.integers(-3, 3)).map(lambda parts: (*parts[0], parts[1], "*")),
            st.tuples(leaves, leaves).map(lambda parts: (*parts[0], *parts[1], "*")),
            inner.map(lambda postfix: (*postfix, "neg")),
        ),
        max_leaves=4,
    )


def expressions() -> st.SearchStrategy[Postfix]:
    """Any expression of the language."""
    comparisons = st.tuples(numbers(), numbers(), st.sampled_from(COMPARISONS)).map(
        lambda parts: (*parts[0], *parts[1], parts[2])
    )
    leaves = st.one_of(atoms(), atoms(), comparisons, numbers())
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, inner, st.sampled_from(("and", "or"))).map(
                lambda parts: (*parts[0], *parts[1], parts[2])
            ),
            inner.map(lambda postfix: (*postfix, "not")),
        ),
        max_leaves=5,
    )


def deal_arrays(rng: np.random.Generator, count: int) -> DealArrays:
    """Random deals, dealers and vulnerabilities; a third of them with wild shapes."""
    hands = np.zeros((4, count), np.uint64)
    for deal in range(count):
        cards = rng.permutation(52)
        if deal % 3 == 0:
            # cards of one suit drift to one hand
            cards = np.array(sorted(range(52), key=lambda card: card // 13 + rng.normal(0, 1.2)))
        for seat in range(4):
            hands[seat, deal] = sum(1 << int(card) for card in cards[13 * seat : 13 * seat + 13])
    return DealArrays(
        hands,
        rng.integers(0, 4, count).astype(np.uint8),
        rng.integers(0, 4, count).astype(np.uint8),
    )


WIDE = 39
ASKING: list[Postfix] = [
    ("Vul_We",), ("Vul_They",), ("HCP", 9, ">="), ("HCP", 12, "<="), ("SL_S", 3, ">="),
    ("SL_H", "SL_S", ">="), ("Balanced", "not"), ("SL_H", 5, ">=", "Controls", 4, ">=", "or"),
    ("Losers", 8, "<="), ("QT", 2, ">="), ("SL_C", 2, "<=", "SL_C", 5, ">=", "or"),
]  # fmt: skip
NO_SPADE: list[Postfix] = [(f"C_{suit}{rank}", "not") for suit in "CDH" for rank in "23456789TJQKA"]


@dataclass(frozen=True)
class AskingCase:
    """A plan whose nodes ask, and deals of which exact numbers pass the first node.

    Parameters
    ----------
    deals, vulnerable : int
        How many there are, and of how many the dealer's side is vulnerable, which is what the first
        call and, of the other side, the first call over it ask.
    wide : bool
        A box of 39 columns, and deals that pass it.
    """

    deals: int
    vulnerable: int
    wide: bool = False
    seed: int = 1
    nodes: int = 90

    def made(self) -> tuple[Plan, DealArrays]:
        rng = np.random.default_rng([self.seed, self.deals, self.vulnerable])
        expression_list = ASKING + NO_SPADE * self.wide
        undescribed = ("allow", "pass", "reject")[self.deals % 3]
        plan = random_plan(
            rng, expression_list, nodes=self.nodes, asking=True, undescribed=undescribed
        )
        found = deal_arrays(rng, min(self.deals, 300))
        which = np.arange(self.deals) % 300
        hands = found.hands[:, which]
        suits = np.array([0x1FFF << 13 * suit for suit in range(4)], np.uint64)
        for deal in range(0, self.deals * self.wide, 3):
            hands[:, deal] = np.roll(suits, deal)
        sides = [rng.permutation(self.deals) < self.vulnerable for _ in range(2)]
        dealer = found.dealer[which]
        vulnerability = np.where(dealer & 1, sides[0] * 2 + sides[1], sides[0] + sides[1] * 2)
        return plan, DealArrays(hands, dealer, vulnerability.astype(np.uint8))


ASKING_CASES = [
    AskingCase(deals, vulnerable, wide=wide)
    for deals, vulnerable, wide in (
        (1, 1, False), (31, 30, True), (32, 32, False), (32, 31, True), (33, 32, True),
        (33, 33, False), (63, 33, False), (64, 32, True), (64, 64, False), (65, 31, False),
        (65, 65, True), (130, 97, True), (1057, 600, False),
    )
]  # fmt: skip
"""Edges of a warp and of a word, as all deals and as those that are left below a node."""


@dataclass
class _Node:
    call: int
    last_bid: int
    passes: int
    children: list["_Node"]
    variant_set: int
    first_child: int = 0

    @property
    def completed(self) -> bool:
        return self.passes >= (3 if self.last_bid else 4)

    @property
    def can_complete(self) -> bool:
        return self.completed or any(child.can_complete for child in self.children)


def random_plan(
    rng: np.random.Generator,
    expression_list: list[Postfix],
    *,
    nodes: int = 60,
    undescribed: str = "allow",
    profile: str = "gib",
    asking: bool = False,
) -> Plan:
    """A random legal trie (passes and bids) over some expressions, with variants.

    ``asking``: nearly every node asks something, the first of siblings the first expression only.
    """
    criteria = [
        [int(number) for number in rng.integers(0, len(expression_list), rng.integers(0, 4))]
        if expression_list
        else []
        for _ in range(8)
    ]
    variant_sets = [
        [],
        *([int(number) for number in rng.integers(0, 8, rng.integers(0, 3))] for _ in range(10)),
    ]

    if asking:
        size = len(expression_list)
        criteria = [[0], *(rng.choice(size, rng.integers(1, 4)).tolist() for _ in range(9))]
        if size > WIDE:  # more columns in a box than a warp has lanes
            criteria.append(list(range(size - WIDE, size)))
        variant_sets = [[], [0], *([number] for number in range(1, len(criteria)))]
        variant_sets += [rng.choice(len(criteria), size).tolist() for size in (2, 2, 3)]

    def variants_of(place: int) -> int:
        if asking and place == 0:
            return 1
        return int(rng.integers(0, len(variant_sets))) if rng.random() < 0.8 else 0

    def grow(last_bid: int, passes: int, budget: int, depth: int) -> list[_Node]:
        if budget <= 0 or depth > 8:
            return []
        calls = [int(call) for call in rng.permutation([0, *range(last_bid or 3, 38)][:12])]
        calls = [call for call in calls if call == 0 or call > last_bid]
        found = []
        for call in calls[: 4 if asking and depth == 0 else int(rng.integers(1, 5))]:
            node = _Node(
                call, call or last_bid, passes + 1 if call == 0 else 0, [], variants_of(len(found))
            )
            if not node.completed:
                node.children = grow(node.last_bid, node.passes, budget // 3, depth + 1)
            found.append(node)
        return found

    roots = grow(0, 0, nodes, 0)
    ordered: list[_Node] = list(roots)

    def place(block: list[_Node]) -> None:
        for node in block:
            if node.children:
                node.first_child = len(ordered)
                ordered.extend(node.children)
                place(node.children)

    place(roots)
    return build_plan(
        expressions=expression_list,
        criteria=criteria,
        variant_sets=variant_sets,
        first_child=np.array([node.first_child for node in ordered], np.uint32),
        child_count=np.array([len(node.children) for node in ordered], np.uint16),
        call=np.array([node.call for node in ordered], np.uint8),
        flags=np.array(
            [COMPLETED * node.completed + CAN_COMPLETE * node.can_complete for node in ordered],
            np.uint8,
        ),
        variant_set=np.array([node.variant_set for node in ordered], np.uint32),
        root_count=len(roots),
        undescribed=undescribed,
        profile=profile,
    )
