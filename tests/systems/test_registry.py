"""Systems and tables by name or path; compiled tables of the package and of the cache."""

import collections
import errno
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bidcascade.bridge import InvalidSystem, InvalidTable, UnknownTable, parse_calls
from bidcascade.systems import (
    build_compiled,
    cache_folder,
    is_system,
    kept_tables,
    named_systems,
    open_system,
    open_table,
    registry,
)
from bidcascade.systems.compile import compile_system
from bidcascade.systems.system import System
from bidcascade.table import BiddingTable
from tests.support_systems import FEW, SMALL_SYSTEM, compile_few


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
    monkeypatch.setattr(build_compiled, "SYSTEMS", folder)
    monkeypatch.setattr(registry, "SHIPPED", FEW)
    monkeypatch.setattr(build_compiled, "SHIPPED", FEW)
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
        with pytest.raises(UnknownTable, match=r"expected a table's name \(.*sayc"):
            open_system(unknown)
        with pytest.raises(UnknownTable, match=r"expected a table's name \(.*sayc"):
            open_table(unknown)


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
    key = kept_tables.record_of(open_system(path), FEW)["key"]
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
    [one if one == "a bit within" else pytest.param(one, marks=pytest.mark.slow) for one in DAMAGE],
)
def test_damage_to_any_file_is_found(small_path, cache, few, how, monkeypatch):
    first = open_table(small_path)
    [folder] = cache.iterdir()
    whole = {path: path.read_bytes() for path in folder.iterdir()}
    # compiled once: what is compiled again is known
    made = []
    monkeypatch.setattr(kept_tables, "compiled", lambda *_: made.append(1) or first)
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
        ("manifest.json", "version", 0), (kept_tables.RECORD, "key", "0" * 64),
        (kept_tables.RECORD, "checksums", {}),
    ):  # fmt: skip
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

    monkeypatch.setattr("numpy.save", full)
    assert len(open_table(small_path)) > 20
    assert not names_in(cache)


def test_without_a_place_for_the_cache_tables_still_open(small_path, tmp_path, monkeypatch, few):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "file" / "cache"))
    assert len(open_table(small_path)) > 20


def test_old_versions_leave_the_cache(small_path, cache, few, monkeypatch):
    monkeypatch.setattr(kept_tables, "KEPT", 2)
    for points in range(15, 19):
        small_path.write_text(f"opening:\n  1NT = Strong: {points}-20 points, balanced\n")
        open_table(small_path)
        newest = max(cache.iterdir(), key=lambda path: path.stat().st_mtime)
        os.utime(newest, (points, points))
    assert len(names_in(cache)) == 2


def test_what_is_wrong_with_a_text_is_told_in_full(small_path, cache):
    small_path.write_text("opening:\n  1NT = Strong: 15-17 pionts\n  2NT = Big: 20+ pts\n")
    with pytest.raises(InvalidSystem) as error:
        open_table(small_path)
    assert [str(one.where) for one in error.value.complaints] == [
        "small.bidding:2", "small.bidding:3",
    ]  # fmt: skip
    assert not names_in(cache)


