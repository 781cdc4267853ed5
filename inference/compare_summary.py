"""A match of two systems summed up: results, where auctions part, contracts, examples, coverage."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from bidcascade.bridge import (
    SEATS,
    VULNERABILITIES,
    Auction,
    Deal,
    Seat,
    Vulnerability,
    format_call,
    format_calls,
    format_deal,
)
from bidcascade.kernels import DealArrays
from bidcascade.loaders import SEAT_ENUM, VULNERABILITY_ENUM
from bidcascade.table import System
from bidcascade.table.system.choice import choose
from bidcascade.table.system.on_demand import seen_from_dealer
from bidcascade.table.system.system import context_at

from .auction_ends import contract_of
from .compare import KINDS, NO_TRICKS, Comparison
from .compare_estimates import (
    CATEGORIES,
    Divergence,
    Estimate,
    contracts_of,
    divergences,
    mean,
    of_system,
    part,
)

MOST_DIVERGENCES: Final = 30
MOST_EXAMPLES: Final = 12
MOST_CONTRACTS: Final = 15


class DivergenceResult(NamedTuple):
    """What came of auctions that parted at one place.

    Parameters
    ----------
    where : Divergence
    examined : int
        Deals whose result is known.
    share : Estimate
        Part of all deals.
    imps : Estimate
        Mean of these deals, for the first system.
    effect : Estimate
        What they add to the mean over all deals.
    """

    where: Divergence
    examined: int
    share: Estimate
    imps: Estimate
    effect: Estimate


@dataclass(frozen=True, slots=True)
class SystemResult:
    """What a system did at both tables.

    Parameters
    ----------
    name : str
    per_deal : dict of str to Estimate
        Contracts that its side declared, a deal (two tables): ``declared``, every one of
        :data:`.compare_estimates.CATEGORIES` but the first, ``doubled``.
    made : Estimate
        Part of them that was made, where two contracts differed and were played.
    length : Estimate
        Calls of the auctions that it bought.
    contracts : tuple of (str, float)
        Its commonest contracts, as part of those it declared.
    """

    name: str
    per_deal: dict[str, Estimate]
    made: Estimate
    length: Estimate
    contracts: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far a system's lines reach, on some deals bid from the start.

    Parameters
    ----------
    calls : int
        Calls that its players made.
    by_lines : int
        Made by a line; the others are passes because no line held.
    general : int
        Of these, made by a line for any place (``general:``).
    forced : int
        Passes because no line held where partner's call had asked for an answer: gaps.
    without_lines : int
        Passes where the system has no line at all.
    """

    calls: int
    by_lines: int
    general: int
    forced: int
    without_lines: int


@dataclass(frozen=True, slots=True)
class Example:
    """One deal with both results; ``text`` is PBN, imps are for the first system."""

    deal: int
    text: str
    dealer: str
    vulnerability: str
    auctions: tuple[tuple[int, ...], tuple[int, ...]]
    contracts: tuple[str, str]
    tricks: tuple[int | None, int | None]
    scores: tuple[int, int]
    imps: int


@dataclass(frozen=True, slots=True)
class Summary:
    """All that a report on a match tells.

    Parameters
    ----------
    names : (str, str)
    deals : int
    kinds : dict of str to int
        Deals by what the tables tell: ``same``, ``differs``, ``left``.
    examined, solved : int
        Deals of the last two kinds that were worked out; double-dummy results asked for.
    imps, points : Estimate
        Mean a deal for the first system.
    outcomes : dict of str to Estimate
        Parts of the deals: ``won``, ``lost`` and ``flat`` for the first system, ``other auction``,
        ``other contract``.
    vulnerabilities : dict of str to (Estimate, Estimate)
        Part of the deals, and their mean IMPs.
    divergences : tuple of DivergenceResult
        Those that matter most.
    systems : (SystemResult, SystemResult)
    coverage : (Coverage, Coverage) or None
    examples : tuple of Example
    seconds : dict of str to float
    """

    names: tuple[str, str]
    deals: int
    kinds: dict[str, int]
    examined: int
    solved: int
    imps: Estimate
    points: Estimate
    outcomes: dict[str, Estimate]
    vulnerabilities: dict[str, tuple[Estimate, Estimate]]
    divergences: tuple[DivergenceResult, ...]
    systems: tuple[SystemResult, SystemResult]
    coverage: tuple[Coverage, Coverage] | None
    examples: tuple[Example, ...]
    seconds: dict[str, float]


