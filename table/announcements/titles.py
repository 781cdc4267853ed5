"""What the title of an announcement says, as tags.

The title is the text before ``--``. It is never a test of the hand; the words in it that mean
something become tags of the entry. The words are those that GIB writes.
"""

import re
from functools import lru_cache
from typing import Final

PHRASES: Final[dict[str, tuple[str, ...]]] = {
    # slam tools: what is asked, what is answered
    "blackwood": ("Blackwood",),
    "blackwood (<suit>)": ("Blackwood", "trumps <suit>"),
    "gerber": ("Gerber",),
    "quantitative": ("quantitative",),
    "two or five key cards": ("key cards 2 or 5",),
    "one or four key cards": ("key cards 1 or 4",),
    "zero or three key cards": ("key cards 0 or 3",),
    "even number of keycards": ("key cards even",),
    "odd number of keycards": ("key cards odd",),
    "have all keycards": ("key cards all",),
    "some void": ("void",),
    "void in <suit>": ("void in <suit>",),
    "void above <suit>": ("void above <suit>",),
    "no queen": ("no trump queen",),
    "queen": ("trump queen",),
    "queen and king": ("trump queen", "king"),
    "queen & king": ("trump queen", "king"),
    "? queen": ("trump queen unknown",),
    "query kings": ("asks for kings",),
    "king of <suit>": ("king of <suit>",),
    "no king (below <suit>)": ("no king below <suit>",),
    "no lower kings": ("no lower kings",),
    "cue bid": ("cue bid",),
    "cue": ("cue bid",),
    "feature": ("feature",),
    "splinter": ("splinter",),
    "splinter in <suit>": ("splinter in <suit>",),
    "no splinter": ("no splinter",),
    "shortness": ("shortness",),
    "shortness in <suit>": ("shortness in <suit>",),
    "no shortness": ("no shortness",),
    "slam try": ("slam try",),
    # doubles and redoubles
    "takeout double": ("takeout double",),
    "responsive double": ("responsive double",),
    "negative double": ("negative double",),
    "support double": ("support double",),
    "support redouble": ("support redouble",),
    "value-showing redouble": ("value-showing redouble",),
    "penalty double": ("penalty double",),
    "penalty": ("penalty",),
    "requests <suit> lead": ("requests <suit> lead",),
    "nt to double": ("notrump over a double",),
    # conventions
    "stayman": ("Stayman",),
    "minor stayman": ("minor Stayman",),
    "jacoby transfer": ("transfer",),
    "minor transfer": ("transfer",),
    "transfer": ("transfer",),
    "transfer completed": ("transfer completed",),
    "transfer completed to <suit>": ("transfer completed",),
    "retransfer completed": ("transfer completed",),
    "superaccept": ("superaccept",),
    "smolen": ("Smolen",),
    "lebensohl": ("Lebensohl",),
    "michaels": ("Michaels",),
    "cappelletti": ("Cappelletti",),
    "unusual notrump": ("unusual notrump",),
    "drury": ("Drury",),
    "jacoby": ("Jacoby",),
    "truscott": ("Truscott",),
    "new minor forcing": ("new minor forcing",),
    "fourth suit forcing": ("fourth suit forcing",),
    "impossible spade": ("impossible spade",),
    "inverted minor": ("inverted minor raise",),
    "soloway": ("Soloway",),
    "waiting": ("waiting",),
    "artificial": ("artificial",),
    "natural": ("natural",),
    # openings, overcalls, jumps
    "strong two club": ("strong two clubs",),
    "weak two": ("weak two",),
    "notrump opener": ("notrump opening",),
    "nt opener": ("notrump opening",),
    "minor suit opening": ("suit opening",),
    "major suit opening": ("suit opening",),
    "preempt": ("preempt",),
    "preemptive": ("preempt",),
    "overcall": ("overcall",),
    "weak jump overcall": ("weak jump overcall",),
    "jump overcall": ("jump overcall",),
    "balancing": ("balancing",),
    "free bid": ("free bid",),
    "jump shift": ("jump shift",),
    "jump rebid": ("jump rebid",),
    "rebid": ("rebid",),
    "rebids": ("rebid",),
    "jump in notrump": ("jump in notrump",),
    "reverse": ("reverse",),
    "new suit": ("new suit",),
    "one over one": ("one over one",),
    "two over one": ("two over one",),
    "two-over-one": ("two over one",),
    "forcing one notrump": ("forcing notrump",),
    "two suited": ("two-suited",),
    "two suit takeout": ("two-suited",),
    # raises, invitations, signs of strength
    "limit raise": ("limit raise",),
    "limit raise or better": ("limit raise or better",),
    "limit major raise": ("limit raise",),
    "jump raise": ("jump raise",),
    "simple raise": ("raise",),
    "raise": ("raise",),
    "support": ("support",),
    "good support": ("support",),
    "no good support": ("no good support",),
    "no support": ("no support",),
    "secondary support": ("secondary support",),
    "the law": ("law of total tricks",),
    "invitational": ("invitational",),
    "invite": ("invitational",),
    "game try": ("game try",),
    "signoff": ("signoff",),
    "retreat": ("signoff",),
    "positive": ("positive",),
    "minimum": ("minimum",),
    "maximum": ("maximum",),
    "max": ("maximum",),
    "submaximum": ("submaximum",),
    "weak": ("weak",),
    "strong hand": ("strong",),
    "forcing": ("forcing",),
    "game-forcing": ("game forcing",),
    "non-game-forcing": ("not game forcing",),
    "not forcing": ("not forcing",),
    "artificial force": ("artificial", "forcing"),
    "forced": ("forced",),
    # shape and stoppers
    "balanced": ("balanced",),
    "unbalanced": ("unbalanced",),
    "semi-balanced": ("semi-balanced",),
    "solid": ("solid suit",),
    "stopper": ("stopper",),
    "no stoppers": ("no stopper",),
    "stopper in <suit>": ("stopper in <suit>",),
    "no <suit> stopper": ("no stopper in <suit>",),
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


@lru_cache(maxsize=1 << 12)
def title_tags(title: str) -> tuple[str, ...]:
    """Tags for what a title says, in its order.

    Examples
    --------
    >>> title_tags("Two or five key cards; no queen")
    ('key cards 2 or 5', 'no trump queen')
    >>> title_tags("Support for !C; splinter in !H")
    ('support', 'splinter in H')
    >>> title_tags("My second suit")
    ()
    """
    tags: list[str] = []
    for match in _WORDS.finditer(title):
        suit = _SUIT_IN_TITLE.search(match[0])
        words = _SUIT_IN_TITLE.sub("<suit>", match[0]).lower()
        tags += [tag.replace("<suit>", suit[1] if suit else "") for tag in PHRASES[words]]
    return tuple(dict.fromkeys(tags))
