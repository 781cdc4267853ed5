"""Many half-sent requests beside somebody who asks whether the service lives.

``python -m benchmarks.half_sent --heads 5000 --files 1024`` opens so many connections, each with
half a head and nothing more, to a service that may have so many open files, and asks ``/healthz``
fifty times a second on a connection of its own each time. It prints how many probes failed, and
how long they took.
"""

import argparse
import resource
import socket
import threading
import time
from collections.abc import Sequence

import httpx

from .http_client import percentiles
from .server import running_server, wait_until

HALF = b"POST /v1/auctions HTTP/1.1\r\nHost: localhost\r\nContent-Type: appl"
PROGRAM = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files}))
from bidcascade.service.api.server import serve
from bidcascade.engine.settings import read_settings
serve(read_settings())
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run it, and print what came out."""
    parser = argparse.ArgumentParser(prog="benchmarks.half_sent", description=__doc__)
    parser.add_argument("--heads", type=int, default=5000)
    parser.add_argument("--files", type=int, default=1024)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rate", type=float, default=50)
    options = parser.parse_args(arguments)
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with running_server(PROGRAM.format(files=options.files)) as (url, process):
        wait_until(f"{url}/readyz", process)
        ended = threading.Event()
        holders = [
            threading.Thread(target=_hold, args=(url, options.heads // 4, ended)) for _ in range(4)
        ]
        for thread in holders:
            thread.start()
        took, failed = _probe(url, options.rate, options.seconds)
        ended.set()
        for thread in holders:
            thread.join()
    told = ", ".join(f"{name} {value:.1f}" for name, value in percentiles(took).items())
    print(f"{len(took)} probes, {failed} failed: {told}")


def _hold(url: str, count: int, ended: threading.Event) -> None:
    """Hold so many half-sent heads, opened anew as the service closes them."""
    address = ("127.0.0.1", int(url.rpartition(":")[2]))
    held: list[socket.socket] = []
    while not ended.is_set():
        try:
            held.append(socket.create_connection(address, timeout=5))
            held[-1].sendall(HALF)
        except OSError:
            time.sleep(0.01)
        if len(held) > count:
            held.pop(0).close()
    for one in held:
        one.close()


def _probe(url: str, rate: float, seconds: float) -> tuple[list[float], int]:
    took: list[float] = []
    failed, begun = 0, time.perf_counter()
    with httpx.Client(timeout=5, headers={"Connection": "close"}) as client:
        for number in range(int(rate * seconds)):
            time.sleep(max(0.0, begun + number / rate - time.perf_counter()))
            asked = time.perf_counter()
            try:
                failed += client.get(f"{url}/healthz").status_code != 200
            except httpx.TransportError:
                failed += 1
            took.append(time.perf_counter() - asked)
    return took, failed


if __name__ == "__main__":
    main()
