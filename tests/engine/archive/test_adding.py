"""Boards come into an archive and go: duplicates, removal, changed files, small parts."""

import random
from itertools import permutations

import polars as pl
import pytest

from bidcascade.bridge import InvalidInput
from bidcascade.engine.archive.adding import add_files, remove_archive, remove_source
from bidcascade.engine.archive.archive import Archive
from bidcascade.engine.archive.board_search import find_boards
from bidcascade.engine.archive.catalogue import Catalogue, UnknownArchive, archive_names
from bidcascade.engine.archive.upkeep import bid_archive, forget_bids, solve_archive
from bidcascade.engine.questions.archives import BoardsQuestion
from bidcascade.engine.runs.columns.wide_columns import RESULT_SCHEMA
from bidcascade.loaders import random_deals, write_deal_parquet, write_lin
from bidcascade.loaders.pbn.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS
from tests.engine.archive.support_archives import (
    check_equal,
    contents,
    cut_small,
    played,
    write_files,
    write_system,
)
from tests.support.examples import sized, some_in_check

BAD = "md|3SAKQ,HAKQ,DAKQ,|mb|1C|pg||\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("inputs"), 240)


def counts(folder):
    """Boards, duplicates and rejects of each source, which are those of the part files."""
    found = contents(folder)
    shown = {}
    for number, one in enumerate(found["sources"]):
        if one is not None:
            shown[one[0]] = one[1:4]
            for kind, count in zip(("boards", "duplicates", "rejects"), one[1:4], strict=True):
                there = found[kind].filter(file=number).height if kind in found else 0
                assert there == count, (one, kind)
    assert found["boards"]["id"].is_unique().all()
    ids = {*found["boards"]["id"]}
    assert "duplicates" not in found or {*found["duplicates"]["id"]} <= ids
    return shown


def test_a_file_is_known_by_what_is_in_it(files, tmp_path):
    club = tmp_path / "club"
    assert add_files(club, files).boards == 240
    before = contents(club)
    again = add_files(club, [*files, files[0]])
    assert again.boards == again.duplicates == 0
    assert again.total == 240
    assert len(again.known) == 4
    other = tmp_path / "other.lin"
    other.write_bytes(files[1].read_bytes())
    assert add_files(club, other).known == ("other.lin",)
    check_equal(contents(club), before)


def test_a_file_given_twice_at_once_is_taken_once(files, tmp_path):
    copy = tmp_path / "copy.lin"
    copy.write_bytes(files[1].read_bytes())
    added = add_files(tmp_path / "club", [files[1], files[1], copy])
    assert (added.boards, added.duplicates, len(added.known)) == (80, 0, 2)
    assert [one[4] for one in contents(tmp_path / "club")["sources"]] == [True]


def test_boards_of_other_files_are_duplicates(tmp_path):
    boards = played(60, 1).with_columns(source=pl.lit("x"))
    for name, some in (("a", boards[:40]), ("b", boards[20:]), ("c", boards[[5, 5, 30]])):
        write_deal_parquet(some, tmp_path / f"{name}.parquet")
    club = tmp_path / "club"
    added = add_files(club, [tmp_path / "a.parquet", tmp_path / "b.parquet"])
    assert (added.boards, added.duplicates) == (60, 20)
    added = add_files(club, tmp_path / "c.parquet")
    assert (added.boards, added.duplicates, added.total) == (0, 3, 60)
    assert counts(club) == {
        "a.parquet": (40, 0, 0),
        "b.parquet": (20, 20, 0),
        "c.parquet": (0, 3, 0),
    }
    found = contents(club)["boards"].sort("id").drop("id", "file")
    assert found.equals(boards.select(found.columns))


