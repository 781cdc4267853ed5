"""Imports of more rows than the memory keeps: killed at any moment, and where the disk is full."""

import random
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from bidcascade.bridge import InvalidTable
from bidcascade.table import BiddingTable, Row, build_table
from bidcascade.table.stored import storage
from bidcascade.table.stored.own_folder import OwnFolder
from tests.support.cli import NO_BYTECODE, environment
from tests.support.examples import sized, some_in_check
from tests.support.imports import SPILLING, import_command, write_rows

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="signals, limits and locks of Linux"),
    pytest.mark.timeout(600),
]

KILLS = sized(6, 12)
NO_SPACE = "No space left on device"
TOO_LARGE = "File too large"


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A file of rows, the digest of their table, and what is on the disk while it is made."""
    folder = tmp_path_factory.mktemp("rows")
    digest = write_rows(folder / "rows.jsonl", 6000)
    return folder / "rows.jsonl", digest


def run(command):
    return subprocess.run(
        command,
        env=environment(**NO_BYTECODE),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


# what is there in the middle of each step
STEPS = {
    "rows are read": lambda folder: True,
    "runs are written": lambda folder: list(folder.glob(".rows-*/run-0003/*")),
    "columns are made": lambda folder: list(folder.glob(".rows-*/call.npy")),
    "the table is written": lambda folder: list(folder.glob(".table.*.partial/*")),
}


@pytest.mark.parametrize("exists", [False, True])
def test_killed_at_any_moment(rows, tmp_path, exists):
    """What was there stays whole, the next run makes the same, and nothing else stays."""
    path, digest = rows
    place = tmp_path / "disk"
    place.mkdir()
    before = None
    if exists:
        write_rows(tmp_path / "few.jsonl", 30, seed=2)
        assert run(import_command(tmp_path / "few.jsonl", place / "table")).returncode == 0
        before = BiddingTable.open(place / "table", verify=True).digest
    chance = random.Random(4)
    kills = 0
    for number in range(KILLS):
        reached = list(STEPS.values())[number % len(STEPS)]
        process = subprocess.Popen(
            import_command(path, place / "table"), env=environment(), stderr=subprocess.PIPE
        )
        while process.poll() is None and not reached(place):
            time.sleep(0.0005)
        time.sleep(chance.uniform(0, 0.02) if number % len(STEPS) else chance.uniform(0, 1.5))
        process.kill()
        process.communicate()
        kills += process.returncode < 0
        if (place / "table").exists():
            assert BiddingTable.open(place / "table", verify=True).digest in (before, digest)
        else:
            assert before is None
    assert kills >= KILLS // 2
    done = run(import_command(path, place / "table"))
    assert done.returncode == 0, done.stderr
    assert BiddingTable.open(place / "table", verify=True).digest == digest
    assert names_in(place) == ["table"]


@contextmanager
def small_disk(folder, size):
    """A disk of its own; only the administrator may have one."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no disk can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize(
    "size", some_in_check((0, 4, 9, 13), *range(24 << 10, 500 << 10, 36 << 10))
)
def test_a_full_disk(rows, tmp_path, size):
    path, digest = rows
    disk = tmp_path / "disk"
    with small_disk(disk, size):
        done = run(import_command(path, disk / "table"))
        if done.returncode == 0:
            assert BiddingTable.open(disk / "table", verify=True).digest == digest
            return
        check_refused(done, NO_SPACE)
        assert names_in(disk) == []
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        assert run(import_command(path, disk / "table")).returncode == 0
        assert BiddingTable.open(disk / "table", verify=True).digest == digest
        assert names_in(disk) == ["table"]


def check_refused(done, reason):
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("bidcascade: error: could not "), line
    assert line.endswith(f": {reason}"), line


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
del sys.argv[1]
"""


@pytest.mark.parametrize(
    "size", some_in_check((0, 3, 7), 100, 200, 1000, 1500, 2000, 3000, 5000, 9000)
)
def test_the_system_refuses_to_write(rows, tmp_path, size):
    path, digest = rows
    before = import_command(path, tmp_path / "table")
    # where nothing is limited the same command ends well
    assert run(before).returncode == 0
    words = [before[0], "-c", LIMITED + SPILLING, str(size), *before[3:-2], tmp_path / "other"]
    done = run(words)
    check_refused(done, TOO_LARGE)
    assert names_in(tmp_path) == ["table"]
    assert run(import_command(path, tmp_path / "other")).returncode == 0
    assert BiddingTable.open(tmp_path / "other", verify=True).digest == digest


def test_a_table_is_replaced_in_one_step(tmp_path, monkeypatch):
    """No step between the two names, in which a process could be killed and none be there."""
    write_rows(tmp_path / "rows.jsonl", 30)
    done = run(import_command(tmp_path / "rows.jsonl", tmp_path / "table"))
    assert done.returncode == 0, done.stderr
    table = BiddingTable.open(tmp_path / "table")

    def refuse(path, target):
        raise AssertionError(f"{path} has stepped aside")

    monkeypatch.setattr(storage.Path, "rename", refuse)
    table.save(tmp_path / "table", overwrite=True)
    monkeypatch.undo()
    assert BiddingTable.open(tmp_path / "table", verify=True) == table
    assert names_in(tmp_path) == ["rows.jsonl", "table"]


def test_a_folder_that_is_in_use_is_not_left_over(tmp_path):
    held = OwnFolder(tmp_path)
    (tmp_path / ".rows-left").mkdir()
    (tmp_path / ".rows-file").touch()
    (tmp_path / "rows-of-mine").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / ".rows-link").symlink_to(tmp_path / "outside")
    other = OwnFolder(tmp_path)
    assert names_in(tmp_path) == sorted(
        [held.path.name, other.path.name, ".rows-file", ".rows-link", "outside", "rows-of-mine"]
    )
    held.remove()
    assert names_in(other.path) == []
    other.remove()
    with pytest.raises(InvalidTable, match="could not keep rows"):
        build_table([Row(b"", 7)] * 3, rows_in_memory=1, folder=tmp_path / "nowhere")
