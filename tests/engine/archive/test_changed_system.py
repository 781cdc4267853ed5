"""One line of a system changes: the archive is bid again as if it had been bid anew."""

import numpy as np
import polars as pl
import pytest

from bidcascade.engine.archive.adding import add_files
from bidcascade.engine.archive.archive import Archive, bids_files
from bidcascade.engine.archive.bidding import ArchiveEngine
from bidcascade.engine.archive.board_search import find_boards
from bidcascade.engine.archive.catalogue import Catalogue
from bidcascade.engine.archive.upkeep import bid_archive
from bidcascade.engine.questions.archives import BoardsQuestion
from tests.engine.archive.support_archives import contents, cut_small, write_files, write_system
from tests.support.service import write_small_table
from tests.support.systems import SMALL_SYSTEM

CHANGES = [
    ("15-17 points, balanced; #notrump", "15-18 points, balanced; #notrump"),
    ("2D = Waiting: any hand", "2H = Waiting: any hand"),
    ("    2S = Four spades: 4+ spades\n", ""),
    ("8-16 points, 5+ Y", "9-16 points, 5+ Y"),
    ("-- 2D stands", "-- it stands"),
]


@pytest.fixture(scope="module")
def added(tmp_path_factory):
    folder = tmp_path_factory.mktemp("added")
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, 150)
        add_files(folder / "club", write_files(folder / "in", 390))
    return folder / "club"


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    cut_small(monkeypatch, 150)


def files_of(folder, name):
    """Bytes of all files with what somebody bids, by kind and part."""
    catalogue = Catalogue.read(folder)
    digest = catalogue.bidders[name].digest
    return {
        (kind, part.number): (folder / file).read_bytes()
        for part in catalogue.parts
        for kind, file in bids_files(name, part.number, digest).items()
    }


def copy_of(folder, to):
    to.mkdir()
    for file in folder.iterdir():
        if file.is_file():
            (to / file.name).write_bytes(file.read_bytes())
    return to


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_changed_line_is_as_if_it_had_always_been_so(added, tmp_path, old, new):
    assert SMALL_SYSTEM.count(old) == 1
    club, anew = (copy_of(added, tmp_path / name) for name in ("club", "anew"))
    system = str(write_system(tmp_path))
    bid_archive(club, system, all_calls=True, backend="cpu")
    before = files_of(club, "small")
    write_system(tmp_path, SMALL_SYSTEM.replace(old, new))
    done = bid_archive(club, system, backend="cpu")
    bid_archive(anew, system, all_calls=True, backend="cpu")
    assert files_of(club, "small") == files_of(anew, "small")
    assert contents(club)["indexes"] == contents(anew)["indexes"]
    assert done.bid == 390
    assert (files_of(club, "small") == before) is new.startswith("--")
    assert bid_archive(club, system, backend="cpu").bid == 0


def test_the_old_is_asked_until_the_new_is_whole(added, tmp_path, monkeypatch):
    club = copy_of(added, tmp_path / "club")
    system = str(write_system(tmp_path))
    bid_archive(club, system, all_calls=True, backend="cpu")
    archive = Archive(club)
    questions = [
        BoardsQuestion("1N", "small", limit=1000),
        BoardsQuestion("1N", "small", "all", limit=1000),
        BoardsQuestion(by="small", level=("contract",), limit=50),
    ]
    old = [find_boards(archive, one).boards for one in questions]
    write_system(tmp_path, SMALL_SYSTEM.replace("15-17", "12-14"))
    bid, asked = ArchiveEngine.bid, 0

    def watched(self, deals):
        nonlocal asked
        asked += 1
        for question, expected in zip(questions, old, strict=True):
            assert find_boards(archive, question).boards.equals(expected)
        return bid(self, deals)

    monkeypatch.setattr(ArchiveEngine, "bid", watched)
    bid_archive(club, system, backend="cpu")
    assert asked == len(archive.parts) > 2
    for question, expected in zip(questions, old, strict=True):
        assert not find_boards(archive, question).boards.equals(expected)
    contents(club)


def test_work_on_a_changed_text_goes_on_where_it_was(added, tmp_path, monkeypatch):
    club = copy_of(added, tmp_path / "club")
    system = str(write_system(tmp_path))
    bid_archive(club, system, all_calls=True, backend="cpu")
    write_system(tmp_path, SMALL_SYSTEM.replace("15-17", "12-14"))
    write, left = Catalogue.write, 1

    def end_soon(self, folder):
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        write(self, folder)

    with monkeypatch.context() as patch:
        patch.setattr(Catalogue, "write", end_soon)
        with pytest.raises(KeyboardInterrupt):
            bid_archive(club, system, backend="cpu")
    first = Catalogue.read(club).parts[0].boards
    # and once more another text in between
    text = SMALL_SYSTEM.replace("15-17", "14-16")
    left = 1
    with monkeypatch.context() as patch:
        patch.setattr(Catalogue, "write", end_soon)
        write_system(tmp_path, text)
        with pytest.raises(KeyboardInterrupt):
            bid_archive(club, system, backend="cpu")
    write_system(tmp_path, SMALL_SYSTEM.replace("15-17", "12-14"))
    assert bid_archive(club, system, backend="cpu").bid == 390 - first
    contents(club)
    anew = copy_of(added, tmp_path / "anew")
    bid_archive(anew, system, all_calls=True, backend="cpu")
    assert files_of(club, "small") == files_of(anew, "small")


def test_a_table_bids_as_its_system(added, tmp_path):
    """Rows of a file are a table of places; what it bids is what the archive says of it."""
    club = copy_of(added, tmp_path / "club")
    table = write_small_table(tmp_path)
    assert bid_archive(club, str(table), all_calls=True, backend="cpu").bid == 390
    archive = Archive(club)
    engine = ArchiveEngine(str(table), "cpu")
    for part in archive.parts:
        found = engine.bid(part.deals())
        openings = pl.Series([one[0] if one else -1 for one in found["auction"].to_list()])
        asked = archive.allowed_rows(part, "small", b"\x07")
        first = part.postings("small", archive.digest("small"))
        assert {*first.rows(*first.span(b"\x07"))} == {*np.flatnonzero((openings == 7).to_numpy())}
        assert {*first.rows(*first.span(b"\x07"))} <= {*asked}
    assert bid_archive(club, str(table), all_calls=False, backend="cpu").bid == 0
    assert not [name for name in Catalogue.read(club).files() if name.startswith("all-")]
    contents(club)
