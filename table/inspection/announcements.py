"""Announcements, the texts with which GIB explains its calls: read, written back, reported on.

``Minor suit opening -- 3+ !C; 11-21 HCP; 12-22 total points`` has a title, which is never a test,
and phrases behind ``--``, all of which hold. Humans write into the same field what they like, and
BBO cuts texts off: what is not certain is left out and flagged, never guessed. Words and meanings
are those of BBO's "GIB Bid Descriptions" and of the published tables.
"""

import re
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final, NamedTuple

from bidcascade.kernels.machine.caches import bounded_cache

CUT_LENGTHS: Final = frozenset({38, 39, *range(66, 71)})
"""Lengths at which BBO cut texts, with suits of two characters (``!C``)."""

NO_EXPLANATION: Final = "No explanation available"
"""What BBO puts where GIB says nothing."""

CUT_MARK: Final = "…"
"""Ends the canonical text of an announcement that was cut off."""


# --- phrases -------------------------------------------------------------------------------------


class Form(NamedTuple):
    """A phrase and what it says.

    In the words ``<count>`` stands for ``4+``, ``4-``, ``4-6`` or ``4``, ``<suit>`` for ``!C`` to
    ``!S``, ``<honours>`` for some of A K Q J T, ``<n>`` for a number, ``<bid>`` for ``1C`` to
    ``7N``. Honours are ``held``: each card of the suit; ``denied``: none of them; ``least``: at
    least that much on the scale A8 K4 Q2 J1, on which ``KQ`` is worth more than the king alone.
    """

    phrase: str
    expressions: tuple[str, ...] = ()  # asked of the hand; _x is replaced by the suit, <n> too
    counted: str = ""  # term which the count bounds from below, from above or both
    honours: str = ""
    tag: str = ""  # remark about the auction, no test


FORMS: Final = (
    Form("<count> <suit>", counted="SL_x"),
    Form("<n>-card <suit>", ("SL_x == <n>",)),
    Form("no <suit>", ("SL_x == 0",)),
    Form("<count> HCP", counted="HCP"),
    Form("<count> total points", counted="Total_Points"),
    Form("<count> losers", counted="Losers"),
    Form("biddable <suit>", ("Biddable_x",)),
    Form("rebiddable <suit>", ("Rebiddable_x",)),
    Form("twice rebiddable <suit>", ("Twice_Rebiddable_x",)),
    Form("strong rebiddable <suit>", ("Strong_Rebiddable_x",)),
    Form("solid <n>-card <suit>", ("Solid_x", "SL_x >= <n>")),
    Form("partial stop in <suit>", ("Partial_Stopper_x",)),
    Form("likely stop in <suit>", ("Likely_Stopper_x",)),
    Form("stop in <suit>", ("Stopper_x",)),
    Form("two stops in <suit>", ("Two_Stoppers_x",)),
    Form("at best partial stop in <suit>", ("At_Best_Partial_Stopper_x",)),
    Form("at best likely stop in <suit>", ("At_Best_Likely_Stopper_x",)),
    Form("at best stop in <suit>", ("At_Best_Stopper_x",)),
    Form("partial stop-likely stop in <suit>", ("Partial_Stopper_x", "At_Best_Likely_Stopper_x")),
    Form("likely stop-stop in <suit>", ("Likely_Stopper_x", "At_Best_Stopper_x")),
    Form("<suit><honours>", honours="held"),
    Form("no <suit><honours>", honours="denied"),
    Form("<honours>+ in <suit>", honours="least"),
    Form("<suit><honours>+", honours="least"),
    *(
        Form(remark, tag=remark)
        for remark in ("forcing", "forcing to <bid>", "opponents cannot play undoubled below <bid>")
    ),
)
"""Every phrase that is known. All else follows from it: which phrases are whole, which are the
beginning of one, and how the beginning goes on where it can go on in one way only."""

HONOUR_SCALE: Final = {"A": 8, "K": 4, "Q": 2, "J": 1}
"""What GIB counts for honours when it says ``Q+ in !H``; a ten counts nothing there."""

