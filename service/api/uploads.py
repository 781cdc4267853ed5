"""Bodies of any length, written to the disk as they come in, within limits of length and pace."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Final

from starlette.requests import ClientDisconnect, Request

from .problems import Problem

MEDIA_TYPES: Final = ("application/octet-stream", "application/gzip", "application/zip")
"""What a body of an archive says it is; what it is, is found out by its content."""
MOST_UPLOADS: Final = 4
"""Uploads that are received at once."""

LEAST_PACE: Final = 1 << 10
"""Bytes a second, on average, below which an upload is not worth its place."""

_WRITE_BYTES: Final = 1 << 20


class Uploads:
    """Receives uploads, so many at a time.

    Examples
    --------
    >>> uploads = Uploads(1)
    >>> with uploads.place():
    ...     try:
    ...         with uploads.place():
    ...             pass
    ...     except Problem as problem:
    ...         print(problem.status)
    429
    """

    def __init__(self, most: int = MOST_UPLOADS) -> None:
        self._most = most
        self._free = most

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold a place for one upload.

        Raises
        ------
        Problem
            429 if none is free.
        """
        if not self._free:
            raise Problem(
                "too-many-jobs", f"expected at most {self._most} uploads at once",
                headers={"Retry-After": "5"},
            )  # fmt: skip
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
    most_bytes : int
        Longest body.
    free_bytes : int
        What still fits the data folder.
    timeout_s : float
        Longest time without a byte, and behind :data:`LEAST_PACE`.

    Raises
    ------
    Problem
        413 if it is longer than ``most_bytes``, 507 if it does not fit, 408 if it stops coming,
        400 if the client leaves before its end.
    OSError
        If it cannot be written.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdigit():
        _check_length(int(announced), most_bytes, free_bytes, f"{int(announced):,} bytes")
    length = 0
    pieces: list[bytes] = []
    held = 0
    stream = request.stream()
    begun = monotonic()
    with path.open("wb") as file:
        while True:
            behind = monotonic() - begun - length / LEAST_PACE
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
            if piece is not None:
                length += len(piece)
                _check_length(length, most_bytes, free_bytes, "more")
                pieces.append(piece)
                held += len(piece)
            if held >= _WRITE_BYTES or piece is None:
                # the disk may be slow; requests go on meanwhile
                await asyncio.to_thread(file.write, b"".join(pieces))
                pieces, held = [], 0
            if piece is None:
                break
        file.flush()
        await asyncio.to_thread(os.fsync, file.fileno())
    return length


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
