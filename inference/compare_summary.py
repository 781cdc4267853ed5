"""A match of two systems summed up: results, where auctions part, contracts, examples."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import (
    SEATS,
    VULNERABILITIES,
    Deal,
    Seat,
    Vulnerability,
    format_call,
    format_calls,
    format_deal,
)
from bidcascade.loaders import SEAT_ENUM, VULNERABILITY_ENUM

from .auction_ends import I64, PASSED_OUT, contract_of, parts_of
from .compare import DIFFERS, KINDS, NO_TRICKS, Bools, Comparison
from .compare_estimates import (
    CATEGORIES,
    Divergence,
    Estimate,
    Floats,
    Sample,
    contracts_of,
    divergences,
    of_system,
)

MOST_DIVERGENCES: Final = 30
MOST_EXAMPLES: Final = 12
MOST_CONTRACTS: Final = 15
_DEAL_COLUMNS: Final = ("deal", "north", "east", "south", "west", "dealer", "vulnerability")
_TABLE_COLUMNS: Final = ("auction", "contract", "declarer", "tricks", "score")


class DivergenceResult(NamedTuple):
    """What came of auctions that parted at one place.

    Parameters
    ----------
    where : Divergence
    examined : int
        Deals whose contracts differ, as far as they were worked out.
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
        Part of them that was made, of those played where contracts differ.
    length : Estimate
        Calls of an auction that it bought.
    contracts : tuple of (str, float)
        Its commonest contracts, as part of those it declared.
    """

    name: str
    per_deal: dict[str, Estimate]
    made: Estimate
    length: Estimate
    contracts: tuple[tuple[str, float], ...]


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
        Deals by their contracts: ``same``, ``differs``.
    examined, solved : int
        Deals whose contracts differ that were worked out; double-dummy results asked for.
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
    examples: tuple[Example, ...]
    seconds: dict[str, float]


def summarize(
    match: Comparison,
    *,
    examples: int = MOST_EXAMPLES,
    most_divergences: int = MOST_DIVERGENCES,
) -> Summary:
    """Sum up a match as far as it was worked out.

    Examples
    --------
    >>> from bidcascade.kernels import DealArrays
    >>> from bidcascade.table import System
    >>> from .compare import compare_systems
    >>> one = System.parse("opening:" + chr(10) + "  1NT = Any: 0+ points")
    >>> deals = DealArrays(*[np.zeros(shape, kind) for shape, kind in (
    ...     ((4, 1), np.uint64), (1, np.uint8), (1, np.uint8))])
    >>> summarize(compare_systems(one, one, deals)).imps
    Estimate(value=0.0, error=None, margin=None)
    """
    results, bidding = Sample.of_results(match), Sample.of_bidding(match)
    values = match.imps.astype(np.float64)
    points = (match.scores[0] - match.scores[1]).astype(np.float64)
    outcomes = {
        "won": results.mean((match.imps > 0).astype(np.float64)),
        "lost": results.mean((match.imps < 0).astype(np.float64)),
        "flat": results.mean((match.imps == 0).astype(np.float64)),
        "other auction": bidding.mean((match.ending[0] != match.ending[1]).astype(np.float64)),
        "other contract": bidding.mean((match.kind == DIFFERS).astype(np.float64)),
    }
    sides = match.deals.vulnerability
    return Summary(
        match.names, len(match),
        {name: int((match.kind == kind).sum()) for kind, name in enumerate(KINDS)},
        match.sampled, match.solved, results.mean(values), results.mean(points), outcomes,
        {
            name: (
                bidding.mean((sides == number).astype(np.float64)),
                results.mean(values, sides == number),
            )
            for number, name in enumerate(VULNERABILITIES)
            if (sides == number).any()
        },
        _divergence_results(match, values, most_divergences),
        (_system_result(match, 0), _system_result(match, 1)),
        _examples(match, examples), dict(match.seconds),
    )  # fmt: skip


def _divergence_results(
    match: Comparison, values: Floats, most: int
) -> tuple[DivergenceResult, ...]:
    found, number = divergences(match)
    results, bidding = Sample.of_results(match), Sample.of_bidding(match)
    solved = match.done & (match.kind == DIFFERS)

    def counted(where: Bools, weights: Floats | None = None) -> Floats:
        chosen = where & (number >= 0)
        own = None if weights is None else weights[chosen]
        return np.bincount(number[chosen], own, minlength=len(found)).astype(np.float64)

    examined = counted(solved)
    effect = counted(solved, values) * counted(match.kind == DIFFERS) / np.maximum(examined, 1)
    common = counted(number >= 0)
    # those with the largest effect, and the commonest
    chosen = dict.fromkeys(np.argsort(-np.abs(effect), kind="stable")[: 2 * most].tolist())
    chosen |= dict.fromkeys(np.argsort(-common, kind="stable")[: most // 3].tolist())
    told = []
    for one in chosen:
        where = number == one
        there, adds = results.mean(values, where), results.part(values, where)
        # a single deal drawn says nothing about its place
        if there.margin is not None and adds.margin is not None:
            share = bidding.mean(where.astype(np.float64))
            told.append(DivergenceResult(found[one], int(examined[one]), share, there, adds))
    return tuple(sorted(told, key=lambda one: -_sure(one.effect))[:most])


def _sure(effect: Estimate) -> float:
    """Size of an effect that is left when its interval is taken off."""
    return abs(effect.value or 0.0) - (effect.margin or 0.0)


def _system_result(match: Comparison, system: int) -> SystemResult:
    contracts = contracts_of(match)
    declared = of_system(contracts, system)
    results, bidding = Sample.of_results(match), Sample.of_bidding(match)
    counts = {"declared": declared}
    for number, name in enumerate(CATEGORIES[1:], 1):
        counts[name] = declared & (contracts.category == number)
    counts["doubled"] = declared & contracts.doubled
    played = declared & (match.kind == DIFFERS)
    made = played & (match.tricks >= contracts.level + 6)
    # the declarer's seat does not matter here
    amounts = np.bincount((contracts.number[declared] - 1) // 4)
    everything = amounts.sum() or 1
    common = []
    for one in np.argsort(-amounts, kind="stable")[:MOST_CONTRACTS].tolist():
        contract = contract_of(1 + 4 * one, 0)
        if amounts[one] and contract is not None:
            common.append((contract.name, float(amounts[one] / everything)))
    return SystemResult(
        match.names[system],
        {name: bidding.mean(_by_deal(held)) for name, held in counts.items()},
        results.ratio(_by_deal(made), _by_deal(played)),
        bidding.ratio(
            _by_deal(declared * match.endings.lengths[match.ending]), _by_deal(declared)
        ),
        tuple(common),
    )  # fmt: skip


def _by_deal(values: NDArray[np.generic]) -> Floats:
    """Sum over the two tables."""
    summed: Floats = values.astype(np.float64).sum(axis=0)
    return summed


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
        (match.endings.auction(endings[0]), match.endings.auction(endings[1])),
        (names[0], names[1]),
        (_known(tricks[0]), _known(tricks[1])),
        (int(match.scores[0, deal]), int(match.scores[1, deal])), int(match.imps[deal]),
    )  # fmt: skip


def _known(tricks: int) -> int | None:
    return None if tricks == NO_TRICKS else tricks


def boards_frame(match: Comparison) -> pl.DataFrame:
    """Write the deals whose result is known as a frame; one row a deal.

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
    found, number = divergences(match)
    texts = pl.Series([*map(divergence_text, found), None], dtype=pl.String)
    by_table: dict[str, pl.Series] = {}
    for table, suffix in enumerate(("ns", "ew")):
        tricks = pl.Series(match.tricks[table, done])
        by_table |= {
            f"tricks_{suffix}": tricks.set(tricks == NO_TRICKS, None).cast(pl.UInt8),
            f"score_{suffix}": pl.Series(match.scores[table, done]),
        }
    frame = bidding_frame(match, done).with_columns(
        kind=_picked(KINDS, pl.Enum(KINDS), match.kind[done]),
        weight=pl.Series(match.weights[done]),
        imps=pl.Series(match.imps[done]),
        divergence=texts.gather(np.where(number < 0, len(found), number)[done]),
        **by_table,
    )
    return frame.select(
        *_DEAL_COLUMNS, "kind", "weight",
        *(f"{name}_{table}" for table in ("ns", "ew") for name in _TABLE_COLUMNS),
        "imps", "divergence",
    )  # fmt: skip


