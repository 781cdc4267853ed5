"""A table vetted on archives: deals are streamed through it, and what is found adds up.

Where a folder is given, what was found so far is brought to it now and then:

    manifest.json            what was asked, and how far it is (see ``manifest``)
    inputs.parquet           path, bytes and SHA-256 of each input
    places-00000.parquet     a tally of the vetting; one file each of all of them
    counts-00000.npy         deals that reach each entry, by two counts
    rejects-00000.parquet    records that are no deals
"""

from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput, format_calls
from bidcascade.engine.engine import Engine
from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.engine.questions.service.tables import lint_answer
from bidcascade.engine.runs.batches.batch_inputs import BoardChunk, Inputs, first_reject
from bidcascade.engine.runs.manifest import (
    LISTED,
    Manifest,
    RunPart,
    RunPosition,
    digest_inputs,
    list_inputs,
    listed_sources,
)
from bidcascade.engine.runs.run_folder import RunFolder
from bidcascade.kernels import NO_ENTRY
from bidcascade.kernels.machine.npy_files import write_npy
from bidcascade.loaders import Rejects, count_rejects, deal_arrays, play_disagrees
from bidcascade.loaders.files.whole_files import can_write, whole_file, write_parquet
from bidcascade.loaders.inputs import Source, find_sources
from bidcascade.loaders.read import CHUNK_DEALS
from bidcascade.table import LintReport, counts_through, lint, lint_on_deals
from bidcascade.table.real_calls import CallLists

from .vetting import Vetting

LEAST_DECISIONS = 20
"""Calls that a place must have been bid at to stand among the worst."""
STEP_DEALS: Final = 1_000_000
"""Deals after which what was found is brought to the disk."""
_COUNTS: Final = "counts"
_OWN_FILES: Final = (LISTED, f"*-{'[0-9]' * 5}.parquet", f"{_COUNTS}-*.npy")


@dataclass(frozen=True)
class Vetted:
    """What came of a vetting.

    Parameters
    ----------
    engine : Engine
        The table, and what it was asked with.
    inputs : tuple of str
    auction : tuple of int
        Only deals whose auction begins so were taken, and only so many of their calls; all if
        empty.
    vetting : Vetting
    numbers : Counter
        ``repeated_inputs``: files left out because another one has the same contents; ``records``
        in all; ``boards``; ``rejects``; ``play_disagrees``: boards left out because their play is
        not of their hands (:func:`bidcascade.loaders.play_disagrees`); ``other_auctions``: boards
        left out because they were bid otherwise; ``complete``, ``unfinished``, ``illegal``,
        ``none``: boards by the state of their auction; ``compared``: complete auctions compared
        with the table's own, of which ``same_auction`` and ``same_contract`` (and declarer).
    rejects : polars.DataFrame
    table_lint, deal_lint : LintReport, optional
        Of the table by itself, and on the deals.
    """

    engine: Engine
    inputs: tuple[str, ...]
    auction: tuple[int, ...]
    vetting: Vetting
    numbers: Counter[str]
    rejects: pl.DataFrame
    table_lint: LintReport | None
    deal_lint: LintReport | None

    def summary(self) -> dict[str, Any]:
        """Numbers and findings as plain values for JSON."""
        places, counts = self.vetting.places, self.vetting.counts
        by_status = {
            name: int(places[name].sum())
            for name in ("agrees", "allowed", "fails", "missing", "ended", "silent", "several")
        }
        decisions = sum(by_status[name] for name in ("agrees", "allowed", "fails", "missing"))
        return {
            "table": self.engine.table_info(),
            "inputs": list(self.inputs),
            "repeated_inputs": self.numbers["repeated_inputs"],
            "auction": format_calls(self.auction),
            "boards": {
                name: self.numbers[name]
                for name in (
                    "records",
                    "boards",
                    "rejects",
                    "play_disagrees",
                    "other_auctions",
                    "complete",
                    "unfinished",
                    "illegal",
                    "none",
                )
            },
            "calls": {
                "made": counts["calls"],
                "judged": decisions,
                "held": int(places["held"].sum()),
                **by_status,
                "beyond": counts["beyond"],
            },
            "auctions": {
                "vetted": counts["deals"] - counts["without_auction"],
                "in_table": counts["whole"],
                "held": counts["held"],
            },
            "own": {
                name: self.numbers[name] for name in ("compared", "same_auction", "same_contract")
            },
            "seats": {
                "described": counts["described"],
                "held": [counts[f"turned_{turn}"] for turn in range(4)],
            },
            "lint": self.table_lint and plain(lint_answer(self.table_lint)),
            "lint_on_deals": self.deal_lint and plain(lint_answer(self.deal_lint)),
        }


