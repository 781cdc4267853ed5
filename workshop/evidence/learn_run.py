"""The learning job: what hands made each call in any number of archives, put beside a table.

The archives are read once; what is needed of the boards lies in a folder beside the new table's
while the job runs, about 25 bytes a board:

    manifest.json            which inputs, and how far they are read (see ``manifest``)
    inputs.parquet           path, bytes and SHA-256 of each input
    boards-00000-0.arrow     hands, dealer, vulnerability and auction of boards
    rejects-00000.parquet    the first record that is no board

A run that was killed goes on reading where it was. What was learned of the boards is learned again.
Memory does not grow with the archives.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.engine.runs.batches.batch_inputs import Inputs, nothing_usable, refuse_hopeless
from bidcascade.engine.runs.manifest import (
    LISTED,
    Manifest,
    RunPart,
    RunPosition,
    digest_inputs,
    list_inputs,
    listed_sources,
)
from bidcascade.engine.runs.progress import progress_bar
from bidcascade.engine.runs.run_folder import RunFolder
from bidcascade.kernels import get_backend
from bidcascade.loaders import count_rejects, deal_arrays, empty_rejects, play_disagrees
from bidcascade.loaders.files.whole_files import can_write, whole_file
from bidcascade.loaders.inputs import Input, Source, find_sources
from bidcascade.table import BiddingTable
from bidcascade.table.real_calls import CallLists

from .learning import DealsWithCalls, Options, learn

STEP_BOARDS: Final = 500_000
"""Boards after which what was read counts."""
_CHUNK_BOARDS: Final = 50_000
_OWN_FILES: Final = (LISTED, "boards-*.arrow", "rejects-*.parquet")
_COLUMNS: Final = ("north", "east", "south", "west", "dealer", "vulnerability", "auction")


class LearnedTable(NamedTuple):
    """A table that has learned, and what is to be said about the run."""

    table: BiddingTable
    report: dict[str, Any]


def learn_from(
    table: BiddingTable,
    inputs: Input | Sequence[Input],
    folder: str | Path,
    *,
    resume: bool = False,
    options: Options | None = None,
    backend: str = "auto",
    jobs: int | None = None,
    step_boards: int = STEP_BOARDS,
    show_progress: bool | None = None,
) -> LearnedTable:
    """Learn what the calls of a table show from the hands that made them in archives.

    Parameters
    ----------
    table : BiddingTable
    inputs : path or sequence of paths
        What :func:`bidcascade.loaders.read_deals` takes; their order makes no difference, and
        files with the same contents are read once.
    folder : path
        Of the run, see :func:`.run_folder.folder_beside`; gone at its end.
    resume : bool
        Go on with an interrupted run of these inputs; begins one where there is none. Else what one
        has left is removed. What is to be learned may be another.
    options : Options, optional
        What is to be learned.
    backend : {"auto", "reference", "cpu", "cuda"}
        What evaluates expressions.
    jobs : int, optional
        Processes that read.
    step_boards : int
        Boards after which what was read counts.
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
        If no input holds a board with an auction, or what is to be resumed has other inputs.
    CannotWrite
        If the disk is full; what was read so far can be resumed.
    """
    found = get_backend(backend)
    named = find_sources(inputs)
    refuse_hopeless(named)
    run_folder = RunFolder(Path(folder), "learning", _OWN_FILES, whole=True)
    listed = list_inputs(named)
    request = Manifest(
        "learning", inputs=digest_inputs(listed), state={"without_auction": 0, "play_disagrees": 0}
    )
    with run_folder.held():
        run = run_folder.start_or_resume(request, listed, resume=resume)
        boards = _ReadBoards(run_folder, run)
        if not run.finished:
            sources = listed_sources(named, listed)
            boards.read(sources, jobs=jobs, step=step_boards, shown=show_progress)
        with progress_bar("learning", shown=show_progress) as report:

            def passed(number: int, passes: int, done_now: int) -> None:
                # how many passes there are is known after the first
                done = (number - 1) * run.rows + done_now
                report(done, max(passes, 2) * run.rows, done)

            learned = learn(table, boards.chunks, options, backend=found, progress=passed)
        run_folder.remove()
    counts = {
        "records": run.boards + run.rejects,
        "boards": run.rows,
        "without_auction": run.state["without_auction"],
        "rejects": run.rejects,
        "play_disagrees": run.state["play_disagrees"],
        "inputs": listed.height,
        "repeated_inputs": len(named) - listed.height,
    }
    return LearnedTable(learned.on(table), counts | learned.to_dict())


class _ReadBoards:
    """Boards with auctions on the disk, read as often as they are asked for."""

    # a part's ``rows`` are those of its boards that are kept

    def __init__(self, place: RunFolder, run: Manifest) -> None:
        self._place = place
        self._run = run

    def read(
        self, sources: list[Source], *, jobs: int | None, step: int, shown: bool | None
    ) -> None:
        """Read all boards that are not there yet; say what is there where there is none."""
        run = self._run
        inputs = Inputs(sources, min(_CHUNK_BOARDS, step), jobs)
        position = copy(run.position)
        part = RunPart(len(run.parts))
        with progress_bar("reading", shown=shown) as report:
            for chunk in inputs.chunks(position):
                self._take(chunk.deals, chunk.rejects, part)
                position.add(chunk.source, chunk.deals.height, chunk.rejects.height)
                if part.boards >= step:
                    self._commit(part, position)
                    part = RunPart(len(run.parts))
                report(inputs.files_done, len(sources), run.rows + part.rows)
        run.finished = True
        self._commit(part, position)
        if not run.boards:
            first = [pl.read_parquet(self._place.path / name) for name in run.named("rejects-")]
            raise InvalidInput(nothing_usable(pl.concat([empty_rejects(), *first]), run.rejects))
        if not run.rows:
            disagree = run.state["play_disagrees"]
            self._place.remove()
            raise InvalidInput(
                f"expected boards with auctions, got {run.state['without_auction']} without"
                + (f", {disagree} whose play disagrees" if disagree else "")
            )

    def _take(self, deals: pl.DataFrame, rejects: pl.DataFrame, part: RunPart) -> None:
        played = deals.filter(~play_disagrees(deals))
        bid = played.select(_COLUMNS).filter(pl.col("auction").list.len() > 0)
        if rejects.height and not self._run.rejects + part.rejects:
            self._place.put(rejects.head(1), f"rejects-{part.number:05}.parquet", part)
        if bid.height:
            path = self._place.path / f"boards-{part.number:05}-{len(part.files)}.arrow"
            with whole_file(path) as partial, can_write(path):
                bid.write_ipc(partial, compression="lz4")
            self._place.count(path, part)
        part.boards += deals.height
        part.rejects += count_rejects(rejects)
        part.rows += bid.height
        state = self._run.state
        state["play_disagrees"] += deals.height - played.height
        state["without_auction"] += played.height - bid.height

    def _commit(self, part: RunPart, position: RunPosition) -> None:
        self._run.parts.append(part)
        self._run.position = copy(position)
        self._place.write(self._run)

    def chunks(self) -> Iterator[DealsWithCalls]:
        """Go through the boards once."""
        for name in self._run.named("boards-"):
            frame = pl.read_ipc(self._place.path / name)
            yield deal_arrays(frame), CallLists.of(frame["auction"])
