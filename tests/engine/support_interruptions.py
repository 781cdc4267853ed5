"""Runs that end after each of their steps and are taken up again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

Result = TypeVar("Result")
MOST_RUNS = 100


class Interrupted(Exception):
    """Stands for whatever ends a run."""


def parts_in(folder: Path) -> int:
    """Number of parts that a batch has finished."""
    try:
        return len(json.loads((folder / "manifest.json").read_text())["parts"])
    except FileNotFoundError:
        return 0


def run_step_by_step(
    monkeypatch: pytest.MonkeyPatch, state: type, run: Callable[[], Result], *, before: bool
) -> Result:
    """Run until it comes to its end; each run does one step more than the one before.

    ``state`` is what a run writes after each step. A run ends just before its next state is
    written, or just after it.
    """
    write: Callable[[Any, Any], None] = state.write
    allowed = 0

    def write_some(self: Any, *place: Any) -> None:
        nonlocal allowed
        allowed -= 1
        if allowed < 0 and before:
            raise Interrupted
        write(self, *place)
        if allowed < 0:
            raise Interrupted

    monkeypatch.setattr(state, "write", write_some)
    for number in range(MOST_RUNS):
        allowed = 2 if number == 0 else 1
        try:
            result = run()
        except Interrupted:
            continue
        assert number >= 3, "it was interrupted too seldom to tell anything"
        return result
    raise AssertionError(f"it is not done after {MOST_RUNS} runs")
