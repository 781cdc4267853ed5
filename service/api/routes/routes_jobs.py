"""``/v1/jobs``: archives that are answered in the background, and files to download."""

import asyncio
import base64
import binascii
import re
import shutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar, cast, get_args

from fastapi import APIRouter, Query, Request, Response
from fastapi import Path as InPath

from bidcascade.bridge import BidcascadeError
from bidcascade.engine.archive.catalogue import check_name
from bidcascade.engine.questions.parts.answer_fields import answer_of
from bidcascade.engine.questions.parts.fields import read_field
from bidcascade.engine.questions.service.jobs import (
    ARCHIVE_TEXT,
    BESIDE_TEXT,
    COMPLETED_TEXT,
    DEPTH_TEXT,
    LIMIT_TEXT,
    MODE_TEXT,
    MOST_BESIDE,
    MOST_LISTED,
    RESULT_TEXT,
    TEXT_TEXT,
    JobAnswer,
    JobMode,
    JobProgress,
    JobRequest,
    JobResult,
    JobsAnswer,
    ResultForm,
)
from bidcascade.loaders.inputs import FORMATS_TEXT
from bidcascade.service.api.http.answering import JSON, accepted, answer_json
from bidcascade.service.api.http.authentication import AdminOnly
from bidcascade.service.api.http.downloads import file_answer
from bidcascade.service.api.http.logs import moment_text
from bidcascade.service.api.http.openapi import body_of, problems, route
from bidcascade.service.api.http.problems import Problem, check_query, field_problem, problem_of
from bidcascade.service.api.http.uploads import (
    FILE_FIELD,
    FORM,
    MEDIA_TYPES,
    receive_form,
    receive_upload,
)
from bidcascade.service.api.shared.loaded_table import check_system
from bidcascade.service.api.shared.work import AppState
from bidcascade.service.jobs.data_folder import DataFolderUnusable
from bidcascade.service.jobs.queue import JobQueue
from bidcascade.service.jobs.results import MEDIA_TYPES as RESULT_MEDIA_TYPES
from bidcascade.service.jobs.results import RESULT_FORMS
from bidcascade.service.jobs.rooted_paths import files_below
from bidcascade.service.jobs.store import Job, QueueFull, StoreFailed
from bidcascade.service.jobs.unpacking import UnpackingLimits, safe_name, unpack

router = APIRouter(tags=["jobs"])

_Result = TypeVar("_Result")

MOST_JOBS: Final = 100
"""Jobs in one answer at most."""

JobInPath = Annotated[str, InPath(description="Id of a job.", examples=["5f0c1d3a9b2e4c77"])]
_ID: Final = re.compile(r"[0-9a-f]{16}")
_TRUTH: Final = {"true": True, "false": False}
_TRUTHS: Final = ("completed_only", "text")
"""Fields of a form that are true or false."""
_NUMBERS: Final = ("limit", "max_depth")
"""Fields of a form that are numbers."""
_LONGEST_NUMBER: Final = len(str(MOST_LISTED))
_FIELDS: Final = ("table", "mode", "beside", "archive", *_TRUTHS, *_NUMBERS, "result", "name")


def _body() -> dict[str, Any]:
    """Body of a new job: a request in JSON, or an archive."""
    body = body_of(JobRequest)
    archive = {
        "type": "string",
        "format": "binary",
        "description": f"Deals as {FORMATS_TEXT}; or packed with gzip, or several files in a zip "
        "file.",
    }
    content: dict[str, Any] = body["requestBody"]["content"]
    content |= {media_type: {"schema": archive} for media_type in MEDIA_TYPES}
    texts = {
        "table": "Name of a bidding table; the default one if not given.",
        "mode": MODE_TEXT,
        "beside": f"{BESIDE_TEXT} Separated by commas.",
        "archive": ARCHIVE_TEXT,
        "completed_only": COMPLETED_TEXT,
        "limit": LIMIT_TEXT,
        "max_depth": DEPTH_TEXT,
        "text": TEXT_TEXT,
        "result": f"{RESULT_TEXT} Separated by commas.",
        "name": "What the archive is called; else the name of the file.",
    }
    properties: dict[str, dict[str, Any]] = {
        name: {"type": "string", "description": text} for name, text in texts.items()
    }
    properties["mode"]["enum"] = list(get_args(JobMode))
    for name in _TRUTHS:
        properties[name]["enum"] = list(_TRUTH)
    content[FORM] = {
        "schema": {
            "type": "object",
            "properties": {FILE_FIELD: archive, **properties},
            "required": [FILE_FIELD],
            "additionalProperties": False,
        }
    }
    return body


