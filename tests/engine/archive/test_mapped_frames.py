"""Arrow files that are mapped: what was written, as pyarrow reads it too, and nothing beyond it."""

import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.bridge import InvalidInput
from bidcascade.engine.archive.archive import BOARD_SCHEMA
from bidcascade.engine.archive.mapped_frames import read_mapped, write_mapped
from bidcascade.engine.archive.mapped_nodes import NODE_SCHEMA
from bidcascade.engine.archive.postings import SCHEMA
from tests.engine.archive.support_archives import played

TEXTS = st.one_of(st.text(max_size=4), st.text(min_size=10, max_size=20))


def values_of(kind):
    """Values of a column's type, none too."""
    if isinstance(kind, pl.List):
        return st.none() | st.lists(values_of(kind.inner), max_size=4)
    if isinstance(kind, pl.Enum):
        return st.none() | st.sampled_from(kind.categories.to_list())
    if kind == pl.Boolean:
        return st.none() | st.booleans()
    if kind == pl.String:
        return st.none() | TEXTS
    if kind == pl.Binary:
        return st.none() | TEXTS.map(str.encode)
    return st.none() | st.integers(0, 200)


@st.composite
def frames(draw):
    schema = draw(st.sampled_from([BOARD_SCHEMA, SCHEMA, NODE_SCHEMA]))
    names = draw(st.lists(st.sampled_from(schema.names()), min_size=1, unique=True))
    rows = draw(st.sampled_from([0, 1, 7, 8, 9, 65]))
    columns = {}
    for name in names:
        few = draw(st.lists(values_of(schema[name]), min_size=1, max_size=9))
        columns[name] = pl.Series(name, [few[row % len(few)] for row in range(rows)], schema[name])
    return pl.DataFrame(columns)


@given(frame=frames())
def test_what_was_written_is_read(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("mapped") / "a.arrow"
    write_mapped(frame, path)
    assert_frame_equal(read_mapped(path), frame)
    assert_frame_equal(pl.read_ipc(path), frame)


def test_pyarrow_reads_the_same(tmp_path):
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "a.arrow"
    frame = played(300, 5).with_columns(players=pl.lit(["A", None, "A name that is long", ""]))
    write_mapped(frame, path)
    with pa.memory_map(str(path)) as file:
        theirs = pl.from_arrow(pa.ipc.open_file(file).read_all(), rechunk=False)
    assert_frame_equal(read_mapped(path), theirs)


def test_values_are_those_of_the_file(tmp_path):
    path = tmp_path / "a.arrow"
    write_mapped(pl.DataFrame({"id": np.arange(1000, dtype=np.uint64)}), path)
    frame = read_mapped(path)
    with path.open("r+b") as file:
        place = path.read_bytes().index(np.arange(1000, dtype=np.uint64).tobytes())
        file.seek(place + 8 * 999)
        file.write((7).to_bytes(8, "little"))
    assert frame["id"][999] == 7


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_compressed_files_are_refused(tmp_path, compression):
    path = tmp_path / "a.arrow"
    pl.DataFrame({"id": [1] * 1000}, schema={"id": pl.UInt64}).write_ipc(
        path, compression=compression
    )
    with pytest.raises(InvalidInput, match=r"damaged file 'a\.arrow' .*compressed"):
        read_mapped(path)


@pytest.mark.parametrize("kind", [pl.Float64, pl.Date, pl.Struct({"a": pl.UInt8})])
def test_other_types_are_refused(tmp_path, kind):
    path = tmp_path / "a.arrow"
    pl.DataFrame({"id": pl.Series([None, None], dtype=kind)}).write_ipc(path)
    with pytest.raises(InvalidInput, match=r"damaged file 'a\.arrow' .*expected columns of an"):
        read_mapped(path)


def test_several_batches_are_refused(tmp_path):
    path = tmp_path / "a.arrow"
    pl.DataFrame({"id": [1, 2, 3]}).write_ipc(path, record_batch_size=1)
    with pytest.raises(InvalidInput, match=r"damaged file 'a\.arrow'"):
        read_mapped(path)


def test_places_beyond_the_end_are_refused(tmp_path):
    """Of what no checksum was compared with, nothing outside the file is read."""
    path = tmp_path / "a.arrow"
    write_mapped(played(50, 2).select("north", "auction", "dealer", "alerts"), path)
    whole = path.read_bytes()
    chance = random.Random(1)
    footer = len(whole) - 10 - int.from_bytes(whole[-10:-6], "little")
    refused = 0
    for _ in range(300):
        content = bytearray(whole)
        place = chance.randrange(footer, len(content))
        content[place] ^= chance.randrange(1, 256)
        path.write_bytes(content)
        try:
            read_mapped(path)
        except InvalidInput:
            refused += 1
    assert refused > 30
    for size in (0, 1, 9, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(InvalidInput, match=r"damaged file 'a\.arrow'"):
            read_mapped(path)
