"""Parsed texts that are kept: the same tree as the parser's, or the parser is asked."""

import json
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from bidcascade.bridge import InvalidSystem
from bidcascade.kernels.machine import caches
from bidcascade.systems.language import reader, text_cache
from bidcascade.systems.language.reader import read_system
from bidcascade.systems.language.text_cache import open_text, rows_of_tree, tree_of_rows
from bidcascade.systems.system import System
from tests.support.cli import run_python
from tests.support.systems import one_system

TEXT = """system Mine
option weak
opponents play "theirs"
include "words"
opening:
  2C = Big: 20+ points, strong hand; forcing, shows balanced
  2M = Two kinds
    either Six: 6+ M
    or Five: 5 M, 2+ aces
  option weak:
    1NT = Weak: 12-14 points, balanced
  without option weak:
    1NT = Strong: 15-17 points, balanced
"""
WORDS = "define strong hand = 0 or 4 aces or 3+ controls\n"


@pytest.fixture
def folder(tmp_path):
    """Folder for texts that are kept."""
    return tmp_path / "cache" / "texts"


@pytest.fixture
def mine(tmp_path):
    """System of two files that names a third."""
    (tmp_path / "theirs.bidding").write_text("opening:\n  1C = 3+ clubs\n", "utf-8")
    (tmp_path / "words.bidding").write_text(WORDS, "utf-8")
    path = tmp_path / "mine.bidding"
    path.write_text(TEXT, "utf-8")
    return path


@pytest.fixture
def parsed(monkeypatch):
    """List of the files that were parsed from here on."""
    found = []
    parse = reader.read_files

    def read_files(path, options=None):
        found.append(path.name)
        return parse(path, options)

    monkeypatch.setattr(reader, "read_files", read_files)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", one_system("light-openings"))
def test_the_kept_tree_is_the_parsed_tree(name, folder, parsed):
    text = read_system(name)
    assert repr(open_text(name, folder)) == repr(text)
    del parsed[:]
    kept = open_text(name, folder)
    assert parsed == []
    assert kept == text
    assert repr(kept) == repr(text)


@pytest.mark.parametrize("options", [None, {"weak": False}, {"weak": True}])
def test_options_opponents_and_variants_are_kept(mine, folder, parsed, options):
    open_text(mine, folder, options=options)
    del parsed[:]
    assert repr(open_text(mine, folder, options=options)) == repr(
        read_system(mine, options=options)
    )
    assert len(parsed) == 1, "by read_system"


def test_options_are_told_apart(mine, folder):
    titles = {
        open_text(mine, folder, options={"weak": weak}).blocks[0].body[-1].name
        for weak in (True, False, True)
    }
    assert titles == {"Weak", "Strong"}


def test_a_text_with_errors_is_complained_of_every_time(mine, folder):
    mine.write_text(TEXT + "  1C = 5+ heart\n", "utf-8")
    with pytest.raises(InvalidSystem) as first:
        open_text(mine, folder)
    with pytest.raises(InvalidSystem) as second:
        open_text(mine, folder)
    assert str(first.value) == str(second.value)
    assert not folder.exists()


def test_an_unknown_option_is_refused_with_and_without_what_was_kept(mine, folder):
    open_text(mine, folder)
    with pytest.raises(InvalidSystem, match="expected an option of the system"):
        open_text(mine, folder, options={"wek": True})


def changed(path, text):
    # the same length and the same time: only what stands in it tells
    stat = path.stat()
    path.write_text(text, "utf-8")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def test_a_changed_include_is_read(mine, folder, tmp_path):
    open_text(mine, folder)
    changed(tmp_path / "words.bidding", WORDS.replace("4", "3"))
    assert repr(open_text(mine, folder)) == repr(read_system(mine))


@pytest.mark.parametrize(("gone", "said"), [("words", "strong hand"), ("theirs", "no file")])
def test_includes_and_opponents_that_went_away_are_missed(mine, folder, tmp_path, gone, said):
    open_text(mine, folder)
    (tmp_path / f"{gone}.bidding").unlink()
    with pytest.raises(InvalidSystem, match=said):
        open_text(mine, folder)


