"""No file, however it is made, fills the memory of its reader or keeps it for ever.

Each reader has a process of its own, which says how much memory it has needed at most. In the check
it reads the ten bombs one behind the other, in the full run each in another process, and larger.
"""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from bidcascade.loaders import iter_deals, random_deals, read_deals
from bidcascade.loaders.frames.frame import count_rejects
from bidcascade.loaders.limits import LONGEST_RECORD, MOST_COLLECTED, MOST_LISTED, MOST_TOKENS
from tests.bombs.support_bombs import FORMATS, KINDS, PACKED, write_bomb
from tests.support.examples import is_full_run, sized

MOST_MB = 300
"""Memory of the process, with the interpreter and all that is loaded."""
CHILD = Path(__file__).with_name("support_child.py")
MIB = 1 << 20
COUNT = sized(600_000, 24_000_000)
# of what is read record by record enough for a dozen pieces' worth of rejects, where nothing
# bounded them; of what has a largest size some that are below it, too
SIZES = {
    "lin": sized(6.0, 100.0),
    "lin lines": sized(3.5, 100.0),
    "pbn": sized(3.5, 50.0),
    "pbn results": sized(3.5, 50.0),
    "rbn": sized(3.5, 50.0),
    "hands": sized(3.5, 50.0),
    "links": sized(3.5, 20.0),
    "rows": sized(1.2, 4.0),
    "literal rows": sized(1.2, 4.0),
    "system": 1.8,
    "system rows": sized(20.0, 100.0),
    "notes": 1.8,
    "card": 1.8,
    "script": 0.15,
    "cases": sized(3.0, 15.0),
    "announcements": sized(0.4, 4.0),
    "user terms": sized(3.9, 3.9),
    "overlay": sized(1.0, 15.0),
    "manifest": sized(10.0, 31.0),
}
READERS = [name for name in FORMATS if name in SIZES]
DEAL = "3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,"


def read_in_child(reader: str, kinds: tuple[str, ...], folder: Path) -> list[dict[str, object]]:
    size = int(SIZES[reader] * MIB)
    files = [f"{kind}={write_bomb(reader, kind, size, folder)}" for kind in kinds]
    return _in_child(reader, folder, files)


def read_path(reader: str, kind: str, path: Path, folder: Path) -> list[dict[str, object]]:
    return _in_child(reader, folder, [f"{kind}={path}"])


