"""Says in a bridge player's words why a line does not read, and what to write instead."""

import re
from collections.abc import Callable, Set
from functools import cache
from typing import Final

from bidcascade.systems.language.errors import nearest
from bidcascade.systems.language.tree.statements import Fault
from bidcascade.systems.language.words.phrases import words_of_terminals
from bidcascade.systems.language.words.rewordings import Reworded, agreed, rewording
from bidcascade.table.language.lalr import UnexpectedInput

from .call_builder import NUMBER_WORDS

Names = Callable[[str, str], Set[str] | None]
"""Names that a text has, read from "conditions" or "agreements"; None if it does not read."""

_WORD: Final = re.compile(r"[^\W_][\w'’+/-]*(?:\.\d+)?|\S")
_LETTERS: Final = re.compile(r"[^\W\d_][\w'’-]*")
_SEPARATOR: Final = re.compile(r"[,;:=()]|--")
_LAST: Final = re.compile(r"(?:[^\s,;:=()]+|[,;:=()])$")
_SUIT: Final = r"(clubs|diamonds|hearts|spades|[MXYZWm]|o[Mm])"
_SUITS: Final = re.compile(rf"\b{_SUIT} or {_SUIT}$")
_BEGINNING: Final = re.compile(r"(?:either|or|when|not) ")
_COMMA_IN_NUMBER: Final = re.compile(r"(?<!\S)(\d+,5)(?:\D|$)$")
_LAST_DIGITS: Final = re.compile(r"\d*$")
_HALF: Final = re.compile(r"(\d*) ?½")
_CARDS_AS_CALL: Final = re.compile(r"(?<!\S)([1-7])([CDHScdhs])$")
_COUNTED: Final = {
    "hcp": "points", "point": "points", "points": "points", "pts": "points", "s": "spades",
    "h": "hearts", "d": "diamonds", "c": "clubs", "spades": "spades", "hearts": "hearts",
    "diamonds": "diamonds", "clubs": "clubs", "losers": "losers", "controls": "controls",
    "aces": "aces", "kings": "kings", "queens": "queens",
}  # fmt: skip
_COMPARED: Final = (
    r"(?:SL_)?(HCP|points?|pts|spades|hearts|diamonds|clubs|losers|controls|aces|kings|queens"
    r"|[SHDC])"
)
_SIGN: Final = r" ?(>=|=>|≥|<=|=<|≤|==|>|<|=) ?"
_COMPARISONS: Final = re.compile(
    rf"(?<![\w]){_COMPARED}{_SIGN}([0-9]{{1,2}})(?![\w+])"
    rf"|(?<![\w])([0-9]{{1,2}}){_SIGN}{_COMPARED}(?:{_SIGN}([0-9]{{1,2}}))?(?![\w])",
    re.ASCII | re.IGNORECASE,
)
_TURNED: Final = {">": "<", "<": ">", "≥": "≤", "≤": "≥", "=": "="}
_NO_SHARES: Final = (
    'a call is made with every hand that fits: say which hands those are, such as "12-13 points"'
)
_VARIABLES: Final = frozenset({"X", "Y", "Z", "W", "M", "m", "oM", "om"})
_CALL: Final = {
    "x": "Double", "xx": "Redouble", "d": "Double", "dble": "Double", "r": "Redouble",
    "rdbl": "Redouble", "-": "Pass", "p": "Pass", "nt": "1NT",
}  # fmt: skip

_BID: Final = re.compile(
    r"([1-7]|one|two|three|four|five|six|seven) ?(?:of )?(?:an? )?"
    r"(♣|♦|♥|♠|clubs?|diamonds?|hearts?|spades?|NT|no ?trumps?|majors?|minors?|o?[Mm]|[XYZW])"
    r"(?= *(?:[=:(),-]|$| \())"
)
_STRAINS: Final = {
    "♣": "C", "♦": "D", "♥": "H", "♠": "S", "no": "NT", "cl": "C", "di": "D", "he": "H",
    "sp": "S", "ma": "M", "mi": "m",
}  # fmt: skip
_OTHER_WORDS: Final = {
    "pts": "points", "pt": "points", "hp": "points", "pc": "points", "tp": "total points",
    "♠": "spades", "♥": "hearts", "♦": "diamonds", "♣": "clubs",
    "s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs",
    "&": "and", "|": "or",
}  # fmt: skip