@pytest.mark.parametrize("names", some_in_check((0, 3), *permutations("abc")))
def test_a_file_that_goes_leaves_what_others_have(tmp_path, names, monkeypatch):
    cut_small(monkeypatch, 25)
    boards = played(60, 1)
    pieces = {"a": boards[:40], "b": boards[20:], "c": boards[[5, 5, 30, 55]]}
    for name, some in pieces.items():
        write_deal_parquet(some.with_columns(source=pl.lit(name)), tmp_path / f"{name}.parquet")
    club = tmp_path / "club"
    add_files(club, [tmp_path / f"{name}.parquet" for name in "abc"])
    bid_archive(club, str(write_system(tmp_path)), all_calls=True, backend="cpu")
    ids = dict(contents(club)["boards"].select("board", "id").iter_rows())
    left = {**pieces}
    for name in names:
        before = contents(club)["boards"].height
        gone = remove_source(club, f"{name}.parquet")
        del left[name]
        there = {board for some in left.values() for board in some["board"]}
        assert gone == before - len(there)
        if not left:
            break
        counts(club)
        found = contents(club)
        assert {*found["boards"]["board"]} == there
        assert all(ids[board] == id for board, id in found["boards"].select("board", "id").rows())
        # each board stands in a file that has it, as that one's record
        for source, board in found["boards"].select("source", "board").iter_rows():
            assert board in {*left[source]["board"]}
        records = found["boards"].height + len(found.get("duplicates", ()))
        assert records == sum(one.height for one in left.values())
        fresh = tmp_path / f"fresh{name}"
        add_files(fresh, [tmp_path / f"{one}.parquet" for one in left])
        bid_archive(fresh, str(tmp_path / "small.bidding"), all_calls=True, backend="cpu")
        same = contents(fresh)
        columns = ["board", *found["bids-small"].columns]
        here, theirs = (
            pl.concat([one["boards"].select("board"), one["bids-small"]], how="horizontal")
            .select(columns)
            .sort("board")
            for one in (found, same)
        )
        assert here.equals(theirs)
    found = contents(club)
    assert found["sources"] == [None] * 3
    assert found.keys() == {"sources", "next_id", "indexes"}
    assert Archive(club).catalogue.boards == 0
    assert find_boards(Archive(club), BoardsQuestion("1N")).boards.height == 0
    assert find_boards(Archive(club), BoardsQuestion(level=("dealer",))).total == 0
    # what comes now is bid as before, under new numbers
    added = add_files(club, tmp_path / "a.parquet")
    assert (added.boards, added.known) == (40, ())
    assert contents(club)["boards"]["id"].min() == 60
    assert contents(club)["bids-small"].height == 40


def test_tables_of_a_match_are_boards_of_their_own(tmp_path):
    boards = played(30, 2).with_columns(room=pl.lit("open").cast(pl.Enum(["open", "closed"])))
    closed = boards.with_columns(room=pl.lit("closed").cast(pl.Enum(["open", "closed"])))
    others = boards.with_columns(
        players=pl.Series([["A", "B", "C", "D"]] * 30, dtype=pl.List(pl.String))
    )
    write_deal_parquet(pl.concat([boards, closed, others, boards]), tmp_path / "match.parquet")
    added = add_files(tmp_path / "club", tmp_path / "match.parquet")
    assert (added.boards, added.duplicates) == (90, 30)


def test_boards_without_an_auction_are_told_apart_by_their_results(tmp_path):
    boards = random_deals(20, 1)
    played_ = boards.with_columns(
        contract=pl.lit("4S"),
        tricks=pl.lit(10, pl.UInt8),
        declarer=pl.lit("N").cast(boards.schema["declarer"]),
    )
    down = played_.with_columns(tricks=pl.lit(9, pl.UInt8))
    write_deal_parquet(pl.concat([boards, played_, down, boards, played_]), tmp_path / "a.parquet")
    added = add_files(tmp_path / "club", tmp_path / "a.parquet")
    assert (added.boards, added.duplicates) == (60, 40)
    archive = Archive(tmp_path / "club")
    assert find_boards(archive, BoardsQuestion()).total == 60
    assert find_boards(archive, BoardsQuestion("P")).total == 0
    assert find_boards(archive, BoardsQuestion(level=("next",))).total == 0


