"""Real calls found and judged by the core, against plain Python; what it refuses."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.kernels.core.tables.real_calls import (
    MOST_SIBLINGS,
    Conditions,
    add_bits,
    count_held,
    find_calls,
    held_calls,
    judge_calls,
    missing_expressions,
    nearest_lists,
    turn_bits,
)
from bidcascade.table.columns import NONE_U32, offsets_of

REFUSED = "expected numbers within the arrays"
WORDS = 2
NODES = 8
CALLS = np.array([0, 1, 3, 4, 5, 6, 7, 37], np.uint8)


class Sample:
    """Random rows of bits, criteria and places, and what plain Python says of them."""

    def __init__(self, seed: int, hands: int = 4) -> None:
        random = Random(seed)
        self.bits = [{bit for bit in range(70) if random.random() < 0.6} for _ in range(hands)]
        self.lists = [
            sorted(random.sample(range(70), random.choice((0, 1, 2, 5)))) for _ in range(5)
        ]
        self.sets = [
            [],
            *([random.randrange(5) for _ in range(random.randrange(3))] for _ in range(3)),
        ]
        self.rows = np.array(
            [
                [
                    sum(1 << bit - 64 * word for bit in own if bit >> 6 == word)
                    for word in range(WORDS)
                ]
                for own in self.bits
            ],
            np.uint64,
        ).reshape(hands, WORDS)
        self.variant_set = np.array([random.randrange(4) for _ in range(NODES)], np.uint32)
        self.undescribed = random.random() < 0.5, random.random() < 0.5
        count = random.randrange(6)
        self.hands = np.array([random.randrange(hands) for _ in range(count)], np.int64)
        self.first = np.array([random.randrange(NODES) for _ in range(count)], np.int64)
        self.sizes = np.array([random.randrange(NODES - one + 1) for one in self.first], np.int64)
        self.entry = np.array(
            [random.choice((*range(NODES), NONE_U32)) for _ in range(count)], np.uint32
        )

    @property
    def conditions(self) -> Conditions:
        parts = [
            (word, sum(1 << bit - 64 * word for bit in one if bit >> 6 == word))
            for one in self.lists
            for word in sorted({bit >> 6 for bit in one})
        ]
        return Conditions(
            set_offsets=offsets_of([len(one) for one in self.sets], np.int64),
            set_lists=np.array([one for own in self.sets for one in own], np.int64),
            list_offsets=offsets_of(
                [len({bit >> 6 for bit in one}) for one in self.lists], np.int64
            ),
            list_words=np.array([word for word, _ in parts], np.int64),
            list_masks=np.array([mask for _, mask in parts], np.uint64),
            holds_undescribed=np.array(self.undescribed),
        )

    def holds(self, node: int, hand: int) -> bool:
        number = int(self.variant_set[node])
        if number == 0:
            return self.undescribed[int(CALLS[node] == 0)]
        return any(self.bits[hand].issuperset(self.lists[one]) for one in self.sets[number])

    def places(self):
        return list(
            zip(
                self.hands.tolist(),
                self.first.tolist(),
                self.sizes.tolist(),
                self.entry.tolist(),
                strict=True,
            )
        )


SAMPLES = st.integers(0, 1 << 30).map(Sample)


@given(SAMPLES)
def test_calls_are_judged(sample):
    count = len(sample.hands)
    holds, chosen = np.zeros(count, np.bool_), np.zeros(count, np.uint32)
    holding, base = np.zeros(count, np.uint16), np.arange(count) * NODES
    pairs = base * NODES
    held, first, together = np.zeros((3, count * NODES * NODES), np.uint32)
    judge_calls(
        sample.rows,
        sample.hands,
        sample.first,
        sample.sizes,
        sample.entry,
        sample.variant_set,
        CALLS,
        sample.conditions,
        base,
        pairs,
        holds,
        chosen,
        holding,
        held,
        first,
        together,
    )
    masks = np.zeros(count, np.uint64)
    held_calls(
        sample.rows,
        sample.hands,
        sample.first,
        sample.sizes,
        sample.variant_set,
        CALLS,
        sample.conditions,
        masks,
    )
    for number, (hand, start, size, entry) in enumerate(sample.places()):
        found = [place for place in range(size) if sample.holds(start + place, hand)]
        assert holding[number] == len(found)
        assert chosen[number] == (start + found[0] if found else NONE_U32)
        assert holds[number] == (entry - start in found)
        assert masks[number] == sum({1 << int(CALLS[start + place]) for place in found})
        expected = [place in found for place in range(size)]
        assert held[base[number] : base[number] + size].tolist() == expected
        assert np.flatnonzero(first[base[number] : base[number] + NODES]).tolist() == found[:1]
        both = [
            one in found and two in found for one in range(size) for two in range(one + 1, size)
        ]
        assert together[pairs[number] : pairs[number] + len(both)].tolist() == both


@given(SAMPLES)
def test_what_is_missing_is_named(sample):
    known = np.minimum(sample.entry, NODES - 1)
    sets = sample.variant_set[known]
    nearest, missing = np.zeros((2, len(sets)), np.int64)
    nearest_lists(sample.rows, sample.hands, sets, sample.conditions, nearest, missing)
    named = []
    for number, hand in enumerate(sample.hands.tolist()):
        lacks = [
            sorted(set(sample.lists[one]) - sample.bits[hand]) for one in sample.sets[sets[number]]
        ]
        least = min(lacks, key=len, default=[])
        assert missing[number] == len(least)
        place = lacks.index(least) if lacks else -1
        assert nearest[number] == (sample.sets[sets[number]][place] if lacks else -1)
        named += least
    found = np.zeros(len(named), np.uint32)
    missing_expressions(sample.rows, sample.hands, nearest, sample.conditions, found)
    assert found.tolist() == named
    expected = sum(map(sample.holds, known.tolist(), sample.hands.tolist()))
    assert expected == count_held(
        sample.rows, sample.hands, known, sample.variant_set, CALLS, sample.conditions
    )


@given(st.integers(0, 130), st.integers(0, 130), st.integers(0, 1 << 30))
def test_bits_are_turned_and_added(expressions, deals, seed):
    holds = np.random.default_rng(seed).random((expressions, 4, deals)) < 0.4
    words = -(-deals // 64)
    padded = np.zeros((expressions, 4, 64 * words), np.uint8)
    padded[:, :, :deals] = holds
    columns = np.packbits(padded, axis=2, bitorder="little").view(np.uint64)
    rows = np.full((4 * deals, -(-expressions // 64)), 99, np.uint64)
    turn_bits(columns.reshape(expressions, 4, words), rows)
    found = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")[:, :expressions]
    assert np.array_equal(found, holds.transpose(2, 1, 0).reshape(4 * deals, expressions))
    counts = np.zeros((2, expressions), np.uint32)
    numbers = np.arange(4 * deals)
    add_bits(rows, numbers, (numbers % 3 == 0).astype(np.uint32), counts)
    assert np.array_equal(counts[1], found[::3].sum(axis=0))
    assert np.array_equal(counts.sum(axis=0), found.sum(axis=0))


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


SOUND = next(
    one
    for one in map(Sample, range(1000))
    if len(one.hands) > 1 and one.sizes.min() > 0 and any(one.sets) and one.variant_set.any()
)


@pytest.mark.parametrize(
    "changes",
    [
        {"hands": changed(SOUND.hands, 0, 4)},
        {"hands": changed(SOUND.hands, 0, -1)},
        {"first": changed(SOUND.first, 1, -1)},
        {"first": changed(SOUND.first, 1, NODES)},
        {"sizes": changed(SOUND.sizes, 1, NODES + 1)},
        {"sizes": changed(SOUND.sizes, 1, -1)},
        {"sizes": changed(SOUND.sizes, 1, MOST_SIBLINGS + 1)},
        {"variant_set": np.full(NODES, 4, np.uint32)},
        {"sets": [[], [5]]},
        {"sets": [[], [-1]]},
    ],
    ids=str,
)
def test_wrong_places_are_refused(changes):
    sample = Sample(0)
    vars(sample).update(vars(SOUND) | changes)
    count = len(sample.hands)
    room = np.zeros(count * NODES * NODES, np.uint32)
    arguments = sample.rows, sample.hands, sample.first, sample.sizes
    with pytest.raises(ValueError, match=REFUSED):
        judge_calls(
            *arguments,
            sample.entry,
            sample.variant_set,
            CALLS,
            sample.conditions,
            np.arange(count) * NODES,
            np.arange(count) * NODES,
            np.zeros(count, np.bool_),
            np.zeros(count, np.uint32),
            np.zeros(count, np.uint16),
            room,
            room.copy(),
            room.copy(),
        )


@pytest.mark.parametrize("words", [0, 1])
def test_rows_that_are_too_short_are_refused(words):
    rows = np.zeros((4, words), np.uint64)
    conditions = SOUND.conditions
    conditions.set(list_words=np.full(len(conditions.list_words), 1, np.int64))
    hands = np.zeros(1, np.int64)
    with pytest.raises(ValueError, match=REFUSED):
        held_calls(
            rows, hands, hands, hands, SOUND.variant_set, CALLS, conditions, np.zeros(1, np.uint64)
        )
    with pytest.raises(ValueError, match=REFUSED):
        nearest_lists(rows, hands, hands.astype(np.uint32), conditions, hands, hands.copy())
    with pytest.raises(ValueError, match=REFUSED):
        missing_expressions(rows, hands, hands, conditions, np.zeros(9, np.uint32))
    with pytest.raises(ValueError, match=REFUSED):
        count_held(rows, hands, hands.astype(np.uint32), SOUND.variant_set, CALLS, conditions)


def test_counters_and_names_without_room_are_refused():
    one = np.zeros(1, np.int64)
    sizes, room = np.full(1, 2), np.zeros(2, np.uint32)
    for base, pair_base, pairs in ((1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, 0, 0)):
        with pytest.raises(ValueError, match=REFUSED):
            judge_calls(
                SOUND.rows,
                one,
                one,
                sizes,
                room[:1],
                SOUND.variant_set,
                CALLS,
                SOUND.conditions,
                np.full(1, base),
                np.full(1, pair_base),
                np.zeros(1, np.bool_),
                room[:1].copy(),
                np.zeros(1, np.uint16),
                room,
                room.copy(),
                np.zeros(pairs, np.uint32),
            )
    nothing = np.zeros((1, WORDS), np.uint64)
    full = next(number for number, own in enumerate(SOUND.lists) if own)
    with pytest.raises(ValueError, match=REFUSED):
        missing_expressions(
            nothing, one, np.full(1, full), SOUND.conditions, np.zeros(0, np.uint32)
        )


def test_tries_and_rows_that_are_not_there_are_refused():
    calls, offsets = np.array([3, 0], np.uint8), np.array([0, 2])

    def find(first_child, child_count, roots, offsets=offsets):
        out = [np.zeros(2, kind) for kind in (np.uint32, np.uint16, np.uint32, np.uint32)]
        trie = np.array(first_child, np.uint32), np.array(child_count, np.uint16)
        return find_calls(*trie, np.array([3, 0], np.uint8), roots, calls, offsets, *out), out

    (counts, (_, depth, place, entry)) = find([1, 2], [1, 0], 1)
    assert counts == (2, 0)
    assert (depth.tolist(), place.tolist(), entry.tolist()) == ([0, 1], [NONE_U32, 0], [0, 1])
    for wrong in (
        ([1, 2], [2, 0], 1),
        ([9, 2], [1, 0], 1),
        ([1, 2], [1, 0], 3),
        ([1, 2], [1, 0], -1),
    ):
        with pytest.raises(ValueError, match=REFUSED):
            find(*wrong)
    with pytest.raises(ValueError, match=REFUSED):
        find([1, 2], [1, 0], 1, np.array([0, 3]))
    rows, counts = np.full((2, 1), 1 << 40, np.uint64), np.zeros((1, 9), np.uint32)
    for number, group in ((0, 0), (2, 0), (-1, 0), (0, 1)):
        with pytest.raises(ValueError, match=REFUSED):
            add_bits(rows, np.full(1, number), np.full(1, group, np.uint32), counts)
    with pytest.raises(ValueError, match=REFUSED):
        turn_bits(np.zeros((1, 4, 1), np.uint64), np.zeros((4 * 65, 1), np.uint64))
    with pytest.raises(ValueError, match=REFUSED):
        turn_bits(np.zeros((65, 4, 1), np.uint64), np.zeros((4, 1), np.uint64))
