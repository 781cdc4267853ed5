"""Tables kept on the disk: what is found again, what a killed run and damage leave."""

import errno
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidcascade.bridge import Cancelled, InvalidDeal
from bidcascade.inference.double_dummy.table_cache import (
    BATCH_DEALS,
    TableCache,
    solved_tables,
    user_tables,
)
from bidcascade.kernels.dealing import deal_hands
from tests.inference.double_dummy.support_double_dummy import MadeUp, made_up

RECORD = 48


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "tables"


def test_tables_are_found_again(path):
    hands = deal_hands(1, 0, 50)
    TableCache(path).add(hands[:, :30], made_up(hands[:, :30]))
    TableCache(path).add(hands[:, 20:40], made_up(hands[:, 20:40]))
    cache = TableCache(path)
    assert len(cache) == 40
    assert (cache.find(hands)[:40] == made_up(hands)[:40]).all()
    assert (cache.find(hands)[40:] == -1).all()
    # twice the same is once enough
    assert path.stat().st_size == 40 * RECORD
    assert cache.find(hands[:, :0]).shape == (0, 20)


def test_an_interrupted_run_goes_on(path):
    hands = deal_hands(2, 0, 6 * BATCH_DEALS)
    seen = []
    with pytest.raises(Cancelled):
        solved_tables(hands, MadeUp(most=4), TableCache(path))
    solver = MadeUp()
    tables = solved_tables(
        np.concatenate([hands, hands], axis=1),
        solver,
        TableCache(path),
        progress=lambda done, total: seen.append((done, total)),
    )
    assert solver.asked == [BATCH_DEALS] * 2
    assert (tables == made_up(np.concatenate([hands, hands], axis=1))).all()
    assert seen == [(64, 96), (80, 96), (96, 96)]


def test_two_may_add_at_a_time(path):
    hands = deal_hands(3, 0, 20)
    one, other = TableCache(path), TableCache(path)
    one.add(hands[:, :10], made_up(hands[:, :10]))
    other.add(hands[:, 10:], made_up(hands[:, 10:]))
    assert (TableCache(path).find(hands) == made_up(hands)).all()


@settings(max_examples=40)
@given(st.data())
def test_damage_costs_what_it_hits(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("kept") / "tables"
    hands = deal_hands(4, 0, 6)
    TableCache(path).add(hands, made_up(hands))
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content[at] ^= data.draw(st.integers(1, 255))
        whole = [one for one in range(6) if one != at // RECORD]
    else:
        del content[at:]
        whole = list(range(at // RECORD))
    path.write_bytes(content)
    cache = TableCache(path)
    found = cache.find(hands)
    assert np.flatnonzero(found[:, 0] >= 0).tolist() == whole
    assert (found[whole] == made_up(hands)[whole]).all()
    # what is added next stands behind whole records
    cache.add(hands, made_up(hands))
    assert (TableCache(path).find(hands) == made_up(hands)).all()
    assert [one.name for one in path.parent.iterdir()] == ["tables"]


def test_only_tables_are_kept(path):
    hands = deal_hands(5, 0, 2)
    for wrong in (np.full((1, 20), 7, np.int8), np.full((2, 20), 14, np.int8)):
        with pytest.raises(InvalidDeal, match="expected 2 tables"):
            TableCache(path).add(hands, wrong)
    assert not path.exists()


def test_the_file_is_in_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))
    assert user_tables().path == tmp_path / "double-dummy" / "tables.bin"


def test_where_nothing_can_be_written_tables_stay_in_memory(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    cache, hands = TableCache(tmp_path / "file" / "tables"), deal_hands(6, 0, 2)
    cache.add(hands, made_up(hands))
    assert "are not kept" in caplog.text
    assert (cache.find(hands) == made_up(hands)).all()
    assert cache.path is None


def test_another_file_is_put_aside_and_said(path, caplog):
    path.parent.mkdir()
    path.write_bytes(b"a note of somebody else, longer than a record of tables is, by far")
    cache = TableCache(path)
    assert (len(cache), cache.left_out) == (0, 66)
    assert "it was put aside as" in caplog.text
    assert path.with_name("tables.other").read_bytes().startswith(b"a note")
    hands = deal_hands(9, 0, 2)
    cache.add(hands, made_up(hands))
    assert len(TableCache(path)) == 2
    # cut short: what is whole is kept, and what is not is told
    path.write_bytes(path.read_bytes()[:-1])
    cache = TableCache(path)
    assert (len(cache), cache.left_out) == (1, RECORD - 1)
    assert f"{RECORD - 1} bytes were left out" in caplog.text


def test_what_cannot_be_mended_leaves_nothing_behind(path, caplog, monkeypatch):
    hands = deal_hands(9, 0, 2)
    TableCache(path).add(hands, made_up(hands))
    cut = path.read_bytes()[:-1]
    path.write_bytes(cut)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    cache = TableCache(path)
    assert (len(cache), cache.path) == (1, None)
    assert "are not kept" in caplog.text
    assert path.read_bytes() == cut
    assert [one.name for one in path.parent.iterdir()] == [path.name]
