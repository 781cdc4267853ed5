"""The service under load: mixed rates, overload and recovery, reload, clients for minutes, SIGTERM.

``python -m benchmarks.service.service_load [--parts clients --minutes 10 --out FOLDER]`` starts
servers in processes of their own on loopback, one after the other, and ends them. Requests of a
rate go out when they are due, answered or not, and latency counts from then. Every answer is
checked: 200 with the bytes that the same question got alone, or 429 with ``Retry-After`` where that
is allowed.
"""

import argparse
import asyncio
import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tools import programs
from benchmarks.tools.http_client import Connection, Numbers, Question, at_rate, percentiles
from benchmarks.tools.machine import environment, memory_bytes

from .requests import deal_objects, ready_server

CLIENTS = 24

PARTS = ("rates", "tails", "clients", "overload", "reloads", "stop")
_PATHS = (("/v1/auctions", "auctions"), ("/v1/bid", "bid"), ("", "mixed"))


def questions(count: int, seed: int) -> list[Question]:
    """Half ``/v1/auctions`` of one deal in mode all, half ``/v1/bid`` in real positions."""
    random_source = random.Random(seed)
    auctions = ["", "P", "1N P", "1H P", "1C 1S", "1N P 2C P", "2C P 2D P", "1S X", "P P 1D P"]
    found: list[Question] = []
    for number, deal in enumerate(deal_objects(count, seed)):
        if number % 2:
            calls = random_source.choice(auctions).split()
            body = {"hand": deal["deal"][2:].split()[len(calls) % 4], "auction": calls}
            found.append(("/v1/bid", json.dumps(body).encode()))
        else:
            found.append(("/v1/auctions", json.dumps({"deals": [deal]}).encode()))
    return found


async def alone(port: int, asked: Sequence[Question]) -> list[bytes]:
    """Answers of a client that asks one after the other."""
    async with await Connection.open("127.0.0.1", port) as connection:
        answers = [await connection.request("POST", path, body) for path, body in asked]
    bad = [answer.status for answer in answers if answer.status != 200]
    if bad:
        raise RuntimeError(f"expected answers, got status {bad[0]}: {answers[0].body[:300]!r}")
    return [answer.body for answer in answers]


async def clients(port: int, asked: Sequence[Question], seconds: float, pid: int) -> Numbers:
    """Clients that ask one question after the other for a while; memory of the server meanwhile."""
    end = time.perf_counter() + seconds
    answered = failures = 0
    memory: list[tuple[float, float]] = []
    latencies: list[float] = []

    async def one(number: int) -> None:
        nonlocal answered, failures
        source = random.Random(number)
        async with await Connection.open("127.0.0.1", port) as connection:
            while time.perf_counter() < end:
                answer = await connection.request("POST", *source.choice(asked))
                answered += 1
                failures += answer.status != 200
                latencies.append(answer.total_s)
                await asyncio.sleep(source.expovariate(20))

    async def watch() -> None:
        started = time.perf_counter()
        while time.perf_counter() < end:
            memory.append((time.perf_counter() - started, memory_bytes("VmRSS", pid) / 2**20))
            await asyncio.sleep(max(seconds / 120, 0.5))

    async with asyncio.TaskGroup() as group:
        group.create_task(watch())
        for number in range(CLIENTS):
            group.create_task(one(number))
    return {
        "clients": CLIENTS, "seconds": seconds, "requests": answered, "failures": failures,
        **percentiles(latencies), **trend(memory),
    }  # fmt: skip


