"""Foreign engines by name: ``engine:COMMAND`` is a program, ``engine:http://…`` a server.

A server is asked as BEN's own clients ask it (:mod:`.ben_form`): ``GET /bid`` with ``user``,
``dealer``, ``seat``, ``vul``, ``ctx`` and ``hand``.
"""

import http.client
import json
import socket
from collections.abc import Sequence
from contextlib import suppress
from threading import Timer
from time import perf_counter
from typing import Final, Self
from urllib.parse import urlencode, urlsplit

from bidcascade.bridge import (
    EngineFailed,
    InvalidCall,
    parse_call,
    visible,
)

from .ben_form import query_of
from .bidding import ForeignEngine
from .process import DEFAULT_TIMEOUT_S, ProcessEngine
from .protocol import PREFIX, Reply, Turn, where

_SCHEMES: Final = ("http://", "https://")
_LONGEST_ANSWER: Final = 1 << 20
_SHOWN: Final = 80


def open_foreign(name: str, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> ForeignEngine:
    """Open a foreign engine; nothing is started before it is asked.

    Parameters
    ----------
    name : str
        ``engine:COMMAND`` or ``engine:http://HOST:PORT``.
    timeout_s : float
        For each call.

    Raises
    ------
    EngineFailed
        If it names none.

    Examples
    --------
    >>> open_foreign("engine:python3 bots/passes.py").name
    'passes'
    """
    target = name.removeprefix(PREFIX)
    if target.startswith(_SCHEMES):
        return ServerEngine(target, timeout_s=timeout_s)
    return ProcessEngine(target, timeout_s=timeout_s)


class ServerEngine:
    """A server that is asked for each call, one after the other, over one connection.

    Parameters
    ----------
    url : str
        Where it is, up to the path ``/bid``, which is put behind.
    timeout_s : float
        For each call, from the connection to the last byte.

    Raises
    ------
    EngineFailed
        If this is no address.
    """

    def __init__(self, url: str, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if not host or parts.query or parts.fragment:
            raise EngineFailed(
                f"expected an address such as http://127.0.0.1:8085, got {url!r}", "no start"
            )
        make = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._connection = make(host, port, timeout=timeout_s)
        self._path = f"{parts.path.rstrip('/').removesuffix('/bid')}/bid"
        self._timeout_s = timeout_s
        self.name = parts.netloc.rpartition("@")[2]
        self.seconds = 0.0
        self.requests = 0

    @property
    def digest(self) -> str:
        """Nothing: a server does not tell."""
        return ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *about: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def answers(
        self, turns: Sequence[Turn], deals: Sequence[int] | None = None
    ) -> list[Reply | EngineFailed]:
        """Ask for calls, as :meth:`~.process.ProcessEngine.answers` does."""
        numbers = range(len(turns)) if deals is None else deals
        self.requests += len(turns)
        started = perf_counter()
        found: list[Reply | EngineFailed] = []
        try:
            for number, turn in zip(numbers, turns, strict=True):
                try:
                    found.append(reply_of(self._get(turn)))
                except EngineFailed as error:
                    failure = EngineFailed(
                        f"{where(number, turn)}: {error} from the engine {self.name!r}", error.fault
                    )
                    if error.fault != "unreadable":
                        raise failure from None
                    found.append(failure)
        finally:
            self.seconds += perf_counter() - started
        return found

    def _get(self, turn: Turn) -> bytes:
        """Body of the answer to one question; a connection that was closed is opened once more."""
        path = f"{self._path}?{urlencode(query_of(turn))}"
        for is_last in (False, True):
            is_fresh = self._connection.sock is None
            overdue: list[bool] = []
            timer = Timer(self._timeout_s, self._give_up, (overdue,))
            timer.start()
            try:
                self._connection.request("GET", path, headers={"Accept": "application/json"})
                with self._connection.getresponse() as response:
                    body = response.read(_LONGEST_ANSWER + 1)
                    status = response.status
                # a body that was cut short is read without an error
                if overdue:
                    raise TimeoutError
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                if overdue or isinstance(error, TimeoutError):
                    raise EngineFailed(
                        f"expected a call within {self._timeout_s:g} s, got none", "too late"
                    ) from None
                if is_last or is_fresh:
                    reason = visible(" ".join(str(error).split())[:_SHOWN])
                    raise EngineFailed(
                        f"expected an answer, got {type(error).__name__} ({reason})", "ended"
                    ) from None
                continue
            finally:
                timer.cancel()
            if len(body) > _LONGEST_ANSWER:
                self._connection.close()
                raise EngineFailed(
                    f"expected at most {_LONGEST_ANSWER:,} bytes, got more", "too much"
                )
            if status != http.HTTPStatus.OK:
                text = visible(body[:_SHOWN].decode("utf-8", "replace"))
                raise EngineFailed(f"expected status 200, got {status} with {text!r}")
            return body
        raise AssertionError("the second try returns or raises")

    def _give_up(self, overdue: list[bool]) -> None:
        """End a read that goes on too long, also of a server that sends byte by byte."""
        overdue.append(True)
        if (opened := self._connection.sock) is not None:
            with suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)


def reply_of(body: bytes) -> Reply:
    """Read an answer of a server: JSON with ``bid``, and ``explanation`` if it has one.

    Raises
    ------
    EngineFailed
        If there is no call in it.

    Examples
    --------
    >>> reply_of(b'{"bid": "PASS", "who": "NN"}')
    Reply(call=0, meaning='')
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("bid"), str):
        shown = body[:_SHOWN].decode("utf-8", "replace")
        raise EngineFailed(f"expected JSON with a call as 'bid', got {shown!r}")
    try:
        call = parse_call(found["bid"])
    except InvalidCall as error:
        raise EngineFailed(str(error)) from None
    meaning = found.get("explanation")
    return Reply(call, visible(meaning) if isinstance(meaning, str) else "")
