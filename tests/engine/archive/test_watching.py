"""Files that come while an archive watches a folder: whole, half, damaged, changed, gone."""

import os
import shutil

import pytest

from bidcascade.bridge import InvalidInput
from bidcascade.engine.archive import watching
from bidcascade.engine.archive.adding import add_files
from bidcascade.engine.archive.archive import Archive
from bidcascade.engine.archive.catalogue import writing
from bidcascade.engine.archive.watching import Watch
from bidcascade.loaders import random_deals, write_deal_parquet, write_lin


class Clock:
    """Time that goes on when it is told to, and a clock that may be set; files are dated by it."""

    def __init__(self):
        self.passed = 5_000.0
        self.ahead = 995_000.0

    @property
    def now(self):
        return self.passed + self.ahead

    def time(self):
        return self.now

    def monotonic(self):
        return self.passed

    def go_on(self, seconds):
        self.passed += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(watching, "time", clock)
    return clock


class Folder:
    """A folder that is watched for an archive, and what was told."""

    def __init__(self, path, clock, every_s=30):
        self.path, self.clock, self.club = path / "in", clock, path / "club"
        self.path.mkdir()
        self.told = []
        self.asked = []
        self.watch = Watch([self.path], self.add, self.told.append, every_s)

    def add(self, sources):
        self.asked.append([source.name for source in sources])
        return add_files(self.club, sources, grown=True)

    def put(self, name, content):
        path = self.path / name
        path.write_bytes(content)
        os.utime(path, (self.clock.now, self.clock.now))

    def look(self, after=30.0):
        """Look once more; the boards that the archive has then."""
        self.clock.go_on(after)
        self.asked.clear()
        for _ in self.watch.look():
            pass
        return Archive(self.club).catalogue.boards if self.club.exists() else 0


@pytest.fixture
def folder(tmp_path, clock):
    return Folder(tmp_path, clock)


def lin(count, seed, folder):
    path = folder.path.parent / "made.lin"
    write_lin(random_deals(count, seed), path)
    return path.read_bytes()


def parquet(count, seed, folder):
    path = folder.path.parent / "made.parquet"
    write_deal_parquet(random_deals(count, seed), path)
    return path.read_bytes()


def test_a_file_is_read_when_it_has_been_still(folder):
    whole = parquet(20, 1, folder)
    folder.put("old.lin", lin(10, 2, folder))
    folder.clock.go_on(60)
    for share in (1, 2, 3):
        folder.put("growing.parquet", whole[: share * len(whole) // 4])
        assert folder.look(1) == 10
        # looks are closer to each other meanwhile
        assert folder.watch.pause_s == watching.STILL_S
    folder.put("growing.parquet", whole)
    assert folder.look(5) == 10
    assert folder.look(watching.STILL_S) == 30
    assert folder.watch.pause_s == 30
    assert folder.told == []


def test_a_name_that_is_no_utf8_holds_nobody_up(folder):
    folder.put(os.fsdecode(b"caf\xe9.lin"), lin(10, 1, folder))
    folder.put("other.lin", lin(10, 2, folder))
    folder.look()
    assert folder.look() == 20
    assert folder.told == []


def test_one_that_cannot_be_read_is_tried_again_when_it_has_changed(folder):
    whole = parquet(20, 1, folder)
    folder.put("bad.parquet", whole[:-20])
    folder.put("b.lin", lin(10, 2, folder))
    assert folder.look() == 10
    for number in range(3):
        folder.put(f"{number}.lin", lin(10, 3 + number, folder))
        assert folder.look() == 20 + 10 * number
        assert folder.asked == [[f"{number}.lin"]]
    for end, boards in ((-10, 40), (None, 60)):
        folder.put("bad.parquet", whole[:end])
        assert folder.look() == boards
        assert folder.asked == [["bad.parquet"]]
    assert folder.told == []


def test_one_that_was_read_too_early_is_read_again_when_it_has_grown(folder):
    whole = lin(20, 1, folder)
    folder.put("a.lin", whole[: len(whole) // 2])
    half = folder.look()
    assert 0 < half < 20
    folder.put("a.lin", whole)
    assert folder.look() == 20
    # nothing is lost by growing; by any other change something may be
    folder.put("a.lin", lin(20, 9, folder))
    folder.put("b.lin", lin(5, 8, folder))
    assert folder.look() == 25
    [said] = folder.told
    assert "--replace takes it" in said
    assert folder.look() == 25
    assert len(folder.told) == 1


def test_many_that_fail_are_told_once_and_others_go_on(folder):
    for number in range(9):
        folder.put(f"{number}.parquet", parquet(3, number, folder))
    assert folder.look() == 27
    for number in (0, 3, 6):
        folder.put(f"{number}.parquet", parquet(3, 10 + number, folder))
    for number in range(9, 14):
        folder.put(f"{number}.lin", lin(3, number, folder))
    assert folder.look() == folder.look() == 42
    assert [said.split("/")[-1].split("'")[0] for said in folder.told] == [
        "0.parquet",
        "3.parquet",
        "6.parquet",
    ]


def test_what_is_there_no_more_and_what_comes_late(tmp_path, clock):
    folder = Folder(tmp_path, clock)
    late = tmp_path / "late.lin"
    folder.watch = Watch([late, folder.path], folder.add, folder.told.append, 30)
    folder.put("a.lin", lin(10, 1, folder))
    assert folder.look() == folder.look() == 10
    [said] = folder.told
    assert "no such file" in said
    (folder.path / "a.lin").unlink()
    late.write_bytes(lin(5, 2, folder))
    os.utime(late, (clock.now, clock.now))
    assert folder.look() == 15
    shutil.rmtree(folder.path)
    assert folder.look() == 15
    assert len(folder.told) == 2


@pytest.mark.parametrize("leap", [-1e7, -7200, -60, 60, 7200, 1e7])
def test_a_clock_that_is_set_neither_holds_up_nor_hurries(folder, leap):
    """A file that came before or after is read when it has been still, by no clock that is set."""
    whole = parquet(20, 1, folder)
    folder.put("before.lin", lin(10, 2, folder))
    assert folder.look(1) == 0
    folder.put("growing.parquet", whole[: len(whole) // 2])
    folder.clock.ahead += leap
    # it has not been still: not even if its date is from long ago by now
    assert folder.look(1) == 0
    folder.put("after.lin", lin(5, 3, folder))
    folder.put("growing.parquet", whole)
    assert folder.look(1) == 0
    assert folder.look(watching.STILL_S) == 35
    assert folder.told == []
    folder.put("last.lin", lin(5, 4, folder))
    assert folder.look() == 40


def test_another_writer_is_waited_for(folder):
    folder.put("a.lin", lin(10, 1, folder))
    folder.club.mkdir()
    with writing(folder.club, create=True), pytest.raises(InvalidInput, match="another process"):
        folder.look()
    assert folder.look() == 10
    assert folder.told == []


def test_a_file_without_boards_need_not_be_replaced(folder):
    """Without watching, too: nothing is lost."""
    whole = parquet(10, 1, folder)
    folder.put("a.lin", lin(10, 2, folder))
    folder.put("b.parquet", whole[:-10])
    added = add_files(folder.club, folder.path)
    assert (added.boards, added.rejects) == (10, 1)
    folder.put("b.parquet", whole)
    added = add_files(folder.club, folder.path)
    assert (added.boards, added.rejects, added.total) == (10, 0, 20)
    assert [one.name for one in Archive(folder.club).catalogue.sources if one] == [
        "a.lin",
        "b.parquet",
    ]