def _in_child(reader: str, folder: Path, files: list[str]) -> list[dict[str, object]]:
    done = subprocess.run(
        [sys.executable, str(CHILD), reader, str(folder), *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("reader", READERS)
def test_ten_bombs_for_each_reader_need_little_memory(reader, tmp_path):
    # in the check every third kind, others with the next reader
    groups = [(kind,) for kind in KINDS]
    if not is_full_run():
        groups = [KINDS[READERS.index(reader) % 3 :: 3]]
    for kinds in groups:
        found = read_in_child(reader, kinds, tmp_path)
        assert [one["kind"] for one in found] == list(kinds)
        for one in found:
            assert one["peak"] <= MOST_MB, one
            # done, or bad input: never an error of ours
            assert one["code"] in (0, 2), one


def test_all_readers_have_all_bombs():
    assert {reader for reader, (_, bombs) in FORMATS.items() if set(bombs) == set(KINDS)} == set(
        FORMATS
    )
    assert set(PACKED) < set(FORMATS)


def test_rejects_are_counted_and_the_first_of_a_file_listed(tmp_path):
    for name in ("a.lin", "b.lin"):
        (tmp_path / name).write_text("qx|o1|" * (COUNT) + f"qx|o1|md|{DEAL}|")
    read = read_deals(tmp_path, jobs=1)
    assert read.deals.height == 2
    # the record behind the rejects has its number
    assert read.deals["record"].to_list() == [COUNT + 1] * 2
    assert read.refused == 2 * COUNT == count_rejects(read.rejects)
    assert read.rejects.height == 2 * (MOST_LISTED + 1)
    assert read.rejects.filter(pl.col("record").is_null()).select("source", "reason").rows() == [
        (
            name,
            f"{COUNT - MOST_LISTED:,} further records are no deals; the first 2,000 are listed",
        )
        for name in ("a.lin", "b.lin")
    ]
    batches = list(iter_deals(tmp_path, jobs=1))
    assert sum(batch.refused for batch in batches) == read.refused


def test_rejects_of_many_files_are_listed_up_to_a_limit(tmp_path):
    for number in range(15):
        (tmp_path / f"{number:02}.lin").write_text("qx|o1|" * 1900)
    with_deal = tmp_path / "x.lin"
    with_deal.write_text(f"md|{DEAL}|")
    read = read_deals(tmp_path, jobs=1)
    assert read.refused == 15 * 1900
    listed = read.rejects.filter(pl.col("record").is_not_null())
    assert listed.height == MOST_COLLECTED
    assert count_rejects(read.rejects) == 15 * 1900


@pytest.mark.parametrize(
    ("ending", "bomb", "board", "reason"),
    [
        ("lin", f"qx|o1|md|{DEAL}|nt|{'x' * 2 * LONGEST_RECORD}|", f"qx|o2|md|{DEAL}|\n", "bytes"),
        ("lin", f"qx|o1|md|{DEAL}|" + "mb|p|" * (MOST_TOKENS + 1), f"qx|o2|md|{DEAL}|\n", "tokens"),
        (
            "pbn",
            '[Deal "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -"]\n'
            + "{" + "x" * 2 * LONGEST_RECORD + "}\n\n",
            '[Board "2"]\n[Deal "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -"]\n\n',
            "a game of at most",
        ),
        (
            "pbn",
            '[Deal "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -"]\n'
            + "".join(f'[A{n} "x"]\n' for n in range(MOST_TOKENS + 1)) + "\n",
            '[Board "2"]\n[Deal "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -"]\n\n',
            "tags",
        ),
    ],
    ids=["long lin", "many lin", "long pbn", "many pbn"],
)  # fmt: skip
@pytest.mark.parametrize("boards", [3, sized(30_000, 200_000)])
def test_one_record_beyond_a_limit_is_one_reject(tmp_path, ending, bomb, board, reason, boards):
    """In a small file and in one that is cut."""
    path = tmp_path / f"x.{ending}"
    path.write_text(board + bomb + board * boards)
    read = read_deals(path, jobs=1)
    assert read.deals.height == boards + 1
    assert read.deals["record"].to_list() == [1, *range(3, boards + 3)]
    assert read.rejects["record"].to_list() == [2]
    assert reason in read.rejects["reason"][0]


def test_a_command_tells_how_many_rejects_are_listed(tmp_path):
    path = tmp_path / "x.lin"
    path.write_text("qx|o1|" * 5000 + f"md|{DEAL}|")
    rejects = tmp_path / "rejects.parquet"
    done = subprocess.run(
        [
            sys.executable, "-m", "bidcascade.service.cli", "load", str(path), "--json",
            "--out", str(tmp_path / "out.parquet"), "--rejects", str(rejects),
        ],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert (answer["rejects"], answer["rejects_listed"]) == (4999, MOST_LISTED)
    assert pl.read_parquet(rejects)["reason"][-1].startswith("2,999 further records")


def test_packed_bombs_are_what_they_say(tmp_path):
    path = write_bomb("notes", "packed", MIB, tmp_path)
    assert len(gzip.decompress(path.read_bytes())) >= MIB


@pytest.mark.parametrize("kind", ["word", "list", "rows"])
def test_parquet_that_decodes_to_far_more_than_it_has_is_refused(kind, tmp_path):
    """A text that stands in every row takes a few bytes of the file."""
    word = "x" * 100_000
    column = {
        "word": pl.lit(word).alias("event"),
        "list": pl.lit([word], pl.List(pl.String)).alias("commentary"),
        "rows": pl.lit([0] * 50_000, pl.List(pl.UInt8)).alias("play"),
    }[kind]
    path = tmp_path / "bomb.parquet"
    random_deals(3_000, seed=1).with_columns(column).lazy().sink_parquet(path)
    assert path.stat().st_size < 20 * MIB
    (found,) = read_path("lin", "bomb", path, tmp_path)
    assert found["code"] == 2
    assert found["peak"] <= MOST_MB
    assert "bytes in" in str(found["said"])
