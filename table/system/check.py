"""What a system does on a sample of deals: shares, overlaps, gaps, dead lines, asymmetries.

Everything is counted on random deals that are bid to the end, so a finding comes with how often
it happens at the table and with an auction in which it does.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

import numpy as np

from bidcascade.bridge import format_call, format_calls
from bidcascade.table.language.vocabulary import Vocabulary

from .compile import DEFAULT_SEED, Growth, Indices, Progress, Sample
from .contexts import PlacedLine
from .expansion import Place, PlaceEntry
from .system import System, auction_calls

_EXAMPLES: Final = 3
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class LineShare:
    """One entry of a place on the sample.

    Parameters
    ----------
    call, name, where
        Of the entry.
    chosen, fits
        Deals that bid it, and deals whose hand meets its conditions.
    taken
        Deals that fit but went to an earlier line, by that line (``call name``).
    """

    call: str
    name: str
    where: str
    chosen: int
    fits: int
    taken: dict[str, int]


@dataclass(frozen=True, slots=True)
class PlaceShares:
    """Shares at one place.

    Parameters
    ----------
    auction
        As text.
    deals
        Deals of the sample that came here.
    lines
        In the order in which they are tried.
    default_pass
        Deals that no line takes.
    forced
        Whether the player may not pass: then these are gaps.
    """

    auction: str
    deals: int
    lines: tuple[LineShare, ...]
    default_pass: int
    forced: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to look at, with how many deals it concerns and auctions in which it happens."""

    kind: str
    text: str
    deals: int
    examples: tuple[str, ...] = ()


@dataclass(slots=True)
class SystemCheck:
    """Outcome of :func:`check_system`.

    Parameters
    ----------
    deals
        Size of the sample.
    places
        Shares at the places that were asked for.
    findings
        Gaps, double claims, dead lines and asymmetries, most deals first within a kind.
    expanded, entries
        Places and entries that the sample needed.
    by_depth
        Deals that still had to call, by number of calls before.
    """

    deals: int
    places: tuple[PlaceShares, ...] = ()
    findings: tuple[Finding, ...] = ()
    expanded: int = 0
    entries: int = 0
    by_depth: dict[int, int] = field(default_factory=dict)


def check_system(
    system: System,
    *,
    deals: int = 10_000,
    seed: int = DEFAULT_SEED,
    auctions: Sequence[str] = ("",),
    least: int = 1,
    progress: Callable[[Progress], None] | None = None,
) -> SystemCheck:
    """Bid random deals with a system and report what stands out.

    Parameters
    ----------
    system
        Played by both sides.
    deals, seed
        The sample.
    auctions
        Places whose shares are wanted; ``""`` is the opening call in first seat.
    least
        Places that fewer deals reach are left alone.

    Examples
    --------
    >>> system = System.parse('''
    ... opening:
    ...   1NT = Strong: 15-17 points, balanced
    ...   1C = Any other: 12+ points
    ... ''')
    >>> check = check_system(system, deals=200)
    >>> [line.call for line in check.places[0].lines]
    ['1N', '1C']
    """
    wanted = {auction_calls(auction) for auction in auctions}
    sample = Sample.random(deals, seed=seed)
    growth = Growth(system.bidder(), sample, least=least, progress=progress)
    tally = _Tally(system, sample)
    shares: dict[tuple[int, ...], PlaceShares] = {}
    for place, taken in growth.places():
        tally.add(place, taken)
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
    count = sum(len(deals) for _, deals in taken)
    every = np.sort(np.concatenate([deals for _, deals in taken])) if taken else np.zeros(0, int)
    owner = np.full(len(every), len(taken))
    for number, (_, deals) in enumerate(taken):
        owner[np.searchsorted(every, deals)] = number
    lines = []
    position = place.position
    for number, (entry, deals) in enumerate(taken):
        if entry is None:
            continue
        held = np.ones(len(every), bool)
        for expression in entry.criteria:
            held &= sample.holding(expression, position, every, vocabulary)
        takers = Counter(owner[held & (owner < number)].tolist())
        lines.append(
            LineShare(
                format_call(entry.call),
                entry.name,
                str(entry.where),
                len(deals),
                int(held.sum()),
                {_label(taken[key][0]): n for key, n in takers.most_common()},
            )
        )
    default = sum(len(deals) for entry, deals in taken if entry is None)
    return PlaceShares(format_calls(place.calls), count, tuple(lines), default, place.forced)


def _label(entry: PlaceEntry | None) -> str:
    return "Pass" if entry is None else f"{format_call(entry.call)} {entry.name}".strip()