def summarize(
    match: Comparison,
    *,
    coverage: "tuple[Coverage, Coverage] | None" = None,
    examples: int = MOST_EXAMPLES,
    most_divergences: int = MOST_DIVERGENCES,
) -> Summary:
    """Sum up a match as far as it was worked out.

    Examples
    --------
    >>> from bidcascade.table import compile_system
    >>> from .compare import compare_systems
    >>> one = System.parse("opening:" + chr(10) + "  1NT = Any: 0+ points")
    >>> deals = DealArrays(*[np.zeros(shape, kind) for shape, kind in (
    ...     ((4, 1), np.uint64), (1, np.uint8), (1, np.uint8))])
    >>> table = compile_system(one, deals=50)
    >>> summarize(compare_systems(one, one, deals, tables=(table, table))).imps
    Estimate(value=0.0, error=0.0)
    """
    values = match.imps.astype(np.float64)
    points = (match.scores[0] - match.scores[1]).astype(np.float64)
    numbers = match.endings.contracts[np.maximum(match.ending, 0)]
    every = np.ones(len(match))
    outcomes = {
        "won": match.imps > 0,
        "lost": match.imps < 0,
        "flat": match.imps == 0,
        "other auction": match.ending[0] != match.ending[1],
        "other contract": numbers[0] != numbers[1],
    }
    sides = match.deals.vulnerability
    return Summary(
        match.names, len(match),
        {name: int((match.kind == kind).sum()) for kind, name in enumerate(KINDS)},
        match.sampled, match.solved, mean(match, values), mean(match, points),
        {name: part(match, every, where) for name, where in outcomes.items()},
        {
            name: (
                Estimate(float((sides == number).mean()), 0.0),
                mean(match, values, sides == number),
            )
            for number, name in enumerate(VULNERABILITIES)
            if (sides == number).any()
        },
        _divergence_results(match, values, most_divergences),
        (_system_result(match, 0), _system_result(match, 1)), coverage,
        _examples(match, examples), dict(match.seconds),
    )  # fmt: skip


