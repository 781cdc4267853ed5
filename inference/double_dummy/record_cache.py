"""Records that are kept on the disk from one command to the next: a key, a value, a checksum.

What is added is on the disk at once, so a run that is killed loses what it was at; several may add
at a time. Bytes that are no record are left out, and the file is written anew without them; one
without any record is another file and put aside, for who may still want it.
"""

import logging
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from bidcascade.kernels.machine.caches import folder_in_cache

_logger = logging.getLogger("bidcascade.inference")
_CHECKSUM: Final = 4
_FORMAT: Final = 1
"""Where checksums begin: those of another format do not hold."""


class RecordCache:
    """Values that were worked out before, by their keys.

    Parameters
    ----------
    path : path or None
        Made with the first records; without one they are kept in memory. Where it cannot be
        written, it is left alone from then on, and the log says so.
    key, value : int
        How many bytes each of them has.
    what : str
        What the log calls them.

    Examples
    --------
    >>> cache = RecordCache(None, key=2, value=1, what="answers")
    >>> cache.put({b"ab": b"7"})
    >>> cache.get(b"ab"), cache.get(b"cd"), len(cache)
    (b'7', None, 1)
    """

    def __init__(self, path: Path | None, *, key: int, value: int, what: str) -> None:
        self.path = path
        self._what = what
        self._known: dict[bytes, bytes] = {}
        size = key + value + _CHECKSUM
        data = b""
        if path is not None and path.exists():
            with self._on_disk(path):
                data = path.read_bytes()
        whole = 0
        for start in range(0, len(data), size):
            record = data[start : start + size]
            if record[key + value :] == _checksum(record[: key + value]):
                self._known[record[:key]] = record[key : key + value]
                whole += size
        self.left_out = len(data) - whole
        if path is not None and len(self._known) * size < len(data):
            self._mend(path, size)

    def _mend(self, path: Path, size: int) -> None:
        """Write a file anew, without what stands there twice and without what is no record."""
        with self._on_disk(path):
            if not self._known and self.left_out >= size:
                aside = path.with_name(f"{path.name}.other")
                path.replace(aside)
                _logger.warning("%s has no %s, it was put aside as %s", path, self._what, aside)
                return
            if self.left_out:
                _logger.warning(
                    "%s: %d bytes were left out, they are no record of %s",
                    path,
                    self.left_out,
                    self._what,
                )
            # it loads polars, which a file that is whole does not need
            from bidcascade.loaders.files.whole_files import whole_file

            with whole_file(path) as partial:
                partial.write_bytes(_records(self._known))

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: bytes) -> bytes | None:
        """Value of a key, if it is kept."""
        return self._known.get(key)

    def put(self, new: Mapping[bytes, bytes]) -> None:
        """Keep values by their keys, bytes of the sizes that were given."""
        self._known |= new
        if self.path is not None:
            with self._on_disk(self.path):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                # in one piece, so that several processes may add
                with self.path.open("ab", buffering=0) as file:
                    file.write(_records(new))

    @contextmanager
    def _on_disk(self, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            _logger.warning("%s are not kept in %s: %s", self._what, path, error)
            self.path = None


_Cache = TypeVar("_Cache", bound=RecordCache)


def of_user(name: str, kind: Callable[[Path | None], _Cache]) -> _Cache:
    """Open records in a file of the user's cache, for all commands."""
    folder = folder_in_cache("double-dummy")
    return kind(None if folder is None else folder / name)


def _records(values: Mapping[bytes, bytes]) -> bytes:
    return b"".join(key + value + _checksum(key + value) for key, value in values.items())


def _checksum(content: bytes) -> bytes:
    return zlib.crc32(content, _FORMAT).to_bytes(_CHECKSUM, "little")
