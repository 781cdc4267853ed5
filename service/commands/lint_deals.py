"""A lint of a table with what deals make of it: entries never reached, never chosen, missing."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.kernels import NO_ENTRY
from bidcascade.loaders import iter_deals, random_deals
from bidcascade.service.engine import Engine
from bidcascade.service.jobs.progress import progress_bar
from bidcascade.table import LintReport, counts_through, lint, lint_on_deals

_CHUNK = 100_000


def lint_with_deals(
    engine: Engine,
    *,
    deals: Sequence[str] | None = None,
    random: int | None = None,
    seed: int = 0,
    examples: int = 20,
) -> tuple[LintReport, LintReport]:
    """Lint a table by itself, and on deals.

    Parameters
    ----------
    engine : Engine
    deals : sequence of str, optional
        Inputs with deals.
    random, seed : int, optional
        How many random deals instead, and their seed.
    examples : int
        Most examples of each kind.

    Raises
    ------
    InvalidInput
        If the inputs hold no deals.

    Examples
    --------
    >>> from bidcascade.table import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 38"]}])
    >>> _, on_deals = lint_with_deals(Engine(table), random=100)
    >>> on_deals.findings["never_reached"].count
    1
    """
    table = engine.table
    counts_all = np.zeros(len(table), np.uint64)
    counts_first = np.zeros(len(table), np.int64)
    boards = 0
    with progress_bar("lint") as report:
        for frame in _frames(deals, random, seed):
            counts_all += engine.count_entries(frame)
            entry = engine.auctions(frame, mode="first")["entry"].fill_null(NO_ENTRY)
            counts_first += counts_through(table, entry.to_numpy())
            boards += frame.height
            report(boards, random, boards)
    if not boards:
        raise InvalidInput("expected deals to try the table on, got none")
    on_deals = lint_on_deals(table, counts_all, counts_first, boards, examples=examples)
    return lint(table, examples=examples), on_deals


def _frames(deals: Sequence[str] | None, random: int | None, seed: int) -> Iterator[pl.DataFrame]:
    if deals is not None:
        for batch in iter_deals(deals):
            yield batch.deals
        return
    for first in range(0, random or 0, _CHUNK):
        yield random_deals(min(_CHUNK, (random or 0) - first), seed, first=first + 1)
