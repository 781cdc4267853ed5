"""How much a test works through: in the check of every change, and in the full run.

``--hypothesis-profile=full`` (``nox -s nightly``) is the full run, and so is ``thorough``.
"""

from collections.abc import Collection
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


def some_in_check(check: int | Collection[int], *values: T) -> list[Any]:
    """Parameters of which the check takes some, and the full run all.

    The check takes the first ``check``, or those at these places. A ``pytest.param`` holds several
    values.
    """
    chosen = range(check) if isinstance(check, int) else check
    return [value if place in chosen else _left(value) for place, value in enumerate(values)]


def rows_in_check(check: int | Collection[int], *rows: Any) -> list[Any]:
    """The same for parameters that are several values each."""
    return some_in_check(
        check, *(row if isinstance(row, _Parameters) else pytest.param(*row) for row in rows)
    )


_Parameters = type(pytest.param())


def _left(value: Any) -> Any:
    """A parameter that the check leaves to the full run."""
    if not isinstance(value, _Parameters):
        return pytest.param(value, marks=pytest.mark.full)
    return pytest.param(*value.values, id=value.id, marks=[*value.marks, pytest.mark.full])


def examples(in_ci: int, of: int | None = None) -> settings:
    """Settings of a property that gets another number of inputs in CI than the hundred of most.

    With ``of`` the full run makes as many as if it were these in CI.
    """
    number = in_ci if of is None else sized(in_ci, of)
    return settings(max_examples=max(3, number * settings.default.max_examples // 100))
