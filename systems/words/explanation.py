"""What an auction has shown, call by call: in a sentence, with the numbers behind it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Protocol, TypeVar

import numpy as np

from bidcascade.bridge import PASS, Auction, Seat, ShownAnswer, Vulnerability, format_call
from bidcascade.kernels.packing.intervals import both
from bidcascade.systems.language.auctions.patterns import Bindings
from bidcascade.systems.language.tree.syntax_tree import Condition
from bidcascade.systems.places.knowledge import HANDS, POINTS, hull, proportion, share, to_flags
from bidcascade.systems.places.one_deal import in_one_deal
from bidcascade.systems.places.places import Place, Rules, depends_on_context
from bidcascade.systems.places.state import Meaning, State, shown
from bidcascade.systems.places.turn_context import auction_calls, dealer_and_sides
from bidcascade.systems.system import System
from bidcascade.table.language.expression_tree import Expression
from bidcascade.table.language.vocabulary import Vocabulary

from .cell_words import MANY_POINTS, cells_text, points_text
from .criterion_words import honours_of
from .describing import agreement_words

T = TypeVar("T")

_VOCABULARY: Final = Vocabulary()


@dataclass(frozen=True, slots=True, repr=False)
class HandType(ShownAnswer):
    """One alternative of a call: a line or variant, with least and most points and cards."""

    name: str
    where: str
    share: float
    """Part of the hands that make the call, by shape and points, 0 to 1."""
    points: tuple[int, int]
    lengths: dict[str, tuple[int, int]]
    """By suit letter."""


@dataclass(frozen=True, slots=True, repr=False)
class ExplainedCall(ShownAnswer):
    """One call: what it said, and what the player has shown with it and before."""

    call: str
    player: int
    """Position from the dealer, 0 to 3."""
    sentence: str
    """As a player would say it; a range of points no wider than the other hands leave."""
    known: bool
    """Whether the system has a line for the call."""
    agreements: tuple[str, ...]
    """Texts: ``forcing``, ``artificial``, ``#stayman`` …."""
    hand_types: tuple[HandType, ...]
    points: tuple[int, int]
    """Bounds of the player's hand by his own calls, as are lengths: those that he promises."""
    every_points: tuple[int, int]
    """Bounds of all hands that call so, such as light openings with long suits."""
    lengths: dict[str, tuple[int, int]]
    also: dict[str, tuple[int, int]]
    """Bounds of further terms, such as ``Aces``."""
    share: float
    """Part of all hands that fit what the player has shown so far."""


@dataclass(frozen=True, slots=True, repr=False)
class AuctionExplanation(ShownAnswer):
    """An auction explained, call by call, and what binds the next player and his side.

    Examples
    --------
    >>> found = AuctionExplanation("P", (), forced=False, game_forced=False, agreed_suit=None)
    >>> found.auction
    'P'
    """

    auction: str
    calls: tuple[ExplainedCall, ...]
    forced: bool
    """Whether the next player may not pass."""
    game_forced: bool
    agreed_suit: str | None
    next_calls: tuple[dict[str, str], ...] = ()
    """What the next player has to choose from: call, name and where the line stands."""


class StatesAndPlaces(Protocol):
    """Where states and places come from, such as a :class:`~.auction_reader.CoreReader`."""

    @property
    def sides(self) -> tuple[Rules, Rules]:
        """Systems of the dealer's side and of the other one."""
        ...

    def place(self, calls: Sequence[int]) -> Place:
        """Entries after a legal auction that goes on."""
        ...

    def state(self, calls: Sequence[int]) -> State:
        """State after a legal auction."""
        ...

    def lowered(self, condition: Condition, calls: Sequence[int], bindings: Bindings) -> Expression:
        """Find what a condition becomes behind calls, of the text of the player to call."""
        ...

    def at(self, dealer: Seat, vulnerability: Vulnerability) -> "StatesAndPlaces":
        """Give the same by what calls mean where this side deals, so vulnerable."""
        ...


