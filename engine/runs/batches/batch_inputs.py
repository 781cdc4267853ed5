"""The inputs of a batch as one sequence of boards and rejects that can be taken up anywhere."""

from collections.abc import Iterator
from copy import copy
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import InvalidInput
from bidcascade.engine.runs.manifest import RunPosition
from bidcascade.kernels.dealing import deal_hashes
from bidcascade.loaders import HAND_COLUMNS, Batch, Rejects, iter_deals, sniff
from bidcascade.loaders.inputs import Source
from bidcascade.loaders.parquet.parquet_decoder import decode_parquet

_GROUP_BYTES: Final = 256 << 20
"""Inputs that are read as one; what a resumed run may have to read twice."""
_HEAD_BYTES: Final = 1 << 20


class BoardChunk(NamedTuple):
    """Boards and rejects read from a source on."""

    source: int
    deals: pl.DataFrame
    rejects: pl.DataFrame


class Inputs:
    """Reads sources in groups of bounded size; where a group begins, reading can begin.

    Parameters
    ----------
    sources : list of Source
    chunk_deals : int
        Boards of a chunk, at most.
    jobs : int, optional
        Processes that read.
    """

    def __init__(self, sources: list[Source], chunk_deals: int, jobs: int | None) -> None:
        self.sources = sources
        self.files_done = 0
        self._chunk_deals = chunk_deals
        self._jobs = jobs

    def _groups(self) -> Iterator[tuple[int, list[Source]]]:
        """Consecutive sources that are read as one, with the number of the first."""
        group: list[Source] = []
        size = 0
        for number, source in enumerate(self.sources):
            if group and size + source.size > _GROUP_BYTES:
                yield number - len(group), group
                group, size = [], 0
            group.append(source)
            size += source.size
        if group:
            yield len(self.sources) - len(group), group

    def chunks(self, position: RunPosition) -> Iterator[BoardChunk]:
        """All boards and rejects in order, from a position on."""
        start = copy(position)
        for first, group in self._groups():
            if first < start.source:
                continue
            self.files_done = first
            skip_boards, skip_rejects = start.boards, start.rejects
            if first > start.source:
                skip_boards = skip_rejects = 0
            for batch in self._read(group):
                deals, rejects = batch.deals.slice(skip_boards), batch.rejects.slice(skip_rejects)
                skip_boards -= batch.deals.height - deals.height
                skip_rejects -= batch.rejects.height - rejects.height
                yield BoardChunk(first, deals, rejects)

    def _read(self, group: list[Source]) -> Iterator[Batch]:
        first = self.files_done

        def files_read(done: int, _total: int, _boards: int) -> None:
            self.files_done = first + done

        return iter_deals(
            group, jobs=self._jobs, chunk_deals=self._chunk_deals, whole=True, progress=files_read
        )


def in_share(deals: pl.DataFrame, share: float) -> NDArray[np.bool_]:
    """Which boards are of a share of all, bool [boards]: the same hands wherever they stand.

    Examples
    --------
    >>> from bidcascade.loaders import random_deals
    >>> in_share(random_deals(1000, seed=1), 0.1).sum().item()
    92
    """
    if share == 1:
        return np.ones(deals.height, np.bool_)
    hands = deals.select(HAND_COLUMNS).fill_null(0).to_numpy().T
    chosen: NDArray[np.bool_] = deal_hashes(hands) < np.uint64(share * (1 << 32))
    return chosen


def refuse_hopeless(sources: list[Source]) -> None:
    """Refuse inputs none of which begins like a file of deals, before gigabytes are digested."""
    if not sources:
        raise InvalidInput("expected deals, got none: no file that may hold any in the inputs")
    for source in sources:
        if source.is_stream or source.data is not None:
            return
        try:
            with source.open() as file:
                if not source.refusal and sniff(file.read(_HEAD_BYTES)) is not None:
                    return
        except OSError as error:
            raise InvalidInput(f"cannot read {source.name!r}: {error.strerror}") from None
    refused = Rejects()
    for batch in iter_deals(sources, whole=True):
        if batch.deals.height:
            return
        refused.add(batch.rejects)
    raise InvalidInput(nothing_usable(refused.frame(), refused.count))


def nothing_usable(rejects: pl.DataFrame, count: int) -> str:
    """Say that there are no deals, and what was found instead."""
    if not rejects.height:
        return "expected deals, got none: no board in the inputs"
    return f"expected deals, got none and {count:,} rejects; first reject: {first_reject(rejects)}"


def first_reject(rejects: pl.DataFrame) -> str:
    """Say where the first record that is no deal stands, and why."""
    source, record, reason, _ = rejects.row(0)
    return f"{source if record is None else f'{source}, record {record}'}: {reason}"


def boards_in_parquet(sources: list[Source]) -> int | None:
    """Count the rows of sources that are all Parquet; None where some are not, or are damaged."""
    total = 0
    for source in sources:
        if source.path is None:
            return None
        with source.path.open("rb") as file:
            if file.read(4) != b"PAR1":
                return None
        try:
            total += decode_parquet(source.path, source.name, rows=0).rows
        except InvalidInput:
            return None
    return total
