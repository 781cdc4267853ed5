"""Processes of our own: started so that nothing in the folder somebody works in is run by them.

Python looks for modules in the current folder first where it is started as ``python -m`` or
``python -c``, and ``multiprocessing`` starts it as the latter: a ``json.py`` beside somebody's
deals would be run because the deals are read.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from .caches import CACHE_VARIABLE

_SAFE: Final = "PYTHONSAFEPATH"
_ROOT: Final = str(Path(__file__).absolute().parents[3])
HOME: Final = str(Path(__file__).absolute().parents[1])
"""Where processes work that were given no folder: one that is trusted as much as the code."""
_STARTED_IN: Final = str(Path.cwd()) if Path().exists() else ""


def import_path() -> list[str]:
    """Folders that processes started here look for modules in.

    They are those of this process, without the one it was started in: Python put that there of its
    own accord, unless ``PYTHONPATH`` names it.

    Examples
    --------
    >>> all(map(os.path.isabs, import_path()))
    True
    """
    named = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    chosen = {os.path.abspath(path) for path in named}  # noqa: PTH100 (links stay)
    path = [os.path.abspath(path) for path in sys.path if path]  # noqa: PTH100
    own = [one for one in path if one != _STARTED_IN or one in chosen]
    # the package itself may lie there: it is found, after all others
    return own if _ROOT in own or _ROOT not in path else [*own, _ROOT]


def start_module(
    module: str, folder: str | Path = HOME, **options: Any
) -> "subprocess.Popen[bytes]":
    """Start a module of ours as a process that is talked to over its standard input and output.

    Parameters
    ----------
    module : str
    folder : str or Path, optional
        Where it works.
    **options
        Further ones of :class:`subprocess.Popen`.

    Examples
    --------
    >>> child = start_module("bidcascade.service.cli", stderr=subprocess.DEVNULL)
    >>> child.communicate()[0], child.returncode
    (b'', 1)
    """
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=folder,
        env=_environment(),
        **options,
    )


def end_with_parent(incoming: int, ending: Callable[[], None] = lambda: None) -> None:
    """Have this process end, with its own group of processes, when its parent closes a pipe.

    Parameters
    ----------
    incoming : int
        Descriptor of the pipe, from which nobody else reads any more. Not Python's own file: what a
        thread reads from would be locked when the interpreter ends.
    ending : callable
        What is done before that.
    """
    threading.Thread(target=_end_with, args=(incoming, ending), daemon=True).start()


def _end_with(incoming: int, ending: Callable[[], None]) -> None:
    while os.read(incoming, 1 << 16):
        pass
    ending()
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(0)


def _environment() -> dict[str, str]:
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(import_path())}
    if cache := found.get(CACHE_VARIABLE):
        found[CACHE_VARIABLE] = str(Path(cache).absolute())
    return found


class _Spawning:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.inside = 0
        self.before: str | None = None


_spawning: Final = _Spawning()


@contextmanager
def safe_spawning() -> Iterator[None]:
    """Have ``multiprocessing`` start processes that import nothing from the current folder.

    Its own arguments cannot be chosen, and its helper, the tracker of shared resources, is started
    in the same way; what both inherit is the environment.

    Examples
    --------
    >>> with safe_spawning():
    ...     "PYTHONSAFEPATH" in os.environ
    True
    """
    with _spawning.lock:
        if not _spawning.inside:
            _spawning.before = os.environ.get(_SAFE)
            os.environ[_SAFE] = "1"
        _spawning.inside += 1
    try:
        yield
    finally:
        with _spawning.lock:
            _spawning.inside -= 1
            if not _spawning.inside:
                if _spawning.before is not None:
                    os.environ[_SAFE] = _spawning.before
                else:
                    with suppress(KeyError):
                        del os.environ[_SAFE]
