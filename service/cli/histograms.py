"""Numbers that are distributions, as bars of text."""

from collections.abc import Iterator, Mapping

_EIGHTHS = " ▏▎▍▌▋▊▉"
_WIDTH = 40


def histogram(counts: Mapping[int, int]) -> Iterator[str]:
    """Give a line for each whole number between the least and the largest that are counted.

    The most frequent number has the longest bar, of 40 columns, and others in proportion.

    Parameters
    ----------
    counts : mapping of int to int
        How often each number came, at least once.

    Examples
    --------
    >>> print(*histogram({-1: 3, 1: 80}), sep=chr(10))
     -1   3 █▌
      0   0
     +1  80 ████████████████████████████████████████
    """
    if not counts:
        return
    most = max(counts.values())
    digits = len(f"{most:,}")
    for number in range(min(counts), max(counts) + 1):
        count = counts.get(number, 0)
        whole, rest = divmod(8 * _WIDTH * count // most, 8)
        bar = "█" * whole + _EIGHTHS[rest]
        sign = "+" if number > 0 else ""
        yield f"{f'{sign}{number}':>3}  {count:>{digits},} {bar}".rstrip()
