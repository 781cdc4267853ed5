"""Files of results as answers: a piece at a time, with their length, to be saved under a name."""

import asyncio
import os
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

_PIECE: Final = 1 << 18


class FileAnswer(Response):
    """A file as an answer; it may be removed meanwhile, what is being sent goes on to its end.

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

    def __init__(self, path: Path, *, name: str, media_type: str, timeout_s: float) -> None:
        self._file = path.open("rb")
        self._length = os.fstat(self._file.fileno()).st_size
        self._timeout_s = timeout_s
        super().__init__(
            media_type=media_type,
            headers={
                "Content-Disposition": f'attachment; filename="{name}"',
                "Content-Length": str(self._length),
                "Accept-Ranges": "none",
                "Cache-Control": "no-store",
            },
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file; stop where the client has gone."""
        with self._file:
            await send(
                {
                    "type": "http.response.start",
                    "status": self.status_code,
                    "headers": self.raw_headers,
                }
            )
            request = Request(scope, receive)
            left = self._length
            while left:
                if await request.is_disconnected():
                    return
                piece = await asyncio.to_thread(self._file.read, min(_PIECE, left))
                if not piece:
                    raise OSError("expected a whole file of results, got one that was cut off")
                left -= len(piece)
                async with asyncio.timeout(self._timeout_s):
                    await send(
                        {"type": "http.response.body", "body": piece, "more_body": bool(left)}
                    )
            if not self._length:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
