"""The clients of the service, written once as coroutines: :class:`AsyncClient` awaits them.

:class:`Client` runs the same coroutines over a connection that blocks, so that they never wait.
"""

import asyncio
import io
import itertools
import json
import os
import re
import time
from collections.abc import (
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import ExitStack, asynccontextmanager
from email.utils import parsedate_to_datetime
from functools import partial
from os import PathLike
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    BinaryIO,
    Concatenate,
    Final,
    Generic,
    NamedTuple,
    ParamSpec,
    Self,
    TypeVar,
    Unpack,
)
from urllib.parse import quote

try:
    import httpx
except ImportError:
    wanted = "expected the extra 'client' (pip install 'bidcascade[client]')"
    raise ImportError(f"{wanted}: the clients need httpx") from None

from bidcascade.bridge import BidcascadeError
from bidcascade.service.client import answer_types as answers
from bidcascade.service.client import option_types as options_of
from bidcascade.service.client.asking import (
    AtOnce,
    Awaited,
    Calls,
    Deal,
    Method,
    Question,
    answered,
    calls_of,
    deal_of,
    finish,
    operation,
)
from bidcascade.service.client.question_methods import QuestionMethods

if TYPE_CHECKING:
    import polars as pl

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")
_Transport = TypeVar("_Transport")

DEFAULT_URL: Final = "http://127.0.0.1:8000"
_PROBLEM: Final = "urn:bidcascade:problem:"
_TO_CONNECT_S: Final = 5.0
_ENDS: Final = frozenset({"done", "failed", "cancelled"})
_JSON_LINES: Final = "application/jsonl"
_ARROW: Final = "application/vnd.apache.arrow.stream"
_ARCHIVE: Final = "application/octet-stream"
_PIECE: Final = 1 << 18
"""Bytes of an archive that are in memory at a time."""


class NumberedResult(answers.DealResult):
    """The auctions of one deal, with the deal's number from 0."""

    deal: int


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
        errors: Sequence[answers.FieldErrorAnswer] = (),
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

    def wait(self, tries: int, error: ServiceError) -> float | None:
        """Seconds to wait after so many requests, None to give up."""
        if error.status not in (429, 503) or error.retry_after is None or tries > self.most:
            return None
        return error.retry_after if error.retry_after <= self.longest_wait_s else None


_USUAL_RETRIES: Final = Retries()

# --- what is asked, and how answers are read ------------------------------------------------------


def _parts_of(
    deals: Iterable[Deal], size: int, options: Mapping[str, Any], accept: str
) -> Iterator[tuple[int, int, Question[Any]]]:
    """Questions about ``size`` deals at most, with the number of the first, and how many."""
    if size < 1:
        raise ValueError(f"expected a positive deals_a_request, got {size!r}")
    waiting, first = iter(deals), 0
    while part := [deal_of(deal) for deal in itertools.islice(waiting, size)]:
        body = {"deals": part, **options}
        yield first, len(part), Question("POST", "/v1/auctions", body=body, accept=accept)
        first += len(part)


def _leads(
    hand: str, auction: Calls | None, options: Mapping[str, Any], accept: str = "application/json"
) -> Question[answers.LeadsAnswer]:
    calls = None if auction is None else calls_of(auction)
    body = {"hand": hand, "auction": calls, **options}
    return Question("POST", "/v1/leads", body=body, accept=accept)


def _archive_params(auction: Calls, options: Mapping[str, Any]) -> dict[str, Any]:
    written = auction if isinstance(auction, str) else " ".join(auction)
    given = {name: value for name, value in options.items() if value is not None}
    return {"auction": written, **given}


def _path(*parts: str) -> str:
    for part in parts:
        # "." and ".." would be taken out of the path
        if part in ("", ".", ".."):
            raise ValueError(f"expected a name, got {part!r}")
    return "/".join(["/v1", *(quote(part, safe="") for part in parts)])