class WriteReport(Protocol):
    """Writes the report of a vetting."""

    def __call__(self, vetted: "Vetted", /, *, again: bool) -> None:
        """Write it; ``again`` where an interrupted run may have written some of it."""


def vet(
    engine: Engine,
    inputs: Sequence[str],
    *,
    auction: Sequence[int] = (),
    with_lint: bool = True,
    with_own: bool = True,
    folder: str | Path | None = None,
    resume: bool = False,
    write: "WriteReport | None" = None,
    jobs: int | None = None,
    step_deals: int = STEP_DEALS,
    examples: int = 20,
    progress: Callable[[int, int | None, int], None] | None = None,
) -> Vetted:
    """Vet a table on the deals of some inputs.

    Parameters
    ----------
    engine : Engine
    inputs : sequence of str
        Files, folders, patterns; their order does not matter, and files with the same contents
        are read once.
    auction : sequence of int
        Only deals whose auction begins so, and only these calls of it.
    with_lint : bool
        Whether to look the table over as well; takes seconds where criteria lists are many.
    with_own : bool
        Whether to bid the deals with the table, for its coverage, and to compare its auctions
        with the actual ones.
    folder : path, optional
        Of the run, see :func:`.run_folder.folder_beside`; gone at its end. Without one it cannot be
        resumed.
    resume : bool
        Go on with an interrupted run; begins one where there is none. Else what one has left is
        removed.
    write : callable, optional
        Writes the report while the run can still be resumed; told whether an interrupted run may
        have written some of it.
    jobs : int, optional
        Processes that read; see :func:`bidcascade.loaders.iter_deals`.
    step_deals : int
        Deals after which what was found is brought to the disk.
    examples : int
        Most examples of each kind of the lint.
    progress : callable, optional
        Called with files done, files in all, and boards so far.

    Raises
    ------
    InvalidInput
        If no deal with a call is found (after the auction asked for), or what is to be resumed was
        asked for otherwise.
    CannotWrite
        If the disk is full; what was found so far can be resumed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from bidcascade.table import build_table
    >>> _ = Path("one.lin").write_text(
    ...     "md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,|mb|1N|mb|p|mb|p|mb|p|")
    >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}])
    >>> vetted = vet(Engine(table), ["one.lin"])
    >>> vetted.summary()["calls"]["fails"]
    1
    """
    table = engine.table
    prefix = tuple(auction)
    named = find_sources(inputs)
    listed = list_inputs(named)
    sources = listed_sources(named, listed)
    found = _Found(engine, prefix, with_own=with_own)

    def vetted() -> Vetted:
        numbers, rejects = found.numbers, found.rejects.frame()
        numbers["repeated_inputs"] = len(named) - listed.height
        if not found.vetting.counts["calls"]:
            raise InvalidInput(_nothing(numbers, rejects, prefix))
        return Vetted(
            engine,
            tuple(sorted(inputs)),
            prefix,
            found.vetting,
            numbers,
            rejects,
            lint(table, examples=examples) if with_lint else None,
            lint_on_deals(
                table, found.counts_all, found.counts_first, numbers["boards"], examples=examples
            )
            if with_own
            else None,
        )

    if folder is None:
        found.read(sources, jobs, progress)
        done = vetted()
        if write is not None:
            write(done, again=False)
        return done
    request = Manifest(
        "vetting",
        engine.table_info(),
        {"auction": format_calls(prefix), "with_own": with_own},
        digest_inputs(listed),
    )
    run_folder = RunFolder(Path(folder), "vetting", _OWN_FILES, whole=True)
    with run_folder.held():
        run = run_folder.start_or_resume(request, listed, resume=resume)
        found.read(sources, jobs, progress, _Steps(run_folder, run, step_deals))
        try:
            done = vetted()
        except InvalidInput:
            # nothing to go on with
            run_folder.remove()
            raise
        if write is not None:
            # from now on what is there of a report is ours
            again = run.state.get("writing", False)
            run.state["writing"] = True
            run_folder.write(run)
            write(done, again=again)
        run_folder.remove()
    return done