_PLACEHOLDERS: Final = {
    "<count>": (r"(?P<low>\d{1,2})(?:(?P<sign>[+-])(?!\d)|-(?P<high>\d{1,2}))?", r"\d{1,2}-?"),
    "<n>": (r"(?P<n>\d{1,2})", ""),
    "<suit>": (r"(?P<suit>![CDHS])", "!"),
    "<honours>": (r"(?P<honours>[AKQJT]+)", ""),
    "<bid>": (r"(?P<bid>[1-7][CDHSN])", "[1-7]"),
}
"""Patterns of what stands for each, and of that when it is cut inside."""


def _tokens(phrase: str) -> list[tuple[str, str]]:
    pieces = re.findall("<[a-z]+>|.", phrase)
    return [_PLACEHOLDERS.get(piece, (re.escape(piece), "")) for piece in pieces]


def _whole(phrase: str) -> str:
    return "".join(whole for whole, _ in _tokens(phrase))


def _beginning_pattern(phrase: str) -> str:
    """Pattern of any beginning of a phrase, the whole among them."""
    pattern = ""
    for whole, beginning in reversed(_tokens(phrase)):
        rest = f"(?:{pattern})?" if pattern else ""
        pattern = f"(?:{whole}{rest}|{beginning})" if beginning else whole + rest
    return pattern


@cache
def _patterns() -> tuple[tuple[Form, re.Pattern[str], re.Pattern[str]], ...]:
    """Forms with their patterns, whole and begun, compiled when an announcement is read."""
    return tuple(
        (form, re.compile(_whole(form.phrase)), re.compile(_beginning_pattern(form.phrase)))
        for form in FORMS
    )


class AnnouncementPart(NamedTuple):
    """A whole phrase, read: its canonical text, what it asks of the hand, remarks."""

    text: str
    form: Form
    expressions: tuple[str, ...]
    tags: tuple[str, ...]


@bounded_cache(1 << 14)
def read_part(text: str) -> AnnouncementPart | None:
    """Read one phrase with suits as ``!C``; None if it is none or not whole."""
    for form, whole, _ in _patterns():
        match = whole.fullmatch(text)
        if match is None:
            continue
        found = match.groupdict(default="")
        if form.honours == "least" and "T" in found["honours"]:
            return None
        tags = (form.tag.replace("<bid>", found.get("bid", "")),) if form.tag else ()
        return AnnouncementPart(_plain_numbers(text), form, tuple(_expressions(form, found)), tags)
    return None


def _plain_numbers(text: str) -> str:
    return re.sub(r"\d+", lambda digits: str(int(digits[0])), text)


def _expressions(form: Form, found: dict[str, str]) -> list[str]:
    suit = found.get("suit", "")[-1:]
    number = _plain_numbers(found.get("n", ""))
    expressions = [one.replace("_x", f"_{suit}").replace("<n>", number) for one in form.expressions]
    if form.counted:
        term, low = form.counted.replace("_x", f"_{suit}"), int(found["low"])
        if found["high"]:
            return [f"{term} >= {low}", f"{term} <= {int(found['high'])}"]
        return [f"{term} {({'+': '>=', '-': '<='}).get(found['sign'], '==')} {low}"]
    ranks = dict.fromkeys(found.get("honours", ""))
    if form.honours == "least":
        scale = " + ".join(
            f"{value} * C_{suit}{rank}" if value > 1 else f"C_{suit}{rank}"
            for rank, value in HONOUR_SCALE.items()
        )
        return [f"{scale} >= {sum(HONOUR_SCALE[rank] for rank in ranks)}"]
    denied = "not " if form.honours == "denied" else ""
    return expressions + [f"{denied}C_{suit}{rank}" for rank in ranks]


def is_beginning(text: str) -> bool:
    """Whether a text is the beginning of a phrase and not a whole one."""
    return read_part(text) is None and any(
        beginning.fullmatch(text) for _, _, beginning in _patterns()
    )


@bounded_cache(1 << 12)
def completed(text: str) -> str | None:
    """Whole phrase which a beginning must have been; None where there is more than one.

    The number before the words is whole, since a word behind it has begun; a bare number may lack
    a digit and is never completed.
    """
    possible = [form.phrase for form, _, beginning in _patterns() if beginning.fullmatch(text)]
    if len(possible) != 1 or read_part(text) is not None:
        return None
    words = possible[0].rpartition(">")[2]
    head = _whole(possible[0].removesuffix(words))
    for end in range(len(words) - 1, 0, -1):
        if words[:end].strip() and re.fullmatch(head + re.escape(words[:end]), text):
            return text + words[end:]
    return None


# --- titles --------------------------------------------------------------------------------------

