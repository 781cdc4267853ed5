"""Rows for the core that are cached: those that are made of the text, and little else is made."""

import threading

import numpy as np
import pytest

from bidcascade.bridge import InvalidSystem
from bidcascade.engine.engine import Engine
from bidcascade.kernels.machine import caches
from bidcascade.systems.language import text_cache
from bidcascade.systems.rows import program_rows
from bidcascade.systems.rows.program_rows import ProgramRows
from bidcascade.systems.system import System
from tests.support.systems import SMALL_SYSTEM, one_system

OTHER = SMALL_SYSTEM.replace("#strong", "#another")
FAULTY = "opening:\n  1NT = Strong: 15-17 points, balanced\nafter 1NT:\n  2C = Odd: 4+ X\n"
HAND = "AKQ32.K32.432.32"

pytestmark = pytest.mark.skipif(not program_rows.folder_in_cache("rows"), reason="no cache")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Folder of a cache that nobody else has."""
    monkeypatch.setenv(caches.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "rows"


@pytest.fixture
def path(tmp_path):
    """File of the small system."""
    found = tmp_path / "small.bidding"
    found.write_text(SMALL_SYSTEM, "utf-8")
    return found


@pytest.fixture
def made(monkeypatch):
    """Systems whose rows were made of their text."""
    found = []
    make_as_ever = ProgramRows._make

    def make(rows):
        found.append(rows._rules.title)
        return make_as_ever(rows)

    monkeypatch.setattr(ProgramRows, "_make", make)
    return found


def told(rows, count):
    """All that rows tell of the numbers of the core."""
    return [
        (one.place, one.line, one.variant, one.specificity)
        for one in map(rows.variant, range(count))
    ]


@pytest.mark.parametrize("name", ["small", *one_system("sayc")])
def test_kept_rows_are_those_that_are_made(name, path, folder, made):
    source = path if name == "small" else name
    first = System.open(source).rules
    tags: dict[str, int] = {}
    of_text = ProgramRows(first, tags)
    places = first.places.lines
    count = sum(len(one.line.variants) or 1 for one in places)
    second, kept_tags = System.open(source).rules, {}
    del made[:]
    kept = ProgramRows(second, kept_tags)
    assert made == []
    for one, other in zip(of_text.words, kept.words, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (kept.names, kept_tags) == (of_text.names, tags)
    assert told(kept, count) == told(of_text, count)
    for before, now in zip(places, second.places.lines, strict=True):
        if before.line.condition is not None:
            number = of_text.condition(before.line.condition)
            assert kept.condition(now.line.condition) == number
    assert made == [], "conditions are known by number"
    # what was made one by one is part of the whole
    assert kept.variant(0).line is second.places.lines[0].line


def test_a_call_makes_the_lines_of_its_place_alone(folder, monkeypatch):
    before = Engine.open("sayc").bid(HAND, words=True)
    assert before.candidates
    monkeypatch.setattr(text_cache._CachedTree, "_make_all", lambda tree: pytest.fail("all made"))
    engine = Engine.open("sayc")
    found = engine.bid(HAND, words=True)
    assert found == before
    assert list(found.candidates) == list(before.candidates)
    assert engine.digest == System.open("sayc").digest


@pytest.mark.parametrize("damage", ["empty", "half", "a flipped bit", "another's"])
def test_damaged_rows_are_not_believed(path, folder, made, damage):
    System.open(path).bidder()
    (place,) = folder.iterdir()
    whole = place.read_bytes()
    flipped = whole[:99] + bytes([whole[99] ^ 1]) + whole[100:]
    other = caches._checksum(folder / "other.rows", whole) + b"\n" + whole
    place.write_bytes({
        "empty": b"", "half": whole[: len(whole) // 2],
        "a flipped bit": flipped, "another's": other,
    }[damage])  # fmt: skip
    del made[:]
    System.open(path).bidder()
    assert made == ["Small natural"]
    assert place.read_bytes() == whole


def test_another_version_and_another_text_read_nothing_of_these(path, folder, made, monkeypatch):
    System.open(path).bidder()
    monkeypatch.setattr(program_rows, "rows_digest", lambda: "of another version")
    System.open(path).bidder()
    path.write_text(OTHER, "utf-8")
    System.open(path).bidder()
    assert made == ["Small natural"] * 3
    assert len(list(folder.iterdir())) == 3


def test_systems_that_share_tags_have_rows_of_their_own(path, folder, made, tmp_path):
    theirs = tmp_path / "theirs.bidding"
    theirs.write_text(OTHER, "utf-8")
    for one in (path, theirs):
        System.open(one).bidder()

    def bid():
        pair = System.open(path), System.open(theirs)
        return pair[0].bid("AKQ32.AK2.AK2.32", "1C P", opponents=pair[1])

    del made[:]
    first = bid()
    assert made == ["Small natural"], "the second one, whose tags come behind those of the first"
    assert str(bid()) == str(first)


def test_what_cannot_be_lowered_is_told_as_ever(tmp_path, folder):
    path = tmp_path / "faulty.bidding"
    path.write_text(FAULTY.replace("4+ X", "4+ clubs, RHO has shown 4+ X"), "utf-8")
    said = []
    for _ in range(2):
        try:
            said.append(str(System.open(path).expand("1N P")))
        except InvalidSystem as error:
            said.append(str(error))
    assert said[0] == said[1]


def test_rows_are_kept_longer_than_their_text(path, folder, made):
    first = System.open(path).bid(HAND)
    (place,) = (folder.parent / "texts").iterdir()
    place.unlink()
    del made[:]
    assert str(System.open(path).bid(HAND)) == str(first)
    assert made == []


def test_a_cache_that_cannot_be_used_is_no_error(path, tmp_path, monkeypatch):
    (tmp_path / "cache").write_bytes(b"")
    monkeypatch.setenv(caches.CACHE_VARIABLE, str(tmp_path / "cache"))
    assert System.open(path).bid(HAND).entry is not None


def test_threads_that_ask_at_once_get_the_same_objects(folder):
    System.open("sayc").bidder()
    text = System.open("sayc").text
    rows, barrier, found = text.rows, threading.Barrier(8), []
    numbers = [int(one) for one in ProgramRows(System.open("sayc").rules, {})._lines[:400, 1]]

    def ask(number):
        barrier.wait()
        lines = [rows.line(one) for one in numbers[number::2] + numbers]
        found.append((lines[-len(numbers) :], text.blocks if number == 5 else None))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({tuple(map(id, lines)) for lines, _ in found}) == 1
