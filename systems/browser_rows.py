"""The tables of :mod:`.text_rows` as data, for the engine that reads in the browser.

``docs/write_files.py`` writes them as a module of JavaScript.
"""

from dataclasses import fields
from typing import Any, Final

from bidcascade.kernels.core import rows
from bidcascade.table.language.term_catalogue import ALIASES

from .structure_rows import FORMAT as STRUCTURE_FORMAT
from .text_rows import FORMAT, OPERATIONS, PHRASES, ROLES, STATIC, Operation, term_limits

_DEFAULTS: Final = {one.name: one.default for one in fields(Operation)}


def rows_data() -> dict[str, Any]:
    """Numbers of the core's rows by name, and by which operation each kind of phrase is lowered.

    Kinds of phrases whose operation depends on more than the kind are not among them.

    Examples
    --------
    >>> data = rows_data()
    >>> data["phrases"]["length"], data["terms"][0]
    ({'name': 'in suit', 'stem': 'SL_?', 'suits': 1, 'counts': True}, ['Aces', 0, 8])
    """
    return {
        "format": FORMAT,
        "structureFormat": STRUCTURE_FORMAT,
        "terms": [[name, *limits] for name, limits in term_limits().items()],
        "aliases": {name: text for one in ALIASES for name, text in one.spelled_out().items()},
        "tracked": rows.TERMS,
        "operations": OPERATIONS,
        "phrases": {
            kind: _operation(one) for kind, one in PHRASES.items() if isinstance(one, Operation)
        },
        "static": STATIC,
        "roles": ROLES,
        "bidKinds": rows.BID_KINDS,
        "questions": rows.KINDS,
        "callWords": rows.WORDS,
        "agreementKinds": rows.AGREEMENT_KINDS,
        "tagWords": rows.TAG_WORDS,
        "widest": rows.WIDEST,
    }


def _operation(one: Operation) -> dict[str, Any]:
    """Parts of an operation that it has."""
    told: dict[str, Any] = {}
    for name, default in _DEFAULTS.items():
        value = getattr(one, name)
        if name == "name" or value != default:
            told[name] = value
    if one.range is not None:
        told["range"] = {
            "low": one.range.low, "high": one.range.high, "also": list(one.range.also)
        }  # fmt: skip
    if one.expression is not None:
        told["expression"] = str(one.expression)
    return told
