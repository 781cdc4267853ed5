"""Command ``system book``: a system as pages to read, to print and to look things up in."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bidcascade.service.cli import shared
from bidcascade.service.cli.outputs import add_output, holds_files, report_folder

if TYPE_CHECKING:
    from bidcascade.workshop.tuning.option_prices import OptionPrice

_BROWSERS: Final = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chromium-headless-shell",
)
_DEALS: Final = 20_000
_PDF: Final = "book.pdf"
_PDF_SECONDS: Final = 300
_MARK: Final = "print.html"
"""A folder with this page is a book, and may be written over."""


def configure_book(action: Callable[..., argparse.ArgumentParser], system_help: str) -> None:
    """Arguments of ``system book``."""
    book = action(
        "book", "pages to read and print: places, examples, conventions, the text", write_book
    )
    add = book.add_argument
    add("system", metavar="SYSTEM", help=system_help)
    shared.add_system_option(book)
    add_output(
        book,
        "--out",
        required=True,
        metavar="DIR",
        help="folder for the pages; index.html is the first",
        check=_check_place,
        is_there=holds_files,
    )
    add(
        "--deals",
        type=shared.whole_number(1, 1_000_000),
        default=_DEALS,
        metavar="N",
        help=f"random deals that shares and examples are of (default: {_DEALS:,})",
    )
    add(
        "--seed",
        type=shared.whole_number(0, 2**53 - 1),
        default=2026,
        metavar="S",
        help="of these deals; the same seed, the same book (default: 2026)",
    )
    add(
        "--least",
        type=shared.whole_number(1),
        metavar="K",
        help="deals that come to a place before it has a table (default: one in a thousand)",
    )
    add(
        "--bank",
        metavar="PART",
        help="also what each option gains, on the solved deals of the bank (bidcascade bank): "
        "open, held-out or all",
    )
    add(
        "--pdf",
        action="store_true",
        help=f"also {_PDF}, printed by the Chromium or Chrome of this machine",
    )


def write_book(options: argparse.Namespace) -> None:
    """Write the pages of a book to a folder."""
    out = Path(options.out)
    if options.bank is not None:
        _check_part(options.bank)

    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.loaders.files.whole_files import can_write, write_texts
    from bidcascade.service.reports.book_report import book_files
    from bidcascade.systems.book.system_book import book_of
    from bidcascade.systems.registry import open_system

    (chosen,) = shared.chosen_options(options, options.system)
    system = open_system(options.system, options=chosen)
    prices = _prices(options, chosen) if system.text.options else ()
    with progress_bar("book") as bar:
        book = book_of(
            system,
            deals=options.deals,
            seed=options.seed,
            least=options.least,
            progress=lambda _, left: bar(options.deals - left, options.deals, options.deals - left),
        )
    pages = book_files(book, prices)
    for name, text in pages.items():
        path = out / name
        with can_write(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_texts([text], path)
    pdf = _print(out) if options.pdf else None
    report = {
        "book": str(out), "pages": len(pages), "places": len(book.places),
        "lines": len(book.uses), "digest": book.digest, "pdf": pdf,
    }  # fmt: skip
    shared.print_answer(
        options,
        report,
        f"{out / 'index.html'}: {len(book.places):,} places, {len(book.uses):,} lines, "
        f"{len(pages):,} pages",
    )


def _check_place(out: str) -> None:
    """Check that a folder is new, empty or a book."""
    report_folder(out)
    folder = Path(out)
    if holds_files(folder) and not all((folder / one).is_file() for one in (_MARK, "index.html")):
        raise shared.UsageError(
            f"expected an empty folder for the book, got {out!r}, which has other files"
        )


def _check_part(part: str) -> None:
    from bidcascade.inference.double_dummy.solved_deals import PARTS

    if part not in PARTS:
        raise shared.UsageError(f"expected --bank {', '.join(PARTS)}, got {part!r}")


def _prices(options: argparse.Namespace, chosen: dict[str, bool]) -> "list[OptionPrice]":
    """Measure each option on the bank, where that is asked for."""
    if options.bank is None:
        return []
    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.inference.double_dummy.solved_deals import bank_sample
    from bidcascade.inference.double_dummy.table_cache import user_tables
    from bidcascade.workshop.tuning.option_prices import option_prices

    deals, known = bank_sample(options.bank, user_tables())
    with progress_bar("prices") as bar:
        return list(
            option_prices(
                options.system,
                deals,
                known,
                options=chosen,
                progress=lambda _, done, total: bar(done, total, done * len(deals)),
            )
        )


def _print(out: Path) -> str | None:
    """Print the book with the browser of this machine; say so where there is none."""
    import shutil
    import subprocess
    import tempfile

    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        shared.note(
            f"no {_PDF}: neither Chromium nor Chrome is on the path; any browser prints {_MARK}"
        )
        return None
    target = (out / _PDF).absolute()
    target.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        command = [
            browser, "--headless", "--disable-gpu", "--no-sandbox", "--disable-dev-shm-usage",
            f"--user-data-dir={profile}", "--no-pdf-header-footer",
            # tags would make it five times as large
            "--disable-pdf-tagging", f"--print-to-pdf={target}",
            (out / _MARK).absolute().as_uri(),
        ]  # fmt: skip
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_PDF_SECONDS,
                check=False,
                stdin=subprocess.DEVNULL,
            )
            message = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        except (OSError, subprocess.TimeoutExpired) as error:
            message = str(error)
    if not target.is_file():
        shared.note(f"no {_PDF}: {browser} did not print {_MARK} ({message})")
        return None
    return str(out / _PDF)
