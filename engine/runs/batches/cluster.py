"""The batch's end of a Dask cluster: parts go out as tasks, answers come back as files.

    batch ── client ── scheduler ─┬─ worker: table and plan kept open, a part at a time
                                  └─ worker: the same
      .scheduler.<pid>.partial/ ← files of answered parts, until all parts before them are there

The batch reads, cuts into parts and makes answered ones count, in order, as it does without a
cluster. What a lost worker was at is done again by another one; a part is written once, here. The
cluster is one that is there, or is started for the devices of this machine.
"""

import io
import json
import logging
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Condition
from typing import Any, Final
from uuid import uuid4

import numpy as np
import polars as pl

from bidcascade import bridge
from bidcascade.bridge import BackendUnavailable, BidcascadeError, InvalidInput
from bidcascade.engine.engine import Engine
from bidcascade.engine.extras import imported
from bidcascade.kernels import backend_name
from bidcascade.kernels.machine.child_processes import safe_spawning
from bidcascade.kernels.types import U64
from bidcascade.loaders.files.whole_files import PARTIAL_SUFFIX, CannotWrite, can_write, whole_file
from bidcascade.systems import is_system

from . import tasks
from .batch_parts import PART_COLUMNS, AnsweredPart, Answerer, Elsewhere, PartRequest

CONNECT_S: Final = 5.0
"""Seconds in which a scheduler must answer, and then a first worker be there."""
_START_S: Final = 60.0
_VISIBLE: Final = "CUDA_VISIBLE_DEVICES"
_LOOK_S: Final = 2.0
_REPORT_AFTER_S: Final = 30.0

_log = logging.getLogger(__name__)
_ADDRESS = re.compile(r"(?:tcp|tls)://(?:[\w.-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})", re.ASCII)


def check_address(text: str) -> str:
    """Check the address of a scheduler.

    Raises
    ------
    InvalidInput
        If it is none.
    """
    found = _ADDRESS.fullmatch(text)
    if found is None or not 0 < int(found[1]) < 1 << 16:
        raise InvalidInput(f"expected a scheduler as tcp://host:port, got {text!r}")
    return text


@contextmanager
def connected(
    address: str,
    backend: str = "auto",
    *,
    connect_s: float = CONNECT_S,
    worker_s: float = CONNECT_S,
) -> Iterator["Cluster"]:
    """Connect to a cluster while the block runs.

    Parameters
    ----------
    address : str
        Of the scheduler, as ``tcp://host:8786``.
    backend : {"auto", "reference", "cpu", "cuda"}
        Of the workers; ``auto`` is what the first one finds, for all.
    connect_s : float
        Seconds in which the scheduler must answer.
    worker_s : float
        Seconds after that in which a worker must be there.

    Yields
    ------
    Cluster
        What ``run_batch`` takes as ``elsewhere``.

    Raises
    ------
    InvalidInput
        If the address is none.
    BackendUnavailable
        If ``distributed`` is not installed, no scheduler answers or it has no worker.
    """
    check_address(address)
    dask, distributed = imported("dask", "dask", "distributed")
    with ExitStack() as stack:
        # a part is some megabytes, which Dask would rather have in few large pieces: it is one
        stack.enter_context(
            dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GiB"})
        )
        try:
            client = distributed.Client(address, timeout=connect_s, set_as_default=False)
        except (OSError, ValueError) as error:
            raise BackendUnavailable(
                f"no Dask scheduler answers at {address!r} within {connect_s:g} s: {_root(error)}"
            ) from None
        stack.callback(client.close)
        try:
            client.wait_for_workers(1, timeout=worker_s)
        except TimeoutError:
            raise BackendUnavailable(
                f"the scheduler at {address!r} has no worker after {worker_s:g} s"
            ) from None
        yield Cluster(client, address, backend)


def on_devices(devices: Sequence[str], backend: str) -> Elsewhere:
    """Answer in processes of this machine, one for each device; they end with the batch.

    Parameters
    ----------
    devices : sequence of str
        Numbers among the devices that this process sees, or names that CUDA knows them by, of which
        dask-cuda gives each process its own. For other backends only how many there are counts.
    backend : {"reference", "cpu", "cuda"}

    Raises
    ------
    BackendUnavailable
        If the backend cannot run here, there is no such device or the extra is not installed.
    """
    backend_name(backend)
    options: dict[str, Any]
    if backend == "cuda":
        from bidcascade.kernels.cuda_device import check_device_name

        for device in devices:
            check_device_name(device)
        (module,) = imported("dask-gpu", "dask_cuda")
        start, options = module.LocalCUDACluster, {"CUDA_VISIBLE_DEVICES": visible(devices)}
    else:
        (module,) = imported("dask", "distributed")
        start, options = module.LocalCluster, {"n_workers": len(devices)}

    @contextmanager
    def started(engine: Engine, folder: Path) -> Iterator[Answerer]:
        # until the end: a process that has died is started again
        with safe_spawning():
            try:
                cluster = start(
                    **options,
                    threads_per_worker=1,
                    processes=True,
                    # a table that is mapped into memory is no reason to end a process
                    memory_limit=0,
                    dashboard_address="127.0.0.1:0",
                    scheduler_kwargs={"dashboard": False},
                )
            # NVML's errors, of a name that no device has, have no class of Python above them
            except Exception as error:
                raise BackendUnavailable(
                    f"no processes for devices {', '.join(devices)}: {_root(error)}"
                ) from None
            with (
                cluster,
                connected(cluster.scheduler_address, backend, worker_s=_START_S) as there,
                there(engine, folder) as answerer,
            ):
                yield answerer

    return started


