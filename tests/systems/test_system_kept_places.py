"""Files of places that are damaged, foreign, in the way or written by several: answers stay."""

import errno
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from bidcascade.kernels import DealArrays
from bidcascade.systems import kept_places
from bidcascade.systems.bidder import Bidder
from bidcascade.systems.program import SystemProgram
from bidcascade.systems.system import System
from tests.support_cli import environment, run_apart
from tests.support_deals import plain_deals
from tests.support_systems import SMALL_SYSTEM

SMALL = System.parse(SMALL_SYSTEM)
NAME = kept_places.file_name(SMALL.text, SMALL.text)


def auctions(bidder: Bidder, deals: DealArrays) -> list[tuple[int, ...]]:
    return [bidder.auction_of(place) for place in bidder.bid(deals).place]


def fresh(system: System = SMALL) -> Bidder:
    return Bidder(SystemProgram(system.rules))


DEALS = plain_deals(10, 6)
ANSWERS = auctions(fresh(), DEALS)


@pytest.fixture(scope="module")
def whole() -> bytes:
    """File of what some deals taught."""
    bidder = fresh()
    bidder.bid(plain_deals(40, 6))
    return written(bidder)


def written(bidder: Bidder) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.places"
        kept_places.write(bidder, path)
        return path.read_bytes()


def assert_healed(path: Path, *, read: bool = False) -> None:
    """Answers are those of a fresh bidder, and what is written then is read by the next one."""
    bidder = fresh()
    assert kept_places.read(bidder, path) == read
    assert auctions(bidder, DEALS) == ANSWERS
    kept_places.write(bidder, path)
    after = fresh()
    assert kept_places.read(after, path)
    places = after.count
    assert auctions(after, DEALS) == ANSWERS
    assert after.count == places


@pytest.mark.parametrize("sixteenth", range(16))
def test_a_file_that_was_cut_short_is_written_anew(sixteenth, whole, tmp_path):
    path = tmp_path / NAME
    path.write_bytes(whole[: sixteenth * len(whole) // 16])
    assert_healed(path)


@pytest.mark.slow
def test_files_with_flipped_bits_are_written_anew(whole, tmp_path):
    path, rng = tmp_path / NAME, np.random.default_rng(1)
    harmless = 0
    for place in rng.integers(0, len(whole), 64).tolist():
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        # dates and the like may be anything
        is_read = kept_places.read(fresh(), path)
        path.write_bytes(damaged)
        assert_healed(path, read=is_read)
        harmless += is_read
    assert harmless < 8


@pytest.mark.parametrize("other", ["text", "version", "sides", "array"])
def test_a_file_of_something_else_is_not_believed(other, whole, tmp_path, monkeypatch):
    path = tmp_path / NAME
    with monkeypatch.context() as patched:
        if other == "version":
            patched.setattr(kept_places, "CODE", "0" * 16)
        bidder = fresh()
        if other == "text":
            # as many lines, headers and conditions
            bidder = fresh(System.parse(SMALL_SYSTEM.replace("15-17", "12-14")))
        if other == "sides":
            bidder = Bidder(SystemProgram(SMALL.rules), SystemProgram(SMALL.rules))
        bidder.bid(plain_deals(40, 6))
        if other == "array":
            bidder._store.list[3] = 1 << 20
        path.write_bytes(written(bidder))
    assert_healed(path)


def test_places_without_entries_are_not_kept(tmp_path):
    bidder = fresh()
    for _ in bidder.steps(plain_deals(200, 3), least=5):
        pass
    assert bidder.left_open
    kept_places.write(bidder, tmp_path / NAME)
    after, deals = fresh(), plain_deals(200, 3)
    assert kept_places.read(after, tmp_path / NAME)
    assert after.count > 10
    assert auctions(after, deals) == auctions(fresh(), deals)


# --- the cache folder -----------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    """Folder of a cache of its own."""
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))
    return tmp_path / kept_places.FOLDER


def bid_and_keep() -> None:
    """As a process does that learns much and ends."""
    bidder = System.parse(SMALL_SYSTEM).bidder()
    assert auctions(bidder, DEALS) == ANSWERS
    bidder.bid(plain_deals(300, 7))
    kept_places.keep_all()
    kept_places.keep_all()
    assert auctions(bidder, DEALS) == ANSWERS


@pytest.mark.parametrize("what", ["read-only", "a file", "a full disk", "full at the end"])
def test_a_cache_that_cannot_be_written_costs_no_answer(what, cache, monkeypatch, caplog):
    def refuse(number):
        def instead(*_given, **_options):
            raise OSError(number, os.strerror(number))

        return instead

    if what == "read-only":
        cache.mkdir()
        monkeypatch.setattr(kept_places.tempfile, "mkstemp", refuse(errno.EROFS))
    elif what == "a file":
        cache.write_bytes(b"")
    elif what == "a full disk":
        monkeypatch.setattr(kept_places.npy, "write_array", refuse(errno.ENOSPC))
    else:
        monkeypatch.setattr(kept_places.Path, "replace", refuse(errno.ENOSPC))
    bid_and_keep()
    assert len([one for one in caplog.records if one.levelname != "DEBUG"]) <= 1
    assert not cache.is_dir() or not list(cache.iterdir()), "nothing half written is left"


