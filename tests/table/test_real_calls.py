"""Real calls found in tables and rows of expression bits, against plain Python."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Auction, InvalidInput
from bidcascade.kernels import Context, DealArrays, evaluate_postfix, get_backend
from bidcascade.kernels.core.tables.real_calls import add_bits
from bidcascade.kernels.dealing import deal_hands
from bidcascade.table import Row, Vocabulary, build_table, parse_expression, to_postfix
from bidcascade.table.columns import NONE_U32
from bidcascade.table.real_calls import (
    CallLists,
    expression_rows,
    find_real_calls,
    pack_lists,
)
from tests.support.examples import examples


@st.composite
def auctions(draw):
    """A legal auction, maybe unfinished."""
    auction = Auction()
    for _ in range(draw(st.integers(0, 9))):
        if auction.is_complete:
            break
        auction = auction.add(draw(st.sampled_from(sorted(auction.legal_calls())[:6])))
    return list(auction.calls)


@examples(25, 100)
@given(
    known=st.lists(auctions(), max_size=6),
    asked=st.lists(auctions(), max_size=6),
    dealer=st.integers(0, 3),
)
def test_decisions_are_those_of_a_dictionary(known, asked, dealer):
    prefixes = {tuple(one[: n + 1]) for one in known for n in range(len(one))}
    table, _ = build_table(Row(bytes(prefix[:-1]), prefix[-1]) for prefix in sorted(prefixes))
    lists = CallLists.of(pl.Series(asked, dtype=pl.List(pl.UInt8)))
    found = find_real_calls(table, lists, np.full(len(asked), dealer, np.uint8))
    expected, beyond = [], 0
    for deal, calls in enumerate(asked):
        for depth, call in enumerate(calls):
            here = table.find(calls[: depth + 1])
            place = table.find(calls[:depth]) if depth else None
            none = NONE_U32
            expected.append(
                (deal, depth, (dealer + depth) % 4, call,
                 none if place is None else place, none if here is None else here)
            )  # fmt: skip
            if here is None:
                beyond += len(calls) - depth - 1
                break
    got = zip(
        found.deal.tolist(),
        found.depth.tolist(),
        found.seat.tolist(),
        found.call.tolist(),
        found.place.tolist(),
        found.entry.tolist(),
        strict=True,
    )
    assert list(got) == expected
    assert found.beyond == beyond
    assert len(found) == len(expected)


TEXTS = [
    "HCP >= 15",
    "SL_S >= 5",
    "SL_S>=5",
    "Balanced",
    "Seat == 3",
    "Vul_We",
    "SL_H > SL_S",
    *(f"HCP == {points}" for points in range(70)),
]


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65])
def test_rows_say_what_the_reference_says(count):
    texts = TEXTS[: len(TEXTS) if count == 65 else 7]
    dealer = np.arange(count, dtype=np.uint8) % 4
    deals = DealArrays(deal_hands(3, 0, count), dealer, (dealer * 3 + 1) % 4)
    vocabulary = Vocabulary()
    rows = expression_rows(texts, deals, vocabulary, get_backend("cpu"))
    assert rows.shape == (4 * count, (len(texts) + 63) // 64)
    for deal in range(count):
        for seat in range(4):
            sides = int(deals.vulnerability[deal])
            context = Context(
                seat=(seat - int(dealer[deal])) % 4 + 1,
                vul_we=sides >> (seat % 2) & 1,
                vul_they=sides >> (1 - seat % 2) & 1,
            )
            hand = int(deals.hands[seat, deal])
            expected = sum(
                bool(
                    evaluate_postfix(to_postfix(parse_expression(text), vocabulary), hand, context)
                )
                << number
                for number, text in enumerate(texts)
            )
            row = sum(int(word) << 64 * n for n, word in enumerate(rows[4 * deal + seat]))
            assert row == expected


@given(
    rows=st.lists(st.integers(0, 2**70 - 1), min_size=1, max_size=8),
    lists=st.lists(st.sets(st.integers(0, 69)), min_size=1, max_size=5),
    groups=st.lists(st.integers(0, 2), max_size=20),
    data=st.data(),
)
def test_masks_and_counts_are_those_of_sets(rows, lists, groups, data):
    packed = np.array([[row & 2**64 - 1, row >> 64] for row in rows], np.uint64)
    masks = pack_lists(lists, 70)
    hands = np.array([data.draw(st.integers(0, len(rows) - 1)) for _ in groups], dtype=np.int64)
    counts = np.zeros((3, 70), np.uint32)
    add_bits(packed, hands, np.array(groups, np.uint32), counts)
    for group in range(3):
        for bit in range(70):
            assert counts[group, bit] == sum(
                rows[hand] >> bit & 1 for hand, g in zip(hands, groups, strict=True) if g == group
            )
    for mask, numbers in zip(masks, lists, strict=True):
        assert {bit for bit in range(128) if mask[bit // 64] >> bit % 64 & 1} == numbers


def test_another_column_is_refused():
    with pytest.raises(InvalidInput, match="List\\(UInt8\\)"):
        CallLists.of(pl.Series(["1N P"]))
    table, _ = build_table([{"prior": "", "call": "1N"}])
    with pytest.raises(ValueError, match="a dealer for 0 auctions"):
        find_real_calls(
            table, CallLists.of(pl.Series([], dtype=pl.List(pl.UInt8))), np.zeros(1, np.uint8)
        )
