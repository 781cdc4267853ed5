"""Arguments that several commands share and what they become; what commands print and check."""

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from bidcascade.bridge import (
    BidcascadeError,
    InvalidCall,
    InvalidExpression,
    InvalidInput,
    InvalidScript,
    InvalidTable,
    visible,
)
from bidcascade.engine.questions.parts.answer_fields import plain

from .single_threaded_numpy import import_numpy

if TYPE_CHECKING:
    import polars as pl

    from bidcascade.engine.engine import Engine
    from bidcascade.inference.double_dummy import DoubleDummyPool
    from bidcascade.table import BiddingTable

_Value = TypeVar("_Value")
_Result = TypeVar("_Result")

BACKENDS: Final = ("auto", "reference", "cpu", "cuda")
PROFILES: Final = ("gib", "mlbridge")
_TEXT_FORMATS: Final = {
    ".lin": "LIN",
    ".pbn": "PBN",
    ".rbn": "RBN",
    ".txt": "links",
    ".jsonl": "JSON Lines",
}
TEXT_SUFFIXES: Final = tuple(_TEXT_FORMATS)
DEAL_SUFFIXES: Final = (".parquet", *TEXT_SUFFIXES)
AS_LOAD: Final = "(formats: as load)"
"""Where a command reads deals: ``load --help`` names the formats."""
DEALS_OUT_HELP: Final = "deals as .parquet, .lin, .pbn, .rbn, .txt (links) or .jsonl; - for stdout"
MOST_LISTED: Final = 2**31 - 1
"""Auctions of a deal, and calls of one, that an option may name."""
_LONGEST_TEXT: Final = 4 << 20


class UsageError(BidcascadeError, ValueError):
    """Arguments that make no sense together."""


# --- arguments ------------------------------------------------------------------------------------


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Type of an argument: a whole number within bounds."""
    wanted = f"of at least {least}" if most is None else f"{least} to {most}"

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least or (most is not None and value > most):
            raise argparse.ArgumentTypeError(f"expected a whole number {wanted}, got {text!r}")
        return value

    return read


def decimal_number(least: float) -> Callable[[str], float]:
    """Type of an argument: a number from a bound on."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value < math.inf:
            raise argparse.ArgumentTypeError(f"expected a number from {least:g}, got {text!r}")
        return value

    return read


def read_argument(read: Callable[[_Value], _Result], value: _Value) -> _Result:
    """Read what an argument says; what is wrong with it is a fault of the arguments."""
    try:
        return read(value)
    except (InvalidInput, InvalidScript) as error:
        raise UsageError(str(error)) from None


def actions_of(parser: argparse.ArgumentParser) -> Callable[..., argparse.ArgumentParser]:
    """Make a function that adds an action: its name, its help and what runs it.

    What runs it may return an exit code; none is 0.
    """
    actions = parser.add_subparsers(
        dest="action", metavar="ACTION", required=True, parser_class=type(parser)
    )

    def add(
        name: str, help: str, run: Callable[[argparse.Namespace], int | None], *, json: bool = True
    ) -> argparse.ArgumentParser:
        action = actions.add_parser(name, help=help)
        if json:
            add_json_option(action)
        action.set_defaults(handler=run)
        return action

    return add


def add_table_options(parser: argparse.ArgumentParser) -> None:
    """Add table, backend, and how a file of rows is to be read."""
    add = parser.add_argument
    add(
        "--table",
        default="sayc",
        metavar="T",
        help="bidding table: a name, a folder or a file of rows (default: sayc)",
    )
    add(
        "--backend",
        default="auto",
        choices=BACKENDS,
        help="engine (default: auto, cuda where it works, else cpu)",
    )
    add_overlay_option(parser)
    add_system_option(parser)
    add_import_options(parser)


def add_system_option(parser: argparse.ArgumentParser) -> None:
    """Add options of a system's text; :func:`chosen_options` reads them."""
    parser.add_argument(
        "--option",
        dest="system_options",
        action="append",
        default=[],
        metavar="[SYSTEM:]NAME",
        help="turn an option of a system's text on, NAME=off turns it off; of several systems of "
        "those that have it, or with its name or number in front, as 2:weak-notrump, of one; may "
        "be given several times",
    )


def add_overlay_option(parser: argparse.ArgumentParser) -> None:
    """Add rules that are laid over the table."""
    parser.add_argument(
        "--overlay",
        dest="overlays",
        action="append",
        default=[],
        metavar="FILE",
        help="rules to lay over the table, CSV or JSON Lines; may be given several times",
    )