def bidding_frame(match: Comparison, chosen: I64) -> pl.DataFrame:
    """Write what is known of some deals once they are bid: see :func:`boards_frame`."""
    dealer = match.deals.dealer[chosen]
    columns = {"deal": pl.Series(chosen.astype(np.uint32))}
    for seat, name in enumerate(("north", "east", "south", "west")):
        columns[name] = pl.Series(match.deals.hands[seat, chosen])
    columns["dealer"] = _picked(SEATS, SEAT_ENUM, dealer)
    columns["vulnerability"] = _picked(
        VULNERABILITIES, VULNERABILITY_ENUM, match.deals.vulnerability[chosen]
    )
    auctions = pl.DataFrame({"calls": match.endings.calls, "length": match.endings.lengths}).select(
        pl.col("calls").arr.to_list().list.head(pl.col("length"))
    )["calls"]
    for table, suffix in enumerate(("ns", "ew")):
        ending = match.ending[table, chosen]
        contract = match.endings.contracts[ending]
        declarer = (parts_of(contract).declarer + dealer) % 4
        columns[f"auction_{suffix}"] = auctions.gather(ending)
        columns[f"contract_{suffix}"] = _picked(_contract_names(), pl.String, (contract + 3) // 4)
        columns[f"declarer_{suffix}"] = _picked(
            [*SEATS, None], SEAT_ENUM, np.where(contract == PASSED_OUT, 4, declarer)
        )
    return pl.DataFrame(columns)


def _contract_names() -> list[str]:
    """Contracts without declarers, behind ``Pass``."""
    found = (contract_of(1 + 4 * number, 0) for number in range(7 * 5 * 3))
    return ["Pass", *(one.name for one in found if one is not None)]


def _picked(
    names: Sequence[str | None], kind: pl.DataType | type[pl.DataType], which: NDArray[np.integer]
) -> pl.Series:
    return pl.Series(list(names), dtype=kind).gather(which)


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
