"""Digests of systems: equal ones bid alike, wherever their files lie and whatever these are called.

Unlike the digest of a bidding table, which is that of its rows, it is that of what was written.
"""

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

from bidcascade.systems.language.syntax_tree import SystemText

if TYPE_CHECKING:
    from .system import System

ENGINE_VERSION: Final = 1
"""Goes up whenever the same text means other calls, or the same calls become other rows."""


def digest_of(system: "System") -> str:
    r"""SHA-256 over files and options of a system, and of the one that it names for opponents.

    Examples
    --------
    >>> from .system import System
    >>> one, other = (System.parse(f"opening:\n  1NT = Strong: {low}-17 points, balanced")
    ...               for low in (15, 16))
    >>> digest_of(one) == digest_of(other), len(digest_of(one))
    (False, 64)
    """
    sides = [_said(system.text)]
    if system.opponents is not system:
        sides.append(_said(system.opponents.text))
    return hashlib.sha256(json.dumps([ENGINE_VERSION, sides]).encode()).hexdigest()


def _said(text: SystemText) -> list[Any]:
    # a text that came from no file is known by its tree
    files = [sha for _, sha in text.files] or [repr(text.blocks)]
    return [files, sorted(text.options.items())]