@route(
    router,
    "jobCreate",
    400,
    401,
    403,
    404,
    406,
    408,
    413,
    415,
    422,
    429,
    500,
    503,
    507,
    status_code=202,
    openapi_extra=_body(),
)
async def job_create(
    request: Request,
    allowed: AdminOnly,
    *,
    table: Annotated[
        str | None,
        Query(
            description="Name of a bidding table; the default one if not given.", examples=["sayc"]
        ),
    ] = None,
    mode: Annotated[JobMode, Query(description=MODE_TEXT, examples=["first"])] = "first",
    beside: Annotated[
        str,
        Query(description=f"{BESIDE_TEXT} Separated by commas.", examples=[""], max_length=1000),
    ] = "",
    archive: Annotated[
        str | None, Query(description=ARCHIVE_TEXT, examples=["club"], max_length=64)
    ] = None,
    completed_only: Annotated[bool, Query(description=COMPLETED_TEXT, examples=[False])] = False,
    limit: Annotated[
        int | None, Query(description=LIMIT_TEXT, examples=[100], ge=1, le=MOST_LISTED)
    ] = None,
    max_depth: Annotated[
        int | None, Query(description=DEPTH_TEXT, examples=[8], ge=1, le=MOST_LISTED)
    ] = None,
    text: Annotated[bool, Query(description=TEXT_TEXT, examples=[False])] = False,
    result: Annotated[
        str,
        Query(
            description=f"{RESULT_TEXT} Separated by commas.",
            examples=["parquet,pbn"],
            max_length=100,
        ),
    ] = "parquet",
    name: Annotated[
        str,
        Query(
            description="What the archive is called; deals are named after it.",
            examples=["season.zip"],
            max_length=200,
        ),
    ] = "upload",
) -> Response:
    """Answer an archive of any size in the background.

    The body is the archive, and the parameters say what is asked; or a form has the archive as
    `file` and the parameters as fields; or it is JSON about files that lie on the server, with all
    that is asked in it. For admins.
    """
    work: AppState = request.app.state.own
    accepted(request, [JSON])
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type in MEDIA_TYPES:
        check_query(request, *_FIELDS)
        job_request = _job_request(
            table,
            mode,
            _listed(beside),
            archive,
            _listed(result),
            completed_only=completed_only,
            limit=limit,
            max_depth=max_depth,
            text=text,
        )
        doing = await _in_thread(_checked, work, job_request)

        async def receive(path: Path, free: int) -> tuple[dict[str, Any], str]:
            await receive_upload(request, path, **_limits(work, free))
            return doing, name

        job = await _from_upload(work, receive)
    elif media_type == FORM:
        check_query(request)
        # the form is read to its end before it is known what it asks
        await _in_thread(_check_room, work)

        async def receive_fields(path: Path, free: int) -> tuple[dict[str, Any], str]:
            fields, file_name = await receive_form(request, path, **_limits(work, free))
            job_request = _of_form(fields)
            return await _in_thread(_checked, work, job_request), fields.get("name") or file_name

        job = await _from_upload(work, receive_fields)
    elif media_type == JSON or media_type.endswith("+json"):
        check_query(request)
        job_request = await work.question(request, JobRequest)
        job = await _from_path(work, job_request)
    else:
        raise Problem(
            "unsupported-media-type",
            f"expected Content-Type {', '.join((JSON, *MEDIA_TYPES, FORM))}, got {media_type!r}",
        )
    answer = answer_json(
        request,
        described(job),
        headers={"Location": f"/v1/jobs/{job.id}", "Cache-Control": "no-store"},
    )
    answer.status_code = 202
    return answer


def _listed(written: str) -> list[str]:
    return [one.strip() for one in written.split(",") if one.strip()]


