"""The jobs of a service in SQLite: what was asked, how far it is, how it ended.

Every change of state is one transaction that says which states it starts from, so that two that
come at once cannot both happen, and a process that is killed at any moment leaves either the state
before or the one behind it. The file is in WAL mode (SQLite manual, "Write-Ahead Logging") and each
transaction is on the disk when it returns.

    queued → running → done
       ↑        |----→ failed
       └--------┤
    (stopped,   └----→ cancelled      queued → cancelled
     or killed)
"""

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from bidcascade.bridge import BidcascadeError

JobState: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled"]
STATES: Final[tuple[JobState, ...]] = ("queued", "running", "done", "failed", "cancelled")
ENDED: Final[tuple[JobState, ...]] = ("done", "failed", "cancelled")

_VERSION: Final = 2
_BUSY_S: Final = 10.0
_SCHEMA: Final = """
CREATE TABLE jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    request TEXT NOT NULL,
    created REAL NOT NULL,
    started REAL,
    ended REAL,
    boards INTEGER NOT NULL DEFAULT 0,
    rejects INTEGER NOT NULL DEFAULT 0,
    boards_in_all INTEGER,
    crashes INTEGER NOT NULL DEFAULT 0,
    results TEXT NOT NULL DEFAULT '[]',
    error TEXT,
    CHECK ((state IN ('done', 'failed', 'cancelled')) = (ended IS NOT NULL)),
    CHECK ((state = 'failed') = (error IS NOT NULL)),
    CHECK (state != 'running' OR started IS NOT NULL)
) STRICT;
CREATE INDEX jobs_by_state ON jobs (state, number);
"""


class StoreFailed(BidcascadeError):
    """The file of the jobs cannot be read or written."""


