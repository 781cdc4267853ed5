"""A service under mixed load while it is killed, locked out, short of disk and misled by its clock.

``python -m tests.soak --minutes 60 --report FILE``, run from the repository's root, is no test that
pytest collects. A real server runs as a process on loopback; every answer is compared with what the
backend ``reference`` says in this process. Jobs and batches that were begun must come to their end
with the same results, however often anything is killed. ``--report`` writes FILE and a ``.json``
beside it; the exit code is 1 where an answer was wrong or a job was lost. Linux only. The disk is
filled where a tmpfs can be mounted, the clock leaps where libfaketime is installed, and workers of
a cluster are killed where the extra ``dask`` is; the report says what was left out.
"""

import argparse
import contextlib
import functools
import importlib.util
import json
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import polars as pl

from benchmarks.service.requests import deal_objects
from benchmarks.tools.http_client import percentiles
from benchmarks.tools.machine import environment as machine
from benchmarks.tools.server import running_server, wait_until
from bidcascade.bridge import CALL_TEXTS, BidcascadeError
from bidcascade.engine.engine import Engine
from bidcascade.engine.runs.batches.batch import run_batch
from bidcascade.engine.settings import Settings
from bidcascade.loaders import random_deals
from bidcascade.loaders.inputs import find_sources
from bidcascade.service.api.app import create_app
from bidcascade.service.jobs.results import write_results
from bidcascade.systems import named_systems
from bidcascade.table import BiddingTable
from tests.service.jobs.support_jobs import UPLOAD, archive
from tests.service.jobs.test_job_server import children_of
from tests.support.cli import command, environment
from tests.support.imports import import_command, write_rows
from tests.support.service import ask

TABLE = "sayc"
OTHER_TABLES = tuple(name for name in named_systems() if name != TABLE)
"""All that are served where nobody says otherwise; they share the memory with it."""
CLIENTS = 3
NEW_CLIENTS = 2
JOB_CLIENTS = 2
SLOW_CLIENTS = 8
POOL_DEALS = 36
JOB_BOARDS = 200
CALM_JOB_BOARDS = 40
"""Where nothing is killed: what the definition says of many takes minutes."""
TMPFS_BYTES = 64 << 20
LONGEST_JOB_S = 900.0
TIMEOUT_MS = 120_000
"""Processes are killed and started all the time, beside other work."""
PLACES_BYTES = 128 << 20
"""Reached early, so that memory that goes on growing is a leak."""
NOTED_S = 10.0
"""Seconds between two looks at the memory of the service."""
SETTLED_MINUTES = 5.0
"""Until then memory may grow: places fill their budget."""
LOCKED_S = 14.0
"""Longer than a change waits for the store."""
FULL_S = 8.0
LEAP_S = 3.0
IMPORT_ROWS = 20_000
IMPORT_BYTES = 4 << 20
"""About what an import of so many rows has on the disk at most."""
CALM_S = (2.0, 40.0)
"""Between two faults."""
LEAPS = ("+3d", "+0", "-3d", "+2h", "-5h", "+400d", "+10y", "-2y", "+0")
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
REFUSALS = (408, 429, 503, 507)
LOCK = """
import sqlite3, sys, time
other = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
other.execute("BEGIN EXCLUSIVE")
time.sleep(float(sys.argv[2]))
"""


class Question(NamedTuple):
    """One request and what the definition answers."""

    kind: str
    method: str
    path: str
    body: dict[str, Any] | None
    answer: object


class JobKind(NamedTuple):
    """An archive, what is asked of it, and the files that must come of it."""

    query: str
    content: bytes
    boards: int
    files: dict[str, bytes]


# --- what the definition answers -----------------------------------------------------------------


def plain(answer: httpx.Response) -> object:
    """Body of an answer without the backend's name, times and whether it was ready by then."""
    if not answer.headers.get("content-type", "").startswith("application/json"):
        return answer.text
    return answer.json(object_hook=_without_measures)


def _without_measures(value: dict[str, Any]) -> dict[str, Any]:
    measures = ("backend", "seconds", "elapsed_ms", "warming")
    return {name: one for name, one in value.items() if name not in measures}


