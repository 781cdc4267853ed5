"""The one error of the clients: what the service said, or that it said nothing."""

import json
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Final

import httpx

from bidcascade.bridge import BidcascadeError
from bidcascade.service.client.answer_types import FieldErrorAnswer

_PREFIX: Final = "urn:bidcascade:problem:"
_SHOWN: Final = 200
"""Characters of an answer that is no problem, as a proxy gives it, that are repeated."""


class ServiceError(BidcascadeError):
    """The service did not answer, or answered with a problem.

    Attributes
    ----------
    status : int
        The HTTP status; 0 if there was no answer.
    kind : str
        Kind of problem, as ``unknown-table`` (``docs/rest.md`` lists them); ``no-answer`` if the
        service could not be reached or broke off, ``timeout`` also if it did not answer in time,
        ``http`` if something else answered, as a proxy.
    detail : str
        What went wrong this time.
    errors : sequence of FieldErrorAnswer
        The fields at fault with their values and the reasons.
    request_id : str or None
        What the service's log knows the request by.
    retry_after : float or None
        Seconds after which it may be asked again.

    Examples
    --------
    >>> error = ServiceError(404, "unknown-table", "expected a table (sayc), got 'x'")
    >>> print(error)
    404 unknown-table: expected a table (sayc), got 'x'
    """

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        *,
        errors: Sequence[FieldErrorAnswer] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(status, kind, detail)
        self.status = status
        self.kind = kind
        self.detail = detail
        self.errors = list(errors)
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        """Write status, kind and detail on one line."""
        return f"{self.status} {self.kind}: {self.detail}" if self.status else self.detail


def error_of(response: httpx.Response) -> ServiceError:
    """Error that an answer, whose body has been read, stands for."""
    try:
        body = json.loads(response.content)
    except ValueError:
        body = None
    problem: Mapping[str, Any] = body if isinstance(body, dict) else {}
    kind = str(problem.get("type", ""))
    if not kind.startswith(_PREFIX):
        text = response.text.strip()[:_SHOWN]
        detail = f"expected an answer of bidcascade, got {response.status_code} {text!r}"
        return ServiceError(
            response.status_code, "http", detail, retry_after=_retry_after(response.headers)
        )
    return ServiceError(
        response.status_code,
        kind.removeprefix(_PREFIX),
        str(problem.get("detail", "")),
        errors=problem.get("errors", ()),
        request_id=problem.get("request_id"),
        retry_after=_retry_after(response.headers),
    )


def no_answer(error: httpx.RequestError, url: object) -> ServiceError:
    """Error for a service that cannot be reached, or breaks off."""
    kind = "timeout" if isinstance(error, httpx.TimeoutException) else "no-answer"
    reason = str(error) or type(error).__name__
    return ServiceError(0, kind, f"expected an answer from {url}, got none: {reason}")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of ``Retry-After`` (RFC 9110, 10.2.3), which is a number of them or a date."""
    written = headers.get("Retry-After", "").strip()
    if written.isascii() and written.isdigit():
        return float(written)
    try:
        return max(0.0, parsedate_to_datetime(written).timestamp() - time())
    except ValueError:
        return None