_GROUPS: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    ('a call, or a header such as "opening:" or "after 1NT:"', frozenset({"BID", "OPENING"})),
    ("a name or a condition", frozenset({"NAME", "NUMBER"})),
    ("a condition", frozenset({"WORD", "NUMBER", "NO", "SUIT"})),
    ("points or a suit", frozenset({"SUIT_MEASURE", "SUIT"})),
    ("a call", frozenset({"BID", "PASS"})),
    ("a call", frozenset({"BID", "TRANSFER_TO"})),
    ("an agreement such as forcing, invitational or #tag", frozenset({"AGREEMENT", "SAYS"})),
    ("a suit", frozenset({"SUIT", "VARIABLE"})),
)
_ALONE: Final = {words for words, _ in _GROUPS[:4]}
_READABLE: Final = {
    "EQUAL": '"="', "COLON": 'a colon ":"', "COMMA": "a comma", "RPAR": '")"', "LPAR": '"("',
    "NUMBER": "a number", "QUOTED": "a file name in quotes", "TITLE": "a title", "BID": "a bid",
    "IDENTIFIER": "a name", "VALUE": "a value", "WORD": "a word", "TAG": "a #tag",
    "SEAT": '"seat"', "LEVEL": "a level such as 2-level", "IN": '"in"', "FIT": '"fit"',
    "OPTION": '"option"', "SEMICOLON": "a semicolon", "NOTRUMP": "NT", "OF_THE_TOP": '"of the top"',
    "VARIABLE": "a variable such as X or M", "SUIT_NOUN": '"suit"', "SINGULAR": "a suit",
    "MAJOR": '"major"', "MINOR": '"minor"', "ORDINAL": '"1st" to "4th"',
    "LONGER_THAN": '"longer than"', "IS": '"is"',
}  # fmt: skip
_NOT_LISTED: Final = frozenset({"QUOTED", "REMARK", "$END", "OR", "AND", "SLASH", "DASH"})
BUILT_IN: Final = frozenset({"balanced", "semi-balanced", "unbalanced"})
"""Names that every text has."""


@cache
def language_words() -> frozenset[str]:
    """All words that the grammar knows."""
    words = {
        word for phrases in words_of_terminals().values() for p in phrases for word in p.split()
    }
    return frozenset(words | set(NUMBER_WORDS) | {"asks", "shows", "denies"} | BUILT_IN)


def explain(text: str, error: UnexpectedInput, names: Names) -> Fault:
    """Say why a line does not read.

    Parameters
    ----------
    text
        The logical line.
    error
        What the parser stopped at.
    names
        Tells whether a piece of the line reads, and the names in it.
    """
    expected = error.expected
    position = len(text.rstrip()) if error.position is None else error.position
    rest = text[position:]
    before = text[:position].rstrip()
    word = _WORD.match(rest)
    read = word[0] if word else ""
    for opened, closed in (('"', '"'), ("{", "}")):
        if rest.startswith(opened) and closed not in rest[1:]:
            return Fault(position, f"{opened} is opened here and never closed", f"write {closed}")
    comma = _COMMA_IN_NUMBER.search(f"{before}{rest[:3]}") if rest.startswith(",") else None
    if comma is not None:
        written = comma[1].replace(",", ".")
        return Fault(comma.start(1), f'"{comma[1]}" is no number', f'write "{written}"')
    compared = _comparison(text, position)
    if compared is not None:
        return compared
    if "BID" not in expected or "NUMBER" in expected:
        reworded = _reworded(text, position, names)
        if reworded is not None:
            return reworded
    if position >= len(text.rstrip()) or rest.startswith("--"):
        return _at_the_end(text, position, expected)
    if _CARDS_AS_CALL.search(before) and "IS_AVAILABLE" in expected and "EQUAL" not in expected:
        return _cards_as_call(before)
    slip = _slip(text, position, expected)
    if slip is not None:
        return slip
    left = _SEPARATOR.split(before)[-1].strip()
    right = _SEPARATOR.split(rest, maxsplit=1)[0].strip()
    if "COMMA" in expected and left and right:
        named = [names(part, "conditions") for part in (left, right)]
        if None not in named:
            return _without_comma(position, left, right, frozenset().union(*filter(None, named)))
    special = _special(read, rest, before, expected)
    if special:
        return Fault(position, *special)
    return Fault(position, _unexpected(before, read, _listed(expected)))


def _comparison(text: str, position: int) -> Fault | None:
    """Explain ``HCP >= 12`` around the place, which tables write."""
    for found in _COMPARISONS.finditer(text):
        if found.start() <= position <= found.end():
            written = _compared(found)
            if not written:
                return None
            message = f'"{found[0]}" is not written here'
            return Fault(found.start(), message, f'write "{written}"')
    return None


def written_comparison(text: str) -> str:
    """Give what the language writes for a comparison of tables; nothing for another text.

    Examples
    --------
    >>> written_comparison("HCP < 10"), written_comparison("Natural")
    ('at most 9 points', '')
    """
    found = _COMPARISONS.fullmatch(text)
    return "" if found is None else _compared(found)


