"""Commands about the REST service: ``serve``, ``api-key``, and ``get``, which needs no server."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bidcascade.service.cli import shared
from bidcascade.service.cli.single_threaded_numpy import import_numpy

if TYPE_CHECKING:
    from bidcascade.engine.settings import Settings
    from bidcascade.service.api.in_process import RawResponse


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add a flag for each setting; what is not given comes from the environment."""
    import_numpy()
    from bidcascade.engine.settings import PREFIX, Settings

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


def settings_of(options: argparse.Namespace, **fixed: Any) -> "Settings":
    """Make settings of the flags of :func:`add_settings` and the environment."""
    from bidcascade.bridge import InvalidInput
    from bidcascade.engine.settings import Settings, read_settings

    given = {name: getattr(options, name, None) for name in Settings.model_fields}
    try:
        return read_settings({**given, **fixed})
    except InvalidInput as error:
        raise shared.UsageError(str(error)) from None


def configure_serve(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``serve``: every setting."""
    add_settings(parser)


def serve(options: argparse.Namespace) -> int:
    """Run the service until it is told to stop."""
    return run_service(settings_of(options))


def run_service(settings: "Settings") -> int:
    """Serve with some settings, and return the exit code."""
    from bidcascade.bridge import InvalidInput
    from bidcascade.service.api.http.authentication import check_keys
    from bidcascade.service.cli import INTERRUPTED

    _check_address(settings.host, settings.port)
    try:
        check_keys(settings)
    except InvalidInput as error:
        raise shared.UsageError(str(error)) from None

    from bidcascade.service.api.server import serve as run

    try:
        run(settings)
    except KeyboardInterrupt:
        # the service has ended in order and has said so
        return INTERRUPTED
    return 0


def _check_address(host: str, port: int) -> None:
    """Find out at once, before tables are loaded, whether the address can be listened on."""
    import socket

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
        raise shared.UsageError(f"cannot listen on {host}:{port}: {reason}") from None


def configure_api_key(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``api-key``."""
    add = parser.add_argument
    add("name", metavar="NAME", help="whose key it is, one word")
    add(
        "--role",
        choices=("read", "admin"),
        default="read",
        help="read asks questions, admin also starts jobs and loads tables anew (default: read)",
    )
    add("--file", required=True, metavar="FILE", help="file of keys that it is added to")


def api_key(options: argparse.Namespace) -> None:
    """Make a key, add its hash to a file, and print it once."""
    import os

    from bidcascade.bridge import InvalidInput
    from bidcascade.service.api.http.keys import ApiKeys, new_key

    path = Path(options.file)
    key, entry = new_key(options.name, options.role)
    if path.exists() and ApiKeys.read(path).has(entry.name):
        raise InvalidInput(f"expected a new name, got {entry.name!r}, which {path.name} has")
    # made readable for nobody else before there is anything in it
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "a", encoding="utf-8") as file:
        file.write(entry.line() + "\n")
    shared.note(f"{entry.name} may {entry.role}; the key is shown this once:")
    print(key)


def configure_get(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``get``."""
    add = parser.add_argument
    add("target", metavar="/v1/…", help="path, with query")
    add("--data", metavar="JSON", help="body: the request becomes a POST; @FILE or - reads it")
    add("--accept", metavar="TYPE", help="media type of the answer")
    add("--table", metavar="T", help="default table of the service")
    add("--backend", choices=shared.BACKENDS)


def get(options: argparse.Namespace) -> int:
    """Make one request to the service in this process."""
    import asyncio
    import json

    from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT

    if not options.target.startswith("/"):
        raise shared.UsageError(f"expected a path such as /v1/tables, got {options.target!r}")
    body = _body(options.data)
    # nothing goes on when the process has ended; no other machine asks, so that keys are not needed
    alone = {"host": "127.0.0.1", "port": 0, "api_keys_file": ""}
    settings = settings_of(options, **alone, slow_request_ms=0, dd_going_on=0)
    status, kind, answer = asyncio.run(_ask(options, body, settings))
    sys.stdout.buffer.write(answer)
    if answer and not answer.endswith(b"\n") and "json" in kind:
        sys.stdout.buffer.write(b"\n")
    if status == 202 and "/double-dummy" in options.target:
        missing = len(json.loads(answer)["missing"])
        shared.note(
            f"{missing} results are missing; BIDCASCADE_REQUEST_TIMEOUT_MS gives requests more time"
        )
    if status < 400:
        return 0
    detail = f"status {status}"
    if "json" in kind:
        problem = json.loads(answer)
        detail += f": {problem.get('detail') or problem.get('title') or ''}"
    print(f"bidcascade: error: {detail}", file=sys.stderr)
    return BAD_ARGUMENTS if status < 500 else BAD_INPUT


def _body(data: str | None) -> bytes | None:
    if data is None:
        return None
    if data == "-":
        return sys.stdin.buffer.read()
    return Path(data[1:]).read_bytes() if data.startswith("@") else data.encode()


async def _ask(
    options: argparse.Namespace, body: bytes | None, settings: "Settings"
) -> "RawResponse":
    """Ask the application without a server."""
    from bidcascade.service.api.app import create_app
    from bidcascade.service.api.in_process import answer_of, until_loaded

    # nobody asks a second time
    app = create_app(settings, warm_up=False)
    async with app.router.lifespan_context(app):
        await until_loaded(app)
        accept = options.accept or "*/*"
        return await answer_of(app, options.target, body, headers={"accept": accept})
