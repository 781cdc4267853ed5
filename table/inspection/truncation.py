"""Descriptions that look cut off.

BBO cut the texts of announcements at 39 or 69 characters, in which a suit was written with two
(``!C``); published tables show it as one sign. A text of such a length that ends in the
beginning of a phrase of a GIB announcement is suspect: its last number may lack a digit, its last
bound may be missing.
"""

from .announcements import CUT_LENGTHS, lin_length, read_announcement


def is_suspected_truncation(description: str) -> bool:
    """Whether a description has the length of a cut text and ends in the middle of a phrase.

    A text without ``--`` and ``;`` is no list of phrases and never suspected.

    Examples
    --------
    >>> is_suspected_truncation(
    ...     "5+ ♦; 13-17 HCP; 14-19 total points; at best partial stop in ♥; for")
    True
    >>> is_suspected_truncation("Minor suit opening -- 3+ ♣; 11-21 HCP; 12-22 total points ")
    False
    """
    if lin_length(description.strip()) not in CUT_LENGTHS:
        return False
    return read_announcement(description).truncated
