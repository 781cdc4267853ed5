"""Functions that numba compiles: without the GIL, and kept between runs where that is safe.

Numba unpickles what it finds in its cache and runs it as machine code: a bit that has changed on
the disk ends the process, or changes answers. Behind each file of ours stands a digest; a file
without it, or with another one, is as good as none, and its function is compiled anew. Numba reads
such files as any others: what follows a pickle it does not look at.
"""

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from types import FunctionType
from typing import Any, Final

from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.typeinfer import register_dispatcher

_logger = logging.getLogger("bidcascade.kernels")
_DIGEST_BYTES: Final = hashlib.sha256().digest_size


def compiled(function: Any = None, *, only: Any = None, **options: Any) -> Any:
    """Compile a function when it is first called, or now and for the signature ``only``.

    Without a function it is a decorator with numba's further options.
    """
    if function is None:
        return partial(compiled, only=only, **options)
    dispatcher = njit(nogil=True, **options)(function)
    try:
        dispatcher._cache = _CheckedCache(function)
    except RuntimeError as error:
        # no folder can be written to, as for a user without a home: it is compiled each time
        _logger.debug("%s", error)
    if only is not None:
        # registered: it may call itself
        with register_dispatcher(dispatcher):
            dispatcher.compile(only)
        dispatcher.disable_compile()
    return dispatcher


class _Impl(CompileResultCacheImpl):
    # beside the modules last of all: what pip did not write stays when it removes a package, and a
    # folder that is left hides the package that is installed after it
    _locator_classes = sorted(
        CompileResultCacheImpl._locator_classes, key=lambda one: "InTree" in one.__name__
    )


class _CheckedCache(FunctionCache):
    _impl_class = _Impl

    def __init__(self, function: FunctionType) -> None:
        super().__init__(function)
        self._cache_file = _CheckedFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            # a full disk costs time, not answers
            _logger.debug("compiled code cannot be kept: %s", error)


class _CheckedFiles(IndexDataCacheFile):
    """Index and code of one function, each file with its digest at the end."""

    def _load_index(self) -> Any:
        return super()._load_index() if _is_whole(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        if not _is_whole(self._data_path(name)):
            # numba takes it as removed, and compiles
            raise FileNotFoundError(name)
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[BytesIO]:
        content = BytesIO()
        yield content
        with super()._open_for_write(filepath) as file:
            file.write(content.getvalue() + _digest(filepath, content.getvalue()))


def _is_whole(path: str) -> bool:
    try:
        content = Path(path).read_bytes()
    except OSError:
        return False
    return content[-_DIGEST_BYTES:] == _digest(path, content[:-_DIGEST_BYTES])


def _digest(path: str, content: bytes) -> bytes:
    # with the name: another function's code is no better than damaged code
    return hashlib.sha256(Path(path).name.encode() + b"\n" + content).digest()
