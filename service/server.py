"""Run the service: one process, one worker, and an orderly end on SIGTERM or SIGINT.

``python -m bidcascade.service.server`` serves with the settings of the environment.
"""

import logging
import signal
import sys
import threading
from typing import Final

import uvicorn

from bidcascade.bridge import BidcascadeError

from .app import create_app
from .settings import Settings, read_settings
from .tables import Tables

SWITCH_S: Final = 0.001
_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def serve(settings: Settings) -> None:
    """Serve until the process is told to stop; running requests are finished first.

    On SIGHUP the tables are loaded anew; those that cannot be stay as they are.

    There is one worker on purpose: each further one would hold the tables, and a GPU's context,
    once more. Kernels use all cores anyway.

    Raises
    ------
    BidcascadeError
        If a table cannot be loaded or the backend cannot run.
    SystemExit
        If the address cannot be listened on.
    """
    # threads that work on long requests give way to the event loop after a millisecond, not five
    sys.setswitchinterval(SWITCH_S)
    logging.basicConfig(level=settings.log_level.upper(), format=_FORMAT, stream=sys.stderr)
    app = create_app(settings)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            host=settings.host,
            port=settings.port,
            log_config=None,
            log_level=settings.log_level,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=settings.shutdown_grace_s,
        )
    )
    failures: list[BidcascadeError] = []

    def stop(error: BidcascadeError) -> None:
        failures.append(error)
        server.should_exit = True

    app.state.on_failure = stop
    if hasattr(signal, "SIGHUP"):
        _reload_on_hangup(app.state.workplace.tables)
    server.run()
    if failures:
        raise failures[0]


def _reload_on_hangup(tables: Tables) -> None:
    """Load the tables anew on SIGHUP, in a thread; signals that come meanwhile make one more go."""
    asked = threading.Event()

    def wait() -> None:
        while True:
            asked.wait()
            asked.clear()
            tables.reload_all()

    threading.Thread(target=wait, name="reload-tables", daemon=True).start()
    signal.signal(signal.SIGHUP, lambda number, frame: asked.set())


if __name__ == "__main__":
    serve(read_settings())
