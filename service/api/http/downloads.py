"""Files of results as answers: a piece at a time, with their length, to be saved under a name."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, Final

from .answering import PartsResponse

_PIECE: Final = 1 << 18


def file_answer(path: Path, *, name: str, media_type: str, timeout_s: float) -> PartsResponse:
    """Answer with a file; it may be removed meanwhile, what is being sent goes on to its end.

    Parameters
    ----------
    path : path
    name : str
        What it is to be saved as: plain characters only.
    media_type : str
    timeout_s : float
        Longest time that the client may take to receive a piece.

    Raises
    ------
    OSError
        If the file cannot be opened.
    """
    file = path.open("rb")
    length = os.fstat(file.fileno()).st_size
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Accept-Ranges": "none",
        "Cache-Control": "no-store",
    }
    answer = PartsResponse(
        _pieces(file, length),
        media_type=media_type,
        headers=headers,
        timeout_s=timeout_s,
        release=file.close,
    )
    answer.headers["Content-Length"] = str(length)
    return answer


async def _pieces(file: IO[bytes], length: int) -> AsyncIterator[bytes]:
    while length:
        piece = await asyncio.to_thread(file.read, min(_PIECE, length))
        if not piece:
            raise OSError("expected a whole file of results, got one that was cut off")
        length -= len(piece)
        yield piece