def explain_auction(
    system: System,
    auction: "str | Sequence[int | str]",
    opponents: System | None = None,
    *,
    dealer: Seat | str = Seat.NORTH,
    vulnerability: Vulnerability | str | None = None,
) -> AuctionExplanation:
    """Explain every call of an auction, both sides'.

    Parameters
    ----------
    system
        Of the side that calls next.
    auction
        Legal; it may be over.
    opponents
        System of the other side; None is the same.
    dealer, vulnerability
        Calls are told as they are meant there; without a vulnerability sentences tell of each, and
        all else is what holds at some of them.

    Raises
    ------
    IllegalCall, InvalidCall
        If it is no legal auction.

    Examples
    --------
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong notrump: 15-17 points, balanced
    ... ''')
    >>> explain_auction(system, "1N").calls[0].sentence
    'Strong notrump: 15-17 points, balanced'
    """
    calls = auction_calls(auction)
    reader = system.reader(opponents, first=len(calls) % 2 == 0)
    if vulnerability is None:
        return explain_places(reader, calls)
    return explain_places(reader, calls, *dealer_and_sides(dealer, vulnerability))


def explain_places(
    places: StatesAndPlaces,
    calls: Sequence[int],
    dealer: Seat = Seat.NORTH,
    vulnerability: Vulnerability | None = None,
) -> AuctionExplanation:
    """Like :func:`explain_auction`, by the places of two systems."""
    calls = tuple(calls)
    Auction.of(calls)
    if vulnerability is not None:
        return _explained(places.at(dealer, vulnerability), calls)
    found = _explained(places, calls)
    return replace(found, calls=_at_each(found.calls, places, calls))


def _at_each(
    explained: Sequence[ExplainedCall], places: StatesAndPlaces, calls: tuple[int, ...]
) -> tuple[ExplainedCall, ...]:
    """Put sentences of each vulnerability where those of calls differ."""
    meanings = places.state(calls).meanings
    return tuple(
        replace(one, sentence=_sentence_of_each(places, calls[: number + 1]) or one.sentence)
        if differs_by_vulnerability(meanings[number])
        else one
        for number, one in enumerate(explained)
    )


def differs_by_vulnerability(meaning: Meaning) -> bool:
    """Whether a call, which was read for no vulnerability, may mean something else at another."""
    return any(
        one.context is None and depends_on_context(one.expression) for one in meaning.alternatives
    )


def told_at_each(
    places: StatesAndPlaces, calls: Sequence[int], tell: Callable[[StatesAndPlaces], T]
) -> dict[Vulnerability, T]:
    """Tell something of the last call at each vulnerability, as North sees it, who made it."""
    dealer = Seat((1 - len(calls)) % 4)
    return {sides: tell(places.at(dealer, sides)) for sides in _SIDES}


def by_one_side(told: Mapping[Vulnerability, T]) -> tuple[T, T, tuple[str, str, str]] | None:
    """Find the two things that are told where one side's vulnerability decides.

    Returns
    -------
    tuple or None
        What is told where that side is vulnerable, where it is not, and words for both, and for
        the second one alone.
    """
    for first, other, words in _EITHER:
        if all(len({told[one] for one in side}) == 1 for side in (first, other)):
            return told[first[0]], told[other[0]], words
    return None


def _sentence_of_each(places: StatesAndPlaces, calls: tuple[int, ...]) -> str:
    """Sentence of the last call at each vulnerability; empty where all are the same."""
    told = told_at_each(places, calls, lambda there: _explained_call(there, calls).sentence)
    if len(set(told.values())) == 1:
        return ""
    if (either := by_one_side(told)) is not None:
        return either_sentence(*either)
    return "; or ".join(
        f"{' or '.join(_SIDES[one] for one in told if told[one] == sentence)}: {sentence}"
        for sentence in dict.fromkeys(told.values())
        if sentence != _NO_AGREEMENT
    )


