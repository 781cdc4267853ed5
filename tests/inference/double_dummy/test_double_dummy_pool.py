"""The pool of solving processes: faults, many callers, time limits, and its end."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from bidcascade.bridge import BackendUnavailable, Cancelled, DoubleDummyFailed, TimedOut
from bidcascade.inference.double_dummy import DoubleDummyPool, schedule, solver_link
from bidcascade.inference.double_dummy import pool as pool_module
from bidcascade.inference.double_dummy.abstract_solver import SolvedInPart
from bidcascade.inference.double_dummy.schedule import MOST_ENDS
from tests.inference.double_dummy.support_double_dummy import deal_ending, faulty_solver
from tests.support.cli import environment

ENDINGS = np.array([deal_ending(np.random.default_rng(seed), 8) for seed in range(40)], np.uint64).T


@pytest.fixture(scope="module")
def expected() -> "np.ndarray[tuple[int, int], np.dtype[np.int8]]":
    with DoubleDummyPool(workers=1) as pool:
        return pool.leads(ENDINGS, 4, 0)


def is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    # one that has ended but was not waited for is not alive either
    stat = Path(f"/proc/{process_id}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def wait_until_gone(*process_ids: int) -> bool:
    for _ in range(200):
        if not any(is_alive(process_id) for process_id in process_ids):
            return True
        time.sleep(0.05)
    return False


def use_solver(monkeypatch: pytest.MonkeyPatch, folder: Path, what_happens: str) -> None:
    monkeypatch.setattr(solver_link, "SCRIPT", faulty_solver(folder, what_happens))


# --- processes that die --------------------------------------------------------------------------


def test_killed_workers_lose_nothing(expected):
    with DoubleDummyPool(workers=2, cache_entries=0) as pool:
        stop = threading.Event()
        killed = []

        def kill_now_and_then() -> None:
            while not stop.wait(0.05):
                for process_id in pool.state.processes[:1]:
                    try:
                        os.kill(process_id, signal.SIGKILL)
                        killed.append(process_id)
                    except ProcessLookupError:
                        continue

        killer = threading.Thread(target=kill_now_and_then)
        killer.start()
        try:
            for asked in range(100):
                assert np.array_equal(pool.leads(ENDINGS, 4, 0), expected)
                if asked >= 2 and len(set(killed)) >= 2:
                    break
        finally:
            stop.set()
            killer.join()
        assert len(set(killed)) >= 2
    assert wait_until_gone(*killed)


@pytest.mark.slow
def test_a_deal_that_ends_the_solver_is_named(expected, tmp_path, monkeypatch):
    # the solver's spades of North are the ninth of its numbers
    poison = int(ENDINGS[0, 17]) >> 39 << 2
    log = tmp_path / "deaths"
    use_solver(
        monkeypatch,
        tmp_path,
        f"if deal[8] == {poison}:\n"
        f"    open({str(log)!r}, 'a').write('x')\n"
        "    os.kill(os.getpid(), signal.SIGSEGV)",
    )
    alike = [n for n in range(40) if int(ENDINGS[0, n]) >> 39 << 2 == poison]
    with DoubleDummyPool(workers=2) as pool:
        with pytest.raises(
            DoubleDummyFailed, match=r"deal \d+ \(N:.*strain N, N leads\)"
        ) as caught:
            pool.leads(ENDINGS, 4, 0)
        assert str(caught.value).endswith(f"ended the solver {MOST_ENDS} times")
        assert caught.value.deals == tuple(alike)
        others = [n for n in range(40) if n not in alike]
        assert np.array_equal(caught.value.answers[others], expected[others])
        assert (caught.value.answers[alike] == -1).all()
        # once in a batch, then alone
        assert len(log.read_text()) <= (MOST_ENDS + 1) * len(alike)
        # the pool goes on
        assert np.array_equal(pool.leads(ENDINGS[:, others], 4, 0), expected[others])
        with pytest.raises(DoubleDummyFailed, match="deal 1 ") as of_table:
            pool.tables(np.stack([ENDINGS[:, 0], ENDINGS[:, 17]], axis=1))
        assert of_table.value.deals == (1,)
        assert (of_table.value.answers[0] >= 0).all()
        with pytest.raises(DoubleDummyFailed) as of_tricks:
            pool.tricks(ENDINGS, 4, 3)
        right = 8 - expected.max(axis=1)
        assert np.array_equal(of_tricks.value.answers[others], right[others])


def test_kills_from_outside_are_not_the_fault_of_a_deal(expected, tmp_path, monkeypatch):
    log = tmp_path / "deaths"
    log.touch()
    use_solver(
        monkeypatch,
        tmp_path,
        f"if os.path.getsize({str(log)!r}) < {MOST_ENDS + 2}:\n"
        f"    open({str(log)!r}, 'a').write('x')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)",
    )
    with DoubleDummyPool(workers=1) as pool:
        assert np.array_equal(pool.leads(ENDINGS[:, :1], 4, 0), expected[:1])
    monkeypatch.setattr(schedule, "MOST_KILLS", 4)
    log.unlink()
    log.touch()
    with (
        DoubleDummyPool(workers=1) as pool,
        pytest.raises(DoubleDummyFailed, match="before the solver was killed, 4 times"),
    ):
        pool.leads(ENDINGS[:, :1], 4, 0)


def test_a_deal_that_the_solver_refuses_is_named(tmp_path, monkeypatch):
    use_solver(monkeypatch, tmp_path, "pass")
    script = solver_link.SCRIPT
    # the entry of the library says that there are too many cards
    text = script.read_text().replace("return self.function(deal, *others)", "return -10")
    script.write_text(text)
    with (
        DoubleDummyPool(workers=1) as pool,
        pytest.raises(DoubleDummyFailed, match="refused by the solver with code -10"),
    ):
        pool.leads(ENDINGS[:, :2], 4, 0)


def test_no_solver_at_all(tmp_path, monkeypatch):
    monkeypatch.setattr(solver_link, "find_library", lambda: None)
    with (
        DoubleDummyPool(workers=2) as pool,
        pytest.raises(BackendUnavailable, match=r"endplay.*not installed"),
    ):
        pool.leads(ENDINGS, 4, 0)
    monkeypatch.setattr(solver_link, "find_library", lambda: str(tmp_path / "none.so"))
    with (
        DoubleDummyPool(workers=1) as pool,
        pytest.raises(BackendUnavailable, match=r"none\.so' does not start \(exit code 1\)"),
    ):
        pool.leads(ENDINGS, 4, 0)


# --- many callers --------------------------------------------------------------------------------


def test_many_threads_get_what_one_gets(expected):
    with DoubleDummyPool(workers=2) as pool, ThreadPoolExecutor(12) as threads:
        rng = np.random.default_rng(0)
        chosen = [rng.choice(40, 20) for _ in range(24)]
        answers = threads.map(lambda numbers: pool.leads(ENDINGS[:, numbers], 4, 0), chosen)
        for numbers, answer in zip(chosen, answers, strict=True):
            assert np.array_equal(answer, expected[numbers])
        # a deal that several ask for at once is solved once
        assert pool.state.cached == 40


@pytest.mark.slow
def test_calls_take_turns(tmp_path, monkeypatch):
    use_solver(monkeypatch, tmp_path, "time.sleep(0.004)")
    with DoubleDummyPool(workers=1) as pool, ThreadPoolExecutor(1) as threads:
        stop = threading.Event()
        full = np.array(
            [deal_ending(np.random.default_rng(seed), 13) for seed in range(500)], np.uint64
        ).T
        long_one = threads.submit(pool.tables, full, cancel=stop)
        while not pool.state.processes:
            time.sleep(0.01)
        pool.leads(ENDINGS[:, :3], 4, 0)
        assert not long_one.done()
        stop.set()
        with pytest.raises(Cancelled):
            long_one.result()


# --- limits --------------------------------------------------------------------------------------


def test_a_call_ends_in_time_and_the_pool_goes_on(expected, tmp_path, monkeypatch):
    block = tmp_path / "block"
    block.touch()
    use_solver(monkeypatch, tmp_path, f"while os.path.exists({str(block)!r}): time.sleep(0.01)")
    with DoubleDummyPool(workers=1) as pool:
        with pytest.raises(TimedOut, match=r"within 0\.3 s, got 0 of 40"):
            pool.leads(ENDINGS, 4, 0, timeout_s=0.3)
        cancel = threading.Event()
        threading.Timer(0.2, cancel.set).start()
        with pytest.raises(Cancelled):
            pool.leads(ENDINGS, 4, 0, cancel=cancel, timeout_s=60)
        hung = pool.state.processes
        # what hangs and is not wanted any more is ended, so that this is answered
        waiting = threading.Timer(1.0, block.unlink)
        waiting.start()
        assert np.array_equal(pool.leads(ENDINGS, 4, 0, timeout_s=60), expected)
        waiting.join()
        assert len(hung) <= 1


@pytest.mark.slow
def test_what_is_solved_in_time_is_told(tmp_path, monkeypatch):
    use_solver(monkeypatch, tmp_path, "time.sleep(1000 if deal[0] == 4 else 0.02)")
    hands = ENDINGS[:, np.argsort(ENDINGS[0])[:4]]
    strain = np.array([3, 3, 3, 4], np.uint8)
    with DoubleDummyPool(workers=1) as pool:
        with pytest.raises(SolvedInPart, match="got 3 of 4") as late:
            pool.leads(hands, strain, 0, timeout_s=3)
        some = late.value.answers
        assert (some[3] == -1).all()
        assert np.array_equal(some[:3], pool.leads(hands[:, :3], 3, 0))
        with pytest.raises(SolvedInPart, match="got 3 of 4") as late:
            pool.tricks(hands, strain, 3, timeout_s=1)
        assert late.value.answers.tolist()[3] == -1
        assert np.array_equal(late.value.answers[:3], pool.tricks(hands[:, :3], 3, 3))
        with pytest.raises(SolvedInPart) as late:
            pool.tables(hands[:, :1], timeout_s=2)
        assert late.value.answers.shape == (1, 20)


# --- what goes on when nobody waits --------------------------------------------------------------


def held_up(monkeypatch, folder: Path) -> tuple[Path, Path]:
    """Let notrump wait for a file to go; the other file gets a line when it is begun."""
    block, begun = folder / "block", folder / "begun"
    block.touch()
    use_solver(
        monkeypatch,
        folder,
        f"if deal[0] == 4:\n"
        f"            open({str(begun)!r}, 'a').write('x')\n"
        f"            while os.path.exists({str(block)!r}): time.sleep(0.01)\n"
        "time.sleep(0.02)",
    )
    return block, begun


def in_part(pool, hands, seconds=2.0):
    with pytest.raises(SolvedInPart) as late:
        pool.tables(hands, timeout_s=seconds)
    return late.value


def test_a_hard_deal_is_solved_to_its_end(tmp_path, monkeypatch):
    block, begun = held_up(monkeypatch, tmp_path)
    with DoubleDummyPool(workers=2, going_on=1) as pool:
        first = in_part(pool, ENDINGS[:, :1])
        assert first.goes_on
        assert (first.answers[0].reshape(4, 5)[:, 4] == -1).all()
        assert (first.answers[0].reshape(4, 5)[:, :4] >= 0).all()
        # again the same: it is not begun anew, and takes no place of its own
        assert in_part(pool, ENDINGS[:, :1], 0.2).goes_on
        assert len(begun.read_text()) == 1
        # another finds no room; it is given up as before
        assert not in_part(pool, ENDINGS[:, 1:2]).goes_on
        block.unlink()
        table = pool.tables(ENDINGS[:, :1], timeout_s=60)
        assert (table >= 0).all()
        # then there is room again
        block.touch()
        assert in_part(pool, ENDINGS[:, 2:3]).goes_on
        block.unlink()


def test_what_goes_on_stands_back_for_others(tmp_path, monkeypatch, expected):
    """With one process, what nobody waits for is ended for a question, and begun anew after it."""
    block, begun = held_up(monkeypatch, tmp_path)
    with DoubleDummyPool(workers=1, going_on=4) as pool:
        assert in_part(pool, ENDINGS[:, :1]).goes_on
        suits = pool.tricks(ENDINGS[:, 5:8], 1, 0, timeout_s=60)
        assert (suits >= 0).all()
        block.unlink()
        assert (pool.tables(ENDINGS[:, :1], timeout_s=60) >= 0).all()
        assert len(begun.read_text()) >= 2


def test_what_goes_on_ends_with_the_pool_and_in_time(tmp_path, monkeypatch):
    held_up(monkeypatch, tmp_path)
    pool = DoubleDummyPool(workers=2, going_on=1)
    assert in_part(pool, ENDINGS[:, :1]).goes_on
    monkeypatch.setattr(schedule, "LONGEST_GOING_ON_S", 0.0)
    assert in_part(pool, ENDINGS[:, 1:2]).goes_on
    processes = pool.state.processes
    pool.close()
    assert wait_until_gone(*processes)


def test_a_call_that_is_cancelled_does_not_go_on(tmp_path, monkeypatch):
    held_up(monkeypatch, tmp_path)
    with DoubleDummyPool(workers=1, going_on=1) as pool:
        cancel = threading.Event()
        threading.Timer(0.5, cancel.set).start()
        with pytest.raises(Cancelled):
            pool.tables(ENDINGS[:, :1], cancel=cancel, timeout_s=60)
        # only once the process that hangs was ended can this be answered
        assert (pool.tricks(ENDINGS[:, 1:3], 0, 0, timeout_s=60) >= 0).all()
        assert in_part(pool, ENDINGS[:, 1:2]).goes_on


def test_no_time_at_all_is_no_time_below_zero(tmp_path, monkeypatch):
    use_solver(monkeypatch, tmp_path, "time.sleep(1)")
    with DoubleDummyPool(workers=1) as pool, pytest.raises(TimedOut, match=r"within 0 s, got 0"):
        pool.leads(ENDINGS, 4, 0, timeout_s=-0.25)


def test_what_hangs_unwanted_is_ended(tmp_path, monkeypatch):
    use_solver(monkeypatch, tmp_path, "if deal[0] == 4: time.sleep(1000)")
    with DoubleDummyPool(workers=1) as pool:
        with pytest.raises(TimedOut):
            pool.leads(ENDINGS[:, :4], 4, 0, timeout_s=0.1)
        # only once the process that hangs was ended can this be answered
        assert pool.leads(ENDINGS[:, :4], 3, 0, timeout_s=60).max() <= 8


def test_a_call_that_others_wait_for_too_may_go(expected, tmp_path, monkeypatch):
    use_solver(monkeypatch, tmp_path, "time.sleep(0.01)")
    with DoubleDummyPool(workers=1) as pool, ThreadPoolExecutor(1) as threads:
        cancel = threading.Event()
        first = threads.submit(pool.leads, ENDINGS, 4, 0, cancel=cancel)
        while not pool.state.processes:
            time.sleep(0.01)
        threading.Timer(0.1, cancel.set).start()
        assert np.array_equal(pool.leads(ENDINGS, 4, 0), expected)
        with pytest.raises(Cancelled):
            first.result()


# --- the end -------------------------------------------------------------------------------------


def test_processes_start_late_and_end_with_the_pool():
    pool = DoubleDummyPool(workers=2)
    assert pool.state.processes == ()
    pool.leads(ENDINGS, 4, 0)
    processes = pool.state.processes
    assert processes
    pool.close()
    pool.close()
    assert pool.state.processes == ()
    assert wait_until_gone(*processes)
    with pytest.raises(DoubleDummyFailed, match="was closed"):
        pool.leads(ENDINGS, 4, 0)


def test_processes_without_work_end(expected, monkeypatch):
    monkeypatch.setattr(pool_module, "_IDLE_S", 0.05)
    with DoubleDummyPool(workers=2, cache_entries=0) as pool:
        for _ in range(2):
            assert np.array_equal(pool.leads(ENDINGS[:, :4], 4, 0), expected[:4])
            while pool.state.processes:
                time.sleep(0.02)


def test_closing_ends_calls_that_wait(tmp_path, monkeypatch):
    use_solver(monkeypatch, tmp_path, "time.sleep(1000)")
    pool = DoubleDummyPool(workers=1)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(pool.leads, ENDINGS, 4, 0)
        while not pool.state.processes:
            time.sleep(0.01)
        pool.close()
        with pytest.raises(DoubleDummyFailed, match="was closed"):
            waiting.result()


def test_a_pool_that_nobody_closes_leaves_nothing():
    pool = DoubleDummyPool(workers=1)
    pool.leads(ENDINGS[:, :2], 4, 0)
    processes = pool.state.processes
    del pool
    assert wait_until_gone(*processes)


_PARENT = """
import os, sys, threading
from contextlib import suppress
import numpy as np
from bidcascade.bridge import DoubleDummyFailed
from bidcascade.inference.double_dummy import DoubleDummyPool
from bidcascade.kernels.dealing import deal_hands_reference
hands = np.array([deal_hands_reference(1, number) for number in range(200)], np.uint64).T
pool = DoubleDummyPool(workers=2)
def solve():
    with suppress(DoubleDummyFailed):
        pool.tables(hands)
threading.Thread(target=solve, daemon=True).start()
while len(pool.state.processes) < 2:
    pass
print(*pool.state.processes, flush=True)
{end}
"""


@pytest.mark.parametrize("end", ["threading.Event().wait()", "sys.exit()", "os._exit(1)"])
def test_no_process_outlives_its_parent(end):
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", _PARENT.format(end=end)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as parent:
        assert parent.stdout is not None
        workers = [int(word) for word in parent.stdout.readline().split()]
        assert len(workers) == 2
        if "wait" in end:
            parent.kill()
        _, errors = parent.communicate(timeout=150)
    assert errors == ""
    assert wait_until_gone(*workers)


def test_work_in_the_background_leaves_its_own_process_as_it_was():
    """Solvers alone are put behind other work: who solves the bank in a longer run goes on."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    with DoubleDummyPool(1, is_background=True) as pool:
        pool.leads(ENDINGS[:, :1], 4, 0)
        (process_id,) = pool.state.processes
        assert os.getpriority(os.PRIO_PROCESS, process_id) == 19
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