def _job_request(
    table: str | None,
    mode: JobMode,
    beside: list[str],
    archive: str | None,
    forms: list[str],
    *,
    completed_only: bool,
    limit: int | None,
    max_depth: int | None,
    text: bool,
) -> JobRequest:
    if archive is not None:
        read_field(check_name, archive, "archive")
    if len(beside) > MOST_BESIDE:
        raise field_problem("beside", ",".join(beside), f"expected at most {MOST_BESIDE} systems")
    if not 1 <= len(forms) <= len(RESULT_FORMS) or not set(forms) <= set(RESULT_FORMS):
        reason = f"expected some of {', '.join(RESULT_FORMS)}, separated by commas"
        raise field_problem("result", ",".join(forms), reason)
    return JobRequest(
        path="upload",
        table=table,
        mode=mode,
        beside=tuple(beside),
        archive=archive,
        completed_only=completed_only,
        limit=limit,
        max_depth=max_depth,
        text=text,
        result=cast(list[ResultForm], forms),
    )


def _checked(work: AppState, job_request: JobRequest) -> dict[str, Any]:
    """Work out what the job is to do, without its input."""
    if job_request.mode == "archive":
        return _checked_for_archive(work, job_request)
    if job_request.archive is not None:
        raise field_problem(
            "archive", job_request.archive, "expected archive only with mode archive"
        )
    table = work.tables.get(job_request.table)
    if "pbn" in job_request.result and job_request.mode != "first":
        reason = "expected mode first with pbn: a board has one auction"
        raise field_problem("result", "pbn", reason)
    for name in ("completed_only", *_NUMBERS):
        if getattr(job_request, name) and job_request.mode != "all":
            reason = f"expected {name} only with mode all"
            raise field_problem(name, getattr(job_request, name), reason)
    if job_request.text and job_request.mode not in ("first", "all"):
        reason = "expected text only with mode first or all"
        raise field_problem("text", job_request.text, reason)
    if job_request.mode == "par":
        if tuple(job_request.result) != ("parquet",):
            reason = "expected no result with mode par: it has files of its own"
            raise field_problem("result", ",".join(job_request.result), reason)
        check_system(table, "table")
    elif job_request.beside:
        raise field_problem(
            "beside", ",".join(job_request.beside), "expected beside only with mode par"
        )
    beside = [work.tables.get(name) for name in job_request.beside]
    for one in beside:
        check_system(one, "beside")
    _check_room(work)
    return {
        "table": table.name,
        "digest": table.digest,
        "mode": job_request.mode,
        "beside": list(job_request.beside),
        "completed_only": job_request.completed_only,
        **{name: getattr(job_request, name) for name in _NUMBERS},
        "text": job_request.text,
        "beside_digests": [one.digest for one in beside],
        "results": [form for form in RESULT_FORMS if form in job_request.result],
        "part_deals": work.settings.job_part_deals,
    }


def _checked_for_archive(work: AppState, job_request: JobRequest) -> dict[str, Any]:
    """Work out what a job that adds boards to an archive is to do, without its input."""
    for one in fields(job_request):
        given = getattr(job_request, one.name)
        value = list(given) if isinstance(given, tuple | list) else given
        usual = list(one.default) if isinstance(one.default, tuple) else one.default
        if one.name not in ("path", "mode", "archive") and value != usual:
            raise field_problem(one.name, value, f"expected no {one.name} with mode archive")
    if job_request.archive is None:
        raise field_problem("archive", None, "expected the name of an archive with mode archive")
    read_field(check_name, job_request.archive, "archive")
    _check_room(work)
    return {"table": "", "digest": "", "mode": job_request.mode, "archive": job_request.archive}


def _of_form(fields: Mapping[str, str]) -> JobRequest:
    """Read what the fields of a form ask."""
    for name, value in fields.items():
        if name not in _FIELDS:
            reason = f"expected only the fields {', '.join((FILE_FIELD, *_FIELDS))}"
            raise field_problem(name, value, reason)
        if name in _TRUTHS and value not in _TRUTH:
            raise field_problem(name, value, "expected true or false")
    mode = next((one for one in get_args(JobMode) if one == fields.get("mode", "first")), None)
    if mode is None:
        reason = f"expected one of {', '.join(get_args(JobMode))}"
        raise field_problem("mode", fields["mode"], reason)
    truths = {name: _TRUTH[fields.get(name, "false")] for name in _TRUTHS}
    return _job_request(
        fields.get("table") or None,
        mode,
        _listed(fields.get("beside", "")),
        fields.get("archive") or None,
        _listed(fields.get("result", "parquet")),
        limit=_number("limit", fields.get("limit")),
        max_depth=_number("max_depth", fields.get("max_depth")),
        **truths,
    )