_SIDES: Final = {
    Vulnerability.NS: "vulnerable against not",
    Vulnerability.BOTH: "both vulnerable",
    Vulnerability.NONE: "nobody vulnerable",
    Vulnerability.EW: "not vulnerable against vulnerable",
}
"""Words for vulnerabilities as North sees them."""
_EITHER: Final = (
    (
        (Vulnerability.NS, Vulnerability.BOTH),
        (Vulnerability.NONE, Vulnerability.EW),
        ("vulnerable", "not", "not vulnerable"),
    ),
    (
        (Vulnerability.EW, Vulnerability.BOTH),
        (Vulnerability.NONE, Vulnerability.NS),
        ("against vulnerable opponents", "else", "against opponents who are not vulnerable"),
    ),
)
"""Vulnerabilities that one side's decides, with words for both, and for the second one alone."""


def either_sentence(first: str, other: str, words: tuple[str, str, str]) -> str:
    """Join two sentences of a call, which differ, by what each holds for.

    Examples
    --------
    >>> strong, weak = "Notrump: 15-17 points, balanced", "Notrump: 12-14 points, balanced"
    >>> words = ("vulnerable", "not", "not vulnerable")
    >>> either_sentence(strong, weak, words)
    'Notrump: 15-17 points vulnerable, 12-14 not, balanced'
    >>> either_sentence(strong, weak.replace("Notrump", "Weak"), words)
    'vulnerable: Notrump: 15-17 points, balanced; or not: Weak: 12-14 points, balanced'
    >>> either_sentence("No agreement about this call", weak, words)
    'Notrump: 12-14 points, balanced (not vulnerable)'
    """
    if first == _NO_AGREEMENT:
        return f"{other} ({words[2]})"
    if other == _NO_AGREEMENT:
        return f"{first} ({words[0]})"
    said, there = (_PARTS.split(one) for one in (first, other))
    if len(said) == len(there):
        differing = [place for place, one in enumerate(said) if one != there[place]]
        if len(differing) == 1 and differing[0]:
            (place,) = differing
            told, shorter = said[place], there[place]
            word = told.rpartition(" ")[2]
            shorter = shorter.removesuffix(f" {word}")
            said[place] = f"{told} {words[0]}, {shorter} {words[1]}"
            return "".join(said)
    return f"{words[0]}: {first}; or {words[1]}: {other}"


_NO_AGREEMENT: Final = "No agreement about this call"
_PARTS: Final = re.compile(r"(: |, |; )")
"""Between the name of a call, what it shows, and its agreements."""


def _explained(places: StatesAndPlaces, calls: tuple[int, ...]) -> AuctionExplanation:
    states = [places.state(calls[:number]) for number in range(len(calls) + 1)]
    state, side = states[-1], states[-1].position % 2
    offered: dict[int, dict[str, str]] = {}
    for entry in () if state.auction.is_complete else places.place(calls).entries:
        line = {"call": format_call(entry.call), "name": entry.name, "where": str(entry.where)}
        offered.setdefault(entry.call, line)
    return AuctionExplanation(
        " ".join(map(format_call, calls)),
        tuple(_explained_call(places, calls[: number + 1]) for number in range(len(calls))),
        state.forced,
        state.game_forced[side],
        state.agreed[side],
        tuple(offered.values()),
    )


def _explained_call(places: StatesAndPlaces, calls: tuple[int, ...]) -> ExplainedCall:
    """Explain the last of some calls, with the honours that all its kinds of hands have."""
    before, after = calls[:-1], places.state(calls)
    kinds = {one.expression for one in after.meanings[-1].alternatives}
    defines = places.sides[len(before) % 2].defines
    honours = [
        honours_of(entry, defines, partial(_lowered, places, before))
        for entry in (places.place(before).entries if kinds else ())
        if entry.call == calls[-1] and entry.expression in kinds
    ]
    shown = dict.fromkeys(honours[0]) if honours else {}
    return explained_call(
        after, tuple(one for one in shown if all(one in some for some in honours[1:]))
    )


def _lowered(
    places: StatesAndPlaces, calls: tuple[int, ...], condition: Condition, bindings: Bindings
) -> Expression:
    return places.lowered(condition, calls, bindings)


