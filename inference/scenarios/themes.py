"""The library of themes for practice: scripts that come with the package.

A theme is a file in ``themes/``, whose name it has. It begins with a comment of two lines, its
title and what is practised. South holds what it is about.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from bidcascade.bridge import InvalidScript
from bidcascade.systems.language.errors import nearest

from .script_reader import read_script
from .script_tree import Script

FOLDER: Final = Path(__file__).parent / "themes"
SUFFIX: Final = ".dealer"


class Theme(NamedTuple):
    """What is practised on some deals."""

    name: str
    title: str
    practises: str
    script: Script


@cache
def themes() -> Mapping[str, Theme]:
    """All themes by their names.

    Examples
    --------
    >>> themes()["stayman"].title
    'Stayman'
    """
    return {path.stem: _theme(path) for path in sorted(FOLDER.glob(f"*{SUFFIX}"))}


def theme_named(name: str) -> Theme:
    """Give the theme of a name.

    Raises
    ------
    InvalidScript
        If there is none; the message names the nearest one.
    """
    found = themes().get(name)
    if found is None:
        near = nearest(name.lower(), themes())
        meant = f"; did you mean {near!r}?" if near else ""
        raise InvalidScript(f"expected a theme ({', '.join(themes())}), got {name!r}{meant}")
    return found


def _theme(path: Path) -> Theme:
    script = read_script(path)
    title, practises = script.remarks[:2]
    return Theme(path.stem, title, practises, script)