def _divergence_results(
    match: Comparison, values: np.ndarray[tuple[int], np.dtype[np.float64]], most: int
) -> tuple[DivergenceResult, ...]:
    found, number = divergences(match)
    every = np.ones(len(match))
    weight = np.bincount(
        number[number >= 0], (match.weights * match.imps)[number >= 0], minlength=len(found)
    )
    common = np.bincount(number[number >= 0], match.weights[number >= 0], minlength=len(found))
    # those with the largest effect, and the commonest
    chosen = dict.fromkeys(np.argsort(-np.abs(weight), kind="stable")[: 2 * most].tolist())
    chosen |= dict.fromkeys(np.argsort(-common, kind="stable")[: most // 3].tolist())
    results = []
    for one in chosen:
        where = number == one
        results.append(
            DivergenceResult(
                found[one],
                int(where.sum()),
                part(match, every, where),
                mean(match, values, where),
                part(match, values, where),
            )
        )
    # a single deal drawn says nothing about its place
    told = [one for one in results if one.imps.error is not None]
    return tuple(sorted(told, key=lambda one: -_sure(one.effect))[:most])


def _sure(effect: Estimate) -> float:
    """Size of an effect that is left when its error is taken off."""
    value, error = effect
    return abs(value) - (abs(value) if error is None else error)


def _system_result(match: Comparison, system: int) -> SystemResult:
    contracts = contracts_of(match)
    declared = of_system(contracts, system)
    counts = {"declared": declared}
    for number, name in enumerate(CATEGORIES[1:], 1):
        counts[name] = declared & (contracts.category == number)
    counts["doubled"] = declared & contracts.doubled
    lengths = match.endings.lengths[np.maximum(match.ending, 0)]
    bought = declared.sum(axis=0)
    length = (declared * lengths).sum(axis=0) / np.maximum(bought, 1)
    ours = declared & (match.tricks != NO_TRICKS)
    level = (contracts.number - 1) // 60 + 1
    good = (ours & (match.tricks >= level + 6)).sum(axis=0) / np.maximum(ours.sum(axis=0), 1)
    weights = match.weights
    amount: dict[str, float] = {}
    for table in range(2):
        chosen = np.flatnonzero(declared[table] & (weights > 0))
        # the declarer's seat does not matter here
        numbers = (contracts.number[table, chosen] - 1) // 4
        for one, size in enumerate(np.bincount(numbers, weights[chosen]).tolist()):
            if size:
                contract = contract_of(1 + 4 * one, 0)
                assert contract is not None
                amount[contract.name] = amount.get(contract.name, 0.0) + size
    everything = sum(amount.values()) or 1.0
    common = sorted(amount.items(), key=lambda item: (-item[1], item[0]))[:MOST_CONTRACTS]
    return SystemResult(
        match.names[system],
        {name: mean(match, held.sum(axis=0).astype(np.float64)) for name, held in counts.items()},
        mean(match, good, ours.any(axis=0)), mean(match, length, bought > 0),
        tuple((name, size / everything) for name, size in common),
    )  # fmt: skip


def _examples(match: Comparison, most: int) -> tuple[Example, ...]:
    swings = np.flatnonzero(match.done & (match.imps != 0))
    order = swings[np.lexsort((swings, -np.abs(match.imps[swings].astype(np.int64))))]
    # half of them won, half lost, where there are as many
    won = order[match.imps[order] > 0]
    lost = order[match.imps[order] < 0]
    half = max(most // 2, most - len(lost))
    chosen = np.concatenate([won[:half], lost[: most - min(half, len(won))]])
    return tuple(example_of(match, deal) for deal in chosen.tolist())


def example_of(match: Comparison, deal: int) -> Example:
    """Describe one deal that was worked out."""
    hands = match.deals.hands[:, deal].tolist()
    dealer, sides = int(match.deals.dealer[deal]), int(match.deals.vulnerability[deal])
    endings = [int(match.ending[table, deal]) for table in range(2)]
    contracts = [contract_of(int(match.endings.contracts[one]), dealer) for one in endings]
    tricks = [int(match.tricks[table, deal]) for table in range(2)]
    names = ["Pass" if one is None else f"{one.name} {one.declarer.letter}" for one in contracts]
    whole = Deal((hands[0], hands[1], hands[2], hands[3]), Seat(dealer), Vulnerability(sides))
    return Example(
        deal, format_deal(whole), SEATS[dealer], VULNERABILITIES[sides],
        (match.endings.calls[endings[0]], match.endings.calls[endings[1]]), (names[0], names[1]),
        (_known(tricks[0]), _known(tricks[1])),
        (int(match.scores[0, deal]), int(match.scores[1, deal])), int(match.imps[deal]),
    )  # fmt: skip


def _known(tricks: int) -> int | None:
    return None if tricks == NO_TRICKS else tricks


def coverage_of(
    first: System, second: System, deals: DealArrays, *, most: int = 100, seed: int = 0
) -> tuple[Coverage, Coverage]:
    """Bid some deals at both tables from the start, and count what the lines of either system do.

    Examples
    --------
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Any: 0+ points")
    >>> zeros = np.zeros(1, np.uint8)
    >>> coverage_of(system, system, DealArrays(deal_hands(1, 0, 1), zeros, zeros))
    (Coverage(calls=4, by_lines=1, general=0, forced=0, without_lines=3), \
Coverage(calls=4, by_lines=1, general=0, forced=0, without_lines=3))
    """
    turned = seen_from_dealer(deals)
    chosen = np.random.Generator(np.random.Philox(key=(seed, 3))).permutation(len(deals))[:most]
    counts = np.zeros((2, 5), np.int64)
    for pair in ((0, 1), (1, 0)):
        systems = (first, second)
        places = systems[pair[0]].expander(systems[pair[1]])
        for deal in np.sort(chosen).tolist():
            hands: list[int] = turned.hands[:, deal].tolist()
            sides = Vulnerability(int(turned.vulnerability[deal]))
            auction = Auction()
            while not auction.is_complete:
                depth = len(auction.calls)
                place = places.place(auction.calls)
                choice = choose(
                    place, hands[depth % 4], context_at(depth, Seat.NORTH, sides),
                    places.sides[depth % 2].vocabulary,
                )  # fmt: skip
                entry = choice.entry
                counts[pair[depth % 2]] += (
                    1, entry is not None, entry is not None and not entry.specificity[3],
                    entry is None and choice.forced, entry is None and not place.entries,
                )  # fmt: skip
                auction = auction.add(choice.call)
    first_counts, second_counts = counts.tolist()
    return Coverage(*first_counts), Coverage(*second_counts)


def boards_frame(match: Comparison) -> pl.DataFrame:
    """Write the deals that were worked out, or are the same anyway, as a frame; one row a deal.

    Returns
    -------
    polars.DataFrame
        ``deal`` (number, from 0), ``north`` … ``west``, ``dealer``, ``vulnerability``, ``kind``,
        ``weight`` (for how many deals it stands), then for either table (``_ns`` where the first
        system sat North-South, ``_ew``) ``auction``, ``contract``, ``declarer``, ``tricks`` (null
        where not played), ``score`` (for North-South), and ``imps`` for the first system,
        ``divergence`` (``1N P: 2C/2D``, null where the auctions are the same).
    """
    done = np.flatnonzero(match.done)
    dealers = match.deals.dealer[done]
    columns: dict[str, pl.Series] = {"deal": pl.Series(done.astype(np.uint32))}
    for seat, name in enumerate(("north", "east", "south", "west")):
        columns[name] = pl.Series(match.deals.hands[seat, done])
    columns["dealer"] = pl.Series([SEATS[one] for one in dealers.tolist()], dtype=SEAT_ENUM)
    columns["vulnerability"] = pl.Series(
        [VULNERABILITIES[one] for one in match.deals.vulnerability[done].tolist()],
        dtype=VULNERABILITY_ENUM,
    )
    columns["kind"] = pl.Series(
        [KINDS[one] for one in match.kind[done].tolist()], dtype=pl.Enum(KINDS)
    )
    columns["weight"] = pl.Series(match.weights[done])
    calls = pl.Series([list(one) for one in match.endings.calls], dtype=pl.List(pl.UInt8))
    names = {
        (number, dealer): contract_of(number, dealer)
        for number in set(match.endings.contracts.tolist())
        for dealer in range(4)
    }
    for table, suffix in enumerate(("ns", "ew")):
        endings = match.ending[table, done]
        columns[f"auction_{suffix}"] = calls.gather(pl.Series(endings.astype(np.uint32)))
        contracts = [
            names[number, dealer]
            for number, dealer in zip(
                match.endings.contracts[endings].tolist(), dealers.tolist(), strict=True
            )
        ]
        columns[f"contract_{suffix}"] = pl.Series(
            ["Pass" if one is None else one.name for one in contracts]
        )
        columns[f"declarer_{suffix}"] = pl.Series(
            [None if one is None else one.declarer.letter for one in contracts], dtype=SEAT_ENUM
        )
        tricks = pl.Series("tricks", match.tricks[table, done])
        columns[f"tricks_{suffix}"] = tricks.set(tricks == NO_TRICKS, None).cast(pl.UInt8)
        columns[f"score_{suffix}"] = pl.Series(match.scores[table, done])
    columns["imps"] = pl.Series(match.imps[done])
    found, number = divergences(match)
    texts = pl.Series([divergence_text(one) for one in found], dtype=pl.String)
    places = pl.Series(np.where(number[done] < 0, len(found), number[done]).astype(np.uint32))
    columns["divergence"] = texts.append(pl.Series([None], dtype=pl.String)).gather(places)
    return pl.DataFrame(columns)


def divergence_text(where: Divergence) -> str:
    """Write a divergence: the calls before, then what either system called.

    Examples
    --------
    >>> divergence_text(Divergence((7, 0), 8, 9)), divergence_text(Divergence((), 7, 3))
    ('1N P: 2C/2D', 'opening: 1N/1C')
    """
    before: Sequence[int] = where.before
    return (
        f"{format_calls(before) if before else 'opening'}: "
        f"{format_call(where.first)}/{format_call(where.second)}"
    )
