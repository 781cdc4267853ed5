"""What a request may cost: its body is measured while it comes in, and parsed only if it fits.

Length: a body over the limit is refused by its ``Content-Length`` or, where it comes in pieces, at
the first piece over the limit; what follows is not kept. Depth: pydantic's parser goes straight
from the bytes to the request's model, and stops reading at the 200th level of nesting, so that a
body of nothing but brackets costs no more than its first 200 bytes. ``NaN`` and ``Infinity`` are
no JSON (RFC 8259, section 6) and are refused.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request

from .problems import (
    LONGEST_VALUE,
    MOST_ERRORS,
    Problem,
    complaint,
    field_error,
    invalid_request,
)

_Model = TypeVar("_Model", bound=BaseModel)


async def read_body(request: Request, max_bytes: int, timeout_s: float) -> bytes:
    """Body of a request that says it is JSON.

    Raises
    ------
    Problem
        415 if it is of another type, 413 if it is longer than ``max_bytes``, 408 if it takes longer
        than ``timeout_s``, 400 if the client leaves before its end.
    """
    _check_media_type(request)
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > max_bytes:
        raise _too_large(f"{int(announced):,} bytes", max_bytes)
    pieces: list[bytes] = []
    length = 0
    try:
        async with asyncio.timeout(timeout_s):
            async for piece in request.stream():
                length += len(piece)
                if length > max_bytes:
                    raise _too_large("more", max_bytes)
                pieces.append(piece)
    except TimeoutError:
        raise Problem(
            "body-too-slow",
            f"expected the whole body within {timeout_s:g} s (setting request_timeout_ms), "
            f"got {length:,} bytes",
            # what still comes would be taken for a further request
            headers={"Connection": "close"},
        ) from None
    except ClientDisconnect:
        # nobody is there to read this; it keeps the log free of a failure that is none of ours
        raise Problem("bad-request", "the client left before the end of the body") from None
    return b"".join(pieces)


def _too_large(got: str, max_bytes: int) -> Problem:
    return Problem(
        "body-too-large",
        f"expected a body of at most {max_bytes:,} bytes (setting max_request_bytes), got {got}",
    )


def _check_media_type(request: Request) -> None:
    written = request.headers.get("content-type", "")
    media_type, *parameters = (part.strip().lower() for part in written.split(";"))
    if media_type != "application/json" and not (
        media_type.startswith("application/") and media_type.endswith("+json")
    ):
        raise Problem(
            "unsupported-media-type", f"expected Content-Type application/json, got {written!r}"
        )
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name == "charset" and value.strip('"') not in ("utf-8", "utf8"):
            raise Problem("unsupported-media-type", f"expected charset utf-8, got {value!r}")
    encoding = request.headers.get("content-encoding", "identity").lower()
    if encoding != "identity":
        raise Problem(
            "unsupported-media-type", f"expected a body without Content-Encoding, got {encoding!r}"
        )


def parse_body(model: type[_Model], body: bytes) -> _Model:
    """Request of a JSON body.

    Raises
    ------
    Problem
        400 if the body is not JSON, 422 if it does not fit the model; names the fields.

    Examples
    --------
    >>> class Question(BaseModel):
    ...     limit: int
    >>> parse_body(Question, b'{"limit": 3}').limit
    3
    >>> parse_body(Question, b'{"limit": NaN}')
    Traceback (most recent call last):
    ...
    bidcascade.service.problems.Problem: expected JSON, got a body that is none: expected value \
at line 1 column 11 (NaN and Infinity are no JSON)
    """
    if b"NaN" in body or b"Infinity" in body:
        # models take these words for numbers; whether they are in a string the parser knows
        try:
            from_json(body, allow_inf_nan=False)
        except ValueError as error:
            raise _malformed(f"{error} (NaN and Infinity are no JSON)", body) from None
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise _problem_of_body(error, body) from None


def _problem_of_body(error: ValidationError, body: bytes) -> Problem:
    found = error.errors(include_url=False)
    if found[0]["type"] != "json_invalid":
        return invalid_request([field_error(one, one["loc"]) for one in found[: MOST_ERRORS + 1]])
    return _malformed(str(found[0]["ctx"]["error"]), body)


def _malformed(reason: str, body: bytes) -> Problem:
    reason = reason.replace("recursion limit exceeded", "nested too deeply")
    text = body[:LONGEST_VALUE].decode("utf-8", "replace")
    return Problem(
        "malformed-json",
        f"expected JSON, got a body that is none: {reason}",
        [complaint("body", text, reason)],
    )


class Slots:
    """Requests that may be worked on at once; one too many is refused, not made to wait.

    Parameters
    ----------
    count : int
        How many.

    Examples
    --------
    >>> slots = Slots(1)
    >>> with slots.taken():
    ...     slots.free
    0
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.free = count

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Hold a slot.

        Raises
        ------
        Problem
            429 if none is free.
        """
        self.take()
        try:
            yield
        finally:
            self.give_back()

    def take(self) -> None:
        """Take a slot; see :meth:`taken`."""
        if not self.free:
            raise Problem(
                "overloaded",
                f"expected at most {self.count} requests at once (setting max_concurrent_requests)",
                headers={"Retry-After": "1"},
            )
        self.free -= 1

    def give_back(self) -> None:
        """Give a slot back."""
        self.free += 1
