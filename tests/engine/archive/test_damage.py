"""Archives with damaged files, other catalogues, systems that are gone: a clear line."""

import json
import random
import shutil

import pytest

from bidcascade.bridge import InvalidInput
from bidcascade.engine.archive.adding import add_files, remove_source
from bidcascade.engine.archive.archive import Archive, archives_folder
from bidcascade.engine.archive.board_search import count_boards, find_boards, next_calls
from bidcascade.engine.archive.catalogue import Catalogue, archive_names, check_name
from bidcascade.engine.archive.upkeep import bid_archive, forget_bids, solve_archive
from bidcascade.engine.questions.archives import BoardsQuestion, NodeQuestion
from tests.engine.archive.support_archives import check_equal, contents, write_files, write_system
from tests.engine.archive.test_adding import solve
from tests.support.systems import SMALL_SYSTEM


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    files = write_files(tmp_path_factory.mktemp("inputs"), 240)
    files[1].write_text("md|3SAKQ,HAKQ,DAKQ,|mb|1C|pg||\n" + files[1].read_text())
    return files


@pytest.fixture(scope="module")
def made(files, tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    add_files(folder / "club", files)
    bid_archive(folder / "club", str(write_system(folder)), all_calls=True, backend="cpu")
    solve_archive(folder / "club", solve)
    return folder / "club"


@pytest.fixture
def club(made, tmp_path):
    return shutil.copytree(made, tmp_path / "club")


def ask_all(folder):
    """Ask for everything that an archive has."""
    archive = Archive(folder)
    find_boards(archive, BoardsQuestion("1N"))
    find_boards(archive, BoardsQuestion("1N P 2C", "small"))
    find_boards(archive, BoardsQuestion("1N P 2C P", "small", "all"))
    find_boards(archive, BoardsQuestion(by="small", level=("contract",)))
    next_calls(archive, NodeQuestion())
    for part in archive.parts:
        _ = part.solved


KINDS = ("boards-00000.arrow", "first-own", "first-small", "all-small", "bids-small", "dd-")


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_named(club, kind):
    (path,) = club.glob(f"{kind}*")
    whole = path.read_bytes()
    chance = random.Random(1)

    def is_refused(content):
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        with pytest.raises(InvalidInput, match="damaged archive 'club'") as refused:
            ask_all(club)
        assert path.name in str(refused.value)

    is_refused(whole[:-1])
    is_refused(whole + b"\0")
    is_refused(b"")
    is_refused(None)
    for _ in range(20):
        content = bytearray(whole)
        for _ in range(chance.choice([1, 5, 100])):
            content[chance.randrange(len(content))] ^= chance.randrange(1, 256)
        if content != whole:
            is_refused(bytes(content))
    is_refused(chance.randbytes(len(whole)))
    path.write_bytes(whole)
    ask_all(club)


@pytest.mark.parametrize("kind", ["keys-", "boards-00000.parquet", "rejects-"])
def test_who_writes_notices_damage(club, files, kind):
    (path,) = club.glob(f"{kind}*")
    before = (club / "archive.json").read_bytes()
    path.write_bytes(random.Random(1).randbytes(path.stat().st_size))
    with pytest.raises(InvalidInput, match="damaged archive") as refused:
        remove_source(club, files[0].name)
    assert path.name in str(refused.value)
    assert json.loads(before)["parts"] == json.loads((club / "archive.json").read_bytes())["parts"]


def changed(path, **values):
    state = json.loads(path.read_text())
    path.write_text(json.dumps(state | values))


def state(path, **values):
    changed(path, state=json.loads(path.read_text())["state"] | values)


def of_first_part(path, **values):
    state = json.loads(path.read_text())
    state["parts"][0] |= values
    path.write_text(json.dumps(state))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: path.write_text("{"), "cannot read the manifest"),
        (lambda path: path.write_bytes(b"\xff\xfe"), "cannot read the manifest"),
        (lambda path: path.write_text("[" * 100_000), "cannot read the manifest"),
        (lambda path: path.write_text("[]"), "expected the manifest of a run"),
        (lambda path: changed(path, format="other"), "expected the manifest of a run"),
        (lambda path: changed(path, format_version=2), "expected a manifest of version 1"),
        (lambda path: changed(path, work="batch"), "of an archive in .* got that of a batch"),
        (lambda path: changed(path, work=[]), "expected the manifest of an archive"),
        (lambda path: changed(path, state=None), "damaged manifest"),
        (lambda path: changed(path, parts=3), "damaged manifest"),
        (lambda path: changed(path, inputs=[5]), "damaged manifest"),
        (lambda path: changed(path, inputs=[0]), "damaged manifest"),
        (lambda path: changed(path, inputs="abc"), "damaged manifest"),
        (lambda path: changed(path, more=1), "damaged manifest"),
        (lambda path: state(path, next_id="1"), "damaged manifest"),
        (lambda path: state(path, bidders={"..": {}}), "damaged manifest"),
        (
            lambda path: state(path, bidders={"x": {"table": 1, "digest": ""}}),
            "damaged manifest",
        ),
        (lambda path: of_first_part(path, files={"../x.arrow": 1}), "the name of a file"),
        (lambda path: of_first_part(path, files={"..": 1}), "the name of a file"),
        (lambda path: of_first_part(path, files={"/etc/passwd": 1}), "the name of a file"),
        (lambda path: of_first_part(path, files={"boards-00000.arrow": "1"}), "the name of a file"),
        (lambda path: of_first_part(path, files=[1]), "damaged manifest"),
        (lambda path: of_first_part(path, boards=None), "damaged manifest"),
        (lambda path: of_first_part(path, files={}), "got none of part 0"),
        (lambda path: of_first_part(path, boards=3), "expected rows of the part"),
    ],
)
def test_other_catalogues_are_refused(club, files, change, message):
    change(club / "archive.json")
    before = {file.name for file in club.iterdir()}
    with pytest.raises(InvalidInput, match=message):
        ask_all(club)
    if "part" not in message:
        with pytest.raises(InvalidInput, match=message):
            add_files(club, files)
        assert {file.name for file in club.iterdir()} == before