def questions() -> list[Question]:
    """Requests of all kinds with the answers of the backend ``reference``."""
    settings = Settings(
        table=TABLE, backend="reference", log_level="error", request_timeout_ms=TIMEOUT_MS
    )
    app = create_app(settings)
    app.state.own.tables.load()
    deals = deal_objects(POOL_DEALS, seed=11)
    asked: list[tuple[str, str, str, dict[str, Any] | None]] = [("page", "GET", "/", None)]
    for number, deal in enumerate(deals):
        hand = deal["deal"][2:].split()[0]
        asked.append(("bid", "POST", "/v1/bid", {"hand": hand, "dealer": deal["dealer"]}))
        for mode in ("first", "all"):
            body = {"deals": deals[number : number + 1 + number % 4], "mode": mode}
            asked.append((f"auctions {mode}", "POST", "/v1/auctions", body))
        if number % 12 == 0:
            body = {"hand": hand, "contract": "3NE", "layouts": 3, "seed": number}
            asked.append(("lead", "POST", "/v1/leads", body))
    for auction in (["1N", "P", "3N"], ["1S", "P", "2S"], ["P", "1H", "X"]):
        asked.append(("interpret", "POST", "/v1/interpret", {"auction": auction}))
    found = []
    for kind, method, path, body in asked:
        answer = ask(app, method, path, body=body, headers={"Host": "localhost"})
        if answer.status_code != 200:
            raise RuntimeError(f"expected an answer to {path}, got {answer.text[:300]}")
        found.append(Question(kind, method, path, body, plain(answer)))
    return found


def job_kinds(folder: Path, boards: int = JOB_BOARDS) -> list[JobKind]:
    """Jobs of all modes with their files as a run that nobody disturbs writes them."""
    engine = Engine.open(TABLE, "reference")
    found = []
    here = Path.cwd()
    asked = (
        ("first", ["parquet", "jsonl", "pbn"], False), ("all", ["jsonl"], False),
        ("counts", ["parquet"], False), ("first", ["jsonl"], True),
    )  # fmt: skip
    for number, (mode, forms, text) in enumerate(asked):
        form = ("lin", "pbn")[number % 2]
        content, name = archive(boards, form, seed=100 + number), f"season.{form}"
        place = folder / f"kind-{number}"
        (place / "results").mkdir(parents=True)
        (place / name).write_bytes(content)
        os.chdir(place)
        run_batch(engine, [Path(name)], "batch", mode=mode, text=text, jobs=1)  # type: ignore[arg-type]
        sources = find_sources([Path(name)])
        files = write_results(engine, place / "batch", place / "results", sources, forms)
        os.chdir(here)
        query = f"?mode={mode}&result={','.join(forms)}&name={name}"
        query += "&text=true" if text else ""
        found.append(
            JobKind(
                query,
                content,
                boards,
                {file.name: (place / "results" / file.name).read_bytes() for file in files},
            )
        )
    return found


# --- the service and what was seen of it ---------------------------------------------------------


