"""``augment --dd``: columns of tricks and par, known results, runs that are killed and resumed."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from bidcascade.bridge import Cancelled, InvalidInput
from bidcascade.engine.runs.columns.double_dummy import RESULT_SCHEMA, add_double_dummy
from bidcascade.inference.double_dummy import DoubleDummyPool
from bidcascade.inference.double_dummy.known_tables import known_tables
from bidcascade.inference.double_dummy.par import par
from bidcascade.inference.double_dummy.table_cache import BATCH_DEALS
from bidcascade.kernels.types import I8, U64
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.loaders.pbn.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS
from bidcascade.service.cli import main
from tests.support.cli import environment
from tests.support.deals import possible

pytestmark = pytest.mark.slow


class Guesses:
    """Solver that is quick and wrong; counts what it is asked, and may stop."""

    def __init__(self, most: int = 10**9) -> None:
        self.asked = 0
        self.most = most
        self.lock = threading.Lock()

    def tables(self, hands: U64, **limits: object) -> I8:
        with self.lock:
            if self.asked + hands.shape[1] > self.most:
                raise Cancelled("enough")
            self.asked += hands.shape[1]
        places = np.arange(20, dtype=np.uint64)
        guessed = ((hands[0][:, None] >> places + hands[1][:, None] % 31) % 14).astype(np.int8)
        return possible(guessed, hands)


@pytest.fixture(scope="module")
def pool() -> Iterator[DoubleDummyPool]:
    with DoubleDummyPool(workers=2) as made:
        yield made


def test_columns_are_those_of_the_solver(pool: DoubleDummyPool) -> None:
    frame = random_deals(4, seed=5)
    found = add_double_dummy(frame, pool)
    assert found.select(frame.columns).equals(frame)
    new = found.select(found.columns[frame.width :])
    assert dict(new.schema) == RESULT_SCHEMA
    deals = deal_arrays(frame)
    tables = pool.tables(deals.hands)
    for number, row in enumerate(new.iter_rows(named=True)):
        for seat in range(4):
            for strain in range(5):
                name = f"DD_{'NESW'[seat]}_{'CDHSN'[strain]}"
                tricks = pool.tricks(deals.hands[:, [number]], strain, seat)[0]
                assert row[name] == tricks == tables[number, 5 * seat + strain]
        expected = par(tables[number], int(deals.dealer[number]), int(deals.vulnerability[number]))
        assert row["Par_NS"] == expected.score
        assert row["Par_Contracts"] == [str(contract) for contract in expected.contracts]


def test_known_results_are_not_solved_again() -> None:
    frame = random_deals(6, seed=1)
    tables = possible(np.full((6, 20), 7), deal_arrays(frame).hands)
    # one that cannot be is as good as none
    tables[5] = 1
    known = pl.DataFrame(
        {
            name: [None if row in (0, 3) else int(tables[row, place]) for row in range(6)]
            for place, name in enumerate(DOUBLE_DUMMY_COLUMNS)
        },
        dict.fromkeys(DOUBLE_DUMMY_COLUMNS, pl.UInt8()),
    )
    solver = Guesses()
    seen: list[int] = []
    found = add_double_dummy(frame.hstack(known), solver, progress=seen.append)
    assert (solver.asked, seen) == (3, [3, 6])
    assert found["DD_E_H"].to_list()[1:3] == tables[1:3, 7].tolist()
    assert found["DD_E_H"].null_count() == 0
    # and what was found is known from then on
    assert add_double_dummy(found, Guesses(most=0)).equals(found)


def twenty(value: float) -> dict[str, list[float]]:
    return {name: [value] for name in DOUBLE_DUMMY_COLUMNS}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"DD_N_C": [7]}, "expected all 20 columns of tricks, got DD_N_C without DD_N_D"),
        (twenty(14), "0 to 13 in column DD_N_C, got 14"),
        (twenty(-1), "0 to 13 in column DD_N_C, got -1"),
        (twenty(7.0), "whole numbers in column DD_N_C, got Float64"),
    ],
)
def test_columns_that_hold_no_tricks(columns: dict[str, list[float]], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        known_tables(pl.DataFrame(columns))


# --- the command ---------------------------------------------------------------------------------

PBN = """[Board "1"]
[Dealer "N"]
[Vulnerable "None"]
[Deal "N:AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9 6543.876.876.876 2.5432.5432.5432"]
[DoubleDummyTricks "{tricks}"]
"""


def test_results_of_a_file_are_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deals, out = tmp_path / "deals.pbn", tmp_path / "out.parquet"
    # in three suits a trick less than there are
    deals.write_text(PBN.format(tricks="ddbbb" * 2 + "0" * 10))
    assert main(["augment", str(deals), "--dd", "--out", str(out)]) == 0
    found = pl.read_parquet(out)
    assert found.columns[-22:] == list(RESULT_SCHEMA)
    assert found.select("DD_N_N", "DD_S_C", "Par_NS", "Par_Contracts").row(0) == (
        13,
        11,
        1520,
        ["7N-NS="],
    )
    assert "1 boards, 0 rejects\n" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"deals.pbn", "out.parquet"}


def test_results_that_cannot_be_are_solved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deals, out = tmp_path / "deals.pbn", tmp_path / "out.parquet"
    deals.write_text(PBN.format(tricks="1" * 20))
    assert main(["augment", str(deals), "--dd", "--out", str(out)]) == 0
    assert pl.read_parquet(out).select("DD_N_N", "DD_E_C").row(0) == (13, 1)
    assert "1 boards, 0 rejects, 1 results unread" in capsys.readouterr().err
    # in a frame too
    frame = pl.read_parquet(out).with_columns(DD_N_N=pl.lit(3, pl.UInt8))
    frame.write_parquet(tmp_path / "deals.parquet")
    for option, expected in (("--dd", (13, 1)), ("--wide", (None, None))):
        words = ["augment", str(tmp_path / "deals.parquet"), option, "--out", str(out)]
        assert main([*words, "--force"]) == 0
        assert pl.read_parquet(out).select("DD_N_N", "DD_E_C").row(0) == expected
        assert "1 results unread" in capsys.readouterr().err


def run(arguments: list[str]) -> "subprocess.Popen[bytes]":
    words = [sys.executable, "-W", "error", "-m", "bidcascade.service.cli", *arguments]
    return subprocess.Popen(words, env=environment(), stderr=subprocess.DEVNULL)


def test_a_killed_run_is_resumed_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    deals, out, again = (str(tmp_path / name) for name in ("d.parquet", "out", "again"))
    assert main(["deals", str(2 * BATCH_DEALS + 4), "--seed", "9", "--out", deals]) == 0
    arguments = ["augment", deals, "--dd", "--terms", "HCP", "--out"]
    killed = run([*arguments, out])
    while not list(tmp_path.glob("cache/double-dummy/*")):
        assert killed.poll() is None
        time.sleep(0.05)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert not Path(out).exists()
    started = time.perf_counter()
    assert run([*arguments, out]).wait(300) == 0
    resumed = time.perf_counter() - started
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "other"))
    started = time.perf_counter()
    assert run([*arguments, again]).wait(300) == 0
    print(f"resumed in {resumed:.1f} s, from the start {time.perf_counter() - started:.1f} s")
    assert Path(out).read_bytes() == Path(again).read_bytes()
