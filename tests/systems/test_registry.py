"""Systems and tables by name or path; compiled tables of the package and of the cache."""

import errno
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from bidcascade.bridge import (
    InvalidSystem,
    InvalidTable,
    NoSystem,
    UnknownTable,
    format_call,
    parse_calls,
)
from bidcascade.systems import (
    cache_folder,
    is_system,
    named_systems,
    open_system,
    open_table,
    registry,
)
from bidcascade.systems.registry import open_held
from bidcascade.systems.system import System
from bidcascade.systems.tables import compiled_cache
from bidcascade.systems.tables.compile import compile_system
from bidcascade.table import BiddingTable
from tests.support.examples import some_in_check
from tests.support.systems import FEW, SMALL_SYSTEM, compile_few


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tables"


@pytest.fixture
def few(monkeypatch):
    """Compile few deals: these tests are about files."""
    compile_few(monkeypatch)


@pytest.fixture
def small_path(tmp_path):
    path = tmp_path / "small.bidding"
    path.write_text(SMALL_SYSTEM, "utf-8")
    return path


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A package with a system of two files, and a part that is none."""
    folder = tmp_path / "systems"
    folder.mkdir()
    head, openings, rest = SMALL_SYSTEM.partition("opening:")
    (folder / "small.bidding").write_text(f'{head}include "openings"\n', "utf-8")
    (folder / "openings.bidding").write_text(openings + rest, "utf-8")
    monkeypatch.setattr(registry, "SYSTEMS", folder)
    named_systems.cache_clear()
    yield folder
    named_systems.cache_clear()


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def test_every_file_with_a_title_is_a_system(shipped):
    assert dict(named_systems()) == {"small": "Small natural"}
    assert is_system("small")
    assert is_system("elsewhere/mine.bidding")
    assert not is_system("openings")
    assert not is_system("table.jsonl")


def test_systems_are_opened_by_name_or_path(small_path):
    assert open_system("sayc").text.title == named_systems()["sayc"]
    system = open_system(small_path)
    assert (system.name, system.text.title) == ("small", "Small natural")
    # what a line is called does not depend on where its file lies
    assert str(system.expand().entries[0].where) == "small.bidding:6"
    for unknown in ("culbertson", str(small_path.with_name("none.bidding"))):
        with pytest.raises(UnknownTable, match=r"expected a system's name \(.*sayc"):
            open_system(unknown)
        with pytest.raises(UnknownTable, match=r"expected a (table|system)'s name \(.*sayc"):
            open_table(unknown)


def test_a_table_of_rows_is_no_system(tmp_path):
    rows, other, folder = tmp_path / "x.jsonl", tmp_path / "x.txt", tmp_path / "saved"
    for path in (rows, other):
        path.write_text('{"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}\n', "utf-8")
    open_table(rows).save(folder)
    for path in (rows, other, folder):
        with pytest.raises(NoSystem, match="expected a system, got a table of rows: "):
            open_system(path)
    # a text of another ending is read as ever, and a folder of anything else is unknown
    other.write_text(SMALL_SYSTEM, "utf-8")
    assert open_system(other).text.title
    with pytest.raises(UnknownTable, match="expected a system's name"):
        open_system(tmp_path)


def test_a_near_name_is_told():
    near = r"'acoll'; did you mean 'acol'\?"
    with pytest.raises(UnknownTable, match=rf"a system's name \(acol, .*{near}"):
        open_system("acoll")
    with pytest.raises(UnknownTable, match=rf"a table's name \(acol, .*{near}"):
        open_table("acoll")


def test_options_are_set(tmp_path):
    path = tmp_path / "mine.bidding"
    path.write_text("option weak, on:\n  opening:\n    1NT = Weak: 12-14 points, balanced\n")
    assert open_system(path).expand().entries
    assert not open_system(path, options={"weak": False}).expand().entries


def test_a_system_becomes_a_table_and_is_kept(small_path, cache, few):
    first = open_table(small_path)
    assert names_in(cache) == [f"small-{first_key(small_path)[:16]}"]
    assert first == compile_system(open_system(small_path), deals=150, least=3)
    again = open_table(str(small_path))
    assert again == first
    assert isinstance(again.call.base, np.memmap)
    small_path.write_text(SMALL_SYSTEM.replace("15-17", "12-14"), "utf-8")
    assert open_table(small_path) != first
    assert len(names_in(cache)) == 2


def first_key(path: Path) -> str:
    key = compiled_cache.record_of(open_system(path), FEW)["key"]
    assert isinstance(key, str)
    return key


DAMAGE = {
    "empty": lambda content: b"",
    "cut off": lambda content: content[: len(content) // 2],
    "first bit": lambda content: bytes([content[0] ^ 1]) + content[1:],
    "a bit within": lambda content: (
        content[: len(content) // 2]
        + bytes([content[len(content) // 2] ^ 4])
        + content[len(content) // 2 + 1 :]
    ),
    "last bit": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
}


@pytest.mark.parametrize(
    "how",
    some_in_check(
        (1, 3),
        *(
            one if one == "a bit within" else pytest.param(one, marks=pytest.mark.slow)
            for one in DAMAGE
        ),
    ),
)
def test_damage_to_any_file_is_found(small_path, cache, few, how, monkeypatch):
    first = open_table(small_path)
    [folder] = cache.iterdir()
    whole = {path: path.read_bytes() for path in folder.iterdir()}
    # compiled once: what is compiled again is known
    made = []
    monkeypatch.setattr(compiled_cache, "compiled", lambda *_: made.append(1) or first)
    for number, (path, content) in enumerate(whole.items(), 1):
        path.write_bytes(DAMAGE[how](content))
        assert open_table(small_path) == first
        assert len(made) == number, path.name
        assert {path: path.read_bytes() for path in folder.iterdir()} == whole
    assert open_table(small_path) == first
    assert len(made) == len(whole)


def test_a_cache_of_another_version_is_made_anew(small_path, cache, few):
    first = open_table(small_path)
    [folder] = cache.iterdir()
    for name, key, value in (
        ("manifest.json", "version", 0),
        (compiled_cache.RECORD, "key", "0" * 64),
        (compiled_cache.RECORD, "checksums", {}),
    ):
        path = folder / name
        whole = path.read_bytes()
        path.write_text(json.dumps({**json.loads(whole), key: value}), "utf-8")
        assert open_table(small_path) == first
        assert path.read_bytes() == whole


def test_something_else_in_the_place_of_the_cache(small_path, cache, few):
    first = open_table(small_path)
    [folder] = cache.iterdir()
    shutil.rmtree(folder)
    folder.write_text("no folder")
    assert open_table(small_path) == first
    assert BiddingTable.open(folder, verify=True) == first


def test_a_full_disk_costs_no_answer(small_path, cache, few, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("bidcascade.table.stored.storage.write_npy", full)
    assert len(open_table(small_path)) > 20
    assert not names_in(cache)


def test_without_a_place_for_the_cache_tables_still_open(small_path, tmp_path, monkeypatch, few):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "file" / "cache"))
    assert len(open_table(small_path)) > 20


def test_old_versions_leave_the_cache(small_path, cache, few, monkeypatch):
    monkeypatch.setattr(compiled_cache, "MOST_CACHED", 2)
    for points in range(15, 19):
        small_path.write_text(f"opening:\n  1NT = Strong: {points}-20 points, balanced\n")
        open_table(small_path)
        newest = max(cache.iterdir(), key=lambda path: path.stat().st_mtime)
        os.utime(newest, (points, points))
    assert len(names_in(cache)) == 2


def test_a_version_stays_that_was_made_by_a_clock_that_was_set_back(
    small_path, cache, few, monkeypatch
):
    monkeypatch.setattr(compiled_cache, "MOST_CACHED", 2)
    for points in range(15, 19):
        small_path.write_text(f"opening:\n  1NT = Strong: {points}-20 points, balanced\n")
        before = set(cache.iterdir()) if cache.exists() else set()
        open_table(small_path)
        (new,) = set(cache.iterdir()) - before
        os.utime(new, (4e9, 4e9))
    assert len(names_in(cache)) == 2


def test_what_is_wrong_with_a_text_is_told_in_full(small_path, cache):
    small_path.write_text("opening:\n  1NT = Strong: 15-17 pionts\n  2NT = Big: 20+ pts\n")
    with pytest.raises(InvalidSystem) as error:
        open_table(small_path)
    assert [str(one.where) for one in error.value.complaints] == [
        "small.bidding:2",
        "small.bidding:3",
    ]
    assert not names_in(cache)


def test_the_same_text_gives_the_same_bytes(small_path, cache, few, tmp_path, monkeypatch):
    table = open_table(small_path)
    [folder] = cache.iterdir()
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "again"))
    assert open_table(small_path) == table
    [again] = (tmp_path / "again" / "tables").iterdir()
    assert again.name == folder.name
    for file in folder.iterdir():
        assert (again / file.name).read_bytes() == file.read_bytes()


def test_a_change_of_any_file_is_noticed(shipped, cache, few):
    table = open_table("small")
    part = shipped / "openings.bidding"
    part.write_text(part.read_text("utf-8").replace("15-17", "12-14"), "utf-8")
    assert open_table("small") != table


def test_bidding_needs_no_table(small_path, cache, monkeypatch):
    monkeypatch.setattr(compiled_cache, "compiled", None)
    held = open_held(small_path)
    assert isinstance(held, System)
    assert format_call(held.bid("AK5.Q32.KJ52.Q97").call) == "1N"
    assert not names_in(cache)


def test_nothing_else_is_replaced(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear partner")
    system = System.parse(SMALL_SYSTEM, name="small")
    with pytest.raises(InvalidTable, match="expected a free place for the table"):
        compiled_cache.write(compiled_cache.compiled(system, FEW), {}, tmp_path / "mine")
    assert names_in(tmp_path / "mine") == ["letter.txt"]


def test_keys_tell_apart_what_makes_tables_differ():
    keys = {
        compiled_cache.key_of("00", FEW),
        compiled_cache.key_of("01", FEW),
        compiled_cache.key_of("00", compiled_cache.SampleSize(151, least=3)),
        compiled_cache.key_of("00", compiled_cache.SampleSize(150, least=4)),
        compiled_cache.key_of("00", compiled_cache.SampleSize(150, least=3, seed=1)),
    }
    assert len(keys) == 5


def test_the_default_table_is_sayc(cache, few):
    table = open_table()
    entry = table.find(parse_calls("1N P 2C"))
    assert entry is not None
    assert ".bidding:" in table.variants(entry)[0].where
    assert open_table("sayc") == table


def test_the_cache_folder_follows_the_environment(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    monkeypatch.delenv("BIDCASCADE_CACHE", raising=False)
    assert cache_folder() == Path("/somewhere/bidcascade")
    monkeypatch.setenv("BIDCASCADE_CACHE", "/elsewhere")
    assert cache_folder() == Path("/elsewhere")


def test_without_a_home_tables_are_compiled_and_not_cached(monkeypatch):
    def nowhere():
        raise RuntimeError("could not determine home directory")

    made, system = [], open_system("sayc")
    monkeypatch.delenv("BIDCASCADE_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    monkeypatch.setattr(compiled_cache, "compiled", lambda *_: made.append(1))
    assert registry.table_of(system) is None
    assert registry.table_of(system) is None
    assert len(made) == 2