def test_compiled_tables_of_the_package(shipped, cache, tmp_path):
    lines = list(build_compiled.build(shipped / "compiled", FEW))
    assert len(lines) == 1
    assert lines[0].startswith("small: ")
    assert build_compiled.stale(shipped / "compiled") == []
    assert list(build_compiled.build(shipped / "compiled", FEW)) == ["small: up to date"]
    table = open_table("small")
    assert isinstance(table.call.base, np.memmap)
    assert not names_in(cache)  # it comes with the package
    record = json.loads((shipped / "compiled" / "small" / kept_tables.RECORD).read_text("utf-8"))
    assert [name for name, _ in record["files"]] == ["small.bidding", "openings.bidding"]

    # the same text gives the same bytes
    list(build_compiled.build(tmp_path / "again", FEW))
    for file in (shipped / "compiled" / "small").iterdir():
        assert (tmp_path / "again" / "small" / file.name).read_bytes() == file.read_bytes()

    # a change of an included file is noticed
    part = shipped / "openings.bidding"
    part.write_text(part.read_text("utf-8").replace("15-17", "12-14"), "utf-8")
    assert build_compiled.stale(shipped / "compiled") == ["small"]
    (shipped / "compiled" / "gone").mkdir()
    lines = list(build_compiled.build(shipped / "compiled", FEW))
    assert lines[0].startswith("small: ")
    assert lines[1:] == ["gone: removed, there is no such system"]
    assert open_table("small") != table


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / kept_tables.RECORD).unlink(),
        lambda folder: (folder / kept_tables.RECORD).write_text("[1]"),
        lambda folder: (folder / kept_tables.RECORD).write_bytes(b"\xff{"),
        lambda folder: (folder / "call.npy").unlink(),
        lambda folder: (folder / "call.npy").write_bytes(
            (folder / "call.npy").read_bytes()[:-1] + b"?"
        ),
        lambda folder: shutil.rmtree(folder),
    ],
)
def test_a_damaged_package_is_compiled_anew(shipped, cache, few, damage):
    list(build_compiled.build(shipped / "compiled", FEW))
    table = open_table("small")
    damage(shipped / "compiled" / "small")
    assert open_table("small") == table
    assert len(names_in(cache)) == 1


def test_nothing_else_is_replaced(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear partner")
    system = System.parse(SMALL_SYSTEM, name="small")
    with pytest.raises(InvalidTable, match="expected a free place for the table"):
        kept_tables.compile_to(system, tmp_path / "mine", FEW)
    assert names_in(tmp_path / "mine") == ["letter.txt"]


def test_keys_tell_apart_what_makes_tables_differ():
    files = [("a.bidding", "00")]
    keys = {
        kept_tables.key_of(files, {}, FEW),
        kept_tables.key_of([("a.bidding", "01")], {}, FEW),
        kept_tables.key_of([*files, ("b.bidding", "00")], {}, FEW),
        kept_tables.key_of(files, {"weak": True}, FEW),
        kept_tables.key_of(files, {"weak": False}, FEW),
        kept_tables.key_of(files, {}, kept_tables.SampleSize(151, least=3)),
        kept_tables.key_of(files, {}, kept_tables.SampleSize(150, least=4)),
        kept_tables.key_of(files, {}, kept_tables.SampleSize(150, least=3, seed=1)),
    }
    assert len(keys) == 8


def test_the_default_table_is_sayc(cache):
    table = open_table()
    entry = table.find(parse_calls("1N P 2C"))
    assert entry is not None
    assert ".bidding:" in table.variants(entry)[0].where
    assert open_table("sayc") == table


def test_compiled_tables_are_those_of_the_texts():
    stale = build_compiled.stale()
    assert not stale, (
        f"the texts of {', '.join(stale)} have changed since their tables were compiled: "
        "run python -m bidcascade.systems.build_compiled"
    )


STALE = (
    "the same text gives another table: raise kept_tables.ENGINE_VERSION and "
    "run python -m bidcascade.systems.build_compiled"
)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(named_systems()))
def test_compiling_again_gives_rows_of_the_package(name):
    """The same deals, but only places that many reach: seconds instead of a minute."""
    growth = replace(kept_tables.SHIPPED, least=10 * kept_tables.SHIPPED.least)
    again = collections.Counter(
        map(_content, kept_tables.compiled(open_system(name), growth).rows())
    )
    shipped = BiddingTable.open(registry.compiled_folder(name), verify=True)
    assert again.total() > 5000
    assert not again - collections.Counter(map(_content, shipped.rows())), STALE


def _content(row):
    return row.prior, row.call, row.criteria, row.name, row.description, row.tags, row.where


@pytest.mark.slow
def test_compiling_again_gives_the_table_of_the_package():
    again = kept_tables.compiled(open_system("acol"), kept_tables.SHIPPED)
    shipped = BiddingTable.open(registry.compiled_folder("acol"), verify=True)
    assert again.digest == shipped.digest, STALE


def test_the_cache_folder_follows_the_environment(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    monkeypatch.delenv("BIDCASCADE_CACHE", raising=False)
    assert cache_folder() == Path("/somewhere/bidcascade")
    monkeypatch.setenv("BIDCASCADE_CACHE", "/elsewhere")
    assert cache_folder() == Path("/elsewhere")