@dataclass
class _Found:
    """What was found on the deals so far."""

    engine: Engine
    prefix: tuple[int, ...]
    with_own: bool = field(kw_only=True)
    numbers: Counter[str] = field(default_factory=Counter)
    rejects: Rejects = field(default_factory=Rejects)

    def __post_init__(self) -> None:
        self.vetting = Vetting(self.engine.table)
        entries = len(self.engine.table)
        self.counts_all = np.zeros(entries, np.uint64)
        self.counts_first = np.zeros(entries, np.int64)

    def read(
        self,
        sources: list[Source],
        jobs: int | None,
        progress: Callable[[int, int | None, int], None] | None,
        steps: "_Steps | None" = None,
    ) -> None:
        """Take in the deals that are not taken in yet."""
        position = RunPosition()
        if steps is not None:
            position = steps.resume(self)
            if steps.are_done:
                return
        reading = Inputs(sources, CHUNK_DEALS if steps is None else steps.chunk_deals, jobs)
        for chunk in reading.chunks(position):
            self._add(chunk.deals, chunk.rejects)
            position.add(chunk.source, chunk.deals.height, chunk.rejects.height)
            if progress is not None:
                progress(reading.files_done, len(sources), self.numbers["records"])
            if steps is not None:
                steps.took(self, chunk, position)
        if steps is not None:
            steps.end(self, position)

    def _add(self, frame: pl.DataFrame, rejects: pl.DataFrame) -> None:
        numbers, engine, prefix = self.numbers, self.engine, self.prefix
        refused = count_rejects(rejects)
        numbers["records"] += frame.height + refused
        numbers["rejects"] += refused
        self.rejects.add(rejects)
        played = frame.filter(~play_disagrees(frame))
        numbers["play_disagrees"] += frame.height - played.height
        frame = played
        if prefix:
            before = frame.height
            frame = _beginning_with(frame, prefix)
            numbers["other_auctions"] += before - frame.height
        if not frame.height:
            return
        numbers["boards"] += frame.height
        for status, count in frame.group_by("auction_status").len().iter_rows():
            numbers[status] += count
        self.vetting.add(deal_arrays(frame), CallLists.of(frame["auction"]))
        if not self.with_own:
            return
        self.counts_all += engine.count_entries(frame)
        own = engine.auctions(frame, mode="first")
        entries = own["entry"].fill_null(NO_ENTRY).to_numpy()
        self.counts_first += counts_through(engine.table, entries)
        if not prefix:
            numbers.update(_same(frame, own))