def visible(devices: Sequence[str]) -> list[str]:
    """Names for CUDA of devices that are numbered among those that this process sees."""
    seen = [name.strip() for name in os.environ.get(_VISIBLE, "").split(",") if name.strip()]
    return [seen[int(one)] if seen and one.isdecimal() else one for one in devices]


class Cluster:
    """A cluster that is connected: called as ``run_batch`` calls its ``elsewhere``.

    Parameters
    ----------
    client : distributed.Client
    address : str
        Of its scheduler, for messages.
    backend : {"auto", "reference", "cpu", "cuda"}
        What is asked of the workers, and what answers once a batch has begun.
    """

    def __init__(self, client: Any, address: str, backend: str) -> None:
        self.backend = backend
        self._client = client
        self._address = address

    @contextmanager
    def __call__(self, engine: Engine, folder: Path) -> Iterator[Answerer]:
        """Have a worker open the table; what is under way is cancelled when the block ends.

        Parameters
        ----------
        engine : Engine
            Table of the batch. One that is neither a folder nor one of the package's own is
            written to the batch's folder for the time, where each worker must see it.
        folder : path
            Folder of the batch.

        Raises
        ------
        BackendUnavailable
            If a worker cannot run the backend.
        InvalidInput, InvalidTable
            If the first worker does not see the table, or has another one or other versions.
        """
        folder = folder.resolve()
        own = folder / f".scheduler.{os.getpid()}{PARTIAL_SUFFIX}"
        with ExitStack() as stack:
            place, options = stack.enter_context(table_place(engine, folder))
            start = {
                "table": _seen_from_anywhere(place),
                "options": _absolute_overlays(options),
                "digest": engine.digest,
                "backend": self.backend,
                "versions": tasks.versions(),
            }
            ready = self._client.submit(tasks.prepare, json.dumps(start), pure=False).result()
            if "error" in ready:
                raise _error_of(ready)
            self.backend = start["backend"] = ready["backend"]
            with can_write(own):
                own.mkdir(exist_ok=True)
            stack.callback(shutil.rmtree, own, ignore_errors=True)
            answerer = ClusterAnswerer(
                self._client, self._address, json.dumps(start), self.backend, own
            )
            stack.callback(answerer.end)
            yield answerer