class Seen:
    """Counts, latencies and faults; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.wrong: list[str] = []
        self.lost: list[str] = []

    def count(self, kind: str, what: str, seconds: float | None = None) -> None:
        """Count one answer; ``seconds`` where nothing disturbed it."""
        with self._lock:
            self.counts[kind][what] += 1
            if seconds is not None:
                self.seconds[kind].append(seconds)

    def complain(self, wrong: str, *, lost: bool = False) -> None:
        """Note what must not be."""
        print(("LOST: " if lost else "WRONG: ") + wrong, file=sys.stderr, flush=True)
        with self._lock:
            (self.lost if lost else self.wrong).append(wrong[:600])


class Service:
    """The server's process, started anew after each kill with the same data folder."""

    def __init__(self, data: Path, clock: Path | None, places_bytes: int) -> None:
        self.url = ""
        self._data = data
        self._clock = clock
        self._places_bytes = places_bytes
        self._running = contextlib.ExitStack()
        self._faults = 0
        self._disturbed: set[str] = set()

    def start(self, *, misled: bool = False) -> None:
        """Start a process; its address is there before it answers; ``misled`` by another clock."""
        preload = {} if not misled else {
            "LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(self._clock),
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
        }  # fmt: skip
        os.environ.update(preload)
        try:
            self.url, self.process = self._running.enter_context(
                running_server(
                    table=TABLE,
                    extra_tables=",".join(OTHER_TABLES),
                    backend="cpu",
                    data_folder=self._data,
                    log_level="error",
                    request_timeout_ms=TIMEOUT_MS,
                    places_bytes=self._places_bytes,
                )
            )
        finally:
            for name in preload:
                del os.environ[name]
        threading.Thread(target=self._pass_on, args=(self.process.stderr,), daemon=True).start()

    @staticmethod
    def _pass_on(stream: Any) -> None:
        with contextlib.suppress(ValueError, OSError):
            for line in stream:
                sys.stderr.write(f"  service: {line.decode('utf-8', 'replace')}")

    def wait(self) -> None:
        """Wait until it is ready."""
        wait_until(f"{self.url}/readyz", self.process)

    def rss(self) -> int:
        """Memory of the process in bytes."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text("ascii").splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmRSS"))

    def end(self) -> None:
        """End the process in whatever state it is."""
        self._running.close()

    @contextlib.contextmanager
    def disturbed(self, what: str) -> Iterator[None]:
        """Say that ``all`` requests, or only those of ``jobs``, may fail while the block runs."""
        self._faults += 1
        self._disturbed.add(what)
        try:
            yield
        finally:
            self._disturbed.discard(what)

    def state(self) -> tuple[int, frozenset[str]]:
        """What to hand to :meth:`excuse` after a request."""
        return self._faults, frozenset(self._disturbed)

    def excuse(self, before: tuple[int, frozenset[str]], *, job: bool) -> bool:
        """Whether a request since then may have been refused or cut off."""
        faults, during = before
        about = during | self._disturbed
        if self._faults != faults:
            # one that came and went meanwhile may have been of either kind
            return True
        return "all" in about or (job and "jobs" in about)


# --- clients -------------------------------------------------------------------------------------


class Load:
    """Clients that go on until they are stopped."""

    def __init__(self, service: Service, seen: Seen, seed: int) -> None:
        self.stopping = threading.Event()
        self.accepted = 0
        self.verified = 0
        self.failed_for_the_disk = 0
        self._service = service
        self._seen = seen
        self._seed = seed
        self._threads: list[threading.Thread] = []

    def start(self, work: Callable[..., None], *given: object) -> None:
        """Run one client in a thread."""
        thread = threading.Thread(target=self._guarded, args=(work, *given), daemon=True)
        self._threads.append(thread)
        thread.start()

    def _guarded(self, work: Callable[..., None], *given: object) -> None:
        try:
            work(*given)
        except Exception as error:
            # a client that dies unseen would make the run look good
            self._seen.complain(f"a client of the soak died: {error!r}")

    def stop(self) -> None:
        """Let the clients come to their end."""
        self.stopping.set()
        for thread in self._threads:
            thread.join(LONGEST_JOB_S + 60)
            if thread.is_alive():
                self._seen.complain("a client of the soak does not end")

    def request(
        self, kind: str, method: str, path: str, *, allowed: Sequence[int] = (200,), **given: Any
    ) -> httpx.Response | None:
        """One request; None where it was refused or cut off, and had an excuse."""
        before = self._service.state()
        job = kind.startswith("job")
        began = time.perf_counter()
        try:
            answer = httpx.request(method, self._service.url + path, timeout=120, **given)
        except httpx.TransportError as error:
            if not self._service.excuse(before, job=job):
                self._seen.complain(f"{kind}: {method} {path}: {error!r}")
            self._seen.count(kind, "cut off")
            return None
        seconds = time.perf_counter() - began
        excused = self._service.excuse(before, job=job)
        if answer.status_code in allowed:
            self._seen.count(kind, str(answer.status_code), None if excused else seconds)
            return answer
        self._seen.count(kind, str(answer.status_code))
        if answer.status_code not in REFUSALS or not excused:
            self._seen.complain(
                f"{kind}: {method} {path}: {answer.status_code} {answer.text[:300]}"
            )
        return None

    def ask_all(self, pool: Sequence[Question], number: int) -> None:
        """Ask questions at random."""
        chance = random.Random(self._seed + number)
        kinds = sorted({question.kind for question in pool})
        by_kind = {kind: [one for one in pool if one.kind == kind] for kind in kinds}
        weights = [
            {"bid": 8, "auctions first": 6, "auctions all": 4}.get(kind, 1) for kind in kinds
        ]
        while not self.stopping.is_set():
            question = chance.choice(by_kind[chance.choices(kinds, weights)[0]])
            answer = self.request(question.kind, question.method, question.path, json=question.body)
            if answer is not None and plain(answer) != question.answer:
                self._seen.complain(
                    f"{question.kind}: {question.body} was answered {answer.text[:300]}"
                )
            self.stopping.wait(chance.expovariate(1 / 0.03))

    def ask_new(self, number: int) -> None:
        """Ask about deals that nobody asked about before, and about places in their auctions."""
        chance = random.Random(self._seed + 200 + number)
        block = 1000 * (1 + number) * (1 + self._seed)
        while not self.stopping.is_set():
            block += 1
            table = chance.choice((TABLE, *OTHER_TABLES))
            deals = deal_objects(8, seed=block)
            for mode in ("first", "all"):
                answer = self.request(
                    f"new deals {mode}",
                    "POST",
                    "/v1/auctions",
                    json={"table": table, "deals": deals, "mode": mode},
                )
                if mode == "first" and answer is not None:
                    found = [one["auctions"][0]["calls"] for one in answer.json()["results"]]
                    self._ask_places(table, deals, found, chance)
            self.stopping.wait(chance.expovariate(1 / 0.05))

    def _ask_places(
        self,
        table: str,
        deals: list[dict[str, Any]],
        auctions: list[list[str]],
        chance: random.Random,
    ) -> None:
        """Ask for one call of each auction by its hand alone, and what the beginning shows."""
        for deal, calls in zip(deals, auctions, strict=True):
            depth = chance.randrange(len(calls))
            asked = {"table": table, **place_of(deal, calls, depth)}
            answer = self.request("new places", "POST", "/v1/bid", json=asked)
            if answer is not None and answer.json().get("call") != calls[depth]:
                self._seen.complain(f"bid: {asked} was answered {answer.text[:300]}")
        asked = {"table": table, "auction": calls[:depth], "dealer": deal["dealer"]}
        self.request("new auctions", "POST", "/v1/interpret", json=asked)

    def run_jobs(self, kinds: Sequence[JobKind], number: int) -> None:
        """Begin jobs, wait for each, compare its files, remove it."""
        chance = random.Random(self._seed + 50 + number)
        while not self.stopping.is_set():
            kind = chance.choice(kinds)
            answer = self.request(
                "job begun",
                "POST",
                f"/v1/jobs{kind.query}",
                allowed=(202,),
                content=kind.content,
                headers=UPLOAD,
            )
            if answer is None:
                self.stopping.wait(0.5)
                continue
            self.accepted += 1
            job_id = answer.json()["id"]
            if (reason := self._follow(job_id, kind)) == "":
                self.verified += 1
            elif "No space left" in reason or "max_data_bytes" in reason:
                self.failed_for_the_disk += 1
            else:
                self._seen.complain(f"job {job_id} {kind.query}: {reason}", lost=True)
            self._until(
                functools.partial(
                    self.request, "job removed", "DELETE", f"/v1/jobs/{job_id}", allowed=(204, 404)
                )
            )

    def _until(
        self, act: Callable[[], httpx.Response | None], seconds: float = 120
    ) -> httpx.Response | None:
        deadline = time.monotonic() + seconds
        while (answer := act()) is None and time.monotonic() < deadline:
            time.sleep(0.3)
        return answer

    def _follow(self, job_id: str, kind: JobKind) -> str:
        """Wait for a job's end; what is wrong with it, empty if nothing is."""
        deadline = float("inf")
        job: dict[str, Any] = {}
        path = f"/v1/jobs/{job_id}"
        while time.monotonic() < deadline:
            if self.stopping.is_set() and deadline == float("inf"):
                # nothing is killed any more
                deadline = time.monotonic() + LONGEST_JOB_S
            answer = self.request("job read", "GET", path, allowed=(200, 404))
            if answer is not None:
                if answer.status_code == 404:
                    return "is gone"
                job = answer.json()
                if job["state"] not in ("queued", "running"):
                    break
            time.sleep(0.3)
        else:
            return f"has not ended in {LONGEST_JOB_S} s after the last fault: {job}"
        if job["state"] != "done":
            return f"{job['state']}: {job['error']}"
        if job["progress"]["boards"] != kind.boards:
            return f"answered {job['progress']['boards']} boards of {kind.boards}"
        if {file["name"] for file in job["results"]} != set(kind.files):
            return f"left {job['results']}"
        for name, expected in kind.files.items():
            get = functools.partial(self.request, "job result", "GET", f"{path}/results/{name}")
            found = self._until(get)
            if found is None or found.content != expected:
                return f"left another {name} than a run that nobody disturbs"
        return ""

    def be_slow(self, number: int) -> None:
        """Send a request byte by byte, or read no answer; leave in the middle."""
        chance = random.Random(self._seed + 100 + number)
        body = json.dumps({"deals": deal_objects(1, seed=number), "mode": "first"}).encode()
        head = (
            "POST /v1/auctions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode()
        while not self.stopping.is_set():
            port = int(self._service.url.rpartition(":")[2])
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)) as one:
                one.settimeout(1)
                if chance.random() < 0.3:
                    # asks for more than the system keeps for it, and never reads
                    one.sendall(200 * b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                    self.stopping.wait(chance.uniform(1, 10))
                else:
                    message = head + body
                    for place in range(chance.randrange(len(head) + 200)):
                        one.sendall(message[place : place + 1])
                        if self.stopping.wait(0.05):
                            break
                self._seen.count("slow client", "left")
            self.stopping.wait(0.2)

    def run_batches(self, folder: Path, more: Sequence[str]) -> None:
        """Kill the command ``batch`` at random moments and take it up until it is done.

        With ``more`` for a cluster, its workers are killed as often as all of it.
        """
        kind = "batch on a cluster" if more else "batch"
        chance = random.Random(self._seed + 60 + len(more))
        content = archive(JOB_BOARDS, seed=300)
        (folder / "season.lin").write_bytes(content)
        engine = Engine.open(TABLE, "reference")
        run_batch(engine, folder / "season.lin", folder / "undisturbed", mode="first", jobs=1)
        expected = batch_rows(folder / "undisturbed")
        turn = 0
        while not self.stopping.is_set():
            turn += 1
            out = folder / f"out-{turn}"
            arguments = command(
                "batch",
                folder / "season.lin",
                "--mode",
                "first",
                "--resume",
                "--backend",
                "cpu",
                "--jobs",
                1,
                "--part-deals",
                20 if more else 50,
                "--table",
                TABLE,
                "--out",
                out,
                *more,
            )
            for _ in range(chance.randint(2, 6)):
                longest = chance.uniform(0.5, 12 if more else 6)
                workers_only = bool(more) and chance.random() < 0.5
                self._run_killed(kind, arguments, longest, workers_only=workers_only)
            done = self._run_killed(kind, arguments, LONGEST_JOB_S)
            if done.returncode or not batch_rows(out).equals(expected):
                self._seen.complain(f"{kind}: {done.returncode} {done.stderr[-300:]!r}", lost=True)
            else:
                self._seen.count(kind, "finished with the same rows")

    def _run_killed(
        self, kind: str, arguments: list[str], longest: float, *, workers_only: bool = False
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run a command; kill it, or only the processes it started, after so many seconds."""
        process = subprocess.Popen(
            arguments,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        said = b""
        try:
            _, said = process.communicate(timeout=longest)
        except subprocess.TimeoutExpired:
            if workers_only:
                for number in children_of(process.pid):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(number, signal.SIGKILL)
                self._seen.count(kind, "workers killed")
                with contextlib.suppress(subprocess.TimeoutExpired):
                    _, said = process.communicate(timeout=longest)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                _, said = process.communicate()
                self._seen.count(kind, "killed")
        return subprocess.CompletedProcess(arguments, process.returncode, b"", said)

    def run_imports(self, disk: Path, rows: Path, digest: str) -> None:
        """Kill imports of a table at random moments, and let the disk be full for others."""
        chance = random.Random(self._seed + 70)
        out, filler = disk / "table", disk / "filler"
        arguments = import_command(rows, out)
        while not self.stopping.is_set():
            for _ in range(chance.randint(1, 4)):
                self._run_killed("import", arguments, chance.uniform(0.5, 5))
                self._look_at_table(out, digest)
            if os.path.ismount(disk):
                free = shutil.disk_usage(disk).free
                filler.write_bytes(bytes(max(0, free - chance.randrange(IMPORT_BYTES))))
                done = self._run_killed("import", arguments, LONGEST_JOB_S)
                told = done.returncode == 2 and b"No space left on device" in done.stderr
                if done.returncode and not told:
                    self._seen.complain(f"import: {done.returncode} {done.stderr[-300:]!r}")
                self._seen.count("import", "refused by a full disk" if told else "done")
                self._look_at_table(out, digest)
                filler.unlink()
            done = self._run_killed("import", arguments, LONGEST_JOB_S)
            left = sorted(path.name for path in disk.iterdir())
            if done.returncode or left != ["table"] or not self._look_at_table(out, digest):
                self._seen.complain(
                    f"import: {done.returncode} {done.stderr[-300:]!r}, {left}", lost=True
                )
            else:
                self._seen.count("import", "finished with the same table")
            shutil.rmtree(out, ignore_errors=True)

    def _look_at_table(self, out: Path, digest: str) -> bool:
        """Complain of a table that is there and not whole; whether it is there."""
        if not out.exists():
            return False
        try:
            found = BiddingTable.open(out, verify=True).digest
        except BidcascadeError as error:
            found = str(error)
        if found != digest:
            self._seen.complain(f"import: left another table: {found}", lost=True)
        return found == digest


def batch_rows(folder: Path) -> pl.DataFrame:
    """Answers of a batch in mode first."""
    return pl.read_parquet(sorted(folder.glob("auctions-*.parquet")))


# --- faults --------------------------------------------------------------------------------------


class Faults:
    """What is done to the service; each comes to its end before the next."""

    def __init__(self, service: Service, seen: Seen, data: Path, clock: Path | None) -> None:
        self._service = service
        self._seen = seen
        self._data = data
        self._clock = clock

    def kill_service(self, sent: signal.Signals, *, early: bool) -> None:
        """End the service by a signal and start the next; ``early``: end that one at once, too."""
        with self._service.disturbed("all"):
            self._service.process.send_signal(sent)
            self._service.process.wait(120)
            self._service.end()
            self._service.start()
            if early:
                time.sleep(random.uniform(0, 3))
                self._service.process.kill()
                self._service.process.wait()
                self._service.end()
                self._service.start()
            self._service.wait()

    def kill_jobs(self) -> None:
        """Kill the processes of jobs, whatever they are at."""
        for number in children_of(self._service.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
                self._seen.count("process of a job", "killed")

    def lock_store(self) -> None:
        """Let another process hold the store longer than changes wait for it."""
        with self._service.disturbed("jobs"):
            command = [sys.executable, "-c", LOCK, str(self._data / "jobs.sqlite"), str(LOCKED_S)]
            subprocess.run(command, check=True, timeout=LOCKED_S + 100)
            # a change that has waited behind others
            time.sleep(12)

    def fill_disk(self) -> None:
        """Leave no room in the data folder for some seconds."""
        filler = self._data / "filler"
        with self._service.disturbed("jobs"):
            with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
                while file.write(bytes(1 << 16)):
                    pass
            time.sleep(FULL_S)
            filler.unlink()
            time.sleep(2)

    def leap(self) -> None:
        """Run the service by a clock that leaps, then by the right one again.

        Sleeps fail at times under libfaketime, so that requests are not looked at; jobs are.
        """
        assert self._clock is not None
        with self._service.disturbed("all"):
            for misled in (True, False):
                self._service.process.kill()
                self._service.process.wait()
                self._service.end()
                self._service.start(misled=misled)
                self._service.wait()
                for leap in LEAPS if misled else ():
                    self._clock.write_text(f"{leap}\n", "ascii")
                    time.sleep(LEAP_S)

    def run(self, seconds: float, chance: random.Random) -> None:
        """Do all of it in turn, in an order by chance."""
        kinds: dict[str, Callable[[], None]] = {
            "service killed": lambda: self.kill_service(signal.SIGKILL, early=False),
            "service killed twice": lambda: self.kill_service(signal.SIGKILL, early=True),
            "service stopped": lambda: self.kill_service(signal.SIGTERM, early=False),
            "jobs killed": self.kill_jobs,
            "jobs killed again": self.kill_jobs,
            "store locked": self.lock_store,
        }
        if os.path.ismount(self._data):
            kinds["disk full"] = self.fill_disk
        if self._clock is not None:
            kinds["clock leaps"] = self.leap
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for name in chance.sample(sorted(kinds), len(kinds)):
                if time.monotonic() >= deadline:
                    break
                kinds[name]()
                self._seen.count("fault", name)
                time.sleep(chance.uniform(*CALM_S))


# --- memory --------------------------------------------------------------------------------------


def place_of(deal: dict[str, Any], calls: list[str], depth: int) -> dict[str, Any]:
    """Request for the call of whoever's turn it is after ``depth`` calls of a deal's auction."""
    hands = deal["deal"][2:].split()
    turn = "NESW".index(deal["dealer"]) - "NESW".index(deal["deal"][0]) + depth
    return {
        "hand": hands[turn % 4],
        "auction": calls[:depth],
        "dealer": deal["dealer"],
        "vulnerability": deal["vulnerability"],
    }


def note_memory(service: Service, minutes: float) -> list[tuple[float, int]]:
    """Look at the service's memory while the load runs: minutes since the start, and bytes."""
    noted: list[tuple[float, int]] = []
    began = time.monotonic()
    while (passed := (time.monotonic() - began) / 60) < minutes:
        noted.append((round(passed, 2), service.rss()))
        print(f"{passed:.1f} minutes: {service.rss() >> 20} MiB", flush=True)
        time.sleep(NOTED_S)
    return noted


def settled_memory(noted: Sequence[tuple[float, int]]) -> dict[str, int | str]:
    """How far the memory went from its middle once it had settled, for people.

    A look meets what is being answered just then; the middle one of a minute's looks does not.
    """
    minutes = defaultdict(list)
    for minute, size in noted:
        if minute >= SETTLED_MINUTES:
            minutes[int(minute)].append(size >> 20)
    each = [size for sizes in minutes.values() for size in sizes]
    medians = [round(statistics.median(sizes)) for sizes in minutes.values()]
    after = f"memory of the service after {SETTLED_MINUTES:.0f} minutes, MiB"
    return {after: spread(each), f"{after}, a minute's median": spread(medians)}


def spread(sizes: Sequence[int]) -> str:
    """Least and most, and how far they are from their middle, for people."""
    if not sizes:
        return "not noted for so long"
    low, high = min(sizes), max(sizes)
    return f"{low:,} to {high:,} (± {100 * (high - low) / (high + low):.1f} %)"


def grow(service: Service, seen: Seen, count: int) -> list[tuple[int, int]]:
    """Ask about so many different deals and auctions; memory after each tenth thousand.

    Eight of ten are deals; two are places in the auctions that the table bids with them, where the
    next call must be that of the auction.
    """
    engine, reference = Engine.open(TABLE, "cpu"), Engine.open(TABLE, "reference")
    noted = [(0, service.rss())]
    done = 0
    with httpx.Client(base_url=service.url, timeout=120) as client:
        for block in range(-(-count // 1000)):
            deals = random_deals(800, seed=10_000 + block)
            bodies = deal_objects(800, seed=10_000 + block)
            auctions = engine.auctions(deals, mode="first")["auction"]
            if block % 10 == 0:
                by_definition = reference.auctions(deals.head(80), mode="first")["auction"]
                if not by_definition.equals(auctions.head(80)):
                    seen.complain(f"deals of seed {10_000 + block}: cpu is not the definition")
            texts = [[CALL_TEXTS[call] for call in auction] for auction in auctions.to_list()]
            for first in range(0, 800, 8):
                began = time.perf_counter()
                answer = client.post(
                    "/v1/auctions", json={"deals": bodies[first : first + 8], "mode": "first"}
                )
                seen.count("memory: 8 deals", str(answer.status_code), time.perf_counter() - began)
                found = [one["auctions"][0]["calls"] for one in answer.json()["results"]]
                if found != texts[first : first + 8]:
                    seen.complain(f"deals {first} of seed {10_000 + block}: {answer.text[:300]}")
                for place in (first, first + 4):
                    deal, calls = bodies[place], texts[place]
                    depth = (place * 7 + block) % len(calls)
                    asked = place_of(deal, calls, depth)
                    began = time.perf_counter()
                    answer = client.post("/v1/bid", json=asked)
                    seen.count("memory: bid", str(answer.status_code), time.perf_counter() - began)
                    if answer.json().get("call") != calls[depth]:
                        seen.complain(f"bid: {asked} was answered {answer.text[:300]}")
            done += 1000
            if done % 10_000 == 0 or done in (1000, count):
                noted.append((done, service.rss()))
                print(f"{done:,} deals and auctions: {service.rss() >> 20} MiB", flush=True)
    return noted


# --- the report ----------------------------------------------------------------------------------


def markdown(report: dict[str, Any]) -> str:
    """The report as text."""
    lines = [
        "# A service that is disturbed", "", json.dumps(report["environment"]), "",
        f"{report['minutes']:.0f} minutes of mixed load, {report['note']}", "",
        "| | |", "| --- | ---: |",
        *(f"| {name} | {value} |" for name, value in report["totals"].items()), "",
        "## Answers", "", "| kind | answers | p50 ms | p99 ms |", "| --- | --- | ---: | ---: |",
    ]  # fmt: skip
    for kind, counts in sorted(report["counts"].items()):
        told = ", ".join(f"{what}: {count:,}" for what, count in sorted(counts.items()))
        times = report["latency"].get(kind, {})
        lines.append(f"| {kind} | {told} | {times.get('p50_ms', '')} | {times.get('p99_ms', '')} |")
    lines += ["", "Times are those of answers that no fault could have touched."]
    for what in ("different deals and auctions", "minutes"):
        if report["memory"][what]:
            lines += [
                "",
                f"## Memory of the service by {what}",
                "",
                f"| {what} | MiB |",
                "| ---: | ---: |",
            ]
        lines += [f"| {place:,} | {size >> 20:,} |" for place, size in report["memory"][what]]
    for title in ("left out", "wrong", "lost"):
        if report[title]:
            lines += ["", f"## {title.capitalize()}", "", *(f"* {one}" for one in report[title])]
    return "\n".join(lines) + "\n"


def report_on(
    options: argparse.Namespace,
    found: dict[str, str],
    seen: Seen,
    memory: dict[str, Sequence[tuple[float, int]]],
    left_out: list[str],
    totals: dict[str, int | str] | None = None,
    minutes: float = 0.0,
) -> int:
    """Show and write the report; the exit code."""
    report = {
        "environment": found, "minutes": minutes, "note": options.note,
        "totals": {"wrong answers": len(seen.wrong), "lost jobs and batches": len(seen.lost),
                   **(totals or {})},
        "counts": {kind: dict(counts) for kind, counts in seen.counts.items()},
        "latency": {kind: percentiles(times) for kind, times in seen.seconds.items()},
        "memory": memory, "left out": left_out, "wrong": seen.wrong, "lost": seen.lost,
    }  # fmt: skip
    text = markdown(report)
    print(text)
    if options.report is not None:
        options.report.write_text(text, "utf-8")
        options.report.with_suffix(".json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    return 1 if seen.wrong or seen.lost else 0


def mounted(folder: Path, stack: contextlib.ExitStack) -> str:
    """Make a folder a small disk of its own; why not, where that cannot be done."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={TMPFS_BYTES}", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"disk full: no tmpfs can be mounted ({error})"
    stack.callback(subprocess.run, ["umount", "--lazy", str(folder)], check=False)
    return ""


def main() -> int:
    """Run it all and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--different", type=int, default=50_000, help="deals and auctions")
    parser.add_argument(
        "--places-mib",
        type=int,
        default=PLACES_BYTES >> 20,
        help="memory for what the service knows at places",
    )
    parser.add_argument(
        "--calm", action="store_true", help="no faults: the memory of one process under load"
    )
    parser.add_argument("--note", default="nothing else ran", help="what else ran")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    # what was mounted and started is undone
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    found = machine()
    seen = Seen()
    left_out = []
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        data = folder / "data"
        if why := mounted(data, stack):
            left_out.append(why)
        disk = folder / "imports"
        mounted(disk, stack)
        clock = None
        if FAKETIME.exists():
            clock = folder / "clock"
            clock.write_text("+0\n", "ascii")
        else:
            left_out.append("clock leaps: libfaketime is not installed")
        service = Service(data, None, options.places_mib << 20)
        stack.callback(service.end)
        memory: dict[str, Sequence[tuple[float, int]]] = {
            "different deals and auctions": [],
            "minutes": [],
        }
        if options.different:
            service.start()
            service.wait()
            memory["different deals and auctions"] = grow(service, seen, options.different)
            service.end()
        if not options.minutes:
            return report_on(options, found, seen, memory, left_out)
        print("the definition is asked", flush=True)
        boards = CALM_JOB_BOARDS if options.calm else JOB_BOARDS
        pool, kinds = questions(), job_kinds(folder, boards)
        (folder / "batches").mkdir()
        (folder / "cluster").mkdir()
        imported = folder / "rows.jsonl", write_rows(folder / "rows.jsonl", IMPORT_ROWS)
        service = Service(data, clock, options.places_mib << 20)
        stack.callback(service.end)
        service.start()
        service.wait()
        began, memory_at_start = time.monotonic(), service.rss()
        load = Load(service, seen, options.seed)
        for number in range(CLIENTS):
            load.start(load.ask_all, pool, number)
        for number in range(NEW_CLIENTS):
            load.start(load.ask_new, number)
        for number in range(JOB_CLIENTS):
            load.start(load.run_jobs, kinds, number)
        for number in range(SLOW_CLIENTS):
            load.start(load.be_slow, number)
        totals: dict[str, int | str] = {}
        print("the load runs", flush=True)
        if options.calm:
            memory["minutes"] = note_memory(service, options.minutes)
            totals |= settled_memory(memory["minutes"])
        else:
            load.start(load.run_batches, folder / "batches", ())
            load.start(load.run_imports, disk, *imported)
            if importlib.util.find_spec("distributed"):
                load.start(load.run_batches, folder / "cluster", ("--devices", "0,1"))
            else:
                left_out.append("workers of a cluster: distributed is not installed")
            Faults(service, seen, data, clock).run(60 * options.minutes, chance)
        load.stop()
        totals |= {
            "jobs accepted": load.accepted,
            "jobs done, with the same bytes": load.verified,
            "jobs failed while the disk was full, and said so": load.failed_for_the_disk,
            "memory of the service at the start, MiB": memory_at_start >> 20,
            "memory of the service at the end, MiB": service.rss() >> 20,
        }
        return report_on(
            options, found, seen, memory, left_out, totals, (time.monotonic() - began) / 60
        )


if __name__ == "__main__":
    sys.exit(main())
