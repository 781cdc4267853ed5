"""Keeps pages of other sites away from a service that a browser on this machine can reach.

A page anywhere may make the browser that shows it send requests here. It may not write: a request
that changes or works something out and comes from another origin is refused, unless
``cors_origins`` names it. It may not read under a false name either: a name of the page's own site
that leads to this machine all of a sudden (DNS rebinding) is none that the service goes by.
"""

import ipaddress
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from bidcascade.engine.settings import Settings
from bidcascade.kernels.machine.caches import bounded_cache

from .problems import Problem, answer_problem, shortened

_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class SameSite:
    """Answers requests under a wrong name with 421, and writes of other sites with 403.

    Parameters
    ----------
    app : ASGI application
    settings : Settings
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._origins = settings.cors_origins
        self._names = {name.lower() for name in settings.allowed_hosts}
        # a page under another name has no key to send
        self._any_name = bool(settings.api_keys_file) and not self._names
        self._known = {"localhost", settings.host.lower(), *self._names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it."""
        if scope["type"] == "http":
            request = Request(scope)
            try:
                self._check_host(request)
                self._check_origin(request)
            except Problem as problem:
                await answer_problem(request, problem)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _check_host(self, request: Request) -> None:
        hosts = request.headers.getlist("host")
        if len(hosts) > 1 or (not hosts and request.scope["http_version"] == "1.1"):
            # whoever stands in between may go by another one of them (RFC 9112, section 3.2)
            raise Problem(
                "bad-request", f"expected the header Host once, got it {len(hosts)} times"
            )
        written = hosts[0] if hosts else ""
        name = host_name(written)
        # what names no host is no browser; an address is no name that could lead elsewhere
        if not written or self._any_name or name in self._known or _is_address(name):
            return
        raise Problem(
            "wrong-host",
            "expected the header Host with localhost, an address or a name of the setting "
            f"allowed_hosts, got {shortened(written)!r}",
        )

    def _check_origin(self, request: Request) -> None:
        """Refuse a write of another origin, as Go's ``CrossOriginProtection`` decides it."""
        if request.method in _SAFE_METHODS:
            return
        site = request.headers.get("sec-fetch-site")
        origin = request.headers.get("origin")
        if origin in self._origins or "*" in self._origins:
            return
        if site is None:
            if origin is None or urlsplit(origin).netloc == request.headers.get("host"):
                return
        elif site in ("same-origin", "none"):
            return
        raise Problem(
            "cross-site",
            "expected a request of this site or of one that the setting cors_origins names, got "
            f"one of {shortened(origin or str(site))!r}",
        )


def host_name(written: str) -> str:
    """Name in a header ``Host``, without its port."""
    if written.startswith("["):
        return written[1:].partition("]")[0]
    return written.partition(":")[0].lower().removesuffix(".")


@bounded_cache(256)
def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
