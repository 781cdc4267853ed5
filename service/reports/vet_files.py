"""The files of a vetting: Parquet, JSON, Markdown and HTML in one folder."""

from pathlib import Path

from bidcascade.bridge import InvalidInput
from bidcascade.loaders.files.whole_files import can_write, whole_file, write_json, write_parquet
from bidcascade.workshop.evidence.vet_run import LEAST_DECISIONS, Vetted
from bidcascade.workshop.evidence.vetting_frames import COLUMNS, vetting_frames

from .report_page import page_html, page_markdown
from .vet_report import vetting_page

SUMMARY = "summary.json"
"""Written last: a folder that has it is complete."""
_FILES = REJECTS, MARKDOWN, HTML = "rejects.parquet", "report.md", "report.html"


def check_vetting_folder(folder: Path, *, overwrite: bool = False, resumed: bool = False) -> None:
    """Check that the files of a vetting may be written into a folder.

    Parameters
    ----------
    folder : path
    overwrite : bool
        A report may be replaced.
    resumed : bool
        What is there may be a part of this report, of a run that was interrupted.

    Raises
    ------
    InvalidInput
        If there is something that is no vetting, or a vetting that must not be replaced.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if resumed and folder.is_dir():
        return
    if not (folder / SUMMARY).is_file():
        raise InvalidInput(f"expected a free place for the report, got {str(folder)!r}")
    if not overwrite:
        raise InvalidInput(
            f"expected a free place for the report, got {str(folder)!r}, which has one"
        )


def write_vetting(
    vetted: Vetted,
    folder: Path,
    *,
    least: int = LEAST_DECISIONS,
    overwrite: bool = False,
    resumed: bool = False,
) -> None:
    """Write a vetting into a folder: what it found, each file whole or not at all.

    ``places.parquet`` and so on as documented in ``COLUMNS`` of
    ``workshop.evidence.vetting_frames``, ``rejects.parquet`` if there are any, ``report.md``,
    ``report.html`` and ``summary.json``.

    Raises
    ------
    InvalidInput
        If the folder is not free; see :func:`check_vetting_folder`.
    CannotWrite
        If a file could not be written.
    """
    check_vetting_folder(folder, overwrite=overwrite, resumed=resumed)
    with can_write(folder):
        folder.mkdir(parents=True, exist_ok=True)
        # from now on it is no whole report; only files of a report are taken away
        for name in (SUMMARY, *_FILES, *(f"{frame}.parquet" for frame in COLUMNS)):
            (folder / name).unlink(missing_ok=True)
    frames = vetting_frames(vetted.vetting)
    for name, frame in frames.items():
        write_parquet(frame, folder / f"{name}.parquet")
    if vetted.rejects.height:
        write_parquet(vetted.rejects, folder / REJECTS)
    page = vetting_page(vetted, frames, least=least)
    summary = vetted.summary()
    for name, text in ((MARKDOWN, page_markdown(page)), (HTML, page_html(page, summary))):
        with whole_file(folder / name) as partial, can_write(folder / name):
            partial.write_text(text, encoding="utf-8")
    write_json(summary, folder / SUMMARY)
