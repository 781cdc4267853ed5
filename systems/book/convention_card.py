"""A convention card: what a system plays, on the two pages that a pair hands to its opponents.

The parts are those of the card of the ACBL (American Contract Bridge League) and of the World
Bridge Federation's, in the order that both have: openings with their responses on the first page,
defence, competition, slams and leads on the second. Each is filled from places of the text: the
calls that a pair has there, in the words of :mod:`bidcascade.systems.words.card_words`. What a text
does not say is left out.
"""

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
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
    format_calls,
    parse_call,
    parse_calls,
)
from bidcascade.kernels.machine.bounded_files import read_bounded
from bidcascade.systems.language.reading.options import option_rows
from bidcascade.systems.limits import LONGEST_CARD
from bidcascade.systems.places.places import PlaceEntry
from bidcascade.systems.registry import open_system
from bidcascade.systems.system import System
from bidcascade.systems.words.card_words import (
    LONGEST_LINE,
    call_sign,
    card_words_of_each,
    words_data,
)
from bidcascade.systems.words.explanation import StatesAndPlaces

_NOTRUMP: Final = 4
_GAME: Final = parse_call("4S")
"""Higher bids are where the strength of both hands is known: every system has them."""
_QUANTITATIVE: Final = parse_call("4N")
_LONGEST: Final = 1 << 24
PAGE_NAME: Final = "bidcascade-card"
_IN_PAGE: Final = re.compile(rf'<meta name="{PAGE_NAME}" content="([^"]*)">')
_TWO_OVER_ONE: Final = {"forcing to game": "game forcing", "forcing": "forcing one round"}
_CONVENTIONAL: Final = ("artificial", "relay", "transfer", "puppet")


@dataclass(frozen=True, slots=True)
class CardLine:
    """One line: calls that mean the same, with points (``12-21``) and words; each may be empty.

    ``after`` is the head that the line stands under, as ``Responses to 1♣``. Suits are signs.
    ``auction`` leads to the first of the calls in the system's book; none for a remark.
    """

    after: str
    call: str
    points: str
    words: str
    auction: str


@dataclass(frozen=True, slots=True)
class CardSection:
    """A part of the card under its heading, on page 1 or 2."""

    heading: str
    page: int
    lines: tuple[CardLine, ...]


@dataclass(frozen=True, slots=True)
class ConventionCard:
    """A card; :func:`print_card` writes it, :func:`parse_card` reads it back.

    ``system`` is what opens it (a name or a path), ``digest`` what it bids by with these options.
    """

    system: str
    title: str
    digest: str
    options: Mapping[str, bool]
    sections: tuple[CardSection, ...]


# --- parts ----------------------------------------------------------------------------------------


class Group(NamedTuple):
    """Places whose calls stand under one head.

    Parameters
    ----------
    head
        Of the lines; of places over their bids the bids follow.
    auctions
        The places. Those of one kind share a head where no call means two things.
    kind
        Which calls belong: a name of :data:`KINDS`.
    calls
        The calls alone that belong, if any are named.
    style
        ``auction`` writes the auction in front of the call, ``answer`` says the name alone.
    """

    head: str
    auctions: tuple[str, ...]
    kind: str = "any"
    calls: tuple[str, ...] = ()
    style: str = ""


class Part(NamedTuple):
    """A part of the card: heading, page, and its groups in order."""

    heading: str
    page: int
    groups: tuple[Group, ...]


