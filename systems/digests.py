"""Digests of a system's text, and of the code that decides what texts mean."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

from bidcascade.systems.language.syntax_tree import SystemText

_CODE: Final = {
    "kernels/core": ("*.hpp",),
    "table/language": (
        "expression_grammar.py", "expressions.json", "expressions.py", "expression_tree.py",
        "lalr.py", "vocabulary.py",
    ),
    "systems/language": ("phrases.py",),
    "systems": ("contexts.py", "text_rows.py"),
}  # fmt: skip
"""Files that decide what a text means, by folder."""


@cache
def code_digest() -> str:
    """Digest of the code that decides what a text means."""
    found = hashlib.sha256()
    root = Path(__file__).resolve().parent.parent
    for folder, patterns in _CODE.items():
        for path in sorted(one for pattern in patterns for one in (root / folder).glob(pattern)):
            found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()[:16]


def text_digest(text: SystemText) -> str:
    """Digest of a system's text with its options, wherever its files lie."""
    parts = [repr(sorted(text.options.items())), *(sha for _, sha in text.files)]
    if not text.files:
        parts.append(repr(text.blocks))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
