"""Values of the reference as the engine in the browser has them."""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from bidcascade.bridge import HOLDING_MASK
from bidcascade.systems.places.knowledge import POINTS, SHAPES

AS_JSON = "(_, value) => value instanceof Map ? [...value] : value"
"""For ``JSON.stringify`` and ``JSON.parse``: maps as lists of pairs."""


def as_plain(value: Any) -> Any:
    """Value as JSON has it: objects by their ``type`` with fields in camel case, maps as pairs.

    Examples
    --------
    >>> from bidcascade.systems.language.tree.syntax_tree import Range
    >>> as_plain(Range(4))
    {'type': 'Range', 'low': 4, 'high': None, 'also': []}
    """
    if is_dataclass(value):
        parts = {_camel(f.name): as_plain(getattr(value, f.name)) for f in fields(value) if f.init}
        return {"type": type(value).__name__, **parts}
    if isinstance(value, Mapping):
        return [[as_plain(key), as_plain(part)] for key, part in value.items()]
    if isinstance(value, list | tuple | set | frozenset):
        return [as_plain(part) for part in value]
    return str(value) if isinstance(value, Path) else value


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def as_holdings(hand: int) -> list[int]:
    """Mask of 52 cards as the engine's four holdings, clubs first."""
    return [hand >> 13 * suit & HOLDING_MASK for suit in range(4)]


def as_hex(cells: int) -> str:
    """Set of cells as :data:`HEX` writes it in the browser."""
    return cells.to_bytes(SHAPES * POINTS // 8, "little").hex()


HEX = """
const asHex = cells =>
    Array.from(new Uint8Array(cells.buffer), one => one.toString(16).padStart(2, "0")).join("");
const ofHex = text =>
    new Uint32Array(Uint8Array.from(text.match(/../g), one => parseInt(one, 16)).buffer);
"""
"""Sets of cells, or other arrays of numbers, to text; and sets back; in the browser."""