def test_without_a_home_nothing_is_kept(monkeypatch):
    def nowhere():
        raise RuntimeError("could not determine home directory")

    monkeypatch.setattr("bidcascade.systems.kept_places.cache_folder", nowhere)
    bid_and_keep()


def test_what_ended_processes_left_behind_goes(cache):
    cache.mkdir()
    for number in range(kept_places.KEPT + 3):
        (cache / f"{number}.places").write_bytes(b"")
    old, new = cache / ".1.places.abc", cache / ".2.places.def"
    old.write_bytes(b"")
    new.write_bytes(b"")
    os.utime(old, (time.time() - 2 * kept_places._LEFT_BEHIND_S,) * 2)
    kept_places.forget_old(cache)
    assert not old.exists()
    assert new.exists()
    assert len(list(cache.glob("*.places"))) == kept_places.KEPT


# --- processes ------------------------------------------------------------------------------------

PROCESS = """
import sys
from pathlib import Path
from bidcascade.systems import kept_places
from bidcascade.systems.system import System
from tests.support_deals import plain_deals

bidder = System.open(sys.argv[1]).bidder()
print(bidder.count, flush=True)
"""
BID = """
print([bidder.auction_of(place) for place in bidder.bid(plain_deals(400, int(sys.argv[2]))).place])
"""
KEEP_ON_WRITING = """
for seed in range(10_000):
    bidder.bid(plain_deals(20, seed))
    kept_places.write(bidder, Path(sys.argv[2]))
    print(seed, flush=True)
"""


def process(code: str, *arguments: str) -> "subprocess.Popen[str]":
    """Start a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", PROCESS + code, *arguments],
        stdout=subprocess.PIPE, text=True,
        env=environment(),
    )  # fmt: skip


def test_against_another_system_each_side_takes_what_it_learned_against_itself(cache):
    bidder = fresh()
    bidder.bid(plain_deals(40, 6))
    kept_places.write(bidder, cache / NAME)
    small, other = System.parse(SMALL_SYSTEM), System.parse("opening:\n  1NT = Any: 0+ points")
    both = small.bidder(other)
    learned = [side.decisions.count for side in (*bidder.sides, *both.sides)]
    assert learned[2] == learned[0] > learned[3]
    expected = Bidder(SystemProgram(small.rules), SystemProgram(other.rules))
    assert auctions(both, DEALS) == auctions(expected, DEALS)
    # and the places of the two, whose entries are many more on one side
    path = cache / kept_places.file_name(small.text, other.text)
    kept_places.write(both, path)
    again = System.parse(SMALL_SYSTEM).bidder(System.parse("opening:\n  1NT = Any: 0+ points"))
    assert again.count == both.count > 10
    assert auctions(again, DEALS) == auctions(expected, DEALS)
    assert again.count == both.count


@pytest.fixture
def text(tmp_path) -> Path:
    """File of the small system."""
    path = tmp_path / "small.bidding"
    path.write_text(SMALL_SYSTEM.lstrip(), "utf-8")
    return path


@pytest.mark.slow
def test_processes_grow_one_cache_at_once(text, cache):
    both = [process(BID, str(text), str(seed)) for seed in (1, 2)]
    said = [one.communicate(timeout=200)[0].splitlines() for one in both]
    for seed, lines in zip((1, 2), said, strict=True):
        assert lines[1] == repr(auctions(fresh(), plain_deals(400, seed)))
    system = System.open(text)
    assert [path.name for path in cache.iterdir()] == [
        kept_places.file_name(system.text, system.text)
    ]
    bidder = system.bidder()
    assert bidder.count > 200
    for seed in (1, 2, 3):
        assert auctions(bidder, plain_deals(400, seed)) == auctions(fresh(), plain_deals(400, seed))


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_writes_spoils_nothing(text, cache):
    system, rng = System.open(text), np.random.default_rng(4)
    path = cache / kept_places.file_name(system.text, system.text)
    for _ in range(3):
        with process(KEEP_ON_WRITING, str(text), str(path)) as writing:
            assert writing.stdout is not None
            # it has read what the one before left, and writes
            places = int(writing.stdout.readline())
            writing.stdout.readline()
            time.sleep(rng.random() / 4)
            writing.kill()
        bidder = System.open(text).bidder()
        assert bidder.count >= places
        assert bidder.count > 20
        assert auctions(bidder, plain_deals(100, 1)) == auctions(fresh(), plain_deals(100, 1))


@pytest.mark.slow
def test_a_command_keeps_what_it_worked_out(text, cache):
    assert run_apart("system", "check", text, "--deals", 5000).code == 0
    assert cache.is_dir()
    assert System.open(text).bidder().count > 500
