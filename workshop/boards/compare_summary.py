"""A match of two systems summed up: estimates, where auctions part, contracts, examples.

All deals of the match are bid; of those whose contracts differ some, drawn at random, are worked
out. That is double sampling for stratification: the deals tell how large the two kinds are, and a
sample of the one kind what a deal of it is worth. Means, and their variances from within the kinds
and between them, are those of Cochran: Sampling Techniques, 3rd ed. 1977, chapter 12, for
a population without end. Where every deal is worked out they become the mean of a simple random
sample, with standard error sd / sqrt(n).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import (
    PASS,
    SEATS,
    VULNERABILITIES,
    ShownAnswer,
    format_call,
    format_calls,
    format_card,
    format_deal,
)
from bidcascade.inference.auction_ends import NO_CALL, PASSED_OUT, contract_of, keys_of, parts_of
from bidcascade.inference.quantiles import quantile
from bidcascade.kernels.types import F64, I64, Bools
from bidcascade.loaders import SEAT_ENUM, VULNERABILITY_ENUM
from bidcascade.loaders.frames.frame import deal_at

from .compare import DIFFERS, KINDS, SystemMatch
from .scored_boards import CATEGORIES, NO_TRICKS, category_of, contract_text

MOST_DIVERGENCES: Final = 30
MOST_EXAMPLES: Final = 12
MOST_CONTRACTS: Final = 15
_DEAL_COLUMNS: Final = ("deal", "north", "east", "south", "west", "dealer", "vulnerability")
_TABLE_COLUMNS: Final = ("auction", "contract", "declarer", "tricks", "score")
_ROUNDING: Final = 1e-12


class Estimate(NamedTuple):
    """A number about all deals, None where nothing is known of it.

    The error is the standard error, None where the deals do not tell it, being fewer than two or
    all equal; the margin is half the interval that holds the truth in 95 of 100 such matches.
    """

    value: float | None
    error: float | None = None
    margin: float | None = None


class Divergence(NamedTuple):
    """Where two auctions parted: calls of both, without first passes; what either system called."""

    before: tuple[int, ...]
    first: int
    second: int


class MatchSample(NamedTuple):
    """Deals of a match, bool [n]: drawn at random, to be looked at in part; known."""

    drawn: Bools
    known: Bools

    @classmethod
    def of_results(cls, match: SystemMatch) -> "MatchSample":
        """Take what double dummy tells: scores and IMPs."""
        return cls(match.kind == DIFFERS, match.done)

    @classmethod
    def of_bidding(cls, match: SystemMatch) -> "MatchSample":
        """Take what the bidding tells, which is known of every deal."""
        return cls(np.zeros(len(match), np.bool_), np.ones(len(match), np.bool_))

    def ratio(self, amounts: F64, sizes: F64) -> Estimate:
        """Sum of amounts by sum of sizes, which are known of every deal, where there is a size."""
        inside = np.flatnonzero(sizes > 0)
        count = len(inside)
        drawn, known = self.drawn[inside], self.known[inside]
        strata = []
        for stratum in (~drawn, drawn):
            size = int(stratum.sum())
            if size:
                strata.append((size, inside[stratum & known]))
        if not strata or not all(len(deals) for _, deals in strata):
            return Estimate(None)

        def mean(values: F64) -> float:
            return sum(size / count * float(values[deals].mean()) for size, deals in strata)

        unit = mean(sizes)
        value = mean(amounts) / unit
        # a ratio varies as the mean of its residuals does, which is zero
        residuals = (amounts - value * sizes) / unit
        looked_at = len(strata[-1][1])
        if count < 2 or looked_at < 2:
            return Estimate(value)
        variance = 0.0
        for size, deals in strata:
            own = residuals[deals]
            spread = float(own.var(ddof=1)) if len(own) > 1 else 0.0
            variance += size / count * (size - 1) / (count - 1) * spread / len(own)
            variance += size / count * float(own.mean()) ** 2 / (count - 1)
        error = math.sqrt(variance)
        if error <= _ROUNDING * abs(value):
            # without any spread there is nothing that tells it
            return Estimate(value)
        return Estimate(value, error, quantile(looked_at - 1) * error)

    def mean(self, values: F64, where: Bools | None = None) -> Estimate:
        """Mean over all deals, or over those of a kind that is known of every deal."""
        inside = np.ones(len(values)) if where is None else where.astype(np.float64)
        return self.ratio(values * inside, inside)

    def part(self, values: F64, where: Bools) -> Estimate:
        """Tell what the deals of a kind add to the mean over all of them."""
        # the others add nothing, which need not be looked up
        return MatchSample(self.drawn & where, self.known | ~where).mean(values * where)


def divergences(match: SystemMatch) -> tuple[list[Divergence], I64]:
    """Where auctions parted: the different places, and which of them a deal has, -1 for none."""
    number = np.full(len(match), -1, np.int64)
    apart = np.flatnonzero(match.ending[0] != match.ending[1])
    if not len(apart):
        return [], number
    count = len(match.endings.calls)
    parity = match.deals.dealer[apart] % 2
    pairs, which = np.unique(
        (match.ending[0, apart] * count + match.ending[1, apart]) * 2 + parity, return_inverse=True
    )
    rest, parity = np.divmod(pairs, 2)
    one, two = (match.endings.calls[ending] for ending in np.divmod(rest, count))
    row = np.arange(len(pairs))
    place = np.argmax(one != two, axis=1)
    opened = np.minimum(np.argmax(one != PASS, axis=1), place)
    # at the first table the first system calls for North-South
    is_first = (parity + place) % 2 == 0
    here = one[row, place], two[row, place]
    columns = opened[:, np.newaxis] + np.arange(one.shape[1])
    before = np.take_along_axis(one, np.minimum(columns, one.shape[1] - 1), axis=1)
    before[columns >= place[:, np.newaxis]] = NO_CALL
    calls = np.column_stack([np.where(is_first, *here), np.where(is_first, *here[::-1]), before])
    keys, place_of = np.unique(keys_of(calls), return_inverse=True)
    number[apart] = place_of[which]
    found = []
    for key in keys.tolist():
        first, second, *known = (call - 1 for call in key)
        found.append(Divergence(tuple(known), first, second))
    return found, number


# --- the summary ----------------------------------------------------------------------------------


class DivergenceResult(NamedTuple):
    """What came of auctions that parted at one place, for the first system."""

    where: Divergence
    examined: int
    """Deals whose contracts differ, as far as they were worked out."""
    share: Estimate
    """Part of all deals."""
    imps: Estimate
    effect: Estimate
    """What they add to the mean over all deals."""


@dataclass(frozen=True, slots=True, repr=False)
class SystemResult(ShownAnswer):
    """What a system did at both tables.

    ``per_deal`` are contracts that its side declared, a deal (two tables): ``declared``, every one
    of :data:`CATEGORIES` but the first, ``doubled``; ``made`` the part of them that was made, of
    those played where contracts differ; ``length`` the calls of an auction that it bought;
    ``contracts`` its commonest ones, as part of those it declared.
    """

    name: str
    per_deal: dict[str, Estimate]
    made: Estimate
    length: Estimate
    contracts: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, repr=False)
class MatchExample(ShownAnswer):
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


@dataclass(frozen=True, slots=True, repr=False)
class MatchSummary(ShownAnswer):
    """All that a report on a match tells; numbers are for the first system."""

    names: tuple[str, str]
    deals: int
    kinds: dict[str, int]
    """Deals by their contracts: ``same``, ``differs``."""
    examined: int
    """Of those that differ."""
    solved: int
    imps: Estimate
    defended_imps: Estimate
    """Where each contract that fails is doubled."""
    blind_imps: Estimate
    """With leads by who sees one hand; a value of None where no deal was led."""
    led: int
    points: Estimate
    outcomes: dict[str, Estimate]
    """Parts of the deals: ``won``, ``lost``, ``flat``, ``other auction``, ``other contract``."""
    vulnerabilities: dict[str, tuple[Estimate, Estimate]]
    """Part of the deals, and their mean IMPs."""
    divergences: tuple[DivergenceResult, ...]
    systems: tuple[SystemResult, SystemResult]
    examples: tuple[MatchExample, ...]
    seconds: dict[str, float]


def summarize(
    match: SystemMatch,
    *,
    examples: int = MOST_EXAMPLES,
    most_divergences: int = MOST_DIVERGENCES,
) -> MatchSummary:
    """Sum up a match as far as it was worked out."""
    results, bidding = MatchSample.of_results(match), MatchSample.of_bidding(match)
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
    return MatchSummary(
        match.names,
        len(match),
        {name: int((match.kind == kind).sum()) for kind, name in enumerate(KINDS)},
        match.sampled,
        match.solved,
        results.mean(values),
        results.mean(match.defended_imps.astype(np.float64)),
        blind_estimate(match),
        int(match.led.sum()),
        results.mean(points),
        outcomes,
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
        _examples(match, examples),
        dict(match.seconds),
    )


def blind_estimate(match: SystemMatch) -> Estimate:
    """IMPs a deal for the first system with leads made by who sees one hand.

    Of more deals it is known what they are worth double dummy than what they are with such a lead.
    So the mean is that of double dummy and, from the deals that were led, what the lead changes:
    the difference estimate of double sampling (Cochran, chapter 12), within the deals of the same
    contract and within those of different ones. Deals with the same auction are flat.
    """
    count = len(match)
    plain, blind = match.imps.astype(np.float64), match.blind_imps.astype(np.float64)
    other = match.ending[0] != match.ending[1]
    strata = [
        where for where in (other & (match.kind != DIFFERS), match.kind == DIFFERS) if where.any()
    ]
    means, within = [], 0.0
    for where in strata:
        known, led = np.flatnonzero(where & match.done), np.flatnonzero(where & match.led)
        if not len(led):
            return Estimate(None)
        change = blind[led] - plain[led]
        means.append((int(where.sum()) / count, float(plain[known].mean() + change.mean())))
        if len(led) > 1:
            size, fraction = int(where.sum()), 1 / len(led) - 1 / len(known)
            spread = blind[led].var(ddof=1) / len(known) + change.var(ddof=1) * fraction
            within += size / count * (size - 1) / max(count - 1, 1) * float(spread)
    value = sum(share * mean for share, mean in means)
    looked_at = int(match.led.sum())
    if looked_at < 2:
        return Estimate(None if not looked_at and strata else value)
    flat = 1 - sum(share for share, _ in means)
    between = flat * value**2 + sum(share * (mean - value) ** 2 for share, mean in means)
    error = math.sqrt(within + between / (count - 1))
    if error <= _ROUNDING * abs(value):
        return Estimate(value)
    return Estimate(value, error, quantile(looked_at - 1) * error)


def _divergence_results(match: SystemMatch, values: F64, most: int) -> tuple[DivergenceResult, ...]:
    found, number = divergences(match)
    results, bidding = MatchSample.of_results(match), MatchSample.of_bidding(match)
    solved = match.done & (match.kind == DIFFERS)

    def counted(where: Bools, weights: F64 | None = None) -> F64:
        chosen = where & (number >= 0)
        own = None if weights is None else weights[chosen]
        return np.bincount(number[chosen], own, minlength=len(found)).astype(np.float64)

    examined = counted(solved)
    effect = counted(solved, values) * counted(match.kind == DIFFERS) / np.maximum(examined, 1)
    common = counted(number >= 0)
    # those with the largest effect, and the commonest
    chosen = dict.fromkeys(np.argsort(-np.abs(effect), kind="stable")[: 2 * most].tolist())
    chosen |= dict.fromkeys(np.argsort(-common, kind="stable")[: most // 3].tolist())
    listed = []
    for one in chosen:
        where = number == one
        there, adds = results.mean(values, where), results.part(values, where)
        # a single deal drawn says nothing about its place
        if there.margin is not None and adds.margin is not None:
            share = bidding.mean(where.astype(np.float64))
            listed.append(DivergenceResult(found[one], int(examined[one]), share, there, adds))
    return tuple(sorted(listed, key=lambda one: -_sure(one.effect))[:most])


def _sure(effect: Estimate) -> float:
    """Size of an effect that is left when its interval is taken off."""
    return abs(effect.value or 0.0) - (effect.margin or 0.0)


def _system_result(match: SystemMatch, system: int) -> SystemResult:
    level, strain, doubling, declarer = parts_of(match.contracts)
    # the system sits North-South at its own table only
    side = np.array([[system], [1 - system]])
    declared = (match.contracts != PASSED_OUT) & ((declarer + match.deals.dealer) % 2 == side)
    # a doubled partscore is one: what counts is what was bid
    category = category_of(level, strain)
    results, bidding = MatchSample.of_results(match), MatchSample.of_bidding(match)
    counts = {"declared": declared}
    for number, name in enumerate(CATEGORIES[1:], 1):
        counts[name] = declared & (category == number)
    counts["doubled"] = declared & (doubling > 0)
    played = declared & (match.kind == DIFFERS)
    made = played & (match.tricks >= level + 6)
    # the declarer's seat does not matter here
    amounts = np.bincount((match.contracts[declared] - 1) // 4)
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
        bidding.ratio(_by_deal(declared * match.endings.lengths[match.ending]), _by_deal(declared)),
        tuple(common),
    )


def _by_deal(values: NDArray[np.generic]) -> F64:
    """Sum over the two tables."""
    summed: F64 = values.astype(np.float64).sum(axis=0)
    return summed


def _examples(match: SystemMatch, most: int) -> tuple[MatchExample, ...]:
    swings = np.flatnonzero(match.done & (match.imps != 0))
    order = swings[np.lexsort((swings, -np.abs(match.imps[swings].astype(np.int64))))]
    # half of them won, half lost, where there are as many
    won = order[match.imps[order] > 0]
    lost = order[match.imps[order] < 0]
    half = max(most // 2, most - len(lost))
    chosen = np.concatenate([won[:half], lost[: most - min(half, len(won))]])
    return tuple(example_of(match, deal) for deal in chosen.tolist())


def example_of(match: SystemMatch, deal: int) -> MatchExample:
    """Describe one deal that was worked out."""
    dealer, sides = int(match.deals.dealer[deal]), int(match.deals.vulnerability[deal])
    endings = [int(match.ending[table, deal]) for table in range(2)]
    contracts = [contract_text(int(match.endings.contracts[one]), dealer) for one in endings]
    tricks = [int(match.tricks[table, deal]) for table in range(2)]
    return MatchExample(
        deal,
        format_deal(deal_at(match.deals, deal)),
        SEATS[dealer],
        VULNERABILITIES[sides],
        (match.endings.auction(endings[0]), match.endings.auction(endings[1])),
        (contracts[0], contracts[1]),
        (_known(tricks[0]), _known(tricks[1])),
        (int(match.scores[0, deal]), int(match.scores[1, deal])),
        int(match.imps[deal]),
    )


def _known(tricks: int) -> int | None:
    return None if tricks == NO_TRICKS else tricks


def boards_frame(match: SystemMatch) -> pl.DataFrame:
    """Write the deals whose result is known as a frame; one row a deal.

    Returns
    -------
    polars.DataFrame
        ``deal`` (number, from 0), ``north`` … ``west``, ``dealer``, ``vulnerability``, ``kind``,
        ``weight`` (for how many deals it stands), then for either table (``_ns`` where the first
        system sat North-South, ``_ew``) ``auction``, ``contract``, ``declarer``, ``tricks`` (null
        where not played), ``score`` (for North-South), and ``imps`` for the first system,
        ``divergence`` (``1N P: 2C/2D``, null where the auctions are the same); for either table
        ``lead`` and ``blind_tricks``, then ``blind_imps``, null where no deal was led.
    """
    done = np.flatnonzero(match.done)
    found, number = divergences(match)
    texts = pl.Series([*map(divergence_text, found), None], dtype=pl.String)
    by_table: dict[str, pl.Series] = {}
    for table, suffix in enumerate(("ns", "ew")):
        tricks, led = (pl.Series(of[table, done]) for of in (match.tricks, match.led_tricks))
        by_table |= {
            f"tricks_{suffix}": tricks.set(tricks == NO_TRICKS, None).cast(pl.UInt8),
            f"score_{suffix}": pl.Series(match.scores[table, done]),
            f"lead_{suffix}": _picked(
                [*map(format_card, range(52)), None], pl.String, match.leads[table, done] % 53
            ),
            f"blind_tricks_{suffix}": led.set(led == NO_TRICKS, None).cast(pl.UInt8),
        }
    blind = pl.Series(match.blind_imps[done])
    frame = bidding_frame(match, done).with_columns(
        kind=_picked(KINDS, pl.Enum(KINDS), match.kind[done]),
        weight=pl.Series(match.weights[done]),
        imps=pl.Series(match.imps[done]),
        divergence=texts.gather(np.where(number < 0, len(found), number)[done]),
        blind_imps=blind.set(pl.Series(~match.led[done]), None),
        **by_table,
    )
    return frame.select(
        *_DEAL_COLUMNS,
        "kind",
        "weight",
        *(f"{name}_{table}" for table in ("ns", "ew") for name in _TABLE_COLUMNS),
        "imps",
        "divergence",
        *(f"{name}_{table}" for table in ("ns", "ew") for name in ("lead", "blind_tricks")),
        "blind_imps",
    )


def bidding_frame(match: SystemMatch, chosen: I64) -> pl.DataFrame:
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
    """Write a divergence: the calls before, then what either system called."""
    return (
        f"{format_calls(where.before) if where.before else 'opening'}: "
        f"{format_call(where.first)}/{format_call(where.second)}"
    )
