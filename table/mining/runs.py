"""Runs: aggregated auctions in sorted order, in memory or as files, and their merging."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.types import U8, U16, U32
from bidcascade.table.columns import Column

LARGEST_TOTAL: Final = 0xFFFFFFFE
"""Boards that may be counted together; a table keeps counts in 32 bits."""


class Run(NamedTuple):
    """Every prefix of some auctions in sorted order, with how often and with which texts.

    Parameters
    ----------
    depth : uint16 [nodes]
        Calls before the node's own.
    call : uint8 [nodes]
    auctions : uint32 [nodes]
        How many go through it.
    texts : uint32 [nodes]
        How many different texts were given with the call.
    text : uint32 [texts]
        Their numbers, ascending in each node.
    times : uint32 [texts]
        How often each was given.

    Examples
    --------
    >>> Run.empty().size
    (0, 0)
    """

    depth: U16
    call: U8
    auctions: U32
    texts: U32
    text: U32
    times: U32

    @classmethod
    def empty(cls) -> "Run":
        """Run without a node."""
        return cls(*(np.zeros(0, kind) for kind in _KINDS.values()))

    @property
    def size(self) -> tuple[int, int]:
        """Number of nodes, and of texts at nodes."""
        return len(self.depth), len(self.text)


_KINDS: Final = {
    "depth": np.uint16, "call": np.uint8, "auctions": np.uint32, "texts": np.uint32,
    "text": np.uint32, "times": np.uint32,
}  # fmt: skip
_OF_NODES: Final = frozenset(("depth", "call", "auctions", "texts"))


def write_run(run: Run, folder: Path) -> None:
    """Write a run as ``.npy`` files to a new folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     write_run(Run.empty(), Path(place) / "run")
    ...     open_run(Path(place) / "run").size
    (0, 0)
    """
    folder.mkdir(parents=True)
    for name in _KINDS:
        with (folder / f"{name}.npy").open("wb") as file:
            np.save(file, getattr(run, name), allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())


def open_run(folder: Path) -> Run:
    """Open a run that was written; its columns are mapped, not read.

    Raises
    ------
    InvalidInput
        If a file is gone or damaged.
    """
    columns: list[Column] = []
    for name, kind in _KINDS.items():
        file = folder / f"{name}.npy"
        try:
            try:
                column = np.load(file, mmap_mode="r", allow_pickle=False)
            except ValueError:
                # what is empty cannot be mapped
                column = np.load(file, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise InvalidInput(f"cannot read {str(file)!r}: {error}") from None
        if column.dtype != kind or column.ndim != 1:
            raise InvalidInput(f"cannot read {str(file)!r}: expected a column of {kind.__name__}")
        columns.append(column.view(np.ndarray))
    run = Run(*columns)
    lengths = {len(column) for column in run[:4]}, {len(column) for column in run[4:]}
    if any(len(found) > 1 for found in lengths):
        raise InvalidInput(f"cannot read {str(folder)!r}: expected columns of one length")
    return run


def merge(first: Run, second: Run, folder: Path | None = None) -> Run:
    """Merge two runs; counts of what is in both are added.

    Parameters
    ----------
    folder : Path, optional
        Where the merged run is written to; by default it is made in memory.

    Examples
    --------
    >>> one, none = np.ones(1, np.uint32), np.zeros(0, np.uint32)
    >>> opening = Run(np.zeros(1, np.uint16), np.array([7], np.uint8), one, one, one, one)
    >>> merge(opening, opening).times.tolist()
    [2]
    """
    from bidcascade.kernels.auctions.prefix_trie import merge_runs

    # columns of files cannot be written to; the compiled code knows one kind of array
    first, second = _read_only(first), _read_only(second)
    nodes, texts = merge_runs(*first, *second, *Run.empty(), 0)
    merged: list[Column] = []
    if folder is not None:
        folder.mkdir(parents=True)
    for name, kind in _KINDS.items():
        length = nodes if name in _OF_NODES else texts
        if folder is None or not length:
            column = np.empty(length, kind)
            if folder is not None:
                np.save(folder / f"{name}.npy", column, allow_pickle=False)
        else:
            column = np.lib.format.open_memmap(
                folder / f"{name}.npy", mode="w+", dtype=kind, shape=(length,)
            )
        merged.append(column)
    run = Run(*(column.view(np.ndarray) for column in merged))
    merge_runs(*first, *second, *run, 1)
    return run


def _read_only(run: Run) -> Run:
    columns: list[Column] = [column.view() for column in run]
    for column in columns:
        column.flags.writeable = False
    return Run(*columns)


def merge_all(runs: Sequence[Path], scratch: Path) -> Run:
    """Merge runs that were written, two at a time; they stay as they are.

    Parameters
    ----------
    runs : sequence of Path
        Their folders.
    scratch : Path
        Folder for what is merged on the way; nothing is left there.

    Examples
    --------
    >>> import tempfile
    >>> one, none = np.ones(1, np.uint32), np.zeros(0, np.uint32)
    >>> opening = Run(np.zeros(1, np.uint16), np.array([7], np.uint8), one, 0 * one, none, none)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folders = [Path(place) / name for name in "abc"]
    ...     for folder in folders:
    ...         write_run(opening, folder)
    ...     merge_all(folders, Path(place)).auctions.tolist()
    [3]
    """
    waiting = [open_run(folder) for folder in runs]
    with tempfile.TemporaryDirectory(prefix="merging-", dir=scratch) as place:
        made = 0
        while len(waiting) > 2:
            # the two smallest, as in Huffman's tree: the least to read and write
            waiting.sort(key=lambda run: sum(run.size))
            waiting[:2] = [merge(waiting[0], waiting[1], Path(place) / str(made))]
            made += 1
        if len(waiting) == 2:
            waiting = [merge(waiting[0], waiting[1])]
    return waiting[0] if waiting else Run.empty()