_OWN_TAGS: Final = """
Blackwood, Gerber, quantitative, void in <suit>, void above <suit>, king of <suit>, no lower kings,
cue bid, feature, splinter, splinter in <suit>, no splinter, shortness, shortness in <suit>,
no shortness, slam try, takeout double, responsive double, negative double, support double,
support redouble, value-showing redouble, penalty double, penalty, requests <suit> lead, Stayman,
minor Stayman, transfer, transfer completed, superaccept, Smolen, Lebensohl, Michaels, Cappelletti,
unusual notrump, Drury, Jacoby, Truscott, new minor forcing, fourth suit forcing, impossible spade,
Soloway, waiting, artificial, natural, weak two, preempt, overcall, weak jump overcall,
jump overcall, balancing, free bid, jump shift, jump rebid, rebid, jump in notrump, reverse,
new suit, one over one, two over one, limit raise, limit raise or better, jump raise, raise,
support, no good support, no support, secondary support, invitational, game try, signoff, positive,
minimum, maximum, submaximum, weak, forcing, not forcing, forced, balanced, unbalanced,
semi-balanced, stopper, stopper in <suit>
"""
"""Words that are their own tag."""

_OTHER_TAGS: Final = {
    # slam tools: what is asked, what is answered
    "blackwood (<suit>)": "Blackwood, trumps <suit>",
    "two or five key cards": "key cards 2 or 5", "one or four key cards": "key cards 1 or 4",
    "zero or three key cards": "key cards 0 or 3", "even number of keycards": "key cards even",
    "odd number of keycards": "key cards odd", "have all keycards": "key cards all",
    "no queen": "no trump queen", "queen": "trump queen", "? queen": "trump queen unknown",
    "queen and king": "trump queen, king", "queen & king": "trump queen, king",
    "query kings": "asks for kings", "no king (below <suit>)": "no king below <suit>",
    "cue": "cue bid", "some void": "void",
    # conventions
    "jacoby transfer": "transfer", "minor transfer": "transfer",
    "transfer completed to <suit>": "transfer completed",
    "retransfer completed": "transfer completed", "inverted minor": "inverted minor raise",
    "nt to double": "notrump over a double",
    # openings, overcalls, jumps
    "strong two club": "strong two clubs", "notrump opener": "notrump opening",
    "nt opener": "notrump opening", "minor suit opening": "suit opening",
    "major suit opening": "suit opening", "preemptive": "preempt", "rebids": "rebid",
    "two-over-one": "two over one", "forcing one notrump": "forcing notrump",
    "two suited": "two-suited", "two suit takeout": "two-suited",
    # raises, invitations, signs of strength, stoppers
    "limit major raise": "limit raise", "simple raise": "raise", "good support": "support",
    "the law": "law of total tricks", "invite": "invitational", "retreat": "signoff",
    "max": "maximum", "strong hand": "strong", "game-forcing": "game forcing",
    "non-game-forcing": "not game forcing", "artificial force": "artificial, forcing",
    "solid": "solid suit", "no stoppers": "no stopper",
    "no <suit> stopper": "no stopper in <suit>",
}  # fmt: skip

PHRASES: Final[dict[str, tuple[str, ...]]] = {
    **{tag.lower(): (tag,) for tag in " ".join(_OWN_TAGS.split()).split(", ")},
    **{phrase: tuple(tags.split(", ")) for phrase, tags in _OTHER_TAGS.items()},
}
"""Words in a title, without regard to capitals, and the tags that they mean. Where words overlap
the longer ones count: ``no splinter`` is no ``splinter``."""


def _as_pattern(phrase: str) -> str:
    words = re.escape(phrase).replace("<suit>", "!?(?-i:[CDHS])")
    start = r"(?<![\w-])" if phrase[0].isalpha() else ""
    return start + words + (r"(?![\w-])" if phrase[-1].isalpha() or phrase[-1] == ">" else "")


_WORDS: Final = re.compile(
    "|".join(_as_pattern(phrase) for phrase in sorted(PHRASES, key=len, reverse=True)),
    re.IGNORECASE,
)
_SUIT_IN_TITLE: Final = re.compile(r"!?\b([CDHS])\b")