class _Tally:
    """Collects findings while places go by."""

    def __init__(self, system: System, sample: Sample) -> None:
        self._sample = sample
        self._system = system
        self._lines = system.rules.places.lines
        self.places = self.entries = 0
        self.by_depth: Counter[int] = Counter()
        self._chosen: Counter[int] = Counter()
        self._offered: Counter[int] = Counter()
        self._gaps: dict[str, tuple[int, list[str]]] = {}
        self._claims: dict[tuple[str, str, str], tuple[int, list[str]]] = {}
        self._names: dict[tuple[int, ...], tuple[int, frozenset[tuple[int, str]]]] = {}

    def add(self, place: Place, taken: Sequence[tuple[PlaceEntry | None, Indices]]) -> None:
        self.places += 1
        self.entries += len(place.entries)
        count = sum(len(deals) for _, deals in taken)
        self.by_depth[len(place.calls)] += count
        text = format_calls(place.calls) or "opening"
        for entry, deals in taken:
            if entry is not None:
                self._offered[entry.line.number] += count
                self._chosen[entry.line.number] += len(deals)
            elif len(deals) and place.forced:
                _note(self._gaps, self._forcing_line(place), len(deals), text)
        self._find_claims(place, taken, text)
        self._names[place.calls] = (
            count, frozenset((entry.call, entry.name) for entry in place.entries)
        )  # fmt: skip

    def _forcing_line(self, place: Place) -> str:
        before = self._system.bidder().place(place.calls[:-2])
        line = next((one.line.line for one in before.entries if one.call == place.calls[-2]), None)
        if line is None:
            return "a game-forcing auction"
        return f"{line.name or 'a line'} ({line.where})"

    def _find_claims(
        self, place: Place, taken: Sequence[tuple[PlaceEntry | None, Indices]], text: str
    ) -> None:
        """Two lines of equal specificity that make the same call with the same hands."""
        first: dict[int, tuple[PlaceEntry, Indices]] = {}
        for entry, deals in taken:
            if entry is None or not entry.specificity[3]:
                continue
            other, took = first.setdefault(entry.call, (entry, deals))
            if other.line is entry.line or other.specificity != entry.specificity:
                continue
            for expression in entry.criteria:
                held = self._sample.holding(
                    expression, place.position, took, self._system.vocabulary
                )
                took = took[held]
            if len(took) and other.name != entry.name:
                key = (format_call(entry.call), str(other.where), str(entry.where))
                _note(self._claims, key, len(took), text)

    def findings(self) -> Iterator[Finding]:
        for text, (count, examples) in _most(self._gaps):
            yield Finding(
                "gap", f"nothing fits after {text}, which is forcing", count, tuple(examples)
            )
        for (call, first, second), (count, examples) in _most(self._claims):
            yield Finding(
                "double claim",
                f"{call} means two things with the same hand: {first} and {second}",
                count,
                tuple(examples),
            )
        for placed in self._lines:
            if not self._chosen[placed.number]:
                yield self._dead(placed)
        yield from self._asymmetries()

    def _dead(self, placed: PlacedLine) -> Finding:
        offered = self._offered[placed.number]
        why = (
            f"never chosen, though its place came up on {offered} deals"
            if offered
            else "its place never came up"
        )
        name = placed.line.name or "a line without a name"
        return Finding(
            "dead line" if offered else "unreached line",
            f"{placed.line.where} {name}: {why}",
            offered,
        )

    def _asymmetries(self) -> Iterator[Finding]:
        """Places whose twin with hearts and spades exchanged has lines of other names."""
        found: dict[str, tuple[int, list[str]]] = {}
        for calls, (count, names) in self._names.items():
            twin = tuple(map(_exchanged, calls))
            if twin <= calls or twin not in self._names:
                continue
            own = _comparable(names, twin)
            other = _comparable(self._names[twin][1], calls)
            if own != other:
                both = count + self._names[twin][0]
                lacking = ", ".join(sorted(own ^ other)[:_EXAMPLES])
                _note(
                    found, f"hearts and spades differ: {lacking}", both,
                    f"{format_calls(calls)} / {format_calls(twin)}",
                )  # fmt: skip
        for text, (count, examples) in _most(found):
            yield Finding("asymmetry", text, count, tuple(examples))


def _exchanged(call: int) -> int:
    """Call with hearts and spades exchanged."""
    if call < 3:
        return call
    return call + {2: 1, 3: -1}.get((call - 3) % 5, 0)


def _comparable(names: frozenset[tuple[int, str]], twin: tuple[int, ...]) -> set[str]:
    """Names of calls that could be made, with majors exchanged, at the twin place too."""
    last = max(twin, default=0)
    return {name for call, name in names if call > 2 and name and _exchanged(call) > last}


def _note(notes: dict[Key, tuple[int, list[str]]], key: Key, count: int, text: str) -> None:
    before, examples = notes.get(key, (0, []))
    if len(examples) < _EXAMPLES:
        examples.append(text)
    notes[key] = (before + count, examples)


def _most(
    notes: dict[Key, tuple[int, list[str]]],
) -> list[tuple[Key, tuple[int, list[str]]]]:
    return sorted(notes.items(), key=lambda item: -item[1][0])


def default_groups(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    """Sort findings by kind.

    Examples
    --------
    >>> default_groups([Finding("gap", "nothing fits", 3)]).keys()
    dict_keys(['gap'])
    """
    found: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        found[finding.kind].append(finding)
    return dict(found)
