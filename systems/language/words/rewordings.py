"""What players say and the language has other words for: pieces of a line, and what to write.

A row is a regular expression of whole words and what stands in their place, or advice where no
words do. The page's engine reads the same rows, so they hold only what both sides read alike.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final, NamedTuple

Reads = Callable[[str], bool]
"""Whether a text reads, every name in it known."""

_COUNT: Final = "(?:[0-9]+[+]?|one|two|three|four|five|six|seven|eight|nine|ten)"
_RANGE: Final = (
    "(?:[0-9]{1,2} ?[-–] ?[0-9]{1,2}|(?:at most|at least|exactly|fewer than|more than) [0-9]{1,2}"
    "|[0-9]{1,2}[+]?)"
)
_SUIT: Final = "(?:clubs|diamonds|hearts|spades|[MmXYZW]|o[Mm])"
_SINGULAR: Final = "(?:club|diamond|heart|spade)"
_EVEN: Final = "(?:semi-balanced|unbalanced|balanced)"
_HONOUR: Final = "(?:ace|king|queen|jack|ten)"
_MAY: Final = (
    "leave it out, or put it in quotes as a remark: a hand may have all that no condition forbids"
)
_HOW_STRONG: Final = 'say how many points, such as "15+ points"'
_HOW_LONG: Final = 'say how long, such as "6+ hearts" or "6+-card minor"'
_WHICH_SUIT: Final = 'name the suit it is about: "6+ X, good X" behind a call such as 2X'

REWORDED: Final[tuple[tuple[str, str], ...]] = (
    # whose hand it is goes without saying
    ("^(?:i )?(?:have|has|hold|holds|holding|with|showing|shows|promises) (.+)", r"\1"),
    ("^(?:denies|denying|without|lacking|lacks) (.+)", r"not \1"),
    # every hand
    ("^(?:anything|any|whatever|any hands|all hands|every hand|any cards)$", "any hand"),
    ("^(?:(?:any|every|all)(?:thing| hands?)? )?(?:the )?(?:rest|else|others?)(?: hands?)?$",
     "any other hand"),
    # ranges
    ("([0-9]{1,2}) ?plus", r"\1+"),
    ("(?:between|from) ([0-9]+) (?:and|to) ([0-9]+)", r"\1-\2"),
    ("([0-9]+) (?:to|through) ([0-9]+)", r"\1-\2"),
    ("(?:under|below) ([0-9]+)", r"fewer than \1"),
    ("(?:over|above) ([0-9]+)", r"more than \1"),
    ("(?:up to|(?:a )?max(?:imum)?[.]?(?: of)?|(?:no|not) more than) ([0-9]+)", r"at most \1"),
    ("(?:(?:a )?min(?:imum)?[.]?(?: of)?|(?:no|not) (?:less|fewer) than) ([0-9]+)", r"at least \1"),
    ("([0-9]+) or (?:more|better|longer|higher|up)", r"\1+"),
    ("([0-9]+) or (?:fewer|less|shorter|lower)", r"at most \1"),
    ("([0-9]+) (.+) or (?:more|better|longer|higher|up)", r"\1+ \2"),
    ("([0-9]+) (.+) or (?:fewer|less|shorter|lower)", r"at most \1 \2"),
    (f"({_SUIT}|points|hcp) ({_RANGE})$", r"\2 \1"),
    # what is counted
    (f"^({_RANGE})$", r"\1 points"),
    (f"({_RANGE}) ?(?:hcps?|pts?|p|hp|high[ -]cards?(?: points?)?|honou?r points?)[.]?",
     r"\1 points"),
    (f"({_RANGE}) (?:dummy|ruffing|raise) (?:points?|pts?)[.]?", r"\1 support points"),
    (f"({_RANGE}) (?:distributional|length|total|starting) (?:points?|pts?)[.]?",
     r"\1 total points"),
    (f"({_RANGE})[- ](?:ltc|losing tricks?|losers?)(?: hand)?", r"\1 losers"),
    (f"({_RANGE}) (?:key ?cards?|rkcb?)", r"\1 keycards"),
    # balanced
    ("semi[- ]?bal(?:anced)?[.]?", "semi-balanced"),
    ("un-?bal(?:anced)?[.]?", "unbalanced"),
    ("bal[.]?", "balanced"),
    (f"(?:an? |any )?({_EVEN}) (?:hands?|shape|distribution)", r"\1"),
    (f"({_EVEN}) ({_RANGE})$", r"\2 \1"),
    (f"({_RANGE}) ({_EVEN})", r"\1 points, \2"),
    (f"({_RANGE}) (?:NT|notrump|no trump)", r"\1 points, balanced"),
    (f"({_RANGE} (?:total |high-card )?points?) ({_EVEN})", r"\1, \2"),
    (f"({_EVEN}) ({_RANGE} (?:total |high-card )?points?)", r"\1, \2"),
    # shapes
    ("(?:any |an? )?([0-9])-?([0-9])-?([0-9])-?([0-9])(?: shape| distribution| hand)?",
     r"\1-\2-\3-\4"),
    ("exactly ([4-6])[-/]\\1 (?:in )?(?:the |both )?(major|minor)s?", r"\1 in both \2s"),
    ("(?:at least )?([4-6])[+]?[-/]\\1[+]? (?:in )?(?:the |both )?(major|minor)s?",
     r"\1+ in both \2s"),
    ("(?:at least )?([4-7])[+]?[-/]([3-6])[+]? (?:in )?(?:the |both )?majors?",
     r"(\1+ hearts and \2+ spades) or (\2+ hearts and \1+ spades)"),
    ("(?:at least )?([4-7])[+]?[-/]([3-6])[+]? (?:in )?(?:the |both )?minors?",
     r"(\1+ clubs and \2+ diamonds) or (\2+ clubs and \1+ diamonds)"),
    ("^(?:at least )?([4-6])[+]?[-/]\\1[+]?(?: or (?:better|more|longer))?"
     "(?: shape| distribution| hand| two-suiter)?$",
     r"\1+-\1+-x-x"),
    ("^(?:at least )?([5-7])[+]?[-/]([3-6])[+]?(?: or (?:better|more|longer))?"
     "(?: shape| distribution| hand| two-suiter)?$",
     r"\1+-\2+-x-x"),
    # cards in a suit
    (f"({_RANGE}) (?:in|of) (?:either|one|any)(?: of the)? (major|minor)s?", r"\1 in a \2"),
    (f"(?:an? )?({_COUNT})[- ]?(?:cards?|crds?) ({_SUIT})", r"\1 \2"),
    (f"(?:an? )?({_COUNT})[- ]?(?:cards?|crds?) ({_SINGULAR})(?! suit)", r"\1 \2s"),
    (f"({_COUNT})[- ]?(?:cards?|crds?)(?: long)? (suit|major|minor|support|fit|{_SINGULAR} suit)s?",
     r"\1-card \2"),
    (f"({_COUNT}) (major|minor|suit|{_SINGULAR} suit)s?", r"\1-card \2"),
    (f"({_COUNT}) (?:in|of) the ({_SINGULAR}) suit", r"\1 \2s"),
    (f"({_RANGE}) (?:(?:in|of) )?(?:every|each|all|both|the)(?: of)?(?: the)? (major|minor)s?",
     r"\1 in both \2s"),
    ("(?:each|all|both|the)(?: of)?(?: the)? unbid (suit|major|minor)s?", r"every unbid \1"),
    (f"({_RANGE}) (?:(?:in|of) )?(?:every|each|all)(?: of)?(?: the)? (?:four )?suits?",
     r"\1 in every suit"),
    # stoppers and shortness
    ("(?:1|one) (stopper)", r"\1"),
    (f"(?:an? )?stoppers? ({_SUIT})", r"stopper in \1"),
    ("(?:stops|stopped in|stopping|(?:an? )?stop in|(?:an? )?stoppers? (?:for|of|against)) (.+)",
     r"stopper in \1"),
    (f"({_SINGULAR})s? (?:stoppers?|stopped|stop)", r"stopper in \1s"),
    ("(their suits?) (?:stoppers?|stopped|stop)", r"stopper in \1"),
    ("(?:all|every|both|the) (?:unbid |other )?suits? (?:are )?stopped",
     "stopper in every unbid suit"),
    (f"(?:an? )?(?:short|shortage|stiff)(?: in)? ({_SUIT})", r"shortness in \1"),
    (f"(?:an? )?({_SINGULAR}) (void|singleton|doubleton|shortness)", r"\2 in \1s"),
    # honours
    ("(?:the )?A (of|in|or|and)", r"ace \1"),
    ("(?:the )?K (of|in|or|and)", r"king \1"),
    ("(?:the )?Q (of|in|or|and)", r"queen \1"),
    ("(?:the )?J (of|in|or|and)", r"jack \1"),
    ("(?:or|and) A (of|in)", r"or ace \1"),
    ("or K (of|in)", r"or king \1"),
    ("and K (of|in)", r"and king \1"),
    ("or Q (of|in)", r"or queen \1"),
    ("and Q (of|in)", r"and queen \1"),
    (f"(?:an? |the )?({_HONOUR}) (or|and) (?:an? |the )?({_HONOUR}) (?:of|in) ({_SUIT}|.+ suit)",
     r"\1 of \4 \2 \3 of \4"),
    (f"(?:an? )?({_HONOUR}) in ({_SUIT}|.+ suit)", r"\1 of \2"),
    (f"({_COUNT})(?: out)? of (?:the )?top ({_COUNT})(?: hono(?:u)?rs?| cards)?",
     r"\1 of the top \2"),
    (f"(?:an? )?top hono(?:u)?rs? (?:in|of) ({_SUIT})", r"one of the top three in \1"),
    (f"({_COUNT})[+]? hono(?:u)?rs? (?:in|of) ({_SUIT}|.+ suit)", r"\1 of the top five in \2"),
    (f"(?:an? )?hono(?:u)?rs? (?:in|of) ({_SUIT})", r"one of the top five in \1"),
    # what is left out
    ("^unless (.+)", r"not \1"),
    ("^(.+) unless (.+)", r"\1, not \2"),
    # support
    ("support (?:for|of) partner", "support"),
    # where a header asks
    ("(?:nv|non-?vul(?:nerable)?|not vul)[.]?", "not vulnerable"),
    ("(?:vul|v)[.]?", "vulnerable"),
    ("(1st|2nd|3rd|first|second|third)/(2nd|3rd|4th|second|third|fourth)", r"\1 or \2"),
)  # fmt: skip
"""Words of players, whole words of a condition, and what stands for them; tried in this order."""

ADVISED: Final[tuple[tuple[str, str], ...]] = (
    ("^(?:it |hand )?(?:may|can|could|might|need|will)(?: not| well| also| still)? "
     "(?:have|be|hold|contain|include|even).*", _MAY),
    ("^(?:possibl[ey]|perhaps|maybe|sometimes|often|occasionally|rarely|usually|normally|typically"
     "|probably|generally|not necessarily|frequently).*", _MAY),
    ("^(?:(?:any|all|every|whatever|no|unlimited|wide|wide-ranging)(?: hand| kinds? of)? "
     "(?:shapes?|distributions?|strengths?|points?|hcp|ranges?|values?|lengths?|suits?|limit|upper"
     " limit|minimum|maximum|number.*)|unlimited|not limited|no limits?(?: .*)?)$",
     _MAY + '; for every hand write "any hand"'),
    ("^(?:an? )?(?:very )?(?:weak|strong|minimum|min|maximum|max|extras?|values|constructive"
     "|intermediate|good|bad|decent|sound|light|opening|game-going|invitational)"
     "(?: hands?| values| strength| opening| opener)?$", _HOW_STRONG),
    ("^(?:an? )?(?:very )?long(?:er|est)? "
     "(?:suits?|majors?|minors?|clubs|diamonds|hearts|spades)$", _HOW_LONG),
    (f"^(?:an? )?{_SINGULAR}s? (?:suit|length)$", _HOW_LONG),
    (f"^(?:an? )?(?:very )?(?:good|decent|solid|strong|poor|weak|bad|nice|running|broken"
     f"|semi-solid|robust|chunky|reasonable)(?: {_COUNT}[- ]?cards?)? "
     "(?:suit|major|minor|cards)s?$",
     _WHICH_SUIT),
    (".+ (?:is )?(?:possible|allowed|permitted|ok|not denied|not excluded)$", _MAY),
    (".*(?:the )?other major.*", 'write "oM" below a call with M, such as 2M'),
    (".*(?:the )?other minor.*", 'write "om" below a call with m, such as 2m'),
    ("^both$", 'leave it out: "or" allows both'),
    (f"^{_SUIT}$", r'say how many, such as "5+ \g<0>"'),
    (f"^(?:length|cards) in {_SUIT}$", _HOW_LONG),
    (".*(?:good|bad|poor) [0-9]{1,2}(?: points)?$",
     'points are whole: say what is good in them, such as "15 points and a 5-card suit"'),
    ("^(?:an? |no |double )?stop(?:per|pers|ped)?s?$",
     'say in which suit, such as "stopper in their suit"'),
    ("^(?:an? |with )?(?:good |some |trump )?(?:support|fit)"
     "(?: (?:for|with|in) (?:partner|partner's suit|trumps))?$",
     'say how many cards, such as "3+ support" or "8-card fit in M"'),
    ("^both (?:the )?(major|minor)s$", r'say how many cards in each: "4+ in both \1s"'),
    ("^(?:an? )?(?:one|two|three|single|1|2|3)[- ]suit(?:ed|er)s?(?: hand)?$",
     'write the suits, such as "5+ hearts, 4+ spades", or a shape, such as "5+-4+-x-x"'),
    ("^(?:worth|enough for|(?:good|strong) enough for|values for|wants?|going to) (?:game|slam)$",
     'count with partner\'s hand: "25+ combined points", or "enough points for 4M"'),
    (f"^(?:an? |the )?{_HONOUR}$", 'say of which suit: "ace of hearts or king of hearts"'),
    (f"^(?:{_COUNT} |an? |some |any )?hono(?:u)?rs?$",
     'say in which suit: "two of the top five in hearts"'),
    (f"^(?:an? |the |{_COUNT} )?(?:side|outside)[- ]{_HONOUR}s?$",
     'say of which suits: "ace of clubs or ace of diamonds"'),
    (f"^(?:an? )?(?:{_COUNT}[- ]cards? )?(?:side|outside)[- ](?:suit|major|minor)s?$"
     f"|^(?:{_RANGE}|{_COUNT}) (?:cards? )?(?:in )?(?:an? |the )?(?:side|outside)[- ]suits?$",
     'name the suit: "4+ clubs or 4+ diamonds"'),
    ("^(?:more|better|longer|higher)$", 'write "+" behind the number, such as "15+ points"'),
    ("^(?:fewer|less|shorter|lower)$", 'write "at most" before the number: "at most 9 points"'),
    ("^(?!at )(?:the )?[AKQJT][AKQJTx0-9]+(?: in| of)? .+",
     'name the honours, such as "ace of hearts and king of hearts", or count them: '
     '"two of the top three in hearts"'),
    (f"^(?!.*(?:1[4-9]|[23][0-9])){_RANGE}$",
     r'say of what: "\g<0> points", or "\g<0> hearts" for cards'),
    ("(partner|I|we|LHO|RHO|they) (may have|has shown|have shown) (?:an? )?"
     f"({_COUNT})[- ]?cards? (?:major|minor|suit)",
     r'name the suit, or let a variable stand for it: "\1 \2 \3 M"'),
    ("(partner|I|we|LHO|RHO|they) (?:has shown|have shown|may have) (?:an? )?"
     "(?:balanced|unbalanced|semi-balanced|bal|weak|strong|limited|minimum|maximum).*",
     r'what is kept of a hand is counted: write "\1 has shown 12+ points", or put a #tag behind '
     r'the call and write "\1 has called #tag"'),
)  # fmt: skip
"""Words of players that nothing can simply stand for, and what to do instead."""

AGREED: Final[tuple[tuple[str, str], ...]] = (
    ("gf|game[- ]?forc(?:e|ing)|forcing (?:till|until) game|fg", "forcing to game"),
    ("non-?forcing|nf|passable", "not forcing"),
    ("f|f1|1rf|(?:one|1)[- ]round forc(?:e|ing)|forcing (?:for )?(?:1|one|a) rounds?", "forcing"),
    ("inv[.]?|invite|inviting|invitation", "invitational"),
    ("to play|sign ?off|signing off|s/o", "sign-off"),
    ("conventional|convention|art[.]?", "artificial"),
    ("pre-?empt(?:ive)?|barrage|blocking", "preemptive"),
    ("pen[.]?|(?:for )?penalties|for penalty", "penalty"),
    ("(?:for )?(?:t/?o|take-?out|take out)", "takeout"),
    ("lim[.]?|limit", "limited"),
    ("nat[.]?", "natural"),
    ("alertable|alerted", "alert"),
    ("announced|announceable", "announce"),
    ("(?:sets?|fixes|agree|agreeing)(?: trumps?)?(?: as)? (.+)", r"agrees \1"),
)
"""Words of players behind the semicolon, and the agreements that they mean."""


class Reworded(NamedTuple):
    """What players call something, and what to write."""

    words: str
    advice: str


LONGEST_CLAUSE: Final = 300
"""Characters of what is looked for in the words of players; no condition of theirs is so long."""


def rewording(clause: str, reads: Reads) -> Reworded | None:
    """Say what to write for a piece of a condition that does not read.

    Parameters
    ----------
    clause
        What stands between two commas.
    reads
        Whether a text reads as conditions with known names; advice never names what does not.

    Examples
    --------
    >>> rewording("14-16 bal", lambda text: text == "14-16 points, balanced")
    Reworded(words='14-16 bal', advice='write "14-16 points, balanced"')
    """
    words = " ".join(clause.split())
    if len(words) > LONGEST_CLAUSE:
        return None
    for pattern, meant in _compiled(ADVISED):
        found = pattern.search(words)
        if found is not None:
            return Reworded(words, found.expand(meant))
    written = reworded(words, reads)
    return None if written is None else Reworded(words, f'write "{written}"')


def reworded(clause: str, reads: Reads) -> str | None:
    """Write a piece of a condition with the words of the language; None where none do.

    Examples
    --------
    >>> reworded("14-16 bal", lambda text: text == "14-16 points, balanced")
    '14-16 points, balanced'
    """
    return _replaced(" ".join(clause.split()), REWORDED, reads)


def agreed(clause: str, reads: Reads) -> Reworded | None:
    """Say what to write for an agreement that does not read."""
    written = agreement_of(clause, reads)
    words = " ".join(clause.split())
    return None if written is None else Reworded(words, f'write "{written}"')


def agreement_of(clause: str, reads: Reads) -> str | None:
    """Write the agreement that words of players mean; None where they mean none.

    Examples
    --------
    >>> agreement_of("GF", lambda text: True)
    'forcing to game'
    """
    return _replaced(" ".join(clause.split()), tuple((f"^(?:{a})$", b) for a, b in AGREED), reads)


def _replaced(words: str, rows: Iterable[tuple[str, str]], reads: Reads) -> str | None:
    """Words with all rows put in, if they read then."""
    if len(words) > LONGEST_CLAUSE:
        return None
    written = words
    for pattern, meant in _compiled(tuple(rows)):
        # a comma would part what stands on both sides of "or"
        meant = meant.replace(", ", " and ") if " or " in words else meant
        before, written = written, pattern.sub(meant, written)
        if written != before and reads(written):
            return written
    return None


@cache
def _compiled(rows: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(f"(?:^|(?<= ))(?:{words})(?= |$)", re.ASCII | re.IGNORECASE), meant)
        for words, meant in rows
    )
