"""Lets requests in: with a key where keys are asked for, and to what its role allows."""

import asyncio
import ipaddress
import logging
import time
from typing import Annotated, Final

from fastapi import Depends, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from bidcascade.bridge import InvalidInput
from bidcascade.engine.settings import Settings

from .keys import ApiKeys, is_private
from .limits import client_of
from .problems import Problem, answer_problem

_logger = logging.getLogger("bidcascade.service")

DOCS_PATH: Final = "/docs"
OPEN_PATHS: Final = frozenset({"/", "/healthz", "/readyz", "/metrics", DOCS_PATH, "/openapi.json"})
"""Paths that need no key: what a load balancer, Prometheus and a browser ask first."""
OPEN_FOLDERS: Final = ("/static/", f"{DOCS_PATH}/static/")

_PAUSE_S: Final = 0.5
"""Between the answers to wrong keys of one client."""
_FREE_TRIES: Final = 5
_LONGEST_PAUSE_S: Final = 10.0
_MOST_TURNS: Final = 1000

_ROLE: Final = "bidcascade.role"


class Authentication:
    """Answers requests without a known key with 401.

    Parameters
    ----------
    app : ASGI application
    keys : ApiKeys, optional
        None lets everybody do everything.
    """

    def __init__(self, app: ASGIApp, keys: ApiKeys | None) -> None:
        self._app = app
        self._keys = keys
        self._turns: dict[str, float] = {}
        """When the next wrong key of a client may be answered."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            scope[_ROLE] = self._role_of(scope)
        except Problem as problem:
            if "authorization" in Request(scope).headers:
                await self._slow_down(client_of(Request(scope)))
            await answer_problem(Request(scope), problem)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _slow_down(self, client: str) -> None:
        """Wait before a wrong key is answered; the keys of others, and right ones, do not wait."""
        now = time.monotonic()
        if len(self._turns) > _MOST_TURNS:
            self._turns = {known: turn for known, turn in self._turns.items() if turn > now}
        turn = max(self._turns.get(client, 0.0), now - _FREE_TRIES * _PAUSE_S) + _PAUSE_S
        # many at once wait no longer than this, so that no more than so many wait
        self._turns[client] = min(turn, now + _LONGEST_PAUSE_S)
        await asyncio.sleep(max(0.0, self._turns[client] - now))

    def _role_of(self, scope: Scope) -> str:
        if self._keys is None:
            return "admin"
        path: str = scope["path"]
        if path in OPEN_PATHS or path.startswith(OPEN_FOLDERS):
            return ""
        header = Request(scope).headers.get("authorization", "")
        scheme, _, key = header.partition(" ")
        found = self._keys.find(key.strip()) if scheme.lower() == "bearer" else None
        if found is None:
            raise Problem(
                "unauthorized",
                "expected a key of this service as Authorization: Bearer KEY, got "
                + ("another key" if header else "no key"),
                headers={"WWW-Authenticate": 'Bearer realm="bidcascade"'},
            )
        return found.role


def require_admin(request: Request) -> None:
    """Refuse what only an admin may do.

    Raises
    ------
    Problem
        403 if the request's key is for reading only.
    """
    if request.scope.get(_ROLE, "admin") != "admin":
        raise Problem("forbidden", "expected a key with the role admin, got one for reading only")


AdminOnly = Annotated[None, Depends(require_admin)]
"""Annotation of a route's parameter: the route is for admins."""


def open_keys(settings: Settings) -> ApiKeys | None:
    """Keys that the settings ask for; ``None`` where everybody may ask.

    Raises
    ------
    InvalidInput
        If the service would be open to other machines without anybody having said so, or if keys
        are given and switched off.
    """
    check_keys(settings)
    if settings.api_keys_file:
        if not is_private(settings.api_keys_file):
            _logger.warning("others than its owner may change %s", settings.api_keys_file)
        return ApiKeys.read(settings.api_keys_file)
    if not is_loopback(settings.host):
        _logger.warning("everybody who reaches %s may ask and start jobs", settings.host)
    return None


def check_keys(settings: Settings) -> None:
    """Complain where :func:`open_keys` would, without opening anything."""
    if settings.api_keys_file and not settings.auth:
        raise InvalidInput(
            f"expected api_keys_file or --no-auth, got both ({settings.api_keys_file!r})"
        )
    if not settings.api_keys_file and settings.auth and not is_loopback(settings.host):
        raise InvalidInput(
            "expected keys (api_keys_file) for a service that other machines can reach "
            f"(host {settings.host!r}), or --no-auth"
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
