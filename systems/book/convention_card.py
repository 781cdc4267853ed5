"""A convention card: what a system plays, in the order of printed cards, with its options.

The parts are those of the card of the ACBL (American Contract Bridge League, the form that players
filled in from 1990 on: general approach, notrump, majors, minors, twos, other calls, then doubles
and defence) and of the card of the World Bridge Federation (defensive and competitive bidding
before the openings). Each is filled from places of the text: what a pair meets there, with what the
calls ask for. Leads and signals are no part of a system's text, and left to the players.
"""

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, asdict, dataclass, fields, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

from bidcascade.bridge import (
    DOUBLE,
    FIRST_BID,
    PASS,
    REDOUBLE,
    InvalidSystem,
    bid_level,
    bid_strain,
    format_call,
    format_calls,
    parse_call,
    parse_calls,
)
from bidcascade.kernels.machine.bounded_files import read_bounded
from bidcascade.systems.limits import LONGEST_CARD
from bidcascade.systems.places.places import PlaceEntry
from bidcascade.systems.registry import open_system
from bidcascade.systems.system import System
from bidcascade.systems.words.describing import agreements_of, description_of

from .text_outline import Outline, outline_of

ORDERS: Final = ("acbl", "wbf")
_NOTRUMP: Final = 4
_GAME: Final = parse_call("4S")
"""Higher bids are where the strength of both hands is known: every system has them."""
_LONGEST: Final = 1 << 24
PAGE_NAME: Final = "bidcascade-card"
_IN_PAGE: Final = re.compile(rf'<meta name="{PAGE_NAME}" content="([^"]*)">')
_CONVENTIONAL: Final = ("artificial", "relay", "transfer", "puppet")


@dataclass(frozen=True, slots=True)
class CardRow:
    """One meaning of a call after an auction, both as text; ``option`` is whose line it is."""

    auction: str
    call: str
    name: str
    meaning: str
    agreements: tuple[str, ...]
    where: str
    option: str = ""


@dataclass(frozen=True, slots=True)
class CardSection:
    """A part of the card under its heading."""

    heading: str
    rows: tuple[CardRow, ...]


@dataclass(frozen=True, slots=True)
class CardConvention:
    """An option or a convention of the text: on or off, or None for what cannot be turned off.

    ``title`` is what players call an option; it is empty for a convention.
    """

    name: str
    is_on: bool | None
    where: str
    about: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class ConventionCard:
    """A card; :func:`print_card` writes it, :func:`parse_card` reads it back.

    ``system`` is what opens it (a name or a path), ``digest`` what it bids by with these options.
    """

    system: str
    title: str
    order: str
    digest: str
    options: Mapping[str, bool]
    about: str
    sections: tuple[CardSection, ...]
    conventions: tuple[CardConvention, ...]


# --- parts ----------------------------------------------------------------------------------------


class _Where(NamedTuple):
    """A place, and which of its calls belong to a part."""

    auction: str
    belongs: Callable[[tuple[int, ...], PlaceEntry], bool]


def _any(calls: tuple[int, ...], entry: PlaceEntry) -> bool:
    # what stands in `general:` is what every pair does with the strength of both hands
    return PASS < entry.call <= _GAME and entry.specificity[3] != 0


def _bids(*names: str) -> Callable[[tuple[int, ...], PlaceEntry], bool]:
    codes = {*map(parse_call, names)}
    return lambda calls, entry: entry.call in codes


def _high(calls: tuple[int, ...], entry: PlaceEntry) -> bool:
    return entry.call >= FIRST_BID and bid_level(entry.call) >= 3


def _double(calls: tuple[int, ...], entry: PlaceEntry) -> bool:
    return entry.call in (DOUBLE, REDOUBLE)


def _competing(calls: tuple[int, ...], entry: PlaceEntry) -> bool:
    return _any(calls, entry) or _double(calls, entry)


def _conventional(calls: tuple[int, ...], entry: PlaceEntry) -> bool:
    return entry.call > PASS and any(one.kind in _CONVENTIONAL for one in entry.agreements)


def _notrump(calls: tuple[int, ...], entry: PlaceEntry) -> bool:
    return entry.call >= FIRST_BID and _any(calls, entry) and bid_strain(entry.call) == _NOTRUMP


