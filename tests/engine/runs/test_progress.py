"""How far long work is: lines where nobody looks at a terminal, a bar that ends where one does."""

import io
import sys

import pytest

from bidcascade.engine.runs import progress


class Terminal(io.StringIO):
    """Standard error of a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_a_line_after_ten_seconds_and_every_minute(clock, capsys):
    lines = progress.ProgressLines("batch all")
    for second in range(151):
        clock[0] = 1000.0 + second
        lines.report(second, 600, 100 * second)
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "bidcascade: batch all: 1,000 boards, 100/s, 2 % done, 10 min left (after 10 s)",
        "bidcascade: batch all: 7,000 boards, 100/s, 12 % done, 9 min left (after 70 s)",
        "bidcascade: batch all: 13,000 boards, 100/s, 22 % done, 8 min left (after 2 min)",
    ]


def test_short_work_says_nothing(clock, capsys):
    with progress.progress_bar("load") as report:
        for second in range(9):
            clock[0] = 1000.0 + second
            report(second, None, second)
    assert capsys.readouterr().err == ""


def test_what_is_not_shown_says_nothing(clock, capsys):
    with progress.progress_bar("load", shown=False) as report:
        clock[0] += 1000
        report(1, 2, 3)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("total", [None, 3, 40])
def test_unknown_totals_are_told_without_an_estimate(total, clock, capsys):
    lines = progress.ProgressLines("load")
    clock[0] += 20
    lines.report(0, total, 0)
    assert capsys.readouterr().err == "bidcascade: load: begun (after 20 s)\n"


def test_a_bar_ends(monkeypatch):
    """Also where the last report was not of the end."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress.progress_bar("batch") as report:
        report(1, 4, 10)
    assert "batch" in terminal.getvalue()
    # the last drawing has nothing left to do: it is all done, and then wiped away
    assert "0:00:00" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")
