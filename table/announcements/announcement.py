"""Announcements, the texts with which GIB explains its calls: read, and written back.

``Minor suit opening -- 3+ !C; 11-21 HCP; 12-22 total points`` has a title, which is never a test,
and phrases behind ``--``, all of which hold. Humans write into the same field what they like, and
BBO cuts texts off: what is not certain is left out and flagged, never guessed. The phrases are in
``forms``, the words of titles in ``titles``.
"""

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from .forms import Part, completed, is_begun, may_go_on, read_part
from .titles import title_tags

CUT_LENGTHS: Final = frozenset({38, 39, *range(66, 71)})
"""Lengths at which BBO cut texts, with suits of two characters (``!C``)."""

NO_EXPLANATION: Final = "No explanation available"
"""What BBO puts where GIB says nothing."""

CUT_MARK: Final = "…"
"""Ends the canonical text of an announcement that was cut off."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """What an announcement says.

    Parameters
    ----------
    title : str
        Text before ``--``; the whole text of a human or rejected one.
    tags : tuple of str
        Remarks about the auction and what the title says, in text order.
    expressions : tuple of str
        Canonical expressions in text order, all of which hold.
    dropped : tuple of str
        Last part behind a title, if it is no known phrase nor the beginning of one.
    truncated : bool
        Whether the text is cut off.
    human : bool
        Whether the text is not in the words of GIB; then it is a description and no more.
    rejected : bool
        Whether there are two ``--``, so that title and criteria cannot be told apart.
    parts : tuple of str
        The phrases read, in canonical text.
    tail : str
        What was left of the last phrase by the cut, as far as it could not be completed.
    source_text : str
        The text as it was read; not compared.

    Examples
    --------
    >>> found = read_announcement("Negative double -- 4+ !S; 8+ tot")
    >>> found.expressions, found.truncated, found.complete
    (('SL_S >= 4', 'Total_Points >= 8'), True, False)
    """

    title: str = ""
    tags: tuple[str, ...] = ()
    expressions: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    truncated: bool = False
    human: bool = False
    rejected: bool = False
    parts: tuple[str, ...] = ()
    tail: str = ""
    source_text: str = field(default="", compare=False)

    @property
    def complete(self) -> bool:
        """Whether there is a text of GIB and all of it was read."""
        flawed = self.dropped or self.truncated or self.human or self.rejected
        says_something = self.parts or self.title not in ("", NO_EXPLANATION)
        return bool(says_something and not flawed)


@lru_cache(maxsize=1 << 16)
def read_announcement(text: str) -> Announcement:
    r"""Read an announcement; every text is one, if only a human's.

    Suits may be written ``!C``, ``♣``, as in PBN ``\C`` or ``\c``, and with bare letters in a
    text that has no other suits (``5+ C; stop in H``, not for honours: ``CA`` can be anything).
    A text is GIB's if every part but the last is one of its phrases. The last one may be cut off,
    in a text with a title or long enough to have been cut, or unknown behind a title. What a cut
    leaves of the last phrase is completed where that is possible in one way only and its number is
    whole.

    Parameters
    ----------
    text : str
        As it stands in an archive; blanks around it do not count.

    Examples
    --------
    >>> found = read_announcement("Minor suit opening -- 3+ !C; 11-21 HCP; 12-22 total points")
    >>> found.title, found.tags
    ('Minor suit opening', ('suit opening',))
    >>> found.expressions[:3]
    ('SL_C >= 3', 'HCP >= 11', 'HCP <= 21')
    >>> read_announcement("Jump rebid -- 5+ ♠; 15-17 HC").expressions
    ('SL_S >= 5', 'HCP >= 15', 'HCP <= 17')
    >>> read_announcement("Jump rebid -- 5+ ♠; 15-").expressions
    ('SL_S >= 5',)
    >>> read_announcement("could be short").human
    True
    """
    stripped = text.strip()
    if stripped in ("", NO_EXPLANATION):
        return Announcement(title=stripped, source_text=text)
    if stripped.count("--") > 1:
        return Announcement(title=stripped, rejected=True, source_text=text)
    before, dashes, behind = stripped.rpartition("--")
    title = " ".join(before.split())
    if not dashes or title not in ("", NO_EXPLANATION):
        found = _read_parts(title, behind, lin_length(stripped))
        if found is not None:
            return replace(found, source_text=text)
    return Announcement(title=stripped, human=True, source_text=text)


def format_announcement(announcement: Announcement) -> str:
    """Write an announcement in canonical text, from which the same one is read.

    Examples
    --------
    >>> format_announcement(read_announcement("Negative double--4+ ♠;8+ tot"))
    'Negative double -- 4+ !S; 8+ total points; …'
    """
    if announcement.human or announcement.rejected or announcement.title == NO_EXPLANATION:
        return announcement.title
    pieces = [*announcement.parts, *announcement.dropped]
    if announcement.truncated:
        pieces.append(announcement.tail + CUT_MARK)
    criteria = "; ".join(pieces)
    if not announcement.title:
        return criteria
    return f"{announcement.title} -- {criteria}".rstrip()


def lin_length(text: str) -> int:
    """Length that a text had in an archive, where a suit has two characters.

    Examples
    --------
    >>> lin_length("3+ ♣"), lin_length("3+ !C")
    (5, 5)
    """
    return len(text) + len(_SUIT_SIGNS.findall(text))


def _read_parts(title: str, criteria: str, length: int) -> Announcement | None:
    """Read what is behind the title; None if it is not in GIB's words."""
    *texts, last = split_parts(criteria)
    marked = last.endswith(CUT_MARK)
    last = last.removesuffix(CUT_MARK).rstrip()
    parts: list[Part] = []
    for text in texts:
        part = read_part(text)
        if part is None:
            return None
        parts.append(part)
    may_be_cut = marked or bool(title) or (bool(parts) and length >= min(CUT_LENGTHS))
    whole = read_part(last)
    if whole is not None:
        if (
            (marked or length in CUT_LENGTHS)
            and may_go_on(whole)
            and not _denies_no_more(parts, whole)
        ):
            return _joined(title, parts, tail=whole.text, truncated=True)
        return _joined(title, [*parts, whole], truncated=marked)
    if not last and not parts and title:
        return _joined(title, parts, truncated=marked)
    if may_be_cut and (is_begun(last) or not last) and (parts or title):
        # a separator at the end, too, announces a part that was cut off
        filled = read_part(completed(last) or "")
        if filled is not None:
            return _joined(title, [*parts, filled], truncated=True)
        return _joined(title, parts, tail=last, truncated=True)
    if title and parts and not marked:
        return _joined(title, parts, dropped=(last,))
    return None


