"""Write a file so that it is there whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path`` that takes its place when the block ends well.

    If the block raises, the temporary file is removed and ``path`` is as it was.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder) / "note.txt"
    ...     with replacing(target) as temporary:
    ...         _ = temporary.write_text("all of it")
    ...     target.read_text()
    'all of it'
    """
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        _set_default_mode(temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _set_default_mode(path: Path) -> None:
    """Give a temporary file the permissions that an ordinary new file has."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)