def add_import_options(parser: argparse.ArgumentParser) -> None:
    """Add how a file of rows becomes a table."""
    add = parser.add_argument
    add(
        "--profile",
        choices=PROFILES,
        help="definitions of the terms, for a file of rows (default: gib)",
    )
    add(
        "--undescribed",
        choices=("allow", "pass", "reject"),
        help="what holds where a row has no criteria, for a file of rows (default: pass)",
    )
    add(
        "--unknown",
        choices=("error", "drop", "reject-entry"),
        help="what to do with unknown terms, for a file of rows (default: error)",
    )


def add_bank_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that takes deals from the bank of solved deals."""
    # its parts are checked when they are asked for: help loads no arrays
    parser.add_argument(
        "--bank",
        metavar="PART",
        help="the solved deals of the bank (bidcascade bank) instead: open to try changes on, "
        "held-out to judge them, or all",
    )


def add_workers_option(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add how many processes solve double dummy."""
    parser.add_argument(
        "--workers", type=whole_number(1), metavar="N", help=f"solver processes{more}"
    )


def add_lead_options(parser: argparse.ArgumentParser) -> None:
    """Add how much of a match is led against by who sees one hand."""
    add = parser.add_argument
    add(
        "--lead-budget",
        metavar="B",
        help="how many, or how long (90s, 5m), deals with different auctions are led against by "
        "who sees one hand, some 2 s of a core each; all for every one; leads are kept "
        "(default: none)",
    )
    add(
        "--lead-layouts",
        type=whole_number(1, 1000),
        metavar="N",
        help="layouts of the unseen cards behind a lead (default: 10)",
    )


def check_source(options: argparse.Namespace) -> None:
    """Raise unless at most one of ``--deals``, ``--from`` and a part of ``--bank`` is given."""
    given = {"deals": options.deals, "from": options.source, "bank": options.bank}
    named = [f"--{name}" for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise UsageError(f"expected --deals, --from or --bank, got {' and '.join(named)}")
    if options.bank is not None:
        from bidcascade.inference.double_dummy.solved_deals import PARTS

        if options.bank not in PARTS:
            raise UsageError(f"expected --bank {', '.join(PARTS)}, got {options.bank!r}")


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Add how long a foreign engine may take."""
    parser.add_argument(
        "--call-timeout-ms",
        type=whole_number(1),
        default=10_000,
        metavar="MS",
        help="how long a foreign engine may take for a call (default: 10000)",
    )


def add_player_options(parser: argparse.ArgumentParser) -> None:
    """Add how those play that are no plain system: foreign engines, and systems that search."""
    add_engine_options(parser)
    parser.add_argument(
        "--search-layouts",
        type=whole_number(1),
        metavar="N",
        help="layouts on which a player search:SYSTEM tries each of its calls (default: 64); the "
        "more, the slower",
    )


def check_lead_options(options: argparse.Namespace) -> None:
    """Raise where layouts are asked for, but no leads."""
    if options.lead_layouts and not options.lead_budget:
        raise UsageError("expected --lead-layouts with --lead-budget, how many deals are led")


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Ask for JSON."""
    parser.add_argument("--json", action="store_true", help="answer as JSON")


# --- what they become -----------------------------------------------------------------------------


def chosen_options(options: argparse.Namespace, *systems: str) -> list[dict[str, bool]]:
    """Options of :func:`add_system_option`, for each of the systems that arguments name."""
    from bidcascade.bridge import InvalidSystem
    from bidcascade.systems.chosen_options import chosen_options

    try:
        return chosen_options(options.system_options, [(one, one) for one in systems])
    except InvalidSystem as error:
        # as every word of the command line: what is wrong is that, not a text
        if options.system_options and not getattr(error, "complaints", ()):
            raise UsageError(str(error)) from None
        raise


def import_options(options: argparse.Namespace) -> dict[str, Any]:
    """Options of :func:`add_import_options` and :func:`add_system_option` that were given."""
    from bidcascade.systems import is_system

    names = ("profile", "undescribed", "unknown")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    table = getattr(options, "table", None)
    # what another table means is settled there
    if given and table is not None and (is_system(table) or not Path(table).is_file()):
        raise UsageError(
            f"expected --{next(iter(given))} only with a file of rows, got it for {table!r}"
        )
    if getattr(options, "system_options", ()):
        # an option of the other side's system is none of this one
        others = (getattr(options, name, None) for name in ("opponents", "bidder"))
        chosen = chosen_options(options, options.table, *filter(None, others))[0]
        given |= {"options": chosen} if chosen else {}
    return given


def open_engine(options: argparse.Namespace) -> "Engine":
    """Open the engine that the arguments ask for."""
    import_numpy()
    from bidcascade.engine.engine import Engine

    with table_errors(options.table):
        engine = Engine.open(
            options.table, options.backend, overlays=options.overlays, **import_options(options)
        )
    _note_overlays(engine.bidder.overlay_notes)
    return engine


def open_rows(options: argparse.Namespace) -> "Engine":
    """Open the engine of the table that the arguments ask for; a system is compiled for it."""
    from bidcascade.engine.engine import Engine

    return Engine(open_table(options), options.backend, name=options.table)


def open_table(options: argparse.Namespace) -> "BiddingTable":
    """Open the table that the arguments ask for, with its overlays if they may have any."""
    from bidcascade.systems import open_table

    with table_errors(options.table):
        overlays = getattr(options, "overlays", ())
        table = open_table(options.table, overlays=overlays, **import_options(options))
    _note_overlays(table.overlay_notes)
    return table


def double_dummy_pool() -> "DoubleDummyPool":
    """Solver processes, as many as the settings say."""
    from bidcascade.engine.settings import read_settings
    from bidcascade.inference.double_dummy import DoubleDummyPool

    return DoubleDummyPool(read_settings().dd_workers or None)


@contextmanager
def table_errors(source: str) -> Iterator[None]:
    """Make what is wrong inside a file of rows bad input, not a bad argument."""
    try:
        yield
    except (InvalidExpression, InvalidCall) as error:
        raise InvalidTable(f"{source}: {str(error).partition(chr(10))[0]}") from error


def _note_overlays(lines: Iterable[str]) -> None:
    """Say on standard error what overlays did, if there are any."""
    for line in lines:
        note(f"overlay: {line}")


def read_text(name: str) -> str:
    """Text of a file of at most 4 MiB, or of standard input for ``-``."""
    from bidcascade.kernels.machine.bounded_files import read_bounded, read_bounded_text

    try:
        if name == "-":
            return read_bounded_text(sys.stdin, _LONGEST_TEXT, "standard input")
        path = Path(name)
        if path.is_file() and path.stat().st_size > _LONGEST_TEXT:
            raise InvalidInput(
                f"expected at most {_LONGEST_TEXT:,} bytes of text in {name!r}, "
                f"got {path.stat().st_size:,}"
            )
        text = read_bounded(path, _LONGEST_TEXT).decode()
        return text.replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"expected text in UTF-8 in {name!r}: byte {error.object[error.start]:#04x} "
            f"at {error.start:,}"
        ) from None


