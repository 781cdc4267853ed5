"""Load test of the service on this machine: latency at a fixed rate, one client, a long answer.

``python -m benchmarks.service.requests [--rate 200 --seconds 20]`` starts the server in a process
of its own on a free port of the loopback interface and ends it afterwards.
"""

import argparse
import asyncio
import contextlib
import json
import os
import platform
import subprocess
import time
from collections.abc import Iterator, Sequence

import polars as pl

from benchmarks.tools import programs
from benchmarks.tools.http_client import Connection, Numbers, Question, at_rate, percentiles
from benchmarks.tools.server import ready_server as ready_service
from bidcascade.bridge import Deal, format_deal
from bidcascade.loaders import HAND_COLUMNS, random_deals

HIGHEST_RATE = 2_000
LONGEST_S = 120


@contextlib.contextmanager
def ready_server(**settings: object) -> Iterator[tuple[int, float, "subprocess.Popen[bytes]"]]:
    """Server in a process of its own: its port, seconds until it was ready, its process."""
    started = time.perf_counter()
    # nobody reads what it writes while it is measured
    with ready_service(log_level="error", **settings) as (url, process):
        yield int(url.rpartition(":")[2]), time.perf_counter() - started, process


def deal_objects(count: int, seed: int) -> list[dict[str, str]]:
    """Random deals as requests have them."""
    return deal_requests(random_deals(count, seed=seed))


def deal_requests(deals: pl.DataFrame) -> list[dict[str, str]]:
    """Deals of a frame as requests have them."""
    return [
        {
            "deal": format_deal(Deal((north, east, south, west))),
            "dealer": dealer,
            "vulnerability": vulnerability,
        }
        for north, east, south, west, dealer, vulnerability in deals.select(
            *HAND_COLUMNS, "dealer", "vulnerability"
        ).rows()
    ]


async def at_fixed_rate(port: int, asked: Sequence[Question], rate: float) -> Numbers:
    """Send questions at a rate, whatever the answers do."""
    numbers = await at_rate(port, asked, rate)
    answered, statuses = numbers.pop("answered_a_second"), numbers.pop("statuses")
    failures = numbers["requests"] - statuses.get(200, 0)
    del numbers["wrong"]
    return {"requests": numbers["requests"], "failures": failures, "rate": answered, **numbers}


async def one_client(port: int, asked: Sequence[Question]) -> Numbers:
    """Send each question when the answer to the one before is there."""
    async with await Connection.open("127.0.0.1", port) as connection:
        started = time.perf_counter()
        answers = [await connection.request("POST", *question) for question in asked]
        spent = time.perf_counter() - started
    return {
        "requests": len(asked),
        "failures": sum(answer.status != 200 for answer in answers),
        "rate": round(len(asked) / spent, 1),
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
    port: int, asked: Sequence[Question], rate: float, long_body: bytes
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
    numbers = await at_fixed_rate(port, asked, rate)
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.result()
    return {**numbers, "long_answers": answered}


def measure(rate: float, seconds: float, deals: int, seed: int, *, singles: int = 1_000) -> Numbers:
    """Run all measurements; returns one number or group of numbers a name."""
    objects = deal_objects(2 * singles, seed)
    requests = {
        mode: [
            ("/v1/auctions", json.dumps({"deals": [deal], "mode": mode}).encode())
            for deal in objects
        ]
        for mode in ("first", "all")
    }
    hands = [
        ("/v1/bid", json.dumps({"hand": deal["deal"][2:].split()[0], "auction": []}).encode())
        for deal in objects
    ]
    many = deal_objects(deals, seed + 1)
    wanted = int(rate * seconds)
    result: Numbers = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }
    with ready_server() as (port, ready_s, _):
        result["ready_s"] = round(ready_s, 2)
        asyncio.run(one_client(port, requests["first"][:1]))
        # how slow the very first answers are is told by the maximum of these
        for mode, asked in requests.items():
            some = asyncio.run(one_client(port, asked[:singles]))
            result[f"one client, one deal, mode {mode}"] = some
            repeated = (asked * (wanted // len(asked) + 1))[:wanted]
            run = asyncio.run(at_fixed_rate(port, repeated, rate))
            result[f"{rate:g} requests/s, one deal, mode {mode}"] = run
        result["one client, bid"] = asyncio.run(one_client(port, hands[:singles]))
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

    def rows(*columns: str) -> list[list[str]]:
        return [
            [name, *(str(value[column]) for column in columns)]
            for name, value in result.items()
            if isinstance(value, dict) and set(columns) <= value.keys()
        ]

    return "\n".join(
        [
            *programs.table(
                ("requests", "answered/s", "p50 ms", "p90 ms", "p99 ms", "max ms", "failures"),
                rows("rate", "p50_ms", "p90_ms", "p99_ms", "max_ms", "failures"),
            ),
            "",
            *programs.table(
                ("long answer", "bytes", "first byte ms", "total ms", "failures"),
                rows("bytes", "first_byte_ms", "total_ms", "failures"),
            ),
            "",
            f"Ready {result['ready_s']} s after the start.",
        ]
    )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.service.requests", description=__doc__
    )
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
