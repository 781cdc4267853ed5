"""Double-dummy results and par as columns of deals; what is solved is kept, also when killed.

Columns: ``DD_N_C`` … ``DD_W_N``, the tricks of each declarer (N E S W) in each strain (C D H S N),
in the order of the tables that PBN files carry; ``Par_NS``, the points of North-South when both
sides bid and play without a fault; ``Par_Contracts``, the contracts that reach it (``4SX-EW-1``).

Solving takes about a tenth of a second a deal and core, so results are kept in small files beside
the output, named by the deals that they are of, until the output is whole. A run that follows a
killed one finds them there, whichever options it has otherwise.
"""

import hashlib
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import InvalidInput
from bidcascade.inference.double_dummy import DoubleDummyPool
from bidcascade.inference.double_dummy.par import par_contracts, par_results
from bidcascade.inference.double_dummy.protocol import I8, TABLE_SIZE, DoubleDummy
from bidcascade.kernels.types import U64
from bidcascade.loaders import deal_arrays
from bidcascade.loaders.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS, PAR_COLUMN
from bidcascade.service.engine import Engine
from bidcascade.service.settings import read_settings

from .batch_folder import locked
from .progress import Report
from .whole_files import can_write, whole_file
from .wide_columns import PAR_CONTRACTS_COLUMN, RESULT_SCHEMA

PART_DEALS: Final = 16
"""Deals of a part: a killed run loses those that it was at, a few seconds."""
_PARTS_AT_ONCE: Final = 4
"""Parts that are solved at once, so that no process waits while a part ends."""
_FORMAT: Final = b"bidcascade double dummy 1"


class TableStore:
    """Solved tables on the disk, by the deals that they are of.

    Parameters
    ----------
    folder : path
        Made when the first part is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, hands: U64) -> I8 | None:
        """Tables of these deals, ``None`` if they are not there or not whole."""
        path = self._path(hands)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        tables = np.frombuffer(data, np.int8)
        if tables.size != hands.shape[1] * TABLE_SIZE:
            return None
        return tables.reshape(-1, TABLE_SIZE)

    def write(self, hands: U64, tables: I8) -> None:
        """Keep tables, whole or not at all."""
        path = self._path(hands)
        with can_write(path):
            self.folder.mkdir(exist_ok=True)
        with whole_file(path) as partial, can_write(path):
            partial.write_bytes(np.ascontiguousarray(tables, np.int8).tobytes())

    def remove(self) -> None:
        """Remove all parts."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, hands: U64) -> Path:
        content = np.ascontiguousarray(hands, "<u8").tobytes()
        return self.folder / f"{hashlib.sha256(_FORMAT + content).hexdigest()[:32]}.dd"


@contextmanager
def table_store(out: str) -> Iterator[TableStore | None]:
    """Yield the store of an output; it is removed when the block ends well.

    Parameters
    ----------
    out : str
        File that will hold the deals; ``-`` has no store.

    Raises
    ------
    InvalidInput
        If another run works on the same output.
    """
    if out == "-":
        yield None
        return
    path = Path(out)
    store = TableStore(path.with_name(f".{path.name}.double-dummy"))
    with can_write(path):
        store.folder.mkdir(exist_ok=True)
    with locked(store.folder):
        yield store
    store.remove()


def add_double_dummy(
    frame: pl.DataFrame,
    solver: DoubleDummy,
    *,
    store: TableStore | None = None,
    progress: Callable[[int], None] | None = None,
) -> pl.DataFrame:
    """Deal frame with the tables of all deals and their par.

    Parameters
    ----------
    frame : polars.DataFrame
        Deal frame. Tables that it holds already are taken as they are; deals where one of their
        columns is null are solved.
    solver : DoubleDummy
    store : TableStore, optional
        Where solved tables are kept, and looked for.
    progress : callable, optional
        Told how many deals are done, after each part.

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
    done = frame.height - len(missing)
    if progress is not None:
        progress(done)
    starts = range(0, len(missing), PART_DEALS)
    parts = [missing[start : start + PART_DEALS] for start in starts]
    stop = threading.Event()

    def solve(part: NDArray[np.intp]) -> I8:
        hands = np.ascontiguousarray(deals.hands[:, part])
        found = None if store is None else store.read(hands)
        if found is None:
            found = solver.tables(hands, cancel=stop)
            if store is not None:
                store.write(hands, found)
        return found

    with ThreadPoolExecutor(_PARTS_AT_ONCE) as threads:
        try:
            for part, found in zip(parts, threads.map(solve, parts), strict=True):
                tables[part] = found
                done += len(part)
                if progress is not None:
                    progress(done)
        except BaseException:
            # the parts that are waited for, and those behind them, are given up
            stop.set()
            threads.shutdown(wait=False, cancel_futures=True)
            raise
    scores, best = par_results(tables, deals.dealer, deals.vulnerability)
    contracts = [
        [str(contract) for contract in par_contracts(*one)]
        for one in zip(tables, best, strict=True)
    ]
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


def known_tables(frame: pl.DataFrame) -> I8 | None:
    """Tables that a frame holds already.

    Returns
    -------
    int8 [n, 20], or None
        -1 where a result is null; ``None`` if the frame has none of the columns.

    Raises
    ------
    InvalidInput
        If only some columns are there, or they hold anything but tricks.
    """
    there = [name for name in DOUBLE_DUMMY_COLUMNS if name in frame.columns]
    if not there:
        return None
    if len(there) < TABLE_SIZE:
        absent = next(name for name in DOUBLE_DUMMY_COLUMNS if name not in there)
        raise InvalidInput(f"expected all 20 columns of tricks, got {there[0]} without {absent}")
    for name in DOUBLE_DUMMY_COLUMNS:
        column = frame[name]
        if not column.dtype.is_integer() and column.dtype != pl.Null:
            raise InvalidInput(f"expected whole numbers in column {name}, got {column.dtype}")
        wrong = column.filter(~column.is_between(0, 13))
        if wrong.len():
            raise InvalidInput(f"expected tricks from 0 to 13 in column {name}, got {wrong[0]}")
    columns = [frame[name].cast(pl.Int8).fill_null(-1).to_numpy() for name in DOUBLE_DUMMY_COLUMNS]
    return np.stack(columns, axis=1).astype(np.int8)


_Augment: TypeAlias = Callable[..., pl.DataFrame]


@contextmanager
def solving(out: str, augment: _Augment, report: Report) -> Iterator[_Augment]:
    """Yield a function that augments a frame and adds what is solved, with processes of its own.

    Parameters
    ----------
    out : str
        File that will hold the deals; what is solved is kept beside it until it is whole.
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
            augment(engine, frame, **wanted), pool, store=store,
            progress=lambda boards: report(0, None, before + boards),
        )  # fmt: skip
        done += frame.height
        return solved

    with DoubleDummyPool(read_settings().dd_workers or None) as pool, table_store(out) as store:
        yield add
