"""Options that name what a command writes, and the one check of them: nothing is overwritten.

Before a command begins, what it would write to is looked at: whether its name will do, and whether
something is there. That is replaced with ``--force`` alone, but an unfinished run goes on.
"""

import argparse
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, TypeAlias

from bidcascade.bridge import InvalidInput, InvalidTable

from .shared import DEAL_SUFFIXES, TEXT_SUFFIXES, UsageError

_OTHER_SUFFIXES: Final = (".bidding", ".csv", ".json", ".ndjson", ".pkl", ".py", ".zip")
"""Of files that are read, beside those of deals; none of them is Parquet."""

Check: TypeAlias = Callable[[str], None]
"""Raises where a name will not do, whatever is forced."""


class Output(argparse.Action):
    """An option that names what a command writes.

    Parameters
    ----------
    check : callable
    is_there : callable
        Whether there is something that writing would replace.
    goes_on : callable
        Whether arguments ask to go on with what is there.
    takes_stdout : bool
        Whether ``-`` is no name, but standard output.
    """

    def __init__(
        self,
        *arguments: Any,
        check: Check,
        is_there: Callable[[Path], bool],
        goes_on: Callable[[argparse.Namespace], bool],
        takes_stdout: bool,
        **more: Any,
    ) -> None:
        super().__init__(*arguments, **more)
        self.check = check
        self.is_there = is_there
        self.goes_on = goes_on
        self.takes_stdout = takes_stdout

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Keep the name, and that it is one of an output."""
        setattr(namespace, self.dest, values)
        namespace.outputs = {**getattr(namespace, "outputs", {}), self: values}


def add_output(
    parser: argparse.ArgumentParser,
    flag: str,
    *,
    help: str,
    check: Check,
    metavar: str = "FILE",
    required: bool = False,
    takes_stdout: bool = False,
    is_there: Callable[[Path], bool] = os.path.lexists,
    goes_on: Callable[[argparse.Namespace], bool] = lambda _: False,
) -> None:
    """Add an option that names what the command writes, and ``--force``; see :class:`Output`."""
    parser.add_argument(
        flag,
        action=Output,
        metavar=metavar,
        required=required,
        help=help,
        check=check,
        is_there=is_there,
        goes_on=goes_on,
        takes_stdout=takes_stdout,
    )
    if "--force" not in parser._option_string_actions:
        parser.add_argument("--force", action="store_true", help="replace what is there")


def add_table_output(
    parser: argparse.ArgumentParser,
    goes_on: Callable[[argparse.Namespace], bool] = lambda _: False,
) -> None:
    """Add ``--out`` for the folder of a table that the command makes."""
    add_output(
        parser,
        "--out",
        required=True,
        metavar="DIR",
        help="folder for the table",
        check=table_folder,
        goes_on=goes_on,
    )


def check_outputs(options: argparse.Namespace) -> None:
    """Check what arguments name as outputs, before a command begins.

    Raises
    ------
    UsageError, InvalidInput
        If a name will not do, or something is there that may not be replaced.
    """
    named: dict[Output, str] = {
        output: name
        for output, name in getattr(options, "outputs", {}).items()
        if not (output.takes_stdout and name == "-")
    }
    for output, name in named.items():
        output.check(name)
    places = [os.path.realpath(name) for name in named.values()]
    if len({*places}) < len(places):
        raise UsageError(f"expected two outputs, got {[*named.values()][-1]!r} for both")
    for output, name in named.items():
        if options.force or output.goes_on(options) or not output.is_there(Path(name)):
            continue
        resumes = "--resume goes on with it, " if output.goes_on is is_resumed else ""
        raise InvalidInput(
            f"expected a free place for {output.option_strings[0]}, got {name!r}, which is there; "
            f"{resumes}--force replaces it"
        )


def is_resumed(options: argparse.Namespace) -> bool:
    """Tell whether a run is to go on in the folder that it writes to."""
    return bool(options.resume)


# --- names that will do ---------------------------------------------------------------------------


def any_file(out: str) -> None:
    """Check that a file's folder is there."""
    path = Path(out)
    if not path.parent.is_dir():
        raise UsageError(f"expected an output in a folder that exists, got {out!r}")
    if path.is_dir():
        raise UsageError(f"expected a file as output, got the folder {out!r}")


def file_ending(*suffixes: str) -> Check:
    """Make the check of a file that has one of some endings."""

    def check(out: str) -> None:
        if Path(out).suffix.lower() not in suffixes:
            raise UsageError(f"expected an output ending in {', '.join(suffixes)}, got {out!r}")
        any_file(out)

    return check


deals_file: Final = file_ending(*DEAL_SUFFIXES)


def parquet_file(out: str) -> None:
    """Check that a Parquet file can be written under a name; names of other kinds are refused."""
    if Path(out).suffix.lower() in (*TEXT_SUFFIXES, *_OTHER_SUFFIXES):
        raise UsageError(f"expected a Parquet file as output, got {out!r}")
    any_file(out)


def check_is_no_input(out: str, inputs: Iterable[str]) -> None:
    """Check that what is written does not take the place of what is read."""
    if os.path.realpath(out) in map(os.path.realpath, inputs):
        raise UsageError(f"expected an output that is no input, got {out!r}")


def report_folder(out: str) -> None:
    """Check that the files of a report can be written to a folder."""
    if os.path.lexists(out) and not Path(out).is_dir():
        raise UsageError(f"expected a folder as output, got the file {out!r}")


def table_folder(out: str) -> None:
    """Check that a table can be saved at a place: nothing else is replaced by one."""
    from bidcascade.table.stored.storage import is_table_folder

    if os.path.lexists(out) and not is_table_folder(Path(out)):
        raise InvalidTable(
            f"expected a free place for the table, got {out!r}, which is no bidding table"
        )


def run_folder(out: str, *, is_export: bool = False) -> None:
    """Check that a batch or an export can begin or go on in a folder."""
    from bidcascade.engine.runs.batches.batch import batch_folder

    folder = batch_folder(Path(out), is_export=is_export)
    if folder.is_started:
        folder.read()
    else:
        folder.check_empty()


def is_run(folder: Path) -> bool:
    """Tell whether a folder holds a batch or an export."""
    from bidcascade.engine.runs.batches.batch import batch_folder

    return batch_folder(folder).is_started


def holds_files(folder: Path) -> bool:
    """Tell whether there is a folder with something in it."""
    return folder.is_dir() and any(folder.iterdir())