def _compared(found: re.Match[str]) -> str:
    """Say a comparison as the language does; nothing where it says less than a call."""
    bounds = [0, 99]
    for sign, number in (
        (found[2], found[3]),
        (found[5] and _turned(found[5]), found[4]),
        (found[7], found[8]),
    ):
        if not sign:
            continue
        value = int(number)
        if sign in (">", ">=", "=>", "≥", "=", "=="):
            bounds[0] = max(bounds[0], value + (sign == ">"))
        if sign in ("<", "<=", "=<", "≤", "=", "=="):
            bounds[1] = min(bounds[1], value - (sign == "<"))
    least, most = bounds
    what = _COUNTED[(found[1] or found[6]).lower()]
    if least > most:
        return ""
    if most == 99:
        return f"{least}+ {what}"
    if not least:
        return f"at most {most} {what}"
    return f"{least} {what}" if least == most else f"{least}-{most} {what}"


def _turned(sign: str) -> str:
    return "".join(_TURNED[one] for one in sign)


def _reworded(text: str, position: int, names: Names) -> Fault | None:
    """Find what a condition or an agreement around the place is called by players."""
    separators = list(_SEPARATOR.finditer(text, 0, position))
    if not separators and not _BEGINNING.match(text):
        return None  # a call, or a header's first words
    start = separators[-1].end() if separators else 0
    end = _SEPARATOR.search(text, position)
    clause = text[start : end.start() if end else len(text)]
    start += len(clause) - len(clause.lstrip())
    clause = clause.strip()
    found: Reworded | None
    if any(one[0] == ";" for one in separators):
        found = agreed(clause, lambda written: names(f"; {written}", "agreements") is not None)
        return found and Fault(start, f'"{found.words}" is no agreement', found.advice)
    beginning = _BEGINNING.match(clause)
    if beginning is not None:
        start, clause = start + beginning.end(), clause[beginning.end() :].strip()
    if end is not None and end[0] == ":" and clause in _VARIABLES and "=" in text[:start]:
        advice = 'write what the call is called, such as "Natural"'
        return Fault(start, f'"{clause}" is no name: {clause} is a suit variable', advice)
    if end is not None and end[0] == ":" and clause[:1].islower() and not text.startswith("when "):
        capital = clause[:1].upper() + clause[1:]
        return Fault(start, f'"{clause}" is no name', f'begin it with a capital: "{capital}"')

    def reads(written: str) -> bool:
        used = names(written, "conditions")
        return used is not None and all(one in BUILT_IN or one in clause for one in used)

    found = rewording(clause, reads)
    return found and Fault(start, f'"{found.words}" is no condition', found.advice)


def _without_comma(position: int, left: str, right: str, named: Set[str]) -> Fault:
    """Explain two conditions side by side; their names may be the system's own, or mean nothing."""
    advice = f'write "{left}, {right}"'
    unknown = sorted(one for one in named - BUILT_IN if one not in language_words())
    if unknown:
        advice += f', if "{unknown[0]}" is defined'
    return Fault(position, f'two conditions without a comma: "{left} {right}"', advice)


def _slip(text: str, position: int, expected: Set[str]) -> Fault | None:
    """Find a word behind the place that is nearly one of the language."""
    end = _SEPARATOR.search(text, position)
    known = language_words()
    for match in _LETTERS.finditer(text, position, end.start() if end else len(text)):
        word = match[0]
        if word in known or len(word) < 3 or (word[:1].isupper() and "NAME" in expected):
            continue
        near = nearest(word, known) or nearest(word.lower(), known)
        if near == f"{word}s" and "SUIT" in expected and "SUIT_MEASURE" in expected:
            break
        if near:
            return Fault(match.start(), f'"{word}"? did you mean "{near}"')
    return None


def _expecting(before: str, expected: str) -> str:
    last = _LAST.search(before)
    return f'after "{last[0]}" I expect {expected}' if last else f"I expect {expected}"


def _unexpected(before: str, read: str, expected: str) -> str:
    return f'{_expecting(before, expected)}, I read "{read}"'


def _at_the_end(text: str, position: int, expected: Set[str]) -> Fault:
    before = text[:position].rstrip()
    if "COLON" in expected and "EQUAL" not in expected:
        return Fault(len(before), "a header ends with a colon", f'write "{before}:"')
    if _CARDS_AS_CALL.search(before) and "IS_AVAILABLE" in expected and "EQUAL" not in expected:
        return _cards_as_call(before)
    suits = _SUITS.search(before)
    if suits is not None and "LONGER_THAN" in expected:
        return Fault(
            suits.start(2),
            f'"{suits[0]}": how many {suits[2]}',
            f'say the number again, such as "4+ {suits[1]} or 4+ {suits[2]}"',
        )
    return Fault(len(before), f"{_expecting(before, _listed(expected))}, and the line ends")