def explained_call(after: State, honours: tuple[str, ...] = ()) -> ExplainedCall:
    r"""Explain the last call before a state; ``honours`` are words for those that it shows.

    Examples
    --------
    >>> system = System.parse("opening:\n  2H = Weak two: 6-10 points, 6 hearts\n")
    >>> explained_call(system.reader().state((10,))).points
    (6, 10)
    """
    position, meaning = (after.position - 1) % 4, after.meanings[-1]
    known, parts = after.knowledge[position], _parts(meaning)
    points, every = shown(after, position, "HCP"), hull(known.cells).points
    types = [
        HandType(
            one.kind or one.name, str(one.where), part, hull(one.cells).points, _lengths(one.cells)
        )
        for one, part in zip(meaning.alternatives, parts, strict=True)
    ]
    bindings: Bindings = meaning.uses[0].bindings if meaning.uses else {}
    agreements = tuple(agreement_words(one, bindings) for one in meaning.agreements)
    lengths = _lengths(known.cells)
    # who has said "8+" or nothing of his points says nothing of what the others leave him
    least, most = in_one_deal(after.hulls)[position].points
    left = (least if points[0] else 0, most if points[1] < MANY_POINTS else POINTS)
    low, high = both(points, left)
    shown_points = (low, high) if low <= high else points
    sentence = _sentence(meaning, parts, known.cells, shown_points, every[0], honours, agreements)
    return ExplainedCall(
        format_call(meaning.call),
        position,
        sentence,
        meaning.known,
        agreements,
        tuple(types),
        points,
        every,
        lengths,
        {name: value for name, value in known.terms.items() if name != "HCP"},
        share(known.cells),
    )


def _parts(meaning: Meaning) -> list[float]:
    """Part of the call's hands that each alternative takes, earlier ones first; they add to 1."""
    # honours count with their frequency among the hands of a shape and point count
    left = np.ones_like(HANDS)
    weights = []
    for one in meaning.alternatives:
        context = one.context if depends_on_context(one.expression) else None
        held = to_flags(one.cells) * proportion(one.expression, _VOCABULARY, context)
        weights.append(float((HANDS * left * held).sum()))
        left = left * (1 - held)
    total = sum(weights)
    return [weight / total if total else 0.0 for weight in weights]


def _lengths(cells: int) -> dict[str, tuple[int, int]]:
    return dict(zip("CDHS", hull(cells).lengths, strict=True))


def _sentence(
    meaning: Meaning,
    shares: Sequence[float],
    cells: int,
    points: tuple[int, int],
    least: int,
    honours: tuple[str, ...],
    agreements: tuple[str, ...],
) -> str:
    """Name, points, lengths that say something, honours, and the agreements."""
    name = _name(meaning, shares)
    types: list[int] = []
    if len(meaning.uses) == 1:  # hand types of one line, each said by itself
        types = [found for one in meaning.alternatives if (found := one.cells & cells)]
    words, promised = cells_text(cells, points, types), points_text(points)
    if least < points[0] and words.startswith(promised):
        words = f"{promised} (light hands from {least}){words.removeprefix(promised)}"
    words = ", ".join(filter(None, (words, *honours)))
    text = f"{name}: {words}" if words else name
    # tags are for those who write systems; points stand there already
    spoken = [one for one in agreements if not one.startswith(("#", "shows "))]
    return f"{text}; {', '.join(spoken)}" if spoken else text


def _name(meaning: Meaning, shares: Sequence[float]) -> str:
    """Name of a call: of several the one under which most hands make it."""
    if not meaning.known:
        return _NO_AGREEMENT
    weights: dict[str, float] = {}
    for one, part in zip(meaning.alternatives, shares, strict=True):
        if one.name:
            weights[one.name] = weights.get(one.name, 0.0) + part
    if len(weights) > 1 and meaning.call == PASS:
        return "Pass"
    if not weights:
        return "Pass" if meaning.call == PASS else format_call(meaning.call)
    return max(weights, key=weights.__getitem__)
