"""Numbers and rows that no caller of the core sends: refused before anything follows them.

`nox -s sanitize` runs these with a build that stops at the first wrong access.
"""

from random import Random
from typing import Any

import numpy as np
import pytest

from bidcascade.bridge import Auction, InvalidSystem
from bidcascade.kernels.core import functions
from bidcascade.kernels.core.places.systems import CoreSystem
from bidcascade.kernels.types import I32
from bidcascade.systems.auctions import program
from bidcascade.systems.auctions.bidder import Bidder
from bidcascade.systems.system import System
from tests.support.deals import mixed_deals
from tests.support.systems import SMALL_SYSTEM

SMALL = System.parse(SMALL_SYSTEM)
PAIRS = 1 << 30
"""Twice as many are more than a number of 32 bits holds."""
EDGES = (0, -1, 1, 37, 38, 64, 255, 1 << 16, PAIRS, PAIRS + 1, (1 << 31) - 1, -(1 << 31))


@pytest.fixture(scope="module")
def sound() -> tuple[I32, I32]:
    """Rows of a text and its structure as an encoder writes them."""
    seen: list[tuple[I32, I32]] = []

    def opened(text: I32, structure: I32) -> CoreSystem:
        seen.append((np.array(text, np.int32), np.array(structure, np.int32)))
        return CoreSystem(text, structure)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program, "CoreSystem", opened)
        Bidder(SMALL.rules)
    return seen[0]


def changed(words: I32, random: Random) -> I32:
    """Rows with some words changed, cut off, or moved."""
    at = random.randrange(len(words))
    match random.randrange(5):
        case 0:
            return words[:at]
        case 1:
            return np.insert(words, at, random.randrange(-3, 1000))
        case 2:
            return np.delete(words, slice(at, at + random.randrange(1, 5)))
        case 3:
            words = words.copy()
            words[at] = random.choice(EDGES)
            return words
    words = words.copy()
    for at in random.sample(range(len(words)), random.choice((1, 2, 5))):
        words[at] += random.choice((-2, -1, 1, 2))
    return words


@pytest.mark.parametrize("seed", range(8))
def test_rows_with_changed_words_are_refused_or_bid(sound, monkeypatch, seed):
    random, deals, refused, bid = Random(seed), mixed_deals(30, seed), 0, 0
    for _ in range(40):
        text, structure = sound
        which = random.randrange(3)
        text = text if which == 1 else changed(text, random)
        structure = structure if which == 0 else changed(structure, random)
        try:
            core = CoreSystem(text, structure)
        except ValueError:
            refused += 1
            continue
        monkeypatch.setattr(program, "CoreSystem", lambda *_, core=core: core)
        try:
            bidder = Bidder(SMALL.rules, budget=1 << 22)
            found = bidder.bid(deals)
        except (InvalidSystem, IndexError, KeyError, ValueError):
            # what such rows mean may have no words in Python
            continue
        auctions = bidder.ending_with(found.place, np.zeros(len(deals), np.uint8))
        assert all(Auction.of(calls).is_complete for calls in auctions)
        bid += 1
    assert refused >= 10
    assert refused + bid > 20


def test_lists_of_pairs_longer_than_numbers_go(sound):
    text, structure = sound
    first, end = structure[8:10].tolist()
    assert (end - first) % 4 == 0
    for branch in range(first, end, 4):
        for claimed in (PAIRS, PAIRS + 1, (1 << 31) - 1):
            wrong = structure.copy()
            wrong[branch + 3] = claimed
            with pytest.raises(ValueError, match="expected rows of a system's text"):
                CoreSystem(text, wrong)


@pytest.fixture
def bidder() -> Any:
    one: Any = Bidder(SMALL.rules)
    one.bid(mixed_deals(50, 1))
    return one


@pytest.mark.parametrize("wrong", [-1, -(1 << 31), 1 << 20, (1 << 31) - 1])
class TestNumbersOutOfRange:
    """Each is refused, and what is known stays as it was."""

    def refused(self, bidder: Any, function: Any, *arguments: Any) -> None:
        counts, deals = bidder.store.counts.copy(), mixed_deals(50, 1)
        before = bidder.bid(deals).place
        with pytest.raises(ValueError, match="expected numbers within the arrays"):
            function(*arguments)
        assert (bidder.store.counts == counts).all()
        assert (bidder.bid(deals).place == before).all()

    def test_places(self, bidder, wrong):
        places = np.array([0, wrong], np.int32)
        store, cores, blocks = bidder.store, bidder._cores(), bidder._blocks(1)
        self.refused(bidder, functions.auction_lengths, store, places)
        self.refused(bidder, functions.work_out, *cores, store, blocks[0], places, 0, 2)
        self.refused(
            bidder, functions.make_ready, *cores, store, blocks[0], places, np.zeros(2, np.int64)
        )
        keys = np.array([7, wrong << 6 | 7], np.int64).view(np.uint64)
        self.refused(bidder, functions.places_behind, store, keys, np.zeros(2, np.int32))

    def test_parts_of_arrays(self, bidder, wrong):
        places = np.zeros(2, np.int32)
        block = bidder._blocks(1)[0]
        if wrong < 0:
            self.refused(
                bidder, functions.work_out, *bidder._cores(), bidder.store, block, places, wrong, 1
            )
        deals = mixed_deals(4, 1)
        core = bidder._cores()[0]
        with pytest.raises((ValueError, MemoryError, TypeError)):
            functions.pack(core, deals, wrong, wrong + 1, np.zeros((4, 1, core.width), np.uint64))

    def test_calls(self, bidder, wrong):
        keys = np.array([wrong & 63 | 38], np.uint64)
        self.refused(bidder, functions.places_behind, bidder.store, keys, np.zeros(1, np.int32))

    def test_needs_and_variants(self, bidder, wrong):
        core = bidder._cores()[0]
        self.refused(bidder, core.add_entry, 7, wrong, 0, 0)
        self.refused(bidder, core.add_entry, 7, 0, wrong, 0)
        self.refused(bidder, core.add_entry, wrong, 0, 0, 0)
        self.refused(bidder, core.add_entry, 7, 0, 0, wrong)


def test_arrays_of_another_type_do_not_get_there(bidder):
    with pytest.raises(TypeError, match="int32"):
        functions.auction_lengths(bidder.store, np.zeros(2, np.int64))
    with pytest.raises(TypeError, match="in one piece"):
        functions.auction_lengths(bidder.store, np.zeros(4, np.int32)[::2])