def _number(name: str, written: str | None) -> int | None:
    if written is None:
        return None
    is_number = written.isascii() and written.isdigit() and len(written) <= _LONGEST_NUMBER
    if not is_number or not 1 <= int(written) <= MOST_LISTED:
        raise field_problem(name, written, f"expected a whole number from 1 to {MOST_LISTED}")
    return int(written)


def _check_room(work: AppState) -> None:
    """Refuse a job where too many wait."""
    if work.jobs.counts().get("queued", 0) >= work.settings.max_queued_jobs:
        raise _full(work)


def _full(work: AppState) -> Problem:
    return Problem(
        "too-many-jobs",
        f"expected at most {work.settings.max_queued_jobs} jobs that wait (setting "
        "max_queued_jobs)",
        headers={"Retry-After": "60"},
    )


def _limits(work: AppState, free: int) -> dict[str, Any]:
    most = work.settings.max_upload_bytes
    return {"most_bytes": most, "free_bytes": free, "timeout_s": work.timeout_s}


async def _from_upload(
    work: AppState, receive: Callable[[Path, int], Awaitable[tuple[dict[str, Any], str]]]
) -> Job:
    """Take in a job of an archive; what it is to do, and what the archive is called."""
    with work.uploads.slot():
        job_id, folder = await _in_thread(work.jobs.new_upload)
        try:
            free = await _in_thread(work.jobs.free_bytes)
            upload = folder / "upload"
            doing, name = await receive(upload, free)
            name = name or "upload"
            limits = UnpackingLimits(min(work.settings.max_unpacked_bytes, free))
            inputs = await _in_thread(unpack, upload, folder / "input", name, limits, field="body")
            doing |= {"inputs": inputs, "root": None, "input": safe_name(name)}
            return await _add(work, job_id, folder, doing)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise Problem("no-room", f"the upload cannot be written: {reason.lower()}") from error
        finally:
            if folder.exists():
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def _from_path(work: AppState, job_request: JobRequest) -> Job:
    doing = await _in_thread(_checked, work, job_request)
    if not work.settings.jobs_root:
        reason = "expected an archive as body: this service reads no paths (setting jobs_root)"
        raise field_problem("path", job_request.path, reason)
    root = Path(work.settings.jobs_root).absolute()
    inputs = await _in_thread(
        files_below, root, job_request.path, field="path", value=job_request.path
    )
    job_id, folder = await _in_thread(work.jobs.new_upload)
    doing |= {"inputs": inputs, "root": str(root), "input": job_request.path}
    return await _add(work, job_id, folder, doing)


async def _add(work: AppState, job_id: str, folder: Path, doing: dict[str, Any]) -> Job:
    try:
        return await _in_thread(work.jobs.add, job_id, folder, doing)
    except QueueFull:
        raise _full(work) from None


@route(router, "jobs", 401, 406, 422, 500, 503)
async def jobs(
    request: Request,
    limit: Annotated[
        int, Query(description="Most jobs in the answer.", ge=1, le=MOST_JOBS, examples=[20])
    ] = 20,
    next: Annotated[
        str,
        Query(
            description="What the answer before said as `next`.", max_length=40, examples=["MTc"]
        ),
    ] = "",
) -> Response:
    """List jobs, a page at a time."""
    work: AppState = request.app.state.own
    check_query(request, "limit", "next")
    before = _before(next) if next else None
    found = await _in_thread(work.jobs.page, limit + 1, before)
    shown, more = found[:limit], len(found) > limit
    following = base64.urlsafe_b64encode(str(shown[-1].number).encode()) if more else b""
    value = JobsAnswer(
        jobs=tuple(described(job) for job in shown), next=following.decode().rstrip("=") or None
    )
    return _fresh(request, value)


def _before(written: str) -> int:
    try:
        number = int(
            base64.b64decode(f"{written}{'=' * (-len(written) % 4)}", b"-_", validate=True)
        )
        if not 0 < number < 1 << 62:
            raise ValueError
    except (ValueError, binascii.Error):
        reason = "expected what an answer said as next"
        raise field_problem("next", written, reason) from None
    return number


