"""Files that are there whole or not at all: what a writer that fails leaves."""

import pytest

from bidcascade.loaders import random_deals, write_deal_parquet, write_lin
from bidcascade.loaders.files.whole_files import CannotWrite, whole_file

WRITERS = {"deals.lin": write_lin, "deals.parquet": write_deal_parquet}


@pytest.mark.parametrize("name", WRITERS)
def test_a_place_that_cannot_be_written_to_is_named(name, tmp_path):
    path = tmp_path / "nowhere" / name
    with pytest.raises(CannotWrite, match="nowhere"):
        WRITERS[name](random_deals(2, seed=1), path)


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_is_replaced_and_nothing_stays_beside_it(name, tmp_path):
    path = tmp_path / name
    path.write_text("before")
    WRITERS[name](random_deals(2, seed=1), str(path))
    assert path.read_bytes() != b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_there_stays_if_the_work_fails(tmp_path):
    path = tmp_path / "deals.lin"
    path.write_text("before")

    def write() -> None:
        with whole_file(path) as partial:
            partial.write_text("half of it")
            raise ValueError("half")

    with pytest.raises(ValueError, match="half"):
        write()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
