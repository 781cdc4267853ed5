"""What a system does on a sample of deals: shares, overlaps, gaps, dead lines, asymmetries.

Everything is counted on random deals that are bid to the end, so a finding comes with how often
it happens at the table and with an auction in which it does.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from bidcascade.bridge import (
    FIRST_BID,
    PASS,
    ShownAnswer,
    bid_level,
    format_call,
    format_calls,
    format_hand,
)
from bidcascade.kernels.core.rows import AGREEMENT_KINDS, NO_CALL
from bidcascade.systems.language.auctions.patterns import game_level, strain_of
from bidcascade.systems.places.formulas import GAME_POINTS
from bidcascade.systems.places.knowledge import EVERYTHING, hull
from bidcascade.systems.places.places import Place, PlaceEntry
from bidcascade.systems.places.turn_context import calls_before
from bidcascade.systems.system import System
from bidcascade.systems.tables.compile import DEFAULT_SEED, CompileProgress, Growth, Indices, Sample
from bidcascade.table.language.expression_tree import Expression
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.term_values import term_values

from .double_meanings import double_meanings
from .long_conditions import long_conditions

if TYPE_CHECKING:
    from bidcascade.systems.auctions.bidder import Bidder

STRONG_POINTS: Final = 16
"""Points of a hand that should pass only if partner has limited his."""
_EXAMPLES: Final = 3
_LIMITS: Final = sum(1 << AGREEMENT_KINDS.index(kind) for kind in ("limited", "sign-off"))


@dataclass(frozen=True, slots=True, repr=False)
class LineShare(ShownAnswer):
    """One entry of a place on the sample: deals that bid it, and deals whose hand meets it."""

    call: str
    name: str
    where: str
    chosen: int
    fits: int
    taken: dict[str, int]
    """Deals that fit but went to an earlier line, by that line (``call name``)."""


@dataclass(frozen=True, slots=True, repr=False)
class PlaceShares(ShownAnswer):
    """Shares at one place: of ``deals`` that came here, what each line in its order took."""

    auction: str
    deals: int
    lines: tuple[LineShare, ...]
    default_pass: int
    """Deals that no line takes."""
    forced: bool
    """Whether the player may not pass: then these are gaps."""


@dataclass(frozen=True, slots=True, repr=False)
class Finding(ShownAnswer):
    """Something to look at, with how many deals it concerns and auctions in which it happens."""

    kind: str
    text: str
    deals: int
    examples: tuple[str, ...] = ()


@dataclass(slots=True, repr=False)
class SystemCheck(ShownAnswer):
    """Outcome of :func:`check_system` on so many deals."""

    deals: int
    places: tuple[PlaceShares, ...] = ()
    """Shares at the places that were asked for."""
    findings: tuple[Finding, ...] = ()
    """What :meth:`_Tally.findings` has, most deals first within a kind."""
    expanded: int = 0
    """Places that the sample needed, those of the system alone; next their entries."""
    entries: int = 0
    by_depth: dict[int, int] = field(default_factory=dict)
    """Deals that still had to call, by number of calls before."""


def check_system(
    system: System,
    *,
    deals: int = 10_000,
    seed: int = DEFAULT_SEED,
    auctions: Sequence[str] = ("",),
    least: int = 1,
    opponents: System | None = None,
    progress: Callable[[CompileProgress], None] | None = None,
) -> SystemCheck:
    """Bid random deals with a system and report what stands out.

    Parameters
    ----------
    system
        Played by both sides, or by one where there are ``opponents``.
    deals, seed
        The sample.
    auctions
        Places whose shares are wanted; ``""`` is the opening call in first seat.
    least
        Places that fewer deals reach are left alone.
    opponents
        System of the other side; None is the one that the text names, else the same. Each deal is
        then bid twice, by the system at either side, and only its own calls are reported.

    Raises
    ------
    IllegalCall
        If one of the ``auctions`` is illegal or over.
    """
    wanted = {calls_before(auction) for auction in auctions}
    sample = Sample.random(deals, seed=seed)
    other = opponents or system.opponents
    # position of the first player who plays the system; None: all do
    sides: tuple[int | None, ...] = (None,) if other is system else (0, 1)
    tally = _Tally(system, sample)
    shares: dict[tuple[int, ...], PlaceShares] = {}
    for side in sides:
        bidder = system.bidder(other, first=side != 1)
        tally.start(bidder)
        growth = Growth(bidder, sample, least=least, progress=progress)
        for number, place, taken in growth.places():
            if side is not None and place.position % 2 != side:
                continue
            tally.add(number, place, taken)
            if place.calls in wanted:
                shares[place.calls] = place_shares(place, taken, sample, system.vocabulary)
    return SystemCheck(
        deals,
        tuple(shares[calls] for calls in sorted(shares, key=lambda calls: (len(calls), calls))),
        tuple(tally.findings()),
        tally.places,
        tally.entries,
        dict(tally.by_depth),
    )


def place_shares(
    place: Place,
    taken: Sequence[tuple[PlaceEntry | None, Indices]],
    sample: Sample,
    vocabulary: Vocabulary,
) -> PlaceShares:
    """Chosen and fitting deals of every entry of a place, and who takes what from whom."""
    every = np.sort(np.concatenate([deals for _, deals in taken])) if taken else np.zeros(0, int)
    owner = np.full(len(every), len(taken))
    for number, (_, deals) in enumerate(taken):
        owner[np.searchsorted(every, deals)] = number
    lines = []
    for number, (entry, deals) in enumerate(taken):
        if entry is None:
            continue
        held = np.ones(len(every), bool)
        for expression in entry.criteria:
            held &= sample.holding(expression, place.position, every, vocabulary)
        takers = Counter(owner[held & (owner < number)].tolist())
        by = {_label(taken[key][0]): count for key, count in takers.most_common()}
        call, where = format_call(entry.call), str(entry.where)
        lines.append(LineShare(call, entry.name, where, len(deals), int(held.sum()), by))
    default = sum(len(deals) for entry, deals in taken if entry is None)
    auction = format_calls(place.calls)
    return PlaceShares(auction, len(every), tuple(lines), default, place.forced)


def _named(entry: PlaceEntry) -> str:
    line = entry.line
    return f"{line.name or 'a line'} ({line.where})"


def _label(entry: PlaceEntry | None) -> str:
    return "Pass" if entry is None else f"{format_call(entry.call)} {entry.name}".strip()


class _Tally:
    """Collects findings while places go by."""

    def __init__(self, system: System, sample: Sample) -> None:
        self._sample = sample
        self._system = system
        self._bidder: Bidder
        self._points = np.stack(
            [term_values("HCP", one, sample.deals, system.vocabulary) for one in range(4)]
        )
        self._unbounded: dict[tuple[Expression, ...], bool] = {}
        self.places = self.entries = 0
        self.by_depth: Counter[int] = Counter()
        self._chosen: Counter[int] = Counter()
        self._offered: Counter[int] = Counter()
        self._notes: dict[tuple[str, str], tuple[int, list[str]]] = {}
        self._names: dict[tuple[int, ...], tuple[int, frozenset[tuple[int, str]]]] = {}

    def start(self, bidder: "Bidder") -> None:
        """Take in places of a bidder from here on."""
        self._bidder = bidder

    def add(
        self, number: int, place: Place, taken: Sequence[tuple[PlaceEntry | None, Indices]]
    ) -> None:
        self.places += 1
        self.entries += len(place.entries)
        count = sum(len(deals) for _, deals in taken)
        self.by_depth[len(place.calls)] += count
        auction = format_calls(place.calls) or "opening"
        for entry, deals in taken:
            if entry is not None:
                self._offered[entry.place] += count
                self._chosen[entry.place] += len(deals)
            if not len(deals):
                continue
            if entry is None and place.forced:
                line = self._line_of(place.calls[:-1]) or "a game-forcing auction"
                text = f"nothing fits after {line}, which is forcing"
                self._note("gap", text, len(deals), auction)
            elif entry is None or entry.call == PASS:
                self._find_strong_pass(number, place, entry, deals)
        self._find_claims(place, taken, auction)
        names = frozenset((entry.call, entry.name) for entry in place.entries)
        self._names[place.calls] = count, names

    def _line_of(self, calls: Sequence[int]) -> str:
        """Name the line that makes the last of some calls; empty for none."""
        # not `place`, which may forget places: those of the deals are being walked through
        before = self._bidder.reach(calls[:-1])
        entries = self._bidder.place_with_numbers(before)[0].entries
        return next((_named(one) for one in entries if one.call == calls[-1]), "")

    def _find_strong_pass(
        self, number: int, place: Place, entry: PlaceEntry | None, deals: Indices
    ) -> None:
        """Hands that pass below game with the points for it, by a line that does not limit them."""
        # they have enough with the least that partner has shown, or are strong themselves and
        # partner may be so too; who leaves a double in is none of them
        if entry is not None and not self._is_unbounded(entry):
            return
        me = place.position
        row = self._bidder.row(number)
        last, partner = int(row["last_bid"]), me ^ 2
        is_ours = last >= FIRST_BID and int(row["last_bidder"]) % 2 == me % 2
        if row["doubled"] or (is_ours and bid_level(last) >= game_level(strain_of(last))):
            return
        own, (least, most) = self._points[me, deals], row["hull"][partner][0].tolist()
        call = int(row["call"][partner])
        is_limited = call == PASS or (call != NO_CALL and row["kinds"][partner] & _LIMITS)
        strong = own + least >= GAME_POINTS
        if not is_limited and most >= STRONG_POINTS:
            strong |= own >= STRONG_POINTS
        if not strong.any():
            return
        text = f"{'no line' if entry is None else _named(entry)} passes strong hands"
        heard = [at for at, made in enumerate(place.calls, 1) if made != PASS]
        if heard:
            word = "after" if (heard[-1] - 1 - me) % 2 == 0 else "over"
            text += f" {word} {self._line_of(place.calls[: heard[-1]])}"
        hand = int(self._sample.deals.hands[me, deals[np.argmax(strong)]])
        example = f"{format_hand(hand)} : {format_calls(place.calls)}".rstrip(" :")
        self._note("strong pass", text, int(strong.sum()), example)

    def _is_unbounded(self, entry: PlaceEntry) -> bool:
        """Whether hands of any strength meet the conditions of an entry."""
        known = self._unbounded.get(entry.criteria)
        if known is None:
            can = entry.constraint.reach.can
            known = bool(can) and hull(can).points[1] == hull(EVERYTHING).points[1]
            self._unbounded[entry.criteria] = known
        return known

    def _find_claims(
        self, place: Place, taken: Sequence[tuple[PlaceEntry | None, Indices]], auction: str
    ) -> None:
        """Two lines of equal specificity that make the same call with the same hands."""
        first: dict[int, tuple[PlaceEntry, Indices]] = {}
        for entry, deals in taken:
            if entry is None or not entry.specificity[3]:
                continue
            other, took = first.setdefault(entry.call, (entry, deals))
            if other.place == entry.place or other.specificity != entry.specificity:
                continue
            for expression in entry.criteria:
                vocabulary = self._system.vocabulary
                took = took[self._sample.holding(expression, place.position, took, vocabulary)]
            if len(took) and other.name != entry.name:
                both = f"{other.where} and {entry.where}"
                text = f"{format_call(entry.call)} means two things with the same hand: {both}"
                self._note("double claim", text, len(took), auction)

    def _note(self, kind: str, text: str, count: int, example: str) -> None:
        before, examples = self._notes.get((kind, text), (0, []))
        self._notes[kind, text] = before + count, [*examples, example][:_EXAMPLES]

    def _noted(self, kind: str) -> list[Finding]:
        """List findings of a kind, most deals first."""
        found = [
            Finding(kind, text, count, tuple(examples))
            for (one, text), (count, examples) in self._notes.items()
            if one == kind
        ]
        return sorted(found, key=lambda finding: -finding.deals)

    def findings(self) -> Iterator[Finding]:
        yield from self._noted("gap")
        yield from self._noted("strong pass")
        yield from self._noted("double claim")
        for meaning in double_meanings(self._system.text, self._system.rules.places):
            yield Finding("double meaning", str(meaning), 0)
        # a line of the text may stand at several places: by a convention, or a step over any bid
        totals: dict[tuple[str, str], tuple[int, int]] = {}
        for placed in self._system.rules.places.lines:
            key = str(placed.line.where), placed.line.name
            offered, chosen = totals.get(key, (0, 0))
            totals[key] = (
                offered + self._offered[placed.number],
                chosen + self._chosen[placed.number],
            )
        for (where, name), (offered, chosen) in totals.items():
            if chosen:
                continue
            line = f"{where} {name or 'a line without a name'}"
            if offered:
                text = f"{line}: never chosen, though its place came up on {offered} deals"
                yield Finding("dead line", text, offered)
            else:
                yield Finding("unreached line", f"{line}: its place never came up", 0)
        self._find_asymmetries()
        yield from self._noted("asymmetry")
        for condition in long_conditions(self._system.text):
            yield Finding("long condition", str(condition), 0)

    def _find_asymmetries(self) -> None:
        """Places whose twin with hearts and spades exchanged has lines of other names."""
        for calls, (count, names) in self._names.items():
            twin = tuple(map(_exchanged, calls))
            if twin <= calls or twin not in self._names:
                continue
            others = self._names[twin]
            lacking = sorted(_comparable(names, twin) ^ _comparable(others[1], calls))
            if lacking:
                text = f"hearts and spades differ: {', '.join(lacking[:_EXAMPLES])}"
                both = f"{format_calls(calls)} / {format_calls(twin)}"
                self._note("asymmetry", text, count + others[0], both)


def _exchanged(call: int) -> int:
    """Call with hearts and spades exchanged."""
    return call if call < 3 else call + {2: 1, 3: -1}.get((call - 3) % 5, 0)


def _comparable(names: frozenset[tuple[int, str]], twin: tuple[int, ...]) -> set[str]:
    """Names of calls that could be made, with majors exchanged, at the twin place too."""
    last = max(twin, default=0)
    return {name for call, name in names if call > 2 and name and _exchanged(call) > last}