_THEIRS: Final = "Over their"
_SUITS_OPENED: Final = ("1C", "1D", "1H", "1S")
PARTS: Final = (
    Part("Notrump openings", 1, (
        Group("", ("",), calls=("1N", "2N", "3N")),
        Group("Responses to 1NT", ("1N P",)),
        Group("After 1NT – 2♣", ("1N P 2C P",)),
        Group("Responses to 2NT", ("2N P",)),
    )),
    Part("Major openings", 1, (
        Group("", ("",), calls=("1H", "1S")),
        Group("Responses to 1♥", ("1H P",)),
        Group("Responses to 1♠", ("1S P",)),
        Group("Responses to 1♠ by a passed hand", ("P P 1S P",), "conventional", ("2C", "2D")),
    )),
    Part("Minor openings", 1, (
        Group("", ("",), calls=("1C", "1D")),
        Group("Responses to 1♣", ("1C P",)),
        Group("Responses to 1♦", ("1D P",)),
    )),
    Part("Two-level openings", 1, (
        Group("", ("",), calls=("2C", "2D", "2H", "2S")),
        Group("Responses to 2♣", ("2C P",)),
        Group("Responses to 2♦", ("2D P",)),
        Group("Responses to 2♥", ("2H P",)),
        Group("Responses to 2♠", ("2S P",)),
    )),
    Part("Higher openings", 1, (
        Group("", ("",), "high"),
        Group("Responses to 3♣", ("3C P",)),
        Group("Responses to 3♥", ("3H P",)),
    )),
    Part("Overcalls", 2, (
        Group(_THEIRS, _SUITS_OPENED, "overcall"),
        Group("After our 1♠ over 1♦", ("1D 1S P",)),
    )),
    Part("Notrump overcalls", 2, (
        Group(_THEIRS, _SUITS_OPENED, calls=("1N",)),
        Group("After (1♠) – pass – pass", ("1S P P",), calls=("1N", "2N")),
    )),
    Part("Doubles", 2, (
        Group("", (
            "1C", "1H", "1D P 1S", "1H P P", "1D 1S", "1H 2C", "1S X 2S", "1D 1S 2D 2S",
            "1D P 1H 1S", "1D P 1H X", "1H P 2H", "1N 2H",
        ), "double", style="auction"),
    )),
    Part("Jump overcalls", 2, (Group(_THEIRS, _SUITS_OPENED, "jump overcall"),)),
    Part("Cue bids and unusual notrump", 2, (
        Group(_THEIRS, _SUITS_OPENED, "cue bid"),
        Group(_THEIRS, _SUITS_OPENED, calls=("2N", "4N")),
    )),
    Part("Over their notrump", 2, (
        Group("", ("1N",), "competing"), Group("Over their 2NT", ("2N",), "competing"),
    )),
    Part("Over their preempts and strong openings", 2, (
        Group(_THEIRS, ("2D", "2H", "2S"), "competing"),
        Group(_THEIRS, ("3D", "3S"), "competing"),
        Group(_THEIRS, ("2C",), "competing"),
    )),
    Part("Competitive bidding", 2, (
        Group("Over their double of 1♥", ("1H X",), "competing"),
        Group("Over their double of 1NT", ("1N X",), "conventional"),
        Group("Over their 1♠ overcall of 1♥", ("1H 1S",)),
        Group("Over their 2♥ overcall of 1NT", ("1N 2H",)),
    )),
    Part("Slam bidding", 2, (
        Group("After 1♠ – 3♠", ("1S P 3S P",), "slam", style="answer"),
        Group("Answers to 4NT", ("1S P 3S P 4N P",), "conventional", style="answer"),
        Group("Answers to 4♣ over 1NT", ("1N P 4C P",), "conventional", style="answer"),
    )),
)  # fmt: skip
"""The parts in their order, behind the general approach; the leads follow."""

LEADS: Final = (
    ("Solid honours", ("AK", "KQ", "QJ", "JT"), "top of touching honours"),
    ("Inside honours", ("KJT", "QT9"), "top of the touching ones"),
    ("Length", ("Q9753", "K8642"), "fourth best"),
    ("Three to an honour", ("K73", "Q64"), "lowest"),
    ("Small cards", ("83", "853"), "top"),
    ("Ace against a suit contract", ("A73", "A8642"), "ace"),
)
"""What :mod:`bidcascade.inference.lead_carding` leads: name, holdings, and which card of each."""


def card_data() -> dict[str, Any]:
    """Give the parts, and tables of words, for the engine that makes cards in the browser.

    Examples
    --------
    >>> card_data()["parts"][0]["heading"]
    'Notrump openings'
    """
    return {
        "parts": [
            {
                "heading": part.heading,
                "page": part.page,
                "groups": [one._asdict() for one in part.groups],
            }
            for part in PARTS
        ],
        "theirs": _THEIRS,
        "game": _GAME,
        "quantitative": _QUANTITATIVE,
        "conventional": _CONVENTIONAL,
        "approach": [*map(list, _TWO_OVER_ONE.items())],
        "leads": [line.words for line in _leads()],
        "words": words_data(),
    }


def _double(calls: tuple[int, ...], call: int) -> bool:
    return call in (DOUBLE, REDOUBLE)


def _suit(call: int) -> bool:
    return call >= FIRST_BID and bid_strain(call) != _NOTRUMP


def _theirs(calls: tuple[int, ...]) -> set[int]:
    """Strains that the other side has bid."""
    return {bid_strain(one) for one in calls[len(calls) % 2 ^ 1 :: 2] if one >= FIRST_BID}


def _jumps(calls: tuple[int, ...], call: int) -> bool:
    """Whether a bid is above the lowest one of its strain."""
    return (call - max(calls) - 1) // 5 > 0


