"""``system import`` and ``system export``: texts of systems in the notations of others."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bidcascade.service.cli import shared
from bidcascade.service.cli.outputs import add_output, file_ending

if TYPE_CHECKING:
    from bidcascade.systems.notations.bml_reader import Unread
    from bidcascade.systems.system import System

_NOTATIONS = (".bml", ".csv", ".bss")
_SHOWN = 20
_DEALS = 1000
_LEAST = 5


def configure_notations(action: Callable[..., argparse.ArgumentParser], system_help: str) -> None:
    """Arguments of ``system import`` and ``system export``."""
    read = action(
        "import",
        "notes in BML, Full Disclosure or BBOalert -> a system's text, and what was not understood",
        read_notes,
    )
    read.add_argument(
        "notes",
        metavar="FILE",
        help="notes in BML, a card of Full Disclosure (*.bss) or a table of BBOalert (*.csv); - "
        "reads standard input",
    )
    add_output(
        read,
        "--out",
        required=True,
        help="*.bidding; - writes the text",
        check=file_ending(".bidding"),
        takes_stdout=True,
    )
    read.add_argument(
        "--show",
        type=shared.whole_number(0),
        default=_SHOWN,
        metavar="N",
        help=f"rows listed that were not understood (default: {_SHOWN})",
    )
    write = action(
        "export",
        "a system -> notes in BML, or alerts for BBOalert and Full Disclosure",
        write_notes,
    )
    write.add_argument("system", metavar="SYSTEM", help=system_help)
    shared.add_system_option(write)
    add_output(
        write,
        "--out",
        required=True,
        check=file_ending(*_NOTATIONS),
        takes_stdout=True,
        help="*.bml for notes, *.csv for a table of BBOalert, *.bss for Full Disclosure; - writes "
        "notes",
    )
    write.add_argument(
        "--show",
        type=shared.whole_number(0),
        default=_SHOWN,
        metavar="N",
        help=f"lines listed that notes cannot say (default: {_SHOWN})",
    )
    write.add_argument(
        "--deals",
        type=shared.whole_number(1),
        default=_DEALS,
        metavar="N",
        help="random deals whose auctions have alerts (default: %(default)s)",
    )
    write.add_argument(
        "--least",
        type=shared.whole_number(1),
        default=_LEAST,
        metavar="K",
        help="leave out alerts behind auctions of fewer deals (default: %(default)s)",
    )


def read_notes(options: argparse.Namespace) -> None:
    """Make a system's text of notes."""
    from bidcascade.kernels.machine.bounded_files import read_bounded
    from bidcascade.systems.limits import LONGEST_NOTES
    from bidcascade.systems.notations.bboalert_reader import is_bboalert, read_bboalert
    from bidcascade.systems.notations.bml_reader import read_bml
    from bidcascade.systems.notations.bss_reader import read_bss
    from bidcascade.systems.notations.full_disclosure import is_bss

    folder = Path(options.notes).parent

    def beside(name: str) -> str:
        path = (folder / name).resolve()
        # notes of strangers may name any file
        if options.notes == "-" or not path.is_relative_to(folder.resolve()):
            raise OSError(f"{name} lies elsewhere")
        return _text(read_bounded(path, LONGEST_NOTES))

    given = options.notes
    text = (
        shared.read_text(given) if given == "-" else _text(read_bounded(Path(given), LONGEST_NOTES))
    )
    is_card = Path(given).suffix.lower() == ".bss" or is_bss(text)
    if is_card:
        found = read_bss(text, given)
    elif Path(given).suffix.lower() == ".csv" or is_bboalert(text):
        found = read_bboalert(text, given)
    else:
        found = read_bml(text, beside)
    report = {
        "rows": found.rows,
        "understood": found.understood,
        "unread": [
            {"line": one.line, "text": one.text, "reason": one.reason} for one in found.unread
        ],
    }
    if not found.rows:
        from bidcascade.bridge import InvalidInput

        raise InvalidInput(
            f"expected notes in BML, Full Disclosure or BBOalert, got no row in {given!r}"
        )
    _write(options.out, found.text)
    if options.json:
        shared.print_json(report)
        return
    shared.note(f"{found.understood:,} of {found.rows:,} rows became lines of {options.out}")
    _list([_unread_text(one) for one in found.unread], options.show)


def write_notes(options: argparse.Namespace) -> None:
    """Write a system as notes, or as alerts."""
    from bidcascade.systems import open_system

    chosen = shared.chosen_options(options, options.system)[0]
    system = open_system(options.system, options=chosen)
    if Path(options.out).suffix.lower() in (".csv", ".bss"):
        _write_alerts(options, system)
        return
    from bidcascade.systems.notations.bml_writer import write_bml

    notes = write_bml(system.text)
    _write(options.out, notes.text)
    if options.json:
        shared.print_json({"rows": notes.lines, "lost": list(notes.lost)})
        return
    shared.note(
        f"{notes.lines:,} rows written to {options.out}; {len(notes.lost):,} lines left out"
    )
    _list(list(notes.lost), options.show)


def _write_alerts(options: argparse.Namespace, system: "System") -> None:
    from bidcascade.systems.notations.alerts import alerts_of, write_bboalert, write_bss

    is_bss = Path(options.out).suffix.lower() == ".bss"
    alerts = list(alerts_of(system, deals=options.deals, least=options.least))
    _write(options.out, (write_bss if is_bss else write_bboalert)(alerts, system.text.title))
    if options.json:
        shared.print_json({"alerts": len(alerts)})
    else:
        shared.note(f"{len(alerts):,} alerts written to {options.out}")


def _text(content: bytes) -> str:
    from bidcascade.bridge import InvalidInput
    from bidcascade.loaders.files.encodings import decode_text, is_binary

    if is_binary(content):
        raise InvalidInput("expected notes as text, got bytes that are none")
    return decode_text(content)[0]


def _write(out: str, text: str) -> None:
    from bidcascade.loaders.files.whole_files import write_texts

    if out == "-":
        print(text, end="")
    else:
        write_texts([text], Path(out))


def _unread_text(one: "Unread") -> str:
    return f"line {one.line}: {one.text}: {one.reason}"


def _list(lines: list[str], most: int) -> None:
    for line in lines[:most]:
        shared.note(f"  {line}")
    if len(lines) > most:
        shared.note(f"  … and {len(lines) - most:,} more (--json lists all)")