@route(router, "job", 401, 404, 406, 422, 500, 503)
async def job(request: Request, id: JobInPath) -> Response:
    """Tell how far a job is, and what there is to download."""
    work: AppState = request.app.state.own
    check_query(request)
    return _fresh(request, described(await _found(work.jobs, id)))


@route(
    router,
    "jobDelete",
    401,
    403,
    404,
    406,
    422,
    500,
    503,
    also={204: {"description": "It had ended already; it is removed with its files."}},
)
async def job_delete(request: Request, id: JobInPath, allowed: AdminOnly) -> Response:
    """Cancel a job that waits or runs; remove one that has ended, with its files. For admins."""
    work: AppState = request.app.state.own
    check_query(request)
    accepted(request, [JSON])
    await _found(work.jobs, id)
    if await _in_thread(work.jobs.cancel, id):
        return _fresh(request, described(await _found(work.jobs, id)))
    if not await _in_thread(work.jobs.remove, id):
        raise _unknown(id)
    return Response(status_code=204)


@router.get(
    "/v1/jobs/{id}/results/{name}",
    operation_id="jobResult",
    summary="A file of a job",
    response_class=Response,
    responses={
        200: {
            "description": "The file as a whole, with its length.",
            "content": {
                media_type: {"schema": {"type": "string", "format": "binary"}}
                for media_type in RESULT_MEDIA_TYPES.values()
            },
        },
        **problems(401, 404, 406, 422, 500, 503),
    },
)
async def job_result(
    request: Request,
    id: JobInPath,
    name: Annotated[
        str, InPath(description="Name of a file of the job.", examples=["auctions.parquet"])
    ],
) -> Response:
    """Download a file of a job that is done."""
    work: AppState = request.app.state.own
    check_query(request)
    found = await _found(work.jobs, id)
    result = await _in_thread(work.jobs.result, found, name)
    if result is None:
        names = ", ".join(file.name for file in found.results) or f"none yet, it is {found.state}"
        raise Problem("unknown-result", f"expected a file of the job ({names}), got {name[:100]!r}")
    path, file = result
    accepted(request, [file.media_type, "application/octet-stream"])
    try:
        return file_answer(
            path,
            name=f"{found.id}-{file.name}",
            media_type=file.media_type,
            timeout_s=work.timeout_s,
        )
    except OSError:
        # removed in this moment
        raise _unknown(id) from None


def described(job: Job) -> JobAnswer:
    """Describe a job as it stands."""
    return answer_of(
        JobAnswer,
        job,
        table=job.request["table"],
        digest=job.request["digest"],
        mode=job.request["mode"],
        # jobs that an earlier version took in do not say it
        beside=tuple(job.request.get("beside", ())),
        archive=job.request.get("archive"),
        input=job.request["input"],
        created=moment_text(job.created),
        started=_moment(job.started),
        ended=_moment(job.ended),
        progress=JobProgress(boards=job.boards, of=job.boards_in_all, rejects=job.rejects),
        results=tuple(answer_of(JobResult, file) for file in job.results),
    )


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else moment_text(seconds)


async def _found(queue: JobQueue, job_id: str) -> Job:
    found = await _in_thread(queue.get, job_id) if _ID.fullmatch(job_id) else None
    if found is None:
        raise _unknown(job_id)
    return found


def _unknown(job_id: str) -> Problem:
    return Problem("unknown-job", f"expected the id of a job, got {job_id[:100]!r}")


async def _in_thread(
    work: Callable[..., _Result], *given: Any, field: str = "", value: object = None
) -> _Result:
    """Do what touches the disk in a thread; say what is wrong with the request, or the folder."""
    try:
        return await asyncio.to_thread(work, *given)
    except (DataFolderUnusable, StoreFailed) as error:
        raise Problem("jobs-unavailable", str(error), headers={"Retry-After": "5"}) from error
    except QueueFull:
        raise
    except BidcascadeError as error:
        if not field:
            raise
        raise problem_of(error, field=field, value=value) from None


def _fresh(request: Request, value: object) -> Response:
    return answer_json(request, value, headers={"Cache-Control": "no-store"})