def _cards_as_call(before: str) -> Fault:
    """Explain ``4S`` where a number of cards is meant."""
    found = _CARDS_AS_CALL.search(before)
    assert found is not None
    suit = _OTHER_WORDS[found[2].lower()]
    return Fault(
        found.start(),
        f'"{found[0]}" is a call, not a number of cards',
        f'write "{found[1]} {suit}"',
    )


def _special(read: str, rest: str, before: str, expected: Set[str]) -> tuple[str, str] | None:
    """Message and advice for slips that have a reason of their own."""
    if rest[:1] in "“”„‟":
        return ("these quotes are not the plain ones", 'write " on both sides')
    if rest[:1] == "—":
        return ('"—" begins nothing here', 'a remark begins with "--"')
    if rest[:1] in "<>≥≤":
        return (f'"{rest[:2].strip()}" is not written here', 'write "15+", "at most 9" or "10-12"')
    if read == "%":
        share = f"{_LAST_DIGITS.findall(before)[0]}%"
        return (f'"{share}" is not written here', _NO_SHARES)
    half = _HALF.match(rest)
    if half is not None:
        whole = half[1] or _LAST_DIGITS.findall(before)[0] or "0"
        return (f'"{half[0]}" is not written here', f'write "{whole}.5"')
    if re.match(r"\d+[.,]\d", rest):
        advice = "only quick tricks and playing tricks have halves, such as 2.5 or 1.5-2"
        return (f'"{read}" is no whole number', advice)
    if "BID" in expected and "PASS" in expected and "NUMBER" not in expected:
        bid = _BID.match(rest)
        if bid:
            strain = _STRAINS.get(bid[2][:2], bid[2])
            written = f"{NUMBER_WORDS.get(bid[1], bid[1])}{strain}"
            return (f'"{bid[0]}" is no bid', f'write "{written}"')
        call = _CALL.get(read.lower())
        if call:
            return (f'"{read}" is no call here', f'write "{call}"')
        if re.match(r"[089]|[1-7](?![CDHSNMmXYZWo])", read) and len(read) <= 3:
            return (f'"{read}" is no bid', "write a level 1-7 and a suit, a variable or NT")
    other = _OTHER_WORDS.get(read.lower())
    longer = [
        phrase
        for terminal in sorted(expected)
        for phrase in words_of_terminals().get(terminal, ())
        if phrase.startswith(f"{read} ")
    ]
    if other or longer:
        words = _unexpected(before, read, _listed(expected))
        return (words, f'write "{other or longer[0]}"')
    if "SUIT_NOUN" in expected and before.endswith("cheapest"):
        words = _unexpected(before, read, "a suit or NT")
        return (words, 'the next bid is "step 1", the next in a suit "cheapest suit"')
    if before.endswith(":") and "=" not in before and "REMARK" in expected:
        return ("a header stands alone in its line", "put the lines below it, indented")
    if "AGREEMENT" in expected and not before.endswith("="):
        listed = _listed(expected)
        last = before[-1:]
        return (
            f'after "{last}" I expect {listed}, I read "{read}"',
            "conditions stand before the semicolon; tags begin with #",
        )
    if "EQUAL" in expected and "COLON" not in expected and read == ":":
        return ('a call is followed by "="', 'write "=" and then the name or the conditions')
    if "BID" in expected and "OPENING" in expected:
        advice = (
            'a header begins with "opening", "after", "over", "when", "general" or "foremost"'
            if rest.rstrip().endswith(":")
            else "a call is a bid such as 2M or nX (any level), Pass, Double, cheapest X, step 1"
        )
        return (_unexpected(before, read, _listed(expected)), advice)
    if "SUIT_MEASURE" in expected and "SUIT" in expected:
        singular = read in ("club", "diamond", "heart", "spade")
        return (
            _unexpected(before, read, "points or a suit"),
            f'write "{read}s"' if singular else "",
        )
    return None


def _listed(expected: Set[str]) -> str:
    """Say what could stand here."""
    if expected == {"QUOTED"}:
        return _READABLE["QUOTED"]
    names: list[str] = []
    left = set(expected) - _NOT_LISTED
    for words, terminals in _GROUPS:
        if terminals <= left:
            names.append(words)
            if words in _ALONE:
                return words
            left -= terminals | {"ROLE", "DOUBLE", "REDOUBLE", "ANY", "ANY_BID", "CHEAPEST",
                                 "JUMP", "DOUBLE_JUMP", "GAME_IN"}  # fmt: skip
    names += sorted({_READABLE[terminal] for terminal in left if terminal in _READABLE})
    if not names:
        known = words_of_terminals()
        readable = sorted(known[terminal][0] for terminal in left if terminal in known)
        names = [f'"{words}"' for words in readable[:4]] or ["the end of the line"]
    return " or ".join(names[:5])