def test_an_archive_of_before_is_read(club, files):
    """Its catalogue had a format of its own."""
    path = club / "archive.json"
    run = json.loads(path.read_text())
    parts = [
        {name: part[name] for name in ("number", "boards", "files", "sums")}
        for part in run["parts"]
    ]
    before = {
        "format": "bidcascade archive", "format_version": 1, "version": run["version"],
        "totals": {"boards": 1, "bytes": 1}, "sources": run["inputs"], "parts": parts,
        **run["state"],
    }  # fmt: skip
    path.write_text(json.dumps(before))
    ask_all(club)
    assert len(add_files(club, files).known) == len(files)
    remove_source(club, files[0].name)
    assert json.loads(path.read_text())["format"] == "bidcascade run"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "a\\b", "-a", "é", "a" * 65, "a\n"])
def test_names_that_are_none(name, tmp_path):
    with pytest.raises(InvalidInput, match="expected a name of letters, digits"):
        check_name(name)
    with pytest.raises(InvalidInput, match="expected a name of letters, digits"):
        Archive.named(name, tmp_path)


def test_archives_of_a_folder(club, tmp_path, monkeypatch):
    assert archive_names(tmp_path) == ["club"]
    assert Archive.named("club", tmp_path).name == "club"
    assert archives_folder(tmp_path) == tmp_path
    monkeypatch.setenv("BIDCASCADE_DATA_FOLDER", str(tmp_path))
    with pytest.raises(InvalidInput, match=r"expected an archive \(club\), got 'clubs'"):
        Archive.named("clubs", tmp_path)


@pytest.mark.parametrize("what", ["gone", "changed"])
def test_a_system_that_is_gone_or_has_changed(files, tmp_path, what):
    system = write_system(tmp_path)
    club = tmp_path / "club"
    add_files(club, files[:2])
    bid_archive(club, str(system), all_calls=True, backend="cpu")
    long = "1N P 2C P 2D P"
    known = find_boards(Archive(club), BoardsQuestion("1N P 2C", "small")).boards["id"]
    assert known.len() > 0
    before = contents(club)
    if what == "gone":
        system.unlink()
        message = "cannot open .*small.bidding' to bid the archive"
    else:
        system.write_text(SMALL_SYSTEM.replace("15-17", "16-18"))
        message = "expected 'small' as it was when it bid the archive.*, but it has changed"
    archive = Archive(club)
    # what the files have is answered
    assert find_boards(archive, BoardsQuestion("1N P 2C", "small")).boards["id"].equals(known)
    assert find_boards(archive, BoardsQuestion(by="small", level=("contract",))).total == 160
    assert count_boards(archive, BoardsQuestion("P", "small", "all")) > 0
    assert dict(next_calls(archive, NodeQuestion("1N P", "small")))["2C"] == known.len()
    # what is not in the index would have to be worked out
    for action in (
        lambda: find_boards(archive, BoardsQuestion(long, "small", "all")),
        lambda: add_files(club, files[2]),
        lambda: remove_source(club, files[0].name),
    ):
        with pytest.raises(InvalidInput, match=message):
            action()
        check_equal(contents(club), before)
    if what == "changed":
        assert bid_archive(club, str(system), backend="cpu").bid == 160
        assert count_boards(archive, BoardsQuestion(long, "small", "all")) > 0
    else:
        forget_bids(club, "small")
    assert add_files(club, files[2]).boards == 80


def test_an_index_behind_its_parts(club):
    """A part whose bids the catalogue does not name, as after work on a copy of an older one."""
    state = json.loads((club / "archive.json").read_text())
    for name in [*state["parts"][0]["files"]]:
        if "small" in name:
            del state["parts"][0]["files"][name]
    (club / "archive.json").write_text(json.dumps(state))
    archive = Archive(club)
    with pytest.raises(InvalidInput, match="got none of part 0: archive bid it"):
        find_boards(archive, BoardsQuestion("1N", "small"))
    with pytest.raises(InvalidInput, match="got none of part 0: archive bid with --all"):
        count_boards(archive, BoardsQuestion("1N", "small", "all"))
    assert archive.summary().bidders["small"].boards == 0
    assert find_boards(archive, BoardsQuestion("1N")).total > 0
    assert bid_archive(club, Catalogue.read(club).bidders["small"].table, backend="cpu").bid == 240
    assert count_boards(archive, BoardsQuestion("1N", "small", "all")) > 0
