"""Lines over a socket, each with a deadline and a longest length."""

import socket
from time import monotonic
from types import TracebackType
from typing import Final, Self

from bidcascade.bridge import EngineFailed

LONGEST_LINE: Final = 1024
"""Bytes of a line with its end."""
_END: Final = "\r\n"


class LineConnection:
    """One end of a connection; ``name`` is for messages."""

    def __init__(self, opened: socket.socket, name: str) -> None:
        self._socket = opened
        if opened.family in (socket.AF_INET, socket.AF_INET6):
            # short lines back and forth: none waits for the next one
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._held = b""
        self.name = name

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def fileno(self) -> int:
        """Descriptor of the socket."""
        return self._socket.fileno()

    def has_ended(self) -> bool:
        """Whether the other end is gone; lines that it sent are kept."""
        while len(self._held) < LONGEST_LINE:
            try:
                self._socket.settimeout(0)
                new = self._socket.recv(LONGEST_LINE)
            except BlockingIOError:
                return False
            except OSError:
                return True
            if not new:
                return True
            self._held += new
        return False

    def read(self, timeout_s: float) -> str:
        """Read a line, without its end and blank lines before it.

        Raises
        ------
        EngineFailed
            If there is none in time, it is too long, or the connection ends.
        """
        ends = monotonic() + timeout_s
        while True:
            line, found, rest = self._held.partition(b"\n")
            if len(line) >= LONGEST_LINE:
                raise EngineFailed(
                    f"expected lines of at most {LONGEST_LINE} bytes, got a longer one from "
                    f"{self.name}",
                    "too much",
                )
            if found:
                self._held = rest
                if text := line.decode("utf-8", "replace").strip():
                    return text
                continue
            left = ends - monotonic()
            try:
                if left <= 0:
                    raise TimeoutError
                self._socket.settimeout(left)
                new = self._socket.recv(LONGEST_LINE)
            except TimeoutError:
                raise EngineFailed(
                    f"expected a line within {timeout_s:g} s, got none from {self.name}", "too late"
                ) from None
            except OSError as error:
                raise self._ended(error.strerror or "an error") from None
            if not new:
                raise self._ended("the end")
            self._held += new

    def read_available(self) -> str | None:
        """Read a line if it has come, None if not; call this when there is something to read.

        Raises
        ------
        EngineFailed
            If it is too long, or the connection ends.
        """
        try:
            return self.read(0.001)
        except EngineFailed as error:
            if error.fault == "too late":
                return None
            raise

    def write(self, line: str, timeout_s: float) -> None:
        """Write a line.

        Raises
        ------
        EngineFailed
            If the other end does not take it in time, or the connection ends.
        """
        self._socket.settimeout(timeout_s)
        try:
            self._socket.sendall((line + _END).encode())
        except TimeoutError:
            raise EngineFailed(
                f"expected a line to be taken within {timeout_s:g} s by {self.name}", "too late"
            ) from None
        except OSError as error:
            raise self._ended(error.strerror or "an error") from None

    def _ended(self, what: str) -> EngineFailed:
        return EngineFailed(
            f"expected a connection that goes on, got {what} from {self.name}", "ended"
        )
