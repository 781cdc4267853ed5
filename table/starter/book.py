"""How the lines of the starter table are written down, and read.

A place is written as a block of text, one line a call, in priority order::

    2C | Stayman | Asks for a four-card major | HCP >= 8; SL_H == 4 or SL_S == 4
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from bidcascade.bridge import Auction, parse_calls

STRAIN_ORDER: Final = "CDHSN"
SUIT_WORDS: Final = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
GAME_LEVEL: Final = {"C": 5, "D": 5, "H": 4, "S": 4, "N": 3}

_BOUND: Final = re.compile(r"(HCP|Total_Points|SL_[CDHS]) (>=|<=|==) (\d+)")
_QUANTITY: Final = {"HCP": "HCP", "Total_Points": "total points"}


@dataclass(frozen=True, slots=True)
class Line:
    """One call at one place: what it needs, its short name and what a player would say of it."""

    call: str
    criteria: tuple[str, ...]
    name: str
    description: str


def lines_of(block: str, **names: str) -> tuple[Line, ...]:
    """Read a block; ``{M}`` and the like are replaced by ``names`` first.

    Examples
    --------
    >>> lines_of("1{M} | Five-card major | Natural | SL_{M} >= 5; HCP >= 12", M="S")[0].description
    'Natural; 5+ spades, 12+ HCP'
    """
    lines = []
    for text in block.strip().splitlines():
        call, name, gloss, criteria = (part.strip() for part in text.format(**names).split("|"))
        tests = tuple(test.strip() for test in criteria.split(";") if test.strip())
        tests = tests or ("True",)  # any hand, whatever a table's policy for bare entries
        spoken = _spoken(tests)
        lines.append(Line(call, tests, name, f"{gloss}; {spoken}" if spoken else gloss))
    return tuple(lines)


def _spoken(criteria: Iterable[str]) -> str:
    """Points and lengths of a criteria list in a player's words; other tests are left unsaid."""
    bounds: dict[str, list[int | None]] = {}
    for test in criteria:
        match = _BOUND.fullmatch(test)
        if match:
            pair = bounds.setdefault(match[1], [None, None])
            if match[2] in (">=", "=="):
                pair[0] = int(match[3])
            if match[2] in ("<=", "=="):
                pair[1] = int(match[3])
    parts = []
    for name, (low, high) in bounds.items():
        what = _QUANTITY.get(name) or SUIT_WORDS[name[-1]]
        if high == 1 and name not in _QUANTITY:
            what = what[:-1]
        if low is not None and high is not None:
            parts.append(f"{low} {what}" if low == high else f"{low}-{high} {what}")
        elif low is not None:
            parts.append(f"{low}+ {what}")
        else:
            parts.append(f"at most {high} {what}")
    return ", ".join(parts)


def cheapest(prior: str, strain: str, *, jump: int = 0) -> str:
    """Lowest bid in a strain over an auction, ``jump`` levels higher if asked.

    Examples
    --------
    >>> cheapest("1H P", "S"), cheapest("1H P", "C"), cheapest("1H P", "S", jump=1)
    ('1S', '2C', '2S')
    """
    bids = [call for call in prior.split() if call[0].isdigit()]
    level, last = int(bids[-1][0]), bids[-1][1]
    if STRAIN_ORDER.index(strain) <= STRAIN_ORDER.index(last):
        level += 1
    return f"{level + jump}{strain}"


def strain_rank(strain: str) -> int:
    """Place of a strain in the order clubs to notrump.

    Examples
    --------
    >>> strain_rank("S") > strain_rank("H")
    True
    """
    return STRAIN_ORDER.index(strain)


def game(strain: str) -> str:
    """Game bid in a strain.

    Examples
    --------
    >>> game("S"), game("N")
    ('4S', '3N')
    """
    return f"{GAME_LEVEL[strain]}{strain}"


def independent(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Say what a later line of a call leaves to the lines of other calls before it.

    A table joins all lines of a call at the first one's place, so what stood between them has to
    be excluded by the later line itself.
    """
    result = []
    for place, line in enumerate(lines):
        calls = [before.call for before in lines[:place]]
        if line.call in calls:
            between = lines[calls.index(line.call) + 1 : place]
            exclusions = [
                f"not ({' and '.join(_operand(test) for test in other.criteria)})"
                if len(other.criteria) > 1
                else str(_opposite(other.criteria[0]))
                for other in between
                if other.call != line.call and not _apart(other.criteria, line.criteria)
            ]
            own = [test for test in line.criteria if test != "True"]
            criteria = tuple(dict.fromkeys((*own, *exclusions))) or line.criteria
            line = Line(line.call, criteria, line.name, line.description)
        result.append(line)
    return tuple(result)


def _operand(test: str) -> str:
    return f"({test})" if " or " in test else test


def _opposite(test: str) -> str:
    return f"not ({test})" if " or " in test or " and " in test else f"not {test}"


def _apart(left: Iterable[str], right: Iterable[str]) -> bool:
    """Whether the plain bounds of two lines exclude each other."""
    bounds: dict[str, tuple[int, int]] = {}
    for test in (*left, *right):
        match = _BOUND.fullmatch(test)
        if match:
            low, high = bounds.get(match[1], (0, 40))
            number = int(match[3])
            bounds[match[1]] = (
                max(low, number) if match[2] != "<=" else low,
                min(high, number) if match[2] != ">=" else high,
            )
    return any(low > high for low, high in bounds.values())


@dataclass(slots=True)
class Book:
    """The places that are written, by the auction before them (from the opening on)."""

    places: dict[tuple[str, ...], tuple[Line, ...]] = field(default_factory=dict)
    ways: set[tuple[str, ...]] = field(default_factory=set)

    def at(self, prior: str, block: str, **names: str) -> None:
        """Write the lines of a place; each must be a legal call there."""
        calls = tuple(prior.split())
        if calls in self.places:
            raise ValueError(f"place {prior!r} is written twice")
        lines = independent(lines_of(block, **names))
        for line in lines:
            Auction.of(parse_calls(" ".join((*calls, line.call))))
        self.places[calls] = lines

    def close(self) -> None:
        """Check that every place can be reached, and note the ways that lead to places."""
        for calls in self.places:
            for length in range(1, len(calls) + 1):
                self.ways.add(calls[:length])
        for way in self.ways:
            prior, call = way[:-1], way[-1]
            written = {line.call for line in self.places.get(prior, ())}
            if prior and call != "P" and call not in written:
                raise ValueError(f"no line leads from {' '.join(prior)!r} to {call!r}")
