"""The tables of :mod:`.text_rows` as data, for the engine that reads in the browser.

``build_backend/language_data.py`` writes them as a module of JavaScript.
"""

from typing import Any

from bidcascade.kernels.core import rows
from bidcascade.table.language.term_catalogue import ALIASES

from .structure_rows import FORMAT as STRUCTURE_FORMAT
from .text_rows import COMPLAINTS, FORMAT, STANDS_FOR, term_limits


def rows_data() -> dict[str, Any]:
    """Numbers of the core's rows by name, and words of what the core complains of.

    Examples
    --------
    >>> data = rows_data()
    >>> data["standsFor"]["favourable"], data["terms"][0]
    ('not Vul_We and Vul_They', ['Aces', 0, 8])
    """
    return {
        "format": FORMAT,
        "structureFormat": STRUCTURE_FORMAT,
        "terms": [[name, *limits] for name, limits in term_limits().items()],
        "aliases": {name: text for one in ALIASES for name, text in one.spelled_out().items()},
        "tracked": rows.TERMS,
        "standsFor": {kind: str(expression) for kind, expression in STANDS_FOR.items()},
        "complaints": COMPLAINTS,
        "bidKinds": rows.BID_KINDS,
        "tagWords": rows.TAG_WORDS,
    }
