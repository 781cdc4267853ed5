"""What is written as LIN is read back equal."""

import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.loaders import random_deals, read_lin, write_lin
from bidcascade.loaders.frames.frame import REQUIRED_COLUMNS
from tests.support.lin import FRAME_COLUMNS, FRAMES, GRAND_SLAM, played_boards

OF_THE_FILE = ("source", "record", "encoding")


def written(frame: pl.DataFrame) -> str:
    stream = io.StringIO()
    write_lin(frame, stream)
    return stream.getvalue()


@pytest.mark.slow
@given(FRAMES)
def test_frames(frame):
    batch = read_lin(written(frame).encode())
    assert batch.rejects.is_empty()
    assert_frame_equal(batch.deals.select(FRAME_COLUMNS), frame)


@given(st.lists(played_boards(), min_size=1, max_size=3).map("".join))
def test_what_was_read_is_written_in_full(text):
    deals = read_lin(text.encode()).deals
    again = read_lin(written(deals).encode()).deals
    assert_frame_equal(again.drop(OF_THE_FILE), deals.drop(OF_THE_FILE))


def test_results_without_an_auction():
    head = "vg|Cup,Final,I,3,4,Reds,0,Blues,0|rs|PASS,4SEx-1,3NTW,,|"
    text = f"{head}qx|o3|md|{GRAND_SLAM}|qx|c3|md|{GRAND_SLAM}|qx|o4|md|{GRAND_SLAM}|"
    deals = read_lin(text.encode()).deals
    assert deals["contract"].to_list() == ["Pass", "4SX", "3N"]
    again = read_lin(written(deals).encode()).deals
    assert_frame_equal(again.drop(OF_THE_FILE), deals.drop(OF_THE_FILE))


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    frame = random_deals(3, seed=1)
    target = tmp_path / "deals.lin"
    write_lin(frame, target)
    first = target.read_text(encoding="utf-8")
    assert first == written(frame)
    broken = frame.with_columns(north=pl.lit(1 << 60, dtype=pl.UInt64))
    with pytest.raises(Exception, match=r".*"):
        write_lin(broken.with_columns(dealer=pl.lit("Q")), target)
    assert target.read_text(encoding="utf-8") == first
    assert [path.name for path in tmp_path.iterdir()] == ["deals.lin"]


def test_only_the_required_columns_are_needed():
    frame = random_deals(4, seed=2)
    required = frame.select(REQUIRED_COLUMNS)
    assert_frame_equal(
        read_lin(written(required).encode()).deals.select(REQUIRED_COLUMNS), required
    )


def test_bars_in_texts_cannot_break_the_file():
    deals = read_lin(f"pn|a,b,c,d|md|{GRAND_SLAM}|mb|1C|".encode()).deals
    odd = deals.with_columns(players=pl.lit([["x|md|", "b", "c", "d"]]).list.first())
    again = read_lin(written(odd).encode())
    assert again.deals["players"].to_list() == [["x/md/", "b", "c", "d"]]


@pytest.mark.slow
@pytest.mark.real_data
def test_every_real_board_comes_back(shared_data):
    for file in sorted((shared_data / "lin").rglob("*.lin"))[::5]:
        deals = read_lin(file.read_bytes()).deals
        again = read_lin(written(deals).encode())
        assert again.rejects.is_empty()
        assert_frame_equal(again.deals.drop(OF_THE_FILE), deals.drop(OF_THE_FILE))
