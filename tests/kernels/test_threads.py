"""How many threads work at once."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.machine import threads


@pytest.fixture
def counted(monkeypatch):
    """Count threads anew under what the environment says."""

    def count(written: str) -> int:
        monkeypatch.setenv(threads.VARIABLE, written)
        return threads.thread_count.__wrapped__()

    return count


def test_the_environment_says_how_many_threads(counted):
    assert counted("3") == 3
    assert counted("") == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("written", ["0", "1025", "two", "-1", "1.5"])
def test_other_numbers_are_refused(counted, written):
    with pytest.raises(InvalidInput, match=f"BIDCASCADE_THREADS: .* got '{written}'"):
        counted(written)


def test_what_has_begun_is_over_when_a_caller_is_interrupted():
    begun, over = threading.Event(), []

    def work(start: int) -> None:
        if start == 0:
            begun.wait(10)
            raise KeyboardInterrupt
        begun.set()
        time.sleep(0.1)
        over.append(start)

    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(KeyboardInterrupt):
            list(threads._on(pool, work, range(2)))
        assert over == [1]
