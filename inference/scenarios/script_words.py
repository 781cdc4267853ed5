"""Words of ``dealer``'s language, and a script cut into them.

The language is that of "The Input File" in the manual of Hans van Staveren's program ``dealer``.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from bidcascade.bridge import InvalidScript, Seat

from .script_tree import ScriptPosition

LONGEST_SCRIPT: Final = 200_000
"""Characters of a script."""

SEATS: Final = {"north": Seat.NORTH, "east": Seat.EAST, "south": Seat.SOUTH, "west": Seat.WEST}
SUITS: Final = {
    "club": 0, "clubs": 0, "diamond": 1, "diamonds": 1, "heart": 2, "hearts": 2,
    "spade": 3, "spades": 3,
}  # fmt: skip
_COUNTED: Final = {
    "hcp": "hcp", "loser": "losers", "control": "controls", "ten": "pt0", "jack": "pt1",
    "queen": "pt2", "king": "pt3", "ace": "pt4",
}  # fmt: skip
MEASURES: Final = {
    **_COUNTED, **{f"{word}s": kind for word, kind in _COUNTED.items()},
    "top2": "pt5", "top3": "pt6", "top4": "pt7", "top5": "pt8", "c13": "pt9",
    **{f"pt{number}": f"pt{number}" for number in range(10)},
    "quality": "quality", "cccc": "cccc",
}  # fmt: skip
"""Functions of a hand and their kinds of :class:`.script_tree.Measure`."""
NOTRUMPS: Final = ("notrump", "notrumps")
FUNCTIONS: Final = (
    *MEASURES,
    *SUITS,
    "shape",
    "hascard",
    "trick",
    "tricks",
    "score",
    "imp",
    "imps",
    "rnd",
)
PRINTS: Final = ("printall", "printew", "printpbn", "printcompact", "printoneline")
ACTIONS: Final = (*PRINTS, "print", "printes", "average", "frequency", "evalcontract")
COMMANDS: Final = (
    "generate", "produce", "dealer", "vulnerable", "predeal", "pointcount", "altcount",
    "condition", "action",
)  # fmt: skip
DECLARERS: Final = {
    "NS": (Seat.NORTH, Seat.SOUTH), "ns": (Seat.NORTH, Seat.SOUTH),
    "EW": (Seat.EAST, Seat.WEST), "ew": (Seat.EAST, Seat.WEST),
}  # fmt: skip
SIDES: Final = {
    "none": "None", "ns": "NS", "NS": "NS", "ew": "EW", "EW": "EW", "all": "Both",
}  # fmt: skip
BOTH_SIDES: Final = {**SIDES, "both": "Both"}
"""Those, and a word that scripts may have as a name, too."""
VULNERABLE: Final = {"vul": True, "nv": False}
CONTRACT: Final = re.compile(r"[xz]?([1-7])(NT?|[CDHS])(x{0,2})", re.IGNORECASE)
"""A contract where nothing else may stand; elsewhere one begins with ``x`` or ``z``."""
OPERATORS: Final = {"and": "&&", "or": "||", "not": "!"}
KEYWORDS: Final = frozenset(
    (*COMMANDS, *ACTIONS, *FUNCTIONS, *SEATS, *SIDES, *NOTRUMPS, *OPERATORS, *VULNERABLE, "any")
)

TokenKind: TypeAlias = Literal[
    "word",
    "name",
    "number",
    "decimal",
    "shape",
    "holding",
    "card",
    "contract",
    "string",
    "sign",
    "end",
]
_TOKEN: Final = re.compile(
    r"""(?P<blank>[ \t\r\n\f\ufeff]+)
    | (?P<comment>//[^\n]*|\#[^\n]*|/\*[\s\S]*?\*/)
    | (?P<open_comment>/\*)
    | (?P<string>"[^"]*"|\\n)
    | (?P<open_string>")
    | (?P<decimal>(?:[0-9]+\.[0-9]*|\.[0-9]+)(?![A-Za-z0-9_.]))
    | (?P<word>[A-Za-z0-9_]+)
    | (?P<sign>&&|\|\||[=!<>]=|[-+*/%<>!?:(),=])
    | (?P<other>[\s\S])""",
    re.VERBOSE,
)
_FORMS: Final[tuple[tuple[TokenKind, re.Pattern[str]], ...]] = (
    ("shape", re.compile(r"[0-9x]{4}")),
    ("number", re.compile(r"[0-9]+")),
    ("holding", re.compile(r"[CDHS]A?K?Q?J?T?9?8?7?6?5?4?3?2?")),
    ("card", re.compile(r"[2-9TJQKA][CDHS]")),
    ("contract", re.compile(r"[xz][1-7](?:NT?|[CDHS])x{0,2}|[1-7](?:NT?|[CDHS]|nt?|[cdhs])x{0,2}")),
    ("name", re.compile(r"[A-Za-z]\w*", re.ASCII)),
)
_SHARE: Final = re.compile(r"\s*share\s+(\d{1,3}(?:\.\d+)?)\s*%?\s+(\w+)\s*", re.ASCII)


class ScriptToken(NamedTuple):
    """A word or sign; ``text`` of a string is what stands between the quotes."""

    kind: TokenKind
    text: str
    place: ScriptPosition

    @property
    def shown(self) -> str:
        """What messages call it."""
        return "the end" if self.kind == "end" else repr(self.text)


class Words(NamedTuple):
    """A script cut into words.

    ``shares`` are those that comments state, with their places; ``remarks`` the comment lines that
    the script begins with.
    """

    tokens: list[ScriptToken]
    shares: list[tuple[float, str, ScriptPosition]]
    remarks: tuple[str, ...]


def words_of(text: str) -> Words:
    r"""Cut a script into words; comments are left out.

    Raises
    ------
    InvalidScript
        With line and column, for a sign that the language lacks.

    Examples
    --------
    >>> [one.text for one in words_of("hcp(north) >= 15 // strong").tokens]
    ['hcp', '(', 'north', ')', '>=', '15', '']
    """
    if len(text) > LONGEST_SCRIPT:
        raise InvalidScript(
            f"expected at most {LONGEST_SCRIPT:,} characters of a script, got {len(text):,}"
        )
    found = Words([], [], ())
    remarks: list[str] = []
    for kind, part, place in _parts(text):
        if kind == "comment":
            if part[0] == "#":
                said = part[1:].strip()
                if share := _SHARE.fullmatch(part[1:]):
                    found.shares.append((float(share[1]), share[2], place))
                elif not found.tokens:
                    remarks.append(said)
            continue
        found.tokens.append(_token(kind, part, place))
    return found._replace(remarks=tuple(remarks))


def _parts(text: str) -> Iterator[tuple[str, str, ScriptPosition]]:
    line, line_start = 1, 0
    for match in _TOKEN.finditer(text):
        kind, part = str(match.lastgroup), match[0]
        place = ScriptPosition(line, match.start() - line_start + 1)
        if kind != "blank":
            yield kind, part, place
        if newlines := part.count("\n"):
            line += newlines
            line_start = match.start() + part.rindex("\n") + 1
    yield "end", "", ScriptPosition(line, len(text) - line_start + 1)


def _token(kind: str, part: str, place: ScriptPosition) -> ScriptToken:
    if kind == "sign":
        return ScriptToken("sign", part, place)
    if kind == "decimal":
        return ScriptToken("decimal", part, place)
    if kind == "end":
        return ScriptToken("end", part, place)
    if kind == "string":
        return ScriptToken("string", "\n" if part == "\\n" else part[1:-1], place)
    if kind == "word":
        if part in KEYWORDS:
            return ScriptToken("word", part, place)
        for form, pattern in _FORMS:
            if pattern.fullmatch(part):
                return ScriptToken(form, part, place)
    wanted = {"open_comment": "'*/' behind '/*'", "open_string": "a closing '\"'"}
    raise InvalidScript(
        f"{place}: expected {wanted.get(kind, 'a word, a number or a sign of the language')}, "
        f"got {part!r}"
    )
