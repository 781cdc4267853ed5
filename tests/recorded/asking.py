"""Asks the application in this process, one request after the other."""

import asyncio
import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx

from .answers import LEFT_OUT, body_text, cleaned, shape
from .inputs import SYSTEMS, write_archives
from .requests import Request, all_requests

_LONG_MS = 600_000
_SHAPE_ALONE = {"health", "ready", "metrics"}


def record_requests(
    folder: Path, only: Set[str] = frozenset(), *, systems: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Ask all requests; a line of the record for each."""
    from bidcascade.engine.settings import Settings
    from bidcascade.service.api.app import create_app

    write_archives(folder)
    tables = {name: systems.get(name, folder / f"{name}.bidding") for name in SYSTEMS}
    settings = Settings(
        table=f"home={tables['home']}",
        extra_tables=f"away={tables['away']},rows={folder / 'rows.jsonl'}",
        backend="cpu",
        request_timeout_ms=_LONG_MS,
        receive_timeout_ms=_LONG_MS,
        slow_request_ms=0,
        dd_workers=1,
        max_running_jobs=1,
        data_folder=str(folder / "data"),
        archives_folder=str(folder / "archives"),
        jobs_root=str(folder / "root"),
        log_level="critical",
    )
    app = create_app(settings, warm_up=False)
    # jobs and archives know of each other
    connected = ("job", "archive")
    wanted = tuple(only) + (connected if any(one.startswith(connected) for one in only) else ())
    requests = [
        one for one in all_requests(systems) if not only or one.operation.startswith(wanted)
    ]
    for line in _run(app, requests, folder):
        if not only or line["operation"] in only:
            yield line


def _run(app: Any, requests: list[Request], folder: Path) -> Iterator[dict[str, Any]]:
    with asyncio.Runner() as runner:
        context = app.router.lifespan_context(app)
        runner.run(context.__aenter__())
        try:
            from bidcascade.service.api.in_process import until_loaded

            runner.run(until_loaded(app))
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            client = httpx.AsyncClient(transport=transport, base_url="http://localhost")
            jobs: list[str] = []
            for request in requests:
                start = perf_counter()
                answer = runner.run(_ask(client, request, jobs))
                yield {**_line(request, answer, folder, jobs), "took": perf_counter() - start}
            runner.run(client.aclose())
        finally:
            runner.run(context.__aexit__(None, None, None))


async def _ask(client: httpx.AsyncClient, request: Request, jobs: list[str]) -> httpx.Response:
    path = re.sub(r"\{job:(\d+)\}", lambda found: jobs[int(found[1])], request.path)
    while True:
        # a path is sent as it is written, as bad ones are asked too
        url = httpx.URL("http://localhost").copy_with(raw_path=path.replace(" ", "%20").encode())
        headers = {"accept": "*/*", **request.headers}
        answer = await client.request(request.method, url, content=request.content, headers=headers)
        if (
            request.wait
            and answer.status_code == 200
            and answer.json()["state"] in ("queued", "running")
        ):
            await asyncio.sleep(0.02)
            continue
        if request.operation == "jobCreate" and answer.status_code == 202:
            jobs.append(answer.json()["id"])
        return answer


def _line(
    request: Request, answer: httpx.Response, folder: Path, jobs: list[str]
) -> dict[str, Any]:
    kind = answer.headers.get("content-type", "")
    names = {
        **{job: f"{{job:{number}}}" for number, job in enumerate(jobs)},
        str(folder): LEFT_OUT,
        str(folder.parent): LEFT_OUT,
    }
    body = body_text(kind, answer.content, names)
    if request.operation in _SHAPE_ALONE:
        body = shape(body)
    return {
        "operation": request.operation,
        "request": cleaned(request.described(), names),
        "status": answer.status_code,
        "kind": kind,
        "body": body,
    }
