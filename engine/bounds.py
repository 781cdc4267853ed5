"""Bounds of what an engine is asked for, checked."""


def check_count_bounds(share: float, max_depth: int | None) -> None:
    """Check what bounds the counts of a system.

    Raises
    ------
    ValueError
        If the share is not between 0 and 1, or the depth is below 1.

    Examples
    --------
    >>> check_count_bounds(1.5, None)
    Traceback (most recent call last):
    ValueError: expected a share from 0 to 1, got 1.5
    """
    if not 0 <= share <= 1:
        raise ValueError(f"expected a share from 0 to 1, got {share!r}")
    check_bound("max_depth", max_depth)


def check_bound(what: str, value: int | None) -> None:
    """Check a bound that is a count, None for none."""
    if value is not None and (not hasattr(value, "__index__") or value < 1):
        raise ValueError(f"expected a {what} of at least 1, a whole number, got {value!r}")
