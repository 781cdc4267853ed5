"""What a request may cost: its body is measured while it comes in, and parsed only if it fits.

Length: a body over the limit is refused by its ``Content-Length`` or, where it comes in pieces, at
the first piece over the limit; what follows is not kept. Bodies of questions about one hand or
auction are short; those with many deals are parsed a piece at a time (:mod:`.large_requests`),
since the parser stops the whole service while it works. Depth: pydantic's parser goes straight
from the bytes to the request's model, and stops reading at the 200th level of nesting, so that a
body of nothing but brackets costs no more than its first 200 bytes. ``NaN`` and ``Infinity`` are
no JSON (RFC 8259, section 6) and are refused.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request

from bidcascade.engine.questions.parts.fields import MOST_ERRORS, names_at
from bidcascade.systems.language.errors import nearest

from .problems import (
    LONGEST_VALUE,
    MOST_TYPES,
    Problem,
    complaint,
    field_errors,
    invalid_request,
)

_Model = TypeVar("_Model")

LONGEST_QUESTION: Final = 1 << 16
"""Bytes of a body about one hand or auction: the longest auction and many conditions fit."""
LONGEST_TEXTS: Final = 1 << 20
"""Bytes of a body with texts of systems."""
_FEW_ERRORS: Final = 100


async def read_body(
    request: Request,
    max_bytes: int,
    *,
    timeout_s: float,
    pause_s: float,
    hold: Callable[[int], None] = lambda length: None,
) -> bytearray:
    """Body of a request that says it is JSON.

    Parameters
    ----------
    request : Request
    max_bytes : int
    timeout_s : float
        Longest time for the whole body.
    pause_s : float
        Longest time without a byte of it.
    hold : callable
        Gets the length of every piece before it is kept.

    Raises
    ------
    Problem
        415 if it is of another type, 413 if it is longer than ``max_bytes``, 408 if it is too slow,
        400 if the client leaves before its end.
    """
    check_media_type(request)
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > max_bytes:
        raise _too_large(f"{int(announced):,} bytes", max_bytes)
    # grows in place: pieces put together at the end would be copied in one go, under the lock
    body = bytearray()
    now = asyncio.get_running_loop().time
    end = now() + timeout_s
    try:
        async with asyncio.timeout_at(min(end, now() + pause_s)) as limit:
            more = True
            while more:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                piece, more = message.get("body", b""), message.get("more_body", False)
                if len(body) + len(piece) > max_bytes:
                    raise _too_large("more", max_bytes)
                hold(len(piece))
                body += piece
                if more:
                    limit.reschedule(min(end, now() + pause_s))
            return body
    except TimeoutError:
        raise Problem(
            "body-too-slow",
            f"expected the whole body within {timeout_s:g} s (setting request_timeout_ms), and "
            f"some of it every {pause_s:g} s (setting receive_timeout_ms), got {len(body):,} bytes",
            # what still comes would be taken for a further request
            headers={"Connection": "close"},
        ) from None
    except ClientDisconnect:
        # nobody is there to read this; it keeps the log free of a failure that is none of ours
        raise Problem("bad-request", "the client left before the end of the body") from None


def _too_large(got: str, max_bytes: int) -> Problem:
    limit = "" if max_bytes in (LONGEST_QUESTION, LONGEST_TEXTS) else " (setting max_request_bytes)"
    return Problem(
        "body-too-large", f"expected a body of at most {max_bytes:,} bytes{limit}, got {got}"
    )


def check_media_type(request: Request) -> None:
    """Refuse a body that does not say it is JSON.

    Raises
    ------
    Problem
        415 with the type that it says.
    """
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


def parse_body(
    model: type[_Model], body: bytes | bytearray, *, first: int = 0, start: int = 0
) -> _Model:
    """Request of a JSON body.

    Parameters
    ----------
    model : type
    body : bytes
    first, start : int
        For a part of a longer body: items of its list, and bytes, that came before.

    Raises
    ------
    Problem
        400 if the body is not JSON, 422 if it does not fit the model; names the fields.
    """
    if b"NaN" in body or b"Infinity" in body:
        # models take these words for numbers; whether they are in a string the parser knows
        try:
            from_json(body, allow_inf_nan=False)
        except ValueError as error:
            reason = f"{error} (NaN and Infinity are no JSON)"
            raise malformed(reason, body, start) from None
    try:
        kind: Any = model
        request: _Model = _reader_of(kind).validate_json(body)
    except ValidationError as error:
        raise _problem_of_body(model, error, body, first, start) from None
    return request


@cache
def _reader_of(model: type[Any]) -> TypeAdapter[Any]:
    """Make what reads the bodies of a question, or of a model."""
    return TypeAdapter(model)


def _problem_of_body(
    model: type[Any], error: ValidationError, body: bytes | bytearray, first: int, start: int
) -> Problem:
    # pydantic writes down every error, however many; their contexts are most of the work
    few = error.error_count() <= _FEW_ERRORS
    told = error.errors(include_url=False, include_context=few)[: MOST_TYPES * (MOST_ERRORS + 1)]
    found: list[dict[str, Any]] = [{**one} for one in told]
    if found[0]["type"] == "json_invalid":
        return malformed(str(found[0]["ctx"]["error"]), body, start)
    for one in found:
        place = one["loc"]
        if one["type"] == "unexpected_keyword_argument":
            # a name may be as long as the body
            near = nearest(str(place[-1])[:LONGEST_VALUE], names_at(model, place[:-1]))
            one["hint"] = f"; did you mean {near}?" if near else ""
        if first and len(place) > 1 and isinstance(place[1], int):
            one["loc"] = (place[0], place[1] + first, *place[2:])
    return invalid_request(field_errors(found)[: MOST_ERRORS + 1])


def malformed(reason: str, body: bytes | bytearray, start: int = 0) -> Problem:
    """Problem of a body, or of a part of one that begins at byte ``start``, that is no JSON."""
    reason = reason.replace("recursion limit exceeded", "nested too deeply")
    if start:
        reason += f", counted from byte {start:,}"
    text = body[:LONGEST_VALUE].decode("utf-8", "replace")
    return Problem(
        "malformed-json",
        f"expected JSON, got a body that is none: {reason}",
        [complaint("body", text, reason)],
    )


def client_of(request: Request) -> str:
    """Address that a request comes from."""
    return "" if request.client is None else request.client.host


class Slots:
    """Room that all requests share; who asks for too much is refused, not made to wait.

    One client gets at most three quarters of it, so that nobody can take it all from the others.

    Parameters
    ----------
    count : int
        How much there is.
    what : str
        Of what, and how it is set.

    Examples
    --------
    >>> slots = Slots(8)
    >>> with slots.taken("192.0.2.7"):
    ...     slots.free
    7
    """

    def __init__(
        self, count: int, what: str = "requests at once (setting max_concurrent_requests)"
    ) -> None:
        self.count = count
        self.free = count
        self._what = what
        self._most = max(1, 3 * count // 4)
        self._held: Counter[str] = Counter()

    @contextmanager
    def taken(self, client: str = "") -> Iterator[Callable[[int], None]]:
        """Hold one of it until the end of the block, and more by calling what the block gets.

        Raises
        ------
        Problem
            429 if there is no more of it, or no more for this client.
        """
        held = 0

        def take(amount: int) -> None:
            nonlocal held
            if amount > self.free:
                raise self._refusal(self.count, "")
            if self._held[client] + amount > self._most:
                raise self._refusal(self._most, " from one client")
            self.free -= amount
            self._held[client] += amount
            held += amount

        try:
            take(1)
            yield take
        finally:
            self.free += held
            self._held[client] -= held
            if not self._held[client]:
                del self._held[client]

    def _refusal(self, most: int, whose: str) -> Problem:
        return Problem(
            "overloaded",
            f"expected at most {most:,} {self._what}{whose}",
            headers={"Retry-After": "1"},
        )