class QueueFull(BidcascadeError):
    """As many jobs wait as may."""


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One file to download: its name, length in bytes and media type."""

    name: str
    bytes: int
    media_type: str


@dataclass(frozen=True, slots=True)
class Job:
    """One job as it stands.

    Parameters
    ----------
    number : int
        Counts up; never used twice.
    id : str
    state : str
    request : dict
        What was asked; see ``JobRequest`` of the API.
    created, started, ended : float
        Seconds since 1970; the latter two are None before.
    boards, rejects : int
        Answered and refused so far.
    boards_in_all : int, optional
        None while it is not known.
    crashes : int
        How often its own process crashed since it last came on.
    results : tuple of ResultFile
    error : str, optional
        Why it failed.
    """

    number: int
    id: str
    state: JobState
    request: dict[str, Any]
    created: float
    started: float | None
    ended: float | None
    boards: int
    rejects: int
    boards_in_all: int | None
    crashes: int
    results: tuple[ResultFile, ...]
    error: str | None


class JobStore:
    """The jobs in one file; safe to use from several threads, and meant for one process.

    Parameters
    ----------
    path : path
        Made if it is not there.

    Raises
    ------
    StoreFailed
        If it is no file of jobs, or cannot be read; so do all methods.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writing = threading.Lock()
        self._reading = threading.Lock()
        with ExitStack() as stack, _own_errors(path):
            # questions need not wait for a change that waits for another process
            self._writer = stack.enter_context(closing(_connected(path)))
            self._reader = stack.enter_context(closing(_connected(path)))
            self._prepare()
            stack.pop_all()

    def _prepare(self) -> None:
        self._writer.execute("PRAGMA journal_mode = WAL")
        self._writer.execute("PRAGMA synchronous = FULL")
        with self._transaction() as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                for statement in _SCHEMA.split(";")[:-1]:
                    connection.execute(statement)
            elif version == 1:
                # counted how often a job was begun, whoever had ended it
                connection.execute("ALTER TABLE jobs RENAME COLUMN attempts TO crashes")
                connection.execute("UPDATE jobs SET crashes = 0")
            elif version != _VERSION:
                raise StoreFailed(
                    f"expected jobs of version {_VERSION} in {self._path.name!r}, got {version}"
                )
            connection.execute(f"PRAGMA user_version = {_VERSION}")

    def close(self) -> None:
        """Close the file."""
        with self._writing, self._reading:
            self._reader.close()
            self._writer.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of the block, or nothing of it."""
        with self._writing, _own_errors(self._path):
            connection = self._writer
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                # fails as well, on a full disk: what it leaves open would stop all that follow
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _rows(self, question: str, values: tuple[object, ...] = ()) -> list[sqlite3.Row]:
        with self._reading, _own_errors(self._path):
            return self._reader.execute(question, values).fetchall()

    # --- changes --------------------------------------------------------------------------------

    def add(self, job_id: str, request: Mapping[str, Any], *, most_queued: int) -> Job:
        """Put a new job behind those that wait.

        Raises
        ------
        QueueFull
            If ``most_queued`` wait already.
        """
        with self._transaction() as connection:
            queued = connection.execute(
                "SELECT count(*) FROM jobs WHERE state = 'queued'"
            ).fetchone()[0]
            if queued >= most_queued:
                raise QueueFull(f"expected fewer than {most_queued} jobs that wait")
            connection.execute(
                "INSERT INTO jobs (id, state, request, created) VALUES (?, 'queued', ?, ?)",
                (job_id, json.dumps(request, ensure_ascii=False), time.time()),
            )
            return _found(connection, job_id)

    def take(self) -> Job | None:
        """Begin the job that has waited longest; None if none waits."""
        with self._transaction() as connection:
            row = connection.execute(
                "SELECT id FROM jobs WHERE state = 'queued' ORDER BY number LIMIT 1"
            ).fetchone()
            if row is None:
                return None
            connection.execute(
                "UPDATE jobs SET state = 'running', started = coalesce(started, ?) WHERE id = ?",
                (time.time(), row["id"]),
            )
            return _found(connection, row["id"])

    def see_progress(
        self, job_id: str, boards: int, rejects: int, in_all: int | None, *, comes_on: bool
    ) -> None:
        """Write down how far a running job is; one that comes on may crash as often again."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE jobs SET crashes = CASE WHEN ? THEN 0 ELSE crashes END, "
                "boards = ?, rejects = ?, boards_in_all = ? WHERE id = ? AND state = 'running'",
                (comes_on, boards, rejects, in_all, job_id),
            )

    def put_back(self, job_id: str, *, crashed: bool) -> bool:
        """Make a running job wait again; whether it has crashed. False if it runs no more."""
        return self._change(
            "UPDATE jobs SET state = 'queued', crashes = crashes + ? "
            "WHERE id = ? AND state = 'running'",
            (crashed, job_id),
        )

    def put_all_back(self, besides: Iterable[str] = ()) -> int:
        """Make all jobs wait again that nobody works on, besides some that are; how many."""
        with self._transaction() as connection:
            return connection.execute(
                "UPDATE jobs SET state = 'queued' WHERE state = 'running' "
                "AND id NOT IN (SELECT value FROM json_each(?))",
                (json.dumps([*besides]),),
            ).rowcount

    def finish(self, job_id: str, boards: int, rejects: int, results: Sequence[ResultFile]) -> bool:
        """End a running job well; False if it runs no more."""
        written = json.dumps([[one.name, one.bytes, one.media_type] for one in results])
        return self._change(
            "UPDATE jobs SET state = 'done', ended = ?, boards = ?, rejects = ?, "
            "boards_in_all = ?, results = ? WHERE id = ? AND state = 'running'",
            (time.time(), boards, rejects, boards, written, job_id),
        )

    def fail(self, job_id: str, error: str) -> bool:
        """End a running job with an error; False if it runs no more."""
        return self._change(
            "UPDATE jobs SET state = 'failed', ended = ?, error = ? "
            "WHERE id = ? AND state = 'running'",
            (time.time(), error, job_id),
        )

    def cancel(self, job_id: str) -> bool:
        """End a job that waits or runs; False if it has ended, or there is none."""
        return self._change(
            "UPDATE jobs SET state = 'cancelled', ended = ? "
            "WHERE id = ? AND state IN ('queued', 'running')",
            (time.time(), job_id),
        )

    def remove(self, job_id: str) -> bool:
        """Forget a job that has ended; False if it has not, or there is none."""
        return self._change(
            "DELETE FROM jobs WHERE id = ? AND state IN ('done', 'failed', 'cancelled')", (job_id,)
        )

    def remove_ended_before(self, moment: float) -> list[str]:
        """Forget jobs that ended before a moment; their ids."""
        with self._transaction() as connection:
            rows = connection.execute(
                "DELETE FROM jobs WHERE ended < ? RETURNING id", (moment,)
            ).fetchall()
        return [row["id"] for row in rows]

    def _change(self, statement: str, values: tuple[object, ...]) -> bool:
        with self._transaction() as connection:
            return connection.execute(statement, values).rowcount == 1

    # --- questions ------------------------------------------------------------------------------

    def get(self, job_id: str) -> Job | None:
        """Job of an id; None if there is none."""
        rows = self._rows("SELECT * FROM jobs WHERE id = ?", (job_id,))
        return _job(rows[0]) if rows else None

    def page(self, count: int, before: int | None = None) -> list[Job]:
        """Newest jobs first; those with numbers below ``before`` if given."""
        rows = self._rows(
            "SELECT * FROM jobs WHERE ? IS NULL OR number < ? ORDER BY number DESC LIMIT ?",
            (before, before, count),
        )
        return [_job(row) for row in rows]

    def states(self) -> dict[str, JobState]:
        """State of every job by id."""
        return {row["id"]: row["state"] for row in self._rows("SELECT id, state FROM jobs")}

    def counts(self) -> dict[str, int]:
        """How many jobs there are in each state."""
        rows = self._rows("SELECT state, count(*) AS jobs FROM jobs GROUP BY state")
        found = {row["state"]: int(row["jobs"]) for row in rows}
        return {state: found.get(state, 0) for state in STATES}


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    return connection


@contextmanager
def _own_errors(path: Path) -> Iterator[None]:
    """Say failures of SQLite in our words."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreFailed(
            f"the jobs in {path.name!r} cannot be read or written: {error}"
        ) from error


def _found(connection: sqlite3.Connection, job_id: str) -> Job:
    return _job(connection.execute("SELECT * FROM jobs WHERE id = ?", (job_id,)).fetchone())


def _job(row: sqlite3.Row) -> Job:
    values = dict(row)
    values["request"] = json.loads(values["request"])
    values["results"] = tuple(ResultFile(*one) for one in json.loads(values["results"]))
    return Job(**values)
