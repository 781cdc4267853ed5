"""Bodies of any length, written to the disk as they come in, within limits of length and pace."""

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import BinaryIO, Final

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from .problems import Problem, field_problem

MEDIA_TYPES: Final = ("application/octet-stream", "application/gzip", "application/zip")
"""What a body of an archive says it is; what it is, is found out by its content."""
FORM: Final = "multipart/form-data"
FILE_FIELD: Final = "file"
"""Field of a form that has the archive."""
MOST_UPLOADS: Final = 4
"""Uploads that are received at once."""

LEAST_PACE: Final = 1 << 10
"""Bytes a second, on average, below which an upload is refused its slot."""

_WRITE_BYTES: Final = 1 << 20
FORM_BYTES: Final = 1 << 16
"""Bytes of a form beside its file."""
_MOST_FIELDS: Final = 20
_LONGEST_FIELD: Final = 1 << 12


class Uploads:
    """Receives uploads, so many at a time.

    Examples
    --------
    >>> uploads = Uploads(1)
    >>> with uploads.slot():
    ...     try:
    ...         with uploads.slot():
    ...             pass
    ...     except Problem as problem:
    ...         print(problem.status)
    429
    """

    def __init__(self, most: int = MOST_UPLOADS) -> None:
        self._most = most
        self._free = most

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold a slot for one upload.

        Raises
        ------
        Problem
            429 if none is free.
        """
        if not self._free:
            raise Problem(
                "too-many-jobs",
                f"expected at most {self._most} uploads at once",
                headers={"Retry-After": "5"},
            )
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1


async def receive_upload(
    request: Request, path: Path, *, most_bytes: int, free_bytes: int, timeout_s: float
) -> int:
    """Write the body of a request to a file; its length.

    Parameters
    ----------
    request : Request
    path : path
    most_bytes, free_bytes, timeout_s
        As of :func:`pieces_of`.

    Raises
    ------
    Problem
        As :func:`pieces_of` does.
    OSError
        If it cannot be written.
    """
    length = 0
    pieces: list[bytes] = []
    held = 0
    with path.open("wb") as file:
        async for piece in pieces_of(
            request, most_bytes=most_bytes, free_bytes=free_bytes, timeout_s=timeout_s
        ):
            length += len(piece)
            pieces.append(piece)
            held += len(piece)
            if held >= _WRITE_BYTES:
                # the disk may be slow; requests go on meanwhile
                await asyncio.to_thread(file.write, b"".join(pieces))
                pieces, held = [], 0
        await asyncio.to_thread(file.write, b"".join(pieces))
        file.flush()
        await asyncio.to_thread(os.fsync, file.fileno())
    return length


async def receive_form(
    request: Request, path: Path, *, most_bytes: int, free_bytes: int, timeout_s: float
) -> tuple[dict[str, str], str]:
    """Write the one file of a form to a path; the form's fields, and what the file is called.

    While it comes in the file is one without a name in the system's folder for such files, so that
    nothing is left of a form that is refused.

    Parameters
    ----------
    request : Request
        Of ``multipart/form-data`` (RFC 7578).
    path : path
    most_bytes, free_bytes, timeout_s
        As of :func:`pieces_of`; the fields may take :data:`FORM_BYTES` more.

    Raises
    ------
    Problem
        As :func:`pieces_of` does; 400 if the body is no form, 422 if it has no file, or a field
        twice.
    OSError
        If it cannot be written.
    """
    pieces = pieces_of(
        request, most_bytes=most_bytes, free_bytes=free_bytes, timeout_s=timeout_s, more=FORM_BYTES
    )
    parser = _Form(
        request.headers, pieces, max_files=1, max_fields=_MOST_FIELDS, max_part_size=_LONGEST_FIELD
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        reason = error.message[:1].lower() + error.message[1:].rstrip(".")
        raise Problem("bad-request", f"expected a form with one file: {reason}") from None
    try:
        fields: dict[str, str] = {}
        archive: UploadFile | None = None
        for name, value in form.multi_items():
            if isinstance(value, str) == (name == FILE_FIELD):
                what = "a file" if name == FILE_FIELD else "text"
                raise field_problem(name, str(value)[:100], f"expected {what} in this field")
            if name in fields:
                raise field_problem(name, value, "expected this field once")
            if isinstance(value, str):
                fields[name] = value
            else:
                archive = value
        if archive is None:
            raise field_problem(FILE_FIELD, None, "expected a file in this field")
        _check_length(archive.size or 0, most_bytes, free_bytes, f"{archive.size:,} bytes")
        await asyncio.to_thread(_copy, archive.file, path)
        return fields, archive.filename or ""
    finally:
        parser.close()


class _Form(MultiPartParser):
    """A form whose files are closed also where the form ends before they do."""

    def close(self) -> None:
        for file in self._files_to_close_on_error:
            file.close()


def _copy(source: BinaryIO, path: Path) -> None:
    with path.open("wb") as file:
        shutil.copyfileobj(source, file, _WRITE_BYTES)
        file.flush()
        os.fsync(file.fileno())


async def pieces_of(
    request: Request, *, most_bytes: int, free_bytes: int, timeout_s: float, more: int = 0
) -> AsyncGenerator[bytes, None]:
    """Give the body of a request as it comes in, within limits of length and pace.

    Parameters
    ----------
    request : Request
    most_bytes : int
        Longest body.
    free_bytes : int
        What still fits the data folder.
    timeout_s : float
        Longest time without a byte, and behind :data:`LEAST_PACE`.
    more : int
        What may be beside that is not written to the data folder.

    Raises
    ------
    Problem
        413 if it is longer than ``most_bytes``, 507 if it does not fit, 408 if it stops coming,
        400 if the client leaves before its end.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdigit():
        written = f"{int(announced):,} bytes"
        _check_length(int(announced) - more, most_bytes, free_bytes, written)
    length = 0
    stream = request.stream()
    started = monotonic()
    while True:
        behind = monotonic() - started - length / LEAST_PACE
        try:
            async with asyncio.timeout(min(timeout_s, timeout_s - behind)):
                piece = await anext(stream, None)
        except TimeoutError:
            raise Problem(
                "body-too-slow",
                f"expected more of the body within {timeout_s:g} s (setting "
                f"request_timeout_ms), got {length:,} bytes",
                # what still comes would be taken for a further request
                headers={"Connection": "close"},
            ) from None
        except ClientDisconnect:
            raise Problem("bad-request", "the client left before the end of the body") from None
        if piece is None:
            return
        length += len(piece)
        _check_length(length - more, most_bytes, free_bytes, "more")
        yield piece


def _check_length(length: int, most_bytes: int, free_bytes: int, got: str) -> None:
    if length > most_bytes:
        raise Problem(
            "body-too-large",
            f"expected at most {most_bytes:,} bytes (setting max_upload_bytes), got {got}",
        )
    if length > free_bytes:
        raise Problem(
            "no-room",
            f"expected at most {free_bytes:,} bytes, which is what the folder of the jobs still "
            f"takes (setting max_data_bytes), got {got}; remove jobs that have ended",
        )
