"""What both clients have in common: where the service is, the key, and when to ask again."""

import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

import httpx

from bidcascade.service.client.answer_types import JobAnswer
from bidcascade.service.client.errors import ServiceError
from bidcascade.service.client.questions import Question

if TYPE_CHECKING:
    import polars as pl

DEFAULT_URL: Final = "http://127.0.0.1:8000"
TO_CONNECT_S: Final = 5.0
ENDS: Final = frozenset({"done", "failed", "cancelled"})
"""States of a job that has ended."""
_AGAIN: Final = frozenset({429, 503})


class Retries(NamedTuple):
    """How often, and after which waits, a service that has too much to do is asked again.

    Only after 429 and 503 with ``Retry-After``: with these it has not begun to work.

    Attributes
    ----------
    most : int
        Requests after the first; 0 for none.
    longest_wait_s : float
        A service that wants to be left alone for longer is not waited for.

    Examples
    --------
    >>> busy = ServiceError(429, "overloaded", "too many requests", retry_after=2)
    >>> Retries().wait(1, busy), Retries().wait(4, busy), Retries(longest_wait_s=1).wait(1, busy)
    (2, None, None)
    """

    most: int = 3
    longest_wait_s: float = 30.0

    def wait(self, asked: int, error: ServiceError) -> float | None:
        """Seconds to wait after so many requests, None to give up."""
        if error.status not in _AGAIN or error.retry_after is None or asked > self.most:
            return None
        return error.retry_after if error.retry_after <= self.longest_wait_s else None


USUAL_RETRIES: Final = Retries()


def settings_of(
    base_url: str | None, api_key: str | None, timeout_s: float
) -> tuple[str, dict[str, str], httpx.Timeout]:
    """Address, header fields of every request, and timeouts; from the environment if not given.

    Examples
    --------
    >>> settings_of("http://localhost:9000/", "bc_1", 60)[:2]
    ('http://localhost:9000', {'Authorization': 'Bearer bc_1'})
    """
    url = (base_url or os.environ.get("BIDCASCADE_URL") or DEFAULT_URL).rstrip("/")
    key = api_key or os.environ.get("BIDCASCADE_API_KEY")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return url, headers, httpx.Timeout(timeout_s, connect=min(timeout_s, TO_CONNECT_S))


class Outgoing:
    """A question on its way: what is sent each time, and whether it may be sent once more."""

    def __init__(self, question: Question[Any], retries: Retries | None) -> None:
        self._question = question
        self._retries = retries
        self._asked = 0
        archive = question.archive
        self._begin = archive.tell() if archive is not None and archive.seekable() else None

    def request_to(
        self, client: httpx.Client | httpx.AsyncClient, pieces: Callable[[BinaryIO], Any]
    ) -> httpx.Request:
        """Request to send now; ``pieces`` reads an archive a piece at a time."""
        asked = self._question
        content: Any = asked.content()
        if asked.archive is not None:
            if self._begin is not None:
                asked.archive.seek(self._begin)
            content = pieces(asked.archive)
        self._asked += 1
        return client.build_request(
            asked.method, asked.path, params=asked.params, content=content, headers=asked.headers()
        )

    def wait(self, error: ServiceError) -> float:
        """Seconds to wait before it is sent again.

        Raises
        ------
        ServiceError
            The one given, if it is not to be sent again.
        """
        once = self._question.archive is not None and self._begin is None
        wait = None if self._retries is None or once else self._retries.wait(self._asked, error)
        if wait is None:
            raise error
        return wait


class Lines:
    r"""Puts the lines of an answer together from its pieces.

    Examples
    --------
    >>> lines = Lines(2)
    >>> list(lines.of(b'{"deal":0}\n{"de')), list(lines.of(b'al":1}\n'))
    ([{'deal': 0}], [{'deal': 1}])
    >>> lines.check()
    """

    def __init__(self, expected: int | None = None) -> None:
        self._expected = expected
        self._seen = 0
        self._rest = b""

    def of(self, piece: bytes) -> Iterator[Any]:
        """Lines that a piece ends."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            self._seen += 1
            yield json.loads(line)

    def check(self) -> None:
        """Make sure that no line is missing."""
        expected = self._seen if self._expected is None else self._expected
        if self._rest or self._seen != expected:
            raise ServiceError(
                0, "no-answer", f"expected {expected} lines, got {self._seen}: broken off"
            )


def frame_of(parts: Sequence[tuple[int, bytes]]) -> "pl.DataFrame":
    """Frame of Arrow streams, each with the number of its first deal."""
    import polars as pl

    frames = [
        pl.read_ipc_stream(io.BytesIO(content)).with_columns(
            (pl.col("deal") + pl.lit(first, pl.UInt32)).cast(pl.UInt32)
        )
        for first, content in parts
    ]
    return pl.concat(frames) if frames else pl.DataFrame()


def target_of(to: str | PathLike[str], name: str) -> Path:
    """File that a download goes to: ``to`` itself, or in it if it is a folder."""
    path = Path(to)
    # the name is the service's: nothing but its last part is used
    return path / Path(name).name if path.is_dir() else path


def job_timeout(job: JobAnswer, seconds: float) -> ServiceError:
    """Error for a job that was waited for long enough."""
    detail = f"expected job {job['id']} to end within {seconds:g} s, it is {job['state']}"
    return ServiceError(0, "timeout", detail)
