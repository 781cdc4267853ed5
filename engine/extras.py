"""Libraries of the optional extras, which what needs one loads when it runs."""

import importlib
from typing import Any

from bidcascade.bridge import BackendUnavailable


def imported(extra: str, *names: str) -> list[Any]:
    """Import modules that an extra brings.

    Raises
    ------
    BackendUnavailable
        If one is missing; the message says which extra has it.

    Examples
    --------
    >>> imported("lsp", "json")[0].loads("[1]")
    [1]
    """
    try:
        return [importlib.import_module(name) for name in names]
    except ImportError as error:
        raise BackendUnavailable(
            f"expected the extra {extra!r} (pip install 'bidcascade[{extra}]'): {error}"
        ) from None