def _new_suit(calls: tuple[int, ...], call: int) -> bool:
    return _suit(call) and bid_strain(call) not in _theirs(calls)


KINDS: Final[Mapping[str, Callable[[tuple[int, ...], int], bool]]] = {
    "any": lambda calls, call: call >= FIRST_BID,
    "high": lambda calls, call: call >= FIRST_BID and bid_level(call) >= 3 and _suit(call),
    "double": _double,
    "competing": lambda calls, call: call > PASS,
    "overcall": lambda calls, call: _new_suit(calls, call) and not _jumps(calls, call),
    "jump overcall": lambda calls, call: _new_suit(calls, call) and _jumps(calls, call),
    "cue bid": lambda calls, call: _suit(call) and not _new_suit(calls, call),
    "conventional": lambda calls, call: call > PASS,
    "slam": lambda calls, call: call > PASS,
}
"""By name, which calls after an auction belong to a group."""


def card_of(system: System, name: str) -> ConventionCard:
    """Gather the card of a system.

    Parameters
    ----------
    system : System
    name : str
        What opens it: a name such as ``sayc``, or a path.

    Examples
    --------
    >>> card = card_of(open_system("sayc"), "sayc")
    >>> section = card.sections[1]
    >>> section.heading, section.lines[0].call, section.lines[0].words
    ('Notrump openings', '1NT', 'Strong notrump: balanced')
    """
    readers = {first: system.reader(first=first) for first in (False, True)}

    def lines_of(group: Group) -> list[CardLine]:
        return _lines(group, lambda calls: readers[len(calls) % 2 == 0])

    found = [
        CardSection(
            one.heading, one.page, tuple(line for group in one.groups for line in lines_of(group))
        )
        for one in PARTS
    ]
    sections = (
        CardSection("General approach", 1, tuple(_approach(system, readers[True]))),
        *found,
        CardSection("Leads", 2, tuple(_leads())),
    )
    return ConventionCard(
        name,
        system.text.title or system.name,
        system.digest,
        dict(system.text.options),
        tuple(one for one in sections if one.lines),
    )


class _Said(NamedTuple):
    """What a card says of a call after an auction."""

    points: str
    words: str
    auction: str

    def is_like(self, other: "_Said") -> bool:
        return self[:2] == other[:2]


def _lines(group: Group, reader: Callable[[tuple[int, ...]], StatesAndPlaces]) -> list[CardLine]:
    """Lines of a group; neighbouring places share a head where no call means two things."""
    heads: list[tuple[list[str], dict[str, _Said]]] = []
    for auction in group.auctions:
        calls = parse_calls(auction)
        said = dict(_said(group, calls, reader(calls)))
        if not said:
            continue
        sign = call_sign(calls[-1]) if calls else ""
        known = heads[-1][1] if heads else {}
        if heads and all(known.get(call, words).is_like(words) for call, words in said.items()):
            heads[-1][0].append(sign)
            heads[-1][1].update(said | known)
        else:
            heads.append(([sign], said))
    found = []
    for signs, known in heads:
        after = f"{group.head} {' '.join(signs)}" if group.head == _THEIRS else group.head
        together: dict[tuple[str, str], list[str]] = {}
        order = [*known] if group.style == "auction" else sorted(known, key=_in_order)
        for call in order:
            together.setdefault(known[call][:2], []).append(call)
        between = ", " if group.style == "auction" else " "
        for words, some in together.items():
            found.append(CardLine(after, between.join(some), *words, known[some[0]].auction))
    return found


def _in_order(sign: str) -> int:
    """Bids by rank, doubles behind them."""
    call = parse_call(sign)
    return call if call >= FIRST_BID else _LONGEST + call


def _said(
    group: Group, calls: tuple[int, ...], places: StatesAndPlaces
) -> Iterator[tuple[str, _Said]]:
    """Give the calls of a place that belong to a group, as shown, with what is said of them."""
    entries: dict[int, list[PlaceEntry]] = {}
    for one in places.place(calls).entries:
        entries.setdefault(one.call, []).append(one)
    for call in sorted(entries):
        if not _belongs(group, calls, call, entries[call]):
            continue
        made = (*calls, call)
        words = ("", entries[call][0].name)
        if group.style != "answer":
            words = card_words_of_each(places, made)
        shown = auction_sign(made) if group.style == "auction" else call_sign(call)
        yield shown, _Said(*words, format_calls(made))


