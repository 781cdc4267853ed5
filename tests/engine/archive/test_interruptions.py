"""Runs that are killed, disks that are full, two writers: nothing is lost, nothing is left over."""

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from bidcascade.bridge import InvalidInput
from bidcascade.engine.archive import parts
from bidcascade.engine.archive.adding import add_files, remove_archive, remove_source
from bidcascade.engine.archive.archive import Archive
from bidcascade.engine.archive.board_search import find_boards
from bidcascade.engine.archive.catalogue import Catalogue, writing
from bidcascade.engine.archive.upkeep import bid_archive
from bidcascade.engine.questions.archives import BoardsQuestion
from bidcascade.loaders.files.whole_files import CannotWrite
from tests.engine.archive.support_archives import (
    check_equal,
    contents,
    cut_small,
    write_files,
    write_system,
)
from tests.engine.support_interruptions import run_step_by_step
from tests.support.cli import environment

BAD = "md|3SAKQ,HAKQ,DAKQ,|mb|1C|pg||\n"
PROGRAM = """
import sys
from pathlib import Path
from bidcascade.engine.archive.adding import add_files
from tests.engine.archive.support_archives import cut_small

class Patch:
    setattr = staticmethod(setattr)

cut_small(Patch, 20)
club, *more = sys.argv[1:]
add_files(Path(club), more, backend="cpu")
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    files = write_files(tmp_path_factory.mktemp("inputs"), 180)
    text = files[1].read_text()
    files[1].write_text(BAD + text + BAD)
    return files


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    cut_small(monkeypatch, 20)


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    return str(write_system(tmp_path_factory.mktemp("system")))


@pytest.fixture(scope="module")
def whole(files, system, tmp_path_factory):
    """What undisturbed runs make: added, bid, a file removed."""
    club = tmp_path_factory.mktemp("whole") / "club"
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, 20)
        add_files(club, files)
        added = contents(club)
        bid_archive(club, system, all_calls=True, backend="cpu")
        bid = contents(club)
        remove_source(club, files[1].name)
        return {"add": added, "bid": bid, "remove": contents(club)}


@pytest.mark.parametrize("before", [True, False])
def test_each_step_may_be_the_last(files, system, whole, tmp_path, monkeypatch, before):
    club = tmp_path / "club"
    with monkeypatch.context() as patch:
        run_step_by_step(patch, Catalogue, lambda: add_files(club, files), before=before)
    check_equal(contents(club), whole["add"])
    with monkeypatch.context() as patch:
        run_step_by_step(
            patch,
            Catalogue,
            lambda: bid_archive(club, system, all_calls=True, backend="cpu"),
            before=before,
        )
    check_equal(contents(club), whole["bid"])


def test_boards_that_wait_for_a_killed_run_are_asked(files, system, whole, tmp_path, monkeypatch):
    club = tmp_path / "club"
    write, left = Catalogue.write, 5

    def end_soon(self, folder):
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        write(self, folder)

    with monkeypatch.context() as patch:
        patch.setattr(Catalogue, "write", end_soon)
        with pytest.raises(KeyboardInterrupt):
            add_files(club, files)
    there = Archive(club).catalogue.boards
    assert 0 < there < 180
    assert find_boards(Archive(club), BoardsQuestion()).total == there
    left = 3
    with monkeypatch.context() as patch:
        patch.setattr(Catalogue, "write", end_soon)
        with pytest.raises(KeyboardInterrupt):
            bid_archive(club, system, backend="cpu")
    with pytest.raises(InvalidInput, match=r"expected who bids the archive \(own\)"):
        find_boards(Archive(club), BoardsQuestion("1N", "small"))
    # with other files in between
    add_files(club, files[2])
    add_files(club, files)
    bid_archive(club, system, all_calls=True, backend="cpu")
    found = contents(club)
    columns = ["source", "record"]
    assert (
        found["boards"]
        .sort(columns)
        .drop("id")
        .equals(whole["bid"]["boards"].sort(columns).drop("id"))
    )
    assert found["bids-small"].height == 180


def test_a_removal_is_one_step(files, system, tmp_path, monkeypatch):
    club = tmp_path / "club"
    add_files(club, files)
    bid_archive(club, system, all_calls=True, backend="cpu")
    before = contents(club)
    with monkeypatch.context() as patch:
        patch.setattr(Catalogue, "write", refuse)
        with pytest.raises(OSError, match="No space left"):
            remove_source(club, files[0].name)
    check_equal(contents(club), before)


def refuse(*_arguments, **_options):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("owner", "name"),
    [(pl.DataFrame, "write_parquet"), (pl.DataFrame, "write_ipc"), (parts, "write_npy")],
)
@pytest.mark.parametrize("left", [0, 2])
def test_disk_full(files, system, whole, tmp_path, monkeypatch, owner, name, left):
    club = tmp_path / "club"
    write = getattr(owner, name)

    def until_full(*arguments, **options):
        nonlocal left
        left -= 1
        if left < 0:
            refuse()
        return write(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, until_full)
        with pytest.raises(CannotWrite, match="No space left on device"):
            add_files(club, files)
    assert Archive(club).catalogue.boards in (0, 20, 40)
    add_files(club, files)
    check_equal(contents(club), whole["add"])
    if name != "write_npy":
        left = 2
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, until_full)
            with pytest.raises(CannotWrite, match="No space left on device"):
                bid_archive(club, system, all_calls=True, backend="cpu")
        bid_archive(club, system, all_calls=True, backend="cpu")
        check_equal(contents(club), whole["bid"])


def test_a_second_writer_is_sent_away(files, system, tmp_path):
    club = tmp_path / "club"
    add_files(club, files[0])
    before = contents(club)
    with writing(club):
        for action in (
            lambda: add_files(club, files), lambda: bid_archive(club, system, backend="cpu"),
            lambda: remove_source(club, files[0].name), lambda: remove_archive(club),
        ):  # fmt: skip
            with pytest.raises(InvalidInput, match="another process is writing to the archive"):
                action()
        # who only asks is not in the way
        assert find_boards(Archive(club), BoardsQuestion()).total == 60
    check_equal(contents(club), before)


def test_an_archive_that_was_just_begun(files, tmp_path):
    """Killed before there was a catalogue: the folder with a lock and half of one."""
    club = tmp_path / "club"
    club.mkdir()
    (club / ".lock").touch()
    (club / ".archive.json.4711.partial").write_text('{"form')
    add_files(club, files[0])
    assert contents(club)["boards"].height == 60


def test_an_archive_that_was_being_removed(files, tmp_path, monkeypatch):
    club = tmp_path / "club"
    add_files(club, files)
    unlink, left = Path.unlink, 4

    def end_soon(self, **options):
        nonlocal left
        if self.suffix != ".partial":
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
        unlink(self, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", end_soon)
        with pytest.raises(KeyboardInterrupt):
            remove_archive(club)
    assert Archive(club).catalogue.boards == 0
    assert add_files(club, files).boards == 180
    contents(club)


@pytest.mark.slow
def test_readers_are_not_in_the_way_of_a_writer(files, system, tmp_path):
    """A process asks all the time while another one adds and bids."""
    club = tmp_path / "club"
    add_files(club, files[0])
    add = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(club), *map(str, files)], env=environment()
    )
    archive = Archive(club)
    seen = set()
    end = time.monotonic() + 100
    while add.poll() is None and time.monotonic() < end:
        found = find_boards(archive, BoardsQuestion(limit=1000))
        assert found.total == found.boards["id"].n_unique()
        seen.add(found.total)
    assert add.wait() == 0
    assert find_boards(archive, BoardsQuestion(limit=1000)).total == 180
    assert min(seen) == 60