def _theirs(calls: tuple[int, ...]) -> set[int]:
    """Strains that the other side has bid."""
    return {bid_strain(one) for one in calls[len(calls) % 2 ^ 1 :: 2] if one >= FIRST_BID}


def _is_suit(calls: tuple[int, ...], entry: PlaceEntry) -> bool:
    return entry.call >= FIRST_BID and _any(calls, entry) and bid_strain(entry.call) != _NOTRUMP


def _jumps(calls: tuple[int, ...], call: int) -> int:
    """Levels that a bid is above the lowest one of its strain."""
    last = max(one for one in calls if one >= FIRST_BID)
    return (call - last - 1) // 5


def _overcall(calls: tuple[int, ...], entry: PlaceEntry) -> bool:
    if not _is_suit(calls, entry) or bid_strain(entry.call) in _theirs(calls):
        return False
    return _jumps(calls, entry.call) == 0


def _jump_overcall(calls: tuple[int, ...], entry: PlaceEntry) -> bool:
    if not _is_suit(calls, entry) or bid_strain(entry.call) in _theirs(calls):
        return False
    return _jumps(calls, entry.call) > 0


def _cue_bid(calls: tuple[int, ...], entry: PlaceEntry) -> bool:
    return _is_suit(calls, entry) and bid_strain(entry.call) in _theirs(calls)


def _at(
    belongs: Callable[[tuple[int, ...], PlaceEntry], bool], *auctions: str
) -> tuple[_Where, ...]:
    return tuple(_Where(auction, belongs) for auction in auctions)


class _Part(NamedTuple):
    """A part of both cards: its heading on each of them, and the places that it shows."""

    acbl: str
    wbf: str
    places: tuple[_Where, ...]


_PARTS: Final = {
    "notrump": _Part("Notrump opening bids", "1NT, 2NT and 3NT openings", (
        *_at(_bids("1N", "2N", "3N"), ""), *_at(_any, "1N P", "1N P 2C P", "1N X", "1N 2H", "2N P"),
    )),
    "majors": _Part("Major opening", "1♥ and 1♠ openings", (
        *_at(_bids("1H", "1S"), "", "P P"), *_at(_any, "1H P", "1S P", "P P 1S P"),
    )),
    "minors": _Part("Minor opening", "1♣ and 1♦ openings", (
        *_at(_bids("1C", "1D"), ""), *_at(_any, "1C P", "1D P"),
    )),
    "twos": _Part("Two-level openings", "Two-level openings", (
        *_at(_bids("2C", "2D", "2H", "2S"), ""), *_at(_any, "2C P", "2D P", "2H P", "2S P"),
    )),
    "other": _Part("Other conventional calls", "Further conventional calls", _at(
        _conventional, "1C P 1H P 1N P", "1D P 1S P 1N P", "1D P 1H P 1S P", "1H P 1S P 2C P",
        "1S P 1N P", "1S P 2N P", "P P 1S P", "1N P 2C P 2D P", "1N 2S", "2H P 2N P",
    )),
    "doubles": _Part(
        "Special doubles", "Special, artificial and competitive doubles and redoubles", _at(
            _double, "1D 1S", "1H 2C", "1S X 2S", "1D P 1H 1S", "1D P 1H X", "1C 1H X 2H",
            "1H 1S 2H 2S", "1N 2H", "1H P 2H", "1S P P",
        ),
    ),
    "takeout": _Part("Takeout doubles", "Takeout doubles", (
        *_at(_double, "1C", "1S", "1H P P", "1D P 1S"), *_at(_any, "1D X P"),
    )),
    "notrump overcalls": _Part("Notrump overcalls", "1NT overcall", (
        *_at(_notrump, "1D", "1S", "1S P P"), *_at(_any, "1S 1N P"),
    )),
    "over notrump": _Part(
        "Defense vs notrump", "Vs. notrump", _at(_competing, "1N", "1N P P", "2N")
    ),
    "overcalls": _Part("Simple overcall", "Overcalls", (
        *_at(_overcall, "1C", "1S", "1S P P"), *_at(_any, "1D 1S P"),
    )),
    "jump overcalls": _Part(
        "Jump overcall", "Jump overcalls", _at(_jump_overcall, "1C", "1S", "1H P P")
    ),
    "over a double": _Part(
        "Over opponents' takeout double", "Over opponents' takeout double",
        _at(_competing, "1D X", "1S X"),
    ),
    "preempts": _Part(
        "Opening preempts", "Openings from three clubs on", (*_at(_high, ""), *_at(_any, "3D P"))
    ),
    "over preempts": _Part("Vs opening preempts", "Vs. preempts", (
        *_at(_competing, "2H", "3D", "3S"), *_at(_any, "2H X P"),
    )),
    "over strong openings": _Part(
        "Vs strong artificial openings", "Vs. artificial strong openings", _at(_competing, "2C")
    ),
    "cue bids": _Part(
        "Direct cuebid", "Direct and jump cue-bids", _at(_cue_bid, "1C", "1D", "1H", "1S")
    ),
    "slam": _Part("Slam conventions", "High-level bidding", _at(
        _conventional, "1S P 3S P", "1S P 3S P 4N P", "1N P 4N P", "1N P 4C P", "2C P 2D P 2N P",
        "1H P 2N P",
    )),
}  # fmt: skip