def test_a_changed_file(files, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    changing = folder / "a.lin"
    changing.write_bytes(files[1].read_bytes())
    club = tmp_path / "club"
    add_files(club, [folder, files[0]])
    before = contents(club)
    write_lin(played(30, 9), changing)
    with pytest.raises(InvalidInput, match=r"expected '.*a\.lin' as it was .*--replace takes it"):
        add_files(club, folder)
    check_equal(contents(club), before)
    added = add_files(club, folder, replace=True)
    assert (added.boards, added.total) == (30, 80 + 30)
    assert counts(club) == {"a.lin": (30, 0, 0), "file0.parquet": (80, 0, 0)}
    assert add_files(club, folder, replace=True).known == ("a.lin",)


def test_rejects_are_kept_once(tmp_path):
    path = tmp_path / "a.lin"
    write_lin(played(20, 1), path)
    path.write_text(BAD + path.read_text() + BAD)
    club = tmp_path / "club"
    added = add_files(club, path)
    assert (added.boards, added.rejects) == (20, 2)
    assert added.first_reject.startswith("a.lin, record 1: ")
    assert counts(club) == {"a.lin": (20, 0, 2)}
    only = tmp_path / "bad.lin"
    only.write_text(BAD)
    assert add_files(club, only).rejects == 1
    assert counts(club) == {"a.lin": (20, 0, 2), "bad.lin": (0, 0, 1)}
    assert remove_source(club, "bad.lin") == 0
    assert counts(club) == {"a.lin": (20, 0, 2)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected deals, got none"),
        ("what\n", "expected deals, got none"),
        (BAD, "first reject: a.lin, record 1"),
        ("md|1SAKQJT98765432C2,HAKQJT98765432,DAKQJT98765432,|pg||\n", "first reject"),
    ],
)
def test_files_without_a_board_make_no_archive(tmp_path, text, message):
    (tmp_path / "a.lin").write_text(text)
    with pytest.raises(InvalidInput, match=message):
        add_files(tmp_path / "club", tmp_path / "a.lin")
    assert not (tmp_path / "club").exists()
    assert archive_names(tmp_path) == []


def test_an_archive_without_boards_stays(files, tmp_path):
    club = tmp_path / "club"
    add_files(club, files[0])
    bid_archive(club, str(write_system(tmp_path)), backend="cpu")
    remove_source(club, str(files[0]))
    (tmp_path / "a.lin").write_text(BAD)
    assert add_files(club, tmp_path / "a.lin").rejects == 1
    assert [*Catalogue.read(club).bidders] == ["small"]


@pytest.mark.slow
def test_many_files_one_by_one_are_as_all_at_once(tmp_path):
    names = [tmp_path / f"{number:02}.parquet" for number in range(sized(12, 30))]
    for number, path in enumerate(names):
        write_deal_parquet(random_deals(7 + number, number), path)
    system = str(write_system(tmp_path))
    add_files(tmp_path / "at-once", names)
    bid_archive(tmp_path / "at-once", system, all_calls=True, backend="cpu")
    add_files(tmp_path / "grown", names[0])
    bid_archive(tmp_path / "grown", system, all_calls=True, backend="cpu")
    for path in names[1:]:
        add_files(tmp_path / "grown", path)
    check_equal(contents(tmp_path / "grown"), contents(tmp_path / "at-once"))
    assert len(Catalogue.read(tmp_path / "grown").parts) == 1
    one, other = (Archive(tmp_path / name) for name in ("grown", "at-once"))
    for auction in ("1N", "1N P 2C", "1X P"):
        question = BoardsQuestion(auction, "small", "all", limit=1000)
        assert find_boards(one, question).boards.equals(find_boards(other, question).boards)


@pytest.mark.slow
def test_parts_stay_few(tmp_path, monkeypatch):
    monkeypatch.setattr("bidcascade.engine.archive.parts._SMALL", 5)
    club = tmp_path / "club"
    chance = random.Random(1)
    written = 0
    for number in range(30):
        boards = chance.randrange(1, 30)
        written += boards
        write_deal_parquet(random_deals(boards, number), tmp_path / f"{number}.parquet")
        add_files(club, tmp_path / f"{number}.parquet")
        assert len(Catalogue.read(club).parts) <= 8
    found = contents(club)["boards"]
    assert found["id"].to_list() == list(range(written))


def solve(boards):
    """Stands for the solver: tables that tell the board."""
    numbers = boards["board"].cast(pl.Int64) % 14
    return pl.DataFrame(
        {
            name: numbers.cast(dtype, strict=False)
            if dtype.is_integer()
            else pl.Series(name, [None], dtype).new_from_index(0, boards.height)
            for name, dtype in RESULT_SCHEMA.items()
        }
    )


