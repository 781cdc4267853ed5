"""Fit the table of tricks on the open part of the bank.

Run ``python -m benchmarks.inference.trick_table``.

Prints the constants of ``inference/trick_table.py`` and how far tricks are off double dummy, by
fit, beside what the points of both hands alone would tell, and by the estimate. The error is that
of deals that a fit has not seen: it is fitted five times, without a fifth of the deals. Strains
that are seldom chosen count less: short trumps, and notrump with few points.
"""

import sys

import numpy as np
from numpy.typing import NDArray

from bidcascade.inference.double_dummy.solved_deals import OPEN, bank_sample
from bidcascade.inference.double_dummy.table_cache import user_tables
from bidcascade.inference.trick_table import (
    FEWEST_TRUMPS,
    MOST_TRUMPS,
    NOTRUMP,
    NOTRUMP_VALUES,
    SUIT_VALUES,
    Holdings,
    notrump_parts,
    suit_parts,
)

F64 = NDArray[np.floating]

_FOLDS = 5
_RIDGE = 1.0
_POINTS = np.array([4, 3, 2, 1, 0])
_SUIT_WEIGHTS = ((8, 1.0), (7, 0.5), (0, 0.05))
"""By trumps of both hands, from the first of these on."""
_NOTRUMP_WEIGHTS = ((19, 1.0), (0, 0.3))
"""By points of both hands."""


def main() -> int:
    """Fit, and print the table and its errors."""
    deals, tables = bank_sample(OPEN, user_tables())
    hands = [Holdings.of(one) for one in deals.hands]
    points = [np.tensordot(_POINTS, one.honours.sum(axis=0), 1) for one in hands]
    print(f"{len(deals):,} deals of the open part of the bank")
    for name, strains, words in (
        ("suit", range(4), tuple(SUIT_VALUES)),
        ("notrump", (NOTRUMP,), tuple(NOTRUMP_VALUES)),
    ):
        parts, tricks, trumps, both = [], [], [], []
        for strain in strains:
            for declarer in range(4):
                around = [hands[(declarer + turn) % 4] for turn in range(4)]
                one, other = around[0], around[2]
                is_suit = strain != NOTRUMP
                parts.append(suit_parts(around, strain) if is_suit else notrump_parts(around))
                tricks.append(tables[:, 5 * declarer + strain])
                both.append(points[declarer] + points[(declarer + 2) % 4])
                length = one.length[strain] + other.length[strain] if is_suit else both[-1] * 0
                trumps.append(np.clip(length, FEWEST_TRUMPS, MOST_TRUMPS) if is_suit else length)
        fold = np.tile(np.arange(len(deals)) % _FOLDS, len(parts))
        report(
            name,
            words,
            np.concatenate(parts, axis=1).T,
            np.concatenate(tricks).astype(np.float64),
            np.concatenate(trumps),
            np.concatenate(both),
            fold,
        )
    return 0


def weights_of(counts: NDArray[np.int64], steps: tuple[tuple[int, float], ...]) -> F64:
    """How much contracts count, by their trumps or points."""
    return np.select([counts >= least for least, _ in steps], [weight for _, weight in steps])


def fitted(parts: F64, tricks: F64, weights: F64) -> F64:
    """Worth of each part, by least squares with a small penalty."""
    weighted = parts * weights[:, None]
    found: F64 = np.linalg.solve(
        weighted.T @ parts + _RIDGE * np.eye(parts.shape[1]), weighted.T @ tricks
    )
    return found


def unseen(parts: F64, tricks: F64, weights: F64, fold: NDArray[np.int64]) -> F64:
    """Tricks that a fit to the other folds expects."""
    expected = np.zeros(len(tricks))
    for number in range(_FOLDS):
        out = fold == number
        expected[out] = parts[out] @ fitted(parts[~out], tricks[~out], weights[~out])
    return expected


def report(
    name: str,
    words: tuple[str, ...],
    parts: F64,
    tricks: F64,
    trumps: NDArray[np.int64],
    points: NDArray[np.int64],
    fold: NDArray[np.int64],
) -> None:
    """Print the constants of one kind of contract and its errors."""
    print(f"\n{name}")
    is_suit = name == "suit"
    weights = weights_of(
        trumps if is_suit else points, _SUIT_WEIGHTS if is_suit else _NOTRUMP_WEIGHTS
    )
    worths = np.round(fitted(parts, tricks, weights), 2).tolist()
    for word, worth in zip(words, worths, strict=True):
        print(f'    "{word}": {worth},')
    expected = unseen(parts, tricks, weights, fold)
    off = expected - tricks
    straight = np.stack([np.ones(len(points)), points], axis=1)
    print("trumps   contracts   mean absolute error   spread   by combined points")
    for count in np.unique(trumps).tolist():
        here = trumps == count
        alike = np.ones(here.sum())
        by_points = unseen(straight[here], tricks[here], alike, fold[here]) - tricks[here]
        print(
            f"{count:6}   {here.sum():9,}   {np.abs(off[here]).mean():19.2f}   "
            f"{off[here].std():6.2f}   {np.abs(by_points).mean():18.2f}"
        )
    print(f"   all   {len(off):9,}   {np.abs(off).mean():19.2f}   {off.std():6.2f}")
    print("estimate   contracts   too much by   spread")
    chosen = weights == 1
    for number in range(6, 14):
        here = chosen & (np.round(expected) == number)
        print(f"{number:8}   {here.sum():9,}   {off[here].mean():11.2f}   {off[here].std():6.2f}")


if __name__ == "__main__":
    sys.exit(main())