def _joined(
    title: str,
    parts: list[Part],
    *,
    dropped: tuple[str, ...] = (),
    tail: str = "",
    truncated: bool = False,
) -> Announcement:
    expressions: list[str] = []
    tags = list(title_tags(title))
    for place, part in enumerate(parts):
        tags += part.tags
        if not _denies_no_more(parts[:place], part):
            expressions += part.expressions
    return Announcement(
        title,
        tuple(dict.fromkeys(tags)),
        tuple(dict.fromkeys(expressions)),
        dropped,
        truncated,
        parts=tuple(part.text for part in parts),
        tail=tail,
    )


def _denies_no_more(before: list[Part], part: Part) -> bool:
    """Whether ``no !S`` stands behind ``!SAKQ``: it denies no honour then, and not the suit.

    GIB lists the honours held and those denied; behind ``solid 6-card !S; !SAKQ`` the second list
    is empty, and a void would contradict the first.
    """
    if part.form.phrase != "no <suit>" or not before:
        return False
    held = before[-1]
    return held.form.phrase == "<suit><honours>" and held.text[:2] == part.text[-2:]


_SUIT_SIGNS: Final = re.compile("[♣♦♥♠]")
_OTHER_SUITS: Final = re.compile(r"([♣♦♥♠])\ufe0f?|\\([CDHScdhs])(?![a-z])")
_LETTERS: Final = {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}
_SEPARATOR: Final = re.compile(r"[;,]")
_BARE_SUIT: Final = re.compile(r"(?<= )([CDHS])$")


def split_parts(criteria: str) -> list[str]:
    r"""Split criteria into their parts, with suits as ``!C``; at least one part, if an empty one.

    Examples
    --------
    >>> split_parts("2-5 ♣; no \\hA,!DK")
    ['2-5 !C', 'no !HA', '!DK']
    >>> split_parts("5+ C; 2 S; 11-15 H")
    ['5+ !C', '2 !S', '11-15 H']
    """
    signed = _OTHER_SUITS.sub(
        lambda found: "!" + (_LETTERS[found[1]] if found[1] else found[2].upper()), criteria
    )
    parts = [" ".join(part.split()) for part in _SEPARATOR.split(signed)]
    if "!" in signed:
        return parts
    bare = [_BARE_SUIT.sub(r"!\1", part) for part in parts]
    if parts[-1].endswith(" H") and is_begun(parts[-1]):
        # may be what a cut left of HCP
        bare[-1] = parts[-1]
    return bare