def test_a_file_that_is_found_before_a_shipped_one_is_read(tmp_path, folder):
    path = tmp_path / "mine.bidding"
    path.write_text('include "acol"\n', "utf-8")
    assert len(open_text(path, folder).blocks) > 1
    (tmp_path / "acol.bidding").write_text("opening:\n  1C = 3+ clubs\n", "utf-8")
    assert len(open_text(path, folder).blocks) == 1


@pytest.mark.slow
def test_a_file_in_the_working_folder_goes_before_a_shipped_one(tmp_path, folder, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert open_text("acol.bidding", folder).title
    (tmp_path / "acol.bidding").write_text("opening:\n  1C = 3+ clubs\n", "utf-8")
    assert not open_text("acol.bidding", folder).title


def test_equal_relative_paths_in_two_folders_are_two_systems(tmp_path, folder, monkeypatch):
    for name in ("1C", "1D"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.bidding").write_text(f"opening:\n  {name} = any hand\n", "utf-8")
        monkeypatch.chdir(tmp_path / name)
        assert open_text("mine.bidding", folder).blocks[0].body[0].call.strain == name[1]


@pytest.mark.parametrize("damage", ["empty", "half", "a flipped bit", "another's", "no JSON"])
def test_a_damaged_file_is_not_believed(mine, folder, parsed, damage):
    text = open_text(mine, folder)
    (place,) = folder.iterdir()
    whole = place.read_bytes()
    spots = [*range(0, len(whole), 97), len(whole) - 1] if damage == "a flipped bit" else [0]
    for spot in spots:
        flipped = whole[:spot] + bytes([whole[spot] ^ 1]) + whole[spot + 1 :]
        other = caches._checksum(folder / "other.json", whole) + b"\n" + whole
        place.write_bytes({
            "empty": b"", "half": whole[: len(whole) // 2], "a flipped bit": flipped,
            "another's": other, "no JSON": b"{" + whole,
        }[damage])  # fmt: skip
        del parsed[:]
        assert repr(open_text(mine, folder)) == repr(text)
        assert parsed == ["mine.bidding"]
        assert place.read_bytes() == whole


def test_another_version_reads_nothing_of_this_one(mine, folder, parsed, monkeypatch):
    open_text(mine, folder)
    monkeypatch.setattr(text_cache, "_reader_digest", lambda: "of another version")
    open_text(mine, folder)
    assert len(parsed) == 2
    assert len(list(folder.iterdir())) == 2


def test_a_changed_source_in_any_folder_of_the_reader_is_another_version(tmp_path, monkeypatch):
    def digest():
        return text_cache._reader_digest.__wrapped__()

    sources = [tmp_path / "reader.py", tmp_path / "grammar/bidding.json", tmp_path / "a/b/deep.py"]
    for path in sources:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one")
    monkeypatch.setattr(text_cache, "__file__", str(tmp_path / "text_cache.py"))
    first = digest()
    compiled = tmp_path / "a/b/__pycache__/deep.pyc"
    compiled.parent.mkdir()
    compiled.write_text("code")
    assert digest() == first, "what Python compiled is none of the sources"
    for path in sources:
        path.write_text("two")
        assert digest() != first, path
        path.write_text("one")
    assert digest() == first
    sources[-1].rename(tmp_path / "a/deep.py")
    assert digest() != first, "a moved file"


@pytest.mark.parametrize("what", ["a file in the way", "a full disk", "no reading"])
def test_a_folder_that_cannot_be_used_is_no_error(mine, folder, what, monkeypatch):
    def refuse(*_arguments, **_options):
        raise OSError(28, "no space left on device")

    if what == "a file in the way":
        folder.parent.write_bytes(b"")
    elif what == "a full disk":
        monkeypatch.setattr(text_cache.os, "fdopen", refuse)
    else:
        folder.mkdir(parents=True)
        monkeypatch.setattr(text_cache, "_reader_digest", refuse)
    text = read_system(mine)
    assert open_text(mine, folder) == text
    assert open_text(mine, folder) == text
    assert not folder.is_dir() or not list(folder.iterdir()), "nothing is left behind"


def test_without_a_home_texts_are_parsed(mine, monkeypatch):
    def nowhere():
        raise RuntimeError("could not determine home directory")

    monkeypatch.setattr("bidcascade.kernels.machine.caches.cache_folder", nowhere)
    assert System.open(mine).text.title == "Mine"


def test_only_the_texts_used_last_stay(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(text_cache, "MOST_CACHED", 3)
    paths = [tmp_path / f"{number}.bidding" for number in range(5)]
    for number, path in enumerate(paths):
        path.write_text(f"system S{number}\nopening:\n  1C = any hand\n", "utf-8")
        open_text(path, folder)
        for age, place in enumerate(sorted(folder.iterdir(), key=lambda p: -p.stat().st_mtime_ns)):
            os.utime(place, (1_000_000 - 100 * number - age,) * 2)
        open_text(paths[0], folder)  # used again and again: it stays
    assert len(list(folder.iterdir())) == 3
    before = {place: place.read_bytes() for place in folder.iterdir()}
    open_text(paths[0], folder)
    assert before == {place: place.read_bytes() for place in folder.iterdir()}


def test_files_of_others_stay_in_the_folder(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(text_cache, "MOST_CACHED", 1)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("notes.txt", "sayc.bidding", f"{'a' * 64}.json.half"):
        (folder / name).write_text("mine", "utf-8")
        os.utime(folder / name, (1, 1))
    path = tmp_path / "x.bidding"
    path.write_text("system X\nopening:\n  1C = any hand\n", "utf-8")
    open_text(path, folder)
    (kept,) = {one.name for one in folder.iterdir()} - {"notes.txt", "sayc.bidding"}
    assert kept != f"{'a' * 64}.json.half"


def test_a_text_stays_that_was_kept_by_a_clock_that_was_set_back(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(text_cache, "MOST_CACHED", 3)
    for number in range(5):
        path = tmp_path / f"{number}.bidding"
        path.write_text(f"system S{number}\nopening:\n  1C = any hand\n", "utf-8")
        before = set(folder.iterdir()) if folder.exists() else set()
        open_text(path, folder)
        (new,) = set(folder.iterdir()) - before
        os.utime(new, (4e9, 4e9))
    assert len(list(folder.iterdir())) == 3


def _open_often(path, folder):
    return {repr(open_text(path, folder)) for _ in range(10)}


@pytest.mark.slow
def test_processes_at_once_read_the_same(mine, folder):
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(_open_often, [mine] * 3, [folder] * 3))
    assert found == [{repr(read_system(mine))}] * 3
    assert len(list(folder.iterdir())) == 1


def test_the_grammar_is_not_loaded_for_a_kept_text(mine, folder):
    open_text(mine, folder)
    code = (
        "import sys; from pathlib import Path; "
        "from bidcascade.systems.language.text_cache import open_text; "
        "open_text(Path(sys.argv[1]), Path(sys.argv[2])); "
        "print('bidcascade.systems.language.grammar.grammar' in sys.modules)"
    )
    assert run_python(code, mine, folder).out == "False\n"
    assert run_python(code, mine, folder / "another").out == "True\n"


def test_conditions_that_say_the_same_are_one_and_lines_stay_two():
    text = "convention clubs:\n  3C = 3+ clubs\nafter 1NT:\n  use clubs\nafter 2NT:\n  use clubs\n"
    read = reader.read_text(text)
    kept = tree_of_rows(json.loads(json.dumps(rows_of_tree(read))))
    assert repr(kept) == repr(read)
    first, second = (block.body[0] for block in kept.blocks)
    assert first is not second
    assert first.condition is second.condition