class ClusterAnswerer:
    """Answers parts on the workers of a cluster; made by :class:`Cluster`."""

    def __init__(self, client: Any, address: str, start: str, backend: str, folder: Path) -> None:
        self.backend = backend
        self._client = client
        self._address = address
        self._start = start
        self._folder = folder
        self._run = uuid4().hex
        self._changed = Condition()
        self._under_way: set[Any] = set()
        self._started = 0
        self._ended = False
        self._sum: U64 | None = None
        self._ahead = 2
        self._looked = self._had_workers = -_REPORT_AFTER_S

    @property
    def ahead(self) -> int:
        """Parts under way at once: two for each thread of the workers that are there now."""
        now = time.monotonic()
        if now - self._looked >= _LOOK_S:
            self._looked = now
            try:
                threads = sum(self._client.nthreads().values())
            except OSError as error:
                raise BackendUnavailable(
                    f"lost the scheduler at {self._address!r}: {_line(error)}"
                ) from None
            if threads:
                self._ahead = 2 * threads
                self._had_workers = now
            elif now - self._had_workers >= _REPORT_AFTER_S:
                self._had_workers = now
                _log.warning("the scheduler at %s has no worker: waiting", self._address)
        return self._ahead

    def answer(self, boards: pl.DataFrame, request: PartRequest) -> "Future[AnsweredPart]":
        """Send a part to the cluster; waits while enough are under way."""
        done: Future[AnsweredPart] = Future()

        def take(reply: tasks.TaskReply) -> None:
            sizes = {}
            for name, content in reply["files"].items():
                path = self._folder / name
                with whole_file(path) as partial, can_write(path):
                    partial.write_bytes(content)
                sizes[name] = len(content)
            done.set_result(AnsweredPart(reply["rows"], sizes, self._folder))

        self._submit(boards, done, take, tasks.answer, json.dumps(request._asdict()))
        return done

    def count(self, boards: pl.DataFrame, total: U64) -> "Future[None]":
        """Have a part counted; :meth:`gather` adds it to ``total``."""
        done: Future[None] = Future()

        def take(reply: tasks.TaskReply) -> None:
            with self._changed:
                if self._sum is None:
                    self._sum = np.zeros(len(total), np.uint64)
                self._sum[np.frombuffer(reply["places"], "<u4")] += np.frombuffer(
                    reply["counts"], "<u8"
                )
            done.set_result(None)

        self._submit(boards, done, take, tasks.count)
        return done

    def gather(self, total: U64) -> None:
        """Add to ``total`` what was counted since the last time."""
        with self._changed:
            if self._sum is not None:
                total += self._sum
                self._sum[:] = 0

    def end(self) -> None:
        """Cancel what is under way, and take in nothing any more."""
        with self._changed:
            self._ended = True
            left = list(self._under_way)
            self._under_way.clear()
        if left and self._client.status == "running":
            self._client.cancel(left)

    def _submit(
        self,
        boards: pl.DataFrame,
        done: "Future[Any]",
        take: Callable[[tasks.TaskReply], None],
        task: Callable[..., tasks.TaskReply],
        *question: str,
    ) -> None:
        while True:
            ahead = self.ahead
            with self._changed:
                if len(self._under_way) < ahead:
                    break
                self._changed.wait(_LOOK_S)
        self._started += 1
        sent = self._client.submit(
            task,
            self._start,
            *question,
            frame_bytes(boards.select(PART_COLUMNS)),
            key=f"bidcascade-{self._run}-{self._started}",
            pure=False,
        )
        with self._changed:
            self._under_way.add(sent)

        def finish(came: Any) -> None:
            try:
                with self._changed:
                    if self._ended:
                        return
                take(self._reply(came))
            except Exception as error:
                # raised where the part is waited for; this thread only carries it there
                done.set_exception(error)
            finally:
                with self._changed:
                    self._under_way.discard(came)
                    self._changed.notify_all()

        sent.add_done_callback(finish)

    def _reply(self, came: Any) -> tasks.TaskReply:
        """Answer of a task that is done, from the worker that has it."""
        if came.status == "error":
            raise BackendUnavailable(
                f"the cluster at {self._address!r} failed: {_line(came.exception())}"
            )
        if came.status != "finished":
            raise BackendUnavailable(
                f"lost the scheduler at {self._address!r}: resume when it is there again"
            )
        reply: tasks.TaskReply = came.result()
        if "error" in reply:
            raise _error_of(reply)
        return reply


@contextmanager
def table_place(engine: Engine, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name or folder, and options, with which a process can open the engine's table."""
    if engine.opened_from is not None:
        name, options = engine.opened_from
        if engine.bidder.overlays or is_system(name) or Path(name).is_dir():
            yield name, options
            return
    place = folder / f".table.{os.getpid()}{PARTIAL_SUFFIX}"
    try:
        engine.bidder.save(place)
        yield str(place), {}
    finally:
        shutil.rmtree(place, ignore_errors=True)


def frame_bytes(frame: pl.DataFrame) -> bytes:
    """Frame as an Arrow IPC stream."""
    buffer = io.BytesIO()
    frame.rechunk().write_ipc_stream(buffer)
    return buffer.getvalue()


def _error_of(reply: tasks.TaskReply) -> Exception:
    """Error that a worker has told, as one of the same kind."""
    text, name = f"worker {reply['worker']}: {reply['text']}", reply["error"]
    if name == "MemoryError":
        return MemoryError(text)
    kind = getattr(bridge, name, None)
    if isinstance(kind, type) and issubclass(kind, BidcascadeError):
        return kind(text)
    return CannotWrite(text)


def _seen_from_anywhere(place: str) -> str:
    """Name of a system of the package, or the whole path of anything else."""
    # also where a file here has the name of a system: the system is what the batch opened
    if is_system(place) and not Path(place).suffix:
        return place
    return str(Path(place).resolve())


def _absolute_overlays(options: dict[str, Any]) -> dict[str, Any]:
    if "overlays" not in options:
        return options
    return {**options, "overlays": [str(Path(one).resolve()) for one in options["overlays"]]}


def _line(error: BaseException) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


def _root(error: BaseException) -> str:
    """Say what was behind an error: a refused connection, not that there was no time left."""
    root = error
    behind: BaseException | None = error
    while behind is not None:
        if isinstance(behind, OSError):
            root = behind
        behind = behind.__cause__
    return _line(root)