# --- what is said ---------------------------------------------------------------------------------


def print_json(value: object, engine: "Engine | None" = None) -> None:
    """Write an answer as JSON to standard output; an engine's with table and backend."""
    import json

    found = plain(value)
    if engine is not None:
        found |= {"table": engine.table_info(), "backend": engine.backend}
    json.dump(found, sys.stdout, indent=1, ensure_ascii=False)
    print()


def print_answer(
    options: argparse.Namespace, value: object, text: object, remark: str = ""
) -> None:
    """Write an answer as JSON where that is asked for, else as text, with a remark behind it."""
    if options.json:
        print_json(value)
        return
    print(visible(str(text)))
    if remark:
        note(remark)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a plain table to standard output, coloured on a terminal that wants it."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            # rich would end the process with a code of its own
            raise BrokenPipeError

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    if sys.stdout.isatty():
        Plain(highlight=False).print(table)
        return
    # a pipe has no width: lines are as long as they need to be
    console = Plain(width=1000, highlight=False)
    with console.capture() as captured:
        console.print(table)
    print("\n".join(line.rstrip() for line in captured.get().strip("\n").split("\n")))


def no_deals(rejects: "pl.DataFrame") -> str:
    """Say that there are no deals, and why: the first record that is none."""
    return f"got none{first_reject(rejects) or ': no board in the inputs'}"


def first_reject(rejects: "pl.DataFrame") -> str:
    """Say where the first record that is no deal stands, and why; empty if there is none."""
    if not rejects.height:
        return ""
    from bidcascade.engine.runs.batches.batch_inputs import first_reject

    return f"; first reject: {first_reject(rejects)}"


def note(message: str) -> None:
    """Write a remark to standard error."""
    print(f"bidcascade: {visible(message)}", file=sys.stderr)


def resume_hint(out: str) -> str:
    """Say where the parts of an interrupted run lie, and how to go on."""
    return f"what was done is kept in {out}: the same command with --resume goes on"


SOLVED_STAY: Final = "deals that were solved are kept for the next run"
"""What an interrupted command says that solves whole deals."""


def note_written(number: int, noun: str, out: str, *, format: str | None = None) -> None:
    """Say on standard error how many of what were written, where and in which format."""
    from bidcascade.table.import_report import counted

    by_name = _TEXT_FORMATS.get(Path(out).suffix.lower(), "Parquet")
    place = "standard output" if out == "-" else out
    note(f"wrote {counted(number, noun)} to {place} ({format or by_name})")


def shown_numbers(numbers: Mapping[str, int]) -> str:
    """Write counts as a list."""
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in numbers.items())
