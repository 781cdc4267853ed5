"""Double-dummy results and par as columns of deals.

Columns: ``DD_N_C`` … ``DD_W_N``, the tricks of each declarer (N E S W) in each strain (C D H S N),
in the order of the tables that PBN files carry; ``Par_NS``, the points of North-South when both
sides bid and play without a fault; ``Par_Contracts``, the contracts that reach it (``4SX-EW-1``).

Solving takes about a tenth of a second a deal and core, so results are kept in the user's cache as
soon as they are there: a run that follows a killed one finds them, whichever options it has.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from bidcascade.engine.engine import Engine
from bidcascade.engine.runs.progress import Report
from bidcascade.engine.settings import read_settings
from bidcascade.inference.double_dummy import DoubleDummyPool
from bidcascade.inference.double_dummy.abstract_solver import TABLE_SIZE, DoubleDummy
from bidcascade.inference.double_dummy.known_tables import known_tables
from bidcascade.inference.double_dummy.par import par_contracts, par_results
from bidcascade.inference.double_dummy.table_cache import (
    TableCache,
    solved_tables,
    user_tables,
)
from bidcascade.loaders import deal_arrays
from bidcascade.loaders.pbn.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS, PAR_COLUMN

from .wide_columns import PAR_CONTRACTS_COLUMN, RESULT_SCHEMA


def add_double_dummy(
    frame: pl.DataFrame,
    solver: DoubleDummy,
    *,
    cache: TableCache | None = None,
    progress: Callable[[int], None] | None = None,
) -> pl.DataFrame:
    """Deal frame with the tables of all deals and their par.

    Parameters
    ----------
    frame : polars.DataFrame
        Deal frame. Tables that it holds already are taken as they are; deals where one of their
        columns is null are solved.
    solver : DoubleDummy
    cache : TableCache, optional
        Where solved tables are kept, and looked for.
    progress : callable, optional
        Told how many deals are done, after each batch.

    Returns
    -------
    polars.DataFrame
        With the columns :data:`RESULT_SCHEMA` at the end; contracts highest first.

    Raises
    ------
    InvalidInput
        If a column of tables is there and holds no tricks, or only some of them are there.
    DoubleDummyFailed, BackendUnavailable
        As the solver does.
    """
    deals = deal_arrays(frame)
    tables = np.full((frame.height, TABLE_SIZE), -1, np.int8)
    known = known_tables(frame)
    if known is not None:
        tables[:] = known
    missing = np.flatnonzero((tables < 0).any(axis=1))

    def report(done: int, total: int) -> None:
        if progress is not None:
            progress(frame.height - total + done)

    hands = np.ascontiguousarray(deals.hands[:, missing])
    found = TableCache() if cache is None else cache
    tables[missing] = solved_tables(hands, solver, found, progress=report)
    scores, best = par_results(tables, deals.dealer, deals.vulnerability)
    contracts = [[str(contract) for contract in own] for own in par_contracts(tables, best)]
    columns = [
        pl.Series(name, np.ascontiguousarray(tables[:, place]).astype(np.uint8))
        for place, name in enumerate(DOUBLE_DUMMY_COLUMNS)
    ]
    # what was there already goes to the end too, so that frames of any source fit together
    return frame.drop(list(RESULT_SCHEMA), strict=False).with_columns(
        *columns,
        pl.Series(PAR_COLUMN, scores),
        pl.Series(PAR_CONTRACTS_COLUMN, contracts, pl.List(pl.String)),
    )


_Augment: TypeAlias = Callable[..., pl.DataFrame]


@contextmanager
def solving(augment: _Augment, report: Report) -> Iterator[_Augment]:
    """Yield a function that augments a frame and adds what is solved, with processes of its own.

    Parameters
    ----------
    augment : callable
        What adds the other columns: engine, frame and keywords.
    report : callable
        Told how many boards are done.
    """
    done = 0

    def add(engine: Engine, frame: pl.DataFrame, **wanted: Any) -> pl.DataFrame:
        nonlocal done
        before = done
        solved = add_double_dummy(
            augment(engine, frame, **wanted),
            pool,
            cache=cache,
            progress=lambda boards: report(0, None, before + boards),
        )
        done += frame.height
        return solved

    cache = user_tables()
    with DoubleDummyPool(read_settings().dd_workers or None) as pool:
        yield add
