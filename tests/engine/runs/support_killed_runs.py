"""Runs of every kind, each of few boards in many steps, in a process that is killed at one of them.

``KINDS`` names them. A run is a function of a folder for its results and one with its inputs; the
same call goes on with a run that was killed. ``run_and_die`` is what the process does.
"""

import io
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

STEP: Final = 25
_STEPS: Final = ("os.rename", "os.remove", "os.rmdir", "os.mkdir")
"""Events of Python's audit hooks by which a run changes its folder, each before it happens."""
ARCHIVES: Final = ("a.lin", "b.lin", "c.pbn", "d.lin")


def _inputs(given: Path) -> list[Path]:
    return [given / name for name in ARCHIVES]


def _engine(given: Path) -> Any:
    from bidcascade.engine.engine import Engine

    return Engine.open(str(given / "small.jsonl"), "cpu")


def _batch(place: Path, given: Path, mode: Any) -> None:
    from bidcascade.engine.runs.batches.batch import run_batch

    run_batch(
        _engine(given),
        _inputs(given),
        place / "out",
        mode=mode,
        resume=True,
        jobs=1,
        part_deals=STEP,
        show_progress=False,
    )


def _export(place: Path, given: Path, form: Any) -> None:
    from bidcascade.engine.runs.batches.export_calls import export_calls

    export_calls(
        _engine(given),
        _inputs(given),
        place / "out",
        format=form,
        resume=True,
        jobs=1,
        part_deals=STEP,
        show_progress=False,
    )


def _mine(place: Path, given: Path) -> None:
    from bidcascade.table.stored.storage import is_table_folder
    from bidcascade.workshop.evidence.mine_run import mine

    # between the table and the end of the command nothing can be resumed, or need be
    if not is_table_folder(place / "table") or (place / "table.mining").exists():
        mine(
            _inputs(given),
            place / "table",
            resume=True,
            jobs=1,
            step_boards=STEP,
            most_in_memory=9,
            show_progress=False,
        )


def _mine_more(place: Path, given: Path) -> None:
    """Add to a table in its place."""
    from bidcascade.table.stored.storage import is_table_folder
    from bidcascade.workshop.evidence.mine_run import mine

    table, first = place / "table", _inputs(given)[:1]
    if not is_table_folder(table):
        mine(first, table, resume=True, jobs=1, show_progress=False)
    mine(
        _inputs(given),
        table,
        add_to=table,
        resume=True,
        jobs=1,
        step_boards=STEP,
        show_progress=False,
    )


def _learn(place: Path, given: Path) -> None:
    from bidcascade.systems import open_table
    from bidcascade.workshop.evidence import learn_run as learn
    from bidcascade.workshop.evidence.learning import Options

    learned = learn.learn_from(
        open_table(given / "small.jsonl"),
        _inputs(given),
        place / "out.learning",
        resume=True,
        jobs=1,
        step_boards=STEP,
        options=Options(minimum_hands=1),
        show_progress=False,
    )
    learned.table.save(place / "out", overwrite=True)


def _vet(place: Path, given: Path) -> None:
    from bidcascade.service.reports.vet_files import write_vetting
    from bidcascade.workshop.evidence.vet_run import vet

    vet(
        _engine(given),
        [str(path) for path in _inputs(given)],
        folder=place / "out.vetting",
        resume=True,
        jobs=1,
        step_deals=STEP,
        write=lambda vetted, *, again: write_vetting(vetted, place / "out", resumed=again),
    )


def _small_parts() -> None:
    from bidcascade.engine.archive import adding, parts

    parts.PART_BOARDS = adding.PART_BOARDS = adding._CHUNK = STEP  # type: ignore[misc]


def _add(place: Path, given: Path) -> None:
    from bidcascade.engine.archive.adding import add_files

    _small_parts()
    add_files(place / "club", _inputs(given), jobs=1, backend="cpu")


def _bid(place: Path, given: Path) -> None:
    from bidcascade.engine.archive.upkeep import bid_archive

    _small_parts()
    bid_archive(place / "club", str(given / "small.bidding"), all_calls=True, backend="cpu")


def _remove(place: Path, given: Path) -> None:
    from bidcascade.engine.archive.adding import remove_source
    from bidcascade.engine.archive.catalogue import Catalogue

    _small_parts()
    if None not in Catalogue.read(place / "club").sources:
        remove_source(place / "club", "b.lin")
    else:
        # removed, and then killed: the files that are not its own any more go with the next change
        Catalogue.read(place / "club").clean(place / "club")


def _job(place: Path, given: Path) -> None:
    """Do what the process of a job does: a batch, and the files to download."""
    from bidcascade.service.jobs.job_process import do_job

    folder = place / "job"
    folder.mkdir(exist_ok=True)
    do_job(
        {
            "folder": str(folder), "place": str(given), "root": "", "inputs": list(ARCHIVES),
            "table": str(given / "small.jsonl"), "name": "small",
            "digest": _engine(given).digest, "backend": "cpu", "overlays": [], "mode": "first",
            "completed_only": False, "text": True, "part_deals": STEP,
            "results": ["parquet", "jsonl", "pbn"],
        },
        io.BytesIO(),
    )  # fmt: skip


Run = Callable[[Path, Path], None]
KINDS: Final[dict[str, tuple[Run, ...]]] = {
    **{f"batch {mode}": (lambda place, given, mode=mode: _batch(place, given, mode),)
       for mode in ("first", "all", "counts")},
    **{f"export {form}": (lambda place, given, form=form: _export(place, given, form),)
       for form in ("parquet", "numpy")},
    "mining": (_mine,), "mining into a table": (_mine_more,), "learning": (_learn,),
    "vetting": (_vet,), "archive": (_add, _bid, _remove), "job": (_job,),
}  # fmt: skip
"""What is done one after the other, each until it is done."""


def run_and_die(kind: str, number: int, place: Path, given: Path, steps: int) -> None:
    """Run, and kill this process before it changes its folder once more than so many times.

    A run that comes to its end writes beside its folder how often it changed it.
    """
    from bidcascade.engine.runs.batches import batch_inputs

    # small groups of inputs: many places at which reading can begin
    batch_inputs._GROUP_BYTES = 4000  # type: ignore[misc]
    done = 0

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal done
        if event in _STEPS and str(arguments[0]).startswith(f"{place}{os.sep}"):
            done += 1
            if done > steps:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    KINDS[kind][number](place, given)
    place.with_suffix(".steps").write_text(str(done), "ascii")
