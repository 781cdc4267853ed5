"""Commands about the REST service: ``serve``, ``api-key``, and ``get``, which needs no server."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bidcascade.service.settings import Settings

    from .asgi_call import Answer

_POLL_S = 0.02


def _add_settings(parser: argparse.ArgumentParser) -> None:
    """Add a flag for each setting; what is not given comes from the environment."""
    from bidcascade.service.settings import PREFIX, Settings

    for name, field in Settings.model_fields.items():
        flag = f"--{name.replace('_', '-')}"
        meaning = f"{field.description} ({PREFIX}{name.upper()}; default: {_text(field.default)})"
        if isinstance(field.default, bool):
            parser.add_argument(
                flag, dest=name, action=argparse.BooleanOptionalAction, default=None, help=meaning
            )
        else:
            parser.add_argument(flag, dest=name, metavar="VALUE", help=meaning.replace("%", "%%"))


def _text(default: object) -> str:
    return "none" if default == () else str(default)


def _settings(options: argparse.Namespace, **fixed: Any) -> "Settings":
    from bidcascade.bridge import InvalidInput
    from bidcascade.service.cli import UsageError
    from bidcascade.service.settings import Settings, read_settings

    given = {name: getattr(options, name, None) for name in Settings.model_fields}
    try:
        return read_settings({**given, **fixed})
    except InvalidInput as error:
        raise UsageError(str(error)) from None


def configure_serve(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``serve``: every setting."""
    _add_settings(parser)
    parser.set_defaults(handler=serve)


def serve(options: argparse.Namespace) -> int:
    """Run the service until it is told to stop."""
    from bidcascade.bridge import InvalidInput
    from bidcascade.service.cli import INTERRUPTED, UsageError
    from bidcascade.service.security.authentication import check_keys

    settings = _settings(options)
    _check_address(settings.host, settings.port)
    try:
        check_keys(settings)
    except InvalidInput as error:
        raise UsageError(str(error)) from None

    from bidcascade.service.server import serve as run

    try:
        run(settings)
    except KeyboardInterrupt:
        # the service has ended in order and has said so
        return INTERRUPTED
    return 0


def _check_address(host: str, port: int) -> None:
    """Find out at once, before tables are loaded, whether the address can be listened on."""
    import socket

    from bidcascade.service.cli import UsageError

    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            if sys.platform != "win32":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"cannot listen on {host}:{port}: {reason}") from None


def configure_api_key(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``api-key``."""
    parser.add_argument("name", metavar="NAME", help="whose key it is, one word")
    parser.add_argument(
        "--role", choices=("read", "admin"), default="read",
        help="read asks questions, admin also starts jobs and loads tables anew (default: read)",
    )  # fmt: skip
    parser.add_argument(
        "--file", required=True, metavar="FILE", help="file of keys that it is added to"
    )
    parser.set_defaults(handler=api_key)


def api_key(options: argparse.Namespace) -> int:
    """Make a key, add its hash to a file, and print it once."""
    import os

    from bidcascade.bridge import InvalidInput
    from bidcascade.service.security.keys import ApiKeys, new_key

    from .options import note

    path = Path(options.file)
    key, entry = new_key(options.name, options.role)
    if path.exists() and ApiKeys.read(path).has(entry.name):
        raise InvalidInput(f"expected a new name, got {entry.name!r}, which {path.name} has")
    # made readable for nobody else before there is anything in it
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "a", encoding="utf-8") as file:
        file.write(entry.line() + "\n")
    note(f"{entry.name} may {entry.role}; the key is shown this once:")
    print(key)
    return 0


def configure_get(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``get``."""
    parser.add_argument("target", metavar="/v1/…", help="path, with query")
    parser.add_argument(
        "--data", metavar="JSON", help="body: the request becomes a POST; @FILE or - reads it"
    )
    parser.add_argument("--accept", metavar="TYPE", help="media type of the answer")
    parser.add_argument("--table", metavar="T", help="default table of the service")
    parser.add_argument("--backend", choices=("auto", "reference", "cpu", "cuda"))
    parser.set_defaults(handler=get)


def get(options: argparse.Namespace) -> int:
    """Make one request to the service in this process."""
    import asyncio
    import json

    from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, UsageError

    if not options.target.startswith("/"):
        raise UsageError(f"expected a path such as /v1/tables, got {options.target!r}")
    body = _body(options.data)
    settings = _settings(options, port=0, slow_request_ms=0)
    answer = asyncio.run(_ask(options, body, settings))
    sys.stdout.buffer.write(answer.body)
    if answer.body and not answer.body.endswith(b"\n") and b"json" in _type(answer):
        sys.stdout.buffer.write(b"\n")
    if answer.status < 400:
        return 0
    detail = f"status {answer.status}"
    if b"json" in _type(answer):
        problem = json.loads(answer.body)
        detail += f": {problem.get('detail') or problem.get('title') or ''}"
    print(f"bidcascade: error: {detail}", file=sys.stderr)
    return BAD_ARGUMENTS if answer.status < 500 else BAD_INPUT


def _type(answer: "Answer") -> bytes:
    return answer.headers.get("content-type", "").encode()


def _body(data: str | None) -> bytes | None:
    if data is None:
        return None
    if data == "-":
        return sys.stdin.buffer.read()
    if data.startswith("@"):
        return Path(data[1:]).read_bytes()
    return data.encode()


async def _ask(options: argparse.Namespace, body: bytes | None, settings: "Settings") -> "Answer":
    import asyncio

    from bidcascade.service.app import create_app

    from .asgi_call import Lifespan, call

    app = create_app(settings)
    tables = app.state.workplace.tables
    headers = {"accept": options.accept or "*/*"}
    if body is not None:
        headers["content-type"] = "application/json"
    async with Lifespan(app):
        # a server answers 503 until its tables are loaded; here someone waits for the answer
        while tables.state == "loading":
            await asyncio.sleep(_POLL_S)
        if tables.error is not None:
            raise tables.error
        method = "GET" if body is None else "POST"
        return await call(app, method, options.target, headers=headers, body=body or b"")