_IN_ORDER: Final = {
    "acbl": (
        "notrump", "majors", "minors", "twos", "other", "doubles", "takeout", "notrump overcalls",
        "over notrump", "overcalls", "jump overcalls", "over a double", "preempts",
        "over preempts", "over strong openings", "cue bids", "slam",
    ),
    "wbf": (
        "overcalls", "notrump overcalls", "jump overcalls", "cue bids", "over notrump",
        "over preempts", "over strong openings", "over a double", "takeout", "doubles",
        "minors", "majors", "notrump", "twos", "preempts", "other", "slam",
    ),
}  # fmt: skip


def card_of(system: System, name: str, order: str = "acbl") -> ConventionCard:
    """Gather the card of a system that was opened from a file.

    Parameters
    ----------
    system : System
    name : str
        What opens it: a name such as ``sayc``, or a path.
    order : str
        One of :data:`ORDERS`.

    Raises
    ------
    InvalidSystem
        If there is no such order, or the files are no longer what was read.

    Examples
    --------
    >>> card = card_of(open_system("sayc"), "sayc", "wbf")
    >>> card.sections[0].heading, card.options["weak-notrump"]
    ('Overcalls', False)
    """
    if order not in ORDERS:
        raise InvalidSystem(f"expected the order of a card ({', '.join(ORDERS)}), got {order!r}")
    outline = outline_of(system)
    parts = (_PARTS[key] for key in _IN_ORDER[order])
    sections = (
        CardSection(one.wbf if order == "wbf" else one.acbl, (*_rows(system, outline, one.places),))
        for one in parts
    )
    return ConventionCard(
        name,
        system.text.title or system.name,
        order,
        system.digest,
        dict(system.text.options),
        system.text.prose,
        tuple(one for one in sections if one.rows),
        tuple(_conventions(system, outline)),
    )


def _rows(system: System, outline: Outline, places: Iterable[_Where]) -> Iterator[CardRow]:
    for auction, belongs in places:
        calls = parse_calls(auction)
        found = [one for one in system.expand(calls).entries if belongs(calls, one)]
        found.sort(key=lambda one: (one.call < FIRST_BID, one.call, one.rank))
        for entries in _meanings(found):
            first = entries[0]
            descriptions = dict.fromkeys(filter(None, map(description_of, entries)))
            yield CardRow(
                format_calls(calls),
                format_call(first.call),
                first.name,
                "; or ".join(descriptions),
                agreements_of(first),
                str(first.where),
                outline.option_at(first.where),
            )


def _meanings(entries: Iterable[PlaceEntry]) -> Iterator[list[PlaceEntry]]:
    """Entries of one call and name together: a reader sees one meaning in several ways."""
    for _, found in groupby(entries, lambda one: (one.call, one.name)):
        yield [*found]


def _conventions(system: System, outline: Outline) -> Iterator[CardConvention]:
    for name, one in outline.described_options().items():
        words = system.text.option_words[name]
        about = words.about or one.about
        yield CardConvention(
            name, system.text.options[name], str(one.where), about, title=words.title
        )
    for one in outline.conventions:
        yield CardConvention(one.name, None, str(one.where), one.about)


# --- JSON -----------------------------------------------------------------------------------------


def print_card(card: ConventionCard) -> str:
    """Write a card as JSON; the counterpart of :func:`parse_card`."""
    return json.dumps(asdict(card), indent=1, ensure_ascii=False) + "\n"