def _error_of(response: httpx.Response) -> ServiceError:
    """Error that an answer, whose body has been read, stands for."""
    try:
        body = json.loads(response.content)
    except ValueError:
        body = None
    problem: Mapping[str, Any] = body if isinstance(body, dict) else {}
    status, wait = response.status_code, _retry_after(response.headers)
    kind = str(problem.get("type", ""))
    if not kind.startswith(_PROBLEM):
        return _of_others(response, retry_after=wait)
    return ServiceError(
        status,
        kind.removeprefix(_PROBLEM),
        str(problem.get("detail", "")),
        errors=problem.get("errors", ()),
        request_id=problem.get("request_id"),
        retry_after=wait,
    )


def _of_others(response: httpx.Response, *, retry_after: float | None = None) -> ServiceError:
    """Error that an answer, whose body has been read, stands for if it is not the service's."""
    status, text = response.status_code, response.text.strip()[:200]
    detail = f"expected an answer of bidcascade, got {status} {text!r}"
    return ServiceError(status, "http", detail, retry_after=retry_after)


def _numbered(error: ServiceError, first: int) -> ServiceError:
    """Error of a part of the deals, by the numbers that the deals have in the whole."""
    if not first:
        return error

    def moved(text: str) -> str:
        return re.sub(r"\bdeals\[(\d+)\]", lambda found: f"deals[{int(found[1]) + first}]", text)

    return ServiceError(
        error.status,
        error.kind,
        moved(error.detail),
        errors=[{**one, "field": moved(one["field"])} for one in error.errors],
        request_id=error.request_id,
        retry_after=error.retry_after,
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of ``Retry-After`` (RFC 9110, 10.2.3), which is a number of them or a date."""
    written = headers.get("Retry-After", "").strip()
    if written.isascii() and written.isdigit():
        return float(written)
    until = _date(written)
    if until is None:
        return None
    # by the clock of who says so: this one may be set otherwise
    now = _date(headers.get("Date", ""))
    return max(0.0, until - (time.time() if now is None else now))


def _date(written: str) -> float | None:
    """Seconds since 1970 of a date; None if it is none."""
    try:
        return parsedate_to_datetime(written).timestamp()
    except ValueError:
        return None


async def _lines_of(
    pieces: AsyncIterator[bytes], expected: int | None = None
) -> AsyncIterator[Any]:
    """Lines of JSON; none may be missing at the end."""
    seen, rest = 0, b""
    async for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            try:
                found = json.loads(line)
            except ValueError:
                text = line.decode(errors="replace").strip()[:200]
                detail = f"expected lines of bidcascade, got {text!r}"
                raise ServiceError(200, "http", detail) from None
            seen += 1
            yield found
    if rest or expected not in (None, seen):
        wanted = seen if expected is None else expected
        raise ServiceError(0, "no-answer", f"expected {wanted} lines, got {seen}: broken off")


# --- one definition of a method, two ways to call it ----------------------------------------------


def _each(results: Any) -> Iterator[Any]:
    """Run an asynchronous generator in which nothing waits."""
    try:
        while True:
            yield finish(results.__anext__())
    except StopAsyncIteration:
        return
    finally:
        finish(results.aclose())


def _listed(
    method: Callable[Concatenate[Any, _Given], AsyncIterator[_Answer]],
) -> Method[_Given, Iterator[_Answer], AsyncIterator[_Answer]]:
    return Method(method, _each)


class _Questions(QuestionMethods, Generic[_Transport]):
    """All that can be asked. What is done while it waits differs between the clients."""

    _connection: type[Any]
    _send: Callable[[httpx.Request], Coroutine[Any, Any, httpx.Response]]
    _read: Callable[[httpx.Response], Coroutine[Any, Any, bytes]]
    _pieces: Callable[[httpx.Response], AsyncIterator[bytes]]
    _leave: Callable[[httpx.Response], Coroutine[Any, Any, None]]
    _sleep: Callable[[float], Coroutine[Any, Any, None]]
    _sent: Callable[[BinaryIO], Iterable[bytes] | AsyncIterator[bytes]]
    _work: Callable[..., Coroutine[Any, Any, Any]]
    """What may take long, as to write a piece of a file."""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        api_key: str | None = None,
        timeout_s: float = 60,
        retries: Retries | None = _USUAL_RETRIES,
        transport: _Transport | None = None,
    ) -> None:
        self._retries = retries
        url = base_url or os.environ.get("BIDCASCADE_URL") or DEFAULT_URL
        key = api_key or os.environ.get("BIDCASCADE_API_KEY")
        self._http = self._connection(
            base_url=url.rstrip("/"),
            transport=transport,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, _TO_CONNECT_S)),
        )

    @asynccontextmanager
    async def _answer(self, question: Question[Any]) -> AsyncIterator[httpx.Response]:
        """Answer whose body is still to be read; asked again where that may help."""
        archive = question.archive
        start = archive.tell() if archive is not None and archive.seekable() else None
        again = None if archive is not None and start is None else self._retries
        headers, content = {"Accept": question.accept}, None
        if archive is not None:
            headers["Content-Type"] = _ARCHIVE
        elif question.body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(question.body).encode()
        try:
            for count in itertools.count(1):
                if archive is not None and start is not None:
                    archive.seek(start)
                request = self._http.build_request(
                    question.method,
                    question.path,
                    params=question.params,
                    headers=headers,
                    content=content if archive is None else self._sent(archive),
                )
                response = await self._send(request)
                try:
                    if response.is_success:
                        yield response
                        return
                    await self._read(response)
                finally:
                    await self._leave(response)
                error = _error_of(response)
                wait = None if again is None else again.wait(count, error)
                if wait is None:
                    raise error
                await self._sleep(wait)
        except httpx.RequestError as error:
            kind = "timeout" if isinstance(error, httpx.TimeoutException) else "no-answer"
            reason = str(error) or type(error).__name__
            detail = f"expected an answer from {self._http.base_url}, got none: {reason}"
            raise ServiceError(0, kind, detail) from error

    async def _json(self, question: Question[_Answer]) -> _Answer:
        async with self._answer(question) as response:
            # a removed job is answered without a body
            body = await self._read(response) or b"null"
            try:
                answer: _Answer = json.loads(body)
            except ValueError:
                raise _of_others(response) from None
            return answer

    @_listed
    async def auctions(
        self,
        deals: Iterable[Deal],
        *,
        deals_a_request: int = 10_000,
        **options: Unpack[options_of.AuctionsOptions],
    ) -> AsyncIterator[NumberedResult]:
        """Ask for auctions: one result after the other, while the service works on the next.

        Parameters
        ----------
        deals : iterable of str, sequence of str, or mapping
            PBN or LIN text, four hands, or an object of the API. Any number: they are taken,
            and sent, ``deals_a_request`` at a time.
        **options
            ``mode``, ``completed_only``, ``limit``, ``table``.
        """
        for first, count, question in _parts_of(deals, deals_a_request, options, _JSON_LINES):
            try:
                async with self._answer(question) as response:
                    async for result in _lines_of(self._pieces(response), count):
                        result["deal"] += first
                        yield result
            except ServiceError as error:
                raise _numbered(error, first) from error.__cause__

    @answered
    async def auctions_frame(
        self,
        deals: Iterable[Deal],
        *,
        deals_a_request: int = 10_000,
        **options: Unpack[options_of.AuctionsOptions],
    ) -> "pl.DataFrame":
        """Ask for auctions as a Polars frame, a row for each (mode ``first``: for each deal)."""
        import polars as pl

        frames = []
        for first, _, question in _parts_of(deals, deals_a_request, options, _ARROW):
            try:
                async with self._answer(question) as response:
                    body = await self._read(response)
                    if response.headers.get("Content-Type", "") != _ARROW:
                        raise _of_others(response)
                    frame = pl.read_ipc_stream(io.BytesIO(body))
            except ServiceError as error:
                raise _numbered(error, first) from error.__cause__
            number = pl.col("deal") + pl.lit(first, pl.UInt32)
            frames.append(frame.with_columns(number.cast(pl.UInt32)))
        return pl.concat(frames) if frames else pl.DataFrame()

    @operation
    def themes(self) -> Question[answers.ThemesAnswer]:
        """Ask for the themes for practice."""
        return Question("GET", "/v1/themes")

    @_listed
    async def leads_refined(
        self, hand: str, auction: Calls | None = None, **options: Unpack[options_of.LeadsOptions]
    ) -> AsyncIterator[answers.LeadsAnswer]:
        """Compare leads: a first answer from few layouts, then better ones up to the last."""
        async with self._answer(_leads(hand, auction, options, _JSON_LINES)) as response:
            async for answer in _lines_of(self._pieces(response)):
                yield answer

    @operation
    def tables(self) -> Question[answers.TablesAnswer]:
        """List all tables, the default one first."""
        return Question("GET", "/v1/tables")

    @operation
    def table(self, name: str) -> Question[answers.TableAnswer]:
        """Tell about one table."""
        return Question("GET", _path("tables", name))

    @operation
    def next(self, auction: Calls, table: str) -> Question[answers.NextAnswer]:
        """List the calls that may follow an auction in a table, with their meanings."""
        params = {"auction": "-".join(calls_of(auction))}
        return Question("GET", _path("tables", table, "next"), params)

    @operation
    def explain(
        self, auction: Calls, table: str, **options: Unpack[options_of.ExplainOptions]
    ) -> Question[answers.ExplainAnswer]:
        """Tell what every call of an auction has shown; only tables of systems say so."""
        params = {"auction": "-".join(calls_of(auction)), **options}
        return Question("GET", _path("tables", table, "explain"), params)

    @operation
    def topics(self, table: str) -> Question[answers.TopicsAnswer]:
        """List the tags and names of a table's calls, with places where they come."""
        return Question("GET", _path("tables", table, "topics"))

    @operation
    def card(self, table: str) -> Question[answers.CardAnswer]:
        """Give the convention card of a table; only tables of systems have one."""
        return Question("GET", _path("tables", table, "card"))

    @operation
    def system(self, table: str) -> Question[answers.SystemAnswer]:
        """Give the system of a table whole: its tree as read, and its files."""
        return Question("GET", _path("tables", table, "system"))

    @operation
    def lint(self, table: str, *, examples: int | None = None) -> Question[answers.LintAnswer]:
        """List what is odd about a table."""
        params = {} if examples is None else {"examples": examples}
        return Question("GET", _path("tables", table, "lint"), params)

    @operation
    def reload(self, table: str) -> Question[answers.ReloadAnswer]:
        """Read a table's files anew; for admins."""
        return Question("POST", _path("tables", table, "reload"))

    @operation
    def archives(self) -> Question[answers.ArchivesAnswer]:
        """List the archives of the service."""
        return Question("GET", "/v1/archives")

    @operation
    def archive(self, name: str) -> Question[answers.ArchiveAnswer]:
        """Tell about one archive; boards come into it by ``submit(…, mode="archive")``."""
        return Question("GET", _path("archives", name))

    @operation
    def archive_boards(
        self, name: str, auction: Calls = "", **options: Unpack[options_of.ArchiveBoardsOptions]
    ) -> Question[answers.ArchiveBoardsAnswer]:
        """Find boards of an archive by auction or pattern, hands, players and results."""
        params = _archive_params(auction, options)
        return Question("GET", _path("archives", name, "boards"), params)

    @answered
    async def download_boards(
        self,
        name: str,
        to: str | PathLike[str],
        auction: Calls = "",
        **options: Unpack[options_of.ArchiveBoardsOptions],
    ) -> Path:
        """Write boards of an archive to a file ending in ``.lin``, ``.pbn`` or ``.parquet``."""
        target = Path(to)
        form = target.suffix.lower().removeprefix(".")
        params = {**_archive_params(auction, options), "format": form}
        return await self._write(target, _path("archives", name, "boards"), params)

    @operation
    def archive_counts(
        self, name: str, auction: Calls = "", **options: Unpack[options_of.ArchiveCountsOptions]
    ) -> Question[answers.ArchiveCountAnswer]:
        """Count the boards of an archive that conditions hold for."""
        params = _archive_params(auction, options)
        return Question("GET", _path("archives", name, "counts"), params)

    @operation
    def archive_nodes(
        self, name: str, auction: Calls = "", *, by: str = "own", statistics: bool = False
    ) -> Question[answers.ArchiveNodeAnswer]:
        """List the calls that follow an auction in an archive, the commonest first."""
        params = _archive_params(auction, {"by": by, "statistics": statistics})
        return Question("GET", _path("archives", name, "nodes"), params)

    @operation
    def delete_archive(self, name: str) -> Question[answers.ArchiveRemovedAnswer]:
        """Remove an archive with all its files; for admins."""
        return Question("DELETE", _path("archives", name))

    @answered
    async def submit(
        self,
        file: str | PathLike[str] | BinaryIO,
        /,
        *,
        name: str | None = None,
        **options: Unpack[options_of.JobOptions],
    ) -> answers.JobAnswer:
        """Begin a job with an archive of this machine; for admins.

        Parameters
        ----------
        file : path or binary file
            Deals in a format that the service reads, plain, with gzip or several in a zip file;
            sent a piece at a time.
        name : str, optional
            What deals are named after; else the file's name.
        **options
            ``mode``, ``beside``, ``archive``, ``completed_only``, ``limit``, ``max_depth``,
            ``text``, ``result``, ``table``.
        """
        with ExitStack() as stack:
            if isinstance(file, str | PathLike):
                name = name or Path(file).name
                file = stack.enter_context(Path(file).open("rb"))
            params: dict[str, Any] = {
                name: ",".join(value) if isinstance(value, list) else value
                for name, value in options.items()
                if value is not None
            }
            params["name"] = name or "upload"
            question = Question[answers.JobAnswer]("POST", "/v1/jobs", params, archive=file)
            return await self._json(question)

    @operation
    def submit_path(
        self, path: str, **options: Unpack[options_of.JobOptions]
    ) -> Question[answers.JobAnswer]:
        """Begin a job about files below the service's ``jobs_root``; for admins."""
        return Question("POST", "/v1/jobs", body={"path": path, **options})

    @_listed
    async def jobs(self) -> AsyncIterator[answers.JobAnswer]:
        """List all jobs, the newest first."""
        params: dict[str, str | int | bool] = {"limit": 100}
        while True:
            page = await self._json(Question[answers.JobsAnswer]("GET", "/v1/jobs", params))
            for job in page["jobs"]:
                yield job
            if page["next"] is None:
                return
            params["next"] = page["next"]

    @operation
    def job(self, job_id: str) -> Question[answers.JobAnswer]:
        """Tell how far a job is."""
        return Question("GET", _path("jobs", job_id))

    @answered
    async def wait(
        self,
        job_id: str,
        *,
        progress: Callable[[answers.JobAnswer], object] | None = None,
        every_s: float = 1.0,
        timeout_s: float | None = None,
    ) -> answers.JobAnswer:
        """Wait until a job has ended; its ``state`` tells how.

        Parameters
        ----------
        job_id : str
        progress : callable, optional
            Called with the job each time it was asked for.
        every_s : float
            Seconds from one question to the next.
        timeout_s : float, optional
            Give up after so many seconds (``kind`` is ``timeout``); the job goes on.
        """
        begin = time.monotonic()
        while True:
            job = await self._json(Question[answers.JobAnswer]("GET", _path("jobs", job_id)))
            if progress is not None:
                progress(job)
            if job["state"] in _ENDS:
                return job
            if timeout_s is not None and time.monotonic() - begin + every_s > timeout_s:
                detail = f"expected job {job['id']} to end within {timeout_s:g} s, it is "
                raise ServiceError(0, "timeout", detail + job["state"])
            await self._sleep(every_s)

    @answered
    async def download(self, job_id: str, name: str, to: str | PathLike[str] = ".") -> Path:
        """Write a file of a job to a file or into a folder; nothing is left of one cut off."""
        target = Path(to)
        if target.is_dir():
            # the name is the service's: nothing but its last part is used
            target /= Path(name).name
        return await self._write(target, _path("jobs", job_id, "results", name), {})

    async def _write(self, target: Path, path: str, params: Mapping[str, Any]) -> Path:
        part = target.with_name(f"{target.name}.part")
        question = Question[Any]("GET", path, params, accept=f"{_ARCHIVE}, */*")
        async with self._answer(question) as response:
            try:
                with part.open("wb") as file:
                    async for piece in self._pieces(response):
                        await self._work(file.write, piece)
                part.replace(target)
            finally:
                part.unlink(missing_ok=True)
        return target

    @operation
    def cancel(self, job_id: str) -> Question[answers.JobAnswer | None]:
        """Cancel a job that waits or runs; remove one that has ended (None). For admins."""
        return Question("DELETE", _path("jobs", job_id))

    @operation
    def health(self) -> Question[answers.HealthAnswer]:
        """Tell that the process is there."""
        return Question("GET", "/healthz")

    @operation
    def ready(self) -> Question[answers.ReadyAnswer]:
        """Tell that the service answers right; raises while it is loading or stopping."""
        return Question("GET", "/readyz")

    @answered
    async def metrics(self) -> str:
        """Ask for the numbers that Prometheus reads."""
        async with self._answer(Question("GET", "/metrics", accept="*/*")) as response:
            return (await self._read(response)).decode()


class Client(_Questions[httpx.BaseTransport], AtOnce):
    """Asks a running service; answers are the API's own objects, as typed dictionaries.

    Every method raises :class:`ServiceError` where the service answers with a problem or not at
    all. Options that are not given are the service's defaults. Threads may share a client.

    Parameters
    ----------
    base_url : str, optional
        Address of the service; else the variable ``BIDCASCADE_URL``, else
        ``http://127.0.0.1:8000``.
    api_key : str, optional
        Else the variable ``BIDCASCADE_API_KEY``, else none is sent.
    timeout_s : float
        Longest wait for an answer, or for the next part of a long one.
    retries : Retries or None
        When to ask again; None never does.
    transport : httpx.BaseTransport, optional
        What carries the requests, as for tests.

    Examples
    --------
    >>> def service(request: httpx.Request) -> httpx.Response:
    ...     return httpx.Response(200, json={"call": "2D", "forced": True})
    >>> with Client(transport=httpx.MockTransport(service)) as client:
    ...     client.bid("AQ4.KJ3.K876.Q52", "1N P 2C P")["call"]
    '2D'
    """

    _connection = httpx.Client

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    async def _send(self, request: httpx.Request) -> httpx.Response:
        response: httpx.Response = self._http.send(request, stream=True)
        return response

    async def _read(self, response: httpx.Response) -> bytes:
        return response.read()

    async def _pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        for piece in response.iter_bytes():
            yield piece

    async def _leave(self, response: httpx.Response) -> None:
        response.close()

    async def _sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def _work(self, function: Callable[..., _Answer], *given: Any) -> _Answer:
        return function(*given)

    def _sent(self, archive: BinaryIO) -> Iterator[bytes]:
        return iter(partial(archive.read, _PIECE), b"")


class AsyncClient(_Questions[httpx.AsyncBaseTransport], Awaited):
    """The client for ``asyncio``: the methods of :class:`Client`, awaited; tasks may share it.

    Parameters and errors are those of :class:`Client`; ``transport`` is an
    ``httpx.AsyncBaseTransport``.

    Examples
    --------
    >>> def service(request: httpx.Request) -> httpx.Response:
    ...     return httpx.Response(200, json={"call": "2D", "forced": True})
    >>> async def ask() -> str:
    ...     async with AsyncClient(transport=httpx.MockTransport(service)) as client:
    ...         return (await client.bid("AQ4.KJ3.K876.Q52", "1N P 2C P"))["call"]
    >>> asyncio.run(ask())
    '2D'
    """

    _connection = httpx.AsyncClient

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _send(self, request: httpx.Request) -> httpx.Response:
        response: httpx.Response = await self._http.send(request, stream=True)
        return response

    async def _read(self, response: httpx.Response) -> bytes:
        return await response.aread()

    def _pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        return response.aiter_bytes()

    async def _leave(self, response: httpx.Response) -> None:
        await response.aclose()

    async def _sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _work(self, function: Callable[..., _Answer], *given: Any) -> _Answer:
        return await asyncio.to_thread(function, *given)

    async def _sent(self, archive: BinaryIO) -> AsyncIterator[bytes]:
        while piece := await asyncio.to_thread(archive.read, _PIECE):
            yield piece