@bounded_cache(1 << 12)
def title_tags(title: str) -> tuple[str, ...]:
    """Tags for what a title says, in its order."""
    tags: list[str] = []
    for match in _WORDS.finditer(title):
        suit = _SUIT_IN_TITLE.search(match[0])
        words = _SUIT_IN_TITLE.sub("<suit>", match[0]).lower()
        tags += [tag.replace("<suit>", suit[1] if suit else "") for tag in PHRASES[words]]
    return tuple(dict.fromkeys(tags))


# --- announcements -------------------------------------------------------------------------------


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
        has_content = self.parts or self.title not in ("", NO_EXPLANATION)
        return bool(has_content and not flawed)


@bounded_cache(1 << 14)
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
    >>> found.title, found.tags, found.expressions[:3]
    ('Minor suit opening', ('suit opening',), ('SL_C >= 3', 'HCP >= 11', 'HCP <= 21'))
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
    """Length that a text had in an archive, where a suit has two characters."""
    return len(text) + len(re.findall("[♣♦♥♠]", text))


def _read_parts(title: str, criteria: str, length: int) -> Announcement | None:
    """Read what is behind the title; None if it is not in GIB's words."""
    *texts, last = split_parts(criteria)
    marked = last.endswith(CUT_MARK)
    last = last.removesuffix(CUT_MARK).rstrip()
    parts = [part for part in map(read_part, texts) if part is not None]
    if len(parts) < len(texts):
        return None
    whole = read_part(last)
    if whole is not None:
        # more letters may turn these into others: "no !C" into "no !CA", "!CKQ" into "!CKQ+"
        may_go_on = whole.form.phrase in ("no <suit>", "<suit><honours>")
        if may_go_on and (marked or length in CUT_LENGTHS) and not _denies_no_more(parts, whole):
            return _joined(title, parts, tail=whole.text, truncated=True)
        return _joined(title, [*parts, whole], truncated=marked)
    if not last and not parts and title:
        return _joined(title, parts, truncated=marked)
    may_be_cut = marked or title or (parts and length >= min(CUT_LENGTHS))
    if may_be_cut and (is_beginning(last) or not last) and (parts or title):
        # a separator at the end, too, announces a part that was cut off
        filled = read_part(completed(last) or "")
        if filled is not None:
            return _joined(title, [*parts, filled], truncated=True)
        return _joined(title, parts, tail=last, truncated=True)
    if title and parts and not marked:
        return _joined(title, parts, dropped=(last,))
    return None


def _joined(title: str, parts: list[AnnouncementPart], **flaws: Any) -> Announcement:
    expressions: dict[str, None] = {}
    tags = dict.fromkeys(title_tags(title))
    for place, part in enumerate(parts):
        tags |= dict.fromkeys(part.tags)
        if not _denies_no_more(parts[:place], part):
            expressions |= dict.fromkeys(part.expressions)
    texts = tuple(part.text for part in parts)
    return Announcement(title, tuple(tags), tuple(expressions), parts=texts, **flaws)


def _denies_no_more(before: list[AnnouncementPart], part: AnnouncementPart) -> bool:
    """Whether ``no !S`` stands behind ``!SAKQ``: it denies no honour then, and not the suit."""
    # GIB lists the honours held and those denied; behind ``solid 6-card !S; !SAKQ`` the second list
    # is empty, and a void would contradict the first
    if part.form.phrase != "no <suit>" or not before:
        return False
    held = before[-1]
    return held.form.phrase == "<suit><honours>" and held.text[:2] == part.text[-2:]


_OTHER_SUITS: Final = re.compile(r"([♣♦♥♠])\ufe0f?|\\([CDHScdhs])(?![a-z])")
_LETTERS: Final = {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}
_BARE_SUIT: Final = re.compile(r"(?<= )([CDHS])$")


def split_parts(criteria: str) -> list[str]:
    """Split criteria into their parts, with suits as ``!C``; at least one part, if an empty one."""
    signed = _OTHER_SUITS.sub(
        lambda found: "!" + (_LETTERS[found[1]] if found[1] else found[2].upper()), criteria
    )
    parts = [" ".join(part.split()) for part in re.split("[;,]", signed)]
    if "!" in signed:
        return parts
    bare = [_BARE_SUIT.sub(r"!\1", part) for part in parts]
    if parts[-1].endswith(" H") and is_beginning(parts[-1]):
        # may be what a cut left of HCP
        bare[-1] = parts[-1]
    return bare


# --- what the texts of an archive are ------------------------------------------------------------
