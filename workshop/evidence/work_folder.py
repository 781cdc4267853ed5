"""The folder of a mining run while it is under way: what is mined so far, safe from interruption.

    manifest.json            what was asked, and how far it is (see ``manifest``)
    inputs.parquet           path, bytes and SHA-256 of each input
    mined.parquet            the same of the table that is added to
    texts-00000.parquet      texts of calls, in the order of their numbers
    rejects-00000.parquet    records that are no boards
    counts/run-00000/        counts of auctions

A step is a part. In the manifest's ``state`` are ``profile``, which follows from what was asked;
``counts``, what was taken in so far; and ``saving``, which is set before the table is written, so
that one that is there afterwards is known to be ours.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Final

import polars as pl

from bidcascade.bridge import InvalidInput, InvalidTable
from bidcascade.engine.runs.manifest import INPUT_SCHEMA, LISTED, Manifest, RunPart, RunPosition
from bidcascade.engine.runs.run_folder import RunFolder
from bidcascade.loaders import count_rejects
from bidcascade.loaders.files.whole_files import can_write, sync_folder, write_parquet
from bidcascade.table import BiddingTable

from .mined_table import INPUTS
from .mining import MOST_IN_MEMORY, MinedCounts, Miner

_MINED: Final = "mined.parquet"
_COUNTS: Final = "counts"
_OWN_FILES: Final = (
    LISTED,
    _MINED,
    "texts-*.parquet",
    "rejects-*.parquet",
    f"{_COUNTS}/*",
    f"{_COUNTS}/*/*",
)


def work_folder(path: Path) -> RunFolder:
    """Folder of a mining run, whether it is there or not."""
    return RunFolder(path, "mining", _OWN_FILES, whole=True)


class WorkFolder:
    """Brings a miner's work to the disk, step by step, and takes it up again.

    Parameters
    ----------
    place : RunFolder
        Held by this process.
    run : Manifest
        What is asked, or as it was taken up from there.
    """

    def __init__(self, place: RunFolder, run: Manifest) -> None:
        self.place = place
        self.path = place.path
        self.run = run
        self._texts_written = 0

    def start(self, files: pl.DataFrame, before: BiddingTable | None) -> None:
        """Write down what is to be mined: inputs that were not mined into the table before.

        Raises
        ------
        InvalidTable
            If that table was not mined.
        """
        mined = INPUT_SCHEMA.to_frame() if before is None else before.extra(INPUTS)
        if mined is None or mined.schema != INPUT_SCHEMA:
            raise InvalidTable(
                "expected a mined table to add to, got one that does not name its inputs"
            )
        self.place.clean(self.run)
        write_parquet(mined, self.path / _MINED)
        fresh = files.filter(
            ~pl.col("sha256").is_in(mined["sha256"].implode()).fill_null(value=False)
        )
        write_parquet(fresh, self.path / LISTED)
        profile = self.run.options["profile"] or ("gib" if before is None else before.profile)
        self.run.state = {"profile": profile, "counts": asdict(MinedCounts()), "saving": False}
        miner = self.open_miner(MOST_IN_MEMORY)
        if before is not None:
            miner.add_table(before)
        self.commit(miner, RunPosition(), [])

    @property
    def inputs(self) -> pl.DataFrame:
        """Inputs of this run, without those that were mined before."""
        return self._read(LISTED)

    @property
    def all_inputs(self) -> pl.DataFrame:
        """Inputs of this run and of the table that it adds to, by path."""
        return pl.concat([self._read(_MINED), self.inputs]).sort("path", "sha256")

    def open_miner(self, most_in_memory: int) -> Miner:
        """Make a miner that stands where the manifest says."""
        counts = self.path / _COUNTS
        counts.mkdir(exist_ok=True)
        runs = {name.split("/")[1]: None for name in self.run.named(f"{_COUNTS}/")}
        texts = [text for name in self.run.named("texts-") for text in self._read(name)["text"]]
        self._texts_written = len(texts)
        return Miner.resumed(
            counts,
            list(runs),
            texts,
            MinedCounts(**self.run.state["counts"]),
            most_in_memory=most_in_memory,
        )

    def _read(self, name: str) -> pl.DataFrame:
        try:
            return pl.read_parquet(self.path / name)
        except (OSError, pl.exceptions.PolarsError) as error:
            reason = str(error).partition("\n")[0]
            raise InvalidInput(f"cannot resume: {name} of {str(self.path)!r}: {reason}") from None

    def commit(self, miner: Miner, position: RunPosition, rejects: list[pl.DataFrame]) -> None:
        """Make all count that a miner took in up to a position.

        Raises
        ------
        CannotWrite
            If the disk is full or the like; what counted before still does.
        """
        run = self.run
        counts = self.path / _COUNTS
        known = {name.split("/")[1] for name in run.named(f"{_COUNTS}/")}
        with can_write(counts):
            miner.spill()
            sync_folder(counts)
        refused = [frame for frame in rejects if frame.height]
        part = RunPart(
            len(run.parts),
            miner.counts.records - miner.counts.rejects - run.boards,
            sum(map(count_rejects, refused)),
        )
        if not run.parts:
            self.place.count(self.path / _MINED, part)
        new = miner.texts.since(self._texts_written)
        if new:
            self.place.put(pl.DataFrame({"text": new}), f"texts-{part.number:05}.parquet", part)
        if refused:
            self.place.put(pl.concat(refused), f"rejects-{part.number:05}.parquet", part)
        for written in miner.runs:
            if written.name not in known:
                for file in sorted(written.iterdir()):
                    self.place.count(file, part)
        run.parts.append(part)
        run.state["counts"] = asdict(miner.counts)
        run.position = position
        self.place.write(run)
        self._texts_written = len(miner.texts)

    def start_saving(self) -> None:
        """Write down that all is mined, and the table is written next."""
        self.run.state["saving"] = True
        self.place.write(self.run)

    def rejects(self) -> pl.LazyFrame | None:
        """Give all records refused, in order; None if there are none."""
        files = [self.path / name for name in self.run.named("rejects-")]
        return pl.scan_parquet(files, glob=False) if files else None
