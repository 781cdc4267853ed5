"""How much a test works through: in the check of every change, and in the full run.

``--hypothesis-profile=full`` (``nox -s nightly``) is the full run, and so is ``thorough``.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import settings

T = TypeVar("T")

FULL_PROFILES = ("full", "thorough")


def is_full_run() -> bool:
    """Whether everything is worked through, however long it takes."""
    return settings.get_current_profile_name() in FULL_PROFILES


def sized(check: T, full: T) -> T:
    """What the check takes, or the full run."""
    return full if is_full_run() else check


def some_in_check(check: int, *values: T) -> list[Any]:
    """Parameters of which the check takes the first ``check``, and the full run all.

    A ``pytest.param`` holds several values.
    """
    left = (pytest.param(*_values(value), marks=pytest.mark.full) for value in values[check:])
    return [*values[:check], *left]


def _values(value: object) -> Sequence[object]:
    return value.values if isinstance(value, type(pytest.param())) else (value,)


def examples(in_ci: int) -> settings:
    """Settings of a property that gets another number of inputs in CI than the hundred of most."""
    return settings(max_examples=max(3, in_ci * settings.default.max_examples // 100))
