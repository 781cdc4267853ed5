"""The service as a process of its own: for measurements, pictures of the pages and tests."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx


@contextlib.contextmanager
def running_server(
    program: str = "", **settings: object
) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Server in a process of its own on a free port: its address and the process.

    ``program`` is what it runs in place of the server itself. Does not wait until it is ready. The
    process is ended in any case.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("BIDCASCADE_")},
        **(
            {"BIDCASCADE_CACHE": os.environ["BIDCASCADE_CACHE"]}
            if "BIDCASCADE_CACHE" in os.environ
            else {}
        ),
        **{f"BIDCASCADE_{name.upper()}": str(value) for name, value in settings.items()},
        "BIDCASCADE_PORT": str(port),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    process = subprocess.Popen(
        [
            sys.executable,
            *(["-c", program] if program else ["-m", "bidcascade.service.api.server"]),
        ],
        env=environment,
        stderr=subprocess.PIPE,
    )
    try:
        yield f"http://127.0.0.1:{port}", process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


@contextlib.contextmanager
def ready_server(**settings: object) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Server that answers: its address and the process."""
    with running_server(**settings) as (url, process):
        wait_until(f"{url}/readyz", process)
        yield url, process


def wait_until(url: str, process: "subprocess.Popen[bytes]", seconds: float = 300) -> list[int]:
    """Wait until an address answers 200; the statuses seen on the way (0: not listening)."""
    seen: list[int] = []
    deadline = time.monotonic() + seconds
    # httpx.get makes a TLS context each time: 30 ms of the processor that the start needs
    with httpx.Client(timeout=10) as client:
        while time.monotonic() < deadline and process.poll() is None:
            try:
                status = client.get(url).status_code
            except httpx.TransportError:
                status = 0
            if not seen or seen[-1] != status:
                seen.append(status)
            if status == 200:
                return seen
            time.sleep(0.05)
    raise AssertionError(f"{url} did not answer 200, but {seen}")
