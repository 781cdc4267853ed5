"""Load test of the service on this machine: latency at a fixed rate, one client, a long answer.

``python -m benchmarks.service [--rate 200 --seconds 20]`` starts the server in a process of its
own on a free port of the loopback interface and ends it afterwards. At the fixed rate requests go
out at their times whether or not earlier ones have been answered, and latency counts from the time
a request was due, so that a server that stalls cannot hide it.
"""

import argparse
import asyncio
import contextlib
import json
import os
import platform
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bidcascade.bridge import Deal, format_deal
from bidcascade.loaders import HAND_COLUMNS, random_deals

from .http_client import Connection

ROOT = Path(__file__).parents[1]
HIGHEST_RATE = 2_000
LONGEST_S = 120
CONNECTIONS = 32
"""Connections kept to the server at the fixed rate; more requests than that wait for one."""

Numbers = dict[str, Any]


class RunningServer(NamedTuple):
    """A server in a process of its own, ready."""

    port: int
    ready_s: float
    """Seconds from its start until it was ready."""
    process: "subprocess.Popen[bytes]"


@contextlib.contextmanager
def running_server(ready_s: float = 120, **settings: object) -> Iterator[RunningServer]:
    """Server on a free port of the loopback interface; ended in any case."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    started = time.perf_counter()
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / ".typings"),
        "BIDCASCADE_PORT": str(port),
        "BIDCASCADE_HOST": "127.0.0.1",
        "BIDCASCADE_LOG_LEVEL": "error",
        **{f"BIDCASCADE_{name.upper()}": str(value) for name, value in settings.items()},
    }
    command = [sys.executable, "-m", "bidcascade.service.server"]
    process = subprocess.Popen(command, env=environment)
    try:
        asyncio.run(_until_ready(port, started + ready_s, process))
        yield RunningServer(port, time.perf_counter() - started, process)
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


async def _until_ready(port: int, deadline: float, process: "subprocess.Popen[bytes]") -> None:
    while time.perf_counter() < deadline and process.poll() is None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            async with await Connection.open("127.0.0.1", port) as connection:
                answer = await connection.request("GET", "/readyz")
            if answer.status == 200:
                return
        await asyncio.sleep(0.05)
    raise RuntimeError(f"expected a server on port {port}, got none that is ready")


def deal_objects(count: int, seed: int) -> list[dict[str, str]]:
    """Random deals as requests have them."""
    rows = random_deals(count, seed=seed).select(*HAND_COLUMNS, "dealer", "vulnerability").rows()
    return [
        {
            "deal": format_deal(Deal((north, east, south, west))),
            "dealer": dealer,
            "vulnerability": vulnerability,
        }
        for north, east, south, west, dealer, vulnerability in rows
    ]


def percentiles(seconds: Sequence[float]) -> Numbers:
    """Latencies in milliseconds."""
    values = 1000 * np.array(seconds)
    p50, p90, p99 = np.percentile(values, [50, 90, 99])
    numbers = {"p50_ms": p50, "p90_ms": p90, "p99_ms": p99, "max_ms": values.max()}
    return {name: round(float(value), 3) for name, value in numbers.items()}


async def at_fixed_rate(port: int, path: str, bodies: list[bytes], rate: float) -> Numbers:
    """Send the bodies one after another at a rate, whatever the answers do."""
    idle: asyncio.Queue[Connection] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        idle.put_nowait(await Connection.open("127.0.0.1", port))
    latencies: list[float] = []
    failures = 0

    async def one(due: float, body: bytes) -> None:
        nonlocal failures
        connection = await idle.get()
        try:
            answer = await connection.request("POST", path, body)
        finally:
            idle.put_nowait(connection)
        latencies.append(time.perf_counter() - due)
        failures += answer.status != 200

    started = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number, body in enumerate(bodies):
            due = started + number / rate
            # asyncio sleeps up to a millisecond too long: the last part is spent looking
            while (left := due - time.perf_counter()) > 0:
                await asyncio.sleep(left - 0.001 if left > 0.002 else 0)
            group.create_task(one(due, body))
    spent = time.perf_counter() - started
    while not idle.empty():
        await idle.get_nowait().close()
    return {
        "requests": len(bodies), "failures": failures, "rate": round(len(bodies) / spent, 1),
        **percentiles(latencies),
    }  # fmt: skip


async def one_client(port: int, path: str, bodies: list[bytes]) -> Numbers:
    """Send each body when the answer to the one before is there."""
    async with await Connection.open("127.0.0.1", port) as connection:
        started = time.perf_counter()
        answers = [await connection.request("POST", path, body) for body in bodies]
        spent = time.perf_counter() - started
    return {
        "requests": len(bodies),
        "failures": sum(answer.status != 200 for answer in answers),
        "rate": round(len(bodies) / spent, 1),
        **percentiles([answer.total_s for answer in answers]),
    }


async def long_answer(port: int, body: bytes, accept: str) -> Numbers:
    """Ask about many deals at once."""
    async with await Connection.open("127.0.0.1", port) as connection:
        answer = await connection.request("POST", "/v1/auctions", body, accept)
    return {
        "failures": int(answer.status != 200),
        "bytes": len(answer.body),
        "first_byte_ms": round(1000 * answer.first_byte_s, 1),
        "total_ms": round(1000 * answer.total_s, 1),
    }


async def beside_long_answers(
    port: int, bodies: list[bytes], rate: float, long_body: bytes
) -> Numbers:
    """Fixed rate while another client asks about many deals, again and again."""
    answered = 0

    async def ask_on() -> None:
        nonlocal answered
        async with await Connection.open("127.0.0.1", port) as connection:
            while True:
                await connection.request("POST", "/v1/auctions", long_body, "application/jsonl")
                answered += 1

    task = asyncio.create_task(ask_on())
    numbers = await at_fixed_rate(port, "/v1/auctions", bodies, rate)
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.result()
    return {**numbers, "long_answers": answered}


def measure(rate: float, seconds: float, deals: int, seed: int, *, singles: int = 1_000) -> Numbers:
    """Run all measurements; returns one number or group of numbers a name."""
    objects = deal_objects(2 * singles, seed)
    requests = {
        mode: [json.dumps({"deals": [deal], "mode": mode}).encode() for deal in objects]
        for mode in ("first", "all")
    }
    hands = [
        json.dumps({"hand": deal["deal"][2:].split()[0], "auction": []}).encode()
        for deal in objects
    ]
    many = deal_objects(deals, seed + 1)
    wanted = int(rate * seconds)
    result: Numbers = {
        "python": platform.python_version(), "cores": os.cpu_count(), "load": os.getloadavg()[0]
    }  # fmt: skip
    with running_server() as (port, ready_s, _):
        result["ready_s"] = round(ready_s, 2)
        asyncio.run(one_client(port, "/v1/auctions", requests["first"][:1]))
        # how slow the very first answers are is told by the maximum of these
        for mode, bodies in requests.items():
            some = asyncio.run(one_client(port, "/v1/auctions", bodies[:singles]))
            result[f"one client, one deal, mode {mode}"] = some
            repeated = (bodies * (wanted // len(bodies) + 1))[:wanted]
            run = asyncio.run(at_fixed_rate(port, "/v1/auctions", repeated, rate))
            result[f"{rate:g} requests/s, one deal, mode {mode}"] = run
        result["one client, bid"] = asyncio.run(one_client(port, "/v1/bid", hands[:singles]))
        for mode in ("first", "all"):
            body = json.dumps({"deals": many, "mode": mode}).encode()
            for accept in ("application/jsonl", "application/vnd.apache.arrow.stream"):
                name = f"{deals:,} deals, mode {mode}, {accept}"
                result[name] = asyncio.run(long_answer(port, body, accept))
        body = json.dumps({"deals": many, "mode": "all"}).encode()
        some = requests["first"][: int(min(wanted, rate * 5))]
        name = f"{rate:g} requests/s, mode first, beside {deals:,} deals in mode all"
        result[name] = asyncio.run(beside_long_answers(port, some, rate, body))
    return result


def markdown(result: Numbers) -> str:
    """Tables for people."""
    timed = {name: value for name, value in result.items() if "p50_ms" in _group(value)}
    lines = [
        "| requests | answered/s | p50 ms | p90 ms | p99 ms | max ms | failures |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, value in timed.items():
        columns = ("rate", "p50_ms", "p90_ms", "p99_ms", "max_ms", "failures")
        lines.append(f"| {name} | {' | '.join(str(value[column]) for column in columns)} |")
    lines += [
        "",
        "| long answer | bytes | first byte ms | total ms | failures |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, value in result.items():
        if "first_byte_ms" in _group(value):
            columns = ("bytes", "first_byte_ms", "total_ms", "failures")
            lines.append(f"| {name} | {' | '.join(str(value[column]) for column in columns)} |")
    return "\n".join([*lines, "", f"Ready {result['ready_s']} s after the start."])


def _group(value: object) -> Numbers:
    return value if isinstance(value, dict) else {}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service", description=__doc__)
    parser.add_argument("--rate", type=float, default=200, help="requests a second")
    parser.add_argument("--seconds", type=float, default=20, help="how long at that rate")
    parser.add_argument("--deals", type=int, default=10_000, help="deals of the long answers")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if not 0 < given.rate <= HIGHEST_RATE or not 0 < given.seconds <= LONGEST_S:
        parser.error(f"expected a rate up to {HIGHEST_RATE} and up to {LONGEST_S} seconds")
    result = measure(given.rate, given.seconds, given.deals, given.seed)
    print(json.dumps(result))
    print()
    print(markdown(result))


if __name__ == "__main__":
    main()
