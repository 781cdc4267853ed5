"""Files of Full Disclosure (``.bss``), which Bridge Base Online read once: records and their text.

A file is a header, perhaps the name of a stock card, a record for each call after each auction,
names of convention files, and a record of leads and signals. What the characters of a record stand
for is told in https://github.com/gpaulissen/bml (``bss2bml``), by players who found it out.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from bidcascade.bridge import InvalidInput
from bidcascade.systems.limits import LONGEST_NOTE_LINE, MOST_NOTE_LINES, too_long

LONGEST: Final = 8
"""Cards of a suit that a record can say; as the most of them it stands for any number."""
OUTCOMES: Final = ("clubs", "diamonds", "hearts", "spades", "notrump", "defence undoubled")
SEATS: Final = ((), (1,), (2,), (3,), (4,), (1, 2), (3, 4))
"""Of the opening, by the first digit; none for any."""
VULNERABLE: Final = ("00", "NN", "YN", "NY", "YY", "N0", "Y0", "0N", "0Y")
"""We, then they, by the second digit: yes, no, or either."""
DISPOSITIONS: Final = {
    "1": "sign-off", "2": "not forcing", "3": "constructive", "4": "invitational", "5": "forcing",
    "6": "forcing to game", "7": "slam try", "8": "control bid", "9": "preemptive",
    "A": "transfer", "B": "puppet", "C": "relay", "D": "asks", "E": "answer",
}  # fmt: skip
"""What a call asks of partner, by its code; 0 says nothing."""
_HEADER: Final = re.compile(r"[*?]00\s*(?:\{(?P<title>[^}]*)\})?\s*=\s*NYYYYYY(?P<summary>.*)")
_RECORD: Final = re.compile(
    r"(?P<theirs>\*?)\s*(?P<seat>[0-6])(?P<vulnerable>[0-8])(?P<calls>[^={]*(?:\{[^}]*\}[^={]*)*)"
    r"=\s*(?P<artificial>[YN])(?P<outcomes>[YN]{6})\s*(?P<disposition>[0-9A-E])(?P<rest>.*)"
)
_CALLS: Final = re.compile(r"([1-7][CDHSN]|[PDR])(\{[^}]*\})?\s*")
_LENGTHS: Final = re.compile(r"\s*([0-8])([0-8])")


@dataclass(frozen=True, slots=True)
class DisclosedCall:
    """A call after an auction.

    Parameters
    ----------
    calls
        As the file writes them, the opening first: ``1N``, ``P``, ``D``, ``R``. The last one is
        told about.
    theirs
        Whether the other side opened.
    seat, vulnerable
        Digits, places in :data:`SEATS` and :data:`VULNERABLE`.
    qualified
        What a call of theirs must mean for the record to hold, by its place in ``calls``.
    outcomes
        Whether each of :data:`OUTCOMES` is still open.
    disposition
        A code of :data:`DISPOSITIONS`, or 0.
    lengths
        Least and most cards of the suit that is bid; None for other calls.
    """

    calls: tuple[str, ...]
    description: str = ""
    artificial: bool = False
    disposition: str = "0"
    lengths: tuple[int, int] | None = None
    theirs: bool = False
    seat: int = 0
    vulnerable: int = 0
    qualified: tuple[tuple[int, str], ...] = ()
    outcomes: tuple[bool, ...] = (True,) * len(OUTCOMES)
    line: int = field(default=0, compare=False)

    @property
    def is_ours(self) -> bool:
        """Whether the side whose card it is makes the last call."""
        return (len(self.calls) % 2 == 1) is not self.theirs


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line that is no record: its number, its text and why."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Card:
    """A file: its title, its summary, its records in order, and what it names or says besides."""

    title: str = ""
    summary: str = ""
    records: tuple[DisclosedCall, ...] = ()
    stock: str = ""
    """File of the stock card that this one changes."""
    includes: tuple[str, ...] = ()
    """Files of conventions."""
    carding: str = ""
    """Leads and signals, as they stand."""
    unknown: tuple[Unknown, ...] = field(default=(), compare=False)


def is_bss(text: str) -> bool:
    """Whether a text begins as such a file does.

    Examples
    --------
    >>> is_bss("*00{Ours}=NYYYYYY"), is_bss("1N 15--17 bal")
    (True, False)
    """
    return _HEADER.fullmatch(_first_line(text)) is not None


def parse_bss(text: str, source: str = "<card>") -> Card:
    r"""Read the text of a ``.bss`` file; lines that are no records are listed in ``unknown``.

    Raises
    ------
    InvalidInput
        If it does not begin as such a file, or has too many lines.

    Examples
    --------
    >>> card = parse_bss("*00{Ours}=NYYYYYY\n001NP2D=YYYYYYYA08Transfer: 5+ !H\n")
    >>> card.title, card.records[0].calls, card.records[0].disposition
    ('Ours', ('1N', 'P', '2D'), 'A')
    """
    head = _HEADER.fullmatch(_first_line(text))
    if head is None:
        raise InvalidInput(
            f"{source}:1: expected a card's header as '*00{{Title}}=NYYYYYY', "
            f"got {_first_line(text)[:60]!r}"
        )
    records: list[DisclosedCall] = []
    unknown: list[Unknown] = []
    includes: list[str] = []
    stock = carding = ""
    lines = text.removeprefix("\ufeff").splitlines()
    if len(lines) > MOST_NOTE_LINES:
        raise InvalidInput(
            f"{source}: expected at most {MOST_NOTE_LINES:,} lines, got {len(lines):,}"
        )
    for number, line in enumerate(lines[1:], 2):
        if line.startswith("$") and not stock:
            stock = line[1:].strip()
        elif line.startswith("+"):
            includes.append(line[1:].strip())
        elif line.startswith("%") and not carding:
            carding = line[1:]
        elif len(line) > LONGEST_NOTE_LINE:
            reason = too_long(line)
            unknown.append(Unknown(number, line[:80].strip(), reason))
        elif line.strip():
            found = _record(line, number)
            if isinstance(found, DisclosedCall):
                records.append(found)
            else:
                unknown.append(Unknown(number, line.strip(), found))
    return Card(
        head["title"] or "",
        _lines(head["summary"]),
        tuple(records),
        stock,
        tuple(includes),
        carding,
        tuple(unknown),
    )


def print_bss(card: Card) -> str:
    r"""Write a card as the text of a file.

    Examples
    --------
    >>> call = DisclosedCall(("1H",), "5+ !H", lengths=(5, 8))
    >>> print(print_bss(Card("Ours", records=(call,))), end="")
    *00{Ours}=NYYYYYY
    001H=NYYYYYY0585+ !H
    """
    title = card.title.replace("{", "(").replace("}", ")")
    lines = [f"*00{{{_one_line(title)}}}=NYYYYYY{_one_line(card.summary)}"]
    if card.stock:
        lines.append(f"${card.stock}")
    lines += [_printed(one) for one in card.records]
    lines += [f"+{one}" for one in card.includes]
    if card.carding:
        lines.append(f"%{card.carding}")
    return "\n".join([*lines, ""])


def _first_line(text: str) -> str:
    return text.removeprefix("\ufeff").partition("\n")[0].rstrip("\r")


def _record(line: str, number: int) -> DisclosedCall | str:
    """Read a line; what is wrong with it where it is no record."""
    found = _RECORD.fullmatch(line.strip())
    if found is None:
        return "it is no record"
    calls: list[str] = []
    qualified: list[tuple[int, str]] = []
    place = 0
    written = found["calls"].strip()
    while place < len(written):
        call = _CALLS.match(written, place)
        if call is None:
            return f'"{written[place:][:20]}" is no call'
        if call[2]:
            qualified.append((len(calls), call[2][1:-1]))
        calls.append(call[1])
        place = call.end()
    if not calls:
        return "it has no call"
    rest = found["rest"]
    lengths = None
    if calls[-1][-1] in "CDHS" and len(calls[-1]) == 2:
        digits = _LENGTHS.match(rest)
        if digits is None:
            return "the least and most cards of its suit are missing"
        lengths = (int(digits[1]), int(digits[2]))
        rest = rest[digits.end() :]
    return DisclosedCall(
        tuple(calls),
        _lines(rest),
        found["artificial"] == "Y",
        found["disposition"],
        lengths,
        found["theirs"] == "*",
        int(found["seat"]),
        int(found["vulnerable"]),
        tuple(qualified),
        tuple(letter == "Y" for letter in found["outcomes"]),
        number,
    )


def _printed(record: DisclosedCall) -> str:
    qualified = dict(record.qualified)
    calls = "".join(
        f"{call}{{{qualified[place]}}}" if place in qualified else call
        for place, call in enumerate(record.calls)
    )
    flags = "".join("Y" if one else "N" for one in (record.artificial, *record.outcomes))
    lengths = "" if record.lengths is None else "{}{}".format(*record.lengths)
    return (
        f"{'*' if record.theirs else ''}{record.seat}{record.vulnerable}{calls}={flags}"
        f"{record.disposition}{lengths}{_one_line(record.description)}"
    )


def _lines(text: str) -> str:
    return text.strip().replace("\\n", "\n")


def _one_line(text: str) -> str:
    return text.replace("\n", "\\n")
