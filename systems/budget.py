"""How much memory places may take: one environment variable, its default and its limit."""

import os
from typing import Final

from bidcascade.bridge import InvalidInput

BUDGET_VARIABLE: Final = "BIDCASCADE_PLACES_BYTES"
DEFAULT_BUDGET: Final = 384 << 20
"""Bytes that the places of two systems may take."""
LEAST_BUDGET: Final = 1024


def parse_budget(written: str | int) -> int:
    """Bytes as somebody wrote them.

    Raises
    ------
    ValueError
        If it is no number, or one below :data:`LEAST_BUDGET`.
    """
    try:
        count = int(written)
    except ValueError:
        count = -1
    if count < LEAST_BUDGET:
        raise ValueError(f"expected a whole number of bytes from {LEAST_BUDGET}")
    return count


def places_budget() -> int:
    """Bytes that the places of two systems may take in this process.

    Raises
    ------
    InvalidInput
        If the environment says something else than a number of bytes.
    """
    written = os.environ.get(BUDGET_VARIABLE)
    try:
        return parse_budget(written) if written else DEFAULT_BUDGET
    except ValueError as error:
        raise InvalidInput(f"{BUDGET_VARIABLE}: {error}, got {written!r}") from None


def set_places_budget(count: int) -> None:
    """Bound the places of bidders opened from now on, here and in processes started here."""
    os.environ[BUDGET_VARIABLE] = str(count)
