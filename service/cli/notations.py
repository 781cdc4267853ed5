"""``system import`` and ``system export``: texts of systems in the notations of others."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from . import shared

if TYPE_CHECKING:
    from bidcascade.systems.bml import Unread

_BML = ".bml"
_BIDDING = ".bidding"
_SHOWN = 20


def configure_notations(action: Callable[..., argparse.ArgumentParser], system_help: str) -> None:
    """Arguments of ``system import`` and ``system export``."""
    read = action(
        "import", "notes in BML -> a system's text, and what was not understood", read_notes
    )
    read.add_argument("notes", metavar="FILE", help="notes; - reads standard input")
    read.add_argument("--out", required=True, metavar="FILE", help="*.bidding; - writes the text")
    read.add_argument("--show", type=shared.whole_number(0), default=_SHOWN, metavar="N",
        help=f"rows listed that were not understood (default: {_SHOWN})")  # fmt: skip
    write = action("export", "a system -> notes in BML, and what they cannot say", write_notes)
    write.add_argument("system", metavar="SYSTEM", help=system_help)
    shared.add_system_option(write)
    write.add_argument("--out", required=True, metavar="FILE", help="*.bml; - writes the notes")
    write.add_argument("--show", type=shared.whole_number(0), default=_SHOWN, metavar="N",
        help=f"lines listed that were left out (default: {_SHOWN})")  # fmt: skip


def read_notes(options: argparse.Namespace) -> None:
    """Make a system's text of notes."""
    from bidcascade.systems.bml import read_bml

    _check_out(options.out, _BIDDING)
    folder = Path(options.notes).parent

    def beside(name: str) -> str:
        path = (folder / name).resolve()
        # notes of strangers may name any file
        if options.notes == "-" or not path.is_relative_to(folder.resolve()):
            raise OSError(f"{name} lies elsewhere")
        return _text(path.read_bytes())

    given = options.notes
    text = shared.read_text(given) if given == "-" else _text(Path(given).read_bytes())
    found = read_bml(text, beside)
    told = {
        "rows": found.rows, "understood": found.understood,
        "unread": [
            {"line": one.line, "text": one.text, "reason": one.reason} for one in found.unread
        ],
    }  # fmt: skip
    _write(options.out, found.text)
    if options.json:
        shared.print_json(told)
        return
    shared.note(f"{found.understood:,} of {found.rows:,} rows became lines of {options.out}")
    _list([_unread_text(one) for one in found.unread], options.show)


def write_notes(options: argparse.Namespace) -> None:
    """Write a system as notes."""
    from bidcascade.systems.bml import write_bml
    from bidcascade.systems.system import System

    _check_out(options.out, _BML)
    chosen = shared.chosen_options(options, options.system)[0]
    notes = write_bml(System.open(options.system, options=chosen).text)
    _write(options.out, notes.text)
    if options.json:
        shared.print_json({"rows": notes.lines, "lost": list(notes.lost)})
        return
    shared.note(
        f"{notes.lines:,} rows written to {options.out}; {len(notes.lost):,} lines left out"
    )
    _list(list(notes.lost), options.show)


def _text(content: bytes) -> str:
    from bidcascade.bridge import InvalidInput
    from bidcascade.loaders.encodings import decode_text, is_binary

    if is_binary(content):
        raise InvalidInput("expected notes as text, got bytes that are none")
    return decode_text(content)[0]


def _check_out(out: str, suffix: str) -> None:
    if out == "-":
        return
    if Path(out).suffix.lower() != suffix:
        raise shared.UsageError(f"expected an output ending in {suffix}, got {out!r}")
    shared.check_folder_of(Path(out))


def _write(out: str, text: str) -> None:
    if out == "-":
        print(text, end="")
    else:
        Path(out).write_text(text, "utf-8")


def _unread_text(one: "Unread") -> str:
    return f"line {one.line}: {one.text}: {one.reason}"


def _list(lines: list[str], most: int) -> None:
    for line in lines[:most]:
        shared.note(f"  {line}")
    if len(lines) > most:
        shared.note(f"  … and {len(lines) - most:,} more (--json lists all)")