def trend(memory: Sequence[tuple[float, float]]) -> Numbers:
    """Memory at the begin, after a fifth, at the end, and the slope from there (least squares)."""
    later = memory[len(memory) // 5 :]
    slope = np.polyfit(*zip(*later, strict=True), 1)[0] if len(later) > 1 else 0.0
    return {
        "begin_mb": round(memory[0][1], 1), "after_a_fifth_mb": round(later[0][1], 1),
        "end_mb": round(memory[-1][1], 1), "mb_a_minute": round(60 * float(slope), 3),
    }  # fmt: skip


async def most(port: int, asked: Sequence[Question]) -> Numbers:
    """Clients that send each question when they have an answer: the highest rate."""
    waiting = iter(asked)
    latencies: list[float] = []
    statuses: Counter[int] = Counter()

    async def one() -> None:
        async with await Connection.open("127.0.0.1", port) as connection:
            for question in waiting:
                answer = await connection.request("POST", *question)
                statuses[answer.status] += 1
                latencies.append(answer.total_s)

    started = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(CLIENTS):
            group.create_task(one())
    spent = time.perf_counter() - started
    return {
        "clients": CLIENTS, "requests": len(asked), "statuses": dict(statuses),
        "answered_a_second": round(len(asked) / spent, 1), **percentiles(latencies),
    }  # fmt: skip


def tails(seconds: float, seed: int) -> dict[str, Numbers]:
    """Latency at half of the highest rate: deals asked before, new deals, all that a deal allows.

    Clients are in a process of their own. They and the server share the machine.
    """
    found: dict[str, Numbers] = {}
    for name, guess, mode in (
        ("known", 2500, "first"),
        ("new", 1200, "first"),
        ("all", 200, "all"),
    ):
        with ready_server() as (port, _, _):
            count = int(guess * seconds)
            deals = deal_objects(2 * count, seed)
            asked = [
                ("/v1/auctions", json.dumps({"deals": [deal], "mode": mode}).encode())
                for deal in deals
            ]
            first, later = asked[:count], asked[count:]
            expected = None
            if name == "known":
                first, later = (first[:1000] * (count // 1000 + 1))[:count], first[:1000]
                expected = asyncio.run(alone(port, later))
            found[f"{name}, most"] = highest = asyncio.run(most(port, first))
            rate = highest["answered_a_second"] / 2
            wanted = int(rate * seconds)
            later = (later * (wanted // len(later) + 1))[:wanted]
            if expected is not None:
                expected = (expected * (wanted // len(expected) + 1))[:wanted]
            found[f"{name}, {rate:.0f}/s"] = asyncio.run(at_rate(port, later, rate, expected))
    return found


async def with_reloads(
    port: int, asked: Sequence[Question], rate: float, expected: Sequence[bytes], reloads: int
) -> Numbers:
    """Rate while the table is loaded anew again and again."""

    async def reload() -> list[int]:
        async with await Connection.open("127.0.0.1", port) as connection:
            return [
                (await connection.request("POST", "/v1/tables/sayc/reload")).status
                for _ in range(reloads)
            ]

    task = asyncio.create_task(reload())
    numbers = await at_rate(port, asked, rate, expected)
    return {**numbers, "reloads": dict(Counter(await task))}


async def until_stopped(
    port: int, asked: Sequence[Question], process: "subprocess.Popen[bytes]", after_s: float
) -> Numbers:
    """Clients that ask until the server, told to stop, takes nothing more; what became of all."""
    answered: Counter[int] = Counter()
    refused = lost = 0
    stopping = False

    async def one(number: int) -> None:
        nonlocal refused, lost
        source = random.Random(number)
        connection = await Connection.open("127.0.0.1", port)
        try:
            while True:
                begun_before = not stopping
                try:
                    answer = await connection.request("POST", *source.choice(asked))
                except (OSError, asyncio.IncompleteReadError):
                    # a request that was under way when the signal came must be answered
                    lost += begun_before
                    refused += not begun_before
                    return
                answered[answer.status] += 1
                if stopping and answer.status == 503:
                    return
        finally:
            await connection.close()

    async def stop() -> None:
        nonlocal stopping
        await asyncio.sleep(after_s)
        process.send_signal(signal.SIGTERM)
        stopping = True

    async with asyncio.TaskGroup() as group:
        group.create_task(stop())
        for number in range(CLIENTS):
            group.create_task(one(number))
    code = await asyncio.to_thread(process.wait, 60)
    return {
        "answered": dict(sorted(answered.items())),
        "lost": lost,
        "refused_later": refused,
        "exit_code": code,
    }


class _Told(dict[str, Any]):
    """Results that are told as they come: all of it takes a quarter of an hour."""

    def __setitem__(self, name: str, value: Any) -> None:
        print(f"{name}: {value}", file=sys.stderr, flush=True)
        super().__setitem__(name, value)


def measure(
    rate: float, minutes: float, seconds: float, seed: int, parts: Sequence[str]
) -> Numbers:
    """Run some parts, one server each (rates and clients share one)."""
    asked = questions(int(rate * seconds), seed)
    some = asked[:1000]
    result = _Told()
    if "rates" in parts or "clients" in parts:
        with ready_server() as (port, _, process):
            expected = asyncio.run(alone(port, some))
            repeated = (some * (len(asked) // len(some) + 1))[: len(asked)]
            wanted = (expected * (len(asked) // len(some) + 1))[: len(asked)]
            for path, name in _PATHS if "rates" in parts else ():
                chosen = [n for n, (where, _) in enumerate(repeated) if path in ("", where)]
                chosen = (chosen * 2)[: len(asked)]
                result[f"{rate:g}/s, {name}"] = asyncio.run(
                    at_rate(port, [repeated[n] for n in chosen], rate, [wanted[n] for n in chosen])
                )
            if "clients" in parts:
                # every question once, so that what answers repeat is kept when the watch begins
                asyncio.run(alone(port, asked))
                run = clients(port, asked, 60 * minutes, process.pid)
                result[f"{CLIENTS} clients"] = asyncio.run(run)
            if "rates" in parts:
                again = asyncio.run(at_rate(port, repeated, rate, wanted))
                result[f"{rate:g}/s, mixed, at the end"] = again
    if "tails" in parts:
        for name, numbers in tails(seconds, seed).items():
            result[name] = numbers
    if "overload" in parts:
        with ready_server(max_concurrent_requests=32, max_queue_deals=20_000) as (port, _, _):
            expected = asyncio.run(alone(port, some))
            many = [("/v1/auctions", json.dumps({"deals": deal_objects(400, seed)}).encode())] * 200
            flood = [one for pair in zip(many * 10, some * 2, strict=True) for one in pair]
            result["overload"] = asyncio.run(at_rate(port, flood, 8 * rate))
            result[f"{rate / 2:g}/s, after overload"] = asyncio.run(
                at_rate(port, some, rate / 2, expected)
            )
    if "reloads" in parts:
        with ready_server() as (port, _, _):
            expected = asyncio.run(alone(port, some))
            quiet = at_rate(port, some * 4, rate / 2, expected * 4)
            result[f"{rate / 2:g}/s"] = asyncio.run(quiet)
            loading = with_reloads(port, some * 4, rate / 2, expected * 4, 5)
            result[f"{rate / 2:g}/s while loading anew"] = asyncio.run(loading)
    if "stop" in parts:
        with ready_server() as (port, _, process):
            asyncio.run(alone(port, some[:100]))
            result["SIGTERM"] = asyncio.run(until_stopped(port, some, process, 3.0))
    return result


def report(result: Numbers, machine: Numbers) -> list[str]:
    """Report for people."""
    lines = ["# The service under load", "", json.dumps(machine, ensure_ascii=False), ""]
    for name, numbers in result.items():
        rows = ([key, str(value)] for key, value in numbers.items())
        lines += [f"## {name}", "", *programs.table(("", ""), rows), ""]
    return lines[:-1]


def main() -> None:
    """Measure, print, and keep the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=500, help="requests a second")
    parser.add_argument("--seconds", type=float, default=10, help="how long at that rate")
    parser.add_argument("--minutes", type=float, default=10, help="how long the 24 clients ask")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=PARTS,
        default=PARTS,
        metavar="PART",
        help=f"some of {', '.join(PARTS)}; all by default",
    )
    parser.add_argument(
        "--out", type=Path, help="folder for service_load.md and .json, with the parts in the name"
    )
    options = parser.parse_args()
    result = measure(options.rate, options.minutes, options.seconds, options.seed, options.parts)
    machine = environment()
    some = [part for part in PARTS if part in options.parts and len(options.parts) < len(PARTS)]
    found, lines = {"environment": machine, "results": result}, report(result, machine)
    if options.out is None:
        print("\n".join(lines))
    else:
        programs.write_report(options.out, "-".join(["service_load", *some]), found, lines)


if __name__ == "__main__":
    main()
