"""The jobs of a service: taken in, run so many at a time, cancelled, resumed, removed in the end.

Everything is in the data folder, which is opened when it is first needed: at the start of the
service if it is there, else when the first job comes.
"""

import logging
import secrets
import shutil
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bidcascade.engine.settings import Settings, default_data_folder

from .child import Child
from .data_folder import STORE, DataFolder, DataFolderUnusable
from .store import Job, JobStore, ResultFile, StoreFailed

if TYPE_CHECKING:
    from bidcascade.service.api.shared.tables import Tables

_logger = logging.getLogger("bidcascade.service")

MOST_CRASHES: Final = 3
"""How often a job's process crashes without having come on before the job is given up."""

_SWEEP_S: Final = 60.0
_SIZE_EVERY_S: Final = 5.0
_JOIN_S: Final = 30.0
_AGAIN_S: Final = 1.0


class JobQueue:
    """The jobs of one service; safe to use from several threads.

    Parameters
    ----------
    settings : Settings
    tables : Tables
        What jobs are answered from, by name.
    """

    def __init__(self, settings: Settings, tables: "Tables") -> None:
        self._settings = settings
        self._tables = tables
        # never held while the store is changed: that may wait for another process
        self._lock = threading.RLock()
        self._wake = threading.Event()
        self._folder: DataFolder | None = None
        self._store: JobStore | None = None
        self._children: dict[str, Child] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._supervisor: threading.Thread | None = None
        self._closing = threading.Event()

    # --- the folder -----------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        """Data folder, whether it is there or not."""
        named = self._settings.data_folder
        return Path(named).absolute() if named else default_data_folder()

    def resume(self) -> None:
        """Go on with the jobs of an earlier service, as soon as folder and tables are there."""
        threading.Thread(target=self._resume, name="resume-jobs", daemon=True).start()

    def _resume(self) -> None:
        logged = ""
        while not self._closing.is_set():
            try:
                self._opened(create=False)
            except (DataFolderUnusable, StoreFailed) as error:
                if str(error) != logged and not self._closing.is_set():
                    logged = str(error)
                    _logger.error("no jobs until this is over: %s", error)
                self._closing.wait(_AGAIN_S)
            else:
                return

    def open(self) -> tuple[DataFolder, JobStore]:
        """Open the data folder, make it if need be, and run what waits there.

        Raises
        ------
        DataFolderUnusable, StoreFailed
            If that cannot be done; it is tried again the next time.
        """
        opened = self._opened(create=True)
        assert opened is not None
        return opened

    def _opened(self, *, create: bool) -> tuple[DataFolder, JobStore] | None:
        with self._lock:
            if self._closing.is_set():
                raise DataFolderUnusable("the service is being stopped")
            if self._folder is not None and self._store is not None:
                return self._folder, self._store
            if not create and not (self.path / STORE).exists():
                return None
            with ExitStack() as stack:
                folder = DataFolder(self.path)
                stack.callback(folder.close)
                store = JobStore(folder.store)
                stack.callback(store.close)
                resumed = store.put_all_back()
                if resumed:
                    _logger.info("%d jobs of an earlier service are resumed", resumed)
                self._clear(folder, store)
                # all went well: both stay open
                stack.pop_all()
            self._folder, self._store = folder, store
            self._supervisor = threading.Thread(
                target=self._supervise, args=(folder, store), name="jobs", daemon=True
            )
            self._supervisor.start()
            return folder, store

    @staticmethod
    def _clear(folder: DataFolder, store: JobStore) -> None:
        """Remove what a service that was killed left over."""
        for part in folder.incoming.iterdir():
            shutil.rmtree(part, ignore_errors=True)
        states = store.states()
        for part in folder.jobs.iterdir():
            folder.of(part.name).tidy(states.get(part.name))

    # --- questions ------------------------------------------------------------------------------

    def get(self, job_id: str) -> Job | None:
        """Job of an id; None if there is none."""
        opened = self._opened(create=False)
        return None if opened is None else opened[1].get(job_id)

    def page(self, count: int, before: int | None = None) -> list[Job]:
        """Newest jobs first; see :meth:`JobStore.page`."""
        opened = self._opened(create=False)
        return [] if opened is None else opened[1].page(count, before)

    def counts(self) -> dict[str, int]:
        """Jobs by state; nothing while the folder is not open."""
        # asked for where nothing may wait
        store = self._store
        try:
            return {} if store is None else store.counts()
        except StoreFailed:
            return {}

    def result(self, job: Job, name: str) -> tuple[Path, ResultFile] | None:
        """File of a job to download, or None."""
        opened = self._opened(create=False)
        for file in job.results:
            if opened is not None and file.name == name:
                return opened[0].of(job.id).results / name, file
        return None

    def free_bytes(self) -> int:
        """Bytes that still fit the data folder by the setting ``max_data_bytes``."""
        folder, _ = self.open()
        return max(0, self._settings.max_data_bytes - folder.size())

    # --- changes --------------------------------------------------------------------------------

    def new_upload(self) -> tuple[str, Path]:
        """Id for a job to come, and a folder for what it is to read."""
        folder, _ = self.open()
        job_id = secrets.token_hex(8)
        upload = folder.incoming / job_id
        (upload / "input").mkdir(parents=True)
        return job_id, upload

    def add(self, job_id: str, upload: Path, request: Mapping[str, Any]) -> Job:
        """Take in a job whose upload is complete.

        Raises
        ------
        QueueFull
            If too many wait; nothing of it is left.
        """
        folder, store = self.open()
        # a folder without a job is removed at the next start
        upload.rename(folder.of(job_id).folder)
        try:
            job = store.add(job_id, request, most_queued=self._settings.max_queued_jobs)
        except BaseException:
            folder.of(job_id).tidy(None)
            raise
        self._wake.set()
        return job

    def cancel(self, job_id: str) -> bool:
        """End a job that waits or runs; false if it has ended, or there is none."""
        opened = self._opened(create=False)
        if opened is None:
            return False
        folder, store = opened
        if not store.cancel(job_id):
            return False
        with self._lock:
            child = self._children.get(job_id)
            thread = self._threads.get(job_id)
        if child is not None:
            child.stop()
        if thread is not None:
            thread.join(_JOIN_S)
        folder.of(job_id).tidy("cancelled")
        return True

    def remove(self, job_id: str) -> bool:
        """Forget a job that has ended, and remove its files; false if it has not."""
        opened = self._opened(create=False)
        if opened is None or not opened[1].remove(job_id):
            return False
        opened[0].of(job_id).tidy(None)
        return True

    def close(self) -> None:
        """Stop all jobs so that the next service goes on with them; nothing is begun any more."""
        with self._lock:
            self._closing.set()
            self._wake.set()
        if self._supervisor is not None:
            self._supervisor.join(_JOIN_S)
        with self._lock:
            children = list(self._children.values())
            threads = list(self._threads.values())
        for child in children:
            child.stop()
        for thread in threads:
            thread.join(_JOIN_S)
        with self._lock:
            if self._store is not None:
                self._store.close()
            if self._folder is not None:
                self._folder.close()
            self._store = self._folder = None

    # --- the work -------------------------------------------------------------------------------

    def _supervise(self, folder: DataFolder, store: JobStore) -> None:
        swept = float("-inf")
        clock = _Calendar()
        while not self._closing.is_set():
            self._wake.clear()
            try:
                clock.look()
                if time.monotonic() - swept >= _SWEEP_S:
                    swept = time.monotonic()
                    self._sweep(folder, store, clock.now)
                # those whose end could not be written down
                store.put_all_back(besides=list(self._threads))
                while self._tables.state == "ready" and self._begin(folder, store):
                    pass
            except (StoreFailed, RuntimeError) as error:
                # python says so where there are too many threads
                _logger.error("jobs have to wait: %s", error)
                self._closing.wait(_AGAIN_S)
            # tables that are being loaded do not say when they are ready
            self._wake.wait(_AGAIN_S if self._tables.state == "ready" else 0.1)

    def _begin(self, folder: DataFolder, store: JobStore) -> bool:
        """Begin the next job if one waits and there is room for it."""
        if self._closing.is_set() or len(self._threads) >= self._settings.max_running_jobs:
            return False
        job = store.take()
        if job is None:
            return False
        thread = threading.Thread(
            target=self._run, args=(folder, store, job), name=f"job-{job.id}", daemon=True
        )
        with self._lock:
            # it takes itself out at its end
            thread.start()
            self._threads[job.id] = thread
        return True

    def _run(self, folder: DataFolder, store: JobStore, job: Job) -> None:
        try:
            self._do(folder, store, job)
            current = store.get(job.id)
            folder.of(job.id).tidy(None if current is None else current.state)
        except StoreFailed as error:
            # it is put back as soon as that can be written down
            _logger.error("job %s: %s", job.id, error)
        finally:
            with self._lock:
                child = self._children.pop(job.id, None)
            if child is not None:
                child.close()
            with self._lock:
                self._threads.pop(job.id, None)
            self._wake.set()

    def _do(self, folder: DataFolder, store: JobStore, job: Job) -> None:
        job_folder = folder.of(job.id).folder
        names = [job.request["table"], *job.request.get("beside", ())]
        # a job of an archive names none
        gone = [name for name in names if name and name not in self._tables.paths]
        if gone:
            table = gone[0]
            store.fail(
                job.id, f"expected the table {table!r}, which the service does not have any more"
            )
            return
        if not job_folder.is_dir():
            store.fail(job.id, "expected the folder of this job, which is gone")
            return
        try:
            with self._lock:
                child = None
                if not self._closing.is_set():
                    child = self._children[job.id] = Child(self._start_of(job, job_folder))
        except OSError as error:
            _logger.error("job %s cannot be begun, and is tried again: %s", job.id, error)
            self._closing.wait(_AGAIN_S)
            child = None
        if child is None:
            store.put_back(job.id, crashed=False)
            return
        current = store.get(job.id)
        if current is None or current.state != "running":
            # cancelled before there was a process to stop
            return
        _logger.info("job %s begun", job.id)
        last: dict[str, Any] = {}
        sized = time.monotonic()
        for message in child.messages():
            if "boards" in message:
                self._see(store, job.id, message)
                if time.monotonic() - sized >= _SIZE_EVERY_S:
                    sized = time.monotonic()
                    most = self._settings.max_data_bytes
                    if folder.size() > most:
                        reason = f"expected at most {most:,} bytes in the folder of the jobs"
                        last = {"error": f"{reason} (setting max_data_bytes)", "known": True}
                        child.stop()
            else:
                last = message
        self._end(store, job, child, last)

    @staticmethod
    def _see(store: JobStore, job_id: str, message: Mapping[str, Any]) -> None:
        try:
            store.see_progress(
                job_id,
                message["boards"],
                message["rejects"],
                message["of"],
                comes_on=message["comes_on"],
            )
        except StoreFailed as error:
            # the next message says it as well
            _logger.warning("progress of job %s: %s", job_id, error)

    def _start_of(self, job: Job, job_folder: Path) -> dict[str, Any]:
        request = job.request
        name, archives = request["table"], self._settings.archives_folder
        start = {
            # jobs that an earlier version took in do not say it
            "text": False,
            **request,
            "beside": [
                {"name": other, "table": self._tables.paths[other], "digest": digest}
                for other, digest in zip(
                    request.get("beside", ()), request.get("beside_digests", ()), strict=True
                )
            ],
            "dd_workers": self._settings.dd_workers,
            "archives_folder": archives and str(Path(archives).absolute()),
            "folder": str(job_folder),
            "place": request["root"] or str(job_folder / "input"),
            "root": bool(request["root"]),
            "backend": self._tables.backend,
        }
        if name:
            start |= {
                "table": self._tables.paths[name],
                "name": name,
                "overlays": list(self._tables.overlays.get(name, ())),
                "options": self._tables.options_of(name),
            }
        return start

    def _end(self, store: JobStore, job: Job, child: Child, last: Mapping[str, Any]) -> None:
        if "done" in last:
            done = last["done"]
            files = [ResultFile(**file) for file in done["results"]]
            if store.finish(job.id, done["boards"], done["rejects"], files):
                _logger.info("job %s done: %d boards", job.id, done["boards"])
        elif "error" in last:
            if not last.get("known"):
                child.write_log(job.id)
            if store.fail(job.id, last["error"]):
                _logger.warning("job %s failed: %s", job.id, last["error"])
        elif self._closing.is_set():
            store.put_back(job.id, crashed=False)
        elif job_now := store.get(job.id):
            if job_now.state != "running":
                # cancelled
                return
            child.write_log(job.id)
            crashed = child.crashed()
            if not crashed or job_now.crashes + 1 < MOST_CRASHES:
                _logger.warning("job %s: its process %s; resumed", job.id, child.end())
                store.put_back(job.id, crashed=crashed)
                return
            _logger.warning("job %s: its process %s; given up", job.id, child.end())
            store.fail(
                job.id,
                f"the process of this job {child.end()} {MOST_CRASHES} times: "
                "a file may be damaged, or memory has run out",
            )

    def _sweep(self, folder: DataFolder, store: JobStore, now: float) -> None:
        """Remove jobs whose time is over."""
        hours = self._settings.job_retention_hours
        for job_id in store.remove_ended_before(now - 3600 * hours):
            folder.of(job_id).tidy(None)
            _logger.info("job %s removed: it ended %d hours ago", job_id, hours)


class _Calendar:
    """The time by which jobs grow old: where the clock was set forward, that does not count."""

    def __init__(self) -> None:
        self._ahead = time.time() - time.monotonic()

    def look(self) -> None:
        """Take notice of a clock that was set back."""
        self._ahead = min(self._ahead, time.time() - time.monotonic())

    @property
    def now(self) -> float:
        """Seconds since 1970 by the slowest that the clock has shown."""
        return time.monotonic() + self._ahead
