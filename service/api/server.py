"""Run the service: one process, one worker, and an orderly end on SIGTERM or SIGINT.

``python -m bidcascade.service.api.server`` serves with the settings of the environment.
"""

import asyncio
import logging
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn

from bidcascade.bridge import BidcascadeError
from bidcascade.engine.settings import Settings, read_settings, with_shipped_tables

from .app import create_app
from .http.connections import guarded_connection
from .http.logs import configure_logs
from .http.open_connections import room_for
from .shared.tables import Tables
from .shared.work import AppState

_logger = logging.getLogger("bidcascade.service")

SWITCH_S: Final = 0.0001

PASSES: Final = 3
"""Rounds of the event loop in which the sockets are read once more before the end."""


class OrderlyServer(uvicorn.Server):
    """A server that reads what clients have sent before it closes their connections.

    uvicorn closes connections at which no request is being answered. On a busy machine a request
    can have come to such a connection that the event loop has not read yet; closing would lose it.
    """

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Read the sockets once more, close, and wait for the answers under way."""
        for _ in range(PASSES):
            await asyncio.sleep(0)
        await super().shutdown(sockets)


def serve(settings: Settings) -> None:
    """Serve until the process is told to stop; running requests are finished first.

    Where the settings say nothing about tables there is every system of the package, ``sayc`` by
    default. On SIGHUP the tables are loaded anew; those that cannot be stay as they are.

    There is one worker on purpose: each further one would hold the tables, and a GPU's context,
    once more. Kernels use all cores anyway.

    Raises
    ------
    BidcascadeError
        If a table cannot be loaded or the backend cannot run.
    SystemExit
        If the address cannot be listened on.
    """
    # threads at long work give way after a tenth of a millisecond, not five whole ones: a request
    # goes from thread to thread several times, and waited each time while a table was loaded anew
    sys.setswitchinterval(SWITCH_S)
    configure_logs(settings.log_level, settings.log_format)
    settings = with_shipped_tables(settings)
    _logger.info("loading tables %s", ", ".join(settings.table_paths()))
    app = create_app(settings)
    room = room_for(settings.max_connections)
    server = OrderlyServer(
        uvicorn.Config(
            app,
            http=guarded_connection(settings.receive_timeout_ms / 1000, room.most),
            backlog=room.backlog,
            host=settings.host,
            port=settings.port,
            log_config=None,
            log_level=settings.log_level,
            access_log=False,
            server_header=False,
            # nobody is answered by one, and the library takes a while to load
            ws="none",
            proxy_headers=bool(settings.trusted_proxies),
            forwarded_allow_ips=list(settings.trusted_proxies),
            timeout_graceful_shutdown=settings.shutdown_grace_s,
        )
    )
    failures: list[BidcascadeError] = []

    def stop(error: BidcascadeError) -> None:
        failures.append(error)
        server.should_exit = True

    app_state: AppState = app.state.own
    app_state.on_death = stop
    app_state.jobs.resume()
    with _reloading_on_hangup(app_state.tables):
        server.run()
    if failures:
        raise failures[0]


@contextmanager
def _reloading_on_hangup(tables: Tables) -> Iterator[None]:
    """Load the tables anew on SIGHUP, in a thread; signals that come meanwhile make one more go."""
    if not hasattr(signal, "SIGHUP"):
        yield
        return
    requested, over = threading.Event(), threading.Event()

    def wait() -> None:
        while requested.wait() and not over.is_set():
            requested.clear()
            tables.reload_all()

    thread = threading.Thread(target=wait, name="reload-tables")
    thread.start()
    signal.signal(signal.SIGHUP, lambda number, frame: requested.set())
    try:
        yield
    finally:
        over.set()
        requested.set()
        # the core may not be at work when the interpreter ends
        thread.join()


if __name__ == "__main__":
    serve(read_settings())
