"""What bounds the memory of the readers of systems, notes, cards and cases.

The language has its own, which the browser's reader shares: :mod:`.language.sources` for lines,
characters and files of a text, :mod:`.language.layout` for a line.
"""

from typing import Final

LONGEST_NOTES: Final = 2 << 20
"""Bytes of a file of notes, of one that they include, and of a card of another program."""

MOST_NOTE_LINES: Final = 50_000
"""Lines of notes, pasted ones counted wherever they are pasted, and of a card."""

LONGEST_NOTE_LINE: Final = 10_000
"""Characters of a line of notes or a card; a longer one is left out."""

LONGEST_DESCRIPTION: Final = 2_000
"""Characters of what notes or a card say about a call, on all its lines."""

LONGEST_CASES: Final = 16 << 20
"""Bytes of a file of cases."""

LONGEST_CASE: Final = 4_000
"""Characters of a case: the longest auction has 319 calls."""

MOST_ERRORS: Final = 1_000
"""Cases in which something is wrong, beyond which no more are read."""

LONGEST_CARD: Final = 4 << 20
"""Bytes of a convention card as JSON, and of the switches of a card."""


def too_long(line: str) -> str:
    """Say why a line of notes or of a card is left out.

    Examples
    --------
    >>> too_long("1C " * 5000)
    'expected a line of at most 10,000 characters, got 15,000'
    """
    return f"expected a line of at most {LONGEST_NOTE_LINE:,} characters, got {len(line):,}"