class _Steps:
    """Brings what was found to the disk, and takes it up again."""

    def __init__(self, place: RunFolder, run: Manifest, step_deals: int) -> None:
        self.chunk_deals = min(CHUNK_DEALS, step_deals)
        self._place = place
        self._run = run
        self._step_deals = step_deals
        self._part = RunPart(len(run.parts))
        self._rejects: list[pl.DataFrame] = []

    @property
    def are_done(self) -> bool:
        """Whether all deals are taken in."""
        return self._run.finished

    def resume(self, found: _Found) -> RunPosition:
        """Put what earlier steps have found where it was; where to read on."""
        run, path = self._run, self._place.path
        if run.parts:
            found.numbers.update(run.state["numbers"])
            found.vetting.counts.update(run.state["counts"])
            for name in run.named("rejects-"):
                found.rejects.add(pl.read_parquet(path / name))
            step = run.parts[-1].number
            for name, tally in found.vetting.tallies.items():
                tally.merge(pl.read_parquet(path / _name(name, step)))
            counts = np.load(path / _name(_COUNTS, step, "npy"), allow_pickle=False)
            found.counts_all[:], found.counts_first[:] = counts[0], counts[1]
        return copy(run.position)

    def took(self, found: _Found, chunk: BoardChunk, position: RunPosition) -> None:
        """Notice what was taken in; make it count where that is due."""
        self._part.boards += chunk.deals.height
        self._part.rejects += count_rejects(chunk.rejects)
        if chunk.rejects.height:
            self._rejects.append(chunk.rejects)
        if self._part.boards + self._part.rejects >= self._step_deals:
            self._commit(found, position)

    def end(self, found: _Found, position: RunPosition) -> None:
        """Make all count that was taken in last, of what takes more than one step."""
        if self._run.parts:
            self._run.finished = True
            self._commit(found, position)

    def _commit(self, found: _Found, position: RunPosition) -> None:
        run, part, path, before = self._run, self._part, self._place.path, self._run.state_files
        if self._rejects:
            self._place.put(pl.concat(self._rejects), _name("rejects", part.number), part)
        run.state_files = {}
        for name, tally in found.vetting.tallies.items():
            file = path / _name(name, part.number)
            write_parquet(tally.frame, file)
            run.state_files[file.name] = file.stat().st_size
        file = path / _name(_COUNTS, part.number, "npy")
        with whole_file(file) as partial, can_write(file), partial.open("wb") as stream:
            write_npy(stream, np.stack([found.counts_all, found.counts_first.astype(np.uint64)]))
        run.state_files[file.name] = file.stat().st_size
        run.state |= {"numbers": dict(found.numbers), "counts": dict(found.vetting.counts)}
        run.parts.append(part)
        run.position = copy(position)
        self._place.write(run)
        for old in before:
            (path / old).unlink(missing_ok=True)
        self._part, self._rejects = RunPart(len(run.parts)), []


def _name(what: str, step: int, ending: str = "parquet") -> str:
    return f"{what}-{step:05}.{ending}"


def _beginning_with(frame: pl.DataFrame, prefix: tuple[int, ...]) -> pl.DataFrame:
    """Deals whose auction begins with some calls, and only these calls of it."""
    head = pl.col("auction").list.head(len(prefix))
    begins = head.list.len() == len(prefix)
    for place, call in enumerate(prefix):
        begins &= pl.col("auction").list.get(place, null_on_oob=True) == call
    return frame.filter(begins).with_columns(head)


def _same(frame: pl.DataFrame, own: pl.DataFrame) -> dict[str, int]:
    """How many complete auctions, and contracts, are those that the table bids."""
    both = pl.DataFrame(
        {
            "complete": frame["auction_status"] == "complete",
            "auction": frame["auction"],
            "contract": frame["contract"],
            "declarer": frame["declarer"],
            "own_auction": own["auction"],
            "own_contract": own["contract"],
            "own_declarer": own["declarer"],
        }
    ).filter("complete")
    same_contract = (pl.col("contract") == pl.col("own_contract")) & pl.col("declarer").eq_missing(
        pl.col("own_declarer")
    )
    found = both.select(
        compared=pl.len(),
        same_auction=(pl.col("auction") == pl.col("own_auction")).sum(),
        same_contract=same_contract.sum(),
    )
    return {name: int(found[name][0]) for name in found.columns}


def _nothing(numbers: Counter[str], rejects: pl.DataFrame, prefix: tuple[int, ...]) -> str:
    wanted = f"deals that were bid {format_calls(prefix)!r}" if prefix else "deals with an auction"
    found = f"{numbers['boards'] + numbers['other_auctions']:,} boards"
    if numbers["play_disagrees"]:
        found += f", {numbers['play_disagrees']:,} whose play disagrees"
    if rejects.height:
        found += f" and {count_rejects(rejects):,} rejects, the first: {first_reject(rejects)}"
    return f"expected {wanted}, got {found}"
