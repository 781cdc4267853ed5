"""The client for ``asyncio``: the same questions as :class:`Client`, awaited."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TypeVar, Unpack

import httpx

from bidcascade.service.client import questions
from bidcascade.service.client.answer_types import (
    BidAnswer,
    ExplainAnswer,
    HealthAnswer,
    InterpretAnswer,
    JobAnswer,
    LayoutsAnswer,
    LeadsAnswer,
    LintAnswer,
    NextAnswer,
    ReadyAnswer,
    ReloadAnswer,
    TableAnswer,
    TablesAnswer,
)
from bidcascade.service.client.connection import (
    ENDS,
    USUAL_RETRIES,
    Lines,
    Outgoing,
    Retries,
    frame_of,
    job_timeout,
    settings_of,
    target_of,
)
from bidcascade.service.client.errors import error_of, no_answer
from bidcascade.service.client.option_types import (
    AuctionsOptions,
    BidOptions,
    InterpretOptions,
    JobOptions,
    LayoutsOptions,
    LeadsOptions,
)
from bidcascade.service.client.questions import (
    ARROW,
    JSON_LINES,
    Calls,
    Deal,
    NumberedResult,
    Question,
)

if TYPE_CHECKING:
    import polars as pl

_Answer = TypeVar("_Answer")


class AsyncClient:
    """Asks a running service; answers are the API's own objects, as typed dictionaries.

    Every method raises :class:`ServiceError` where the service answers with a problem or not at
    all. Options that are not given are the service's defaults. Tasks may share a client.

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
    transport : httpx.AsyncBaseTransport, optional
        What carries the requests, as for tests.

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

    def __init__(
        self,
        base_url: str | None = None,
        *,
        api_key: str | None = None,
        timeout_s: float = 60,
        retries: Retries | None = USUAL_RETRIES,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        url, headers, timeout = settings_of(base_url, api_key, timeout_s)
        self._retries = retries
        self._http = httpx.AsyncClient(
            base_url=url, headers=headers, timeout=timeout, transport=transport
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    @asynccontextmanager
    async def _answer(self, question: Question[Any]) -> AsyncIterator[httpx.Response]:
        """Answer whose body is still to be read; asked again where that may help."""
        outgoing = Outgoing(question, self._retries)
        try:
            while True:
                request = outgoing.request_to(self._http, _pieces)
                response = await self._http.send(request, stream=True)
                try:
                    if response.is_success:
                        yield response
                        return
                    await response.aread()
                finally:
                    await response.aclose()
                await asyncio.sleep(outgoing.wait(error_of(response)))
        except httpx.RequestError as error:
            raise no_answer(error, self._http.base_url) from error

    async def _json(self, question: Question[_Answer]) -> _Answer:
        async with self._answer(question) as response:
            await response.aread()
            # a removed job is answered without a body
            answer: _Answer = json.loads(response.content or b"null")
            return answer

    async def auctions(
        self,
        deals: Iterable[Deal],
        *,
        deals_a_request: int = 10_000,
        **options: Unpack[AuctionsOptions],
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
        first = 0
        for part in questions.parts_of(deals, deals_a_request):
            lines = Lines(len(part))
            async with self._answer(questions.auctions(part, options, JSON_LINES)) as response:
                async for piece in response.aiter_bytes():
                    for line in lines.of(piece):
                        line["deal"] += first
                        yield line
            lines.check()
            first += len(part)

    async def auctions_frame(
        self,
        deals: Iterable[Deal],
        *,
        deals_a_request: int = 10_000,
        **options: Unpack[AuctionsOptions],
    ) -> "pl.DataFrame":
        """Ask for auctions as a Polars frame, a row for each (mode ``first``: for each deal)."""
        parts: list[tuple[int, bytes]] = []
        first = 0
        for part in questions.parts_of(deals, deals_a_request):
            async with self._answer(questions.auctions(part, options, ARROW)) as response:
                parts.append((first, await response.aread()))
            first += len(part)
        return frame_of(parts)

    async def bid(self, hand: str, auction: Calls = (), **options: Unpack[BidOptions]) -> BidAnswer:
        """Ask for the call of a hand after an auction, and why each candidate holds or not."""
        return await self._json(questions.bid(hand, auction, options))

    async def interpret(
        self, auction: Calls, **options: Unpack[InterpretOptions]
    ) -> InterpretAnswer:
        """Tell what an auction has shown of all four hands."""
        return await self._json(questions.interpret(auction, options))

    async def layouts(self, auction: Calls, **options: Unpack[LayoutsOptions]) -> LayoutsAnswer:
        """Ask for deals that fit an auction."""
        return await self._json(questions.layouts(auction, options))

    async def leads(
        self, hand: str, auction: Calls | None = None, **options: Unpack[LeadsOptions]
    ) -> LeadsAnswer:
        """Compare opening leads against an auction, or against the option ``contract``."""
        return await self._json(questions.leads(hand, auction, options))

    async def leads_refined(
        self, hand: str, auction: Calls | None = None, **options: Unpack[LeadsOptions]
    ) -> AsyncIterator[LeadsAnswer]:
        """Compare leads: a first answer from few layouts, then better ones up to the last."""
        lines = Lines()
        async with self._answer(questions.leads(hand, auction, options, JSON_LINES)) as response:
            async for piece in response.aiter_bytes():
                for line in lines.of(piece):
                    yield line
        lines.check()

    async def tables(self) -> TablesAnswer:
        """List all tables, the default one first."""
        return await self._json(questions.tables())

    async def table(self, name: str) -> TableAnswer:
        """Tell about one table."""
        return await self._json(questions.table(name))

    async def next(self, auction: Calls, table: str) -> NextAnswer:
        """List the calls that may follow an auction in a table, with their meanings."""
        return await self._json(questions.next_calls(auction, table))

    async def explain(self, auction: Calls, table: str) -> ExplainAnswer:
        """Tell what every call of an auction has shown; only tables of systems say so."""
        return await self._json(questions.explain(auction, table))

    async def lint(self, table: str, *, examples: int | None = None) -> LintAnswer:
        """List what is odd about a table."""
        return await self._json(questions.lint(table, examples))

    async def reload(self, table: str) -> ReloadAnswer:
        """Read a table's files anew; for admins."""
        return await self._json(questions.reload(table))

    async def submit(
        self,
        archive: str | PathLike[str] | BinaryIO,
        *,
        name: str | None = None,
        **options: Unpack[JobOptions],
    ) -> JobAnswer:
        """Begin a job with an archive of this machine; for admins.

        Parameters
        ----------
        archive : path or binary file
            LIN, PBN, hands or Parquet, plain, with gzip or several in a zip file; sent a piece
            at a time.
        name : str, optional
            What deals are named after; else the file's name.
        **options
            ``mode``, ``completed_only``, ``text``, ``result``, ``table``.
        """
        if isinstance(archive, str | PathLike):
            with Path(archive).open("rb") as file:
                return await self.submit(file, name=name or Path(archive).name, **options)
        return await self._json(questions.upload(archive, name or "upload", options))

    async def submit_path(self, path: str, **options: Unpack[JobOptions]) -> JobAnswer:
        """Begin a job about files below the service's ``jobs_root``; for admins."""
        return await self._json(questions.job_of_path(path, options))

    async def jobs(self) -> AsyncIterator[JobAnswer]:
        """List all jobs, the newest first."""
        following: str | None = None
        while True:
            page = await self._json(questions.jobs(following))
            for job in page["jobs"]:
                yield job
            following = page["next"]
            if following is None:
                return

    async def job(self, job_id: str) -> JobAnswer:
        """Tell how far a job is."""
        return await self._json(questions.job(job_id))

    async def wait(
        self,
        job_id: str,
        *,
        progress: Callable[[JobAnswer], object] | None = None,
        every_s: float = 1.0,
        timeout_s: float | None = None,
    ) -> JobAnswer:
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
            job = await self.job(job_id)
            if progress is not None:
                progress(job)
            if job["state"] in ENDS:
                return job
            if timeout_s is not None and time.monotonic() - begin + every_s > timeout_s:
                raise job_timeout(job, timeout_s)
            await asyncio.sleep(every_s)

    async def download(self, job_id: str, name: str, to: str | PathLike[str] = ".") -> Path:
        """Write a file of a job to a file or into a folder; nothing is left of one cut off."""
        target = target_of(to, name)
        part = target.with_name(f"{target.name}.part")
        async with self._answer(questions.job_file(job_id, name)) as response:
            try:
                with part.open("wb") as file:
                    async for piece in response.aiter_bytes():
                        await asyncio.to_thread(file.write, piece)
                part.replace(target)
            finally:
                part.unlink(missing_ok=True)
        return target

    async def cancel(self, job_id: str) -> JobAnswer | None:
        """Cancel a job that waits or runs; remove one that has ended (None). For admins."""
        return await self._json(questions.delete_job(job_id))

    async def health(self) -> HealthAnswer:
        """Tell that the process is there."""
        return await self._json(questions.health())

    async def ready(self) -> ReadyAnswer:
        """Tell that the service answers right; raises while it is loading or stopping."""
        return await self._json(questions.ready())

    async def metrics(self) -> str:
        """Ask for the numbers that Prometheus reads."""
        async with self._answer(questions.metrics()) as response:
            return (await response.aread()).decode()


async def _pieces(archive: BinaryIO) -> AsyncIterator[bytes]:
    """Archive, a piece at a time, read in a thread."""
    while piece := await asyncio.to_thread(archive.read, questions.PIECE):
        yield piece
