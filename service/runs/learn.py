"""The learning job: what hands made each call in any number of archives, put beside a table.

The archives are read once; what is needed of the boards lies in a folder beside the new table's
while the job runs, about 25 bytes a board. Memory does not grow with the archives.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.kernels import get_backend
from bidcascade.loaders import deal_arrays, empty_rejects, play_disagrees
from bidcascade.loaders.inputs import Input, Source, find_sources
from bidcascade.loaders.whole_files import PARTIAL_SUFFIX, can_write
from bidcascade.table import BiddingTable
from bidcascade.table.decisions import CallLists
from bidcascade.table.evidence.learning import Boards, Options, learn
from bidcascade.table.own_folder import OwnFolder

from .batch_inputs import Inputs, nothing_usable, refuse_hopeless
from .manifest import Position, distinct_sources
from .progress import progress_bar

_CHUNK_BOARDS: Final = 50_000
_COLUMNS: Final = ("north", "east", "south", "west", "dealer", "vulnerability", "auction")


class LearnedTable(NamedTuple):
    """A table that has learned, and what is to be said about the run."""

    table: BiddingTable
    report: dict[str, Any]


def learn_from(
    table: BiddingTable,
    inputs: Input | Sequence[Input],
    work_in: str | Path,
    *,
    options: Options | None = None,
    backend: str = "auto",
    jobs: int | None = None,
    show_progress: bool | None = None,
) -> LearnedTable:
    """Learn what the calls of a table show from the hands that made them in archives.

    Parameters
    ----------
    table : BiddingTable
    inputs : path or sequence of paths
        What :func:`bidcascade.loaders.read_deals` takes; their order makes no difference, and
        files with the same contents are read once.
    work_in : path
        Folder in which boards are kept while the job runs.
    options : Options, optional
        What is to be learned.
    backend : {"auto", "reference", "cpu", "cuda"}
        What evaluates expressions.
    jobs : int, optional
        Processes that read.
    show_progress : bool, optional
        By default if standard error is a terminal.

    Returns
    -------
    LearnedTable
        The table with its new extras; the report counts ``records`` (= ``boards`` +
        ``without_auction`` + ``rejects``), inputs, calls and entries.

    Raises
    ------
    InvalidInput
        If no input holds a board with an auction.
    CannotWrite
        If the disk is full.
    """
    found = get_backend(backend)
    sources, repeated = distinct_sources(find_sources(inputs))
    refuse_hopeless(sources)
    with OwnFolder(Path(work_in), ".learning.", PARTIAL_SUFFIX) as folder:
        kept = _KeptBoards(folder)
        kept.read(sources, jobs=jobs, shown=show_progress)
        with progress_bar("learning", shown=show_progress) as report:

            def passed(number: int, passes: int, boards: int) -> None:
                # how many passes there are is known after the first
                everything = max(passes, 2) * kept.boards
                done = (number - 1) * kept.boards + boards
                report(done, everything, done)

            learned = learn(table, kept.chunks, options, backend=found, progress=passed)
    counts = {
        "records": kept.boards + kept.without_auction + kept.rejects + kept.play_disagrees,
        "boards": kept.boards,
        "without_auction": kept.without_auction,
        "rejects": kept.rejects,
        "play_disagrees": kept.play_disagrees,
        "inputs": len(sources),
        "repeated_inputs": repeated,
    }
    return LearnedTable(learned.on(table), counts | learned.to_dict())


@dataclass
class _KeptBoards:
    """Boards with auctions on disk, read as often as they are asked for."""

    folder: Path
    boards: int = 0
    without_auction: int = 0
    rejects: int = 0
    play_disagrees: int = 0
    files: int = 0

    def read(self, sources: list[Source], *, jobs: int | None, shown: bool | None) -> None:
        """Keep all boards with calls; say what is there where there is none."""
        first = empty_rejects()
        inputs = Inputs(sources, _CHUNK_BOARDS, jobs)
        with progress_bar("reading", shown=shown) as report:
            for chunk in inputs.chunks(Position()):
                self.rejects += chunk.rejects.height
                first = chunk.rejects.head(1) if not first.height else first
                self._keep(chunk.deals)
                report(inputs.files_done, len(sources), self.boards)
        if not self.boards + self.without_auction + self.play_disagrees:
            raise InvalidInput(nothing_usable(first, self.rejects))
        if not self.boards:
            raise InvalidInput(
                f"expected boards with auctions, got {self.without_auction} without"
                + (f", {self.play_disagrees} whose play disagrees" if self.play_disagrees else "")
            )

    def _keep(self, deals: pl.DataFrame) -> None:
        played = deals.filter(~play_disagrees(deals))
        bid = played.select(_COLUMNS).filter(pl.col("auction").list.len() > 0)
        self.play_disagrees += deals.height - played.height
        self.without_auction += played.height - bid.height
        if bid.height:
            path = self.folder / f"{self.files:06}.arrow"
            with can_write(path):
                bid.write_ipc(path, compression="lz4")
            self.boards += bid.height
            self.files += 1

    def chunks(self) -> Iterator[Boards]:
        """Go through the boards once."""
        for number in range(self.files):
            frame = pl.read_ipc(self.folder / f"{number:06}.arrow")
            yield deal_arrays(frame), CallLists.of(frame["auction"])
