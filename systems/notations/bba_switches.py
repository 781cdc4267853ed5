"""Convention cards of Bridge Bidding Analyser (``.bbsa``): which of their switches a text has.

Such a file has a line ``NAME = VALUE`` for each switch: 0 or 1, but for ``System type`` (0 two
over one, 1 Standard American, 2 Polish club, 3 Precision, 4 Acol) and ``Opponent type``. The format
has no description; it was read off the cards that lorserker/ben comes with, and names differ
between versions of the program. What a switch does is known by its name alone, so only those are
taken whose name means one convention to every player.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.machine.bounded_files import read_bounded
from bidcascade.systems.limits import LONGEST_CARD
from bidcascade.systems.system import System

_NUMBERS: Final = ("System type", "Opponent type")
_UNUSED: Final = ("Not defined", "TEST")
_LONGEST: Final = 1 << 20

_KNOWN: Final[Mapping[str, tuple[str, str]]] = {
    # switch: our option, and the tag of the lines that play it
    "Blackwood 0123": ("", "ace-answer"),
    "Blackwood 1430": ("keycards", "keycard-answer"),
    "Cappelletti": ("", "cappelletti"),
    "Drury": ("drury", "drury"),
    "Forcing 1NT": ("", "forcing-notrump"),
    "Fourth suit game force": ("", "fourth-suit"),
    "Gerber": ("", "gerber"),
    "Imposible 2S": ("", "impossible-spade"),
    "Inverted minors": ("inverted-minors", "inverted"),
    "Jacoby 2NT": ("", "jacoby"),
    "Jordan Truscott 2NT": ("", "jordan"),
    "Leaping Michaels": ("leaping-michaels", "leaping-michaels"),
    "Lebensohl after 1NT": ("lebensohl", "lebensohl"),
    "Lebensohl after double": ("lebensohl-doubles", "weak-lebensohl"),
    "Michaels Cuebid": ("", "michaels"),
    "New Minor Forcing": ("new-minor", "new-minor"),
    "Quantitative 4NT": ("", "quantitative"),
    "Responsive double": ("", "responsive"),
    "Reverse drury": ("drury", "drury"),
    "SMOLEN": ("smolen", "smolen"),
    "Splinter": ("splinters", "splinter"),
    "Support double redouble": ("support-doubles", "support-double"),
    "Unusual 2NT": ("", "unusual"),
}


_SPELLED: Final = {name.casefold(): name for name in (*_NUMBERS, *_UNUSED, *_KNOWN)}
"""Names as the program writes them, by themselves in lower case."""


class BbaCard(NamedTuple):
    """A card: the number of its system where it says one, and its switches."""

    system: int | None
    switches: dict[str, bool]


class SwitchReport(NamedTuple):
    """What a text has of a card's switches, by their names there."""

    options: dict[str, bool]
    """Options of the text as the card has them."""
    played: tuple[str, ...]
    """On in the card, and played by the text whatever its options say."""
    lacking: tuple[str, ...]
    """On in the card, and known here, but not in this text."""
    unwanted: tuple[str, ...]
    """Off in the card, but played by the text, which has no option for it."""
    unknown: tuple[str, ...]
    """On in the card, and not known here."""


def parse_bbsa(text: str, source: str = "<card>") -> BbaCard:
    r"""Read the text of a ``.bbsa`` file.

    Raises
    ------
    InvalidInput
        If a line is no switch, or a switch stands twice with other values.

    Examples
    --------
    >>> parse_bbsa("System type = 1\nDrury = 1\nNot defined = 0\n")
    BbaCard(system=1, switches={'Drury': True})
    """
    if len(text) > _LONGEST:
        raise InvalidInput(
            f"{source}: expected at most {_LONGEST:,} characters of a card, got {len(text):,}"
        )
    system = None
    found: dict[str, bool] = {}
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        if not line.strip():
            continue
        # names may hold signs, as "1X-(1Y)-2Z strong"
        name, sign, value = (part.strip() for part in line.rpartition("="))
        # people write the names in any case
        name = _SPELLED.get(name.casefold(), name)
        known = name in _NUMBERS
        if (
            not sign
            or not name
            or not value.isascii()
            or not (value.isdigit() and len(value) <= 3 if known else value in ("0", "1"))
        ):
            raise InvalidInput(
                f"{source}:{number}: expected a switch as 'NAME = 0' or 'NAME = 1', "
                f"got {line[:80]!r}"
            )
        if name == _NUMBERS[0]:
            system = int(value)
        if known or name in _UNUSED:
            continue
        if found.setdefault(name, value == "1") != (value == "1"):
            raise InvalidInput(f"{source}:{number}: expected one value of {name!r}, got two")
    if not found:
        raise InvalidInput(f"{source}: expected the switches of a card, got none")
    return BbaCard(system, found)


def read_bbsa(path: str | Path) -> BbaCard:
    """Read a ``.bbsa`` file: UTF-8, or where it is none Windows-1252.

    Raises
    ------
    InvalidInput
        As :func:`parse_bbsa`, and if the file cannot be read.
    """
    try:
        content = read_bounded(Path(path), LONGEST_CARD)
    except OSError as error:
        raise InvalidInput(f"{path}: expected a card that can be read: {error}") from None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    return parse_bbsa(text, str(path))


def switches_of(system: System, card: BbaCard) -> SwitchReport:
    """Compare the switches of a card with what a text has.

    Examples
    --------
    >>> system = System.open("two-over-one")
    >>> switches_of(system, BbaCard(0, {"Drury": False, "Gerber": True, "Multi": True}))
    SwitchReport(options={'drury': False}, played=('Gerber',), lacking=(), unwanted=(), \
unknown=('Multi',))
    """
    options: dict[str, bool] = {}
    played, lacking, unwanted, unknown = list[str](), list[str](), list[str](), list[str]()
    tags = frozenset(_tags(system))
    for name, is_on in card.switches.items():
        option, tag = _KNOWN.get(name, ("", ""))
        if option in system.text.options:
            # two switches may say one thing in two ways
            options[option] = options.get(option, False) or is_on
        elif not tag:
            unknown += [name] * is_on
        elif tag in tags:
            (played if is_on else unwanted).append(name)
        elif is_on:
            lacking.append(name)
    return SwitchReport(options, *map(tuple, (played, lacking, unwanted, unknown)))


def _tags(system: System) -> Iterator[str]:
    for line in system.rules.places.written_lines():
        for agreements in (line.agreements, *(one.agreements for one in line.variants)):
            yield from (one.text for one in agreements if one.kind == "tag")
