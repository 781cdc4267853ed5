"""The client for plain Python."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
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


class Client:
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

    def __init__(
        self,
        base_url: str | None = None,
        *,
        api_key: str | None = None,
        timeout_s: float = 60,
        retries: Retries | None = USUAL_RETRIES,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        url, headers, timeout = settings_of(base_url, api_key, timeout_s)
        self._retries = retries
        self._http = httpx.Client(
            base_url=url, headers=headers, timeout=timeout, transport=transport
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    @contextmanager
    def _answer(self, question: Question[Any]) -> Iterator[httpx.Response]:
        """Answer whose body is still to be read; asked again where that may help."""
        outgoing = Outgoing(question, self._retries)
        try:
            while True:
                request = outgoing.request_to(self._http, questions.pieces_of)
                response = self._http.send(request, stream=True)
                try:
                    if response.is_success:
                        yield response
                        return
                    response.read()
                finally:
                    response.close()
                time.sleep(outgoing.wait(error_of(response)))
        except httpx.RequestError as error:
            raise no_answer(error, self._http.base_url) from error

    def _json(self, question: Question[_Answer]) -> _Answer:
        with self._answer(question) as response:
            response.read()
            # a removed job is answered without a body
            answer: _Answer = json.loads(response.content or b"null")
            return answer

    def auctions(
        self,
        deals: Iterable[Deal],
        *,
        deals_a_request: int = 10_000,
        **options: Unpack[AuctionsOptions],
    ) -> Iterator[NumberedResult]:
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
            with self._answer(questions.auctions(part, options, JSON_LINES)) as response:
                for piece in response.iter_bytes():
                    for line in lines.of(piece):
                        line["deal"] += first
                        yield line
            lines.check()
            first += len(part)

    def auctions_frame(
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
            with self._answer(questions.auctions(part, options, ARROW)) as response:
                parts.append((first, response.read()))
            first += len(part)
        return frame_of(parts)

    def bid(self, hand: str, auction: Calls = (), **options: Unpack[BidOptions]) -> BidAnswer:
        """Ask for the call of a hand after an auction, and why each candidate holds or not."""
        return self._json(questions.bid(hand, auction, options))

    def interpret(self, auction: Calls, **options: Unpack[InterpretOptions]) -> InterpretAnswer:
        """Tell what an auction has shown of all four hands."""
        return self._json(questions.interpret(auction, options))

    def layouts(self, auction: Calls, **options: Unpack[LayoutsOptions]) -> LayoutsAnswer:
        """Ask for deals that fit an auction."""
        return self._json(questions.layouts(auction, options))

    def leads(
        self, hand: str, auction: Calls | None = None, **options: Unpack[LeadsOptions]
    ) -> LeadsAnswer:
        """Compare opening leads against an auction, or against the option ``contract``."""
        return self._json(questions.leads(hand, auction, options))

    def leads_refined(
        self, hand: str, auction: Calls | None = None, **options: Unpack[LeadsOptions]
    ) -> Iterator[LeadsAnswer]:
        """Compare leads: a first answer from few layouts, then better ones up to the last."""
        lines = Lines()
        with self._answer(questions.leads(hand, auction, options, JSON_LINES)) as response:
            for piece in response.iter_bytes():
                yield from lines.of(piece)
        lines.check()

    def tables(self) -> TablesAnswer:
        """List all tables, the default one first."""
        return self._json(questions.tables())

    def table(self, name: str) -> TableAnswer:
        """Tell about one table."""
        return self._json(questions.table(name))

    def next(self, auction: Calls, table: str) -> NextAnswer:
        """List the calls that may follow an auction in a table, with their meanings."""
        return self._json(questions.next_calls(auction, table))

    def explain(self, auction: Calls, table: str) -> ExplainAnswer:
        """Tell what every call of an auction has shown; only tables of systems say so."""
        return self._json(questions.explain(auction, table))

    def lint(self, table: str, *, examples: int | None = None) -> LintAnswer:
        """List what is odd about a table."""
        return self._json(questions.lint(table, examples))

    def reload(self, table: str) -> ReloadAnswer:
        """Read a table's files anew; for admins."""
        return self._json(questions.reload(table))

    def submit(
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
                return self.submit(file, name=name or Path(archive).name, **options)
        return self._json(questions.upload(archive, name or "upload", options))

    def submit_path(self, path: str, **options: Unpack[JobOptions]) -> JobAnswer:
        """Begin a job about files below the service's ``jobs_root``; for admins."""
        return self._json(questions.job_of_path(path, options))

    def jobs(self) -> Iterator[JobAnswer]:
        """List all jobs, the newest first."""
        following: str | None = None
        while True:
            page = self._json(questions.jobs(following))
            yield from page["jobs"]
            following = page["next"]
            if following is None:
                return

    def job(self, job_id: str) -> JobAnswer:
        """Tell how far a job is."""
        return self._json(questions.job(job_id))

    def wait(
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
            job = self.job(job_id)
            if progress is not None:
                progress(job)
            if job["state"] in ENDS:
                return job
            if timeout_s is not None and time.monotonic() - begin + every_s > timeout_s:
                raise job_timeout(job, timeout_s)
            time.sleep(every_s)

    def download(self, job_id: str, name: str, to: str | PathLike[str] = ".") -> Path:
        """Write a file of a job to a file or into a folder; nothing is left of one cut off."""
        target = target_of(to, name)
        part = target.with_name(f"{target.name}.part")
        with self._answer(questions.job_file(job_id, name)) as response:
            try:
                with part.open("wb") as file:
                    for piece in response.iter_bytes():
                        file.write(piece)
                part.replace(target)
            finally:
                part.unlink(missing_ok=True)
        return target

    def cancel(self, job_id: str) -> JobAnswer | None:
        """Cancel a job that waits or runs; remove one that has ended (None). For admins."""
        return self._json(questions.delete_job(job_id))

    def health(self) -> HealthAnswer:
        """Tell that the process is there."""
        return self._json(questions.health())

    def ready(self) -> ReadyAnswer:
        """Tell that the service answers right; raises while it is loading or stopping."""
        return self._json(questions.ready())

    def metrics(self) -> str:
        """Ask for the numbers that Prometheus reads."""
        with self._answer(questions.metrics()) as response:
            return response.read().decode()
