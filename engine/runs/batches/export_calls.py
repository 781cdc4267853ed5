"""Rows for learning of any number of deals, into a folder: safe to interrupt, as a batch is.

    manifest.json             as in ``batch``
    calls-00000.parquet       a row a call (see ``call_rows``)
    calls-00000-1.parquet     more of the same part
    left-out/left-out-00000.parquet    boards without rows, and why
    rejects/rejects-00000.parquet      records that are no deals

As arrays the rows are written once more at the end (see ``call_arrays``), and the Parquet files of
rows are removed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.engine.call_rows import CallRows
from bidcascade.engine.engine import Engine
from bidcascade.engine.runs.manifest import Manifest
from bidcascade.engine.runs.progress import Report
from bidcascade.engine.runs.run_folder import RunFolder
from bidcascade.loaders.files.whole_files import write_parquet
from bidcascade.loaders.inputs import Input

from .batch import PART_DEALS, Export, run_batch
from .batch_parts import PART_COLUMNS, AnsweredPart, OwnAnswerer, PartRequest
from .call_arrays import write_arrays

CallFormat: TypeAlias = Literal["parquet", "numpy"]
CALL_FORMATS: Final = ("parquet", "numpy")
OWN: Final = "own"
"""In the place of a bidder's name: the auctions that the inputs hold."""
_COLUMNS: Final = (*PART_COLUMNS, "auction_status", "declarer", "play")


class ExportedCalls(NamedTuple):
    """What an export wrote, all runs together; ``left_out`` counts boards without rows."""

    boards: int
    rejects: int
    rows: int
    left_out: dict[str, int]


def export_calls(
    engine: Engine,
    inputs: Input | Sequence[Input],
    folder: str | Path,
    *,
    bidder: Engine | None = None,
    format: CallFormat = "parquet",
    meanings: bool = False,
    resume: bool = False,
    overwrite: bool = False,
    jobs: int | None = None,
    part_deals: int = PART_DEALS,
    show_progress: bool | None = None,
    report: Report | None = None,
) -> ExportedCalls:
    """Write a row for each call of the auctions of some inputs.

    Parameters
    ----------
    engine, bidder, meanings
        As in :func:`bidcascade.engine.call_rows.iter_call_rows`.
    inputs, folder, resume, overwrite, jobs, part_deals, show_progress, report
        As in :func:`.batch.run_batch`.
    format : {"parquet", "numpy"}

    Raises
    ------
    InvalidInput, CannotWrite
        As :func:`.batch.run_batch` does.
    """
    if format not in CALL_FORMATS:
        raise ValueError(f"expected a format of {', '.join(CALL_FORMATS)}, got {format!r}")
    options = {
        "mode": "calls",
        "format": format,
        "meanings": meanings,
        "bidder": OWN if bidder is None else bidder.digest,
    }
    rows = CallRows(engine, bidder=bidder, meanings=meanings)
    export = Export(options, _COLUMNS, partial(_answering, rows), _finish)
    summary = run_batch(
        engine,
        inputs,
        folder,
        resume=resume,
        overwrite=overwrite,
        jobs=jobs,
        export=export,
        part_deals=part_deals,
        show_progress=show_progress,
        report=report,
    )
    left_out = _left_out(Path(folder), Manifest.read(Path(folder)))
    return ExportedCalls(summary.boards, summary.rejects, summary.rows, left_out)


def _left_out(folder: Path, manifest: Manifest) -> dict[str, int]:
    """Count the boards without rows by their reason."""
    counts: Counter[str] = Counter()
    for name in manifest.files():
        if name.startswith("left-out/"):
            counts.update(pl.read_parquet(folder / name)["reason"].to_list())
    return dict(counts)


@contextmanager
def _answering(rows: CallRows, engine: Engine, folder: Path) -> Iterator[OwnAnswerer]:
    yield _CallAnswerer(rows, engine, folder)


class _CallAnswerer(OwnAnswerer):
    """Makes the rows of parts in this process."""

    def __init__(self, rows: CallRows, engine: Engine, folder: Path) -> None:
        super().__init__(engine, folder, lambda _: None)
        self._rows = rows

    def answer(self, boards: pl.DataFrame, request: PartRequest) -> "Future[AnsweredPart]":
        """Make the rows of a part; the future is done."""
        files: dict[str, int] = {}
        left_out = []
        count = 0

        def put(frame: pl.DataFrame, name: str) -> None:
            write_parquet(frame, self._folder / name)
            files[name] = (self._folder / name).stat().st_size

        try:
            for number, piece in enumerate(self._rows.of(boards, request.offset)):
                name = f"calls-{request.number:05}"
                put(piece.rows, f"{name}-{number}.parquet" if number else f"{name}.parquet")
                count += piece.rows.height
                left_out.append(piece.left_out)
            missing = pl.concat(left_out)
            if missing.height:
                (self._folder / "left-out").mkdir(exist_ok=True)
                put(missing, f"left-out/left-out-{request.number:05}.parquet")
        except OSError:
            for written in files:
                (self._folder / written).unlink(missing_ok=True)
            raise
        done: Future[AnsweredPart] = Future()
        done.set_result(AnsweredPart(count, files, self._folder))
        return done


def _finish(place: RunFolder, manifest: Manifest) -> None:
    """Write arrays where they were asked for, in the place of the parts of rows."""
    folder = place.path
    if not manifest.rows:
        reasons = ", ".join(f"{count} {one}" for one, count in _left_out(folder, manifest).items())
        place.remove()
        raise InvalidInput(
            f"expected boards with an auction, got none ({reasons}); a bidder can bid them"
        )
    if manifest.options["format"] != "numpy":
        return
    parts = list(manifest.named("calls-"))
    manifest.results = write_arrays([folder / name for name in parts], folder)
    for part in manifest.parts:
        part.files = {name: size for name, size in part.files.items() if name not in parts}
