"""Double-dummy tables of an archive's boards, solved once and kept for all commands."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import polars as pl

from bidcascade.engine.runs.columns.double_dummy import add_double_dummy
from bidcascade.engine.runs.columns.wide_columns import RESULT_SCHEMA
from bidcascade.engine.settings import read_settings
from bidcascade.inference.double_dummy import DoubleDummyPool
from bidcascade.inference.double_dummy.table_cache import user_tables

from .catalogue import CATALOGUE, Catalogue
from .parts import Solve


def solver_of(folder: Path, workers: int | None = None) -> AbstractContextManager[Solve | None]:
    """Yield what solves boards where an archive has double-dummy tables, else None."""
    if (folder / CATALOGUE).exists() and Catalogue.read(folder).double_dummy:
        return solver(workers)
    return nullcontext()


@contextmanager
def solver(workers: int | None = None) -> Iterator[Solve]:
    """Yield what solves boards, with processes of its own; what is solved stays if it is killed.

    Parameters
    ----------
    workers
        Processes; as the settings say if not given.
    """
    cache = user_tables()
    with DoubleDummyPool(workers or read_settings().dd_workers or None) as pool:

        def solve(boards: pl.DataFrame) -> pl.DataFrame:
            return add_double_dummy(boards, pool, cache=cache).select(list(RESULT_SCHEMA))

        yield solve
