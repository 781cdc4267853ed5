"""NumPy imported without threads of its library for matrices, by processes that are ours alone."""

import os
import sys
from importlib import import_module
from typing import Final

_VARIABLE: Final = "OPENBLAS_NUM_THREADS"


def import_numpy() -> None:
    """Import NumPy, if nobody has yet, so that its library for matrices starts no threads.

    OpenBLAS starts one for each core when it is loaded, and each looks for work for a while: a
    fifth of the time of a short command. Nothing of ours multiplies matrices with it. A process
    that imports this package to compute with may, so commands alone call this; other programs that
    they start are told nothing of it.

    Examples
    --------
    >>> import_numpy()
    >>> "numpy" in sys.modules
    True
    """
    if "numpy" in sys.modules or _VARIABLE in os.environ:
        return
    os.environ[_VARIABLE] = "1"
    try:
        import_module("numpy")
    finally:
        del os.environ[_VARIABLE]
