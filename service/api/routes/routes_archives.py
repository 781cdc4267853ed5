"""``/v1/archives``: boards of archives by auction, hands, players and results."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Final, TypeVar

import polars as pl
from fastapi import APIRouter, Depends, Request, Response
from fastapi import Path as InPath

from bidcascade.bridge import format_calls
from bidcascade.engine.archive.archive import Archive
from bidcascade.engine.archive.board_search import count_boards, find_boards, next_calls
from bidcascade.engine.archive.writing import board_dicts, with_bids
from bidcascade.engine.questions.archives import (
    MOST_LISTED,
    ArchiveBoardsAnswer,
    ArchiveCallAnswer,
    ArchiveCountAnswer,
    ArchiveNodeAnswer,
    ArchiveRemovedAnswer,
    BoardConditions,
    BoardsQuestion,
    NodeQuestion,
)
from bidcascade.engine.runs.deal_files import deal_sink
from bidcascade.service.api.http.answering import JSON, accepted, json_bytes
from bidcascade.service.api.http.authentication import AdminOnly
from bidcascade.service.api.http.downloads import file_answer
from bidcascade.service.api.http.limits import client_of
from bidcascade.service.api.http.openapi import route
from bidcascade.service.api.http.problems import Problem, check_query, complaint
from bidcascade.service.api.http.queries import query_of
from bidcascade.service.api.shared.work import AppState
from bidcascade.service.jobs.data_folder import folder_size
from bidcascade.service.jobs.results import MEDIA_TYPES as RESULT_MEDIA_TYPES
from bidcascade.systems.words.auction_patterns import read_auction
from bidcascade.workshop.boards.archive_statistics import statistics

router = APIRouter(tags=["archives"])

_Result = TypeVar("_Result")

ArchiveInPath = Annotated[str, InPath(description="Name of an archive.", examples=["club"])]
_ARCHIVE_PROBLEMS: Final = (401, 404, 406, 413, 422, 429, 500, 503, 504)
_FRESH: Final = {"Cache-Control": "no-store"}
_PIECE: Final = 10_000
"""Boards that are written to a file at a time."""
MEDIA_TYPES: Final = {
    "lin": "application/x-lin",
    "pbn": RESULT_MEDIA_TYPES[".pbn"],
    "parquet": RESULT_MEDIA_TYPES[".parquet"],
}


@route(router, "archives", 401, 406, 422, 429, 500, 503, 504)
async def archives(request: Request) -> Response:
    """List the archives of the service; boards come into them by jobs of mode `archive`."""
    work: AppState = request.app.state.own
    check_query(request)
    accepted(request, [JSON])
    return _answer(json_bytes(await _in_thread(work, request, work.archives.all)))


@route(router, "archive", 401, 404, 406, 422, 429, 500, 503, 504)
async def archive(request: Request, name: ArchiveInPath) -> Response:
    """Describe an archive in numbers: boards, files, who bids it, bytes."""
    check_query(request)
    accepted(request, [JSON])
    return await _json(request, name, Archive.summary)


@route(
    router,
    "archiveBoards",
    *_ARCHIVE_PROBLEMS,
    content={
        media_type: {"schema": {"type": "string", "format": "binary"}}
        for media_type in MEDIA_TYPES.values()
    },
)
async def archive_boards(
    request: Request,
    name: ArchiveInPath,
    question: Annotated[BoardsQuestion, Depends(query_of(BoardsQuestion))],
) -> Response:
    """Find boards by auction, hands, players and results; also by chance, or in equal shares."""
    work: AppState = request.app.state.own
    is_file = question.format != "json"
    most = work.settings.max_request_deals if is_file else MOST_LISTED
    if question.limit > most:
        setting = " (setting max_request_deals)" if is_file else "; files may have more"
        reason = f"expected at most {most:,}{setting}"
        raise Problem(
            "limit-exceeded",
            f"limit: {reason}, got {question.limit:,}",
            [complaint("limit", question.limit, reason)],
        )
    if not is_file:
        accepted(request, [JSON])
        return await _json(request, name, partial(_boards, question))
    media_type = MEDIA_TYPES[question.format]
    accepted(request, [media_type, "application/octet-stream"])
    return await _answered(request, name, partial(_file, question, work, media_type))


@route(router, "archiveCounts", *_ARCHIVE_PROBLEMS)
async def archive_counts(
    request: Request,
    name: ArchiveInPath,
    question: Annotated[BoardConditions, Depends(query_of(BoardConditions))],
) -> Response:
    """Count the boards that conditions hold for."""
    accepted(request, [JSON])

    def count(archive: Archive) -> ArchiveCountAnswer:
        return ArchiveCountAnswer(total=count_boards(archive, question))

    return await _json(request, name, count)


@route(router, "archiveNodes", *_ARCHIVE_PROBLEMS)
async def archive_nodes(
    request: Request,
    name: ArchiveInPath,
    question: Annotated[NodeQuestion, Depends(query_of(NodeQuestion))],
) -> Response:
    """Tell which calls follow an auction, and how often; `statistics` tells more of its boards."""
    accepted(request, [JSON])
    return await _json(request, name, partial(_node, question))


@route(router, "archiveDelete", 401, 403, 404, 406, 409, 422, 429, 500, 503, 504)
async def archive_delete(request: Request, name: ArchiveInPath, allowed: AdminOnly) -> Response:
    """Remove an archive, unless somebody is writing to it. For admins."""
    work: AppState = request.app.state.own
    check_query(request)
    accepted(request, [JSON])
    removed = await _in_thread(work, request, partial(work.archives.remove, name))
    return _answer(json_bytes(ArchiveRemovedAnswer(removed=removed)))


def _boards(question: BoardsQuestion, archive: Archive) -> ArchiveBoardsAnswer:
    total, boards = _found(question, archive)
    return ArchiveBoardsAnswer(total=total, boards=tuple(board_dicts(boards)))


def _found(question: BoardsQuestion, archive: Archive) -> tuple[int | None, pl.DataFrame]:
    found = find_boards(archive, question)
    return found.total, with_bids(found.boards) if question.bids else found.boards


def _file(question: BoardsQuestion, work: AppState, media_type: str, archive: Archive) -> Response:
    """Boards as a file, which is gone from the disk when it has been sent."""
    _, boards = _found(question, archive)
    most = work.settings.max_download_bytes
    with tempfile.TemporaryDirectory(prefix="bidcascade-") as folder:
        path = Path(folder) / f"boards.{question.format}"

        def check_size() -> None:
            if folder_size(Path(folder)) > most:
                reason = f"expected a file of at most {most:,} bytes (setting max_download_bytes)"
                raise Problem("limit-exceeded", f"{reason}: ask for fewer boards (limit)")

        with deal_sink(str(path)) as write:
            for start in range(0, max(1, boards.height), _PIECE):
                write(boards.slice(start, _PIECE))
                check_size()
        check_size()
        return file_answer(
            path,
            name=f"{archive.name}-boards.{question.format}",
            media_type=media_type,
            timeout_s=work.timeout_s,
        )


def _node(question: NodeQuestion, archive: Archive) -> ArchiveNodeAnswer:
    following = next_calls(archive, question)
    auction = read_auction(question.auction).prefix
    text = format_calls(auction)
    boards = count_boards(archive, BoardConditions(auction=text, by=question.by))
    row = None
    if question.statistics and boards:
        nodes = statistics(archive, text, question.by, least=1, max_depth=len(auction))
        row = nodes.filter(auction=text).row(0, named=True)
    return ArchiveNodeAnswer(
        auction=text,
        boards=boards,
        next=tuple(ArchiveCallAnswer(call=call, boards=count) for call, count in following),
        statistics=row,
    )


def _answer(content: bytes) -> Response:
    return Response(content, media_type=JSON, headers=_FRESH)


async def _json(request: Request, name: str, answer: Callable[[Archive], object]) -> Response:
    # thousands of boards are written where they were found, in the thread
    return _answer(await _answered(request, name, lambda archive: json_bytes(answer(archive))))


async def _answered(request: Request, name: str, answer: Callable[[Archive], _Result]) -> _Result:
    """Ask an archive, in a thread of those for archives."""
    work: AppState = request.app.state.own

    def task() -> _Result:
        with work.archives.opened(name) as archive:
            return answer(archive)

    return await _in_thread(work, request, task)


async def _in_thread(work: AppState, request: Request, task: Callable[[], _Result]) -> _Result:
    with work.slots.taken(client_of(request)):
        return await work.run(task, limiter=work.archive_threads)
