"""The archives of a service: each opened when it is first asked, and then kept open."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Final

from bidcascade.bridge import BidcascadeError, InvalidInput
from bidcascade.engine.archive.adding import remove_archive
from bidcascade.engine.archive.archive import Archive, archives_folder
from bidcascade.engine.archive.catalogue import UnknownArchive, archive_names, check_name
from bidcascade.engine.archive.error_texts import archive_error_text
from bidcascade.engine.questions.archives import ArchivesAnswer
from bidcascade.engine.questions.parts.fields import read_field
from bidcascade.service.api.http.problems import Problem, problem_of

MOST_OPEN: Final = 64
"""Archives that are kept open."""
MOST_QUESTIONS: Final = 4
"""Questions that are worked on at once, those included whose requests were given up."""


class Archives:
    """Archives by name; safe to use from several threads.

    Parameters
    ----------
    named : str
        Folder that they lie in, by the setting; it need not be there.
    """

    def __init__(self, named: str) -> None:
        self._named = named
        self._lock = threading.Lock()
        self._open: dict[str, Archive] = {}
        self._slots = threading.BoundedSemaphore(MOST_QUESTIONS)

    @cached_property
    def _root(self) -> Path:
        return archives_folder(self._named).absolute()

    @contextmanager
    def opened(self, name: str) -> Iterator[Archive]:
        """Give the archive of a name; errors in the block say no place on this machine.

        Raises
        ------
        Problem
            422 if it is no name; 404 if there is no such archive; 429 if too many questions are
            worked on; as the block's errors have it.
        """
        folder = self._folder(name)
        if not self._slots.acquire(blocking=False):
            # the event loop lets no more than that in: the others were given up and go on
            raise Problem(
                "overloaded",
                f"expected at most {MOST_QUESTIONS} questions to archives at once",
                headers={"Retry-After": "5"},
            )
        try:
            with _without_places(folder):
                try:
                    yield self._opened(name, folder)
                except UnknownArchive:
                    self._forget(name)
                    raise
        finally:
            self._slots.release()

    def all(self) -> ArchivesAnswer:
        """Summaries of all archives, and why some are damaged."""
        summaries, damaged = [], {}
        for name in archive_names(self._root):
            folder = self._root / name
            try:
                summaries.append(self._opened(check_name(name), folder).summary())
            except UnknownArchive:
                # removed in this moment
                continue
            except InvalidInput as error:
                damaged[name] = archive_error_text(error, folder)
        return ArchivesAnswer(archives=tuple(summaries), damaged=damaged)

    def remove(self, name: str) -> int:
        """Remove an archive; the number of boards that it had.

        Raises
        ------
        Problem
            404 if there is none, 409 if somebody writes to it, 422 if it is no name.
        """
        folder = self._folder(name)
        with _without_places(folder):
            boards = remove_archive(folder)
        self._forget(name)
        return boards

    def _forget(self, name: str) -> None:
        with self._lock:
            self._open.pop(name, None)

    def _folder(self, name: str) -> Path:
        return self._root / read_field(check_name, name, "name")

    def _opened(self, name: str, folder: Path) -> Archive:
        with self._lock:
            archive = self._open.get(name)
        if archive is None:
            archive = Archive(folder)
            with self._lock:
                while len(self._open) >= MOST_OPEN:
                    del self._open[next(iter(self._open))]
                archive = self._open.setdefault(name, archive)
        return archive


@contextmanager
def _without_places(folder: Path) -> Iterator[None]:
    try:
        yield
    except BidcascadeError as error:
        raise problem_of(error, reason=archive_error_text(error, folder)) from error
