"""Values of the reference as the engine in the browser has them."""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

AS_JSON = "(_, value) => value instanceof Map ? [...value] : value"
"""For ``JSON.stringify`` and ``JSON.parse``: maps as lists of pairs."""


def as_plain(value: Any) -> Any:
    """Value as JSON has it: objects by their ``type`` with fields in camel case, maps as pairs.

    Examples
    --------
    >>> from bidcascade.systems.language.syntax_tree import Range
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
