"""One process for each device of a batch; each sees its own device only.

    batch ── queue ─┬─ thread ── pipe ── process, CUDA_VISIBLE_DEVICES=0 ── .device-0.partial/
                    └─ thread ── pipe ── process, CUDA_VISIBLE_DEVICES=1 ── .device-1.partial/

The batch reads and cuts into parts; a part goes to the process that is free first, which writes its
files into a folder of its own; the batch brings them to their place when all parts before are
there. A process that fails ends the batch: what counts by then stays, and can be resumed.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from queue import Queue
from threading import Semaphore
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import polars as pl

from bidcascade.bridge import BackendUnavailable, InvalidInput
from bidcascade.kernels.types import U64
from bidcascade.service.engine import Engine
from bidcascade.systems import is_system

from .batch_parts import PART_COLUMNS, Answered, Asked
from .device_worker import error_of, frame_bytes
from .pipe_messages import receive, send
from .whole_files import PARTIAL_SUFFIX

VISIBLE: Final = "CUDA_VISIBLE_DEVICES"
_END_S: Final = 10.0
_WORKER: Final = "bidcascade.service.jobs.device_worker"

Reply: TypeAlias = dict[str, Any]
_Result = TypeVar("_Result")


class DeviceProcess:
    """One process: started, asked one thing at a time, ended."""

    def __init__(self, device: str, folder: Path) -> None:
        self.device = device
        self.folder = folder
        self._process = subprocess.Popen(
            [sys.executable, "-m", _WORKER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment_of(device),
        )  # fmt: skip

    def start(self, message: Mapping[str, Any]) -> None:
        """Tell it what the batch is about; its answer comes with :meth:`answer`."""
        with suppress(BrokenPipeError):
            self._send({**message, "folder": str(self.folder)}, b"")

    def ask(self, message: Mapping[str, Any], block: bytes = b"") -> Reply:
        """Ask and wait for the answer; errors there are raised here."""
        with suppress(BrokenPipeError):
            self._send(message, block)
        return self.answer()

    def answer(self) -> Reply:
        """Wait for the answer to what was sent."""
        assert self._process.stdout is not None
        received = receive(self._process.stdout)
        if received is None:
            code = self._process.wait()
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise BackendUnavailable(
                f"the process of device {self.device!r} ended with {how} before it answered"
            )
        message, _ = received
        if "error" in message:
            raise error_of(message, f"device {self.device!r}")
        return message

    def _send(self, message: Mapping[str, Any], block: bytes) -> None:
        assert self._process.stdin is not None
        send(self._process.stdin, message, block)

    def end(self, *, at_once: bool) -> None:
        """End it: with what it is at, or at once; nothing of it is left."""
        if at_once:
            self._process.terminate()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class DeviceAnswerer:
    """Answers parts on several devices at once; see :meth:`started`."""

    def __init__(self, processes: Sequence[DeviceProcess], backend: str) -> None:
        self.backend = backend
        self._processes = processes
        # one part waits for each device, so that none has to wait for the reader
        self.ahead = 2 * len(processes)
        self._places = Semaphore(self.ahead)
        self._threads = ThreadPoolExecutor(len(processes))
        self._free: Queue[DeviceProcess] = Queue()
        for process in processes:
            self._free.put(process)

    @classmethod
    @contextmanager
    def started(
        cls, engine: Engine, folder: Path, devices: Sequence[str]
    ) -> Iterator["DeviceAnswerer"]:
        """Start a process for each device; they have ended when the block ends.

        Parameters
        ----------
        engine : Engine
            Table and backend of all processes. A table that is neither a folder nor one of the
            package's own is written to the batch's folder for their time.
        folder : path
            Folder of the batch.
        devices : sequence of str
            Numbers among the devices that this process sees, or names that CUDA knows them by.

        Raises
        ------
        BackendUnavailable
            If one cannot run the engine; names the device.
        """
        with ExitStack() as stack:
            place, options = stack.enter_context(table_place(engine, folder))
            start = {
                "table": place,
                "options": options,
                "digest": engine.table.digest,
                "backend": engine.backend,
            }
            processes: list[DeviceProcess] = []
            try:
                for number, device in enumerate(devices):
                    own = folder / f".device-{number}.{os.getpid()}{PARTIAL_SUFFIX}"
                    processes.append(DeviceProcess(device, own))
                for process in processes:
                    process.start(start)
                for process in processes:
                    process.answer()
                answerer = cls(processes, engine.backend)
                # what is under way after a failure sees the end of its pipe
                stack.callback(answerer._threads.shutdown, cancel_futures=True)
                yield answerer
            except BaseException:
                for process in processes:
                    process.end(at_once=True)
                raise
            answerer._threads.shutdown()
            for process in processes:
                process.end(at_once=False)

    def answer(self, boards: pl.DataFrame, asked: Asked) -> "Future[Answered]":
        """Give a part to the device that is free first."""

        def task(process: DeviceProcess) -> Answered:
            block = frame_bytes(boards.select(PART_COLUMNS))
            reply = process.ask({"do": "answer", **asked._asdict()}, block)
            return Answered(reply["rows"], reply["files"], process.folder)

        return self._begin(task)

    def count(self, boards: pl.DataFrame, total: U64) -> "Future[None]":
        """Have a device count a part; :meth:`gather` adds it to ``total``."""

        def task(process: DeviceProcess) -> None:
            process.ask({"do": "count"}, frame_bytes(boards.select(PART_COLUMNS)))

        return self._begin(task)

    def _begin(self, task: Callable[[DeviceProcess], _Result]) -> "Future[_Result]":
        """Give a task to the device that is free first; waits where enough are begun."""

        def work() -> _Result:
            process = self._free.get()
            try:
                return task(process)
            finally:
                self._free.put(process)

        self._places.acquire()
        begun = self._threads.submit(work)
        begun.add_done_callback(lambda _: self._places.release())
        return begun

    def gather(self, total: U64) -> None:
        """Add to ``total`` what all devices have counted since the last time."""
        for process in self._processes:
            name = process.ask({"do": "gather"})["file"]
            if name is not None:
                path = process.folder / name
                total += np.load(path, mmap_mode="r", allow_pickle=False)
                path.unlink()


def environment_of(device: str) -> dict[str, str]:
    """Environment of a process that is to see one device only."""
    visible = [name.strip() for name in os.environ.get(VISIBLE, "").split(",") if name.strip()]
    chosen = device
    if visible and device.isdecimal():
        # a number counts among the devices that this process sees
        if int(device) >= len(visible):
            raise BackendUnavailable(
                f"expected a device of 0 to {len(visible) - 1} ({VISIBLE} names "
                f"{len(visible)}), got {device!r}"
            )
        chosen = visible[int(device)]
    paths = os.pathsep.join(path for path in sys.path if path)
    return {**os.environ, VISIBLE: chosen, "PYTHONPATH": paths}


@contextmanager
def table_place(engine: Engine, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name or folder, and options, with which a process can open the engine's table."""
    if engine.opened_from is not None:
        name, options = engine.opened_from
        if engine.table.overlays or is_system(name) or Path(name).is_dir():
            yield name, options
            return
    if engine.has_system:
        # deals that leave the table are bid on by the system, which each process must have
        raise InvalidInput("expected a system opened by its name or path for work on devices")
    place = folder / f".table.{os.getpid()}{PARTIAL_SUFFIX}"
    try:
        engine.table.save(place)
        yield str(place), {}
    finally:
        shutil.rmtree(place, ignore_errors=True)
