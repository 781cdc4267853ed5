"""Hands packed by tables that Python made, and deals sorted: what the core makes and refuses."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidExpression
from bidcascade.kernels import DealArrays
from bidcascade.kernels.core.functions import pack_by_tables, sort_by_dealer
from bidcascade.kernels.core.hands.packing import PackingTables
from bidcascade.kernels.packing.layout import OPCODES, Packing
from bidcascade.table.language.expression_tree import Expression
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.vocabulary import Vocabulary
from tests.core.hands.definition_of_tests import DefinitionOfTests, packed_by_tables
from tests.support.deals import mixed_deals
from tests.support.expressions import expressions

FEW = mixed_deals(40, seed=1)
TEXTS = (
    "HCP * Losers > 77", "Vul_We * HCP > Seat * 7", "HCP_S * HCP_H >= 6 or HCP_S * SL_H == 9",
    "14 * HCP <= 20 * Losers", "HCP != 12 and Losers != 7", "Stopper_S and not Top2_S == 2",
    "0 - HCP * 2 < 0 - Losers * 3", "not (HCP * Losers > 77 and HCP * Losers != 90)",
    "Vul_We or Vul_They", "Seat >= 3", "Pattern == '5332'", "HCP + Losers >= 20",
)  # fmt: skip


def packing_of(*texts: str) -> Packing:
    definition = DefinitionOfTests(Vocabulary())
    for text in texts:
        definition.tests_of((parse_expression(text),))
    return definition.packing


def packed(
    packing: Packing, deals: DealArrays, start: int, stop: int, *, rotate: bool = True
) -> Any:
    tables = PackingTables(packing)
    found = np.full((4, stop - start, sum(tables.words)), 0xABCDEF, np.uint64)
    pack_by_tables(tables, deals, start, stop, found, rotate=rotate)
    return found


@pytest.mark.parametrize("rotate", [True, False])
def test_all_kinds_of_flags(rotate: bool) -> None:
    packing, deals = packing_of(*TEXTS), mixed_deals(70, seed=9)
    assert len(packing.programs) > 20
    assert {OPCODES["neg"], OPCODES["end"]} & set(packing.programs[:, 0].tolist())
    whole = packed_by_tables(packing, deals, "gib", rotate=rotate)
    for start, stop in ((0, 70), (3, 3), (69, 70), (5, 66)):
        found = packed(packing, deals, start, stop, rotate=rotate)
        assert np.array_equal(found, whole[:, start:stop])


@given(criteria=st.lists(expressions, min_size=1, max_size=4))
def test_random_criteria(criteria: list[Expression]) -> None:
    definition = DefinitionOfTests(Vocabulary())
    try:
        for criterion in criteria:
            definition.tests_of((criterion,))
    except (InvalidExpression, ValueError):
        return
    expected = packed_by_tables(definition.packing, FEW, "gib")
    assert np.array_equal(packed(definition.packing, FEW, 0, len(FEW)), expected)


def test_no_deals() -> None:
    assert packed(packing_of(), mixed_deals(0, seed=1), 0, 0).shape == (4, 0, 2)


END, TERM, INT, NOT, AND = (OPCODES[name] for name in ("end", "term", "int", "not", "and"))
REFUSED: dict[str, Any] = {
    "no end": [(TERM, 0)],
    "nothing at the end": [(END, 0)],
    "two values": [(INT, 1), (INT, 1), (END, 0)],
    "too few values": [(INT, 1), (AND, 0), (END, 0)],
    "no value": [(NOT, 0), (INT, 1), (END, 0)],
    "no such term": [(TERM, 99), (END, 0)],
    "a term below zero": [(TERM, -1), (END, 0)],
    "no such operator": [(INT, 1), (16, 0), (END, 0)],
    "an operator below zero": [(INT, 1), (-1, 0), (END, 0)],
    "too many values": [*[(INT, 1)] * 2000, *[(AND, 0)] * 1999, (END, 0)],
}


@pytest.mark.parametrize("code", REFUSED.values(), ids=REFUSED)
def test_wrong_programs_are_refused(code: Any) -> None:
    packing = replace(
        packing_of("HCP * Losers > 77"),
        programs=np.array(code, np.int32),
        program_starts=np.zeros(1, np.int32),
    )
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        packed(packing, FEW, 0, len(FEW))


@pytest.mark.parametrize(
    "change",
    [
        {"program_starts": np.array([-1], np.int32)},
        {"program_starts": np.array([99], np.int32)},
        {"program_starts": np.zeros(2, np.int32)},
        {"program_flags": np.array([64], np.int32)},
        {"program_flags": np.array([-1], np.int32)},
        {"lane_words": 2},
        {"lane_words": 0, "flag_words": 2},
        {"lane_words": 3, "flag_words": -1},
        {"length_words": np.zeros((1, 2), np.uint64)},
        {"term_contexts": np.zeros((3, 16), np.int32)},
    ],
    ids=str,
)
def test_wrong_tables_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        packed(replace(packing_of("HCP * Losers > 77"), **change), FEW, 0, len(FEW))


@pytest.mark.parametrize(("start", "stop"), [(-1, 3), (0, 41), (5, 4)])
def test_wrong_deals_are_refused(start: int, stop: int) -> None:
    with pytest.raises(ValueError, match=r"expected|negative"):
        packed(packing_of(), FEW, start, stop)


def test_no_room_for_the_words() -> None:
    tables, room = PackingTables(packing_of()), np.zeros((4, 40, 3), np.uint64)
    with pytest.raises(ValueError, match=r"room for 2 words of 40 deals, got \(4, 40, 3\)"):
        pack_by_tables(tables, FEW, 0, 40, room)


# --- the order of deals --------------------------------------------------------------------------


def key(hand: int) -> tuple[int, int, int]:
    holdings = [hand >> 13 * suit & 0x1FFF for suit in range(4)]
    points = sum(
        (one >> 9 & 1) + 2 * (one >> 10 & 1) + 3 * (one >> 11 & 1) + 4 * (one >> 12 & 1)
        for one in holdings
    )
    lengths = [one.bit_count() for one in holdings]
    longest = max(lengths)
    return min(points, 31), lengths.index(longest), max(0, min(longest - 4, 7))


@pytest.mark.parametrize(("start", "stop"), [(0, 3000), (0, 0), (2999, 3000), (70, 1200)])
def test_like_hands_come_together_in_their_order(start: int, stop: int) -> None:
    deals = mixed_deals(3000, seed=2)
    keys = [key(int(deals.hands[deals.dealer[deal], deal])) for deal in range(start, stop)]
    expected = sorted(range(stop - start), key=keys.__getitem__)
    found, order = sort_by_dealer(deals, start, stop)
    assert order.tolist() == expected
    assert np.array_equal(found.hands, deals.hands[:, start + order])
    assert np.array_equal(found.dealer, deals.dealer[start + order])
    assert np.array_equal(found.vulnerability, deals.vulnerability[start + order])


@given(st.lists(st.integers(0, (1 << 64) - 1), min_size=1, max_size=20))
def test_wrong_cards_have_an_order_too(words: list[int]) -> None:
    zeros = np.zeros(len(words), np.uint8)
    deals = DealArrays(np.array([words] * 4, np.uint64), zeros, zeros)
    _, order = sort_by_dealer(deals, 0, len(words))
    assert order.tolist() == sorted(range(len(words)), key=lambda deal: key(words[deal]))


@pytest.mark.parametrize(("start", "stop"), [(-1, 3), (0, 41)])
def test_deals_that_are_not_there_are_not_sorted(start: int, stop: int) -> None:
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        sort_by_dealer(FEW, start, stop)