def print_card_head(card: ConventionCard) -> str:
    """Write what a page says of its card in its head: all but the sections.

    Examples
    --------
    >>> card = card_of(open_system("sayc"), "sayc")
    >>> parse_card(print_card_head(card)).options == card.options
    True
    """
    return json.dumps(asdict(replace(card, about="", sections=(), conventions=())))


def parse_card(text: str, source: str = "<card>") -> ConventionCard:
    r"""Read a card that :func:`print_card` wrote, or its page.

    A page to be printed (``bidcascade system card --out card.html``) has system, digest and options
    of the card in its head, under the name :data:`PAGE_NAME`; its sections are left empty.

    Raises
    ------
    InvalidSystem
        If it is no card, or says an option or another thing twice.

    Examples
    --------
    >>> card = card_of(open_system("sayc"), "sayc")
    >>> parse_card(print_card(card)) == card
    True
    >>> parse_card('{"options": {"a": true, "a": false}}')
    Traceback (most recent call last):
    ...
    bidcascade.bridge.errors.InvalidSystem: <card>: expected each name once, got 'a' twice
    """
    if len(text) > _LONGEST:
        raise InvalidSystem(
            f"{source}: expected at most {_LONGEST:,} characters of a card, got {len(text):,}"
        )

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise InvalidSystem(f"{source}: expected each name once, got {name!r} twice")
            found[name] = value
        return found

    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        head = _IN_PAGE.search(text)
        if head is None:
            raise InvalidSystem(
                f"{source}: expected a card as JSON, or a page with one in its head, "
                "got a page without"
            )
        text = html.unescape(head[1])
    try:
        stored = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        if isinstance(error, InvalidSystem):
            raise
        raise InvalidSystem(f"{source}: expected a card as JSON: {error}") from None
    card: ConventionCard = _read(ConventionCard, stored, source, "the card")
    return card


_NESTED: Final = {"sections": CardSection, "rows": CardRow, "conventions": CardConvention}


def _read(kind: type, stored: object, source: str, what: str) -> Any:
    """Read one part of a card, whose fields name their types."""
    names = [one.name for one in fields(kind)]
    # what a part has by default, cards of earlier versions lack
    needed = {one.name for one in fields(kind) if one.default is MISSING}
    if not isinstance(stored, dict) or not needed <= stored.keys() <= {*names}:
        got = sorted(stored) if isinstance(stored, dict) else stored
        raise InvalidSystem(f"{source}: expected {what} with {', '.join(names)}, got {_short(got)}")
    return kind(**{name: _field(name, value, source) for name, value in stored.items()})


def _field(name: str, value: object, source: str) -> Any:
    if name in _NESTED or name == "agreements":
        if not isinstance(value, list):
            raise InvalidSystem(f"{source}: expected a list in {name!r}, got {_short(value)}")
        inner = _NESTED.get(name)
        if inner is not None:
            return tuple(_read(inner, one, source, f"an item of {name!r}") for one in value)
        return tuple(_field("", one, source) for one in value)
    if name == "options":
        if not isinstance(value, dict) or not all(isinstance(one, bool) for one in value.values()):
            raise InvalidSystem(f"{source}: expected options as true or false, got {_short(value)}")
        return value
    wanted = (bool, type(None)) if name == "is_on" else str
    if not isinstance(value, wanted):
        raise InvalidSystem(f"{source}: expected a text in {name!r}, got {_short(value)}")
    return value


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


def options_of_card(path: str | Path, system: str | Path) -> dict[str, bool]:
    """Options that a card in a file says, for the system that it was made of.

    Raises
    ------
    InvalidSystem
        If the file is no card, or the system with these options does not bid as the card says.
    """
    try:
        text = read_bounded(Path(path), LONGEST_CARD, InvalidSystem).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSystem(f"{path}: expected a card that can be read: {error}") from None
    card = parse_card(text, str(path))
    opened = open_system(system, options=card.options)
    if opened.digest != card.digest:
        raise InvalidSystem(
            f"{path}: expected a card of {str(system)!r} as its text is now "
            f"({opened.digest[:16]}), got one of {card.system!r} ({card.digest[:16]}); make it "
            "anew with `bidcascade system card`"
        )
    return dict(card.options)
