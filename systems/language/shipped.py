"""Where files of systems lie: those that come with the package, and what names mean."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
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


def places_of_file(file: str, folder: Path | None = None) -> list[Path]:
    """Where a file that a text names is looked for: beside the text, then among those shipped."""
    wanted = Path(file if Path(file).suffix else f"{file}{SUFFIX}")
    return [one / wanted for one in folders_beside(folder)]


def folders_beside(folder: Path | None) -> list[Path]:
    """Folders in which files that a text names are looked for: the text's, then those shipped."""
    return [*([] if folder is None else [folder]), shipped_folder(), shipped_folder() / PAGES]


WORDS: Final = "words.bidding"
"""Page of definitions alone, which any text can include."""

_DEFINED: Final = re.compile(r"^define ((?:[a-z][a-z-]* )+)(?:(?:[MmXYZW]|o[Mm]) )*=", re.MULTILINE)
_CONVENTION: Final = re.compile(r"^convention ([a-z-]+)", re.MULTILINE)


@cache
def shipped_defines() -> frozenset[str]:
    """Names that the page of definitions has, such as ``good``."""
    return frozenset(name.strip() for name in _DEFINED.findall(_page(WORDS)))


@cache
def shipped_conventions() -> Mapping[str, str]:
    """Pages that have conventions, by the convention's name."""
    found: dict[str, str] = {}
    for path in sorted((shipped_folder() / PAGES).glob(f"*{SUFFIX}")):
        for name in _CONVENTION.findall(_page(path.name)):
            found.setdefault(name, path.name)
    return MappingProxyType(found)


def _page(name: str) -> str:
    return (shipped_folder() / PAGES / name).read_text(encoding="utf-8")
