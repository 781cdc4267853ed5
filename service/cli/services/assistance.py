"""Commands for editors and assistants: ``lsp`` and ``mcp``."""

import argparse
import logging
import os
import sys
from typing import TYPE_CHECKING, Any, Final

from bidcascade.service.cli.shared import UsageError

from .serve import add_settings, run_service, settings_of

if TYPE_CHECKING:
    from fastapi import FastAPI

    from bidcascade.engine.settings import Settings


_OF_HTTP: Final = (
    "host",
    "port",
    "max_connections",
    "cors_origins",
    "allowed_hosts",
    "trusted_proxies",
)
"""Settings that do nothing without a port."""


def configure_lsp(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``lsp``: none; editors send what they want."""
    # many clients name the way that they speak
    parser.add_argument("--stdio", action="store_true", help=argparse.SUPPRESS)


def lsp(options: argparse.Namespace) -> None:
    """Serve an editor until it ends the server."""
    from bidcascade.engine.extras import imported

    imported("lsp", "pygls")
    from bidcascade.service.language_server import make_server

    # what anything else prints would be no message of the protocol
    spoken = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    make_server().speak(sys.stdin.buffer, spoken)


def configure_mcp(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``mcp``: the way to speak, and every setting."""
    parser.add_argument(
        "--http",
        action="store_true",
        help="serve at /mcp over HTTP, beside the REST service, with its keys and limits (default: "
        "standard input and output, for one assistant)",
    )
    add_settings(parser)


def mcp(options: argparse.Namespace) -> int:
    """Serve assistants until they or the user end it."""
    from bidcascade.engine.extras import imported

    imported("mcp", "mcp")
    if options.http:
        return run_service(settings_of(options, mcp=True))
    for name in _OF_HTTP:
        if getattr(options, name) is not None:
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"expected --http beside {flag}: without it nothing is served there")
    import asyncio

    # nothing goes on when the process has ended
    settings = settings_of(options, port=0, slow_request_ms=0, dd_going_on=0, mcp=False)
    if settings.api_keys_file:
        # what is wrong with them is told before anybody is greeted
        from bidcascade.service.api.http.authentication import open_keys

        open_keys(settings)
    asyncio.run(_speak(settings))
    return 0


async def _speak(settings: "Settings") -> None:
    """Answer one assistant on standard input and output; the service is made meanwhile."""
    import asyncio

    import anyio
    from mcp.server.stdio import stdio_server

    from bidcascade.engine.settings import PREFIX
    from bidcascade.service.api.assistants import Assistants, refusal_of

    service: asyncio.Future[FastAPI] = asyncio.get_running_loop().create_future()
    server = Assistants(service, os.environ.get(f"{PREFIX}API_KEY", "")).server
    given, taken = anyio.create_memory_object_stream[Any]()
    has_ended = asyncio.Event()

    async def serve() -> None:
        try:
            # in a thread: whoever has started this is answered before all is loaded
            app = await asyncio.to_thread(_service, settings)
            if has_ended.is_set():
                return
            async with app.router.lifespan_context(app):
                service.set_result(app)
                await has_ended.wait()
        except Exception as error:
            if not service.done():
                # whoever asks is told too, and does not wait for what never comes
                service.set_exception(error)
                logging.getLogger("bidcascade.service").error("%s", service.exception())
            raise

    async def pass_on(incoming: Any, outgoing: Any) -> None:
        async with given:
            async for message in incoming:
                if not isinstance(message, Exception):
                    await given.send(message)
                elif (refusal := refusal_of(message)) is not None:
                    await outgoing.send(refusal)

    async def speak() -> None:
        async with (
            stdio_server() as (incoming, outgoing),
            anyio.create_task_group() as both,
        ):
            both.start_soon(pass_on, incoming, outgoing)
            await server.run(taken, outgoing, server.create_initialization_options())
            both.cancel_scope.cancel()

    serving = asyncio.create_task(serve())
    try:
        await speak()
    finally:
        has_ended.set()
    await serving


def _service(settings: "Settings") -> "FastAPI":
    from bidcascade.engine.settings import with_shipped_tables
    from bidcascade.service.api.app import create_app
    from bidcascade.service.api.http.logs import configure_logs

    level = settings.log_level if "log_level" in settings.model_fields_set else "warning"
    configure_logs(level, settings.log_format)
    # an assistant practises nothing
    settings = settings.model_copy(update={"find_topics": False})
    return create_app(with_shipped_tables(settings))
