"""Bit columns reach polars and pyarrow without a copy, and are let go of afterwards."""

import gc

import numpy as np
import pytest

from bidcascade.kernels import ArrowBits, BitColumns
from bidcascade.kernels.arrow import ArrowColumn, _held

# a machine for kernels need not have them
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")


def kept_now():
    """How many structures are handed out, without what others let go of meanwhile."""
    gc.collect()
    return len(_held)


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 1000])
def test_values_survive(count):
    words = np.random.default_rng(count).integers(0, 2**63, (count + 63) // 64, dtype=np.uint64)
    bools = np.unpackbits(words.view(np.uint8), count=count, bitorder="little").astype(bool)
    assert pl.Series(ArrowBits(words, count)).to_list() == bools.tolist()
    assert pa.array(ArrowBits(words, count)).to_pylist() == bools.tolist()


def test_pyarrow_reads_the_very_words():
    words = np.arange(5, dtype=np.uint64)
    array = pa.array(ArrowBits(words, 300))
    assert array.buffers()[1].address == words.ctypes.data


def test_polars_reads_the_very_words():
    words = np.full(3, 2**64 - 1, np.uint64)
    series = pl.Series(ArrowBits(words, 190))
    words[:] = 0
    assert series.to_list() == [False] * 190


def test_words_live_as_long_as_the_consumer_and_no_longer():
    before = kept_now()
    series = pl.Series(ArrowBits(np.full(2, 5, np.uint64), 100))
    gc.collect()
    assert series.sum() == 4
    assert len(_held) > before
    del series
    assert kept_now() == before


def test_a_capsule_that_nobody_takes_is_released():
    before = kept_now()
    capsules = ArrowBits(np.zeros(1, np.uint64), 3).__arrow_c_array__()
    assert len(_held) > before
    del capsules
    assert kept_now() == before


def lists_of_texts():
    """Two lists, the second null, of an inline text, a null one, and a long one."""
    long = b"a text of more than twelve bytes"
    views = np.zeros((3, 16), np.uint8)
    views[0, :5] = [1, 0, 0, 0, ord("a")]
    views[2] = np.frombuffer(len(long).to_bytes(4, "little") + long[:4] + bytes(8), np.uint8)
    texts = ArrowColumn(
        b"vu",
        3,
        [
            np.array([0b101], np.uint8),
            views,
            np.frombuffer(long, np.uint8),
            np.array([len(long)], np.int64),
        ],
        nulls=1,
    )
    offsets = np.array([0, 3, 3], np.int64)
    return ArrowColumn(b"+L", 2, [np.array([0b01], np.uint8), offsets], [texts], nulls=1)


@pytest.mark.parametrize("taken", [pl.Series, lambda one: pl.Series(pa.array(one))])
def test_lists_of_texts_live_as_long_as_the_consumer(taken):
    before = kept_now()
    series = taken(lists_of_texts())
    gc.collect()
    assert series.to_list() == [["a", None, "a text of more than twelve bytes"], None]
    del series
    assert kept_now() == before


def test_columns_hand_out_arrow():
    columns = BitColumns.empty(2, 70)
    columns.words[1, 3, 1] = 1
    assert pl.Series(columns.arrow(1, 3)).arg_true().to_list() == [64]


def test_words_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="expected contiguous words for 65 bits, got 1 words"):
        ArrowBits(np.zeros(1, np.uint64), 65)
    with pytest.raises(ValueError, match="expected contiguous words"):
        ArrowBits(np.zeros(4, np.uint64)[::2], 65)


def test_many_columns_live_beside_each_other():
    rng = np.random.default_rng(8)
    wanted, live = [], []
    for _ in range(200):
        words = rng.integers(0, 2**63, 100, dtype=np.uint64)
        wanted.append(int(np.bitwise_count(words).sum()))
        live.append(pl.Series(ArrowBits(words, 6400)))
        del words
        np.zeros(100, np.uint64)  # takes the place of words that are let go of too early
    gc.collect()
    assert [int(series.to_numpy().sum()) for series in live] == wanted