def _belongs(
    group: Group, calls: tuple[int, ...], call: int, entries: Sequence[PlaceEntry]
) -> bool:
    if group.calls and call not in map(parse_call, group.calls):
        return False
    if not KINDS[group.kind](calls, call):
        return False
    conventional = any(one.kind in _CONVENTIONAL for entry in entries for one in entry.agreements)
    if group.kind == "conventional":
        return conventional
    if group.kind == "slam":
        return conventional or any(
            one.name and call > _GAME and one.specificity[0] > 0 for one in entries
        )
    # what stands in `general:` is what every pair does with the strength of both hands
    if group.kind != "double" and all(one.specificity[3] == 0 for one in entries):
        return False
    return call <= _GAME or bool(group.calls) or (call == _QUANTITATIVE and not conventional)


def auction_sign(calls: Sequence[int]) -> str:
    """Write an auction whose last call is ours: theirs in parentheses, without their passes.

    Examples
    --------
    >>> auction_sign(parse_calls("1D P 1H 1S X"))
    '1♦ 1♥ (1♠) X'
    """
    return " ".join(
        call_sign(call) if (len(calls) - number) % 2 else f"({call_sign(call)})"
        for number, call in enumerate(calls)
        if (len(calls) - number) % 2 or call != PASS or number == len(calls) - 2
    )


# --- what is said without a place -----------------------------------------------------------------


def _remark(words: str) -> CardLine:
    return CardLine("", "", "", words, "")


def _approach(system: System, places: StatesAndPlaces) -> Iterator[CardLine]:
    """Say what opponents ask first: lengths of openings, forcing ones, options that are on."""
    shown: dict[tuple[str, str], list[int]] = {}
    forcing = []
    for call in sorted({one.call for one in places.place(()).entries if one.call >= FIRST_BID}):
        after = places.state((call,))
        if after.meanings[-1].has_agreement("forcing", "forcing to game"):
            forcing.append(call_sign(call))
        if bid_level(call) == 1:
            points, words = card_words_of_each(places, (call,))
            shown.setdefault((points, _asked_length(words)), []).append(call)
    for (points, length), calls in shown.items():
        yield CardLine("", " ".join(map(call_sign, calls)), points, length, format_calls(calls[:1]))
    if forcing:
        yield _remark(f"Forcing openings: {' '.join(forcing)}")
    over = places.state(parse_calls("1S P 2C"))
    if not over.meanings[-1].is_artificial:
        for kind, words in _TWO_OVER_ONE.items():
            if over.meanings[-1].has_agreement(kind):
                yield _remark(f"Two over one: {words}")
                break
    titles = [one["title"] for one in option_rows(system.text) if one["on"]]
    for words in _wrapped("Options played: ", titles):
        yield _remark(words)


def _asked_length(words: str) -> str:
    """Length, balance or "forcing" of the words of an opening."""
    found = re.search(r"\d\+? cards|balanced|forcing", words)
    return found[0] if found else ""


def _wrapped(head: str, titles: Iterable[str]) -> Iterator[str]:
    """Titles in a row, cut where a line is full."""
    line = ""
    for title in titles:
        longer = f"{line}, {title}" if line else f"{head}{title}"
        if line and len(longer) > LONGEST_LINE:
            yield f"{line},"
            longer = title
        line = longer
    if line:
        yield line


def _leads() -> Iterator[CardLine]:
    for name, holdings, which in LEADS:
        yield _remark(f"{name} ({', '.join(holdings)}): {which}")
    yield _remark("Signals and discards: no agreement")


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
    return json.dumps(asdict(replace(card, sections=())))


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


_NESTED: Final = {"sections": CardSection, "lines": CardLine}


def _read(kind: type, stored: object, source: str, what: str) -> Any:
    """Read one part of a card, whose fields name their types."""
    names = [one.name for one in fields(kind)]
    if not isinstance(stored, dict) or stored.keys() != {*names}:
        got = sorted(stored) if isinstance(stored, dict) else stored
        raise InvalidSystem(f"{source}: expected {what} with {', '.join(names)}, got {_short(got)}")
    return kind(**{name: _field(name, value, source) for name, value in stored.items()})


def _field(name: str, value: object, source: str) -> Any:
    if name in _NESTED:
        if not isinstance(value, list):
            raise InvalidSystem(f"{source}: expected a list in {name!r}, got {_short(value)}")
        return tuple(_read(_NESTED[name], one, source, f"an item of {name!r}") for one in value)
    if name == "options":
        if not isinstance(value, dict) or not all(isinstance(one, bool) for one in value.values()):
            raise InvalidSystem(f"{source}: expected options as true or false, got {_short(value)}")
        return value
    if name == "page":
        if isinstance(value, bool) or value not in (1, 2):
            raise InvalidSystem(f"{source}: expected page 1 or 2, got {_short(value)}")
        return value
    if not isinstance(value, str):
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
