"""Where files of systems lie: those that come with the package, and what names mean."""

from functools import cache
from pathlib import Path
from typing import Final

SUFFIX: Final = ".bidding"
PAGES: Final = "pages"
"""Folder, beside the shipped systems, of what they include."""


@cache
def shipped_folder() -> Path:
    """Folder of the systems that come with the package."""
    return Path(__file__).parents[1] / "texts"


def is_file(path: Path) -> bool:
    """Whether there is a file of that name; a name that cannot be one has none."""
    try:
        return path.is_file()
    except OSError:
        return False


def resolved(path: Path) -> str | None:
    """Where a file lies, links followed; None if there is none of that name."""
    return str(path.resolve()) if is_file(path) else None


def file_of(path_or_name: str | Path) -> Path:
    """File of a system: that path, or the one that comes with the package under this name."""
    path = Path(path_or_name)
    if not is_file(path) and len(path.parts) == 1:
        shipped = shipped_folder() / (path.name if path.suffix else f"{path.name}{SUFFIX}")
        return shipped if is_file(shipped) else path
    return path
