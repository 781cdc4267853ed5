"""The folder of a mining run while it is under way: what is mined so far, safe from interruption.

    state.json               what was asked, and how far it is
    inputs.parquet           path, bytes and SHA-256 of each input
    mined.parquet            the same of the table that is added to
    texts-00000.parquet      texts of calls, in the order of their numbers
    rejects-00000.parquet    records that are no boards
    runs/run-00000/          counts of auctions

``state.json`` is replaced after all else of a step is on the disk; what it does not name is left
over from an interrupted step and counts for nothing.
"""

import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl

from bidcascade.bridge import InvalidInput, InvalidTable
from bidcascade.loaders.whole_files import can_write, write_json, write_parquet
from bidcascade.table import BiddingTable
from bidcascade.table.evidence.mined_table import INPUTS
from bidcascade.table.evidence.mining import MOST_IN_MEMORY, MinedCounts, Miner

from .manifest import Position, read_state

STATE: Final = "state.json"
_FRESH: Final = "inputs.parquet"
_MINED: Final = "mined.parquet"
FORMAT: Final = "bidcascade mining"
VERSION: Final = 1

INPUT_SCHEMA: Final = pl.Schema(
    {"entry": pl.UInt32(), "path": pl.String(), "bytes": pl.UInt64(), "sha256": pl.String()}
)
"""Columns of ``inputs.parquet``; ``entry`` is null, for the extra that it becomes."""


@dataclass(slots=True)
class State:
    """What ``state.json`` holds.

    ``options`` and ``inputs`` (a digest of all inputs) are what was asked, ``profile`` follows from
    that; the rest says how far it is. ``saving`` is set before the table is written, so that one
    that is there afterwards is known to be ours.
    """

    options: dict[str, Any]
    inputs: str = ""
    profile: str = "gib"
    counts: MinedCounts = field(default_factory=MinedCounts)
    position: Position = field(default_factory=Position)
    runs: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    rejects: list[str] = field(default_factory=list)
    saving: bool = False

    def write(self, folder: Path) -> None:
        """Replace the state in a folder."""
        write_json({"format": FORMAT, "version": VERSION} | asdict(self), folder / STATE)

    @classmethod
    def read(cls, folder: Path) -> "State":
        """Read the state of a folder.

        Raises
        ------
        InvalidInput
            If it is none, or of another version.
        """
        path = folder / STATE
        value = read_state(path, "state", "a mining run", FORMAT, "version", VERSION)
        try:
            counts = MinedCounts(**value.pop("counts"))
            position = Position(**value.pop("position"))
            return cls(counts=counts, position=position, **value)
        except (TypeError, KeyError) as error:
            raise InvalidInput(f"damaged state {str(path)!r}: {error}") from None

    def check_same_job(self, other: "State") -> None:
        """Check that a run to be resumed was asked for the same.

        Raises
        ------
        InvalidInput
            If options or inputs differ; says which.
        """
        for name, value in self.options.items():
            if other.options.get(name) != value:
                raise InvalidInput(
                    f"cannot resume with another {name}: {value!r} before, "
                    f"{other.options.get(name)!r} now"
                )
        if self.inputs != other.inputs:
            raise InvalidInput("cannot resume: the inputs are others than those it began with")


class WorkFolder:
    """Brings a miner's work to the disk, step by step, and takes it up again.

    Parameters
    ----------
    path : Path
    state : State
        New, or as read from there.
    """

    def __init__(self, path: Path, state: State) -> None:
        self.path = path
        self.state = state
        self._texts_written = 0

    def begin(self, files: pl.DataFrame, before: BiddingTable | None) -> None:
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
        write_parquet(mined, self.path / _MINED)
        fresh = files.filter(
            ~pl.col("sha256").is_in(mined["sha256"].implode()).fill_null(value=False)
        )
        write_parquet(fresh, self.path / _FRESH)
        self.state.profile = self.state.options["profile"] or (
            "gib" if before is None else before.profile
        )
        miner = self.open_miner(MOST_IN_MEMORY)
        if before is not None:
            miner.add_table(before)
        self.commit(miner, Position(), [])

    @property
    def inputs(self) -> pl.DataFrame:
        """Inputs of this run, without those that were mined before."""
        return self._read(_FRESH)

    @property
    def all_inputs(self) -> pl.DataFrame:
        """Inputs of this run and of the table that it adds to, by path."""
        return pl.concat([self._read(_MINED), self.inputs]).sort("path", "sha256")

    @property
    def runs(self) -> Path:
        """Folder of the runs."""
        return self.path / "runs"

    def open_miner(self, most_in_memory: int) -> Miner:
        """Make a miner that stands where the state says; what counts for nothing is removed."""
        state = self.state
        self.runs.mkdir(exist_ok=True)
        named = {*state.texts, *state.rejects}
        for file in [*self.path.glob("texts-*.parquet"), *self.path.glob("rejects-*.parquet")]:
            if file.name not in named:
                file.unlink()
        for run in self.runs.iterdir():
            if run.name not in state.runs:
                shutil.rmtree(run)
        texts = [text for name in state.texts for text in self._read(name)["text"]]
        self._texts_written = len(texts)
        return Miner.resumed(
            self.runs, state.runs, texts, state.counts, most_in_memory=most_in_memory
        )

    def _read(self, name: str) -> pl.DataFrame:
        try:
            return pl.read_parquet(self.path / name)
        except (OSError, pl.exceptions.PolarsError) as error:
            reason = str(error).partition("\n")[0]
            raise InvalidInput(f"cannot resume: {name} of {str(self.path)!r}: {reason}") from None

    def commit(self, miner: Miner, position: Position, rejects: list[pl.DataFrame]) -> None:
        """Make all count that a miner took in up to a position.

        Raises
        ------
        CannotWrite
            If the disk is full or the like; what counted before still does.
        """
        state = self.state
        with can_write(self.runs):
            miner.spill()
        new = miner.texts.since(self._texts_written)
        if new:
            name = f"texts-{len(state.texts):05}.parquet"
            write_parquet(pl.DataFrame({"text": new}), self.path / name)
            state.texts.append(name)
        refused = [frame for frame in rejects if frame.height]
        if refused:
            name = f"rejects-{len(state.rejects):05}.parquet"
            write_parquet(pl.concat(refused), self.path / name)
            state.rejects.append(name)
        state.runs = [run.name for run in miner.runs]
        state.counts = miner.counts
        state.position = position
        state.write(self.path)
        self._texts_written = len(miner.texts)

    def rejects(self) -> pl.LazyFrame | None:
        """Give all records refused, in order; None if there are none."""
        if not self.state.rejects:
            return None
        return pl.scan_parquet([self.path / name for name in self.state.rejects], glob=False)

    def remove(self) -> None:
        """Remove the folder."""
        # without its state the folder is nothing any more, should this be interrupted
        (self.path / STATE).unlink(missing_ok=True)
        shutil.rmtree(self.path, ignore_errors=True)
