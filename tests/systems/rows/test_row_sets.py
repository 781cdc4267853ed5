"""Sets of rows as bytes: what is read is what was written, and damage is found."""

import sys

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pyroaring import BitMap

from bidcascade.bridge import InvalidInput
from bidcascade.systems.row_sets import decode_rows, encode_rows

COUNT = 200_000


def made(seed: int, boards: int, first: int = 0, last: int = COUNT):
    chosen = np.random.default_rng(seed).choice(last - first, boards, replace=False)
    return (np.sort(chosen) + first).astype(np.uint32)


SETS = st.one_of(
    st.lists(st.integers(0, COUNT - 1), unique=True).map(
        lambda rows: np.array(sorted(rows), np.uint32)
    ),
    # lists, bits and runs are three kinds of blocks of 65,536
    st.builds(made, st.integers(0, 1 << 30), st.sampled_from([4096, 4097, 60_000, 199_999])),
    st.builds(
        lambda first, count: np.arange(first, min(first + count, COUNT), dtype=np.uint32),
        st.integers(0, COUNT),
        st.integers(0, COUNT),
    ),
)


@given(SETS)
def test_what_is_read_is_what_was_written(rows):
    data = encode_rows(rows)
    found = decode_rows(data, COUNT)
    assert found.dtype == np.uint32
    assert np.array_equal(found, rows)
    assert encode_rows(found) == data
    assert list(BitMap.deserialize(data)) == rows.tolist()


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65])
def test_everybody(count):
    rows = np.arange(count, dtype=np.uint32)
    assert np.array_equal(decode_rows(encode_rows(rows), count), rows)
    more = encode_rows(np.arange(count + 1, dtype=np.uint32))
    with pytest.raises(InvalidInput, match=rf"^expected rows below {count}, got {count}$"):
        decode_rows(more, count)


def test_what_is_cut_off_or_goes_on_is_refused():
    for rows in (made(1, 50), made(2, 50_000), np.arange(70_000, dtype=np.uint32)):
        data = encode_rows(rows)
        for size in {*range(0, len(data), 1 + len(data) // 50), len(data) - 1}:
            with pytest.raises(InvalidInput, match=r"^expected a set of rows, got "):
                decode_rows(data[:size], COUNT)
        with pytest.raises(
            InvalidInput, match=rf"^expected the {len(data)} bytes of a set of rows"
        ):
            decode_rows(data + b"\0", COUNT)


def test_a_set_that_would_fill_the_memory():
    everything = BitMap([0])
    everything.add_range(0, 1 << 32)
    everything.run_optimize()
    with pytest.raises(InvalidInput, match=r"^expected rows below 1048576, got 4294967295$"):
        decode_rows(everything.serialize())


@given(SETS, st.data())
def test_damaged_bytes_give_a_set_or_an_error(rows, data):
    damaged = bytearray(encode_rows(rows))
    assume(damaged)
    # headers stand in front
    ends = (min(40, len(damaged)), len(damaged))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, data.draw(st.sampled_from(ends)) - 1))
        damaged[place] = data.draw(st.integers(0, 255))
    check(bytes(damaged))


@given(st.binary(max_size=300), st.sampled_from([b"", b"\x3a\x30\0\0", b"\x3b\x30\x01\0"]))
def test_any_bytes_give_a_set_or_an_error(data, cookie):
    check(cookie + data)


def check(data: bytes) -> None:
    try:
        rows = decode_rows(data, COUNT)
    except InvalidInput:
        return
    assert (np.diff(rows.astype(np.int64)) > 0).all()
    assert not len(rows) or rows[-1] < COUNT
    assert encode_rows(rows)


def test_the_machine_writes_numbers_as_the_format_has_them():
    assert sys.byteorder == "little"
    assert encode_rows(np.array([3, 12], np.uint32)).hex() == (
        "3a300000010000000000010010000000" + "03000c00"
    )