def test_solved_tables_stay_with_their_boards(files, tmp_path, monkeypatch):
    club = tmp_path / "club"
    add_files(club, files[0])
    assert solve_archive(club, solve) == 80
    assert solve_archive(club, solve) == 0
    add_files(club, files[1], solve=solve)

    def is_right():
        for part in Archive(club).parts:
            assert part.is_solved
            assert part.solved.equals(solve(part.boards))
            assert part.solved.select(DOUBLE_DUMMY_COLUMNS).height == part.files.boards

    is_right()
    remove_source(club, "file0.parquet")
    is_right()
    # no solver: what is solved stays so, what is not stands by itself
    before = contents(club)["dd"]
    add_files(club, files[2])
    assert contents(club)["dd"].equals(before)
    assert Archive(club).summary().solved == 80
    assert solve_archive(club, solve) == 80
    is_right()


def test_solving_before_there_are_boards(files, tmp_path):
    club = tmp_path / "club"
    add_files(club, files[0])
    remove_source(club, "file0.parquet")
    assert solve_archive(club, solve) == 0
    add_files(club, files[0], solve=solve)
    assert Archive(club).summary().solved == 80


def test_bidders_whose_names_begin_alike(files, tmp_path):
    club = tmp_path / "club"
    add_files(club, files[0])
    system = str(write_system(tmp_path))
    for name in ("small", "small-00000", "small-00000-00000"):
        bid_archive(club, system, name=name, all_calls=True, backend="cpu")
    forget_bids(club, "small")
    bid_archive(club, system, name="small-00000", all_calls=False, backend="cpu")
    found = contents(club)
    assert [*found["indexes"]] == ["own", "small-00000", "small-00000-00000"]
    archive = Archive(club)
    asked = BoardsQuestion("1N P 2C", "small-00000-00000", "all")
    assert find_boards(archive, asked).total > 0
    with pytest.raises(InvalidInput, match="--all makes its index"):
        find_boards(archive, BoardsQuestion("1N", "small-00000", "all"))


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda club: remove_source(club, "other.lin"), "got 'other.lin': it has none such"),
        (lambda club: forget_bids(club, "sayc"), r"who bids the archive \(nobody\), got 'sayc'"),
        (lambda club: bid_archive(club, "nothing"), "cannot open 'nothing' to bid the archive"),
        (lambda club: bid_archive(club, "sayc", name="own"), "expected another name than 'own'"),
        (lambda club: bid_archive(club, "sayc", name="../x"), "expected a name of letters"),
        (lambda club: remove_source(club.parent / "none", "a"), r"an archive \(club\), got 'none'"),
    ],
)
def test_what_cannot_be_done_changes_nothing(files, tmp_path, action, message):
    club = tmp_path / "club"
    add_files(club, files[0])
    before = contents(club)
    with pytest.raises(InvalidInput, match=message):
        action(club)
    check_equal(contents(club), before)


def test_two_files_of_one_name(files, tmp_path):
    for name, source in (("x", files[1]), ("y", files[2])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_bytes(source.read_bytes())
    club = tmp_path / "club"
    add_files(club, tmp_path / "x" / "a.txt")
    add_files(club, tmp_path / "y" / "a.txt")
    with pytest.raises(InvalidInput, match="2 have that name, give the path"):
        remove_source(club, "a.txt")
    assert remove_source(club, str(tmp_path / "x" / "a.txt")) == 80
    assert remove_source(club, "a.txt") == 80


def test_an_archive_goes_as_a_whole(files, tmp_path):
    club = tmp_path / "club"
    add_files(club, files)
    archive = Archive(club)
    assert remove_archive(club) == 240
    assert not club.exists()
    with pytest.raises(UnknownArchive, match=r"expected an archive \(none\), got 'club'"):
        _ = archive.catalogue


def test_a_folder_of_other_things_is_no_archive(files, tmp_path):
    (tmp_path / "club").mkdir()
    mine = tmp_path / "club" / "boards.parquet"
    mine.write_bytes(b"mine")
    with pytest.raises(InvalidInput, match="expected a new or empty folder for the archive"):
        add_files(tmp_path / "club", files)
    assert mine.read_bytes() == b"mine"
    with pytest.raises(InvalidInput, match="a folder for the archive, got the file"):
        add_files(mine, files)
