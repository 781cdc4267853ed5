"""Digests of systems and texts, and of the code that decides what texts mean.

Equal systems bid alike, wherever their files lie and whatever these are called.

Unlike the digest of a bidding table, which is that of its rows, it is that of what was written.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from bidcascade.systems.language.tree.syntax_tree import Block, SystemText

ENGINE_VERSION: Final = 1
"""Goes up whenever the same text means other calls, or the same calls become other rows."""


_CODE: Final = {
    "kernels/core": ("**/*.hpp",),
    "table/language": (
        "expression_grammar.py", "expressions.json", "expressions.py", "expression_tree.py",
        "lalr.py", "vocabulary.py",
    ),
    "systems/language/words": ("phrases.py",),
    "systems/places": ("contexts.py", "formulas.py"),
    "systems/rows": ("text_rows.py",),
}  # fmt: skip
"""Files that decide what a text means, by folder."""
_ROWS: Final = {
    "bridge": ("*.py",),
    "kernels": ("terms.py",),
    "kernels/core": ("rows.py",),
    "kernels/packing": ("*.py",),
    "table/language": ("*.py", "*.json"),
    "systems/places": ("*.py",),
    "systems/rows": ("*.py",),
}
"""Files that decide how the core's rows are written, but those of the language."""
_PROGRAM: Final = ("bridge", "kernels", "systems", "table")
"""Folders of all that systems answer by."""


def digest_of(text: SystemText, opponents: SystemText | None = None) -> str:
    r"""SHA-256 over files and options of a system, and of the one that it names for opponents.

    Parameters
    ----------
    text : SystemText
    opponents : SystemText, optional
        Of the system that the text names for opponents, if it names one.

    Examples
    --------
    >>> from .language.reader import read_system
    >>> one, other = (read_system(f"opening:\n  1NT = Strong: {low}-17 points, balanced")
    ...               for low in (15, 16))
    >>> digest_of(one) == digest_of(other), len(digest_of(one))
    (False, 64)
    """
    sides = [_content(text)]
    if opponents is not None:
        sides.append(_content(opponents))
    return hashlib.sha256(json.dumps([ENGINE_VERSION, sides]).encode()).hexdigest()


def _content(text: SystemText) -> list[Any]:
    return [_contents(text), sorted(text.options.items())]


def _contents(text: SystemText) -> list[str]:
    """Digests of a text's files, and the tree of what came from none."""
    files = [sha for _, sha in text.files]
    if not files:
        return [repr(text.blocks)]
    # a text that came as a string may include files
    names = {"", *(name for path, _ in text.files for name in (path.name, str(path)))}
    own = [
        *(one for one in text.defines.values() if one.where.file not in names),
        *(one for one in _blocks(text, names) if one.header.where.file not in names),
    ]
    return [*files, repr(own)] if own else files


def _blocks(text: SystemText, names: set[str]) -> tuple[Block, ...]:
    """Blocks of a text; none of a cached one, which need not be made, where all came from files."""
    files = None if text.rows is None else text.rows.block_files()
    return text.blocks if files is None or not files <= names else ()


@cache
def code_digest() -> str:
    """Digest of the code that decides what a text means."""
    return _digest_of_files(_CODE)[:16]


@cache
def rows_digest() -> str:
    """Digest of the code that writes the core's rows of a tree."""
    return _digest_of_files(_ROWS)


def _digest_of_files(named: Mapping[str, Sequence[str]]) -> str:
    found = hashlib.sha256()
    root = Path(__file__).resolve().parent.parent
    for folder, patterns in named.items():
        for path in sorted(one for pattern in patterns for one in (root / folder).glob(pattern)):
            found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()


@cache
def program_digest() -> str:
    """Digest of all code that a system's answers are made by, in whatever way they are."""
    found = hashlib.sha256()
    root = Path(__file__).resolve().parent.parent
    for folder in _PROGRAM:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".hpp", ".json", ".lark"):
                content = path.read_bytes()
                name = path.relative_to(root).as_posix()
                found.update(f"{name} {len(content)} ".encode() + content)
    return found.hexdigest()


def text_digest(text: SystemText) -> str:
    """Digest of a system's text with its options, wherever its files lie."""
    parts = [repr(sorted(text.options.items())), *_contents(text)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
