"""``GET /`` and ``GET /static/…``: the web page, which asks the API from the browser."""

from typing import Final

from fastapi import APIRouter, Request, Response

from bidcascade.service.problems import Problem
from bidcascade.service.web.static_files import PAGE, StaticFile, static_files

router = APIRouter(include_in_schema=False)

CONTENT_SECURITY_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        # texts of tables and files become text nodes only: the browser refuses to parse them
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
"""What the page may do: load its own files and ask its own service, nothing else."""

_METHODS: Final = ["GET", "HEAD"]


@router.api_route("/", methods=_METHODS)
async def page(request: Request) -> Response:
    """Answer with the page."""
    return _answer(request, static_files()[PAGE])


@router.api_route("/static/{name:path}", methods=_METHODS)
async def static(request: Request, name: str) -> Response:
    """Answer with a file of the page.

    Raises
    ------
    Problem
        404 if there is none of this name.
    """
    file = static_files().get(name)
    if file is None or name == PAGE:
        raise Problem("not-found", f"expected a file of the page, got {name!r}")
    return _answer(request, file)


def _answer(request: Request, file: StaticFile) -> Response:
    compressed = takes_gzip(request.headers.get("accept-encoding", ""))
    etag = file.etag(compressed=compressed)
    headers = {
        "ETag": etag,
        # asked for again each time and answered 304: a new version is seen at once
        "Cache-Control": "no-cache",
        "Vary": "Accept-Encoding",
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    }
    known = [
        tag.strip().removeprefix("W/")
        for tag in request.headers.get("if-none-match", "").split(",")
    ]
    if etag in known or known == ["*"]:
        return Response(status_code=304, headers=headers)
    if compressed:
        headers["Content-Encoding"] = "gzip"
    content = file.compressed if compressed else file.content
    return Response(content, media_type=file.media_type, headers=headers)


def takes_gzip(header: str) -> bool:
    """Whether an ``Accept-Encoding`` header allows gzip (RFC 9110, section 12.5.3).

    Examples
    --------
    >>> takes_gzip("br, gzip;q=0.8"), takes_gzip("*"), takes_gzip("gzip;q=0"), takes_gzip("")
    (True, True, False, False)
    """
    qualities: dict[str, str] = {}
    for part in header.lower().split(","):
        coding, _, parameter = part.partition(";")
        qualities[coding.strip()] = parameter.replace(" ", "").removeprefix("q=") or "1"
    quality = qualities.get("gzip", qualities.get("*", "0"))
    return quality.strip("0.") != ""
