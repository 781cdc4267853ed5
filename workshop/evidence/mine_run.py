"""The mining job: any number of archives to a table of what was bid, safe to interrupt.

Work goes on in a folder beside the table's (see ``work_folder``), which is gone when the table is
there. The same inputs give the same table, in whatever order they are named and however often the
run was interrupted.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from copy import copy
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from bidcascade.bridge import InvalidInput, InvalidTable
from bidcascade.engine.runs.batches.batch_inputs import (
    Inputs,
    boards_in_parquet,
    nothing_usable,
    refuse_hopeless,
)
from bidcascade.engine.runs.manifest import (
    Manifest,
    check_comes_again,
    digest_inputs,
    list_inputs,
    listed_sources,
)
from bidcascade.engine.runs.progress import Report, progress_bar
from bidcascade.engine.runs.run_folder import RunFolder, folder_beside
from bidcascade.loaders import count_rejects, empty_rejects, play_disagrees
from bidcascade.loaders.files.whole_files import can_write, whole_file
from bidcascade.loaders.frames.frame import reject_weights
from bidcascade.loaders.inputs import Input, Source, find_sources
from bidcascade.systems import open_table
from bidcascade.table import BiddingTable
from bidcascade.table.stored.storage import is_table_folder

from .mined_table import INPUTS, Rank
from .mining import MOST_IN_MEMORY, MinedCounts, mining_report
from .work_folder import WorkFolder, work_folder

STEP_BOARDS: Final = 1_000_000
"""Boards after which what was mined is brought to the disk."""
_CHUNK_BOARDS: Final = 50_000
_MOST_REJECTS: Final = 200_000
_MOST_REASONS: Final = 10


class Mined(NamedTuple):
    """A mined table, and what is to be said about the run.

    ``report`` is that of :func:`bidcascade.workshop.evidence.mining.mining_report` with the
    ``digest``, ``inputs`` (files mined), ``repeated_inputs`` (files passed over because one with
    the same contents was mined) and ``reject_reasons`` (the most frequent ones).
    """

    table: BiddingTable
    report: dict[str, Any]


def mine(
    inputs: Input | Sequence[Input],
    out: str | Path,
    *,
    add_to: str | Path | None = None,
    overwrite: bool = False,
    resume: bool = False,
    rank: Rank = "specificity",
    profile: str | None = None,
    rejects: str | Path | None = None,
    jobs: int | None = None,
    step_boards: int = STEP_BOARDS,
    most_in_memory: int = MOST_IN_MEMORY,
    show_progress: bool | None = None,
) -> Mined:
    """Mine archives to a table.

    Parameters
    ----------
    inputs : path or sequence of paths
        What :func:`bidcascade.loaders.read_deals` takes. Files with the same contents are mined
        once, also if they were mined into the table that is added to.
    out : path
        Folder for the table.
    add_to : path, optional
        A mined table: the new one is as if its archives were mined again together with the inputs.
        May be ``out``, which is then replaced.
    overwrite : bool
        Replace a table that is at ``out``.
    resume : bool
        Go on with an interrupted run; begins one where there is none.
    rank : {"file", "frequency", "specificity"}
        Priority among calls at one place.
    profile : {"gib", "mlbridge"}, optional
        Definitions of the terms; by default that of ``add_to``, or gib.
    rejects : path, optional
        Parquet file for the records that are no boards.
    jobs : int, optional
        Processes that read.
    step_boards : int
        Boards after which what was mined is brought to the disk.
    most_in_memory : int
        Prefixes, and texts at prefixes, that are counted in memory.
    show_progress : bool, optional
        By default if standard error is a terminal.

    Raises
    ------
    InvalidInput
        If an input does not exist or none holds a board, or if what is to be resumed was asked for
        otherwise.
    InvalidTable
        If something is in the way at ``out``, or ``add_to`` was not mined.
    CannotWrite
        If the disk is full; what is mined so far can be resumed.

    Examples
    --------
    >>> import tempfile
    >>> deal = "md|1SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,|"
    >>> record = f"{deal}mb|1N|an|15-17 HCP|mb|p|mb|p|mb|p|".encode()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mined = mine(record, Path(folder) / "table")
    >>> mined.report["boards"], mined.report["entries"], mined.table.row(0).criteria
    (1, 4, ('HCP >= 15', 'HCP <= 17'))
    """
    if step_boards < 1:
        raise ValueError(f"expected at least one board a step, got {step_boards!r}")
    path = Path(out)
    run_folder = work_folder(folder_beside(out, "mining"))
    named = find_sources(inputs)
    request = Manifest(
        "mining", options={"rank": rank, "profile": profile, "add_to": str(add_to or "")}
    )
    may_replace = overwrite or (add_to is not None and _is_same(path, Path(add_to)))
    is_resumed = resume and run_folder.is_started
    if not is_resumed:
        _check_free(path, run_folder, may_replace=may_replace)
        refuse_hopeless(named)
    files = list_inputs(named)
    request.inputs = digest_inputs(files)
    with ExitStack() as stack:
        stack.enter_context(run_folder.held())
        report = stack.enter_context(progress_bar("mine", shown=show_progress))
        # what cannot be resumed stays as it is
        folder = WorkFolder(run_folder, run_folder.resume(request) if is_resumed else request)
        if not is_resumed:
            folder.start(files, None if add_to is None else open_table(add_to))
        elif not folder.run.state["saving"]:
            check_comes_again(files, request.work)
        job = _Job(folder, named, jobs, most_in_memory, step_boards)
        if not folder.run.state["saving"]:
            job.run(report)
        table = job.finish(path, may_replace=may_replace)
        reasons = _write_rejects(folder, rejects)
        mined = folder.inputs.height
        run_folder.remove()
    about = {
        "digest": table.digest,
        "inputs": mined,
        "repeated_inputs": len(named) - mined,
        "reject_reasons": reasons,
    }
    return Mined(table, mining_report(table) | about)


def _is_same(path: Path, other: Path) -> bool:
    return path.resolve() == other.resolve()


def _check_free(path: Path, place: RunFolder, *, may_replace: bool) -> None:
    if place.is_started:
        raise InvalidInput(
            f"{str(place.path)!r} holds an interrupted run: resume it, or remove the folder"
        )
    if (place.path / "state.json").exists():
        raise InvalidInput(
            f"{str(place.path)!r} holds a mining run of an earlier version, which this one cannot "
            "resume: remove the folder"
        )
    if path.exists() and not (may_replace and is_table_folder(path)):
        hint = "; it can be overwritten if asked for" if is_table_folder(path) else ""
        raise InvalidTable(
            f"expected a free place for the table, got {str(path)!r}, which is there{hint}"
        )


class _Job:
    """One run: from where the state of the work folder stands to the end."""

    def __init__(
        self,
        folder: WorkFolder,
        sources: Sequence[Source],
        jobs: int | None,
        most_in_memory: int,
        step_boards: int,
    ) -> None:
        self._folder = folder
        self._sources = listed_sources(sources, folder.inputs)
        self._inputs = Inputs(self._sources, min(_CHUNK_BOARDS, step_boards), jobs)
        self._miner = folder.open_miner(most_in_memory)
        self._step_boards = step_boards

    def run(self, report: Report) -> None:
        """Mine what is not mined yet."""
        position = copy(self._folder.run.position)
        rejects: list[pl.DataFrame] = []
        boards = waiting = 0
        in_all = boards_in_parquet(self._sources)
        for chunk in self._inputs.chunks(position):
            disagrees = play_disagrees(chunk.deals)
            self._miner.add(chunk.deals.filter(~disagrees))
            self._miner.counts += MinedCounts(
                rejects=count_rejects(chunk.rejects), play_disagrees=int(disagrees.sum())
            )
            position.add(chunk.source, chunk.deals.height, chunk.rejects.height)
            rejects.append(chunk.rejects)
            boards += chunk.deals.height
            waiting += chunk.rejects.height
            if boards >= self._step_boards or waiting >= _MOST_REJECTS:
                self._folder.commit(self._miner, copy(position), rejects)
                rejects, boards, waiting = [], 0, 0
            mined = self._miner.counts.records - self._miner.counts.rejects
            if in_all is None:
                report(self._inputs.files_done, len(self._sources), mined)
            else:
                report(mined, in_all, mined)
        if position != self._folder.run.position:
            self._folder.commit(self._miner, position, rejects)

    def finish(self, path: Path, *, may_replace: bool) -> BiddingTable:
        """Make the table and put it in its place."""
        folder, run = self._folder, self._folder.run
        counts = self._miner.counts
        if counts.records == counts.rejects:
            refused = folder.rejects()
            first = empty_rejects() if refused is None else refused.head(1).collect()
            raise InvalidInput(nothing_usable(first, counts.rejects))
        table = self._miner.finish(
            rank=run.options["rank"],
            profile=run.state["profile"],
            source=f"mined from {counts.boards:,} boards",
        ).with_extra(INPUTS, folder.all_inputs)
        may_replace = may_replace or run.state["saving"]
        folder.start_saving()
        table.save(path, overwrite=may_replace)
        return table


def _write_rejects(folder: WorkFolder, file: str | Path | None) -> list[dict[str, Any]]:
    """Write the rejects to their file; the most frequent reasons are returned."""
    refused = folder.rejects()
    if file is not None:
        with whole_file(Path(file)) as partial, can_write(Path(file)):
            (empty_rejects().lazy() if refused is None else refused).sink_parquet(partial)
    if refused is None:
        return []
    # the text in a reason is that of one record
    reason = pl.col("reason").str.replace(r"(:|, got ).*", "").str.slice(0, 80).alias("reason")
    counted = refused.group_by(reason).agg(
        reject_weights().sum().alias("count"), pl.col("source").first().alias("first")
    )
    return (
        counted.sort(["count", "reason"], descending=[True, False])
        .head(_MOST_REASONS)
        .collect()
        .to_dicts()
    )
